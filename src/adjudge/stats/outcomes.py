"""What became of the items of every document: an optional part of a saved result, for people to look at.

Items are named by a level and places: `events[2].arguments[0]` is of the level `events[*].arguments[*]` and has the
places 2 and 0. An item inside of another one has no value of its own if it can be found in the value of the outermost
one, so that nothing is written twice.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from adjudge.errors import FormatError

_STEP = re.compile(r"\.([^.\[\]|]+)|\[\*\]")
_NOTHING: Any = object()


class Item(msgspec.Struct, frozen=True, array_like=True):
    """A gold or system item: the number of its level, its places there, and its value."""

    level: int
    place: tuple[int, ...]
    value: Any = None


class Outcome(msgspec.Struct, frozen=True, array_like=True):
    """What one metric (by number) says of the items of one document, which are given by number.

    `gold[i]` is matched to `system[i]` with `scores[i]`; without scores all of them are 1. An item may be matched more
    than once, if the metric allows it.
    """

    metric: int
    gold: tuple[int, ...] = ()
    system: tuple[int, ...] = ()
    scores: tuple[float, ...] = ()
    missed: tuple[int, ...] = ()
    spurious: tuple[int, ...] = ()


class GoldDocument(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A document with its gold items, and its text or tokens where it has them."""

    id: str
    text: str | None = None
    tokens: tuple[str, ...] = ()
    items: tuple[Item, ...] = ()


