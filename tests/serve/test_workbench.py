"""What readers do to a campaign, through the functions that the server calls."""

import itertools

import pytest

from adjudge.demo.eal import ASSESSMENTS, FRAMES
from adjudge.errors import ValidationError
from adjudge.formats.eal_assessments import parse_key
from adjudge.formats.eal_linking import parse_linking
from adjudge.formats.eal_store import open_frames, open_key
from adjudge.serve.campaigns import files_of
from adjudge.serve.messages import JudgeItem
from adjudge.serve.store import Conflict, Write, stream_of
from adjudge.serve.views import campaign_view, scope_view
from adjudge.serve.workbench import Refusal, judge, operate
from serve.demo_campaign import NAME, campaign, desk

COLUMNS = ("aet", "aer", "cas", "bf", "realis", "mention_type")
keys = map("k{}".format, itertools.count())


def wanted(document):
    """The stored answers by what a reader sees of a response."""
    found = {}
    with open_key(ASSESSMENTS) as store:
        for response, judged in store.key(document).assessed.items():
            values = dict(zip(COLUMNS, (judged.event_type or "NIL", *judged[1:]), strict=True))
            found[shown(response)] = {name: value for name, value in values.items() if value is not None}
    return found


def shown(response):
    spans = [[s, e + 1] for s, e in (response.cas.span, response.base_filler)]
    because = [[[s, e + 1] for s, e in each] for each in (response.justifications, response.additional)]
    return repr([response.type, response.role, response.cas.text, *spans, *because])


def seen(item):
    names = ("type", "role", "cas", "cas_span", "base_filler", "justifications", "additional")
    return repr([item["fields"][name] for name in names])


def assess(at, document):
    """Answer every card of a document as it is stored."""
    right = wanted(document)
    items = scope_view(at, document)["items"]
    given = [JudgeItem(right[seen(each)], next(keys), each["version"], 900, item=each["id"]) for each in items]
    return judge(at, document, given)


def clusters(coref):
    found = {}
    for cas, number in coref.items():
        found.setdefault(number, set()).add(cas)
    return {frozenset(each) for each in found.values()}


def group(at, document, key):
    """Take apart and join until the groups are those of a key."""
    goal = {f"{cas.text} {cas.span.start}": number for cas, number in key.coref.items()}

    def name(member):
        return goal[f"{member['text']} {member['marks'][0][0]}"]

    version = 0
    for row in scope_view(at, document)["groups"]["rows"]:
        for member in row["members"][1:]:
            if name(member) != name(row["members"][0]):
                op = {"op": "out", "row": row["id"], "member": member["id"]}
                version = operate(at, document, "group", version, [op], next(keys))["version"]
    rows = scope_view(at, document)["groups"]["rows"]
    first = {}
    for row in rows:
        other = first.setdefault(name(row["members"][0]), row["id"])
        if other != row["id"]:
            op = {"op": "join", "a": other, "b": row["id"]}
            version = operate(at, document, "group", version, [op], next(keys))["version"]
    return operate(at, document, "group", version, [{"op": "finish"}], next(keys))["stage"]


def link(at, document, linking):
    """Put every row into the frames that have it; events are numbered as they are made."""

    def cells(response):
        return response.type, response.role, response.cas.text, response.realis

    frames = [{cells(response) for response in frame.responses} for frame in linking.frames]
    made = {}
    ops = []
    for table in scope_view(at, document)["frames"]["tables"]:
        for row in table["rows"]:
            what = (table["table"], row["cells"]["role"], row["cells"]["cas"], row["cells"]["realis"])
            kinds = itertools.chain(["put"], itertools.repeat("also"))
            for number in (number for number, frame in enumerate(frames) if what in frame):
                event = made.get(number, "new")
                made.setdefault(number, str(len(made) + 1))
                ops.append({"op": next(kinds), "row": row["id"], "event": event})
    done = operate(at, document, "link", 0, ops, next(keys)) if ops else {"version": 0}
    return operate(at, document, "link", done["version"], [{"op": "finish"}], next(keys))["stage"]


