"""The slots of a template: labels, types, hierarchies of set values, how templates are aligned, and how fillers are
parsed.

The MUC-4 template comes with the package; others are TOML or JSON files of the same form.

A filler is one line of a template. Its value is a text, or a `Compound` of other values: alternatives, an optional
filler, a value with a cross-reference, a range, a place. Quoted strings keep their quotes, because `"X"` is text of the
message and `X` is not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias, get_args

import msgspec

from adjudge.errors import FormatError, Problem, did_you_mean
from adjudge.formats.json_file import parse_json, parse_toml
from adjudge.formats.jsonl import UnfitError, shaped
from adjudge.formats.source import Source, read_text
from adjudge.model.whereabouts import find_name, split_path

Kind: TypeAlias = Literal["or", "optional", "xref", "range", "location", "qualified", "between"]
SlotType: TypeAlias = Literal["message", "template", "string", "set", "number", "date", "location", "text"]

TYPES: tuple[str, ...] = tuple(name for name in get_args(SlotType))
ERROR = "<ERROR>"
DEPTH = 50  # far more than any place needs
BLANKS = frozenset(("", "-", "*"))
_BUILT_IN = Path(__file__).with_name("muc4_slots.toml")


class Slot(NamedTuple):
    """One slot; for each value of a set, `above` has the values above it, nearest first."""

    id: str
    label: str
    type: SlotType
    refers: tuple[str, ...] = ()
    above: Mapping[str, tuple[str, ...]] = {}


class Slots(NamedTuple):
    """The slots of one kind of template; `scored` are those that have fillers, in report order.

    A template starts with the slot `message`. Two templates may be aligned if the slot `kind` and one of the slots
    `content` agree. `totals` are rows of the report and the slots that they sum.
    """

    name: str
    message: Slot
    template: Slot
    scored: tuple[Slot, ...]
    kind: Slot | None
    content: tuple[Slot, ...]
    totals: Mapping[str, tuple[str, ...]]


@cache
def muc4_slots() -> Slots:
    """The 25 slots of MUC-4.

    >>> muc4_slots().scored[5].above["MINE"]
    ('BOMB', 'EXPLOSIVE')
    """
    return read_slots(_BUILT_IN)


def read_slots(source: Source) -> Slots:
    """The slots of a template, from a TOML or JSON file.

    >>> text = b'name = "trade"'
    >>> read_slots(text)
    Traceback (most recent call last):
    adjudge.errors.FormatError: <bytes>: there are no slots, add one [[slots]] table for each
    """
    whole, text = read_text(source)
    data = (parse_json if text.lstrip()[:1] in ("{", "[") else parse_toml)(text, whole.place)
    if not isinstance(data, dict) or not data.get("slots"):
        raise FormatError(Problem("there are no slots", whole.place, hint="add one [[slots]] table for each"))
    try:
        given = shaped(data, _File)
    except UnfitError as error:
        steps = split_path(error.path)
        names = [str(step) for step in steps if isinstance(step, str)]
        count = next((step for step in steps if isinstance(step, int)), 0)
        place = find_name(text, *names[:1] * (count + 1), *names[1:])
        message = f"{error.path.removeprefix('$').removeprefix('.')}: {error.message}"
        raise FormatError(Problem(message, whole.place, *place, "see the file muc4_slots.toml")) from None
    return _made(given, text, whole.place)


class _Slot(msgspec.Struct, forbid_unknown_fields=True):
    id: str
    label: str
    type: SlotType
    refers: list[str] = []
    values: str | list[str] = []


class _Alignment(msgspec.Struct):
    type: str | None = None
    content: list[str] = []


class _File(msgspec.Struct):
    slots: list[_Slot]
    name: str = "template"
    alignment: _Alignment = msgspec.field(default_factory=_Alignment)
    totals: dict[str, str | list[str]] = {}
    sets: dict[str, list[str]] = {}


def _made(given: _File, text: str, place: str) -> Slots:
    """The slots of a file of the right shape, if all names in it are defined."""
    problems: list[Problem] = []

    def wrong(message: str, hint: str | None, *at: str) -> None:
        """Raise a problem at the last of several names, each searched for after the one before."""
        problems.append(Problem(message, place, *find_name(text, *at), hint))

    def check(where: str, names: Sequence[str]) -> None:
        for name in names:
            if name not in scored:
                hint = did_you_mean(name, scored)
                wrong(f"{where}: there is no slot {name!r}", hint, where.rpartition(" ")[2], name)

    slots = []
    for each in given.slots:
        values = each.values if isinstance(each.values, list) else given.sets.get(each.values)
        if values is None:
            hint = did_you_mean(str(each.values), given.sets) or "add it to [sets]"
            wrong(f"slot {each.id}: there is no set {each.values!r}", hint, each.id, str(each.values))
        slots.append(Slot(each.id, each.label, each.type, tuple(each.refers), _above(values or ())))
    for type_ in ("message", "template"):
        if (count := sum(slot.type == type_ for slot in slots)) != 1:
            wrong(f"{count} slots have the type {type_}", "exactly one does", "slots", type_)
    for what, texts in (("id", [slot.id for slot in slots]), ("label", [slot.label for slot in slots])):
        for twice in sorted({each for each in texts if texts.count(each) > 1}):
            wrong(f"two slots have the {what} {twice!r}", "make them differ", twice, twice)
    scored = {slot.id: slot for slot in slots if slot.type not in ("message", "template")}
    for slot in slots:
        check(f"slot {slot.id}", slot.refers)
    kind, content = given.alignment.type, given.alignment.content
    check("alignment", [*([] if kind is None else [kind]), *content])
    totals: dict[str, tuple[str, ...]] = {}
    for row, names in given.totals.items():
        if isinstance(names, str):
            totals[row] = tuple(name for name in scored if name.startswith(names))
            if not totals[row]:
                wrong(f"total {row}: no slot starts with {names!r}", None, "totals", row)
        else:
            check(f"total {row}", names)
            totals[row] = tuple(names)
    if problems:
        raise FormatError(problems)
    return Slots(
        given.name,
        next(slot for slot in slots if slot.type == "message"),
        next(slot for slot in slots if slot.type == "template"),
        tuple(scored.values()),
        None if kind is None else scored[kind],
        tuple(scored[name] for name in content),
        totals,
    )


def _above(values: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The values above each value.

    >>> _above(["GUN", "GUN > RIFLE"])
    {'GUN': (), 'RIFLE': ('GUN',)}
    """
    found: dict[str, tuple[str, ...]] = {}
    for text in values:
        *above, value = (part.strip().upper() for part in text.split(">"))
        found[value] = tuple(reversed(above))
    return found


