"""Templates of MUC-4: key and response files, and human decisions on their fillers.

A template starts with the line of its message; a slot is a label at the start of a line and its first filler, and each
line that starts with a blank is one more filler of the slot above it. A filler that cannot be parsed counts as wrong,
and is reported.

A file of decisions says which answers were accepted, in full or in part, and for which keys. It is one list of lists:
message, key template, slot, and then (answer status [key value]), where the status is `match`, `partial` or `fail`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeAlias, cast, get_args

from adjudge.errors import FormatError, Problem, did_you_mean
from adjudge.formats.muc4_slots import (
    BLANKS,
    ERROR,
    Compound,
    Kind,
    Malformed,
    Slot,
    Slots,
    SlotType,
    Value,
    muc4_slots,
    parse_filler,
    show,
)
from adjudge.formats.source import Source, read_whole, reads
from adjudge.model.document import Corpus, Document


class Template(NamedTuple):
    """One template: `values` has only the filled slots. An irrelevant one says that there is no incident."""

    message: str
    id: str
    optional: bool
    values: dict[str, tuple[Value, ...]]
    line: int = 0

    @property
    def irrelevant(self) -> bool:
        """Whether the template only says that its message reports no incident."""
        return self.id == "*"


class TemplateFile(NamedTuple):
    """What was read: the templates by message, both in file order, and warnings about the file."""

    path: str
    messages: dict[str, list[Template]]
    warnings: list[Problem]
    digest: str


@reads("MUC-4 templates", "muc4", "json-array", "json", "json-lines")
def read_templates(source: Source, slots: Slots | None = None, *, name: str | None = None) -> TemplateFile:
    r"""The templates of a file; without `slots`, those of MUC-4.

    >>> text = b'0.  MESSAGE: ID  M1\n1.  MESSAGE: TEMPLATE  1\n4.  INCIDENT: TYPE  BOMBING\n'
    >>> read_templates(text).messages["M1"][0].values
    {'inc-type': ('BOMBING',)}
    """
    whole = read_whole(source, name=name)
    return _Reader(whole.place, slots or muc4_slots()).read(decoded(whole.data), whole.digest)


def decoded(data: bytes) -> str:
    """The text of a file, which may be older than UTF-8."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


class _Open(NamedTuple):
    """The template being read; its `number` is on a line of its own."""

    message: str
    line: int
    number: list[str]
    fields: dict[str, list[Value]]


