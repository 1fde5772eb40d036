"""Benches that several parts have: growth of a command, and reading against everything after it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.house.fit import fit_exponent
from benchmarks.house.measure import Failed, run_process, run_worker
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
