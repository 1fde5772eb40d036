"""Scores and comparisons of several systems on one corpus, or on one slice of it, from what varies with its documents.

Counts that add over documents are resampled here; for metrics that are not sums, counts in samples of the
documents are given. Everything after that is the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations, takewhile
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import msgspec

from adjudge.errors import UsageError, did_you_mean
from adjudge.stats.inference import (
    CENTRED,
    LEAST,
    RESAMPLES,
    benjamini_hochberg,
    chosen_interval,
    chosen_test,
    holm,
)
from adjudge.stats.measure import Array, Key, Measure, Prf, count_keys, measures_of, part_keys, signed_keys
from adjudge.stats.points import Additive, fractions, scores_of
from adjudge.stats.result import Comparison, Options, SampledCounts, Score, Slice, Uncertainty

if TYPE_CHECKING:
    from adjudge.stats.intervals import PairedTest, Parts

POOL = "corpus"
_ALWAYS = ("jackknife", CENTRED, "percentile")  # intervals of samples that are always computed, whichever is shown
_DIGITS = 12  # scores that differ only in the rounding of sums are equal


Weights: TypeAlias = "Callable[[int, int, int], Iterator[Array]]"
"""Called with the numbers of documents and resamples and the seed; gives blocks of weights, as `bootstrap_weights`."""


class Drawing(msgspec.Struct, frozen=True):
    """How a task draws its corpora and takes quantiles, if not in the usual way.

    Documents are drawn `within` those that have the same value of an attribute.
    """

    name: str = "numpy"
    weights: Weights | None = None
    interval: Callable[[Sequence[float], float], tuple[float, float] | None] | None = None
    within: str | None = None


USUAL = Drawing()


def saved_drawing(draws: str) -> Drawing:
    """How the corpora of a saved result were drawn, as far as that is saved.

    >>> saved_drawing("within dataset").within
    'dataset'
    """
    field = draws.removeprefix("within ")
    return USUAL if field == draws else Drawing(draws, within=field)


class How(msgspec.Struct, frozen=True):
    """How scores of resampled corpora become intervals and tests on one corpus.

    `first` is the number of resamples for intervals, `tests` that for tests; `box` is the constant of the notches if
    the numbers of box plots are wanted.
    """

    pool: str
    interval: str
    test: str
    level: float
    first: int | None = None
    tests: int | None = None
    seed: int = 0
    box: float | None = None
    drawing: Drawing = USUAL


def how_of(options: Options, documents: int = 0, tests: int | None = None, drawing: Drawing = USUAL) -> How:
    """The choices that follow from the options of a result for so many documents."""
    interval = chosen_interval(options.interval, documents, additive=options.pool != POOL)
    test = chosen_test(options.test, interval)
    return How(options.pool, interval, test, options.level, options.bootstrap, tests, options.seed, None, drawing)


class Evidence(msgspec.Struct, frozen=True):
    """The scores of one system on one corpus, without some of its documents, and on resampled corpora.

    `drawn` are the resamples for intervals, `tests` those for tests; `empty` says by metric in how many of the former
    the system has nothing. `together` has the scores without two leave-outs, and `pairs` says which two. `varies` if
    there are leave-outs or resamples.
    """

    point: Mapping[Key, float]
    counts: frozenset[Key]
    signed: frozenset[Key]
    fractions: Mapping[Key, tuple[float, float]]
    bounds: Mapping[Key, float] = {}
    left_out: Mapping[Key, Array] = {}
    drawn: Mapping[Key, Array] = {}
    tests: Mapping[Key, Array] = {}
    together: Mapping[Key, Array] = {}
    pairs: Any = None
    empty: Mapping[str, int] = {}
    varies: bool = False

    def parts(self, key: Key, *, tests: bool = False) -> Parts:
        """One score; its samples are those of the tests, or those of the intervals."""
        import numpy as np

        from adjudge.stats.intervals import Pairs, Parts

        nothing = np.empty(0)
        drawn = (self.tests if tests else self.drawn).get(key, nothing)
        pairs = None if self.pairs is None else Pairs(self.pairs, self.together[key])
        return Parts(self.point[key], self.left_out.get(key, nothing), drawn, pairs, key in self.signed)


class Scope(msgspec.Struct, frozen=True):
    """A corpus or a slice of it, with its number of documents, the parts to be tested, and how.

    Of every system it has the counts, if they add over documents, and then the evidence.
    """

    slice: Slice
    documents: int
    tested: Sequence[Key]
    how: How
    estimators: Mapping[str, Additive] = {}
    evidence: Mapping[str, Evidence] = {}

    @property
    def ids(self) -> tuple[str, ...]:
        """What is drawn."""
        return next(iter(self.estimators.values())).ids

    @property
    def draws(self) -> tuple[int, tuple[Key, ...]]:
        """How many corpora are drawn for tests between systems, and for which parts."""
        tested = len(self.estimators) > 1 and self.how.test == "bootstrap"
        return (self.how.tests or 0, tuple(self.tested)) if tested else (0, ())

    def draws_like(self, other: Scope) -> bool:
        """Whether the same corpora are drawn, so that they can be drawn once."""
        how = msgspec.structs.replace(self.how, tests=None) == msgspec.structs.replace(other.how, tests=None)
        return how and self.draws == other.draws and self.ids == other.ids


def gather(corpora: Sequence[Scope]) -> Iterator[Scope]:
    """Every corpus with the evidence of all systems; neighbours with the same documents are drawn once."""
    at = 0
    while at < len(corpora):
        together = list(takewhile(corpora[at].draws_like, corpora[at:]))
        drawn = _drawn(together)
        for number, each in enumerate(together):
            own = {name: values for (place, name), values in drawn.items() if place == number}
            yield msgspec.structs.replace(each, evidence=_gathered(each, own))
        at += len(together)


def _drawn(together: Sequence[Scope]) -> dict[tuple[int, str], dict[Key, Array]]:
    """The resamples of several corpora, by number and system."""
    how, several = together[0].how, len(together[0].estimators) > 1
    if not _varies(together[0]) or (how.interval == "jackknife" and not several):
        return {}
    from adjudge.stats.resample import bootstrap

    every = {
        (place, name): one.only({*part_keys(one.measures)} - count_keys(one.measures) | {*each.tested})
        for place, each in enumerate(together)
        for name, one in each.estimators.items()
    }
    tests, tested = together[0].draws
    weights = how.drawing.weights
    return bootstrap(every, resamples=how.first or 0, seed=how.seed, tested=tested, tests=tests, weights=weights)


def _varies(asked: Scope) -> bool:
    """Whether there are to be intervals, and enough documents for them."""
    return bool(asked.how.first) and len(asked.ids) > 1


def _gathered(asked: Scope, drawn: Mapping[str, Mapping[Key, Array]]) -> dict[str, Evidence]:
    """Scores, and if there are to be intervals, leave-outs and resamples."""
    estimators, how = asked.estimators, asked.how
    found = {}
    for name, each in estimators.items():
        (table, formulas), measures = each.summed, each.measures
        point = scores_of(formulas, table.totals)
        ratios = fractions(measures, each.table.totals) if how.pool == "micro" else {}
        best = {} if each.best is None else Additive(each.best, measures, each.pool).point()
        bounds = {key: bound for key, bound in best.items() if bound > point[key]}
        found[name] = Evidence(point, count_keys(measures), signed_keys(measures), ratios, bounds)
    if not _varies(asked):
        return found
    several = len(estimators) > 1
    found = {name: msgspec.structs.replace(each, varies=True) for name, each in found.items()}
    if several or how.interval in ("jackknife", "bca"):
        for name, each in estimators.items():
            found[name] = msgspec.structs.replace(found[name], left_out=each.left_out())
    for name, own in drawn.items():
        first = {key: values[: how.first] for key, values in own.items()}
        found[name] = msgspec.structs.replace(found[name], drawn=first, tests=own)
    return found


def sampled(measures: Sequence[Measure], samples: SampledCounts, how: How) -> Evidence:
    """The same from the counts in samples of the documents, for the measures that they allow."""
    measures = measures_of(measures, samples.columns)
    totals = {name: column[0] for name, column in zip(samples.columns, samples.values, strict=True)}
    point = scores_of(measures, totals)
    found = Evidence(point, count_keys(measures), signed_keys(measures), fractions(measures, totals))
    if all(len(column) == 1 for column in samples.values):
        return found
    import numpy as np

    rows = np.array(samples.values, dtype=np.float64).reshape(len(samples.columns), -1).T
    values = scores_of(measures, dict(zip(samples.columns, rows.T, strict=True)))
    start, stop = 1 + samples.left_out, len(rows) - len(samples.pairs)
    cut = stop if how.first is None else min(stop, start + how.first)
    last = stop if how.tests is None else min(stop, start + how.tests)
    systems = {m.name: samples.columns.index(m.precision[1]) for m in measures if isinstance(m, Prf)}
    return msgspec.structs.replace(
        found,
        varies=True,
        left_out={key: column[1:start] for key, column in values.items()},
        drawn={key: column[start:cut] for key, column in values.items()},
        tests={key: column[start:last] for key, column in values.items()},
        together={key: column[stop:] for key, column in values.items()},
        pairs=np.array(samples.pairs, dtype=np.int64).reshape(-1, 2),
        empty={name: int(np.count_nonzero(rows[start:cut, at] == 0)) for name, at in systems.items()},
    )


# ---------------------------------------------------------------------------------------------------------------------
# Scores


def system_scores(evidence: Evidence, how: How, where: Slice) -> list[Score]:
    """Every part of one system, with its interval and its fraction where they exist."""
    if evidence.varies:
        from adjudge.stats.intervals import Interval, score_interval
    rule: Literal["drop", "interpolate"] = "drop" if how.pool == POOL else "interpolate"
    scores = []
    for key, value in evidence.point.items():
        found = uncertainty = None
        if evidence.varies and key not in evidence.counts and not math.isnan(value):
            parts = evidence.parts(key)
            found = score_interval(parts, how.interval, level=how.level, rule=rule)
            if how.pool == POOL:
                uncertainty = _uncertainty(parts, evidence.empty.get(key[0], 0), how)
            elif found is not None and found.method == "percentile" and how.drawing.interval is not None:
                ends = how.drawing.interval(parts.drawn.tolist(), how.level)
                found = None if ends is None else Interval(*ends, "percentile")
        numerator, denominator = evidence.fractions.get(key, (None, None))
        bound = evidence.bounds.get(key)
        scores.append(
            Score(
                metric=key[0],
                pool="macro" if key[0].endswith(".macro") else how.pool,  # averages that were counted as such
                part=key[1],
                value=finite(value),
                low=None if found is None else finite(found.low),
                high=None if found is None else finite(found.high),
                level=None if found is None else how.level,
                interval=None if found is None else found.method,
                scale=None if found is None else found.scale,
                numerator=finite(numerator),
                denominator=finite(denominator),
                optimal=bound is None,
                bound=finite(bound),
                slice=where,
                uncertainty=uncertainty,
            )
        )
    return scores


def _uncertainty(parts: Parts, empty: int, how: How) -> Uncertainty | None:
    """All intervals of a score of samples."""
    from adjudge.stats.intervals import box_numbers, jackknife_error, score_interval

    every = {
        method: found[:2]
        for method in dict.fromkeys((*_ALWAYS, how.interval))
        if (found := score_interval(parts, method, level=how.level, rule="drop")) is not None
    }
    if not every:
        return None
    drawn, boxed = parts.drawn, len(parts.drawn) and how.box is not None
    return Uncertainty(
        intervals=every,
        error=jackknife_error(parts),
        bias=float(drawn.mean()) - parts.point if len(drawn) else None,
        empty=empty,
        box=box_numbers(drawn, level=how.level, notch_constant=how.box or 0.0) if boxed else None,
    )


def finite(value: float | None) -> float | None:
    """The value, or None if JSON has no such number."""
    return value if value is not None and math.isfinite(value) else None


def point_scores(
    measures: Sequence[Measure], counts: Mapping[str, float], *, where: Slice | None = None
) -> list[Score]:
    """The scores of a whole corpus that follow from some counts alone, without intervals.

    >>> point_scores([Prf("x", ("tp", "s"), ("tp", "g"), parts=("f1",))], {"tp": 1, "s": 2, "g": 4})[0].value
    0.333...
    """
    samples = SampledCounts(tuple(counts), 0, tuple((float(count),) for count in counts.values()), dict(where or {}))
    how = How(POOL, "jackknife", "jackknife", 0.0)
    return system_scores(sampled(measures, samples, how), how, samples.slice)


# ---------------------------------------------------------------------------------------------------------------------
# Comparisons


def headlines(measures: Sequence[Measure], chosen: Mapping[str, str] | None = None) -> list[Key]:
    """The part of each metric on which systems are compared: the chosen one, else the last that is not a count."""
    keys, counts = part_keys(measures), count_keys(measures)
    last = {metric: part for metric, part in keys if (metric, part) not in counts}
    for metric, part in (chosen or {}).items():
        if (metric, part) not in keys:
            known = [" ".join(key) for key in keys]
            raise UsageError(f"no part {metric} {part} to compare", hint=did_you_mean(f"{metric} {part}", known))
        last[metric] = part
    return list(last.items())


def headline_keys(measures: Sequence[Measure]) -> list[Key]:
    """The F score of each metric that has one, on which systems are compared by samples.

    >>> from adjudge.stats.measure import Total
    >>> headline_keys([Prf("x", ("tp", "s"), ("tp", "g")), Total("y", "count", (("n", 1.0),))])
    [('x', 'f1')]
    """
    return [(m.name, m.f_name) for m in measures if isinstance(m, Prf) and m.f_name in m.parts]


def pair_comparisons(
    found: Mapping[str, Evidence],
    keys: Sequence[Key],
    how: How,
    where: Slice,
    documents: int | None,
    estimators: Mapping[str, Additive] = {},
) -> list[Comparison]:
    """Every pair of systems on every part that they have, not yet corrected for their number.

    Only counts that add over documents, the `estimators`, can be exchanged between systems.
    """
    if len(found) < 2:
        return []
    comparisons = []
    exchanges: Mapping[tuple[str, str], Mapping[Key, float | None]] = {}
    if how.test == "randomisation" and any(each.varies for each in found.values()):
        from adjudge.stats.resample import randomisation

        chosen = {name: estimators[name] for name in found}
        exchanges = randomisation(chosen, keys, trials=how.tests or RESAMPLES, seed=how.seed)
    for a, b in combinations(found, 2):
        exchanged = exchanges.get((a, b), {})
        for key in (key for key in keys if key in found[a].point):
            test = _tested(found[a], found[b], key, how) if found[a].varies else None
            low, high, p, wins = (None,) * 4 if test is None else test[1:]
            p = exchanged.get(key, p)
            drawn = how.test != "jackknife" and p is not None
            comparisons.append(
                Comparison(
                    a=a,
                    b=b,
                    metric=key[0],
                    part=key[1],
                    difference=finite(found[a].point[key] - found[b].point[key]),
                    low=finite(low),
                    high=finite(high),
                    p=p,
                    test=how.test if p is not None else None,
                    wins=wins,
                    documents=documents,
                    resamples=(how.tests or len(found[a].tests[key])) if drawn else None,
                    detectable=_detectable(found[a], found[b], key),
                    slice=where,
                )
            )
    return comparisons


def _detectable(a: Evidence, b: Evidence, key: Key) -> float | None:
    """The smallest difference that would be found; None where the documents are too few to say, or nothing varies."""
    if not a.varies or len(a.left_out.get(key, ())) < LEAST:
        return None
    from adjudge.stats.intervals import jackknife_error
    from adjudge.stats.power import detectable

    error = jackknife_error(a.parts(key).minus(b.parts(key)))
    return finite(detectable(error, len(a.left_out[key]))) if error else None


def _tested(a: Evidence, b: Evidence, key: Key, how: How) -> PairedTest:
    from adjudge.stats.intervals import paired_test

    one, other = a.parts(key, tests=True), b.parts(key, tests=True)
    floor = 1 / (1 + (how.tests or len(one.drawn) or RESAMPLES))
    test = paired_test(one, other, how.interval, how.test, level=how.level, floor=floor)
    if key not in a.drawn or test.difference is None:
        return test
    import numpy as np

    drawn = a.drawn[key] - b.drawn[key]
    ahead = np.round(drawn[~np.isnan(drawn)], _DIGITS)
    return test._replace(wins=float(np.mean(ahead > 0))) if len(ahead) else test


def whole_differences(
    systems: Mapping[str, Sequence[Score]], keys: Sequence[Key], done: Sequence[Comparison]
) -> list[Comparison]:
    """The differences on metrics that were counted on all documents only, and are not tested."""
    known = {(each.a, each.b, each.metric) for each in done if not each.slice}
    found = []
    for metric, part in keys:
        values = {
            name: next((s.value for s in own if (s.metric, s.part) == (metric, part) and not s.slice), None)
            for name, own in systems.items()
        }
        for a, b in combinations(values, 2):
            one, other = values[a], values[b]
            if (a, b, metric) not in known and one is not None and other is not None:
                found.append(Comparison(a=a, b=b, metric=metric, part=part, difference=one - other, slice={}))
    return found


def corrected(comparisons: Sequence[Comparison], measures: Sequence[Measure]) -> tuple[Comparison, ...]:
    """Holm's correction and q within each family, so that no slice changes a p of the whole corpus.

    A family is one part, on the whole or on all slices by one field. The comparisons come back in the order of their
    metrics.
    """
    families: dict[tuple[str, str, tuple[str, ...]], list[Comparison]] = {}
    for each in comparisons:
        families.setdefault((each.metric, each.part, tuple(each.slice)), []).append(each)
    order = {name: place for place, name in enumerate(dict.fromkeys(m.name for m in measures))}
    found: list[Comparison] = []
    for members in families.values():
        values = [each.p for each in members]
        found += [
            msgspec.structs.replace(each, p_holm=p, q=q, family="+".join(each.slice) or "overall")
            for each, p, q in zip(members, holm(values), benjamini_hochberg(values), strict=True)
        ]
    return tuple(sorted(found, key=lambda each: order[each.metric]))


def family_sizes(systems: int, slices: Sequence[Slice]) -> dict[tuple[str, ...], int]:
    """How many comparisons are corrected together, by the fields of the slices.

    >>> family_sizes(3, [{}, {"genre": "nw"}, {"genre": "df"}])
    {(): 3, ('genre',): 6}
    """
    sizes: dict[tuple[str, ...], int] = {}
    for where in slices:
        sizes[tuple(where)] = sizes.get(tuple(where), 0) + systems * (systems - 1) // 2
    return sizes
