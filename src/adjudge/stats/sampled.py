"""Scores, intervals and paired tests from counts in samples of the documents.

For metrics whose counts do not add over documents: what is saved is not a row per document but, for every sample, the
counts of the whole. Measures turn the counts of all samples into scores at once.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from adjudge._version import __version__
from adjudge.errors import UsageError
from adjudge.stats.inference import CENTRED, RESAMPLES, Inference, chosen_interval, chosen_test
from adjudge.stats.intervals import (
    LEVEL,
    NOTCH,
    Interval,
    Pairs,
    Parts,
    box_numbers,
    jackknife_error,
    paired_test,
    score_interval,
)
from adjudge.stats.measure import Key, Measure, compute, count_keys, fractions, measures_of, signed_keys
from adjudge.stats.merge_notes import DRAWN
from adjudge.stats.notes import inference_notes
from adjudge.stats.result import Comparison, Note, Options, Result, Score, Slice, SystemResult, result_fields
from adjudge.stats.scores import corrected
from adjudge.stats.signature import SignatureValue, hash_chunks, signature
from adjudge.stats.text import SliceKey, slice_key
from adjudge.stats.uncertainty import SampledCounts, Uncertainty

if TYPE_CHECKING:
    from adjudge.stats.measure import Array
    from adjudge.stats.resample import PairedTest

POOL = "corpus"
_ALWAYS = ("jackknife", CENTRED, "percentile")  # intervals that are always found, whichever is shown


class How(NamedTuple):
    """How the scores of samples become intervals and tests; `first` is the number of resamples for intervals.

    `box` is the constant of the notches if the numbers of box plots are wanted; `tests` the number of those for tests.
    """

    interval: str = "jackknife"
    test: str = "jackknife"
    level: float = LEVEL
    box: float | None = None
    first: int | None = None
    tests: int | None = None

    @property
    def drawn(self) -> bool:
        """Whether the test is from resamples."""
        return self.test in ("bootstrap", CENTRED)


USUAL = How()


def how_of(options: Options, *, box: float | None = None) -> How:
    """What the options of a result ask for, on the whole corpus."""
    interval = chosen_interval(options.interval, 0, additive=False)
    test = chosen_test(options.test, interval)
    return How(interval, test, options.level, box, options.bootstrap, next(iter(options.resamples), None))


def point_scores(
    measures: Sequence[Measure], counts: Mapping[str, float], *, where: Slice | None = None
) -> list[Score]:
    """The scores that follow from some counts alone, without intervals.

    >>> from adjudge.stats.measure import Prf
    >>> point_scores([Prf("x", ("tp", "s"), ("tp", "g"), parts=("f1",))], {"tp": 1, "s": 2, "g": 4})[0].value
    0.333...
    """
    samples = SampledCounts(tuple(counts), 0, tuple((float(count),) for count in counts.values()), dict(where or {}))
    return sampled_scores(measures, samples)


def sampled_scores(measures: Sequence[Measure], samples: SampledCounts, how: How = USUAL) -> list[Score]:
    """Every part that the counts allow, with all its intervals if there are samples, and the box plot if wanted.

    >>> from adjudge.stats.measure import Total
    >>> sampled_scores([Total("x", "n", (("n", 1.0),))], SampledCounts(("n",), 0, ((3.0,),)))[0].value
    3.0
    """
    fitting, table = measures_of(measures, samples.columns), _rows(samples)
    values, counts, signed = compute(fitting, samples.columns, table), count_keys(fitting), signed_keys(fitting)
    ratios = fractions(fitting, samples.columns, table[:1])
    systems = {m.name: m.precision[1] for m in fitting if hasattr(m, "precision")}
    scores = []
    for (metric, part), column in values.items():
        uncertainty = found = None
        if (metric, part) not in counts and len(column) > 1 and math.isfinite(column[0]):
            parts = split(column, samples, first=how.first, signed=(metric, part) in signed)
            found = _shown(parts, how)
            uncertainty = _uncertainty(parts, _zeros(samples, systems.get(metric), how.first), how)
        pair = ratios.get((metric, part))
        scores.append(
            Score(
                metric=metric,
                pool=POOL,
                part=part,
                value=_finite(float(column[0])),
                low=None if found is None else found.low,
                high=None if found is None else found.high,
                level=None if found is None else how.level,
                interval=None if found is None else found.method,
                scale=None if found is None else found.scale,
                numerator=None if pair is None else _finite(float(pair[0][0])),
                denominator=None if pair is None else _finite(float(pair[1][0])),
                slice=samples.slice,
                uncertainty=uncertainty,
            )
        )
    return scores


def split(column: Array, samples: SampledCounts, *, first: int | None = None, signed: bool = False) -> Parts:
    """The values of all samples by kind; of the resamples only the first so many, if that is given."""
    import numpy as np

    start, stop = 1 + samples.left_out, len(column) - len(samples.pairs)
    places = np.array(samples.pairs, dtype=np.int64).reshape(-1, 2)
    drawn = column[start:stop] if first is None else column[start : min(stop, start + first)]
    return Parts(float(column[0]), column[1:start], drawn, Pairs(places, column[stop:]), signed)


def _shown(parts: Parts, how: How) -> Interval | None:
    return score_interval(parts, how.interval, level=how.level, rule="drop")


def _uncertainty(parts: Parts, empty: int, how: How) -> Uncertainty | None:
    found: dict[str, tuple[float, float]] = {}
    for method in dict.fromkeys((*_ALWAYS, how.interval)):
        own = score_interval(parts, method, level=how.level, rule="drop")
        if own is not None:
            found[method] = own[:2]
    if not found:
        return None
    drawn = parts.drawn
    box = box_numbers(drawn, level=how.level, notch_constant=how.box) if len(drawn) and how.box is not None else None
    return Uncertainty(
        intervals=found,
        error=jackknife_error(parts),
        bias=float(drawn.mean()) - parts.point if len(drawn) else None,
        empty=empty,
        box=box,
    )


def pair_comparison(
    name: tuple[str, str],
    measures: Sequence[Measure],
    pair: tuple[SampledCounts, SampledCounts],
    how: How = USUAL,
    *,
    documents: int | None = None,
) -> list[Comparison]:
    """Two systems on the F score of every metric that their counts allow, by what was counted in the same samples."""
    fitting = measures_of(measures, pair[0].columns)
    values = [compute(fitting, own.columns, _rows(own)) for own in pair]
    found = []
    for key in headline_keys(fitting):
        a, b = (split(own[key], samples, first=how.tests) for own, samples in zip(values, pair, strict=True))
        floor = 1 / (1 + (how.tests or len(a.drawn) or RESAMPLES))
        result = paired_test(a, b, how.interval, how.test, level=how.level, floor=floor)
        if len(a.drawn):
            ahead = (a.drawn - b.drawn)[: how.first]
            result = replace(result, wins=float((ahead > 0).mean()), ties=float((ahead == 0).mean()))
        made = comparison(name, key, result, test=how.test, where=pair[0].slice)
        resamples = len(a.drawn) if how.drawn and made.p is not None else None
        found.append(msgspec.structs.replace(made, documents=documents, resamples=resamples))
    return found


def comparison(name: tuple[str, str], key: Key, result: PairedTest, *, test: str, where: Slice) -> Comparison:
    """The outcome of a test as it stands in a result; F scores lie in 0 to 1, hence their differences in -1 to 1.

    >>> from adjudge.stats.resample import PairedTest
    >>> found = comparison(("A", "B"), ("x", "f1"), PairedTest(0.5, -0.25, 1.25), test="jackknife", where={})
    >>> found.low, found.high
    (-0.25, 1.0)
    """
    return Comparison(
        a=name[0],
        b=name[1],
        metric=key[0],
        part=key[1],
        difference=_finite(result.difference),
        low=_possible(result.low),
        high=_possible(result.high),
        p=result.p,
        test=test if result.p is not None else None,
        wins=result.wins,
        slice=where,
    )


def headline_keys(measures: Sequence[Measure]) -> list[Key]:
    """The F score of each metric that has one.

    >>> from adjudge.stats.measure import Prf, Total
    >>> headline_keys([Prf("x", ("tp", "s"), ("tp", "g")), Total("y", "count", (("n", 1.0),))])
    [('x', 'f1')]
    """
    from adjudge.stats.measure import Prf

    return [(m.name, m.f_name) for m in measures if isinstance(m, Prf) and m.f_name in m.parts]


def compare_sampled(results: Sequence[Result], inference: Inference, *, by: Sequence[str] | None = None) -> Result:
    """One result of all the systems of saved results whose counts do not add over documents.

    The samples are those that were saved, so that neither their number nor their seed can be changed. Exchanging
    documents between systems needs what they found, not how many: systems of different results are compared by the
    jackknife.
    """
    first = results[0]
    options = first.options
    if options is None:
        raise UsageError("a result without its options cannot be compared", hint="write it with --save or Result.save")
    for other in results:
        _refuse_other_draws(options, other.options, inference)
    slices = options.by if by is None else tuple(by)
    for name in slices:
        if any(name not in ([] if each.options is None else each.options.by) for each in results):
            raise UsageError(f"these results were not all saved with slices by {name}", hint=f"score with --by {name}")
    asked = (inference.interval, inference.test, inference.level)
    kept = len(results) == 1 and asked == (options.interval, options.test, options.level)
    exchanged = inference.test == "randomisation" and not kept
    if exchanged and options.test != "randomisation":
        raise UsageError(
            "saved counts cannot be exchanged between systems", hint="score the systems together, or leave --test out"
        )
    changed = msgspec.structs.replace(
        options,
        interval=inference.interval,
        test="jackknife" if exchanged else inference.test,
        level=inference.level,
        by=slices,
        fields=_joined_inputs(results, options),
    )
    how = how_of(changed, box=_box(first))._replace(tests=None)
    systems = [_again(system, first, how, slices) for each in results for system in each.systems]
    documents = first.systems[0].documents
    sizes = _sizes(results)
    comparisons = first.comparisons if kept else _pairs(systems, first.measures, how, sizes)
    comparisons = tuple(each for each in comparisons if all(name in slices for name in each.slice))
    notes = [note for note in first.notes if note.code not in (*DRAWN, "other-test")]
    corpora: list[tuple[Slice, int]] = [({}, documents)]
    notes += inference_notes(changed, corpora, {each.name: each.scores for each in systems}, comparisons)
    if exchanged and len(systems) > 1:
        message = "randomisation needs the triples themselves: systems of saved results are compared by the jackknife"
        notes.append(Note("other-test", 1, message))
    return msgspec.structs.replace(
        first,
        adjudge=__version__,
        signature=signature(first.task, result_fields(first.profile, documents, len(systems), changed)),
        systems=tuple(systems),
        comparisons=comparisons,
        notes=tuple(notes),
        options=changed,
    )


def _joined_inputs(results: Sequence[Result], options: Options) -> dict[str, SignatureValue]:
    inputs = [str(each.options.fields.get("in", "")) for each in results if each.options is not None]
    fields = dict(options.fields)
    if "in" in fields and len(inputs) > 1:
        fields["in"] = hash_chunks(text.encode() for text in inputs)
    return fields


def _box(result: Result) -> float | None:
    """The constant of the notches, if the result has box plots."""
    scores = [score for system in result.systems for score in system.scores]
    if not any(score.uncertainty is not None and score.uncertainty.box is not None for score in scores):
        return None
    notch = result.options.fields.get("notch", NOTCH) if result.options is not None else NOTCH
    return float(notch) if isinstance(notch, int | float) else NOTCH


def _sizes(results: Sequence[Result]) -> dict[SliceKey, int | None]:
    """The number of documents of each slice, as far as a comparison says it."""
    return {slice_key(each.slice): each.documents for result in results for each in result.comparisons}


def _again(system: SystemResult, result: Result, how: How, by: Sequence[str]) -> SystemResult:
    """The scores of a system at another level; those without samples stay as they are."""
    fresh: dict[tuple[str, str, object], Score] = {}
    for samples in system.samples:
        scores = sampled_scores(result.measures, samples, how)
        fresh |= {(score.metric, score.part, slice_key(score.slice)): score for score in scores}
    kept = [score for score in system.scores if all(name in by for name in score.slice)]
    again = tuple(fresh.get((score.metric, score.part, slice_key(score.slice)), score) for score in kept)
    # Which scores are outside of their intervals depends on the level.
    stale = () if result.options is not None and how.level == result.options.level else ("percentile-misses",)
    notes = tuple(note for note in system.notes if note.code not in stale)
    return msgspec.structs.replace(system, scores=again, notes=notes)


def _pairs(
    systems: Sequence[SystemResult], measures: Sequence[Measure], how: How, sizes: Mapping[SliceKey, int | None]
) -> tuple[Comparison, ...]:
    found: list[Comparison] = []
    for a, b in combinations(systems, 2):
        theirs = {slice_key(samples.slice): samples for samples in b.samples}
        done: set[tuple[str, object]] = set()
        for samples in a.samples:
            place = slice_key(samples.slice)
            other = theirs.get(place)
            if other is None or other.columns != samples.columns:
                continue
            documents = a.documents if not place else sizes.get(place)
            own = pair_comparison((a.name, b.name), measures, (samples, other), how, documents=documents)
            done |= {(each.metric, slice_key(each.slice)) for each in own}
            found += own
        points = {(s.metric, s.part, slice_key(s.slice)): s.value for s in b.scores}
        for metric, part in headline_keys(measures):
            for score in a.scores:
                key = slice_key(score.slice)
                if (score.metric, score.part) != (metric, part) or (metric, key) in done:
                    continue
                value = points.get((metric, part, key))
                if value is not None and score.value is not None and not score.slice:
                    difference = score.value - value
                    found.append(
                        Comparison(a=a.name, b=b.name, metric=metric, part=part, difference=difference, slice={})
                    )
    return corrected(in_order(found, measures))


def in_order(found: Sequence[Comparison], measures: Sequence[Measure]) -> list[Comparison]:
    """The comparisons in the order of their metrics."""
    order = {metric: place for place, (metric, _) in enumerate(headline_keys(measures))}
    return sorted(found, key=lambda each: order[each.metric])


def _refuse_other_draws(options: Options, other: Options | None, inference: Inference) -> None:
    bootstrap = options.bootstrap if inference.bootstrap is None else inference.bootstrap
    for name, value, given in (("bootstrap", options.bootstrap, bootstrap), ("seed", options.seed, inference.seed)):
        if given != value:
            raise UsageError(f"these results were saved with {name} {value}", hint=f"score again with --{name} {given}")
        if other is not None and getattr(other, name) != value:
            raise UsageError(
                f"these results cannot be compared, they differ in {name} ({value} and {getattr(other, name)})",
                hint="score the systems in the same way",
            )


def _rows(samples: SampledCounts) -> Array:
    import numpy as np

    return np.array(samples.values, dtype=np.float64).reshape(len(samples.columns), -1).T


def _zeros(samples: SampledCounts, column: str | None, first: int | None) -> int:
    """In how many bootstrap samples a column is 0."""
    if column is None:
        return 0
    values = samples.values[samples.columns.index(column)]
    drawn = values[1 + samples.left_out : len(values) - len(samples.pairs)]
    return sum(1 for count in drawn[:first] if count == 0)


def _possible(end: float | None) -> float | None:
    """An end of the interval of a difference, cut at what is possible."""
    return min(1.0, max(-1.0, end)) if end is not None and math.isfinite(end) else None


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
