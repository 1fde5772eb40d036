"""Outcomes come from the alignments that make the scores, for every metric, and take little room."""

import json

import pytest

import adjudge as aj
from adjudge.demo import GOLD, SYSTEMS
from adjudge.metrics import catalogue, find
from adjudge.stats.outcomes import item_values
from adjudge.tasks.outcomes import MOST, plain

EXAMPLES = {definition.name: definition.example for definition in catalogue() if definition.example is not None}


def document(name, identifier, *, empty=False):
    data = {key: [] if empty and isinstance(value, list) else value for key, value in EXAMPLES[name].items()}
    return {**data, "id": identifier}


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_metric_of_the_catalogue_has_outcomes(name):
    gold = [document(name, one) for one in ("d0", "d1", "d2")]
    system = [document(name, "d0"), document(name, "d1", empty=True)]
    result = aj.score(name, gold, system, bootstrap=0, documents=True)
    assert result.to_json() == aj.score(name, gold, system, bootstrap=0).to_json() or result.notes
    if all(member.clustered for member in find(name).members):
        assert result.documents.metrics == ()
        return
    third = result.systems[0].outcomes[2]
    assert [each.missing for each in result.systems[0].outcomes] == [False, False, True]
    for outcome in third.outcomes:
        assert outcome.gold == outcome.spurious == ()
    assert not third.items
    for place, identifier in enumerate(("d0", "d1")):
        explained = aj.explain_document(name, gold, system, identifier)["system"]
        check(explained, result.documents, place, result.systems[0].outcomes[place])


def check(explained, documents, place, saved):
    """The outcomes are those of --explain, as far as levels were saved."""

    def path(item):
        pieces = documents.levels[item.level].split("[*]")
        numbers = [f"[{number}]" for number in item.place]
        return "".join(piece + number for piece, number in zip(pieces, [*numbers, ""], strict=True))

    gold, own = ([path(item) for item in items] for items in (documents.gold[place].items, saved.items))
    for outcome in saved.outcomes:
        alignment = explained[documents.metrics[outcome.metric]]
        pairs = {(gold[g], own[s]) for g, s in zip(outcome.gold, outcome.system, strict=True)}
        known = [each for each in alignment.matched if each.level in documents.levels]
        assert pairs == {(each.gold_path, each.system_path) for each in known}
        assert {gold[n] for n in outcome.missed} == {
            each.path for each in alignment.missed if each.level in documents.levels
        }
        assert {own[n] for n in outcome.spurious} == {
            each.path for each in alignment.spurious if each.level in documents.levels
        }


def test_the_demo_counts_are_those_of_the_table():
    result = aj.score("relation.strict,event.trigger-cls", str(GOLD), [str(p) for p in SYSTEMS.values()],
                      names=list(SYSTEMS), bootstrap=0, documents=True)  # fmt: skip
    for system in result.systems:
        table = system.table

        def column(name, table=table):
            place = table.columns.index(name)
            return [row[place] for row in table.values]

        for number, metric in enumerate(result.documents.metrics):
            found = [each.outcomes[number] for each in system.outcomes]
            assert [len(o.gold) for o in found] == column(f"{metric}:matched")
            assert [len(o.gold) + len(o.missed) for o in found] == column(f"{metric}:gold")
            assert [len(o.system) + len(o.spurious) for o in found] == column(f"{metric}:system")


def test_values_are_those_of_the_documents():
    result = aj.score("event.argument-cls", str(GOLD), str(next(iter(SYSTEMS.values()))), bootstrap=0,
                      documents=True)  # fmt: skip
    gold = [json.loads(line) for line in GOLD.read_text().splitlines()]
    for data, saved in zip(gold, result.documents.gold, strict=True):
        assert saved.text == data["text"]
        values = item_values(result.documents.levels, saved.items)
        expected = [*data["events"], *(each for event in data["events"] for each in event["arguments"])]
        assert sorted(map(json.dumps, values)) == sorted(map(json.dumps, expected))
        assert all(item.value is None for item in saved.items if len(item.place) > 1)


def test_the_whole_is_not_much_larger_than_the_documents():
    paths = [str(path) for path in SYSTEMS.values()]
    result = aj.score("relation.strict,relation.spans,event.argument-cls", str(GOLD), paths, documents=True)
    inputs = sum(len(path.read_bytes()) for path in (GOLD, *SYSTEMS.values()))
    assert len(result.to_json(with_tables=True)) < 3 * inputs
    assert not result.notes


def test_levels_that_take_too_much_room_are_left_out():
    size = 60  # every mention says who all the others of its cluster are
    clusters = [[[i, i] for i in range(size)]]
    gold = [{"id": "d", "clusters": clusters}]
    result = aj.score("coref.b3,coref.ceafe", gold, gold, bootstrap=0, documents=True)
    assert "clusters[*]" in result.documents.levels
    assert "clusters|memberships[*]" not in result.documents.levels
    (note,) = result.notes
    assert note.code == "outcomes-not-saved"
    assert "clusters|memberships[*]" in note.examples
    saved = len(result.to_json(with_tables=True)) - len(
        aj.score("coref.b3,coref.ceafe", gold, gold, bootstrap=0).to_json(with_tables=True)
    )
    assert saved < MOST * 2 * len(json.dumps(gold)) + 1000


@pytest.mark.parametrize("jobs", [1, 2])
def test_processes_agree(jobs):
    options = {"bootstrap": 0, "documents": True}
    path = str(next(iter(SYSTEMS.values())))
    assert aj.score("relation.strict", str(GOLD), path, jobs=jobs, **options) == aj.score(
        "relation.strict", str(GOLD), path, **options
    )


def test_tokens_and_sentences_are_texts():
    gold = [
        {"id": "a", "tokens": ["Ann", "left"], "entities": []},
        {"id": "b", "sentences": [["Bo", "stays"], ["."]], "entities": []},
        {"id": "c", "sentences": [2, 1], "entities": []},
    ]
    saved = aj.score("ner.strict", gold, gold, bootstrap=0, documents=True).documents.gold
    assert [each.tokens for each in saved] == [("Ann", "left"), ("Bo", "stays", "."), ()]


def test_odd_values_become_plain():
    assert plain({"a": {1, 2}, 3: (1.5, None, True), "t": "\ud800"}) == {"a": [1, 2], "3": [1.5, None, True], "t": "?"}
    assert plain(complex(1, 2)) == "(1+2j)"
