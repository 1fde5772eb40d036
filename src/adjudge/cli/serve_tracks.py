"""`adjudge serve track`, `worker`, `board`, `scoring` and `program`: what teams submit to, and what becomes of it."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from adjudge.cli.options import choice, command, flag, format_option, section, value
from adjudge.cli.output import emit_json, emit_lines
from adjudge.cli.serve import log_option, workers_option
from adjudge.errors import Problem, UsageError, ValidationError, did_you_mean

if TYPE_CHECKING:
    from adjudge.serve.folder import Folder
    from adjudge.serve.store import Store
    from adjudge.serve.tracks import TrackSettings
from collections.abc import Iterator
from contextlib import contextmanager

from adjudge.cli.options import Target
from adjudge.findings import counted

if TYPE_CHECKING:
    from adjudge.serve.folder import Folder
    from adjudge.serve.store import Store

_FORMAT = ("--format", "json")
gold_option = value("--gold", "FILE", "The gold: a file or a folder, which is stored.", type=Path)
with_option = value(
    "--with",
    "NAME=VALUE",
    "An option of the scoring: reader=bio, schema=invoice.yaml; files and folders are stored. Repeatable.",
    multiple=True,
)
trust_option = flag("--trust-code", "Let module:name in the commands run code that is installed here.")


def tasks() -> list[str]:
    """The possible tasks of a track: all that score and validate, and `score` for a custom metric."""
    from adjudge.cli.app import COMMANDS, find_families

    groups = [name for name, entry in COMMANDS.items() if {"score", "validate"} <= set(entry.commands)]
    return [*groups, *find_families(""), "score"]


def _options_of(*names: str) -> set[str]:
    """The options of a command, without their dashes."""
    from adjudge.cli.app import app

    context = click.Context(app)
    found: click.Command | None = app
    for name in names:
        if isinstance(found, click.Group):
            found = found.get_command(context, name)
        elif name != "score":
            found = None
    params = found.params if found is not None else []
    return {opt[2:] for each in params for opt in (*each.opts, *each.secondary_opts) if opt.startswith("--")}


def preset(task: str, given: Sequence[str]) -> tuple[dict[str, list[str]], dict[str, Path]]:
    """The command lines of a task with some options, and the files among these.

    >>> lines, files = preset("ner", ["reader=bio"])
    >>> print(*lines["check"])
    ner validate {system} --reader bio --format json
    >>> print(*lines["score"])
    ner score {gold} {name}={system} --reader bio --save {result} --format json
    """
    known = tasks()
    if task not in known:
        raise UsageError(
            f"there is no task {task!r}", hint=did_you_mean(task, known) or f"choose from {', '.join(known)}"
        )
    score, check = _options_of(task, "score"), _options_of(task, "validate")
    files: dict[str, Path] = {}
    scoring: list[str] = []
    checking: list[str] = []
    metric = ""
    options: list[tuple[str, str]] = []
    for each in given:
        name, equals, text = each.partition("=")
        if task == "score" and name == "metric":
            metric = text
        elif name not in score | check or name in ("save", "format", "output", "gold"):
            hint = did_you_mean(name, sorted(score)) or f"see adjudge {task} score --help"
            raise UsageError(f"{task} score has no option {name!r}", hint=hint)
        if equals and Path(text).exists():
            files[name] = Path(text)
            text = f"{{{name}}}"
        if task == "score" and name == "metric":
            metric = text
            continue
        options.append((name, text))
        words = [f"--{name}", text] if equals else [f"--{name}"]
        scoring += words if name in score else []
        checking += words if name in check else []
    if task == "score":
        if not metric:
            raise UsageError("which metric?", hint="give --with metric=NAME, a file, or module:name")
        read = ["score", metric, "{gold}", "{gold}", *scoring, "--bootstrap", "0", "--quiet", "-o", os.devnull]
        return {
            "gold_check": read,
            "score": ["score", metric, "{gold}", "{name}={system}", *scoring, "--save", "{result}", *_FORMAT],
        }, files
    return {
        "gold_check": _gold_check(task, options),
        "check": [task, "validate", "{system}", *checking, *_FORMAT],
        "score": [task, "score", "{gold}", "{name}={system}", *scoring, "--save", "{result}", *_FORMAT],
    }, files


def _gold_check(task: str, options: Sequence[tuple[str, str]]) -> list[str]:
    """The command that validates gold, with those of the options that it has; `reader` is that of gold."""
    path = ("eal", "assessment", "check") if task == "eal" else (task, "validate")
    known = _options_of(*path)
    made = {name: text for name, text in options if name in known}
    own = {name: text for name, text in options if name in ("reader", "gold-reader")}
    if own:
        made["reader" if "reader" in known else "from"] = own.get("gold-reader", own.get("reader", ""))
    words = [word for name, text in made.items() if name in known for word in (f"--{name}", text) if word]
    return [*path, "{gold}", *words, *(["--side", "gold"] if "side" in known else []), "--quiet"]


def _take_gold(store: Store, settings: TrackSettings, gold: Path, files: Mapping[str, Path]) -> dict[str, Any]:
    """Store gold that is valid for its task; else raise with the findings of the task's own validator."""
    from adjudge.cli import run
    from adjudge.serve.tracks import filled, keep_file

    line = filled(settings.gold_check, {name: str(path) for name, path in {**files, "gold": gold}.items()})
    if line and gold.exists() and run(line) != 0:
        hint = f"correct it until this finds no error: adjudge {shlex.join(line)}"
        raise ValidationError(Problem(f"this gold does not fit the task {settings.task}", str(gold), hint=hint))
    return keep_file(store, gold)


