"""Parquet files from strangers: what they unpack to is bounded, whatever they say of themselves."""

import io
import json
import random
import tracemalloc
from types import SimpleNamespace

import pytest

from adjudge.errors import FormatError
from adjudge.formats.jsonl import read_all, read_shards
from adjudge.formats.kb_triples import read_triples
from adjudge.formats.parquet import HELD, parquet_columns, parquet_documents, survey_pages

I32, BINARY, LIST, STRUCTURE = 5, 8, 9, 12


def varint(value):
    found = b""
    while value > 127:
        found += bytes([value & 127 | 128])
        value >>= 7
    return found + bytes([value])


def number(value):
    return I32, varint(value << 1 if value >= 0 else -2 * value - 1)


def long(value):
    return 6, number(value)[1]


class Schema(list):
    """Columns as pyarrow gives them."""

    column = list.__getitem__


def structure(*fields):
    """A structure of Thrift from (field number, (kind, bytes)), each with its number written out."""
    return b"".join(bytes([kind]) + varint(place << 1) + data for place, (kind, data) in fields) + b"\0"


def page(values, size, packed=0, *, kind=0, encoding=0, more=()):
    """The header of a page and as many bytes of it as it says."""
    inner = {
        0: (5, [(1, number(values)), (2, number(encoding))]),
        2: (7, [(1, number(values))]),
        3: (8, [(1, number(values)), (4, number(encoding))]),
    }[kind]
    nested = inner[0], (STRUCTURE, structure(*inner[1]))
    return structure((1, number(kind)), (2, number(size)), (3, number(packed)), *more, nested) + b"\0" * packed


def survey(
    tmp_path,
    data,
    *,
    values,
    rows=1024,
    repeated=False,
    length=0,
    physical="INT64",
    columns=1,
    dictionary=None,
    codec=0,
):
    """Survey a file of which one column has these pages."""
    path = tmp_path / "a.parquet"
    end = 4 + (dictionary or 0)
    details = [(4, number(codec)), (5, long(values)), (9, long(end)), *([] if dictionary is None else [(11, long(4))])]
    chunks = structure((3, (STRUCTURE, structure(*details)))) * columns
    one = bytes([1 << 4 | STRUCTURE])
    many = bytes([15 << 4 | STRUCTURE]) + varint(columns)
    group = structure((1, (LIST, many + chunks)), (3, long(1 if repeated else values)))
    summary = structure((4, (LIST, one + group)))
    path.write_bytes(b"PAR1" + data + summary + len(summary).to_bytes(4, "little") + b"PAR1")
    column = SimpleNamespace(path="items", physical_type=physical, max_repetition_level=int(repeated), length=length)
    schema = Schema([column] * columns)
    return survey_pages(str(path), "a.parquet", schema, rows)


@pytest.mark.parametrize("kind", [0, 3])
def test_the_headers_of_the_pages_count_and_not_the_summary(tmp_path, kind):
    assert survey(tmp_path, page(100, 800, 8, kind=kind), values=100) == (1024, [])
    with pytest.raises(FormatError, match=r"^a\.parquet: the file unpacks to more than 200 times its size"):
        survey(tmp_path, page(1 << 30, 800, 8, kind=kind), values=100)
    with pytest.raises(FormatError, match="a page of the column items has more than 256 MiB"):
        survey(tmp_path, page(100, HELD + 1, 8, kind=kind), values=100)


def test_all_pages_are_counted(tmp_path):
    data = page(1000, 800, 8) * 1000
    assert survey(tmp_path, data, values=1_000_000).rows == 1024
    with pytest.raises(FormatError, match="200 times"):
        survey(tmp_path, page(1_000_000, 800, 8) * 20, values=20_000_000)
    with pytest.raises(FormatError, match="200 times"):  # many columns may point to the same pages
        survey(tmp_path, data, values=1_000_000, columns=2000)
    with pytest.raises(FormatError, match="200 times"):
        survey(tmp_path, page(100, 800, 8), values=100, physical="FIXED_LEN_BYTE_ARRAY", length=1 << 24)
    with pytest.raises(ValueError, match="a page of the column items has no header"):
        survey(tmp_path, data, values=1_000_001)


def test_numbers_are_cut_as_thrift_cuts_them(tmp_path):
    many = I32, varint((1 << 32) + (1 << 31))  # 1 << 30 in the 32 bits that count
    inner = 5, (STRUCTURE, structure((1, many), (2, number(0))))
    start = (1, number(0)), (2, number(8)), (3, number(0))
    for fields in (
        (*start, inner),
        (*start, ((1 << 16) + 5, inner[1])),  # the number of the field has 16 bits
        (*start, inner, (5, (6, varint(0)))),  # of another kind, and therefore not the same field
    ):
        with pytest.raises(FormatError, match="200 times"):
            survey(tmp_path, structure(*fields), values=1)


