"""Templates of MUC-4: key and response files.

A template starts with the line of its message; each slot is a label at the start of a line and its first filler, and
each line that starts with a blank is one more filler of the slot above it. A filler that cannot be taken apart counts
as a wrong one, and is reported.
"""

from __future__ import annotations

from typing import NamedTuple

from adjudge.errors import FormatError, Problem
from adjudge.formats.muc4_slots import Slot, Slots, muc4_slots
from adjudge.formats.muc4_values import BLANKS, ERROR, Malformed, SlotType, Value, parse_filler
from adjudge.formats.recognise import reads
from adjudge.formats.source import Source
from adjudge.formats.whole import read_whole


class Template(NamedTuple):
    """One template: `values` has only the slots that are filled. An irrelevant one says that there is no incident."""

    message: str
    id: str
    optional: bool
    values: dict[str, tuple[Value, ...]]
    line: int = 0

    @property
    def irrelevant(self) -> bool:
        """Whether the template only says that its message tells of nothing."""
        return self.id == "*"


class TemplateFile(NamedTuple):
    """What was read: the templates by message, both in file order, and what is odd in the file."""

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
    """The template that is being read; its `number` is on a line of its own."""

    message: str
    line: int
    number: list[str]
    fields: dict[str, list[Value]]


class _Reader:
    """Reads one file; fillers repeat a lot, so each is taken apart once."""

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
