"""Side by side with the peer, on the same data, in one run: ratios of CPU time and memory, and how our time grows.

python benchmarks/run.py            every bar; the slowest metric of the peer takes minutes
python benchmarks/run.py --quick    smaller documents for the peer; the bars that need the large ones are not judged
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import subprocess
import sys
import venv
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import data

HERE = Path(__file__).resolve().parent
OUT = HERE / "out"
DATA = OUT / "data"
PEER = "metametric"
PEER_VERSION = "0.2.1"

TOLERANCE = 1e-9
SIZES = (1_000, 2_000, 5_000, 10_000, 20_000)  # mentions
GROWTH = 1.3
DOCUMENTS, COLUMNS = 5_000, 20
SMALLEST = 1 << 20  # memory below a megabyte counts as one: finer differences are noise

# One thread on both sides, so that CPU time means work, and the same hashes in every run.
ENVIRONMENT = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
}


class BenchmarkError(Exception):
    """The benchmark could not be run."""


@dataclass(frozen=True)
class Line:
    """One line of the table; `value` must be at least, or at most, the bar."""

    what: str
    measured: str
    value: float
    bar: float | None = None
    at_least: bool = True

    @property
    def holds(self) -> bool | None:
        """Whether the bar holds, if there is one."""
        if self.bar is None:
            return None
        return self.value >= self.bar if self.at_least else self.value <= self.bar


@dataclass(frozen=True)
class Comparison:
    """A metric that both sides compute on one document or corpus."""

    what: str
    task: str
    content: Any
    bar: float | None = None
    memory_bar: float | None = None
    rounds: int = 3
    repeats: int = 20
    extra: dict[str, int] | None = None  # what the peer counts beyond the definition

    @property
    def name(self) -> str:
        """The name of its data file."""
        return "-".join(self.what.lower().replace(",", "").split())


def comparisons(*, quick: bool) -> list[Comparison]:
    """What is compared; the bars are stated for the full sizes."""
    pairs = data.events(1_000, 1, 10, "arguments")
    made = [
        Comparison("CEAF phi4, 200 mentions", "ceaf", data.coreference(200)),
        Comparison("MUC, 1,000 mentions", "muc", data.coreference(1_000)),
        Comparison(
            "argument F1, 1,000 documents", "arguments", pairs, bar=20, extra=data.events_without_arguments(pairs)
        ),
        Comparison("Smatch, 10 variables", "smatch", data.graphs(10)),
        Comparison("Smatch, 30 variables", "smatch", data.graphs(30)),
    ]
    if quick:
        return [*made, Comparison("B3, 100 mentions", "b3", data.coreference(100))]
    return [
        *made,
        Comparison("Smatch, 60 variables", "smatch", data.graphs(60), bar=50, memory_bar=10),
        Comparison("CEAF phi4, 1,000 mentions", "ceaf", data.coreference(1_000), bar=500),
        # The long pole runs once, and so do we, cold as it is.
        Comparison("B3, 200 mentions", "b3", data.coreference(200), bar=1_000, rounds=1, repeats=1),
    ]


def peer_python() -> Path:
    """The interpreter of the peer's own environment, made on first use."""
    folder = OUT / "peer-env"
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    asked = [str(python), "-c", f"from importlib.metadata import version; print(version({PEER!r}))"]
    if python.exists():
        found = subprocess.run(asked, capture_output=True, text=True, check=False)
        if found.returncode == 0 and found.stdout.strip() == PEER_VERSION:
            return python
    say(f"installing {PEER} {PEER_VERSION} into an environment of its own")
    venv.create(folder, with_pip=True, clear=True)
    pip = [str(python), "-m", "pip", "--disable-pip-version-check", "--quiet"]
    done = subprocess.run([*pip, "install", f"{PEER}=={PEER_VERSION}"], check=False)
    if done.returncode:
        raise BenchmarkError(f"pip could not install {PEER}=={PEER_VERSION}; the benchmark needs it once")
    return python


