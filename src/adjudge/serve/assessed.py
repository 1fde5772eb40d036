"""Assessed tracks: what teams submit becomes the pool of a campaign, and people's answers become scores.

New responses are added to the campaign, which opens their documents again. As long as it is not frozen, scores are
provisional: of the documents that are finished, by the same commands as at the end. The job of event arguments is
`adjudge eal campaign run`, whose ranking is the official one; that of query answers is `adjudge kbp query`.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from adjudge.errors import UsageError, ValidationError
from adjudge.files import write_atomically
from adjudge.findings import counted
from adjudge.serve import child, states
from adjudge.serve.boards import NUMBERS, Board, Compared, Run
from adjudge.serve.campaigns import import_sources, schema_of, written_scopes
from adjudge.serve.codecs import Sources, codec_of
from adjudge.serve.codecs.eal import completed
from adjudge.serve.exchange import campaign_sources
from adjudge.serve.folder import Folder
from adjudge.serve.scorings import Interrupted, run_of
from adjudge.serve.store import DECIDED, Snapshot, Store, stream_of
from adjudge.serve.store.tables import Campaign, Scoring, Stream, Submission, Team
from adjudge.serve.tracks import TrackSettings, filled, lay_out
from adjudge.serve.workbench import DONE

POOLS = "pools"
EAL, KB = "eal-assessments", "kb-assessments"
_ENDING = re.compile(r"(\.tar)?\.[a-z]+$", re.IGNORECASE)
_DOCUMENTS = re.compile(r"(?ms)^documents\s*=\s*(\[.*?\]|\"[^\"\n]*\")[^\n]*\n")
_TAKEN = (states.POOLED, states.SCORED)


class Pool(msgspec.Struct, frozen=True):
    """An assessed track: its campaign, and where its children work."""

    folder: Folder
    store: Store
    settings: TrackSettings
    scoring: Scoring
    scratch: Path
    needed: Callable[[], bool] = lambda: True

    @property
    def campaign(self) -> str:
        """The campaign in which people assess."""
        assert self.settings.campaign is not None
        return self.settings.campaign

    @property
    def home(self) -> Path:
        """The folder of the campaign."""
        return home_of(self.folder, self.campaign)

    @property
    def place(self) -> Path:
        """Where the runs of teams are, for those who pool them."""
        return self.folder.path / POOLS / self.campaign if self.kind == KB else self.home / "submissions"

    @property
    def kind(self) -> str:
        """What is assessed."""
        return schema_of(self.store, self.campaign).files.format


Lines = dict[str, list[str]]


def preset(folder: Folder, store: Store, campaign: str, given: Sequence[str]) -> tuple[str, Lines, dict[str, Path]]:
    """The task, the command lines and the files of a track whose runs are assessed in a campaign of the server."""
    schema = schema_of(store, campaign)
    if schema.files.format == EAL:
        if given:
            raise UsageError("the campaign has its own settings", hint="change its campaign.toml, and leave --with out")
        return "eal", *_lines_of_arguments(home_of(folder, campaign), campaign, folder.path / POOLS)
    if schema.files.format != KB:
        hint = f"event arguments and query answers can be: {schema.name} is scored outside, from an export"
        raise UsageError(f"runs that are assessed as {schema.name} cannot be scored here", hint=hint)
    options = dict(each.partition("=")[::2] for each in given)
    queries = options.pop("queries", None)
    if queries is None:
        raise UsageError("which queries are answered?", hint="give --with queries=FILE")
    words = [word for name, text in options.items() for word in ([f"--{name}", text] if text else [f"--{name}"])]
    score = ["kbp", "query", "--queries", "{queries}", "--assessments", "{assessments}", "{systems}", *words]
    check = ["kbp", "validate", "{system}", "--queries", "{queries}", "--format", "json"]
    lines = {"check": check, "score": [*score, "--save", "{result}", "--format", "json"]}
    return "kbp", lines, {"queries": Path(queries)}


def _lines_of_arguments(home: Path, campaign: str, place: Path) -> tuple[Lines, dict[str, Path]]:
    """A run is checked as `eal campaign run` will check it."""
    from adjudge.tasks.eal.campaign_people import read_documents
    from adjudge.tasks.eal.campaign_settings import read_settings
    from adjudge.tasks.eal.ontology import YEARS

    settings = read_settings(home)
    files = {"texts": home / "sources"}
    check = ["eal", "validate", "{system}", "--texts", "{texts}", "--profile", settings.profile]
    if settings.ontology in YEARS:
        check += ["--ontology", settings.ontology]
    else:
        files["ontology"] = home / settings.ontology
        check += ["--ontology", "{ontology}"]
    if settings.missing == "error":
        known = read_documents(home, settings)
        files["documents"] = place / f"{campaign}-documents.txt"
        place.mkdir(exist_ok=True)
        wanted = known.sources.documents if known.listed is None else known.listed
        write_atomically(files["documents"], "".join(f"{name}\n" for name in wanted).encode())
        check += ["--docs", "{documents}"]
        check += [] if known.listed is None else ["--severity", "unexpected-document=off"]
    check += [word for kind, level in settings.severity.items() for word in ("--severity", f"{kind}={level}")]
    return {"check": [*check, "--format", "json"], "score": ["eal", "campaign", "run", campaign]}, files


def home_of(folder: Folder, campaign: str) -> Path:
    """The folder of a campaign of event arguments."""
    found = folder.home(campaign)
    if found is None:
        hint = f"make it with adjudge serve init --campaign, or name its folder in [campaign.{campaign}]"
        raise UsageError(f"the campaign {campaign!r} has no folder", hint=hint)
    return found


def handed_in(snapshot: Snapshot, pool: Pool) -> list[tuple[Run, Submission]]:
    """All submissions of teams, in the order of arrival."""
    teams = {team.id: team.name for team in snapshot.find(Team, track=pool.scoring.track)}
    found = snapshot.find(Submission, "received, id", track=pool.scoring.track, phase=pool.scoring.phase)
    return [(run_of(each, teams[each.team]), each) for each in found]


def pooled(snapshot: Snapshot, pool: Pool) -> list[tuple[Run, Submission]]:
    """The runs whose responses are assessed."""
    return [each for each in handed_in(snapshot, pool) if each[1].state in _TAKEN]


def basis(snapshot: Snapshot, campaign: str) -> tuple[str, list[str], int]:
    """A hash of what people have decided; the documents that are finished, and how many there are."""
    row = snapshot.get(Campaign, campaign)
    if row is None:
        raise UsageError(f"there is no campaign {campaign!r}", hint="make it with adjudge serve init")
    scopes = snapshot.scopes(campaign)
    names = [(stream_of(campaign, scope.id, DECIDED),) for scope in scopes]
    heads = {each.id: each.n for each in snapshot.many(Stream, names)}
    known = [[scope.id, scope.stage, heads.get(name, 0)] for scope, (name,) in zip(scopes, names, strict=True)]
    made = hashlib.sha256(json.dumps([row.state, known]).encode()).hexdigest()
    return made, [scope.id for scope in scopes if scope.stage == DONE], len(scopes)


# ---------------------------------------------------------------------------------------------------------------------
# The pool


def take_in(pool: Pool) -> int:
    """Bring what is new into the campaign; how many responses that are."""
    with pool.store.read() as snapshot:
        runs = pooled(snapshot, pool)
    if not _place(pool, runs):
        return 0
    if pool.kind == KB:
        return _take_answers(pool, runs)
    home = str(pool.home.resolve())
    ended = _run(pool, ["eal", "campaign", "run", home, "--format", "json"], codes=(0, 1))
    rows = {run.key: row for run, row in runs}
    for step in json.loads(ended.output)["steps"]:
        if step["step"] in ("validate", "filter") and step["status"] == "failed" and step["subject"] in rows:
            body = {"state": states.FAILED, "reason": f"{step['step']}: {step['message']}"}
            states.move(pool.store, rows[step["subject"]], body, "board")
    return import_sources(pool.store, pool.folder.secret, pool.campaign, campaign_sources(pool.home)).new


def _take_answers(pool: Pool, runs: Sequence[tuple[Run, Submission]]) -> int:
    """Answers to queries; a run that cannot be read is invalid."""
    where = pool.folder.of(pool.campaign).texts
    texts = None if where is None else pool.folder.path / where
    done = import_sources(pool.store, pool.folder.secret, pool.campaign, Sources(pool.place, texts), late=True)
    wrong: dict[str, list[str]] = {}
    for each in done.findings:
        if each.error and each.problem.path:
            wrong.setdefault(Path(each.problem.path).name, []).append(str(each.problem))
    for run, row in runs:
        said = wrong.get(f"{run.key}{_ending(row)}")
        if said is not None:
            text = pool.store.put_blob("".join(f"{line}\n" for line in said).encode(), "findings")
            body = {"state": states.INVALID, "reason": counted(len(said), "error"), "files": {"text": text}}
            states.move(pool.store, row, body, "board")
    return done.new


def _blob(pool: Pool, row: Submission) -> Path:
    return pool.store.blob_file(row.sha256).resolve()


def _place(pool: Pool, runs: Sequence[tuple[Run, Submission]]) -> bool:
    """Put the runs into the campaign's folder, and take away what teams have withdrawn; whether anything changed."""
    place = pool.place
    place.mkdir(parents=True, exist_ok=True)
    wanted = {f"{run.key}{_ending(row)}": row for run, row in runs}
    with pool.store.read() as snapshot:
        known = {f"{run.key}{_ending(row)}" for run, row in handed_in(snapshot, pool)}
    gone = [path for path in place.iterdir() if path.name in known and path.name not in wanted]
    for path in gone:
        path.unlink()
    new = [name for name in wanted if not (place / name).exists()]
    for name in new:
        part = place.with_name(f".{name}.part")
        shutil.copyfile(_blob(pool, wanted[name]), part)
        part.replace(place / name)
    return bool(gone or new)


