"""The baseline of linking: everything with the same event type is one event."""

from __future__ import annotations

from adjudge.model.eal import Arguments, Frame, Linking, Response


def baseline_link(arguments: Arguments) -> Linking:
    """One hopper for the responses of each event type that are not generic, in the order of first appearance.

    Source: task description of 2015, "Differences between 2014 EA and 2015 EAL".

    >>> from adjudge.model.eal import Argument, Cas, Span
    >>> bob = Response("d", "Life.Die", "Victim", Cas("Bob", Span(0, 2)), Span(0, 2), (Span(0, 9),), (), "Actual")
    >>> others = bob._replace(realis="Generic"), bob._replace(role="Place")
    >>> linking = baseline_link(Arguments("d", [Argument(response) for response in (bob, *others)]))
    >>> [len(frame.responses) for frame in linking.frames]
    [2]
    """
    types: dict[str, list[Response]] = {}
    for argument in arguments.arguments:
        response = argument.response
        if response.realis != "Generic":
            types.setdefault(response.type, []).append(response)
    return Linking(arguments.document, [Frame(frozenset(responses)) for responses in types.values()])
