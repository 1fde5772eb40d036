"""Every pair of systems by every paired test, hop by hop, with Holm's correction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from adjudge.errors import UsageError, did_you_mean
from adjudge.tasks.kbp.intervals import (
    LEVEL,
    PARTS,
    Pairs,
    Part,
    paired_bootstrap,
    paired_centred,
    paired_exchange,
    paired_jackknife,
    scores,
)
from adjudge.tasks.kbp.masks import SampleCounts, Samples
from adjudge.tasks.kbp.masks_samples import Resampled, as_exchanged, exchanging
from adjudge.tasks.kbp.paths_walks import Identity, Walking
from adjudge.tasks.kbp.pieces import HERE, Place, count_all
from adjudge.tasks.kbp.sides import AnyFacts

if TYPE_CHECKING:
    from adjudge.stats.resample import PairedTest

Test: TypeAlias = Literal["randomisation", "jackknife", "bootstrap", "centred"]
TESTS: tuple[Test, ...] = ("randomisation", "jackknife", "bootstrap", "centred")
_COUNTED = ("point", "left_out", "bootstrap", "left_pairs")


class PairResult(NamedTuple):
    """One test of one part at one hop for a pair of systems; `adjusted` is p after Holm's correction over the pairs.

    Hop 0 is all hops together.
    """

    first: str
    second: str
    hop: int
    part: Part
    test: Test
    result: PairedTest
    adjusted: float | None


def compare_systems(
    gold: AnyFacts,
    systems: Mapping[str, AnyFacts],
    resampled: Mapping[str, Resampled],
    *,
    documents: int,
    tests: Sequence[Test] = ("randomisation",),
    trials: int = 1000,
    seed: int = 13,
    level: float = LEVEL,
    identity: Identity = "endpoints",
    walks: Walking = "all",
    together: bool = False,
    place: Place = HERE,
) -> list[PairResult]:
    """Test all pairs; `resampled` has the samples of every system, drawn together.

    With `together` the counts of all hops are added up and tested, too.

    The interval of a difference under `randomisation`, which has none of its own, is that of the jackknife.

    >>> from adjudge.tasks.kbp.masks_samples import resample_counts
    >>> from adjudge.tasks.kbp.paths_facts import make_facts
    >>> gold = make_facts([0, 1], [0, 0], [1, 2], [0, 1])
    >>> systems = {"A": gold, "B": make_facts([0], [0], [1], [0])}
    >>> drawn = resample_counts(gold, list(systems.values()), documents=2, resamples=9, hops=1)
    >>> found = compare_systems(gold, systems, dict(zip(systems, drawn)), documents=2, trials=9)
    >>> found[2].part, round(found[2].result.difference, 3), found[2].result.p == found[2].adjusted
    ('f1', 0.333, True)
    """
    for test in tests:
        if test not in TESTS:
            raise UsageError(f"there is no test {test}", hint=did_you_mean(test, TESTS) or f"tests: {', '.join(TESTS)}")
    found: list[PairResult] = []
    exchanges: dict[tuple[str, str], Samples] = {}
    if "randomisation" in tests:
        how: dict[str, Any] = {"documents": documents, "trials": trials, "seed": seed, "identity": identity}
        exchanges = {
            (one, other): exchanging(
                gold, systems[one], systems[other], hops=len(resampled[one].point.both), walks=walks, **how
            )
            for one, other in combinations(systems, 2)
        }
    exchanged_counts = dict(zip(exchanges, count_all([], list(exchanges.values()), place=place)[1], strict=True))
    for one, other in combinations(systems, 2):
        a, b = resampled[one], resampled[other]
        hops = len(a.point.both)
        exchanged = None
        if exchanges:
            (counts,) = exchanged_counts[one, other]
            exchanged = [_scores(own, together) for own in as_exchanged(counts, trials)]
        points, left, drawn, both = (
            [_scores(getattr(system, kind), together) for system in (a, b)] for kind in _COUNTED
        )
        for hop in range(-1 if together else 0, hops):
            for part in PARTS:
                difference = float(points[0][part][hop, 0] - points[1][part][hop, 0])
                joint = Pairs(a.pairs, both[0][part][hop]), Pairs(b.pairs, both[1][part][hop])
                jackknife = paired_jackknife(left[0][part][hop], left[1][part][hop], difference, joint, level=level)
                for test in tests:
                    samples = [own[part][hop] for own in drawn]
                    if test == "randomisation" and exchanged is not None:
                        result = paired_exchange(exchanged[0][part][hop], exchanged[1][part][hop])
                        result = replace(result, low=jackknife.low, high=jackknife.high)
                    elif test == "jackknife":
                        result = jackknife
                    else:
                        judge = paired_bootstrap if test == "bootstrap" else paired_centred
                        result = judge(samples[0], samples[1], difference, level=level)
                    found.append(PairResult(one, other, hop + 1, part, test, result, None))
    return _corrected(found)


def _scores(counts: SampleCounts, together: bool) -> dict[Part, Any]:
    """The scores of every hop (rows), and those of all hops together in the last row."""
    import numpy as np

    if together:
        counts = SampleCounts(*(np.vstack((side, side.sum(axis=0))) for side in counts))
    return scores(counts)


def _corrected(found: list[PairResult]) -> list[PairResult]:
    """Holm's correction over the pairs, for each test, hop and part apart."""
    from adjudge.stats.resample import holm

    families: dict[tuple[int, Part, Test], list[int]] = {}
    for place, row in enumerate(found):
        families.setdefault((row.hop, row.part, row.test), []).append(place)
    for places in families.values():
        adjusted = holm([found[place].result.p for place in places])
        for place, p in zip(places, adjusted, strict=True):
            found[place] = found[place]._replace(adjusted=p)
    return found
