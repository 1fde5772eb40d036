"""The corpora of the bootstrap as the official programs draw them, and their percentiles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from adjudge.stats.estimator import Estimator
    from adjudge.stats.resample import Drawing, Samples
    from adjudge.tasks.eal.profiles import Profile

Draws: TypeAlias = Literal["numpy", "java"]

_MULTIPLIER, _INCREMENT, _MASK = 0x5DEECE66D, 0xB, (1 << 48) - 1


def java_indices(documents: int, resamples: int, seed: int) -> npt.NDArray[np.int64]:
    """The documents of each corpus: `resamples` rows of `documents` draws of java.util.Random(seed).nextInt.

    >>> java_indices(5, 2, 0).tolist()
    [[0, 3, 4, 2, 0], [3, 1, 1, 4, 4]]
    """
    import numpy as np

    wanted = documents * resamples
    found = [np.empty(0, dtype=np.int64)]
    state = (seed ^ _MULTIPLIER) & _MASK
    missing = wanted
    while missing > 0:
        states = _states(state, missing)
        state = int(states[-1])
        bits = (states >> np.uint64(17)).astype(np.int64)
        if documents & (documents - 1) == 0:
            drawn = (documents * bits) >> 31
        else:
            drawn = bits % documents
            # The few numbers at the upper end that would make small indices more frequent are drawn again.
            drawn = drawn[bits - drawn + documents - 1 < 1 << 31]
        found.append(drawn)
        missing -= len(drawn)
    return np.concatenate(found).reshape(resamples, documents)


def _states(state: int, number: int) -> npt.NDArray[np.uint64]:
    """The next states of the generator: s <- a s + c, for many steps at once by doubling."""
    import numpy as np

    mask = np.uint64(_MASK)
    states = np.empty(number, dtype=np.uint64)
    states[0] = (state * _MULTIPLIER + _INCREMENT) & _MASK
    done, factor, term = 1, _MULTIPLIER, _INCREMENT
    while done < number:
        step = min(done, number - done)
        states[done : done + step] = (states[:step] * np.uint64(factor) + np.uint64(term)) & mask
        factor, term, done = (factor * factor) & _MASK, (factor * term + term) & _MASK, done + step
    return states


def java_weights(
    documents: int, resamples: int, seed: int, *, block: int = 1 << 18
) -> Iterator[npt.NDArray[np.float64]]:
    """How often each document is in each corpus, in blocks of corpora."""
    import numpy as np

    if documents == 0:
        yield np.zeros((resamples, 0))
        return
    indices = java_indices(documents, resamples, seed)
    size = max(1, block // documents)
    for start in range(0, resamples, size):
        rows = indices[start : start + size]
        flat = rows + np.arange(0, len(rows) * documents, documents)[:, None]
        counts = np.bincount(flat.ravel(), minlength=len(rows) * documents)
        yield counts.reshape(len(rows), documents).astype(np.float64)


def draw_samples(estimators: Mapping[str, Estimator], *, resamples: int, seed: int, draws: Draws = "numpy") -> Samples:
    """The scores of all systems on the same corpora, drawn by either generator."""
    from adjudge.stats.resample import bootstrap

    weights = java_weights if draws == "java" else None
    return bootstrap(estimators, resamples=resamples, seed=seed, weights=weights)


def percentile(values: Sequence[float], share: float) -> float:
    """The percentile of the engineering handbook of NIST: rank p (N + 1), in between by a straight line.

    >>> round(percentile([15, 20, 35, 40, 50], 0.4), 9)
    26.0
    """
    ordered = sorted(values)
    rank = share * (len(ordered) + 1)
    below = int(rank)
    if below < 1:
        return float(ordered[0])
    if below >= len(ordered):
        return float(ordered[-1])
    return float(ordered[below - 1] + (rank - below) * (ordered[below] - ordered[below - 1]))


def drawing_of(profile: Profile) -> Drawing:
    """How the corpora of a profile are drawn, and which quantiles are its percentile intervals."""
    from adjudge.stats.resample import USUAL, Drawing

    if profile.draws == "numpy" and profile.percentiles == "linear":
        return USUAL
    return Drawing(
        profile.draws,
        java_weights if profile.draws == "java" else None,
        nist_interval if profile.percentiles == "nist" else None,
    )


def nist_interval(values: Sequence[float], level: float) -> tuple[float, float] | None:
    """The central interval of the samples that are defined.

    >>> nist_interval([1.0, 2.0, 3.0], 0.5)
    (1.0, 3.0)
    """
    defined = [value for value in values if value == value]  # nan is not
    below = round((1 - level) / 2, 12)
    return (percentile(defined, below), percentile(defined, 1 - below)) if defined else None
