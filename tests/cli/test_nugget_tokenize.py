"""`adjudge nugget tokenize`: tables for folders of texts, and what is said about them."""

import gzip
from pathlib import Path

import pytest

from adjudge.cli import run

TEXT = "The buffet/music/buying crowd, well-fed,\nleft at 5 p.m.\n"
ANN = "T1\tContact_Meet 17 23\tbuying\nE1\tContact_Meet:T1\nA1\tRealis E1 Actual\n#1\tAnnotatorNotes T1\tno\n"
WARNING = (
    "[WARN] Boundary mismatch found in a: Token [4,23] [buffet/music/buying] vs. EventMentionSpan [17,23] [buying]\n"
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("in").mkdir()
    write("in/a.txt", TEXT)
    write("in/a.ann", ANN)
    return tmp_path


def write(name: str, text: str) -> None:
    Path(name).parent.mkdir(exist_ok=True)
    Path(name).write_bytes(text.encode())


def call(capsys, *arguments: str):
    code = run(("nugget", "tokenize", *arguments))
    out, err = capsys.readouterr()
    assert out == ""
    return code, err


def rows(name: str) -> list[list[str]]:
    return [line.split("\t") for line in Path(name).read_text().splitlines()]


def test_a_table_with_the_usual_separators(capsys):
    assert call(capsys, "-t", "in", "-a", "in", "-o", "out") == (0, "1 document, 13 tokens, 0 boundary mismatches\n")
    assert [path.name for path in Path("out").iterdir()] == ["a.tab"]
    table = rows("out/a.tab")
    assert table[:5] == [
        ["1", "The", "0", "3"],
        ["2", "buffet", "4", "10"],
        ["3", "music", "11", "16"],
        ["4", "buying", "17", "23"],
        ["5", "crowd", "24", "29"],
    ]
    assert [row[0] for row in table] == [str(number) for number in range(1, len(table) + 1)]
    assert all(TEXT[int(begin) : int(end)] == text for _, text, begin, end in table)


def test_a_token_is_split_where_an_annotation_begins(capsys):
    code, err = call(capsys, "-t", "in", "-a", "in", "-o", "out", "-s", "-")
    assert (code, err) == (0, WARNING + "1 document, 12 tokens, 1 boundary mismatch\n")
    assert [row[1] for row in rows("out/a.tab")][:4] == ["The", "buffet/music/", "buying", "crowd"]


@pytest.mark.parametrize(
    ("change", "arguments"),
    [
        ({}, ("-t", "in")),
        ({}, ("-t", "in/a.txt", "-a", "in/a.ann")),
        ({"in/a.ann": b""}, ("-t", "in", "-a", "in")),
        ({"in/a.txt": gzip.compress(TEXT.encode())}, ("-t", "in", "-a", "in")),
    ],
)
def test_files_that_give_the_same_table(capsys, change, arguments):
    for name, data in change.items():
        Path(name).write_bytes(data)
    assert call(capsys, *arguments, "-o", "out", "--quiet") == (0, "")
    assert len(rows("out/a.tab")) == 13


def test_strict_writes_nothing(capsys):
    code, err = call(capsys, "-t", "in", "-a", "in", "-o", "out", "-s", "", "--strict", "--quiet")
    assert (code, err) == (1, WARNING)
    assert not Path("out").exists()


def test_a_text_without_annotations_has_its_table_and_is_named(capsys):
    write("in/b.txt", "It rained.\n")
    write("in/c.txt", "")
    code, err = call(capsys, "-t", "in", "-a", "in", "-o", "out")
    assert code == 0
    assert err.splitlines() == [
        "note: in/b.txt: there are no annotations for 'b', its tokens are not split",
        "note: in/c.txt: there are no annotations for 'c', its tokens are not split",
        "3 documents, 16 tokens, 0 boundary mismatches",
    ]
    assert [row[1] for row in rows("out/b.tab")] == ["It", "rained", "."]
    assert Path("out/c.tab").read_bytes() == b""


def test_every_annotation_without_a_text_is_named_and_nothing_is_written(capsys):
    write("in/x.ann", ANN)
    write("in/y.ann", ANN)
    write("out/a.tab", "old")
    code, err = call(capsys, "-t", "in", "-a", "in", "-o", "out")
    assert code == 1
    for name in "xy":
        assert f"in/{name}.ann: there is no text for '{name}', add in/{name}.txt" in err
    assert [path.read_text() for path in Path("out").iterdir()] == ["old"]


def test_problems_of_all_files_at_once(capsys):
    Path("in/b.txt").write_bytes(b"caf\xe9\n")
    write("in/c.txt", "short")
    write("in/c.ann", ANN)
    write("in/d.txt", "He died.")
    write("in/d.ann", "T1\tLife_Die x 7\tdied\nE1\tLife_Die:T1\n")
    code, err = call(capsys, "-t", "in", "-a", "in", "-o", "out")
    assert code == 1
    for place in ("in/b.txt:1:4", "in/c.ann", "in/d.ann:1"):
        assert place in err
    assert "Traceback" not in err
    assert not Path("out").exists()


def test_tbf_by_characters(capsys):
    write(
        "gold.tbf",
        "#BeginOfDocument a\nx\ta\tE1\t11,16;24,26\tmusic cr\tContact_Meet\tActual\n#EndOfDocument\n",
    )
    code, err = call(capsys, "-t", "in", "-a", "gold.tbf", "-o", "out", "-s", "")
    assert code == 0
    assert err.splitlines() == [
        "[WARN] Boundary mismatch found in a: Token [4,23] [buffet/music/buying] vs. EventMentionSpan [11,16] [music]",
        "[WARN] Boundary mismatch found in a: Token [24,29] [crowd] vs. EventMentionSpan [24,26] [cr]",
        "1 document, 13 tokens, 2 boundary mismatches",
    ]
    assert [row[1] for row in rows("out/a.tab")][:6] == ["The", "buffet/", "music", "/buying", "cr", "owd"]


@pytest.mark.parametrize(("utf16", "begin", "expected"), [((), 2, ("2", "6")), (("--utf16",), 3, ("3", "7"))])
def test_offsets_after_an_emoji(capsys, utf16, begin, expected):
    write("in/a.txt", "😀 died.")
    write("in/a.ann", f"T1\tLife_Die {begin} {begin + 4}\tdied\nE1\tLife_Die:T1\n")
    assert call(capsys, "-t", "in", "-a", "in", "-o", "out", "--quiet", *utf16) == (0, "")
    table = rows("out/a.tab")
    assert [row[1] for row in table] == ["😀", "died", "."]
    assert tuple(table[1][2:]) == expected


def test_tbf_in_utf16_units(capsys):
    write("in/a.txt", "😀 undied.")
    write("gold.tbf", "#BeginOfDocument a\nx\ta\tE1\t5,9\tdied\tLife_Die\tActual\n#EndOfDocument\n")
    code, err = call(capsys, "-t", "in", "-a", "gold.tbf", "-o", "out", "--utf16")
    assert code == 0
    assert "Token [3,9] [undied] vs. EventMentionSpan [5,9] [died]" in err
    write("gold.tbf", "#BeginOfDocument a\nx\ta\tE1\t1,99\tdied\tLife_Die\tActual\n#EndOfDocument\n")
    code, err = call(capsys, "-t", "in", "-a", "gold.tbf", "-o", "other", "--utf16")
    assert code == 1
    assert "E1 begins or ends inside a character, or beyond the text" in err


def test_other_extensions_and_line_ends(capsys):
    write("src/a.mpdf.xml", "<P>He\r\ndied.</P>")
    write("ann/a.mpdf.xml.ann", "T1\tLife_Die 7 11\tdied\nE1\tLife_Die:T1\n")
    assert call(capsys, "-t", "src", "-a", "ann", "-e", "mpdf.xml", "-o", "out", "--quiet") == (0, "")
    assert rows("out/a.tab") == [
        ["1", "<P>", "0", "3"],
        ["2", "He", "3", "5"],
        ["3", "died", "7", "11"],
        ["4", ".", "11", "12"],
        ["5", "<", "12", "13"],
        ["6", "P>", "14", "16"],
    ]


def test_tabs_and_breaks_in_a_token_become_blanks(capsys):
    write("in/a.txt", '<a b="c\nd\te">x')
    write("in/a.ann", "")
    assert call(capsys, "-t", "in", "-a", "in", "-o", "out", "--quiet") == (0, "")
    assert Path("out/a.tab").read_text() == '1\t<a b="c d e">\t0\t13\n2\tx\t13\t14\n'


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-t", "in", "-a", "in", "-o", "out", "-e", "sgm"), "no text *.sgm"),
        (("-t", "nowhere", "-o", "out"), "nowhere"),
        (("-t", "in", "-a", "empty", "-o", "out"), "no .ann file"),
        (("-t", "in", "-o", "in/a.txt"), "a folder is needed"),
        (("-t", "in", "-o", "out", "-s", "- "), "a blank cannot be a separator"),
        (("-t", "in"), "output"),
    ],
)
def test_wrong_usage(capsys, arguments, message):
    Path("empty").mkdir()
    code, err = call(capsys, *arguments)
    assert code == 2
    assert message in err
    assert not Path("out").exists()


def test_the_offsets_look_like_utf16(capsys):
    write("in/a.txt", "😀 undied.")
    write("in/a.ann", "T1\tLife_Die 5 9\tdied\nE1\tLife_Die:T1\n")
    code, err = call(capsys, "-t", "in", "-a", "in", "-o", "out")
    assert code == 0
    assert "give --utf16" in err
