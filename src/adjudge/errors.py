"""Everything that can go wrong, said so that the reader can fix it.

`Problem` is one complaint with a place and a remedy; an `AdjudgeError` carries one or many of them, because a file
with ten mistakes should be fixed once, not ten times; the same mistake on a hundred lines is one message with a count.
The exit code of the command line is part of the error.
"""

from __future__ import annotations

import errno
import os
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, TypeVar

import msgspec
from msgspec.structs import replace

T = TypeVar("T")

_OBEYED = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))


def visible(text: str, *, keep: str = "") -> str:
    r"""Text in which everything that a terminal would obey instead of showing is written as an escape.

    Names of files and values come from outside: they may hold line breaks, colours, or bytes that are not characters.

    >>> print(visible("a" + chr(27) + "[31m" + chr(10)))
    a\x1b[31m\n
    """
    if text.isprintable():
        return text
    return "".join(
        c.encode("unicode_escape").decode() if unicodedata.category(c) in _OBEYED and c not in keep else c for c in text
    )


class Problem(msgspec.Struct, frozen=True):
    """One complaint: where it is, what is wrong, and what to do about it; `more` if it stands for others not listed.

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
    more: int = 0

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.path, self.line, self.column) if part is not None)
        text = f"{place}: {self.message}" if place else self.message
        return visible(f"{text}, {self.hint}" if self.hint else text)


FEW = 5
"""How many problems that differ in a value only are still listed one by one."""
_SAME = 2  # the same for problems with equal words
_FILES = 10  # the same for problems that are each in a file of its own
_VALUE = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\d+(?:\.\d+)?""")
_EXAMPLES = 3


def some_of(names: Iterable[str], shown: int = 5) -> str:
    """Names in a message, of which a hostile file may have millions: the first few, and how many more there are.

    >>> some_of(["a", "b"]), some_of("abcdefg")
    ('a, b', 'a, b, c, d, e and 2 more')
    """
    listed = list(names)
    more = f" and {len(listed) - shown} more" if len(listed) > shown else ""
    return ", ".join(listed[:shown]) + more


def more_problems(number: int, path: str | None = None) -> Problem:
    """The last of a list that was cut: how many more there are.

    >>> print(more_problems(1200, "gold.jsonl"))
    gold.jsonl: and 1200 more problems
    """
    return Problem(f"and {number} more problem{'s' * (number != 1)}", path=path, more=number)


def grouped(problems: Iterable[Problem]) -> list[Problem]:
    """The problems as they are printed: one mistake on many lines is its first place, with a count of the others.

    >>> found = grouped(Problem("the document has no id", "a.jsonl", line, hint="add it") for line in range(1, 9))
    >>> print(*found)
    a.jsonl:1: the document has no id, add it (and 7 more like it, on lines 2, 3, 4, ...)
    """
    by_file: dict[object, list[Problem]] = {}
    for problem in dict.fromkeys(problems):  # a file may be given twice
        kind = None if problem.more else (shape(problem.message), shape(problem.hint or ""))
        by_file.setdefault((problem.path, kind), []).append(problem)
    kinds: dict[str | None, int] = {}
    cut: dict[str | None, int] = {}
    for own in by_file.values():
        if own[0].more:
            cut[own[0].path] = sum(problem.more for problem in own)
        elif is_one(own, len(own)):
            kinds[own[0].path] = kinds.get(own[0].path, 0) + 1
        else:
            kinds[own[0].path] = kinds.get(own[0].path, 0) + len(own)
    found: list[Problem] = []
    for own in by_file.values():
        first = own[0]
        alone = kinds.get(first.path) == 1
        if first.more:
            found += [] if alone else own
        elif is_one(own, len(own)):
            found.append(_with_count(first, own[1:], len(own) - 1 + (cut.get(first.path, 0) if alone else 0)))
        else:
            found += own
    return _across_files(found)


