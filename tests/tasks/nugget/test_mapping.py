"""Mappings against slow and obvious ones: all pairs of sets, all orders of equal pairs, all one-to-one mappings."""

from functools import cache
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from adjudge.tasks.nugget.mapping import Side, best_of_ties, map_nuggets, true_positives
from adjudge.tasks.nugget.settings import MAPPINGS
from adjudge.tasks.nugget.spans import (
    dice,
    dice_of_ratios,
    keys_of_pieces,
    keys_of_tokens,
    partial_overlaps,
    size,
)

pieces = st.lists(
    st.tuples(st.integers(0, 12), st.integers(0, 6)).map(lambda each: (each[0], each[0] + each[1])),
    min_size=1,
    max_size=2,
).map(tuple)
tokens = st.lists(st.sampled_from("abcdefg"), min_size=1, max_size=3).map(tuple)
attributes = st.sampled_from(("A", "B", "?"))


def sides(places):
    nugget = st.tuples(places, attributes, attributes)
    return st.tuples(st.lists(nugget, max_size=6), st.lists(nugget, max_size=6))


def characters(place):
    return [offset for begin, end in place for offset in range(begin, end)]


def naive(gold, system, units, measure, wildcard=None):
    """The greedy mapping over all pairs, by the order of lines."""
    edges = []
    for i, (theirs, *_) in enumerate(system):
        for j, (ours, *_) in enumerate(gold):
            common = len(set(units(ours)) & set(units(theirs)))
            if common:
                edges.append((-measure(common, len(units(ours)), len(units(theirs))), i, j))
    found = {}
    for name in MAPPINGS:
        places = [place for place, attribute in ((1, "type"), (2, "realis")) if attribute in name.split("+")]
        golds, systems, pairs = set(), set(), []
        for negative, i, j in sorted(edges):
            agree = all(gold[j][place] in (system[i][place], wildcard) for place in places)
            if i not in systems and j not in golds and agree:
                golds.add(j)
                systems.add(i)
                pairs.append((j, i, -negative))
        found[name] = sorted(pairs)
    return found


def as_side(nuggets, keys):
    return Side(keys, [each[1] for each in nuggets], [each[2] for each in nuggets])


@given(sides(pieces), st.sampled_from([None, "?"]))
@examples(max_examples=120)
def test_characters_as_in_the_official_program(both, wildcard):
    gold, system = both
    mine = [as_side(each, keys_of_pieces([nugget[0] for nugget in each], repeated=True)) for each in both]
    found = map_nuggets(*mine, MAPPINGS, char=True, wildcard=wildcard, best=False).pairs
    assert {name: sorted(pairs) for name, pairs in found.items()} == naive(gold, system, characters, dice, wildcard)


@given(sides(tokens))
@examples(max_examples=120)
def test_tokens_as_in_2015(both):
    gold, system = both
    mine = [as_side(each, keys_of_tokens([nugget[0] for nugget in each])) for each in both]
    found = map_nuggets(*mine, MAPPINGS, char=False, measure=dice_of_ratios, best=False).pairs
    expected = naive(gold, system, lambda place: sorted(set(place)), dice_of_ratios)
    assert {name: sorted(pairs) for name, pairs in found.items()} == expected


@given(sides(tokens))
@examples(max_examples=100)
def test_the_best_of_all_orders_of_equal_pairs(both):
    gold, system = both
    mine = [as_side(each, keys_of_tokens([nugget[0] for nugget in each])) for each in both]
    found = map_nuggets(*mine, MAPPINGS, char=False)
    for name, pairs in found.pairs.items():
        places = [place for place, attribute in ((1, "type"), (2, "realis")) if attribute in name.split("+")]
        edges = {
            (i, j): dice(len(set(ours[0]) & set(theirs[0])), len(set(ours[0])), len(set(theirs[0])))
            for i, theirs in enumerate(system)
            for j, ours in enumerate(gold)
            if set(ours[0]) & set(theirs[0]) and all(ours[place] == theirs[place] for place in places)
        }
        assert true_positives(pairs) == pytest.approx(best_order(edges))
        if name in found.entangled:
            rest = true_positives(pairs) - found.entangled[name].best
            assert found.entangled[name].proven
            assert rest + found.entangled[name].optimal == pytest.approx(best_mapping(edges, len(system), len(gold)))


def best_order(edges):
    """Take any of the most similar free pairs, in every possible way."""

    @cache
    def best(golds, systems):
        free = {pair: value for pair, value in edges.items() if pair[0] not in systems and pair[1] not in golds}
        if not free:
            return 0.0
        highest = max(free.values())
        return highest + max(best(golds | {j}, systems | {i}) for (i, j), value in free.items() if value == highest)

    return best(frozenset(), frozenset())


def best_mapping(edges, systems, golds):
    """The best of all one-to-one mappings."""
    if systems > golds:
        return best_mapping({(j, i): value for (i, j), value in edges.items()}, golds, systems)
    orders = permutations(range(golds), systems)
    return max(sum(edges.get((i, j), 0.0) for i, j in enumerate(order)) for order in orders)


def test_a_search_that_gives_up_says_so():
    # The first pair is greedy and not the best, so nothing reaches the optimum; below it there are ties.
    edges = [(-0.9, 0, 0), (-0.8, 0, 1), (-0.8, 1, 0), (-0.5, 1, 2), (-0.5, 1, 3), (-0.5, 2, 2)]
    given_up, found = best_of_ties(edges, states=1), best_of_ties(edges)
    assert (given_up.proven, found.proven) == (False, True)
    assert (found.line, found.best, found.optimal) == pytest.approx((1.4, 1.9, 2.1))
    assert given_up.line <= given_up.best <= given_up.optimal == pytest.approx(2.1)


def test_long_chains_of_ties_are_solved():
    """Every nugget overlaps equally with two others; the order of lines goes wrong, the optimum is within reach."""
    size = 400
    order = [(7 * k) % size for k in range(size)]
    gold = Side([(2 * k, 2 * k + 5) for k in order], ["A"] * size, ["B"] * size)
    system = Side([(2 * k + 1, 2 * k + 6) for k in range(size)], ["A"] * size, ["B"] * size)
    found = map_nuggets(gold, system, ["span"], char=True).entangled["span"]
    assert found.proven
    assert found.line < found.best == pytest.approx(0.8 * size)


@given(st.lists(pieces, max_size=7, unique=True), st.lists(pieces, max_size=7, unique=True))
@examples(max_examples=100)
def test_overlaps_in_the_text(gold, system):
    keys = [dict.fromkeys(filter(None, keys_of_pieces(each))) for each in (gold, system)]
    found = partial_overlaps(*keys, char=True)

    def units(key):
        return set(characters((key,) if isinstance(key[0], int) else key))

    expected = {
        (ours, theirs): len(units(ours) & units(theirs))
        for ours in keys[0]
        for theirs in keys[1]
        if ours != theirs and units(ours) & units(theirs)
    }
    assert {(ours, theirs): common for ours, mine in found.items() for theirs, common in mine.items()} == expected
    assert all(size(key) == len(units(key)) for key in (*keys[0], *keys[1]))


def test_many_nuggets_at_one_place_are_no_work():
    keys = ["t1"] * 5000
    side = Side(keys, ["A", "B"] * 2500, ["C"] * 5000)
    found = map_nuggets(side, side, MAPPINGS, char=False)
    assert [len(pairs) for pairs in found.pairs.values()] == [5000] * 4
    assert not found.entangled  # else there is a candidate for every two of them
