"""Values as people and models write them: numbers with signs and separators, dates, and texts that mean the same.

What looks like nothing known stays a text, so that it can only be equal or wrong.
"""

from __future__ import annotations

import decimal
import enum
import fractions
import pathlib
import re
import unicodedata
import uuid
from collections import deque
from collections.abc import Callable, Mapping, Set
from datetime import date, time, timedelta
from typing import Any

from adjudge.algebra.access import field_names

_NUMBER = re.compile(
    r"(?:[$€£¥]\s*)?([+-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:[eE][+-]?\d{1,3})?|[+-]?\.\d+)\s*(%|[$€£¥])?"
)
_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_ISO = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[t ].*)?")
_DAY_FIRST = re.compile(r"(\d{1,2})(?:st|nd|rd|th)?[ .-]+(?:of )?([a-z]{3,9})\.?,?[ -]+(\d{4})")
_MONTH_FIRST = re.compile(r"([a-z]{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})")
_DOTS = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})")
_SLASHES = re.compile(r"(\d{1,2})[/-](\d{1,2})[/-](\d{4})")


def fold(text: str) -> str:
    """A text without differences of case, spacing and Unicode form.

    >>> fold("  Ｓtraße \\n 5 ")
    'strasse 5'
    """
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def as_number(value: Any) -> float | None:
    """A number, or the number that a text is; None if it is none.

    >>> as_number("$1,250.50"), as_number("12 %"), as_number("about 5")
    (1250.5, 12.0, None)
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value) if abs(value) <= 1e300 else None
    found = _NUMBER.fullmatch(value.strip()) if isinstance(value, str) and len(value) < 100 else None
    return float(found[1].replace(",", "")) if found else None


def as_date(value: Any) -> date | None:
    """A day, from the usual ways to write one; None if it is none, or could be two (03/04/2015).

    >>> as_date("March 4th, 2015"), as_date("4.3.2015") == as_date("2015-03-04"), as_date("03/04/2015")
    (datetime.date(2015, 3, 4), True, None)
    """
    if not isinstance(value, str) or len(value) > 100:
        return None
    text = fold(value)
    if found := _ISO.fullmatch(text):
        return _day(found[1], found[2], found[3])
    if found := _DAY_FIRST.fullmatch(text):
        return _day(found[3], _month(found[2]), found[1])
    if found := _MONTH_FIRST.fullmatch(text):
        return _day(found[3], _month(found[1]), found[2])
    if found := _DOTS.fullmatch(text):
        return _day(found[3], found[2], found[1])
    if found := _SLASHES.fullmatch(text):
        first, second = int(found[1]), int(found[2])
        if first != second and first <= 12 and second <= 12:
            return None
        # Month first, unless that cannot be.
        return _day(found[3], second, first) if first > 12 else _day(found[3], first, second)
    return None


def _month(name: str) -> int:
    return next((number for number, full in enumerate(_MONTHS, 1) if len(name) > 2 and full.startswith(name)), 0)


def _day(year: str, month: str | int, day: str | int) -> date | None:
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None


def near(tolerance: str) -> Callable[[Any, Any], float]:
    """[|s - g| <= tolerance] for numbers, equality for other values: a similarity, for `custom`.

    >>> near("0.5")("10.4", 10), near("0.5")("ten", 10)
    (1.0, 0.0)
    """
    limit = _limit(tolerance)
    return lambda s, g: _close(as_number(s), as_number(g), s, g, lambda a, b: abs(a - b) <= limit)


def within(share: str) -> Callable[[Any, Any], float]:
    """[|s - g| <= share * the larger of the two] for numbers, equality for other values.

    >>> within("0.05")(104, "100"), within("0.05")(106, 100)
    (1.0, 0.0)
    """
    limit = _limit(share)
    return lambda s, g: _close(as_number(s), as_number(g), s, g, lambda a, b: abs(a - b) <= limit * max(abs(a), abs(b)))


def days(number: str) -> Callable[[Any, Any], float]:
    """[two dates are no more than so many days apart], equality for other values.

    >>> days("1")("2015-03-04", "5 March 2015"), days("0")("soon", "Soon")
    (1.0, 1.0)
    """
    limit = _limit(number)
    return lambda s, g: _close(as_date(s), as_date(g), s, g, lambda a, b: abs((a - b).days) <= limit)


def _limit(text: str) -> float:
    limit = float(text)
    if not 0 <= limit < float("inf"):
        raise ValueError("a tolerance is a number from 0")
    return limit


def _close(left: Any, right: Any, s: Any, g: Any, close: Callable[[Any, Any], bool]) -> float:
    if left is not None and right is not None:
        return 1.0 if close(left, right) else 0.0
    return 1.0 if left is None and right is None and _plain(s) == _plain(g) else 0.0


def _plain(value: Any) -> Any:
    return ("text", fold(value)) if isinstance(value, str) else ("value", repr(value))


def plain(value: Any) -> Any:
    """A value as JSON has it: objects of any class whose fields can be listed, enumerations, days, sets.

    >>> import dataclasses
    >>> Person = dataclasses.make_dataclass("Person", ["name", "born"])
    >>> plain([Person("Ada", date(1815, 12, 10))])
    [{'name': 'Ada', 'born': '1815-12-10'}]
    """
    if value is None or type(value) in _SCALARS:
        return value
    if isinstance(value, enum.Enum):
        return plain(value.value)
    if isinstance(value, Mapping):
        return {plain(key): plain(inner) for key, inner in value.items()}
    names = field_names(type(value))  # type: ignore[arg-type]
    if names is not None:
        # What a struct has not set is as if the key were not there.
        found = {name: getattr(value, name, None) for name in names}
        return {name: plain(inner) for name, inner in found.items() if type(inner).__name__ != "UnsetType"}
    if isinstance(value, list | tuple | deque):
        return [plain(inner) for inner in value]
    if isinstance(value, Set):
        return [plain(inner) for inner in sorted(value, key=repr)]
    return _scalar(value)


_SCALARS = frozenset((str, int, float, bool))


def _scalar(value: Any) -> Any:
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, decimal.Decimal | fractions.Fraction):
        number = float(value)
        return int(value) if number.is_integer() and value == int(value) else number
    if isinstance(value, uuid.UUID | pathlib.PurePath):
        return str(value)
    if isinstance(value, str | int | float | bytes | timedelta) or hasattr(value, "dtype"):
        return value
    name = type(value).__name__
    raise TypeError(f"the fields of {name} are not known: give dicts, or make {name} a dataclass")


def entries(*steps: str) -> Callable[[Any], list[tuple[str, Any]]]:
    """The fields of an object as pairs of name and value: those inside of objects too, each value of a list by itself.

    Steps: `fold` or `squad` for texts, `numbers` and `dates` for texts that are such. What is null is left out.

    An object of a class is what a dict with its fields would be.

    >>> entries("fold")({"name": " Ada  L ", "tags": ["X", None], "at": {"year": 1843}})
    [('name', 'ada l'), ('tags', 'x'), ('at.year', 1843)]
    """
    known = ("fold", "squad", "numbers", "dates")
    unknown = [step for step in steps if step and step not in known]
    if unknown:
        raise ValueError(f"there is no step {unknown[0]}, known are {', '.join(known)}")
    return lambda value: _entries("", plain(value), frozenset(steps))


def _entries(name: str, value: Any, steps: frozenset[str]) -> list[tuple[str, Any]]:
    if value is None:
        return []
    if isinstance(value, Mapping):
        prefix = f"{name}." if name else ""
        return [pair for key, inner in value.items() for pair in _entries(f"{prefix}{key}", inner, steps)]
    if isinstance(value, list):
        return [pair for inner in value for pair in _entries(name, inner, steps)]
    return [(name or "value", _settled(value, steps))]


def _settled(value: Any, steps: frozenset[str]) -> Any:
    if not isinstance(value, str):
        return value
    if "dates" in steps and (day := as_date(value)) is not None:
        return day.isoformat()
    if "numbers" in steps and (number := as_number(value)) is not None:
        return int(number) if number.is_integer() and abs(number) < 1e15 else number
    if "squad" in steps:
        from adjudge.algebra.functions import resolve

        return resolve("squad")(value)
    return fold(value) if "fold" in steps else value


def present(value: Any) -> list[Any]:
    """A value that may be missing or several, as a list of what is there.

    >>> present(None), present("x"), present(["x", "y"])
    ([], ['x'], ['x', 'y'])
    """
    value = plain(value)
    if value is None:
        return []
    return [each for each in value if each is not None] if isinstance(value, list) else [value]
