"""Intervals and paired tests for scores that are not sums over documents.

With set semantics a document that is drawn twice adds nothing, so that a bootstrap sample is a corpus with 63 % of the
documents. Paths of two hops and more need several documents: their bootstrap scores lie below the score of the corpus,
which the percentile interval then often misses. The centred interval moves the samples so that their mean is the
score; the jackknife leaves out one document at a time, hardly changes the size of the corpus, and is the default.
"""

from __future__ import annotations

import math
from dataclasses import replace
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from adjudge.errors import UsageError
from adjudge.stats.data import check_level
from adjudge.stats.student import student_quantile, student_tails
from adjudge.stats.uncertainty import BoxNumbers

if TYPE_CHECKING:
    import numpy.typing as npt

    from adjudge.stats.resample import PairedTest

    Floats: TypeAlias = npt.NDArray[Any]

Rule: TypeAlias = Literal["drop", "interpolate"]
Method: TypeAlias = Literal["percentile", "centred", "jackknife"]

LEVEL = 0.9
NOTCH = 1.57  # McGill, Tukey and Larsen 1978
PAPER_NOTCH = 1.15  # as printed by Min and others
ENOUGH = 40  # leave-outs below which the correction by pairs makes intervals too narrow


class Interval(NamedTuple):
    """Where a score is believed to be, and how that was found."""

    low: float
    high: float
    method: Method
    level: float


def percentile_interval(values: npt.ArrayLike, *, level: float = LEVEL, rule: Rule = "drop") -> Interval:
    """The middle of the samples: sort them and drop floor(B (1 - level) / 2) at each end, as in the paper.

    `interpolate` takes interpolated quantiles instead, which differ in the fourth digit at B = 1000.

    >>> percentile_interval(range(1000))[:2]
    (50.0, 949.0)
    """
    import numpy as np

    from adjudge.stats.resample import interval

    ordered = np.sort(np.asarray(values, dtype=np.float64))
    if not len(ordered):
        raise UsageError("an interval needs at least one resample")
    if rule == "interpolate":
        low, high = interval(ordered, level) or (math.nan, math.nan)
        return Interval(low, high, "percentile", level)
    dropped = math.floor(round(len(ordered) * (1 - check_level(level)) / 2, 9))
    return Interval(float(ordered[dropped]), float(ordered[-1 - dropped]), "percentile", level)


def centred_interval(point: float, values: npt.ArrayLike, *, level: float = LEVEL, rule: Rule = "drop") -> Interval:
    """The percentile interval, moved so that the mean of the samples is the score, and cut at 0 and 1.

    >>> centred_interval(0.5, [0.25, 0.375, 0.5])[:2]
    (0.375, 0.625)
    """
    import numpy as np

    shift = point - float(np.mean(np.asarray(values, dtype=np.float64)))
    low, high, *_ = percentile_interval(values, level=level, rule=rule)
    return Interval(_within(low + shift), _within(high + shift), "centred", level)


class Pairs(NamedTuple):
    """Scores with two leave-outs left out together, and which two: two columns of places among the leave-outs."""

    places: Floats
    values: Floats


def jackknife_error(point: float, left_out: npt.ArrayLike, pairs: Pairs | None = None) -> float | None:
    """The standard error from leave-outs x_i; None with fewer than two.

    The variance is J = (n - 1) / n * sum of (x_i - mean)^2. What k documents do only together is in J k times (Efron
    and Stein 1981), which makes intervals too wide. With `pairs` it is J - V / 2, where V = n (n - 1) / 2 * mean of
    (x - x_i - x_j + x_ij)^2 has it k (k - 1) / 2 times; but at least J / 2.

    >>> round(jackknife_error(0.5, [0.4, 0.5, 0.6]), 4)
    0.1155
    """
    import numpy as np

    values = np.asarray(left_out, dtype=np.float64)
    n = len(values)
    if n < 2:
        return None
    variance = (n - 1) / n * math.fsum((values - math.fsum(values) / n) ** 2)
    if pairs is not None and n >= ENOUGH and len(pairs.values):
        joint = point - values[pairs.places].sum(axis=1) + pairs.values
        variance -= min(variance / 2, n * (n - 1) / 4 * float((joint**2).mean()))
    return math.sqrt(variance)


def jackknife_interval(
    point: float, left_out: npt.ArrayLike, pairs: Pairs | None = None, *, level: float = LEVEL
) -> Interval | None:
    """The score plus and minus Student's quantile times the jackknife error, cut at 0 and 1.

    >>> [round(x, 2) for x in jackknife_interval(0.5, [0.49, 0.5, 0.51])[:2]]
    [0.47, 0.53]
    """
    import numpy as np

    error = jackknife_error(point, left_out, pairs)
    if error is None:
        return None
    reach = student_reach(level, np.size(left_out) - 1) * error
    return Interval(_within(point - reach), _within(point + reach), "jackknife", level)


def box_numbers(
    values: npt.ArrayLike, *, level: float = LEVEL, rule: Rule = "drop", notch_constant: float = NOTCH
) -> BoxNumbers:
    """The notched box of the paper: median, the interval as the box, median -/+ c IQR / sqrt(B), and what is outside.

    >>> box = box_numbers(range(101), notch_constant=1.0)
    >>> box.median, box.low, box.high, round(box.notch_high, 2), len(box.outside)
    (50.0, 5.0, 95.0, 54.98, 10)
    """
    import numpy as np

    from adjudge.stats.resample import notches

    array = np.asarray(values, dtype=np.float64)
    low, high, *_ = percentile_interval(array, level=level, rule=rule)
    first, median, third = np.quantile(array, [0.25, 0.5, 0.75]).tolist()
    notch = notches(array, constant=notch_constant) or (math.nan, math.nan)
    outside = np.sort(array[(array < low) | (array > high)])
    return BoxNumbers(median, low, high, first, third, *notch, float(array.mean()), tuple(outside.tolist()))


