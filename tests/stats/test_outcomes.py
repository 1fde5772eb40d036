"""What became of every item: saved, read back, checked, and merged over results."""

import json

import msgspec
import pytest

import adjudge as aj
from adjudge.errors import FormatError
from adjudge.stats.outcomes import (
    Documents,
    GoldDocument,
    Item,
    Outcome,
    SystemDocument,
    check_outcomes,
    inside,
    item_values,
    merge_outcomes,
)
from adjudge.stats.result import Result
from adjudge.stats.saved import decode_result, json_schema

GOLD = [
    {"id": "d1", "text": "Ann left Rome.", "relations": [
        {"type": "from", "subject": {"start": 0, "end": 3}, "object": {"start": 9, "end": 13}}]},
    {"id": "d2", "text": "Bo stays.", "relations": []},
]  # fmt: skip
A = [{"id": "d1", "relations": [{"type": "to", "subject": {"start": 0, "end": 3}, "object": {"start": 9, "end": 13}}]}]
B = [{"id": "d1", "relations": GOLD[0]["relations"]}, {"id": "d2", "relations": []}]


def scored(system, **options):
    return aj.score("relation.strict", GOLD, system, **{"bootstrap": 20, "documents": True, **options})


def test_they_survive_saving(tmp_path):
    result = scored({"A": A, "B": B})
    result.save(tmp_path / "r.json")
    assert Result.load(tmp_path / "r.json") == result
    assert "documents" not in json.loads(result.to_json())
    assert "outcomes" not in json.loads(result.to_json())["systems"][0]


def test_a_result_without_documents_says_nothing_of_them():
    data = json.loads(scored({"A": A}, documents=False).to_json(with_tables=True))
    assert "documents" not in data
    assert "outcomes" not in data["systems"][0]


def test_the_schema_knows_them():
    names = json_schema()["$defs"]
    assert {"Documents", "GoldDocument", "SystemDocument", "Item", "Outcome"} <= set(names)
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.validate(json.loads(scored({"A": A}).to_json(with_tables=True)), json_schema())


def test_merged_results_are_those_of_one_scoring():
    together = scored({"A": A, "B": B})
    apart = aj.compare(scored({"A": A}), scored({"B": B}))
    assert apart.documents == together.documents
    assert [system.outcomes for system in apart.systems] == [system.outcomes for system in together.systems]


def test_a_result_without_documents_adds_none():
    mixed = aj.compare(scored({"A": A}), scored({"B": B}, documents=False))
    assert mixed.documents == scored({"A": A}).documents
    assert mixed.systems[1].outcomes == ()
    assert aj.compare(scored({"A": A}, documents=False)).documents is None


def test_levels_and_items_are_renumbered():
    first = Documents(levels=("a[*]",), metrics=("m",), gold=(GoldDocument(id="d", items=(Item(0, (0,), "x"),)),))
    second = Documents(
        levels=("b[*]", "a[*]"),
        metrics=("n", "m"),
        gold=(GoldDocument(id="d", items=(Item(0, (0,), "y"), Item(1, (0,), "x"))),),
    )
    one = SystemDocument(items=(Item(0, (0,), "x"),), outcomes=(Outcome(0, (0,), (0,)),))
    other = SystemDocument(items=(Item(1, (0,), "x"),), outcomes=(Outcome(1, (1,), (0,), (), (0,)),))
    documents, systems = merge_outcomes([(first, {"A": [one]}), (second, {"B": [other]})])
    assert documents.levels == ("a[*]", "b[*]")
    assert documents.metrics == ("m", "n")
    assert documents.gold[0].items == (Item(0, (0,), "x"), Item(1, (0,), "y"))
    assert systems["B"][0] == SystemDocument(items=(Item(0, (0,), "x"),), outcomes=(Outcome(0, (0,), (0,), (), (1,)),))
    assert systems["A"][0] == one
    check_outcomes(documents, systems["B"])


def test_a_document_that_one_result_lacks_is_missing_there():
    first = Documents(levels=(), metrics=("m",), gold=(GoldDocument(id="d"),))
    second = Documents(levels=(), metrics=("m",), gold=(GoldDocument(id="d"), GoldDocument(id="e")))
    documents, systems = merge_outcomes([(first, {"A": [SystemDocument()]}), (second, {"B": [SystemDocument()] * 2})])
    assert [document.id for document in documents.gold] == ["d", "e"]
    assert [each.missing for each in systems["A"]] == [False, True]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda d: d.pop("documents"), "there are outcomes of 2 documents, but no documents"),
        (lambda d: d["systems"][0]["outcomes"].pop(), "outcomes of 1 documents, there are 2"),
        (lambda d: d["systems"][0]["outcomes"][0]["outcomes"][0].__setitem__(0, 7), "names what is not there"),
        (lambda d: d["systems"][0]["outcomes"][0]["outcomes"][0].__setitem__(4, [9]), "names what is not there"),
        (lambda d: d["systems"][0]["outcomes"][0]["outcomes"][0].__setitem__(5, [-1]), "names what is not there"),
        (lambda d: d["systems"][0]["outcomes"][0]["outcomes"][0].__setitem__(1, [0]), "names what is not there"),
        (lambda d: d["documents"]["gold"][0]["items"][0].__setitem__(0, 3), "an item has no level"),
        (lambda d: d["documents"]["gold"][0]["items"][0].__setitem__(1, [1, 2]), "an item has no level"),
        (lambda d: d["documents"]["gold"][1].update(id="d1"), "two of the documents have the same id"),
    ],
)
def test_damaged_outcomes_are_refused(change, said):
    data = json.loads(scored({"A": A}).to_json(with_tables=True))
    change(data)
    with pytest.raises(FormatError, match=said):
        decode_result(json.dumps(data).encode())


def test_inner_values():
    value = {"a": [{"b": 1}], "c": None}
    assert inside(value, ".a[*].b", [0]) == 1
    levels = ["x[*]", "x[*].a[*]", "x[*]|made[*]"]
    items = [Item(0, (2,), value), Item(1, (2, 0)), Item(1, (2, 5)), Item(2, (2, 0), "own"), Item(1, (9, 0))]
    assert item_values(levels, items) == [value, {"b": 1}, None, "own", None]


def test_items_are_arrays():
    assert msgspec.json.encode(Item(1, (2, 3))) == b"[1,[2,3],null]"


def test_shards_of_one_system_are_put_together():
    parts = [aj.score("relation.strict", GOLD, B, docs=[name], bootstrap=0, documents=True) for name in ("d1", "d2")]
    whole = aj.score("relation.strict", GOLD, B, bootstrap=0, documents=True)
    bare = msgspec.structs.replace(aj.score("relation.strict", GOLD, B, bootstrap=0), notes=whole.notes)
    assert bare.with_outcomes_of(parts) == whole
