"""What counting paths and resampling documents cost, side by side with the obvious ways, in one run.

    python benchmarks/kbp.py [--parts masks,join,large,coverage] [--triples 1000000] [--json FILE]

Needs duckdb for the comparison with a join (pip install "adjudge[duckdb]"); without it that part is left out.

A knowledge base of T gold and 1.2 T system triples is made from a seed: 0.45 T entities (60 % persons, 30 %
organisations, 10 % places), 15 relations with the argument types of ACE, subjects and objects drawn from Zipf laws with
exponents 0.55 and 0.85; the system has 70 % of gold and noise of the same kind. A corpus for resampling has ten triples
in each document, of which a system keeps 42 %. Each measurement has a process of its own; the clock is its CPU time,
and memory is the peak beyond what it held before. Samples computed anew are a few of the thousand, and their cost is
scaled up. `coverage` simulates how often intervals hold and tests raise false alarms.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from adjudge.tasks.kbp.paths_facts import Facts, make_facts
from measure import forget_peak, peak_memory

# Argument types of the relations: 0 person, 1 organisation, 2 place; subject, object, share of the triples.
KINDS = (
    (0, 1, 0.22), (0, 1, 0.02), (0, 1, 0.02), (0, 1, 0.03), (0, 1, 0.02), (0, 1, 0.02), (0, 1, 0.08),
    (1, 2, 0.08), (1, 1, 0.03), (2, 2, 0.12), (1, 1, 0.06), (0, 0, 0.04), (0, 0, 0.06), (0, 2, 0.18), (2, 2, 0.02),
)  # fmt: skip
_SEED = 13


def draw_triples(
    number: int, entities: int, rng: np.random.Generator, *, zipf: tuple[float, float] = (0.55, 0.85)
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Triples whose arguments have the types of their relation."""
    sizes = [int(entities * share) for share in (0.6, 0.3, 0.1)]
    offsets = np.concatenate(([0], np.cumsum(sizes)))[:3]
    shares = np.array([share for *_, share in KINDS])
    relations = rng.choice(len(KINDS), size=number, p=shares / shares.sum())
    ends = []
    for side in (0, 1):
        kinds = np.array([kind[side] for kind in KINDS])[relations]
        column = np.empty(number, dtype=np.int64)
        for kind in range(3):
            at = np.flatnonzero(kinds == kind)
            weights = np.arange(1, sizes[kind] + 1) ** -zipf[side]
            ends_of = np.cumsum(weights)
            drawn = np.searchsorted(ends_of, rng.random(len(at)) * ends_of[-1])
            # An entity that is often an object is often a subject too: that is what makes paths explode.
            column[at] = offsets[kind] + drawn
        ends.append(column)
    return ends[0], relations, ends[1]


def make_pair(triples: int) -> tuple[Facts, Facts]:
    """Gold and system of the given size."""
    rng = np.random.default_rng(_SEED)
    entities = max(30, int(0.45 * triples))
    s, r, o = draw_triples(triples, entities, rng)
    kept = rng.random(triples) < 0.7
    a, b, c = draw_triples(int(1.2 * triples) - int(kept.sum()), entities, rng)
    system = (np.concatenate((s[kept], a)), np.concatenate((r[kept], b)), np.concatenate((o[kept], c)))
    return make_facts(s, r, o), make_facts(*system)


def make_corpus(documents: int, per_document: int = 10) -> tuple[Facts, Facts]:
    """Gold and system with documents: the system keeps 42 % of what a document says and adds as much as it drops."""
    rng = np.random.default_rng(_SEED)
    rows = documents * per_document
    entities = max(30, int(0.33 * rows))
    s, r, o = draw_triples(rows, entities, rng)
    where = np.repeat(np.arange(documents), per_document)
    kept = rng.random(rows) < 0.42
    a, b, c = draw_triples(rows, entities, rng)
    system = [np.where(kept, one, other) for one, other in ((s, a), (r, b), (o, c))]
    return make_facts(s, r, o, where), make_facts(*system, where)


def recompute(facts: Facts, present: np.ndarray, hops: int) -> list[set[tuple[int, ...]]]:
    """The paths of one sample, built anew as Python sets."""
    starts, documents = facts.starts.tolist(), facts.documents.tolist()
    columns = (facts.subjects.tolist(), facts.relations.tolist(), facts.objects.tolist())
    kept = [
        triple
        for triple, a, b in zip(zip(*columns, strict=True), starts[:-1], starts[1:], strict=True)
        if any(present[d] for d in documents[a:b])
    ]
    out: dict[int, list[tuple[int, int]]] = {}
    for s, r, o in kept:
        out.setdefault(s, []).append((r, o))
    levels: list[set[tuple[int, ...]]] = [set(kept)]
    for _ in range(hops - 1):
        levels.append({(*path[:-1], r, o) for path in levels[-1] for r, o in out.get(path[-1], ())})
    return levels


# Workers: each runs in a process of its own and gives numbers