def _ending(row: Submission) -> str:
    found = _ENDING.search(row.flags["file"])
    return found[0].lower() if found else ""


# ---------------------------------------------------------------------------------------------------------------------
# Scores


def scorer(pool: Pool, documents: Sequence[str], kept: dict[str, bytes]) -> Callable[[Sequence[Run]], Compared]:
    """Compares runs on documents; the saved result with most runs is put into `kept`."""
    with pool.store.read() as snapshot:
        rows = {run.key: row for run, row in pooled(snapshot, pool)}
    counter = iter(range(1000))

    def compare(runs: Sequence[Run]) -> Compared:
        place = pool.scratch / f"scores-{next(counter)}"
        chosen = {run.key: rows[run.key] for run in runs}
        made = (_score_answers if pool.kind == KB else _score_arguments)(pool, place, chosen, documents)
        result, ranking = made
        if len(runs) > int(kept.get("runs", b"0")):
            kept["runs"], kept["result"] = str(len(runs)).encode(), result.read_bytes()
        found = _compared(pool, result)
        views = sorted((result.parent / "diagnostics").glob("*.json"))
        found["views"] = {path.stem: _compared(pool, path) for path in views}
        return official(found, json.loads(ranking.read_bytes())) if ranking.is_file() else found

    return compare


