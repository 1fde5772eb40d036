"""StatsTable: joins, slices and round trips never change a bit, and never take in what they should refuse."""

from __future__ import annotations

import io
import json
import math
import tracemalloc
import zipfile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.errors import FormatError, UsageError, ValidationError
from adjudge.stats.table import StatsTable, exact_sums

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


def bits(table):
    return table.values.tobytes()


def test_values_cannot_be_changed():
    source = np.ones((1, 1))
    table = StatsTable(("a",), ("n",), source)
    source[0, 0] = 7
    assert table.values[0, 0] == 1
    with pytest.raises(ValueError, match="read-only"):
        table.values[0, 0] = 2
    with pytest.raises(TypeError):
        table.attributes["genre"] = ("nw",)


@settings(deadline=None)
@given(tables())
def test_data_round_trip_is_exact_through_any_json(table):
    again = StatsTable.from_data(json.loads(json.dumps(table.to_data())))
    assert again == table
    assert bits(again) == bits(table)
    assert [list(map(type, column)) for column in again.attributes.values()] == [
        list(map(type, column)) for column in table.attributes.values()
    ]


@settings(deadline=None)
@given(table=tables())
def test_npz_round_trip_is_exact(table, tmp_path_factory):
    path = tmp_path_factory.mktemp("npz") / "table"  # no suffix: the file is where it was asked for
    table.save_npz(path)
    again = StatsTable.load_npz(path)
    assert again == table
    assert bits(again) == bits(table)


def test_npz_with_pickled_objects_is_refused(tmp_path):
    path = tmp_path / "evil.npz"
    np.savez(path, values=np.array([object()]), header=np.array([object()]))
    with pytest.raises(FormatError, match=r"evil\.npz: not a table"):
        StatsTable.load_npz(path)


@pytest.mark.parametrize("content", [b"", b"{}", b"PK\x03\x04garbage", b"\x93NUMPY"])
def test_other_files_are_not_tables(tmp_path, content):
    path = tmp_path / "x.npz"
    path.write_bytes(content)
    with pytest.raises(FormatError, match="not a table of statistics"):
        StatsTable.load_npz(path)


def test_a_plain_array_or_a_wrong_header_is_not_a_table(tmp_path):
    np.save(tmp_path / "plain.npy", np.ones((1, 1)))
    np.savez(tmp_path / "list.npz", values=np.ones((1, 1)), header=np.frombuffer(b"[1]", dtype=np.uint8))
    np.savez(tmp_path / "ints.npz", values=np.ones((1, 1), dtype=int), header=np.frombuffer(b"{}", dtype=np.uint8))
    for name in ("plain.npy", "list.npz", "ints.npz"):
        with pytest.raises(FormatError, match="not a table of statistics"):
            StatsTable.load_npz(tmp_path / name)
    with pytest.raises(FormatError, match="cannot be read: No such file"):
        StatsTable.load_npz(tmp_path / "missing.npz")


