"""The files of a submission that is checked: where something stands, what is said of it, and the text it refers to."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from adjudge.errors import Problem, visible
from adjudge.findings import Finding, Findings, Severities, field_column, graded
from adjudge.formats.eal_fields import decode_lines
from adjudge.formats.eal_sources import Offsets, Utf16
from adjudge.formats.eal_store import Store
from adjudge.model.eal import Argument, Arguments, Linking, Response, Span

LIMIT = 20
"""How many of a kind are listed, unless it is said otherwise: one mistake may stand in every line."""
KINDS = (
    *(
        "archive",
        "layout",
        "junk",
        "backup",
        "document-name",
        "unexpected-document",
        "missing-document",
        "missing-linking",
    ),
    *("linking-alone", "text", "encoding", "columns", "extra-columns", "document-id", "empty", "no-id", "repeated-id"),
    *("id-range", "id-form", "repeated-response", "type", "role", "span", "justification", "realis", "confidence"),
    *("time", "time-small-x", "time-calendar", "entity-type", "outside", "split-character", "astral", "cas-text"),
    *("cas-extent", "misfit", "empty-cas", "filler-outside", "overlapping-justifications", "additional", "quoted"),
    *("around-quotation", "quote", "unknown-id", "ambiguous-id", "unlinked", "generic-linked", "generic-incomplete"),
    *("mixed-types", "linked-incomplete", "repeated-incomplete", "repeated-frame", "hopper-names", "no-hopper-names"),
    *("repeated-hopper", "hopper-name", "empty-hopper"),
)
"""Every kind of problem that a submission can have, in the order of `docs/eal-validation.md`."""
VALUES = 1000  # different values, such as misspelt types, of which the first is listed beyond the limit

_MORE = re.compile(r"and (\d+) more of the kind ")


@dataclass(frozen=True, slots=True)
class EalReport:
    """What was found in one submission, document by document, and what is in it; `unlisted` counts the rest by kind."""

    path: str
    profile: str
    ontology: str
    layout: str
    offsets: str
    texts: bool
    findings: list[Finding]
    unlisted: dict[str, int]
    errors: int
    warnings: int
    documents: int = 0
    empty: int = 0
    responses: int = 0
    frames: int = 0
    severity: Severities = field(default_factory=dict)


@dataclass(slots=True)
class Collector:
    """Takes what is found, in the order in which it is to be shown."""

    limit: int = LIMIT  # 0 is no limit
    severity: Severities = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    errors: int = 0
    warnings: int = 0
    _counts: Counter[str] = field(default_factory=Counter)
    _listed: Counter[str] = field(default_factory=Counter)
    _values: set[tuple[str, str]] = field(default_factory=set)

    def take(self, found: Iterable[Complaint | Finding]) -> None:
        """Keep findings as far as there is room, and count all."""
        for each in found:
            said, value = each if isinstance(each, tuple) else (each, None)
            finding = graded(said, self.severity)
            if finding is None:
                continue
            kind = finding.kind
            summary = _MORE.match(finding.problem.message)  # the readers, too, keep only the first of a kind
            count = int(summary[1]) if summary else 1
            self._counts[kind] += count
            if finding.error:
                self.errors += count
            else:
                self.warnings += count
            if not self.limit or (summary is None and (self._listed[kind] < self.limit or self._is_new(kind, value))):
                self._listed[kind] += count
                self.findings.append(finding)
            if value is not None and len(self._values) < VALUES:
                self._values.add((kind, value))

    def has_room(self, kind: str) -> bool:
        """Whether one more of a kind would be listed."""
        return not self.limit or self._listed[kind] < self.limit

    def unlisted(self) -> dict[str, int]:
        """How many of each kind are not listed."""
        return {kind: count - self._listed[kind] for kind, count in self._counts.items() if count > self._listed[kind]}

    def _is_new(self, kind: str, value: str | None) -> bool:
        return value is not None and len(self._values) < VALUES and (kind, value) not in self._values


Complaint = tuple[Finding, str | None]
"""A finding, and the value that it is about if the first of each value is to be listed in any case."""


class File:
    """One file of a submission, whose lines are looked at only to say where something is."""

    def __init__(self, store: Store, document: str, kind: str = "arguments") -> None:
        self.place = store.place(document, kind)
        self.document = document
        self.found: list[Complaint] = []
        self._store = store
        self._kind = kind

    @cached_property
    def data(self) -> bytes:
        """What is in the file; nothing if it is not there."""
        return self._store.bytes_of(self.document, self._kind) or b""

    @cached_property
    def lines(self) -> list[str]:
        """Its lines as the readers see them."""
        return decode_lines(self.data, Findings(self.place))

    def say(
        self,
        kind: str,
        message: str,
        line: int | None = None,
        column: int | None = None,
        *,
        hint: str,
        error: bool = True,
        value: str | None = None,
    ) -> None:
        """Remember something that is wrong."""
        problem = Problem(message, self.place, line, column, hint)
        self.found.append((Finding(kind, error, problem, self.document), value))

    def say_of(
        self,
        kind: str,
        message: str,
        argument: Argument,
        column: int,
        *,
        hint: str,
        error: bool = True,
        value: str | None = None,
    ) -> None:
        """Remember something that is wrong with a column of a response."""
        at = field_column(self.lines[argument.line - 1], column) if argument.line else None
        self.say(kind, message, argument.line or None, at, hint=hint, error=error, value=value)

    def sorted(self, more: Iterable[Finding] = ()) -> list[Complaint]:
        """All that was found here, with findings of a reader, in the order of the lines."""
        found = [*self.found, *((finding, None) for finding in more)]
        return sorted(found, key=lambda each: _order(each[0]))


def _order(finding: Finding) -> tuple[bool, int, int]:
    """What has no line comes first, what counts the rest last."""
    problem = finding.problem
    return _MORE.match(problem.message) is not None, problem.line or 0, problem.column or 0


AROUND = 10_000  # characters before and after a span in which a text is looked for

_ASTRAL = re.compile("[\U00010000-\U0010ffff]")


class Text:
    """A document, addressed by offsets that count code points or UTF-16 units; both ends of a span belong to it.

    >>> text = Text("a\U0001f600bc", "utf-16")
    >>> text.size, text.at(Span(3, 4)), text.cuts(Span(2, 3))
    (5, 'bc', True)
    """

    def __init__(self, text: str, offsets: Offsets = "code-points", path: str | None = None) -> None:
        self.text = text
        self.path = path
        self.offsets = offsets
        self.astral = [] if text.isascii() else [each.start() for each in _ASTRAL.finditer(text)]
        self._units = Utf16(text) if self.astral and offsets == "utf-16" else None
        self.size = len(text) + (len(self.astral) if self._units else 0)

    @property
    def has_halves(self) -> bool:
        """Whether a span can begin or end in the middle of a character."""
        return self._units is not None

    def at(self, span: Span) -> str:
        """The characters of a span; those that it cuts into halves count."""
        start, end = span if self._units is None else self._units.to_characters(span)
        return self.text[start : end + 1]

    def cuts(self, span: Span) -> bool:
        """Whether a span begins or ends in the middle of a character."""
        return self._units is not None and self._units.cuts(span)

    def span(self, start: int, end: int) -> Span:
        """The offsets of the characters from `start` to `end`, both inclusive."""
        return Span(start, end) if self._units is None else self._units.to_units(Span(start, end))

    def find(self, wanted: str, near: Span) -> Span | None:
        """Where a text stands that was expected at a span: the closest place, or None if it is not around."""
        start = near.start if self._units is None else self._units.to_characters(near).start
        first, last = max(0, start - AROUND), start + AROUND + len(wanted)
        places = [self.text.rfind(wanted, first, start + len(wanted)), self.text.find(wanted, start, last)]
        there = [place for place in places if place >= 0]
        if not there or not wanted:
            return None
        place = min(there, key=lambda each: abs(each - start))
        return self.span(place, place + len(wanted) - 1)


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
