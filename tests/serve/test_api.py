"""Judging through HTTP: what is saved, repeated, in conflict, refused; what changes is told to who may know."""

import asyncio
from io import BytesIO
from zipfile import ZipFile

import pytest

from adjudge.demo.eal import ASSESSMENTS, SOURCES
from adjudge.serve.access import Who
from adjudge.serve.app import Change, Hub
from adjudge.serve.campaigns import create_campaign, schema_of
from adjudge.serve.store import stream_of
from adjudge.serve.store.care import restore
from adjudge.serve.store.tables import Scope
from serve.demo_campaign import NAME, make
from serve_small import event, small_server

SCOPE = "/api/v1/campaigns/one/scopes/D1"
ALL = {"aet": "C", "aer": "C", "cas": "C", "bf": "C", "realis": "Actual", "mention_type": "NAME"}


@pytest.fixture
def server(tmp_path):
    with small_server(tmp_path / "folder") as made:
        yield made


def judge(client, item="D1-a", version=0, answers=ALL, key="k1", **more):
    body = {"version": version, "answers": answers, "key": key, "ms": 1200, **more}
    return client.put(f"{SCOPE}/items/{item}/judgment", json=body)


def item(client, name="D1-a"):
    return next(each for each in client.get(SCOPE).json()["items"] if each["id"] == name)


def test_saved_once_however_often_it_is_sent(server):
    client = server.client("ann")
    first = judge(client)
    assert first.status_code == 200
    assert (first.json()["version"], first.json()["complete"], first.headers["etag"]) == (1, True, '"1"')
    again = judge(client)
    assert (again.status_code, again.json()["version"], again.json()["n"]) == (200, 1, first.json()["n"])
    found = item(client)
    assert (found["answers"], found["version"], found["complete"]) == (ALL, 1, True)
    with server.store.read() as snapshot:
        assert len(snapshot.events(stream_of("one", "D1", "ann"))) == 1


def test_a_conflict_has_the_current_answer(server):
    client = server.client("ann")
    judge(client)
    refused = judge(client, answers={"aet": "W"}, key="k2")
    assert refused.status_code == 409
    assert refused.json()["error"] == "version"
    assert (refused.json()["current"]["version"], refused.json()["current"]["answers"]) == (1, ALL)
    assert judge(client, answers={"aet": "W"}, key="k3", version=1).status_code == 200
    assert item(client)["answers"] == {"aet": "W"}
    path, body = f"{SCOPE}/items/D1-a/judgment", {"answers": ALL, "key": "k4"}
    assert client.put(path, json=body, headers={"If-Match": '"1"'}).status_code == 409
    assert client.put(path, json=body, headers={"If-Match": "new"}).status_code == 400
    assert client.put(path, json=body, headers={"If-Match": '"2"'}).headers["etag"] == '"3"'


def test_one_of_a_batch_that_is_refused_does_not_hinder_the_others(server):
    client = server.client("ann")
    batch = [
        {"item": "D1-a", "version": 0, "answers": ALL, "key": "b1"},
        {"item": "D1-b", "version": 7, "answers": ALL, "key": "b2"},
        {"item": "D1-c", "version": 0, "answers": {"aet": "maybe"}, "key": "b3"},
        {"item": "D2-a", "version": 0, "answers": ALL, "key": "b4"},
        {"item": "D1-c", "version": 0, "answers": {"aet": "W"}, "key": "b5"},
    ]
    results = client.post(f"{SCOPE}/judgments", json=batch).json()
    assert [each["status"] for each in results] == [200, 409, 422, 422, 200]
    assert "maybe" in results[2]["fault"]["message"]
    assert [item(client, name)["answers"] for name in ("D1-a", "D1-b", "D1-c")] == [ALL, {}, {"aet": "W"}]


def test_undo_is_an_event_of_its_own(server):
    client = server.client("ann")
    judge(client)
    assert judge(client, answers={}, version=1, key="k2", cause="undo").status_code == 200
    assert item(client)["answers"] == {}
    with server.store.read() as snapshot:
        assert [each.kind for each in snapshot.events(stream_of("one", "D1", "ann"))] == ["judge", "undo"]


def test_finish_then_closed(server):
    client = server.client("ann")

    def operate(op, key):
        return client.post(f"{SCOPE}/stages/assess", json={"ops": [op], "key": key, "version": 0})

    early = operate({"op": "finish"}, "f0")
    assert (early.status_code, early.json()["message"]) == (422, "3 of 3 are not answered")
    for name in "abc":
        judge(client, f"D1-{name}", key=f"all-{name}")
    assert operate({"op": "comment", "item": "D1-a", "text": "hm"}, "c1").status_code == 200
    assert operate({"op": "finish"}, "f1").status_code == 200
    closed = judge(client, answers={"aet": "W"}, version=1, key="late")
    assert (closed.status_code, closed.json()["error"]) == (410, "closed")
    assert operate({"op": "nonsense"}, "n1").status_code in (410, 422)


