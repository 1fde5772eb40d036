"""How far annotators agree, as a value: pairs, their means, coefficients beyond chance, and where they do not."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from adjudge.stats.agreement import Coefficient
from adjudge.stats.result import Note, Score

if TYPE_CHECKING:
    from adjudge.stats.estimate import Estimate


class Pair(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Two annotators on the documents that both have, `a` on the gold side.

    `reverse` has the headline scores with `b` on the gold side, where those differ: such a metric is not symmetric.
    """

    a: str
    b: str
    documents: int
    scores: tuple[Score, ...]
    headlines: dict[str, str]
    reverse: dict[str, float | None] = {}

    def headline(self, metric: str) -> Score:
        """The score that stands for the agreement of a metric, such as its F1."""
        return next(each for each in self.scores if (each.metric, each.part) == (metric, self.headlines[metric]))


class Mean(msgspec.Struct, frozen=True, kw_only=True):
    """The mean of a score over all pairs; the interval is there if all pairs are on the same documents."""

    metric: str
    part: str
    pairs: int
    value: float | None
    low: float | None = None
    high: float | None = None
    level: float | None = None


class Disagreement(NamedTuple):
    """An item of one document that only one of two annotators has, or that they have but not with full credit."""

    document: str
    metric: str
    a: str
    b: str
    path: str
    only: str | None
    credit: float
    item_a: Any
    item_b: Any


class Agreement(msgspec.Struct, frozen=True, kw_only=True):
    """How far annotators agree: pairs, their mean, coefficients beyond chance, and where they do not agree."""

    adjudge: str
    signature: str
    annotators: dict[str, int]
    pairs: tuple[Pair, ...]
    means: tuple[Mean, ...]
    coefficients: tuple[Coefficient, ...]
    notes: tuple[Note, ...]
    disagreements: tuple[Disagreement, ...] | None = None

    def _repr_html_(self) -> str:
        from adjudge.stats.text import rows_html

        rows = [
            (f"{mean.metric} {mean.part}", f"{pair.a}, {pair.b}", repr(_estimate(pair.headline(mean.metric))))
            for mean in self.means
            for pair in self.pairs
        ]
        rows += [(f"{each.metric} {each.part}", "mean", repr(_estimate(each))) for each in self.means]
        rows += [
            (f"{each.name}, {each.on}", ", ".join(each.annotators), repr(_estimate(each))) for each in self.coefficients
        ]
        return rows_html(("agreement", "annotators", "value"), rows, labels=2)


def matrix(found: Agreement, metric: str) -> dict[tuple[str, str], float | None]:
    """The headline score of every ordered pair: the first on the gold side, the second scored against it."""
    cells: dict[tuple[str, str], float | None] = dict.fromkeys(permutations(found.annotators, 2))
    for pair in found.pairs:
        value = pair.headline(metric).value
        cells[pair.a, pair.b] = value
        cells[pair.b, pair.a] = pair.reverse.get(metric, value)
    return cells


def _estimate(each: Score | Mean | Coefficient) -> Estimate:
    from adjudge.stats.estimate import Estimate

    return Estimate(each.value, low=each.low, high=each.high, level=each.level)
