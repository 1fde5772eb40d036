"""What an organiser does: who reads what, how far they are, how far they agree; open again, freeze."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from adjudge.errors import UsageError, ValidationError
from adjudge.findings import Finding
from adjudge.serve.adjudicate import disputed_scopes, scope_disputes
from adjudge.serve.campaigns import Imported, assign, check_name, import_sources
from adjudge.serve.codecs import Sources
from adjudge.serve.desk import Desk, Sheet, campaign_of, joined
from adjudge.serve.exchange import campaign_sources
from adjudge.serve.groups import GROUP, sets_of, unnamed
from adjudge.serve.links import LINK, linked
from adjudge.serve.schema import Question, Schema
from adjudge.serve.store import ASSESS, DECIDED, Snapshot, Write, stream_of
from adjudge.serve.store.tables import Item, Judgment, Scope
from adjudge.stats.inference import Inference

HASTY = 700
"""Milliseconds below which an answer is listed as hasty."""
_HOUR = 3_600_000


class Reading(msgspec.Struct):
    """The work of one reader: documents, responses, pace, and how many answers were hasty."""

    reader: str
    documents: int
    finished: int
    items: int
    done: int
    flags: int
    per_hour: float | None
    hasty: float | None
    last: str | None


def progress(desk: Desk) -> dict[str, Any]:
    """How far a campaign is, as a whole and by reader; whoever reads sees only the own row."""
    with desk.store.read() as snapshot:
        campaign, _ = campaign_of(desk, snapshot)
        tallies = [each for each in snapshot.tally(desk.campaign) if each.stage == ASSESS]
        given = snapshot.assignments(desk.campaign, reader=desk.reader)
        readers = sorted({each.reader for each in given})
        paces = snapshot.paces(desk.campaign, HASTY)
        rows = []
        for reader in readers:
            own = [each for each in given if each.reader == reader and each.stage == ASSESS]
            counts = [each for each in tallies if each.reader == reader]
            number, spent, hasty = paces.get(reader, (0, 0, 0))
            rows.append(
                Reading(
                    reader=reader,
                    documents=len(own),
                    finished=sum(each.state == "finished" for each in own),
                    items=sum(each.items for each in counts),
                    done=sum(each.done for each in counts),
                    flags=sum(each.flags for each in counts),
                    per_hour=number * _HOUR / spent if spent else None,
                    hasty=hasty / number if number else None,
                    last=max((each.last for each in snapshot.secrets(reader) if each.last), default=None),
                )
            )
        pool = [each for each in tallies if each.reader == DECIDED]
        waiting = disputed_scopes(desk, snapshot) if desk.reader is None else []
        stages = Counter(scope.stage for scope in snapshot.scopes(desk.campaign))
        speed = sum(row.per_hour or 0 for row in rows)
        taken = {each.scope for each in given}
        left = sum(row.items - row.done for row in rows)
        left += sum(each.items - each.done for each in pool if each.scope not in taken)
        found = {
            "campaign": desk.campaign,
            "state": campaign.state,
            "items": sum(each.items for each in pool),
            "decided": sum(each.done for each in pool),
            "documents": sum(stages.values()),
            "stages": dict(stages),
            "per_hour": speed or None,
            "hours_left": left / speed if speed else None,
            "flags": sum(row.flags for row in rows),
            "readers": [msgspec.to_builtins(row) for row in rows],
        }
        if desk.reader is None:
            found["disputes"] = sum(len(scope_disputes(desk, snapshot, scope)) for scope in waiting)
        return found


def notes(desk: Desk) -> list[dict[str, Any]]:
    """Readers' flags and comments."""
    with desk.store.read() as snapshot:
        show = campaign_of(desk, snapshot)[1].show
        found = [each for each in snapshot.notes(desk.campaign) if each.flag is not None or each.comments]
        items = {each.id: each.body for each in snapshot.many(Item, [(each.campaign, each.item) for each in found])}
    return [
        {
            "scope": each.scope,
            "label": joined(items[each.item].get(name) for name in (show.group, *show.label) if name),
            "reader": each.reader,
            "flag": each.flag,
            "comments": [said["text"] for said in each.comments],
        }
        for each in sorted(found, key=lambda each: (each.scope, each.reader, each.n))
    ]


