"""Which items matter: those whose annotation, judged the other way, would change the ranking of systems most.

A gold item judged the other way is no gold item; one that only systems have would be one. The counts of the document
change by what every system made of the item, and everything else stays as it is. Outcomes that were saved with the
result say what that was; nothing is scored again.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from adjudge.errors import UsageError
from adjudge.stats.influence import (
    Effect,
    Neighbours,
    Order,
    Ranked,
    changed_pairs,
    estimators,
    left_out,
    neighbours_of,
    ranking,
    strongest_of,
)
from adjudge.stats.outcomes import item_values

if TYPE_CHECKING:
    from adjudge.stats.measure import Array, Key, Prf
    from adjudge.stats.outcomes import Documents, Outcome, SystemDocument
    from adjudge.stats.points import Additive
    from adjudge.stats.result import Result

_SAME = 1e-6  # outcomes are saved with six digits


class ItemInfluence(msgspec.Struct, frozen=True, kw_only=True):
    """One item: whether gold has it, which systems do, and what judging it the other way does to the ranking."""

    document: str
    item: str
    value: Any
    gold: bool
    credits: dict[str, float]
    influence: float
    disagreement: float
    effects: tuple[Effect, ...]

    @property
    def strongest(self) -> Effect | None:
        """The effect on the pair that it changes most."""
        return strongest_of(self.effects)


class ItemSelection(Ranked, frozen=True, kw_only=True):
    """The items to look at, the most telling first, and the ranking that they were chosen for."""

    items: tuple[ItemInfluence, ...]


class _Judged(NamedTuple):
    """An item, and the credit that each system has for it now, or would have."""

    document: int
    path: str
    value: Any
    gold: bool
    credits: dict[str, float]


def select_items(
    result: Result, number: int, *, metric: str | None = None, part: str | None = None, order: Order = "influence"
) -> ItemSelection:
    """The items whose annotation or assessment would change the ranking of the systems most.

    For neighbours a, b of the ranking with difference d the effect of an item is d - d', where d' is the difference if
    the item were judged the other way: a gold item that is none takes its credit and one gold item from the counts, an
    item of systems that is one gives them credit and adds one. Influence and disagreement are those of
    `select_documents`, the latter of the credits of systems.

    >>> import adjudge as aj
    >>> gold = [{"id": "d", "items": ["a", "b", "c"]}]
    >>> systems = {"A": [{"id": "d", "items": ["a", "b"]}], "B": [{"id": "d", "items": ["a", "x"]}]}
    >>> found = select_items(aj.score("record.set", gold, systems, bootstrap=0, documents=True), 2)
    >>> [(each.value, each.gold, each.strongest.flips) for each in found.items]
    [('b', True, True), ('x', False, True)]
    """
    import numpy as np

    from adjudge.stats.points import Additive
    from adjudge.stats.table import StatsTable

    if result.documents is None or not all(system.outcomes for system in result.systems):
        hint = "write it with --save and --save-documents"
        raise UsageError("the result does not have what became of every item", hint=hint)
    systems = estimators(result)
    key, points = ranking(result, systems, metric, part)
    measure = _measure(result, key)
    judged = _judged(result, key[0], measure, systems)
    ids = next(iter(systems.values())).ids
    row = {identifier: place for place, identifier in enumerate(ids)}
    at = np.array([row[result.documents.gold[each.document].id] for each in judged], dtype=np.int64)
    changed: dict[str, Array] = {}
    for name, estimator in systems.items():
        table = estimator.select(ids).table
        values = table.array[at]
        own = np.array([each.credits.get(name, 0.0) for each in judged])
        sign = np.array([-1.0 if each.gold else 1.0 for each in judged])
        values[:, table.columns.index(measure.recall[0])] += sign * own
        values[:, table.columns.index(measure.recall[1])] += sign
        own_rows = Additive(table, result.measures, estimator.pool)
        rows = own_rows.summed[0].array
        named = tuple(map(str, range(len(judged))))
        judged_table = StatsTable(named, table.columns, values)  # type: ignore[arg-type]  # an array will do
        other = Additive(judged_table, result.measures, estimator.pool).summed[0].array
        changed[name] = own_rows.finish(rows.sum(axis=0)[None, :] - rows[at] + other)[key]
    without = {name: left_out(each)[key] for name, each in systems.items()}
    neighbours = neighbours_of(points, without)
    items = [
        _influence(
            result.documents.gold[each.document].id,
            each,
            list(systems),
            [(pair, float(changed[pair.a][place] - changed[pair.b][place])) for pair in neighbours],
        )
        for place, each in enumerate(judged)
    ]
    items.sort(key=lambda each: _rank(each, order))
    return ItemSelection(
        adjudge=result.adjudge,
        signature=result.signature,
        metric=key[0],
        part=key[1],
        order=order,
        of=len(items),
        ranking=points,
        neighbours=neighbours,
        items=tuple(items[:number]),
    )


def _influence(
    document: str, each: _Judged, systems: Sequence[str], left: Iterable[tuple[Neighbours, float]]
) -> ItemInfluence:
    total, effects = changed_pairs(left)
    credit = {name: each.credits.get(name, 0.0) for name in systems}
    pairs = [abs(one - other) for one, other in combinations(credit.values(), 2)]
    return ItemInfluence(
        document=document,
        item=each.path,
        value=each.value,
        gold=each.gold,
        credits=credit,
        influence=total,
        disagreement=math.fsum(pairs) / len(pairs),
        effects=effects,
    )


def _rank(each: ItemInfluence, order: Order) -> tuple[float, float, str, str]:
    influence, disagreement = -round(each.influence, 12), -round(each.disagreement, 12)
    first, second = (influence, disagreement) if order == "influence" else (disagreement, influence)
    return first, second, each.document, each.item


def _measure(result: Result, key: Key) -> Prf:
    from adjudge.stats.measure import Prf

    for each in result.measures:
        if isinstance(each, Prf) and each.name == key[0] and each.shared:
            return each
    raise _refusal(key[0])


def _refusal(metric: str) -> UsageError:
    hint = "choose a metric that counts items, or select documents"
    return UsageError(f"{metric} is no sum over items, so that none has a part in it", hint=hint)


def _judged(result: Result, metric: str, measure: Prf, systems: Mapping[str, Additive]) -> list[_Judged]:
    """Every item of the level that the metric counts, with what the systems have for it."""
    documents = result.documents
    assert documents is not None
    if metric not in documents.metrics:
        raise _refusal(metric)
    number = documents.metrics.index(metric)
    for level in reversed(range(len(documents.levels))):  # the innermost ones are counted most often
        found = _at_level(result, documents, number, level)
        if found and _adds_up(found, measure, systems):
            return _merged(found)
    raise _refusal(metric)


class _Side(NamedTuple):
    """What the items of one level come to for one system in one document."""

    document: str
    place: int
    system: str
    gold: dict[tuple[int, ...], tuple[Any, float]]
    spurious: dict[tuple[int, ...], tuple[Any, Any]]
    level: str
    owned: int


def _at_level(result: Result, documents: Documents, metric: int, level: int) -> list[_Side]:
    found = []
    name = documents.levels[level]
    for system in result.systems:
        for place, (gold, own) in enumerate(zip(documents.gold, system.outcomes, strict=True)):
            outcome = next((each for each in own.outcomes if each.metric == metric), None)
            if outcome is None:
                continue
            values = item_values(documents.levels, gold.items)
            credit: dict[int, float] = dict.fromkeys(outcome.missed, 0.0)
            for item, score in _scored(outcome):
                credit[item] = credit.get(item, 0.0) + score
            golden = {
                gold.items[item].place: (values[item], score)
                for item, score in credit.items()
                if gold.items[item].level == level
            }
            matched = len({each for each in outcome.system if own.items[each].level == level})
            wrong = _spurious(documents, own, outcome, level)
            found.append(_Side(gold.id, place, system.name, golden, wrong, name, matched + len(wrong)))
    return found if any(each.gold or each.spurious for each in found) else []


def _scored(outcome: Outcome) -> Iterable[tuple[int, float]]:
    return zip(outcome.gold, outcome.scores or (1.0,) * len(outcome.gold), strict=True)


def _spurious(
    documents: Documents, own: SystemDocument, outcome: Outcome, level: int
) -> dict[tuple[int, ...], tuple[Any, Any]]:
    """The items that only the system has: their values, and those of what they are part of, without its parts."""
    values = item_values(documents.levels, own.items)
    outer = {item.place[0]: value for item, value in zip(own.items, values, strict=True) if len(item.place) == 1}
    found: dict[tuple[int, ...], tuple[Any, Any]] = {}
    for each in outcome.spurious:
        item = own.items[each]
        if item.level == level:
            whole = outer.get(item.place[0]) if len(item.place) > 1 else None
            if isinstance(whole, Mapping):
                whole = {name: value for name, value in whole.items() if not isinstance(value, list | tuple)}
            found[item.place] = values[each], whole
    return found


def _adds_up(found: Sequence[_Side], measure: Prf, systems: Mapping[str, Additive]) -> bool:
    """Whether the items of a level are what the metric counts: then their sums are its columns."""
    tables = {name: estimator.table for name, estimator in systems.items()}
    rows = {name: {identifier: place for place, identifier in enumerate(each.ids)} for name, each in tables.items()}
    names = measure.recall[0], measure.precision[1], measure.recall[1]
    for each in found:
        table = tables[each.system]
        counts = [table.values[rows[each.system][each.document]][table.columns.index(column)] for column in names]
        own = [math.fsum(score for _, score in each.gold.values()), each.owned, len(each.gold)]
        if any(abs(one - other) > _SAME * max(1.0, abs(one)) for one, other in zip(counts, own, strict=True)):
            return False
    return True


def _merged(found: Sequence[_Side]) -> list[_Judged]:
    """Items of all systems: those of gold by their places, the others by what they are."""
    known: dict[tuple[Any, ...], _Judged] = {}
    for each in found:
        for place, (value, score) in each.gold.items():
            key = each.place, True, place
            item = known.setdefault(key, _Judged(each.place, _path(each.level, place), value, True, {}))
            item.credits[each.system] = score
        for place, (value, whole) in each.spurious.items():
            same = each.place, False, json.dumps([value, whole], sort_keys=True, default=str)
            item = known.setdefault(same, _Judged(each.place, _path(each.level, place), value, False, {}))
            item.credits[each.system] = 1.0
    return list(known.values())


def _path(level: str, place: Sequence[int]) -> str:
    """A level and its places as a path: events[2].arguments[0]."""
    for number in place:
        level = level.replace("[*]", f"[{number}]", 1)
    return level
