"""What became of every nugget, and of every cluster."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.model.nugget import Nugget, NuggetDocument, Relation
from adjudge.tasks.nugget.explanation import CHOICES, KINDS, Outcome, classify, cluster_members, compare_clusters


def nugget(tokens: str, type: str = "Attack", realis: str = "Actual", id: str = "E") -> Nugget:
    return Nugget(id, type, realis, tokens, tuple(tokens.split(",")))


@pytest.mark.parametrize(
    ("system", "dice", "kind"),
    [
        (nugget("t1,t2"), 1.0, "correct"),
        (nugget("t1"), 2 / 3, "partial"),
        (nugget("t1,t2", realis="Other"), 1.0, "wrong-realis"),
        (nugget("t1,t2", type="Die"), 1.0, "wrong-type"),
        (nugget("t1,t2", type="Die", realis="Other"), 1.0, "wrong-both"),
        (nugget("t1", type="Die"), 2 / 3, "wrong-type"),  # the attribute decides; the Dice value tells the rest
        (nugget("t1", realis="Other"), 2 / 3, "wrong-realis"),
    ],
)
def test_kinds_of_a_pair(system, dice, kind):
    found = classify([nugget("t1,t2")], [system], [(0, 0, dice)])
    assert found.gold == found.system == [Outcome(kind, 0, dice)]


def test_missed_and_spurious():
    found = classify([nugget("t1"), nugget("t2")], [nugget("t2"), nugget("t3")], [(1, 0, 1.0)])
    assert found.gold == [Outcome("missed"), Outcome("correct", 0, 1.0)]
    assert found.system == [Outcome("correct", 1, 1.0), Outcome("spurious")]
    assert classify([], [], []) == ([], [])


def test_the_caller_says_when_values_agree():
    def loose(gold: str, system: str) -> bool:
        return gold == "NOT_ANNOTATED" or gold.lower() == system.lower()

    gold, system = [nugget("t1", "ATTACK", "NOT_ANNOTATED")], [nugget("t1", "attack", "Other")]
    assert classify(gold, system, [(0, 0, 1.0)]).gold[0].kind == "wrong-both"
    assert classify(gold, system, [(0, 0, 1.0)], same_type=loose, same_realis=loose).gold[0].kind == "correct"
    # The placeholder stands on the gold side only.
    assert classify(system, gold, [(0, 0, 1.0)], same_type=loose, same_realis=loose).gold[0].kind == "wrong-realis"


def test_twins_are_told_apart_by_their_attributes():
    gold = [nugget("t1", "Attack"), nugget("t1", "Die"), nugget("t1,t2", "Injure")]
    system = [nugget("t1", "Die"), nugget("t1", "Attack", "Other")]
    found = classify(gold, system, [(0, 0, 1.0), (1, 1, 1.0)])
    assert [each[:2] for each in found.gold] == [("wrong-realis", 1), ("correct", 0), ("missed", None)]
    # One that is free takes the place of one that fits less.
    assert [each[:2] for each in classify(gold, system[:1], [(0, 0, 1.0)]).gold] == [
        ("missed", None),
        ("correct", 0),
        ("missed", None),
    ]


def test_too_many_twins_stay_as_they_are():
    many = [nugget("t1", f"type{number}") for number in range(int(CHOICES**0.5) + 1)]
    found = classify(many, list(reversed(many)), [(k, k, 1.0) for k in range(len(many))])
    assert [each.partner for each in found.gold] == list(range(len(many)))


nuggets = st.lists(
    st.builds(nugget, st.sampled_from(["t1", "t2", "t1,t2"]), st.sampled_from("AB"), st.sampled_from("XY")), max_size=6
)


@st.composite
def mappings(draw):
    gold, system = draw(nuggets), draw(nuggets)
    number = draw(st.integers(0, min(len(gold), len(system))))
    ones = draw(st.permutations(range(len(gold))))[:number]
    others = draw(st.permutations(range(len(system))))[:number]
    pairs = []
    for one, other in zip(ones, others, strict=True):
        a, b = set(gold[one].tokens), set(system[other].tokens)
        if a & b:
            pairs.append((one, other, 2 * len(a & b) / (len(a) + len(b))))
    return gold, system, pairs


@given(mappings())
def test_exchanges_keep_the_mapping(case):
    gold, system, pairs = case
    found = classify(gold, system, pairs)
    kept = [(one, each.partner, each.dice) for one, each in enumerate(found.gold) if each.partner is not None]

    def shape(pairs):
        return sorted((gold[a].tokens, system[b].tokens, dice) for a, b, dice in pairs)

    assert shape(kept) == shape(pairs)
    for one, other, dice in kept:
        assert found.system[other] == Outcome(found.gold[one].kind, one, dice)
    assert len({other for _, other, _ in kept}) == len(kept)
    assert sum(each.partner is not None for each in found.system) == len(kept)
    assert {each.kind for side in found for each in side} <= set(KINDS)


@given(st.text("ABC", max_size=6), st.text("ABC", max_size=6), st.data())
def test_at_one_place_as_many_types_agree_as_can(ours, theirs, data):
    number = data.draw(st.integers(0, min(len(ours), len(theirs))))
    gold, system = ([nugget("t1", type) for type in types] for types in (ours, theirs))
    found = classify(gold, system, [(n, n, 1.0) for n in range(number)])
    best = min(number, sum(min(ours.count(type), theirs.count(type)) for type in "ABC"))
    assert sum(each.kind == "correct" for each in found.gold) == best


def test_clusters_of_a_document():
    nuggets = [nugget(f"t{n}", id=id) for n, id in enumerate(["a", "b", "c", "c", "d"])]
    relations = [
        Relation("Coreference", "R1", ("c", "a", "nobody")),
        Relation("After", "R2", ("b", "d")),
        Relation("Coreference", "R3", ("b", "a")),  # a is taken
        Relation("Coreference", "R4", ("nobody", "else")),
    ]
    assert cluster_members(NuggetDocument("d", nuggets, relations)) == [[0, 2, 3], [1], [4]]


@pytest.mark.parametrize(
    ("gold", "system", "groups"),
    [
        ([[0, 1]], [[0, 1]], [("same", (0,), (0,))]),
        ([[0, 1, 2]], [[0, 1]], [("changed", (0,), (0,))]),
        ([[0, 1]], [[0, 1, 9]], [("changed", (0,), (0,))]),
        ([[0, 1, 2]], [[0, 1], [2]], [("split", (0,), (0, 1))]),
        ([[0, 1], [2]], [[0, 1, 2]], [("merged", (0, 1), (0,))]),
        ([[0, 1], [2, 3]], [[0, 2], [1, 3]], [("mixed", (0, 1), (0, 1))]),
        ([[0]], [[9]], [("missed", (0,), ()), ("spurious", (), (0,))]),
        ([], [], []),
    ],
)
def test_changes(gold, system, groups):
    assert compare_clusters(gold, system, [(n, n, 1.0) for n in range(9)]) == groups


def test_only_pairs_that_reach_the_threshold_count():
    pairs = [(0, 0, 1.0), (1, 1, 0.5)]
    assert [group.change for group in compare_clusters([[0, 1]], [[0, 1]], pairs)] == ["changed"]
    assert [group.change for group in compare_clusters([[0, 1]], [[0, 1]], pairs, threshold=0.5)] == ["same"]


partitions = st.lists(st.integers(0, 3), max_size=7).map(
    lambda homes: [[n for n, home in enumerate(homes) if home == k] for k in sorted(set(homes))]
)


@given(partitions, partitions, st.permutations(range(7)), st.integers(0, 7))
def test_groups_are_connected_components(gold, system, order, number):
    mates = dict(list(enumerate(order))[:number])
    nodes = [("g", n) for n in range(len(gold))] + [("s", n) for n in range(len(system))]
    edges = {
        (("g", a), ("s", b))
        for a, ours in enumerate(gold)
        for b, theirs in enumerate(system)
        if any(mates.get(member) in theirs for member in ours)
    }
    components = [{node} for node in nodes]
    for _ in nodes:
        for one, other in combinations(list(components), 2):
            if one in components and other in components and any({a, b} & one and {a, b} & other for a, b in edges):
                components = [each for each in components if each not in (one, other)] + [one | other]
    found = compare_clusters(gold, system, [(a, b, 1.0) for a, b in mates.items()])
    assert sorted(sorted([("g", n) for n in g.gold] + [("s", n) for n in g.system]) for g in found) == sorted(
        sorted(each) for each in components
    )
