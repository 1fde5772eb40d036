"""`adjudge coref convert` and `adjudge coref validate`."""

import json
from pathlib import Path

import pytest

from adjudge.cli import run

CONLL = "#begin document (a); part 000\nx\t(1\ny\t-\nz\t(2)|1)\n\n#end document\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("a.conll").write_text(CONLL)
    return tmp_path


def test_convert_to_and_fro(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["coref", "convert", "--to", "jsonl", "a.conll"]) == 0
    out, err = capsys.readouterr()
    record = {"id": "(a); part 000", "tokens": 3, "clusters": [[[0, 2]], [[2, 2]]], "ids": ["1", "2"]}
    assert (json.loads(out), err) == (record, "")
    Path("a.jsonl").write_text(out)
    assert run(["coref", "convert", "--from", "jsonl", "--to", "conllu", "a.jsonl", "-o", "a.conllu"]) == 0
    assert run(["coref", "convert", "--to", "conll", "a.conllu"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("\t")[-1] for line in lines[1:-1]] == ["(1", "-", "(2)|1)"]


def test_a_dash_is_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["coref", "convert", "--to", "conll", "a.conll", "-o", "-"]) == 0
    assert capsys.readouterr().out.startswith("#begin document (a); part 000")
    assert run(["coref", "validate", "a.conll", "-o", "-"]) == 0
    assert capsys.readouterr().out.startswith("a.conll: 1 document")
    assert not Path("-").exists()


def test_convert_says_what_is_lost(capsys: pytest.CaptureFixture[str]) -> None:
    Path("gap.jsonl").write_text('{"id": "a", "clusters": [[[0, 0, 2, 2]]], "text": "x"}\n')
    assert run(["coref", "convert", "--to", "conll", "gap.jsonl", "-o", "gap.conll"]) == 0
    assert capsys.readouterr().err.splitlines() == [
        "note: gap.jsonl: not read: text",
        "note: gap.jsonl: 1 mention with gaps written from the first to the last token",
        "note: gap.jsonl: 1 document of unknown length written up to the last mention",
    ]
    assert run(["coref", "convert", "--to", "conll", "gap.jsonl", "--quiet"]) == 0
    assert capsys.readouterr().err == ""


def test_convert_refuses(capsys: pytest.CaptureFixture[str]) -> None:
    Path("cross.jsonl").write_text('{"id": "a", "clusters": [[[0, 2], [1, 3]]]}\n')
    assert run(["coref", "convert", "--to", "conll", "cross.jsonl", "-o", "cross.conll"]) == 1
    assert "cross.jsonl:1: the mention [0, 2] of chain 0 crosses or touches" in capsys.readouterr().err
    assert not Path("cross.conll").exists()
    assert run(["coref", "convert", "a.conll"]) == 2
    assert run(["coref", "convert", "--to", "conll", "a.conll", "-o", "a.conll"]) == 2
    assert run(["coref", "convert", "--to", "conll", "none"]) == 2


def test_validate(capsys: pytest.CaptureFixture[str]) -> None:
    Path("b.conll").write_text(CONLL.replace("-", "(2)|(3)"))
    assert run(["coref", "validate", "a.conll", "b.conll"]) == 0
    assert capsys.readouterr().out == (
        "a.conll: 1 document, 3 tokens, 2 chains, 2 mentions, 0 errors, 0 warnings\n"
        "b.conll:3:7: warning: the mention of token 1 is in chain 3 and in chain 2 (line 3), keep it in one chain\n"
        "b.conll: 1 document, 3 tokens, 3 chains, 4 mentions, 0 errors, 1 warning\n"
    )


def test_validate_other_formats(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.jsonl").write_text('{"id": "a", "clusters": [[[1, 0]]]}\n')
    assert run(["coref", "validate", "a.jsonl", "--quiet"]) == 1
    assert capsys.readouterr().out.startswith("a.jsonl:1:27: error: the mention [1, 0] ends before it starts")


def test_a_file_of_another_format_is_named(tmp_path, capsys):
    table = tmp_path / "key.csv"
    table.write_text("id,text\n1,a\n2,b\n")
    assert run(["coref", "validate", str(table)]) == 1
    printed = capsys.readouterr()
    assert "this looks like CSV (columns id, text), give CoNLL, CorefUD or JSON lines of clusters instead" in (
        printed.out + printed.err
    )
