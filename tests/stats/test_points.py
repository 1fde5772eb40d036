"""Points of a table against loops over documents, and without numpy."""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.errors import UsageError
from adjudge.stats.inference import OFF, Inference
from adjudge.stats.measure import Blanc, Combined, Prf, Ratio, Total
from adjudge.stats.points import Additive, compute, points, undefined_documents
from adjudge.stats.table import StatsTable
from made import made_result

COLUMNS = ("s", "p", "g")


def table_of(rows):
    return StatsTable(tuple(f"d{i}" for i in range(len(rows))), COLUMNS, rows)


def measures_of(undefined):
    return (Prf("x", ("s", "p"), ("s", "g"), undefined=undefined), Total("x", "count", (("g", 1.0),)))


def test_undefined_documents_are_counted():
    table = table_of([(0, 0, 0), (0, 1, 0), (1, 1, 1)])
    assert undefined_documents(table, measures_of(None)) == {
        ("x", "precision"): ("d0",),
        ("x", "recall"): ("d0", "d1"),
        ("x", "f1"): ("d0",),
    }
    assert undefined_documents(table, measures_of(0)) == {}
    assert Additive(table, measures_of(None), "macro").point()["x", "recall"] == 1


def test_wrong_use_is_explained():
    with pytest.raises(UsageError, match=r"weights of shape \(1, 2\) for 1 documents"):
        Additive(table_of([(1, 1, 1)]), measures_of(0)).evaluate([[1, 2]])
    with pytest.raises(UsageError, match="no pooling mirco"):
        Additive(table_of([]), measures_of(0), "mirco").point()


# ---------------------------------------------------------------------------------------------------------------------
# One arithmetic for numbers and for columns of numbers


LETTERS = ("a", "b", "c", "d", "e", "f")


def every_measure(undefined, rule):
    return [
        Prf(
            "shared",
            ("a", "b"),
            ("a", "c"),
            beta=2.0,
            undefined=undefined,
            parts=("jaccard", "precision", "f2", "gold"),
        ),
        Prf("two", ("a", "b"), ("d", "c"), undefined=undefined),
        Ratio("ratio", "score", (("a", 1.0), ("b", -0.25)), (("c", 1.0),), undefined, clip=0.0),
        Total("count", "tp", (("a", 1.0), ("d", 0.5))),
        Blanc("links", ("a", "b", "c"), ("d", "e", "f"), ("a", "b", "c"), rule),
        Combined("mean", "f1", "mean", (("two", "f1"), ("links", "f1"), ("ratio", "score"))),
        Combined("product", "f1", "product", (("two", "f1"), ("shared", "f2"))),
        Combined("sum", "all", "sum", (("count", "tp"), ("links", "recall"))),
        Combined("weighted", "score", "sum", (("two", "f1"), ("ratio", "score")), (0.25, 0.75)),
    ]


NUMBERS = st.sampled_from([0, 0, 1, 2, 3.5, 1 / 3])
ROWS = st.lists(st.lists(NUMBERS, min_size=6, max_size=6), min_size=1, max_size=5)
UNDEFINED, RULES = st.sampled_from([0, 1, None]), st.sampled_from(["8.01", "2014"])


@settings(deadline=None, max_examples=75)
@given(ROWS, UNDEFINED, RULES)
def test_numbers_and_columns_give_the_same_bits(rows, undefined, rule):
    columns = compute(every_measure(undefined, rule), LETTERS, rows)
    for place, row in enumerate(rows):
        found = points(every_measure(undefined, rule), dict(zip(LETTERS, map(float, row), strict=True)))
        assert found.keys() == columns.keys()
        for key, value in found.items():
            assert np.float64(math.nan if value is None else value).tobytes() == columns[key][place].tobytes()


@settings(deadline=None, max_examples=25)
@given(st.lists(NUMBERS, min_size=6, max_size=6), UNDEFINED, RULES)
def test_one_document_has_no_interval(row, undefined, rule):
    table = StatsTable(("d",), LETTERS, [row], {"genre": ("x",), "year": (1,)})
    how = {"measures": every_measure(undefined, rule), "by": ("genre", "year")}
    result = made_result({"A": table}, inference=Inference(bootstrap=50, level=0.9), **how)
    assert result.systems[0].scores == made_result({"A": table}, inference=OFF, **how).systems[0].scores
    assert "one-document" in [note.code for note in result.notes]


def test_a_result_without_draws_loads_no_numpy():
    code = (
        "import sys\n"
        "from adjudge.stats.build import Counts, Scoring, build_result\n"
        "from adjudge.stats.elements import ElementSlice, ElementTable, Rows\n"
        "from adjudge.stats.inference import OFF\n"
        "from adjudge.stats.measure import Prf\n"
        "from adjudge.stats.table import StatsTable\n"
        "table = StatsTable(('d', 'e'), ('a', 'b', 'c'), [[1, 2, 3], [0, 1, 1]], {'genre': ('x', 'y')})\n"
        "one = Rows(((1.0, 2.0, 2.0),))\n"
        "kinds = ElementTable('k', table.columns, Rows(table.values), (ElementSlice('x', (0,), one),))\n"
        "measures = [Prf('x', ('a', 'b'), ('a', 'c'))]\n"
        "scoring = Scoring(task='t', profile='p', measures=measures, by=('genre', 'k'), inference=OFF)\n"
        "result = build_result(scoring, {name: Counts(table, elements=[kinds]) for name in 'AB'})\n"
        "assert len(result.systems[0].scores) == 12, result\n"
        "str(result), result.to_json(with_tables=True)\n"
        "assert 'numpy' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
