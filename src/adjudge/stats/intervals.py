"""One construction for the interval of a score, the interval of a difference, and its p value.

A score comes with its values on the corpus without each document (the jackknife) and on corpora drawn with replacement
(the bootstrap). The difference of two systems comes with the differences of these. An interval is

- jackknife: the score -/+ Student's quantile times its jackknife error; scores between 0 and 1 on the logit scale;
- percentile: the middle of the bootstrap samples, for a difference from the first to the last that the test does not
  reject;
- bca: the same with bias and acceleration corrected (Efron 1987);
- centred: percentile, the samples moved so that their mean is the score. It is for scores that are not sums over
  documents: with set semantics a document that is drawn twice adds nothing, so that a bootstrap sample has 63 % of the
  documents; paths of two or more hops need several of them, and the percentile interval is often too low.

and p is one minus the highest level at which the interval excludes zero.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from adjudge.errors import UsageError
from adjudge.stats.inference import check_level
from adjudge.stats.result import BoxNumbers

if TYPE_CHECKING:
    import numpy.typing as npt

Floats: TypeAlias = "npt.NDArray[Any]"

Rule: TypeAlias = Literal["drop", "interpolate"]

LEVEL = 0.9
NOTCH = 1.57  # McGill, Tukey and Larsen 1978
PAPER_NOTCH = 1.15  # as printed by Min and others
ENOUGH = 20  # leave-outs below which the correction by pairs makes intervals too narrow
_SLACK = 1e-12  # scores that differ only in the rounding of sums are equal
_DIGITS = 12
_TINY, _CONVERGED, _STEPS = 1e-300, 1e-16, 10_000  # of the continued fraction


class Pairs(NamedTuple):
    """Scores with two leave-outs left out together, and which two: two columns of places among the leave-outs."""

    places: Floats
    values: Floats


class Parts(NamedTuple):
    """A score of the corpus, of the corpus without each document or group, and of resampled corpora.

    `signed` is a score that may be negative, which has no logit scale. Undefined values are nan and left out.
    """

    point: float
    left_out: Floats
    drawn: Floats
    pairs: Pairs | None = None
    signed: bool = False

    def minus(self, other: Parts) -> Parts:
        """The difference of two scores on the same corpora."""
        pairs = None
        if self.pairs is not None and other.pairs is not None:
            pairs = Pairs(self.pairs.places, self.pairs.values - other.pairs.values)
        return Parts(
            self.point - other.point, self.left_out - other.left_out, self.drawn - other.drawn, pairs, signed=True
        )


class Interval(NamedTuple):
    """The interval of a score, the method, and the scale if it is not that of the score itself."""

    low: float
    high: float
    method: str
    scale: str | None = None


class PairedTest(NamedTuple):
    """A difference of two systems on one part; what is undefined is None."""

    difference: float | None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    wins: float | None = None


def score_interval(parts: Parts, method: str, *, level: float = LEVEL, rule: Rule = "interpolate") -> Interval | None:
    """The interval of a score; None if nothing varies.

    That of the jackknife is theta -/+ t s, and for scores between 0 and 1 logit(theta) -/+ t s / (theta (1 - theta)).
    A bca interval that cannot be found (all samples on one side of the score) is that of the jackknife.

    >>> parts = Parts(0.5, np.array([0.4, 0.5, 0.6]), np.array([]))
    >>> [round(end, 3) for end in score_interval(parts, "jackknife", level=0.9)[:2]]
    [0.206, 0.794]
    """
    if method != "jackknife":
        drawn = _varying(parts.drawn)
        if drawn is None:
            return None
        if method == "centred":
            return centred_interval(parts.point, drawn, level=level, rule=rule, signed=parts.signed)
        if method != "bca":
            return percentile_interval(drawn, level=level, rule=rule)
        if (shape := _bca_shape(parts, drawn)) is not None:
            low, high = quantiles(drawn, [shape.share(below) for below in tails(level)])
            return Interval(low, high, "bca")
    error, point = jackknife_error(parts), parts.point
    if error is None or error <= _SLACK * max(1.0, abs(point)):
        return None
    freedom = int(np.count_nonzero(~np.isnan(parts.left_out))) - 1
    return student_interval(point, error, freedom, level=level, signed=parts.signed)


def student_interval(
    point: float, error: float, freedom: float, *, level: float = LEVEL, signed: bool = False
) -> Interval:
    """A score -/+ Student's quantile times its error, on the logit scale if it lies between 0 and 1.

    >>> [round(end, 3) for end in student_interval(0.5, 0.1155, 2, level=0.9)[:2]]
    [0.206, 0.794]
    """
    reach = student_quantile(check_level(level), freedom) * error
    if not signed and _SLACK < point < 1 - _SLACK:
        middle, reach = math.log(point / (1 - point)), reach / (point * (1 - point))
        return Interval(_logistic(middle - reach), _logistic(middle + reach), "jackknife", "logit")
    low, high = point - reach, point + reach
    if not signed and 0 <= point <= 1:
        low, high = _within(low), _within(high)
    return Interval(low, high, "jackknife")


def paired_test(
    a: Parts, b: Parts, interval: str, test: str, *, level: float = LEVEL, floor: float = 0.0
) -> PairedTest:
    """Whether two systems differ: the interval of their difference, and p from the same construction.

    `interval` says how a bootstrap is read (percentile or bca), `test` is jackknife, bootstrap, centred or
    randomisation, which has the interval of the jackknife and its p from elsewhere. `floor` is p where all documents
    say the same (s = 0), as the bootstrap would: all of its samples do.

    >>> none = np.array([])
    >>> one, other = Parts(0.53, np.array([0.5, 0.5, 0.6]), none), Parts(0.46, np.array([0.4, 0.5, 0.5]), none)
    >>> round(paired_test(one, other, "jackknife", "jackknife").p, 3)
    0.404
    """
    parts = a.minus(b)
    if math.isnan(parts.point):
        return PairedTest(None)
    bounded = not (a.signed or b.signed) and 0 <= a.point <= 1 and 0 <= b.point <= 1
    if test in ("jackknife", "randomisation"):
        found, p = score_interval(parts, "jackknife", level=level), _jackknife_p(parts, floor)
    else:
        found, p = _bootstrap(parts, "bca" if test == "bootstrap" and interval == "bca" else test, level)
    low, high = (None, None) if found is None else found[:2]
    if bounded and low is not None and high is not None:
        low, high = max(-1.0, low), min(1.0, high)
    return PairedTest(parts.point, low, high, p)


def jackknife_error(parts: Parts) -> float | None:
    """The standard error from leave-outs x_i; None with fewer than two, or if they are too large to be added up.

    The variance is J = (n - 1) / n * sum of (x_i - mean)^2 (Tukey 1958). J counts interactions of k documents k
    times (Efron and Stein 1981), which makes intervals too wide. With pairs it is J - V / 2, where V = n (n - 1) / 2 *
    mean of (x - x_i - x_j + x_ij)^2 has it k (k - 1) / 2 times; but at least J / 2.

    >>> round(jackknife_error(Parts(0.5, np.array([0.4, 0.5, 0.6]), np.array([]))), 4)
    0.1155
    """
    values = _defined(parts.left_out)
    n = len(values)
    if n < 2:
        return None
    variance = (n - 1) / n * _sum(((values - _sum(values.tolist()) / n) ** 2).tolist())
    if parts.pairs is not None and n >= ENOUGH and len(parts.pairs.values):
        joint = parts.point - np.asarray(parts.left_out)[parts.pairs.places].sum(axis=1) + parts.pairs.values
        variance -= min(variance / 2, n * (n - 1) / 4 * float((joint**2).mean()))
    return math.sqrt(variance) if math.isfinite(variance) else None


def interval(values: npt.ArrayLike, level: float = 0.95) -> tuple[float, float] | None:
    """The percentile interval of the samples that are defined; None if there are none.

    >>> interval(range(101), 0.9)
    (5.0, 95.0)
    """
    defined = _defined(values)
    if defined.size == 0:
        return None
    low, high = quantiles(defined, tails(level))
    return low, high


def percentile_interval(values: npt.ArrayLike, *, level: float = LEVEL, rule: Rule = "drop") -> Interval:
    """The middle of the samples: sort them and drop floor(B (1 - level) / 2) at each end, as in the paper.

    `interpolate` takes interpolated quantiles instead, which differ in the fourth digit at B = 1000.

    >>> percentile_interval(range(1000))[:2]
    (50.0, 949.0)
    """
    ordered = np.sort(np.asarray(values, dtype=np.float64))
    if not len(ordered):
        raise UsageError("an interval needs at least one resample")
    if rule == "interpolate":
        low, high = quantiles(ordered, tails(level))
        return Interval(low, high, "percentile")
    dropped = math.floor(round(len(ordered) * (1 - check_level(level)) / 2, 9))
    return Interval(float(ordered[dropped]), float(ordered[-1 - dropped]), "percentile")


def centred_interval(
    point: float, values: npt.ArrayLike, *, level: float = LEVEL, rule: Rule = "drop", signed: bool = False
) -> Interval:
    """The percentile interval, moved so that the mean of the samples is the score, and cut at 0 and 1.

    >>> centred_interval(0.5, [0.25, 0.375, 0.5])[:2]
    (0.375, 0.625)
    """
    shift = point - _mean(np.asarray(values, dtype=np.float64))
    low, high, *_ = percentile_interval(values, level=level, rule=rule)
    low, high = low + shift, high + shift
    return Interval(*((low, high) if signed else (_within(low), _within(high))), "centred")


def notches(values: npt.ArrayLike, *, constant: float = 1.57) -> tuple[float, float] | None:
    """The notch of a box plot: median -/+ constant * IQR / sqrt(n) (McGill, Tukey and Larsen 1978).

    n is the number of samples, so that for a bootstrap the notch shrinks as one draws more: it is not a test.

    >>> notches([1.0, 2.0, 3.0, 4.0], constant=1.0)
    (1.75, 3.25)
    """
    defined = _defined(values)
    if defined.size == 0:
        return None
    first, middle, third = quantiles(defined, [0.25, 0.5, 0.75])
    reach = constant * (third - first) / float(np.sqrt(defined.size))
    return middle - reach, middle + reach


def box_numbers(values: npt.ArrayLike, *, level: float = LEVEL, notch_constant: float = NOTCH) -> BoxNumbers:
    """The notched box of the paper: median, the interval as the box, median -/+ c IQR / sqrt(B), and what is outside.

    >>> box = box_numbers(range(101), notch_constant=1.0)
    >>> box.median, box.low, box.high, round(box.notch_high, 2), len(box.outside)
    (50.0, 5.0, 95.0, 54.98, 10)
    """
    array = np.asarray(values, dtype=np.float64)
    low, high, *_ = percentile_interval(array, level=level)
    first, median, third = np.quantile(array, [0.25, 0.5, 0.75]).tolist()
    notch = notches(array, constant=notch_constant) or (math.nan, math.nan)
    outside = np.sort(array[(array < low) | (array > high)])
    return BoxNumbers(median, low, high, first, third, *notch, float(array.mean()), tuple(outside.tolist()))


def notches_apart(a: BoxNumbers, b: BoxNumbers) -> bool:
    """Whether two notches do not overlap, which the paper takes for a significant difference; it is not a test.

    >>> notches_apart(box_numbers([1.0, 1.0]), box_numbers([2.0, 2.0]))
    True
    """
    return a.notch_high < b.notch_low or b.notch_high < a.notch_low


def exchange_p(statistics: npt.ArrayLike, times: npt.NDArray[np.int64] | None = None) -> float:
    """The share of exchanges whose statistic is at least as far from 0 as the first, that of no exchange.

    p = (1 + #{|t*| >= |t|}) / (trials + 1), two-sided (Noreen 1989). `times` says how often each was drawn, the first
    one included; without it, each but the first was drawn once.

    >>> exchange_p([2.0, -2.0, 1.0, 0.5]), exchange_p([2.0, -2.0, 1.0], np.array([1, 2, 1]))
    (0.5, 0.8)
    """
    size = np.abs(np.asarray(statistics, dtype=np.float64))
    observed = float(size[0])
    if times is None:
        times = np.ones(len(size), dtype=np.int64)
        times[0] = 0
    enough = size >= observed - _SLACK * max(1.0, observed) if math.isfinite(observed) else size == observed
    return (1 + int(times[enough].sum())) / (int(times[~np.isnan(size)].sum()) + 1)


def studentised(differences: Floats, left_out: Floats) -> Floats:
    """Differences over their jackknife errors; `left_out` has a row of leave-outs for each. 0/0 is 0.

    >>> studentised(np.array([0.5, 0.5, 0.0]), np.array([[0.4, 0.6], [0.5, 0.5], [0.0, 0.0]])).round(6).tolist()
    [5.0, inf, 0.0]
    """
    n = left_out.shape[1]
    centred = left_out - left_out.mean(axis=1, keepdims=True)
    errors = np.sqrt((n - 1) / n * np.einsum("ij,ij->i", centred, centred))
    large = np.abs(differences) > _SLACK
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Floats = np.where(errors > _SLACK, differences / errors, np.where(large, np.inf, 0.0))
    return np.where(np.isnan(differences), np.nan, found)


def normal_reach(level: float) -> float:
    """How many standard errors to each side contain the level under a normal distribution.

    >>> round(normal_reach(0.9), 3)
    1.645
    """

    return NormalDist().inv_cdf((1 + check_level(level)) / 2)


# ---------------------------------------------------------------------------------------------------------------------
# The jackknife


def _jackknife_p(parts: Parts, floor: float) -> float | None:
    """Student's test of a difference with its jackknife error."""
    error = jackknife_error(parts)
    if error is None:
        return None
    if error <= _SLACK:
        return 1.0 if abs(parts.point) <= _SLACK else floor or None
    return student_tails(parts.point / error, len(_defined(parts.left_out)) - 1)


def _logistic(value: float) -> float:
    if value >= 0:
        return 1 / (1 + math.exp(-value))
    small = math.exp(max(value, -745.0))
    return small / (1 + small)


# ---------------------------------------------------------------------------------------------------------------------
# Student's distribution in plain arithmetic: libraries improve theirs from release to release, which changes last
# digits


def student_tails(t: float, freedom: float) -> float:
    """The probability of a value at least as far from 0 as t: I_x(f / 2, 1 / 2) with x = f / (f + t^2).

    The incomplete beta function is a continued fraction, evaluated from the front (Lentz 1976).

    >>> round(student_tails(12.706204736, 1), 9), student_tails(0.0, 5)
    (0.05, 1.0)
    """
    square = t * t
    if square == 0 or math.isinf(square):
        return float(square == 0)
    a, b, x, rest = freedom / 2, 0.5, freedom / (freedom + square), square / (freedom + square)
    other = x > (a + 1) / (a + b + 2)  # the fraction converges fast on the other side
    if other:
        a, b, x, rest = b, a, rest, x
    logarithm = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log(rest)
    c, d = 1.0, 1 - (a + b) * x / (a + 1)
    value = d = 1 / (d if abs(d) > _TINY else _TINY)
    for m in range(1, _STEPS):
        for factor in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 + factor * d
            d = 1 / (d if abs(d) > _TINY else _TINY)
            c = 1 + factor / c
            c = c if abs(c) > _TINY else _TINY
            value *= c * d
        if abs(c * d - 1) < _CONVERGED:
            break
    found = math.exp(logarithm) / a * value
    return 1 - found if other else found


@lru_cache(maxsize=256)
def student_quantile(level: float, freedom: float) -> float:
    """How far from 0 this share of the distribution reaches to each side, by bisection down to neighbouring numbers.

    >>> round(student_quantile(0.95, 10), 6)
    2.228139
    """
    low, high = 0.0, 1.0
    while student_tails(high, freedom) > 1 - level:
        low, high = high, 2 * high
    while True:
        middle = (low + high) / 2
        if middle in (low, high):
            return high
        if student_tails(middle, freedom) > 1 - level:
            low = middle
        else:
            high = middle


# ---------------------------------------------------------------------------------------------------------------------
# The bootstrap


class _Shape(NamedTuple):
    """Bias and acceleration of a bca interval."""

    bias: float
    acceleration: float

    def share(self, below: float) -> float:
        """The share of samples below the end that should have the given share below it."""
        z = self.bias + NormalDist().inv_cdf(below)
        return _normal(self.bias + z / (1 - self.acceleration * z))

    def level(self, share: float) -> float:
        """The inverse of `share`."""
        if share in (0.0, 1.0):
            return share
        w = NormalDist().inv_cdf(share) - self.bias
        return _normal(w / (1 + self.acceleration * w) - self.bias)


def _bca_shape(parts: Parts, drawn: Floats) -> _Shape | None:
    """None if all samples are on one side, or the leave-outs do not vary."""
    slack = _SLACK * max(1.0, abs(parts.point))
    below, above = (int(np.count_nonzero(each)) for each in (drawn < parts.point - slack, drawn > parts.point + slack))
    share = (below + len(drawn) - above) / (2 * len(drawn))
    left = _defined(parts.left_out)
    if not 0 < share < 1 or len(left) < 2:
        return None
    departures = (_mean(left) - left).tolist()
    squares = _sum([each * each for each in departures])
    if not _SLACK**2 < squares < math.inf:
        return None
    return _Shape(NormalDist().inv_cdf(share), _sum([each**3 for each in departures]) / (6 * squares**1.5))


def _bootstrap(parts: Parts, method: str, level: float) -> tuple[Interval | None, float | None]:
    """The interval of a difference and its p: twice the smaller share of samples on one side of 0, the corpus included.

    p = (1 + 2 min(#{d* <= 0}, #{d* >= 0})) / (B + 1); the ends of the interval are those samples that would still have
    p above 1 - level if they were 0. A bca interval has the p of the level at which it ends at 0, at least 1 / (B + 1).
    """
    drawn = _defined(parts.drawn)
    if not len(drawn):
        return None, None
    shape = None
    if method == "bca" and (varying := _varying(drawn)) is not None:
        shape = _bca_shape(parts, varying)
        if shape is None:
            return score_interval(parts, "jackknife", level=level), _jackknife_p(parts, 1 / (len(drawn) + 1))
    if method == "centred":
        drawn = drawn + (parts.point - _mean(drawn))
    ordered = np.sort(np.round(drawn, _DIGITS))
    smallest = 1 / (len(drawn) + 1)
    if shape is not None:
        lowest, highest = (shape.level(share) for share in _shares_at_zero(ordered))
        p = max(smallest, min(1.0, 2 * min(highest, 1 - lowest)))
        return score_interval(parts, "bca", level=level), p
    below, above = int(np.count_nonzero(ordered <= 0)), int(np.count_nonzero(ordered >= 0))
    p = min(1.0, (1 + 2 * min(below, above)) * smallest)
    if _varying(drawn) is None:
        return None, p
    cut = max(0, math.floor(round(((1 - check_level(level)) / smallest - 1) / 2, 9)))
    cut = min(cut, (len(drawn) - 1) // 2)
    name = "centred" if method == "centred" else "percentile"
    return Interval(float(ordered[cut]), float(ordered[-1 - cut]), name), p


def _shares_at_zero(ordered: Floats) -> tuple[float, float]:
    """Which quantiles are 0, the lowest and the highest; between two samples they lie on a straight line."""
    size = len(ordered)
    first, last = (int(np.searchsorted(ordered, 0.0, side=side)) for side in ("left", "right"))
    steps = max(1, size - 1)
    if first < last:
        return first / steps, (last - 1) / steps
    if first in (0, size):
        return (0.0, 0.0) if first == 0 else (1.0, 1.0)
    before, after = float(ordered[first - 1]), float(ordered[first])
    share = (first - 1 - before / (after - before)) / steps
    return share, share


def quantiles(values: Floats, fractions: Sequence[float]) -> list[float]:
    """Quantiles with linear interpolation, like `np.quantile`, which imports modules that nothing else here needs.

    >>> quantiles(np.array([1.0, 3.0, 2.0]), [0.25, 0.5])
    [1.5, 2.0]
    """
    ordered = np.sort(values)
    found = []
    for fraction in fractions:
        place = fraction * (ordered.size - 1)
        before = int(place)
        low, high = float(ordered[before]), float(ordered[min(before + 1, ordered.size - 1)])
        share = place - before
        # From the nearer end, so that the rounding error is smaller and the last value is met exactly.
        found.append(low + (high - low) * share if share < 0.5 else high - (high - low) * (1 - share))
    return found


def _varying(values: npt.ArrayLike) -> Floats | None:
    """The samples that are defined, if they are not all the same."""
    defined = _defined(values)
    if not len(defined) or float(defined.max() - defined.min()) <= _SLACK * max(1.0, abs(float(defined[0]))):
        return None
    return defined


def tails(level: float) -> list[float]:
    """The shares of samples below the ends of a central interval."""
    below = round((1 - check_level(level)) / 2, _DIGITS)  # 0.05 for a level of 0.9, not 0.04999999999999999
    return [below, 1 - below]


def _normal(value: float) -> float:
    return 0.5 * math.erfc(-value / math.sqrt(2))


def _mean(values: Floats) -> float:
    return _sum(values.tolist()) / len(values)


def _sum(values: list[float]) -> float:
    try:
        return math.fsum(values)
    except OverflowError:  # counts near the end of the range of numbers
        return math.nan


def _defined(values: npt.ArrayLike) -> Floats:
    array = np.asarray(values, dtype=np.float64)
    return array[~np.isnan(array)]


def _within(value: float) -> float:
    return min(1.0, max(0.0, value))