def test_a_frozen_campaign(server):
    event(server.store, stream_of("one"), "freeze", "one", {"frozen": True})
    refused = judge(server.client("ann"))
    assert (refused.status_code, refused.json()["error"]) == (423, "frozen")


def test_what_one_has_is_not_sent_again(server):
    client = server.client("ann")
    tag = client.get(SCOPE).headers["etag"]
    assert client.get(SCOPE, headers={"If-None-Match": tag}).status_code == 304
    judge(client)
    assert client.get(SCOPE, headers={"If-None-Match": tag}).status_code == 200


def test_too_fast(server):
    server.access.writes.burst = 3
    now = server.access.clock()
    server.access.clock = lambda: now
    client = server.client("ann")
    codes = [judge(client, key="same").status_code for _ in range(5)]
    assert codes == [200, 200, 200, 429, 429]
    assert judge(client, key="same").headers["retry-after"]
    assert judge(server.client("ben"), key="his").status_code in (200, 409)  # not he


def test_a_bug_says_nothing_of_what_is_inside(server, monkeypatch, caplog):
    def broken(*_):
        raise RuntimeError("secret words")

    monkeypatch.setattr("adjudge.serve.workbench.judge", broken)
    answer = judge(server.client("ann"))
    assert (answer.status_code, answer.json()["error"]) == (500, "bug")
    assert "secret words" not in answer.text
    assert "secret words" in caplog.text


def test_changes_are_told_to_whom_they_concern():
    async def listen():
        hub = Hub()
        people = {
            "ann": Who("ann", "ann", frozenset({("one", "assessor")}), "", "session"),
            "ben": Who("ben", "ben", frozenset({("one", "assessor")}), "", "session"),
            "otto": Who("otto", "otto", frozenset({("one", "organiser")}), "", "session"),
            "olga": Who("olga", "olga", frozenset({("two", "organiser")}), "", "session"),
        }
        heard = {name: [] for name in people}

        async def one(name):
            async for part in hub.listen(people[name], lambda: people[name]):
                heard[name].append(part)

        tasks = [asyncio.create_task(one(name)) for name in people]
        while sum(map(len, heard.values())) < len(people):  # everybody listens
            await asyncio.sleep(0)
        await asyncio.to_thread(hub.tell, Change("one", "D1", "ann", "tab"))
        await asyncio.sleep(0.01)
        hub.end()
        await asyncio.gather(*tasks)
        return {name: len(parts) - 1 for name, parts in heard.items()}

    assert asyncio.run(listen()) == {"ann": 1, "ben": 0, "otto": 1, "olga": 0}


def test_metrics(server):
    for number in range(20):
        judge(server.client("ann"), key=f"m{number}", version=number)
    found = server.client("root").get("/api/v1/metrics").json()
    saves = found["routes"]["api_judge"]
    assert saves["count"] == 20
    assert 0 < saves["p50"] <= saves["p95"] <= saves["p99"]
    assert found["refused_by_browsers"] == 0


def test_who_is_sent_away_hears_no_more(monkeypatch):
    monkeypatch.setattr("adjudge.serve.app.ALIVE", 0.01)
    ann = Who("ann", "ann", frozenset({("one", "assessor")}), "", "session")

    async def listen():
        return [part async for part in Hub().listen(ann, lambda: None)]

    assert len(asyncio.run(listen())) == 2  # that it is there, and still alive


def test_suggestions_of_a_judge(server):
    path, headers = "/api/v1/campaigns/one/suggestions", {"Authorization": f"Bearer {token(server, 'jay')}"}
    client = server.client()
    given = [
        {"item": "D1-a", "answers": {"aet": "W"}, "score": 0.9},
        {"scope": "D1", "item": {"role": "Victim"}, "answers": ALL},
        {"item": "D2-a", "answers": {"aet": "W"}},
    ]
    answer = client.put(path, json={"suggestions": given, "key": "s1"}, headers=headers)
    assert (answer.status_code, answer.json()) == (200, {"items": 3})
    assert client.put(path, json={"suggestions": given, "key": "s1"}, headers=headers).status_code == 200
    wrong = [{"item": "none", "answers": {}}, {"scope": "D1", "item": {}, "answers": {"aet": "no", "what": "C"}}]
    answer = client.put(path, json={"suggestions": [given[0], *wrong], "key": "s2"}, headers=headers)
    assert answer.status_code == 422
    assert [each["place"] for each in answer.json()["findings"]] == [f"suggestions[{n}]" for n in (1, 2, 2)]
    with server.store.read() as snapshot:
        assert len([each for each in snapshot.events("c/one") if each.kind == "suggest" and each.actor == "jay"]) == 1
    ann = server.client("ann")
    assert item(ann)["suggestion"] == {"source": "jay", "answers": {"aet": "W"}}
    assert item(ann, "D1-c")["suggestion"]["answers"] == ALL
    ben = server.client("ben").get("/api/v1/campaigns/one/scopes/D2").json()["items"]
    assert {each["suggestion"] for each in ben} == {None}  # the validity sample
    assert server.client("otto").put(path, json={"suggestions": given, "key": "s3"}).status_code == 403


