"""A result whose intervals and comparisons come from corpora that the generator of the official programs draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

import msgspec

from adjudge.tasks.eal.draws import draw_samples, percentile

if TYPE_CHECKING:
    from adjudge.stats.estimator import Additive, Estimator
    from adjudge.stats.resample import Samples
    from adjudge.stats.result import Comparison, Result, Score, Slice


def redrawn(
    result: Result, *, bootstrap: int, seed: int, level: float, percentiles: Literal["linear", "nist"] = "nist"
) -> Result:
    """The same result with intervals and paired tests from `bootstrap` corpora of java.util.Random(seed).

    Percentiles are those of NIST or lie on straight lines between samples.
    """
    from adjudge.stats.result import Options, result_fields
    from adjudge.stats.scores import corrected, headlines, pair_comparisons
    from adjudge.stats.signature import signature

    assert result.options is not None
    fields = msgspec.structs.asdict(result.options)
    options = Options(**{**fields, "bootstrap": bootstrap, "seed": seed, "level": level})
    scores: dict[str, list[Score]] = {system.name: [] for system in result.systems}
    comparisons: list[Comparison] = []
    for where, members in _corpora(result):
        mine = {name: [s for s in result.system(name).scores if s.slice == where] for name in members}
        if not next(iter(members.values())).ids:
            samples: Samples | None = None
        else:
            samples = draw_samples(members, resamples=bootstrap, seed=seed, draws="java")
        for name, estimator in members.items():
            scores[name] += [_with_interval(s, estimator, name, samples, level, percentiles) for s in mine[name]]
        keys = headlines(next(iter(members.values())), {})
        comparisons += pair_comparisons(members, samples, keys, options, where)
    number = len(result.systems)
    line = result_fields(result.profile, result.systems[0].documents, number, options)
    last = {name: line.pop(name) for name in ("v", "in")}
    return msgspec.structs.replace(
        result,
        signature=signature(result.task, {**line, "draws": "java", **last}),
        systems=tuple(msgspec.structs.replace(system, scores=tuple(scores[system.name])) for system in result.systems),
        comparisons=corrected(comparisons),
        options=options,
    )


def _corpora(result: Result) -> list[tuple[Slice, Mapping[str, Estimator]]]:
    """The whole corpus and its slices, as the result has them."""
    from adjudge.stats.elements import element_corpora
    from adjudge.stats.estimator import Additive, slices

    assert result.options is not None
    pool = result.options.pool
    whole: dict[str, Additive] = {}
    for system in result.systems:
        table = system.stats()
        assert table is not None
        whole[system.name] = Additive(table, result.measures, pool)  # type: ignore[arg-type]
    found: list[tuple[Slice, Mapping[str, Estimator]]] = [({}, whole)]
    first = next(iter(whole.values()))
    for field in result.options.by:
        tables = {system.name: each for system in result.systems for each in system.elements if each.field == field}
        if tables:
            ids = {name: each.ids for name, each in whole.items()}
            parts = element_corpora(tables, ids, result.measures, pool)  # type: ignore[arg-type]
            found += [({field: value}, members) for value, members in parts]
        else:
            for value, chosen in slices(first, field):
                found.append(({field: value}, {name: each.select(chosen) for name, each in whole.items()}))
    return found


def _with_interval(
    score: Score,
    estimator: Estimator,
    name: str,
    samples: Samples | None,
    level: float,
    percentiles: Literal["linear", "nist"],
) -> Score:
    key = score.metric, score.part
    if samples is None or key in estimator.counts or score.value is None:
        return score
    bounds = interval(samples.values[name][key].tolist(), level, percentiles)
    if bounds is None:
        return score
    return msgspec.structs.replace(score, low=bounds[0], high=bounds[1], level=level)


def interval(
    values: Sequence[float], level: float, percentiles: Literal["linear", "nist"]
) -> tuple[float, float] | None:
    """The central interval of the samples that are defined.

    >>> interval([1.0, 2.0, 3.0], 0.5, "nist")
    (1.0, 3.0)
    """
    from adjudge.stats.resample import interval as straight

    defined = [value for value in values if value == value]  # nan is not
    if percentiles == "linear" or not defined:
        return straight(defined, level)
    below = round((1 - level) / 2, 12)
    return percentile(defined, below), percentile(defined, 1 - below)
