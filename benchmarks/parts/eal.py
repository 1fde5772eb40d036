"""Event arguments and linking: reading beside everything that comes after it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.house.measure import Cost, adjudge, run_worker
from benchmarks.house.rows import Bench, Found, Row
from benchmarks.house.setting import Setting
from benchmarks.parts.shared import Scored, after_reading, beside_splitting, measure_growth


def benches(*, quick: bool) -> list[Bench]:
    full = not quick
    campaign: dict[str, Any] = {"systems": 10 if full else 5, "documents": 500 if full else 20, "responses": 400}
    documents = campaign["documents"]
    return [
        _submission(500 if full else 50, judged=full),
        _scores(campaign, judged=full),
        _growth(quick=quick),
        _splitting(5_000 if full else 200, judged=full),
        after_reading(
            "eal",
            f"{documents} documents of 400 responses",
            lambda setting: setting.corpus("eal", **campaign),
            judged=full,
            rounds=1,
        ),
    ]


def _submission(documents: int, *, judged: bool) -> Bench:
    what = f"a submission of {documents} documents of 400 responses"
    unit = "times the CPU of any other kind of work goes into reading"
    rows = (
        Row("validate", f"{what}, `eal validate`", unit, 1, judged=judged),
        Row("trim", f"{what}, `eal trim`", unit, 1, judged=judged),
        Row("memory", f"{what}, instead of {documents // 5}", "times the memory", 1.5, at_least=False, judged=judged),
    )

    def run(setting: Setting) -> Iterator[Found]:
        folder = setting.corpus("eal", documents=documents, responses=400)
        for command in ("validate", "trim"):
            out = setting.scratch(f"eal-{command}")
            # Each run writes to a new place: some file systems are slow to create files where many were just removed.
            places = iter(range(100))

            def one(command: str = command, out: Path = out, places: Iterator[int] = places) -> Cost:
                return run_worker("eal", command, folder, out / str(next(places)))

            best = setting.alternate({"ours": one}, 2).best("ours")
            kinds = {name: spent for name, spent in best.found.items() if name not in ("total", "reading")}
            share = f"reading is {100 * best.found['reading'] / best.cpu:.0f} % of it"
            yield Found(command, best.found["reading"] / max(kinds.values()), ours=best, note=share)
        few = setting.corpus("eal", documents=documents // 5, responses=400)
        costs = [run_worker("eal", "validate", each) for each in (few, folder)]
        yield Found("memory", costs[1].megabytes / costs[0].megabytes, ours=costs[1])

    return Bench("eal/submission", rows, run)


def _scores(campaign: dict[str, Any], *, judged: bool) -> Bench:
    what = f"{campaign['systems']} systems x {campaign['documents']} documents x 400 responses"
    row = Row(
        "after",
        f"{what}: rules, 1,000 samples, tests, ranking, a 21 x 21 grid, crossings",
        "of the CPU of reading, for everything after it",
        1.0,
        at_least=False,
        judged=judged,
    )

    def run(setting: Setting) -> Iterator[Found]:
        cost = run_worker("eal", "scores", setting.corpus("eal", **campaign))
        reading = cost.found["reading"]
        yield Found("after", cost.cpu / reading - 1, ours=cost)

    return Bench("eal/scores", (row,), run)


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
    def command(folder: Path) -> list[str]:
        return adjudge("eal", "score", "--key", folder / "key", "--frames", folder / "ref", folder / "systems" / "s0")

    scored = Scored(
        f"{documents:,} documents of 20 responses, `eal score` with frames",
        lambda setting: setting.corpus("eal", documents=documents, responses=20, systems=1),
        lambda folder: [folder / name for name in ("key", "ref", "systems/s0")],
        command,
    )
    return beside_splitting("eal", scored, 4, judged=judged)
