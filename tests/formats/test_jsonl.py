"""Reading JSON lines: what is read, and what is said about what cannot be."""

import gzip
import io
import json
import os
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.errors import AdjudgeError, FormatError, UsageError
from adjudge.findings import LIMIT
from adjudge.formats.jsonl import columns, locate, read_all, read_documents, split_path

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
NUMBERS = st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)


def lines(*documents: object) -> bytes:
    return b"".join(json.dumps(document, ensure_ascii=False).encode() + b"\n" for document in documents)


def problems(content: bytes) -> list[str]:
    with pytest.raises(AdjudgeError) as caught:
        read_all(content, name="f")
    assert caught.value.exit_code == 1
    return str(caught.value).splitlines()


@settings(deadline=None)
@given(st.lists(st.dictionaries(TEXT, VALUES, max_size=3), min_size=1, max_size=5), st.booleans())
def test_what_is_written_is_read(data: list[dict[str, object]], packed: bool) -> None:
    data = [{**document, "id": f"d{index}"} for index, document in enumerate(data)]
    content = lines(*data)
    corpus = read_all(gzip.compress(content) if packed else content)
    assert [document.data for document in corpus.documents] == data
    assert [document.line for document in corpus.documents] == list(range(1, len(data) + 1))
    again = b"\r\n".join(json.dumps(dict(reversed(each.items())), indent=None).encode() for each in data)
    assert read_all(again).digest == corpus.digest
    changed = lines(*data[:-1], {**data[-1], "x": object.__repr__(data)})
    assert read_all(changed).digest != corpus.digest


PAIRS = st.lists(st.tuples(st.sampled_from(["a", "b", "a:", "\\", '"', "{"]), VALUES), max_size=4)


@settings(deadline=None)
@given(st.lists(PAIRS, max_size=3), st.booleans())
def test_a_key_given_twice_is_refused(objects: list[list[tuple[str, object]]], escaped: bool) -> None:
    def written(value: object) -> str:
        text = json.dumps(value)
        return text.replace(":", "\\u003a") if escaped and isinstance(value, str) else text

    inner = ["{" + ", ".join(f"{written(k)}: {written(v)}" for k, v in pairs) + "}" for pairs in objects]
    line = '{"id": "a", "x": [' + ", ".join(inner) + "]}"
    twice = any(len({k for k, _ in pairs}) < len(pairs) for pairs in objects)
    if twice:
        (said,) = problems(line.encode())
        assert "is given twice, keep one of the two" in said
    else:
        assert read_all(line.encode()).documents[0].id == "a"


def test_sources_of_every_kind(tmp_path, monkeypatch) -> None:
    content = b"\xef\xbb\xbf" + b'{"id": "a"}\r\n\n   \n{"id": 12}'
    plain = tmp_path / "plain.gz"  # the name does not decide
    plain.write_bytes(content)
    packed = tmp_path / "packed.jsonl"
    packed.write_bytes(gzip.compress(content[:20]) + gzip.compress(content[20:]))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(content))))
    read = [read_all(source) for source in (plain, str(plain), packed, content, io.BytesIO(content), "-")]
    assert len({corpus.digest for corpus in read}) == 1
    assert all([(d.id, d.line) for d in corpus.documents] == [("a", 1), ("12", 4)] for corpus in read)
    stream = io.BytesIO(content)
    read_all(stream)
    assert not stream.closed
    assert [corpus.path for corpus in read][2:] == [str(packed), "<bytes>", "<stream>", "<stdin>"]


def test_all_problems_at_once_and_the_good_documents_first() -> None:
    content = b'{"id": "a"}\n{"id"}\n{"id": "b"}\n{}\n{"id": "b"}\n'
    assert [line.split(":")[1] for line in problems(content)] == ["2", "4", "5"]
    reader = read_documents(content)
    assert [next(reader).id, next(reader).id] == ["a", "b"]
    with pytest.raises(FormatError):
        next(reader)


def test_one_mistake_on_every_line_is_one_message() -> None:
    said = problems(b"{}\n" * (LIMIT + 7))
    assert said == ['f:1: the document has no id, add a field "id" (and 106 more like it, on lines 2, 3, 4, ...)']


def test_broken_gzip() -> None:
    packed = gzip.compress(b"".join(lines({"id": f"d{i}", "x": str(hash(str(i)))}) for i in range(5000)))
    said = problems(packed[: len(packed) // 2])
    assert len(said) == 1
    assert said[0].endswith(": the compressed file ends too early, copy or create the file again")
    assert int(said[0].split(":")[1]) > 100
    assert "the compressed file is damaged" in problems(packed + b"rubbish")[0]


def test_files_that_cannot_be_opened(tmp_path) -> None:
    missing, folder = "there is no such file, check the path", "this is a folder, name the file in it"
    for path, said in ((tmp_path / "no", missing), (tmp_path, folder)):
        with pytest.raises(UsageError, match=said) as caught:
            read_all(path)
        assert str(caught.value) == f"{path}: {said}"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read(tmp_path) -> None:
    path = tmp_path / "secret"
    path.touch(mode=0)
    with pytest.raises(UsageError, match="no permission to read the file, check its permissions"):
        read_all(path)


@settings(deadline=None)
@given(VALUES.filter(lambda value: isinstance(value, dict | list)), st.data(), st.sampled_from([None, 1]))
def test_locate_finds_every_value(value: object, data: st.DataObject, indent: int | None) -> None:
    text = json.dumps(value, ensure_ascii=data.draw(st.booleans()), indent=indent)
    here, path = value, []
    while isinstance(here, dict | list) and here and data.draw(st.booleans()):
        step = data.draw(st.sampled_from(sorted(here) if isinstance(here, dict) else range(len(here))))
        path.append(step)
        here = here[step]
    found, _ = json.JSONDecoder().raw_decode(text, locate(text, path) - 1)
    assert found == here


def test_columns_reads_a_file_again(tmp_path) -> None:
    path = tmp_path / "f.jsonl"
    path.write_bytes(gzip.compress(b'{"id": "a"}\n{"id": "b", "x": [{"y": 3}]}\n'))
    assert columns(path, [(2, "$.x[0].y"), (1, "$.id")]) == {(2, "$.x[0].y"): 25, (1, "$.id"): 8}
    assert columns("-", [(1, "$")]) == {}
    assert split_path("x[0].y") == split_path("$.x[0].y")