def make_track(store: Store, folder: Folder, name: str, task: str, options: Mapping[str, Any]) -> None:
    """Create a track and its first phase, and write it into `serve.toml`."""
    from adjudge.serve.tracks import PHASE, keep_file, parse_settings, set_phase, set_track

    campaign = options.get("assessed")
    if (options["gold"] is None) == (campaign is None):
        raise UsageError("a track needs gold, or people who assess", hint="give --gold FILE, or --campaign NAME")
    if campaign is None:
        lines, files = preset(task, options["with"])
    else:
        from adjudge.serve import assessed

        wanted, lines, files = assessed.preset(folder, store, campaign, options["with"])
        if task != wanted:
            raise UsageError(f"the campaign {campaign!r} assesses {wanted}", hint=f"give --task {wanted}")
    table: dict[str, Any] = {"task": task, **lines, **({"trust_code": True} if options["trust_code"] else {})}
    table |= {"campaign": campaign, "report": []} if campaign else {}
    settings = parse_settings(name, table, {each: {} for each in files})
    gold = {} if campaign else {"gold": _take_gold(store, settings, options["gold"], files)}
    kept = {each: keep_file(store, path) for each, path in files.items()}
    set_track(store, name, parse_settings(name, table, kept))
    set_phase(store, name, options.get("phase") or PHASE, gold)
    _write_table(folder.path / "serve.toml", name, table)


def _write_table(file: Path, name: str, table: Mapping[str, Any]) -> None:
    """Add a track to `serve.toml`; the rest of the file is unchanged."""
    lines = [f"\n[track.{json.dumps(name, ensure_ascii=False)}]"]
    lines += [f"{key} = {json.dumps(given, ensure_ascii=False)}" for key, given in table.items()]  # JSON is TOML here
    lines.append('limits = { upload = "200 MB", memory = "4 GB", wall = "30 min", runs = 5, per_day = 0 }')
    with file.open("a", encoding="utf-8") as opened:
        opened.write("\n".join(lines) + "\n")


@command(
    "track",
    click.Argument(["folder"], metavar="FOLDER"),
    click.Argument(["name"], metavar="[NAME]", required=False),
    value("--task", "TASK", "Make the track: ner, coref, ..., or score for a metric of your own."),
    gold_option,
    value("--campaign assessed", "NAME", "Instead of gold: the people of this campaign on the server assess the runs."),
    with_option,
    trust_option,
    section(
        "A phase",
        value("--phase", "PHASE", "Which one; a new name makes a new one. [default: main]"),
        value("--opens", "TIME", "When submissions open: 2026-12-01 12:00, with --zone, or 2026-12-01T12:00Z."),
        value("--closes", "TIME", "When they close; a date alone means the end of that day."),
        value("--zone", "ZONE", "The time zone of both: UTC, Europe/Berlin, AoE (anywhere on earth)."),
        choice("--show", ("hidden", "own", "bands", "public"), "How much of the board is shown."),
        value("--runs", "N", "How many runs a team may submit; 0 for any number.", type=click.IntRange(0)),
        value("--per-day", "N", "How many of them per day (UTC); 0 for any number.", type=click.IntRange(0)),
    ),
    format_option("text", "json"),
    examples=[
        "adjudge serve track autumn",
        "adjudge serve track autumn entities --task ner --gold gold.bio --with reader=bio",
        "adjudge serve track autumn arguments --task eal --campaign autumn",
        "adjudge serve track autumn names --phase test --closes 2026-12-01 --zone AoE --runs 5",
    ],
)
def track(folder: str, name: str | None, **options: Any) -> None:
    """List the tracks of FOLDER, or make or change the one called NAME; the server may be running.

    A track is a table of command lines in serve.toml: [track.NAME]. Options that are not given stay as they are. Times
    are stored as UTC.
    """
    from adjudge.serve.access import Access
    from adjudge.serve.folder import Folder
    from adjudge.serve.settings import take_over
    from adjudge.serve.store import Store
    from adjudge.serve.store.tables import Track
    from adjudge.serve.tracks import sync_tracks

    found = Folder(folder)
    of_phase = ("phase", "opens", "closes", "zone", "show", "runs", "per_day")
    if name is None and any(options[key] for key in (*of_phase, "task", "gold", "assessed", "with", "trust_code")):
        raise UsageError("which track is meant?", hint="name it after the folder")
    with Store.open(found.path, found.database) as store:
        with store.read() as snapshot:
            known = name is not None and snapshot.get(Track, name) is not None
        if name is not None and not known:
            if options["task"] is None:
                raise UsageError(f"there is no track {name!r}", hint="give --task and --gold to make it")
            make_track(store, found, name, options["task"], options)
        for key in ("task", "assessed", "with", "trust_code"):
            if known and options[key]:
                hint = f"change [track.{name}] in serve.toml"
                raise UsageError(f"--{key.replace('_', '-')} is for a new track", hint=hint)
        found = Folder(folder)
        take_over(found, store, Access(store, found.secrets, found.settings))
        said = sync_tracks(store, found.settings.track)
        if name is not None and (any(options[key] is not None for key in of_phase) or (known and options["gold"])):
            _change_phase(store, name, options, gold=options["gold"] if known else None)
        rows = _rows(store, name)
    if options["format_"] == "json":
        emit_json({"tracks": rows})
        return
    lines = []
    for row in rows:
        for phase in row["phases"]:
            times = [f"{what} {phase[what][:16].replace('T', ' ')} UTC" for what in ("opens", "closes") if phase[what]]
            limits = [f"{key} {text}" for key, text in phase["limits"].items()]
            lines.append("  ".join([row["track"], row["task"], phase["phase"], *times, phase["show"], *limits]))
    emit_lines([*(lines or ["no track yet: adjudge serve track FOLDER NAME --task TASK --gold FILE"]), *said])