class _Reader:
    """Reads one file; fillers repeat a lot, so each is parsed once."""

    def __init__(self, place: str, slots: Slots) -> None:
        self.place = place
        self.slots = slots
        self.parsed: dict[tuple[str, SlotType], Value | None] = {}
        self.messages: dict[str, list[Template]] = {}
        self.warnings: list[Problem] = []
        self.problems: list[Problem] = []
        self.labels: dict[str, list[tuple[str, Slot]]] = {}
        for slot in (slots.message, slots.template, *slots.scored):
            self.labels.setdefault(slot.label.upper()[:2], []).append((slot.label.upper(), slot))
        for alike in self.labels.values():
            alike.sort(key=lambda pair: -len(pair[0]))

    def read(self, text: str, digest: str) -> TemplateFile:
        template: _Open | None = None
        current: Slot | None = None
        for line, raw in enumerate(text.upper().split("\n"), 1):
            rest = raw.strip()
            if not rest:
                current = None
                continue
            if not raw[0].isspace():
                label, slot = self._labelled(raw)
                if slot is None:
                    if raw[0] != ";":  # a comment
                        self._warn(line, 1, "the line starts with no label and is left out", "start with a label")
                    continue
                rest, current = raw[len(label) :].strip(), slot
                if slot.type == "message":
                    self._close(template)
                    template = _Open((rest.split() or [""])[0], line, [], {})
                    if not rest:
                        self.problems.append(Problem("there is no message id", self.place, line, len(label) + 1))
            if current is None or template is None:
                self._warn(line, 1, "a filler without a slot is left out", "put it below its slot, in a template")
            elif current.type == "template":
                template.number.append(rest)
            elif current.type != "message" and rest not in BLANKS:
                value = self._value(rest, current.type, line, raw)
                if value is not None:
                    template.fields.setdefault(current.id, []).append(value)
        self._close(template)
        if not self.messages and not self.problems:
            hint = f"each starts with the line {self.slots.message.label!r}"
            if text.lstrip()[:1] in ("{", "["):
                hint += "; this looks like JSON, for which there are other readers"
            self.problems.append(Problem("there are no templates", self.place, hint=hint))
        if self.problems:
            raise FormatError(self.problems)
        return TemplateFile(self.place, self.messages, self.warnings, digest)

    def _labelled(self, raw: str) -> tuple[str, Slot | None]:
        for label, slot in self.labels.get(raw[:2], ()):
            if raw.startswith(label):
                return label, slot
        return "", None

    def _close(self, template: _Open | None) -> None:
        if template is None:
            return
        number = template.number[0] if template.number else ""
        if not number:
            hint = f"add the line {self.slots.template.label!r}"
            self._warn(template.line, 1, "the template has no number", hint)
        optional = number.endswith("(OPTIONAL)")
        number = number.removesuffix("(OPTIONAL)").strip()
        values = {} if number == "*" else {name: tuple(found) for name, found in template.fields.items()}
        made = Template(template.message, number, optional, values, template.line)
        self.messages.setdefault(template.message, []).append(made)

    def _value(self, text: str, slot: SlotType, line: int, raw: str) -> Value | None:
        key = (text, slot)
        if key in self.parsed:
            value = self.parsed[key]
            if value is not ERROR:
                return value
        try:
            value = parse_filler(text, slot)
        except Malformed as error:
            self._warn(line, raw.rindex(text) + 1 + error.at, error.message, "the filler counts as wrong")
            value = ERROR
        self.parsed[key] = value
        return value

    def _warn(self, line: int, column: int, message: str, hint: str) -> None:
        self.warnings.append(Problem(message, self.place, line, column, hint))


def read_muc4(source: Source, *, name: str | None = None) -> Corpus:
    r"""Every message with its templates; what is optional counts as required.

    >>> text = b'0.  MESSAGE: ID  M1\n1.  MESSAGE: TEMPLATE  1\n4.  INCIDENT: TYPE  BOMBING\n'
    >>> read_muc4(text).documents[0].data["incidents"][0]["fillers"]
    [{'slot': 'inc-type', 'values': ['ATTACK > BOMBING'], 'refers': []}]
    """
    slots = muc4_slots()
    read = read_templates(source, slots, name=name)
    documents = tuple(
        Document(id=message, data={"id": message, "incidents": incidents(templates, slots)}, line=templates[0].line)
        for message, templates in read.messages.items()
    )
    return Corpus(path=read.path, documents=documents, digest=read.digest)


def incidents(templates: list[Template], slots: Slots) -> list[dict[str, Any]]:
    """The relevant templates of one message, as `template.muc4` compares them."""
    found: list[dict[str, Any]] = []
    for template in templates:
        if template.irrelevant:
            continue
        kinds = template.values.get(slots.kind.id, ()) if slots.kind is not None else ()
        fillers = [_filler(slot, value) for slot in slots.scored for value in template.values.get(slot.id, ())]
        types = [text for value in kinds for text in _texts(slots.kind, value)]
        found.append({"types": types, "fillers": fillers})
    return found


def _filler(slot: Slot, value: Value) -> dict[str, Any]:
    inner = _inner(value)
    values: Value | None = inner
    refers: Value | None = None
    if isinstance(inner, Compound) and inner.kind == "xref":
        values, refers = inner.parts
    return {"slot": slot.id, "values": _texts(slot, values), "refers": _texts(None, refers)}


