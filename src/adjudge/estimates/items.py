"""Scores of a pool of which a random sample of the items was assessed (design-based, documents fixed).

Every item gets a pseudo-verdict: the prediction of a model of the verdicts, corrected by the verdicts on drawn items,
f~ = m + drawn (f - m) / p. Its sums are unbiased however wrong the model is; only their spread depends on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from adjudge.errors import UsageError
from adjudge.estimates.pool import MEASURE, Assist, Sample, Sampling
from adjudge.estimates.whole import gradient
from adjudge.stats.measure import Array, Key, Measure
from adjudge.stats.points import scores_of

_FLAT = 1e-12  # a judge whose opinions vary less than this is ignored


class Model(NamedTuple):
    """Verdicts as a straight line of the judge's opinion: a + b g."""

    a: float
    b: float


class Spread(NamedTuple):
    """Values of every score without each labelled item, the weights of their squares, and the degrees of freedom."""

    left_out: dict[Key, Array]  # labelled x systems
    weights: Array
    freedom: float

    def variance(self, key: Key, point: Array, a: int, b: int | None = None) -> float:
        """The variance of a score of a system, or of the difference of two."""
        apart = self.left_out[key][:, a] - point[a]
        if b is not None:
            apart = apart - (self.left_out[key][:, b] - point[b])
        return float(_added(self.weights * apart**2))


class ItemEstimate(NamedTuple):
    """The pseudo-verdicts of a pool, and what the scores of its systems are made of."""

    model: Model
    pseudo: Array
    matched: Array  # pseudo-verdicts of the answers of each system: items x systems
    counts: dict[str, Array]  # matched, system, gold: one number per system
    values: dict[Key, Array]
    spread: Spread | None  # None: everything was assessed
    labelled: int


def coefficients(assist: Assist) -> int:
    """How many coefficients the model has."""
    return {"none": 0, "constant": 1, "judge": 2}[assist]


def fit(sample: Sample, assist: Assist, column: int | None = None) -> Model:
    """The model of the verdicts, by weighted least squares over the labelled items.

    The weights v = (1 - p) / p^2 make the sum of squares the variance of the corrected sum. With a column: of the
    verdicts on the answers of one system, if items have several.
    """
    terms = _Sums.terms(sample, column)
    if assist == "none" or not terms.one.any():
        return Model(0.0, 0.0)
    a, b = _line(terms.added(), assist)
    return Model(float(a), float(b))


def pseudo_verdicts(sample: Sample, model: Model, column: int | None = None) -> Array:
    """The pseudo-verdict of every item; the verdict itself where it was certain to be drawn.

    >>> from adjudge.estimates.pool import Drawn, Item, Pool
    >>> pool = Pool((Item(id="x", systems=("A",)), Item(id="y", systems=("A",))))
    >>> rows = {"x": Drawn(id="x", probability=0.5, drawn=True), "y": Drawn(id="y", probability=0.5, drawn=False)}
    >>> pseudo_verdicts(pool.sample(rows, {"x": 1.0}), Model(0.0, 0.0)).tolist()
    [2.0, 0.0]
    """
    verdict = sample.verdict_of(column)
    expected = model.a + (model.b * sample.judge if model.b else np.zeros(len(sample.judge)))
    corrected = np.where(sample.drawn, expected + (verdict - expected) / sample.probability, expected)
    return np.where(sample.open, corrected, verdict)


def estimate_items(
    sample: Sample, assist: Assist, sampling: Sampling, measures: Sequence[Measure] = (MEASURE,), scope: Any = None
) -> ItemEstimate:
    """Scores and their spread, from one round of drawing; of the items in a scope only, if one is given.

    The model is that of all labelled items, so that slices have the same pseudo-verdicts as the whole.
    """
    number = int(np.count_nonzero(sample.labelled))
    freedom = number - coefficients(assist) - 1
    if number and freedom < 1:
        hint = "assess more items, or use a simpler model (--assist constant, --assist none)"
        raise UsageError(f"{number} assessed items are too few for an interval", hint=hint)
    model = fit(sample, assist)
    pseudo = pseudo_verdicts(sample, model)
    models = [model] * sample.member.shape[1]
    if sample.good is None:
        matched = np.where(sample.member, pseudo[:, None], 0.0)
    else:
        models = [fit(sample, assist, at) for at in range(len(models))]
        columns = [pseudo_verdicts(sample, own, at) for at, own in enumerate(models)]
        matched = np.where(sample.member, np.stack(columns, axis=1), 0.0)
    scope = np.ones(len(pseudo), dtype=bool) if scope is None else scope
    counts = pool_counts(sample.member, (pseudo, matched), scope)
    values = dict(scores_of(measures, counts))
    spread = None
    if number and sampling == "fixed":
        spread = _jackknife(sample, assist, measures, scope, freedom)
    elif number:
        spread = _linearised(sample, assist, measures, ([*models, model], counts, values, scope), freedom)
    return ItemEstimate(model, pseudo, matched, counts, values, spread, number)


def pool_counts(member: Any, pseudo: tuple[Array, Array], scope: Any) -> dict[str, Array]:
    """The columns of a pool: correct answers of each system, all its answers, all correct items."""
    total = float(_added(np.where(scope, pseudo[0], 0.0)))
    return {
        "matched": _added(np.where(scope[:, None], pseudo[1], 0.0)),
        "system": np.count_nonzero(member & scope[:, None], axis=0).astype(np.float64),
        "gold": np.full(member.shape[1], total),
    }


