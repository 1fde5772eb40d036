"""Imputation: argument scores that are clipped in every document, from a sample of items (model-based, on request).

A clipped score is not a sum over items, so that pseudo-verdicts cannot give it. Instead the missing verdicts are drawn
repeatedly from a model of the given ones, and every completed pool is scored. The interval is only as good as the
model: assess whole documents for a valid one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from adjudge.errors import UsageError
from adjudge.estimates.bounds import Clipped, clip_bounds
from adjudge.estimates.design import Design
from adjudge.estimates.pool import Pool
from adjudge.estimates.rows import VARIES, DifferenceRow, How, ScoreRow
from adjudge.stats.intervals import quantiles
from adjudge.stats.measure import Array
from adjudge.stats.resample import Stream

METHOD = "model"
SENTENCE = "assess documents whole for a valid interval"
DRAWS = 200
FEWEST_VERDICTS, FEWEST_DOCUMENTS = 100, 20
_RIDGE, _CLOSE, _STEPS, _NEWTON = 0.05, 1e-3, 30, 50
_CERTAIN = 0.01  # a judge is never taken to be more certain than this


class Fitted(NamedTuple):
    """The posterior of a logistic model with an effect of every document, as a normal distribution (Laplace).

    The precision of (beta, e) has the blocks A, B and a diagonal; `schur` is A - B diag^-1 B'.
    """

    beta: Array
    effects: Array
    schur: Array
    cross: Any  # coefficients x documents
    diagonal: Any
    variance: float  # of the effects

    def draw(self, normal: Array) -> tuple[Array, Array]:
        """One beta and effects of all documents, from as many normal numbers."""
        number = len(self.beta)
        beta = self.beta + np.linalg.solve(np.linalg.cholesky(self.schur).T, normal[:number])
        centre = self.effects - (self.cross.T @ (beta - self.beta)) / self.diagonal
        return beta, centre + normal[number:] / np.sqrt(self.diagonal)


def features(pool: Pool, design: Design) -> Array:
    """1, the judge's log odds, which and how many systems returned an item, log odds of being drawn if these differ."""
    member = pool.member.astype(np.float64)
    columns = [np.ones(len(pool.items))]
    if pool.judged:
        columns.append(_logit([item.judge or 0.0 for item in pool.items]))
    columns += [own - own.mean() for own in member.T[:-1]]
    columns.append(member.mean(axis=1) - member.mean())
    chance = {row.id: row.probability for row in reversed(design.rows) if row.probability < 1}
    values = [chance.get(item.id, 1.0) for item in pool.items]
    if len(set(chance.values())) > 1:
        columns.append(_logit(values))
    found: Array = np.stack(columns, axis=1)
    return found


def fit(x: Array, verdicts: Array, document: Any, documents: int) -> Fitted:
    """Newton's method for the coefficients and the effects, in turn with the variance of the effects."""
    beta, effects, variance = np.zeros(x.shape[1]), np.zeros(documents), 1.0
    for _ in range(_STEPS):
        for _ in range(_NEWTON):
            chance = _logistic(x @ beta + effects[document])
            weight = chance * (1 - chance)
            first = x.T @ (verdicts - chance) - _RIDGE * beta
            second = np.bincount(document, weights=verdicts - chance, minlength=documents) - effects / variance
            block = x.T @ (weight[:, None] * x) + _RIDGE * np.eye(x.shape[1])
            cross = np.stack([np.bincount(document, weights=weight * own, minlength=documents) for own in x.T])
            diagonal = np.bincount(document, weights=weight, minlength=documents) + 1 / variance
            schur = block - (cross / diagonal) @ cross.T
            step = np.linalg.solve(schur, first - cross @ (second / diagonal))
            moved = (second - cross.T @ step) / diagonal
            beta, effects = beta + step, effects + moved
            if max(np.abs(step).max(), np.abs(moved).max()) < 1e-8:
                break
        own = cross / diagonal
        spread = 1 / diagonal + np.einsum("kd,kd->d", own, np.linalg.solve(schur, own))
        found = max(1e-6, float((effects @ effects + spread.sum()) / documents))
        if abs(found - variance) < _CLOSE:
            break
        variance = found
    return Fitted(beta, effects, schur, cross, diagonal, variance)


