"""Scores of a pool of which a random sample of the items was assessed (design-based, documents fixed).

Every item gets a pseudo-verdict: what a model of the verdicts says of it, corrected by what people said of the drawn
ones, f~ = m + drawn (f - m) / p. Its sums are unbiased however wrong the model is; only their spread depends on it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from adjudge.errors import UsageError
from adjudge.estimates.pool import MEASURE, Assist, Sample, Sampling
from adjudge.stats.measure import Array, Key, Prf
from adjudge.stats.points import scores_of

_FLAT = 1e-12  # a judge whose opinions vary less than this says nothing


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
    counts: dict[str, Array]  # matched, system, gold: one number per system
    values: dict[Key, Array]
    spread: Spread | None  # None: everything was assessed
    labelled: int


def coefficients(assist: Assist) -> int:
    """How many numbers the model fits."""
    return {"none": 0, "constant": 1, "judge": 2}[assist]


def fit(sample: Sample, assist: Assist) -> Model:
    """The model of the verdicts, by weighted least squares over the labelled items.

    The weights v = (1 - p) / p^2 make the sum of squares the variance of the corrected sum.
    """
    if assist == "none" or not sample.labelled.any():
        return Model(0.0, 0.0)
    a, b = _line(_Sums.of(sample), assist)
    return Model(float(a), float(b))


def pseudo_verdicts(sample: Sample, model: Model) -> Array:
    """What every item counts: its verdict where that was certain to be known.

    >>> from adjudge.estimates.pool import Drawn, Item, Pool
    >>> pool = Pool((Item(id="x", systems=("A",)), Item(id="y", systems=("A",))))
    >>> rows = {"x": Drawn(id="x", probability=0.5, drawn=True), "y": Drawn(id="y", probability=0.5, drawn=False)}
    >>> pseudo_verdicts(pool.sample(rows, {"x": 1.0}), Model(0.0, 0.0)).tolist()
    [2.0, 0.0]
    """
    expected = model.a + (model.b * sample.judge if model.b else np.zeros(len(sample.judge)))
    corrected = np.where(sample.drawn, expected + (sample.verdict - expected) / sample.probability, expected)
    return np.where(sample.open, corrected, sample.verdict)


def estimate_items(
    sample: Sample, assist: Assist, sampling: Sampling, measure: Prf = MEASURE, scope: Any = None
) -> ItemEstimate:
    """Scores and their spread, from one round of drawing; of the items in a scope only, if one is given.

    The model is that of all labelled items, so that slices are made of the same pseudo-verdicts as the whole.
    """
    number = int(np.count_nonzero(sample.labelled))
    freedom = number - coefficients(assist) - 1
    if number and freedom < 1:
        hint = "assess more items, or use a simpler model (--assist constant, --assist none)"
        raise UsageError(f"{number} assessed items are too few for an interval", hint=hint)
    model = fit(sample, assist)
    pseudo = pseudo_verdicts(sample, model)
    scope = np.ones(len(pseudo), dtype=bool) if scope is None else scope
    counts = pool_counts(sample.member, pseudo, scope)
    values = dict(scores_of([measure], counts))
    spread = None
    if number and sampling == "fixed":
        spread = _jackknife(sample, assist, measure, scope, freedom)
    elif number:
        spread = _linearised(sample, assist, measure, (model, counts, values, scope), freedom)
    return ItemEstimate(model, pseudo, counts, values, spread, number)


def pool_counts(member: Any, pseudo: Array, scope: Any) -> dict[str, Array]:
    """The columns of a pool: right items of each system, its items, all right items."""
    pseudo = np.where(scope, pseudo, 0.0)
    total = float(_added(pseudo))
    matched = _added(np.where(member, pseudo[:, None], 0.0))
    return {
        "matched": matched,
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
    def terms(cls, sample: Sample) -> _Sums:
        """What each labelled item adds."""
        at = sample.labelled
        p, f, g = sample.probability[at], sample.verdict[at], np.nan_to_num(sample.judge[at])
        v = (1 - p) / p**2
        return cls(v, v * f, v * g, v * g * f, v * g * g)

    @classmethod
    def of(cls, sample: Sample) -> _Sums:
        """Over all labelled items."""
        return cls(*(float(_added(each)) for each in cls.terms(sample)))

    def minus(self, other: _Sums) -> _Sums:
        """Without some."""
        return _Sums(*(mine - theirs for mine, theirs in zip(self, other, strict=True)))


def _line(sums: _Sums, assist: Assist) -> tuple[Any, Any]:
    """Intercept and slope of the least squares line; the slope is 0 where the judge does not vary."""
    mean_f, mean_g = sums.f / sums.one, sums.g / sums.one
    if assist == "constant":
        return mean_f, np.zeros_like(mean_f)
    spread = sums.gg - sums.g * mean_g
    flat = spread <= _FLAT * sums.one
    slope = np.where(flat, 0.0, (sums.gf - sums.g * mean_f) / np.where(flat, 1.0, spread))
    return mean_f - slope * mean_g, slope


def _jackknife(sample: Sample, assist: Assist, measure: Prf, scope: Any, freedom: float) -> Spread:
    """Each labelled item is left out in turn and the model fitted again.

    The others of its stratum weigh n / (n - 1) as much. All sums are linear in the model, so that leaving one out is
    an update of sums.
    """
    at = sample.labelled
    p, f, g = sample.probability[at], sample.verdict[at], np.nan_to_num(sample.judge[at])
    terms = _Sums.terms(sample)
    if assist == "none":
        a = b = np.zeros(len(p))
    else:
        a, b = _line(_Sums(*(float(_added(each)) for each in terms)).minus(terms), assist)
    strata, sizes = _strata(sample.stratum[at])
    if (sizes < 2).any():
        raise UsageError("a stratum with one assessed item has no spread", hint="join it with another one")
    factor = (sizes / (sizes - 1))[strata]
    weights = (sizes - 1)[strata] / sizes[strata] * (1 - p)
    members = np.concatenate([sample.member & scope[:, None], scope[:, None]], axis=1)
    system = np.count_nonzero(members, axis=0)[:-1].astype(np.float64)
    unsure = sample.open
    judge = np.nan_to_num(sample.judge)
    certain = _added(np.where(members[~unsure], sample.verdict[~unsure][:, None], 0.0))
    number = np.count_nonzero(members[unsure], axis=0).astype(np.float64)
    opinions = _added(np.where(members[unsure], judge[unsure][:, None], 0.0))
    own = members[at] / p[:, None]  # S / p of each labelled item
    matched = np.empty((len(p), members.shape[1]))
    for column in range(members.shape[1]):
        share = own[:, column]
        by_stratum = [np.bincount(strata, weights=share * each, minlength=len(sizes)) for each in (f, 1.0, g)]
        total = [float(_added(share * each)) for each in (f, np.ones(len(p)), g)]
        sums = []
        for added, whole, each in zip(by_stratum, total, (f, np.ones(len(p)), g), strict=True):
            here = added[strata]
            sums.append(whole - here + factor * (here - share * each))
        matched[:, column] = certain[column] + a * number[column] + b * opinions[column]
        matched[:, column] += sums[0] - a * sums[1] - b * sums[2]
    gold = matched[:, -1:]
    counts = {
        "matched": matched[:, :-1].ravel(),
        "system": np.broadcast_to(system, (len(p), len(system))).ravel(),
        "gold": np.broadcast_to(gold, (len(p), len(system))).ravel(),
    }
    left_out = {key: own.reshape(len(p), -1) for key, own in scores_of([measure], counts).items()}
    return Spread(left_out, weights, freedom)


def _linearised(sample: Sample, assist: Assist, measure: Prf, found: Any, freedom: float) -> Spread:
    """The spread of independent draws: what each labelled item adds to the variance, as a departure of the score."""
    model, counts, values, scope = found
    at = sample.labelled
    p, f = sample.probability[at], sample.verdict[at]
    residual = f - model.a - (model.b * sample.judge[at] if model.b else 0.0)
    n = len(p)
    weights = (1 - p) / p**2 * residual**2 * (n / (n - coefficients(assist)))
    member = (sample.member & scope[:, None])[at].astype(np.float64)
    inside = scope[at].astype(np.float64)[:, None]
    square = measure.beta**2
    left_out: dict[Key, Array] = {}
    for (metric, part), point in values.items():
        if part == "precision":
            slope = member / counts["system"]
        elif part == "recall":
            slope = (member - inside * point) / counts["gold"]
        elif part == measure.f_name:
            slope = ((1 + square) * member - square * inside * point) / (counts["system"] + square * counts["gold"])
        else:
            continue
        left_out[metric, part] = point + slope
    return Spread(left_out, weights, freedom)


def _strata(stratum: Any) -> tuple[Any, Any]:
    """The stratum of each labelled item, from 0, and how many labelled items each has."""
    _, places, sizes = np.unique(stratum, return_inverse=True, return_counts=True)
    return places, sizes.astype(np.float64)


def _added(values: Array) -> Any:
    """Sums over the first axis that do not depend on the order of the rows."""
    from adjudge.stats.resample import exact_sums

    return exact_sums(values[:, None])[0] if values.ndim == 1 else exact_sums(values)
