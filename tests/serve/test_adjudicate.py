"""Two readers who do not agree, and whoever decides and organises."""

import json
import shutil

import pytest

from adjudge.demo.eal import ASSESSMENTS, FRAMES, SOURCES
from adjudge.errors import AdjudgeError
from adjudge.serve import adjudicate, organise
from adjudge.serve.codecs import Sources
from adjudge.serve.desk import Desk, Sheet
from adjudge.serve.exchange import export_folder, import_answers
from adjudge.serve.messages import Decide, JudgeItem
from adjudge.serve.store import Store
from adjudge.serve.store.tables import Scope
from adjudge.serve.views import scope_view
from adjudge.serve.workbench import judge, operate, settle
from calling import caller
from serve.demo_campaign import NAME, SECRET, make

agree = caller("agree")
SCOPE = "MINI_NW_01"
WRONG, RIGHT = {"aet": "W"}, {"aet": "C", "aer": "C", "cas": "C", "bf": "C", "realis": "Actual", "mention_type": "NAME"}


@pytest.fixture
def store(tmp_path):
    with Store.open(tmp_path) as store:
        make(store, answers=False, readers=("ann", "ben"))
        yield store


def place(store, reader):
    return Desk(store, NAME, reader, SECRET)


def read(store, reader, answers):
    """Answer everything alike but for what `answers` says of cards by number."""
    desk = place(store, reader)
    with store.read() as snapshot:
        cards = [stack.card.id for stack in Sheet(desk, snapshot, SCOPE).stacks]
    given = [
        JudgeItem(item=card, version=0, answers=answers.get(at, RIGHT), ms=900 if at else 300, key=f"{reader}-{at}")
        for at, card in enumerate(cards)
    ]
    assert all(not isinstance(each, Exception) for each in judge(desk, SCOPE, given))
    return operate(desk, SCOPE, "assess", 0, [{"op": "finish"}], f"{reader}-finish")


def test_a_dispute_is_decided_and_the_document_goes_on(store):
    assert read(store, "ann", {})["stage"] == "assess"
    assert adjudicate.disputes(place(store, "dora")) == []  # ben has not finished
    assert read(store, "ben", {0: WRONG, 2: WRONG})["stage"] == "assess"
    desk = place(store, "dora")
    found = adjudicate.disputes(desk)
    assert len(found) == 2
    assert [each["reader"] for each in found[0]["said"]] == ["first", "second"]
    assert "aet" in found[0]["differ"]
    assert "ann" not in str(found)
    assert "ben" not in str(found)
    made = adjudicate.decide(desk, SCOPE, found[0]["subject"], Decide("assess", "k1", take=2, why="no event"))
    assert made["readers"] == ["ann", "ben"]
    assert made["stage"] == "assess"
    with pytest.raises(AdjudgeError, match="not answered"):
        adjudicate.decide(desk, SCOPE, found[1]["subject"], Decide("assess", "k2", answers={"aet": "C"}))
    own = {**RIGHT, "realis": "Generic"}
    made = adjudicate.decide(desk, SCOPE, found[1]["subject"], Decide("assess", "k3", answers=own, why="a habit"))
    assert made["stage"] == "group"
    assert adjudicate.disputes(desk) == []
    with store.read() as snapshot:
        decisions = {each.subject: each for each in snapshot.decisions(NAME, SCOPE, "assess")}
        assert len(decisions) == len(snapshot.items(NAME, SCOPE))
        assert decisions[found[0]["subject"]].answers == WRONG
        assert decisions[found[0]["subject"]].why == "no event"
        assert decisions[found[1]["subject"]].answers["realis"] == "Generic"
        assert decisions[found[1]["subject"]].how == "adjudicated"


def test_progress_and_agreement(store):
    read(store, "ann", {})
    read(store, "ben", {0: WRONG})
    found = organise.progress(place(store, None))
    rows = {row["reader"]: row for row in found["readers"]}
    assert rows["ann"]["finished"] == 1
    assert rows["ann"]["documents"] == 12
    assert 0 < rows["ann"]["hasty"] < 0.2
    assert found["disputes"] == 1
    assert {row["reader"] for row in organise.progress(place(store, "ann"))["readers"]} == {"ann"}
    double = organise.read_double(place(store, None))
    kappa = [row for row in organise.agreement(double) if row["on"] == "aet" and "Cohen" in row["name"]]
    assert list(kappa[0]["annotators"]) == ["ann", "ben"]
    assert kappa[0]["units"] == len(adjudicated(store))


