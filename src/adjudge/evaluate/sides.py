"""Gold and the systems must have documents in common: where they have none, a score would be a zero that says nothing.

One rule for every task. Gold without a document is an error; so is a system none of whose documents is a gold document.
A system without any document has found nothing, which is a score of 0 and a note. What happens if only some documents
are missing or unknown is the task's to say.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence, Sized
from typing import NamedTuple, Protocol

from adjudge.errors import Problem, UsageError, ValidationError

NO_DOCUMENTS = "the system has no documents at all, so that everything in gold counts as missed"
"""What the note `empty-system` says."""

_SHOWN = 3
_LOOKED_AT = 2000  # names that are looked at in search of a pattern
_ENDING = re.compile(r"(?:\.[A-Za-z][A-Za-z0-9_]{0,9})+(?=$|\); part \d+$)")
_PART = re.compile(r"\((.*)\); part \d+")


class Names(NamedTuple):
    """One side: how messages call it (its file, or its name), and the ids of its documents."""

    place: str
    ids: Collection[str]


class Numbered(Protocol):
    """One side of an evaluation, whose documents may have been numbered because they had no ids."""

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def documents(self) -> Sized:
        """Its documents."""

    @property
    def paired_by_place(self) -> bool:
        """Whether they were numbered."""


def check_places(gold: Numbered, system: Numbered) -> None:
    """Raise if documents without ids cannot be paired by their position."""
    if system.paired_by_place != gold.paired_by_place and system.documents:
        which = system.name if system.paired_by_place else "gold"
        raise UsageError(f"the documents of {which} have no ids", hint="give ids on both sides, or on neither")
    if system.paired_by_place and len(system.documents) != len(gold.documents):
        raise UsageError(
            f"{system.name} has {len(system.documents)} documents and gold has {len(gold.documents)}",
            hint="documents without ids are paired by position; give as many, or give them ids",
        )


def check_sides(gold: Names, systems: Iterable[Names], *, remedy: str = "") -> None:
    """Raise if gold has no documents, or none that a system with documents has; `remedy` is for gold without any.

    >>> check_sides(Names("gold", ["d1", "d2"]), [Names("run", ["d1.txt", "d2.txt"])])
    Traceback (most recent call last):
    adjudge.errors.ValidationError: run: no document is in common with gold: 'd1.txt', 'd2.txt' here and 'd1', ...
    """
    if not gold.ids:
        hint = remedy or "check that this is the gold side"
        raise ValidationError(Problem("there are no gold documents to score against", path=gold.place, hint=hint))
    problems = [problem for each in systems if (problem := _nothing_shared(gold, each)) is not None]
    if problems:
        raise ValidationError(problems)


def _nothing_shared(gold: Names, system: Names) -> Problem | None:
    if not system.ids or any(name in gold.ids for name in system.ids):
        return None
    here, there = _some(system.ids), _some(gold.ids)
    message = f"no document is in common with {gold.place}: {here} here and {there} there"
    pattern = find_pattern(gold.ids, system.ids)
    if pattern is not None:
        return Problem(f"{message}; the names differ by {pattern} only", path=system.place, hint="write them alike")
    return Problem(message, path=system.place, hint="give gold and system of the same documents")


def _some(names: Iterable[str]) -> str:
    first = sorted(names)
    return ", ".join(map(repr, first[:_SHOWN])) + (", ..." if len(first) > _SHOWN else "")


# ---------------------------------------------------------------------------------------------------------------------
# By what names differ


def find_pattern(gold: Iterable[str], system: Iterable[str]) -> str | None:
    """By what the names of two sides differ, if it is the same for most of them; None if they do not look related.

    >>> find_pattern(["d1", "d2"], ["run/d1", "run/d2"]), find_pattern(["a.sgm", "b.sgm"], ["a.txt", "b.txt"])
    ("the prefix 'run/' of the system", "the endings '.sgm' of gold and '.txt' of the system")
    >>> find_pattern(["Doc1"], ["doc1"]), find_pattern(["gold-1", "gold-2"], ["sys-1", "sys-2"])
    ('upper and lower case', "the prefixes 'gold' of gold and 'sys' of the system")
    """
    ours, theirs = sorted(gold)[:_LOOKED_AT], sorted(system)[:_LOOKED_AT]
    return _added(ours, theirs) or _written(ours, theirs) or _replaced(ours, theirs)


def _added(gold: Sequence[str], system: Sequence[str]) -> str | None:
    """A prefix or suffix that one side has and the other has not."""
    for side, short, long in (("system", set(gold), system), ("gold", set(system), gold)):
        of = "gold" if side == "gold" else "the system"
        found: Counter[tuple[str, str]] = Counter()
        for name in long:
            for place in range(1, len(name)):
                if name[place:] in short:
                    found["prefix", name[:place]] += 1
                if name[:place] in short:
                    found["suffix", name[place:]] += 1
        for (kind, text), number in found.most_common(1):
            if _is_most(number, gold, system):
                kind = "ending" if kind == "suffix" and _ENDING.fullmatch(text) else kind
                return f"the {kind} {text!r} of {of}"
    return None


def _written(gold: Sequence[str], system: Sequence[str]) -> str | None:
    """The same names, written in another way."""
    ways: tuple[tuple[str, tuple[Callable[[str], str], ...]], ...] = (
        ("upper and lower case", (str.casefold,)),
        ("blanks at the ends", (str.strip,)),
        ("the way in which characters are composed", (_composed,)),
        ("the folders before them", (_file,)),
        ("their endings", (_stem,)),
        ("folders and endings", (_file, _stem)),
        ("the way in which parts of documents are named", (_whole,)),
        ("punctuation", (_letters,)),
        ("leading zeros of numbers", (_numbers,)),
        ("case, folders and endings", (_file, _stem, str.casefold)),
    )
    for what, changes in ways:
        sides = [_changed(names, changes) for names in (gold, system)]
        if _is_most(len(sides[0] & sides[1]), *sides) and len(sides[0]) == len(gold) and len(sides[1]) == len(system):
            return _endings(gold, system) or what if what == "their endings" else what
    return None


def _replaced(gold: Sequence[str], system: Sequence[str]) -> str | None:
    """A prefix or suffix that all names of one side share, for another one that those of the other share."""
    for kind, turn in (("prefix", 1), ("suffix", -1)):
        sides = [[name[::turn] for name in names] for names in (gold, system)]
        shared = [_common_start(names) for names in sides]
        rest = [{name[len(start) :] for name in names} for names, start in zip(sides, shared, strict=True)]
        if len(gold) > 1 and "" not in rest[0] | rest[1] and rest[0] == rest[1]:
            same = len(_common_start([start[::-1] for start in shared]))
            ours, theirs = (start[: len(start) - same][::turn] for start in shared)
            plural = "prefixes" if kind == "prefix" else "suffixes"
            return f"the {plural} {ours!r} of gold and {theirs!r} of the system"
    return None


def _is_most(number: int, *sides: Collection[str]) -> bool:
    return number * 2 >= min(map(len, sides)) and number > 0


def _changed(names: Iterable[str], changes: Iterable[Callable[[str], str]]) -> set[str]:
    found = list(names)
    for change in changes:
        found = [change(name) for name in found]
    return {name for name in found if name}


def _endings(gold: Sequence[str], system: Sequence[str]) -> str | None:
    ends = [{found[0] if (found := _ENDING.search(name)) else "" for name in names} for names in (gold, system)]
    if any(len(each) != 1 for each in ends):
        return None
    return f"the endings {ends[0].pop()!r} of gold and {ends[1].pop()!r} of the system"


def _common_start(names: Sequence[str]) -> str:
    low, high = min(names), max(names)
    return low[: next((place for place, (a, b) in enumerate(zip(low, high, strict=False)) if a != b), len(low))]


def _composed(name: str) -> str:
    return unicodedata.normalize("NFKC", name)


def _file(name: str) -> str:
    return re.sub(r"[^\s(]*[/\\]", "", name)


def _stem(name: str) -> str:
    return _ENDING.sub("", name)


def _whole(name: str) -> str:
    found = _PART.fullmatch(name)
    return found[1] if found else name


def _letters(name: str) -> str:
    return re.sub(r"[\W_]+", "", name)


def _numbers(name: str) -> str:
    return re.sub(r"0+(?=\d)", "", name)