def _compared(pool: Pool, result: Path) -> dict[str, Any]:
    """What `adjudge compare` says of a saved result."""
    board = result.with_suffix(".board")
    ended = _run(pool, pool.settings.board_line([str(result)], str(board)))
    found: dict[str, Any] = json.loads(board.read_bytes() if board.is_file() else ended.output)
    return found


def official(compared: dict[str, Any], ranking: dict[str, Any]) -> Compared:
    """What is compared, ranked by the median over many corpora; wins are shares of these corpora."""
    key = (ranking["metric"], ranking["part"])
    others = [each for each in compared.get("ranking", ()) if (each["metric"], each["part"]) != key]
    own = [{**each, "metric": key[0], "part": key[1], "value": each["median"]} for each in ranking["standings"]]
    return {**compared, "ranking": [*own, *others]}


def _score_arguments(
    pool: Pool, place: Path, runs: dict[str, Submission], documents: Sequence[str]
) -> tuple[Path, Path]:
    """`eal campaign run` on a copy of the campaign that has these runs and these documents only."""
    home = pool.home
    place.mkdir(parents=True)
    shutil.copytree(home / "sources", place / "sources")
    for name, data in _decided(pool, documents):
        (place / name).parent.mkdir(exist_ok=True)
        (place / name).write_bytes(data)
    for path in (each for each in home.iterdir() if each.is_file() and not each.name.startswith(".")):
        shutil.copyfile(path, place / path.name)
    (place / "submissions").mkdir()
    for key, row in runs.items():
        shutil.copyfile(_blob(pool, row), place / "submissions" / f"{key}{_ending(row)}")
    (place / "finished.txt").write_text("".join(f"{name}\n" for name in documents), "utf-8")
    text = (place / "campaign.toml").read_text("utf-8")
    (place / "campaign.toml").write_text('documents = "finished.txt"\n' + _DOCUMENTS.sub("", text, count=1), "utf-8")
    ended = _run(pool, ["eal", "campaign", "run", str(place), "--format", "json"], codes=(0, 1))
    steps = {each["step"]: each for each in json.loads(ended.output)["steps"]}
    if steps.get("score", {}).get("status") not in ("done", "up to date"):
        wrong = next((each for each in steps.values() if each["status"] == "failed"), steps.get("score", {}))
        raise ValidationError(f"{wrong.get('step', 'score')}: {wrong.get('message', 'not done')}")
    return place / "scores" / "result.json", place / "scores" / "ranking.json"


