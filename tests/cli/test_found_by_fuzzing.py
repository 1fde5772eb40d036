"""Inputs that once ended in a crash, took quadratic time, or were refused without the name of a file."""

from __future__ import annotations

import io
import sys
import time
from pathlib import Path

import pytest

from adjudge.cli import run

WEBANNO = "#FORMAT=WebAnno TSV 3.3\n#T_SP=webanno.custom.NE|value\n\n#Text=Ada\n1-1\t0-{end}\tAda\tPER\n"
NAMES = '{"id": "%s", "entities": [{"start": 0, "end": 3, "label": "PER"}]}\n'
RELATION = "Ada\tknows\tBob\td%d\n"


def _run(words: str, files: dict[str, str], monkeypatch: pytest.MonkeyPatch, folder: Path) -> int:
    for name, text in files.items():
        (folder / name).write_text(text)
    monkeypatch.chdir(folder)
    return run(words.split())


@pytest.mark.parametrize(
    ("words", "files", "code", "said"),
    [
        ("ner score a.tsv a.tsv --reader webanno", {"a.tsv": WEBANNO.format(end="9" * 5000)}, 1, "error: a.tsv:"),
        ("serve backup autumn -o -", {}, 2, "this writes a folder, name one"),
        ("serve program autumn names -o -", {}, 2, "name a file"),
        (
            "coref score a.conllu a.conllu --profile corefud",
            {"a.conllu": "# newdoc id = d\n1\tAda\t_\t_\t_\t_\t2\tnsubj\t_\t_\n" + "9" * 400 + "\n\n"},
            1,
            "error: a.conllu:3:1: ",
        ),
        (
            "relation score a.tsv b.tsv --reader triples",
            {"a.tsv": RELATION % 1, "b.tsv": RELATION % 2},
            1,
            "b.tsv: no document",
        ),
        ("ner score a.bio a.bio {", {"a.bio": "Ada B-PER\n"}, 2, "{"),
        ("ner score a.bio [", {"a.bio": "Ada B-PER\n\nBob B-PER\n"}, 2, "[: no file has such a name"),
    ],
)
def test_is_refused_by_name(
    words: str, files: dict[str, str], code: int, said: str,
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    assert _run(words, files, monkeypatch, tmp_path) == code
    assert said in capsys.readouterr().err


def test_names_of_documents_that_are_whole_books(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {f"{side}.jsonl": NAMES % (side * 100_000) for side in "ab"}
    start = time.process_time()
    assert _run("ner score a.jsonl b.jsonl", files, monkeypatch, tmp_path) == 1
    assert time.process_time() - start < 5


def test_relations_of_hyphens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"a.tsv": "Ada\t-\tBob\nBob\t--\tCid\n"}
    assert _run("kbp score a.tsv a.tsv --names folded --bootstrap 0", files, monkeypatch, tmp_path) == 0


def test_two_standard_inputs_after_each_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"a.nt": "<http://e/a> <http://e/r> <http://e/b> .\n"}
    for wanted in ("--reader nonsense", "--reader ntriples"):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(files["a.nt"].encode())))
        code = _run(f"kbp score a.nt - {wanted} --bootstrap 0", files, monkeypatch, tmp_path)
    assert code == 0


def test_a_design_without_rows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from adjudge.errors import FormatError
    from adjudge.estimates.files import read_design

    empty = tmp_path / "design.jsonl"
    empty.write_text("## i<a>d</a>\n")
    with pytest.raises(FormatError, match="the design has no row"):
        read_design(empty)
