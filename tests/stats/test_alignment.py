"""The outcome of every item: made from the plans that score, saved, read back, checked, merged and explained."""

import json

import jsonschema
import pytest

import adjudge as aj
from adjudge.demo import GOLD as DEMO
from adjudge.demo import SYSTEMS
from adjudge.errors import FormatError
from adjudge.metrics import catalogue
from adjudge.stats.alignment import (
    Alignment,
    GoldDocument,
    Item,
    Matching,
    Pair,
    Single,
    compare_groups,
    merge_documents,
)
from adjudge.stats.result import Result
from adjudge.stats.saved import decode_result, json_schema
from adjudge.tasks.alignment import plain

GOLD = [
    {"id": "d1", "text": "Ann left Rome.", "relations": [
        {"type": "from", "subject": {"start": 0, "end": 3}, "object": {"start": 9, "end": 13}}]},
    {"id": "d2", "text": "Bo stays.", "relations": []},
]  # fmt: skip
A = [{"id": "d1", "relations": [{"type": "to", "subject": {"start": 0, "end": 3}, "object": {"start": 9, "end": 13}}]}]
B = [{"id": "d1", "relations": GOLD[0]["relations"]}, {"id": "d2", "relations": []}]
EXAMPLES = {definition.name: definition.example for definition in catalogue() if definition.example is not None}


def scored(system, **options):
    return aj.score("relation.strict", GOLD, system, **{"bootstrap": 0, "documents": True, **options})


def test_it_is_saved_with_words_and_places_and_only_if_asked_for(tmp_path):
    result = scored({"A": A, "B": B})
    result.save(tmp_path / "r.json")
    assert Result.load(tmp_path / "r.json") == result
    jsonschema.validate(json.loads(result.to_json(with_tables=True)), json_schema())
    (item,) = result.documents[0].items
    assert (item.text, item.place, item.roles, item.label) == (
        "Ann … Rome", ((0, 3), (9, 13)), ("subject", "object"), "from",
    )  # fmt: skip
    (wrong,) = result.systems[0].aligned[0].matchings[0].pairs
    assert (wrong.outcome, wrong.credit, wrong.why) == ("wrong", 0, "from was taken for to")
    assert result.systems[1].aligned[0].matchings[0].pairs == (Pair(0, 0),)
    assert [each.missing for each in result.systems[0].aligned] == [False, True]
    for text in (result.to_json(), scored({"A": A}, documents=False).to_json(with_tables=True)):
        data = json.loads(text)
        assert "documents" not in data
        assert "aligned" not in data["systems"][0]


def test_merged_results_are_those_of_one_scoring():
    together = scored({"A": A, "B": B})
    apart = aj.compare(scored({"A": A}), scored({"B": B}))
    assert apart.documents == together.documents
    assert [system.aligned for system in apart.systems] == [system.aligned for system in together.systems]
    mixed = aj.compare(scored({"A": A}), scored({"B": B}, documents=False))
    assert mixed.documents == scored({"A": A}).documents
    assert mixed.systems[1].aligned == ()
    parts = [scored(B, docs=[name]) for name in ("d1", "d2")]
    assert scored(B, documents=False).with_documents_of(parts) == scored(B)


def test_gold_items_are_put_together_by_their_ids():
    one = Alignment(
        gold=(Item(id="x"),), system=(Item(id="s"),), matchings=(Matching(metric="m", pairs=(Pair(0, 0),)),)
    )
    two = Alignment(
        gold=(Item(id="y"), Item(id="x")),
        system=(Item(id="t"),),
        matchings=(Matching(metric="m", pairs=(Pair(1, 0),), missed=(Single(0),)),),
    )
    saved = [
        ([GoldDocument(id="d", items=each.gold)], {name: [_system(each)]}) for name, each in (("A", one), ("B", two))
    ]
    documents, systems = merge_documents(saved)
    assert [item.id for item in documents[0].items] == ["x", "y"]
    (matching,) = systems["B"][0].matchings
    assert (matching.pairs, matching.missed) == ((Pair(0, 0),), (Single(1),))
    documents, systems = merge_documents([*saved, ([GoldDocument(id="e")], {"B": [_system(Alignment())]})])
    assert [document.id for document in documents] == ["d", "e"]
    assert [each.missing for each in systems["A"]] == [False, True]


def _system(alignment):
    from adjudge.stats.alignment import SystemDocument

    return SystemDocument(items=alignment.system, matchings=alignment.matchings)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda d: d.pop("documents"), "2 documents of the system, but there are 0"),
        (lambda d: d["systems"][0]["aligned"].pop(), "1 document of the system, but there are 2"),
        (
            lambda d: d["systems"][0]["aligned"][0]["matchings"][0]["pairs"][0].update(gold=9),
            "an item that does not exist",
        ),
        (lambda d: d["systems"][0]["aligned"][0]["matchings"][0].update(missed=[{"item": -1}]), "that does not exist"),
        (lambda d: d["documents"][1].update(id="d1"), "two of the documents have the same id"),
    ],
)
def test_damaged_documents_are_refused(change, said):
    data = json.loads(scored({"A": A}).to_json(with_tables=True))
    change(data)
    with pytest.raises(FormatError, match=said):
        decode_result(json.dumps(data).encode())


