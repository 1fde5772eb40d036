"""Events, and relations of SciERC, as DyGIE++ counts them.

Departures from our rows of events: a trigger is its first token, and a token has one type (the last one of the file);
an argument is (event type, span, role) of a trigger's token and the span, one role for each (the last one); arguments
are lists, so that the same one under two triggers counts twice, on either side. Relations are directed and compared by
their spans; of several labels of one pair of spans, the last one counts and no other, on both sides. The program has
no text report; its numbers are printed as JSON.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from adjudge.formats.event_lines import read_dygie, read_dygie_output
from adjudge.model.prf import precision_recall_f1
from adjudge.scorers import Published, Scorer
from adjudge.scorers.shared import counted, paired, prf, totals

ROWS = {
    "trig_id": "event.trigger-id",
    "trig_class": "event.trigger-cls",
    "arg_id": "event.argument-id.type",
    "arg_class": "event.argument-cls.type",
}
MEASURES = tuple(prf(name, key) for key, name in ROWS.items())
RELATION = prf("relation.dygie")


def run_events(gold: Any, system: Any) -> Published:
    """Count one system."""
    pairs = paired(read_dygie(gold), read_dygie_output(system), {"events": []})
    rows = [(identifier, _counts(right["events"], found["events"])) for identifier, right, found in pairs]
    numbers: dict[str, float] = {}
    for key in ROWS:
        scores = precision_recall_f1(*totals(rows, key), undefined=0)
        for part, value in zip(("precision", "recall", "f1"), scores, strict=True):
            numbers[f"{key}_{part}"] = value
    return Published(rows, MEASURES, json.dumps(numbers, indent=2) + "\n")


def _counts(gold: Any, system: Any) -> dict[str, float]:
    right, found = _triggers(gold), _triggers(system)
    roles, said = _arguments(gold, right), _arguments(system, found)
    places, whole = {role[:2] for role in roles}, set(roles)
    return counted(
        {
            "trig_id": (sum(token in right for token in found), len(found), len(right)),
            "trig_class": (sum(right.get(token) == kind for token, kind in found.items()), len(found), len(right)),
            "arg_id": (sum(role[:2] in places for role in said), len(said), len(roles)),
            "arg_class": (sum(role in whole for role in said), len(said), len(roles)),
        }
    )


def _triggers(events: Any) -> dict[int, str]:
    return {event["trigger"]["start"]: event["type"] for event in events}


def _arguments(events: Any, types: Mapping[int, str]) -> list[tuple[Any, ...]]:
    roles = {
        (event["trigger"]["start"], argument["span"]["start"], argument["span"]["end"]): argument["role"]
        for event in events
        for argument in event["arguments"]
    }
    return [((start, end), types[token], role) for (token, start, end), role in roles.items()]


def run_relations(gold: Any, system: Any) -> Published:
    """Count one system; a document that it lacks has no relations."""
    rows = []
    for identifier, gold_data, system_data in paired(read_dygie(gold), read_dygie_output(system), {"relations": []}):
        right, found = _labels(gold_data), _labels(system_data)
        matched = sum(right.get(pair) == label for pair, label in found.items())
        rows.append((identifier, counted({"": (matched, len(found), len(right))})))
    precision, recall, f1 = precision_recall_f1(*totals(rows), undefined=0)
    text = json.dumps({"precision": precision, "recall": recall, "f1": f1}) + "\n"
    return Published(rows, (RELATION,), text)


def _labels(data: dict[str, Any]) -> dict[tuple[int, ...], str]:
    return {
        (each["subject"]["start"], each["subject"]["end"], each["object"]["start"], each["object"]["end"]): each["type"]
        for each in data["relations"]
    }


EVENTS = Scorer(
    name="dygie",
    family="event",
    about="DyGIE++: one type per token, lists of arguments",
    run=run_events,
)

RELATIONS = Scorer(
    name="dygie",
    family="relation",
    about="DyGIE++: one label per ordered pair of spans",
    run=run_relations,
)
