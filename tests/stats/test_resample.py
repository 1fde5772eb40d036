"""Resampling against plain loops with the same draws."""

from __future__ import annotations

import itertools
import math
import statistics
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.errors import UsageError
from adjudge.stats.intervals import Parts, interval, notches, paired_test
from adjudge.stats.measure import Prf, Total
from adjudge.stats.points import Additive, compute
from adjudge.stats.ranking import rank_distribution
from adjudge.stats.resample import (
    Stream,
    bootstrap,
    bootstrap_weights,
    randomisation,
)
from adjudge.stats.table import StatsTable

COLUMNS = ("s", "p", "g")
A_DRAWN, B_DRAWN = [0.5, math.nan, 0.75], [0.25, 0.5, 0.25]
counts = st.integers(0, 4)
row_of_counts = st.tuples(counts, counts, counts).map(lambda t: (t[0], t[0] + t[1], t[0] + t[2]))
pools = st.sampled_from(["micro", "macro"])
undefined = st.sampled_from([0, 1, None])
scores = st.floats(0, 1) | st.sampled_from([0.0, 0.5, 1.0])


def table_of(rows):
    return StatsTable(tuple(f"d{i}" for i in range(len(rows))), COLUMNS, rows)


def measures_of(undefined=0):
    return (Prf("x", ("s", "p"), ("s", "g"), undefined=undefined),)


def score(rows, measures, pool):
    """The score of a list of documents, one by one."""
    if pool == "micro":
        totals = [sum(column) for column in zip(*rows, strict=True)]
        return {key: float(v[0]) for key, v in compute(measures, COLUMNS, [totals]).items()}
    documents = [compute(measures, COLUMNS, [row]) for row in rows]
    result = {}
    for key in documents[0]:
        defined = [float(d[key][0]) for d in documents if not math.isnan(d[key][0])]
        result[key] = sum(defined) / len(defined) if defined else math.nan
    return result


def words_of(seed):
    """The halves of the raw words of PCG64, lower ones first, one by one."""
    source = np.random.PCG64(seed)
    while True:
        word = int(source.random_raw())
        yield from (word & 0xFFFFFFFF, word >> 32)


def drawn_from(documents, words):
    """As many places of documents, drawn one by one."""
    return [next(words) * len(documents) >> 32 for _ in documents]


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(row_of_counts, row_of_counts), min_size=1, max_size=6), pools, undefined, st.integers(0, 9))
def test_bootstrap_equals_a_loop_with_the_same_draws(pairs, pool, undefined, seed):
    measures = measures_of(undefined)
    a, b = ([pair[side] for pair in pairs] for side in (0, 1))
    systems = {"A": Additive(table_of(a), measures, pool), "B": Additive(table_of(b), measures, pool)}
    samples = bootstrap(systems, resamples=7, seed=seed)
    words = words_of(seed)
    for k in range(7):
        drawn = drawn_from(pairs, words)  # one draw for both systems
        for name, rows in (("A", a), ("B", b)):
            expected = score([rows[i] for i in drawn], measures, pool)
            for key, value in expected.items():
                assert samples[name][key][k] == pytest.approx(value, abs=1e-12, nan_ok=True)


@settings(deadline=None)
@given(st.integers(0, 40), st.integers(1, 30), st.integers(1, 300))
def test_draws_do_not_depend_on_the_block_size(documents, resamples, block):
    whole = np.concatenate(list(bootstrap_weights(documents, resamples, Stream(3), block=1 << 30)))
    pieces = list(bootstrap_weights(documents, resamples, Stream(3), block=block))
    assert np.array_equal(np.concatenate(pieces), whole)
    assert all(piece.size <= max(block, documents) for piece in pieces)
    assert whole.shape == (resamples, documents)
    assert (whole.sum(axis=1) == documents).all()


def test_a_seed_always_gives_the_same_draws():
    """These are part of every published interval; numbers worked out from the generator alone."""
    words = words_of(13)
    places = [next(words) * 347 >> 32 for _ in range(3 * 347)]
    expected = [[places[k * 347 : (k + 1) * 347].count(place) for place in range(347)] for k in range(3)]
    assert places[:5] == [310, 300, 284, 296, 24]
    assert np.concatenate(list(bootstrap_weights(347, 3, Stream(13)))).tolist() == expected


