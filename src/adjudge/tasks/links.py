"""Chains of mentions as what annotators decide: where mentions are, and which two of them are of one chain."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

from adjudge.tasks.elements import field_of

if TYPE_CHECKING:
    from adjudge.stats.agreement import Counted

CLUSTERS = "clusters"  # the field of the coreference metrics
SAME, DIFFERENT = "one chain", "two chains"


def mentions_of(items: Any) -> Any:
    """Chains of mentions `[first, last]` as their mentions with spans; anything else as it is.

    >>> mentions_of([[[0, 1], [4, 4]]])
    [{'start': 0, 'end': 2}, {'start': 4, 'end': 5}]
    """
    clusters = _listed(items)
    if not clusters or not all(isinstance(cluster, list | tuple) and cluster for cluster in clusters):
        return items
    mentions = [mention for cluster in clusters for mention in cluster]
    if not all(
        isinstance(mention, list | tuple) and len(mention) > 1 and all(type(place) is int for place in mention)
        for mention in mentions
    ):
        return items
    return [{"start": mention[0], "end": mention[-1] + 1} for mention in mentions]


def link_labels(annotators: Mapping[str, Mapping[str, Any]]) -> list[Counted]:
    """For every two mentions of a document, whether each annotator puts them into one chain; None without both of them.

    Mentions that stand in the same chains for everybody are counted together, for documents may have many.

    >>> a, b = [["x", "y"], ["z"]], [["x"], ["y", "z"]]
    >>> link_labels({"A": {"d": {"clusters": a}}, "B": {"d": {"clusters": b}}})
    [[(('one chain', 'two chains'), 1), (('two chains', 'two chains'), 1), (('two chains', 'one chain'), 1)]]
    """
    found: list[Counted] = []
    for identifier in dict.fromkeys(each for documents in annotators.values() for each in documents):
        chains = [_chain_of(documents.get(identifier)) for documents in annotators.values()]
        mentions = dict.fromkeys(mention for own in chains for mention in own)
        groups = Counter(tuple(own.get(mention) for own in chains) for mention in mentions)
        rows: Counter[tuple[str | None, ...]] = Counter()
        for one, number in groups.items():
            rows[_row(one, one)] += number * (number - 1) // 2
        for (one, number), (other, times) in combinations(groups.items(), 2):
            rows[_row(one, other)] += number * times
        found.append([(row, number) for row, number in rows.items() if number])
    return found


def _row(one: Sequence[int | None], other: Sequence[int | None]) -> tuple[str | None, ...]:
    return tuple(
        None if first is None or second is None else SAME if first == second else DIFFERENT
        for first, second in zip(one, other, strict=True)
    )


def _chain_of(data: Any) -> dict[str, int]:
    """The chain of each mention, by number; a mention that stands twice belongs to the first."""
    found: dict[str, int] = {}
    for number, cluster in enumerate(_listed(field_of(data, CLUSTERS)) if data is not None else ()):
        for mention in cluster:
            found.setdefault(repr(mention), number)
    return found


def _listed(items: Any) -> Sequence[Any]:
    return items if isinstance(items, list | tuple) else ()
