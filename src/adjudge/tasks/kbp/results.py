"""From what was counted to a result: scores with intervals, slices, comparisons, notes, signature."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from adjudge._version import __version__
from adjudge.stats.inference import CENTRED, Inference, check_level
from adjudge.stats.intervals import normal_reach
from adjudge.stats.measure import Measure, Prf, Total, count_keys
from adjudge.stats.notes import inference_notes, spread_notes, summed_up
from adjudge.stats.result import (
    Comparison,
    Note,
    Options,
    Result,
    SampledCounts,
    Score,
    Slice,
    SystemResult,
    Uncertainty,
    result_fields,
    unique_names,
)
from adjudge.stats.scores import POOL, corrected, family_sizes, how_of, options_of, point_scores, sampled_scores
from adjudge.stats.signature import SignatureValue, hash_chunks, signature
from adjudge.stats.text import slice_key
from adjudge.tasks.kbp.counting import ALL_HOPS, Run, SystemFacts, VariantCounts, count_variants, variants
from adjudge.tasks.kbp.curve import Sure, curve_counts
from adjudge.tasks.kbp.masks_samples import Drawn, Resampled, as_resampled, draw_samples, resampling
from adjudge.tasks.kbp.notes import GoldNotes, corpus_notes, notch_notes, system_notes
from adjudge.tasks.kbp.options import PROFILES, KbOptions
from adjudge.tasks.kbp.paths_facts import Counts, Facts
from adjudge.tasks.kbp.pieces import count_all
from adjudge.tasks.kbp.relations import only_relation
from adjudge.tasks.kbp.results_compare import Exchange, Tested, compare_all

if TYPE_CHECKING:
    from adjudge.tasks.kbp.masks import SampleCounts
    from adjudge.tasks.kbp.sampling import HopEstimate

SLICES = ("relation", "first", "sequence", "confidence")
TALLIES = ("unaligned", "unattested", "out-of-scope", "excluded", "outside", "low-confidence", "self-loops")
"""What is counted of the facts that are no triples, or not about gold entities; each is a metric `kbp.NAME`."""


class Scored(NamedTuple):
    """A system to be scored: its facts, what became of the others by name, remarks, and its surer facts."""

    facts: SystemFacts
    tally: Mapping[str, int]
    notes: Sequence[Note] = ()
    curve: Sequence[Sure] = ()


class Corpus(NamedTuple):
    """The gold side: its facts, the documents of the samples, the names of relations, and a digest of all of it."""

    facts: Facts
    documents: tuple[str, ...]
    relations: Sequence[str]
    digest: str
    notes: GoldNotes


def build(
    corpus: Corpus,
    systems: Sequence[Scored],
    options: KbOptions,
    run: Run,
    *,
    profile: str,
    level: float = 0.95,
    inputs: str | None = None,
) -> Result:
    """Count everything and put the result together."""
    check_level(level)
    names = unique_names(each.facts.name for each in systems)
    ways = variants(options)
    documents = len(corpus.documents)
    drawn = None
    fields = _fields(options, profile, corpus.digest, inputs)
    chosen, families = _options(corpus, systems, options, run, level, fields)
    if run.resamples and documents > 1:
        more = how_of(chosen).test in ("bootstrap", CENTRED) and len(systems) > 1
        resamples = max(run.resamples, *chosen.resamples) if more else run.resamples
        drawn = draw_samples(documents, resamples=resamples, seed=run.seed)
    sides = [each.facts for each in systems]
    run = replace(run, ci=level)
    counted = count_variants(ways, corpus.facts, sides, options, run, documents=documents, drawn=drawn)
    measures = [m for metric in metrics(options) for m in prf(metric)]
    measures += [Total(f"kbp.{name}", "count", ((f"kbp.{name}:count", 1.0),)) for name in TALLIES]
    how = how_of(chosen)._replace(box=options.notch if run.box or options.interval == "percentile" else None)
    parts = _relation_slices(corpus, sides, drawn) if "relation" in run.by and drawn is not None else []
    found, samples, alike = {}, {}, {}
    for each in systems:
        name = each.facts.name
        samples[name] = [*_corpus_samples(counted, name, options), *(part[name] for part in parts)]
        scores = [score for own in samples[name] for score in sampled_scores(measures, own, how)]
        alike[name] = _alike(scores, measures)
        scores += _unsampled(counted, name, options, measures, samples[name])
        scores += _tally_scores(each.tally, measures)
        found[name] = _ordered(scores, measures) + _slices(counted[0], name, corpus, run.by, measures, samples[name])
        for metric, least, counts in curve_counts(corpus.facts, each.curve, ways[0], options):
            found[name] += point_scores(measures, _columns(metric, counts), where={"confidence": least})
    comparisons: list[Comparison] = []
    if len(systems) > 1:
        exchange = Exchange(documents, seed=run.seed, walks=options.walks)
        tested = Tested(measures, samples, found, how, families, exchange, run.place)
        comparisons = compare_all(corpus, sides, counted, tested)
    remarks = corpus_notes(corpus.notes, documents, counted, options, run, len(systems))
    remarks += inference_notes(chosen, [({}, documents)], found, comparisons)
    if options.interval == "percentile":
        remarks += notch_notes(found)
    return Result(
        adjudge=__version__,
        task="kbp",
        profile=profile,
        signature=signature("kbp", result_fields(profile, documents, len(names), chosen)),
        systems=tuple(
            SystemResult(
                name=each.facts.name,
                documents=documents,
                scores=tuple(found[each.facts.name]),
                notes=(
                    *each.notes,
                    *system_notes(each, counted, found[each.facts.name], options),
                    *alike[each.facts.name],
                ),
                samples=tuple(samples[each.facts.name]),
            )
            for each in systems
        ),
        comparisons=corrected(comparisons, measures),
        notes=tuple(remarks),
        measures=tuple(measures),
        options=chosen,
    )


def _options(
    corpus: Corpus,
    systems: Sequence[Scored],
    options: KbOptions,
    run: Run,
    level: float,
    fields: dict[str, SignatureValue],
) -> tuple[Options, dict[tuple[str, ...], int]]:
    """How intervals and tests are made, and the number of resamples of each family of tests.

    The family of slices by relation has a test for every pair of systems and every relation.
    """
    inference = Inference(
        bootstrap=run.bootstrap, level=level, seed=run.seed, interval=options.interval, test=options.test
    )
    relations = len(_relations(corpus, [each.facts for each in systems])) if "relation" in run.by else 0
    by_relation: list[Slice] = [{"relation": number} for number in range(relations)]
    sizes = family_sizes(len(systems), [{}, *by_relation])
    made = options_of(inference, sizes, pool=POOL, by=tuple(dict.fromkeys(run.by)), fields=fields)
    return made, {fields: inference.for_tests(size) for fields, size in sizes.items()}


def _alike(scores: Sequence[Score], measures: Sequence[Measure]) -> list[Note]:
    """Which scores have no interval although documents were left out and drawn."""
    counts = count_keys(measures)
    notes = []
    for where in {slice_key(score.slice): score.slice for score in scores}.values():
        own = [s for s in scores if s.slice == where and (s.metric, s.part) not in counts]
        notes += [(where, note) for note in spread_notes(own, where)]
    return summed_up(notes)


def metrics(options: KbOptions) -> list[str]:
    """The names of all metrics, by the number of hops; the sum over the hops last.

    >>> metrics(KbOptions(hops=2, identity="both"))
    ['kbp.hop1', 'kbp.hop2', 'kbp.hop2.full', 'kbp.hops']
    """
    ways = variants(options)
    found = [each.metric(hop) for hop in range(1, options.hops + 1) for each in ways if hop >= each.first]
    return found + ([ALL_HOPS] if options.hops > 1 else [])


def prf(metric: str) -> list[Measure]:
    """Precision, recall, F1 and the three counts of a metric.

    >>> [type(each).__name__ for each in prf("kbp.hop1")]
    ['Prf', 'Total', 'Total', 'Total']
    """
    both, gold, system = columns(metric)
    counts = (("tp", both), ("gold", gold), ("system", system))
    return [
        Prf(metric, (both, system), (both, gold)),
        *(Total(metric, part, ((column, 1.0),)) for part, column in counts),
    ]


def columns(metric: str) -> tuple[str, str, str]:
    """The names of its columns: on both sides, in gold, in the system.

    >>> columns("kbp.hop1")
    ('kbp.hop1:tp', 'kbp.hop1:gold', 'kbp.hop1:system')
    """
    return f"{metric}:tp", f"{metric}:gold", f"{metric}:system"


def _corpus_samples(counted: Sequence[VariantCounts], name: str, options: KbOptions) -> list[SampledCounts]:
    """What was counted in samples of all documents, for every way to compare paths."""
    titles: list[str] = []
    values: list[tuple[float, ...]] = []
    resampled: Resampled | None = None
    for way in counted:
        if not way.sampled:
            continue
        resampled = way.resampled[name]
        for hop in range(way.variant.first, way.sampled + 1):
            titles += columns(way.variant.metric(hop))
            values += _values(resampled, hop - 1)
    if resampled is None:
        return []
    first = counted[0]
    if options.hops > 1 and first.sampled == options.hops:
        titles += columns(ALL_HOPS)
        hops = [_values(first.resampled[name], hop) for hop in range(options.hops)]
        values += [tuple(map(sum, zip(*column, strict=True))) for column in zip(*hops, strict=True)]
    return [_sampled(titles, values, resampled, {})]


def _sampled(titles: Sequence[str], values: Sequence[tuple[float, ...]], own: Resampled, where: Slice) -> SampledCounts:
    pairs = tuple((int(a), int(b)) for a, b in own.pairs)
    return SampledCounts(tuple(titles), own.left_out.both.shape[1], tuple(values), where, pairs)


def _values(own: Resampled, hop: int) -> list[tuple[float, ...]]:
    """Counts on both sides, in gold and in the system, in the order in which samples are saved."""
    kinds: tuple[SampleCounts, ...] = (own.point, own.left_out, own.bootstrap, own.left_pairs)
    return [tuple(float(count) for kind in kinds for count in kind[place][hop].tolist()) for place in range(3)]


def _relation_slices(corpus: Corpus, systems: Sequence[SystemFacts], drawn: Drawn) -> list[dict[str, SampledCounts]]:
    """The triples of each relation, in the samples of the whole."""
    found: list[dict[str, SampledCounts]] = []
    relations = _relations(corpus, systems)
    works = [
        resampling(
            only_relation(corpus.facts, relation),
            [only_relation(each.facts, relation) for each in systems],
            drawn,
            hops=1,
        )
        for relation in relations
    ]
    titles = columns("kbp.hop1")
    for relation, counts in zip(relations, count_all([], works)[1], strict=True):
        where: Slice = {"relation": corpus.relations[relation]}
        pairs = zip(systems, (as_resampled(drawn, own) for own in counts), strict=True)
        found.append({each.name: _sampled(titles, _values(own, 0), own, where) for each, own in pairs})
    return found


def _relations(corpus: Corpus, systems: Sequence[SystemFacts]) -> list[int]:
    """The relations of any side, those first that gold has most often."""
    import numpy as np

    size = len(corpus.relations)
    of_gold, *others = (
        np.bincount(side.relations, minlength=size) for side in (corpus.facts, *(s.facts for s in systems))
    )
    present = of_gold + sum(others)
    order = sorted(np.flatnonzero(present).tolist(), key=lambda r: (-int(of_gold[r]), corpus.relations[r]))
    return list(order)


def _unsampled(
    counted: Sequence[VariantCounts],
    name: str,
    options: KbOptions,
    measures: Sequence[Measure],
    samples: Sequence[SampledCounts],
) -> list[Score]:
    """The scores that were counted on all documents only, and those that were estimated."""
    done = {column for own in samples for column in own.columns if not own.slice}
    scores: list[Score] = []
    for way in counted:
        own = way.counted[name]
        for hop in own.exact:
            metric = way.variant.metric(hop.hop)
            if hop.hop >= way.variant.first and columns(metric)[0] not in done:
                scores += point_scores(measures, _columns(metric, hop.total))
        for estimate in own.estimates:
            scores += _estimated(way.variant.metric(estimate.hop), estimate, measures)
    exact = counted[0].counted[name].exact
    if options.hops > 1 and len(exact) == options.hops and columns(ALL_HOPS)[0] not in done:
        total = Counts(0, 0, 0)
        for each in exact:
            total = total + each.total
        scores += point_scores(measures, _columns(ALL_HOPS, total))
    return scores


def _columns(metric: str, counts: Counts) -> dict[str, float]:
    return dict(zip(columns(metric), counts, strict=True))


def _estimated(metric: str, found: HopEstimate, measures: Sequence[Measure]) -> list[Score]:
    """Scores that were estimated from some first nodes, with their error; the counts are estimates too."""
    counts = dict(zip(columns(metric), (found.both, found.gold, found.system), strict=True))
    reach = normal_reach(found.level)
    scores = []
    for score in point_scores(measures, counts):
        estimate = {"precision": found.precision, "recall": found.recall, "f1": found.f1}.get(score.part)
        if estimate is None or found.complete:
            scores.append(score)
            continue
        low, high = max(0.0, estimate.value - estimate.error), min(1.0, estimate.value + estimate.error)
        uncertainty = Uncertainty(
            intervals={"sampling": (low, high), "bound": (estimate.low, estimate.high)},
            error=estimate.error / reach,
            estimated=True,
        )
        scores.append(
            msgspec.structs.replace(
                score,
                value=estimate.value,
                low=low,
                high=high,
                level=found.level,
                interval="sampled first nodes",
                numerator=None,
                denominator=None,
                uncertainty=uncertainty,
            )
        )
    return scores


def _tally_scores(tally: Mapping[str, int], measures: Sequence[Measure]) -> list[Score]:
    return point_scores(measures, {f"kbp.{name}:count": tally[name] for name in TALLIES if name in tally})


def _slices(
    way: VariantCounts,
    name: str,
    corpus: Corpus,
    by: Sequence[str],
    measures: Sequence[Measure],
    samples: Sequence[SampledCounts],
) -> list[Score]:
    """Scores per relation, first relation and sequence of relations, as far as they have no samples of their own."""
    scores: list[Score] = []
    for field in dict.fromkeys(by):
        if field == "confidence" or (field == "relation" and any(own.slice for own in samples)):
            continue
        for hop in way.counted[name].exact:
            if (field == "sequence") == (hop.hop == 1) and field != "first":
                continue
            groups: dict[str, Counts] = {}
            for sequence, counts in hop.sequences.items():
                kept = sequence if field == "sequence" else sequence[:1]
                title = "/".join(corpus.relations[relation] for relation in kept)
                groups[title] = groups.get(title, Counts(0, 0, 0)) + counts
            for title, counts in sorted(groups.items(), key=lambda each: (-each[1].gold, each[0])):
                metric = way.variant.metric(hop.hop)
                scores += point_scores(measures, _columns(metric, counts), where={field: title})
    return scores


def _ordered(scores: Sequence[Score], measures: Sequence[Measure]) -> list[Score]:
    """Scores in the order of their measures, the whole corpus before its slices."""
    from adjudge.stats.measure import part_keys

    order = {key: place for place, key in enumerate(part_keys(measures))}
    return sorted(
        scores, key=lambda score: (bool(score.slice), order[score.metric, score.part] if not score.slice else 0)
    )


def _fields(options: KbOptions, profile: str, gold: str, inputs: str | None) -> dict[str, SignatureValue]:
    """The conventions for the signature: what differs from the profile, and what gold was."""
    found: dict[str, SignatureValue] = {"hops": options.hops}
    usual = PROFILES[profile]
    for each in fields(KbOptions):
        value = getattr(options, each.name)
        if each.name in ("hops", "interval", "test", "notch") or value == getattr(usual, each.name):
            continue
        found[each.name.replace("_", "-")] = _written(value)
    found["notch"] = options.notch
    found["gold"] = gold
    if inputs is not None:
        found["in"] = inputs
    return found


def _written(value: Any) -> SignatureValue:
    if isinstance(value, Mapping):
        return hash_chunks(f"{one}\t{other}\n".encode() for one, other in sorted(value.items()))
    if isinstance(value, tuple):
        text = "+".join(value)
        return text if len(text) <= 40 else hash_chunks([text.encode()])
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)
