"""Scores from counts in samples of the documents: intervals, boxes, tests, and what a file may get wrong."""

import json

import msgspec
import numpy as np
import pytest

import kbp_naive
from adjudge.errors import FormatError
from adjudge.stats import intervals
from adjudge.stats.intervals import ENOUGH, Pairs, Parts, jackknife_error, paired_test, score_interval
from adjudge.stats.measure import Prf, Total
from adjudge.stats.result import Result, SampledCounts
from adjudge.stats.saved import check_samples
from adjudge.stats.scores import POOL, How, headline_keys, pair_comparisons, sampled, system_scores

NONE = np.array([])
HOW = How(POOL, "jackknife", "jackknife", 0.9)
MEASURES = [m for hop in "123" for m in (Prf(hop, (f"{hop}:tp", f"{hop}:system"), (f"{hop}:tp", f"{hop}:gold")),)] + [
    Total("1", "tp", (("1:tp", 1.0),))
]


@pytest.fixture(scope="module")
def exact():
    return kbp_naive.cases()["worked_example"]["expected"]["bootstrap_exact"]


def samples_of(rows):
    """All documents are the first sample; the 27 equally likely resamples are drawn once each."""
    point = next(row for row in rows if len(set(row["sample"])) == 3)
    columns, values = [], []
    for hop in "123":
        for place, name in enumerate(("tp", "gold", "system")):
            columns.append(f"{hop}:{name}")
            values.append(tuple(float(row["counts"][hop][place]) for row in (point, *rows)))
    return SampledCounts(tuple(columns), 0, tuple(values))


@pytest.mark.parametrize("system", ["A", "B"])
@pytest.mark.parametrize("constant", [1.57, 1.15])
def test_intervals_and_boxes_of_the_27_resamples(exact, system, constant):
    how = msgspec.structs.replace(HOW, interval="percentile", box=constant)
    found = system_scores(sampled(MEASURES, samples_of(exact[f"samples_{system}"]), how), how, {})
    for score in found:
        if score.part == "tp":
            assert score.low is None
            continue
        wanted = exact[f"summary_{system}"][score.metric][score.part]
        box = score.uncertainty.box
        assert (score.low, score.high) == pytest.approx(wanted["interval90_drop"])
        assert (box.low, box.high) == pytest.approx(wanted["interval90_drop"])
        assert box.median == pytest.approx(wanted["median"])
        assert (box.first_quartile, box.third_quartile) == pytest.approx((wanted["q25"], wanted["q75"]))
        notch = wanted["notch_" + str(constant).replace(".", "_")]
        assert (box.notch_low, box.notch_high) == pytest.approx(notch)
        assert box.mean == pytest.approx(wanted["mean"])
        assert score.uncertainty.bias == pytest.approx(wanted["mean"] - score.value)


def test_the_paired_bootstrap_of_the_27_resamples(exact):
    how = msgspec.structs.replace(HOW, test="bootstrap")
    pair = {name: sampled(MEASURES, samples_of(exact[f"samples_{name}"]), how) for name in "BA"}
    for each in pair_comparisons(pair, headline_keys(MEASURES), how, {}, None):
        wanted = exact["paired_B_minus_A"][each.metric]["f1"]
        assert each.difference == pytest.approx(wanted["observed"])
        fewer = min(wanted["n_le_0"], wanted["n_ge_0"])
        assert each.p == pytest.approx(min(1, (1 + 2 * fewer) / 28))
        assert wanted["p_one_sided_add1"] <= each.p <= wanted["p_two_sided_add1"]
        assert round((1 - each.wins) * 27) == wanted["n_le_0"]


# The correction by pairs


def statistic(n, order, rng):
    """Values whose only variation is what `order` documents do together, with leave-outs and all pairs of them."""
    subsets = np.array(np.meshgrid(*[np.arange(n)] * order, indexing="ij")).reshape(order, -1).T
    subsets = subsets[np.all(np.diff(subsets, axis=1) > 0, axis=1)] if order > 1 else subsets
    products = rng.standard_normal(len(subsets))
    inside = np.zeros((len(subsets), n), dtype=bool)
    inside[np.arange(len(subsets))[:, None], subsets] = True
    total = products.sum()
    left = total - products @ inside
    places = np.stack(np.triu_indices(n, 1), axis=1)
    both = products @ (inside.astype(float)[:, :, None] * inside[:, None, :]).reshape(len(subsets), -1)
    both = both.reshape(n, n)
    pairs = left[places[:, 0]] + left[places[:, 1]] - total + both[places[:, 0], places[:, 1]]
    return total, left, Pairs(places, pairs), len(subsets)


