import itertools
import math
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings

import kbp_naive as naive
from adjudge.errors import UsageError
from adjudge.stats.resample import bootstrap_weights
from adjudge.tasks.kbp import intervals
from adjudge.tasks.kbp.masks import SampleCounts, count_samples
from adjudge.tasks.kbp.masks_compare import compare_systems
from adjudge.tasks.kbp.masks_samples import exchange_counts, leave_out_presence, resample_counts
from adjudge.tasks.kbp.paths import make_facts


@pytest.fixture(scope="module")
def example():
    expected = naive.cases()["worked_example"]["expected"]
    numbers = naive.corpus()
    gold = numbers.side(expected["gold_triples"])
    systems = {name: numbers.side(expected[f"system_{name}_triples"]) for name in "AB"}
    exact = expected["bootstrap_exact"]
    drawn = [{numbers.document(d) for d in row["sample"]} for row in exact["samples_A"]]
    presence = np.array([[document in sample for sample in drawn] for document in range(3)])
    found = count_samples(gold.facts, [side.facts for side in systems.values()], presence)
    return exact, gold, systems, dict(zip(systems, found, strict=True))


def test_the_summary_of_the_27_resamples(example):
    exact, _, _, found = example
    for name, hop, part in itertools.product("AB", (1, 2, 3), intervals.PARTS):
        wanted = exact[f"summary_{name}"][str(hop)][part]
        values = intervals.scores(found[name])[part][hop - 1]
        box = intervals.box_numbers(values)
        assert (box.low, box.high) == pytest.approx(wanted["interval90_drop"])
        assert box.mean == pytest.approx(wanted["mean"])
        assert box.median == pytest.approx(wanted["median"])
        assert (box.first_quartile, box.third_quartile) == pytest.approx((wanted["q25"], wanted["q75"]))
        assert (box.notch_low, box.notch_high) == pytest.approx(wanted["notch_1_57"])
        paper = intervals.box_numbers(values, notch_constant=intervals.PAPER_NOTCH)
        assert (paper.notch_low, paper.notch_high) == pytest.approx(wanted["notch_1_15"])
        low, high, *_ = intervals.percentile_interval(values, rule="interpolate")
        assert (low, high) == pytest.approx((wanted["q05"], wanted["q95"]))
        assert len(box.outside) == sum(v < box.low or v > box.high for v in values)


def test_the_paired_counts_of_the_27_resamples(example):
    exact, gold, systems, found = example
    drawn = {name: intervals.scores(counts) for name, counts in found.items()}
    for hop, part in itertools.product((1, 2, 3), intervals.PARTS):
        wanted = exact["paired_B_minus_A"][str(hop)][part]
        a, b = (drawn[name][part][hop - 1] for name in "AB")
        whole = [naive.count(gold, systems[name], hop) for name in "AB"]
        points = [float(intervals.scores(SampleCounts(*np.array(c).reshape(3, 1, 1)))[part][0, 0]) for c in whole]
        test = intervals.paired_bootstrap(b, a, points[1] - points[0])
        assert test.difference == pytest.approx(wanted["observed"])
        assert test.p == pytest.approx(wanted["p_two_sided_add1"])
        assert round((1 - test.wins) * 27) == wanted["n_le_0"]
        assert round((test.wins + test.ties) * 27) == wanted["n_ge_0"]


@pytest.mark.parametrize(
    ("samples", "low", "high"), [(1000, 51, 950), (27, 2, 26), (10, 1, 10), (20, 2, 19), (1, 1, 1)]
)
def test_the_drop_rule(samples, low, high):
    values = np.random.default_rng(1).permutation(np.arange(1, samples + 1))
    assert intervals.percentile_interval(values)[:2] == (low, high)


def test_no_resamples_no_interval():
    with pytest.raises(UsageError, match="at least one resample"):
        intervals.percentile_interval([])


def test_nothing_over_nothing_is_zero():
    counts = SampleCounts(*(np.array([[n]]) for n in (0, 3, 0)))
    assert {part: float(v[0, 0]) for part, v in intervals.scores(counts).items()} == {
        "precision": 0,
        "recall": 0,
        "f1": 0,
    }


def test_centred_and_jackknife_stay_between_0_and_1():
    assert intervals.centred_interval(0.95, [0.2, 0.5, 0.8])[:2] == pytest.approx((0.65, 1.0))
    assert intervals.jackknife_interval(0.01, [0.0, 0.1])[:2] == pytest.approx((0.0, 0.01 + 6.3137515 * 0.05), abs=1e-6)
    assert intervals.jackknife_interval(0.5, [0.5]) is None


def test_the_jackknife_of_a_mean_is_its_standard_error():
    x = np.random.default_rng(2).random(30)
    left = (x.sum() - x) / 29
    assert intervals.jackknife_error(x.mean(), left) == pytest.approx(x.std(ddof=1) / math.sqrt(30))


SIDES = naive.sides()


