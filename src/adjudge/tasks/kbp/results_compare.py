"""All pairs of systems on every metric, as comparisons of a result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

from adjudge.stats.measure import Measure
from adjudge.stats.result import Comparison, Score, Slice
from adjudge.stats.sampled import SampleTest, comparison, headline_keys, pair_comparison
from adjudge.stats.uncertainty import SampledCounts
from adjudge.tasks.kbp.counting import ALL_HOPS, Run, SystemFacts, VariantCounts
from adjudge.tasks.kbp.masks_compare import compare_systems
from adjudge.tasks.kbp.masks_samples import as_resampled, draw_samples, resampling
from adjudge.tasks.kbp.options import KbOptions
from adjudge.tasks.kbp.pieces import count_all
from adjudge.tasks.kbp.sides import folder_of, of_relation

if TYPE_CHECKING:
    from adjudge.tasks.kbp.results import Corpus


def compare_all(
    corpus: Corpus,
    systems: Sequence[SystemFacts],
    options: KbOptions,
    run: Run,
    counted: Sequence[VariantCounts],
    measures: Sequence[Measure],
    samples: Mapping[str, Sequence[SampledCounts]],
    scores: Mapping[str, Sequence[Score]],
    *,
    level: float,
) -> list[Comparison]:
    """All pairs of systems on the F1 of every metric, not yet corrected for their number."""
    found: list[Comparison] = []
    # Documents cannot be exchanged between systems that keep their own nodes.
    fallback: SampleTest = "jackknife" if options.test == "randomisation" else options.test
    trials = _trials(counted)
    for way in counted:
        if not way.sampled:
            continue
        facts = {each.name: each.of(way.variant) for each in systems}
        test = fallback if way.variant.own else options.test
        rows = compare_systems(
            corpus.facts,
            facts,
            way.resampled,
            documents=len(corpus.documents),
            tests=(test,),
            trials=trials,
            seed=run.seed,
            level=level,
            identity=way.variant.identity,
            walks=options.walks,
            place=run.place,
            together=way is counted[0] and 1 < options.hops == way.sampled,
        )
        for row in rows:
            if row.part == "f1" and (row.hop >= way.variant.first or not row.hop):
                key = way.variant.metric(row.hop) if row.hop else ALL_HOPS, "f1"
                found.append(comparison((row.first, row.second), key, row.result, test=row.test, where={}))
    done = {(each.a, each.b, each.metric) for each in found}
    for a, b in combinations(samples, 2):
        for mine, yours in zip(samples[a], samples[b], strict=True):
            if mine.slice and options.test == "randomisation":
                found += _relation_comparison((a, b), mine.slice, corpus, systems, trials, level=level, seed=run.seed)
                continue
            rest = pair_comparison((a, b), measures, (mine, yours), test=fallback, level=level)
            found += [each for each in rest if each.slice or (a, b, each.metric) not in done]
    done = {(each.a, each.b, each.metric) for each in found}
    for metric, part in headline_keys(measures):
        values = {
            name: next((s.value for s in own if (s.metric, s.part) == (metric, part) and not s.slice), None)
            for name, own in scores.items()
        }
        for a, b in combinations(values, 2):
            one, other = values[a], values[b]
            if (a, b, metric) not in done and one is not None and other is not None:
                found.append(Comparison(a=a, b=b, metric=metric, part=part, difference=one - other, slice={}))
    return found


def _trials(counted: Sequence[VariantCounts]) -> int:
    for way in counted:
        for own in way.resampled.values():
            return max(1, int(own.bootstrap.both.shape[1]))
    return 1


def _relation_comparison(
    name: tuple[str, str],
    where: Slice,
    corpus: Corpus,
    systems: Sequence[SystemFacts],
    trials: int,
    *,
    level: float,
    seed: int,
) -> list[Comparison]:
    """Two systems on one relation, by exchanging documents."""
    relation = list(corpus.relations).index(str(where["relation"]))
    gold = of_relation(corpus.facts, relation)
    facts = {each.name: of_relation(each.facts, relation) for each in systems if each.name in name}
    drawn = draw_samples(len(corpus.documents), resamples=0, seed=seed, folder=folder_of(gold))
    _, (counts,) = count_all([], [resampling(gold, list(facts.values()), drawn, hops=1)])
    resampled = {one: as_resampled(drawn, own) for one, own in zip(facts, counts, strict=True)}
    options: dict[str, Any] = {"documents": len(corpus.documents), "trials": trials, "seed": seed, "level": level}
    rows = compare_systems(gold, facts, resampled, tests=("randomisation",), **options)
    return [
        comparison((row.first, row.second), ("kbp.hop1", "f1"), row.result, test=row.test, where=where)
        for row in rows
        if row.part == "f1"
    ]
