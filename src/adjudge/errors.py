"""Everything that can go wrong, said so that the reader can fix it.

`Problem` is one complaint with a place and a remedy; an `AdjudgeError` carries one or many of them, because a file
with ten mistakes should be mended once, not ten times. The exit code of the command line is part of the error.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_OBEYED = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))


def visible(text: str, *, keep: str = "") -> str:
    r"""Text in which everything that a terminal would obey instead of showing is written as an escape.

    Names of files and values come from outside: they may hold line breaks, colours, or bytes that are no characters.

    >>> print(visible("a" + chr(27) + "[31m" + chr(10)))
    a\x1b[31m\n
    """
    if text.isprintable():
        return text
    return "".join(
        c.encode("unicode_escape").decode() if unicodedata.category(c) in _OBEYED and c not in keep else c for c in text
    )


@dataclass(frozen=True, slots=True)
class Problem:
    """One complaint: where it is, what is wrong, and what to do about it.

    >>> print(Problem("expected a string, got 5", path="gold.jsonl", line=3, column=7, hint="quote the value"))
    gold.jsonl:3:7: expected a string, got 5, quote the value
    >>> print(Problem("the file is empty", path="gold.jsonl"))
    gold.jsonl: the file is empty
    """

    message: str
    path: str | None = None
    line: int | None = None
    column: int | None = None
    hint: str | None = None

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.path, self.line, self.column) if part is not None)
        text = f"{place}: {self.message}" if place else self.message
        return visible(f"{text}, {self.hint}" if self.hint else text)


class AdjudgeError(Exception):
    """Base of every error that is not a bug of ours."""

    exit_code = 1

    def __init__(self, problems: str | Problem | Iterable[Problem], *, hint: str | None = None) -> None:
        if isinstance(problems, str):
            problems = Problem(problems, hint=hint)
        self.problems: Sequence[Problem] = (problems,) if isinstance(problems, Problem) else tuple(problems)
        super().__init__(*self.problems)

    def __str__(self) -> str:
        return "\n".join(str(problem) for problem in self.problems)

    def __reduce__(self) -> tuple[type[AdjudgeError], tuple[tuple[Problem, ...]]]:
        # An error must survive the way back from a worker process.
        return type(self), (tuple(self.problems),)


class FormatError(AdjudgeError):
    """A file cannot be read as what it claims to be."""


class ValidationError(AdjudgeError):
    """The file is well formed but what it says is not allowed."""


class UsageError(AdjudgeError):
    """The call itself is wrong: an unknown name, a contradictory option, a type that cannot be handled."""

    exit_code = 2


class GateError(AdjudgeError):
    """A threshold given by `--fail-under` was not reached."""

    exit_code = 3


def did_you_mean(name: str, known: Iterable[str]) -> str | None:
    """A remedy for a misspelt name, or None if nothing is close.

    >>> did_you_mean("relaton.strict", ["relation.strict", "set.f1"])
    'did you mean relation.strict?'
    """
    import difflib

    close = difflib.get_close_matches(name, list(known), n=3, cutoff=0.6)
    return f"did you mean {' or '.join(close)}?" if close else None