def test_the_whole_bundled_campaign(tmp_path):
    with campaign(tmp_path, answers=False, readers=["ann"]) as store, open_key(ASSESSMENTS) as stored:
        ann = desk(store)
        before = campaign_view(ann)["scopes"]
        assert sum(each["items"] for each in before) == 348
        cards = 0
        for document in stored.documents:
            with open_frames(FRAMES) as frames:
                key = stored.key(document)
                linking = frames.linking(key)
            results = assess(ann, document)
            cards += len(results)
            assert all(each["complete"] for each in results)
            assert operate(ann, document, "assess", 0, [{"op": "finish"}], next(keys))["stage"] == "group"
            assert group(ann, document, key) == "link"
            assert link(ann, document, linking) == "done"
        assert cards == 310
        files = dict(files_of(store, NAME))
        for document in stored.documents:
            key = stored.key(document)
            made, problems = parse_key(files[f"assessments/{document}"], document)
            assert not problems
            assert made.assessed == key.assessed
            asked = {cas for cas in key.coref if cas in made.coref}
            assert clusters(made.coref) == clusters({cas: key.coref[cas] for cas in asked})
            with open_frames(FRAMES) as frames:
                linking = frames.linking(key)
            again, problems = parse_linking(files[f"frames/{document}"], made)
            assert not problems
            assert {frame.responses for frame in again.frames} == {frame.responses for frame in linking.frames}
            assert files[f"by-reader/ann/assessments/{document}"] == files[f"assessments/{document}"]


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    with campaign(tmp_path_factory.mktemp("store"), answers=False, readers=["ann", "ben"]) as store:
        yield store


def first_item(at, document, number=0):
    return scope_view(at, document)["items"][number]


def test_judging_again_and_undo(store):
    ann = desk(store)
    item = first_item(ann, "MINI_DF_02")
    (said,) = judge(ann, "MINI_DF_02", [JudgeItem({"aer": "W"}, "a1", 0, 5, item=item["id"])])
    assert said["version"] == 1
    assert said["complete"]
    (again,) = judge(ann, "MINI_DF_02", [JudgeItem({"aer": "W"}, "a1", 0, 5, item=item["id"])])
    assert again == said
    (late,) = judge(ann, "MINI_DF_02", [JudgeItem({"aet": "W"}, "a2", 0, 5, item=item["id"])])
    assert isinstance(late, Conflict)
    assert late.current["answers"] == {"aet": "C", "aer": "W"}
    (more,) = judge(ann, "MINI_DF_02", [JudgeItem({"aet": "W"}, "a3", 1, 5, item=item["id"])])
    assert more["version"] == 2
    for version in ("abc", None, True):
        with pytest.raises(ValidationError, match="is not a version"):
            operate(ann, "MINI_DF_02", "assess", 0, [{"op": "undo", "item": item["id"], "version": version}], "a4")
    undo = {"op": "undo", "item": item["id"], "version": 2}
    assert operate(ann, "MINI_DF_02", "assess", 0, [undo], "a4")["version"] == 3
    assert first_item(ann, "MINI_DF_02")["answers"] == {"aet": "C", "aer": "W"}
    operate(ann, "MINI_DF_02", "assess", 0, [{"op": "undo", "item": item["id"], "version": 3}], "a5")
    after = first_item(ann, "MINI_DF_02")
    assert (after["answers"], after["complete"], after["version"]) == ({}, False, 4)


def test_wrong_answers_are_refused_one_by_one(store):
    ann = desk(store)
    one, other = (first_item(ann, "MINI_DF_03", number) for number in (0, 1))
    results = judge(
        ann,
        "MINI_DF_03",
        [
            JudgeItem({"aet": "X", "role": "W"}, "b1", 0, 0, item=one["id"]),
            JudgeItem({}, "b2", item="nobody"),
            JudgeItem({"aet": "W"}, "b3", 0, 0, item=other["id"]),
        ],
    )
    assert [str(each) for each in results[:2]] == [
        "'X' is not an answer to 'aet', choose from W, I, NIL, C\n"
        "there is no question 'role', questions are aet, aer, cas, bf, realis, mention_type",
        "there is no item 'nobody', load the page again",
    ]
    assert results[2]["complete"]