def events(desk: Desk, after: int, *, everybody: bool) -> dict[str, Any]:
    """What happened after an event, some of it: of everybody without what was said, the own events in full."""
    with desk.store.read() as snapshot:
        found = snapshot.feed(desk.campaign, after)
    shown = []
    for event in found:
        own = event.actor == desk.reader
        if own or everybody:
            row = msgspec.to_builtins(event)
            shown.append(row if own else {name: value for name, value in row.items() if name != "body"})
    return {"events": shown, "after": found[-1].seq if found else after}


# ---------------------------------------------------------------------------------------------------------------------
# Assignments


def check_reader(desk: Desk, reader: str) -> None:
    """Raise unless somebody may read in the campaign."""
    with desk.store.read() as snapshot:
        roles = snapshot.roles(reader)
    if not any(each.role == "assessor" and each.scope in (desk.campaign, "*") for each in roles):
        hint = f"invite them: adjudge serve invite FOLDER {reader or 'NAME'} --role assessor"
        raise ValidationError(f"{reader!r} is not an assessor of this campaign", hint=hint)


def give(desk: Desk, reader: str, scopes: Sequence[str] | None, *, double: float | None = None) -> dict[str, Any]:
    """Assign documents to a reader: those named, all that nobody has, or a share of what is read as a second one."""
    with desk.store.read() as snapshot:
        known = {scope.id: scope for scope in snapshot.scopes(desk.campaign)}
        taken = {each.scope for each in snapshot.assignments(desk.campaign)}
        own = {each.scope for each in snapshot.assignments(desk.campaign, reader=reader)}
        unknown = sorted(set(scopes or ()) - set(known))
        if unknown:
            raise ValidationError(f"there is no document {unknown[0]!r}", hint="look at the list of documents")
        if double is not None:
            if not 0 < double <= 1:
                raise UsageError(f"a share of {double:g}", hint="give one above 0, at most 1")
            begin = campaign_of(desk, snapshot)[1].stage[0].kind  # what has gone on is decided
            free = [id_ for id_, scope in known.items() if id_ in taken and id_ not in own and scope.stage == begin]
            chosen = balanced(desk, snapshot, free, double)
        elif scopes is None:
            chosen = [scope for scope in known if scope not in taken]
        else:
            chosen = [scope for scope in scopes if scope not in own]
    if chosen:
        assign(desk.store, desk.campaign, reader, chosen, slot=1 if double is not None else 0)
    return {"reader": reader, "given": chosen}


def add_pool(desk: Desk, home: Path | None, files: Mapping[str, str], texts: Mapping[str, str]) -> Imported:
    """Add late responses: of files in the format of the campaign, or what is new in the folder that it was made from.

    Only what is new is taken from files; documents that have something new are opened again.
    """
    if not files:
        if home is None:
            hint = "send files in the format of the campaign"
            raise ValidationError("there is no folder to look into, and there are no files", hint=hint)
        return import_sources(desk.store, desk.secret, desk.campaign, campaign_sources(home))
    with TemporaryDirectory() as folder:
        for part, given in (("answers", files), ("texts", texts)):
            (Path(folder) / part).mkdir()
            for name, content in given.items():
                check_name(name, "a file")
                (Path(folder) / part / name).write_text(content, encoding="utf-8", newline="")
        sources = Sources(Path(folder) / "answers", Path(folder) / "texts" if texts else None)
        done = import_sources(desk.store, desk.secret, desk.campaign, sources, late=True)
    done.findings = [_named(each) for each in done.findings]
    return done