class Bench:
    """Runs workers and keeps everything they measured."""

    def __init__(self, peer: Path) -> None:
        self.pythons = {"ours": Path(sys.executable), "peer": peer}
        self.raw: list[dict[str, Any]] = []
        self.versions: dict[str, dict[str, str]] = {}

    def measure(self, side: str, task: str, path: Path, *, repeats: int = 20, seconds: float = 2.0) -> dict[str, Any]:
        """One process: its CPU times, its memory beyond loading, its scores."""
        command = [str(self.pythons[side]), str(HERE / f"{side}.py"), task, str(path), str(repeats), str(seconds)]
        done = subprocess.run(
            command, capture_output=True, text=True, env={**os.environ, **ENVIRONMENT}, cwd=HERE, check=False
        )
        if done.returncode:
            last = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}; out of memory?"])[-1]
            raise BenchmarkError(f"{side} failed at {task} on {path.name}: {last}")
        found: dict[str, Any] = json.loads(done.stdout)
        self.versions[side] = found.pop("versions")
        self.raw.append({"side": side, "task": task, "data": path.name, **found})
        return found

    def compare(self, case: Comparison) -> list[Line]:
        """Ours and the peer in turns: their ratios, if the scores agree.

        Both sides get the same number of processes and each is taken at its best. A best of many against a single run
        would credit us with every disturbance of that run.
        """
        say(case.what)
        path = data.write(DATA, case.name, case.content)
        turns = [
            (side, self.measure(side, case.task, path, repeats=case.repeats))
            for _ in range(case.rounds)
            for side in ("ours", "peer")
        ]
        best = {side: min(t for s, found in turns if s == side for t in found["cpu"]) for side in self.pythons}
        memory = {side: max(found["memory"] for s, found in turns if s == side) for side in self.pythons}
        check(case, turns[0][1]["scores"], turns[1][1]["scores"])
        lines = [Line(case.what, "times less CPU", best["peer"] / best["ours"], case.bar)]
        if case.task == "smatch":
            ratio = max(memory["peer"], SMALLEST) / max(memory["ours"], SMALLEST)
            lines.append(Line(case.what, "times less memory", ratio, case.memory_bar))
        return lines

    def growth(self, what: str, task: str, paths: dict[int, Path]) -> Line:
        """The exponent of our CPU time over the number of mentions.

        Each size gets the same second of CPU, and its time is the mean of the runs in it, best of three such seconds:
        the fastest of many short runs would find a quieter moment than the fastest of a few long ones.
        """
        say(f"{what}, growth")
        times: dict[int, float] = dict.fromkeys(paths, math.inf)
        for _ in range(3):
            for size, path in paths.items():
                runs = self.measure("ours", task, path, repeats=1_000, seconds=1.0)["cpu"]
                times[size] = min(times[size], sum(runs) / len(runs))
        return Line(what, "growth exponent", exponent(times.items()), GROWTH, at_least=False)

    def bootstrap(self) -> Line:
        """1,000 samples against reading the documents."""
        say("bootstrap")
        table = data.write(DATA, "counts", data.counts(DOCUMENTS, COLUMNS))
        documents = data.json_lines(DATA, DOCUMENTS)
        best = {"read": math.inf, "bootstrap": math.inf}
        for _ in range(3):
            for task, path in (("read", documents), ("bootstrap", table)):
                best[task] = min(best[task], *self.measure("ours", task, path, repeats=5)["cpu"])
        what = f"1,000 samples of {DOCUMENTS:,} x {COLUMNS} counts"
        return Line(what, "of reading the documents", best["bootstrap"] / best["read"], 1.0, at_least=False)


