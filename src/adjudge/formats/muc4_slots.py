"""The slots of a template: labels, types, sets of values with what stands above them, and how templates are aligned.

The template of MUC-4 comes with the package; others are files of the same form, TOML or JSON.

The value of a filler, what stands on one line of a template, is a text, or a `Compound` of other values: alternatives,
an optional filler, a value with a cross-reference, a range, a place. Quoted strings keep their quotes, because `"X"` is
text of the message and `X` is not.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias, cast, get_args

from adjudge.errors import FormatError, Problem, did_you_mean
from adjudge.formats.json_file import parse_json, parse_toml
from adjudge.formats.source import Source, read_text
from adjudge.model.whereabouts import find_name

Kind: TypeAlias = Literal["or", "optional", "xref", "range", "location", "qualified", "between"]
SlotType: TypeAlias = Literal["message", "template", "string", "set", "number", "date", "location", "text"]

TYPES: tuple[str, ...] = tuple(name for name in get_args(SlotType))
ERROR = "<ERROR>"
DEPTH = 50  # far more than any place needs
BLANKS = frozenset(("", "-", "*"))
_BUILT_IN = Path(__file__).with_name("muc4_slots.toml")


class Slot(NamedTuple):
    """One slot; `above` gives for each value of a set the values above it, nearest first."""

    id: str
    label: str
    type: SlotType
    refers: tuple[str, ...] = ()
    above: Mapping[str, tuple[str, ...]] = {}


class Slots(NamedTuple):
    """The slots of one kind of template: `scored` are those with fillers, in the order of the report.

    A template starts with the slot `message`. Two templates may be aligned if the slot `kind` agrees and one of the
    slots `content` does. `totals` are rows of the report and the slots that they add up.
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
    """The slots of a template, from a file in TOML or JSON.

    >>> text = b'name = "trade"'
    >>> read_slots(text)
    Traceback (most recent call last):
    adjudge.errors.FormatError: <bytes>: there are no slots, add one [[slots]] table for each
    """
    whole, text = read_text(source)
    data = (parse_json if text.lstrip()[:1] in ("{", "[") else parse_toml)(text, whole.place)
    if not isinstance(data, dict) or not isinstance(data.get("slots"), list) or not data["slots"]:
        raise FormatError(Problem("there are no slots", whole.place, hint="add one [[slots]] table for each"))
    return _Maker(data, text, whole.place).make()


class _Maker:
    """Makes slots of what a file says, and collects what is wrong with it."""

    def __init__(self, data: dict[str, Any], text: str, place: str) -> None:
        self.data = data
        self.text = text
        self.place = place
        self.problems: list[Problem] = []

    def wrong(self, message: str, hint: str | None = None, at: Sequence[str] = ()) -> None:
        """Complain of what has the last of several names, each behind the one before."""
        self.problems.append(Problem(message, self.place, *find_name(self.text, *at), hint))

    def make(self) -> Slots:
        sets, alignment, totals = self.table("sets"), self.table("alignment"), self.table("totals")
        slots = [slot for number, given in enumerate(self.data["slots"], 1) if (slot := self.slot(number, given, sets))]
        for type_ in ("message", "template"):
            if (count := sum(slot.type == type_ for slot in slots)) != 1:
                self.wrong(f"{count} slots have the type {type_}", "exactly one does", ("slots", type_))
        for what, texts in (("id", [slot.id for slot in slots]), ("label", [slot.label for slot in slots])):
            for text in sorted({text for text in texts if texts.count(text) > 1}):
                self.wrong(f"two slots have the {what} {text!r}", "make them differ", (text, text))
        scored = {slot.id: slot for slot in slots if slot.type not in ("message", "template")}
        kind, content = alignment.get("type"), alignment.get("content", [])
        if not _strings(content) or not isinstance(kind, str | None):
            self.wrong("alignment: type is a slot and content a list of slots", at=("alignment",))
            kind, content = None, []
        for slot in slots:
            self.check_names(f"slot {slot.id}", slot.refers, scored)
        self.check_names("alignment", [*([] if kind is None else [kind]), *content], scored)
        rows = {row: self.total(row, given, scored) for row, given in totals.items()}
        if self.problems:
            raise FormatError(self.problems)
        return Slots(
            str(self.data.get("name", "template")),
            next(slot for slot in slots if slot.type == "message"),
            next(slot for slot in slots if slot.type == "template"),
            tuple(scored.values()),
            None if kind is None else scored[kind],
            tuple(scored[name] for name in content),
            rows,
        )

    def table(self, name: str) -> dict[str, Any]:
        given = self.data.get(name, {})
        if isinstance(given, dict):
            return given
        self.wrong(f"{name} is no table", f"write [{name}] and a line for each entry below it", (name,))
        return {}

    def slot(self, number: int, given: Any, sets: Mapping[str, Any]) -> Slot | None:
        if not isinstance(given, dict) or not all(isinstance(given.get(key), str) for key in ("id", "label", "type")):
            self.wrong(f"slot {number} has no id, label and type", "give all three as strings", ("slots",) * number)
            return None
        name = given["id"]
        if given["type"] not in TYPES:
            self.wrong(f"slot {name}: there is no type {given['type']!r}", f"types are {', '.join(TYPES)}", (name,))
        for key in given:
            if key not in ("id", "label", "type", "refers", "values"):
                hint = did_you_mean(key, ("refers", "values"))
                self.wrong(f"slot {name}: there is no field {key!r}", hint, (name, key))
        values, refers = given.get("values", []), given.get("refers", [])
        if isinstance(values, str):
            if values not in sets:
                hint = did_you_mean(values, sets) or "add it to [sets]"
                self.wrong(f"slot {name}: there is no set {values!r}", hint, (name, values))
            values = sets.get(values, [])
        if not _strings(values) or not _strings(refers):
            self.wrong(f"slot {name}: values and refers are lists of strings", at=(name,))
            return None
        return Slot(name, given["label"], cast("SlotType", given["type"]), tuple(refers), _above(values))

    def check_names(self, where: str, names: Sequence[str], known: Mapping[str, Slot]) -> None:
        for name in names:
            if name not in known:
                at = (where.rpartition(" ")[2], name)
                self.wrong(f"{where}: there is no slot {name!r}", did_you_mean(name, known), at)

    def total(self, row: str, given: Any, known: Mapping[str, Slot]) -> tuple[str, ...]:
        if _strings(given):
            self.check_names(f"total {row}", given, known)
            return tuple(given)
        if not isinstance(given, str):
            self.wrong(f"total {row} is neither the start of names of slots nor a list of slots", at=("totals", row))
            return ()
        chosen = tuple(name for name in known if name.startswith(given))
        if not chosen:
            self.wrong(f"total {row}: no slot starts with {given!r}", at=("totals", row))
        return chosen