class _Sums(NamedTuple):
    """Weighted sums over labelled items: 1, f, g, g f, g g (each a number, or one for every item left out)."""

    one: Any
    f: Any
    g: Any
    gf: Any
    gg: Any

    @classmethod
    def terms(cls, sample: Sample, column: int | None = None) -> _Sums:
        """The terms of each labelled item; with a column only of those that the system returned."""
        at = sample.labelled
        p, f, g = sample.probability[at], sample.verdict_of(column)[at], np.nan_to_num(sample.judge[at])
        v = (1 - p) / p**2
        if column is not None and sample.good is not None:
            v = np.where(sample.member[at, column], v, 0.0)
        return cls(v, v * f, v * g, v * g * f, v * g * g)

    def added(self) -> _Sums:
        """The sums over all items."""
        return _Sums(*(float(_added(each)) for each in self))

    def minus(self, other: _Sums) -> _Sums:
        """The sums without some items."""
        return _Sums(*(mine - theirs for mine, theirs in zip(self, other, strict=True)))


def _line(sums: _Sums, assist: Assist) -> tuple[Any, Any]:
    """Intercept and slope of the least squares line; the slope is 0 where the judge does not vary."""
    some = np.where(sums.one > 0, sums.one, 1.0)
    mean_f, mean_g = sums.f / some, sums.g / some
    if assist == "constant":
        return mean_f, np.zeros_like(mean_f)
    spread = sums.gg - sums.g * mean_g
    flat = spread <= _FLAT * sums.one
    slope = np.where(flat, 0.0, (sums.gf - sums.g * mean_f) / np.where(flat, 1.0, spread))
    return mean_f - slope * mean_g, slope


def _jackknife(sample: Sample, assist: Assist, measures: Sequence[Measure], scope: Any, freedom: float) -> Spread:
    """Each labelled item is left out in turn and the model fitted again.

    The others of its stratum weigh n / (n - 1) as much. All sums are linear in the model, so that leaving one out is
    an update of sums.
    """
    at = sample.labelled
    p, g = sample.probability[at], np.nan_to_num(sample.judge[at])
    strata, sizes = _strata(sample.stratum[at])
    if (sizes < 2).any():
        raise UsageError("a stratum with one assessed item has no spread", hint="join it with another one")
    factor = (sizes / (sizes - 1))[strata]
    weights = (sizes - 1)[strata] / sizes[strata] * (1 - p)
    members = np.concatenate([sample.member & scope[:, None], scope[:, None]], axis=1)
    system = np.count_nonzero(members, axis=0)[:-1].astype(np.float64)
    unsure = sample.open
    judge = np.nan_to_num(sample.judge)
    number = np.count_nonzero(members[unsure], axis=0).astype(np.float64)
    opinions = _added(np.where(members[unsure], judge[unsure][:, None], 0.0))
    own = members[at] / p[:, None]  # S / p of each labelled item
    matched = np.empty((len(p), members.shape[1]))
    a = b = np.zeros(len(p))
    for column in range(members.shape[1]):
        of = column if column < len(system) else None
        verdict = sample.verdict_of(of)
        if assist != "none" and (column == 0 or sample.good is not None):
            terms = _Sums.terms(sample, of)
            a, b = _line(terms.added().minus(terms), assist)
        f, share = verdict[at], own[:, column]
        sums = []
        for each in (f, np.ones(len(p)), g):
            here = np.bincount(strata, weights=share * each, minlength=len(sizes))[strata]
            sums.append(float(_added(share * each)) - here + factor * (here - share * each))
        certain = float(_added(np.where(members[~unsure, column], verdict[~unsure], 0.0)))
        matched[:, column] = certain + a * number[column] + b * opinions[column]
        matched[:, column] += sums[0] - a * sums[1] - b * sums[2]
    gold = matched[:, -1:]
    counts = {
        "matched": matched[:, :-1].ravel(),
        "system": np.broadcast_to(system, (len(p), len(system))).ravel(),
        "gold": np.broadcast_to(gold, (len(p), len(system))).ravel(),
    }
    left_out = {key: values.reshape(len(p), -1) for key, values in scores_of(measures, counts).items()}
    return Spread(left_out, weights, freedom)


def _linearised(sample: Sample, assist: Assist, measures: Sequence[Measure], found: Any, freedom: float) -> Spread:
    """The spread of independent draws: the contribution of each labelled item to the variance."""
    models, counts, values, scope = found
    at = sample.labelled
    p, n = sample.probability[at], int(np.count_nonzero(at))
    weights = (1 - p) / p**2 * (n / (n - coefficients(assist)))
    judge = np.nan_to_num(sample.judge[at])
    columns = [*range(sample.member.shape[1]), None]
    residuals = [
        np.where(scope[at], sample.verdict_of(of)[at] - own.a - own.b * judge, 0.0)
        for of, own in zip(columns, models, strict=True)
    ]
    names = ("matched", "system", "gold")
    left_out = {key: np.tile(point, (n, 1)) for key, point in values.items()}
    for system in range(sample.member.shape[1]):
        totals = np.array([counts[name][system] for name in names])
        answers = np.where(sample.member[at, system], residuals[system], 0.0)
        for key in values:
            slope = gradient(measures, key, names, totals)
            left_out[key][:, system] += slope[0] * answers + slope[2] * residuals[-1]
    return Spread(left_out, weights, freedom)


def _strata(stratum: Any) -> tuple[Any, Any]:
    """The stratum of each labelled item, from 0, and how many labelled items each has."""
    _, places, sizes = np.unique(stratum, return_inverse=True, return_counts=True)
    return places, sizes.astype(np.float64)


def _added(values: Array) -> Any:
    """Sums over the first axis that do not depend on the order of the rows."""
    from adjudge.stats.resample import exact_sums

    return exact_sums(values[:, None])[0] if values.ndim == 1 else exact_sums(values)
