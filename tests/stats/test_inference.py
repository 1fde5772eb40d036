"""Which interval, which test, how many resamples: intervals and p values agree, and floors hide nothing."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import adjudge as aj
from adjudge.stats.inference import benjamini_hochberg, resamples_for
from adjudge.stats.intervals import (
    Parts,
    paired_test,
    score_interval,
    student_quantile,
)

CASES = json.loads((Path(__file__).parent.parent / "golden" / "estimates.json").read_text(encoding="utf-8"))["cases"]
NONE = np.array([])


def cases(kind):
    found = [case for case in CASES if case["kind"] == kind]
    return pytest.mark.parametrize("case", found, ids=[case["id"] for case in found])


@cases("bca")
def test_bca(case):
    matched, of = (np.array(case["given"][name]) for name in ("matched", "of"))
    left = (matched.sum() - matched) / (of.sum() - of)
    parts = Parts(matched.sum() / of.sum(), left, np.array(case["given"]["resamples"]))
    found = score_interval(parts, "bca", level=case["given"]["level"])
    assert found[:2] == pytest.approx((case["expect"]["low"], case["expect"]["high"]), abs=1e-9)


@cases("benjamini-hochberg")
def test_q(case):
    assert benjamini_hochberg(case["given"]["p"]) == pytest.approx(case["expect"]["q"], abs=1e-12)


@cases("resamples")
def test_resamples_follow_the_comparisons(case):
    systems, expected = case["given"]["systems"], case["expect"]
    comparisons = systems * (systems - 1) // 2
    assert comparisons == expected["comparisons"]
    assert resamples_for(comparisons, case["given"]["alpha"]) == expected["resamples"]
    assert comparisons / 1001 == pytest.approx(expected["floor_at_1000"], abs=1e-12)


def test_the_logit_jackknife_by_hand():
    matched, of = [8.0, 6.0, 3.0, 9.0, 7.0], [10.0, 10.0, 8.0, 9.0, 10.0]
    left = np.array([(sum(matched) - m) / (sum(of) - n) for m, n in zip(matched, of, strict=True)])
    point = sum(matched) / sum(of)
    error = math.sqrt(4 / 5 * sum((left - left.mean()) ** 2))
    reach = student_quantile(0.95, 4) * error / (point * (1 - point))
    middle = math.log(point / (1 - point))
    found = score_interval(Parts(point, left, NONE), "jackknife", level=0.95)
    assert found[:2] == pytest.approx([1 / (1 + math.exp(-x)) for x in (middle - reach, middle + reach)], abs=1e-12)
    assert (found.method, found.scale) == ("jackknife", "logit")
    # A score that may be negative, or is 0 or 1, stays on its own scale.
    signed = score_interval(Parts(point, left, NONE, signed=True), "jackknife", level=0.95)
    assert signed[:2] == pytest.approx([point - 2.7764451052 * error, point + 2.7764451052 * error])
    assert score_interval(Parts(1.0, left, NONE), "jackknife", level=0.95).high == 1.0
    assert score_interval(Parts(1.5, left, NONE), "jackknife", level=0.95).high > 1.5


def test_nothing_that_varies_has_no_interval():
    same = np.full(8, 2 / 3)
    for method in ("jackknife", "percentile", "bca", "centred"):
        assert score_interval(Parts(2 / 3, same, same), method) is None
    a, b = Parts(1.0, np.ones(8), np.ones(99)), Parts(0.0, np.zeros(8), np.zeros(99))
    for interval, test in (("jackknife", "jackknife"), ("percentile", "bootstrap"), ("bca", "bootstrap")):
        found = paired_test(a, b, interval, test, floor=0.01)
        assert (found.difference, found.low, found.p) == (1.0, None, 0.01)
        assert paired_test(a, a, interval, test, floor=0.01).p == 1.0


def test_bca_without_samples_on_both_sides_is_the_jackknife():
    parts = Parts(0.5, np.array([0.4, 0.5, 0.6]), np.array([0.6, 0.7, 0.8]))
    assert score_interval(parts, "bca") == score_interval(parts, "jackknife")


TESTS = [("jackknife", "jackknife"), ("percentile", "bootstrap"), ("bca", "bootstrap"), ("centred", "centred")]


@settings(deadline=None, max_examples=30)
@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=4, max_size=12),
    st.integers(0, 99),
    st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99]),
    st.sampled_from(TESTS),
)
def test_p_is_small_if_and_only_if_the_interval_leaves_out_zero(pairs, seed, level, how):
    values = np.array(pairs) / 9
    rng = np.random.default_rng(seed)
    drawn = values[rng.integers(0, len(values), (499, len(values)))].mean(axis=1)
    left = np.array([np.delete(values, place, axis=0).mean(axis=0) for place in range(len(values))])
    a, b = (Parts(values[:, side].mean(), left[:, side], drawn[:, side]) for side in (0, 1))
    found = paired_test(a, b, *how, level=level, floor=1 / 500)
    if found.low is None:
        return
    significant = found.p < 1 - level - 1e-9
    if abs(found.p - (1 - level)) > 1e-9 and found.p > 1 / 500:
        assert significant == (found.low > 1e-12 or found.high < -1e-12)


# Whole results


def corpus(documents, systems, seed=1):
    """Gold documents, and systems of which each finds a little less than the one before."""
    rng = np.random.default_rng(seed)
    gold = [
        {"id": f"d{k:03}", "lang": "ab"[k % 2], "items": [f"{k}-{n}" for n in range(rng.integers(3, 9))]}
        for k in range(documents)
    ]
    found = {}
    for place in range(systems):
        keep = 0.9 - 0.05 * place
        found[f"s{place:02}"] = [
            {"id": each["id"], "items": [item for item in each["items"] if rng.random() < keep]} for each in gold
        ]
    return gold, found


def test_eleven_systems_can_differ():
    gold, systems = corpus(120, 11)
    systems["empty"] = [{"id": each["id"], "items": []} for each in gold]
    systems["perfect"] = gold
    result = aj.score("record.set", gold, systems)
    assert len(result.comparisons) == 78
    assert result.options.resamples == (15599,)
    assert "|test:bootstrap|resamples:15599|" in result.signature
    best = next(each for each in result.comparisons if (each.a, each.b) == ("empty", "perfect"))
    assert best.difference == -1
    assert best.p_holm <= 0.005
    assert not [note for note in result.notes if note.code == "no-significance"]
    # Intervals of scores keep their draws, however many systems there are.
    alone = aj.score("record.set", gold, {"s00": systems["s00"]})
    assert alone.systems[0].scores == result.systems[0].scores


def test_too_few_resamples_are_said_to_be_too_few():
    gold, systems = corpus(120, 11)
    result = aj.score("record.set", gold, systems, bootstrap=1000)
    messages = [note.message for note in result.notes if note.code == "no-significance"]
    assert messages == ["no difference can be significant: 55 comparisons x 1/1001 > 0.05; give --bootstrap 10999"]
    assert min(each.p_holm for each in result.comparisons) > 0.05


@pytest.mark.parametrize("documents", [12, 150])
def test_a_slice_changes_no_overall_p(documents):
    gold, systems = corpus(documents, 4)
    plain, sliced = (aj.score("record.set", gold, systems, by=by) for by in ((), ("lang",)))
    whole = [each for each in sliced.comparisons if not each.slice]
    assert whole == list(plain.comparisons)
    family = [each for each in sliced.comparisons if each.slice]
    assert len(family) == 12
    assert [c.q for c in family] == benjamini_hochberg([c.p for c in family])


def test_auto_is_the_jackknife_for_few_documents_and_slices():
    gold, systems = corpus(120, 2)
    result = aj.score("record.set", gold, systems, by="lang")
    methods = {(bool(s.slice), s.interval, s.scale) for system in result.systems for s in system.scores if s.low}
    assert methods == {(False, "percentile", None), (True, "jackknife", "logit")}
    assert {(bool(c.slice), c.test) for c in result.comparisons} == {(False, "bootstrap"), (True, "jackknife")}
    assert "|interval:percentile+jackknife|scale:logit|" in result.signature
    few = aj.score("record.set", gold[:99], {name: each[:99] for name, each in systems.items()})
    assert {s.interval for s in few.systems[0].scores if s.low} == {"jackknife"}
    assert "|interval:jackknife|scale:logit|seed:13|boot:1000|test:jackknife|" in few.signature


@pytest.mark.parametrize(
    ("documents", "codes"), [(1, ["one-document"]), (4, ["few-documents"]), (19, ["few-documents"]), (20, [])]
)
def test_few_documents_are_said_to_be_few(documents, codes):
    gold, systems = corpus(documents, 2)
    result = aj.score("record.set", gold, systems)
    assert [note.code for note in result.notes if note.code != "no-spread"] == codes
    if documents == 4:
        assert "below 5 no difference is marked as significant" in result.notes[0].message


def test_no_mark_below_five_documents():
    from adjudge.report.render import render

    for documents, marked in ((4, False), (6, True)):
        gold, _ = corpus(documents, 1)
        empty = [{"id": each["id"], "items": []} for each in gold]
        result = aj.score("record.set", gold, {"good": gold, "bad": empty})
        assert result.comparisons[0].p_holm < 0.05
        assert ("better than every other" in render(result, "latex")) == marked


def test_scores_that_do_not_vary_have_no_interval():
    gold, _ = corpus(8, 1)
    result = aj.score("record.set", gold, {"A": gold})
    assert all(score.low is None for score in result.systems[0].scores)
    notes = {note.code: note for note in result.systems[0].notes}
    assert notes["no-spread"].message == "no interval for scores on which all documents agree"
    assert "100.0 [" not in str(result)