class Compound(NamedTuple):
    """A value made of others; None is the open end of a range."""

    kind: Kind
    parts: tuple[Value | None, ...]

    def __str__(self) -> str:
        return show(self)


Value: TypeAlias = "str | Compound"

_QUOTED = re.compile(r'"[^"\\]*"')
# A hyphen with blanks around it (or at an end) marks a range; any other belongs to the text.
_TOKEN = re.compile(r'\s*(?:("(?:[^"\\]|\\.)*")|([/:()])|([^"/:()]+))')
_RANGED = re.compile(r'\s*(?:("(?:[^"\\]|\\.)*")|([/:()]|-(?=[\s)]|$))|((?:[^\s"/:()]|\s++(?!-(?:[\s)]|$)))+))')


class Malformed(Exception):
    """A filler that cannot be parsed; `at` is the position in its text."""

    def __init__(self, message: str, at: int) -> None:
        super().__init__(message)
        self.message = message
        self.at = at


def parse_filler(text: str, slot: SlotType) -> Value | None:
    """The value of one line; None if it is blank.

    >>> parse_filler('BOMB / MINE: "A BOMB"', "set")
    Compound(kind='xref', parts=(Compound(kind='or', parts=('BOMB', 'MINE')), '"A BOMB"'))
    >>> print(parse_filler("? - 25 MAY 89", "date"))
    ? - 25 MAY 89
    """
    text = text.strip()
    if text in BLANKS:
        return None
    if text[0] == "?":
        inner = text[1:].strip()
        if inner in BLANKS:
            return None
        return Compound("optional", (_parse(inner, slot, len(text) - len(inner)),))
    return _parse(text, slot, 0)


def _parse(text: str, slot: SlotType, offset: int) -> Value:
    if slot == "text":
        return text
    if slot in ("string", "set") and (_QUOTED.fullmatch(text) or not any(mark in text for mark in '"/:()')):
        return text  # most fillers are one quoted string, or plain words of a set
    tokens = _tokens(_TOKEN, text, offset)
    if slot in ("date", "location") or (slot == "number" and not any(kind == ":" for kind, _, _ in tokens)):
        tokens = _tokens(_RANGED, text, offset)
    _check_depth(tokens)
    parser = _Parser(tokens, slot, offset + len(text))
    value = parser.value()
    parser.finish()
    return value


