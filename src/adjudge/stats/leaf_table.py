"""The leaves of nested records as tables: one for each record, with a table inside for each element of its lists."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import groupby
from typing import NamedTuple, TypeAlias

from adjudge.stats.alignment import Alignment, Item, Matching

Groups: TypeAlias = tuple[str, ...]

HEAD = ("field", "gold", "system", "outcome")
OMITTED, HALLUCINATED = "omitted", "hallucinated"
_NUMBER = re.compile(r"[0-9]+")
_INDEX = re.compile(r"\[[0-9]+\]")
_ROOT = "records["


class Leaf(NamedTuple):
    """A row: the field, the values of both sides, the outcome, and its credit if that is partial."""

    field: str
    gold: str
    system: str
    outcome: str
    credit: str = ""


class LeafTable(NamedTuple):
    """The leaves of a record or of an element of a list, and the elements inside; `extra` if only the system has it."""

    name: str
    extra: bool
    rows: tuple[Leaf, ...]
    inner: tuple[LeafTable, ...]


def is_of_leaves(alignment: Alignment, matching: Matching) -> bool:
    """Whether a metric counted the leaves of records, each of which stands in elements of lists."""
    gold, system = alignment.gold, alignment.system
    items = [gold[each.gold] for each in matching.pairs] + [gold[each.item] for each in matching.missed]
    items += [system[each.item] for each in matching.spurious]
    return bool(items) and all(each.level.startswith(_ROOT) and each.group for each in items)


def field_name(level: str) -> str:
    """The field of a leaf as tables of fields have it; nothing if the level is not that of leaves.

    >>> field_name("records[*].lines[*].price")
    'lines[].price'
    """
    return level.partition(".")[2].replace("[*]", "[]") if level.startswith(_ROOT) else ""


def leaf_tables(alignment: Alignment, matching: Matching, said: Callable[[Item], str]) -> tuple[LeafTable, ...]:
    """The tables of the records of a document, in the order of gold; `said` gives the words of an item."""
    gold, system = alignment.gold, alignment.system
    found: list[tuple[Item, Leaf]] = []
    for pair in matching.pairs:
        ours, theirs = gold[pair.gold], system[pair.system]
        credit = f"{pair.credit:.2g}" if pair.outcome == "partial" else ""
        found.append((ours, Leaf(_inside(ours), said(ours), said(theirs), pair.outcome, credit)))
    found += [
        (gold[one.item], Leaf(_inside(gold[one.item]), said(gold[one.item]), "", OMITTED)) for one in matching.missed
    ]
    for one in matching.spurious:
        theirs = system[one.item]
        found.append((theirs, Leaf(_inside(theirs), "", said(theirs), HALLUCINATED)))
    found.sort(key=lambda each: ([_natural(name) for name in each[0].group], each[1]))
    return _nested([(tuple(item.group), leaf) for item, leaf in found], 0)


def leaf_lines(alignment: Alignment, matching: Matching, said: Callable[[Item], str]) -> Iterator[str]:
    """The tables as lines, indented by their depth."""
    tables = leaf_tables(alignment, matching, said)
    widths = [max(map(len, column)) for column in zip(HEAD[:3], *(row[:3] for row in _rows(tables)), strict=True)]

    def lines(table: LeafTable, depth: int) -> Iterator[str]:
        yield f"{'  ' * depth}{'+' * table.extra}{table.name}"
        for row in (Leaf(*HEAD), *table.rows) if table.rows else ():
            cells = [f"{cell:<{width}}" for cell, width in zip(row[:3], widths, strict=True)]
            outcome = f"{row.outcome} ({row.credit})" if row.credit else row.outcome
            yield f"{'  ' * (depth + 1)}{'  '.join([*cells, outcome])}"
        for each in table.inner:
            yield from lines(each, depth + 1)

    for table in tables:
        yield from lines(table, 0)


def _rows(tables: tuple[LeafTable, ...]) -> Iterator[Leaf]:
    for table in tables:
        yield from table.rows
        yield from _rows(table.inner)


def _nested(found: list[tuple[Groups, Leaf]], depth: int) -> tuple[LeafTable, ...]:
    """The tables of leaves that share what they stand in down to a depth."""
    tables = []
    for name, each in groupby(found, lambda leaf: leaf[0][depth]):
        own = list(each)
        rows = tuple(leaf for groups, leaf in own if len(groups) == depth + 1)
        inner = _nested([leaf for leaf in own if len(leaf[0]) > depth + 1], depth + 1)
        above = own[0][0][depth - 1].removeprefix("+") if depth else ""
        tables.append(
            LeafTable(name.removeprefix("+").removeprefix(above).removeprefix("."), name.startswith("+"), rows, inner)
        )
    return tuple(tables)


def _inside(item: Item) -> str:
    """The field of a leaf in the element that it stands in."""
    element = _INDEX.sub("[*]", item.group[-1].removeprefix("+"))
    return item.level.removeprefix(element).lstrip(".") or "value"


def _natural(name: str) -> tuple[bool, list[tuple[str, int]]]:
    """A place in the order of its numbers; what only the system has comes last."""
    plain = name.removeprefix("+")
    numbers = [int(found[0]) for found in _NUMBER.finditer(plain)]
    return name.startswith("+"), list(zip(_NUMBER.split(plain), [*numbers, 0], strict=True))