def test_systems_must_share_their_documents():
    a, b = table_of([(1, 2, 2), (1, 1, 1)]), table_of([(1, 2, 2)])
    with pytest.raises(UsageError, match="A and B are not on the same documents: d1 in one only"):
        bootstrap({"A": Additive(a, measures_of()), "B": Additive(b, measures_of())})
    with pytest.raises(UsageError, match="the order differs"):
        bootstrap({"A": Additive(a, measures_of()), "B": Additive(a.select(["d1", "d0"]), measures_of())})
    with pytest.raises(UsageError, match="resamples is 0"):
        bootstrap({"A": Additive(a, measures_of())}, resamples=0)


@settings(deadline=None)
@given(st.lists(scores, min_size=1, max_size=30), st.sampled_from([0.5, 0.9, 0.95]))
def test_percentiles_by_interpolation(values, level):
    def percentile(q):
        place = q * (len(values) - 1)
        below = math.floor(place)
        above = min(below + 1, len(values) - 1)
        ordered = sorted(values)
        return ordered[below] + (place - below) * (ordered[above] - ordered[below])

    assert interval([*values, math.nan], level) == pytest.approx(
        (percentile((1 - level) / 2), percentile((1 + level) / 2)), abs=1e-9
    )
    iqr = percentile(0.75) - percentile(0.25)
    reach = 1.15 * iqr / math.sqrt(len(values))
    middle = statistics.median(values)
    assert notches([*values, math.nan], constant=1.15) == pytest.approx((middle - reach, middle + reach))


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.tuples(row_of_counts, row_of_counts), min_size=2, max_size=6),
    pools,
    st.integers(0, 9),
    st.integers(1, 20),
)
def test_randomisation_equals_a_loop(pairs, pool, seed, block):
    measures, key = measures_of(0), ("x", "f1")
    a, b = ([pair[side] for pair in pairs] for side in (0, 1))
    systems = [Additive(table_of(rows), measures, pool) for rows in (a, b)]
    found = randomisation(dict(zip("ab", systems, strict=True)), [key], trials=19, seed=seed, block=block)["a", "b"][
        key
    ]

    def statistic(one, other):
        """|d| / s, with the jackknife error of the difference."""

        def difference(without=None):
            rows = [[row for place, row in enumerate(side) if place != without] for side in (one, other)]
            return score(rows[0], measures, pool)[key] - score(rows[1], measures, pool)[key]

        left = [difference(place) for place in range(len(one))]
        mean = math.fsum(left) / len(left)
        error = math.sqrt((len(left) - 1) / len(left) * math.fsum((each - mean) ** 2 for each in left))
        size = abs(difference())
        if error <= 1e-12:
            return math.inf if size > 1e-12 else 0.0
        return size / error

    observed = statistic(a, b)
    words = words_of(seed)
    extreme = 0
    for _ in range(19):
        coins = next(words)  # 32 of them
        swaps = [bool(coins >> place & 1) for place, _ in enumerate(pairs)]
        one = [y if swap else x for (x, y), swap in zip(pairs, swaps, strict=True)]
        other = [x if swap else y for (x, y), swap in zip(pairs, swaps, strict=True)]
        drawn = statistic(one, other)
        extreme += drawn == observed or drawn >= observed * (1 - 1e-9) - 1e-9
    assert found == pytest.approx((1 + extreme) / 20)


def test_fractional_counts_tie_despite_rounding():
    """Swapping all documents or none gives the same statistic, which sums of thirds must not hide."""
    a = StatsTable(("a", "b", "c"), ("s",), [[1 / 3], [0.1], [2 / 3]])
    b = StatsTable(("a", "b", "c"), ("s",), [[0.1], [0.7], [0.2]])
    measures = (Total("x", "n", (("s", 1.0),)),)
    systems = {"a": Additive(a, measures), "b": Additive(b, measures)}
    p = randomisation(systems, [("x", "n")], trials=4000)["a", "b"]["x", "n"]
    sizes = [1 / 3 - 0.1, -0.6, 2 / 3 - 0.2]

    def statistic(values):
        mean = sum(values) / 3
        return abs(sum(values)) / math.sqrt(sum((each - mean) ** 2 for each in values))

    signs = itertools.product([1, -1], repeat=3)
    flipped = [statistic([s * d for s, d in zip(sign, sizes, strict=True)]) for sign in signs]
    assert p == pytest.approx(sum(each >= statistic(sizes) - 1e-9 for each in flipped) / 8, abs=0.04)


