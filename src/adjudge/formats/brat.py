r"""brat standoff: an `.ann` file with the annotations of a text, which is in the `.txt` file of the same name.

    T1	Conflict_Attack 10 14;19 23	shot down
    E1	Conflict_Attack:T1
    A1	Realis E1 Actual
    R1	Coreference Arg1:E1 Arg2:E2

An event (E) is a nugget: its trigger (T) has the place, the attribute `Realis` (A, or M in old files) the realis.
Relations (R) named `Coreference`, and equivalences (*), are closed into clusters; all others are kept as they are. A
trigger may stand for its event. What nuggets cannot represent is dropped, and counted in a note: text-bound annotations
that trigger nothing, arguments, other attributes, normalizations (N), notes (#).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from adjudge.errors import FormatError, Problem, ValidationError
from adjudge.formats.source import Source, decode, read_bytes, source_name
from adjudge.formats.standoff import (
    MisplacedError,
    Offsets,
    covered,
    folded,
    in_order,
    plain,
    with_clusters,
)
from adjudge.model.graph import closed
from adjudge.model.nugget import COREFERENCE, NOT_ANNOTATED, REALIS, Nugget, NuggetDocument, Piece, Relation

EVENT_ID = re.compile(r"E[A-Za-z]*[0-9][^\s:;,]*")
"""Ids that brat itself accepts for events."""
LINK_ID = re.compile("R[0-9]+")
TYPE = re.compile(r"[^\s:]+")

DIGITS = 15  # of an offset; longer numbers are not offsets

_NOT_KEPT = {
    "note": "{n} note{s} (#) not kept",
    "normalization": "{n} normalization{s} (N) not kept",
    "text-bound": "{n} text-bound annotation{s} that trigger{v} no event not kept",
    "argument": "{n} argument{s} of events not kept",
    "attribute": "{n} attribute{s} other than the Realis of an event not kept",
    "relation": "{n} relation{s} with something that is not an event left out",
    "itself": "{n} relation{s} of an event with itself left out",
    "type": "{n} trigger{s} of another type than the event, whose type is taken",
    "realis": "{n} realis value{s} that are unknown, kept as written",
    "text": "{n} trigger{s} whose text differs from that at the offsets, the offsets are used",
    "utf-16": "the offsets look like UTF-16 units: give --offsets utf-16",
}


def read_brat(
    source: Source,
    *,
    document: str,
    text: str | None = None,
    name: str | None = None,
    order: str = "id",
    units: str = "code-points",
) -> tuple[NuggetDocument, list[Problem]]:
    r"""The events of an `.ann` file as nuggets, and what could not be kept; `text` is that of the `.txt` file.

    Events are in the natural order of their ids, or as in the file. With `units="utf-16"` offsets are counted in UTF-16
    units, for which the text is needed.

    >>> ann = b"T1\tLife_Die 3 7\tdied\nE1\tLife_Die:T1\nA1\tRealis E1 Actual\n"
    >>> read_brat(ann, document="a", text="He died")[0].nuggets
    [Nugget(id='E1', type='Life_Die', realis='Actual', text='died', tokens=(), pieces=((3, 7),), ..., line=2)]
    """
    reading = read_annotations(source, text=text, name=name, units=units)
    found = reading.document(document, order)
    if reading.problems:
        raise FormatError(sorted(reading.problems, key=lambda problem: (problem.line or 0, problem.column or 0)))
    return found, reading.notes()


def read_annotations(
    source: Source, *, text: str | None = None, name: str | None = None, units: str = "code-points"
) -> Annotations:
    """The annotations of an `.ann` file, with the problems of its lines."""
    place = name or source_name(source)
    reading = Annotations(place, text, Offsets(text, units, place))
    lines = decode(read_bytes(source, place), place).split("\n")
    for number, line in enumerate(lines, 1):
        reading.line(line.removesuffix("\r").removeprefix("\ufeff" if number == 1 else ""), number)
    return reading


class _Trigger(NamedTuple):
    type: str
    pieces: tuple[Piece, ...]
    text: str
    line: int


class _Event(NamedTuple):
    type: str
    trigger: str
    line: int
    column: int
    arguments: tuple[tuple[str, str], ...] = ()


class _Link(NamedTuple):
    name: str
    id: str
    arguments: tuple[str, ...]
    line: int


@dataclass
class Annotations:
    """The annotations of an `.ann` file, line by line."""

    place: str
    text: str | None
    offsets: Offsets
    problems: list[Problem] = field(default_factory=list)
    triggers: dict[str, _Trigger] = field(default_factory=dict)
    events: dict[str, _Event] = field(default_factory=dict)
    realis: list[tuple[str, str, int]] = field(default_factory=list)
    links: list[_Link] = field(default_factory=list)
    not_kept: dict[str, list[int]] = field(default_factory=dict)

    def wrong(self, line: int, column: int, message: str, hint: str) -> None:
        """Add a problem."""
        self.problems.append(Problem(message, path=self.place, line=line, column=column, hint=hint))

    def skip(self, kind: str, line: int) -> None:
        """Count what nuggets cannot represent."""
        self.not_kept.setdefault(kind, []).append(line)

    def notes(self) -> list[Problem]:
        """What was dropped: one note per kind, with the line of the first."""
        found = []
        for kind, form in _NOT_KEPT.items():
            if lines := self.not_kept.get(kind):
                one = len(lines) == 1
                message = form.format(n=len(lines), s="" if one else "s", v="s" if one else "")
                found.append(Problem(message, path=self.place, line=min(lines)))
        return found

    def line(self, line: str, number: int) -> None:
        """Take one line."""
        if not line.strip():
            return
        kind = line[0]
        if kind == "#":
            self.skip("note", number)
        elif kind == "N":
            self.skip("normalization", number)
        elif kind in "TEAMR*":
            id, tab, rest = line.partition("\t")
            id = id.rstrip()
            if not tab:
                self.wrong(number, 1, f"{_shown(line)} has one column", "separate the id from the rest by a TAB")
            elif kind == "T":
                self._trigger(id, rest, number)
            elif kind == "E":
                self._event(id, rest, number)
            elif kind in "AM":
                self._attribute(id, rest, number)
            else:
                self._relation(id, rest, number)
        else:
            self.wrong(
                number, 1, f"{_shown(line)} is not an annotation of brat", "ids begin with T, E, A, M, R, N, * or #"
            )

    def _trigger(self, id: str, rest: str, number: int) -> None:
        what, tab, text = rest.partition("\t")
        type_, _, spans = what.partition(" ")
        pieces: list[Piece] = []
        column = len(id) + len(type_) + 3
        for span in spans.split(";"):
            piece = self._piece(span, number, column)
            if piece is not None:
                pieces.append(piece)
            column += len(span) + 1
        if id in self.triggers:
            self.wrong(number, 1, f"{id} occurs twice (line {self.triggers[id].line})", "renumber one of them")
        if not type_:
            self.wrong(number, len(id) + 2, f"{id} has no type", "write the type before the offsets")
        if not tab and self.text is not None:
            text = covered(self.text, pieces)
        elif tab and self.text is not None and pieces and folded(text) != folded(covered(self.text, pieces)):
            self.skip("text", number)
            whole = len(pieces) == spans.count(";") + 1 and "utf-16" not in self.not_kept
            if whole and self.offsets.seem_utf16(pieces, text):
                self.skip("utf-16", number)
        self.triggers[id] = _Trigger(type_, tuple(pieces), plain(text), number)

    def _piece(self, span: str, number: int, column: int) -> Piece | None:
        ends = span.split()
        if len(ends) != 2 or not all(end.isascii() and end.isdigit() and len(end) <= DIGITS for end in ends):
            hint = "write the first character and the one after the last: 10 14;19 23"
            self.wrong(number, column, f"{_shown(span)} is not a position in a text", hint)
            return None
        begin, end = int(ends[0]), int(ends[1])
        if end <= begin:
            self.wrong(
                number, column, f"the piece {begin} {end} is empty", "its end is the position after the last character"
            )
            return None
        try:
            return self.offsets.piece(begin, end, f"the piece {begin} {end}")
        except MisplacedError as error:
            self.wrong(number, column, *error.args)
            return None

    def _event(self, id: str, rest: str, number: int) -> None:
        parts = rest.split()
        type_, colon, trigger = parts[0].rpartition(":") if parts else ("", "", "")
        column = len(id) + 2
        if id in self.events:
            self.wrong(number, 1, f"{id} occurs twice (line {self.events[id].line})", "renumber one of them")
        if not (colon and type_ and trigger):
            self.wrong(number, column, f"the event {id} has no type and trigger", "write for example Life_Die:T1")
            return
        for _ in parts[1:]:
            self.skip("argument", number)
        roles = [part.partition(":") for part in parts[1:]]
        arguments = tuple((role, target) for role, _, target in roles if target)
        self.events[id] = _Event(type_, trigger, number, column + len(type_) + 1, arguments)

    def _attribute(self, id: str, rest: str, number: int) -> None:
        parts = rest.split()
        column = len(id) + 2
        if len(parts) < 2:
            self.wrong(number, column, f"the attribute {id} has no target", "write for example Realis E1 Actual")
        elif parts[0] != "Realis":
            self.skip("attribute", number)
        elif len(parts) != 3:
            self.wrong(number, column, f"the realis {id} has no value or several", "write for example Realis E1 Actual")
        else:
            self.realis.append((parts[1], parts[2], number))

    def _relation(self, id: str, rest: str, number: int) -> None:
        name, *parts = rest.split() or [""]
        column = len(id) + 2
        if id[0] == "*":
            if name and len(parts) > 1:
                self.links.append(_Link("*", id, tuple(parts), number))
            else:
                hint = "write for example Equiv T1 T2"
                self.wrong(number, column, "an equivalence needs two annotations", hint)
            return
        labelled = [part.partition(":") for part in parts]
        if len(parts) != 2 or not all(label and colon and argument for label, colon, argument in labelled):
            hint = "write for example Coreference Arg1:E1 Arg2:E2"
            self.wrong(number, column, f"the relation {id} does not have two arguments", hint)
            return
        if labelled[0][0] == "Arg2" and labelled[1][0] == "Arg1":
            labelled.reverse()
        self.links.append(_Link(name, id, tuple(argument for _, _, argument in labelled), number))

    def document(self, name: str, order: str) -> NuggetDocument:
        """The document made of all lines."""
        owners: dict[str, list[str]] = {}
        for id, event in self.events.items():
            owners.setdefault(event.trigger, []).append(id)
            if event.trigger not in self.triggers:
                message = f"the event {id} has the trigger {_shown(event.trigger)}, which is not in the file"
                self.wrong(event.line, event.column, message, "add its line")
        for id, trigger in self.triggers.items():
            if id not in owners:
                self.skip("text-bound", trigger.line)
        # Some tools put attributes and relations on the trigger, which is clear if it has one event.
        known = {trigger: ids[0] for trigger, ids in owners.items() if len(ids) == 1} | {id: id for id in self.events}
        realis = self._realis(known)
        nuggets = [
            self._nugget(id, event, realis) for id, event in self.events.items() if event.trigger in self.triggers
        ]
        found = NuggetDocument(name, in_order(nuggets, order), (), self.text)
        relations = self._relations(found, known)
        return NuggetDocument(name, found.nuggets, relations, self.text)

    def _realis(self, known: dict[str, str]) -> dict[str, str]:
        found: dict[str, tuple[str, int]] = {}
        for target, value, number in self.realis:
            event = known.get(target)
            if event is None:
                self.skip("attribute", number)
                continue
            before, line = found.setdefault(event, (value, number))
            if before != value:
                message = f"the realis of {event} is {value} here and {before} in line {line}"
                self.wrong(number, 1, message, "keep one of them")
            elif value not in REALIS and value != NOT_ANNOTATED and line == number:
                self.skip("realis", number)
        return {event: value for event, (value, _) in found.items()}

    def _nugget(self, id: str, event: _Event, realis: dict[str, str]) -> Nugget:
        trigger = self.triggers[event.trigger]
        if trigger.type != event.type:
            self.skip("type", event.line)
        value = realis.get(id, NOT_ANNOTATED)
        return Nugget(id, event.type, value, trigger.text, pieces=trigger.pieces, line=event.line)

    def _relations(self, document: NuggetDocument, known: dict[str, str]) -> list[Relation]:
        clusters, others = [], []
        for name, id, targets, number in self.links:
            arguments = tuple(known[target] for target in targets if target in known)
            if len(arguments) < len(targets):
                self.skip("relation", number)
            elif len(set(arguments)) == 1:
                self.skip("itself", number)
            elif name in (COREFERENCE, "*"):
                clusters.append(arguments)
            else:
                others.append(Relation(name, id, arguments, number))
        return with_clusters(document, clusters, others)


def _shown(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:37] + "...")


# ---------------------------------------------------------------------------------------------------------------------
# Writing


def write_brat(document: NuggetDocument, *, path: str | None = None) -> str:
    """The `.ann` file of a document; a cluster is written as a chain of links in the order of the text.

    Everything that would be read back differently is a problem: a nugget without pieces, an id that is not an event's,
    clusters that overlap. `path` is where the document came from, for messages.

    >>> nugget = Nugget("E7", "Life_Die", "Actual", "died", pieces=((3, 7),))
    >>> print(write_brat(NuggetDocument("a", [nugget])), end="")
    T1	Life_Die 3 7	died
    E7	Life_Die:T1
    A1	Realis E7 Actual
    """
    problems = list(_unwritable(document, path))
    if problems:
        raise ValidationError(problems)
    lines = []
    attributes = 0
    for number, nugget in enumerate(document.nuggets, 1):
        spans = ";".join(f"{begin} {end}" for begin, end in nugget.pieces)
        lines.append(f"T{number}\t{nugget.type} {spans}\t{plain(nugget.text)}\n")
        lines.append(f"{nugget.id}\t{nugget.type}:T{number}\n")
        if nugget.realis != NOT_ANNOTATED:
            attributes += 1
            lines.append(f"A{attributes}\tRealis {nugget.id} {nugget.realis}\n")
    taken = {relation.id for relation in document.relations if relation.name != COREFERENCE}
    free = (id for id in map("R{}".format, range(1, 1 << 62)) if id not in taken)
    place = {nugget.id: min(nugget.pieces) for nugget in document.nuggets}
    for relation in document.relations:
        members = relation.arguments
        if relation.name == COREFERENCE:
            for first, second in pairwise(sorted(members, key=place.__getitem__)):
                lines.append(f"{next(free)}\t{COREFERENCE} Arg1:{first} Arg2:{second}\n")
        else:
            lines.append(f"{relation.id}\t{relation.name} Arg1:{members[0]} Arg2:{members[1]}\n")
    return "".join(lines)


def _unwritable(document: NuggetDocument, path: str | None) -> Iterable[Problem]:
    """Why a document cannot be written."""

    def problem(message: str, line: int, hint: str) -> Problem:
        return Problem(f"{message}, in document {document.id!r}", path=path, line=line or None, hint=hint)

    seen: set[str] = set()
    for nugget in document.nuggets:
        if not re.fullmatch(r"E[^\s:]+", nugget.id) or nugget.id in seen:
            yield problem(f"{nugget.id!r} is not an event id, or occurs twice", nugget.line, "ids are E1, E2 and so on")
        seen.add(nugget.id)
        if not nugget.pieces or any(end <= begin or begin < 0 for begin, end in nugget.pieces):
            yield problem(f"{nugget.id!r} has no characters", nugget.line, "look them up with a token table")
        for what, value in (("type", nugget.type), ("realis", nugget.realis)):
            if not TYPE.fullmatch(value):
                yield problem(f"the {what} {value!r} cannot be written", nugget.line, "leave out blanks and colons")
    for relation in document.relations:
        if not set(relation.arguments) <= seen:
            yield problem(f"the relation {relation.id!r} names unknown nuggets", relation.line, "leave them out")
        elif len(set(relation.arguments)) < 2 or (relation.name != COREFERENCE and len(relation.arguments) != 2):
            yield problem(f"the relation {relation.id!r} does not have two arguments", relation.line, "leave it out")
        elif relation.name != COREFERENCE and not (LINK_ID.fullmatch(relation.id) and TYPE.fullmatch(relation.name)):
            yield problem(f"the relation {relation.id!r} cannot be written", relation.line, "ids are R1, R2 and so on")
    ids = [nugget.id for nugget in document.nuggets]
    if len(closed(document.clusters(), ids)) < len(document.clusters()):
        yield problem("two clusters overlap", document.line, "merge them")
