"""What a process costs, and several of them in turns."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "benchmarks" / "out"
PLAIN = ROOT / ".venv-plain" / "bin" / "python"  # an environment with adjudge alone
LIMIT = 600.0  # seconds that any process may take, unless it is told otherwise

_UNIT = 1 if sys.platform == "darwin" else 1024  # ru_maxrss counts bytes there, kilobytes elsewhere

# One thread on all sides, so that CPU time means work, and the same hashes in every run.
_ENVIRONMENT = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
    # Python may keep compiled files, as it does for an installed program, but not in folders of others.
    "PYTHONPYCACHEPREFIX": str(OUT / "pycache"),
}


class Failed(Exception):
    """Something could not be measured; the text says why."""


class Cost(NamedTuple):
    """CPU seconds (user and system, children included), the most memory held, seconds on the clock.

    `found` is what the program said; `cut` says that it was stopped, so that it would have taken more.
    """

    cpu: float
    megabytes: float
    wall: float = 0.0
    found: Any = None
    cut: bool = False

    def to_data(self) -> dict[str, Any]:
        """The cost as JSON, without what was said."""
        return {"cpu": self.cpu, "megabytes": self.megabytes, "wall": self.wall, "cut": self.cut}


def environment(**more: str) -> dict[str, str]:
    """The environment of everything that is measured."""
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONDONTWRITEBYTECODE", "PYTHONPATH")}
    return {**kept, **_ENVIRONMENT, **more}


def adjudge(*arguments: Any, first: str = "", extras: bool = False) -> list[str]:
    """The command line of ours, as a command; `first` is Python that runs before it.

    It runs where adjudge alone is installed, as its users and every peer have it; with `extras` where Dask is, too.
    """
    python = sys.executable if extras or not PLAIN.exists() else PLAIN
    return [str(python), "-c", f"{first}\nfrom adjudge.cli import main; main()", *map(str, arguments)]


def run_process(
    command: Sequence[Any],
    *,
    limit: float = LIMIT,
    folder: Path | None = None,
    stdin: Path | None = None,
    may_cut: bool = False,
    **more: str,
) -> Cost:
    """What a command costs; `found` is what it prints. After `limit` seconds it is ended, which fails unless `may_cut`.

    The memory of a new process starts at that of the one that makes it, so that this one has to stay small.
    """
    words = [str(word) for word in command]
    stopped = threading.Event()
    with (
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as errors,
        (stdin or Path(os.devnull)).open("rb") as given,
    ):
        start = time.perf_counter()
        try:
            process = subprocess.Popen(
                words,
                stdin=given,
                stdout=out,
                stderr=errors,
                env=environment(**more),
                cwd=folder,
                start_new_session=True,
            )
        except OSError as error:
            raise Failed(f"{words[0]} cannot be run: {error.strerror}") from None

        def stop() -> None:
            stopped.set()
            _end(process)

        timer = threading.Timer(limit, stop)
        timer.start()
        try:
            _, status, usage = os.wait4(process.pid, 0)
        except BaseException:  # Ctrl-C: the process has a session of its own and would not hear of it
            _end(process)
            raise
        finally:
            timer.cancel()
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        texts = []
        for stream in (out, errors):
            stream.seek(0)
            texts.append(stream.read().decode(errors="replace"))
    if stopped.is_set() and not may_cut:
        raise Failed(f"{_name(words)} takes more than {limit:,.0f} s")
    if process.returncode and not stopped.is_set():
        said = (texts[1].strip() or texts[0].strip()).splitlines() or [f"exit code {process.returncode}"]
        raise Failed(f"{_name(words)} failed: {said[-1][:200]}")
    return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss * _UNIT / 1e6, wall, texts[0], stopped.is_set())


def _end(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _name(words: Sequence[str]) -> str:
    """What a command is called in messages: without folders, which are nobody's business.

    >>> _name(["/usr/bin/perl", "/opt/scorer.pl", "muc", "key"])
    'perl scorer.pl'
    """
    names = [Path(words[0]).name]
    if len(words) > 2 and words[1] == "-m":
        names.append(words[2])
    elif "adjudge.cli" in " ".join(words[1:3]):
        names = ["adjudge", *words[3:5]]
    elif len(words) > 1 and not words[1].startswith("-"):
        names.append(Path(words[1]).name)
    return " ".join(names)


def run_worker(module: str, *arguments: Any, python: Path | str = sys.executable, limit: float = LIMIT) -> Cost:
    """One of `benchmarks.workers` in a process of its own; it prints a JSON object with cpu, megabytes and found."""
    command = [str(python), "-m", f"benchmarks.workers.{module}", *map(str, arguments)]
    ran = run_process(command, limit=limit, PYTHONPATH=str(ROOT))
    said = json.loads(ran.found.strip().splitlines()[-1])
    return Cost(said["cpu"], said["megabytes"], ran.wall, said["found"])


def summed(costs: Sequence[Cost]) -> Cost:
    """One program that is several commands: times are added, the largest of them has the memory.

    >>> summed([Cost(1, 10, 2), Cost(2, 5, 3)])[:3]
    (3, 10, 5)
    """
    return Cost(
        sum(each.cpu for each in costs),
        max(each.megabytes for each in costs),
        sum(each.wall for each in costs),
        [each.found for each in costs],
        any(each.cut for each in costs),
    )


class Turns(NamedTuple):
    """What each side cost, run by run, and why a side has no runs."""

    runs: dict[str, list[Cost]]
    failed: dict[str, str]

    def best(self, side: str) -> Cost:
        """The least time and the most memory of a side's runs; a side that failed says why."""
        if side in self.failed:
            raise Failed(self.failed[side])
        runs = self.runs[side]
        least = min(runs, key=lambda run: run.cpu)
        return least._replace(megabytes=max(run.megabytes for run in runs), wall=min(run.wall for run in runs))


def alternate(
    sides: Mapping[str, Callable[[], Cost]], rounds: int = 3, *, fewer: Mapping[str, int] | None = None
) -> Turns:
    """Run the sides in turns, so that a busy minute of the machine is a busy minute for all of them.

    `fewer` gives sides that take long fewer rounds. A side that fails is left out of the rest, and the others go on.
    """
    turns = Turns({side: [] for side in sides}, {})
    for number in range(rounds):
        for side, run in sides.items():
            if side in turns.failed or number >= (fewer or {}).get(side, rounds):
                continue
            try:
                turns.runs[side].append(run())
            except Failed as failed:
                turns.failed[side] = str(failed)
    return turns
