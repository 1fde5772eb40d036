"""The sides of an evaluation: what systems are called, which documents count, and what gold and systems have in common.

One rule for every task. Gold without a document is an error; so is a system none of whose documents is a gold document,
because its score would be a zero that says nothing. A system without any document has found nothing, which is a score
of 0 and a note. What happens if only some documents are missing or unknown is the task's to say.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

import msgspec

from adjudge.bounded import unpacked_name
from adjudge.errors import Problem, UsageError, ValidationError, did_you_mean, visible
from adjudge.formats.source import find_shards, source_name

Source: TypeAlias = Any  # a path, bytes, a stream, or documents in memory

_ENDINGS = (
    *(".jsonl", ".json", ".jsonlines", ".ndjson", ".parquet", ".bio", ".iob", ".iob2", ".conll", ".conllu"),
    *(".v4_gold_conll", ".v4_auto_conll", ".amr", ".tbf", ".tsv", ".tab", ".csv", ".txt", ".key", ".response", ".muc"),
    *(".tac", ".cs", ".kb", ".zip", ".tgz", ".eval", ".spacy", ".xmi", ".ann", ".nt", ".nq", ".ttl", ".trig"),
)


def is_file(source: Any) -> bool:
    """Whether a source has to be read: a path, bytes, or a stream."""
    return isinstance(source, str | os.PathLike | bytes) or hasattr(source, "read")


def is_stdin(source: Any) -> bool:
    """Whether a source is standard input."""
    return isinstance(source, str | os.PathLike) and str(source) == "-"


def size_of(source: Any) -> int:
    """The bytes of a file, or of the files of a folder or a pattern; 0 if there is none."""
    try:
        return sum(map(os.path.getsize, find_shards(source) or [source]))
    except (OSError, UsageError):
        return 0


def name_systems(
    gold: Source,
    system: Any,
    names: Sequence[str | None] | None = None,
    *,
    known: Collection[str] = (),
    is_whole: Callable[[Any], bool] = lambda _: True,
    texts: bool = False,
) -> list[tuple[str, Source]]:
    """The systems by name: of one source, of a list of files, or of a mapping from names.

    A mapping is one system if one of the `known` ids of gold documents is among its keys, or if one of its values is
    only the content of a document. A list of strings is several files, unless the documents themselves are `texts`. A
    name of None is after the file.

    >>> [name for name, _ in name_systems("key.conll", ["a/run.conll", "b/run.conll"])]
    ['run-1', 'run-2']
    """
    several = _several(system, known, is_whole, texts=texts)
    sources = [gold, *(source for _, source in several)]
    if sum(map(is_stdin, sources)) > 1:
        raise UsageError("standard input can be read only once", hint="use - for one of the files")
    if not several:
        raise UsageError("there is no system to score", hint="give the documents of at least one system")
    if names is not None and len(names) != len(several):
        raise UsageError(f"{len(names)} names for {len(several)} systems", hint="give one name for each system")
    given = list(names) if names is not None else [None] * len(several)
    found = iter(distinct([name for (name, _), own in zip(several, given, strict=True) if own is None]))
    chosen = [next(found) if own is None else own for own in given]
    twice = next((name for name in chosen if chosen.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"two systems are called {twice!r}", hint="give each system a name of its own")
    return list(zip(chosen, (source for _, source in several), strict=True))


def _several(
    system: Any, known: Collection[str], is_whole: Callable[[Any], bool], *, texts: bool
) -> list[tuple[str, Source]]:
    if isinstance(system, Mapping):
        if not any(str(key) in known for key in system) and all(
            is_file(source) or is_whole(source) for source in system.values()
        ):
            return [(str(name), source) for name, source in system.items()]
    elif isinstance(system, list | tuple) and system and all(map(is_file, system)) and not texts:
        return [(stem(source), source) for source in system]
    return [(stem(system) if is_file(system) else "system", system)]


def stem(source: Any) -> str:
    """The name of a system, from its file.

    >>> stem("runs/mine.jsonl.gz")
    'mine'
    >>> stem("runs/mine-*.jsonl"), stem("runs/mine/*.jsonl.zst"), stem("runs/mine/")
    ('mine', 'mine', 'mine')
    >>> stem("runs/mine.bio"), stem("runs/mine-1.5"), stem("runs/mine.tar.gz")
    ('mine', 'mine-1.5', 'mine')
    """
    if isinstance(source, bytes):
        return "system"
    path = source_name(source)
    parts = [part for part in _parts(path) if part not in ("", ".")]
    if parts in ([], [".."]):
        parts = _parts(os.path.realpath(path))
    # A name that is not UTF-8 could not be written into a result.
    names = [_without_pattern(visible(part)) for part in reversed(parts)]
    return next((name for name in names if name), "system") if "*" in path else names[0] or "system"


def _parts(path: str) -> list[str]:
    """The folders and the name of a path; not with pathlib, which takes longer to import than a small file to score."""
    return path.replace(os.sep, "/").split("/")


def _without_pattern(name: str) -> str:
    bare = name.removesuffix(".tar.gz") if name.endswith(".tar.gz") else unpacked_name(name)
    # Only endings of formats: what follows another full stop may be a version.
    bare = next((bare.removesuffix(suffix) for suffix in _ENDINGS if bare.endswith(suffix)), bare)
    name = bare or name
    return name.partition("*")[0].rstrip("-_.") if "*" in name else name


def distinct(names: Sequence[str]) -> list[str]:
    """Names as they are, or numbered where two are the same (a/system.jsonl and b/system.jsonl).

    >>> distinct(["run", "run", "run-1", "other"])
    ['run-2', 'run-3', 'run-1', 'other']
    """
    taken = {name for name in names if names.count(name) == 1}
    result: list[str] = []
    for name in names:
        number, chosen = 1, name
        while name not in taken and (chosen == name or chosen in result or chosen in taken):
            chosen, number = f"{name}-{number}", number + 1
        result.append(chosen)
    return result


def _nearly(name: str, known: Collection[str]) -> str | None:
    """A hint at names that a wanted one is a part of, or is like; a name may have blanks, brackets and commas."""
    whole = [each for each in known if name.strip() and name.strip() in each]
    if not whole:
        return did_you_mean(name, known)
    more = f" or {len(whole) - 1} more that have it in them" if len(whole) > 1 else ""
    return f"did you mean {whole[0]!r}{more}? write whole ids, in a file with one per line if they have commas"


def choose(known: Collection[str], wanted: Iterable[str] | None) -> tuple[str, ...]:
    """The gold documents to score, in the order of gold.

    >>> choose(["a", "b "], ["b"])
    ('b ',)
    """
    if wanted is None:
        return tuple(known)
    bare = {name.strip(): name for name in known}  # names may end in blanks, which are hard to see and to type
    chosen, unknown = set(), []
    for name in map(str, wanted):
        found = name if name in known else bare.get(name.strip())
        if found is None:
            unknown.append(name)
        else:
            chosen.add(found)
    if unknown:
        raise UsageError(
            [
                Problem(f"there is no gold document {name!r}", hint=_nearly(name, known) or "check the id")
                for name in dict.fromkeys(unknown)
            ]
        )
    return tuple(name for name in known if name in chosen)


# ---------------------------------------------------------------------------------------------------------------------
# Documents in common

NO_DOCUMENTS = "the system has no documents at all, so that everything in gold counts as missed"
"""What the note `empty-system` says."""

_SHOWN = 3
_LOOKED_AT = 2000  # names that are looked at in search of a pattern
_LONGEST = 1000  # characters of a name in which one is searched for
_ENDING = r"(?:\.[A-Za-z][A-Za-z0-9_]{0,9})+(?=$|\); part \d+$)"


class Names(msgspec.Struct, frozen=True):
    """One side: how messages call it (its file, or its name), and the ids of its documents."""

    place: str
    ids: Collection[str]


class Numbered(Protocol):
    """One side of an evaluation, whose documents may have been numbered for lack of ids."""

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def documents(self) -> Collection[str]:
        """Its documents."""

    @property
    def paired_by_place(self) -> bool:
        """Whether they were numbered."""


def check_places(gold: Numbered, system: Numbered) -> None:
    """Raise if documents without ids cannot be paired by their position."""
    same = set(system.documents) == set(gold.documents)  # numbers that were ids already
    if system.paired_by_place != gold.paired_by_place and system.documents and not same:
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
        return Problem(f"{message}; the names differ by {pattern} only", path=system.place, hint="use the same names")
    return Problem(message, path=system.place, hint="give gold and system of the same documents")


def _some(names: Iterable[str]) -> str:
    first = sorted(names)
    return ", ".join(map(repr, first[:_SHOWN])) + (", ..." if len(first) > _SHOWN else "")


# ---------------------------------------------------------------------------------------------------------------------
# By what names differ


def find_pattern(gold: Iterable[str], system: Iterable[str]) -> str | None:
    """How the names of two sides differ, if most differ in the same way; None if they look unrelated.

    >>> find_pattern(["d1", "d2"], ["run/d1", "run/d2"]), find_pattern(["a.sgm", "b.sgm"], ["a.txt", "b.txt"])
    ("the prefix 'run/' of the system", "the endings '.sgm' of gold and '.txt' of the system")
    >>> find_pattern(["Doc1"], ["doc1"]), find_pattern(["gold-1", "gold-2"], ["sys-1", "sys-2"])
    ('upper and lower case', "the prefixes 'gold' of gold and 'sys' of the system")
    """
    ours, theirs = sorted(gold)[:_LOOKED_AT], sorted(system)[:_LOOKED_AT]
    if any(len(name) > _LONGEST for name in (*ours, *theirs)):  # no name of a document
        return None
    return _added(ours, theirs) or _written(ours, theirs) or _replaced(ours, theirs)


def _added(gold: Sequence[str], system: Sequence[str]) -> str | None:
    """A prefix or suffix that only one side has."""
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
                kind = "ending" if kind == "suffix" and re.fullmatch(_ENDING, text) else kind
                return f"the {kind} {text!r} of {of}"
    return None


def _written(gold: Sequence[str], system: Sequence[str]) -> str | None:
    """The same names, spelt differently."""
    ways: tuple[tuple[str, tuple[Callable[[str], str], ...]], ...] = (
        ("upper and lower case", (str.casefold,)),
        ("blanks at the ends", (str.strip,)),
        ("Unicode normalisation", (_composed,)),
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
    """A prefix or suffix shared by one side, in place of another shared by the other."""
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
    ends = [{found[0] if (found := re.search(_ENDING, name)) else "" for name in names} for names in (gold, system)]
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
    return re.sub(_ENDING, "", name)


def _whole(name: str) -> str:
    found = re.fullmatch(r"\((.*)\); part \d+", name)
    return found[1] if found else name


def _letters(name: str) -> str:
    return re.sub(r"[\W_]+", "", name)


def _numbers(name: str) -> str:
    return re.sub(r"0+(?=\d)", "", name)
