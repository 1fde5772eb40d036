"""The leaves of nested records as tables: one for each record, with a table inside for each element of its lists."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from adjudge.stats.alignment import Alignment, Item, Matching

Row: TypeAlias = tuple[str, str, str, str]
Groups: TypeAlias = tuple[str, ...]

HEAD: Row = ("field", "gold", "system", "outcome")
_NUMBER = re.compile(r"[0-9]+")
_PLACE = re.compile(r"\[[0-9]+\]")
_ROOT = "records["


def is_of_leaves(alignment: Alignment, matching: Matching) -> bool:
    """Whether a metric counted the leaves of records, each of which stands in elements of lists."""
    items = _items(alignment, matching)
    return bool(items) and all(each.level.startswith(_ROOT) and _elements(each) for each in items)


def leaf_lines(alignment: Alignment, matching: Matching, said: Callable[[Item], str]) -> Iterator[str]:
    """The tables as lines, indented by their depth; `said` gives the words of an item."""
    tables = _tables(alignment, matching, said)
    widths = [max(len(row[column]) for rows in tables.values() for row in (HEAD, *rows)) for column in range(3)]
    shown: set[Groups] = set()
    for groups in sorted(tables, key=lambda names: [_natural(name) for name in names]):
        for depth in range(1, len(groups) + 1):
            if groups[:depth] not in shown:
                shown.add(groups[:depth])
                above = f"{groups[depth - 2].lstrip('+')}." if depth > 1 else ""
                plus = "+" if groups[depth - 1].startswith("+") else ""
                yield f"{'  ' * (depth - 1)}{plus}{groups[depth - 1].lstrip('+').removeprefix(above)}"
        for row in (HEAD, *tables[groups]):
            cells = [f"{cell:<{width}}" for cell, width in zip(row, widths, strict=False)]
            yield f"{'  ' * len(groups)}{'  '.join([*cells, row[3]])}"


def _items(alignment: Alignment, matching: Matching) -> list[Item]:
    gold, system = alignment.gold, alignment.system
    found = [gold[each.gold] for each in matching.pairs] + [gold[each.item] for each in matching.missed]
    return found + [system[each.item] for each in matching.spurious]


def _tables(alignment: Alignment, matching: Matching, said: Callable[[Item], str]) -> dict[Groups, list[Row]]:
    gold, system = alignment.gold, alignment.system
    tables: dict[Groups, list[Row]] = {}

    def add(item: Item, cells: Sequence[str]) -> None:
        groups = _elements(item)
        own = _NUMBER.sub("*", groups[-1].lstrip("+"))
        name = item.level.removeprefix(own).lstrip(".") or "value"
        tables.setdefault(groups, []).append((name, cells[0], cells[1], cells[2]))

    for pair in matching.pairs:
        outcome = f"partial ({pair.credit:.2g})" if pair.outcome == "partial" else pair.outcome
        add(gold[pair.gold], (said(gold[pair.gold]), said(system[pair.system]), outcome))
    for each in matching.missed:
        add(gold[each.item], (said(gold[each.item]), "", "omitted"))
    for each in matching.spurious:
        add(system[each.item], ("", said(system[each.item]), "hallucinated"))
    return {groups: sorted(rows) for groups, rows in tables.items()}


def _elements(item: Item) -> Groups:
    """The elements of lists that a leaf stands in; where there is nothing on the other side, they are in its name."""
    if item.group:
        return tuple(item.group)
    places = [item.id[: found.end()] for found in _PLACE.finditer(item.id)]
    return tuple(place for place in places if place != item.id)


def _natural(name: str) -> tuple[bool, list[tuple[str, int]]]:
    """A place in the order of its numbers; what only the system has comes last."""
    plain = name.lstrip("+")
    numbers = [int(found[0]) for found in _NUMBER.finditer(plain)]
    return name.startswith("+"), list(zip(_NUMBER.split(plain), [*numbers, 0], strict=True))