def test_agreement_is_that_of_the_commands_that_the_page_prints(tmp_path, agree, monkeypatch):
    second = {"assessments": tmp_path / "second", "frames": tmp_path / "linked"}
    for source, target in zip((ASSESSMENTS, FRAMES), second.values(), strict=True):
        shutil.copytree(source, target)
    for path in sorted(second["assessments"].iterdir())[::2]:
        rows = [line.split("\t") for line in path.read_text().splitlines()]
        one, other = sorted({row[15] for row in rows if row[15] != "NIL"})[:2]
        rows = [[*row[:15], other if row[15] == one else row[15], *row[16:]] for row in rows]
        rows[0][16] = rows[0][16].replace("Actual", "Generic")
        path.write_text("".join("\t".join(row) + "\n" for row in rows))
    for path in sorted(second["frames"].iterdir())[::3]:
        path.write_text(path.read_text().replace("\t", "\n", 1))
    with Store.open(tmp_path / "store") as store:
        make(store, answers=False)
        import_answers(place(store, "ann"), Sources(ASSESSMENTS, SOURCES, FRAMES))
        import_answers(place(store, "ben"), Sources(second["assessments"], SOURCES, second["frames"]))
        double = organise.read_double(place(store, None))
        found, drift = organise.agreement(double), organise.drift(double)
        export_folder(store, NAME, tmp_path / "out")
        first, *lines = organise.commands(double)
    assert first == "adjudge serve export FOLDER -o out"
    monkeypatch.chdir(tmp_path)
    wanted = []
    for line in lines:
        code, said, wrong = agree(*line.split()[2:], "--format", "json")
        assert code == 0, wrong
        told = json.loads(said)
        coefficients = [row for row in told["coefficients"] if "responses" in row["on"] or "links" in row["on"]]
        if "coref.b3" in line:
            wanted += [(None, mean["value"], mean["low"], mean["high"]) for mean in told["means"]]
        wanted += [(row["units"], row["value"], row["low"], row["high"]) for row in coefficients]
    made = [(row["units"] if "B3" not in row["name"] else None, row["value"], row["low"], row["high"]) for row in found]
    assert made == wanted
    assert {row["label"] for row in found if row["value"] < 1} >= {"Same fillers", "Events", "Realis"}
    kappa = next(row for row in found if row["on"] == "realis")
    assert [row["reader"] for row in drift] == ["ann", "ben"]  # all of it in this week
    assert [each["value"] for row in drift for each in row["questions"] if each["on"] == "realis"] == [
        kappa["value"]
    ] * 2


def adjudicated(store):
    with store.read() as snapshot:
        return snapshot.judgments(NAME, SCOPE, "ann")


def test_documents_are_given_and_a_share_is_read_twice(tmp_path):
    with Store.open(tmp_path) as store:
        make(store, answers=False)
        desk = place(store, None)
        assert len(organise.give(desk, "ann", None)["given"]) == 12
        assert organise.give(desk, "cara", None)["given"] == []
        twice = organise.give(desk, "ben", None, double=0.25)["given"]
        assert len(twice) == 3
        assert len({name.rpartition("_")[0] for name in twice}) > 1  # not all of one genre
        with store.read() as snapshot:
            slots = {each.reader: each.slot for each in snapshot.assignments(NAME, twice[0])}
        assert slots == {"ann": 0, "ben": 1}
        assert organise.give(desk, "cara", [SCOPE])["given"] == [SCOPE]
        for reader in slots | {"cara": 0}:
            if SCOPE in given_to(store, reader):
                read(store, reader, {})
        assert SCOPE not in organise.give(desk, "dan", None, double=1.0)["given"]  # nobody can assess it any more
        with pytest.raises(AdjudgeError, match="no document 'nowhere'"):
            organise.give(desk, "ann", ["nowhere"])
        with pytest.raises(AdjudgeError, match="a share of 2"):
            organise.give(desk, "ann", None, double=2.0)


def given_to(store, reader):
    with store.read() as snapshot:
        return {each.scope for each in snapshot.assignments(NAME, reader=reader)}


