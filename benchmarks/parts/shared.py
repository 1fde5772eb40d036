"""Benches that several parts have: growth of a command, and a command beside splitting its files."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.house.fit import fit_exponent
from benchmarks.house.measure import ROOT, Cost, Failed, run_process
from benchmarks.house.rows import Bench, Found, Row
from benchmarks.house.setting import Setting

NOISE = 0.01  # seconds of CPU


def measure_growth(
    setting: Setting, key: str, sizes: Mapping[int, Sequence[str]], start: Sequence[str], *, rounds: int = 2
) -> Found:
    """The exponent of a command's CPU time over sizes; `start` is the same on next to nothing, which is subtracted."""
    run_process(start)  # the disk and compiled files are warm from here on
    commands = {0: start, **sizes}
    turns = setting.alternate({str(n): lambda c=command: run_process(c) for n, command in commands.items()}, rounds)
    best = {int(name): turns.best(name) for name in turns.runs}
    begun = best.pop(0).cpu
    if min(cost.cpu for cost in best.values()) < begun + NOISE:
        raise Failed("the smallest size takes no longer than start-up")
    fit = fit_exponent((size, cost.cpu - begun) for size, cost in best.items())
    return Found(key, fit.exponent, fit=fit, ours=best[max(best)])


class Scored(NamedTuple):
    """A command on files: what it does, a corpus, those of its files that are read, the command with a new place."""

    what: str
    corpus: Callable[[Setting], Path]
    files: Callable[[Path], Sequence[Path]]
    command: Callable[[Path, Path], Sequence[str]]


UNIT = "times the CPU of splitting the same files"
BOTH = "whole processes, ours from start-up to {}, the other one reads every file and splits every line at TABs"


def splitting(files: Sequence[Path]) -> Callable[[], Cost]:
    """A process that splits the lines of files."""
    command = [sys.executable, "-m", "benchmarks.workers.splitting", *map(str, files)]
    return lambda: run_process(command, PYTHONPATH=str(ROOT))


def whole_command(name: str, scored: Scored, bar: float, *, until: str, judged: bool, rounds: int = 2) -> Bench:
    """A command as users type it, as a multiple of splitting the lines of its files."""
    what = f"{scored.what}: {BOTH.format(until)}"
    row = Row("splitting", what, UNIT, bar, at_least=False, judged=judged)

    def run(setting: Setting) -> Iterator[Found]:
        folder, out = scored.corpus(setting), setting.scratch(name.replace("/", "-"))
        # Each run writes to a new place: some file systems are slow to create files where many were just removed.
        places = iter(range(rounds))
        sides: dict[str, Callable[[], Cost]] = {
            "ours": lambda: run_process(scored.command(folder, out / str(next(places)))),
            "splitting": splitting(scored.files(folder)),
        }
        turns = setting.alternate(sides, rounds)
        ours, other = turns.best("ours"), turns.best("splitting")
        yield Found("splitting", ours.cpu / other.cpu, ours=ours, theirs=other)

    return Bench(name, (row,), run)


def beside_splitting(task: str, scored: Scored, bar: float, *, judged: bool, rounds: int = 5) -> Bench:
    """Scores from files as a multiple of splitting their lines in Python, and one process beside two."""
    rows = (
        Row(
            "splitting",
            f"{scored.what}: {BOTH.format('printed scores without resampling')}",
            UNIT,
            bar,
            at_least=False,
            judged=judged,
        ),
        Row(
            "processes",
            f"{scored.what}: `--jobs 1` beside `--jobs 2`, whole processes and those that they start",
            "times the CPU of two processes",
            1.05,
            at_least=False,
            judged=judged,
        ),
    )

    def run(setting: Setting) -> Iterator[Found]:
        folder = scored.corpus(setting)
        command = [*scored.command(folder, setting.scratch(task)), "--bootstrap", "0", "--quiet", "--jobs"]
        sides: dict[str, Callable[[], Cost]] = {
            "ours": lambda: run_process([*command, "1"]),
            "splitting": splitting(scored.files(folder)),
            "two": lambda: run_process([*command, "2"]),
        }
        turns = setting.alternate(sides, rounds)
        ours, other, two = (turns.best(name) for name in ("ours", "splitting", "two"))
        yield Found("splitting", ours.cpu / other.cpu, ours=ours, theirs=other)
        yield Found("processes", ours.cpu / two.cpu, ours=ours, theirs=two)

    return Bench(f"{task}/splitting", rows, run)