@given(SIDES, SIDES)
@settings(max_examples=25)
def test_one_pass_gives_all_three(gold, system):
    (found,) = resample_counts(gold.facts, [system.facts], documents=5, resamples=12, seed=7, hops=3)
    everything = range(5)
    draws = np.concatenate(list(bootstrap_weights(5, 12, Random(7))))
    wanted = {
        "point": [everything],
        "left_out": [[d for d in everything if d != left] for left in everything],
        "bootstrap": [np.flatnonzero(row).tolist() for row in draws],
    }
    for kind, samples in wanted.items():
        own = getattr(found, kind)
        assert own.both.shape == (3, len(samples))
        for hop, (column, kept) in itertools.product((1, 2, 3), enumerate(samples)):
            assert tuple(int(p[hop - 1, column]) for p in own) == naive.count(gold, system, hop, kept)


@given(SIDES, SIDES, SIDES)
@settings(max_examples=25)
def test_exchanging_documents_equals_building_the_exchanged_systems(gold, one, other):
    found = exchange_counts(gold.facts, one.facts, other.facts, documents=5, trials=6, seed=3, hops=2)
    exchanged = np.random.default_rng(3).random((6, 5)) < 0.5
    for trial, swap in enumerate([np.zeros(5, dtype=bool), *exchanged]):
        built = [{}, {}]
        for owner, side in enumerate((one, other)):
            for triple, documents in side.triples.items():
                for document in documents:
                    goes = 1 - owner if swap[document] else owner
                    built[goes][triple] = built[goes].get(triple, frozenset()) | {document}
        for counts, triples in zip(found, built, strict=True):
            for hop in (1, 2):
                assert tuple(int(p[hop - 1, trial]) for p in counts) == naive.count(gold, naive.Side(triples), hop)


def test_systems_with_their_own_nodes_are_not_exchanged():
    own = make_facts([0], [0], [1], [0], labels=[0, 1])
    with pytest.raises(UsageError, match="keep their own nodes"):
        exchange_counts(own, own, own, documents=1)


def test_groups_are_left_out_where_there_are_many_documents():
    presence = leave_out_presence(10, np.random.default_rng(1), groups=4)
    assert presence.shape == (10, 4)
    assert (~presence).sum(axis=1).tolist() == [1] * 10
    assert sorted((~presence).sum(axis=0).tolist()) == [2, 2, 3, 3]


def corpus(seed, keep, documents=40, nodes=25, skew=1):
    """Gold, and systems that keep a share of it; the higher the skew the busier the busy nodes."""
    rng = np.random.default_rng(seed)

    def draw():
        ends = [(nodes * rng.random(documents * 6) ** skew).astype(int) for _ in range(2)]
        return np.array([ends[0], rng.integers(0, 3, documents * 6), ends[1]])

    gold, where = draw(), np.repeat(np.arange(documents), 6)
    sides = [make_facts(*gold, where)]
    for share in keep:
        sides.append(make_facts(*np.where(rng.random(documents * 6) < share, gold, draw()), where))
    return sides


def test_a_clear_difference_is_found_and_equal_systems_are_not_different():
    gold, good, bad = corpus(1, [0.9, 0.3])
    systems = {"good": good, "bad": bad, "again": good}
    drawn = dict(zip(systems, resample_counts(gold, list(systems.values()), documents=40, resamples=200), strict=True))
    tests = ("randomisation", "jackknife", "bootstrap", "centred")
    found = compare_systems(gold, systems, drawn, documents=40, tests=tests, trials=200)
    assert len(found) == 3 * 3 * 3 * 4
    for row in found:
        if {row.first, row.second} == {"good", "again"}:
            assert row.result.difference == 0
            assert row.result.p == 1.0
        else:
            assert row.result.p < 0.02, row
            assert abs(row.result.difference) > 0.1
            assert row.result.p <= row.adjusted <= 3 * row.result.p
            assert row.result.low < row.result.difference < row.result.high


def test_unknown_tests_are_refused():
    with pytest.raises(UsageError, match="no test"):
        compare_systems(*corpus(1, [])[:1], {}, {}, documents=1, tests=["jacknife"])


def test_all_hops_together(example):
    _, gold, systems, _ = example
    facts = {name: side.facts for name, side in systems.items()}
    options = {"documents": 3, "seed": 3}
    drawn = resample_counts(gold.facts, list(facts.values()), resamples=20, hops=3, **options)
    resampled = dict(zip(facts, drawn, strict=True))
    rows = compare_systems(gold.facts, facts, resampled, tests=intervals_tests(), trials=50, together=True, **options)
    apart = compare_systems(gold.facts, facts, resampled, tests=intervals_tests(), trials=50, **options)
    assert [row for row in rows if row.hop] == apart
    whole = [row for row in rows if not row.hop and row.part == "f1"]
    assert [row.test for row in whole] == list(intervals_tests())
    points = [own.point for own in resampled.values()]
    f1 = [2 * own.both.sum() / (own.gold.sum() + own.system.sum()) for own in points]
    assert all(row.result.difference == pytest.approx(f1[0] - f1[1]) for row in whole)
    one, other = exchange_counts(gold.facts, *facts.values(), documents=3, trials=50, seed=3)
    differences = [
        2 * a / (b + c) - 2 * x / (y + z)
        for a, b, c, x, y, z in zip(*(side.sum(axis=0) for side in (*one, *other)), strict=True)
    ]
    extreme = sum(abs(each) >= abs(differences[0]) - 1e-12 for each in differences[1:])
    assert whole[0].result.p == pytest.approx((1 + extreme) / 51)


def intervals_tests():
    return "randomisation", "jackknife", "bootstrap"
