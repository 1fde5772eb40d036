"""Scores, intervals and paired tests from counts in samples of the documents.

For metrics whose counts do not add over documents: what is saved is not a row per document but, for every sample, the
counts of the whole. Measures turn the counts of all samples into scores at once.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import msgspec

from adjudge._version import __version__
from adjudge.errors import UsageError
from adjudge.stats.intervals import (
    LEVEL,
    NOTCH,
    Method,
    Pairs,
    box_numbers,
    centred_interval,
    jackknife_error,
    jackknife_interval,
    paired_bootstrap,
    paired_centred,
    paired_jackknife,
    percentile_interval,
)
from adjudge.stats.measure import Key, Measure, compute, count_keys, fractions, measures_of
from adjudge.stats.result import Comparison, Note, Options, Result, Score, Slice, SystemResult, result_fields
from adjudge.stats.scores import corrected
from adjudge.stats.signature import hash_chunks, signature
from adjudge.stats.text import slice_key
from adjudge.stats.uncertainty import SampledCounts, Uncertainty

if TYPE_CHECKING:
    from adjudge.stats.measure import Array
    from adjudge.stats.resample import PairedTest

SampleTest: TypeAlias = Literal["jackknife", "bootstrap", "centred"]
SAMPLE_TESTS: tuple[SampleTest, ...] = ("jackknife", "bootstrap", "centred")
POOL = "corpus"
_OTHER_NAMES: dict[str, SampleTest] = {"paired-bootstrap": "bootstrap"}


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


def sampled_scores(
    measures: Sequence[Measure],
    samples: SampledCounts,
    *,
    method: Method = "jackknife",
    level: float = LEVEL,
    notch: float = NOTCH,
    box: bool = False,
) -> list[Score]:
    """Every part that the counts allow, with all its intervals if there are samples, and the box plot if wanted.

    >>> from adjudge.stats.measure import Total
    >>> sampled_scores([Total("x", "n", (("n", 1.0),))], SampledCounts(("n",), 0, ((3.0,),)))[0].value
    3.0
    """
    fitting, table = measures_of(measures, samples.columns), _rows(samples)
    values, counts = compute(fitting, samples.columns, table), count_keys(fitting)
    ratios = fractions(fitting, samples.columns, table[:1])
    systems = {m.name: m.precision[1] for m in fitting if hasattr(m, "precision")}
    scores = []
    for (metric, part), column in values.items():
        uncertainty = None
        if (metric, part) not in counts and len(column) > 1 and math.isfinite(column[0]):
            empty = _zeros(samples, systems.get(metric))
            uncertainty = _uncertainty(
                split(column, samples), empty, method=method, level=level, notch=notch if box else None
            )
        low, high = uncertainty.intervals.get(uncertainty.method, (None, None)) if uncertainty else (None, None)
        pair = ratios.get((metric, part))
        scores.append(
            Score(
                metric=metric,
                pool=POOL,
                part=part,
                value=_finite(float(column[0])),
                low=low,
                high=high,
                level=level if low is not None else None,
                numerator=None if pair is None else _finite(float(pair[0][0])),
                denominator=None if pair is None else _finite(float(pair[1][0])),
                slice=samples.slice,
                uncertainty=uncertainty,
            )
        )
    return scores


class Parts(NamedTuple):
    """The scores of one system, by kind of sample."""

    point: float
    left_out: Array
    drawn: Array
    pairs: Pairs


def split(column: Array, samples: SampledCounts) -> Parts:
    """The values of all samples by kind."""
    import numpy as np

    first, last = 1 + samples.left_out, len(column) - len(samples.pairs)
    places = np.array(samples.pairs, dtype=np.int64).reshape(-1, 2)
    return Parts(float(column[0]), column[1:first], column[first:last], Pairs(places, column[last:]))


def _uncertainty(parts: Parts, empty: int, *, method: Method, level: float, notch: float | None) -> Uncertainty | None:
    point, left, drawn, pairs = parts
    found: dict[str, tuple[float, float]] = {}
    if (own := jackknife_interval(point, left, pairs, level=level)) is not None:
        found["jackknife"] = own[:2]
    if len(drawn):
        found["centred"] = centred_interval(point, drawn, level=level)[:2]
        found["percentile"] = percentile_interval(drawn, level=level)[:2]
    if not found:
        return None
    box = box_numbers(drawn, level=level, notch_constant=notch) if len(drawn) and notch is not None else None
    return Uncertainty(
        method=method,
        intervals=found,
        error=jackknife_error(point, left, pairs),
        bias=float(drawn.mean()) - point if len(drawn) else None,
        empty=empty,
        box=box,
    )


def pair_comparison(
    name: tuple[str, str],
    measures: Sequence[Measure],
    pair: tuple[SampledCounts, SampledCounts],
    *,
    test: SampleTest = "jackknife",
    level: float = LEVEL,
) -> list[Comparison]:
    """Two systems on the F score of every metric that their counts allow, by what was counted in the same samples."""
    fitting = measures_of(measures, pair[0].columns)
    values = [compute(fitting, own.columns, _rows(own)) for own in pair]
    found = []
    for key in headline_keys(fitting):
        a, b = (split(own[key], samples) for own, samples in zip(values, pair, strict=True))
        result = paired_test(a, b, test=test, level=level)
        found.append(comparison(name, key, result, test=test, where=pair[0].slice))
    return found


def paired_test(a: Parts, b: Parts, *, test: SampleTest, level: float) -> PairedTest:
    """One paired test from the scores of two systems in the same samples."""
    difference = a.point - b.point
    if test == "jackknife":
        return paired_jackknife(a.left_out, b.left_out, difference, (a.pairs, b.pairs), level=level)
    if not len(a.drawn):
        from adjudge.stats.resample import PairedTest

        return PairedTest(difference)
    judge = paired_bootstrap if test == "bootstrap" else paired_centred
    return judge(a.drawn, b.drawn, difference, level=level)


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


def compare_sampled(
    results: Sequence[Result],
    *,
    level: float | None = None,
    test: str | None = None,
    bootstrap: int | None = None,
    seed: int | None = None,
    by: Sequence[str] | None = None,
) -> Result:
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
        _refuse_other_draws(options, other.options, bootstrap, seed)
    wanted = options.level if level is None else level
    chosen = _OTHER_NAMES.get(test, test) if test is not None else None
    if chosen == "approximate-randomisation":
        raise UsageError(
            "saved counts cannot be exchanged between systems", hint="score the systems together, or leave --test out"
        )
    slices = options.by if by is None else tuple(by)
    for name in slices:
        if any(name not in ([] if each.options is None else each.options.by) for each in results):
            raise UsageError(f"these results were not all saved with slices by {name}", hint=f"score with --by {name}")
    kept = len(results) == 1 and chosen in (None, options.test) and wanted == options.level
    used = options.test if kept else chosen or (options.test if options.test in SAMPLE_TESTS else "jackknife")
    if not kept and used not in SAMPLE_TESTS:
        raise UsageError(f"saved results cannot be tested by {used}", hint=f"tests: {', '.join(SAMPLE_TESTS)}")
    systems = [_again(system, first, wanted, slices) for each in results for system in each.systems]
    comparisons = first.comparisons if kept else _pairs(systems, first.measures, used, wanted)
    notes: tuple[Note, ...] = ()
    if used != options.test and len(systems) > 1:
        message = f"{options.test} needs the triples themselves: systems of saved results are compared by {used}"
        notes = (Note("other-test", 1, message),)
    inputs = [str(each.options.fields.get("in", "")) for each in results if each.options is not None]
    fields = dict(options.fields)
    if "in" in fields and len(inputs) > 1:
        fields["in"] = hash_chunks(text.encode() for text in inputs)
    changed = msgspec.structs.replace(options, level=wanted, test=used, by=slices, fields=fields)
    documents = first.systems[0].documents
    return msgspec.structs.replace(
        first,
        adjudge=__version__,
        signature=signature(first.task, result_fields(first.profile, documents, len(systems), changed)),
        systems=tuple(systems),
        comparisons=tuple(each for each in comparisons if all(name in slices for name in each.slice)),
        notes=(*(note for note in first.notes if note.code != "other-test"), *notes),
        options=changed,
    )


def _again(system: SystemResult, result: Result, level: float, by: Sequence[str]) -> SystemResult:
    """The scores of a system at another level; those without samples stay as they are."""
    fields = result.options.fields if result.options is not None else {}
    notch = fields.get("notch", NOTCH)
    fresh: dict[tuple[str, str, object], Score] = {}
    for samples in system.samples:
        scores = sampled_scores(
            result.measures,
            samples,
            method=_method(fields.get("interval")),
            level=level,
            notch=float(notch) if isinstance(notch, int | float) else NOTCH,
            box=any(score.uncertainty is not None and score.uncertainty.box is not None for score in system.scores),
        )
        fresh |= {(score.metric, score.part, slice_key(score.slice)): score for score in scores}
    kept = [score for score in system.scores if all(name in by for name in score.slice)]
    again = tuple(fresh.get((score.metric, score.part, slice_key(score.slice)), score) for score in kept)
    # Which scores are outside of their intervals depends on the level.
    stale = () if result.options is not None and level == result.options.level else ("percentile-misses",)
    notes = tuple(note for note in system.notes if note.code not in stale)
    return msgspec.structs.replace(system, scores=again, notes=notes)


def _method(name: object) -> Method:
    return "percentile" if name == "percentile" else "centred" if name == "centred" else "jackknife"


def _pairs(
    systems: Sequence[SystemResult], measures: Sequence[Measure], test: str, level: float
) -> tuple[Comparison, ...]:
    found: list[Comparison] = []
    chosen: SampleTest = "bootstrap" if test == "bootstrap" else "centred" if test == "centred" else "jackknife"
    for a, b in combinations(systems, 2):
        theirs = {slice_key(samples.slice): samples for samples in b.samples}
        done: set[tuple[str, object]] = set()
        for samples in a.samples:
            other = theirs.get(slice_key(samples.slice))
            if other is None or other.columns != samples.columns:
                continue
            own = pair_comparison((a.name, b.name), measures, (samples, other), test=chosen, level=level)
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


def _refuse_other_draws(options: Options, other: Options | None, bootstrap: int | None, seed: int | None) -> None:
    for name, value, given in (("bootstrap", options.bootstrap, bootstrap), ("seed", options.seed, seed)):
        if given is not None and given != value:
            raise UsageError(f"these results were saved with {name} {value}", hint=f"score again with --{name} {given}")
        if other is not None and getattr(other, name) != value:
            raise UsageError(
                f"these results cannot be compared, they differ in {name} ({value} and {getattr(other, name)})",
                hint="score the systems in the same way",
            )


def _rows(samples: SampledCounts) -> Array:
    import numpy as np

    return np.array(samples.values, dtype=np.float64).reshape(len(samples.columns), -1).T


def _zeros(samples: SampledCounts, column: str | None) -> int:
    """In how many bootstrap samples a column is 0."""
    if column is None:
        return 0
    values = samples.values[samples.columns.index(column)]
    drawn = values[1 + samples.left_out : len(values) - len(samples.pairs)]
    return sum(1 for count in drawn if count == 0)


def _possible(end: float | None) -> float | None:
    """An end of the interval of a difference, cut at what is possible."""
    return min(1.0, max(-1.0, end)) if end is not None and math.isfinite(end) else None


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
