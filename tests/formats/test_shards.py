"""Corpora in several files."""

import gzip
import importlib.util
import json

import pytest

from adjudge.errors import AdjudgeError, FormatError, UsageError
from adjudge.formats.jsonl import read_all, read_shards, stream_documents
from adjudge.formats.source import find_shards

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
def test_zstd(tmp_path):
    import zstandard

    path = tmp_path / "a.jsonl.zst"
    packed = zstandard.compress(lines(DOCUMENTS[:4])) + zstandard.compress(lines(DOCUMENTS[4:]))  # two frames
    path.write_bytes(packed)
    assert read_all(path).digest == read_all(lines(DOCUMENTS)).digest
    path.write_bytes(packed[:30] + b"\0" * 40 + packed[70:])
    with pytest.raises(AdjudgeError):
        read_all(path)


def test_zstd_that_is_not_installed(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "zstandard", None)
    (tmp_path / "a.jsonl.zst").write_bytes(b"\x28\xb5\x2f\xfd rest")
    with pytest.raises(FormatError, match=r"a\.jsonl\.zst: .*adjudge\[zst\]"):
        read_all(tmp_path / "a.jsonl.zst")


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
