"""OneIE's own scorer of sentences: entities, mention levels, triggers, relations, roles.

Departures from our rows: entities, triggers and relations are lists, so that a repeated prediction counts each time it
is found; the type of a trigger is compared with that of the first gold trigger of its span only; relations have no
direction; the identification of a role counts each (span, event type, role) of the system for which gold has the span
and the event type.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from adjudge.formats.event_lines import read_oneie
from adjudge.scorers import Published, Scorer
from adjudge.scorers.shared import counted, paired, percentages, prf, totals

LINES = {
    "entity": ("Entity", "ner.oneie"),
    "mention": ("Mention", "ner.oneie-level"),
    "trigger_id": ("Trigger identification", "event.trigger-id"),
    "trigger": ("Trigger", "event.trigger-cls"),
    "relation": ("Relation", "relation.oneie"),
    "role_id": ("Role identification", "event.argument-id.type"),
    "role": ("Role", "event.argument-cls.type"),
}
MEASURES = tuple(prf(name, key) for key, (_, name) in LINES.items())
EMPTY: dict[str, Any] = {"entities": [], "relations": [], "events": []}
Spans = tuple[int, int]


def run(gold: Any, system: Any) -> Published:
    """Count one system."""
    rows = [
        (identifier, _counts(right, found))
        for identifier, right, found in paired(read_oneie(gold), read_oneie(system), EMPTY)
    ]
    lines = []
    for key, (title, _) in LINES.items():
        precision, recall, f1 = percentages(*totals(rows, key))
        lines.append(f"{title}: P: {precision:.2f}, R: {recall:.2f}, F: {f1:.2f}\n")
    return Published(rows, MEASURES, "".join(lines))


def _counts(gold: Mapping[str, Any], system: Mapping[str, Any]) -> dict[str, float]:
    found: dict[str, tuple[int, int, int]] = {}
    for key, field in (("entity", "type"), ("mention", "level")):
        right, answers = (
            [(*_span(each["span"]), each.get(field)) for each in side["entities"]] for side in (gold, system)
        )
        found[key] = (sum(each in set(right) for each in answers), len(answers), len(right))
    first: dict[Spans, str] = {}
    for event in gold["events"]:
        first.setdefault(_span(event["trigger"]), event["type"])
    triggers = [(_span(event["trigger"]), event["type"]) for event in system["events"]]
    sizes = len(triggers), len(gold["events"])
    found["trigger_id"] = (sum(span in first for span, _ in triggers), *sizes)
    found["trigger"] = (sum(first.get(span) == kind for span, kind in triggers), *sizes)
    relations = {_unordered(each) for each in gold["relations"]}
    matched = sum(_unordered(each) in relations for each in system["relations"])
    found["relation"] = (matched, len(system["relations"]), len(gold["relations"]))
    roles, said = _roles(gold), _roles(system)
    places = {role[:3] for role in roles}
    found["role_id"] = (sum(role[:3] in places for role in said), len(said), len(roles))
    found["role"] = (len(said & roles), len(said), len(roles))
    return counted(found)


def _span(value: Mapping[str, int]) -> Spans:
    return value["start"], value["end"]


def _unordered(relation: Mapping[str, Any]) -> tuple[Any, ...]:
    return (relation["type"], *sorted((_span(relation["subject"]), _span(relation["object"]))))


def _roles(side: Mapping[str, Any]) -> set[tuple[Any, ...]]:
    return {
        (*_span(argument["span"]), event["type"], argument["role"])
        for event in side["events"]
        for argument in event["arguments"]
    }


RELATIONS = Scorer(
    name="oneie",
    family="relation",
    about="OneIE: its report of sentences; relations have no direction",
    run=run,
)

EVENTS = Scorer(
    name="oneie",
    family="event",
    about="OneIE: lists, the first gold trigger of a span",
    run=run,
)
