"""Dates as the fillers of time roles: `yyyy-mm-dd`, with X for what is not known.

The task description gives XXXX-05-04 for "May 4th"; the official programs call it malformed. `x_year` decides.
"""

from __future__ import annotations

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


def less_specific(text: str, *, x_year: bool = True) -> list[str]:
    """The dates that say less than a valid one: its digits become X one at a time, from the right.

    The first digit of the year stays: 1XXX-XX-XX says least. With `x_year` a date without its year says less, too.

    >>> less_specific("1982-1X-XX", x_year=False)
    ['1982-XX-XX', '198X-XX-XX', '19XX-XX-XX', '1XXX-XX-XX']
    >>> less_specific("1982-1X-XX")[4:], less_specific("XXXX-05-XX")
    (['XXXX-1X-XX'], ['XXXX-0X-XX'])
    """
    found = _chain(text, first=1)
    if not x_year:
        return found
    if text[0].isdecimal():
        bare = "XXXX" + text[4:]
        return found + [each for each in (bare, *_chain(bare, first=5)) if is_valid(each)]
    return [each for each in found if is_valid(each)]


def _chain(text: str, *, first: int) -> list[str]:
    """A text with its digits replaced one after the other, from the last down to the one at `first`."""
    letters = list(text)
    found = []
    for at in range(len(letters) - 1, first - 1, -1):
        if letters[at].isdecimal():
            letters[at] = "X"
            found.append("".join(letters))
    return found
