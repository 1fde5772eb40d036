"""What the page of a result is made of, recomputed from its tables: documents, resampled corpora, ranks, the island."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from adjudge.report.html.result_items import Documents, Item, Sides, SystemDocument, beside, unit_of

if TYPE_CHECKING:
    from adjudge.stats.measure import Key
    from adjudge.stats.points import Additive
    from adjudge.stats.result import Result

_DIGITS = 4


class Spread(NamedTuple):
    """The distribution of one score of one system: quartiles, median, notch and ends; `value` is that of the whole."""

    system: int
    low: float
    first: float
    median: float
    third: float
    high: float
    notch: tuple[float, float]
    value: float | None


class Ranks(NamedTuple):
    """The systems by one score, best first: name, score, range of ranks, and how often it is above each other one."""

    metric: str
    part: str
    level: float
    rows: tuple[tuple[str, float, tuple[int, int], tuple[float | None, ...]], ...]


class Numbers(NamedTuple):
    """All that is recomputed: `values[key][system]` has the score of every document, nan where it has none."""

    ids: tuple[str, ...]
    keys: tuple[Key, ...]
    values: Mapping[Key, tuple[Any, ...]]
    points: Mapping[str, Mapping[Key, float]]
    samples: Mapping[str, Mapping[Key, Any]] | None


def numbers_of(result: Result) -> Numbers:
    """The scores of every document and of the resampled corpora, if the result was saved with its tables."""
    estimators = _estimators(result)
    if not estimators:
        return Numbers((), (), {}, {}, None)
    from adjudge.stats.points import per_document
    from adjudge.stats.scores import headlines

    first = next(iter(estimators.values()))
    keys = tuple(headlines(first.measures))
    import numpy as np

    with np.errstate(all="ignore"):
        found = [per_document(each.table, each.measures) for each in estimators.values()]
    values = {key: tuple(own[key] for own in found) for key in keys}
    points = {name: each.point() for name, each in estimators.items()}
    return Numbers(first.ids, keys, values, points, _samples(result, estimators, keys))


def _estimators(result: Result) -> dict[str, Additive]:
    """The systems as their tables say; nothing if the result has none, or they are not of the same documents."""
    from adjudge.stats.points import Additive

    options = result.options
    if options is None or options.pool not in ("micro", "macro") or not result.measures or not result.systems:
        return {}
    tables = {system.name: system.table for system in result.systems}
    found = {
        name: Additive(table, result.measures, options.pool)  # type: ignore[arg-type]
        for name, table in tables.items()
        if table is not None
    }
    first = next(iter(found.values()), None)
    if first is None or len(found) < len(tables) or any(each.ids != first.ids for each in found.values()):
        return {}
    return found


def _samples(
    result: Result, estimators: Mapping[str, Additive], keys: Sequence[Key]
) -> Mapping[str, Mapping[Key, Any]] | None:
    """The corpora of the bootstrap, drawn again; nothing if a task has drawn its corpora in another way."""
    import numpy as np

    from adjudge.stats.resample import bootstrap

    options = result.options
    assert options is not None
    if options.bootstrap == 0 or "|draws:" in result.signature or len(next(iter(estimators.values())).ids) < 2:
        return None
    with np.errstate(all="ignore"):
        return bootstrap(
            {name: each.only(keys) for name, each in estimators.items()}, resamples=options.bootstrap, seed=options.seed
        )


def spreads(result: Result, numbers: Numbers, key: Key, *, documents: bool) -> list[Spread]:
    """The distributions of a score, over the documents or over the resampled corpora."""
    import numpy as np

    from adjudge.stats.intervals import interval, notches

    found = []
    for place, system in enumerate(result.systems):
        if documents:
            drawn = np.asarray(numbers.values[key][place])
        elif numbers.samples is not None:
            drawn = numbers.samples[system.name][key]
        else:
            continue
        drawn = drawn[np.isfinite(drawn)]
        notch = notches(drawn)
        if notch is None:
            continue
        first, median, third = (float(np.quantile(drawn, share)) for share in (0.25, 0.5, 0.75))
        level = result.options.level if result.options else 0.95
        ends = (float(drawn.min()), float(drawn.max())) if documents else interval(drawn, level)
        low, high = ends or (first, third)
        value = next((s.value for s in system.scores if (s.metric, s.part) == key and not s.slice), None)
        notch = max(first, notch[0]), min(third, notch[1])
        found.append(Spread(place, low, first, median, third, high, notch, value))
    return found


def ranks(result: Result, numbers: Numbers) -> list[Ranks]:
    """The range of ranks of every system, by the headline part of every metric."""
    if numbers.samples is None or len(result.systems) < 2 or result.options is None:
        return []
    from adjudge.stats.ranking import rank_distribution

    found = []
    for metric, part in numbers.keys:
        drawn = {system.name: numbers.samples[system.name][metric, part] for system in result.systems}
        order = rank_distribution(drawn, level=result.options.level)
        rows = tuple(
            (name, points, order.ranges[name], tuple(order.beats[name].get(other) for other in order.order))
            for name, points in ((name, numbers.points[name][metric, part]) for name in order.order)
        )
        found.append(Ranks(metric, part, order.level, rows))
    return found


# ---------------------------------------------------------------------------------------------------------------------
# The island


def island_of(
    result: Result,
    numbers: Numbers,
    saved: tuple[Documents | None, Mapping[str, Sequence[SystemDocument]]],
    sides: Sides,
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """What the script needs at once, and every document by itself, which it reads when somebody looks at it.

    There are lists instead of objects where there are many, and nothing that can be worked out.
    """
    from adjudge.stats.text import clean

    documents, outcomes = saved
    ids = list(numbers.ids) or ([] if documents is None else [each.id for each in documents.gold])
    data: dict[str, Any] = {
        "systems": [clean(system.name) for system in result.systems],
        "ids": ids,
        "scores": [clean(f"{metric} {part}") for metric, part in numbers.keys],
        "values": [[[_rounded(v) for v in own] for own in numbers.values[key]] for key in numbers.keys],
        "levels": [],
        "metrics": [],
        "counts": [],
        "unit": "none",
        "types": [],
    }
    if documents is None:
        return data, []
    places = {each.id: place for place, each in enumerate(documents.gold)}
    every = [_document(documents, places.get(name), outcomes, result, sides) for name in ids]
    data |= {
        "levels": list(documents.levels),
        "metrics": [clean(name) for name in documents.metrics],
        "counts": [
            [_counts(every, metric, system) for system in range(len(result.systems))]
            for metric in range(len(documents.metrics))
        ],
        "unit": unit_of(documents),
        "types": _types(sides),
    }
    return data, every


def _counts(every: Sequence[Mapping[str, Any]], metric: int, system: int) -> list[int]:
    """The numbers of items by outcome, in the order of the legend, one document after the other."""
    found: list[int] = []
    for document in every:
        own = document["systems"][system]
        outcomes = [each for each in own[1] if each[0] == metric] if own else []
        matched = partial = near = missed = spurious = 0
        for _, gold, _, scores, left, more, beside_gold, _ in outcomes:
            partial += sum(score < 1 for score in scores)
            matched += len(gold)
            near += len(beside_gold)
            missed += len(left)
            spurious += len(more)
        found += [matched - partial, partial, near, missed - near, spurious - near]
    return found


def _types(sides: Sides) -> list[str]:
    """The types of all items."""
    found = {one for gold, systems in sides for side in (gold, *systems.values()) for one in side.types}
    return sorted(one for one in found if one is not None)


def _document(
    documents: Documents, place: int | None, saved: Mapping[str, Sequence[SystemDocument]], result: Result, sides: Sides
) -> dict[str, Any]:
    if place is None:
        return {"gold": [], "systems": [0 for _ in result.systems]}
    document, (gold, own_sides) = documents.gold[place], sides[place]
    written = {(item.level, repr(item.value)): n for n, item in enumerate(document.items) if item.value is not None}
    systems: list[Any] = []
    for system in result.systems:
        own: SystemDocument | None = saved[system.name][place] if system.name in saved else None
        if own is None:
            systems.append(0)
            continue
        side = own_sides[system.name]
        outcomes = []
        for each in own.outcomes:
            near = beside(gold, side, each)
            row = [each.metric, each.gold, each.system, each.scores, each.missed, each.spurious]
            outcomes.append([*row, [g for g, _ in near], [s for _, s in near]])
        systems.append([[_item(item, written) for item in own.items], outcomes, int(own.missing)])
    data: dict[str, Any] = {"gold": [_item(item, {}) for item in document.items], "systems": systems}
    if document.text is not None:
        data["text"] = document.text
    if document.tokens:
        data["tokens"] = list(document.tokens)
    return data


def _item(item: Item, gold: Mapping[tuple[int, str], int]) -> list[Any]:
    """Level, places and value; instead of the level -1 - n for the value of the gold item n."""
    if item.value is None:
        return [item.level, list(item.place)]
    same = gold.get((item.level, repr(item.value)))
    return [item.level, list(item.place), _finite(item.value)] if same is None else [-1 - same, list(item.place)]


def _finite(value: Any) -> Any:
    """A value without numbers that JSON does not have."""
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, dict):
        return {name: _finite(each) for name, each in value.items()}
    return [_finite(each) for each in value] if isinstance(value, list | tuple) else value


def _rounded(value: float) -> float | None:
    return round(float(value), _DIGITS) + 0.0 if math.isfinite(value) else None
