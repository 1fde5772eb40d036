"""StatsTable: joins, slices and round trips never change a bit, and never take in what they should refuse."""

from __future__ import annotations

import math

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.errors import UsageError, ValidationError
from adjudge.stats.resample import exact_sums
from adjudge.stats.table import StatsTable

finite = st.floats(allow_nan=False, allow_infinity=False)
moderate = st.floats(min_value=-1e9, max_value=1e9)
values = st.none() | st.booleans() | st.integers(-9, 9) | finite | st.text(max_size=4)


@st.composite
def tables(draw, elements=finite, prefix=""):
    ids = tuple(prefix + i for i in draw(st.lists(st.text(max_size=5), unique=True, max_size=6)))
    columns = tuple(draw(st.lists(st.text(max_size=5), unique=True, max_size=4)))
    cells = [[draw(elements) for _ in columns] for _ in ids]
    names = draw(st.lists(st.text(max_size=4), unique=True, max_size=2))
    return StatsTable(ids, columns, cells, {name: tuple(draw(values) for _ in ids) for name in names})


def test_values_are_rows_of_floats():
    source = np.ones((1, 1), dtype=np.int8)
    table = StatsTable(("a",), ("n",), source)
    source[0, 0] = 7
    assert table.values == ((1.0,),)
    assert type(table.values[0][0]) is float
    assert table.array.tolist() == [[1.0]]
    assert table.array.dtype == np.float64
    assert StatsTable((), ("n",), []).array.shape == (0, 1)


@settings(deadline=None)
@given(tables())
def test_a_round_trip_through_json_is_exact(table):
    again = msgspec.json.decode(msgspec.json.encode(table), type=StatsTable).checked()
    assert again == table
    assert again.array.tobytes() == table.array.tobytes()
    assert [list(map(type, column)) for column in again.attributes.values()] == [
        list(map(type, column)) for column in table.attributes.values()
    ]


@settings(deadline=None)
@given(st.lists(moderate, max_size=30), st.randoms())
def test_sums_do_not_depend_on_the_order(numbers, random):
    shuffled = numbers[:]
    random.shuffle(shuffled)
    one, other = (exact_sums(np.array(n, dtype=float).reshape(-1, 1)) for n in (numbers, shuffled))
    assert one.tobytes() == other.tobytes()
    assert one[0] == math.fsum(numbers)


@settings(deadline=None)
@given(tables(moderate, "a"), tables(moderate, "b"))
def test_concatenation_keeps_rows_and_fills_attributes(a, b):
    b = StatsTable(b.ids, a.columns, np.ones((len(b), len(a.columns))), b.attributes)
    both = StatsTable.concat(a, b)
    assert both.ids == a.ids + b.ids
    assert both.select(a.ids).values == a.values
    assert both.select(b.ids).values == b.values
    for name in {*a.attributes, *b.attributes}:
        empty = lambda t: (None,) * len(t)  # noqa: E731
        assert both.attributes[name] == a.attributes.get(name, empty(a)) + b.attributes.get(name, empty(b))


def test_concatenation_puts_columns_in_one_order():
    a = StatsTable(("a",), ("m", "n"), [[1, 2]])
    b = StatsTable(("b",), ("n", "m"), [[4, 3]])
    assert StatsTable.concat(a, b).values == ((1, 2), (3, 4))
    assert a.replaced(StatsTable(("a",), ("n", "m"), [[6, 5]])).values == ((5, 6),)


def test_what_cannot_be_joined():
    a = StatsTable(("a", "b", "c"), ("n",), [[1], [2], [3]])
    with pytest.raises(ValidationError, match="repeated document id: a, c"):
        StatsTable.concat(a, a.select(["c", "a"])).checked()
    with pytest.raises(UsageError, match="different columns cannot be joined: m, n in one only"):
        StatsTable.concat(a, StatsTable(("d",), ("m",), [[1]]))


@settings(deadline=None)
@given(tables())
def test_groups_partition_the_documents(table):
    for name, column in table.attributes.items():
        groups = table.slices(name)
        by_id = [value for _, value in sorted(zip(table.ids, column, strict=True), key=lambda each: each[0])]
        assert list(dict.fromkeys((type(v) is bool, v) for v in by_id)) == [(type(v) is bool, v) for v, _ in groups]
        assert sorted(i for _, group in groups for i in group.ids) == sorted(table.ids)
        for value, group in groups:
            assert all(found == value for found in group.attributes[name])


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_values_that_are_not_finite_are_named(bad):
    with pytest.raises(ValidationError, match=f"column m of document b is {bad}, not a finite number"):
        StatsTable(("a", "b"), ("n", "m"), [[1, 2], [3, bad]]).checked()
    with pytest.raises(ValidationError, match="attribute length of document a"):
        StatsTable(("a",), ("n",), [[1]], {"length": (bad,)}).checked()


def test_many_bad_values_are_summed_up():
    with pytest.raises(ValidationError, match="and 15 more values") as caught:
        StatsTable(tuple(map(str, range(25))), ("n",), np.full((25, 1), np.nan)).checked()
    assert len(caught.value.problems) == 11


def test_rows_must_have_exactly_the_columns():
    with pytest.raises(UsageError, match="row of document d lacks gold and has glod; columns: gold"):
        StatsTable.from_rows([("d", {"glod": 1})], ["gold"])
    table = StatsTable.from_rows([("d", {"m": 2, "n": 1})], ["n", "m"], attributes={"genre": ["nw"]})
    assert table.values == ((1, 2),)
    assert StatsTable.from_rows([], ["n"]).totals == {"n": 0.0}


def test_wrong_names_and_shapes_are_explained():
    table = StatsTable(("doc1", "doc2"), ("matched",), [[1], [2]], {"genre": ("nw", "df")})
    with pytest.raises(UsageError, match="no such document: dok1, did you mean doc1"):
        table.select(["dok1"])
    with pytest.raises(UsageError, match="no attribute gender, did you mean genre"):
        table.slices("gender")
    with pytest.raises(UsageError, match="these documents have none"):
        StatsTable(("a",), ("n",), [[1]]).slices("genre")
    for values, message in (([[1, 2]], "2 rows of 1 values"), ([[1, 2], [3]], "2 rows of 1 values")):
        with pytest.raises(ValidationError, match=message):
            StatsTable(("a", "b"), ("n",), values).checked()
    with pytest.raises(ValidationError, match="attribute genre has 1 values for 2 documents"):
        StatsTable(("a", "b"), ("n",), [[1], [2]], {"genre": ("nw",)}).checked()
    with pytest.raises(ValidationError, match="repeated column: n"):
        StatsTable(("a",), ("n", "n"), [[1, 2]]).checked()
