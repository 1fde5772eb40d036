"""Benches that several parts have: growth of a command, and a command beside reading or splitting its files."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.house.fit import fit_exponent
from benchmarks.house.measure import ROOT, Cost, Failed, run_process, run_worker
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


def after_reading(
    task: str,
    what: str,
    corpus: Callable[[Setting], Path],
    *,
    judged: bool,
    rounds: int = 2,
    name: str = "after-reading",
) -> Bench:
    """All that comes after reading as a share of reading: scores, 1,000 samples, comparisons of five systems."""
    row = Row(
        "after",
        f"{what}; five systems, 1,000 samples, comparisons",
        "of the CPU of reading, for everything after it",
        1.0,
        at_least=False,
        judged=judged,
    )

    def run(setting: Setting) -> Iterator[Found]:
        folder = corpus(setting)
        sides: dict[str, Any] = {
            each: lambda each=each: run_worker("reading", task, each, folder) for each in ("read", "all")
        }
        turns = setting.alternate(sides, rounds)
        read, everything = turns.best("read"), turns.best("all")
        yield Found("after", everything.cpu / read.cpu - 1, ours=everything, theirs=read, note="reading alone")

    return Bench(f"{task}/{name}", (row,), run)


class Scored(NamedTuple):
    """A command that scores files: what is scored, the files of a corpus, and the command up to `--jobs`."""

    what: str
    corpus: Callable[[Setting], Path]
    files: Callable[[Path], Sequence[Path]]
    command: Callable[[Path], Sequence[str]]


def beside_splitting(task: str, scored: Scored, bar: float, *, judged: bool, rounds: int = 5) -> Bench:
    """Scores from files as a multiple of splitting their lines in Python, and one process beside two."""
    rows = (
        Row(
            "splitting",
            f"{scored.what}: whole processes, ours from start-up to printed scores without resampling, "
            "the other one reads every file and splits every line at TABs",
            "times the CPU of splitting the same files",
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
        command = [*scored.command(folder), "--bootstrap", "0", "--quiet", "--jobs"]
        split = [sys.executable, "-m", "benchmarks.workers.splitting", *map(str, scored.files(folder))]
        sides: dict[str, Callable[[], Cost]] = {
            "ours": lambda: run_process([*command, "1"]),
            "splitting": lambda: run_process(split, PYTHONPATH=str(ROOT)),
            "two": lambda: run_process([*command, "2"]),
        }
        turns = setting.alternate(sides, rounds)
        ours, other, two = (turns.best(name) for name in ("ours", "splitting", "two"))
        yield Found("splitting", ours.cpu / other.cpu, ours=ours, theirs=other)
        yield Found("processes", ours.cpu / two.cpu, ours=ours, theirs=two)

    return Bench(f"{task}/splitting", rows, run)
