"""Numbered changes of the database. Events are never rewritten; state is made anew from them after a change."""

from __future__ import annotations

from collections.abc import Callable

from adjudge.errors import UsageError
from adjudge.serve.store.sql import Connection, create, protect
from adjudge.serve.store.tables import TABLES, Meta

VERSION = 2
"""The number of the schema that this release reads and writes."""

MIGRATIONS: dict[int, Callable[[Connection], None]] = {2: lambda _: None}  # 2: tracks, which are state
"""From the number it leads to: what is done to the tables that are not state, in one transaction."""


def create_all(connection: Connection) -> None:
    """Make the tables of a new database; within a transaction."""
    for table in TABLES.values():
        for statement in create(table, connection.engine):
            connection.execute(statement)
    for statement in protect(connection.engine):
        connection.execute(statement)
    connection.insert([Meta("version", str(VERSION))])


def create_state(connection: Connection) -> None:
    """Make the tables of state anew, and empty; within a transaction."""
    for table in TABLES.values():
        if table.state:
            connection.execute(f"DROP TABLE IF EXISTS {table.name}")
            for statement in create(table, connection.engine):
                connection.execute(statement)


def version_of(connection: Connection) -> int:
    """The number of the schema of a database; 0 if it is empty."""
    if not connection.has_tables():
        return 0
    found = connection.get(Meta, [("version",)])
    return int(found[0].value) if found else 0


def check_not_newer(found: int) -> None:
    """Refuse what a newer release has written."""
    if found > VERSION:
        raise UsageError(
            f"the database has version {found}, this adjudge knows {VERSION}: use the newer release that wrote it"
        )


def check_version(connection: Connection) -> None:
    """Refuse a database of another release."""
    found = version_of(connection)
    check_not_newer(found)
    if found < VERSION:
        raise UsageError(
            f"the database has version {found}, this adjudge needs {VERSION}: adjudge serve upgrade FOLDER"
        )
