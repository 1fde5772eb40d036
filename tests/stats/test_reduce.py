"""Reductions against loops over documents."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.errors import UsageError
from adjudge.stats.estimator import Additive, Corpus, restrict, slices
from adjudge.stats.measure import Prf, Ratio, Total, compute
from adjudge.stats.reduce import (
    per_document,
    per_document_mean,
    pooled,
    sums,
    undefined_documents,
)
from adjudge.stats.table import StatsTable

COLUMNS = ("s", "p", "g")
counts = st.integers(0, 4)
rows_of_counts = st.lists(st.tuples(counts, counts, counts).map(lambda t: (t[0], t[0] + t[1], t[0] + t[2])), max_size=6)


def table_of(rows):
    return StatsTable(tuple(f"d{i}" for i in range(len(rows))), COLUMNS, rows)


def measures_of(undefined):
    return (Prf("x", ("s", "p"), ("s", "g"), undefined=undefined), Total("x", "count", (("g", 1.0),)))


@settings(deadline=None)
@given(rows_of_counts, st.sampled_from([0, 1, None]), st.data())
def test_reductions_equal_a_loop(rows, undefined, data):
    table, measures = table_of(rows), measures_of(undefined)
    weights = data.draw(
        st.lists(st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows)), min_size=1, max_size=4)
    )
    together = pooled(table, measures, weights=weights)
    averaged = per_document_mean(table, measures, weights=weights)
    for k, row in enumerate(weights):
        # a weight is a number of copies of the document
        copies = [rows[i] for i, times in enumerate(row) for _ in range(times)]
        totals = [sum(column) for column in zip(*copies, strict=True)] if copies else [0, 0, 0]
        expected = compute(measures, COLUMNS, [totals])
        documents = [compute(measures, COLUMNS, [copy]) for copy in copies]
        for key in expected:
            assert together[key][k] == pytest.approx(expected[key][0], nan_ok=True)
            defined = [d[key][0] for d in documents if not math.isnan(d[key][0])]
            if key[1] == "count":
                assert averaged[key][k] == sum(defined)
            else:
                mean = sum(defined) / len(defined) if defined else math.nan
                assert averaged[key][k] == pytest.approx(mean, nan_ok=True)


@settings(deadline=None)
@given(rows_of_counts, st.randoms(), st.sampled_from(["micro", "macro"]))
def test_order_of_documents_changes_no_bit(rows, random, pool):
    table = StatsTable(tuple(map(str, range(len(rows)))), COLUMNS, np.array(rows, dtype=float).reshape(-1, 3) / 7)
    order = list(table.ids)
    random.shuffle(order)
    measures = measures_of(None)
    one, other = (Additive(t, measures, pool).point() for t in (table, table.select(order)))
    assert np.array(list(one.values())).tobytes() == np.array(list(other.values())).tobytes()


def test_pooled_and_mean_differ_as_they_should():
    table = table_of([(10, 10, 10), (1, 2, 2)])
    assert pooled(table, measures_of(0))["x", "recall"][0] == 11 / 12
    assert per_document_mean(table, measures_of(0))["x", "recall"][0] == 0.75
    assert per_document(table, measures_of(0))["x", "f1"].tolist() == [1, 0.5]


def test_undefined_documents_are_counted():
    table = table_of([(0, 0, 0), (0, 1, 0), (1, 1, 1)])
    assert undefined_documents(table, measures_of(None)) == {
        ("x", "precision"): ("d0",),
        ("x", "recall"): ("d0", "d1"),
        ("x", "f1"): ("d0",),
    }
    assert undefined_documents(table, measures_of(0)) == {}
    assert per_document_mean(table, measures_of(None))["x", "recall"][0] == 1


def test_wrong_use_is_explained():
    with pytest.raises(UsageError, match=r"weights of shape \(1, 2\) for 1 documents"):
        pooled(table_of([(1, 1, 1)]), measures_of(0), weights=[[1, 2]])
    with pytest.raises(UsageError, match="no pooling mirco"):
        sums(table_of([]), measures_of(0), "mirco")


@settings(deadline=None)
@given(rows_of_counts.filter(bool), st.sampled_from(["micro", "macro"]), st.data())
def test_an_additive_metric_as_a_function_of_weights_is_the_same_metric(rows, pool, data):
    """Both kinds of estimator answer the same questions in the same way, slices included."""
    genres = tuple(data.draw(st.sampled_from("ab")) for _ in rows)
    table = StatsTable(tuple(map(str, range(len(rows)))), COLUMNS, rows, {"genre": genres})
    additive = Additive(table, measures_of(0), pool)
    corpus = Corpus(table.ids, table.attributes, additive.evaluate)
    assert corpus.keys == additive.keys
    assert slices(corpus, "genre") == slices(additive, "genre")
    for genre in set(genres):
        one, other = restrict(additive, "genre", genre), restrict(corpus, "genre", genre)
        assert one.ids == other.ids == table.where(genre=genre).ids
        assert dict(one.attributes) == dict(other.attributes)
        assert one.point() == pytest.approx(other.point())
        weights = np.arange(2.0 * len(one.ids)).reshape(2, -1)
        for key, values in one.evaluate(weights).items():
            assert values.tolist() == pytest.approx(other.evaluate(weights)[key].tolist(), nan_ok=True)


def test_fractions_of_estimators():
    table = table_of([(1, 2, 4), (1, 2, 4)])
    assert Additive(table, measures_of(0)).fractions()["x", "f1"] == (4, 12)
    assert Additive(table, measures_of(0), "macro").fractions() == {}
    assert Corpus(("a",), {}, lambda w: {}).fractions() == {}


def test_a_corpus_function_of_the_wrong_shape():
    with pytest.raises(UsageError, match=r"x score has shape \(3,\) for 1 rows"):
        Corpus(("a",), {}, lambda w: {("x", "score"): np.zeros(3)}).point()


def test_ratio_with_clip_per_document_mean():
    table = StatsTable(("a", "b"), ("s", "g"), [[-1, 2], [1, 2]])
    measures = [Ratio("x", "score", (("s", 1.0),), (("g", 1.0),), clip=0.0)]
    assert per_document_mean(table, measures)["x", "score"].tolist() == [0.25]
    assert pooled(table, measures)["x", "score"].tolist() == [0.0]