def is_one(alike: Sequence[Problem], number: int) -> bool:
    """Whether so many problems, of which these are known, are shown as one."""
    equal = len({(problem.message, problem.hint) for problem in alike}) == 1
    return number > (_SAME if equal else FEW)


def more_like_it(first: Problem, others: Sequence[Problem], number: int) -> str:
    """What stands behind the first of so many more that are alike, where `others` are some of them.

    >>> more_like_it(Problem("no tab", "a", 3), [Problem("no tab", "a", 7)], 16)
    ' (and 16 more like it, on lines 7, ...)'
    """
    if not number:
        return ""
    files = list(dict.fromkeys(str(each.path) for each in others if each.path not in (None, first.path)))
    lines = list(dict.fromkeys(str(each.line) for each in others if each.line not in (None, first.line)))
    where = files or lines
    dots = ", ..." if len(where) > _EXAMPLES or len(others) < number else ""
    s = "s" * (len(where) > 1 or bool(dots))
    named = f", {'in' if files else f'on line{s}'} {', '.join(where[:_EXAMPLES])}{dots}" if where else ""
    return f" (and {number} more like it{named})"


def _across_files(problems: Sequence[Problem]) -> list[Problem]:
    """One problem for those that each stand in another file; the order is that of the first of a kind."""
    kinds: dict[object, list[Problem]] = {}
    for number, problem in enumerate(problems):
        kind = number if problem.more else (shape(problem.message), shape(problem.hint or ""))
        kinds.setdefault(kind, []).append(problem)
    found: list[Problem] = []
    for own in kinds.values():
        files = {problem.path for problem in own[1:] if problem.path not in (None, own[0].path)}
        if len(files) < _FILES and not (files and len(own) > 2 * FEW):
            found += own
        else:
            found.append(_with_count(own[0], own[1:], len(own) - 1))
    return found


def _with_count(problem: Problem, others: Sequence[Problem], number: int) -> Problem:
    remark = more_like_it(problem, others, number)
    if problem.hint:
        return replace(problem, hint=f"{problem.hint}{remark}", more=number)
    return replace(problem, message=f"{problem.message}{remark}", more=number)


def shape(text: str) -> str:
    """A message without the values in it: what is in quotation marks, and numbers.

    >>> shape("expected 'a', got 5")
    'expected ?, got ?'
    """
    return _VALUE.sub("?", text)


class AdjudgeError(Exception):
    """Base of every error that is not a bug of ours."""

    exit_code = 1

    def __init__(self, problems: str | Problem | Iterable[Problem], *, hint: str | None = None) -> None:
        if isinstance(problems, str):
            problems = Problem(problems, hint=hint)
        self.problems: Sequence[Problem] = (problems,) if isinstance(problems, Problem) else tuple(problems)
        super().__init__(*self.problems)

    def __str__(self) -> str:
        return "\n".join(str(problem) for problem in grouped(self.problems))

    def at(self, path: str) -> AdjudgeError:
        """The same error, in which problems that name no file are those of a file."""
        return type(self)([problem if problem.path else replace(problem, path=path) for problem in self.problems])

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


class EnvironmentFault(UsageError):
    """The machine refuses: no room, no permission, a disk that fails, too many open files, no memory.

    Nothing need be wrong with the call or with any file, and the same call may succeed later.
    """


_FAULTS = frozenset(
    getattr(errno, name)
    for name in (
        *("ENOSPC", "EDQUOT", "EFBIG", "EIO", "EROFS", "EACCES", "EPERM", "EMFILE", "ENFILE", "ENOMEM", "EAGAIN"),
        *("EBUSY", "ENODEV", "ENXIO", "ENOLCK", "ESTALE", "ETIMEDOUT", "ENOTCONN", "EHOSTDOWN", "EREMOTEIO"),
    )
    if hasattr(errno, name)
)


def is_fault(error: BaseException) -> bool:
    """Whether an error of Python is one of the machine, and not of a name that is wrong or of what a file holds.

    >>> is_fault(OSError(errno.ENOSPC, "No space left on device")), is_fault(FileNotFoundError(errno.ENOENT, "?"))
    (True, False)
    """
    return isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno in _FAULTS)


