"""`adjudge nugget convert`: files and folders, in and out."""

import io
import shutil
from pathlib import Path

import pytest

from adjudge.cli import run
from adjudge.tasks.nugget.conversion_files import Plan, convert, render, render_files

TEXT = "They shot\nhim down, he died.\nThe shooting was a death."
ANN = """\
T1\tConflict_Attack 5 9;14 18\tshot down
E1\tConflict_Attack:T1
A1\tRealis E1 Actual
T2\tLife_Die 23 27\tdied
E10\tLife_Die:T2
A2\tRealis E10 Generic
T3\tConflict_Attack 33 41\tshooting
E2\tConflict_Attack:T3
R1\tCoreference Arg1:E1 Arg2:E2
R2\tAfter Arg1:E1 Arg2:E10
"""
TABLE = "".join(
    f"t{n}\t{TEXT[b:e]}\t{b}\t{e}\n"
    for n, (b, e) in enumerate(
        [(0, 4), (5, 9), (10, 13), (14, 18), (18, 19), (20, 22), (23, 27), (27, 28), (29, 32), (33, 41)]
    )
)
TOKENS = """\
#BeginOfDocument a
adjudge\ta\tE1\tt1,t3\tshot down\tConflict_Attack\tActual
adjudge\ta\tE2\tt9\tshooting\tConflict_Attack\tNOT_ANNOTATED
adjudge\ta\tE10\tt6\tdied\tLife_Die\tGeneric
@Coreference\tC0\tE1,E2
@After\tR2\tE1,E10
#EndOfDocument
"""
CHARS = TOKENS.replace("t1,t3", "5,9;14,18").replace("t9", "33,41").replace("t6", "23,27")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("ann", "tkn"):
        Path(name).mkdir()
    Path("ann/a.ann").write_text(ANN)
    Path("ann/a.txt").write_text(TEXT)
    Path("tkn/a.tab").write_text(TABLE)
    return tmp_path


def convert_(*arguments: str) -> int:
    return run(["nugget", "convert", *arguments])


def test_brat_to_tbf(capsys: pytest.CaptureFixture[str]) -> None:
    assert convert_("--from", "brat", "--to", "tbf", "-t", "tkn", "ann", "-o", "a.tbf") == 0
    assert (Path("a.tbf").read_text(), capsys.readouterr().err) == (TOKENS, "")
    assert convert_("--to", "tbf", "ann/a.ann") == 0
    assert capsys.readouterr().out == CHARS


def test_tbf_both_ways(capsys: pytest.CaptureFixture[str]) -> None:
    Path("t.tbf").write_text(TOKENS)
    Path("c.tbf").write_text(CHARS)
    assert convert_("--to", "tbf", "-t", "tkn", "t.tbf") == 0
    assert capsys.readouterr() == (CHARS, "")
    assert convert_("--to", "tbf", "-t", "tkn/a.tab", "c.tbf") == 0
    assert capsys.readouterr() == (TOKENS, "")
    assert convert_("--from", "tbf-char", "--to", "tbf-char", "c.tbf", "--system", "me") == 0
    assert capsys.readouterr() == (CHARS.replace("adjudge", "me"), "")


def test_brat_to_brat_through_tbf(capsys: pytest.CaptureFixture[str]) -> None:
    assert convert_("--to", "tbf", "-t", "tkn", "ann", "-o", "a.tbf", "--order", "file") == 0
    assert convert_("--to", "brat", "-t", "tkn", "--texts", "ann", "a.tbf", "-o", "out") == 0
    assert Path("out/a.txt").read_text() == TEXT
    lines = Path("out/a.ann").read_text().splitlines()
    assert sorted(lines) == sorted(ANN.splitlines())
    assert capsys.readouterr().err == "note: a.tbf:1: 1 document whose system id is not kept (a adjudge)\n"


