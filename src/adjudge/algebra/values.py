"""Texts that mean the same, and values of any class as plain data."""

from __future__ import annotations

import enum
import re
import unicodedata
from collections import deque
from collections.abc import Mapping, Set
from datetime import date, time, timedelta
from typing import Any

from adjudge.algebra.access import field_names

_PUNCTUATION = str.maketrans("", "", "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
_SCALARS = frozenset((str, int, float, bool, type(None)))


def fold(text: str) -> str:
    """A text without differences of case, spacing and Unicode form.

    >>> fold("  Ｓtraße \\n 5 ")
    'strasse 5'
    """
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def punctuation(text: str) -> str:
    """A text without punctuation."""
    return text.translate(_PUNCTUATION)


def articles(text: str) -> str:
    """A text without a, an and the."""
    return re.sub(r"\b(a|an|the)\b", " ", text)


def spaces(text: str) -> str:
    """A text with every run of whitespace replaced by one space."""
    return " ".join(text.split())


def squad(text: str) -> str:
    """A text without case, punctuation and articles, as SQuAD compares answers.

    >>> squad("The Cat's hat!")
    'cats hat'
    """
    return spaces(articles(punctuation(text.casefold())))


def plain(value: Any) -> Any:
    """A value as plain JSON data: objects of any class whose fields can be listed, enumerations, dates, sets.

    >>> import dataclasses
    >>> Person = dataclasses.make_dataclass("Person", ["name", "born"])
    >>> plain([Person("Ada", date(1815, 12, 10))])
    [{'name': 'Ada', 'born': '1815-12-10'}]
    """
    if type(value) in _SCALARS:
        return value
    if isinstance(value, enum.Enum):
        return plain(value.value)
    if isinstance(value, Mapping):
        return {plain(key): plain(inner) for key, inner in value.items()}
    names = field_names(type(value))  # type: ignore[arg-type]
    if names is not None:
        # An unset field of a struct is like an absent key.
        found = {name: getattr(value, name, None) for name in names}
        return {name: plain(inner) for name, inner in found.items() if type(inner).__name__ != "UnsetType"}
    if isinstance(value, list | tuple | deque):
        return [plain(inner) for inner in value]
    if isinstance(value, Set):
        return [plain(inner) for inner in sorted(value, key=repr)]
    return _scalar(value)


def _scalar(value: Any) -> Any:
    from decimal import Decimal
    from fractions import Fraction
    from pathlib import PurePath
    from uuid import UUID

    if type(value).__name__ in ("NAType", "NaTType"):  # of pandas; the latter is a date, too
        return None
    if hasattr(value, "dtype"):
        return plain(value.tolist())
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, Decimal | Fraction):
        number = float(value)
        return int(value) if number.is_integer() and value == int(value) else number
    if isinstance(value, UUID | PurePath):
        return str(value)
    if isinstance(value, str | int | float | bytes | timedelta):
        return value
    name = type(value).__name__
    raise TypeError(f"the fields of {name} are not known: give dicts, or make {name} a dataclass")


def as_json(value: Any) -> Any:
    """The value itself if it is JSON data, else converted by `plain`.

    >>> as_json(({"when": date(1815, 12, 10)},))
    [{'when': '1815-12-10'}]
    """
    todo = [value]
    for here in todo:
        kind = type(here)
        if kind is dict:
            todo += [each for each in here.values() if type(each) not in _SCALARS]
        elif kind is list:
            todo += [each for each in here if type(each) not in _SCALARS]
        elif kind not in _SCALARS:
            return plain(value)
    return value
