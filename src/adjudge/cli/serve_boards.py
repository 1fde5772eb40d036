"""`adjudge serve board`, `scoring`, `program`: boards for any web server, rescoring and freezing, bundles."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from adjudge.cli.options import Target, command, flag, format_option, value
from adjudge.cli.output import emit_json, emit_lines
from adjudge.errors import UsageError, ValidationError
from adjudge.findings import counted

if TYPE_CHECKING:
    from adjudge.serve.folder import Folder
    from adjudge.serve.store import Store

_folder = click.Argument(["folder"], metavar="FOLDER")
_track = click.Argument(["track"], metavar="TRACK")
_phase = value("--phase", "NAME", "Which phase; not needed if there is only one.")


@contextmanager
def _opened(folder: str) -> Iterator[tuple[Folder, Store]]:
    from adjudge.serve.folder import Folder
    from adjudge.serve.store import Store

    found = Folder(folder)
    with Store.open(found.path, found.database) as store:
        try:
            yield found, store
        except ValidationError as error:
            raise error.at(folder) from None


@command(
    "board",
    _folder,
    value("-o --output", "DIR", "The folder to write; existing pages are replaced.", type=Path, required=True),
    examples=["adjudge serve board autumn -o public"],
)
def board(folder: str, output: Path) -> None:
    """Write the boards of FOLDER that everybody may see, for any web server: byte for byte what the server shows.

    Pages need no script and no network; beside each are the same numbers as CSV, JSON and LaTeX, and for a frozen
    phase its manifest.
    """
    from adjudge.serve.board_desk import export_boards

    with _opened(folder) as (found, store):
        files = export_boards(store, found.settings.server.name, output)
    emit_lines([f"{output}: {counted(len(files), 'file')}; open {output / 'index.html'}"])


@command(
    "scoring",
    _folder,
    _track,
    _phase,
    flag("--again", "Rescore all runs with this release and the track's current commands and gold."),
    flag("--freeze", "Freeze the scores, with a manifest of everything they depend on."),
    flag("--thaw", "Undo --freeze."),
    format_option("text", "json"),
    examples=[
        "adjudge serve scoring autumn names",
        "adjudge serve scoring autumn names --again",
        "adjudge serve scoring autumn names --freeze",
    ],
)
def scoring(folder: str, track: str, **options: Any) -> None:
    """List the scorings of a phase of TRACK and what the last one changed; rescore, freeze.

    The server may be running. A new scoring leaves earlier ones unchanged: their board is shown until all runs are
    rescored, and if one is frozen, until the new one is frozen too. To correct the gold, use `adjudge serve track
    FOLDER TRACK --gold`.
    """
    from adjudge.serve import scorings
    from adjudge.serve.program import chosen_phase

    asked = [name for name in ("again", "freeze", "thaw") if options[name]]
    if len(asked) > 1:
        raise UsageError(f"--{asked[0]} and --{asked[1]} cannot be combined", hint="give one after the other")
    with _opened(folder) as (_, store):
        with store.read() as snapshot:
            name = chosen_phase(snapshot, track, options["phase"])[1].id
        said = []
        if options["again"]:
            said = [f"all runs are scored again: {scorings.rescore(store, track, name, 'admin')}"]
        elif asked:
            digest = scorings.freeze(store, track, name, "admin", frozen=options["freeze"])
            said = [f"frozen; SHA-256 of the manifest: {digest}" if digest else "thawed"]
        with store.read() as snapshot:
            found = scorings.scorings_of(snapshot, track, name)
        moved = scorings.last_moved(store, found)
    if options["format_"] == "json":
        import msgspec

        emit_json(msgspec.to_builtins({"phase": name, "scorings": found, "moved": moved}))
        return
    lines = [f"{each.id}  adjudge {each.adjudge}  {'frozen' if each.frozen else each.state}" for each in found]
    for each in moved:
        if each.change:
            before, after = (100 * line.value for line in (each.before, each.after) if line and line.value is not None)
            lines.append(f"{each.team}, {each.run}: {before:.1f}, now {after:.1f}")
    emit_lines([*lines, *said])


@command(
    "program",
    _folder,
    _track,
    _phase,
    value("-o --output", "FILE", "The archive to write.", type=Target("name a file"), required=True),
    examples=["adjudge serve program autumn names -o bundle.zip"],
)
def program(folder: str, track: str, phase: str | None, output: Any) -> None:
    """Pack the scoring of TRACK for Codabench, CodaLab and the like: the same command lines, a scoring program and the
    gold.

    `python3 scoring_program/score.py INPUT OUTPUT` in it scores INPUT/res against the gold in INPUT/ref, anywhere,
    with the same scores as the server.
    """
    from adjudge.serve.program import make_bundle

    with _opened(folder) as (_, store):
        files = make_bundle(store, track, phase, Path(output))
    emit_lines([f"{output}: {counted(len(files), 'file')}"])