def measured(run: Any) -> dict[str, Any]:
    forget_peak()
    before, start = peak_memory(), time.process_time()
    found = run()
    cpu, memory = time.process_time() - start, peak_memory() - before
    return {"cpu": cpu, "MB": memory / 1e6, "process MB": peak_memory() / 1e6, "found": found}


def work_sparse(triples: int, hops: int) -> dict[str, Any]:
    import scipy.sparse  # noqa: F401  # loading is not the work

    from adjudge.tasks.kbp.paths_sparse import count_sparse

    gold, system = make_pair(triples)
    return measured(lambda: [list(hop.total) for hop in count_sparse(gold, system, hops=hops)])


def work_duckdb(triples: int, hops: int) -> dict[str, Any]:
    import duckdb  # noqa: F401

    from adjudge.tasks.kbp.duck import count_duckdb

    gold, system = make_pair(triples)
    return measured(lambda: [list(hop.total) for hop in count_duckdb(gold, system, hops=hops)])


def work_sample(triples: int, hops: int) -> dict[str, Any]:
    import scipy.sparse  # noqa: F401

    from adjudge.tasks.kbp.sampling import sample_paths

    gold, system = make_pair(triples)
    return measured(lambda: {part: list(getattr(sample_paths(gold, system, hop=hops), part)) for part in ("f1",)})


def work_masks(documents: int, hops: int) -> dict[str, Any]:
    from adjudge.tasks.kbp.masks import count_samples

    gold, system = make_corpus(documents)
    presence = _presence(documents)
    found = measured(lambda: count_samples(gold, [system], presence, hops=hops)[0])
    counts = found["found"]
    return {**found, "found": [[[int(part[hop, b]) for part in counts] for hop in range(hops)] for b in range(_SHOWN)]}


def work_sets(documents: int, hops: int) -> dict[str, Any]:
    gold, system = make_corpus(documents)
    presence = _presence(documents)

    def run() -> list[list[list[int]]]:
        rows = []
        for column in presence.T[:_SHOWN]:
            sides = [recompute(side, column, hops) for side in (gold, system)]
            rows.append([[len(g & s), len(g), len(s)] for g, s in zip(*sides, strict=True)])
        return rows

    return _scaled(measured(run))


def work_products(documents: int, hops: int) -> dict[str, Any]:
    import scipy.sparse  # noqa: F401

    from adjudge.tasks.kbp.paths_facts import assertions
    from adjudge.tasks.kbp.paths_sparse import count_sparse

    rows = [assertions(side) for side in make_corpus(documents)]
    presence = _presence(documents)

    def run() -> list[list[list[int]]]:
        found = []
        for column in presence.T[:_SHOWN]:
            sides = [make_facts(*(part[column[d]] for part in (s, r, o))) for s, r, o, d in rows]
            found.append([list(hop.total) for hop in count_sparse(*sides, hops=hops)])
        return found

    return _scaled(measured(run))


_RESAMPLES = 1000
_SHOWN = 20  # samples that are computed anew; the cost of all is in proportion


def _presence(documents: int) -> np.ndarray:
    from adjudge.tasks.kbp.masks_samples import bootstrap_presence

    return bootstrap_presence(documents, _RESAMPLES, np.random.default_rng(_SEED))


def _scaled(found: dict[str, Any]) -> dict[str, Any]:
    return {**found, "cpu": found["cpu"] * _RESAMPLES / _SHOWN}


WORKERS = {
    "sparse": work_sparse,
    "duckdb": work_duckdb,
    "sample": work_sample,
    "masks": work_masks,
    "sets": work_sets,
    "products": work_products,
}


