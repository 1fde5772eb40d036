"""Files as they come: compressed, damaged, cut off, out of all proportion, or in several parts."""

import gzip
import importlib.util
import io
import json
import os
import tracemalloc
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from adjudge import bounded
from adjudge.bounded import RATIO, SMALL
from adjudge.errors import AdjudgeError, FormatError, UsageError
from adjudge.formats.conll import read_conll
from adjudge.formats.json_file import read_folder_digest, read_json
from adjudge.formats.jsonl import read_all, read_documents, read_shards, stream_documents
from adjudge.formats.kb_queries import read_queries
from adjudge.formats.source import find_shards, opened, read_bytes, read_text, read_whole
from adjudge.formats.tbf import read_tbf

BOMB = 32 << 20
ROOM = 24 << 20  # a reader may ask for a block of 16 MiB at once
READERS: list[Callable[[bytes], object]] = [
    read_whole,
    read_text,
    read_json,
    lambda data: list(read_documents(data)),
    read_tbf,
    read_queries,
    lambda data: read_bytes(data, "f"),
    lambda data: list(read_conll(data)),
]


@cache
def squeezed(byte: bytes, size: int) -> bytes:
    made = io.BytesIO()
    with gzip.GzipFile(fileobj=made, mode="wb", mtime=0) as stream:
        for _ in range(size >> 20):
            stream.write(byte * (1 << 20))
    return made.getvalue()


@pytest.fixture
def strict(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded, "SMALL", 1 << 19)


@pytest.mark.usefixtures("strict")
@pytest.mark.parametrize("byte", [b"\0", b"x", b"["])
@pytest.mark.parametrize("read", READERS)
def test_a_bomb_is_refused_within_bounds(read: Callable[[bytes], object], byte: bytes) -> None:
    """Every reader stops, at the latest when it is too much, and holds no more than it may."""
    data = squeezed(byte, BOMB)
    assert len(data) < BOMB // 500
    tracemalloc.start()
    try:
        with pytest.raises(AdjudgeError):
            read(data)
        assert tracemalloc.get_traced_memory()[1] < ROOM
    finally:
        tracemalloc.stop()


@pytest.mark.usefixtures("strict")
def test_the_reason(tmp_path: Path) -> None:
    path = tmp_path / "bomb.gz"
    path.write_bytes(squeezed(b"\0", BOMB))
    with pytest.raises(FormatError) as caught:
        read_whole(path)
    expected = f"{path}: the compressed file unpacks to more than 200 times its size, check how it was made"
    assert str(caught.value).startswith(expected)
    with pytest.raises(FormatError, match="times its size"), opened(path, str(path)) as stream:
        stream.read()  # all at once


def test_the_bounds_leave_room_for_honest_files() -> None:
    assert (SMALL, RATIO) == (64 << 20, 200)
    assert len(read_whole(squeezed(b"x", 2 << 20)).data) == 2 << 20
    noise = os.urandom(1 << 16)
    assert read_whole(gzip.compress(noise)).data == noise
    assert read_whole(gzip.compress(b"a") + gzip.compress(b"b")).data == b"ab"


@pytest.mark.parametrize("at", [3, 11, -9, -4, -1])
def test_a_file_that_was_cut_off(at: int) -> None:
    data = gzip.compress(os.urandom(5000))
    with pytest.raises(FormatError, match="ends too early"):
        read_whole(data[:at])


def test_a_damaged_file() -> None:
    data = bytearray(gzip.compress(os.urandom(5000)))
    data[-6] ^= 1
    with pytest.raises(FormatError, match="the compressed file is damaged"):
        read_whole(bytes(data))


SKIPPED = (0x184D2A53).to_bytes(4, "little") + (5).to_bytes(4, "little") + b"12345"


@pytest.mark.usefixtures("strict")
def test_zstd() -> None:
    zstandard = pytest.importorskip("zstandard", reason="zstandard is an extra")
    compress = zstandard.ZstdCompressor().compress
    noise = os.urandom(300_000)
    assert read_whole(compress(noise)).data == noise
    several = compress(noise[:5]) + SKIPPED + compress(noise[5:])
    assert read_whole(several).data == noise
    for data in (compress(noise), several):
        for at in (5, 1000, -1):
            with pytest.raises(FormatError, match="ends too early"):
                read_whole(data[:at])
    with pytest.raises(FormatError, match="the compressed file is damaged"):
        read_whole(compress(noise) + b"more")
    with pytest.raises(FormatError, match="times its size"):
        read_whole(compress(bytes(BOMB)))
    line = b"#BeginOfDocument a\ns\ta\tE1\t4,8\tmade\tMovement\tActual\n#EndOfDocument\n"
    assert read_tbf(compress(line)) == read_tbf(line)


DOCUMENTS = [{"id": f"d{i}", "genre": "nw", "items": [f"x{j}" for j in range(i)]} for i in range(7)]