def test_flags_and_comments(store):
    ann, ben = desk(store), desk(store, "ben")
    item = first_item(ann, "MINI_DF_04")["id"]
    operate(ann, "MINI_DF_04", "assess", 0, [{"op": "flag", "item": item, "text": "who?"}], "c1")
    operate(ann, "MINI_DF_04", "assess", 0, [{"op": "comment", "item": item, "text": "see page 3"}], "c2")
    mine = first_item(ann, "MINI_DF_04")
    assert (mine["flag"], [each["text"] for each in mine["comments"]]) == ("who?", ["see page 3"])
    assert first_item(ben, "MINI_DF_04")["flag"] is None
    operate(ann, "MINI_DF_04", "assess", 0, [{"op": "flag", "item": item, "text": None}], "c3")
    assert first_item(ann, "MINI_DF_04")["flag"] is None


def test_blind_double_reading(store):
    """Nothing of a reader, and nothing hidden, is in what the other one gets; what both say alike is decided."""
    ann, ben = desk(store), desk(store, "ben")
    document = "MINI_DF_05"
    assess(ann, document)
    view = scope_view(ben, document)
    assert all(item["answers"] == {} and item["version"] == 0 for item in view["items"])
    assert all({"realis", "confidence", "provenance"}.isdisjoint(item["fields"]) for item in view["items"])
    assert "good" not in view["schema"]["when"]
    operate(ann, document, "assess", 0, [{"op": "finish"}], "d1")
    with pytest.raises(Refusal, match="you have finished"):
        assess(ann, document)
    assess(ben, document)
    changed = scope_view(ben, document)["items"][0]
    judge(ben, document, [JudgeItem({"aet": "NIL"}, "d2", 1, 0, item=changed["id"])])
    assert operate(ben, document, "assess", 0, [{"op": "finish"}], "d3")["stage"] == "assess"
    with store.read() as snapshot:
        decided = snapshot.decisions(NAME, document, "assess")
        items = snapshot.items(NAME, document)
    assert {each.how for each in decided} == {"agreed"}
    assert 0 < len(items) - len(decided) <= 2
    assert changed["id"] not in {each.subject for each in decided}


def test_groups_and_links_wait_for_decisions(store):
    ann = desk(store)
    view = scope_view(ann, "MINI_NW_07")
    assert (view["groups"], view["frames"]) == (None, None)
    with pytest.raises(Refusal, match="is at the stage 'assess'"):
        operate(ann, "MINI_NW_07", "group", 0, [{"op": "finish"}], "e1")
    with pytest.raises(ValidationError, match="2 of 2 are not answered"):
        operate(ann, "MINI_NW_07", "assess", 0, [{"op": "finish"}], "e2")