def _tokens(pattern: re.Pattern[str], text: str, offset: int) -> list[tuple[str, str, int]]:
    found: list[tuple[str, str, int]] = []
    at = 0
    while at < len(text):
        match = pattern.match(text, at)
        if match is None:
            if not text[at:].strip():
                break
            raise Malformed("a quotation mark is not closed", offset + at)
        quoted, mark, word = match.groups()
        at = match.end()
        if quoted is not None:
            found.append(("text", quoted, offset + match.start(1)))
        elif mark is not None:
            found.append((mark, mark, offset + match.start(2)))
        elif word.strip():
            found.append(("text", word.strip(), offset + match.start(3)))
    return found


def _check_depth(tokens: list[tuple[str, str, int]]) -> None:
    depth = 0
    for kind, _, at in tokens:
        depth += (kind == "(") - (kind == ")")
        if depth > DEPTH:
            raise Malformed(f"parentheses are nested more than {DEPTH} deep", at)


class _Parser:
    """A recursive-descent parser over the tokens of one filler."""

    def __init__(self, tokens: list[tuple[str, str, int]], slot: SlotType, end: int) -> None:
        self.tokens = tokens
        self.slot = slot
        self.end = end
        self.at = 0

    def peek(self) -> str:
        return self.tokens[self.at][0] if self.at < len(self.tokens) else ""

    def place(self) -> int:
        return self.tokens[self.at][2] if self.at < len(self.tokens) else self.end

    def take(self, kind: str) -> str:
        if self.peek() != kind:
            what = self.tokens[self.at][1] if self.at < len(self.tokens) else "the end of the line"
            wanted = "a value" if kind == "text" else kind
            raise Malformed(f"expected {wanted}, got {what}", self.place())
        self.at += 1
        return self.tokens[self.at - 1][1]

    def finish(self) -> None:
        if self.at < len(self.tokens):
            raise Malformed(f"{self.tokens[self.at][1]} does not belong here", self.place())

    def value(self) -> Value:
        """A whole filler, or what is in parentheses."""
        if self.slot == "location":
            return self._locations()
        first = self._alternatives()
        if self.peek() == ":" and self.slot in ("string", "set", "number"):
            self.at += 1
            return Compound("xref", (first, self._alternatives()))
        return first

    def _joined(self, mark: str, part: Callable[[], Value], kind: Kind) -> Value:
        parts = [part()]
        while self.peek() == mark:
            self.at += 1
            parts.append(part())
        return parts[0] if len(parts) == 1 else Compound(kind, tuple(parts))

    def _alternatives(self) -> Value:
        return self._joined("/", self._term, "or")

    def _term(self) -> Value:
        if self.peek() == "(":
            self.at += 1
            inner = self.value()
            self.take(")")
            return inner
        if self.slot in ("date", "number"):
            return self._range()
        return self.take("text")

    def _range(self) -> Value:
        low = self.take("text") if self.peek() == "text" else None
        if self.peek() != "-":
            return low if low is not None else self.take("text")
        self.at += 1
        high = self.take("text") if self.peek() == "text" else None
        if low is None and high is None:
            return "-"
        return Compound("range", (low, high))

    def _locations(self) -> Value:
        return self._joined("/", self._location, "or")

    def _location(self) -> Value:
        return self._joined(":", self._place, "location")

    def _place(self) -> Value:
        first = self._one_place()
        if self.peek() != "-":
            return first
        self.at += 1
        return Compound("between", (first, self._one_place()))

    def _one_place(self) -> Value:
        if self.peek() == "(":
            self.at += 1
            inner = self._locations()
            self.take(")")
            return inner
        name = self.take("text")
        if self.peek() != "(":
            return name
        self.at += 1
        kind = self.take("text")
        self.take(")")
        return Compound("qualified", (name, kind))


def show(value: Value | None) -> str:
    """A value as a template writes it.

    >>> show(Compound("location", ("PERU", Compound("qualified", ("LIMA", "CITY")))))
    'PERU: LIMA (CITY)'
    """
    if value is None:
        return "-"
    if isinstance(value, str):
        return value
    parts = [_inner(part, value.kind) if part is not None else "" for part in value.parts]
    if value.kind == "or":
        return " / ".join(parts)
    if value.kind == "optional":
        return f"? {parts[0]}"
    if value.kind == "qualified":
        return f"{parts[0]} ({parts[1]})"
    if value.kind in ("range", "between"):
        return " - ".join(parts).strip()
    return ": ".join(parts)


def _inner(part: Value, outer: Kind) -> str:
    nested = isinstance(part, Compound) and outer == "or" and part.kind not in ("qualified", "optional")
    return f"({show(part)})" if nested else show(part)
