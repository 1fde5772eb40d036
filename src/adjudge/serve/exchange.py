"""Exports: a folder of its own with everything, or the official answers back into the folder of a campaign.

`adjudge eal campaign run` and a server may work on one folder in turn: a file that was changed since the server has
read or written it is not replaced, but has to be imported first.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from adjudge.errors import Problem, UsageError
from adjudge.files import write_atomically
from adjudge.formats.eal_write import FolderWriter
from adjudge.serve.campaigns import Batch, files_of, schema_of, written_scopes
from adjudge.serve.codecs import Sources, codec_of, digest
from adjudge.serve.store import Store, stream_of

PARTS = ("assessments", "frames")


class _ExportWriter(FolderWriter):
    parts = (*PARTS, "reference", "by-reader")


def export_folder(store: Store, campaign: str, target: Path, *, overwrite: bool = False) -> int:
    """Write everything of a campaign as of one moment; the folder appears atomically. Gives how many files."""
    count = 0
    with _ExportWriter(target, overwrite=overwrite, durable=True) as writer:
        for name, data in files_of(store, campaign):
            writer.put(name, data)
            count += 1
    return count


def campaign_sources(folder: Path) -> Sources:
    """Where the files of an `eal campaign` are."""
    from adjudge.tasks.eal.campaign_settings import FILE

    if not (folder / FILE).is_file():
        hint = "name a folder that adjudge eal campaign init has made"
        raise UsageError(Problem(f"there is no {FILE} in it", str(folder), hint=hint))
    return Sources(folder / "assessments", folder / "sources", folder / "frames", folder / "pool")


class Home(NamedTuple):
    """What came back into the folder of a campaign: files that were written, and how many are as they were."""

    written: list[str]
    same: int


def export_home(store: Store, campaign: str, folder: Path) -> Home:
    """Write the official answers into the folder of a campaign; nothing is written if a file was changed by others."""
    from adjudge.tasks.eal.locking import identity, locked

    schema = schema_of(store, campaign)
    campaign_sources(folder)
    with store.read() as snapshot:
        rows = {scope.id: scope.meta for scope in snapshot.scopes(campaign)}
        made = dict(codec_of(schema).write(schema, written_scopes(snapshot, schema, campaign)))
    changed: dict[str, bytes] = {}
    problems = []
    same = 0
    for name, data in made.items():
        part, _, scope = name.partition("/")
        if part not in PARTS:
            continue
        path = folder / name
        now = path.read_bytes() if path.is_file() else None
        if now == data:
            same += 1
        elif now is not None and digest(now) != _seen(rows.get(scope, {}), part):
            message = "the file was changed since the server has read or written it"
            problems.append(Problem(message, str(path), hint="import it first: adjudge serve import FOLDER"))
        else:
            changed[name] = data
    if problems:
        raise UsageError(problems)
    for part in PARTS:
        own = {name: data for name, data in changed.items() if name.startswith(f"{part}/")}
        if own:
            with locked(folder / part, overwrite=True, seen=identity(folder / part)):
                for name, data in own.items():
                    write_atomically(folder / name, data, sweep=False)
    _remember(store, campaign, rows, made)
    return Home(sorted(changed), same)


def _seen(meta: Mapping[str, Any], part: str) -> str | None:
    found = meta.get("files", {}).get(part)
    return None if found is None else str(found)


def _remember(store: Store, campaign: str, rows: Mapping[str, Mapping[str, Any]], made: Mapping[str, bytes]) -> None:
    """Note what the files are now."""
    scopes = []
    for scope, meta in rows.items():
        files = {part: digest(made[f"{part}/{scope}"]) for part in PARTS if f"{part}/{scope}" in made}
        if files != meta.get("files"):
            scopes.append({"id": scope, "meta": {**meta, "files": files}})
    if scopes:
        batch = Batch(store, "export")
        batch.add(stream_of(campaign), "scope", "export", {"scopes": scopes})
        batch.flush()