def check(case: Comparison, ours: dict[str, float], peer: dict[str, float]) -> None:
    """Both sides must give the same numbers, up to what the peer is known to count beyond the definition."""
    for part in ours.keys() | peer.keys():
        known = (case.extra or {}).get(part, 0)
        a, b = ours.get(part, math.nan), peer.get(part, math.nan) - known
        if not math.isclose(a, b, rel_tol=TOLERANCE, abs_tol=TOLERANCE):
            raise BenchmarkError(f"{case.what}: {part} is {a!r} for us and {b!r} for the peer")


def exponent(points: Iterable[tuple[int, float]]) -> float:
    """The slope of the least-squares line through the logarithms.

    >>> round(exponent([(1, 3), (10, 300), (100, 30000)]), 9)
    2.0
    """
    logs = [(math.log(x), math.log(y)) for x, y in points]
    mean_x, mean_y = (sum(values) / len(logs) for values in zip(*logs, strict=True))
    slope: float = sum((x - mean_x) * (y - mean_y) for x, y in logs) / sum((x - mean_x) ** 2 for x, _ in logs)
    return slope


def table(lines: list[Line]) -> str:
    """The lines as text, numbers to the right."""
    rows = [("", "", "measured", "bar", "")]
    for line in lines:
        sign = ">=" if line.at_least else "<="
        bar = "" if line.bar is None else f"{sign} {line.bar:,g}"
        verdict = {None: "", True: "holds", False: "MISSED"}[line.holds]
        value = f"{line.value:,.0f}" if line.value >= 100 else f"{line.value:.3g}"
        rows.append((line.what, line.measured, value, bar, verdict))
    widths = [max(len(row[k]) for row in rows) for k in range(5)]
    return "\n".join(
        f"{a:<{widths[0]}}  {b:<{widths[1]}}  {c:>{widths[2]}}  {d:>{widths[3]}}  {e}".rstrip()
        for a, b, c, d, e in rows
    )


def say(text: str) -> None:
    """Progress, apart from the result."""
    print(f"... {text}", file=sys.stderr, flush=True)


def main() -> int:
    """Run everything; 1 if a bar is missed or the scores differ."""
    parser = argparse.ArgumentParser(description="Ratios of CPU time and memory between adjudge and metametric.")
    parser.add_argument("--quick", action="store_true", help="smaller documents for the peer, fewer bars")
    quick = parser.parse_args().quick
    bench = Bench(peer_python())
    lines: list[Line] = []
    for case in comparisons(quick=quick):
        lines += bench.compare(case)
    span = f"{SIZES[0]:,} to {SIZES[-1]:,} mentions"
    even = {size: data.write(DATA, f"growth-{size}", data.coreference(size)) for size in SIZES}
    skewed = {size: data.write(DATA, f"skewed-{size}", data.coreference(size, largest=size // 10)) for size in SIZES}
    for what, task, paths in (
        ("CEAF phi4", "ceaf", even),
        ("CEAF phi4, a tenth in one entity", "ceaf", skewed),
        ("B3", "b3", even),
        ("B3, a tenth in one entity", "b3", skewed),
        ("MUC", "muc", even),
        ("MUC, a tenth in one entity", "muc", skewed),
    ):
        lines.append(bench.growth(f"{what}, {span}", task, paths))
    lines.append(bench.bootstrap())
    missed = [line for line in lines if line.holds is False]
    result = {
        "quick": quick,
        "python": platform.python_version(),
        "system": platform.system(),
        "machine": platform.machine(),
        "versions": bench.versions,
        "lines": [{**asdict(line), "holds": line.holds} for line in lines],
        "raw": bench.raw,
    }
    (OUT / "results.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(table(lines))
    print(f"The scores of both sides agree to {TOLERANCE:g}. Raw measurements: benchmarks/out/results.json")
    if missed:
        print(f"{len(missed)} of {sum(line.bar is not None for line in lines)} bars missed", file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BenchmarkError as error:
        print(f"benchmark: {error}", file=sys.stderr)
        sys.exit(1)
