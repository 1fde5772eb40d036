"""What stands on a terminal and not in a pipe: progress, colours; and what --quiet and --verbose change."""

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from adjudge.cli import output
from adjudge.cli.output import working

pty = pytest.importorskip("pty")  # not on Windows
PROGRAM = [sys.executable, "-c", "from adjudge.cli import main, output; output.PATIENCE = 0; main()"]


IMPATIENT = PROGRAM[2].replace("; main", "; output.SLOW = 0.3; main")
WAITING = """
import time

def alike(s, g):
    time.sleep(1.5 if g == "wait" else 0)
    return float(s == g)
"""
WAITS = (
    "name: waits\nmetric: {sim: record, fields: {items: {sim: set, of: {sim: custom, function: 'waiting:alike'}}}}\n"
)


def on_a_terminal(*arguments: str, program: str = PROGRAM[2], **environment: str) -> tuple[int, str, str]:
    """The exit code, what goes to standard output, and what a terminal gets as standard error."""
    ours, theirs = pty.openpty()
    clean = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "TERM", "COLUMNS")}
    ran = subprocess.Popen(
        [*PROGRAM[:2], program, *arguments],
        stdout=subprocess.PIPE,
        stderr=theirs,
        env={**clean, "TERM": "xterm", **environment},
    )
    os.close(theirs)
    seen = b""
    while True:
        try:
            block = os.read(ours, 10_000)
        except OSError:  # the other side is closed
            break
        if not block:
            break
        seen += block
    os.close(ours)
    out, _ = ran.communicate(timeout=60)
    return ran.returncode, out.decode(), seen.decode()


def test_progress_is_for_terminals_and_can_be_turned_off(campaign: Path):
    score = ("score", "relation.strict", "gold.jsonl", "good.jsonl", "--bootstrap", "0")
    code, out, err = on_a_terminal(*score)
    assert code == 0
    assert "scoring" in err
    assert "8/8" in err
    assert "\x1b" not in out  # a terminal as standard error does not colour the table
    quiet = on_a_terminal(*score, "--quiet")
    assert (quiet[0], quiet[2]) == (0, "")
    assert out.startswith(quiet[1].rstrip("\n"))
    piped = subprocess.run([*PROGRAM, *score], capture_output=True, text=True)
    assert (piped.stderr, piped.stdout) == ("", out)


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_document_that_takes_long_is_named(jobs: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    Path("waiting.py").write_text(WAITING)
    Path("waits.yaml").write_text(WAITS)
    rows = [{"id": f"doc-{name}", "items": [name]} for name in ("one", "two", "wait", "three")]
    Path("gold.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    words = ("score", "waits.yaml", "gold.jsonl", "gold.jsonl", "--bootstrap", "0", "--jobs", jobs)
    code, _, err = on_a_terminal(*words, program=IMPATIENT)
    assert code == 0, err
    assert "scoring doc-wait" in err
    assert "doc-one" not in err
    assert "doc-" not in on_a_terminal(*words)[2]


def test_no_color_is_respected(campaign: Path):
    wrong = ("score", "relation.strict", "gold.jsonl", "missing.jsonl")
    assert "\x1b[1;31merror:\x1b[0m missing.jsonl: there is no such file" in on_a_terminal(*wrong)[2]
    assert on_a_terminal(*wrong, "--quiet", NO_COLOR="1")[2].startswith("error: missing.jsonl")
    coloured = re.compile(r"\x1b\[[\d;]*[34]\dm")  # a foreground or background colour
    score = ("score", "relation.strict", "gold.jsonl", "good.jsonl")
    assert not coloured.search(on_a_terminal(*score, NO_COLOR="1")[2])


def test_verbose_says_what_is_done(adjudge, campaign: Path):
    score = ("score", "relation.strict", "gold.jsonl", "good.jsonl", "--save", "good.json")
    said = adjudge(*score, "--verbose")
    assert re.findall(r"^ *\d+\.\d\d s  (\w+)", said.err, re.M) == ["reading", "counted"]
    assert adjudge(*score).err == ""
    assert "read 1 result(s)" in adjudge("compare", "good.json", "--verbose").err
    assert "read 2 annotators" in adjudge("agree", "relation.strict", "gold.jsonl", "good.jsonl", "--verbose").err
    assert "read 1 result(s)" in adjudge("report", "good.json", "-o", "page.html", "--verbose").err


class Terminal:
    """A stream that says it is a terminal."""

    def __init__(self) -> None:
        self.written: list[str] = []

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self.written.append(text)
        return len(text)

    def flush(self) -> None:
        pass


def test_long_work_gives_a_sign_of_life(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(output, "PATIENCE", 0.0)
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    with working("counting", shown=True):
        for _ in range(200):
            if any("counting" in text for text in stream.written):
                break
            time.sleep(0.05)
    assert any("counting" in text for text in stream.written)
    stream.written.clear()
    with working("counting", shown=False) as progress:
        assert progress is None
    assert stream.written == []


def test_short_work_gives_none(monkeypatch: pytest.MonkeyPatch):
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(output, "PATIENCE", 600.0)
    with working("counting", shown=True):
        pass
    assert stream.written == []


def test_help_has_headings_and_examples(adjudge):
    text = adjudge("--help").out
    headings = re.findall(r"(?:^|  )([A-Z][a-z ]+):(?= |$)", text, re.M)
    assert headings[2:] == ["Options", "Compare and report", "Assess and plan", "More", "Examples"]
    tasks = text.partition("\nScore, validate, explain (adjudge TASK --help):\n")[2].partition("\n\n")[0].split()
    assert {"coref", "nugget", "eal", "kbp", "ner", "tree"} <= set(tasks)
    assert not {"score", "report", "serve"} & set(tasks), "tools are not tasks"
    lines = text.splitlines()
    assert len(lines) <= 30, "the help fits a screen"
    assert max(map(len, lines)) <= 80, "also of 80 columns"
    assert "\n  Examples:\n    adjudge demo\n" in text
    for name in ("score", "compare", "agree", "select", "report", "merge", "demo", "schema", "completion", "metrics"):
        assert "Example" in adjudge(name, "--help").out, name
