"""What a result says of scores that are not sums over documents: every interval, and the counts behind them."""

from __future__ import annotations

import msgspec

from adjudge.errors import FormatError
from adjudge.stats.data import AttributeValue


class BoxNumbers(msgspec.Struct, frozen=True):
    """A notched box plot: the box is the percentile interval, not the quartiles; `outside` are the dots beyond it."""

    median: float
    low: float
    high: float
    first_quartile: float
    third_quartile: float
    notch_low: float
    notch_high: float
    mean: float
    outside: tuple[float, ...] = ()


class Uncertainty(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """All intervals of a score by name, and more about its samples.

    `error` is the jackknife standard error, `bias` how far the mean of the resampled scores is from the score,
    `empty` in how many resamples the system has nothing. An `estimated` score was not counted but sampled: its interval
    says where the exact score is, nothing of other documents.
    """

    intervals: dict[str, tuple[float, float]] = {}
    error: float | None = None
    bias: float | None = None
    empty: int = 0
    box: BoxNumbers | None = None
    estimated: bool = False


class SampledCounts(msgspec.Struct, frozen=True, omit_defaults=True):
    """Counts in samples of the documents, column by column: all documents, leave-outs, bootstrap samples, pairs.

    In the sample of a pair two of the leave-outs, by place, are left out together.
    """

    columns: tuple[str, ...]
    left_out: int
    values: tuple[tuple[float, ...], ...]
    slice: dict[str, AttributeValue] = {}
    pairs: tuple[tuple[int, int], ...] = ()


def check_samples(samples: SampledCounts) -> None:
    """Raise unless every column has a value for every sample.

    >>> check_samples(SampledCounts(("n",), 2, ((1.0, 1.0),)))
    Traceback (most recent call last):
    adjudge.errors.FormatError: a column of samples has 2 values, there must be at least 3
    """
    if len(samples.values) != len(samples.columns):
        raise FormatError(f"{len(samples.values)} columns of samples for {len(samples.columns)} names")
    lengths = {len(column) for column in samples.values}
    if len(lengths) > 1:
        raise FormatError("the columns of samples have different lengths")
    least = 1 + max(0, samples.left_out) + len(samples.pairs)
    if samples.left_out < 0 or any(length < least for length in lengths):
        shortest = min(lengths, default=0)
        raise FormatError(f"a column of samples has {shortest} values, there must be at least {least}")
    if any(not 0 <= place < samples.left_out for pair in samples.pairs for place in pair):
        raise FormatError("a pair of leave-outs names one that is not there")
