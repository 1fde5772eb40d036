"""Answers, links and triples of knowledge bases."""

import gzip
from array import array
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.errors import FormatError, UsageError
from adjudge.formats import interning, source
from adjudge.formats.kb_links import attach_links, page_name, read_links
from adjudge.formats.kb_queries import read_answers, write_answers
from adjudge.formats.kb_triples import read_triples, write_triples
from adjudge.model.kbp import Entity, KbDocument, Mention, MentionLink, Names, Span, TripleNames, TripleTable
from adjudge.model.kbp_queries import Answer

ANSWER = Answer("Q1", "Ben", "per:spouse", "d1:4-6", "d1:0-9,d1:20-29", ":E2", "PER", 0.5)


def test_round_trip_of_a_run():
    answers = [ANSWER, ANSWER._replace(asked=ANSWER.target, value="Corvex", place="d2:0-5", confidence=0.25)]
    data = write_answers(answers, run="r1")
    assert read_answers(data).answers == answers


def test_round_trip_of_values():
    first = Answer("Q1", "Ben")
    answers = [first, Answer("Q1", "Eva"), Answer(first.target, "Corvex")]
    data = write_answers(answers, run="r1")
    assert data == b"Q1\tBen\nQ1\tEva\nQ1\tBen\tCorvex\n"
    assert read_answers(data).answers == answers


DOCUMENT = KbDocument(
    "d",
    [
        Entity("d-E1", "GPE", (Mention("d", 3, 20, head=Span(10, 14), id="m1"), Mention("d", 30, 34, id="m2"))),
        Entity("d-E2", "PER", (Mention("d", 10, 14, id="m3"),)),
    ],
)


@pytest.mark.parametrize(
    ("text", "page"),
    [
        ("http://en.wikipedia.org/wiki/Oslo", "Oslo"),
        ("https://en.wikipedia.org/wiki/new_york__city#History", "New_york_city"),
        ("//en.wikipedia.org/wiki/S%C3%A3o_Paulo", "São_Paulo"),
        ("São Paulo", "São_Paulo"),
        ("wiki/oslo", "Oslo"),
        ("AC/DC", "AC/DC"),
        ("", ""),
    ],
)
def test_page_names(text, page):
    assert page_name(text) == page


def test_redirects():
    assert page_name("kristiania", redirects={"Kristiania": "Christiania", "Christiania": "Oslo"}) == "Oslo"
    assert page_name("A", redirects={"A": "B", "B": "A"}) == "A"


def test_acetowiki():
    wiki = "http://en.wikipedia.org/wiki/"
    rows = [f"{wiki}Oslo\td.sgm\tE1\t10", "NO_PAGE\td.sgm\tE2\t10", f"{wiki}A {wiki}B\td.sgm\tE1\t30"]
    table = read_links("\n".join(rows).encode())
    assert table.links == [
        MentionLink("d", "Oslo", entity="E1", start=10, line=1),
        MentionLink("d", "", entity="E2", start=10, line=2),
        MentionLink("d", "", entity="E1", start=30, line=3),
    ]
    assert str(table.notes[0]) == "<bytes>:3: 1 line with links to several pages, treated as having no page"
    assert read_links("\n".join(rows).encode(), several="first").links[2].page == "A"
    found, notes = attach_links(table, [DOCUMENT])
    assert {key: link.page for key, link in found.items()} == {
        ("d", "d-E1", 0): "Oslo",
        ("d", "d-E2", 0): "",
        ("d", "d-E1", 1): "",
    }
    assert not notes


@pytest.mark.parametrize("text", ["doc,start,end,page\nd,30,34,Oslo\n", "page\tend\tstart\tdocid\nOslo\t34\t30\td\n",
                                  'doc,mention,page\nd,m2,"Oslo"\n', "doc,start,page\nd,30,Oslo\n"])  # fmt: skip
def test_plain_tables(text):
    table = read_links(text.encode())
    found, notes = attach_links(table, [DOCUMENT])
    assert {key: link.page for key, link in found.items()} == {("d", "d-E1", 1): "Oslo"}
    assert not notes


