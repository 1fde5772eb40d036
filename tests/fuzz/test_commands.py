"""Whole commands on broken files and with options of all kinds: a short run, and what counts as broken."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from fuzz.forks import wrong
from fuzz.known import known
from fuzz.nasty import Case

ROOT = Path(__file__).parents[2]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc")
def test_what_once_did_not_end_and_some_more() -> None:
    count = len(known()) + 15
    line = [sys.executable, "-m", "fuzz", "--commands", "--known", "--count", str(count), "--seed", "9"]
    ran = subprocess.run(line, cwd=ROOT, text=True, capture_output=True, timeout=600, check=False)
    assert ran.returncode == 0, ran.stdout[-3000:] + ran.stderr[-2000:]
    assert ran.stdout.endswith(f"{count} inputs of whole commands, 0 findings, seed 9\n")


@pytest.mark.parametrize(
    ("code", "seconds", "said", "what"),
    [
        (0, 0.1, "f1 50.0", None),
        (0, 1.9, "f1 50.0", None),
        (0, 2.1, "f1 50.0", "too slow"),
        (1, 0.1, "error: gold.jsonl:3:1: there is no id, add it", None),
        (1, 0.1, "error: there is no id, add it", "no file is named: error: there is no id, add it"),
        (1, 0.1, "", "exit 1 without a word"),
        (1, 0.1, "error: out of memory, score fewer documents", "memory"),
        (70, 0.1, "error: this is a bug", "exit 70: error: this is a bug"),
        (2, 0.1, "Traceback (most recent call last):\n", "a traceback is shown"),
    ],
)
def test_what_is_broken(code: int, seconds: float, said: str, what: str | None) -> None:
    assert wrong(Case(("ner", "score", "gold", "system", "--time-limit", "1"), {}), code, seconds, said) == what


def test_what_is_broken_where_documents_are_saved() -> None:
    case = Case(("ner", "score", "gold", "system", "--time-limit", "1", "--save-documents"), {}, 2)
    assert [wrong(case, 0, seconds, "") for seconds in (3.9, 4.1)] == [None, "too slow"]
