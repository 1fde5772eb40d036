"""Which reader of a family to use if none is named: the file's content decides, else the usual one."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from adjudge.errors import AdjudgeError, FormatError, Problem, UsageError
from adjudge.evaluate.sides import is_stdin
from adjudge.formats.coerce.corpus import UNITS
from adjudge.formats.source import HEAD, find_shards, head_of, is_shard, source_name, stdin_head
from adjudge.rooms import load
from adjudge.tasks.family import JSONL, find_family, is_family, is_for, readers_of

if TYPE_CHECKING:
    from adjudge.formats.kinds import Format

GUESS = "guess"
BOTH = "bio-both"  # has gold and system in one file
_FOLDERS = ("brat", "scirex-output", "dataset")
_SHARDS = (JSONL, "parquet", "answers")  # files of a folder that form one corpus
_TAGS = ("iob1", "iob2", "ioe2", "iobes", "bilou")


class Chosen(msgspec.Struct, frozen=True):
    """The readers of gold and, if different, of the systems; `said` has notes on what was detected."""

    readers: tuple[str, str | None]
    said: tuple[str, ...] = ()


def chosen(
    family: str, gold: Any, systems: Sequence[Any], readers: tuple[str, str | None], usual: str = JSONL
) -> Chosen:
    r"""The readers; `guess` is decided by the files' content, and ambiguous content is read as `usual`.

    >>> chosen("ner", b"EU B-ORG\n", [b"EU B-PER\n"], ("guess", None)).readers
    ('bio', None)
    """
    ours, theirs = readers
    said: list[str] = []
    if theirs is None and ours != GUESS:
        return Chosen(readers)
    alone = bool(systems) and all(each == gold for each in systems)
    if ours == GUESS:
        ours = _guessed(family, gold, usual, said, alone=alone)
    if theirs in (GUESS, None):
        found = {ours if each == gold else _guessed(family, each, usual, said): each for each in systems}
        if len(found) > 1:
            told = ", ".join(f"{_place(each)} is {name}" for name, each in found.items())
            raise UsageError(f"the systems are of different formats: {told}", hint="score them one by one")
        theirs = next(iter(found), ours)
        theirs = None if theirs == ours else theirs
    _check_units(ours, theirs or ours, next(iter(systems), gold))
    return Chosen((ours, theirs), _short(said))


def _short(said: Sequence[str]) -> tuple[str, ...]:
    """What was guessed: gold and the first system in full, and how many others are read the same way.

    >>> _short(["reading g as csv", *(f"reading s{number} as csv" for number in range(3))])
    ('reading g as csv', 'reading s0 as csv', 'reading 2 more files as csv')
    """
    lines = list(dict.fromkeys(said))
    ways = [each.rpartition(" as ")[2] for each in lines[2:]]
    more = ((ways.count(way), way) for way in dict.fromkeys(ways))
    return (*lines[:2], *(f"reading {number} more file{'s' * (number > 1)} as {way}" for number, way in more))


def _check_units(ours: str, theirs: str, system: Any) -> None:
    """Raise if one side counts tokens and the other characters, as far as their formats say."""
    if ours == theirs:
        return
    units = [unit_of(ours), unit_of(theirs)]
    if all(units) and units[0] != units[1]:
        message = f"system counts {UNITS[units[1]]} ({theirs}), and gold counts {UNITS[units[0]]} ({ours})"
        raise FormatError(Problem(message, path=_place(system), hint="give both in one unit"))


def unit_of(reader: str) -> str:
    """What offsets in files of a format count; empty if it may be either.

    >>> unit_of("bio"), unit_of("brat"), unit_of("jsonl")
    ('token', 'char', '')
    """
    from adjudge.formats.kinds import FORMATS

    kind = "bio" if reader in _TAGS else reader
    words = FORMATS[kind].unit if kind in FORMATS else ""
    return next((unit for unit, own in UNITS.items() if own == words), "")


def refuse_guess(readers: tuple[str, str | None]) -> None:
    """Raise if a reader would have to be guessed."""
    if GUESS in readers:
        raise UsageError("no reader is given, and guessing is off", hint="name it with --reader")


def files_of(gold: Any, system: Any) -> list[Any]:
    """The systems that may be files: one, a list of them beside a file of gold, or the values of a mapping."""
    if isinstance(system, Mapping):
        return [each for each in system.values() if _is_source(each)]
    if isinstance(system, list | tuple):
        return [each for each in system if _is_source(each)] if _is_source(gold) else []
    return [system] if _is_source(system) else []


def _is_source(source: Any) -> bool:
    return isinstance(source, str | os.PathLike | bytes)


def _guessed(family: str, source: Any, usual: str, said: list[str], *, alone: bool = False) -> str:
    """The reader of a source; one other than the usual is noted. `alone`: the source has both sides."""
    if not is_family(family) or not (_is_source(source) or is_stdin(source)):
        return usual
    found = _candidates(family, source)
    if not alone:
        found.pop(BOTH, None)
    if len(found) > 1 and "answers" not in found:  # JSON lines that are another format as well
        found.pop(JSONL, None)
    if not found:
        if usual != JSONL and _is_json(source):
            said.append(f"reading {_place(source)} as {JSONL}")
            return JSONL
        return usual
    names = list(found)
    if len(names) > 1 and (usual not in found or BOTH in found):
        shown = "; ".join(f"--reader {name} would read {_first_item(family, name, source)}" for name in names)
        raise UsageError(Problem(f"this may be {' or '.join(names)}", _place(source), hint=f"choose: {shown}"))
    name = usual if usual in found else names[0]
    if name != usual:
        said.append(f"reading {_place(source)} as {name}{found[name]}")
    return name


def _is_json(source: Any) -> bool:
    """Whether a file has JSON of any shape."""
    from adjudge.formats.recognise import looks_like

    if is_stdin(source):
        head = stdin_head()
    elif isinstance(source, bytes):
        head = source
    elif os.path.isfile(source):  # noqa: PTH113
        head = head_of(source)
    else:
        return False
    look = looks_like(head)
    return look is not None and look.kind.startswith("json")


def _first_item(family: str, name: str, source: Any) -> str:
    """The first item that a reader finds in a source, abbreviated."""
    own = find_family(family).readers.get(name)
    read: Any = load(own.gold if own is not None else "adjudge.formats.jsonl:read_all")
    try:
        documents = read(stdin_head() if is_stdin(source) else source).documents
    except AdjudgeError as error:
        return f"nothing ({error.problems[0].message})"
    for each in documents:
        for key, value in each.data.items() if isinstance(each.data, Mapping) else ():
            if key not in ("id", "tokens", "sentences") and isinstance(value, list) and value:
                import json

                return f"{key} of {each.id}: {json.dumps(value[0], ensure_ascii=False)}"[:120]
    return "documents without items"


def _candidates(family: str, source: Any) -> dict[str, str]:
    """The readers of a family that may read a source, with the kind of ends if known."""
    formats = _formats(source)
    own = find_family(family).readers
    found: dict[str, str] = {}
    for each in formats:
        ends = f" (ends {each.ends})" if each.ends else ""
        for name in readers_of(each.kind):
            table = each.kind == "csv" and family == "record"  # any table has records, if these are asked for
            if (name == JSONL or name in own) and (table or is_for(each.kind, family)):
                found.setdefault(name, ends)
    return found


def _formats(source: Any) -> list[Format]:
    """The formats that a source may have: of a file, of standard input, of a folder, of the first of several files."""
    from pathlib import Path

    from adjudge.formats.companions import folder_formats
    from adjudge.formats.kinds import file_formats, formats_of

    if isinstance(source, bytes):
        return formats_of(source)
    if is_stdin(source):
        head = stdin_head()
        return formats_of(head, cut=len(head) >= HEAD)
    if not isinstance(source, str | os.PathLike):
        return []
    if os.path.isdir(source):  # noqa: PTH112  # unlike Path.is_dir it never raises
        found, files = folder_formats(Path(source))
        whole = [each for each in found if each.kind in _FOLDERS]
        if not whole and files and not any(is_shard(each.name) for each in files):
            message, hint = "this is a folder of files, and no corpus", f"give its files one by one: {source}/*"
            raise UsageError(Problem(message, path=str(source), hint=hint))
        return whole or [each for each in found if each.kind in _SHARDS]
    path = Path(source)
    if not os.path.isfile(source):  # noqa: PTH113
        try:
            shards = find_shards(source)
        except UsageError:  # the reader reports it
            return []
        if not shards:
            return []
        path = Path(shards[0])
    head = head_of(path)
    return file_formats(path, head, cut=len(head) >= HEAD)


def _place(source: Any) -> str:
    return source_name(source)
