"""Entity linking: every row worked out by hand on one small document."""

import random

import pytest

import adjudge as aj
from adjudge.errors import UsageError, ValidationError
from adjudge.metrics import catalogue, find
from adjudge.metrics.hierarchies import as_hierarchy, with_hierarchies


def mention(start, end, type, entity):
    return {"span": {"start": start, "end": end}, "type": type, "entity": entity}


GOLD = [
    mention(0, 5, "PER", "E1"),
    mention(10, 16, "ORG", "E2"),
    mention(20, 26, "PER", "NIL1"),
    mention(30, 36, "PER", "NIL1"),
    mention(40, 44, "PER", "E1"),
]
SYSTEM = [
    mention(0, 5, "PER", "E1"),
    mention(10, 16, "ORG", "E3"),
    mention(20, 26, "PER", "NIL7"),
    mention(30, 37, "PER", "NIL7"),
    mention(40, 44, "ORG", "E1"),
    mention(50, 52, "LOC", "NIL9"),
]
# Same places: 0, 10, 20, 40 (four of five gold and six system mentions); 30 overlaps.
BY_HAND = {
    "linking.mention": (4, 6, 5),
    "linking.typed": (3, 6, 5),  # 40 has another type
    "linking.weak-mention": (5, 6, 5),
    "linking.weak-typed": (4, 6, 5),
    "linking.linked-mention": (3, 3, 3),  # 0, 10, 40 on both sides
    "linking.link": (2, 3, 3),  # 0 and 40
    "linking.weak-link": (2, 3, 3),
    "linking.nil": (1, 3, 2),  # 20
    "linking.all": (3, 6, 5),  # 0, 20, 40
    "linking.weak-all": (4, 6, 5),
    "linking.typed-link": (1, 3, 3),
    "linking.typed-nil": (1, 3, 2),
    "linking.typed-all": (2, 6, 5),
    "linking.entity": (1, 2, 2),  # E1 of {E1, E3} and {E1, E2}
    # Gold clusters E1 {0, 40}, E2 {10}, NIL1 {20, 30-36}; system E1 {0, 40}, E3 {10}, NIL7 {20, 30-37}, NIL9 {50}.
    "linking.muc": (1, 2, 2),  # the link of E1; links E1, NIL7 and E1, NIL1
    "linking.pairwise": (1, 2, 2),
    "linking.ceafm": (4, 6, 5),  # E1-E1 2, E2-E3 1, NIL1-NIL7 1
    "linking.ceafe": (2.5, 4, 3),  # 1 + 1 + 2 * 1 / 4
    "linking.b3": (3.5, 6, 5),  # 0, 40, 10: 1 each; 20: 1/2 on both sides
    "linking.b3-plus": (2.5, 6, 5),  # without 10
    "linking.ceafm-plus": (3, 6, 5),
    "linking.typed-ceafm": (3, 6, 5),  # without 40
    "linking.typed-ceafm-plus": (2, 6, 5),  # 0 and 20
}


def test_every_row_has_a_value_worked_out_by_hand():
    assert set(BY_HAND) == {each.name for each in catalogue() if each.family == "linking"}


@pytest.mark.parametrize("name", BY_HAND)
def test_counts_worked_out_by_hand(name):
    metric = find(name)
    counts = metric.observe({"mentions": GOLD}, {"mentions": SYSTEM}).counts
    values = [counts[column] for column in metric.columns]
    matched, system, gold = BY_HAND[name]
    assert values == pytest.approx([matched, system, gold] if len(values) == 3 else [matched, system, matched, gold])


@pytest.mark.parametrize("name", BY_HAND)
def test_order_and_repeats_do_not_matter(name):
    metric = find(name)
    before = metric.observe({"mentions": GOLD}, {"mentions": SYSTEM}).counts
    rng = random.Random(3)
    gold, system = rng.sample(GOLD + GOLD[:2], 7), rng.sample(SYSTEM + SYSTEM[3:], 9)
    assert metric.observe({"mentions": gold}, {"mentions": system}).counts == pytest.approx(before)


def test_a_mention_of_two_entities_belongs_to_the_first_in_the_alphabet():
    twice = [mention(0, 1, None, "NIL2"), mention(0, 1, None, "NIL1"), mention(3, 4, None, "NIL1")]
    for gold in (twice, twice[::-1]):
        assert find("linking.muc").score(gold, [mention(0, 1, None, "x"), mention(3, 4, None, "x")]).recall == 1.0


def test_mentions_without_an_entity_are_clusters_of_their_own():
    alone = [mention(0, 1, None, None), mention(3, 4, None, None)]
    scores = find("linking.ceafe").observe({"mentions": alone}, {"mentions": alone}).counts
    assert scores["linking.ceafe:gold"] == 2
    assert find("linking.nil").score(alone, alone).f1 == 1.0


def test_an_entity_type_may_have_a_hierarchy_but_clusters_may_not():
    types = as_hierarchy(".")
    (changed,) = with_hierarchies((find("linking.typed"),), {"mentions.type": types})
    assert changed.score([mention(0, 1, "A.B", "E")], [mention(0, 1, "A.C", "E")]).f1 == 0.5
    with pytest.raises(UsageError, match=r"linking\.typed-ceafm compares clusters"):
        with_hierarchies((find("linking.typed-ceafm"),), {"mentions.type": types})


@pytest.mark.parametrize("name", BY_HAND)
@pytest.mark.parametrize(
    "mentions",
    [[{"span": {"start": 0}, "entity": "Q1"}], ["x"], [{"entity": "Q1"}], 7, [{"span": {"start": "a", "end": 3}}]],
)
def test_malformed_mentions_are_complaints(name, mentions):
    assert find(name).check({"mentions": mentions})
    with pytest.raises(ValidationError, match="document 'a'"):
        aj.score(name, [{"id": "a", "mentions": mentions}], [{"id": "a", "mentions": []}], bootstrap=0)


def test_clusterings_say_that_they_are_of_the_whole_corpus():
    assert "taken together as one" in find("linking.b3").definition()
