"""The result without numpy is the result with it, to the last bit."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.errors import UsageError
from adjudge.stats.build import build_result
from adjudge.stats.inference import Inference
from adjudge.stats.measure import Blanc, Combined, Prf, Ratio, Total, compute
from adjudge.stats.plain import plain_result, points
from adjudge.stats.result import Note
from adjudge.stats.table import StatsTable

COLUMNS = ("a", "b", "c", "d", "e", "f")


def measures(undefined, rule):
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
ROWS = st.lists(st.lists(NUMBERS, min_size=6, max_size=6), min_size=0, max_size=5)
UNDEFINED, RULES = st.sampled_from([0, 1, None]), st.sampled_from(["8.01", "2014"])


@settings(deadline=None, max_examples=150)
@given(ROWS, st.integers(1, 3), UNDEFINED, RULES, st.booleans())
def test_plain_is_what_build_gives_without_resampling(rows, systems, undefined, rule, sliced):
    ids = tuple(f"d{k}" for k in range(len(rows)))
    attributes = {"genre": tuple((1, True, "x")[k % 3] for k in range(len(rows)))}
    tables = {
        f"S{k}": StatsTable(ids, COLUMNS, [row[k:] + row[:k] for row in rows], attributes) for k in range(systems)
    }
    common = {
        "task": "t",
        "profile": "p",
        "measures": measures(undefined, rule),
        "by": ("genre",) * sliced,
        "notes": {"S0": [Note("x", 1, "y")]},
        "signature_fields": {"metric": "m", "in": "h"},
    }
    wanted = build_result(tables=tables, inference=Inference(bootstrap=0), **common)
    plain = plain_result(tables={name: table.to_struct() for name, table in tables.items()}, **common)
    assert plain.to_json(with_tables=True) == wanted.to_json(with_tables=True)
    assert str(plain) == str(wanted)


@settings(deadline=None, max_examples=50)
@given(
    ROWS.filter(lambda rows: len(rows) == 1) | st.lists(NUMBERS, min_size=6, max_size=6).map(lambda row: [row]),
    UNDEFINED,
    RULES,
)
def test_one_document_has_no_interval(rows, undefined, rule):
    table = StatsTable(("d",), COLUMNS, rows, {"genre": ("x",), "year": (1,)})
    by = ("genre", "year")
    common = {"task": "t", "profile": "p", "measures": measures(undefined, rule), "by": by}
    common["inference"] = Inference(bootstrap=50, level=0.9)
    wanted = build_result(tables={"A": table}, **common)
    plain = plain_result(tables={"A": table.to_struct()}, **common)
    assert plain == wanted
    assert all(score.low is None for score in plain.systems[0].scores)
    assert "one-document" in [note.code for note in plain.notes]


def test_intervals_over_several_documents_are_refused():
    table = StatsTable(("d", "e"), ("a", "b", "c"), [[1, 2, 3], [1, 2, 3]])
    with pytest.raises(UsageError, match="build_result"):
        plain_result(
            task="t",
            profile="p",
            measures=[Prf("x", ("a", "b"), ("a", "c"))],
            tables={"A": table.to_struct()},
            inference=Inference(bootstrap=9),
        )


@given(st.lists(NUMBERS, min_size=6, max_size=6), RULES)
def test_blanc_by_its_rule(row, rule):
    made = Blanc("links", ("a", "b", "c"), ("d", "e", "f"), ("a", "b", "c"), rule)
    vectorised = compute([made], COLUMNS, np.array([row, row]))
    for key, value in points([made], dict(zip(COLUMNS, row, strict=True))).items():
        assert vectorised[key].tolist() == [value, value]
        assert value >= 0


def test_a_plain_result_loads_no_numpy():
    code = (
        "import sys\n"
        "from adjudge.stats.plain import plain_result\n"
        "from adjudge.stats.data import TableData\n"
        "from adjudge.stats.measure import Prf\n"
        "table = TableData(('d',), ('a', 'b', 'c'), ((1.0, 2.0, 3.0),), {})\n"
        "measures = [Prf('x', ('a', 'b'), ('a', 'c'))]\n"
        "result = plain_result(task='t', profile='p', measures=measures, tables={'A': table})\n"
        "str(result), result.to_json(with_tables=True)\n"
        "assert 'numpy' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
