"""A submission for human eyes: each response with the text at its offsets, frame by frame."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from adjudge.errors import visible
from adjudge.model.eal import Argument, Arguments, Linking, Response, Span
from adjudge.tasks.eal.validation_texts import Text

WIDTH = 240  # characters of a text that are shown


def dump_document(arguments: Arguments, linking: Linking | None, text: Text | None = None) -> str:
    """The responses of a document in the order of its frames, then those that are in none.

    >>> from adjudge.model.eal import Cas
    >>> at = Span(0, 2)
    >>> bob = Response("D1", "Life.Die", "Victim", Cas("Bob", at), at, (Span(0, 7),), (), "Actual")
    >>> print(dump_document(Arguments("D1", [Argument(bob, 0.9, "7")]), None, Text("Bob died.")), end="")
    D1: 1 response
    <BLANKLINE>
      7  Life.Die  Victim  'Bob'  Actual  0.9
          CAS          0-2  Bob
          base filler  0-2  Bob
          because      0-7  Bob died
    <BLANKLINE>
    """
    count = len(arguments.arguments)
    title = f"{arguments.document}: {count} response{'s' * (count != 1)}"
    if linking is not None:
        title += f", {len(linking.frames)} frame{'s' * (len(linking.frames) != 1)}"
    lines = [title, "", *_frames(arguments, linking, text)]
    return "".join(f"{visible(line)}\n" for line in lines)


def _frames(arguments: Arguments, linking: Linking | None, text: Text | None) -> Iterator[str]:
    if linking is None:
        yield from _group(arguments.arguments, text, set())
        return
    shown: set[Response] = set()
    for number, frame in enumerate(linking.frames, 1):
        types = ", ".join(sorted({response.type for response in frame.responses}))
        yield f"frame {number if frame.id is None else frame.id}: {types}"
        yield from _group((each for each in arguments.arguments if each.response in frame.responses), text, shown)
    rest = [each for each in arguments.arguments if each.response not in shown]
    groups: dict[str, list[Argument]] = {"incomplete": [], "in no frame": [], "generic": []}
    for argument in rest:
        response = argument.response
        unlinked = "incomplete" if response in linking.incomplete else "in no frame"
        groups["generic" if response.realis == "Generic" else unlinked].append(argument)
    for name, group in groups.items():
        if group:
            yield f"{name}:"
            yield from _group(group, text, shown)


def _group(arguments: Iterable[Argument], text: Text | None, shown: set[Response]) -> Iterator[str]:
    for argument in arguments:
        response = argument.response
        again = response in shown
        shown.add(response)
        said = (response.type, response.role, repr(response.cas.text), response.realis, f"{argument.confidence:g}")
        yield "  " + "  ".join((argument.id, *said)) + ("  (see above)" if again else "")
        if not again:
            yield from _spans(response, text)
    yield ""


def _spans(response: Response, text: Text | None) -> Iterator[str]:
    rows: list[tuple[str, Span]] = [("CAS", response.cas.span), ("base filler", response.base_filler)]
    rows += [("because", span) for span in response.justifications]
    rows += [("and because", span) for span in response.additional]
    places = [f"{span.start}-{span.end}" for _, span in rows]
    width = max(map(len, places))
    for (name, span), place in zip(rows, places, strict=True):
        said = "" if text is None else _shown(text, span)
        yield f"      {name:<11}  {place:<{width}}  {said}".rstrip()


def _shown(text: Text, span: Span) -> str:
    if span.start >= text.size:
        return "(outside the document)"
    found = " ".join(text.at(span).split())
    if len(found) > WIDTH:
        found = f"{found[: WIDTH * 2 // 3]} [...] {found[-WIDTH // 3 :]}"
    return found if span.end < text.size else f"{found} (and on behind the end of the document)"
