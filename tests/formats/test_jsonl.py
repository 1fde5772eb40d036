"""Reading JSON lines: what is read, and what is said about what cannot be."""

import gzip
import io
import json
import os
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.errors import AdjudgeError, FormatError, UsageError, ValidationError
from adjudge.findings import LIMIT
from adjudge.formats.jsonl import columns, locate, read_all, read_documents, split_path

ARRAY = "the file is one JSON array, write one object per line, for example with: jq -c '.[]'"
OBJECT = "the object goes on in the next line, write each object on one line, for example with: jq -c ."
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


def test_where_a_key_is_given_twice() -> None:
    assert problems(b'{"id": "a", "x": {"y": 1}, "x": {"y": 2}}\n{"id": "b", "c": "\\u003a", "d": 1, "d": 2}') == [
        "f:1:28: the key 'x' is given twice, keep one of the two",
        "f:2:36: the key 'd' is given twice, keep one of the two",
    ]


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


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (b'{"id": "b", "x" 1}', "f:2:17: malformed JSON (expecting ':' delimiter), fix the line"),
        (
            '{"id": "é", x}'.encode(),
            "f:2:13: malformed JSON (expecting property name enclosed in double quotes), fix the line",
        ),
        (b'{"id": "b"} x', "f:2:13: malformed JSON (extra data), fix the line"),
        (b'{"id": "b", "x": [1,', "f:2:21: malformed JSON (the line ends in the middle of a value), complete the line"),
        (
            b'{"id": "b", "x": "cut',
            "f:2:18: malformed JSON (the line ends in the middle of a value), complete the line",
        ),
        (b'{"id": "NaN", "x": NaN}', "f:2:20: NaN is not JSON, write null or a number"),
        (b'{"id": "b", "x": [-Infinity]}', "f:2:19: -Infinity is not JSON, write null or a number"),
        (b'{"id": "1e999", "x": 1e999}', "f:2:22: the number 1e999 is too large, write null or a smaller number"),
        (b'{"id": "b", "x": "\\ud800"}', "f:2:19: a string has half of a surrogate pair, write the whole character"),
        ('{"id": "é"'.encode() + b', "x": "\xff"}', "f:2:19: the byte 0xff is not UTF-8, save the file as UTF-8"),
        (b"[" * 100_000, "f:2: the JSON is nested too deeply, flatten it"),
        (b"[1]", "f:2: expected an object, got an array, write one object per line"),
        (b"1.5", "f:2: expected an object, got a number, write one object per line"),
        (b"null", "f:2: expected an object, got null, write one object per line"),
        (b'{"x": 1}', 'f:2: the document has no id, add a field "id"'),
        (b'{"x": 1, "id": true}', "f:2:16: expected a string or an integer as id, got a boolean, quote the id"),
        (
            b'{"x": 1, "id": 1.5}',
            "f:2:16: expected a string or an integer as id, got a number with a fraction, quote the id",
        ),
        (b'{"x": 1, "id": ""}', "f:2:16: the id is empty, give every document its own id"),
        (b'{"id": "a"}', "f:2:8: duplicate id 'a', it is already used in line 1; give every document its own id"),
    ],
)
def test_one_line_per_problem(bad: bytes, said: str) -> None:
    assert problems(b'{"id": "a"}\n' + bad + b'\n{"id": "z"}\n') == [said]


def test_all_problems_at_once_and_the_good_documents_first() -> None:
    content = b'{"id": "a"}\n{"id"}\n{"id": "b"}\n{}\n{"id": "b"}\n'
    assert [line.split(":")[1] for line in problems(content)] == ["2", "4", "5"]
    reader = read_documents(content)
    assert [next(reader).id, next(reader).id] == ["a", "b"]
    with pytest.raises(FormatError):
        next(reader)


def test_a_number_and_a_string_are_the_same_id() -> None:
    assert "duplicate id '1'" in problems(b'{"id": "1"}\n{"id": 1}\n')[0]


def test_one_mistake_on_every_line_is_one_message() -> None:
    said = problems(b"{}\n" * (LIMIT + 7))
    assert said == ['f:1: the document has no id, add a field "id" (and 106 more like it, on lines 2, 3, 4, ...)']


@pytest.mark.parametrize("content", [b"", b"\n  \n", b"\xef\xbb\xbf"])
def test_empty(content: bytes) -> None:
    assert problems(content) == ["f: the file has no documents, write one JSON object per line, each with an id"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (json.dumps([{"id": "a"}]), "f:1:1: " + ARRAY),
        (json.dumps([{"id": "a"}], indent=1), "f:1:1: " + ARRAY),
        (json.dumps({"id": "a"}, indent=1), "f:1:1: " + OBJECT),
        ("\n" + '{"id":\n"a"}', "f:2:1: " + OBJECT),
    ],
)
def test_the_wrong_layout_is_one_problem(content: str, said: str) -> None:
    assert problems(content.encode()) == [said]


def test_a_first_line_cut_short_is_not_the_wrong_layout() -> None:
    assert problems(b'{"id": "a", \n{"id": "b"}\n{}\n') == [
        "f:1:12: malformed JSON (the line ends in the middle of a value), complete the line",
        'f:3: the document has no id, add a field "id"',
    ]


def test_files_of_which_no_line_can_be_read() -> None:
    for encoding in ("utf-16", "utf-16-le", "utf-16-be"):
        assert problems('{"id": "a"}\n{"id": "b"}\n'.encode(encoding)) == [
            "f:1:1: the file is not UTF-8 but looks like UTF-16, save it as UTF-8"
        ]
    assert problems(gzip.compress(gzip.compress(b'{"id": "a"}\n' * 9))) == [
        "f:1:1: the file is compressed twice, unpack it once, for example with: gzip -d"
    ]
    deep = b'{"id": "a", "x": ' + b"[" * 50_000 + b"]" * 50_000 + b"}"
    assert problems(deep) == ["f:1: the JSON is nested too deeply, flatten it"]


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
    with pytest.raises(UsageError, match="the file may not be read, check its permissions"):
        read_all(path)


def test_only_validation_problems_are_validation_errors() -> None:
    with pytest.raises(ValidationError):
        read_all(b"{}")


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
