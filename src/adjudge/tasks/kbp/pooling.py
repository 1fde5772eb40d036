"""Pooling bias: how the score of a system would change if its own unique answers had not been assessed.

A pool has the answers of some systems, and assessors judge nothing else. Systems outside the pool are at a
disadvantage: what they alone find counts for nothing. To see by how much, each system is left out in turn: every
assessment that only this system contributed is removed from the pool; classes of answers of which nothing is left
disappear from gold; the system's answers that are no longer assessed count as wrong (or are ignored, by the policy).
The bias is the score afterwards minus the score before. Assessments that no system contributed (made by hand) stay.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum
from typing import TYPE_CHECKING, Any, NamedTuple

from adjudge.errors import UsageError, did_you_mean
from adjudge.evaluate.task import run_of
from adjudge.model.kbp_queries import AnswerSet, Assessment, Question, asked_path
from adjudge.tasks.kbp.answers import Counted, Match, Policy, PoolJudge
from adjudge.tasks.kbp.query_measures import View, query_measures
from adjudge.tasks.kbp.query_scoring import Queries, QueryTask, evaluate_answers, outcomes

if TYPE_CHECKING:
    from adjudge.stats.inference import Inference
    from adjudge.stats.points import Additive

PARTS = ("precision", "recall", "f1")
UNSEEN = Policy(unassessed="wrong")
"""What is not in the pool is wrong, as for a system that was never pooled."""


class PartBias(NamedTuple):
    """One part of the score before and after, with an interval of the difference over resampled queries."""

    before: float | None
    after: float | None
    difference: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class SystemBias:
    """What happens to a system whose unique answers were not pooled.

    `assessed` of its answers are in the pool; `unique` of them come from no other system, `unique_correct` of these are
    right; `lost` gold classes have no other answer. Ranks are by F1 among all systems, scored with the same pool; equal
    scores share the better rank.
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
    from adjudge.stats.points import Additive
    from adjudge.stats.table import StatsTable

    chosen = run_of(**run, keep=True)
    inference = chosen.inference
    ids = frozenset(question.id for question in asked)

    def queries(pool: Sequence[Assessment]) -> Queries:
        return Queries(asked, PoolJudge(pool, ids, match=match), policy, view)

    every = query_measures(QueryTask(queries(pool)).hops, view)
    if len(systems) < 2:
        raise UsageError("a pool needs at least two systems", hint="name the answers of all systems that were pooled")
    measures = [measure for measure in every if measure.name == metric]
    if not measures:
        known = list(dict.fromkeys(measure.name for measure in every))
        hint = did_you_mean(metric, known) or f"choose from {', '.join(known)}"
        raise UsageError(f"no metric {metric!r} for these queries", hint=hint)
    pool = _reachable(pool, ids)

    def judged(pool: Sequence[Assessment]) -> tuple[list[Counted], list[Additive]]:
        found = evaluate_answers(queries(pool), systems, chosen, justifications=justifications)
        columns = found.task.columns
        tables = [StatsTable(found.ids, columns, tuple(own.rows(len(columns)))) for own in found.systems.values()]
        return list(outcomes(found).values()), [Additive(table, measures) for table in tables]

    counted, before = judged(pool)
    owners = _owners(counted, pool)
    classes = _classes(pool, ids)
    full = [each.point() for each in before]
    found = []
    for place, system in enumerate(systems):
        unique = [each for each, owner in zip(pool, owners, strict=True) if owner == {place}]
        left = _reachable([each for each, owner in zip(pool, owners, strict=True) if owner != {place}], ids)
        after = judged(left)[1] if unique else before
        scores = [each.point() for each in after]
        spread = _spread(before[place], after[place], metric, inference)
        parts = {}
        for part in PARTS:
            one, other = full[place][metric, part], scores[place][metric, part]
            parts[part] = PartBias(one, other, other - one, *(spread.get(part) or (None, None)))
        found.append(
            SystemBias(
                name=system.name,
                answers=len(counted[place].outcomes),
                assessed=sum(place in owner for owner in owners),
                unique=len(unique),
                unique_correct=sum(each.judgment == "correct" for each in unique),
                lost=len(classes - _classes(left, ids)),
                parts=parts,
                rank=_rank([each[metric, "f1"] for each in full], place),
                rank_after=_rank([each[metric, "f1"] for each in scores], place),
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


def _owners(systems: Sequence[Counted], pool: Sequence[Assessment]) -> list[set[int]]:
    """The systems that contributed each assessment: those with exactly this answer."""
    by_key: dict[tuple[str, str, str, str], set[int]] = {}
    for place, system in enumerate(systems):
        for outcome in system.outcomes:
            answer = outcome.answer
            by_key.setdefault((answer.asked, answer.value, answer.provenance, answer.place), set()).add(place)
    return [by_key.get((each.asked, each.value, each.provenance, each.place), set()) for each in pool]


def _reachable(pool: Sequence[Assessment], ids: frozenset[str]) -> list[Assessment]:
    """The pool without classes whose parent class is gone: they would not have been asked about."""
    classes = _classes(pool, ids)
    kept = []
    for each in pool:
        root = asked_path(each.asked, ids)
        if root is not None and all((root[0], *each.group[:depth]) in classes for depth in range(1, len(each.group))):
            kept.append(each)
    return kept


def _classes(pool: Sequence[Assessment], ids: frozenset[str]) -> set[tuple[str, ...]]:
    """The classes of all questions, as question and path."""
    pairs = ((asked_path(each.asked, ids), each.group) for each in pool if each.group)
    return {(root[0], *group) for root, group in pairs if root is not None}


def _rank(scores: Sequence[float], place: int) -> int:
    return 1 + sum(other > scores[place] for other in scores)


def _spread(
    before: Additive, after: Additive, metric: str, inference: Inference
) -> dict[str, tuple[float, float] | None]:
    """Percentile intervals of the differences, from the same resampled queries on both sides."""
    if not inference.resamples or len(before.ids) < 2:
        return {}
    import numpy as np

    from adjudge.stats.intervals import interval
    from adjudge.stats.resample import Stream, bootstrap_weights

    drawn: dict[str, list[Any]] = {part: [] for part in PARTS}
    for weights in bootstrap_weights(len(before.ids), inference.resamples, Stream(inference.seed)):
        first, second = before.evaluate(weights), after.evaluate(weights)
        for part in PARTS:
            drawn[part].append(second[metric, part] - first[metric, part])
    return {part: interval(np.concatenate(values), inference.level) for part, values in drawn.items()}