def test_rows_that_do_not_fit():
    rows = "doc,start,end,page\nd,10,14,Oslo\nd,1,2,Rome\nother,1,2,Rome\nd,30,34,Oslo\nd,30,34,Rome\n"
    found, notes = attach_links(read_links(rows.encode(), name="t.csv"), [DOCUMENT])
    assert {key: link.page for key, link in found.items()} == {("d", "d-E1", 1): "Oslo"}
    assert [str(note) for note in notes] == [
        "t.csv:2: rows that fit several mentions, not used: 1",
        "t.csv:3: rows that fit no mention: 1",
        "t.csv:4: rows about other documents: 1",
        "t.csv:6: rows with another page for a mention that has one, the first counts: 1",
    ]


GOOD = "ana\tspouse\tben\td1\nben\tspouse\tana\td2\n"
ROWS = [("ana", "spouse", "ben", "d1"), ("ben", "spouse", "ana", "d2")]


def rows(data: bytes) -> list[tuple[str, str, str, str]]:
    return list(read_triples(data).rows())


def problems(data: bytes) -> list[str]:
    with pytest.raises(FormatError) as caught:
        read_triples(data, name="t.tsv")
    return [str(problem) for problem in caught.value.problems]


def test_numbers():
    table = read_triples(GOOD.encode())
    assert table.subjects == array("i", [0, 1])
    assert table.objects == array("i", [1, 0])
    assert table.documents == array("i", [0, 1])
    assert table.names.relations.listed == ["spouse"]
    other = read_triples(b"cy\tspouse\tana\td2\n", names=table.names)
    assert (list(other.subjects), list(other.objects), list(other.documents)) == ([2], [0], [1])


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


names = st.text(st.characters(blacklist_categories=("Cs", "Cc", "Zl", "Zp")), min_size=1, max_size=4).filter(str.strip)


@settings(max_examples=75, deadline=None)
@given(st.lists(st.tuples(names, names, names, names), min_size=1, max_size=8), st.booleans())
def test_round_trip(given_rows, header):
    table = TripleTable()
    for row in given_rows:
        table.add(*row)
    data = b"".join(write_triples(table, header=header))
    assert read_triples(data) == table
    assert list(read_triples(data).rows()) == [tuple(part.strip() for part in row) for row in given_rows]


def one_by_one(text: str) -> TripleTable:
    """What the page on formats says, line by line."""
    table = TripleTable()
    for line in text.split("\n"):
        fields = [field.strip() for field in line.split("\t")]
        if len(fields) == 4:
            table.add(*fields)
    return table


LETTERS = st.sampled_from(["a", "b", "ab", "éa", "王", "x" * 8, "x" * 9, "x" * 16, "x" * 17, "x" * 40, "y" * 1025])
FIELDS = st.tuples(st.sampled_from(["", " ", "\u3000", "\x85"]), LETTERS, LETTERS, st.sampled_from(["", " ", "\xa0"]))
LINES = st.lists(
    st.lists(FIELDS.map("".join), min_size=4, max_size=4).map("\t".join) | st.just("# no row"), max_size=12
)


@settings(max_examples=25, deadline=None)
@given(LINES, st.sampled_from([1, 40, 3000]), st.booleans())
def test_numbers_are_those_of_lines_read_one_by_one(lines, block, alike):
    text = "a\tr\ta\td\n" + "\n".join(lines)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(source, "_BLOCK", block)
        if alike:  # the numbers by which fields are looked up may be equal, the fields are different all the same
            patch.setattr(
                interning, "_hashes", lambda parts, size: np.zeros(size, dtype=np.uint64) + parts[0].words % 3
            )
        found = read_triples(text.encode())
    assert found == one_by_one(text)


def test_many_names_in_two_files():
    lines = [f"n{i * i % 7001}\tr{i % 40}\tn{i * 31 % 9001}\tdoc{i % 999}" for i in range(20_000)]
    one, other = "\n".join(lines[:12_000]), "\n".join(reversed(lines[8_000:]))
    gold = read_triples(one.encode())
    system = read_triples(other.encode(), names=gold.names)
    assert [*gold.rows(), *system.rows()] == [*one_by_one(one).rows(), *one_by_one(other).rows()]
    assert gold.names == one_by_one(f"{one}\n{other}").names
    assert gold.names.nodes["n0"] == 0
    assert "n0" in gold.names.nodes
    assert "n" not in gold.names.nodes


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