def lines(documents):
    return "".join(json.dumps(each) + "\n" for each in documents).encode()


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "part-0.jsonl").write_bytes(lines(DOCUMENTS[:2]))
    (tmp_path / "part-1.jsonl.gz").write_bytes(gzip.compress(lines(DOCUMENTS[2:5])))
    (tmp_path / "part-2.ndjson").write_bytes(lines(DOCUMENTS[5:]))
    (tmp_path / "README.md").write_text("no documents")
    (tmp_path / "_SUCCESS").write_text("")
    return tmp_path


def test_a_folder_or_a_pattern_is_one_corpus_with_the_hash_of_one_file(folder):
    whole = read_all(lines(DOCUMENTS))
    found = find_shards(folder)
    assert [path.rpartition("/")[2] for path in found] == ["part-0.jsonl", "part-1.jsonl.gz", "part-2.ndjson"]
    assert find_shards(f"{folder}/part-*") == found
    corpus = read_shards("all", found)
    assert corpus.digest == whole.digest
    assert [each.data for each in corpus.documents] == [each.data for each in whole.documents]
    assert (corpus.documents[3].path, corpus.documents[3].line) == (found[1], 2)


def test_a_file_whose_name_looks_like_a_pattern_is_a_file(tmp_path):
    (tmp_path / "a[1].jsonl").write_bytes(lines(DOCUMENTS))
    assert find_shards(tmp_path / "a[1].jsonl") is None


def test_nothing_found(tmp_path):
    with pytest.raises(UsageError, match="the folder has no documents"):
        find_shards(tmp_path)
    with pytest.raises(UsageError, match="no file has such a name"):
        find_shards(f"{tmp_path}/*.jsonl")


def test_everything_wrong_is_told_at_once(folder):
    (folder / "part-3.jsonl").write_bytes(b'{"id": "d1"}\n{"id": \n')
    (folder / "part-4.jsonl").write_bytes(b'{"name": 1}\n')
    with pytest.raises(FormatError) as caught:
        read_shards("all", find_shards(folder))
    told = [(problem.path.rpartition("/")[2], problem.line) for problem in caught.value.problems]
    assert sorted(told) == [("part-3.jsonl", 1), ("part-3.jsonl", 2), ("part-4.jsonl", 1)]
    assert any(
        "already used in" in str(problem) and "part-0.jsonl" in str(problem) for problem in caught.value.problems
    )


@pytest.mark.skipif(importlib.util.find_spec("zstandard") is None, reason="needs zstandard: pip install 'adjudge[zst]'")
def test_zstd_of_several_frames(tmp_path):
    import zstandard

    path = tmp_path / "a.jsonl.zst"
    packed = zstandard.compress(lines(DOCUMENTS[:4])) + zstandard.compress(lines(DOCUMENTS[4:]))  # two frames
    path.write_bytes(packed)
    assert read_all(path).digest == read_all(lines(DOCUMENTS)).digest
    path.write_bytes(packed[:30] + b"\0" * 40 + packed[70:])
    with pytest.raises(AdjudgeError):
        read_all(path)


@pytest.mark.skipif(importlib.util.find_spec("pyarrow") is None, reason="needs pyarrow: pip install 'adjudge[parquet]'")
def test_parquet_says_the_same_as_json_lines(tmp_path):
    import pyarrow
    import pyarrow.parquet

    some = [*DOCUMENTS, {"id": "last", "items": ["y"]}]
    path = tmp_path / "all.parquet"
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(some), path)
    corpus = read_shards("all", [str(path)])
    assert corpus.digest == read_all(lines(some)).digest
    assert corpus.documents[-1].line == len(some)
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist([{"id": "a"}, {"id": "a"}, {"id": None}]), path)
    with pytest.raises(FormatError) as caught:
        list(stream_documents([str(path)]))
    assert [problem.line for problem in caught.value.problems] == [2, 3]
    path.write_bytes(b"PAR1 and nothing else")
    with pytest.raises(FormatError, match="not a Parquet file"):
        list(stream_documents([str(path)]))


def test_parquet_without_pyarrow(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    (tmp_path / "a.parquet").write_bytes(b"PAR1....")
    with pytest.raises(UsageError, match=r"adjudge\[parquet\]"):
        list(stream_documents([str(tmp_path / "a.parquet")]))


def test_a_folder_has_the_digest_of_its_files_and_their_names(tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.txt").write_text("a")
    assert read_folder_digest(tmp_path / "one") == read_folder_digest(tmp_path / "two")
    (tmp_path / "two" / "a.txt").rename(tmp_path / "two" / "b.txt")
    assert read_folder_digest(tmp_path / "one") != read_folder_digest(tmp_path / "two")
    with pytest.raises(UsageError, match="there is no such file"):
        read_folder_digest(tmp_path / "none")
