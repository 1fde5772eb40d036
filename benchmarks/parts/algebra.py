"""The algebra beside metametric: scoring alone, in processes that have loaded everything.

The clock is the CPU time of scoring: imports, loading and the compilation of a metric come first. What takes long on
the other side gets fewer runs there than on ours. The scores of both sides must agree to 1e-9; metametric counts an
event without arguments as one correct argument, and exactly that difference is allowed and demanded.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.house.fit import fit_exponent
from benchmarks.house.measure import ROOT, Cost, Failed, Turns, run_process, run_worker
from benchmarks.house.rows import Bench, Found, Row, compare
from benchmarks.house.setting import Setting

PEER = "metametric"
TOLERANCE = 1e-9
SIZES = (1_000, 2_000, 5_000, 10_000, 20_000)  # mentions
SMALLEST = 1.0  # memory below a megabyte counts as one: finer differences are noise


class Case(NamedTuple):
    """A metric that both sides compute on one document or corpus."""

    name: str
    what: str
    task: str
    shape: dict[str, Any]
    bar: float | None = None
    memory_bar: float | None = None
    rounds: int = 2
    judged: bool = True


def benches(*, quick: bool) -> list[Bench]:
    full = not quick
    cases = [
        _coreference("ceaf", "CEAF phi4", 1_000 if full else 200, 500, judged=full),
        # The long pole runs once, and so do we, cold as it is.
        _coreference("b3", "B3", 200 if full else 60, 1_000, judged=full, rounds=1),
        _coreference("muc", "MUC", 1_000, None),
        Case(
            "arguments",
            f"argument F1, {1_000 if full else 100:,} documents",
            "arguments",
            {"kind": "events", "documents": 1_000 if full else 100, "low": 1, "high": 10, "seed": "arguments"},
            20,
            judged=full,
        ),
        Case(
            "smatch",
            f"Smatch, {60 if full else 30} variables",
            "smatch",
            {"kind": "graphs", "variables": 60 if full else 30},
            50,
            10,
            judged=full,
        ),
    ]
    grown = [("ceaf", "CEAF phi4"), ("b3", "B3"), ("muc", "MUC")]
    growth = [_growth(task, title, skewed, quick=quick) for task, title in grown for skewed in (False, True)]
    return [*map(_bench, cases), *growth, _bootstrap(quick=quick)]


def _coreference(
    task: str, title: str, mentions: int, bar: float | None, *, judged: bool = True, rounds: int = 2
) -> Case:
    shape = {"kind": "coreference", "mentions": mentions}
    return Case(task, f"{title}, {mentions:,} mentions", task, shape, bar, None, rounds, judged)


def _bench(case: Case) -> Bench:
    rows = [Row("cpu", case.what, f"times less CPU than {PEER}", case.bar, judged=case.judged)]
    if case.memory_bar is not None:
        rows.append(Row("memory", case.what, f"times less memory than {PEER}", case.memory_bar, judged=case.judged))

    def run(setting: Setting) -> Iterator[Found]:
        folder = setting.corpus("structures", **case.shape)
        turns = setting.alternate(
            {
                "ours": lambda: _worker(case, folder),
                PEER: lambda: run_worker(
                    "peer", case.task, folder / "data.json", 3, 2, python=setting.python_of(PEER), limit=300
                ),
            },
            case.rounds,
            fewer={PEER: 1} if case.task == "smatch" else {PEER: case.rounds},
        )
        _agree(folder, turns)
        yield compare("cpu", turns, PEER)
        if case.memory_bar is not None:
            yield compare("memory", turns, PEER, of="megabytes", floor=SMALLEST)

    return Bench(f"algebra/{case.name}", tuple(rows), run)


def _worker(case: Case, folder: Path) -> Cost:
    repeats = 1 if case.rounds == 1 else 20
    return run_worker("ours", case.task, folder / "data.json", repeats, 2)


def _agree(folder: Path, turns: Turns) -> None:
    """Both sides must give the same numbers, up to what the peer is known to count beyond the definition."""
    if not turns.runs[PEER]:
        return
    bare = folder / "bare.json"
    extra = json.loads(bare.read_bytes()) if bare.exists() else {}
    ours, theirs = turns.best("ours").found, turns.best(PEER).found
    for part in ours.keys() | theirs.keys():
        a, b = ours.get(part, math.nan), theirs.get(part, math.nan) - extra.get(part, 0)
        if not math.isclose(a, b, rel_tol=TOLERANCE, abs_tol=TOLERANCE):
            raise Failed(f"the scores differ: {part} is {a!r} for us and {b!r} for {PEER}")


def _growth(task: str, title: str, skewed: bool, *, quick: bool) -> Bench:
    """Each size gets the same time, and counts with the mean of its runs, best of two such times.

    The fastest of many short runs would find a quieter moment than the fastest of a few long ones.
    """
    sizes = SIZES[:3] if quick else SIZES
    what = f"{title}{', a tenth in one entity' if skewed else ''}, {sizes[0]:,} to {sizes[-1]:,} mentions"
    row = Row("growth", what, "growth exponent of CPU", 1.3, at_least=False, judged=not quick)

    def run(setting: Setting) -> Iterator[Found]:
        more = {size: {"largest": size // 10} if skewed else {} for size in sizes}
        files = {
            size: setting.corpus("structures", kind="coreference", mentions=size, **more[size]) / "data.json"
            for size in sizes
        }
        turns = setting.alternate(
            {
                str(size): lambda file=file: run_worker("ours", task, file, 1_000, 0.2 if quick else 0.5, "mean")
                for size, file in files.items()
            },
            2,
        )
        fit = fit_exponent((size, turns.best(str(size)).cpu) for size in sizes)
        yield Found("growth", fit.exponent, fit=fit, ours=turns.best(str(sizes[-1])))

    return Bench(f"algebra/growth-{task}{'-skewed' if skewed else ''}", (row,), run)


def _bootstrap(*, quick: bool) -> Bench:
    documents, columns = 1_000 if quick else 5_000, 20
    what = f"1,000 samples of {documents:,} documents x {columns} counts"
    rows = (
        Row("bootstrap", what, "of the CPU of decoding documents of 20 events", 1.0, at_least=False, judged=not quick),
        Row(
            "large",
            f"1,000 samples of {10 * documents:,} documents x 4 counts, drawing and intervals alone",
            "s of CPU",
            0.3,
            at_least=False,
            judged=not quick,
        ),
    )

    def run(setting: Setting) -> Iterator[Found]:
        table = setting.corpus("structures", kind="counts", documents=documents, columns=columns) / "data.json"
        lines = setting.corpus("structures", kind="lines", documents=documents) / "gold.jsonl"
        decode = [sys.executable, "-m", "benchmarks.workers.decoding", lines]
        turns = setting.alternate(
            {
                "decode": lambda: run_process(decode, PYTHONPATH=str(ROOT)),
                "draw": lambda: run_worker("ours", "bootstrap", table, 3, 2),
            },
            2,
        )
        decoded, drawn = turns.best("decode"), turns.best("draw")
        note = "every line decoded by msgspec and dropped"
        yield Found("bootstrap", drawn.cpu / decoded.cpu, ours=drawn, theirs=decoded, note=note)
        large = setting.corpus("structures", kind="counts", documents=10 * documents, columns=4) / "data.json"
        cost = setting.alternate({"draw": lambda: run_worker("ours", "bootstrap", large, 3, 2)}, 2).best("draw")
        yield Found("large", cost.cpu, ours=cost)

    return Bench("algebra/bootstrap", rows, run)
