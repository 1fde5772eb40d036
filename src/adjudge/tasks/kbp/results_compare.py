"""All pairs of systems on every metric, as comparisons of a result.

In the randomisation test, documents are exchanged between two systems, and paths are counted anew. The statistic is the
difference of F1 over its jackknife error, which is found anew in every exchange by leaving out documents, or random
groups of them where they are many.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from adjudge.stats.intervals import exchange_p, studentised
from adjudge.stats.measure import Measure
from adjudge.stats.result import Comparison, SampledCounts, Score
from adjudge.stats.scores import How, headline_keys, pair_comparisons, sampled, whole_differences
from adjudge.tasks.kbp.counting import ALL_HOPS, SystemFacts, VariantCounts
from adjudge.tasks.kbp.masks import SampleCounts
from adjudge.tasks.kbp.masks_samples import exchanging, leave_out_groups
from adjudge.tasks.kbp.paths_facts import Facts
from adjudge.tasks.kbp.paths_walks import Identity, Walking
from adjudge.tasks.kbp.pieces import HERE, Place, count_all
from adjudge.tasks.kbp.relations import only_relation

if TYPE_CHECKING:
    import numpy.typing as npt

    from adjudge.tasks.kbp.results import Corpus


# Groups of documents that are left out in every exchange.
GROUPS = 50
# Samples that are counted in one pass.
_AT_ONCE = 1 << 16


class Exchange(NamedTuple):
    """How documents are exchanged, and which paths are compared; `together` adds up the paths of all lengths, too."""

    documents: int
    trials: int = 1000
    seed: int = 13
    hops: int = 1
    identity: Identity = "endpoints"
    walks: Walking = "all"
    together: bool = False


class Tested(NamedTuple):
    """What comparisons are made of: samples and scores of every system, and how they are tested."""

    measures: Sequence[Measure]
    samples: Mapping[str, Sequence[SampledCounts]]
    scores: Mapping[str, Sequence[Score]]
    how: How
    resamples: Mapping[tuple[str, ...], int]
    exchange: Exchange
    place: Place


def compare_all(
    corpus: Corpus, systems: Sequence[SystemFacts], counted: Sequence[VariantCounts], tested: Tested
) -> list[Comparison]:
    """All pairs of systems on the F1 of every metric, not yet corrected for their number."""
    exchanged = tested.how.test == "randomisation"
    # Documents cannot be exchanged between systems that keep their own nodes: these have the jackknife.
    how = tested.how._replace(test="jackknife") if exchanged else tested.how
    found: list[Comparison] = []
    for a, b in combinations(tested.samples, 2):
        for mine, yours in zip(tested.samples[a], tested.samples[b], strict=True):
            own = how._replace(tests=tested.resamples[tuple(mine.slice)])
            both = {a: sampled(tested.measures, mine, own), b: sampled(tested.measures, yours, own)}
            found += pair_comparisons(both, headline_keys(tested.measures), own, mine.slice, len(corpus.documents))
    if exchanged:
        p = _exchange_p(corpus, systems, counted, tested)
        found = [_with_p(each, p, tested.resamples) for each in found]
    return found + whole_differences(tested.scores, headline_keys(tested.measures), found)


def _with_p(
    each: Comparison, p: Mapping[tuple[str, str, str, str], float], resamples: Mapping[tuple[str, ...], int]
) -> Comparison:
    key = each.a, each.b, each.metric, str(each.slice.get("relation", ""))
    if key not in p:
        return each
    return msgspec.structs.replace(each, p=p[key], test="randomisation", resamples=resamples[tuple(each.slice)])


def _exchange_p(
    corpus: Corpus, systems: Sequence[SystemFacts], counted: Sequence[VariantCounts], tested: Tested
) -> dict[tuple[str, str, str, str], float]:
    """p by randomisation, by systems, metric and relation."""
    found: dict[tuple[str, str, str, str], float] = {}
    for way in counted:
        if not way.sampled or way.variant.own:
            continue
        together = way is counted[0] and any(m.name == ALL_HOPS for m in tested.measures)
        exchange = tested.exchange._replace(
            trials=tested.resamples[()], hops=way.sampled, identity=way.variant.identity, together=together
        )
        facts = {each.name: each.of(way.variant) for each in systems}
        pairs = {(a, b): (facts[a], facts[b]) for a, b in combinations(facts, 2)}
        for (a, b), hops in exchange_tests(corpus.facts, pairs, exchange, place=tested.place).items():
            for hop, p in hops.items():
                if hop == 0 or hop >= way.variant.first:
                    found[a, b, way.variant.metric(hop) if hop else ALL_HOPS, ""] = p
    for samples in next(iter(tested.samples.values()), ()):
        if not samples.slice:
            continue
        name = str(samples.slice["relation"])
        relation = list(corpus.relations).index(name)
        facts = {each.name: only_relation(each.facts, relation) for each in systems}
        pairs = {(a, b): (facts[a], facts[b]) for a, b in combinations(facts, 2)}
        gold = only_relation(corpus.facts, relation)
        exchange = tested.exchange._replace(trials=tested.resamples[tuple(samples.slice)])
        for (a, b), hops in exchange_tests(gold, pairs, exchange, place=tested.place).items():
            if 1 in hops:
                found[a, b, "kbp.hop1", name] = hops[1]
    return found


def exchange_tests(
    gold: Facts, pairs: Mapping[Any, tuple[Facts, Facts]], how: Exchange, *, place: Place = HERE
) -> dict[Any, dict[int, float]]:
    """p of every pair of systems at every number of hops; 0 is all hops together.

    >>> from adjudge.tasks.kbp.paths_facts import make_facts
    >>> gold = make_facts([0, 1], [0, 0], [1, 2], [0, 1])
    >>> other = make_facts([0], [0], [1], [0])
    >>> exchange_tests(gold, {"A-B": (gold, other)}, Exchange(2, trials=9, seed=1))
    {'A-B': {1: 1.0}}
    """
    import numpy as np

    from adjudge.stats.resample import exchanges

    if how.documents < 2:
        return {name: {} for name in pairs}
    group = leave_out_groups(how.documents, np.random.default_rng([how.seed, 1]), groups=GROUPS)
    width = 1 + int(group.max()) + 1
    size = max(1, _AT_ONCE // (2 * width))
    statistics: dict[Any, dict[int, list[Any]]] = {name: {} for name in pairs}
    for swapped in exchanges(how.documents, how.trials, size, Random(how.seed)):  # noqa: S311  # nothing is secret
        works = [
            exchanging(gold, *pair, swapped > 0, group, hops=how.hops, identity=how.identity, walks=how.walks)
            for pair in pairs.values()
        ]
        for name, (counts,) in zip(pairs, count_all([], works, place=place)[1], strict=True):
            f1 = _f1(counts, how.together)
            for row, values in enumerate(f1):
                sides = values.reshape(2, len(swapped), width)
                difference = sides[0] - sides[1]
                hop = 0 if row == how.hops else row + 1
                statistics[name].setdefault(hop, []).append(studentised(difference[:, 0], difference[:, 1:]))
    return {
        name: {hop: exchange_p(np.concatenate(found)) for hop, found in own.items()} for name, own in statistics.items()
    }


def _f1(counts: SampleCounts, together: bool) -> npt.NDArray[Any]:
    """F1 of every hop (rows) in every sample, and of all hops together in the last row; 0/0 is 0."""
    import numpy as np

    if together:
        counts = SampleCounts(*(np.vstack((side, side.sum(axis=0))) for side in counts))
    both, gold, system = counts
    value = np.zeros(both.shape)
    np.divide(2 * both, gold + system, out=value, where=(gold + system) != 0)
    return value