def test_many_documents_are_left_out_in_groups():
    rng = Random(4)
    rows = [[(n := rng.randint(1, 5)), n + rng.randint(0, 3), n + rng.randint(0, 3)] for _ in range(1200)]
    worse = [[max(0, matched - (place % 9 == 0)), *rest] for place, (matched, *rest) in enumerate(rows)]
    a, b, c = (Additive(table_of(each), measures_of()) for each in (rows, worse, rows))
    found = randomisation({"a": a, "b": b, "c": c}, [("x", "f1")], trials=99)
    assert {pair: p["x", "f1"] for pair, p in found.items()} == {("a", "b"): 0.01, ("a", "c"): 1, ("b", "c"): 0.01}


def test_randomisation_needs_like_tables():
    a, other = table_of([(1, 1, 1)]), StatsTable(("d0",), ("s", "p", "q"), [[1, 1, 1]])
    measures = measures_of()
    with pytest.raises(UsageError, match="different columns"):
        randomisation({"a": Additive(a, measures), "b": Additive(other, ())}, [("x", "f1")])
    same = {"a": Additive(a, measures), "b": Additive(a, measures)}
    assert randomisation(same, [("x", "f1")]) == {("a", "b"): {("x", "f1"): None}}


def test_draws_for_tests_go_on_where_those_for_intervals_end():
    systems = {
        name: Additive(table_of([(n, 2, 3), (2, 3, 3), (0, 1, 2)]), measures_of()) for n, name in enumerate("AB")
    }
    key = ("x", "f1")
    few, many = (bootstrap(systems, resamples=20, seed=5, tested=tested, tests=50) for tested in ((), [key]))
    whole = bootstrap(systems, resamples=50, seed=5)
    for name in systems:
        assert np.array_equal(few[name][key], many[name][key][:20])
        assert np.array_equal(many[name][key], whole[name][key])


@settings(deadline=None)
@given(st.integers(1, 4), st.integers(1, 12), st.data())
def test_ranks_by_brute_force(systems, size, data):
    value = st.sampled_from([0.0, 0.25, 0.5, 1.0, math.nan])
    names = [f"S{i}" for i in range(systems)]
    samples = {name: [data.draw(value) for _ in range(size)] for name in names}
    got = rank_distribution(samples, level=0.5)
    clean = {name: [-math.inf if math.isnan(v) else v for v in column] for name, column in samples.items()}
    for name in names:
        ranks = [1 + sum(clean[other][k] > clean[name][k] for other in names) for k in range(size)]
        assert got.fractions[name] == tuple(ranks.count(r) / size for r in range(1, systems + 1))
        for other in names:
            if other != name:
                assert got.beats[name][other] == sum(clean[name][k] > clean[other][k] for k in range(size)) / size
        low, high = got.ranges[name]
        assert sum(r < low for r in ranks) <= 0.25 * size <= sum(r <= low for r in ranks)
        assert sum(r < high for r in ranks) < 0.75 * size <= sum(r <= high for r in ranks) or size == 1
        assert sum(low <= r <= high for r in ranks) >= 0.5 * size
    medians = [statistics.median(clean[name]) for name in got.order]
    assert sorted(got.order) == names
    assert medians == sorted(medians, reverse=True)


def test_ranks_need_shared_samples():
    with pytest.raises(UsageError, match="same number of samples"):
        rank_distribution({"A": [1.0], "B": [1.0, 2.0]})
    with pytest.raises(UsageError, match="at least one"):
        rank_distribution({"A": []})


def test_undefined_samples_are_left_out_of_a_paired_test():
    a, b = (Parts(point, np.array(drawn), np.array(drawn)) for point, drawn in ((0.5, A_DRAWN), (0.25, B_DRAWN)))
    test = paired_test(a, b, "percentile", "bootstrap")
    assert (test.difference, test.p) == (0.25, 1 / 3)
    assert (test.low, test.high) == (0.25, 0.5)
    assert paired_test(a, b, "jackknife", "jackknife").p == pytest.approx(0.295167, abs=1e-6)