def test_ere_and_back(capsys: pytest.CaptureFixture[str]) -> None:
    assert convert_("--to", "ere", "ann", "-o", "ere/") == 0
    assert capsys.readouterr().err == (
        "note: ann/a.ann:2: 1 discontinuous nugget written from the first character to the last (a E1)\n"
        "note: ann/a.ann:10: 1 relation left out (a R2)\n"
    )
    assert [path.name for path in Path("ere").iterdir()] == ["a.rich_ere.xml"]
    assert convert_("--to", "tbf", "-t", "tkn", "--texts", "ann", "ere") == 0
    expected = TOKENS.replace("t1,t3\tshot down", "t1,t2,t3\tshot him down").replace("@After\tR2\tE1,E10\n", "")
    assert capsys.readouterr().out == expected
    assert convert_("--to", "nugget-xml", "ann", "-o", "x.xml", "--quiet") == 0
    assert capsys.readouterr().err == ""
    assert "hopper" not in Path("x.xml").read_text()
    assert convert_("--from", "ere", "--to", "brat", "x.xml") == 0  # no text, no folder: on the screen
    assert capsys.readouterr().out.startswith("T1\tConflict_Attack 5 9;10 18\tshot him down\n")


def test_strict_writes_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert convert_("--to", "ere", "ann", "-o", "ere/", "--strict") == 1
    assert "error: ann/a.ann:2: 1 discontinuous nugget" in capsys.readouterr().err
    assert not Path("ere").exists()
    assert convert_("--to", "tbf", "-t", "tkn", "ann", "-o", "a.tbf", "--strict") == 0


