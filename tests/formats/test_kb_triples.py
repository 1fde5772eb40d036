"""Plain triples."""

import gzip
import io
from array import array
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.errors import FormatError, UsageError
from adjudge.formats import source
from adjudge.formats.kb_triples import read_triples, write_triples
from adjudge.model.kbp import Names, TripleNames, TripleTable

GOOD = "ana\tspouse\tben\td1\nben\tspouse\tana\td2\n"
HINT = "write subject, relation, object and document with a TAB between them"
ROWS = [("ana", "spouse", "ben", "d1"), ("ben", "spouse", "ana", "d2")]


def rows(data: bytes) -> list[tuple[str, str, str, str]]:
    return list(read_triples(data).rows())


def problems(data: bytes) -> list[str]:
    with pytest.raises(FormatError) as caught:
        read_triples(data, name="t.tsv")
    return [str(problem) for problem in caught.value.problems]


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        GOOD.rstrip("\n"),
        "Subject\trelation\tObject\tdocument\n" + GOOD,
        "# a remark\n\n" + GOOD,
        GOOD.replace("\n", "\r\n"),
        "\ufeff" + GOOD,
        GOOD.replace("ana\t", " ana \t"),
        GOOD.replace("d2\n", "d2\n\n  \n# the end\n"),
    ],
)
def test_ways_to_write_the_same(text):
    assert rows(text.encode()) == ROWS
    assert rows(gzip.compress(text.encode())) == ROWS


def test_numbers():
    table = read_triples(GOOD.encode())
    assert table.subjects == array("i", [0, 1])
    assert table.objects == array("i", [1, 0])
    assert table.documents == array("i", [0, 1])
    assert table.names.relations.listed == ["spouse"]
    other = read_triples(b"cy\tspouse\tana\td2\n", names=table.names)
    assert (list(other.subjects), list(other.objects), list(other.documents)) == ([2], [0], [1])


def test_a_node_may_begin_with_a_hash():
    assert rows(b"#x\tr\t#y\td\n") == [("#x", "r", "#y", "d")]


def test_all_mistakes_with_their_lines():
    data = GOOD.encode() + b"a\tr\tb\na\tr\tb\td\te\n\tr\t \td\nx\xe9\tr\tb\td\na\0\tr\tb\td\na\rb\tr\tb\td\n"
    assert problems(data) == [
        "t.tsv:3:1: a line with 3 fields instead of 4, " + HINT,
        "t.tsv:4:1: a line with 5 fields instead of 4, " + HINT,
        "t.tsv:5:1: the subject is empty, name it",
        "t.tsv:5:4: the object is empty, name it",
        "t.tsv:6:2: the byte 0xe9 is not UTF-8, save the file as UTF-8",
        "t.tsv:7: a null character inside a line, save the file with LF line ends",
        "t.tsv:8: a carriage return inside a line, save the file with LF line ends",
    ]


def test_two_wrong_lines_do_not_make_a_right_block():
    assert len(problems(b"a\tr\tb\na\tr\tb\td\te\n")) == 2


@pytest.mark.parametrize("data", [b"", b"\n\n", b"subject\trelation\tobject\tdocument\n"])
def test_nothing(data):
    assert problems(data)[0].startswith("t.tsv: the file has no triples")


def test_many_mistakes_are_counted():
    found = problems(b"a\tb\n" * 1000)
    assert len(found) == 101
    assert found[-1] == "t.tsv: and 900 more of the kind columns"


def test_hostile(monkeypatch):
    assert "UTF-16" in problems(GOOD.encode("utf-16"))[0]
    assert "ends too early" in problems(gzip.compress(GOOD.encode() * 99)[:-9])[0]
    monkeypatch.setattr(source, "_BLOCK", 100)
    monkeypatch.setattr(source, "LONGEST", 1000)
    assert "more than 1000 bytes" in problems(b"x" * 5000)[0]
    with pytest.raises(UsageError, match="no such file"):
        read_triples("none.tsv")


@pytest.mark.parametrize("block", [1, 7, 20, 64])
def test_blocks_do_not_matter(block, monkeypatch):
    data = b"subject\trelation\tobject\tdocument\n" + GOOD.encode() * 5 + b"a\tb\nq\tr\ts\td9"
    with pytest.raises(FormatError) as whole:
        read_triples(data)
    monkeypatch.setattr(source, "_BLOCK", block)
    with pytest.raises(FormatError) as parts:
        read_triples(data)
    assert str(parts.value) == str(whole.value)
    assert rows(data.replace(b"a\tb\n", b"")) == ROWS * 5 + [("q", "r", "s", "d9")]


def test_a_stream_is_left_open():
    stream = io.BytesIO(GOOD.encode())
    assert list(read_triples(stream).rows()) == ROWS
    assert not stream.closed


names = st.text(st.characters(blacklist_categories=("Cs", "Cc", "Zl", "Zp")), min_size=1, max_size=4).filter(str.strip)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(names, names, names, names), min_size=1, max_size=8), st.booleans())
def test_round_trip(given_rows, header):
    table = TripleTable()
    for row in given_rows:
        table.add(*row)
    data = b"".join(write_triples(table, header=header))
    assert read_triples(data) == table
    assert list(read_triples(data).rows()) == [tuple(part.strip() for part in row) for row in given_rows]


def test_a_triple_that_looks_like_a_header():
    table = TripleTable()
    table.add("subject", "relation", "object", "document")
    assert read_triples(b"".join(write_triples(table))) == table


def test_names_that_cannot_be_written():
    table = TripleTable(TripleNames(Names(["a\tb"])))
    with pytest.raises(FormatError, match="TAB"):
        list(write_triples(table))


def test_memory_is_bounded(tmp_path: Path):
    import tracemalloc

    path = tmp_path / "many.tsv"
    path.write_text("".join(f"entity{i % 500}\trel\tentity{i % 300}\tdoc{i % 70}\n" for i in range(200_000)))
    tracemalloc.start()
    table = read_triples(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(table) == 200_000
    # 16 bytes for each line, the lists of one block, and slack for arrays that grow; the file has six megabytes.
    assert peak < 16 * 200_000 * 1.3 + 30e6


@pytest.mark.parametrize("data", [b"a\te\ne\n", b"a\tr\tx\t2\nk\nn\tk\n"])
def test_no_short_line_hides_behind_another(data):
    with pytest.raises(FormatError) as caught:
        read_triples(data)
    assert all(" instead of 4" in str(each) for each in caught.value.problems)
    assert len(caught.value.problems) == 2
