"""All pairs of systems on every metric, as comparisons of a result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from adjudge.stats.measure import Measure
from adjudge.stats.result import Comparison, Score
from adjudge.stats.sampled import How, headline_keys, pair_comparison
from adjudge.stats.uncertainty import SampledCounts
from adjudge.tasks.kbp.counting import ALL_HOPS, SystemFacts, VariantCounts
from adjudge.tasks.kbp.masks_compare import Exchange, exchange_tests
from adjudge.tasks.kbp.pieces import Place
from adjudge.tasks.kbp.relations import only_relation

if TYPE_CHECKING:
    from adjudge.tasks.kbp.results import Corpus


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
            found += pair_comparison((a, b), tested.measures, (mine, yours), own, documents=len(corpus.documents))
    if exchanged:
        p = _exchange_p(corpus, systems, counted, tested)
        found = [_with_p(each, p, tested.resamples) for each in found]
    return found + _untested(found, tested)


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


def _untested(done: Sequence[Comparison], tested: Tested) -> list[Comparison]:
    """The differences on metrics that were counted on all documents only."""
    known = {(each.a, each.b, each.metric) for each in done}
    found = []
    for metric, part in headline_keys(tested.measures):
        values = {
            name: next((s.value for s in own if (s.metric, s.part) == (metric, part) and not s.slice), None)
            for name, own in tested.scores.items()
        }
        for a, b in combinations(values, 2):
            one, other = values[a], values[b]
            if (a, b, metric) not in known and one is not None and other is not None:
                found.append(Comparison(a=a, b=b, metric=metric, part=part, difference=one - other, slice={}))
    return found
