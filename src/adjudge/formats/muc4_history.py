"""Decisions of people on fillers of MUC-4: which answer was accepted, in full or in part, and for which key.

The file is one list of lists: message, key template, slot, and then (answer status [key value]), where the status is
`match`, `partial` or `fail`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias, cast, get_args

from adjudge.errors import FormatError, Problem, did_you_mean
from adjudge.formats.muc4 import decoded
from adjudge.formats.muc4_slots import Compound, Kind, Slots, Value, muc4_slots
from adjudge.formats.source import Source, read_whole

Status: TypeAlias = Literal["match", "partial", "fail"]

STATUSES: tuple[str, ...] = get_args(Status)
KINDS: tuple[str, ...] = get_args(Kind)
DEPTH = 50  # far more than any value needs
_TOKEN = re.compile(r'[()]|"[^"\\]*(?:\\.[^"\\]*)*"|[^\s()";]+|;[^\n]*|"', re.DOTALL)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)


class Decision(NamedTuple):
    """What was decided about one answer; `keys` are the values that it was accepted for (several for `all-of`)."""

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


# The number of the token that a list starts with or a word is, and what it is; a string starts with its quotation mark.
_Node: TypeAlias = "tuple[int, str | list[_Node]]"


def read_history(source: Source, slots: Slots | None = None) -> History:
    r"""The decisions of a file.

    >>> text = b'(("M1" ("1" (inc-type ("BOMBING" match "ATTACK")))))'
    >>> read_history(text).decisions["M1"]["1"]["inc-type"]
    (Decision(answer='BOMBING', status='match', keys=('ATTACK',)),)
    """
    slots = slots or muc4_slots()
    whole = read_whole(source)
    reader = _Reader(decoded(whole.data), whole.place, {slot.id for slot in slots.scored})
    decisions = reader.decisions()
    if reader.problems:
        raise FormatError(reader.problems)
    return History(whole.place, decisions, whole.digest)


class _Reader:
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
                    return self._broken(at, f"parentheses are nested more than {DEPTH} deep", "write it more simply")
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
        """Line and column of every token: only wanted if something is wrong."""
        found: list[tuple[int, int]] = []
        line, start, at = 1, 0, 0
        for match in _TOKEN.finditer(self.text):
            line += self.text.count("\n", at, match.start())
            start = max(start, self.text.rfind("\n", at, match.start()) + 1)
            at = match.start()
            found.append((line, at - start + 1))
        return found


def _string(node: _Node) -> str:
    """The text of a string in capitals; nothing if the node is something else."""
    text = node[1]
    if not isinstance(text, str) or text[0] != '"':
        return ""
    inner = text[1:-1]
    if "\\\\" in inner:  # a backslash that is meant as one
        return "".join(_ESCAPE.split(inner)).upper()
    return inner.replace("\\", "").upper()


def _symbol(node: _Node) -> str:
    text = node[1]
    return text.lower() if isinstance(text, str) and text[0] != '"' else ""