def test_a_result_of_the_first_release_is_read_without_its_documents():
    data = json.loads(scored({"A": A}).to_json(with_tables=True))
    numbers = decode_result(json.dumps(data).encode())["relation.strict"].f1
    data["adjudge"] = "0.1.0"
    data["documents"] = {"levels": [], "metrics": [], "gold": [{"id": "d1"}, {"id": "d2"}]}
    for system in data["systems"]:
        system["outcomes"] = [{}, {}]
        del system["aligned"]
    old = decode_result(json.dumps(data, separators=(",", ":")).encode())
    assert old["relation.strict"].f1 == numbers
    assert old.documents == ()
    assert [note.code for note in old.notes][-1] == "old-documents"


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_metric_of_the_catalogue_says_what_became_of_its_items(name):
    def document(identifier, *, empty=False):
        data = {key: [] if empty and isinstance(value, list) else value for key, value in EXAMPLES[name].items()}
        return {**data, "id": identifier}

    gold = [document(one) for one in ("d0", "d1", "d2")]
    result = aj.score(name, gold, [document("d0"), document("d1", empty=True)], bootstrap=0, documents=True)
    assert [each.missing for each in result.systems[0].aligned] == [False, False, True]
    for own in result.systems[0].aligned[2].matchings:
        assert own.pairs == own.spurious == ()
    for own in result.systems[0].aligned[0].matchings:
        assert own.pairs
        assert all(pair.outcome == "correct" for pair in own.pairs)


@pytest.mark.parametrize("jobs", [1, 2])
def test_its_numbers_are_those_of_the_table(jobs):
    metrics = "relation.strict,event.trigger-cls"
    result = aj.score(metrics, str(DEMO), [str(p) for p in SYSTEMS.values()], bootstrap=0, documents=True, jobs=jobs)
    for system in result.systems:
        rows = [dict(zip(system.table.columns, row, strict=True)) for row in system.table.values]
        for row, own in zip(rows, system.aligned, strict=True):
            for each in own.matchings:
                right = [pair for pair in each.pairs if pair.outcome == "correct"]
                wrong = [pair for pair in each.pairs if pair.outcome == "wrong"]
                assert len(right) == row[f"{each.metric}:matched"]
                assert len(right) + len(wrong) + len(each.missed) == row[f"{each.metric}:gold"]
                assert len(right) + len(wrong) + len(each.spurious) == row[f"{each.metric}:system"]


def test_items_of_items_name_what_they_belong_to():
    path = str(next(iter(SYSTEMS.values())))
    result = aj.score("event.argument-cls", str(DEMO), path, bootstrap=0, documents=True)
    for line, saved in zip(DEMO.read_text().splitlines(), result.documents, strict=True):
        data, items = json.loads(line), {item.id: item for item in saved.items}
        for number, event in enumerate(data["events"]):
            assert "arguments" not in items[f"events[{number}]"].value
            for place, argument in enumerate(event["arguments"]):
                item = items[f"events[{number}].arguments[{place}]"]
                assert (item.value, item.group, item.label) == (argument, (f"events[{number}]",), argument["role"])
                assert item.text == saved.text[slice(*item.place[0])]


def test_no_level_is_dropped_for_its_size():
    gold = [{"id": "d", "clusters": [[[i, i] for i in range(60)]]}]
    result = aj.score("coref.b3,coref.ceafe", gold, gold, bootstrap=0, documents=True)
    assert {item.level for item in result.documents[0].items} >= {"clusters[*]", "clusters|memberships[*]"}
    assert not result.notes
    assert len(result.to_json(with_tables=True)) < 100_000


def test_tokens_and_sentences_are_texts():
    entity = {"type": "PER", "span": {"start": 1, "end": 3}}
    gold = [
        {"id": "a", "tokens": ["Ann", "left", "Rome"], "entities": [entity]},
        {"id": "b", "sentences": [["Bo", "stays"], ["."]], "entities": [entity]},
        {"id": "c", "sentences": [2, 1], "entities": []},
    ]
    saved = aj.score("ner.strict", gold, [gold[0]], bootstrap=0, documents=True).documents
    assert [each.text for each in saved] == ["Ann left Rome", "Bo stays .", None]
    assert [item.text for each in saved for item in each.items] == ["left Rome", "stays ."]


def test_odd_values_become_plain():
    assert plain({"a": {1, 2}, 3: (1.5, None, True), "t": "\ud800"}) == {"a": [1, 2], "3": [1.5, None, True], "t": "?"}
    assert plain(complex(1, 2)) == "(1+2j)"


@pytest.mark.parametrize(
    ("gold", "system", "change"),
    [
        ("aab", "aab", "same"),
        ("aaa", "aa-", "changed"),
        ("aaa", "abb", "split"),
        ("aab", "aaa", "merged"),
        ("aabb", "abba", "mixed"),
        ("aa", "--", "missed"),
    ],
)
def test_groups(gold, system, change):
    def items(names):
        return tuple(Item(id=str(n), group=(name,) if name != "-" else ()) for n, name in enumerate(names))

    pairs = tuple(Pair(n, n) for n, name in enumerate(system) if name != "-")
    found = compare_groups(Alignment(gold=items(gold), system=items(system)), Matching(metric="m", pairs=pairs))
    assert found[0].change == change


def test_explanations_as_text_and_data():
    found = aj.coref.explain(
        [{"id": "d/1", "clusters": [[[0, 0], [2, 3]]]}], [{"id": "d/1", "clusters": [[[0, 0], [5, 5]]]}], "1"
    )["system"]
    data = found.to_data()
    assert (data["document"], data["system"]) == ("d/1", "system")
    (metric,) = data["metrics"]
    assert [each["id"] for each in metric["missed"]] == ["(2,3)"]
    assert metric["groups"] == [{"change": "changed", "gold": ["0"], "system": ["0"]}]
    assert "links    1 lost: (0,0) - (2,3)" in str(found).splitlines()