@pytest.mark.parametrize(
    "header",
    [
        b"",
        b"\x15",
        b"\x15" + b"\xff" * 11,
        bytes([15 << 4 | STRUCTURE]) * 20,
        b"\x1b\x01",
        bytes([1 << 4 | LIST]) + bytes([1 << 4 | LIST]) * 20,
    ],
)
def test_what_is_no_header_is_refused(tmp_path, header):
    with pytest.raises(ValueError, match="no header"):
        survey(tmp_path, header, values=1)


def test_long_headers_are_read(tmp_path):
    texts = BINARY, varint(100_000) + b"x" * 100_000
    lists = LIST, bytes([15 << 4 | 1]) + varint(300) + b"\1" * 300
    more = (60, texts), (61, lists), (62, (1, b"")), (63, (7, b"12345678")), (64, (6, varint(9)))
    with pytest.raises(FormatError, match="200 times"):
        survey(tmp_path, page(1 << 30, 8, more=more), values=1)
    assert survey(tmp_path, page(1, 8, more=more), values=1).rows == 1024


def test_few_rows_are_read_at_once_if_they_are_large(tmp_path):
    data = page(100, 10 << 20, 10 << 20)
    assert survey(tmp_path, data, values=100, rows=16).rows == 16
    assert survey(tmp_path, page(10, 100 << 20, 1 << 20), values=10).rows == 25


def test_texts_of_dictionaries_are_shared_where_copies_would_fill_the_memory(tmp_path):
    def dictionary(*lengths):
        words = b"".join(length.to_bytes(4, "little") + b"x" * length for length in lengths)
        head = page(len(lengths), len(words), len(words), kind=2)
        return head[: -len(words)] + words

    def reading(first, values, repeated, codec=0):
        data = first + page(values, 100, 100)
        more = {"physical": "BYTE_ARRAY", "repeated": repeated, "dictionary": len(first), "codec": codec}
        return survey(tmp_path, data, values=values, **more).shared

    assert reading(dictionary(10, 1 << 20), 1_000, False) == ["items"]
    assert reading(dictionary(10, 1 << 20), 100, True) == []
    assert reading(dictionary(10, 1 << 20), 300, True) == ["items"]
    assert reading(dictionary(*[10] * 100_000), 1_000, False) == []
    assert reading(dictionary(*[10] * 100_000), 1_000, False, codec=9) == ["items"]  # which cannot be looked into
    assert reading(dictionary(10, 1 << 10), 1_000_000, False) == []
    assert reading(dictionary(10, 1 << 10), 1_000_000, True) == ["items"]


def test_shared_prefixes(tmp_path):
    def rows(size, values, repeated):
        data = page(values, size, 1000, encoding=7)
        return survey(tmp_path, data, values=values, physical="BYTE_ARRAY", repeated=repeated).rows

    assert rows(1 << 10, 10_000, False) == 1024
    assert rows(1 << 20, 10_000, False) == 256
    assert 1 <= rows(1 << 20, 200, True) <= 256
    with pytest.raises(FormatError, match="lists of texts with shared prefixes in the column items, write it in"):
        rows(1 << 20, 10_000, True)


# ---------------------------------------------------------------------------------------------------------------------
# Real files


@pytest.fixture
def parquet():
    pytest.importorskip("pyarrow", reason="needs pyarrow: pip install 'adjudge[parquet]'")
    return pytest.importorskip("pyarrow.parquet")


def documents(rng):
    words = ["a", "long " * 50, "ümläut", "", "x" * 3000]
    return [
        {
            "id": f"d{place}",
            "genre": rng.choice(["nw", "df"]),
            "tokens": [rng.choice(words) for _ in range(rng.randrange(8))],
            "events": [
                {"type": rng.choice(["Attack", "Die"]), "arguments": [{"role": rng.choice(words), "at": [1, 2]}]}
                for _ in range(rng.randrange(3))
            ],
        }
        for place in range(rng.randrange(1, 3000))
    ]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"compression": "none", "use_dictionary": False},
        {"compression": "gzip", "row_group_size": 100},
        {"compression": "zstd", "data_page_version": "2.0", "data_page_size": 2000},
        {"compression": "brotli", "store_schema": False},
        {"compression": "lz4", "dictionary_pagesize_limit": 10_000},
        {"use_dictionary": False, "column_encoding": {"id": "DELTA_BYTE_ARRAY"}},
        {"use_dictionary": False, "column_encoding": "DELTA_LENGTH_BYTE_ARRAY", "some": ["id", "genre"]},
    ],
    ids=str,
)
def test_honest_files_are_read_as_before(parquet, tmp_path, options):
    import pyarrow

    some = options.pop("some", None)
    said = [{key: each[key] for key in some or each} for each in documents(random.Random(str(options)))]
    path = str(tmp_path / "a.parquet")
    parquet.write_table(pyarrow.Table.from_pylist(said), path, **options)
    lines = "".join(json.dumps(each) + "\n" for each in said).encode()
    assert read_shards("a", [path]).digest == read_all(lines).digest