def impute(
    pool: Pool, design: Design, verdicts: Mapping[str, float], how: How
) -> tuple[list[ScoreRow], list[DifferenceRow]]:
    """The clipped argument score of every system, sum max(0, tp - beta fp) / sum correct, and all differences."""
    names = sorted({item.document for item in pool.items})
    if len(verdicts) < FEWEST_VERDICTS or len(names) < FEWEST_DOCUMENTS:
        message = f"{len(verdicts)} verdicts on {len(names)} documents are too few for a model of them"
        hint = f"it takes {FEWEST_VERDICTS} and {FEWEST_DOCUMENTS}; {SENTENCE}"
        raise UsageError(message, hint=hint)
    place = {name: at for at, name in enumerate(names)}
    document = np.array([place[item.document] for item in pool.items])
    known = np.array([verdicts.get(item.id, math.nan) for item in pool.items])
    right = np.array([[_good(how, item.id, name, verdicts) for name in pool.systems] for item in pool.items])
    values = _completed(pool, design, (known, right, document), len(names), how)
    point, about = values.mean(axis=0), (how, len(verdicts), len(pool.items))
    bounds = [_bounds(pool.member[:, at], (known, right[:, at], document), how) for at in range(len(pool.systems))]
    scores = [
        ScoreRow(
            system=name,
            metric="argument",
            part="score",
            value=float(point[at]),
            **_ends(values[:, at], how.level),
            level=how.level,
            n=about[1],
            of=about[2],
            varies=VARIES["fixed"],
            method=METHOD,
            bounds=bounds[at],
        )
        for at, name in enumerate(pool.systems)
    ]
    differences = [
        DifferenceRow(
            a=a,
            b=b,
            metric="argument",
            part="score",
            value=float(point[i] - point[j]),
            **_ends(values[:, i] - values[:, j], how.level),
            n=about[1],
            of=about[2],
            varies=VARIES["fixed"],
            method=METHOD,
        )
        for (i, a), (j, b) in combinations(enumerate(pool.systems), 2)
    ]
    return scores, differences


def _completed(pool: Pool, design: Design, found: tuple[Array, Array, Any], documents: int, how: How) -> Array:
    """The scores of the systems (columns) in completed pools (rows)."""
    from scipy.special import ndtri

    known, right, document = found
    heard = ~np.isnan(known)
    x = features(pool, design)
    fitted = fit(x[heard], known[heard], document[heard], documents)
    share = None if how.good is None else _goodness(pool.member, known, right)
    stream = Stream(design.rounds[0].seed or 0, 7)
    order = np.argsort(document, kind="stable")
    starts = np.flatnonzero(np.diff(document[order], prepend=-1))
    member, size = pool.member[order], len(fitted.beta) + documents
    values = np.empty((DRAWS, member.shape[1]))
    for number in range(DRAWS):
        beta, effects = fitted.draw(ndtri(np.clip(stream.shares(size), 1e-12, 1 - 1e-12)))
        chance = _logistic(x @ beta + effects[document])
        drawn = stream.shares(len(chance)) < chance
        verdict = np.where(heard, known, drawn)
        answers = np.where(pool.member, verdict[:, None], 0.0)
        if share is not None:
            coins = stream.shares(right.size).reshape(right.shape) < share
            answers = np.where(heard[:, None], right, answers * coins)
        tp = np.add.reduceat(answers[order], starts, axis=0)
        fp = np.add.reduceat(member.astype(np.float64), starts, axis=0) - tp
        total = float(verdict.sum())
        values[number] = np.maximum(0.0, tp - how.clip * fp).sum(axis=0) / total if total else 0.0
    return values


def _goodness(member: Any, known: Array, right: Array) -> Array:
    """How often the answer of a system to a correct item is correct itself."""
    at = known >= 0.5
    both = np.nan_to_num(right[at]).sum(axis=0) + 0.5
    found: Array = both / (np.count_nonzero(member[at], axis=0) + 0.5)
    return found


def _good(how: How, item: str, system: str, verdicts: Mapping[str, float]) -> float:
    if item not in verdicts:
        return math.nan
    return verdicts[item] if how.good is None else how.good[item].get(system, 0.0)


def _bounds(own: Any, found: tuple[Array, Array, Any], how: How) -> tuple[float, float]:
    """The bounds, whatever the missing verdicts are."""
    known, right, document = found
    heard = ~np.isnan(known)

    def counted(which: Any, weights: Any = 1.0) -> list[float]:
        found: list[float] = np.bincount(document, weights=np.where(which, weights, 0.0)).tolist()
        return found

    tp, correct = counted(own & heard, np.nan_to_num(right)), counted(heard, np.nan_to_num(known))
    read, mine, others = counted(own & heard), counted(own & ~heard), counted(~own & ~heard)
    rows = zip(tp, read, correct, mine, others, strict=True)
    documents = [Clipped(t, n - t, c, int(k), int(j)) for t, n, c, k, j in rows]
    return clip_bounds(documents, how.clip, apart=how.good is not None)


def _ends(values: Array, level: float) -> dict[str, Any]:
    low, high = quantiles(values, [(1 - level) / 2, (1 + level) / 2])
    return {"low": float(low), "high": float(high)}


def _logit(values: Sequence[float]) -> Array:
    inside = np.clip(np.asarray(values, dtype=np.float64), _CERTAIN, 1 - _CERTAIN)
    found: Array = np.log(inside / (1 - inside))
    return found


def _logistic(values: Array) -> Array:
    found: Array = 1 / (1 + np.exp(-np.clip(values, -30, 30)))
    return found
