"""Dates as the fillers of time roles: `yyyy-mm-dd`, with X for what is not known.

The task description gives XXXX-05-04 for "May 4th"; the official programs call it malformed. `x_year` decides.
"""

from __future__ import annotations

from itertools import product

_LENGTHS = (4, 2, 2)


def is_valid(text: str, *, x_year: bool = True, lower_x: bool = True) -> bool:
    """Whether a text is a date: three parts of 4, 2 and 2 characters, each digits and then Xs.

    A year of Xs alone is allowed with `x_year` if there is a digit elsewhere, a small x with `lower_x`. There is no
    calendar in it: month 13 passes.

    >>> [is_valid(text) for text in ("1985-XX-XX", "19XX-XX-XX", "XXXX-05-04", "20X3-01-01", "yesterday")]
    [True, True, True, False, False]
    >>> is_valid("XXXX-05-04", x_year=False), is_valid("2003-xx-xx", lower_x=False)
    (False, False)
    """
    parts = text.split("-")
    if len(parts) != 3:
        return False
    unknown = "Xx" if lower_x else "X"
    digits = []
    for part, length in zip(parts, _LENGTHS, strict=True):
        known = part.rstrip(unknown)
        if len(part) != length or (known and not known.isdecimal()):
            return False
        digits.append(len(known))
    return any(digits) if x_year else bool(digits[0])


def less_specific(text: str, *, x_year: bool = True, parts: bool | None = None) -> list[str]:
    """The dates that say less than a valid one: digits of it are X, in each part from the right.

    With `x_year` a date without its year says less, too. Without `parts` digits become X one at a time from the right
    of the whole date, as in the official programs; the first digit of the year stays. By default the two go together.

    >>> less_specific("198X-12-XX")[:4], {"2003-XX-04", "200X-05-04"} <= set(less_specific("2003-05-04"))
    (['198X-1X-XX', '198X-XX-XX', '19XX-12-XX', '19XX-1X-XX'], True)
    >>> less_specific("1982-1X-XX", x_year=False)
    ['1982-XX-XX', '198X-XX-XX', '19XX-XX-XX', '1XXX-XX-XX']
    """
    if x_year if parts is None else parts:
        choices = product(*(_chain(part) for part in text.split("-")))
        found = ["-".join(each) for each in choices]
        return [each for each in found if each != text and is_valid(each, x_year=x_year)]
    found = _chain(text, first=1)[1:]
    if not x_year:
        return found
    if text[0].isdecimal():
        return found + [each for each in _chain("XXXX" + text[4:], first=5) if is_valid(each)]
    return [each for each in found if is_valid(each)]


def _chain(text: str, *, first: int = 0) -> list[str]:
    """A text, and with its digits replaced one after the other, from the last down to the one at `first`."""
    letters = list(text)
    found = [text]
    for at in range(len(letters) - 1, first - 1, -1):
        if letters[at].isdecimal():
            letters[at] = "X"
            found.append("".join(letters))
    return found
