"""Numbers and dates as people and models write them: with signs, separators, currencies, and names of months.

Anything that is not recognised stays a text, which can only be equal or wrong.
"""

from __future__ import annotations

import math
import re
import unicodedata
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from adjudge.algebra.values import fold

_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_TIME = r"(?:t| t?)\d{1,2}(?::\d{2}){1,2}(?:[.,]\d+)?(?: ?[ap]m)?(?: ?(?:z|utc|gmt|[+-]\d{2}:?(?:\d{2})?))?"
_ISO = re.compile(rf"(\d{{4}})([-/.])(\d{{1,2}})\2(\d{{1,2}})(?:{_TIME})?")
_DAY_FIRST = re.compile(r"(\d{1,2})(?:st|nd|rd|th)?[ .-]+(?:of )?([a-z]{3,9})\.?,?[ -]+(\d{4})")
_MONTH_FIRST = re.compile(r"([a-z]{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})")
_DOTS = re.compile(r"(\d{1,2})\. ?(\d{1,2})\. ?(\d{4})")
_SLASHES = re.compile(r"(\d{1,2})([/-])(\d{1,2})\2(\d{4})")
_SIGNS = {"+": 1, "-": -1, "\N{MINUS SIGN}": -1}
_CURRENCY = re.compile(r"[A-Z]{3}")
_WHOLE = re.compile(r"[+-]?[0-9]+")
_DIGITS = re.compile(r"([0-9.,'\u2019\s]*[0-9])(?:[eE]([-+\u2212]?[0-9]{1,3}))?")
_GROUPS = re.compile(r"[0-9]{1,3}(?:(.)[0-9]{3})(?:\1[0-9]{3})*|[0-9]{1,2}(?:(.)[0-9]{2})(?:\2[0-9]{2})*\2[0-9]{3}")
_GROUPS_ONCE = re.compile(r"[1-9][0-9]{0,2}")
LONGEST = 100  # characters of a text that may be a number or a day


def as_number(value: Any, point: str = ".") -> Decimal | None:
    """A number, or a text read as one, with all its digits; None if it is not a number.

    `point` is the decimal sign of texts that leave it open: with "." 1,250 is 1250, and 1.250 is one and a quarter.

    >>> [str(as_number(text)) for text in ("$1,250.50", "12 %", "(1 250,5)", "1.250", "about 5")]
    ['1250.50', '12', '-1250.5', '1.250', 'None']
    >>> str(as_number("1.250", ","))
    '1250'
    """
    if isinstance(value, str):
        return _number_in(value, point) if len(value) <= LONGEST else None
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return Decimal(value)
    if isinstance(value, float):
        return Decimal(repr(float(value))) if math.isfinite(value) else None
    return value if isinstance(value, Decimal) and value.is_finite() else None


def _number_in(text: str, point: str) -> Decimal | None:
    if text.isascii() and _WHOLE.fullmatch(text):
        return Decimal(text)
    text = unicodedata.normalize("NFKC", text).strip()
    brackets = text[:1] == "(" and text[-1:] == ")"
    if brackets:
        text = text[1:-1].strip()
    sign, text = _sign(text)
    amount = _without_currency(text)
    if amount != text and not sign:
        sign, amount = _sign(amount)
    if brackets and sign:
        return None
    found = _DIGITS.fullmatch(amount)
    whole = _plain_digits(found[1], point) if found else None
    if found is None or whole is None:
        return None
    number = Decimal(f"{whole}e{(found[2] or '0').replace(chr(0x2212), '-')}")
    return number.copy_negate() if brackets or sign < 0 else number


def _sign(text: str) -> tuple[int, str]:
    sign = _SIGNS.get(text[:1], 0)
    return sign, text[1:].lstrip() if sign else text


def _without_currency(text: str) -> str:
    """An amount without its currency, in front or behind, or without a final per cent sign."""
    if text[:1] and unicodedata.category(text[0]) == "Sc":
        return text[1:].lstrip()
    if _CURRENCY.match(text):
        return text[3:].lstrip()
    if text[-1:] == "%" or (text[-1:] and unicodedata.category(text[-1]) == "Sc"):
        return text[:-1].rstrip()
    return text[:-3].rstrip() if _CURRENCY.fullmatch(text[-3:]) else text


def _plain_digits(text: str, point: str) -> str | None:
    """Digits with a decimal point and without groups; None if the separators make no sense."""
    last = text[max(text.rfind("."), text.rfind(","))] if "." in text or "," in text else ""
    whole, fraction = text, None
    if last and (text.count(last) == 1 or ("." in text and "," in text)):
        before, after = text.rsplit(last, 1)
        groups = last != point and len(after) == 3 and _GROUPS_ONCE.fullmatch(before)
        if not groups:
            whole, fraction = before, after
    if fraction is not None and not (fraction.isascii() and fraction.isdigit()):
        return None
    if whole and not whole.isdigit():
        whole = re.sub(r"\s", " ", whole)
        if not _GROUPS.fullmatch(whole):
            return None
        whole = re.sub("[^0-9]", "", whole)
    if fraction is None:
        return whole
    return f"{whole or '0'}.{fraction}"


def as_date(value: Any, day_first: bool | None = None) -> date | None:
    """A date in one of the usual notations; None if it is not a date, or is ambiguous (03/04/2015).

    >>> as_date("March 4th, 2015"), as_date("4.3.2015") == as_date("2015-03-04"), as_date("03/04/2015")
    (datetime.date(2015, 3, 4), True, None)
    >>> as_date("03/04/2015", day_first=True)
    datetime.date(2015, 4, 3)
    """
    if isinstance(value, date):
        return value.date() if isinstance(value, datetime) else value
    if not isinstance(value, str) or len(value) > LONGEST:
        return None
    text = fold(value)
    if found := _ISO.fullmatch(text):
        return _day(found[1], found[3], found[4])
    if found := _DAY_FIRST.fullmatch(text):
        return _day(found[3], _month(found[2]), found[1])
    if found := _MONTH_FIRST.fullmatch(text):
        return _day(found[3], _month(found[1]), found[2])
    if found := _DOTS.fullmatch(text):
        return _day(found[3], found[2], found[1])
    if found := _SLASHES.fullmatch(text):
        first, second, year = found[1], found[3], found[4]
        ways = ((True, second, first), (False, first, second))
        read = {_day(year, month, day) for way, month, day in ways if day_first in (None, way)} - {None}
        return read.pop() if len(read) == 1 else None
    return None


def _month(name: str) -> int:
    return next((number for number, full in enumerate(_MONTHS, 1) if len(name) > 2 and full.startswith(name)), 0)


def _day(year: str, month: str | int, day: str | int) -> date | None:
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None
