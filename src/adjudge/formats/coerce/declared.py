"""What the caller says of the sides, and which of it meant something."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from adjudge.errors import UsageError
from adjudge.formats.coerce.corpus import Declared
from adjudge.formats.coerce.spans import Renamed, is_place


def called(name: str, systems: int) -> str:
    """What errors call a system, one of so many.

    >>> called("system", 1), called("A", 1)
    ('system', "system 'A'")
    """
    return f"system {name!r}" if systems > 1 or name != "system" else "system"


_CHOICES: Mapping[str, tuple[Any, ...]] = {
    "ends": ("exclusive", "inclusive"),
    "unit": ("token", "char"),
    "base": (0, 1),
    "locate": ("next", "all", "first"),
    "format": ("inline",),
    "shape": ("mapping",),
    "offsets": ("utf-16", "bytes"),
    "fragments": ("join", "keep"),
}


def _labels_of(given: Any) -> tuple[str, ...] | None:
    """The names of labels in the order of their numbers, of which models keep a mapping in either direction.

    >>> _labels_of(["O", "B-PER"]), _labels_of({"1": "B-PER", "0": "O"}), _labels_of({"B-PER": 1, "O": 0})
    (('O', 'B-PER'), ('O', 'B-PER'), ('O', 'B-PER'))
    """
    if not isinstance(given, Mapping):
        return None if given is None else tuple(given)
    turned = given.items() if all(is_place(each) for each in given.values()) else ((v, k) for k, v in given.items())
    try:
        numbers = {int(number): str(name) for name, number in turned}
    except (TypeError, ValueError):
        numbers = {}
    if sorted(numbers) != list(range(len(given))):
        raise UsageError("labels: the numbers are not 0, 1, 2, ...", hint='give a list: labels=["O", "B-PER", ...]')
    return tuple(numbers[place] for place in range(len(numbers)))


def declared_for(kind: str, options: Mapping[str, Any], side: str, said: str) -> Declared:
    """What the options say of a side, gold or system, that errors call as it is `said`."""
    own = {name: value for name, value in options.items() if name in Declared.__struct_fields__}
    own["ends"] = options.get(f"{side}_ends") or own.get("ends")
    column = options.get(f"{side}_column")
    for name, known in _CHOICES.items():
        if own.get(name) is not None and own[name] not in known:
            message = f"there is no {name}={own[name]!r}"
            raise UsageError(message, hint=f"use {' or '.join(map(repr, known))}")
    fields = Renamed(own.get("fields") or {})
    made = Declared(**{**own, "kind": kind, "labels": _labels_of(own.get("labels")), "fields": fields})
    return msgspec.structs.replace(made, side=said, column=column, used=set())


class Said(dict[str, Any]):
    """Options by name; `used` are those that meant something for one of the sides."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        super().__init__(given)
        self.used: set[str] = set()

    def note(self, sides: Sequence[Declared]) -> None:
        """Take in what the sides made use of, gold first."""
        for place, side in enumerate(sides):
            who = "gold" if place == 0 else "system"
            self.used |= side.used - {"ends", "column"}
            self.used |= {f"{who}_{name}" for name in side.used & {"ends", "column"}}
            # What is said for both sides is of use if it is for one.
            self.used |= {"ends"} & side.used if self.get(f"{who}_ends") is None else set()
            if isinstance(side.fields, Renamed) and side.fields.used:
                self.used.add("fields")