def _texts(slot: Slot | None, value: Value | None) -> list[str]:
    """The alternatives of a value as texts; a set value or a place comes with those above it."""
    if value is None:
        return []
    value = _inner(value)
    parts = value.parts if isinstance(value, Compound) and value.kind == "or" else (value,)
    if slot is not None and slot.type == "location":
        return [_place(part) for part in parts]
    texts = [_plain(show(part)) for part in parts]
    if slot is None:
        return texts
    return [" > ".join((*reversed(slot.above.get(text, ())), text)) for text in texts]


def _plain(text: str) -> str:
    """A text without quotation marks and without the sign that separates levels."""
    return " ".join(text.strip('"').replace(">", " ").split()) or text


def _place(value: Value | None) -> str:
    """A place with those that it is in, the country first."""
    if isinstance(value, Compound) and value.kind == "location":
        return " > ".join(_plain(show(part)) for part in value.parts)
    return _plain(show(value))


def _inner(value: Value) -> Value:
    inner = value.parts[0] if isinstance(value, Compound) and value.kind == "optional" else value
    return inner if inner is not None else ""


# ---------------------------------------------------------------------------------------------------------------------
# Human decisions on fillers


Status: TypeAlias = Literal["match", "partial", "fail"]

STATUSES: tuple[str, ...] = get_args(Status)
KINDS: tuple[str, ...] = get_args(Kind)
DEPTH = 50  # far more than any value needs
_TOKEN = re.compile(r'[()]|"[^"\\]*(?:\\.[^"\\]*)*"|[^\s()";]+|;[^\n]*|"', re.DOTALL)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)


class Decision(NamedTuple):
    """The decision on one answer; `keys` are the values that it was accepted for (several for `all-of`)."""

    answer: Value
    status: Status
    keys: tuple[Value, ...] = ()


# message -> key template -> slot -> decisions
Decisions: TypeAlias = Mapping[str, Mapping[str, Mapping[str, tuple[Decision, ...]]]]


class History(NamedTuple):
    """The decisions of one file."""

    path: str
    decisions: Decisions
    digest: str


# The token number of a word, or of a list's first token, and the word or list; a string keeps its opening quote.
_Node: TypeAlias = "tuple[int, str | list[_Node]]"


def read_history(source: Source, slots: Slots | None = None) -> History:
    r"""The decisions of a file.

    >>> text = b'(("M1" ("1" (inc-type ("BOMBING" match "ATTACK")))))'
    >>> read_history(text).decisions["M1"]["1"]["inc-type"]
    (Decision(answer='BOMBING', status='match', keys=('ATTACK',)),)
    """
    slots = slots or muc4_slots()
    whole = read_whole(source)
    reader = _Deciding(decoded(whole.data), whole.place, {slot.id for slot in slots.scored})
    decisions = reader.decisions()
    if reader.problems:
        raise FormatError(reader.problems)
    return History(whole.place, decisions, whole.digest)


