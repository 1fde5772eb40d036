"""Event triggers and arguments (seed 002, section 3.1; Li et al. 2013)."""

from __future__ import annotations

from adjudge.algebra import f, ir, view
from adjudge.metrics.registry import metric
from adjudge.model.structures import Event

LAWS = ("self", "order", "rename", "swap", "bounded", "pooled")
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


@metric("event.trigger-id", within="events", laws=LAWS, example=EXAMPLE)
def trigger_id(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of triggers whose span is right."""
    return f(view(list[Event]).only("trigger").node, beta=beta)


@metric("event.trigger-cls", within="events", laws=LAWS, example=EXAMPLE)
def trigger_cls(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of triggers whose span and event type are right.

    TrigF1 = F[trigger = * type =] over the set of events (Eq. 15).
    """
    return f(view(list[Event]).only("trigger", "type").node, beta=beta)


@metric("event.argument-id", within="events", laws=LAWS, example=EXAMPLE)
def argument_id(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of arguments whose span is right, in an event whose trigger and type are right.

    As argument classification with the role left out; arguments of one event with the same span are one.
    """
    return f(view(list[Event]).ignore("arguments.role").count("arguments").node, beta=beta)


@metric("event.argument-cls", within="events", laws=LAWS, example=EXAMPLE)
def argument_cls(*, beta: float = 1.0) -> ir.Similarity:
    """F1 of arguments whose span and role are right, in an event whose trigger and type are right.

    ArgF1 = F[trigger = * type = * number of equal arguments] over the 1:1 matching of events (Eq. 16). The inner
    count is not normalised, so an event without arguments adds nothing anywhere.

    >>> event = {"type": "die", "trigger": {"start": 25, "end": 29}}
    >>> gold = [{**event, "arguments": [{"role": "victim", "span": {"start": 15, "end": 24}}]}]
    >>> argument_cls.score(gold, [{**event, "arguments": []}])
    precision=0.0 recall=0.0 f1=0.0
    """
    return f(view(list[Event]).count("arguments").node, beta=beta)