def test_splitting_joining_and_taking_back(tmp_path, database):
    document = "MINI_NW_01"
    with campaign(tmp_path, database, answers=False, readers=["ann"]) as store:
        ann = desk(store)
        assess(ann, document)
        operate(ann, document, "assess", 0, [{"op": "finish"}], "f1")
        rows = scope_view(ann, document)["groups"]["rows"]
        start = {row["id"]: [member["text"] for member in row["members"]] for row in rows}
        assert start["1"] == ["Kalder Bay", "Kalder Bay"]
        perhaps = {row["members"][0]["text"]: row["perhaps"] for row in rows if row["perhaps"]}
        named = {row["id"]: row["members"][0]["text"] for row in rows}
        assert {text: (named[each["row"]], each["why"]) for text, each in perhaps.items()} == {
            "Draywell": ("Oskan Draywell", "overlap"),
            "Lower Quill": ("his flat in Lower Quill", "overlap"),
        }
        out = {"op": "out", "row": "1", "member": rows[0]["members"][1]["id"]}
        done = operate(ann, document, "group", 0, [out], "f2")
        assert len(done["groups"]["rows"]) == len(rows) + 1
        with pytest.raises(Conflict):
            operate(ann, document, "group", 0, [out], "f3")
        done = operate(ann, document, "group", 1, [{"op": "undo"}], "f4")
        assert {row["id"]: [member["text"] for member in row["members"]] for row in done["groups"]["rows"]} == start
        with pytest.raises(ValidationError, match="there is nothing to undo"):
            operate(ann, document, "group", 2, [{"op": "undo"}], "f5")
        operate(ann, document, "group", 2, [{"op": "join", "a": "1", "b": "2"}, {"op": "finish"}], "f6")
        tables = scope_view(ann, document)["frames"]["tables"]
        assert [table["table"] for table in tables][:2] == ["Conflict.Attack", "Justice.Arrest-Jail"]
        (one, *_), (other, *_) = tables[0]["rows"], tables[1]["rows"]
        operate(ann, document, "link", 0, [{"op": "put", "row": one["id"], "event": "new"}], "f7")
        with pytest.raises(ValidationError, match=r"an event of Conflict.Attack takes nothing of Justice.Arrest-Jail"):
            operate(ann, document, "link", 1, [{"op": "put", "row": other["id"], "event": "1"}], "f8")
        with pytest.raises(ValidationError, match="rows are in no event"):
            operate(ann, document, "link", 1, [{"op": "finish"}], "f9")
        times = [row for row in tables[0]["rows"] if row["cells"]["role"] == "Time"]
        assert [row["ignored"] for row in times if row["cells"]["cas"] == "2031-05-XX"] == [
            "scorers ignore it: 2031-05-05 says more"
        ]


def test_frozen(tmp_path):
    with campaign(tmp_path, answers=False, readers=["ann"]) as store:
        write = Write(stream_of(NAME), "freeze", NAME, {"frozen": True}, "org", "g1")
        store.write([write])
        with pytest.raises(Refusal, match="frozen") as caught:
            assess(desk(store), "MINI_NW_07")
        assert caught.value.kind == "frozen"


def test_two_readers_group_and_link(tmp_path):
    """Groups and events are compared by what is in them; where readers differ, the document waits."""
    document = "MINI_DF_05"
    with campaign(tmp_path, answers=False, readers=["ann", "ben"]) as store:
        ann, ben = desk(store), desk(store, "ben")
        finish = [{"op": "finish"}]
        for at in (ann, ben):
            assess(at, document)
            stage = operate(at, document, "assess", 0, finish, next(keys))["stage"]
        assert stage == "group"
        rows = scope_view(ben, document)["groups"]["rows"]
        row = next(each for each in rows if len(each["members"]) == 1)
        operate(ben, document, "group", 0, [{"op": "join", "a": rows[0]["id"], "b": row["id"]}], next(keys))
        assert operate(ann, document, "group", 0, finish, next(keys))["stage"] == "group"
        assert scope_view(ann, document)["groups"]["rows"] == rows  # nothing of the other reader
        out = {"op": "out", "member": row["members"][0]["id"]}
        operate(ben, document, "group", 1, [out], next(keys))
        assert {each["id"] for each in scope_view(ben, document)["groups"]["rows"]} != {each["id"] for each in rows}
        assert operate(ben, document, "group", 2, finish, next(keys))["stage"] == "link"
        for at, alone in ((ann, False), (ben, True)):
            ops = []
            events = 0
            for table in scope_view(at, document)["frames"]["tables"]:
                for number, each in enumerate(table["rows"]):
                    events += alone or number == 0
                    ops.append({"op": "put", "row": each["id"], "event": "new" if alone or not number else str(events)})
            operate(at, document, "link", 0, ops, next(keys))
            stage = operate(at, document, "link", 1, finish, next(keys))["stage"]
        assert stage == "link"
        with store.read() as snapshot:
            assert [each.stage for each in snapshot.decisions(NAME, document) if each.stage != "assess"] == ["group"]
        operate(ben, document, "link", 2, [{"op": "unfinish"}], next(keys))
        assert scope_view(ben, document)["state"] == "open"
