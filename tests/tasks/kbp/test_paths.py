import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kbp_naive as naive
from adjudge.errors import UsageError
from adjudge.tasks.kbp import products
from adjudge.tasks.kbp.counting import count_paths
from adjudge.tasks.kbp.facts import Counts, make_facts
from adjudge.tasks.kbp.products import count_products, relations_of

PLAIN = naive.sides()
LABELLED = naive.sides(labelled=True)


def as_plain(found):
    return [{sequence: tuple(counts) for sequence, counts in hop.sequences.items()} for hop in found]


def expected(gold, system, hops, **options):
    return [naive.by_sequence(gold, system, hop, **options) for hop in range(1, hops + 1)]


@given(PLAIN | LABELLED, PLAIN | LABELLED, st.integers(1, 4), st.sampled_from([1, 3, 1 << 20]), st.booleans())
@settings(max_examples=75)
def test_products_agree_with_sets(gold, system, hops, block, symbolic):
    with pytest.MonkeyPatch.context() as patch:
        if not symbolic:
            patch.setattr(products, "_sizing", lambda: None)
        found = count_products(relations_of(gold.facts, system.facts), hops, block=block)
    found = {sequence: tuple(counts) for sequence, counts in found.items() if counts.gold or counts.system}
    assert found == {key: own for hop in expected(gold, system, hops) for key, own in hop.items()}


@given(PLAIN | LABELLED, PLAIN | LABELLED, st.sampled_from(["endpoints", "full"]), st.sampled_from(["all", "simple"]))
@settings(max_examples=125)
def test_every_way_to_count_agrees_with_sets(gold, system, identity, walks):
    found = count_paths(gold.facts, system.facts, hops=3, identity=identity, walks=walks)
    assert as_plain(found) == expected(gold, system, 3, identity=identity, walks=walks)


@given(PLAIN | LABELLED, PLAIN | LABELLED)
@settings(max_examples=50)
def test_facts_alone_agree_with_sets(gold, system):
    assert as_plain(count_paths(gold.facts, system.facts, hops=1)) == expected(gold, system, 1)


def test_numbers_of_any_size():
    large = make_facts([1 << 40, 0, 1 << 40], [5, 5, 5], [7, 1 << 40, 7], [9, 0, 2])
    assert [column.tolist() for column in large.columns[:5]] == [
        [0, 1 << 40],
        [5, 5],
        [1 << 40, 7],
        [0, 1, 3],
        [0, 2, 9],
    ]
    assert count_paths(large, make_facts([1 << 40], [5], [7]), hops=1)[0].total == Counts(1, 2, 1)


@pytest.mark.parametrize("symbolic", [True, False])
def test_256_witnesses_do_not_vanish(symbolic, monkeypatch):
    # In 8-bit integers 256 witnesses add up to nothing.
    fan = make_facts([0] * 256 + list(range(1, 257)), [0] * 256 + [1] * 256, list(range(1, 257)) + [300] * 256)
    if not symbolic:
        monkeypatch.setattr(products, "_sizing", lambda: None)
    assert count_paths(fan, fan, hops=2)[1].total == Counts(1, 1, 1)


def test_walks_beyond_64_bits_are_counted():
    # From node 0 there are 2^(n/2) walks of n hops, and so there are from 1 and 2 if n is even.
    fan = make_facts([0, 0, 1, 2], [0, 0, 0, 0], [1, 2, 0, 0])
    found = count_paths(fan, make_facts([0], [0], [0]), hops=130, identity="full")
    assert found[-1].total == Counts(0, 3 * 2**65, 1)


def test_too_many_walks_are_refused_before_they_are_made():
    full = make_facts(*(np.array(c) for c in zip(*itertools.product(range(40), [0], range(40)), strict=True)))
    with pytest.raises(UsageError, match="too many to go through one by one"):
        count_paths(full, full, hops=6, walks="simple")
