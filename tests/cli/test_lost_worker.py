"""A worker that is killed in the middle costs time, and changes nothing in the output."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks for children in /proc")

ADJUDGE = [sys.executable, "-c", "from adjudge.cli import main; main()"]


def relations(folder: Path) -> list[str]:
    rng = random.Random(3)
    for name in ("gold", "system"):
        with (folder / f"{name}.jsonl").open("w") as stream:
            for number in range(400):
                found = [
                    {"type": rng.choice("ab"), "subject": {"start": k, "end": k + 1}, "object": {"start": 0, "end": 1}}
                    for k in range(12)
                ]
                stream.write(json.dumps({"id": f"d{number}", "relations": found}) + "\n")
    return ["score", "relation.strict", "gold.jsonl", "system.jsonl"]


def chains(folder: Path) -> list[str]:
    rng = random.Random(3)
    for name in ("key", "response"):
        with (folder / f"{name}.conll").open("w") as stream:
            for number in range(200):
                rows = [f"x\t0\t{k}\tw\t({rng.randrange(9)})" for k in range(60)]
                stream.write("\n".join([f"#begin document (d{number}); part 000", *rows, "", "#end document", ""]))
    return ["coref", "score", "key.conll", "response.conll"]


def nuggets(folder: Path) -> list[str]:
    rng = random.Random(3)
    for name in ("gold", "system"):
        with (folder / f"{name}.tbf").open("w") as stream:
            for number in range(100):
                ends = [(k, 9 * k + rng.randrange(2, 6), rng.choice("AB")) for k in range(30)]
                rows = [f"{name}\td{number}\tE{k}\t{9 * k},{end}\tw\tLife_{type_}\tActual" for k, end, type_ in ends]
                stream.write("\n".join([f"#BeginOfDocument d{number}", *rows, "#EndOfDocument", ""]))
    return ["nugget", "score", "-g", "gold.tbf", "-s", "system.tbf"]


@pytest.mark.parametrize("wait", [0.0, 0.7], ids=["at once", "later"])
@pytest.mark.parametrize("make", [relations, chains, nuggets])
def test_a_killed_worker_changes_nothing(tmp_path: Path, make, wait: float) -> None:
    command = [*ADJUDGE, *make(tmp_path), "--bootstrap", "20", "--format", "json", "--quiet"]
    alone = subprocess.run([*command, "--jobs", "1"], cwd=tmp_path, capture_output=True, check=True).stdout
    program = subprocess.Popen([*command, "--jobs", "2"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        deadline = time.monotonic() + 60
        killed = False
        while not killed and program.poll() is None and time.monotonic() < deadline:
            for worker in workers(program.pid):
                time.sleep(wait)  # at any moment: in its first import, or in the middle of its documents
                try:
                    os.kill(worker, signal.SIGKILL)
                    killed = True
                    break
                except ProcessLookupError:
                    pass
        out, err = program.communicate(timeout=120)
    finally:
        program.kill()
        program.wait()
    assert killed or wait
    assert program.returncode == 0, err.decode()
    assert out == alone


def workers(process: int) -> list[int]:
    """The children that are there to work: fresh interpreters, or copies of the process."""
    found = []
    own = command_of(process)
    for task in Path(f"/proc/{process}/task").glob("*/children"):
        try:
            for child in map(int, task.read_text().split()):
                if command_of(child) == own:
                    time.sleep(0.01)  # anything else is a copy, too, but only for a moment
                if b"spawn_main" in command_of(child) or command_of(child) == own:
                    found.append(child)
        except OSError:
            continue
    return found


def command_of(process: int) -> bytes:
    return Path(f"/proc/{process}/cmdline").read_bytes()
