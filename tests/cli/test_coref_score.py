"""`adjudge coref score` from the command line."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from adjudge.cli import run
from adjudge.tasks.coref.task import score
from calling import caller


def conll(name, *columns):
    return "\n".join([f"#begin document {name}", *(f"w\t{column}" for column in columns), "#end document", ""])


KEY = "".join(
    conll(f"({genre}/x/{k}); part 000", "(1", "1)", "(2)", "(1)", "(2)") for k, genre in enumerate(["bc", "nw", "nw"])
)
GOOD = "".join(
    conll(f"({genre}/x/{k}); part 000", "(1", "1)", "(2)", "(1)", "(2)" if k else "(1)")
    for k, genre in enumerate(["bc", "nw", "nw"])
)
POOR = conll("(bc/x/0); part 000", "(1)", "-", "(1)", "(1)", "(1)")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in (("key", KEY), ("good", GOOD), ("poor", POOR)):
        Path(f"{name}.conll").write_text(text)
    return tmp_path


call = caller("coref", "score")


def test_one_table(call):
    code, out, err = call("key.conll", "good.conll")
    assert (code, err) == (0, "")
    assert out.splitlines()[0].split() == ["metric", "recall", "precision", "f1"]
    assert "coref.conll" in out
    assert "profile    conll-8.01" in out
    assert "interval   95 %" in out


def test_a_quiet_command_prints_the_same_scores_and_saves_the_same_signature(call):
    _, told, _ = call("key.conll", "good.conll")
    code, quiet, _ = call("key.conll", "good.conll", "--quiet")
    assert code == 0
    assert told.startswith(quiet.rstrip())
    (signature,) = (line.split()[1] for line in told.splitlines() if line.startswith("signature"))
    assert "|gold:" in signature
    for more in (["--format", "json", "-o", "saved.json"], ["--save", "saved.json"]):
        assert call("key.conll", "good.conll", "--quiet", *more)[0] == 0
        assert json.loads(Path("saved.json").read_text())["signature"] == signature
    call("key.conll", "good.conll", "--quiet", "--summary", "summary.md")
    assert signature in Path("summary.md").read_text()
    assert "|gold:" not in score("key.conll", "good.conll", digest=False).signature


def test_an_average_brings_its_metrics_and_slices_are_genres(call):
    code, out, _ = call("key.conll", "good.conll", "--metric", "muc,conll", "--by", "genre", "--format", "csv")
    rows = [line.split(",") for line in out.splitlines()[1:]]
    assert code == 0
    assert list(dict.fromkeys(row[1] for row in rows)) == ["coref.muc", "coref.b3", "coref.ceafe", "coref.conll"]
    assert {genre for genre in ("bc", "nw") if f'""{genre}""' in out} == {"bc", "nw"}
    assert call("key.conll", "poor.conll", "--fail-under", "coref.conl.f1=0.9")[0] == 2


def test_compat_prints_the_reference_scorers_lines_and_nothing_else(call):
    code, out, err = call("--compat", "conll-8.01", "--metric", "all", "key.conll", "good.conll")
    assert (code, err) == (0, "")
    assert out.startswith("\nMETRIC muc:\n\n====== TOTALS =======\nIdentification of Mentions: Recall: (12 / 12) 100%")
    assert [line for line in out.splitlines() if line.startswith("METRIC")] == [
        f"METRIC {name}:" for name in ("muc", "bcub", "ceafm", "ceafe", "blanc")
    ]
    code, out, _ = call("--compat", "conll-8.01", "--metric", "muc", "key.conll", "good.conll", "--each-document")
    assert out.startswith(
        "====> (bc/x/0); part 000:\nFile (bc/x/0); part 000:\nEntity 0: (0,1) (3,3)\nEntity 1: (2,2) (4,4)\n"
    )


def test_compat_warns_of_what_it_would_not_say(call):
    Path("twice.conll").write_text(conll("(bc/x/0); part 000", "(1)|(2)", "-", "(2)|(3)", "(3)", "-"))
    code, out, err = call("--compat", "conll-8.01", "--metric", "muc", "key.conll", "twice.conll")
    assert code == 0
    assert "Repeated mention in the response: 2, 2" in out
    assert "warning: 2 gold documents have no system output and count as empty" in err
    assert "warning:   (2,2) in chains 2 and 3 of '(bc/x/0); part 000'" in err
    assert call("--compat", "conll-8.01", "--quiet", "key.conll", "twice.conll")[2] == ""


@pytest.mark.parametrize(
    "arguments",
    [
        ("--compat", "conll-8.01", "--profile", "clean"),
        ("--compat", "conll-8.01", "--by", "genre"),
        ("--compat", "conll-8.01", "--format", "json"),
        ("--compat", "conll-8.01", "--metric", "lea"),
        ("--compat", "conll-8.01", "--save", "x.json"),
        ("--compat", "conll-8.01", "poor.conll"),
        ("--each-document",),
        ("--explain", "(bc/x/0); part 000", "--by", "genre"),
        ("--explain", "(bc/x/0); part 000", "--format", "csv"),
        ("--explain", "nothing"),
        ("--overlap", "0.5"),
        ("--match", "head"),
        ("--metric", "f1"),
        ("--by", "author"),
    ],
)
def test_what_does_not_go_together(call, arguments):
    code, out, err = call("key.conll", "good.conll", *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("error: ")


def test_explain(call):
    code, out, _ = call("key.conll", "good.conll", "poor.conll", "--explain", "(bc/x/0); part 000")
    assert code == 0
    assert out.startswith("(bc/x/0); part 000  good  coref: ")
    assert "mixed: gold 1" in out
    _, out, _ = call("key.conll", "good.conll", "--explain", "bc/x/0", "--format", "json")
    assert json.loads(out)[0]["system"] == "good"


def test_formats_are_told_by_content(call):
    for name in ("key", "good"):
        assert run(["coref", "convert", "--to", "jsonl", f"{name}.conll", "-o", f"{name}.jsonl"]) == 0
        assert run(["coref", "convert", "--to", "conllu", f"{name}.conll", "-o", f"{name}.conllu"]) == 0
    outs = []
    for suffix in ("conll", "jsonl", "conllu"):
        code, out, _ = call(f"key.{suffix}", f"good.{suffix}", "--format", "csv", "--bootstrap", "0", "--pool", "macro")
        assert code == 0
        outs.append(out)
    assert outs[0] == outs[1] == outs[2]


def test_broken_files_and_strict(call):
    Path("broken.conll").write_text(conll("(bc/x/0); part 000", "(1", "2)"))
    code, out, err = call("key.conll", "broken.conll")
    assert (code, out) == (1, "")
    assert "broken.conll:2:3: a mention of chain 1 opens here and never closes" in err
    assert call("key.conll", "poor.conll", "--profile", "strict")[0] == 1


def test_small_commands_load_nothing_heavy(folder):
    for more in (["--bootstrap", "0"], ["--compat", "conll-8.01"], ["--docs", "(bc/x/0); part 000"]):
        code = (
            "import sys\nfrom adjudge.cli import run\n"
            f"assert run(['coref', 'score', 'key.conll', 'good.conll', '--quiet', *{more!r}]) == 0\n"
            "heavy = {'numpy', 'scipy', 'rich', 'adjudge.algebra', 'adjudge.metrics'} & set(sys.modules)\n"
            "assert not heavy, heavy\n"
        )
        subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL, cwd=folder)
