"""Lists that stand in the cells of a table as text: as JSON, as Python writes them, or as numpy writes arrays."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from adjudge.formats.coerce.corpus import ITEMS, STARTS, TAG_COLUMNS, Declared, Table, plain, wrong

_FIELDS = frozenset(
    (*TAG_COLUMNS, *ITEMS, "token", "tokens", "words", "relations", "triples", "events", "clusters", "heads", "deprels")
)
_CELL = re.compile(r"\s*(?:\[.*\]|\(.*\))\s*", re.DOTALL)
_VALUE = r"""(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|-?\d+)"""
_ARRAY = rf"(?s)\[\s*{_VALUE}(?:\s+{_VALUE})+\s*\]"
_SHOWN = 40  # characters of a cell that is no list


def is_cell(name: str, value: Any) -> bool:
    """Whether a cell has a list in a field that usually is one.

    >>> is_cell("tags", "['O']"), is_cell("text", "[1]"), is_cell("label", "PER")
    (True, False, False)
    """
    return isinstance(value, str) and name in _FIELDS and _CELL.fullmatch(value) is not None


def are_cells(documents: Iterable[Any], declared: Declared) -> bool:
    """Whether documents have lists as texts: the first that has anything where lists usually stand says so."""
    known = _FIELDS | {declared.field, declared.column}
    for each in documents:
        if not isinstance(each, Mapping):
            return False
        found = [value for name, value in each.items() if name in known and plain(value) is not None]
        if found:
            return any(isinstance(value, str) and _CELL.fullmatch(value) for value in found)
    return False


def with_lists(table: Table, declared: Declared) -> Table:
    """The table with lists in place of the texts that stand for them; one that cannot be read is an error."""
    if not set(STARTS).isdisjoint(table.columns):  # rows of items
        return table
    known = _FIELDS | {declared.field, declared.column}
    rows = [dict(row) for row in table.rows]
    for name in (each for each in table.columns if each in known):
        texts = [row for row in rows if row[name] is not None]
        if not texts or not isinstance(texts[0][name], str) or not _CELL.fullmatch(texts[0][name]):
            continue
        for row in texts:
            found = row[name] if not isinstance(row[name], str) else list_in(row[name])
            if found is None:
                key = next((row[each] for each in (declared.id, "id") if each in row), rows.index(row) + 1)
                shown = row[name] if len(row[name]) <= _SHOWN else f"{row[name][:_SHOWN]}..."
                message = f", document {str(key)!r}: {shown!r} in the column {name} is not a list"
                raise wrong(declared.side, message, "write all of them as JSON")
            row[name] = found
    return Table(table.columns, rows)


def list_in(text: str) -> list[Any] | None:
    r"""The list that a text stands for; None if it is none.

    >>> list_in('["B-PER", "O"]'), list_in("['B-PER', 'O']"), list_in("['B-PER' 'O'\n 'O']"), list_in("[1 2]")
    (['B-PER', 'O'], ['B-PER', 'O'], ['B-PER', 'O', 'O'], [1, 2])
    >>> list_in("('O',)"), list_in("[]"), list_in("[O]")
    (['O'], [], None)
    """
    text = text.strip()
    try:
        value = msgspec.json.decode(text)
        return value if isinstance(value, list) else None
    except (msgspec.DecodeError, RecursionError):
        pass
    import ast

    try:
        if re.fullmatch(_ARRAY, text):  # numpy writes no commas, and Python would join what stands side by side
            return [ast.literal_eval(each) for each in re.findall(_VALUE, text)]
        found = ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None
    return list(found) if isinstance(found, list | tuple) else None
