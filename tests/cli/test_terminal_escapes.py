"""What a terminal would obey is shown on it as text, also in what official programs print."""

import os
import subprocess
import sys

import pytest

pty = pytest.importorskip("pty")

TAGS = "Ada B-\x1b[31mPER\nmet O\nBob B-\x9b31m\n"
COMMAND = ("ner", "score", "gold.bio", "gold.bio", "--compat", "conlleval")


def run(arguments, folder, **options):
    command = [sys.executable, "-m", "adjudge", *arguments]
    return subprocess.run(command, cwd=folder, stderr=subprocess.PIPE, check=False, timeout=120, **options)


def on_terminal(arguments, folder):
    """What a terminal gets, and the exit code."""
    ours, theirs = pty.openpty()
    try:
        done = run(arguments, folder, stdout=theirs)
    finally:
        os.close(theirs)
    shown = b""
    try:
        while block := os.read(ours, 1 << 16):
            shown += block
    except OSError:  # nobody writes any more
        pass
    finally:
        os.close(ours)
    return shown.decode().replace("\r\n", "\n"), done.returncode


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "gold.bio").write_text(TAGS)
    return tmp_path


@pytest.mark.parametrize("form", ["text", "json", "csv", "md"])
def test_results_on_a_terminal(folder, form):
    (folder / "gold.jsonl").write_text('{"id": "d\\u009b31m", "v": "x", "k": "a\\u001b[31m"}\n')
    (folder / "m.yaml").write_text("metric: {sim: record, fields: {v: {sim: exact}}}\n")
    options = ("--by", "k", "--format", form, "--bootstrap", "0")
    shown, code = on_terminal(("score", "m.yaml", "gold.jsonl", "gold.jsonl", *options), folder)
    assert code == 0, shown
    assert "31m" in shown
    assert "\x1b" not in shown
    assert "\x9b" not in shown


def test_official_output_on_a_terminal(folder):
    shown, code = on_terminal(COMMAND, folder)
    assert code == 0
    assert r"\x1b[31mPER" in shown
    assert r"\x9b31m" in shown


def test_official_output_elsewhere(folder):
    """Files and pipes get the bytes of the official program."""
    piped = run(COMMAND, folder, stdout=subprocess.PIPE).stdout.decode()
    assert "\x1b[31mPER" in piped
    run((*COMMAND, "-o", "out.txt"), folder)
    assert (folder / "out.txt").read_text() == piped
    shown, _ = on_terminal(COMMAND, folder)
    assert shown == piped.replace("\x1b", r"\x1b").replace("\x9b", r"\x9b")