@pytest.mark.parametrize("order", [1, 2, 3])
def test_what_documents_do_together_counts_less_often(order, monkeypatch):
    n = 24
    monkeypatch.setattr(intervals, "ENOUGH", n)
    rng = np.random.default_rng(3)
    ratios, plain = [], []
    for _ in range(40):
        total, left, pairs, terms = statistic(n, order, rng)
        ratios.append(jackknife_error(Parts(total, left, NONE, pairs)) ** 2 / terms)
        plain.append(jackknife_error(Parts(total, left, NONE)) ** 2 / terms)
    # The variance is the number of terms. Without pairs a term of k documents is in it k times (but for their mean),
    # with pairs k (k - 1) / 4 times less, or half as often.
    wanted = order * (1 - order / n)
    assert np.mean(plain) == pytest.approx(wanted, rel=0.1)
    assert np.mean(ratios) == pytest.approx(max(wanted - order * (order - 1) / 4, wanted / 2), rel=0.1)


def test_the_correction_takes_half_at_most_and_needs_enough_documents():
    rng = np.random.default_rng(1)
    left = rng.random(ENOUGH)
    places = np.stack(np.triu_indices(ENOUGH, 1), axis=1)
    wild = Pairs(places, rng.random(len(places)) * 100)
    plain, corrected = Parts(0.5, left, NONE), Parts(0.5, left, NONE, wild)
    assert jackknife_error(corrected) == pytest.approx(jackknife_error(plain) / np.sqrt(2))
    few = Parts(0.5, left[: ENOUGH - 1], NONE, Pairs(places[:1], wild.values[:1]))
    assert jackknife_error(few) == jackknife_error(few._replace(pairs=None))
    assert score_interval(corrected, "jackknife").low >= score_interval(plain, "jackknife").low


def test_the_paired_jackknife_uses_pairs_of_the_difference():
    total, left, pairs, _ = statistic(ENOUGH, 2, np.random.default_rng(8))
    zero = Parts(0.0, np.zeros(ENOUGH), NONE, Pairs(pairs.places, np.zeros(len(pairs.values))), signed=True)
    score = Parts(total, left, NONE, pairs, signed=True)
    test = paired_test(score, zero, "jackknife", "jackknife", level=0.9)
    plain = paired_test(score._replace(pairs=None), zero, "jackknife", "jackknife", level=0.9)
    assert plain.low < test.low < total < test.high < plain.high
    assert test.p <= plain.p


# Files


@pytest.mark.parametrize(
    ("samples", "message"),
    [
        (SampledCounts(("a", "b"), 0, ((1.0,),)), "1 columns of samples for 2 names"),
        (SampledCounts(("a", "b"), 0, ((1.0,), (1.0, 2.0))), "different lengths"),
        (SampledCounts(("a",), 3, ((1.0, 2.0),)), "at least 4"),
        (SampledCounts(("a",), -1, ((1.0, 2.0),)), "at least 1"),
        (SampledCounts(("a",), 1, ((1.0, 2.0, 3.0),), {}, ((0, 1),)), "not there"),
    ],
)
def test_samples_that_do_not_fit(samples, message):
    with pytest.raises(FormatError, match=message):
        check_samples(samples)


def test_a_broken_file_is_refused(tmp_path):
    from adjudge.tasks.kbp.scoring import score

    score(b"a\tr\tb\td1\nb\tr\tc\td2\n", [b"a\tr\tb\td1\n"], names=["A"], bootstrap=20).save(tmp_path / "r.json")
    data = json.loads((tmp_path / "r.json").read_text())
    data["systems"][0]["samples"][0]["values"][0].pop()
    (tmp_path / "r.json").write_text(json.dumps(data))
    with pytest.raises(FormatError, match=r"different lengths - at `\$\.systems\[0\]\.samples\[0\]`"):
        Result.load(tmp_path / "r.json")
