"""The family of events."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from adjudge.formats.event_lines import read_clusters
from adjudge.rooms import Option
from adjudge.tasks.family import Family, Reader

Span = tuple[int, int]


def adjust(gold: Any, system: Any, *, triggers: str = "", spans: str = "", clusters: str = "") -> tuple[Any, Any]:
    """A pair of documents as they are to be compared.

    `triggers="gold"` drops system events whose trigger and type gold lacks. `spans="head"` replaces a span that has
    a `head` by it. `clusters` is a file of clusters; an argument that is a mention of one is replaced by the cluster's
    first mention, on both sides.

    >>> event = {"type": "die", "trigger": {"start": 5, "end": 6}, "arguments": []}
    >>> other = {**event, "type": "meet"}
    >>> adjust({"events": [event]}, {"events": [event, other]}, triggers="gold")[1]["events"] == [event]
    True
    """
    sides = [gold, system]
    if spans == "head":
        sides = [_headed(side) for side in sides]
    if clusters:
        first = _first_mentions(gold, clusters)
        sides = [_with_arguments(side, lambda span: first.get(span, span)) for side in sides]
    if triggers == "gold":
        sides[1] = _at_gold_triggers(*sides)
    return sides[0], sides[1]


def _at_gold_triggers(gold: Any, system: Any) -> Any:
    if not _has_events(gold) or not _has_events(system):
        return system
    known = {_trigger(event) for event in gold["events"]}
    return {**system, "events": [event for event in system["events"] if _trigger(event) in known]}


def _trigger(event: Mapping[str, Any]) -> tuple[Any, ...]:
    return event["trigger"]["start"], event["trigger"]["end"], event["type"]


def _headed(side: Any) -> Any:
    if not _has_events(side):
        return side
    events = [
        {
            **event,
            "trigger": event["trigger"].get("head") or event["trigger"],
            "arguments": [{**each, "span": each.get("head") or each["span"]} for each in event["arguments"]],
        }
        for event in side["events"]
    ]
    return {**side, "events": events}


def _with_arguments(side: Any, change: Any) -> Any:
    if not _has_events(side):
        return side

    def changed(argument: Mapping[str, Any]) -> dict[str, Any]:
        start, end = change((argument["span"]["start"], argument["span"]["end"]))
        return {**argument, "span": {"start": start, "end": end}}

    events = [{**event, "arguments": [changed(each) for each in event["arguments"]]} for event in side["events"]]
    return {**side, "events": events}


def _first_mentions(gold: Any, path: str) -> dict[Span, Span]:
    """Mentions of clusters and the first mention of each; ids are those of gold's entities."""
    entities = gold.get("entities") if isinstance(gold, Mapping) else None
    places = {
        each["id"]: (each["span"]["start"], each["span"]["end"])
        for each in (entities if isinstance(entities, list) else ())
        if isinstance(each, Mapping) and isinstance(each.get("id"), str) and _is_span(each.get("span"))
    }
    found: dict[Span, Span] = {}
    known = _clusters(path)  # even if nothing refers to it: a file that cannot be read is never ignored
    for cluster in known.get(str(gold["id"]), ()) if places else ():
        spans = [places[name] for name in cluster if name in places]
        found.update((span, min(spans)) for span in spans)
    return found


@lru_cache(maxsize=4)
def _clusters(path: str) -> Any:
    return read_clusters(path)


def _has_events(side: Any) -> bool:
    """Whether a document has well-formed events; the metric reports anything else."""
    if not isinstance(side, Mapping) or not isinstance(side.get("events"), list):
        return False
    return all(
        isinstance(event, Mapping)
        and isinstance(event.get("type"), str)
        and _is_span(event.get("trigger"))
        and isinstance(event.get("arguments"), list)
        and all(isinstance(each, Mapping) and _is_span(each.get("span")) for each in event["arguments"])
        for event in side["events"]
    )


def _is_span(value: Any) -> bool:
    return isinstance(value, Mapping) and all(isinstance(value.get(name), int) for name in ("start", "end"))


FAMILY = Family(
    name="event",
    about="Events: triggers and arguments.",
    metrics=("event.trigger-id", "event.trigger-cls", "event.argument-id", "event.argument-cls"),
    readers={
        "oneie": Reader("OneIE, one sentence per line, input or output", "adjudge.formats.event_lines:read_oneie"),
        "textee": Reader("TextEE, one window per line, data or predictions", "adjudge.formats.event_lines:read_textee"),
        "dygie": Reader(
            "DyGIE++, one document per line",
            "adjudge.formats.event_lines:read_dygie",
            "adjudge.formats.event_lines:read_dygie_output",
        ),
        "rams": Reader(
            "RAMS, one event per line; predictions have no event type",
            "adjudge.formats.event_lines:read_rams",
            metrics=("event.argument-id(attach=span)", "event.argument-cls(attach=span)"),
        ),
        "wikievents": Reader("WikiEvents, one document per line", "adjudge.formats.event_lines:read_wikievents"),
        "omnievent": Reader("OmniEvent's unified format", "adjudge.formats.event_lines:read_omnievent"),
        "brat": Reader(
            "a folder of brat: an .ann file with its .txt for each document",
            "adjudge.formats.brat_documents:read_brat_documents",
        ),
    },
    example="adjudge event score gold.jsonl system.jsonl --reader oneie",
    options={
        "triggers": Option(
            "Score arguments of the system's events, or only at gold triggers.", choices=("system", "gold")
        ),
        "spans": Option("Compare whole spans, or the heads that the documents give.", choices=("full", "head")),
        "clusters": Option("Mentions that corefer (WikiEvents form): any mention of an entity is correct.", "FILE"),
    },
    adjust=adjust,
)
