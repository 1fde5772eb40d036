"""Event nuggets with coreference: whole processes, start-up included, beside the official program."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks.house.measure import Cost, adjudge, run_process
from benchmarks.house.rows import Bench, Found, Row, compare
from benchmarks.house.setting import Setting
from benchmarks.parts.shared import Scored, beside_splitting, measure_growth

PEER = "the official program"
# CPU seconds of the official program on such corpora, on another machine with two shared cores.
RECORDED = {(1_000, 60): 28.3, (200, 240): 162.6}


def benches(*, quick: bool) -> list[Bench]:
    full = not quick
    return [
        _official(1_000 if full else 100, 60, 40, judged=full),
        _official(200 if full else 20, 240 if full else 120, 150, judged=full),
        _growth(quick=quick),
        _memory(quick=quick),
        _splitting(5_000 if full else 200, judged=full),
    ]


def _ours(folder: Path) -> list[str]:
    files = ["-g", folder / "gold.tbf", "-s", folder / "system1.tbf"]
    return adjudge("nugget", "score", *files, "--coref", "--quiet", "--bootstrap", "0", "--jobs", "1")


def _official(documents: int, nuggets: int, bar: float, *, judged: bool) -> Bench:
    name = f"{documents}x{nuggets}"
    row = Row(
        "official", f"{documents:,} documents of {nuggets} nuggets", f"times less CPU than {PEER}", bar, judged=judged
    )

    def run(setting: Setting) -> Iterator[Found]:
        folder = setting.corpus("tbf", documents=documents, nuggets=nuggets)
        run_process(_ours(folder))

        def official() -> Cost:
            program, out = setting.program("EvmEval"), setting.scratch(f"nugget-{name}")
            files = ["-g", folder / "gold.tbf", "-s", folder / "system1.tbf"]
            return run_process([*program, *files, "-c", out / "coref", "-o", out / "scores"], limit=400, may_cut=True)

        sides = {"ours": lambda: run_process(_ours(folder)), PEER: official}
        turns = setting.alternate(sides, 5, fewer={PEER: 1})
        found = compare("official", turns, PEER)
        recorded = RECORDED.get((documents, nuggets))
        if found.value is None and recorded:
            ratio = recorded / turns.best("ours").cpu
            why = f"{found.why}; about {ratio:.0f} times, with the {recorded} s that it took on another machine"
            found = found._replace(why=why, ours=turns.best("ours"))
        yield found

    return Bench(f"nugget/{name}", (row,), run)


def _growth(*, quick: bool) -> Bench:
    sizes = (60, 120, 240) if quick else (60, 120, 240, 480, 960)
    documents = 50 if quick else 200
    what = f"{documents} documents of {sizes[0]} to {sizes[-1]} nuggets"
    row = Row("nuggets", what, "growth exponent of CPU, start-up apart", 1.3, at_least=False, judged=not quick)

    def run(setting: Setting) -> Iterator[Found]:
        start = _ours(setting.corpus("tbf", documents=1, nuggets=4))
        commands = {n: _ours(setting.corpus("tbf", documents=documents, nuggets=n)) for n in sizes}
        yield measure_growth(setting, "nuggets", commands, start)

    return Bench("nugget/growth", (row,), run)


def _memory(*, quick: bool) -> Bench:
    few, many = (100, 500) if quick else (1_000, 5_000)
    what = f"{many:,} documents of 60 nuggets instead of {few:,}"
    row = Row("memory", what, "times the memory of the whole process", 1.5, at_least=False, judged=not quick)

    def run(setting: Setting) -> Iterator[Found]:
        costs = [run_process(_ours(setting.corpus("tbf", documents=n, nuggets=60))) for n in (few, many)]
        yield Found("memory", costs[1].megabytes / costs[0].megabytes, ours=costs[1], theirs=costs[0])

    return Bench("nugget/memory", (row,), run)


def _splitting(documents: int, *, judged: bool) -> Bench:
    def files(folder: Path) -> list[Path]:
        return [folder / "gold.tbf", folder / "system1.tbf"]

    scored = Scored(
        f"{documents:,} documents of 60 nuggets, `nugget score` with coreference",
        lambda setting: setting.corpus("tbf", documents=documents, nuggets=60),
        files,
        lambda folder, _: adjudge("nugget", "score", *files(folder), "--coref"),
    )
    return beside_splitting("nugget", scored, 8, judged=judged)
