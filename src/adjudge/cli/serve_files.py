"""`adjudge serve init`, `schema`, `import` and `export`: campaigns from files, and back."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from adjudge.cli.options import command, flag, section, share, value
from adjudge.cli.output import emit, emit_lines
from adjudge.cli.serve_tracks import gold_option, make_track, trust_option, with_option
from adjudge.errors import AdjudgeError, Problem, UsageError, did_you_mean
from adjudge.findings import Finding, Findings, counted, finding_lines
from adjudge.serve.schema import known_schemas, named_schema

if TYPE_CHECKING:
    from adjudge.serve.campaigns import Imported
    from adjudge.serve.codecs import Sources
    from adjudge.serve.desk import Desk
    from adjudge.serve.folder import Folder
    from adjudge.serve.store import Store

_folder = click.Argument(["folder"], metavar="FOLDER")
_scope = value("--scope", "CAMPAIGN", "Which campaign; not needed if there is only one.")
_texts = value("--texts", "DIR", "The texts: a file for each document.", type=Path)
_frames = value("--frames", "DIR", "Frames that belong to assessments of event arguments.", type=Path)
_training = value("--training", "FILE", "Items whose correct answers are known, to begin with.", type=Path)
_SCHEMAS = ", ".join(known_schemas())


@command("schema", click.Argument(["file"], metavar="FILE"), examples=["adjudge serve schema mine.toml"])
def schema(file: str) -> None:
    """Check an assessment schema: FILE, or one that comes with adjudge.

    All mistakes are reported at once: keys that clash or are reserved by the page, questions that are never asked or
    depend on themselves, and unknown fields, conditions and answers.
    """
    found = named_schema(file)
    asked, stages = counted(len(found.question), "question"), ", ".join(stage.kind for stage in found.stage)
    emit_lines([f"{file}: {found.name}, {asked}, stages {stages}, no mistakes"])


@command(
    "init",
    _folder,
    value("--campaign", "DIR", "Take over the folder of adjudge eal campaign.", type=Path),
    section(
        "Other campaigns",
        value("--schema", "NAME", f"A file, or {_SCHEMAS}."),
        value("--answers", "PATH", "Items, with or without answers: a file or a folder.", type=Path),
        _texts,
        _frames,
    ),
    _training,
    value(
        "--validity",
        "SHARE",
        "Share of the documents, drawn at random, in which readers never see suggestions.",
        type=share,
    ),
    section(
        "Submissions of teams",
        value("--track", "TASK", "Make a track of a task, or of score for a metric of your own."),
        gold_option,
        with_option,
        trust_option,
    ),
    value("--name", "NAME", "Name of the campaign or the track (default: that of the folder, or of the task)."),
    value("--database", "URL", "A PostgreSQL database, instead of a file in the folder."),
    examples=[
        "adjudge serve init autumn --campaign old/",
        "adjudge serve init facts --schema records --answers facts.jsonl --texts texts/",
        "adjudge serve init shared --track ner --gold gold.bio",
    ],
)
def init(folder: str, **options: Any) -> int:
    """Create FOLDER, which must be new or empty, with a campaign, or with a track that teams submit to.

    What people have assessed and linked already stays as it is. Continue with `adjudge serve invite` and `serve run`.
    """
    from adjudge.serve.campaigns import check_name, create_campaign, import_sources
    from adjudge.serve.folder import Folder

    campaign, answers = options["campaign"], options["answers"]
    if campaign is not None and answers is not None:
        raise UsageError("a campaign has its own answers", hint="give --campaign or --answers")
    if answers is not None and options["schema"] is None:
        raise UsageError("a schema says how the answers are read", hint=f"give --schema: a file, or {_SCHEMAS}")
    read = named_schema(options["schema"] or "eal-2015")
    name = options["name"] or Path(folder).resolve().name
    check_name(name, "a campaign")
    lines = [f"[server]\nname = {json.dumps(name, ensure_ascii=False)}\n"]
    if options["database"] is not None:
        lines.append(f"database = {json.dumps(options['database'])}\n")
    if campaign is not None:
        home = json.dumps(str(campaign.resolve()), ensure_ascii=False)
        lines.append(f"\n[campaign.{json.dumps(name, ensure_ascii=False)}]\nfolder = {home}\n")
    for each in ("gold", "with", "trust_code"):
        if options["track"] is None and options[each]:
            raise UsageError(f"--{each.replace('_', '-')} is an option of tracks", hint="give --track TASK")
    sources = _sources(campaign, options)
    made = Folder.create(folder, "".join(lines))
    from adjudge.serve.codecs import codec_of
    from adjudge.serve.store import Store

    if options["track"] is not None:
        own = options["track"] if options["name"] is None else options["name"]
        try:
            with Store.open(made.path, made.database) as store:
                make_track(store, made, own, options["track"], options)
        except AdjudgeError:
            _remove(made)
            raise
        after = f"continue with adjudge serve invite {folder} NAME --role team"
        emit_lines([f"{folder}: track {own}, with a hidden board; {after}"])
    if sources is None:
        if options["track"] is None:
            emit_lines([f"made {folder}, without a campaign"])
        return 0
    from adjudge.serve.exchange import set_training

    try:
        with Store.open(made.path, made.database) as store:
            more = {} if options["validity"] is None else {"validity": options["validity"]}
            create_campaign(store, name, read, {**codec_of(read).settings(campaign), **more})
            done = import_sources(store, made.secret, name, sources)
            if options["training"] is not None:
                set_training(store, name, options["training"])
    except AdjudgeError:
        _remove(made)
        raise
    code = _said(folder, done)
    if code and not done.items:
        _remove(made)
    return code


def _remove(made: Folder) -> None:
    """Remove everything unfinished, so that the same command can be repeated."""
    if made.database is None:
        shutil.rmtree(made.path, ignore_errors=True)


def _sources(campaign: Path | None, options: Mapping[str, Any]) -> Sources | None:
    from adjudge.serve.codecs import Sources
    from adjudge.serve.exchange import campaign_sources

    if campaign is not None:
        return campaign_sources(campaign)
    answers: Path | None = options["answers"]
    if answers is None:
        return None
    if not answers.exists():
        raise UsageError(Problem("there is no such file or folder", str(answers), hint="check the name"))
    return Sources(answers, options["texts"], options["frames"])


def _said(folder: str, done: Imported) -> int:
    """Report what an import did, and return the exit code."""
    findings = _findings(folder, done.findings)
    parts = [
        f"{counted(done.items, 'item')} in {counted(done.scopes, 'scope')}",
        f"{done.new} new",
        *([f"{done.withdrawn} withdrawn"] if done.withdrawn else []),
        f"{done.decided} newly answered",
    ]
    emit_lines([f"{folder}: {', '.join(parts)}"])
    if not done.scopes and not findings:
        emit_lines(["nothing to assess yet: once there are responses, run adjudge serve import " + folder])
    return findings


def _findings(folder: str, given: list[Finding]) -> int:
    found = Findings(folder, limit=None)
    found.take(given)
    if found.total:
        emit("".join(f"{line}\n" for line in finding_lines(found)))
    return int(found.fails())


@command(
    "import",
    _folder,
    value("--answers", "PATH", "Somebody's answers; with --as they become a reader's.", type=Path),
    value("--as reader", "NAME", "Whose answers these are."),
    value("--suggestions", "NAME", "The answers are suggestions of this automatic judge."),
    value("--merge", "PACK", "Import the work done in an offline pack.", type=Path),
    _texts,
    _frames,
    _training,
    _scope,
    examples=[
        "adjudge serve import autumn",
        "adjudge serve import autumn --answers ben/assessments --as ben",
        "adjudge serve import autumn --answers model/assessments --suggestions model",
        "adjudge serve import autumn --merge ann-pack",
    ],
)
def import_(folder: str, **options: Any) -> int:
    """Import what is new in files into the server of FOLDER, which may be running.

    Without options it reads the folder of `adjudge eal campaign` that the server was made from: new responses are
    added and reopen their documents, what is no longer there is withdrawn, and what people wrote into the files is
    taken over unless the server has decided otherwise, which is reported.
    """
    answers, reader, merge = options["answers"], options["reader"], options["merge"]
    if merge is not None and (answers or reader):
        raise UsageError("a pack already names its reader", hint="give --merge alone")
    with _desk(folder, options["scope"], reader, take=True) as (found, desk):
        if merge is not None:
            from adjudge.serve.packs import merge_pack

            taken = merge_pack(desk.store, desk.campaign, merge)
            code = _findings(folder, taken.findings)
            events = counted(taken.new, "event")
            emit_lines([f"{folder}: {events} of {taken.reader} taken back, {taken.conflicts} answered differently"])
            return code
        if options["training"] is not None:
            from adjudge.serve.exchange import set_training

            count = counted(set_training(desk.store, desk.campaign, options["training"]), "item")
            emit_lines([f"{folder}: {count} for training"])
            if answers is None:
                return 0
        home = found.home(desk.campaign)
        if answers is None and home is None:
            hint = "give --answers or --merge; without them, a folder of adjudge eal campaign is imported"
            raise UsageError("there is nothing to import", hint=hint)
        sources = _sources(None if answers else home, options)
        assert sources is not None
        from adjudge.serve.campaigns import import_sources
        from adjudge.serve.exchange import import_answers, import_suggestions

        judge = options["suggestions"]
        if judge is not None:
            if reader is not None or answers is None:
                raise UsageError("suggestions have no reader", hint="give --answers, and no --as")
            found_ = import_suggestions(desk, sources, judge)
            code = _findings(folder, found_.findings)
            emit_lines([f"{folder}: {counted(found_.new, 'new suggestion')} of {judge}"])
            return code
        if reader is not None:
            return _said(folder, import_answers(desk, sources))
        done = import_sources(desk.store, desk.secret, desk.campaign, sources)
        _take_over(found, desk.store, desk.campaign)
        return _said(folder, done)


@command(
    "export",
    _folder,
    value("-o --output", "DIR", "Write everything into a new folder.", type=Path),
    value("--for reader", "NAME", "Make an offline pack for one reader, with -o."),
    value("--event", "N", "With -o: as it was after event N, as the manifest of an export numbers them.", type=int),
    flag("--overwrite", "Replace the folder if it is an export."),
    _scope,
    examples=[
        "adjudge serve export autumn",
        "adjudge serve export autumn -o autumn-2026-11-18",
        "adjudge serve export autumn --for ann -o ann-pack",
    ],
)
def export(folder: str, output: Path | None, reader: str | None, scope: str | None, **options: Any) -> int:
    """Write the decisions in FOLDER as files, a snapshot of one moment; the server may be running.

    With -o everything goes into a folder of its own: official answers, those of each reader, events, the schema, and a
    manifest. Without it the official answers go back into the folder of adjudge eal campaign that was taken over, where
    `adjudge eal campaign run` goes on. Contradictions, such as frames of responses that are no longer correct, are
    written and reported, with exit code 1.
    """
    event = options["event"]
    if event is not None and (output is None or reader is not None):
        raise UsageError("--event is for a folder of its own", hint="give -o DIR, and no --for")
    with _desk(folder, scope, reader) as (found, desk):
        if reader is not None:
            from adjudge.serve.packs import export_pack

            if output is None:
                raise UsageError("a pack needs an output file", hint="give -o DIR")
            scopes = counted(export_pack(desk, output), "scope")
            emit_lines([f"{output}: {scopes} for {reader}; adjudge serve run works on it without a connection"])
            return 0
        from adjudge.serve.campaigns import check_campaign
        from adjudge.serve.exchange import export_folder, export_home

        wrong = [each for each in check_campaign(desk.store, desk.campaign) if each.error]

        if output is not None:
            count = export_folder(desk.store, desk.campaign, output, event, overwrite=options["overwrite"])
            emit_lines([f"{output}: {counted(count, 'file')}"])
            return _findings(folder, wrong)
        home = found.home(desk.campaign)
        if home is None:
            raise UsageError("there is no campaign folder to write into", hint="give -o DIR")
        done = export_home(desk.store, desk.campaign, home)
        written = counted(len(done.written), "file")
        emit_lines([f"{folder}: {written} written into {home.name}, {done.same} as they were"])
    return _findings(folder, wrong)


def _take_over(folder: Folder, store: Store, imported: str | None = None) -> None:
    """Apply what is new in `serve.toml`."""
    from adjudge.serve.access import Access
    from adjudge.serve.settings import take_over

    take_over(folder, store, Access(store, folder.secrets, folder.settings), imported=imported)


@contextmanager
def _desk(folder: str, scope: str | None, reader: str | None, *, take: bool = False) -> Iterator[tuple[Folder, Desk]]:
    """The chosen campaign; with `take`, after applying `serve.toml`."""
    from adjudge.serve.desk import Desk
    from adjudge.serve.folder import Folder
    from adjudge.serve.store import Store
    from adjudge.serve.store.tables import Campaign

    found = Folder(folder)
    with Store.open(found.path, found.database) as store:
        if take:
            _take_over(found, store)
        with store.read() as snapshot:
            names = [each.id for each in snapshot.find(Campaign)]
        if scope is None and len(names) == 1:
            scope = names[0]
        if scope is None or scope not in names:
            known = f"campaigns are {', '.join(names)}" if names else "there is none yet"
            message = "which campaign is meant?" if scope is None else f"there is no campaign {scope!r}"
            raise UsageError(message, hint=(did_you_mean(scope, names) if scope else None) or f"give --scope: {known}")
        yield found, Desk(store, scope, reader, found.secret)
