"""Knowledge bases: files of triples scored beside DuckDB and polars, paths counted by sparse products, resampling.

From files to numbers, whole processes are compared: start-up, reading, dropping what does not count, counting. In the
other rows the clock is the CPU time of counting alone, in processes that have made the data and loaded everything;
memory is the peak beyond what they held before.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from importlib.util import find_spec

from benchmarks.house.fit import fit_exponent
from benchmarks.house.measure import ROOT, Cost, Failed, adjudge, run_process, run_worker
from benchmarks.house.rows import Bench, Found, Row, compare
from benchmarks.house.setting import Setting


def benches(*, quick: bool) -> list[Bench]:
    triples = 100_000 if quick else 1_000_000
    return [
        _files(triples, 1, 1, judged=not quick),
        _files(triples, 2, 5, judged=not quick),
        _join(triples, judged=not quick),
        _large(triples, judged=not quick),
        _ntriples(triples, judged=not quick),
        _samples(200 if quick else 600, judged=not quick),
        _growth(quick=quick),
    ]


def _files(triples: int, hops: int, bar: float, *, judged: bool) -> Bench:
    what = f"{triples:,} gold triples, {hops} hop{'s' * (hops > 1)}, from files to numbers"
    engines = {"DuckDB": "duckdb", "polars": "polars"}
    rows = tuple(
        Row(f"{of} {engine}", what, f"times less {text} than {name}", least, judged=judged)
        for name, engine in engines.items()
        for of, text, least in (("cpu", "CPU", bar), ("memory", "memory", 1))
    )

    def run(setting: Setting) -> Iterator[Found]:
        folder = setting.corpus("kb", triples=triples)
        options = ("--hops", hops, "--bootstrap", 0, "--identity", "endpoints", "--format", "json", "--jobs", 1)
        command = adjudge("kbp", "score", folder / "gold.tsv", folder / "system.tsv", "--quiet", *options)

        def join(engine: str) -> Cost:
            if find_spec(engine) is None:
                raise Failed(f"{engine} is not installed (make bench installs it)")
            more = {"PYTHONPATH": str(ROOT), "POLARS_MAX_THREADS": "1"}
            return run_process([sys.executable, "-m", "benchmarks.workers.kbp_join", engine, folder, hops], **more)

        sides = {name: lambda engine=engine: join(engine) for name, engine in engines.items()}
        few = {} if hops == 1 else dict.fromkeys(engines, 1)
        turns = setting.alternate({"ours": lambda: run_process(command), **sides}, 5 if hops == 1 else 3, fewer=few)
        counts = {name: _counts(turns.best(name).found, hops) for name in turns.runs if name not in turns.failed}
        if len({str(each) for each in counts.values()}) > 1:
            raise Failed(f"the counts differ: {counts}")
        for name, engine in engines.items():
            yield compare(f"cpu {engine}", turns, name)
            yield compare(f"memory {engine}", turns, name, of="megabytes")

    return Bench(f"kbp/files-{hops}", rows, run)


def _counts(text: str, hops: int) -> list[list[int]]:
    """What was printed: the counts alone, or a result."""
    said = json.loads(text)
    if isinstance(said, list):
        return [list(map(int, row)) for row in said]
    parts = {(each["metric"], each["part"]): each["value"] for each in said["systems"][0]["scores"]}
    return [[int(parts[f"kbp.hop{hop}", part]) for part in ("tp", "gold", "system")] for hop in range(1, hops + 1)]


def _join(triples: int, *, judged: bool) -> Bench:
    what = f"{triples:,} triples, 2 hops, counting alone"
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
    what = f"{triples:,} triples, 3 hops, counting alone"
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


def _ntriples(triples: int, *, judged: bool) -> Bench:
    what = f"{triples:,} N-Triples, reading alone"
    rows = (Row("cpu", what, "times the CPU of pyoxigraph", 3, at_least=False, judged=judged),)

    def run(setting: Setting) -> Iterator[Found]:
        def parse() -> Cost:
            if find_spec("pyoxigraph") is None:
                raise Failed("pyoxigraph is not installed (make bench installs it)")
            return run_worker("kbp", "oxigraph", triples, 1)

        sides = {"ours": lambda: run_worker("kbp", "ntriples", triples, 1), "pyoxigraph": parse}
        turns = setting.alternate(sides, 3)
        found = compare("cpu", turns, "pyoxigraph")
        yield found._replace(value=None if not found.value else 1 / found.value)

    return Bench("kbp/ntriples", rows, run)


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
    what = f"{sizes[0]:,} to {sizes[-1]:,} triples, 2 hops"
    row = Row("growth", what, "growth exponent of CPU", 1.3, at_least=False, judged=not quick)

    def run(setting: Setting) -> Iterator[Found]:
        turns = setting.alternate({str(n): lambda n=n: run_worker("kbp", "sparse", n, 2) for n in sizes}, 2)
        best = {n: turns.best(str(n)) for n in sizes}
        fit = fit_exponent((n, cost.cpu) for n, cost in best.items())
        yield Found("growth", fit.exponent, fit=fit, ours=best[sizes[-1]])

    return Bench("kbp/growth", (row,), run)
