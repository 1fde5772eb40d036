"""Numbers of any type are computed in double precision: lists, tuples, integers and narrow arrays give the same."""

import math
from random import Random

import numpy as np
import pytest

from adjudge.stats import intervals, ranking, resample
from adjudge.stats.agreement import first_of
from adjudge.stats.measure import Prf, Ratio
from adjudge.stats.points import Additive, compute, per_document
from adjudge.stats.resample import exact_sums
from adjudge.stats.table import StatsTable
from adjudge.stats.unitising import Unit, unit_alpha

NARROW = np.array([0.1, 0.35, 0.62, 0.7, 0.2, 0.33, 0.91, 0.05], dtype=np.float32)
OTHER = np.array([0.15, 0.3, 0.6, 0.75, 0.1, 0.43, 0.8, 0.01], dtype=np.float32)
WIDE, WIDE_OTHER = NARROW.astype(np.float64), OTHER.astype(np.float64)


def plain(value):
    """Fields, numbers and texts of any answer, flat."""
    if hasattr(value, "__dataclass_fields__"):
        return plain([getattr(value, name) for name in value.__dataclass_fields__])
    if hasattr(value, "__struct_fields__"):
        return plain([getattr(value, name) for name in value.__struct_fields__])
    if isinstance(value, dict):
        return plain([part for pair in value.items() for part in pair])
    if isinstance(value, (list, tuple, np.ndarray)):
        return [part for each in value for part in plain(each)]
    return [value]


ONE = [
    intervals.percentile_interval,
    lambda values: intervals.percentile_interval(values, rule="interpolate"),
    lambda values: intervals.centred_interval(0.5, values),
    lambda values: intervals.jackknife_error(intervals.Parts(0.5, values, [])),
    lambda values: intervals.score_interval(intervals.Parts(0.5, values, []), "jackknife"),
    lambda values: intervals.score_interval(intervals.Parts(0.5, values, values), "bca"),
    intervals.exchange_p,
    intervals.box_numbers,
    intervals.interval,
    intervals.notches,
]
TWO = [
    lambda a, b: ranking.rank_distribution({"a": a, "b": b}),
]


@pytest.mark.parametrize("function", ONE)
def test_functions_of_samples(function):
    expected = plain(function(WIDE))
    for given in (NARROW, WIDE.tolist(), tuple(WIDE)):
        assert plain(function(given)) == expected


@pytest.mark.parametrize("function", TWO)
def test_functions_of_two_samples(function):
    expected = plain(function(WIDE, WIDE_OTHER))
    for a, b in ((NARROW, OTHER), (WIDE.tolist(), OTHER), (NARROW, tuple(WIDE_OTHER))):
        assert plain(function(a, b)) == expected


@pytest.mark.parametrize("function", ONE)
def test_whole_numbers(function):
    whole = [3, 1, 4, 1, 5, 9, 2, 6]
    expected = plain(function([float(each) for each in whole]))
    assert plain(function(whole)) == expected
    assert plain(function(np.array(whole, dtype=np.int8))) == expected


F1 = Prf("x", ("m", "s"), ("m", "g"), parts=("precision", "recall", "f1", "jaccard"))
RATIO = Ratio("r", "score", (("m", 0.1), ("s", 0.3)), (("g", 0.7),))


def test_measures_of_whole_and_narrow_counts():
    rows = [[1, 3, 7], [0, 2, 5]]
    expected = {key: value.tolist() for key, value in compute([F1, RATIO], "msg", np.array(rows, float)).items()}
    for given in (rows, np.array(rows, dtype=np.int8), np.array(rows, dtype=np.float32)):
        assert {key: value.tolist() for key, value in compute([F1, RATIO], "msg", given).items()} == expected
        assert all(value.dtype == np.float64 for value in compute([F1, RATIO], "msg", given).values())


def test_sums_are_of_doubles():
    narrow = StatsTable(("a",), ("m",), np.array([[0.1]], dtype=np.float32))
    assert narrow.totals == {"m": np.float32(0.1).item()}
    assert exact_sums(np.array([[0.1, 1], [0.2, 2], [0.3, 3]])).tolist() == [math.fsum([0.1, 0.2, 0.3]), 6.0]


def test_weights_of_any_type():
    table = StatsTable(("a", "b", "c"), ("m", "s", "g"), [[1, 3, 7], [0, 2, 5], [4, 4, 6]])
    narrow = np.array([[0.1, 0.7, 2.3]], dtype=np.float32)
    wide = narrow.astype(np.float64)
    for pool in ("micro", "macro"):
        one, other = (Additive(table, [F1, RATIO], pool).evaluate(weights) for weights in (narrow, wide))
        assert {key: value.tolist() for key, value in one.items()} == {k: v.tolist() for k, v in other.items()}
    assert per_document(table, [F1])["x", "precision"].tolist() == [1 / 3, 0.0, 1.0]
    continua = [(10, [[Unit(0, 4, "x")], [Unit(1, 4, "x")]]), (5, [[Unit(0, 2, "x")], []])]
    assert unit_alpha(continua, np.array([[2, 1]], dtype=np.int8)) == unit_alpha(continua, [[2.0, 1.0]])
    assert math.isnan(first_of(np.array([])))


@pytest.mark.parametrize("documents", [1, 7, 1000, 2**31 - 1, 2**32 - 1])
def test_documents_are_drawn_by_whole_words(documents):
    """floor(w n / 2^64) of the words that the generator gives, in exact integers."""
    drawn = resample._indices(documents, 200, Random(documents))
    data = Random(documents).randbytes(1600)
    words = [int.from_bytes(data[8 * place : 8 * place + 8], "little") for place in range(200)]
    assert drawn.tolist() == [word * documents >> 64 for word in words]
