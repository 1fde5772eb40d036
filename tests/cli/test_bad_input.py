"""Every kind of bad input: one clear line each, the right exit code, and nothing written."""

import gzip
import json
from pathlib import Path

import pytest

from adjudge.cli import run
from adjudge.tasks.family import families
from adjudge.tasks.named import OWN

GOOD = '{"id": "d%d", "relations": []}'
RELATION = {"type": "x", "subject": {"start": 0, "end": 1}, "object": {"start": 2, "end": 3}}


SHOWN = "`adjudge metrics relation.strict` shows what is expected"


def document(**changes: object) -> bytes:
    return json.dumps({"id": "d1", "relations": [{**RELATION, **changes}]}).encode()


@pytest.mark.parametrize(
    ("second", "at", "said"),
    [
        (b'{"id": "d1", "relations": [}', b"}", "malformed JSON (expecting value), fix the line"),
        (
            b'{"id": "d1", "relations": [1,',
            b"",
            "malformed JSON (the line ends in the middle of a value), complete the line",
        ),
        (b'{"id": "d1", "relations": [], "p": NaN}', b"NaN", "NaN is not JSON, write null or a number"),
        (
            b'{"id": "d1", "t": "caf\xe9", "relations": []}',
            b"\xe9",
            "the byte 0xe9 is not UTF-8, save the file as UTF-8",
        ),
        (b"[1, 2]", None, "expected an object, got an array, write one object per line"),
        (b'{"relations": []}', None, 'the document has no id, add a field "id"'),
        (b'{"id": null, "relations": []}', b"null", "expected a string or an integer as id, got null, quote the id"),
        (
            b'{"id": "d0", "relations": []}',
            b'"d0"',
            "duplicate id 'd0', it is already used in line 1; give every document its own id",
        ),
        (b'{"id": "dd1", "relations": []}', None, "the document 'dd1' is not in the gold documents, did you mean d1?"),
        (
            b'{"id": "d1", "relation": []}',
            b"{",
            "relations: the field 'relations' is missing, did you mean relation?",
        ),
        (b'{"id": "d1", "relations": 5}', b"5", f"relations: expected an array, got an integer, {SHOWN}"),
        (document(type=5), b"5", f"relations[0].type: expected a string, got an integer, {SHOWN}"),
        (
            document(subject={"start": "0", "end": 1}),
            b'"0"',
            f"relations[0].subject.start: expected an integer, got a string, {SHOWN}",
        ),
        (
            document(object={"start": 2}),
            b'{"start": 2}',
            "relations[0].object.end: the field 'end' is missing, the fields there are start",
        ),
    ],
)
def test_one_line(adjudge, campaign: Path, second: bytes, at: bytes | None, said: str) -> None:
    column = "" if at is None else f":{(second.index(at) if at else len(second)) + 1}"
    (campaign / "bad.jsonl").write_bytes((GOOD % 0).encode() + b"\n" + second + b"\n" + (GOOD % 2).encode() + b"\n")
    ran = adjudge("score", "relation.strict", "gold.jsonl", "bad.jsonl", "-o", "out", "--save", "saved.json")
    assert (ran.code, ran.out, ran.err) == (1, "", f"error: bad.jsonl:2{column}: {said}\n")
    assert not (campaign / "out").exists()
    assert not (campaign / "saved.json").exists()


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (
            ("relation.strit", "gold.jsonl", "good.jsonl"),
            2,
            "there is no metric 'relation.strit', did you mean relation.strict or relation.triples or relation.spans?",
        ),
        (("relation.strict", "none.jsonl", "good.jsonl"), 2, "none.jsonl: there is no such file, check the path"),
        (
            ("relation.strict", "gold.jsonl", "nothing"),
            2,
            "nothing: the folder has no documents, it should have files that end in .jsonl, .ndjson, .json, .parquet, "
            "plain or with .gz or .zst or .xz",
        ),
        (
            ("relation.strict", "gold.jsonl", "run-*.jsonl"),
            2,
            "run-*.jsonl: no file has such a name, check the pattern",
        ),
        (
            ("relation.strict", "empty.jsonl", "good.jsonl"),
            1,
            "empty.jsonl: the file has no documents, write one JSON object per line, each with an id",
        ),
        (
            ("relation.strict", "gold.jsonl", "array.json"),
            1,
            "array.json:1:1: the file is one JSON array, write one object per line, for example with: jq -c '.[]'",
        ),
        (
            ("relation.strict", "gold.jsonl", "good.jsonl", "--by", "gener"),
            2,
            "no gold document has a field 'gener' to slice by, did you mean genre?",
        ),
    ],
)
def test_the_call_or_the_file(adjudge, campaign: Path, arguments, code: int, said: str) -> None:
    (campaign / "empty.jsonl").write_text("")
    (campaign / "array.json").write_text('[{"id": "d0"}]')
    (campaign / "nothing").mkdir()
    ran = adjudge("score", *arguments, "-o", "out", "--save", "saved.json")
    assert (ran.code, ran.out, ran.err) == (code, "", f"error: {said}\n")
    assert not (campaign / "out").exists()
    assert not (campaign / "saved.json").exists()