def _named(finding: Finding) -> Finding:
    """A finding that calls a file by its name alone: where it was put is nobody's business."""
    problem = finding.problem
    place = None if problem.path is None else Path(problem.path).name
    return replace(finding, problem=replace(problem, path=place))


def balanced(desk: Desk, snapshot: Snapshot, scopes: Sequence[str], share: float) -> list[str]:
    """A share of the scopes that has genres, types and sizes as all have: every k-th in the order of these."""
    if not scopes:
        return []
    _, schema = campaign_of(desk, snapshot)
    group = schema.show.group
    rows = []
    for scope in scopes:
        row = snapshot.get(Scope, desk.campaign, scope)
        items = snapshot.items(desk.campaign, scope)
        kinds = Counter(str(item.body.get(group or "", "")) for item in items)
        common = min(kinds, key=lambda kind: (-kinds[kind], kind)) if kinds else ""
        genre = str((row.meta if row else {}).get("genre") or scope.rpartition("_")[0])
        rows.append((genre, common, len(items), scope))
    rows.sort()
    number = max(1, round(share * len(rows)))
    step = len(rows) / number
    return [rows[int((at + 0.5) * step)][3] for at in range(number)]


# ---------------------------------------------------------------------------------------------------------------------
# Open again, freeze


def reopen(desk: Desk, scope: str, stage: str, why: str, key: str, by: str) -> dict[str, Any]:
    """Let a document go back to a stage; later work stays, and readers of that stage can go on with it."""
    with desk.store.read() as snapshot:
        sheet = Sheet(desk, snapshot, scope)
        if sheet.schema.stage_of(stage) is None:
            raise ValidationError(f"there is no stage {stage!r}", hint="choose from those of the schema")
        readers = [each.reader for each in snapshot.assignments(desk.campaign, scope) if each.stage == stage]
    body = {"why": why}
    writes = [Write(stream_of(desk.campaign, scope, DECIDED), "reopen", stage, body, by, key)]
    for reader in readers:
        writes.append(Write(stream_of(desk.campaign, scope, reader), "unfinish", stage, body, by, f"{key}+{reader}"))
    return {"n": desk.store.append(writes)[0].n}


def freeze(desk: Desk, frozen: bool, key: str, by: str) -> dict[str, Any]:
    """Let nobody change anything any more, or again."""
    write = Write(stream_of(desk.campaign), "freeze", desk.campaign, {"frozen": frozen}, by, key)
    return {"n": desk.store.append([write])[0].n}


# ---------------------------------------------------------------------------------------------------------------------
# How far readers agree: by question, by groups and by events, as `adjudge agree` says it; and whether that changes.
# Answers are compared where two readers have both answered, groups and events where both have finished. Documents are
# what is resampled.


METRIC = "coref.b3"
NAMES = {GROUP: "Same fillers", LINK: "Events"}
_LINKS = "links between mentions"
_COLUMNS = {"aet": "event_type", "aer": "role", "bf": "base_filler"}
Said = Mapping[str, Mapping[str, Mapping[str, Judgment]]]
"""What readers say: by scope, item and reader."""
Documents = dict[str, list[dict[str, Any]]]
"""What each of two readers has put together, as documents with clusters."""


class Pair(NamedTuple):
    """Two readers, and the scopes that both have read."""

    readers: tuple[str, str]
    scopes: list[str]


class Double(NamedTuple):
    """What more than one person has read: answers, the groups and events of every two, and when they were given."""

    schema: Schema
    said: Said
    put: dict[str, list[tuple[Pair, Documents]]]
    weeks: dict[tuple[str, str], dict[int, str]]

    @property
    def pairs(self) -> list[Pair]:
        """Every two readers of responses."""
        return _pairs(_readers(self.said))


