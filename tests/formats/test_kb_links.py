"""Tables of links."""

import pytest

from adjudge.errors import AdjudgeError
from adjudge.formats.kb_links import attach_links, page_name, read_links
from adjudge.model.kbp import Entity, KbDocument, Mention, MentionLink, Span

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
    assert str(table.notes[0]) == "<bytes>:3: 1 line with links to several pages, taken as without a page"
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


def test_entity_linking():
    rows = "r\tm1\tOslo\td:30-33\tm.05l64\tGPE\tNAM\t1.0\nr\tm2\tBo\td : 10\u201313\tNIL007\tPER\tNAM\t1.0\n"
    table = read_links(rows.encode())
    assert table.links == [
        MentionLink("d", "m.05l64", start=30, end=34, line=1),
        MentionLink("d", "", start=10, end=14, cluster="NIL007", line=2),
    ]


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


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the table has no rows"),
        ("a,b,c\n1,2,3\n", "no header"),
        ("doc,page\nd,Oslo\n", "no header"),
        ("doc,start,end,page\nd,x,4,Oslo\nd,3\n", "t.csv:2: the start is 'x'"),
        ("doc,start,end,page\nd,x,4,Oslo\nd,3\n", "t.csv:3:1: a row with 2 fields instead of 4"),
        ("doc,start,end,page\n,3,4,Oslo\n", "t.csv:2:1: the row names no mention"),
        ("http://x/wiki/A\td.sgm\tE1\t10\nfoo\n", "t.csv:2:1: this is no row of ACEtoWiki"),
        ("r\tm\tO\td:3-4\tk\tG\tNAM\t1\nr\tm\tO\td:4-3\tk\tG\tNAM\t1\n", "t.csv:2:1: this is no row of entity linking"),
        ("doc,start,end,page\n" + "x" * 200_000, "t.csv:2:1: a row with 1 fields instead of 4"),
    ],
)
def test_mistakes(text, message):
    with pytest.raises(AdjudgeError) as caught:
        read_links(text.encode(), name="t.csv")
    assert message in str(caught.value)
    assert len(str(caught.value)) < 1000
