"""TextEE: sets over the windows of a corpus, arguments by event type, and attached to their triggers.

These are `event.trigger-*`, `event.argument-*(attach=type)` and `event.argument-*`. Departure from the last: events
with the same trigger and type are merged with all their arguments; our metric matches events one-to-one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from adjudge.formats.event_lines import read_textee
from adjudge.scorers import Published, Scorer
from adjudge.scorers.shared import counted, paired, percentages, prf, totals

RULE = "-" * 78 + "\n"


def _span(value: Any) -> tuple[int, int]:
    return value["start"], value["end"]


def _triggers(events: Any) -> set[Any]:
    return {_span(event["trigger"]) for event in events}


def _typed_triggers(events: Any) -> set[Any]:
    return {(*_span(event["trigger"]), event["type"]) for event in events}


def _arguments(*, attached: bool, role: bool) -> Callable[[Any], set[Any]]:
    def found(events: Any) -> set[Any]:
        return {
            (
                *(_span(event["trigger"]) if attached else ()),
                event["type"],
                *_span(argument["span"]),
                *((argument["role"],) if role else ()),
            )
            for event in events
            for argument in event["arguments"]
        }

    return found


ROWS: dict[str, tuple[str, Callable[[Any], set[Any]]]] = {
    "event.trigger-id": ("Tri-I", _triggers),
    "event.trigger-cls": ("Tri-C", _typed_triggers),
    "event.argument-id.type": ("Arg-I", _arguments(attached=False, role=False)),
    "event.argument-cls.type": ("Arg-C", _arguments(attached=False, role=True)),
    "event.argument-id": ("Arg-I (attached)", _arguments(attached=True, role=False)),
    "event.argument-cls": ("Arg-C (attached)", _arguments(attached=True, role=True)),
}
MEASURES = tuple(prf(name, name) for name in ROWS)


def run(gold: Any, system: Any) -> Published:
    """Count one system."""
    rows = []
    for identifier, right, found in paired(read_textee(gold), read_textee(system), {"events": []}):
        sides = {name: (keys(found["events"]), keys(right["events"])) for name, (_, keys) in ROWS.items()}
        numbers = {name: (len(said & wanted), len(said), len(wanted)) for name, (said, wanted) in sides.items()}
        rows.append((identifier, counted(numbers)))
    lines = [_line(name, title, rows) for name, (title, _) in ROWS.items()]
    return Published(rows, MEASURES, RULE + "".join(lines) + RULE)


def _line(name: str, title: str, rows: Any) -> str:
    matched, system, gold = totals(rows, name)
    precision, recall, f1 = percentages(matched, system, gold)
    return (
        f"{title:<16} - P: {precision:6.2f} ({matched:5d}/{system:5d}), "
        f"R: {recall:6.2f} ({matched:5d}/{gold:5d}), F: {f1:6.2f}\n"
    )


SCORER = Scorer(
    name="textee",
    family="event",
    about="TextEE: sets, arguments by type and attached",
    run=run,
)
