"""`adjudge GOLD SYSTEM...`: the task is guessed, said, and scored as its own command does."""

import subprocess
import sys
from pathlib import Path

import pytest

from adjudge.demo import DATA

TREE = "1\tIt\tit\tPRON\t_\t_\t2\tnsubj\t_\t_\n2\truns\trun\tVERB\t_\t_\t0\troot\t_\t_\n\n"
WRITTEN = {
    "ner score": "EU B-ORG\nleft O\n",
    "tree score": TREE,
    "amr score": "# ::id s1\n(w / want-01 :ARG0 (b / boy))\n",
    "kbp score": "ana\tspouse\tben\td1\neva\tspouse\tdan\td2\n",
    "event score": '{"id": "d1", "events": []}\n',
    "record score": '{"id": "d1", "records": [{"a": 1}]}\n',
}
BUNDLED = {
    "coref score": ("coref/key.conll", "coref/linden.conll"),
    "nugget score": ("nugget/gold.tbf", "nugget/heron.tbf"),
    "kbp score": ("kbp/gold.jsonl", "kbp/delta.tsv"),
    "score event.trigger-id,event.trigger-cls,event.argument-id,event.argument-cls,relation.strict": (
        "gold.jsonl",
        "alder.jsonl",
    ),
    "eal score": ("eal/assessments", "eal/submissions/granite"),
}


@pytest.mark.parametrize("command", [*WRITTEN, *(f"{name}: bundled" for name in BUNDLED)])
def test_the_task_is_guessed_and_said(adjudge, campaign: Path, command: str) -> None:
    name, _, bundled = command.partition(":")
    files = [str(DATA / each) for each in BUNDLED[name]] if bundled else ["gold.txt", "system.txt"]
    if not bundled:
        for each in files:
            (campaign / each).write_text(WRITTEN[name])
    guessed = adjudge(*files, "--bootstrap", "0", "--quiet")
    line = next(line for line in guessed.err.splitlines() if line.startswith("guessed: "))
    full = line.partition("guessed: adjudge ")[2].split()
    assert " ".join(full).startswith(name)
    own = adjudge(*full)
    assert (guessed.code, guessed.out) == (own.code, own.out)


def test_saved_results_are_compared(adjudge) -> None:
    for name in ("good", "poor"):
        adjudge("score", "relation.strict", "gold.jsonl", f"{name}.jsonl", "--save", f"{name}.json", "--quiet")
    assert (
        adjudge("good.json", "poor.json", "--quiet").out == adjudge("compare", "good.json", "poor.json", "--quiet").out
    )


def test_what_cannot_be_guessed_is_said(adjudge, campaign: Path) -> None:
    (campaign / "words").write_text("Some words.\nAnd more.\n")
    ran = adjudge("words", "good.jsonl")
    assert ran.code == 1
    assert ran.err.startswith("error: words:1:")
    assert "there is no command 'nothing'" in adjudge("nothing", "good.jsonl").err


def test_python_dash_m() -> None:
    ran = subprocess.run([sys.executable, "-m", "adjudge", "--version"], capture_output=True, text=True, check=True)
    assert ran.stdout.startswith("adjudge ")


def test_a_table_of_relations_may_call_its_columns_head_and_tail(adjudge, campaign: Path) -> None:
    (campaign / "rel.csv").write_text("doc,head,relation,tail\n1,a,r,b\n1,a,r,c\n")
    found = adjudge("relation", "score", "rel.csv", "rel.csv", "--bootstrap", "0")
    assert found.out.splitlines()[1].split() == ["relation.triples", "100.0", "100.0", "100.0"]
    assert "relation (triples)" in adjudge("doctor", "rel.csv").out