def test_open_again_and_freeze(store):
    read(store, "ann", {})
    read(store, "ben", {})
    desk = place(store, None)
    with store.read() as snapshot:
        assert snapshot.get(Scope, NAME, SCOPE).stage == "group"
    organise.reopen(desk, SCOPE, "assess", "a new guideline", "k1", "otto")
    with store.read() as snapshot:
        assert snapshot.get(Scope, NAME, SCOPE).stage == "assess"
        assert {each.state for each in snapshot.assignments(NAME, SCOPE) if each.stage == "assess"} == {"open"}
    assert settle(place(store, "ann"), SCOPE, "assess") == "assess"
    organise.freeze(desk, True, "k2", "otto")
    with pytest.raises(AdjudgeError, match="frozen"):
        judge(place(store, "ann"), SCOPE, [JudgeItem(item=first(store), version=1, answers=WRONG, ms=1, key="k")])
    organise.freeze(desk, False, "k3", "otto")


def first(store):
    with store.read() as snapshot:
        return Sheet(place(store, "ann"), snapshot, SCOPE).stacks[0].card.id


def test_own_groups_and_events_start_from_what_all_agree_on(store):
    read(store, "ann", {})
    assert read(store, "ben", {})["stage"] == "group"
    dora = place(store, "dora")

    def work(reader, stage, ops):
        desk = place(store, reader)
        view = scope_view(desk, SCOPE)["groups" if stage == "group" else "frames"]
        return operate(desk, SCOPE, stage, view["version"], [*ops(view), {"op": "finish"}], f"{reader}-{stage}")

    def join(*places):
        return lambda view: [{"op": "join", "a": view["rows"][0]["id"], "b": view["rows"][at]["id"]} for at in places]

    work("ann", "group", join(1, 2))
    assert work("ben", "group", join(1, 3))["stage"] == "group"
    (dispute,) = adjudicate.disputes(dora)
    names = {name: block["text"] for name, block in dispute["blocks"].items()}
    by = {tuple(each["pair"]): each["by"] for each in dispute["pairs"]}
    assert sorted(map(len, by.values())) == [1, 1]  # the block of three rows with either of two others
    assert {who for each in by.values() for who in each} == {"first", "second"}
    assert all(block["marks"] for block in dispute["blocks"].values())
    with pytest.raises(AdjudgeError, match="not disputed"):
        adjudicate.decide(dora, SCOPE, "group", Decide("group", "g0", same=[["x", "y"]]))
    same = [pair for pair, who in by.items() if who == ["second"]]
    made = adjudicate.decide(dora, SCOPE, "group", Decide("group", "g1", why="one town", same=same))
    assert made["stage"] == "link"
    with store.read() as snapshot:
        (decision,) = snapshot.decisions(NAME, SCOPE, "group")
        bodies = {row.reader: row.body["of"] for row in snapshot.groupings(NAME, SCOPE, "group")}
    assert (decision.how, decision.why) == ("adjudicated", "one town")
    assert partition(decision.answers["of"]) == partition(bodies["ben"]) != partition(bodies["ann"])
    assert names.keys() <= decision.answers["of"].keys()

    def one_event(view):
        rows = [(table["table"], row) for table in view["tables"] for row in table["rows"]]
        firsts = {table: row["id"] for table, row in reversed(rows)}
        return [{"op": "put", "row": row["id"], "event": "new"} for _, row in rows if row["id"] in firsts.values()] + [
            {"op": "put", "row": row["id"], "event": str(1 + sorted(firsts).index(table))}
            for table, row in rows
            if row["id"] not in firsts.values()
        ]

    def each_alone(view):
        return [{"op": "put", "row": row["id"], "event": "new"} for table in view["tables"] for row in table["rows"]]

    work("ann", "link", one_event)
    assert work("ben", "link", each_alone)["stage"] == "link"
    (dispute,) = adjudicate.disputes(dora)
    first, second, *_ = (each["pair"] for each in dispute["pairs"])
    made = adjudicate.decide(dora, SCOPE, "link", Decide("link", "l1", same=[first]))
    assert made["stage"] == "done"
    with store.read() as snapshot:
        (decision,) = snapshot.decisions(NAME, SCOPE, "link")
    view = scope_view(place(store, None), SCOPE)["frames"]
    events = {row["id"]: row["events"] for table in view["tables"] for row in table["rows"]}
    assert events[first[0]] == events[first[1]] != events[second[1]]
    assert all(len(own) == 1 for own in events.values())
    assert len(decision.answers["events"]) == len(events) - 1


def partition(of):
    return {frozenset(each for each in of if of[each] == number) for number in of.values()}
