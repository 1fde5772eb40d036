"""The rows of one transaction: read once, changed in memory, written together at its end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from adjudge.serve.store.sql import Connection
from adjudge.serve.store.tables import TABLES, Event, R, Row


class Rows:
    """Rows by their primary keys, as the transaction sees them."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self._known: dict[type[Row], dict[tuple[Any, ...], Row | None]] = {kind: {} for kind in TABLES}
        self._changed: dict[type[Row], dict[tuple[Any, ...], None]] = {}

    def get(self, kind: type[R], *key: Any) -> R | None:
        """One row, or None."""
        known = self._known[kind]
        if key not in known:
            found = self.connection.get(kind, [key])
            known[key] = found[0] if found else None
        return cast("R | None", known[key])

    def load(self, kind: type[Row], keys: Sequence[tuple[Any, ...]]) -> None:
        """Fetch rows that will be asked for."""
        known = self._known[kind]
        asked = [key for key in dict.fromkeys(keys) if key not in known]
        if asked:
            known.update(dict.fromkeys(asked))
            table = TABLES[kind]
            known.update((table.at(row), row) for row in self.connection.get(kind, asked))

    def load_all(self, wanted: Mapping[type[Row], Sequence[tuple[Any, ...]]]) -> None:
        """Fetch rows of several tables at once."""
        for kind, keys in wanted.items():
            self._known[kind].update(dict.fromkeys(keys))
        for row in self.connection.get_all(wanted):
            self._known[type(row)][TABLES[type(row)].at(row)] = row

    def find(self, kind: type[R], /, **where: Any) -> list[R]:
        """The rows whose columns have these values."""
        self.flush(kind)
        known, table = self._known[kind], TABLES[kind]
        return [cast("R", known.setdefault(table.at(row), row)) for row in self.connection.find(kind, **where)]

    def put(self, row: Row) -> None:
        """A row that is new or was changed."""
        kind = type(row)
        key = TABLES[kind].at(row)
        self._known[kind][key] = row
        self._changed.setdefault(kind, {})[key] = None

    def drop(self, kind: type[Row], *key: Any) -> None:
        """Remove a row."""
        self._known[kind][key] = None
        self._changed.setdefault(kind, {})[key] = None

    def flush(self, *kinds: type[Row]) -> None:
        """Write what was changed, of these types or of all."""
        for kind in kinds or tuple(self._changed):
            changed = self._changed.pop(kind, None)
            if not changed:
                continue
            rows = {key: self._known[kind][key] for key in changed}
            if gone := [key for key, row in rows.items() if row is None]:
                self.connection.delete(kind, gone)
            if kept := [row for row in rows.values() if row is not None]:
                self.connection.insert(kept, replace=kind is not Event)

    def forget(self) -> None:
        """Write everything, and keep nothing in memory."""
        self.flush()
        for known in self._known.values():
            known.clear()
