"""How far readers agree: by question, by groups and by events, as `adjudge agree` says it; and whether that changes.

Answers are compared where two readers have both answered, groups and events where both have finished. Documents are
what is resampled.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from itertools import combinations
from typing import Any, NamedTuple

import msgspec

from adjudge.serve.desk import Desk, Sheet, campaign_of
from adjudge.serve.groups import GROUP, sets_of, unnamed
from adjudge.serve.links import LINK, linked
from adjudge.serve.schema import Question, Schema
from adjudge.serve.store import ASSESS, Snapshot, stream_of
from adjudge.serve.store.tables import Judgment
from adjudge.stats.inference import Inference

METRIC = "coref.b3"
NAMES = {GROUP: "Same fillers", LINK: "Events"}
_LINKS = "links between mentions"
_COLUMNS = {"aet": "event_type", "aer": "role", "bf": "base_filler"}
Said = Mapping[str, Mapping[str, Mapping[str, Judgment]]]
"""What readers say: by scope, item and reader."""


class Pair(NamedTuple):
    """Two readers, and the scopes that both have read."""

    readers: tuple[str, str]
    scopes: list[str]


def agreement(desk: Desk) -> list[dict[str, Any]]:
    """Kappa and alpha of every question; B3 and kappa and alpha of links of groups and of events. With intervals.

    Where a question was not asked of one of two readers, there is nothing to agree on; classes have no names.
    """
    with desk.store.read() as snapshot:
        _, schema = campaign_of(desk, snapshot)
        said = _said(desk, snapshot)
        found = [
            {**row, "label": question.label or question.id, "counted": "responses"}
            for pair in _pairs(
                {scope: {name for own in items.values() for name in own} for scope, items in said.items()}
            )
            for question in _labels(schema)
            for row in _coefficients(said, pair, question)
        ]
        for stage in schema.stage:
            if stage.kind in NAMES:
                for pair, documents in _structures(desk, snapshot, stage.kind):
                    found += _clusters(pair, documents, stage.kind)
    return found


def commands(desk: Desk) -> list[str]:
    """The commands that give the same numbers, where the files of the campaign are those that they read."""
    with desk.store.read() as snapshot:
        _, schema = campaign_of(desk, snapshot)
        said = _said(desk, snapshot)
        labels = [f"--label responses.{_COLUMNS.get(each.id, each.id)}" for each in _labels(schema)]
        if schema.files.format != "eal-assessments":
            return []
        read = {scope: {name for own in items.values() for name in own} for scope, items in said.items()}
        made = [_command("record.set", pair, "assessments", ["--unit id", *labels]) for pair in _pairs(read)]
        for stage, more in ((GROUP, ()), (LINK, ("--key out/assessments",))):
            for pair, _ in _structures(desk, snapshot, stage):
                made.append(_command(METRIC, pair, "assessments" if stage == GROUP else "frames", more))
    return made and ["adjudge serve export FOLDER -o out", *made]


def _command(metric: str, pair: Pair, files: str, more: Iterable[str]) -> str:
    folders = [f"{name}=out/by-reader/{name}/{files}" for name in pair.readers]
    reader = "eal-frames" if files == "frames" else "eal-assessments"
    return " ".join(["adjudge agree", metric, *folders, f"--reader {reader}", *more, f"--docs {','.join(pair.scopes)}"])


def drift(desk: Desk) -> list[dict[str, Any]]:
    """Cohen's kappa of every reader against the others, by question and week of the reader's answer."""
    with desk.store.read() as snapshot:
        _, schema = campaign_of(desk, snapshot)
        said = _said(desk, snapshot)
        weeks = {
            (scope, reader): _weeks(snapshot, desk.campaign, scope, reader)
            for scope, items in said.items()
            for reader in {name for own in items.values() for name in own}
        }
    rated: dict[tuple[str, str], dict[str, list[tuple[Judgment, Judgment]]]] = {}
    for scope, items in said.items():
        for own in items.values():
            for reader, judgment in own.items():
                week = weeks[scope, reader].get(judgment.n)
                others = [each for name, each in own.items() if name != reader]
                if week and others:
                    rated.setdefault((reader, week), {}).setdefault(scope, []).extend(
                        (judgment, each) for each in others
                    )
    found = []
    for (reader, week), scopes in sorted(rated.items()):
        columns = []
        for question in _labels(schema):
            documents = [[(each, 1) for pair in pairs if (each := _both(question, *pair))] for pairs in scopes.values()]
            row = _made(documents, (reader, "others"), question)[0]
            columns.append({**row, "label": question.label or question.id})
        found.append({"reader": reader, "week": week, "documents": len(scopes), "questions": columns})
    return found


def _weeks(snapshot: Snapshot, campaign: str, scope: str, reader: str) -> dict[int, str]:
    """The weeks of a reader's events by their numbers."""
    made = {}
    for event in snapshot.events(stream_of(campaign, scope, reader)):
        year, week, _ = date.fromisoformat(event.at[:10]).isocalendar()
        made[event.n] = f"{year}-W{week:02}"
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

Documents = dict[str, list[dict[str, Any]]]


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
