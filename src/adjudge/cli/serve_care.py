"""`adjudge serve verify`, `rebuild`, `backup`, `restore`, `rotate`, `upgrade`: looking after the data of a server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from adjudge.bounded import file_bytes
from adjudge.cli.options import Target, command, flag, value
from adjudge.cli.output import emit_lines
from adjudge.errors import FormatError, Problem, ValidationError
from adjudge.findings import counted
from adjudge.serve.folder import SECRET, SETTINGS, Folder, read_settings

_folder = click.Argument(["folder"], metavar="FOLDER")


@command(
    "verify",
    _folder,
    value("--heads", "FILE", "The manifest.json of an export: what it says of events must still hold.", type=Path),
    examples=["adjudge serve verify autumn"],
)
def verify(folder: str, heads: Path | None) -> None:
    """Check that nothing in FOLDER was changed or lost: the chains of events, the tables, the files.

    The server may be running. Removing the last events of a stream together with its head leaves no trace in the
    folder itself; --heads detects that too.
    """
    from adjudge.serve.store import Store, care

    noted = _heads(heads) if heads else None
    found = Folder(folder)
    with Store.open(found.path, found.database, read_only=True) as store:
        seen = care.verify(store, noted)
    if seen.problems:
        raise ValidationError(seen.problems).at(folder)
    said = f"{counted(seen.events, 'event')} in {counted(seen.streams, 'stream')}, {counted(seen.blobs, 'file')}"
    emit_lines([f"{folder}: {said}: everything is intact"])
    if seen.clock:
        emit_lines([f"the clock went back {counted(seen.clock, 'time')}; events are in the order of their numbers"])


def _heads(file: Path) -> dict[str, tuple[int, str]]:
    import msgspec

    class Manifest(msgspec.Struct):
        heads: dict[str, tuple[int, str]]

    try:
        return msgspec.json.decode(file_bytes(file), type=Manifest).heads
    except (OSError, msgspec.MsgspecError) as error:
        raise FormatError(Problem(f"no stream heads: {error}", str(file), hint="give a manifest.json")) from None


@command("rebuild", _folder, examples=["adjudge serve rebuild autumn"])
def rebuild(folder: str) -> None:
    """Rebuild all tables of FOLDER from its events, in one step. The server must not be running."""
    from adjudge.serve.store import Store, care

    found = Folder(folder)
    with Store.open(found.path, found.database, server=True) as store:
        other = care.rebuild(store)
    said = f"these tables differed from the events: {', '.join(other)}" if other else "all as it was before"
    emit_lines([f"{folder}: rebuilt from the events; {said}"])


@command(
    "backup",
    _folder,
    value(
        "-o --output", "BACKUP", "A new folder for it.", type=Target("this writes a folder, name one"), required=True
    ),
    examples=["adjudge serve backup autumn -o saved"],
)
def backup(folder: str, output: Any) -> None:
    """Back up everything that cannot be rebuilt into a new folder, a snapshot of one moment, while people work.

    It can be restored into SQLite or PostgreSQL, whichever it came from. Keep it as safe as FOLDER itself: it contains
    secret.key.
    """
    from adjudge.serve.store import Store, care

    found = Folder(folder)
    with Store.open(found.path, found.database, read_only=True) as store:
        last = care.backup(store, Path(output))
    emit_lines([f"{output}: {counted(last, 'event')}"])


@command(
    "restore",
    click.Argument(["backup"], metavar="BACKUP"),
    click.Argument(["folder"], metavar="FOLDER"),
    value("--database", "URL", "The empty PostgreSQL database to fill, if not the one that its serve.toml names."),
    examples=["adjudge serve restore saved autumn-2"],
)
def restore(backup: str, folder: str, database: str | None) -> None:
    """Restore a backup into FOLDER, which must be new or empty; all or nothing. Its chains of events are checked."""
    from adjudge.serve.store import care

    settings = Path(backup) / SETTINGS
    named = read_settings(settings).server.database if settings.is_file() else None
    number = care.restore(Path(backup), Path(folder), database or named)
    emit_lines([f"{folder}: {counted(number, 'event')}"])
    if database and database != named:
        emit_lines([f"next: write the database into {Path(folder) / SETTINGS}, or set ADJUDGE_DATABASE"])
    if not (Path(folder) / SECRET).is_file():
        emit_lines([f"there was no {SECRET} in the backup: put it there before you serve the folder"])


@command(
    "rotate",
    _folder,
    flag("--end-sessions", "Invalidate all cookies of the old key: everybody signs in again."),
    examples=["adjudge serve rotate autumn", "adjudge serve rotate autumn --end-sessions"],
)
def rotate(folder: str, end_sessions: bool) -> None:
    """Make a new key (secret.key) for FOLDER; restart the server to use it.

    People stay signed in until the next rotation; if the old key has leaked, use --end-sessions. Items keep their
    names; invitations, passwords and tokens stay valid.
    """
    Folder(folder).rotate(end_sessions=end_sessions)
    emit_lines([f"{folder}: a new key; restart the server, and back up {SECRET}"])


@command("upgrade", _folder, examples=["adjudge serve upgrade autumn"])
def upgrade(folder: str) -> None:
    """Upgrade the database of FOLDER to this release, after a backup. The server must not be running."""
    from adjudge.serve.store import care

    found = Folder(folder)
    old, new, saved = care.upgrade(found.path, found.database)
    if saved is None:
        emit_lines([f"{folder}: up to date (version {new})"])
    else:
        emit_lines([f"{folder}: from version {old} to {new}; as it was before: {saved}"])
