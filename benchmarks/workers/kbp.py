"""python -m benchmarks.workers.kbp NAME SIZE HOPS: paths of a knowledge base, or of resampled corpora, in process.

Samples computed anew are a few of the thousand, and their cost is scaled up.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from adjudge.tasks.kbp.facts import Facts, make_facts
from benchmarks.corpora.kb import make_corpus, make_pair
from benchmarks.house.worker import reply, timed

_RESAMPLES = 1000
_SHOWN = 20  # samples that are computed anew; the cost of all is in proportion
_SEED = 13


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


def work_sparse(triples: int, hops: int) -> dict[str, Any]:
    import scipy.sparse  # noqa: F401  # loading is not the work

    from adjudge.tasks.kbp.counting import count_paths

    gold, system = make_pair(triples)
    return timed(lambda: [list(hop.total) for hop in count_paths(gold, system, hops=hops)])


def work_duckdb(triples: int, hops: int) -> dict[str, Any]:
    import duckdb  # noqa: F401

    from benchmarks.workers.kbp_join import count_joins

    gold, system = make_pair(triples)
    return timed(lambda: count_joins(gold, system, hops))


def work_sample(triples: int, hops: int) -> dict[str, Any]:
    import scipy.sparse  # noqa: F401

    from adjudge.tasks.kbp.sampling import sample_paths

    gold, system = make_pair(triples)
    return timed(lambda: {part: list(getattr(sample_paths(gold, system, hop=hops), part)) for part in ("f1",)})


def work_ntriples(triples: int, _: int) -> dict[str, Any]:
    import numpy  # noqa: F401  # loading is not the work

    from adjudge.formats.kg_rdf import read_rdf

    data = _ntriples(triples)
    return timed(lambda: len(read_rdf(data).table))


def work_oxigraph(triples: int, _: int) -> dict[str, Any]:
    import pyoxigraph

    data, form = _ntriples(triples), pyoxigraph.RdfFormat.N_TRIPLES
    return timed(lambda: sum(1 for _ in pyoxigraph.parse(data, format=form)))


def _ntriples(triples: int) -> bytes:
    """The facts of gold as N-Triples, every fifth object as a literal."""
    gold = make_pair(triples)[0]
    base = "http://example.org"
    rows = zip(gold.subjects.tolist(), gold.relations.tolist(), gold.objects.tolist(), strict=True)
    lines = []
    for number, (s, r, o) in enumerate(rows):
        end = f'"name {o} of a thing"@en' if number % 5 == 0 else f"<{base}/entity/E{o}>"
        lines.append(f"<{base}/entity/E{s}> <{base}/relation/r{r}> {end} .\n")
    return "".join(lines).encode()


def work_masks(documents: int, hops: int) -> dict[str, Any]:
    from adjudge.tasks.kbp.counting import count_samples

    gold, system = make_corpus(documents)
    presence = _presence(documents)
    found = timed(lambda: count_samples([gold, system], presence, hops=hops)[0])
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

    return _scaled(timed(run))


def work_products(documents: int, hops: int) -> dict[str, Any]:
    import scipy.sparse  # noqa: F401

    from adjudge.tasks.kbp.counting import count_paths
    from adjudge.tasks.kbp.facts import assertions

    rows = [assertions(side) for side in make_corpus(documents)]
    presence = _presence(documents)

    def run() -> list[list[list[int]]]:
        found = []
        for column in presence.T[:_SHOWN]:
            sides = [make_facts(*(part[column[d]] for part in (s, r, o))) for s, r, o, d in rows]
            found.append([list(hop.total) for hop in count_paths(*sides, hops=hops)])
        return found

    return _scaled(timed(run))


def _presence(documents: int) -> np.ndarray:
    from adjudge.stats.resample import Stream, bootstrap_weights

    rows = [weights > 0 for weights in bootstrap_weights(documents, _RESAMPLES, Stream(_SEED))]
    return np.concatenate(rows).T


def _scaled(found: dict[str, Any]) -> dict[str, Any]:
    return {**found, "cpu": found["cpu"] * _RESAMPLES / _SHOWN}


WORKERS = {
    "sparse": work_sparse,
    "duckdb": work_duckdb,
    "sample": work_sample,
    "ntriples": work_ntriples,
    "oxigraph": work_oxigraph,
    "masks": work_masks,
    "sets": work_sets,
    "products": work_products,
}

if __name__ == "__main__":
    name, size, hops = sys.argv[1:]
    said = WORKERS[name](int(size), int(hops))
    said["found"] = {"counts": said["found"], "process": said["process"]}
    reply(said)