class _Deciding:
    def __init__(self, text: str, place: str, slots: set[str]) -> None:
        self.text = text
        self.place = place
        self.slots = slots
        self.problems: list[Problem] = []

    def decisions(self) -> Decisions:
        found: dict[str, dict[str, dict[str, tuple[Decision, ...]]]] = {}
        for node in self._tree():
            message, templates = self._named(node, _string, "a message id")
            of_message = found.setdefault(message, {})
            for template in templates:
                number, entries = self._named(template, _string, "the id of a key template")
                of_template = of_message.setdefault(number, {})
                for entry in entries:
                    slot, rows = self._named(entry, _symbol, "a slot")
                    if slot and slot not in self.slots:
                        self._wrong(entry[0], f"there is no slot {slot!r}", did_you_mean(slot, self.slots))
                    made = [self._decision(row) for row in rows]
                    kept = tuple(each for each in made if each is not None)
                    of_template[slot] = of_template.get(slot, ()) + kept
        return found

    def _tree(self) -> list[_Node]:
        items: list[_Node] = []
        stack: list[tuple[int, list[_Node]]] = []
        for at, token in enumerate(_TOKEN.findall(self.text)):
            first = token[0]
            if first == "(":
                if len(stack) == DEPTH:
                    return self._broken(at, f"parentheses are nested more than {DEPTH} deep", "simplify it")
                stack.append((at, items))
                items = []
            elif first == ")":
                if not stack:
                    return self._broken(at, "a closing parenthesis too many", "remove it")
                start, outer = stack.pop()
                outer.append((start, items))
                items = outer
            elif first == '"' and len(token) == 1:
                return self._broken(at, "a quotation mark is not closed", "add the one that is missing")
            elif first != ";":
                items.append((at, token))
        if stack:
            return self._broken(stack[-1][0], "a parenthesis is not closed", "add the one that is missing")
        if len(items) == 1 and isinstance(items[0][1], list):
            return items[0][1]
        if len(items) == 1 and _symbol(items[0]) == "nil":
            return []
        return self._broken(items[0][0] if items else 0, "the file is not one list", "put parentheses around the whole")

    def _broken(self, at: int, message: str, hint: str) -> list[_Node]:
        self._wrong(at, message, hint)
        return []

    def _named(self, node: _Node, read: Callable[[_Node], str], what: str) -> tuple[str, list[_Node]]:
        at, items = node
        name = read(items[0]) if isinstance(items, list) and items else ""
        if not name:
            self._wrong(at, f"expected a list that starts with {what}")
            return "", []
        return name, cast("list[_Node]", items)[1:]

    def _decision(self, node: _Node) -> Decision | None:
        at, items = node
        if not isinstance(items, list) or len(items) not in (2, 3) or _symbol(items[1]) not in STATUSES:
            self._wrong(at, "expected (answer status [key])", f"status is one of {', '.join(STATUSES)}")
            return None
        status = cast("Status", _symbol(items[1]))
        answer = self._value(items[0])
        if answer is None:
            return None
        if status == "fail":
            return Decision(answer, status)
        if len(items) == 2:
            self._wrong(at, f"a {status} without the key that it is for", "add the value of the key")
            return None
        key = items[2]
        parts = key[1][1:] if isinstance(key[1], list) and key[1] and _symbol(key[1][0]) == "all-of" else [key]
        return Decision(answer, status, tuple(value for part in parts if (value := self._value(part)) is not None))

    def _value(self, node: _Node) -> Value | None:
        at, items = node
        if isinstance(items, str):
            if items[0] == '"':
                return _string(node)
            if items.lower() == "nil":
                return None
        elif items and (kind := _symbol(items[0])) in KINDS:
            return Compound(cast("Kind", kind), tuple(self._value(item) for item in items[1:]))
        self._wrong(at, "expected a value", f"a string, or a list that starts with {', '.join(KINDS)}")
        return None

    def _wrong(self, at: int, message: str, hint: str | None = None) -> None:
        line, column = self._places[at] if self._places else (1, 1)
        self.problems.append(Problem(message, self.place, line, column, hint))

    @cached_property
    def _places(self) -> list[tuple[int, int]]:
        """Line and column of every token; only needed if something is wrong."""
        found: list[tuple[int, int]] = []
        line, start, at = 1, 0, 0
        for match in _TOKEN.finditer(self.text):
            line += self.text.count("\n", at, match.start())
            start = max(start, self.text.rfind("\n", at, match.start()) + 1)
            at = match.start()
            found.append((line, at - start + 1))
        return found


def _string(node: _Node) -> str:
    """The text of a string in upper case; empty if the node is not a string."""
    text = node[1]
    if not isinstance(text, str) or text[0] != '"':
        return ""
    inner = text[1:-1]
    if "\\\\" in inner:  # a literal backslash
        return "".join(_ESCAPE.split(inner)).upper()
    return inner.replace("\\", "").upper()


def _symbol(node: _Node) -> str:
    text = node[1]
    return text.lower() if isinstance(text, str) and text[0] != '"' else ""
