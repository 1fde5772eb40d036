"""The documents of a page as data: a line of JSON each, which the script reads when the document is shown.

Names are short, lists stand in for objects where there are many, and nothing derivable is included: a system item equal
to a gold item only refers to it. `assets/documents.js` is the other end.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from adjudge.report.mistakes import CHANGES, OUTCOMES, alignments, outcome_counts
from adjudge.stats.alignment import Alignment, GoldDocument, Item, Matching, Single, SystemDocument, compare_groups
from adjudge.stats.explanation import LeafTable, field_name, is_of_leaves, leaf_tables, said, short
from adjudge.stats.result import Result
from adjudge.stats.text import clean, counted_leaves

_WIDE = re.compile("[\U00010000-\U0010ffff]")
_DIGITS = 4


class Names(dict[str, int]):
    """Numbers for texts that occur repeatedly."""

    def __missing__(self, name: str) -> int:
        return self.setdefault(name, len(self))


class Island(NamedTuple):
    """What the script needs: `head` at once, and lines of `documents`, `scores` and `counts` when they are looked at.

    There is a line of scores for each score and system, and one of counts for each metric and system, with the number
    of items of every outcome, document after document. Of metrics that count leaves, those with a table per field are
    first; `fields` has the names of leaves by the number of their level.
    """

    head: dict[str, Any]
    documents: list[Any]
    scores: list[Any]
    counts: list[Any]


def island_of(result: Result, ids: Sequence[str], scores: dict[tuple[str, str], Sequence[Sequence[float]]]) -> Island:
    """All documents, in the order of the table of counts if there is one."""
    ids = list(ids) or [each.id for each in result.documents]
    labels, levels, metrics = Names(), Names(), Names()
    for system in result.systems:
        for own in system.aligned:
            for matching in own.matchings:
                metrics[matching.metric]
    places = {each.id: place for place, each in enumerate(result.documents)}
    documents = [_document(result, places.get(name), (labels, levels, metrics)) for name in ids]
    counts = [
        [_tallied(result, system, places.get(name), metric) for name in ids]
        for metric in metrics
        for system in range(len(result.systems))
    ]
    leaves = _leaves(result, metrics)
    head = {
        "systems": [clean(system.name) for system in result.systems],
        "ids": ids,
        "scores": [clean(f"{metric} {part}") for metric, part in scores],
        "metrics": [clean(name) for name in metrics],
        "leaves": leaves,
        "levels": list(levels),
        "fields": {number: name for level, number in levels.items() if leaves and (name := field_name(level))},
        "labels": list(labels),
        "outcomes": OUTCOMES,
        "changes": CHANGES,
    }
    values = [[_rounded(value) for value in own] for each in scores.values() for own in each]
    return Island(head, documents, values, [[count for each in line for count in each] for line in counts])


def _leaves(result: Result, metrics: Names) -> list[int]:
    """The metrics that count the leaves of records, by number."""
    own = {
        each.metric
        for place in range(len(result.systems))
        for found in alignments(result, place)
        for each in found.matchings
        if is_of_leaves(found, each)
    }
    counted = counted_leaves(result)
    return [metrics[name] for name in sorted(own, key=lambda name: (name not in counted, metrics[name]))]


def _tallied(result: Result, system: int, place: int | None, metric: str) -> list[int]:
    own = result.systems[system].aligned
    found = [one for one in own[place].matchings if one.metric == metric] if place is not None and own else []
    return [sum(each) for each in zip(*map(outcome_counts, found), strict=True)] if found else [0] * len(OUTCOMES)


def _document(result: Result, place: int | None, names: tuple[Names, Names, Names]) -> Any:
    if place is None:
        return 0
    gold = result.documents[place]
    at = units(gold.text or "")
    data: dict[str, Any] = {
        "g": [_item(item, gold, at, names) for item in gold.items],
        "s": [_system(system.aligned[place], gold, at, names) if system.aligned else 0 for system in result.systems],
    }
    if gold.text is not None:
        data["t"] = gold.text
    if gold.groups:
        data["k"] = gold.groups
    return data


def units(text: str) -> Callable[[int], int]:
    """From character offsets to those of the browser, which counts characters beyond U+FFFF twice.

    >>> [units("a\U0001f600b")(place) for place in range(4)]
    [0, 1, 3, 4]
    """
    wide = [found.start() for found in _WIDE.finditer(text)]
    return (lambda place: place + bisect_left(wide, place)) if wide else (lambda place: place)


def _item(item: Item, gold: GoldDocument, at: Callable[[int], int], names: tuple[Names, Names, Names]) -> Any:
    data: dict[str, Any] = {"i": item.id, "l": names[1][item.level]}
    if item.label:
        data["t"] = names[0][item.label]
    if item.place:
        data["p"] = [at(end) for piece in item.place for end in piece]
    if not item.place or gold.text is None or item.text != _said(gold.text, item):
        data["x"] = item.text
    if item.group:
        data["g"] = list(item.group)
    if len(item.roles) > 1 or len(item.place) > 1:
        data["r"] = list(item.roles)
    if item.value not in (None, item.text):
        data["v"] = _finite(item.value)
    return data


def _said(text: str, item: Item) -> str:
    return " … ".join(text[begin:end] for begin, end in item.place)


def _system(
    own: SystemDocument, gold: GoldDocument, at: Callable[[int], int], names: tuple[Names, Names, Names]
) -> Any:
    known = {_content(item): number for number, item in enumerate(gold.items)}
    items: list[Any] = []
    for item in own.items:
        like = known.get(_content(item))
        if like is None:
            items.append(_item(item, gold, at, names))
            continue
        one = gold.items[like]
        if (item.id, item.group) == (one.id, one.group):
            items.append(like)
        else:
            items.append([like, item.id, list(item.group)])
    alignment = own.aligned(gold)
    data: list[Any] = [items, [_matching(each, alignment, names[2]) for each in own.matchings]]
    return [*data, 1] if own.missing else [*data, own.unread] if own.unread else data


def _content(item: Item) -> Any:
    return item.level, item.label, item.text, item.place, item.roles, repr(item.value)


def _matching(matching: Matching, alignment: Alignment, metrics: Names) -> Any:
    """The metric, correct pairs as one list, other pairs, missed, spurious and ignored items, groups, and numbers."""
    plain = [each for each in matching.pairs if each.outcome == "correct" and not each.why]
    other = [each for each in matching.pairs if each.outcome != "correct" or each.why]
    groups = compare_groups(alignment, matching) if alignment.groups else []
    data: list[Any] = [
        metrics[matching.metric],
        [number for each in plain for number in (each.gold, each.system)],
        [[each.gold, each.system, _outcome(each.outcome), _rounded(each.credit), each.why] for each in other],
        *([_single(each) for each in found] for found in (matching.missed, matching.spurious, matching.ignored)),
        [[CHANGES.index(change), list(ours), list(theirs)] for change, ours, theirs in groups],
        {name: _finite(value) for name, value in matching.numbers.items()} or 0,
    ]
    while len(data) > 1 and not data[-1]:
        data.pop()
    return data


def _outcome(outcome: str) -> int:
    return OUTCOMES.index(outcome) if outcome in OUTCOMES else OUTCOMES.index("wrong")


def _single(single: Single) -> Any:
    if single.near is not None:
        return [single.item, single.why, single.near]
    return [single.item, single.why] if single.why else single.item


def _finite(value: Any) -> Any:
    """A value without numbers that JSON cannot represent."""
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, dict):
        return {str(name): _finite(each) for name, each in value.items()}
    return [_finite(each) for each in value] if isinstance(value, list | tuple) else value


def _rounded(value: float) -> float | None:
    return round(float(value), _DIGITS) + 0.0 if math.isfinite(value) else None


# ---------------------------------------------------------------------------------------------------------------------
# Without a script


class Told(NamedTuple):
    """An item for readers without a script: its outcome, both sides in words, and the reason."""

    outcome: str
    gold: str
    system: str
    why: str


class ToldMetric(NamedTuple):
    """A document by one metric: a row for each item, or the tables of its records if it counts leaves."""

    metric: str
    rows: list[Told]
    tables: tuple[LeafTable, ...]


class ToldDocument(NamedTuple):
    """A document of the first system; `notice` says why it is empty, if it is."""

    id: str
    text: str | None
    notice: str
    metrics: list[ToldMetric]


def told_documents(result: Result, most: int) -> Iterator[ToldDocument]:
    """The first documents with the first system: for each metric the items and their outcomes."""
    from itertools import islice

    found = alignments(result, 0) if result.systems else ()
    for gold, own in zip(result.documents, islice(found, most), strict=False):
        notice = "The system has no such document." if own.missing else ""
        if own.unread:
            notice = f"The answer could not be read ({own.unread}): it counts as empty."
        yield ToldDocument(gold.id, gold.text, notice, [_told(own, each) for each in own.matchings])


def _told(own: Alignment, matching: Matching) -> ToldMetric:
    if is_of_leaves(own, matching):
        return ToldMetric(matching.metric, [], leaf_tables(own, matching, short))
    gold, system = own.gold, own.system
    rows = [Told(pair.outcome, said(gold[pair.gold]), said(system[pair.system]), pair.why) for pair in matching.pairs]
    rows += [Told("missed", said(gold[one.item]), "", one.why) for one in matching.missed]
    rows += [Told("spurious", "", said(system[one.item]), one.why) for one in matching.spurious]
    rows += [Told("ignored", "", said(system[one.item]), one.why) for one in matching.ignored]
    rows.sort(key=lambda row: row.outcome == "correct")
    return ToldMetric(matching.metric, rows, ())