def _strings(values: Any) -> bool:
    return isinstance(values, list) and all(isinstance(value, str) for value in values)


def _above(values: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """For each value, the values above it.

    >>> _above(["GUN", "GUN > RIFLE"])
    {'GUN': (), 'RIFLE': ('GUN',)}
    """
    found: dict[str, tuple[str, ...]] = {}
    for text in values:
        *above, value = (part.strip().upper() for part in text.split(">"))
        found[value] = tuple(reversed(above))
    return found


class Compound(NamedTuple):
    """A value made of others; None is the missing end of a range."""

    kind: Kind
    parts: tuple[Value | None, ...]

    def __str__(self) -> str:
        return show(self)


Value: TypeAlias = "str | Compound"

_QUOTED = re.compile(r'"[^"\\]*"')
# A hyphen with blanks around it (or at an end) is the mark of a range; any other one belongs to the text.
_TOKEN = re.compile(r'\s*(?:("(?:[^"\\]|\\.)*")|([/:()])|([^"/:()]+))')
_RANGED = re.compile(r'\s*(?:("(?:[^"\\]|\\.)*")|([/:()]|-(?=[\s)]|$))|((?:[^\s"/:()]|\s++(?!-(?:[\s)]|$)))+))')


class Malformed(Exception):
    """A filler does not follow the syntax; `at` is the place in its text."""

    def __init__(self, message: str, at: int) -> None:
        super().__init__(message)
        self.message = message
        self.at = at


def parse_filler(text: str, slot: SlotType) -> Value | None:
    """The value of one line, or None if it is blank.

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
    """A recursive descent over the tokens of one filler."""

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
        """A whole filler, or what stands between parentheses."""
        if self.slot == "location":
            return self._locations()
        first = self._alternatives()
        if self.peek() == ":" and self.slot in ("string", "set", "number"):
            self.at += 1
            return Compound("xref", (first, self._alternatives()))
        return first

    def _alternatives(self) -> Value:
        parts = [self._term()]
        while self.peek() == "/":
            self.at += 1
            parts.append(self._term())
        return parts[0] if len(parts) == 1 else Compound("or", tuple(parts))

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
        parts = [self._location()]
        while self.peek() == "/":
            self.at += 1
            parts.append(self._location())
        return parts[0] if len(parts) == 1 else Compound("or", tuple(parts))

    def _location(self) -> Value:
        parts: list[Value] = [self._place()]
        while self.peek() == ":":
            self.at += 1
            parts.append(self._place())
        return parts[0] if len(parts) == 1 else Compound("location", tuple(parts))

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
    """A value as it is written in a template.

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