def test_many_documents(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("b", "c10", "c9.tkn"):
        Path(f"ann/{name}.ann").write_text(ANN)
        Path(f"ann/{name}.txt").write_text(TEXT)
    for name in ("b", "c10", "c9"):
        Path(f"tkn/{name}.txt.tab").write_text(TABLE)
    assert convert_("--to", "tbf", "-t", "tkn", "ann") == 0
    headers = [line.split()[1] for line in capsys.readouterr().out.splitlines() if line.startswith("#Begin")]
    assert headers == ["a", "b", "c9", "c10"]
    assert convert_("--to", "tbf", "-t", "tkn", "ann", "-o", "out/") == 0
    assert sorted(path.name for path in Path("out").iterdir()) == ["a.tbf", "b.tbf", "c10.tbf", "c9.tbf"]
    assert convert_("--to", "brat", "ann") == 2
    assert "brat has a file for each of the 4 documents, name a folder" in capsys.readouterr().err


def test_all_problems_of_all_files(capsys: pytest.CaptureFixture[str]) -> None:
    Path("ann/b.ann").write_text("T1\tX 0 x\ty\n")
    Path("ann/c.ann").write_text("E1\tX:T1\n")
    Path("ann/d.ann").write_text(ANN)
    assert convert_("--to", "tbf", "-t", "tkn", "ann", "-o", "a.tbf") == 1
    lines = capsys.readouterr().err.splitlines()
    assert [line.partition(", ")[0] for line in lines] == [
        "error: ann/b.ann:1:6: '0 x' is not a position in a text",
        "error: ann/c.ann:1:6: the event E1 has the trigger 'T1'",
        "error: tkn: there is no token table for the document 'd'",
    ]
    assert not Path("a.tbf").exists()


def test_problems_of_tbf(capsys: pytest.CaptureFixture[str]) -> None:
    Path("bad.tbf").write_text(TOKENS.replace("t9", "t99").replace("@After\tR2\t", "@After\t"))
    assert convert_("--to", "brat", "-t", "tkn", "bad.tbf", "-o", "out") == 1
    err = capsys.readouterr().err
    assert "bad.tbf:6:1: a relation line with 2 columns" in err
    assert "bad.tbf:3: E2 has the token t99, which the table tkn/a.tab does not have (its tokens: t0 to t9)" in err
    Path("far.tbf").write_text(CHARS.replace("33,41", "33,410"))
    assert convert_("--to", "brat", "--texts", "ann", "far.tbf", "-o", "out") == 1
    assert "far.tbf:3: E2 ends beyond the text of 54 characters" in capsys.readouterr().err
    assert convert_("--to", "brat", "t.tbf") == 2
    Path("t.tbf").write_text(TOKENS)
    assert convert_("--to", "brat", "t.tbf") == 2
    assert "without token tables, name their folder: -t" in capsys.readouterr().err
    assert not Path("out").exists()


def test_files_that_are_no_text(capsys: pytest.CaptureFixture[str]) -> None:
    for data in (CHARS.encode("utf-16"), b"", b"nothing\n"):
        Path("c.tbf").write_bytes(data)
        assert convert_("--to", "ere", "c.tbf", "-o", "out") == 1
    assert "the file has no documents" in capsys.readouterr().err
    Path("c.tbf").write_bytes(CHARS.encode().replace(b"shot", b"sh\xf6t"))
    assert convert_("--to", "tbf-char", "c.tbf") == 0
    out, err = capsys.readouterr()
    assert "sh\\xf6t down" in out
    assert err.startswith("note: c.tbf:2:26: the byte 0xf6 is not UTF-8 and read as an escape")


def test_a_table_of_another_document(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [row.split("\t") for row in TABLE.splitlines()]
    words = [row[1] for row in rows]
    other = "".join(f"{id}\t{word}\t{b}\t{e}\n" for (id, _, b, e), word in zip(rows, words[::-1], strict=True))
    Path("t.tbf").write_text(TOKENS)
    Path("c.tbf").write_text(CHARS)
    for name, kind in (("t.tbf", "tbf-char"), ("c.tbf", "tbf-token")):
        Path("tkn/a.tab").write_text(TABLE)
        assert run(["nugget", "convert", "--to", kind, "-t", "tkn", name]) == 0
        assert capsys.readouterr().err == ""
        Path("tkn/a.tab").write_text(other)
        assert run(["nugget", "convert", "--to", kind, "-t", "tkn", name]) == 0
        assert "the words of most nuggets of 'a' are not those of tkn/a.tab" in capsys.readouterr().err


def test_pairs_of_numbers_that_may_be_tokens(capsys: pytest.CaptureFixture[str]) -> None:
    Path("tkn/a.tab").write_text(TABLE.replace("t", ""))
    line = "s\ta\tE1\t1,3\tshot down\tConflict_Attack\tActual\n"
    Path("c.tbf").write_text(f"#BeginOfDocument a\n{line}#EndOfDocument\n")
    assert convert_("--to", "tbf", "-t", "tkn", "c.tbf") == 2
    assert "does not tell whether its places are tokens or characters" in capsys.readouterr().err
    assert convert_("--from", "tbf-token", "--to", "tbf", "-t", "tkn", "c.tbf") == 0
    assert "\t5,9;14,18\t" in capsys.readouterr().out


def test_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(CHARS.encode())))
    assert convert_("--from", "tbf", "--to", "tbf", "-t", "tkn", "-") == 0
    assert capsys.readouterr().out == TOKENS


def test_the_same_document_twice(capsys: pytest.CaptureFixture[str]) -> None:
    Path("c.tbf").write_text(CHARS)
    assert convert_("--to", "ere", "c.tbf", "ann/a.ann", "-o", "out") == 1
    assert "ann/a.ann: the document 'a' is also in c.tbf" in capsys.readouterr().err


