"""Offline packs: what one reader may see as a folder of its own, and what was done there, taken back."""

import pytest

from adjudge.errors import UsageError
from adjudge.serve.adjudicate import decide, disputes
from adjudge.serve.desk import Desk
from adjudge.serve.messages import Decide, JudgeItem
from adjudge.serve.packs import export_pack, merge_pack
from adjudge.serve.store import Store
from adjudge.serve.store.care import rebuild
from adjudge.serve.views import campaign_view, scope_view
from adjudge.serve.workbench import judge, operate
from serve.demo_campaign import NAME, SECRET, campaign, desk
from serve.test_workbench import assess, keys

DOCUMENT, OTHER = "MINI_DF_05", "MINI_NW_07"


def answer(at, number, answers):
    item = scope_view(at, DOCUMENT)["items"][number]
    (said,) = judge(at, DOCUMENT, [JudgeItem(answers, next(keys), item["version"], 0, item=item["id"])])
    return said


def test_a_pack_goes_and_comes_back(tmp_path):
    with campaign(tmp_path / "serve", answers=False, readers=["ann", "ben"]) as store:
        ann = desk(store)
        assess(desk(store, "ben"), DOCUMENT)
        answer(ann, 0, {"aet": "W"})
        answer(ann, 1, {"aet": "W"})
        operate(ann, DOCUMENT, "assess", 0, [{"op": "comment", "item": item_of(ann, 0), "text": "?"}], next(keys))
        assert export_pack(ann, tmp_path / "pack") == 12
        with Store.open(tmp_path / "pack") as pack:
            away = Desk(pack, NAME, "ann")
            here, there = (scope_view(each, DOCUMENT) for each in (ann, away))
            assert [each["id"] for each in here["items"]] == [each["id"] for each in there["items"]]
            assert [each["answers"] for each in here["items"]] == [each["answers"] for each in there["items"]]
            assert (here["text"], here["schema"]) == (there["text"], there["schema"])
            answer(away, 1, {"aer": "W"})
            answer(away, 2, {"realis": "Actual", "mention_type": "NAME"})
            assess(away, OTHER)
            operate(away, OTHER, "assess", 0, [{"op": "finish"}], next(keys))
        answer(ann, 1, {"aet": "NIL"})
        done = merge_pack(store, NAME, tmp_path / "pack")
        assert (done.reader, done.conflicts, done.findings) == ("ann", 1, [])
        after = scope_view(ann, DOCUMENT)["items"]
        assert [each["answers"].get("aet") for each in after[:2]] == ["W", "NIL"]
        assert after[1]["comments"][0]["text"] == "answered differently offline: aet C, aer W"
        assert after[2]["complete"]
        states = {each["id"]: each["stages"]["assess"] for each in campaign_view(ann)["scopes"]}
        assert (states[OTHER], states[DOCUMENT]) == ("finished", "open")
        again = merge_pack(store, NAME, tmp_path / "pack")
        assert (again.new, again.findings) == (0, [])
        assert scope_view(ann, DOCUMENT)["items"] == after
        with pytest.raises(UsageError, match="this is not a pack of 'demo'"):
            merge_pack(store, NAME, pack_of_nothing(tmp_path))


def test_what_was_answered_twice_is_for_an_adjudicator(tmp_path):
    with campaign(tmp_path / "serve", answers=False, readers=["ann"]) as store:
        ann, dora = desk(store), desk(store, "dora")
        export_pack(ann, tmp_path / "pack")
        with Store.open(tmp_path / "pack") as pack:
            answer(Desk(pack, NAME, "ann"), 1, {"aer": "W"})
            answer(Desk(pack, NAME, "ann"), 2, {"cas": "W"})  # not complete: nothing that one could decide for
        for number in range(len(scope_view(ann, DOCUMENT)["items"])):
            answer(ann, number, {"aet": "W"})
        assert merge_pack(store, NAME, tmp_path / "pack").conflicts == 2
        assert disputes(dora) == []
        assert operate(ann, DOCUMENT, "assess", 0, [{"op": "finish"}], next(keys))["stage"] == "assess"
        (dispute,) = disputes(dora)
        assert [each["reader"] for each in dispute["said"]] == ["first", "first, offline"]
        assert dispute["differ"] == ["aet"]  # the role was asked in one place only
        decided = decide(
            dora, DOCUMENT, dispute["subject"], Decide("assess", next(keys), take=2, why="as she said there")
        )
        assert (decided["readers"], decided["stage"], disputes(dora)) == (["ann", "ann, offline"], "group", [])
        with store.read() as snapshot:
            found = {each.subject: each for each in snapshot.decisions(NAME, DOCUMENT, "assess")}
        own = found.pop(dispute["subject"])
        assert (own.answers["aer"], own.how) == ("W", "adjudicated")
        assert {each.answers["aet"] for each in found.values() if each.how != "adjudicated"} == {"W"}
        assert rebuild(store) == []


def item_of(at, number):
    return scope_view(at, DOCUMENT)["items"][number]["id"]


def pack_of_nothing(tmp_path):
    from adjudge.serve.folder import Folder

    folder = Folder.create(tmp_path / "none")
    Store.open(folder.path).close()
    return folder.path


def test_nothing_hidden_is_in_a_pack(tmp_path):
    """No file of it has the realis, the identity that is made of it, what others say, or who gave a response."""
    with campaign(tmp_path / "serve", answers=False, readers=["ann", "ben"]) as store:
        assess(desk(store, "ben"), DOCUMENT)
        flag = {"op": "flag", "item": item_of(desk(store, "ben"), 0), "text": "canary of ben"}
        operate(desk(store, "ben"), DOCUMENT, "assess", 0, [flag], next(keys))
        export_pack(desk(store), tmp_path / "pack")
        with store.read() as snapshot:
            secrets = [item.identity.encode() for item in snapshot.items(NAME)]
    data = b"".join(path.read_bytes() for path in (tmp_path / "pack").rglob("*") if path.is_file())
    assert b'"cas":' in data
    assert b'"realis":' not in data.replace(b'"realis":{', b"")
    assert b"canary of ben" not in data
    assert not [each for each in secrets if each in data]
    assert SECRET not in data
