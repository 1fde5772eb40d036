"""Paths as Python sets, written as the definition reads: slow, obvious, and what every engine must agree with."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import strategies as st

from adjudge.evaluate.corpus import draw
from adjudge.tasks.kbp.counting import SampleCounts, count_samples
from adjudge.tasks.kbp.facts import Facts, make_facts

Triple = tuple[int, int, int]


class Side(NamedTuple):
    """Triples with their documents, and what a node counts as."""

    triples: dict[Triple, frozenset[int]]
    labels: tuple[int, ...] | None = None

    @property
    def facts(self) -> Facts:
        rows = [(*triple, document) for triple, documents in self.triples.items() for document in documents]
        columns = list(zip(*rows, strict=True)) or [(), (), (), ()]
        return make_facts(*columns, labels=self.labels)


def paths(
    triples: Iterable[Triple],
    hops: int,
    labels: Sequence[int] | None = None,
    identity: str = "endpoints",
    walks: str = "all",
) -> set[tuple[Any, ...]]:
    """(relations, nodes) of every path of exactly so many hops."""
    triples = set(triples)
    out: dict[int, list[tuple[int, int]]] = {}
    for s, r, o in triples:
        out.setdefault(s, []).append((r, o))
    found = {((r,), (s, o)) for s, r, o in triples}
    for _ in range(hops - 1):
        found = {((*rs, r), (*nodes, o)) for rs, nodes in found for r, o in out.get(nodes[-1], ())}
    if walks == "simple":
        found = {(rs, nodes) for rs, nodes in found if len(set(nodes)) == len(nodes)}
    named = labels if labels is not None else range(1 << 20)
    if identity == "endpoints":
        return {(rs, (named[nodes[0]], named[nodes[-1]])) for rs, nodes in found}
    return {(rs, tuple(named[node] for node in nodes)) for rs, nodes in found}


def count(
    gold: Side, system: Side, hop: int, present: Iterable[int] | None = None, **options: str
) -> tuple[int, int, int]:
    """(both, gold, system) from the facts that are in one of the documents."""
    g, s = sets(gold, system, hop, present, **options)
    return len(g & s), len(g), len(s)


def sets(gold: Side, system: Side, hop: int, present: Iterable[int] | None = None, **options: str) -> list[set[Any]]:
    kept = None if present is None else set(present)
    return [
        paths([t for t, d in side.triples.items() if kept is None or d & kept], hop, side.labels, **options)
        for side in (gold, system)
    ]


def by_sequence(gold: Side, system: Side, hop: int, **options: str) -> dict[tuple[int, ...], tuple[int, int, int]]:
    g, s = sets(gold, system, hop, **options)
    counters = [Counter(rs for rs, _ in found) for found in (g & s, g, s)]
    return {rs: (counters[0][rs], counters[1][rs], counters[2][rs]) for rs in counters[1].keys() | counters[2].keys()}


DOCUMENTS = 5


@st.composite
def sides(draw: st.DrawFn, *, labelled: bool = False, nodes: int = 7, relations: int = 3, size: int = 14) -> Side:
    """A small graph with self-loops, cycles and hubs, possibly empty."""
    node = st.integers(0, nodes - 1)
    triple = st.tuples(node, st.integers(0, relations - 1), node)
    support = st.frozensets(st.integers(0, DOCUMENTS - 1), min_size=1, max_size=3)
    triples = draw(st.dictionaries(triple, support, max_size=size))
    labels = None
    if labelled:
        labels = tuple(draw(st.lists(st.integers(0, nodes + 2), min_size=nodes, max_size=nodes)))
    return Side(triples, labels)


# Cases


def cases() -> dict[str, Any]:
    """The worked example and the graph cases."""
    path = Path(__file__).parent / "golden" / "kbp.json"
    if not path.exists():
        pytest.skip("tests/golden/kbp.json is not there")
    found: dict[str, Any] = json.loads(path.read_text())
    return found


class Numbers:
    """Numbers for names, in the order in which they come."""

    def __init__(self) -> None:
        self.known: dict[str, int] = {}

    def __call__(self, name: str) -> int:
        return self.known.setdefault(name, len(self.known))


class Corpus(NamedTuple):
    """Numbers of nodes, relations and documents, shared by the sides of one case."""

    node: Numbers
    relation: Numbers
    document: Numbers

    def side(self, rows: Sequence[Mapping[str, Any]]) -> Side:
        triples = {}
        for row in rows:
            s, r, o = row["triple"]
            key = (self.node(s), self.relation(r), self.node(o))
            triples[key] = frozenset(map(self.document, row["docs"]))
        return Side(triples)


def corpus() -> Corpus:
    return Corpus(Numbers(), Numbers(), Numbers())


def scored_counts(result: Any, metric: str, system: str | None = None, **where: str) -> tuple[int, ...]:
    """What a result says of a metric: the paths of both sides together, of gold and of the system."""
    own = result.systems[0] if system is None else result.system(system)
    scores = own[metric].where(**where) if where else own[metric]
    return tuple(int(scores[part]) for part in ("tp", "gold", "system"))


class Resampled(NamedTuple):
    """Counts by the kind of sample, and which leave-outs were paired."""

    point: SampleCounts
    left_out: SampleCounts
    bootstrap: SampleCounts
    left_pairs: SampleCounts
    pairs: Any


def drawn_presence(draws: Any) -> Any:
    """Which documents (rows) are in which samples (columns)."""
    return np.concatenate([weights > 0 for weights in draws.weights(64)]).T


def resample_counts(
    gold: Facts, systems: Sequence[Facts], *, documents: int, resamples: int = 1000, seed: int = 13, hops: int = 3
) -> list[Resampled]:
    """Point estimate, jackknife and bootstrap of every system, on the same samples, from one pass."""
    drawn = draw(documents, resamples=max(resamples, 1), seed=seed)
    cuts = 0, 1, 1 + drawn.left, 1 + drawn.left + resamples, drawn.samples - (not resamples)
    present = drawn_presence(drawn)
    present = present if resamples else np.delete(present, 1 + drawn.left, axis=1)
    found = []
    for own in count_samples([gold, *systems], present, hops=hops):
        kinds = (SampleCounts(*(column[:, a:b] for column in own)) for a, b in itertools.pairwise(cuts))
        found.append(Resampled(*kinds, drawn.pairs))
    return found