def packed(path, **entries):
    """An archive of these entries, compressed."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries.items():
            archive.writestr(f"{name}.npy", data)


def array_bytes(array, shape=None):
    """A file of an array, which may say that it has another shape."""
    buffer = io.BytesIO()
    header = np.lib.format.header_data_from_array_1_0(array)
    np.lib.format.write_array_header_1_0(buffer, {**header, "shape": shape or array.shape})
    return buffer.getvalue() + array.tobytes()


HEADER = np.frombuffer(b'{"ids": ["a"], "columns": ["n"], "attributes": {}}', dtype=np.uint8)


def test_a_table_that_unpacks_without_end_is_refused_unread(tmp_path):
    path = tmp_path / "bomb.npz"
    packed(path, values=array_bytes(np.ones((1, 1))), header=array_bytes(HEADER))
    assert StatsTable.load_npz(path).values.tolist() == [[1.0]]
    packed(path, values=array_bytes(np.zeros((9 << 20, 1))), header=array_bytes(HEADER))
    assert path.stat().st_size < 1 << 20
    tracemalloc.start()
    try:
        with pytest.raises(FormatError, match=r"bomb\.npz: the table unpacks to more than 200 times its size"):
            StatsTable.load_npz(path)
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "entries",
    [
        {"values": array_bytes(np.ones((1, 1)), (1 << 40, 1))},
        {"values": array_bytes(np.ones((1, 1)), (1 << 62, 1 << 62))},
        {"values": array_bytes(np.ones((1, 1)), (-1, -1))},
        {"values": array_bytes(np.ones((2, 1)), (1, 1))},
        {"values": array_bytes(np.ones(1))},
        {"values": array_bytes(np.ones((2, 2)).T[:1].T, (1,))},
        {"header": array_bytes(np.frombuffer(b"[" * 100_000, dtype=np.uint8))},
        {"header": array_bytes(np.frombuffer(b"\xff", dtype=np.uint8))},
        {"values": b"\x93NUMPY\x02\x00"},
        {"values": b"\x80\x04."},
        {"more": array_bytes(np.ones((1, 1)))},
    ],
)
def test_arrays_that_are_not_what_they_say(tmp_path, entries):
    path = tmp_path / "odd.npz"
    packed(path, **{"values": array_bytes(np.ones((1, 1))), "header": array_bytes(HEADER), **entries})
    with pytest.raises(FormatError, match=r"odd\.npz: not a table of statistics, give a file written by save_npz"):
        StatsTable.load_npz(path)


def test_entries_that_cannot_be_unpacked(tmp_path):
    path = tmp_path / "odd.npz"
    packed(path, values=array_bytes(np.ones((1, 1))), header=array_bytes(HEADER))
    whole = path.read_bytes()
    directory = whole.index(b"PK\1\2")
    for place, byte in ((directory + 8, 1), (directory + 10, 99), (40, whole[40] ^ 255)):  # encrypted, unknown, damaged
        path.write_bytes(whole[:place] + bytes([byte]) + whole[place + 1 :])
        with pytest.raises(FormatError, match="not a table of statistics"):
            StatsTable.load_npz(path)


@settings(deadline=None)
@given(st.lists(moderate, max_size=30), st.randoms())
def test_sums_do_not_depend_on_the_order(numbers, random):
    shuffled = numbers[:]
    random.shuffle(shuffled)
    one, other = (exact_sums(np.array(n, dtype=float).reshape(-1, 1)) for n in (numbers, shuffled))
    assert one.tobytes() == other.tobytes()
    assert one[0] == math.fsum(numbers)


def test_a_sum_out_of_range_is_an_error():
    with pytest.raises(ValidationError, match="exceeds the range"):
        StatsTable(("a", "b"), ("n",), [[1e308], [1e308]]).totals()


@settings(deadline=None)
@given(tables(moderate, "a"), tables(moderate, "b"))
def test_concatenation_keeps_rows_and_fills_attributes(a, b):
    b = StatsTable(b.ids, a.columns, np.ones((len(b), len(a.columns))), b.attributes)
    both = a + b
    assert both.ids == a.ids + b.ids
    assert both.select(a.ids).values.tolist() == a.values.tolist()
    assert both.select(b.ids).values.tolist() == b.values.tolist()
    for name in {*a.attributes, *b.attributes}:
        empty = lambda t: (None,) * len(t)  # noqa: E731
        assert both.attributes[name] == a.attributes.get(name, empty(a)) + b.attributes.get(name, empty(b))


def test_concatenation_puts_columns_in_one_order():
    a = StatsTable(("a",), ("m", "n"), [[1, 2]])
    b = StatsTable(("b",), ("n", "m"), [[4, 3]])
    assert (a + b).values.tolist() == [[1, 2], [3, 4]]


def test_what_cannot_be_joined():
    a = StatsTable(("a", "b", "c"), ("n",), [[1], [2], [3]])
    with pytest.raises(ValidationError, match="repeated document id: c, a"):
        a + a.select(["c", "a"])
    with pytest.raises(UsageError, match="different columns cannot be joined: m, n in one only"):
        a + StatsTable(("d",), ("m",), [[1]])
    with pytest.raises(UsageError, match="at least one table"):
        StatsTable.concat()
    with pytest.raises(TypeError):
        a + 1


@settings(deadline=None)
@given(tables())
def test_groups_partition_the_documents(table):
    for name, column in table.attributes.items():
        groups = table.groups(name)
        by_id = [value for _, value in sorted(zip(table.ids, column, strict=True), key=lambda each: each[0])]
        assert list(dict.fromkeys((type(v) is bool, v) for v in by_id)) == [(type(v) is bool, v) for v, _ in groups]
        assert sorted(i for _, group in groups for i in group.ids) == sorted(table.ids)
        for value, group in groups:
            assert group == table.where(**{name: value})
            assert all(found == value for found in group.attributes[name])


def test_true_is_not_one():
    table = StatsTable(("a", "b", "c", "d"), ("n",), [[1], [2], [3], [4]], {"k": (1, True, 1.0, "1")})
    assert [(value, group.ids) for value, group in table.groups("k")] == [
        (1, ("a", "c")),
        (True, ("b",)),
        ("1", ("d",)),
    ]
    assert table.where(k=True).ids == ("b",)
    assert table.where(k=1).ids == ("a", "c")


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_values_that_are_not_finite_are_named(bad):
    with pytest.raises(ValidationError, match=f"column m of document b is {bad}, not a finite number"):
        StatsTable(("a", "b"), ("n", "m"), [[1, 2], [3, bad]])
    with pytest.raises(ValidationError, match="attribute length of document a"):
        StatsTable(("a",), ("n",), [[1]], {"length": (bad,)})


def test_many_bad_values_are_summed_up():
    with pytest.raises(ValidationError, match="and 15 more values") as caught:
        StatsTable(tuple(map(str, range(25))), ("n",), np.full((25, 1), np.nan))
    assert len(caught.value.problems) == 11


def test_rows_must_have_exactly_the_columns():
    with pytest.raises(UsageError, match="row of document d lacks gold and has glod; columns: gold"):
        StatsTable.from_rows([("d", {"glod": 1})], ["gold"])
    table = StatsTable.from_rows([("d", {"m": 2, "n": 1})], ["n", "m"], attributes={"genre": ["nw"]})
    assert table.values.tolist() == [[1, 2]]
    assert StatsTable.from_rows([], ["n"]).values.shape == (0, 1)


def test_wrong_names_and_shapes_are_explained():
    table = StatsTable(("doc1", "doc2"), ("matched",), [[1], [2]], {"genre": ("nw", "df")})
    with pytest.raises(UsageError, match="no column mached, did you mean matched"):
        table.column("mached")
    with pytest.raises(UsageError, match="no such document: dok1, did you mean doc1"):
        table.select(["dok1"])
    with pytest.raises(UsageError, match="no attribute gender, did you mean genre"):
        table.where(gender="nw")
    with pytest.raises(UsageError, match="these documents have no attributes"):
        StatsTable(("a",), ("n",), [[1]]).groups("genre")
    with pytest.raises(ValidationError, match="repeated document id: doc1"):
        table.select(["doc1", "doc1"])
    with pytest.raises(UsageError, match="2 documents and 1 columns cannot hold values of shape"):
        StatsTable(("a", "b"), ("n",), [[1, 2]])
    with pytest.raises(UsageError, match="attribute genre has 1 values for 2 documents"):
        StatsTable(("a", "b"), ("n",), [[1], [2]], {"genre": ("nw",)})


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({}, "missing required field"),
        (
            {"ids": ["a"], "columns": ["n"], "values": [["x"]], "attributes": {}},
            r"got `str` - at `\$\.values\[0\]\[0\]`",
        ),
        ({"ids": ["a"], "columns": ["n"], "values": [[1, 2]], "attributes": {}}, "expected 1 rows of 1 values"),
        ({"ids": ["a", "b"], "columns": ["n"], "values": [[1]], "attributes": {}}, "expected 2 rows"),
    ],
)
def test_data_that_is_not_a_table(data, message):
    with pytest.raises(FormatError, match=message):
        StatsTable.from_data(data)


def test_equality_is_by_content():
    a = StatsTable(("a",), ("n",), [[1]])
    assert a == StatsTable(("a",), ("n",), [[1]])
    assert a != StatsTable(("a",), ("n",), [[2]])
    assert a != StatsTable(("a",), ("n",), [[1]], {"genre": ("nw",)})
    assert a != "a"
    assert repr(a) == "<StatsTable 1 documents x 1 columns: n>"
    with pytest.raises(TypeError, match="unhashable"):
        hash(a)