def test_a_table_that_is_read_with_shared_texts_is_the_same(parquet, tmp_path, monkeypatch):
    import pyarrow

    monkeypatch.setattr("adjudge.formats.parquet.HELD", 200_000)
    said = documents(random.Random(5))
    path = str(tmp_path / "a.parquet")
    for stored in (True, False):
        parquet.write_table(pyarrow.Table.from_pylist(said), path, store_schema=stored)
        assert [each.data for each in parquet_documents(path)] == said


def bomb(parquet, tmp_path, table, **options):
    path = str(tmp_path / "a.parquet")
    parquet.write_table(table, path, compression="zstd", **options)
    tracemalloc.start()
    try:
        with pytest.raises(FormatError, match="unpacks to more than 200 times its size") as caught:
            list(parquet_documents(path))
        assert tracemalloc.get_traced_memory()[1] < 1 << 26
    finally:
        tracemalloc.stop()
    assert [problem.path for problem in caught.value.problems] == [path]
    return path


def test_a_constant_column_without_end(parquet, tmp_path):
    import numpy as np
    import pyarrow

    zeros = pyarrow.array(np.zeros(9_000_000, dtype=np.int8))
    path = bomb(parquet, tmp_path, pyarrow.table({"id": zeros}))
    with pytest.raises(FormatError, match="200 times"):
        list(parquet_columns(path, ["id"], path))
    bomb(parquet, tmp_path, pyarrow.table({"id": pyarrow.nulls(9_000_000)}))


def test_a_list_without_end(parquet, tmp_path):
    import numpy as np
    import pyarrow

    flat = pyarrow.array(np.zeros(9_000_000, dtype=np.int8))
    lists = pyarrow.ListArray.from_arrays(pyarrow.array([0, len(flat)]), flat)
    bomb(parquet, tmp_path, pyarrow.table({"id": ["a"], "items": lists}))


def test_a_text_of_nothing(parquet, tmp_path):
    import pyarrow

    bomb(parquet, tmp_path, pyarrow.table({"id": ["a"], "text": [" " * (70 << 20)]}), use_dictionary=False)


@pytest.mark.parametrize("stored", [True, False])
@pytest.mark.parametrize("nested", [True, False])
def test_a_dictionary_of_one_long_text(parquet, tmp_path, nested, stored):
    import pyarrow

    number = 100_000  # copies of one MiB
    texts = pyarrow.DictionaryArray.from_arrays(pyarrow.array([0] * number), pyarrow.array(["x" * (1 << 20)]))
    if nested:
        texts = pyarrow.StructArray.from_arrays([texts], ["text"])
        texts = pyarrow.ListArray.from_arrays(pyarrow.array([0, number]), texts)
    table = pyarrow.table({"id": list(map(str, range(len(texts)))), "items": texts})
    bomb(parquet, tmp_path, table, store_schema=stored)


def test_a_bomb_of_triples(parquet, tmp_path):
    import pyarrow

    number = 100_000
    texts = pyarrow.DictionaryArray.from_arrays(pyarrow.array([0] * number), pyarrow.array(["x" * (1 << 20)]))
    names = ["subject", "relation", "object", "document"]
    path = str(tmp_path / "a.parquet")
    parquet.write_table(pyarrow.table([texts] * 4, names=names), path, compression="zstd", store_schema=False)
    with pytest.raises(FormatError, match=r"a\.parquet: the file unpacks to more than 200 times its size"):
        read_triples(path)


def test_damaged_pages(parquet, tmp_path):
    import pyarrow

    buffer = io.BytesIO()
    parquet.write_table(pyarrow.table({"id": ["a", "b"]}), buffer)
    data = bytearray(buffer.getvalue())
    data[4:8] = b"\xff\xff\xff\xff"
    (tmp_path / "a.parquet").write_bytes(data)
    with pytest.raises(FormatError, match=r"not a Parquet file that can be read \(a page of the column id has no"):
        list(parquet_documents(str(tmp_path / "a.parquet")))


def test_a_codec_that_nobody_knows(parquet, tmp_path):
    import pyarrow

    path = tmp_path / "a.parquet"
    parquet.write_table(pyarrow.table({"id": ["a", "b"]}), path, compression="none")
    data = path.read_bytes()
    codec = data.rindex(b"id") + 2  # behind the path of the column
    assert data[codec : codec + 2] == b"\x15\x00"
    path.write_bytes(data[:codec] + b"\x15\x28" + data[codec + 2 :])
    with pytest.raises(FormatError, match=r"not a Parquet file that can be read"):
        list(parquet_documents(str(path)))