def token(server, person):
    assert server.cookies[person]
    return server.access.issue_token(person)[0]


def test_late_responses(server):
    path, name = "/api/v1/campaigns/one/pool", "MINI_NW_01"
    client = server.client("otto")
    lines = (ASSESSMENTS / name).read_text().splitlines(keepends=True)
    text = next(each for each in SOURCES.iterdir() if each.stem == name).read_text()
    early, late = {name: "".join(lines[:5])}, {name: "".join(lines[3:])}
    first = client.post(path, json={"files": early, "texts": {name: text}}).json()
    assert first == {"items": 5, "new": 5, "withdrawn": 0, "findings": []}
    form = {"do": "pool", "csrf": server.csrf("otto")}
    page = client.post("/organise/one", data=form, files=[("files", (name, late[name].encode()))])
    assert f"{len(lines) - 5} of {len(lines) - 3} responses are new" in page.text
    assert client.post(path, json={"files": late}).json()["new"] == 0
    broken = client.post(path, json={"files": {"MINI_NW_08": "no\tassessment\n"}}).json()
    assert [each["place"] for each in broken["findings"]] == ["MINI_NW_08"]
    assert client.post(path, json={"files": {".x": ""}}).status_code == 422
    assert client.post(path, json={"files": {"a/b": ""}}).status_code == 422
    page = client.post("/organise/one", data=form)
    assert "not done: there is no folder to look into" in page.text
    with server.store.read() as snapshot:
        assert len(snapshot.items("one", name)) == len(lines)
        assert snapshot.decisions("one", name) == []  # what files say of items is not asked
        assert server.store.get_blob(snapshot.get(Scope, "one", name).text_sha).decode() == text


def test_what_happened(server):
    judge(server.client("ann"))
    own = server.client("ann").get("/api/v1/campaigns/one/events").json()
    assert [(each["actor"], each["kind"], each["body"]["answers"]) for each in own["events"]] == [("ann", "judge", ALL)]
    all_ = server.client("otto").get("/api/v1/campaigns/one/events").json()
    assert {each["actor"] for each in all_["events"]} == {"admin", "ann", "ben"}
    assert not any("body" in each for each in all_["events"])
    assert server.client("otto").get(f"/api/v1/campaigns/one/events?after={all_['after']}").json()["events"] == []
    assert server.client("otto").get("/api/v1/campaigns/one/events?after=x").status_code == 400
    page = server.client("otto").get("/organise/one?show=audit").text
    assert "<td>ben</td><td>judge</td><td>D1-a</td>" in page


def test_archives(server, tmp_path):
    make(server.store)
    assert server.cookies
    server.access.add_person("otto", "organiser", NAME)
    answer = server.client("otto").get(f"/api/v1/campaigns/{NAME}/export")
    with ZipFile(BytesIO(answer.content)) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    assert files["assessments/MINI_NW_01"] == (ASSESSMENTS / "MINI_NW_01").read_bytes()
    assert "manifest.json" in files
    with server.store.read() as snapshot:
        assert [(each.actor, each.subject) for each in snapshot.events(f"c/{NAME}") if each.kind == "look"] == [
            ("otto", "export")
        ]
    assert "do not contradict" in server.client("otto").get(f"/organise/{NAME}?show=findings").text
    server.access.add_person("otto", "assessor", NAME)
    assert server.client("otto").get(f"/api/v1/campaigns/{NAME}/export").status_code == 403
    answer = server.client("root").get("/api/v1/backup")
    with ZipFile(BytesIO(answer.content)) as archive:
        assert "backup/secret.key" not in archive.namelist()
        archive.extractall(tmp_path)
    assert restore(tmp_path / "backup", tmp_path / "again") > 0


def test_whether_an_answer_waits_for_enter_is_a_setting_of_the_campaign(server):
    page = "/c/one/D1/assess"
    before = server.client("ann").get(page)
    assert (before.status_code, "data-confirm" in before.text) == (200, False)
    create_campaign(server.store, "one", schema_of(server.store, "one"), {"confirm": True})
    assert 'data-confirm="1"' in server.client("ann").get(page).text
