"""Knowledge bases: paths counted by sparse products beside a join in DuckDB, resampling beside recomputing.

The clock is the CPU time of counting, in processes that have made the data and loaded everything; memory is the peak
beyond what they held before.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec

from benchmarks.house.fit import fit_exponent
from benchmarks.house.measure import Cost, Failed, run_worker
from benchmarks.house.rows import Bench, Found, Row, compare
from benchmarks.house.setting import Setting


def benches(*, quick: bool) -> list[Bench]:
    triples = 100_000 if quick else 1_000_000
    return [
        _join(triples, judged=not quick),
        _large(triples, judged=not quick),
        _samples(200 if quick else 600, judged=not quick),
        _growth(quick=quick),
    ]


def _join(triples: int, *, judged: bool) -> Bench:
    what = f"{triples:,} triples, 2 hops"
    rows = (
        Row("cpu", what, "times less CPU than a join in DuckDB", 10, judged=judged),
        Row("memory", what, "times less memory than a join in DuckDB", 5, judged=judged),
    )

    def run(setting: Setting) -> Iterator[Found]:
        def join() -> Cost:
            if find_spec("duckdb") is None:
                raise Failed("duckdb is not installed (make bench installs it)")
            return run_worker("kbp", "duckdb", triples, 2)

        turns = setting.alternate({"ours": lambda: run_worker("kbp", "sparse", triples, 2), "DuckDB": join}, 2)
        if turns.runs["DuckDB"]:
            ours, theirs = (turns.best(side).found["counts"] for side in ("ours", "DuckDB"))
            if ours != theirs:
                raise Failed(f"the counts differ: {ours} for us and {theirs} for DuckDB")
        yield compare("cpu", turns, "DuckDB")
        yield compare("memory", turns, "DuckDB", of="megabytes", floor=1.0)

    return Bench("kbp/join", rows, run)


def _large(triples: int, *, judged: bool) -> Bench:
    what = f"{triples:,} triples, 3 hops"
    rows = (
        Row("memory", what, "MB, the whole process", 2000, at_least=False, judged=judged),
        Row("sample", f"{what}, 2,000 first nodes sampled", "times less CPU than counting all paths"),
    )

    def run(_: Setting) -> Iterator[Found]:
        cost = run_worker("kbp", "sparse", triples, 3)
        paths = sum(cost.found["counts"][-1][1:])
        yield Found("memory", cost.found["process"], ours=cost, note=f"{paths / 1e6:,.0f} million paths")
        drawn = run_worker("kbp", "sample", triples, 3)
        yield Found("sample", cost.cpu / drawn.cpu, ours=drawn, theirs=cost, note="all paths")

    return Bench("kbp/large", rows, run)


def _samples(documents: int, *, judged: bool) -> Bench:
    what = f"1,000 samples of {documents} documents, 3 hops"
    rows = (
        Row("sets", what, "times less CPU than sets built anew", 100, judged=judged),
        Row("products", what, "times less CPU than sparse products anew"),
    )

    def run(setting: Setting) -> Iterator[Found]:
        sides = {
            name: lambda worker=worker: run_worker("kbp", worker, documents, 3)
            for name, worker in (("ours", "masks"), ("sets", "sets"), ("products", "products"))
        }
        turns = setting.alternate(sides, 2, fewer={"sets": 1, "products": 1})
        counts = {name: turns.best(name).found["counts"] for name in turns.runs if name not in turns.failed}
        if len({str(each) for each in counts.values()}) > 1:
            raise Failed("the counts of the samples differ")
        yield compare("sets", turns, "sets")
        yield compare("products", turns, "products")

    return Bench("kbp/samples", rows, run)


def _growth(*, quick: bool) -> Bench:
    sizes = (20_000, 50_000, 100_000) if quick else (100_000, 200_000, 500_000, 1_000_000)
    row = Row("growth", f"{sizes[0]:,} to {sizes[-1]:,} triples, 2 hops", "growth exponent of CPU")

    def run(setting: Setting) -> Iterator[Found]:
        turns = setting.alternate({str(n): lambda n=n: run_worker("kbp", "sparse", n, 2) for n in sizes}, 2)
        best = {n: turns.best(str(n)) for n in sizes}
        fit = fit_exponent((n, cost.cpu) for n, cost in best.items())
        yield Found("growth", fit.exponent, fit=fit, ours=best[sizes[-1]])

    return Bench("kbp/growth", (row,), run)
