"""Values that do not fit a similarity: complaints, collected on the way up, and descriptions of values."""

from __future__ import annotations

import math
from typing import Any

from adjudge.algebra.access import is_kind, kind

HERE = "\0"  # stands in the path of a misfit for the path of the enclosing value


class Misfit(Exception):
    """All complaints about a value, as (path, message, remedy); paths grow on the way up."""

    def __init__(self, message: str, hint: str | None = None, step: str = "") -> None:
        super().__init__(message)
        self.found: list[tuple[str, str, str | None]] = [(HERE + step, message, hint)]

    def under(self, step: str) -> Misfit:
        """The same complaints, seen from one level further up."""
        return self.inside(HERE + step) if step else self

    def inside(self, frame: str) -> Misfit:
        """The same complaints about a value inside a frame, such as `words(HERE)`."""
        self.found = [(path.replace(HERE, frame), message, hint) for path, message, hint in self.found]
        return self


class Misfits:
    """Collects what does not fit in several places, and raises it together at the end.

    >>> from contextlib import suppress
    >>> with suppress(Misfit), Misfits() as misfits:
    ...     with misfits.at("[0]"):
    ...         raise expected("a string", 5)
    >>> misfits.found[0][1]
    'expected a string, got an integer'
    """

    def __init__(self) -> None:
        self.found: list[tuple[str, str, str | None]] = []

    def at(self, step: str) -> _At:
        """Note what is raised about the part of a value that a step leads to."""
        return _At(self.found, step)

    def add(self, misfit: Misfit, step: str) -> None:
        """Note what does not fit in the part of a value that a step leads to."""
        self.found += misfit.under(step).found

    def __enter__(self) -> Misfits:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self.close()

    def close(self) -> None:
        """Raise what was collected, if anything was."""
        if self.found:
            whole = Misfit(self.found[0][1])
            whole.found = self.found
            raise whole


class _At:
    """Collects what is raised, and lets the code after it go on."""

    __slots__ = ("found", "step")

    def __init__(self, found: list[tuple[str, str, str | None]], step: str) -> None:
        self.found = found
        self.step = step

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, _: object) -> bool:
        if isinstance(error, Misfit):
            self.found += error.under(self.step).found
            return True
        return False


def short(value: Any, limit: int = 60) -> str:
    """A value on one line."""
    text = " ".join(repr(value).split())
    return text if len(text) <= limit else text[: limit - 1] + "…"


def describe(value: Any) -> str:
    """What a value is, in the words of JSON.

    >>> describe([]), describe(None), describe(float("nan"))
    ('an array', 'null', 'NaN')
    """
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "an infinite number"
    return kind_name(kind(value))


def kind_name(name: str) -> str:
    """A kind of JSON value with its article.

    >>> kind_name("integer"), kind_name("null")
    ('an integer', 'null')
    """
    return name if name == "null" else f"an {name}" if name[0] in "aeio" else f"a {name}"


def expected(what: str, value: Any, hint: str | None = None) -> Misfit:
    """The complaint about a value of the wrong kind."""
    return Misfit(f"expected {what}, got {describe(value)}", hint)


def check_number(value: Any) -> None:
    """Refuse what is not a finite number.

    >>> check_number(10**400)
    Traceback (most recent call last):
    adjudge.algebra.operators.misfit.Misfit: the number is too large to be compared
    """
    try:
        if not is_kind(value, "number") or not math.isfinite(value):
            raise expected("a number", value)
    except OverflowError:
        raise Misfit("the number is too large to be compared", "write numbers below 1e308") from None
