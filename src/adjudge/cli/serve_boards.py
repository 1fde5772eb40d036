"""`adjudge serve board`, `phase`, `program`: boards for any web server, what is done to a phase, bundles."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from adjudge.cli.options import Target, choice, command, flag, value
from adjudge.cli.output import emit_lines
from adjudge.errors import UsageError
from adjudge.findings import counted

if TYPE_CHECKING:
    from adjudge.serve.folder import Folder
    from adjudge.serve.store import Store

_folder = click.Argument(["folder"], metavar="FOLDER")
_track = click.Argument(["track"], metavar="TRACK")
_phase = value("--phase", "NAME", "Which phase; not needed if there is one.")


@contextmanager
def _opened(folder: str) -> Iterator[tuple[Folder, Store]]:
    from adjudge.serve.folder import Folder
    from adjudge.serve.store import Store

    found = Folder(folder)
    with Store.open(found.path, found.database) as store:
        yield found, store


@command(
    "board",
    _folder,
    value("-o --output", "DIR", "The folder for it; pages that are there are replaced.", type=Path, required=True),
    examples=["adjudge serve board autumn -o public"],
)
def board(folder: str, output: Path) -> None:
    """Write the boards of FOLDER that everybody may see, for any web server: byte for byte what the server shows.

    Pages need no script and no network; beside each are the same numbers as CSV, JSON and LaTeX, and of a phase that
    is frozen its manifest.
    """
    from adjudge.serve.board_desk import export_boards

    with _opened(folder) as (found, store):
        files = export_boards(store, found.settings.server.name, output)
    emit_lines([f"{output}: {counted(len(files), 'file')}; open {output / 'index.html'}"])


@command(
    "phase",
    _folder,
    _track,
    _phase,
    choice("--show", ("hidden", "own", "bands", "public"), "What is shown of its board."),
    value("--closes", "TIME", "Close it at this time (2026-12-01 12:00), or never; one that was closed opens again."),
    value("--zone", "ZONE", "The time zone of --closes: UTC, Europe/Berlin, AoE (anywhere on earth)."),
    flag("--rescore", "Score all runs again by this release and the track as it is; the scores before stay."),
    value("--gold", "FILE", "With --rescore: corrected gold.", type=Path),
    flag("--freeze", "Let the scores stay as they are, and make a manifest of everything that they follow from."),
    flag("--thaw", "Undo --freeze."),
    examples=[
        "adjudge serve phase autumn names --show public",
        "adjudge serve phase autumn names --rescore --gold corrected.bio",
        "adjudge serve phase autumn names --freeze",
    ],
)
def phase(folder: str, track: str, **options: Any) -> None:
    """Do something to a phase of TRACK, also while the server runs; several things are done in the order above.

    Runs that are scored again wait for the server's workers; the board before is shown until all are through.
    """
    from adjudge.serve import scorings
    from adjudge.serve.program import chosen_phase
    from adjudge.serve.tracks import keep_file, set_phase, utc

    wanted = [name for name in ("show", "closes", "rescore", "freeze", "thaw") if options[name]]
    if not wanted:
        raise UsageError("nothing is to be done", hint="give --show, --closes, --rescore, --freeze or --thaw")
    if options["gold"] is not None and not options["rescore"]:
        raise UsageError("gold is for scoring", hint="give --rescore, too")
    if options["zone"] is not None and options["closes"] is None:
        raise UsageError("a zone belongs to a time", hint="give --closes, too")
    if options["freeze"] and (options["thaw"] or options["rescore"]):
        raise UsageError("a phase is frozen when everything is scored", hint="give --freeze alone")
    with _opened(folder) as (_, store):
        with store.read() as snapshot:
            name = chosen_phase(snapshot, track, options["phase"])[1].id
        if options["show"]:
            set_phase(store, track, name, {"show": options["show"]})
            emit_lines([f"{track}, {name}: the board is {options['show']}"])
        if options["closes"]:
            closes = None if options["closes"] == "never" else utc(options["closes"], options["zone"])
            scorings.extend(store, track, name, closes, "admin")
            emit_lines([f"{track}, {name}: closes {closes[:16].replace('T', ' ') + ' UTC' if closes else 'never'}"])
        if options["thaw"]:
            scorings.freeze(store, track, name, "admin", frozen=False)
            emit_lines([f"{track}, {name}: thawed"])
        if options["rescore"]:
            gold = None if options["gold"] is None else keep_file(store, options["gold"])
            made = scorings.rescore(store, track, name, "admin", gold)
            emit_lines([f"{track}, {name}: all runs are scored again: {made}"])
        if options["freeze"]:
            digest = scorings.freeze(store, track, name, "admin")
            emit_lines([f"{track}, {name}: frozen; SHA-256 of the manifest: {digest}"])


@command(
    "program",
    _folder,
    _track,
    _phase,
    value("-o --output", "FILE", "The archive to write.", type=Target(), required=True),
    examples=["adjudge serve program autumn names -o bundle.zip"],
)
def program(folder: str, track: str, phase: str | None, output: Any) -> None:
    """Pack the scoring of TRACK for Codabench, CodaLab and the like: the same command lines, a program, gold.

    `python3 scoring_program/score.py INPUT OUTPUT` in it scores what is in INPUT/res by the gold in INPUT/ref,
    anywhere; the scores are those of the server.
    """
    from adjudge.serve.program import make_bundle

    with _opened(folder) as (_, store):
        files = make_bundle(store, track, phase, Path(output))
    emit_lines([f"{output}: {counted(len(files), 'file')}"])