def test_inputs_are_not_overwritten(capsys: pytest.CaptureFixture[str]) -> None:
    assert convert_("--to", "tbf", "-t", "tkn", "ann", "-o", "tkn/a.tab") == 2
    assert "tkn/a.tab: this file is also an input" in capsys.readouterr().err
    Path("c.tbf").write_text(CHARS.replace("E10", "E7"))
    shutil.copytree("ann", "both")
    assert convert_("--to", "brat", "--texts", "both", "c.tbf", "-o", "both") == 0  # the text is the same
    assert "E7" in Path("both/a.ann").read_text()
    assert convert_("--to", "brat", "ann", "-o", "ann") == 2
    assert Path("ann/a.ann").read_text() == ANN
    assert "ann/a.ann: this file is also an input" in capsys.readouterr().err
    Path("a.ann").write_text("")
    assert convert_("--to", "brat", "c.tbf", "-o", "a.ann/") == 2
    assert "a.ann/: this is a file, a folder is needed" in capsys.readouterr().err
    assert convert_("--to", "brat", "c.tbf", "-o", "no/such") == 2
    assert not [path for path in Path().iterdir() if path.name.startswith(".")]


def test_ids_that_lead_elsewhere(capsys: pytest.CaptureFixture[str]) -> None:
    Path("c.tbf").write_text(CHARS.replace("Document a\n", "Document ../a\n"))
    assert convert_("--to", "brat", "c.tbf", "-o", "out") == 1
    assert "the document id '../a' cannot be the name of a file" in capsys.readouterr().err
    assert not Path("out").exists()


def test_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert convert_("--to", "brat", "nothing.tbf") == 2
    assert convert_("--to", "brat", "nothing.x") == 2
    assert "the name does not show the format" in capsys.readouterr().err
    assert convert_("--from", "brat", "--to", "tbf", "-") == 2
    assert convert_("--from", "ere", "--to", "tbf", "ann") == 2
    assert "the folder has no files in the format ere" in capsys.readouterr().err
    Path("ann/a.tbf").write_text(CHARS)
    assert convert_("--to", "tbf", "ann") == 2
    assert "the folder has files in several formats: brat, tbf" in capsys.readouterr().err
    assert convert_("--to", "tbf", "ann", "--offsets", "utf-16", "--from", "tbf") == 2
    assert "without the texts" in capsys.readouterr().err


def test_utf_16(capsys: pytest.CaptureFixture[str]) -> None:
    Path("ann/a.txt").write_text("\U0001f600 died")
    Path("ann/a.ann").write_text("T1\tLife_Die 3 7\tdied\nE1\tLife_Die:T1\n")
    Path("tkn/a.tab").write_text("1\tdied\t3\t7\n")
    assert convert_("--to", "tbf", "ann", "--offsets", "utf-16") == 0
    assert "\tE1\t2,6\tdied\t" in capsys.readouterr().out
    both = ("--offsets", "utf-16", "--token-offsets", "utf-16")
    assert convert_("--to", "tbf", "-t", "tkn", "ann", *both, "-o", "t.tbf") == 0
    assert "\tE1\t1\tdied\t" in Path("t.tbf").read_text()
    assert convert_("--to", "tbf", "-t", "tkn", "--texts", "ann", "t.tbf", "--token-offsets", "utf-16") == 0
    out, err = capsys.readouterr()
    assert ("\tE1\t2,6\tdied\t" in out, err) == (True, "")
    assert convert_("--to", "tbf", "-t", "tkn", "t.tbf", "--token-offsets", "utf-16") == 2
    Path("c.tbf").write_text(out.replace("2,6", "3,7"))
    assert convert_("--to", "tbf-char", "--texts", "ann", "c.tbf", "--offsets", "utf-16") == 0
    assert capsys.readouterr().out == out


def test_official_demo(conformance: Path) -> None:
    """The shipped annotation files give the shipped gold file, but for its column of ones."""
    data = conformance / "conformance" / "nugget" / "data" / "scoring_demo" / "token_based"
    plan = Plan("tbf", tokens=data / "tkn", texts=data / "txt", system="brat_conversion")
    converted = convert([str(data / "ann")], plan)
    gold = (data / "gold.tbf").read_text()
    lines = [line.removesuffix("\t1") for line in gold.splitlines()]
    assert render(converted.documents, converted.target).splitlines() == lines
    files = render_files(converted.documents, "tbf-token")
    assert list(files) == ["example1.tbf", "example2.tbf"]
