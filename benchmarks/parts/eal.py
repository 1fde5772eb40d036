"""Event arguments and linking: whole commands beside splitting the lines of their files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.house.measure import adjudge, run_process
from benchmarks.house.rows import Bench, Found, Row
from benchmarks.house.setting import Setting
from benchmarks.parts.shared import Scored, beside_splitting, measure_growth, whole_command

# Times the CPU of splitting the same files; they keep what has been reached.
VALIDATE, TRIM, CAMPAIGN, GRAPHS = 45.0, 45.0, 14.0, 14.0


def benches(*, quick: bool) -> list[Bench]:
    full = not quick
    return [
        *_submission(500 if full else 50, judged=full),
        *_campaign(judged=full, systems=10 if full else 5, documents=500 if full else 20),
        _growth(quick=quick),
        _splitting(5_000 if full else 200, judged=full),
    ]


def _submission(documents: int, *, judged: bool) -> list[Bench]:
    what = f"a submission of {documents} documents of 400 responses"

    def corpus(setting: Setting) -> Path:
        return setting.corpus("eal", documents=documents, responses=400)

    def validate(folder: Path, _: Path) -> list[str]:
        return adjudge("eal", "validate", folder / "run", "--docs", folder / "docs", "--ontology", "2015", "--quiet")

    def trim(folder: Path, out: Path) -> list[str]:
        return adjudge("eal", "trim", folder / "run", "-o", out, "--quiet")

    def memory(setting: Setting) -> Iterator[Found]:
        few = setting.corpus("eal", documents=documents // 5, responses=400)
        costs = [run_process(validate(each, each)) for each in (few, corpus(setting))]
        yield Found("memory", costs[1].megabytes / costs[0].megabytes, ours=costs[1], theirs=costs[0])

    checked = Scored(f"{what}, `eal validate`", corpus, lambda folder: [folder / "run", folder / "docs"], validate)
    trimmed = Scored(f"{what}, `eal trim`", corpus, lambda folder: [folder / "run"], trim)
    row = Row("memory", f"{what}, instead of {documents // 5}", "times the memory", 1.5, at_least=False, judged=judged)
    return [
        whole_command("eal/validate", checked, VALIDATE, until="printed findings", judged=judged),
        whole_command("eal/trim", trimmed, TRIM, until="written files", judged=judged),
        Bench("eal/memory", (row,), memory),
    ]


def _campaign(*, judged: bool, systems: int, documents: int) -> list[Bench]:
    what = f"{systems} systems x {documents} documents x 400 responses"
    names = [f"systems/s{number}" for number in range(systems)]

    def corpus(setting: Setting) -> Path:
        return setting.corpus("eal", systems=systems, documents=documents, responses=400)

    def files(folder: Path) -> list[Path]:
        return [folder / name for name in ("key", "ref", *names)]

    def sides(folder: Path) -> list[Any]:
        return [folder / "key", *(folder / name for name in names), "--frames", folder / "ref", "--quiet"]

    def score(folder: Path, _: Path) -> list[str]:
        return adjudge("eal", "score", *sides(folder), "--bootstrap", "1000", "--jobs", "1", "--format", "json")

    def graphs(folder: Path, out: Path) -> list[str]:
        return adjudge("eal", "graphs", *sides(folder), "-o", out)

    scored = Scored(f"{what}: `eal score` with 1,000 samples, tests and ranking", corpus, files, score)
    drawn = Scored(f"{what}: `eal graphs`, a 21 x 21 grid and crossings", corpus, files, graphs)
    return [
        whole_command("eal/campaign", scored, CAMPAIGN, until="printed scores", judged=judged, rounds=1),
        whole_command("eal/graphs", drawn, GRAPHS, until="written files", judged=judged, rounds=1),
    ]


def _growth(*, quick: bool) -> Bench:
    sizes = (100, 200, 400) if quick else (50, 100, 200, 400, 800)
    documents = 20 if quick else 50
    what = f"{documents} documents of {sizes[0]} to {sizes[-1]} responses"
    row = Row("growth", what, "growth exponent of CPU, start-up apart", 1.3, at_least=False, judged=not quick)

    def run(setting: Setting) -> Iterator[Found]:
        def command(documents: int, responses: int) -> list[str]:
            folder = setting.corpus("eal", documents=documents, responses=responses, systems=1)
            sides = ["--key", folder / "key", "--frames", folder / "ref", folder / "systems" / "s0"]
            return adjudge("eal", "score", *sides, "--bootstrap", "0", "--quiet", "--jobs", "1")

        yield measure_growth(setting, "growth", {n: command(documents, n) for n in sizes}, command(1, 4))

    return Bench("eal/growth", (row,), run)


def _splitting(documents: int, *, judged: bool) -> Bench:
    def command(folder: Path, _: Path) -> list[str]:
        return adjudge("eal", "score", "--key", folder / "key", "--frames", folder / "ref", folder / "systems" / "s0")

    scored = Scored(
        f"{documents:,} documents of 20 responses, `eal score` with frames",
        lambda setting: setting.corpus("eal", documents=documents, responses=20, systems=1),
        lambda folder: [folder / name for name in ("key", "ref", "systems/s0")],
        command,
    )
    return beside_splitting("eal", scored, 4, judged=judged)