def read_double(desk: Desk) -> Double:
    """All of it, as of one moment."""
    with desk.store.read() as snapshot:
        _, schema = campaign_of(desk, snapshot)
        said = _said(desk, snapshot)
        kinds: list[str] = [each.kind for each in schema.stage if each.kind in NAMES]
        put = {kind: _structures(desk, snapshot, kind) for kind in kinds}
        weeks = {
            (scope, reader): _weeks(snapshot, stream_of(desk.campaign, scope, reader))
            for scope, readers in _readers(said).items()
            for reader in readers
        }
        return Double(schema, said, put, weeks)


def agreement(double: Double) -> list[dict[str, Any]]:
    """Kappa and alpha of every question; B3 and kappa and alpha of links of groups and of events. With intervals.

    Where a question was not asked of one of two readers, there is nothing to agree on; classes have no names.
    """
    found = [
        {**row, "label": question.label or question.id, "counted": "responses"}
        for pair in double.pairs
        for question in _labels(double.schema)
        for row in _coefficients(double.said, pair, question)
    ]
    for stage, made in double.put.items():
        for pair, documents in made:
            found += _clusters(pair, documents, stage)
    return found


def commands(double: Double) -> list[str]:
    """The commands that give the same numbers, where the files of the campaign are those that they read."""
    if double.schema.files.format != "eal-assessments":
        return []
    labels = [f"--label responses.{_COLUMNS.get(each.id, each.id)}" for each in _labels(double.schema)]
    made = [_command("record.set", pair, "assessments", ["--unit id", *labels]) for pair in double.pairs]
    for stage, files, more in ((GROUP, "assessments", ()), (LINK, "frames", ("--key out/assessments",))):
        made += [_command(METRIC, pair, files, more) for pair, _ in double.put[stage]]
    return made and ["adjudge serve export FOLDER -o out", *made]


def _command(metric: str, pair: Pair, files: str, more: Iterable[str]) -> str:
    folders = [f"{name}=out/by-reader/{name}/{files}" for name in pair.readers]
    reader = "eal-frames" if files == "frames" else "eal-assessments"
    return " ".join(["adjudge agree", metric, *folders, f"--reader {reader}", *more, f"--docs {','.join(pair.scopes)}"])


def drift(double: Double) -> list[dict[str, Any]]:
    """Cohen's kappa of every reader against the others, by question and week of the reader's answer."""
    rated: dict[tuple[str, str], dict[str, list[tuple[Judgment, Judgment]]]] = {}
    for scope, items in double.said.items():
        for own in items.values():
            for reader, judgment in own.items():
                week = double.weeks[scope, reader].get(judgment.n)
                others = [each for name, each in own.items() if name != reader]
                if week and others:
                    rated.setdefault((reader, week), {}).setdefault(scope, []).extend(
                        (judgment, each) for each in others
                    )
    found = []
    for (reader, week), scopes in sorted(rated.items()):
        columns = []
        for question in _labels(double.schema):
            documents = [[(each, 1) for pair in pairs if (each := _both(question, *pair))] for pairs in scopes.values()]
            row = _made(documents, (reader, "others"), question)[0]
            columns.append({**row, "label": question.label or question.id})
        found.append({"reader": reader, "week": week, "documents": len(scopes), "questions": columns})
    return found


def _weeks(snapshot: Snapshot, stream: str) -> dict[int, str]:
    """The weeks of a reader's events by their numbers."""
    made = {}
    for n, at in snapshot.times(stream).items():
        year, week, _ = date.fromisoformat(at[:10]).isocalendar()
        made[n] = f"{year}-W{week:02}"
    return made


def _said(desk: Desk, snapshot: Snapshot) -> Said:
    """Complete answers in the scopes that more than one reader has."""
    readers: dict[str, set[str]] = {}
    for each in snapshot.assignments(desk.campaign):
        if each.stage == ASSESS:
            readers.setdefault(each.scope, set()).add(each.reader)
    found: dict[str, dict[str, dict[str, Judgment]]] = {}
    for scope in sorted(scope for scope, names in readers.items() if len(names) > 1):
        for judgment in snapshot.judgments(desk.campaign, scope):
            if judgment.complete:
                found.setdefault(scope, {}).setdefault(judgment.item, {})[judgment.reader] = judgment
    return found