def test_a_bug_is_not_blamed_on_the_input(adjudge, monkeypatch) -> None:
    import adjudge.tasks.request as module

    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr(module, "evaluate", broken)
    ran = adjudge("score", "relation.strict", "gold.jsonl", "good.jsonl")
    assert ran.code == 70
    assert ran.err.splitlines() == [
        "error: this is a bug in adjudge, not in your input: ZeroDivisionError: oops",
        "error: please report it to the maintainers, with the output of the same command and --verbose",
    ]
    assert "Traceback" in adjudge("score", "relation.strict", "gold.jsonl", "good.jsonl", "--verbose").err


def test_an_interrupt(adjudge, monkeypatch) -> None:
    import adjudge.tasks.request as module

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "evaluate", interrupted)
    ran = adjudge("score", "relation.strict", "gold.jsonl", "good.jsonl")
    assert (ran.code, ran.err.strip()) == (130, "error: interrupted")


@pytest.mark.parametrize(
    "number", ["9" * 400, "-" + "9" * 400, "9" * 5000, "1e400"], ids=["long", "low", "longer", "float"]
)
def test_a_number_beyond_what_can_be_counted(adjudge, campaign: Path, number: str) -> None:
    (campaign / "near.yaml").write_text("metric: {sim: record, fields: {v: {sim: number, scale: 10}}}\n")
    (campaign / "one.jsonl").write_text('{"id": "d", "v": 1}\n')
    (campaign / "large.jsonl").write_text('{"id": "d", "v": ' + number + "}\n")
    for files in (("one.jsonl", "large.jsonl"), ("large.jsonl", "large.jsonl")):
        ran = adjudge("score", "near.yaml", *files)
        assert (ran.code, ran.out) == (1, "")
        assert ran.err.startswith("error: large.jsonl:1:18: ")


@pytest.mark.parametrize("task", [*OWN, *families()])
def test_a_damaged_file_is_a_finding_of_every_validator(task, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("cut.gz").write_bytes(gzip.compress(b'{"id": "d1", "entities": []}\n' * 500)[:60])
    assert run([task, "validate", "cut.gz", "--format", "json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["errors"] == 1
    assert found["findings"][0]["path"] == "cut.gz"


def test_a_text_is_not_a_table(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("letter.txt").write_text("This is a letter, not an annotation.\nDear Sir,\n")
    assert run(["doctor", "letter.txt"]) == 1
    assert "not recognised" in capsys.readouterr().out
    assert run(["record", "validate", "letter.txt"]) == 1
    assert "malformed JSON" in capsys.readouterr().out


def test_the_validator_of_nuggets_says_what_a_file_looks_like(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("system.jsonl").write_text('{"id": 1}\n{"id": 2}\n')
    assert run(["nugget", "validate", "system.jsonl", "--quiet"]) == 1
    said = (
        "system.jsonl: error: this looks like JSON lines, give TBF instead (first problem: the file has no documents)"
    )
    assert capsys.readouterr().out.splitlines() == [said]