def run_worker(name: str, size: int, hops: int) -> dict[str, Any]:
    command = [sys.executable, __file__, "--worker", name, str(size), str(hops)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


class Report:
    """Lines that are printed as they come, and whether all bars hold."""

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []

    def note(self, what: str, value: float, unit: str, bar: float | None = None, *, at_least: bool = True) -> None:
        holds = None if bar is None else (value >= bar if at_least else value <= bar)
        self.rows.append({"what": what, "value": value, "unit": unit, "bar": bar, "holds": holds})
        limit = (
            "" if bar is None else f"  bar: at {'least' if at_least else 'most'} {bar:g}  {'ok' if holds else 'MISSED'}"
        )
        sys.stdout.write(f"{what:<72}{value:12,.2f} {unit}{limit}\n")
        sys.stdout.flush()

    def same(self, what: str, one: Any, other: Any) -> None:
        self.rows.append({"what": what, "holds": one == other})
        sys.stdout.write(f"{what:<72}{'equal' if one == other else 'DIFFERENT':>12}\n")


def compare_join(report: Report, triples: int) -> None:
    from adjudge.tasks.kbp.duck import installed

    ours = run_worker("sparse", triples, 2)
    what = f"{triples:,} triples, 2 hops"
    report.note(f"{what}: paths of gold and system", sum(ours["found"][-1][1:]) / 1e6, "million")
    report.note(f"{what}: sparse products", ours["cpu"], "CPU s")
    report.note(f"{what}: sparse products", ours["MB"], "MB")
    if not installed():
        sys.stdout.write("duckdb is not installed: no comparison with its join\n")
        return
    theirs = run_worker("duckdb", triples, 2)
    report.note(f"{what}: DuckDB", theirs["cpu"], "CPU s")
    report.note(f"{what}: DuckDB", theirs["MB"], "MB")
    report.same(f"{what}: counts", ours["found"], theirs["found"])
    report.note(f"{what}: DuckDB / sparse products, CPU", theirs["cpu"] / ours["cpu"], "times", 10)
    report.note(f"{what}: DuckDB / sparse products, memory", theirs["MB"] / max(1, ours["MB"]), "times", 5)


def measure_large(report: Report, triples: int) -> None:
    ours = run_worker("sparse", triples, 3)
    what = f"{triples:,} triples, 3 hops"
    report.note(f"{what}: paths of gold and system", sum(ours["found"][-1][1:]) / 1e6, "million")
    report.note(f"{what}: sparse products", ours["cpu"], "CPU s")
    report.note(f"{what}: sparse products, whole process", ours["process MB"], "MB", 2000, at_least=False)
    both, gold, system = ours["found"][-1]
    drawn = run_worker("sample", triples, 3)
    value, error, low, high = drawn["found"]["f1"]
    report.note(f"{what}: 2,000 first nodes sampled", drawn["cpu"], "CPU s")
    report.note(f"{what}: F1, all paths", 200 * both / (gold + system), "%")
    report.note(
        f"{what}: F1, estimated", 100 * value, f"% +- {100 * error:.2f}, surely {100 * low:.1f} to {100 * high:.1f}"
    )


def compare_masks(report: Report, documents: int) -> None:
    what = f"{documents} documents, 3 hops, {_RESAMPLES:,} samples"
    masks, sets, products = (run_worker(name, documents, 3) for name in ("masks", "sets", "products"))
    report.note(f"{what}: masks", masks["cpu"], "CPU s")
    report.note(f"{what}: masks", masks["MB"], "MB")
    report.note(f"{what}: sets built anew", sets["cpu"], "CPU s")
    report.note(f"{what}: sparse products anew", products["cpu"], "CPU s")
    report.same(f"{what}: counts of {_SHOWN} samples", masks["found"], sets["found"])
    report.same(f"{what}: counts of {_SHOWN} samples", masks["found"], products["found"])
    report.note(f"{what}: sets / masks, CPU", sets["cpu"] / masks["cpu"], "times", 100)
    report.note(f"{what}: sparse products / masks, CPU", products["cpu"] / masks["cpu"], "times")


def simulate(report: Report, replicates: int, documents: int) -> None:
    """How often intervals hold the mean over corpora, and how often tests tell two equally good systems apart."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
    import kbp_simulation

    found = kbp_simulation.simulate(documents, replicates)
    what = f"{documents} documents, {replicates} corpora"
    for hop in kbp_simulation.HOPS:
        report.note(f"{what}, hop {hop}: mean F1", 100 * found.truth[hop], "%")
        for method in kbp_simulation.METHODS:
            share = 100 * found.coverage[method, hop]
            report.note(f"{what}, hop {hop}: coverage of 90 %, {method}", share, "%")
        share = 100 * found.coverage["default", hop]
        report.note(f"{what}, hop {hop}: coverage of 95 %, jackknife (the default)", share, "%")
        report.note(f"{what}, hop {hop}: score inside its percentile interval", 100 * found.inside[hop], "%")
        for test in kbp_simulation.TESTS:
            report.note(f"{what}, hop {hop}: false alarms at 5 %, {test}", 100 * found.alarms[test, hop], "%")


def main() -> int:
    """Measure, print, and say whether every bar holds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", default="masks,join,large", help="of masks, join, large and coverage")
    parser.add_argument("--triples", type=int, default=1_000_000)
    parser.add_argument("--documents", type=int, default=600, help="of the corpus that is resampled")
    parser.add_argument("--replicates", type=int, default=200, help="corpora of the simulation `coverage`")
    parser.add_argument("--simulated", type=int, default=100, help="documents of one such corpus")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--worker", nargs=3, metavar=("NAME", "SIZE", "HOPS"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        name, size, hops = options.worker
        json.dump(WORKERS[name](int(size), int(hops)), sys.stdout)
        return 0
    report = Report()
    for part in options.parts.split(","):
        if part == "masks":
            compare_masks(report, options.documents)
        elif part == "join":
            compare_join(report, options.triples)
        elif part == "large":
            measure_large(report, options.triples)
        elif part == "coverage":
            simulate(report, options.replicates, options.simulated)
        else:
            parser.error(f"there is no part {part}")
    if options.json:
        options.json.write_text(json.dumps(report.rows, indent=2) + "\n")
    return 0 if all(row["holds"] is not False for row in report.rows) else 1


if __name__ == "__main__":
    sys.exit(main())
