"""Parquet files from strangers: what they unpack to is bounded, whatever they say of themselves."""

import io
import json
import random
import subprocess
import sys
import tracemalloc

import pytest

from adjudge.errors import FormatError
from adjudge.formats.jsonl import read_all, read_shards
from adjudge.formats.kb_triples import read_triples
from adjudge.formats.parquet import parquet_documents, parquet_table


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


def test_large_rows_are_read_a_few_at_a_time(parquet, tmp_path, monkeypatch):
    import pyarrow

    monkeypatch.setattr("adjudge.formats.parquet.HELD", 32 << 20)
    said = [{"id": str(place), "text": "abcdefgh"[place % 8] * (1 << 20)} for place in range(90)]
    path = str(tmp_path / "a.parquet")
    parquet.write_table(
        pyarrow.Table.from_pylist(said), path, compression="none", use_dictionary=False, write_batch_size=1
    )
    assert all(each.data == own for each, own in zip(parquet_documents(path), said, strict=True))


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
        list(parquet_table(path, ["id"], path))
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
    with pytest.raises(FormatError, match=r"not a Parquet file that can be read"):
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


CHILDREN = """
import resource, sys
from adjudge.formats import parquet
from adjudge.errors import FormatError
try:
    list(parquet.parquet_documents(sys.argv[1]))
except FormatError as error:
    print(error)
parquet._stop_all()
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10)
"""


def test_memory_of_a_bomb(parquet, tmp_path):
    import pyarrow

    number = 100_000
    texts = pyarrow.DictionaryArray.from_arrays(pyarrow.array([0] * number), pyarrow.array(["x" * (1 << 20)]))
    lists = pyarrow.ListArray.from_arrays(pyarrow.array([0, number]), texts)
    path = str(tmp_path / "a.parquet")
    parquet.write_table(pyarrow.table({"id": ["a"], "items": lists}), path, compression="zstd", store_schema=False)
    said = subprocess.run([sys.executable, "-c", CHILDREN, path], capture_output=True, text=True, check=True).stdout
    message, megabytes = said.strip().rsplit("\n", 1)
    assert "unpacks to more than 200 times its size" in message
    assert int(megabytes) < 1000


def test_one_process_reads_file_after_file_and_two_at_once(parquet, tmp_path):
    import pyarrow

    paths = [str(tmp_path / f"{name}.parquet") for name in "ab"]
    for path in paths:
        parquet.write_table(pyarrow.table({"id": [f"{path}{place}" for place in range(3000)]}), path)
    together = list(zip(*map(parquet_documents, paths), strict=True))
    apart = list(zip(*(list(parquet_documents(path)) for path in paths), strict=True))
    assert together == apart
    first = next(iter(parquet_documents(paths[0])))  # who stops in the middle leaves nothing behind
    assert [first, *list(parquet_documents(paths[0]))[1:]] == [one for one, _ in apart]


@pytest.mark.parametrize("strings", ["string", "large_string", "dictionary"])
def test_triples_are_those_of_the_lines(parquet, tmp_path, strings):
    import pyarrow

    rows = [(f"n{i % 71}", f" r{i % 3}", f"é{i * i % 97}", f"d{i % 11} ") for i in range(40_000)]
    columns = [pyarrow.array(column) for column in zip(*rows, strict=True)]
    if strings == "dictionary":
        columns = [column.dictionary_encode() for column in columns]
    elif strings == "large_string":
        columns = [column.cast(pyarrow.large_string()) for column in columns]
    path = str(tmp_path / "a.parquet")
    parquet.write_table(pyarrow.table(columns, names=["subject", "relation", "object", "document"]), path)
    assert read_triples(path) == read_triples("".join("\t".join(row) + "\n" for row in rows).encode())


@pytest.mark.parametrize("bad", [None, "", " ", "a\tb", "a\nb", "a\0"])
def test_a_row_that_is_no_triple(parquet, tmp_path, bad):
    import pyarrow

    column = ["x"] * 20_000
    names = ["subject", "relation", "object", "document"]
    table = pyarrow.table([column, column, [*column[:-1], bad], column], names=names)
    path = str(tmp_path / "a.parquet")
    parquet.write_table(table, path)
    with pytest.raises(FormatError, match=r"row 20000: the object is empty, or not text on one line"):
        read_triples(path)