def _score_answers(pool: Pool, place: Path, runs: dict[str, Submission], documents: Sequence[str]) -> tuple[Path, Path]:
    """`kbp query` with the official answers to the queries that are finished."""
    place.mkdir(parents=True)
    assessments, result = place / "assessments.tsv", place / "result.json"
    assessments.write_bytes(b"".join(data for _, data in _decided(pool, documents)))
    queries = lay_out(pool.store, pool.settings.files["queries"], pool.scratch / "inputs")
    systems = []
    for key, row in runs.items():
        own = place / f"{key}{_ending(row)}"
        own.symlink_to(_blob(pool, row))
        systems.append(f"{key}={own}")
    words = {"queries": str(queries), "assessments": str(assessments), "result": str(result), "systems": systems}
    _run(pool, filled(pool.settings.score, words))
    return result, place / "no-ranking"


def _decided(pool: Pool, documents: Sequence[str]) -> list[tuple[str, bytes]]:
    """The official answers of some documents as files of a campaign."""
    schema, wanted = schema_of(pool.store, pool.campaign), set(documents)
    with pool.store.read() as snapshot:
        scopes = [each for each in written_scopes(snapshot, schema, pool.campaign) if each.id in wanted]
    if pool.kind == EAL:
        scopes = [completed(each) for each in scopes]
    made = codec_of(schema).write(schema, scopes)
    return [(name, data) for name, data in made if name.startswith(("assessments/", "frames/"))]


def _run(pool: Pool, args: Sequence[str], codes: Sequence[int] = (0,)) -> child.Ended:
    """A command of adjudge in a child; it also writes into the folder of the campaign, so that it is not isolated."""
    place = pool.scratch / "child"
    place.mkdir(parents=True, exist_ok=True)
    settings = msgspec.structs.replace(pool.settings, isolate="")
    ended = child.run(child.limited(args, place, settings), pool.needed)
    if not pool.needed():
        raise Interrupted
    if ended.code not in codes:
        raise ValidationError(f"adjudge {' '.join(args[:3])}: {ended.reason or ended.last or ended.code}")
    return ended


def note_of(finished: int, whole: int, *, frozen: bool) -> str:
    """A note on how far the scores can be relied on.

    >>> note_of(5, 12, frozen=False)
    'Provisional: 5 of 12 documents are finished.'
    """
    if frozen and finished == whole:
        return f"Official: all {counted(whole, 'document')} are assessed."
    return f"Provisional: {finished} of {counted(whole, 'document')} {'is' if finished == 1 else 'are'} finished."


def mark_scored(pool: Pool, board: Board, result: bytes) -> None:
    """Say the official score of every run."""
    digest = pool.store.put_blob(result, "result")
    tab = board.all[0]
    lines = {(line.team, line.number): line for line in tab.lines}
    with pool.store.read() as snapshot:
        runs = pooled(snapshot, pool)
    for run, row in runs:
        line = lines.get((run.team, run.number))
        if row.state == states.POOLED and line is not None:
            score = {"metric": tab.metric, "part": tab.part, **{name: getattr(line, name) for name in NUMBERS}}
            body = {"state": states.SCORED, "scoring": pool.scoring.id, "score": score, "files": {"result": digest}}
            states.move(pool.store, row, body, "board")