class SystemDocument(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The items that a system has in a document, and what became of them; `missing` if it has no such document."""

    items: tuple[Item, ...] = ()
    outcomes: tuple[Outcome, ...] = ()
    missing: bool = False


class Documents(msgspec.Struct, frozen=True, kw_only=True):
    """All documents with their gold items; levels and metrics are named here and have numbers everywhere else."""

    levels: tuple[str, ...]
    metrics: tuple[str, ...]
    gold: tuple[GoldDocument, ...]


def check_outcomes(documents: Documents | None, outcomes: Sequence[SystemDocument]) -> None:
    """Raise unless the outcomes of a system are of these documents, and all numbers name something.

    >>> check_outcomes(None, [SystemDocument()])
    Traceback (most recent call last):
    adjudge.errors.FormatError: there are outcomes of 1 document, but no documents
    """
    if documents is None:
        if outcomes:
            number = f"{len(outcomes)} document{'s' * (len(outcomes) > 1)}"
            raise FormatError(f"there are outcomes of {number}, but no documents")
        return
    if outcomes and len(outcomes) != len(documents.gold):
        raise FormatError(f"outcomes of {len(outcomes)} documents, there are {len(documents.gold)}")
    if len({each.id for each in documents.gold}) < len(documents.gold):
        raise FormatError("two of the documents have the same id")
    places = [level.count("[*]") for level in documents.levels]
    for gold in documents.gold:
        _check_items(gold.items, places)
    for gold, own in zip(documents.gold, outcomes, strict=False):
        _check_items(own.items, places)
        for each in own.outcomes:
            fine = (
                _within((each.metric,), len(documents.metrics))
                and len(each.gold) == len(each.system)
                and (not each.scores or len(each.scores) == len(each.gold))
                and _within((*each.gold, *each.missed), len(gold.items))
                and _within((*each.system, *each.spurious), len(own.items))
            )
            if not fine:
                raise FormatError(f"an outcome of the document {gold.id!r} names what is not there")


def _check_items(items: Sequence[Item], places: Sequence[int]) -> None:
    for item in items:
        if not 0 <= item.level < len(places) or len(item.place) != places[item.level]:
            raise FormatError("an item has no level, or not as many places as its level")


def _within(numbers: Sequence[int], length: int) -> bool:
    return all(0 <= number < length for number in numbers)


def item_values(levels: Sequence[str], items: Sequence[Item]) -> list[Any]:
    """The values of items; that of an inner item is found in the value of the outermost one.

    >>> event = {"type": "Attack", "arguments": [{"role": "Place"}]}
    >>> items = [Item(0, (0,), event), Item(1, (0, 0))]
    >>> item_values(["events[*]", "events[*].arguments[*]"], items)[1]
    {'role': 'Place'}
    """
    roots: dict[tuple[str, tuple[int, ...]], Any] = {
        (levels[item.level], item.place): item.value for item in items if len(item.place) == 1
    }
    return [
        item.value if item.value is not None or len(item.place) < 2 else _inner(roots, levels[item.level], item.place)
        for item in items
    ]


def _inner(roots: Mapping[tuple[str, tuple[int, ...]], Any], level: str, place: tuple[int, ...]) -> Any:
    root, rest = split_level(level)
    found = inside(roots.get((root, place[:1])), rest, place[1:])
    return None if found is _NOTHING else found


def split_level(level: str) -> tuple[str, str]:
    """A level as its outermost part and the rest.

    >>> split_level("events[*].arguments[*]")
    ('events[*]', '.arguments[*]')
    """
    end = level.find("[*]") + 3 if "[*]" in level else len(level)
    return level[:end], level[end:]


def inside(value: Any, rest: str, places: Sequence[int]) -> Any:
    """What stands in a value at a path such as `.arguments[*]` and these places; a marker if there is no such thing.

    >>> inside({"arguments": ["a", "b"]}, ".arguments[*]", [1])
    'b'
    """
    numbers, at = iter(places), 0
    while at < len(rest):
        step = _STEP.match(rest, at)
        if step is None:
            return _NOTHING
        at = step.end()
        if step[1] is not None:
            if not isinstance(value, Mapping) or step[1] not in value:
                return _NOTHING
            value = value[step[1]]
        else:
            number = next(numbers, -1)
            if not isinstance(value, list | tuple) or not 0 <= number < len(value):
                return _NOTHING
            value = value[number]
    return value


def is_inside(value: Any, rest: str, places: Sequence[int], expected: Any) -> bool:
    """Whether a value has this value inside of it."""
    found = inside(value, rest, places)
    return found is not _NOTHING and type(found) is type(expected) and bool(found == expected)


# ---------------------------------------------------------------------------------------------------------------------
# Several results


def merge_outcomes(
    saved: Sequence[tuple[Documents | None, Mapping[str, Sequence[SystemDocument]]]],
) -> tuple[Documents | None, dict[str, tuple[SystemDocument, ...]]]:
    """The documents of several results as one, and the outcomes of all their systems in its terms.

    Results without documents add nothing. A document that one of them lacks has no outcomes there.
    """
    having = [(documents, systems) for documents, systems in saved if documents is not None]
    if len(having) < 2:
        return (having[0][0], {name: tuple(own) for name, own in having[0][1].items()}) if having else (None, {})
    levels: dict[str, int] = {}
    metrics: dict[str, int] = {}
    gold: dict[str, tuple[GoldDocument, dict[tuple[int, tuple[int, ...]], int], list[Item]]] = {}
    found: dict[str, dict[str, SystemDocument]] = {}
    for documents, systems in having:
        own_levels = [levels.setdefault(level, len(levels)) for level in documents.levels]
        own_metrics = [metrics.setdefault(metric, len(metrics)) for metric in documents.metrics]
        for place, document in enumerate(documents.gold):
            _, known, items = gold.setdefault(document.id, (document, {}, []))
            numbers = []
            for item in document.items:
                key = own_levels[item.level], item.place
                if key not in known:
                    known[key] = len(items)
                    items.append(Item(*key, item.value))
                numbers.append(known[key])
            for name, outcomes in systems.items():
                if outcomes:
                    found.setdefault(name, {})[document.id] = _renumbered(
                        outcomes[place], own_levels, own_metrics, numbers
                    )
    merged = Documents(
        levels=tuple(levels),
        metrics=tuple(metrics),
        gold=tuple(msgspec.structs.replace(document, items=tuple(items)) for document, _, items in gold.values()),
    )
    nothing = SystemDocument(missing=True)
    return merged, {name: tuple(own.get(one, nothing) for one in gold) for name, own in found.items()}


def _renumbered(
    document: SystemDocument, levels: Sequence[int], metrics: Sequence[int], gold: Sequence[int]
) -> SystemDocument:
    return SystemDocument(
        items=tuple(Item(levels[item.level], item.place, item.value) for item in document.items),
        outcomes=tuple(
            Outcome(
                metrics[each.metric],
                tuple(gold[number] for number in each.gold),
                each.system,
                each.scores,
                tuple(gold[number] for number in each.missed),
                each.spurious,
            )
            for each in document.outcomes
        ),
        missing=document.missing,
    )
