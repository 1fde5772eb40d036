"""`adjudge kbp validate`."""

import gzip
import json
from pathlib import Path

import pytest

from adjudge.cli import run

KB = """run1
:Entity_1\ttype\tPER
:Entity_1\tmention\t"Ana"\tD1:0-2
:Entity_1\tcanonical_mention\t"Ana"\tD1:0-2
"""
TRIPLES = "ana\tspouse\tben\td1\n"
TOTAL = "1 document, 1 entity, 0 events, 0 strings, 1 mention, 0 facts, 0 errors, 0 warnings\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("a.tac").write_text(KB)
    Path("t.tsv").write_text(TRIPLES)
    return tmp_path


def test_good_files(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["kbp", "validate", "a.tac", "t.tsv", "--strict"]) == 0
    assert capsys.readouterr() == (
        f"a.tac: {TOTAL}t.tsv: 1 line, 2 nodes, 1 relation, 1 document, 0 errors, 0 warnings\n",
        "",
    )


def test_findings_have_a_place_a_remedy_and_what_was_done(capsys: pytest.CaptureFixture[str]) -> None:
    Path("b.tac").write_text(KB.replace("D1:0-2\n", "D1:0-2\t1.5\n", 1) + ":Entity_1\tper:spouse\n")
    assert run(["kbp", "validate", "b.tac"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "b.tac:3:32: error: the confidence '1.5' is not allowed, "
        "write a number above 0 and at most 1, with a decimal point [read as 1]",
        "b.tac:5:1: error: a line with 2 fields instead of 4, and a confidence, "
        "write subject, predicate, object, provenance with TABs between them",
        "b.tac: 1 document, 1 entity, 0 events, 0 strings, 1 mention, 0 facts, 2 errors, 0 warnings",
    ]


def test_repair(capsys: pytest.CaptureFixture[str]) -> None:
    Path("b.tac").write_text(KB.replace("run1\n", "") + ":Entity_1\tper:spouse\n")
    assert run(["kbp", "validate", "b.tac", "--repair", "out.tac"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0].endswith("[called OmittedRunID]")
    assert out[-1] == "out.tac: written, 1 assertion left out, 0 errors and 0 warnings remain"
    assert run(["kbp", "validate", "out.tac", "--strict"]) == 0
    assert capsys.readouterr().out == f"out.tac: {TOTAL}"


def test_what_remains_after_a_repair(capsys: pytest.CaptureFixture[str]) -> None:
    Path("b.tac").write_text(KB.replace("PER", "RABBIT"))
    assert run(["kbp", "validate", "b.tac", "--repair", "out.tac"]) == 1
    assert capsys.readouterr().out.splitlines()[-2:] == [
        "out.tac: written, 1 error and 0 warnings remain",
        "  1 illegal-type",
    ]
    assert run(["kbp", "validate", "b.tac", "--repair", "out.tac", "--format", "json"]) == 1
    out = capsys.readouterr().out
    assert run(["kbp", "validate", "b.tac", "--repair", "out.tac", "--save", "found.json"]) == 1
    assert Path("found.json").read_text() == out
    assert "out.tac: written" in capsys.readouterr().out
    record = json.loads(out)
    assert (record["repaired"]["path"], record["repaired"]["errors"]) == ("out.tac", 1)


def test_nothing_to_repair(capsys: pytest.CaptureFixture[str]) -> None:
    Path("b.tac").write_text("run1\n")
    assert run(["kbp", "validate", "b.tac", "--repair", "out.tac"]) == 1
    assert capsys.readouterr().out.endswith("out.tac: not written, nothing could be read\n")
    assert not Path("out.tac").exists()


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    Path("b.tac").write_text(KB.replace(":Entity_1\ttype", "Entity_1\ttype"))
    assert run(["kbp", "validate", "b.tac", "--format", "json"]) == 0
    report = json.loads(capsys.readouterr().out)
    counts = {"documents": 1, "entities": 1, "events": 0, "strings": 0, "mentions": 1, "facts": 0}
    told = {"format": "coldstart", "unrepaired": 0, "errors": 0, "warnings": 1}
    assert report["files"] == [{"path": "b.tac", **counts, **told}]
    assert [(each["kind"], each["repair"]) for each in report["findings"]] == [("colon-omitted", "the colon is added")]


def test_source_documents(capsys: pytest.CaptureFixture[str]) -> None:
    Path("docs").mkdir()
    Path("docs/D1.xml").write_text("Ben")
    assert run(["kbp", "validate", "a.tac", "--docs", "docs", "--strict"]) == 1
    assert "a.tac:3: warning: D1:0-2 is 'Ben', not 'Ana'" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments",
    [
        ["."],
        ["a.tac", "--docs", "none"],
        ["t.tsv", "--docs", "."],
        ["t.tsv", "--repair", "out.tac"],
        ["a.tac", "t.tsv", "--repair", "out.tac"],
        ["a.tac", "--repair", "a.tac"],
        ["a.tac", "--repair", "none/out.tac"],
        ["a.tac", "--repair", "x", "-o", "x"],
        ["a.tac", "--from", "xml"],
        ["-", "--from", "ace"],
    ],
)
def test_wrong_usage(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["kbp", "validate", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err
    assert "Traceback" not in err
    assert Path("a.tac").read_text() == KB


HOSTILE = {
    "a line of 20 MB": b"run\n" + b"x" * 20_000_000,
    "UTF-16": KB.encode("utf-16"),
    "latin-1": KB.replace("Ana", "\xc1na").encode("latin-1"),
    "null bytes": KB.replace("Ana", "\0" * 1000).encode(),
    "colours": KB.replace("PER", "\x1b[31m" * 100).encode(),
    "a damaged gzip": gzip.compress(KB.encode() * 50)[:-12],
    "huge offsets": KB.replace("0-2", "0-" + "9" * 5000).encode(),
    "nothing": b"",
    "entities": b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><source_file>&x;</source_file>',
    "a bomb": b'<!DOCTYPE a [<!ENTITY x "lol"><!ENTITY y "&x;&x;&x;">]><deft_ere>&y;</deft_ere>',
    "deep JSON": b'{"id": "a", "entities": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "no JSON": b'{"id": "a", "entities": [',
    "a picture": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)) * 10,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_input(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("b.tac").write_bytes(HOSTILE[name])
    assert run(["kbp", "validate", "b.tac"]) == 1
    out, err = capsys.readouterr()
    assert err == ""
    assert 0 < len(out) < 6000
    assert "\x1b" not in out
    assert "\0" not in out
    assert "root:" not in out
    assert any("b.tac" in line and ": error: " in line for line in out.splitlines())
