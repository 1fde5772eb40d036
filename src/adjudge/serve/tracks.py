"""Tracks: what teams submit to. A track is a table of adjudge's own command lines, limits, and the files they need.

`serve.toml` says it in `[track.NAME]`; what holds is an event, so that everybody can see what held when. Words in curly
brackets stand for files and names: `{system}`, `{name}`, `{result}`, `{results}`, `{board}`, `{page}`, `{gold}`, and
every file that was given to the track. There is no other way to score.
"""

from __future__ import annotations

import io
import re
import secrets
import shutil
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from adjudge._version import __version__
from adjudge.errors import FormatError, Problem, UsageError, did_you_mean
from adjudge.serve.campaigns import check_name
from adjudge.serve.store import Conflict, Snapshot, Store, Write
from adjudge.serve.store.fold import track_stream
from adjudge.serve.store.tables import Campaign, Member, Outcome, Phase, Role, Scoring, Team, Track

WORDS = ("system", "name", "result", "results", "board", "page", "gold", "systems", "assessments")
SHOWN = ("hidden", "own", "bands", "public")
"""What a phase may show of its board, the default first."""
PHASE = "main"
_BOARD = ("compare", "{results}", "--test", "jackknife", "--top", "0", "--format", "json", "-o", "{board}")
_JUDGES = ("assessor", "adjudicator")
_PART = 1 << 20
_WORD = re.compile(r"\{([\w-]+)\}")
_CODE = re.compile(r"[A-Za-z_]\w*(\.\w+)*:[A-Za-z_]\w*")
_NO_SCORE = ("limits", "isolate", "campaign", "gold_check")  # what no score depends on
_UNITS = {"B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_TIMES = {"s": 1, "min": 60, "h": 3600, "d": 86_400}


def amount(text: str | float, units: Mapping[str, int]) -> int:
    """A number with a unit.

    >>> amount("200 MB", _UNITS), amount("30 min", _TIMES), amount(7, _TIMES)
    (200000000, 1800, 7)
    """
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*", str(text))
    scale = {name.lower(): value for name, value in units.items()} | {"": 1}
    if not found or found[2].lower() not in scale:
        raise UsageError(f"{text!r} is not an amount", hint=f"write a number and {', '.join(units)}")
    return round(float(found[1]) * scale[found[2].lower()])


class Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How much of everything a submission may take; 0 runs: as many as they like."""

    upload: str | float = "200 MB"
    memory: str | float = "4 GB"
    disk: str | float = "2 GB"
    wall: str | float = "30 min"
    received: str | float = "30 s"
    queue: str | float = "6 h"
    check_memory: str | float = "2 GB"
    assessment: str | float = "90 d"
    check_wall: str | float = "2 min"
    check_cpu: str | float = "1 min"
    processes: int = 64
    runs: int = 5
    per_day: int = 0

    def bytes(self, name: str) -> int:
        """A limit on a size."""
        return amount(getattr(self, name), _UNITS)

    def seconds(self, name: str) -> int:
        """A limit on a time."""
        return amount(getattr(self, name), _TIMES)


class TrackSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """All of `[track.NAME]`; `files` are kept by the store and are not written there."""

    task: str
    score: tuple[str, ...]
    check: tuple[str, ...] = ()
    board: tuple[str, ...] = _BOARD
    report: tuple[str, ...] = ("report", "{result}", "-o", "{page}")
    gold_check: tuple[str, ...] = ()  # what has to find no error in gold before that is taken
    limits: Limits = Limits()
    rank_by: str | None = None
    cluster: str | None = None
    isolate: str = ""
    trust_code: bool = False
    campaign: str | None = None  # an assessed track: where its pool is judged
    files: dict[str, dict[str, Any]] = {}

    def config(self) -> dict[str, Any]:
        """What decides about scores: kept with every scoring."""
        whole = msgspec.to_builtins(self)
        return {name: value for name, value in whole.items() if name not in _NO_SCORE}

    def board_line(self, results: Sequence[str], board: str) -> list[str]:
        """The command that compares saved results."""
        by = ["--rank-by", self.rank_by] if self.rank_by else []
        return filled([*self.board, *by], {"results": results, "board": board})


def parse_settings(name: str, given: Mapping[str, Any], files: Mapping[str, Any] = {}) -> TrackSettings:
    """What `[track.NAME]` says, or what is wrong with it.

    >>> parse_settings("x", {"task": "ner", "score": ["ner", "score", "{gld}"]})
    Traceback (most recent call last):
    adjudge.errors.FormatError: serve.toml: [track.x] score: there is no {gld}, did you mean {gold}?
    """
    place = f"[track.{name}]"
    try:
        made = msgspec.convert({**given, "files": dict(files)}, TrackSettings)
        for limit in ("upload", "memory", "disk", "check_memory"):
            made.limits.bytes(limit)
        for limit in ("received", "wall", "queue", "assessment", "check_wall", "check_cpu"):
            made.limits.seconds(limit)
    except (msgspec.ValidationError, UsageError) as error:
        raise FormatError(Problem(f"{place}: {error}", "serve.toml", hint="correct it")) from error
    problems = []
    known = [*WORDS, *files]
    for what in ("gold_check", "check", "score", "board", "report"):
        for part in getattr(made, what):
            for word in _WORD.findall(part):
                if word not in known:
                    hint = (did_you_mean(word, known) or "").replace(f"'{word}'", word)
                    hint = re.sub(r"did you mean '?([\w-]+)'?\?", r"did you mean {\1}?", hint) or f"known: {known}"
                    problems.append(Problem(f"{place} {what}: there is no {{{word}}}", "serve.toml", hint=hint))
            if _CODE.fullmatch(part) and not made.trust_code:
                hint = "use --trust-code if its code may run here (trust_code = true)"
                problems.append(Problem(f"{place} {what}: {part} is foreign code", "serve.toml", hint=hint))
    if made.isolate not in ("", "bwrap"):
        problems.append(Problem(f"{place} isolate: {made.isolate!r} is unknown", "serve.toml", hint='write "bwrap"'))
    if not made.score or (made.score[0] == "serve" or "serve" in made.check[:1]):
        problems.append(Problem(f"{place} score: not an adjudge command that scores", "serve.toml", hint="write one"))
    if problems:
        raise FormatError(problems)
    return made


def filled(line: Sequence[str], words: Mapping[str, str | Sequence[str]]) -> list[str]:
    """A command line with what its words stand for; one that stands for several is a part of its own.

    >>> filled(["compare", "{results}", "-o", "{board}.json"], {"results": ["a", "b"], "board": "x"})
    ['compare', 'a', 'b', '-o', 'x.json']
    """
    made: list[str] = []
    for part in line:
        given = words.get(part[1:-1], "") if _WORD.fullmatch(part) else ""
        made += [_WORD.sub(lambda at: str(words.get(at[1], at[0])), part)] if isinstance(given, str) else given
    return made


def settings_of(track: Track) -> TrackSettings:
    """The settings of a track as the store has them."""
    return msgspec.convert(track.settings, TrackSettings)


# ---------------------------------------------------------------------------------------------------------------------
# Files


def keep_file(store: Store, path: Path) -> dict[str, Any]:
    """Keep a file, or a folder as an archive that is the same whoever makes it: `sha256`, `name`, `folder`."""
    if not path.exists():
        raise UsageError(Problem("there is no such file or folder", str(path), hint="check the name"))
    name = path.resolve().name
    if path.is_dir():
        return {"sha256": store.put_blob(_packed(path), "gold"), "name": name, "folder": True}
    with path.open("rb") as file:
        return {"sha256": store.put_blob(iter(lambda: file.read(_PART), b""), "gold"), "name": name, "folder": False}


def _packed(folder: Path) -> Iterator[bytes]:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path in sorted(each for each in folder.rglob("*") if each.is_file()):
            entry = tarfile.TarInfo(path.relative_to(folder).as_posix())
            entry.size = path.stat().st_size
            with path.open("rb") as file:
                archive.addfile(entry, file)
            yield buffer.getvalue()
            buffer.seek(0)
            buffer.truncate()
    yield buffer.getvalue()


def lay_out(store: Store, kept: Mapping[str, Any], folder: Path) -> Path:
    """Put a kept file or folder below a folder, unless it is there, and give its path."""
    place = folder / str(kept["sha256"])[:16]
    target = place / str(kept["name"])
    if target.exists():
        return target
    part = folder / f".{secrets.token_hex(8)}"
    part.mkdir(parents=True)
    if kept["folder"]:
        with tarfile.open(store.blob_file(kept["sha256"])) as archive:
            archive.extractall(part / kept["name"], filter="data")
    else:
        (part / kept["name"]).symlink_to(store.blob_file(kept["sha256"]).resolve())
    try:
        part.rename(place)
    except OSError:  # another process was faster
        shutil.rmtree(part)
    return target


# ---------------------------------------------------------------------------------------------------------------------
# Writing


def write(store: Store, track: str, kind: str, subject: str, body: dict[str, Any], by: str = "admin") -> None:
    """One event of a track."""
    (done,) = store.write([Write(track_stream(track), kind, subject, body, by, f"{kind}-{secrets.token_hex(8)}")])
    if isinstance(done, Conflict):
        raise done


def set_track(store: Store, name: str, settings: TrackSettings, by: str = "admin") -> bool:
    """Make a track, or change it; whether anything is new."""
    check_name(name, "a track")
    found = msgspec.to_builtins(settings)
    with store.read() as snapshot:
        known = snapshot.get(Track, name)
        if settings.campaign and (known is None or known.settings.get("campaign") != settings.campaign):
            check_overlap(snapshot, snapshot.roles(), {name: settings.campaign})
    if known is not None and known.settings == found:
        return False
    write(store, name, "track", name, {"task": settings.task, "settings": found}, by)
    return True


def check_overlap(snapshot: Snapshot, roles: Sequence[Role], assessed: Mapping[str, str] | None = None) -> None:
    """Refuse to let anybody judge what the own team hands in; `assessed` are the campaigns of tracks, unless all."""
    if assessed is None:
        assessed = {each.id: each.settings.get("campaign") or "" for each in snapshot.find(Track)}
    handing = {(assessed.get(each.scope), each.person) for each in roles if each.role == "team"}
    judging = {(each.scope, each.person) for each in roles if each.role in _JUDGES}
    for campaign in sorted({campaign for campaign, _ in judging & handing}):
        row = snapshot.get(Campaign, campaign)
        if row is None or not row.settings.get("allow_overlap"):
            people = ", ".join(sorted(person for where, person in judging & handing if where == campaign))
            hint = f"choose others, or write allow_overlap = true under [campaign.{campaign}] in serve.toml"
            raise UsageError(f"{people} would be in a team and assess its submissions, in {campaign!r}", hint=hint)


def set_phase(store: Store, track: str, phase: str, body: dict[str, Any], by: str = "admin") -> None:
    """Make a phase, or change it: `opens` and `closes` (UTC, see `utc`), `limits`, `gold`, `show`."""
    check_name(phase, "a phase")
    unknown = set(body.get("limits", {})) - {"runs", "per_day"}
    if unknown:
        raise UsageError(f"a phase has no limit {sorted(unknown)[0]!r}", hint="runs and per_day can be set")
    if body.get("show", SHOWN[0]) not in SHOWN:
        raise UsageError(f"a board cannot be {body['show']!r}", hint=f"choose from {', '.join(SHOWN)}")
    with store.read() as snapshot:
        old = snapshot.get(Phase, track, phase)
    opens, closes = (body.get(each, getattr(old, each, None)) for each in ("opens", "closes"))
    if opens and closes and closes <= opens:
        raise UsageError(f"the phase {phase!r} closes before it opens", hint="give --opens and --closes")
    write(store, track, "phase", phase, body, by)
    refresh_scorings(store, track, by)


def new_scoring(store: Store, track: str, phase: str, by: str = "admin") -> str:
    """From now on the runs of a phase are scored by the track as it is, and by this release; its id."""
    with store.read() as snapshot:
        row, own = snapshot.get(Track, track), snapshot.get(Phase, track, phase)
        number = len(snapshot.find(Scoring, track=track, phase=phase)) + 1
    if row is None or own is None:
        raise UsageError(f"there is no phase {phase!r} of {track!r}", hint="see adjudge serve track FOLDER")
    config = _config(settings_of(row), own)
    name = f"{track}/{phase}/{number}"
    body = {"phase": phase, "config_sha": store.put_blob(config, "config"), "gold_sha": own.gold.get("sha256", "")}
    write(store, track, "scoring", name, {**body, "adjudge": __version__, "state": "open"}, by)
    write(store, track, "phase", phase, {"scoring": name}, by)
    return name


def sync_tracks(store: Store, given: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Take over what `serve.toml` says of tracks that are there; notes on what does not hold yet.

    A scoring keeps the commands that it was begun with: changed ones hold for a phase in which nothing is scored.
    """
    said = []
    for name, table in given.items():
        with store.read() as snapshot:
            known = snapshot.get(Track, name)
        if known is None:
            said.append(f"[track.{name}]: it has no gold yet: adjudge serve track FOLDER {name} --gold FILE")
            parse_settings(name, table)
            continue
        settings = parse_settings(name, table, settings_of(known).files)
        try:
            set_track(store, name, settings, "serve.toml")
        except UsageError as error:
            (problem,) = error.problems
            message = f"[track.{name}] campaign: {problem.message}"
            raise FormatError(Problem(message, "serve.toml", hint=problem.hint)) from error
        said += [
            f"{name}, phase {phase}: scored as before serve.toml was changed, until it is scored again"
            for phase in refresh_scorings(store, name)
        ]
    return said


def refresh_scorings(store: Store, track: str, by: str = "admin") -> list[str]:
    """Begin a new scoring where commands or gold have changed and nothing is scored; phases where something is."""
    with store.read() as snapshot:
        settings = settings_of(track_of(snapshot, track))
        phases = snapshot.find(Phase, track=track)
        scorings = {each.id: each for each in snapshot.find(Scoring, track=track)}
        scored = {each.id for each in scorings.values() if snapshot.find(Outcome, scoring=each.id)}
    changed = []
    for phase in phases:
        now_ = _config(settings, phase)
        current = scorings.get(phase.scoring or "")
        if current is not None and store.get_blob(current.config_sha) == now_:
            continue
        if current is not None and current.id in scored:
            changed.append(phase.id)
        else:
            new_scoring(store, track, phase.id, by)
    return changed


def _config(settings: TrackSettings, phase: Phase) -> bytes:
    return msgspec.json.encode({**settings.config(), "gold": phase.gold}, order="sorted")


def add_member(store: Store, track: str, team: str, person: str, by: str = "admin") -> str:
    """Put a person into a team, which is made unless there is one; the team's id."""
    check_name(team, "a team")
    name = f"{track}/{team}"
    write(store, track, "team", name, {"name": team, "add": [person]}, by)
    return name


# ---------------------------------------------------------------------------------------------------------------------
# Reading


def track_of(snapshot: Snapshot, name: str) -> Track:
    """A track that is there."""
    found = snapshot.get(Track, name)
    if found is None:
        raise LookupError(name)
    return found


def team_of(snapshot: Snapshot, track: str, person: str) -> Team | None:
    """The team of a person in a track."""
    ids = [(each.team,) for each in snapshot.find(Member, person=person)]
    return next((team for team in snapshot.many(Team, ids) if team.track == track), None)


def phase_at(phases: Sequence[Phase], at: str, wanted: str | None = None) -> Phase:
    """The phase that takes what is submitted at a time: the one that is open and closes first, or has closed last."""
    if wanted is not None:
        phases = [each for each in phases if each.id == wanted]
    begun = [each for each in phases if each.opens is None or each.opens <= at]
    is_open = [each for each in begun if each.closes is None or at <= each.closes]
    if is_open:
        return min(is_open, key=lambda each: (each.closes is None, each.closes or "", each.id))
    if begun:
        return max(begun, key=lambda each: (each.closes or "", each.id))
    if not phases:
        raise LookupError(wanted or "phase")
    first = min(each.opens or "" for each in phases)
    error = UsageError(f"this is not open before {first[:16].replace('T', ' ')} UTC", hint="try again then")
    error.kind = "closed"  # type: ignore[attr-defined]
    raise error


def utc(text: str | datetime, zone: str | None = None) -> str:
    """A time as the store writes it. It says its own time zone, or `zone` does (`AoE`: anywhere on earth).

    >>> utc("2026-12-01 12:00", "Europe/Berlin"), utc("2026-12-01T12:00+05:30"), utc("2026-12-01", "AoE")
    ('2026-12-01T11:00:00.000000Z', '2026-12-01T06:30:00.000000Z', '2026-12-02T11:59:59.999999Z')
    >>> utc("9999-12-31", "AoE")
    Traceback (most recent call last):
    adjudge.errors.UsageError: 9999-12-31 is no time of a calendar, write another year
    """
    from datetime import time
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    try:
        when = text if isinstance(text, datetime) else datetime.fromisoformat(text)
    except ValueError:
        hint = "write 2026-12-01 12:00 and a time zone, or 2026-12-01T12:00Z"
        raise UsageError(f"{text!r} is not a time", hint=hint) from None
    if isinstance(text, str) and len(text) == len("2026-12-01"):  # a day ends with its last moment
        when = datetime.combine(when, time.max)
    if when.tzinfo is None:
        if zone is None:
            raise UsageError(f"{text!s} has no time zone", hint="give --zone UTC, Europe/Berlin, AoE, ...")
        try:
            when = when.replace(tzinfo=ZoneInfo("Etc/GMT+12" if zone.lower() == "aoe" else zone))
        except (ZoneInfoNotFoundError, ValueError):
            raise UsageError(f"there is no time zone {zone!r}", hint="write UTC, Europe/Berlin, AoE, ...") from None
    try:
        return when.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
    except OverflowError:
        raise UsageError(f"{text!s} is no time of a calendar", hint="write another year") from None