def _change_phase(store: Store, track: str, options: Mapping[str, Any], gold: Path | None) -> None:
    """Change a phase as the options say; a new one has the gold of the first unless it is given its own."""
    from tempfile import TemporaryDirectory

    from adjudge.serve.store.tables import Phase
    from adjudge.serve.tracks import PHASE, lay_out, set_phase, settings_of, track_of, utc

    phase = options["phase"] or PHASE
    with store.read() as snapshot:
        settings = settings_of(track_of(snapshot, track))
        old, first = snapshot.get(Phase, track, phase), next(iter(snapshot.find(Phase, track=track)), None)
    body: dict[str, Any] = {}
    for key in ("opens", "closes"):
        if options[key] is not None:
            body[key] = utc(options[key], options["zone"])
    if options["show"] is not None:
        body["show"] = options["show"]
    limits = {key: options[key] for key in ("runs", "per_day") if options[key] is not None}
    if limits:
        body["limits"] = {**(old.limits if old else {}), **limits}
    if gold is not None:
        with TemporaryDirectory() as folder:
            files = {each: lay_out(store, kept, Path(folder)) for each, kept in settings.files.items()}
            body["gold"] = _take_gold(store, settings, gold, files)
    elif old is None and first is not None:
        body["gold"] = first.gold
    set_phase(store, track, phase, body)


def _rows(store: Store, name: str | None) -> list[dict[str, Any]]:
    from adjudge.serve.store.tables import Phase, Track

    with store.read() as snapshot:
        return [
            {
                "track": each.id,
                "task": each.task,
                "phases": [
                    {"phase": p.id, "opens": p.opens, "closes": p.closes, "show": p.show, "limits": p.limits}
                    for p in snapshot.find(Phase, track=each.id)
                ],
            }
            for each in snapshot.find(Track)
            if name in (None, each.id)
        ]


@command(
    "worker",
    click.Argument(["folder"], metavar="FOLDER"),
    workers_option,
    log_option,
    examples=["adjudge serve worker autumn --workers 4"],
)
def worker(folder: str, workers: int, log: str) -> None:
    """Check and score submissions to the server of FOLDER, on this or another machine, until interrupted.

    FOLDER is the server's, with its blobs; the database must be PostgreSQL, which several workers can share.
    """
    from adjudge.serve.child import describe
    from adjudge.serve.folder import Folder
    from adjudge.serve.jobs import Runner
    from adjudge.serve.run import ended_by_term, start_log, wait_for_end
    from adjudge.serve.store import Store

    found = Folder(folder)
    if found.database is None:
        hint = "give adjudge serve run --workers N, or let several share a PostgreSQL database"
        raise UsageError(f"{folder}: SQLite allows one server only", hint=hint)
    start_log(log)
    with Store.open(found.path, found.database) as store, ended_by_term(), Runner(store, workers):
        emit_lines([f"working for {found.settings.server.name}", describe(), "Ctrl-C ends it."])
        wait_for_end()


# ---------------------------------------------------------------------------------------------------------------------
# Boards, rescoring and packed scorings


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
