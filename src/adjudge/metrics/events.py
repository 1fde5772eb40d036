"""Event triggers and arguments (Li et al. 2013).

Published work disagrees on what an argument belongs to: `attach` says it. The other choices (heads of spans, gold
triggers, arguments that corefer) are made before anything is compared, by options of `adjudge event score`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from adjudge.algebra import exact, f, ir, mapped, record, set_of
from adjudge.metrics.base import SPAN, TEXT, part
from adjudge.metrics.registry import metric

LAWS = ("self", "order", "rename", "swap", "bounded", "pooled")
ARGUMENT_LAWS = ("perfect", *LAWS[1:])  # an event without arguments has nothing to count
EXAMPLE = {
    "id": "d1",
    "events": [
        {
            "type": "attack",
            "trigger": {"start": 52, "end": 57},
            "arguments": [{"role": "place", "span": {"start": 4, "end": 11}}],
        }
    ],
}
Attach = Literal["trigger", "span", "type", "none"]


@metric("event.trigger-id", within="events", laws=LAWS, example=EXAMPLE)
def trigger_id(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of triggers whose span is right."""
    return f(set_of(record(trigger=SPAN)), beta=beta)


@metric("event.trigger-cls", within="events", laws=LAWS, example=EXAMPLE)
def trigger_cls(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of triggers whose span and event type are right.

    TrigF1 = F[trigger = * type =] over the set of events (Eq. 15).
    """
    return f(set_of(record(type=TEXT, trigger=SPAN)), beta=beta)


@metric("event.argument-id", within="events", laws=ARGUMENT_LAWS, example=EXAMPLE)
def argument_id(*, attach: Attach = "trigger", beta: float = 1.0) -> ir.Similarity:
    """F1 of arguments whose span is right, in an event whose trigger and type are right.

    As argument classification with the role left out; arguments of one event with the same span are one.

    >>> event = {"type": "die", "trigger": {"start": 25, "end": 29}}
    >>> gold = [{**event, "arguments": [{"role": "victim", "span": {"start": 15, "end": 24}}]}]
    >>> argument_id.score(gold, [{**gold[0], "trigger": {"start": 0, "end": 3}}], attach="type").f1
    1.0
    """
    if attach in ("type", "none"):
        return _flat(attach, beta, with_role=False)
    return _attached(attach, beta, record(span=SPAN))


@metric("event.argument-cls", within="events", laws=ARGUMENT_LAWS, example=EXAMPLE)
def argument_cls(*, attach: Attach = "trigger", beta: float = 1.0) -> ir.Similarity:
    """F1 of arguments whose span and role are right, in an event whose trigger and type are right.

    ArgF1 = F[trigger = * type = * number of equal arguments] over the 1:1 matching of events (Eq. 16). The inner
    count is not normalised, so an event without arguments adds nothing anywhere. With attach=type, the set of
    (event type, span, role) of the document is compared, and it does not matter which trigger an argument depends on;
    with attach=none, the set of (span, role); with attach=span, the type of the event does not matter (RAMS).

    >>> event = {"type": "die", "trigger": {"start": 25, "end": 29}}
    >>> gold = [{**event, "arguments": [{"role": "victim", "span": {"start": 15, "end": 24}}]}]
    >>> argument_cls.score(gold, [{**event, "arguments": []}])
    precision=0.0 recall=0.0 f1=0.0
    """
    if attach in ("type", "none"):
        return _flat(attach, beta, with_role=True)
    return _attached(attach, beta, record(role=TEXT, span=SPAN))


def _attached(attach: Attach, beta: float, argument: ir.Similarity) -> ir.Similarity:
    """Arguments as parts of their events."""
    kind = {} if attach == "span" else {"type": TEXT}
    return f(set_of(record(kind, trigger=SPAN, arguments=set_of(argument))), beta=beta)


def _flat(attach: Attach, beta: float, *, with_role: bool) -> ir.Similarity:
    """Arguments of all events of a document in one set."""
    span = record(start=exact, end=exact)
    fields = {"type": exact} if attach == "type" else {}
    found = record(**fields, **({"role": exact} if with_role else {}), span=span)
    return f(mapped(set_of(found), by="adjudge.metrics.events:arguments"), beta=beta)


def arguments(events: Iterable[Any]) -> list[dict[str, Any]]:
    """The arguments of events, each with the type of its event.

    >>> arguments([{"type": "die", "arguments": [{"role": "victim", "span": {"start": 1, "end": 2}}]}])
    [{'type': 'die', 'role': 'victim', 'span': {'start': 1, 'end': 2}}]
    """
    return [
        {"type": part(event, "type"), "role": part(argument, "role"), "span": part(argument, "span")}
        for event in events
        for argument in part(event, "arguments")
    ]