def refusal(error: BaseException, problem: Problem) -> UsageError:
    """What to raise if the operating system refuses something: a fault of the machine, or a call that is wrong."""
    return (EnvironmentFault if is_fault(error) else UsageError)(problem)


class GateError(AdjudgeError):
    """A threshold given by `--fail-under` was not reached, or a baseline that `--fail-if-worse` names."""

    exit_code = 3


@contextmanager
def refusing(
    what: str, path: str | os.PathLike[str], hint: str | Callable[[Exception], str] | None = None
) -> Iterator[None]:
    """Say that `what`, such as "cannot be read", and why, if the operating system refuses something in the block.

    >>> with refusing("cannot be read", "a.txt", "check the path"):
    ...     raise OSError(errno.ENOENT, "No such file")
    Traceback (most recent call last):
    adjudge.errors.UsageError: a.txt: cannot be read: No such file, check the path
    """
    try:
        yield
    except (OSError, ValueError) as error:  # a ValueError is a path with a null character
        reason = getattr(error, "strerror", None) or str(error)
        hint = hint(error) if callable(hint) else hint
        raise refusal(error, Problem(f"{what}: {reason}", path=os.fspath(path), hint=hint)) from None


def from_keywords(kind: Callable[..., T], given: Mapping[str, Any], function: str) -> T:
    """The options of a function that were given as keywords, as one value; a wrong name is a `TypeError`.

    >>> from_keywords(Problem, {"mesage": "?"}, "complain")
    Traceback (most recent call last):
    TypeError: complain() got an unexpected keyword argument 'mesage', did you mean message?
    """
    check_keywords(given, getattr(kind, "__struct_fields__", ()) or getattr(kind, "__annotations__", ()), function)
    return kind(**given)


def check_keywords(given: Iterable[str], known: Iterable[str], function: str) -> None:
    """Raise a `TypeError`, as Python does, for the name of an option that a function does not have.

    >>> check_keywords(["bootstrp"], ["bootstrap", "seed"], "score")
    Traceback (most recent call last):
    TypeError: score() got an unexpected keyword argument 'bootstrp', did you mean bootstrap?
    """
    names = list(known)
    for name in given:
        if name not in names:
            hint = did_you_mean(name, names) or f"there are {', '.join(names)}"
            raise TypeError(f"{function}() got an unexpected keyword argument {name!r}, {hint}")


def did_you_mean(name: str, known: Iterable[str]) -> str | None:
    """A remedy for a misspelt name, or None if nothing is close.

    >>> did_you_mean("relaton.strict", ["relation.strict", "set.f1"])
    'did you mean relation.strict?'
    """
    return _close(name, tuple(known))


@lru_cache(maxsize=1024)  # one mistake may stand in every line
def _close(name: str, known: tuple[str, ...]) -> str | None:
    import difflib

    close = difflib.get_close_matches(name, known, n=3, cutoff=0.6)
    return f"did you mean {' or '.join(close)}?" if close else None


class AdjudgeWarning(UserWarning):
    """Something that is done as asked and is probably not meant."""


def numbered(template: str, **numbers: int) -> str:
    """A message about numbers: `{n}`, `{n:one|several}` with what it counts, or only these words, `{n?one|several}`.

    >>> text = "{n:document has|documents have} no text, which {n?is|are} not shown"
    >>> numbered(text, n=1), numbered(text, n=3)
    ('1 document has no text, which is not shown', '3 documents have no text, which are not shown')
    """

    def said(found: re.Match[str]) -> str:
        name, kind, one, several = found.groups()
        if name not in numbers:  # it is something else
            return found[0]
        words = one if numbers[name] == 1 else several
        return words if kind == "?" else f"{numbers[name]} {words}" if kind else str(numbers[name])

    return re.sub(r"\{(\w)(?:([:?])(.*?)\|(.*?))?\}", said, template)
