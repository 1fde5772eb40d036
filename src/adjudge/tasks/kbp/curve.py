"""Precision and recall as the confidence rises from which on facts are kept: the points of a curve."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from adjudge.errors import UsageError
from adjudge.model.kbp import TripleTable
from adjudge.tasks.kbp.engine import choose_engine
from adjudge.tasks.kbp.inputs import only_rows
from adjudge.tasks.kbp.paths_facts import Counts, Facts
from adjudge.tasks.kbp.pieces import count_paths

if TYPE_CHECKING:
    from adjudge.tasks.kbp.counting import Variant
    from adjudge.tasks.kbp.options import KbOptions

POINTS = 10


class Sure(NamedTuple):
    """The facts of a system whose confidence is at least so high."""

    least: float
    facts: Facts


def thresholds(confidences: Sequence[float], *, points: int = POINTS) -> list[float]:
    """The confidences at which the curve has points, from the lowest: all that differ, or some that split the facts.

    >>> thresholds([0.5, 0.9, 0.5, 0.7])
    [0.5, 0.7, 0.9]
    >>> thresholds([number / 100 for number in range(100)], points=4)
    [0.0, 0.25, 0.5, 0.75]
    """
    if points < 1:
        raise UsageError(f"a curve with {points} points is not possible", hint="give a whole number from 1")
    different = sorted(set(confidences))
    if len(different) <= points:
        return different
    ordered = sorted(confidences)
    return sorted({ordered[len(ordered) * place // points] for place in range(points)})


def surer(table: TripleTable, confidences: Sequence[float], least: float) -> TripleTable:
    """The rows whose confidence is at least so high.

    >>> table = TripleTable()
    >>> for name in "ab": table.add(name, "spouse", "c", "d1")
    >>> list(surer(table, [0.4, 0.8], 0.5).rows())
    [('b', 'spouse', 'c', 'd1')]
    """
    return only_rows(table, [place for place, confidence in enumerate(confidences) if confidence >= least])


def curve_counts(
    gold: Facts, points: Sequence[Sure], variant: Variant, options: KbOptions
) -> Iterator[tuple[str, str, Counts]]:
    """For every metric of a variant and every point: the metric, the point in words, and the counts."""
    for least, facts in points:
        choice = choose_engine(gold, facts, hops=options.hops, identity=variant.identity, walks=options.walks)
        if not choice.exact_hops:
            continue
        for hop in count_paths(gold, facts, hops=choice.exact_hops, identity=variant.identity, walks=options.walks):
            yield variant.metric(hop.hop), f"{least:.10g}+", hop.total
