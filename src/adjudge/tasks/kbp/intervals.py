"""Intervals of the scores of paths, hop by hop, and what is wrong with two of them; see `adjudge.stats.intervals`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from adjudge.stats.intervals import (
    LEVEL,
    NOTCH,
    PAPER_NOTCH,
    Interval,
    Method,
    Pairs,
    Rule,
    box_numbers,
    centred_interval,
    jackknife_error,
    jackknife_interval,
    normal_reach,
    notches_apart,
    paired_bootstrap,
    paired_centred,
    paired_exchange,
    paired_jackknife,
    percentile_interval,
)
from adjudge.tasks.kbp.masks import SampleCounts

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats: TypeAlias = npt.NDArray[Any]

__all__ = [
    "LEVEL",
    "NOTCH",
    "PAPER_NOTCH",
    "Interval",
    "Method",
    "Pairs",
    "Rule",
    "box_numbers",
    "centred_interval",
    "jackknife_error",
    "jackknife_interval",
    "normal_reach",
    "notches_apart",
    "paired_bootstrap",
    "paired_centred",
    "paired_exchange",
    "paired_jackknife",
    "percentile_interval",
]

Part: TypeAlias = Literal["precision", "recall", "f1"]
PARTS: tuple[Part, ...] = ("precision", "recall", "f1")

NOTCH_CAUTION = (
    "Notches do not test anything here: their width falls with the number of resamples, not of documents, so that two "
    "equally good systems nearly always look different; use the paired tests"
)
PERCENTILE_CAUTION = (
    "A bootstrap sample holds only about 63 % of the documents, and a path of several hops needs all of its documents: "
    "from two hops on the resampled scores are too low, and the percentile interval can miss the score itself"
)


def scores(counts: SampleCounts) -> dict[Part, Floats]:
    """Precision, recall and F1 for every hop (rows) and sample (columns); 0/0 is 0.

    >>> import numpy as np
    >>> counts = SampleCounts(*(np.array([[n, 0]]) for n in (6, 9, 9)))
    >>> scores(counts)["f1"].round(4).tolist()
    [[0.6667, 0.0]]
    """
    import numpy as np

    def ratio(numerator: Floats, denominator: Floats) -> Floats:
        value = np.zeros(numerator.shape)
        np.divide(numerator, denominator, out=value, where=denominator != 0)
        return value

    both, gold, system = counts
    return {"precision": ratio(both, system), "recall": ratio(both, gold), "f1": ratio(2 * both, gold + system)}
