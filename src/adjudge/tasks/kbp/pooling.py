"""Pooling bias: how the score of a system would change if its own unique answers had not been assessed.

A pool has the answers of some systems, and assessors judge nothing else. A system from outside the pool is punished:
what it alone has found counts for nothing. To see by how much, leave one system out at a time. Remove from the pool
every assessment that only this system has contributed; a class of answers of which nothing is left is gone from gold;
the answers of the system that are no longer assessed count as wrong (or are ignored, by the policy). The bias is the
score afterwards minus the score before. An assessment to which no system has contributed (by hand) stays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from adjudge.errors import UsageError, did_you_mean
from adjudge.evaluate.run import run_of
from adjudge.model.kbp_queries import AnswerSet, Assessment, Question, asked_path
from adjudge.tasks.kbp.answers import Counted, Policy, count_answers
from adjudge.tasks.kbp.judging import Match, PoolJudge
from adjudge.tasks.kbp.query_scoring import View, check_questions, metric_hops, query_measures, query_table

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from adjudge.stats.inference import Inference
    from adjudge.stats.points import Additive
    from adjudge.stats.table import StatsTable

    Floats: TypeAlias = npt.NDArray[np.float64]

PARTS = ("precision", "recall", "f1")
UNSEEN = Policy(unassessed="wrong")
"""What is not in the pool is wrong, as it is for a system that was never pooled."""


class PartBias(NamedTuple):
    """One part of the score before and after; the interval is of the difference, over resampled queries."""

    before: float | None
    after: float | None
    difference: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class SystemBias:
    """What happens to a system whose unique answers were not pooled.

    `assessed` of its answers are in the pool, `unique` of them are nobody else's, among these `unique_correct` right
    ones; `lost` classes of gold have no other answer. Ranks are among all systems, by the last part of the metric, all
    scored with the same pool; equal scores share the better rank.
    """

    name: str
    answers: int
    assessed: int
    unique: int
    unique_correct: int
    lost: int
    parts: Mapping[str, PartBias]
    rank: int
    rank_after: int


@dataclass(frozen=True, slots=True)
class PoolingBias:
    """The bias of all systems, and the size of the pool."""

    metric: str
    queries: int
    pool: int
    unclaimed: int
    classes: int
    level: float
    bootstrap: int
    seed: int
    systems: Sequence[SystemBias] = field(default_factory=list)

    def mean(self, part: str) -> float | None:
        """The mean difference over the systems, None if there is none."""
        found = [each.parts[part].difference for each in self.systems]
        values = [value for value in found if value is not None]
        return fsum(values) / len(values) if values else None


def pooling_bias(
    asked: Sequence[Question],
    systems: Sequence[AnswerSet],
    pool: Sequence[Assessment],
    *,
    match: Match = "assessed",
    policy: Policy = UNSEEN,
    view: View = "each",
    metric: str = "kbp.query",
    justifications: Sequence[tuple[int, int]] | None = None,
    **run: Any,
) -> PoolingBias:
    """The bias of each system, in the order of the systems; `run` is `bootstrap`, `ci` and `seed` of every task.

    >>> question = Question("Q1", "Q1", ("spouse",))
    >>> from adjudge.model.kbp_queries import Answer
    >>> pool = [Assessment("Q1", "Ben", "correct", ("1",)), Assessment("Q1", "Al", "correct", ("2",))]
    >>> both = AnswerSet("A", [Answer("Q1", "Ben"), Answer("Q1", "Al")])
    >>> one = AnswerSet("B", [Answer("Q1", "Ben")])
    >>> bias = pooling_bias([question], [both, one], pool, bootstrap=0)
    >>> [(each.unique, each.lost, each.parts["precision"].difference) for each in bias.systems]
    [(1, 1, -0.5), (0, 0, 0.0)]
    """
    inference = run_of(**run).inference
    check_questions(asked)
    names = [system.name for system in systems]
    if len(systems) < 2:
        raise UsageError("a pool is of two systems or more", hint="name the answers of all systems that were pooled")
    if len(set(names)) < len(names):
        raise UsageError(f"systems with the same name: {', '.join(names)}", hint="write NAME=FILE")
    hops = metric_hops(asked)
    known = list(dict.fromkeys(measure.name for measure in query_measures(hops, view)))
    if metric not in known:
        hint = did_you_mean(metric, known) or f"choose from {', '.join(known)}"
        raise UsageError(f"no metric {metric!r} for these queries", hint=hint)
    ids = frozenset(question.id for question in asked)
    pool = _reachable(pool, ids)
    limits = list(justifications) if justifications is not None else [(0, 0)] * len(systems)
    scorer = _Scorer(asked, systems, limits, match, policy, view, metric, ids)
    counted = scorer.counted(pool)
    owners = _owners(counted, pool)
    before = [query_table(asked, each, view=view) for each in counted]
    classes = _classes(pool, ids)
    full = [scorer.parts(table) for table in before]
    found = []
    for place, system in enumerate(systems):
        unique = [each for each, owner in zip(pool, owners, strict=True) if owner == {place}]
        others = [each for each, owner in zip(pool, owners, strict=True) if owner != {place}]
        left = _reachable(others, ids)
        after = scorer.tables(left) if unique else before
        scores = [scorer.parts(table) for table in after]
        spread = _spread(scorer, before[place], after[place], inference)
        found.append(
            SystemBias(
                name=system.name,
                answers=len(counted[place].outcomes),
                assessed=sum(place in owner for owner in owners),
                unique=len(unique),
                unique_correct=sum(each.judgment == "correct" for each in unique),
                lost=len(classes - _classes(left, ids)),
                parts={part: _bias(full[place][part], scores[place][part], spread.get(part)) for part in PARTS},
                rank=_rank(full, place),
                rank_after=_rank(scores, place),
            )
        )
    return PoolingBias(
        metric=metric,
        queries=len({question.query for question in asked}),
        pool=len(pool),
        unclaimed=sum(not owner for owner in owners),
        classes=len(classes),
        level=inference.level,
        bootstrap=inference.resamples,
        seed=inference.seed,
        systems=found,
    )


@dataclass(frozen=True, slots=True)
class _Scorer:
    asked: Sequence[Question]
    systems: Sequence[AnswerSet]
    limits: Sequence[tuple[int, int]]
    match: Match
    policy: Policy
    view: View
    metric: str
    ids: frozenset[str]

    def tables(self, pool: Sequence[Assessment]) -> list[StatsTable]:
        """The counts of each system by query."""
        return [query_table(self.asked, counted, view=self.view) for counted in self.counted(pool)]

    def counted(self, pool: Sequence[Assessment]) -> list[Counted]:
        """What a pool says of the answers of each system."""
        judge = PoolJudge(pool, self.ids, match=self.match)
        return [
            count_answers(self.asked, system.answers, judge, policy=self.policy, justifications=limit)
            for system, limit in zip(self.systems, self.limits, strict=True)
        ]

    def parts(self, table: StatsTable) -> dict[str, float]:
        """The parts of the metric."""
        values = self.additive(table).point()
        return {part: values[self.metric, part] for part in PARTS}

    def resampled(self, table: StatsTable, weights: Floats) -> dict[str, Floats]:
        """The parts for each row of weights of the queries."""
        values = self.additive(table).evaluate(weights)
        return {part: values[self.metric, part] for part in PARTS}

    def additive(self, table: StatsTable) -> Additive:
        """The metric on the counts of a system."""
        from adjudge.stats.points import Additive

        measures = [each for each in query_measures(metric_hops(self.asked), self.view) if each.name == self.metric]
        return Additive(table, measures)


def _owners(systems: Sequence[Counted], pool: Sequence[Assessment]) -> list[set[int]]:
    """The systems that have contributed each assessment: those with just this answer."""
    by_key: dict[tuple[str, str, str, str], set[int]] = {}
    for place, system in enumerate(systems):
        for outcome in system.outcomes:
            answer = outcome.answer
            by_key.setdefault((answer.asked, answer.value, answer.provenance, answer.place), set()).add(place)
    return [by_key.get((each.asked, each.value, each.provenance, each.place), set()) for each in pool]


def _reachable(pool: Sequence[Assessment], ids: frozenset[str]) -> list[Assessment]:
    """The pool without classes whose class above is gone: nobody would have been asked about them."""
    classes = _classes(pool, ids)
    kept = []
    for each in pool:
        root = asked_path(each.asked, ids)
        if root is not None and all((root[0], *each.group[:depth]) in classes for depth in range(1, len(each.group))):
            kept.append(each)
    return kept


def _classes(pool: Sequence[Assessment], ids: frozenset[str]) -> set[tuple[str, ...]]:
    """The classes of all questions, each with the question before its path."""
    pairs = ((asked_path(each.asked, ids), each.group) for each in pool if each.group)
    return {(root[0], *group) for root, group in pairs if root is not None}


def _bias(before: float, after: float, interval: tuple[float, float] | None) -> PartBias:
    low, high = interval if interval is not None else (None, None)
    return PartBias(before, after, after - before, low, high)


def _rank(scores: Sequence[Mapping[str, float]], place: int) -> int:
    own = scores[place]["f1"]
    return 1 + sum(other["f1"] > own for other in scores)


def _spread(
    scorer: _Scorer, before: StatsTable, after: StatsTable, inference: Inference
) -> dict[str, tuple[float, float] | None]:
    """Percentile intervals of the differences, from the same resampled queries on both sides."""
    if not inference.resamples or len(before) < 2:
        return {}
    import numpy as np

    from adjudge.stats.intervals import interval
    from adjudge.stats.resample import bootstrap_weights

    drawn: dict[str, list[Floats]] = {part: [] for part in PARTS}
    for weights in bootstrap_weights(len(before), inference.resamples, np.random.default_rng(inference.seed)):
        first, second = scorer.resampled(before, weights), scorer.resampled(after, weights)
        for part in PARTS:
            drawn[part].append(second[part] - first[part])
    return {part: interval(np.concatenate(values), inference.level) for part, values in drawn.items()}
