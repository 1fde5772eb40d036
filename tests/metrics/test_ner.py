"""Named entities: values worked out by hand, and a slow implementation that tries every matching."""

from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.metrics import find


def mention(start, end, kind="PER"):
    return {"span": {"start": start, "end": end}, "type": kind}


def scores(name, gold, system):
    found = find(name).score(gold, system)
    return found.precision, found.recall, found.f1


# Gold: PER [0,2), LOC [5,6), ORG [8,11). System: PER [0,1), LOC [5,6), LOC [8,11), PER [20,21).
GOLD = [mention(0, 2), mention(5, 6, "LOC"), mention(8, 11, "ORG")]
SYSTEM = [mention(0, 1), mention(5, 6, "LOC"), mention(8, 11, "LOC"), mention(20, 21)]


@pytest.mark.parametrize(
    ("name", "matched"),
    [
        ("ner.strict", 1),  # LOC
        ("ner.exact", 2),  # LOC, and the span of ORG
        ("ner.type", 2),  # PER overlaps and has the type, LOC
        ("ner.partial", 2.5),  # LOC, the span of ORG, and half of PER
        ("ner.partial(typed=true)", 1.5),  # LOC, and half of PER
    ],
)
def test_by_hand(name, matched):
    assert scores(name, GOLD, SYSTEM) == pytest.approx((matched / 4, matched / 3, 2 * matched / 7))


def test_the_best_matching_is_taken_not_the_first():
    # [0,1) overlaps both gold entities' text only in [0,4); going in order it would take what belongs to [0,4).
    gold, system = [mention(0, 4)], [mention(0, 1), mention(0, 4)]
    assert scores("ner.partial", gold, system)[1] == 1
    # A chain: greedy by order pairs the first two and leaves one over, the best matching pairs all.
    gold, system = [mention(0, 2), mention(2, 6)], [mention(1, 3), mention(0, 1)]
    assert scores("ner.type", gold, system) == (1, 1, 1)


spans = st.tuples(st.integers(0, 5), st.integers(1, 3), st.sampled_from("ab")).map(
    lambda t: mention(t[0], t[0] + t[1], t[2])
)


def worth(name, left, right):
    a, b = (range(each["span"]["start"], each["span"]["end"]) for each in (left, right))
    if not set(a) & set(b):
        return 0
    same = left["type"] == right["type"]
    return {"ner.type": float(same), "ner.partial": 1 if a == b else 0.5}[name]


@pytest.mark.parametrize("name", ["ner.type", "ner.partial"])
@settings(max_examples=60, deadline=None)
@given(
    gold=st.lists(spans, max_size=4, unique_by=str),
    system=st.lists(spans, max_size=4, unique_by=str),
)
def test_all_matchings(name, gold, system):
    if name == "ner.partial":  # where types do not count, mentions of the same span are one
        gold, system = (
            [mention(a, b) for a, b in {(m["span"]["start"], m["span"]["end"]) for m in side}]
            for side in (gold, system)
        )
    short, long = sorted((gold, system), key=len)
    best = max(sum(worth(name, a, b) for a, b in zip(short, order, strict=False)) for order in permutations(long))
    row = find(name).observe({"entities": gold}, {"entities": system}).counts
    assert row[f"{name}:matched"] == pytest.approx(best)
    assert (row[f"{name}:gold"], row[f"{name}:system"]) == (len(gold), len(system))


@pytest.mark.parametrize(
    ("credit", "matched"),
    [
        ("halving", 1 / 2 + 1 / 4),  # 2 of 3 levels, 1 of 3
        ("linear", 2 / 3 + 1 / 3),
        ("ancestors", 2 * 2 / (3 + 3) + 2 * 1 / (3 + 1)),
    ],
)
def test_types_that_are_right_on_their_upper_levels(credit, matched):
    gold = [mention(0, 2, "Conflict.Attack.Bombing"), mention(4, 5, "Life.Die.Natural")]
    system = [mention(0, 2, "Conflict.Attack.Shooting"), mention(4, 5, "Life"), mention(7, 8, "Life")]
    found = find(f"ner.hierarchical(credit={credit})").score(gold, system)
    assert (found.precision, found.recall) == pytest.approx((matched / 3, matched / 2))


def test_entities_with_one_span_are_one_where_types_do_not_count():
    both = [mention(0, 2, "PER"), mention(0, 2, "ORG")]
    row = find("ner.exact").observe({"entities": both}, {"entities": both[:1]}).counts
    assert list(row.values()) == [1, 1, 1]
