"""The measures of knowledge bases, and scores of graphs item by item: triples, pairs, entities, relations and so on.

Papers pool in three ways, and all are reported: sets over the whole corpus, regardless of documents (`kbp.triples`),
items of documents, summed (`kbp.triples.micro`), and means over documents (`kbp.triples.macro`). A document that is
empty on both sides is left out of a mean. Self-loops are kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from adjudge.algebra.solve.deadline import running
from adjudge.algebra.solve.matrix import solved_or_late
from adjudge.stats.measure import Combined, Measure, Prf, Ratio, Total
from adjudge.tasks.kbp.counting import ALL_HOPS, variants
from adjudge.tasks.kbp.facts import Facts, assertions, combine, make_facts
from adjudge.tasks.kbp.walks import Work

if TYPE_CHECKING:
    import numpy.typing as npt

    from adjudge.evaluate.corpus import Draws
    from adjudge.tasks.kbp.options import KbOptions

    Ints: TypeAlias = npt.NDArray[Any]

KINDS = ("triples", "pairs", "pairs.undirected", "entities", "relations")
PARTIAL = "kbp.triples.partial"
CONNECTED = "kbp.connected"
CELLS = 25_000_000
"""Pairs of triples of a document beyond which partial matches are not looked for."""

_RATES = ("conformance.relation", "conformance.domain", "conformance.range")
_UNGROUNDED = ("hallucination.subject", "hallucination.object")


TALLIES = ("unaligned", "unattested", "out-of-scope", "excluded", "outside", "low-confidence", "self-loops")
"""The outcomes that are counted of facts that are not triples, or not about gold entities; each is a metric
`kbp.NAME`."""


class GraphSide(NamedTuple):
    """One side: its facts with self-loops, its entities by document, and the checks of its rows.

    `checked` has a column for each check of single rows, with a value for each document.
    """

    facts: Facts
    entities: tuple[Ints, Ints]
    checked: Mapping[str, Ints] = {}
    merged: int = 0


def measures_of(options: KbOptions, *, checked: Sequence[str] = ()) -> list[Measure]:
    """Precision, recall, F1 and counts by the number of hops, and of all hops together; then the tallies.

    >>> from adjudge.tasks.kbp.options import KbOptions
    >>> [each.name for each in measures_of(KbOptions(hops=2, identity="both")) if isinstance(each, Prf)]
    ['kbp.hop1', 'kbp.hop2', 'kbp.hop2.full', 'kbp.hops']
    """
    ways = variants(options)
    names = [each.metric(hop) for hop in range(1, options.hops + 1) for each in ways if hop >= each.first]
    found: list[Measure] = []
    for metric in [*names, ALL_HOPS] if options.hops > 1 else names:
        found += counted_measures(metric)
    found += graph_measures(options, checked=checked)
    return found + [Total(f"kbp.{name}", "count", ((f"kbp.{name}:count", 1.0),)) for name in TALLIES]


def graph_measures(options: KbOptions, *, checked: Sequence[str] = ()) -> list[Measure]:
    """The measures; `checked` are the columns of the checks of single rows.

    >>> from adjudge.tasks.kbp.options import KbOptions
    >>> [each.name for each in graph_measures(KbOptions(hops=1, graph=True)) if isinstance(each, Prf)][:3]
    ['kbp.triples', 'kbp.triples.micro', 'kbp.triples.partial.micro']
    """
    found: list[Measure] = []
    if options.graph:
        for kind in KINDS:
            name = f"kbp.{kind}"
            found += [*counted_measures(name), *counted_measures(f"{name}.micro"), *_means(f"{name}.macro")]
            if kind == "triples":
                found += [*counted_measures(f"{PARTIAL}.micro"), *_means(f"{PARTIAL}.macro")]
        found += counted_measures(CONNECTED)
        for hop in range(1, options.hops + 1):
            name = f"kbp.distance{hop}"
            both, gold, _ = metric_columns(name)
            found.append(Ratio(name, "recall", ((both, 1.0),), ((gold, 1.0),)))
            found += [Total(name, part, ((column, 1.0),)) for part, column in (("tp", both), ("gold", gold))]
        if options.naming.folds or options.naming.mode == "map":
            found += [Total("kbp.merged", side, ((f"kbp.merged:{side}", 1.0),)) for side in ("gold", "system")]
    for name in (*_RATES, *_UNGROUNDED):
        if f"{name}:known" in checked:
            found += _rate(name)
            if name == _RATES[0]:
                known = f"{name}:known"
                wrong = ((known, 1.0), (f"{name}:right", -1.0))
                found.append(Ratio("kbp.hallucination.relation", "rate", wrong, ((known, 1.0),)))
    return found


def metric_columns(metric: str) -> tuple[str, str, str]:
    """On both sides, in gold, in the system."""
    return f"{metric}:tp", f"{metric}:gold", f"{metric}:system"


def counted_measures(name: str) -> list[Measure]:
    """Precision, recall and F1 of what is counted on both sides, in gold and in the system, and the counts."""
    both, gold, system = metric_columns(name)
    counts = (("tp", both), ("gold", gold), ("system", system))
    return [Prf(name, (both, system), (both, gold)), *(Total(name, part, ((one, 1.0),)) for part, one in counts)]


def _means(name: str) -> list[Measure]:
    documents = ((f"{name}:documents", 1.0),)
    found: list[Measure] = [
        Ratio(name, part, ((f"{name}:{part}", 1.0),), documents) for part in ("precision", "recall", "f1")
    ]
    found.append(Combined(name, "f1_of_means", "harmonic", ((name, "precision"), (name, "recall"))))
    return [*found, Total(name, "documents", documents)]


def _rate(name: str) -> list[Measure]:
    top = ((f"{name}:right", 1.0),)
    known = ((f"{name}:known", 1.0),)
    return [Ratio(f"kbp.{name}", "rate", top, known), Total(f"kbp.{name}", "known", known)]


def checked_columns(rows: Iterator[tuple[int, tuple[bool | None, ...]]], documents: int) -> dict[str, Ints]:
    """The checks of rows by document: how many could be checked and are right; of groundedness, how many are not.

    >>> found = checked_columns(iter([(0, (True, None, None, None, False))]), 1)
    >>> found["conformance.relation:right"].tolist(), found["hallucination.object:right"].tolist()
    ([1.0], [1.0])
    """
    import numpy as np

    found: dict[str, Ints] = {}
    for place, checks in rows:
        for number, (name, right) in enumerate(zip((*_RATES, *_UNGROUNDED), checks, strict=True)):
            if right is None:
                continue
            for column in (f"{name}:known", f"{name}:right"):
                found.setdefault(column, np.zeros(documents))
            found[f"{name}:known"][place] += 1
            found[f"{name}:right"][place] += right if number < len(_RATES) else not right
    return found


# ---------------------------------------------------------------------------------------------------------------------
# Counting


class Keyed(NamedTuple):
    """Items of one kind as numbers that mean the same on all sides, with their documents; the rows are distinct."""

    keys: Ints
    documents: Ints


def keyed(sides: Sequence[GraphSide], kind: str) -> list[Keyed]:
    """The items of one kind of every side."""
    import numpy as np

    rows = [_items(side, kind) for side in sides]
    stacked = [np.concatenate(own).astype(np.int64) for own in zip(*rows, strict=True)]
    sizes = [int(each.max()) + 1 if each.size else 1 for each in stacked]
    keys = combine(stacked[:-1], sizes[:-1]) if stacked[0].size else stacked[0]
    keys = np.unique(keys, return_inverse=True)[1].reshape(-1)
    bounds = np.cumsum([0, *(len(own[0]) for own in rows)])
    width = sizes[-1]
    found = []
    for start, stop in pairwise(bounds.tolist()):
        pairs = np.unique(keys[start:stop] * width + stacked[-1][start:stop])
        found.append(Keyed(pairs // width, pairs % width))
    return found


def _items(side: GraphSide, kind: str) -> tuple[Ints, ...]:
    """The columns that identify an item, and its document."""
    import numpy as np

    s, r, o, d = assertions(side.facts)
    if kind == "triples":
        return s, r, o, d
    if kind == "pairs":
        return s, o, d
    if kind == "pairs.undirected":
        return np.minimum(s, o), np.maximum(s, o), d
    if kind == "relations":
        return r, d
    return np.concatenate((s, o, side.entities[0])), np.concatenate((d, d, side.entities[1]))


def corpus_works(sides: Sequence[GraphSide], presence: Any, samples: int) -> list[Work]:
    """What is counted in samples of the documents for every kind of items: sets, that is paths of one hop."""
    import numpy as np

    works = []
    for kind in KINDS:
        facts = []
        for keys, documents in keyed(sides, kind):
            zeros = np.zeros(len(keys), dtype=np.int64)
            facts.append(make_facts(keys, zeros, zeros, documents))
        words = (presence,) * len(facts) if samples > 1 else ()
        if samples > 1:
            works.append(Work(tuple(facts), 1, presence=words, samples=samples))
        else:
            works += [Work((facts[0], each), 1) for each in facts[1:]]
    return works


def additive_columns(sides: Sequence[GraphSide], documents: int) -> list[dict[str, Ints]]:
    """For each system, what adds up over documents: micro counts, scores of documents, partial credit, checks."""
    import numpy as np

    found: list[dict[str, Ints]] = [dict(side.checked) for side in sides[1:]]
    for kind in KINDS:
        gold, *systems = keyed(sides, kind)
        ours = np.bincount(gold.documents, minlength=documents)
        pairs = gold.keys * documents + gold.documents
        for own, each in zip(found, systems, strict=True):
            theirs = np.bincount(each.documents, minlength=documents)
            same = np.isin(each.keys * documents + each.documents, pairs)
            both = np.bincount(each.documents[same], minlength=documents)
            _add_pools(own, f"kbp.{kind}", both, ours, theirs)
    for own, side in zip(found, sides[1:], strict=True):
        credits = partial_credits(sides[0].facts, side.facts, documents)
        if credits is not None:
            ours, theirs = (np.bincount(assertions(each.facts)[3], minlength=documents) for each in (sides[0], side))
            _add_pools(own, PARTIAL, credits, ours, theirs)
    return found


def _add_pools(own: dict[str, Ints], name: str, both: Ints, gold: Ints, system: Ints) -> None:
    import numpy as np

    for column, values in zip(metric_columns(f"{name}.micro"), (both, gold, system), strict=True):
        own[column] = values.astype(float)
    whole = np.maximum(gold, 1), np.maximum(system, 1), np.maximum(gold + system, 1)
    own[f"{name}.macro:precision"] = both / whole[1]
    own[f"{name}.macro:recall"] = both / whole[0]
    own[f"{name}.macro:f1"] = 2 * both / whole[2]
    own[f"{name}.macro:documents"] = ((gold + system) > 0).astype(float)


def partial_credits(gold: Facts, system: Facts, documents: int) -> Ints | None:
    """The greatest sum of credits of a 1:1 assignment in each document; a pair has a third for each equal position.

    Equal triples can be paired first: if others, a and b, were paired with the two copies of a triple instead, the
    positions that they share with it would be at most three more than those that a and b share. None if a document has
    too many triples left.

    >>> partial_credits(make_facts([0, 1], [0, 0], [1, 2]), make_facts([0, 1], [0, 0], [1, 3]), 1).tolist()
    [1.666...]
    """
    import numpy as np

    rows = [np.stack(assertions(side), axis=1).astype(np.int64) for side in (gold, system)]
    stacked = np.concatenate(rows)
    joined = combine(list(stacked.T), [int(column.max(initial=0)) + 1 for column in stacked.T])
    keys = [joined[: len(rows[0])], joined[len(rows[0]) :]]
    credits = np.zeros(documents)
    left = []
    for place, (own, mine, other) in enumerate(zip(rows, keys, keys[::-1], strict=True)):
        same = np.isin(mine, other)
        if place == 0:
            credits += 3 * np.bincount(own[same][:, 3], minlength=documents)
        rest = own[~same]
        left.append(rest[np.argsort(rest[:, 3], kind="stable")])
    bounds = [np.searchsorted(each[:, 3], np.arange(documents + 1)) for each in left]
    sizes = np.diff(bounds[0]) * np.diff(bounds[1])
    if sizes.size and int(sizes.max()) > CELLS:
        return None
    for document in np.flatnonzero(sizes).tolist():
        running().check()
        ours, theirs = (each[at[document] : at[document + 1]] for each, at in zip(left, bounds, strict=True))
        table = sum((ours[:, None, column] == theirs[None, :, column]).astype(np.int8) for column in range(3))
        chosen = solved_or_late(np.asarray(table, dtype=float))
        credits[document] += int(table[chosen[0], chosen[1]].sum())
    return credits / 3


def sampled_sums(columns: Mapping[str, Ints], draws: Draws) -> dict[str, Ints]:
    """Columns of documents, summed in every sample."""
    import numpy as np

    from adjudge.stats.resample import exact_product, exact_slices

    slices = exact_slices(np.stack(list(columns.values()), axis=1))
    blocks = [exact_product(np.asarray(weights, dtype=float), slices) for weights in draws.weights(256)]
    return dict(zip(columns, np.concatenate(blocks).T, strict=True))