def _readers(said: Said) -> dict[str, set[str]]:
    return {scope: {name for own in items.values() for name in own} for scope, items in said.items()}


def _labels(schema: Schema) -> list[Question]:
    return [each for each in schema.question if each.kind != "class"]


def _pairs(read: Mapping[str, Iterable[str]]) -> list[Pair]:
    """Every two readers with the scopes that both have."""
    found: dict[tuple[str, str], list[str]] = {}
    for scope, names in sorted(read.items()):
        for pair in combinations(sorted(names), 2):
            found.setdefault(pair, []).append(scope)
    return [Pair(readers, found[readers]) for readers in sorted(found)]


def _coefficients(said: Said, pair: Pair, question: Question) -> list[dict[str, Any]]:
    a, b = pair.readers
    documents = []
    for scope in pair.scopes:
        both = [own for own in said[scope].values() if a in own and b in own]
        documents.append([(each, 1) for own in both if (each := _both(question, own[a], own[b]))])
    return _made(documents, pair.readers, question)


def _both(question: Question, one: Judgment, other: Judgment) -> list[str] | None:
    """The answers of two readers to a question, if it was asked of both."""
    if question.id not in one.answers or question.id not in other.answers:
        return None
    return [one.answers[question.id], other.answers[question.id]]


def _made(documents: Any, readers: tuple[str, str], question: Question) -> list[dict[str, Any]]:
    from adjudge.stats.agreement import label_coefficients

    return [msgspec.to_builtins(each) for each in label_coefficients(documents, readers, question.id, Inference())]


# ---------------------------------------------------------------------------------------------------------------------
# Groups and events


def _structures(desk: Desk, snapshot: Snapshot, stage: str) -> list[tuple[Pair, Documents]]:
    """What every two readers have put together in the documents where both have finished a stage."""
    finished: dict[str, set[str]] = {}
    for each in snapshot.assignments(desk.campaign):
        if each.stage == stage and each.state == "finished":
            finished.setdefault(each.scope, set()).add(each.reader)
    bodies = {
        (row.scope, row.reader): row.body
        for row in snapshot.groupings(desk.campaign, stage=stage)
        if row.reader in finished.get(row.scope, ())
    }
    found = []
    for pair in _pairs({scope: {name for other, name in bodies if other == scope} for scope in finished}):
        made = {
            name: [
                {"id": scope, "clusters": clusters_of(desk, snapshot, stage, scope, bodies[scope, name])}
                for scope in pair.scopes
            ]
            for name in pair.readers
        }
        found.append((pair, made))
    return found


def clusters_of(desk: Desk, snapshot: Snapshot, stage: str, scope: str, body: Mapping[str, Any]) -> list[list[Any]]:
    """Groups as what is in them, events as the rows that are in them; of equal events one."""
    if stage == GROUP:
        found = [[unnamed(member) for member in own] for own in sets_of(body)]
        return [[[text, *(each for place in places for each in place or ())] for text, *places in own] for own in found]
    sets = linked(Sheet(desk, snapshot, scope), snapshot, body).sets
    return list({tuple(own): own for own in sets if own}.values())


def _clusters(pair: Pair, documents: Documents, stage: str) -> list[dict[str, Any]]:
    from adjudge.tasks.agreement import agree

    made = agree(METRIC, documents)
    (mean,) = made.means
    about = {"annotators": list(pair.readers), "on": stage, "label": NAMES[stage]}
    bounds = {"value": mean.value, "low": mean.low, "high": mean.high, "level": mean.level}
    found = [{**about, "name": "B3 F1", "units": len(pair.scopes), "counted": "documents", **bounds}]
    for each in made.coefficients:
        if each.on == _LINKS:
            found.append({**msgspec.to_builtins(each), **about, "name": f"{each.name}, links", "counted": "pairs"})
    return found