def paired_bootstrap(a: npt.ArrayLike, b: npt.ArrayLike, difference: float, *, level: float = LEVEL) -> PairedTest:
    """Twice the smaller share of resamples in which a is not above, or not below, b; the observed corpus counts too.

    The interval is that of the differences, centred. Too eager with few documents at one hop.

    >>> paired_bootstrap([0.5, 0.6, 0.7], [0.4, 0.5, 0.7], 0.1).p
    1.0
    """
    import numpy as np

    from adjudge.stats.resample import PairedTest

    drawn = np.asarray(a, dtype=np.float64) - np.asarray(b, dtype=np.float64)
    below, above = int(np.count_nonzero(drawn <= 0)), int(np.count_nonzero(drawn >= 0))
    p = min(1.0, 2 * (min(below, above) + 1) / (len(drawn) + 1))
    low, high = _centred_difference(drawn, difference, level)
    wins, ties = float(np.mean(drawn > 0)), float(np.mean(drawn == 0))
    return PairedTest(difference, low, high, p, wins, ties)


def paired_centred(a: npt.ArrayLike, b: npt.ArrayLike, difference: float, *, level: float = LEVEL) -> PairedTest:
    """The share of resamples whose difference departs from the mean by at least the observed difference.

    >>> paired_centred([0.5, 0.6, 0.7], [0.4, 0.5, 0.7], 0.1).p
    0.25
    """
    import numpy as np

    drawn = np.asarray(a, dtype=np.float64) - np.asarray(b, dtype=np.float64)
    test = paired_bootstrap(a, b, difference, level=level)
    return replace(test, p=_share(np.abs(drawn - drawn.mean()), abs(difference)))


def paired_jackknife(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    difference: float,
    pairs: tuple[Pairs, Pairs] | None = None,
    *,
    level: float = LEVEL,
) -> PairedTest:
    """Student's test of the difference with its jackknife error, from leave-outs of both systems.

    Without variation there is no p, unless there is no difference either.

    >>> test = paired_jackknife([0.5, 0.5, 0.6], [0.4, 0.5, 0.5], 0.07)
    >>> round(test.p, 3)
    0.404
    """
    import numpy as np

    from adjudge.stats.resample import PairedTest

    joint = None if pairs is None else Pairs(pairs[0].places, pairs[0].values - pairs[1].values)
    error = jackknife_error(difference, np.asarray(a, dtype=np.float64) - np.asarray(b, dtype=np.float64), joint)
    if error is None:
        return PairedTest(difference)
    freedom = np.size(a) - 1
    reach = student_reach(level, freedom) * error
    p = None
    if error > 0:
        p = student_tails(difference / error, freedom)
    elif difference == 0:
        p = 1.0
    return PairedTest(difference, difference - reach, difference + reach, p)


def paired_exchange(a: npt.ArrayLike, b: npt.ArrayLike) -> PairedTest:
    """Approximate randomisation: how often exchanging documents gives a difference at least as large; the default.

    The first score of each system is the observed one; p = (1 + #{|d*| >= |d|}) / (trials + 1), two-sided.

    >>> paired_exchange([0.9, 0.1, 0.9, 0.1], [0.1, 0.9, 0.1, 0.9]).p
    1.0
    """
    import numpy as np

    from adjudge.stats.resample import PairedTest

    drawn = np.asarray(a, dtype=np.float64) - np.asarray(b, dtype=np.float64)
    return PairedTest(float(drawn[0]), p=_share(np.abs(drawn[1:]), abs(float(drawn[0]))))


def notches_apart(a: BoxNumbers, b: BoxNumbers) -> bool:
    """Whether two notches do not overlap, which the paper takes as a significant difference; it is none.

    >>> notches_apart(box_numbers([1.0, 1.0]), box_numbers([2.0, 2.0]))
    True
    """
    return a.notch_high < b.notch_low or b.notch_high < a.notch_low


def student_reach(level: float, freedom: int) -> float:
    """How many standard errors to each side hold the level, under Student's law.

    >>> round(student_reach(0.9, 2), 3), round(student_reach(0.9, 100), 3)
    (2.92, 1.66)
    """
    return student_quantile(check_level(level), freedom)


def normal_reach(level: float) -> float:
    """How many standard errors to each side hold the level, under a normal law.

    >>> round(normal_reach(0.9), 3)
    1.645
    """

    return NormalDist().inv_cdf((1 + check_level(level)) / 2)


def _centred_difference(drawn: Floats, difference: float, level: float) -> tuple[float, float]:
    low, high, *_ = percentile_interval(drawn, level=level)
    shift = difference - float(drawn.mean())
    return low + shift, high + shift


def _share(drawn: Floats, observed: float) -> float:
    import numpy as np

    # Differences of equal scores may differ in the last digit.
    extreme = int(np.count_nonzero(drawn >= observed - 1e-12 * max(1.0, observed)))
    return (1 + extreme) / (len(drawn) + 1)


def _within(value: float) -> float:
    return min(1.0, max(0.0, value))
