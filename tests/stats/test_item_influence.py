"""Which items a ranking hangs on: the same as annotating them the other way and scoring again."""

import json
from copy import deepcopy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import adjudge as aj
from adjudge.errors import UsageError
from adjudge.stats.influence import select_items

ITEMS = st.lists(st.sampled_from("abcdef"), max_size=4, unique=True)
CORPUS = st.lists(st.tuples(ITEMS, ITEMS, ITEMS), min_size=1, max_size=4)


def documents(lists):
    return [{"id": f"d{place}", "items": items} for place, items in enumerate(lists)]


def f1(metric, gold, systems):
    result = aj.score(metric, gold, systems, bootstrap=0)
    return {system.name: next(s.value for s in system.scores if s.part == "f1") for system in result.systems}


@pytest.mark.parametrize("pool", ["micro", "macro"])
@settings(max_examples=25)
@given(corpus=CORPUS)
def test_effects_are_what_scoring_the_other_annotation_says(pool, corpus):
    metric = f"record.set(pool={pool})"
    gold, *sides = (documents(lists) for lists in zip(*corpus, strict=True))
    systems = dict(zip("AB", sides, strict=True))
    if not any(lists for each in corpus for lists in each):
        return
    found = select_items(aj.score(metric, gold, systems, bootstrap=0, documents=True), 100)
    assert found.of == len(found.items) == sum(len({*g, *a, *b}) for g, a, b in corpus)
    assert found.ranking == pytest.approx(f1(metric, gold, systems))
    (pair,) = found.neighbours
    for item in found.items:
        other = deepcopy(gold)
        items = next(each["items"] for each in other if each["id"] == item.document)
        assert item.gold == (item.value in items)
        items.remove(item.value) if item.gold else items.append(item.value)
        scores = f1(metric, other, systems)
        (effect,) = item.effects
        assert effect.without == pytest.approx(scores[pair.a] - scores[pair.b])
        assert effect.effect == pytest.approx(pair.difference - effect.without)
        having = {name: float(item.value in _items(side, item.document)) for name, side in systems.items()}
        assert item.credits == having
        assert item.disagreement == abs(having["A"] - having["B"])


def _items(side, document):
    return next(each["items"] for each in side if each["id"] == document)


def event(kind, start, *roles):
    arguments = [{"role": role, "span": {"start": place, "end": place + 1}} for place, role in enumerate(roles)]
    return {"type": kind, "trigger": {"start": start, "end": start + 1}, "arguments": arguments}


def test_inner_items_are_those_that_are_counted():
    gold = [{"id": "d", "events": [event("A", 1, "x", "y")]}]
    a = [{"id": "d", "events": [event("A", 1, "x", "y")]}]
    b = [{"id": "d", "events": [event("A", 1, "x", "z")]}]
    result = aj.score("event.argument-cls", gold, {"A": a, "B": b}, bootstrap=0, documents=True)
    found = select_items(result, 10)
    assert {(item.item, item.gold) for item in found.items} == {
        ("events[0].arguments[0]", True),
        ("events[0].arguments[1]", True),
        ("events[0].arguments[1]", False),
    }
    assert found.items[0].value == {"role": "y", "span": {"start": 1, "end": 2}}
    assert found.items[0].credits == {"A": 1.0, "B": 0.0}


def test_the_same_wrong_item_of_two_systems_is_one():
    gold = [{"id": "d", "items": ["a"]}]
    same = [{"id": "d", "items": ["x"]}]
    result = aj.score("record.set", gold, {"A": same, "B": same, "C": gold}, bootstrap=0, documents=True)
    (one,) = (item for item in select_items(result, 10).items if not item.gold)
    assert one.credits == {"A": 1.0, "B": 1.0, "C": 0.0}
    assert json.loads(json.dumps(one.value)) == "x"


def test_order_and_number():
    gold = documents([["a", "b"], ["c"]])
    systems = {"A": documents([["a"], ["c"]]), "B": documents([["b"], ["c"]])}
    result = aj.score("record.set", gold, systems, bootstrap=0, documents=True)
    found = select_items(result, 1, order="disagreement")
    assert (found.of, len(found.items), found.items[0].disagreement) == (3, 1, 1.0)


def test_what_has_no_items():
    gold = [{"id": "d", "clusters": [["a", "b"]]}]
    chains = aj.score("coref.b3", gold, {"A": gold, "B": gold}, bootstrap=0, documents=True)
    with pytest.raises(UsageError, match=r"coref\.b3 is not a sum over items"):
        select_items(chains, 3)
    plain = documents([["a"]])
    with pytest.raises(UsageError, match="saved without the outcome of every item, write it with --save"):
        select_items(aj.score("record.set", plain, {"A": plain, "B": plain}, bootstrap=0), 3)
    with pytest.raises(UsageError, match="at least two systems"):
        select_items(aj.score("record.set", plain, {"A": plain}, bootstrap=0, documents=True), 3)
