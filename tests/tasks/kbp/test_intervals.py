import itertools

import numpy as np
import pytest
from hypothesis import given, settings

import kbp_naive as naive
from adjudge.stats import intervals
from adjudge.stats.intervals import Parts, score_interval
from adjudge.stats.resample import leave_out_groups
from adjudge.tasks.kbp.counting import count_all, count_samples
from adjudge.tasks.kbp.exchange import Exchange, exchange_tests, exchanging
from adjudge.tasks.kbp.facts import make_facts

PARTS = ("precision", "recall", "f1")
NONE = np.array([])


def scores(counts):
    """Every part for every hop (rows) and sample (columns); 0/0 is 0."""
    both, gold, system = (np.asarray(each, dtype=float) for each in counts)
    pairs = {"precision": (both, system), "recall": (both, gold), "f1": (2 * both, gold + system)}
    return {part: np.divide(a, b, out=np.zeros(a.shape), where=b != 0) for part, (a, b) in pairs.items()}


@pytest.fixture(scope="module")
def example():
    expected = naive.cases()["worked_example"]["expected"]
    numbers = naive.corpus()
    gold = numbers.side(expected["gold_triples"])
    systems = {name: numbers.side(expected[f"system_{name}_triples"]) for name in "AB"}
    exact = expected["bootstrap_exact"]
    drawn = [{numbers.document(d) for d in row["sample"]} for row in exact["samples_A"]]
    presence = np.array([[document in sample for sample in drawn] for document in range(3)])
    found = count_samples([gold.facts, *(side.facts for side in systems.values())], presence)
    return exact, gold, systems, dict(zip(systems, found, strict=True))


def test_the_summary_of_the_27_resamples(example):
    exact, _, _, found = example
    for name, hop, part in itertools.product("AB", (1, 2, 3), PARTS):
        wanted = exact[f"summary_{name}"][str(hop)][part]
        values = scores(found[name])[part][hop - 1]
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
    exact, _, _, found = example
    drawn = {name: scores(counts) for name, counts in found.items()}
    for hop, part in itertools.product((1, 2, 3), PARTS):
        wanted = exact["paired_B_minus_A"][str(hop)][part]
        a, b = (Parts(0.0, NONE, drawn[name][part][hop - 1]) for name in "AB")
        difference = b._replace(point=wanted["observed"])
        test = intervals.paired_test(difference, a, "percentile", "bootstrap")
        assert test.difference == pytest.approx(wanted["observed"])
        assert test.p == pytest.approx(min(1, (1 + 2 * min(wanted["n_le_0"], wanted["n_ge_0"])) / 28))


@pytest.mark.parametrize(
    ("samples", "low", "high"), [(1000, 51, 950), (27, 2, 26), (10, 1, 10), (20, 2, 19), (1, 1, 1)]
)
def test_the_drop_rule(samples, low, high):
    values = np.random.default_rng(1).permutation(np.arange(1, samples + 1))
    assert intervals.percentile_interval(values)[:2] == (low, high)


def test_centred_and_jackknife_stay_between_0_and_1():
    assert intervals.centred_interval(0.95, [0.2, 0.5, 0.8])[:2] == pytest.approx((0.65, 1.0))
    found = score_interval(Parts(0.01, np.array([0.0, 0.1]), NONE), "jackknife")
    assert 0 < found.low < 0.01 < found.high < 1
    assert score_interval(Parts(0.0, np.array([0.0, 0.1]), NONE), "jackknife")[:2] == pytest.approx(
        (0.0, 6.3137515 * 0.05), abs=1e-6
    )
    assert score_interval(Parts(0.5, np.array([0.5]), NONE), "jackknife") is None


SIDES = naive.sides()


@given(SIDES, SIDES, SIDES)
@settings(max_examples=25)
def test_exchanging_documents_equals_building_the_exchanged_systems(gold, one, other):
    swaps = np.concatenate((np.zeros((1, 5), bool), np.random.default_rng(3).random((6, 5)) < 0.5))
    work = exchanging(gold.facts, one.facts, other.facts, swaps, np.arange(5), Exchange(5, hops=2))
    ((found,),) = count_all([work])
    found = [np.asarray(each).reshape(2, 2, len(swaps), 6) for each in found]  # hops, systems, exchanges, leave-outs
    for trial, swap in enumerate(swaps):
        built = [{}, {}]
        for owner, side in enumerate((one, other)):
            for triple, documents in side.triples.items():
                for document in documents:
                    goes = 1 - owner if swap[document] else owner
                    built[goes][triple] = built[goes].get(triple, frozenset()) | {document}
        for system, hop, left in itertools.product((0, 1), (1, 2), range(6)):
            kept = [document for document in range(5) if document != left - 1]
            wanted = naive.count(gold, naive.Side(built[system]), hop, kept)
            assert tuple(int(each[hop - 1, system, trial, left]) for each in found) == wanted


def test_groups_are_left_out_where_there_are_many_documents():
    group = leave_out_groups(10, 1, 4)
    assert sorted(np.bincount(group).tolist()) == [2, 2, 3, 3]


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
    pairs = {"different": (good, bad), "same": (good, good)}
    found = exchange_tests(gold, pairs, Exchange(40, trials=200, hops=3, together=True))
    assert found["same"] == dict.fromkeys((1, 2, 3, 0), 1.0)
    assert max(found["different"].values()) < 0.02
    assert found["different"].keys() == {0, 1, 2, 3}


def test_more_exchanges_than_fit_into_one_pass_are_the_same(monkeypatch):
    gold, good, bad = corpus(2, [0.6, 0.5], documents=60)
    how = Exchange(60, trials=30, hops=2)
    once = exchange_tests(gold, {"": (good, bad)}, how)
    monkeypatch.setattr("adjudge.tasks.kbp.exchange._AT_ONCE", 500)
    assert exchange_tests(gold, {"": (good, bad)}, how) == once
