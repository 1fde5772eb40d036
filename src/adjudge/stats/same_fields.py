"""Means over fields in several results: each knows the fields that it has seen, and all together have all of them."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from adjudge.stats.measure import Fields
from adjudge.stats.result import Result
from adjudge.stats.table import StatsTable


def with_same_fields(results: Sequence[Result]) -> list[Result]:
    """The results with means over the fields of all of them; a field that one has not seen counts nothing there."""
    every: dict[str, dict[tuple[str, str, str], None]] = {}
    for result in results:
        for each in result.measures:
            if isinstance(each, Fields):
                every.setdefault(each.name, {}).update(dict.fromkeys(each.of))
    groups = {name: tuple(sorted(found)) for name, found in every.items()}
    return [_widened(result, groups) for result in results]


def _widened(result: Result, groups: dict[str, tuple[tuple[str, str, str], ...]]) -> Result:
    own = [each for each in result.measures if isinstance(each, Fields)]
    if all(each.of == groups[each.name] for each in own):
        return result
    columns = [name for each in own for group in groups[each.name] for name in group]
    measures = tuple(
        msgspec.structs.replace(each, of=groups[each.name]) if isinstance(each, Fields) else each
        for each in result.measures
    )
    systems = tuple(
        msgspec.structs.replace(each, table=_with(each.table, columns), best=_with(each.best, columns))
        for each in result.systems
    )
    return msgspec.structs.replace(result.signed(), measures=measures, systems=systems)


def _with(table: StatsTable | None, columns: Sequence[str]) -> StatsTable | None:
    """A table with these columns at its end, whether it has them or not."""
    if table is None:
        return None
    wanted = set(columns)
    kept = [place for place, name in enumerate(table.columns) if name not in wanted]
    places = {name: place for place, name in enumerate(table.columns)}
    order = [*kept, *(places.get(name, -1) for name in columns)]
    rows = tuple(tuple([row[place] if place >= 0 else 0.0 for place in order]) for row in table.values)
    return StatsTable(table.ids, (*(table.columns[place] for place in kept), *columns), rows, table.attributes)
