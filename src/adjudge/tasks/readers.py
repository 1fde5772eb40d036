"""Which reader of a family a file is for, if nobody says: its content decides, or it is read in the usual way."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from adjudge.errors import Problem, UsageError
from adjudge.tasks.family import JSONL, families, find_family, readers_of

GUESS = "guess"
_FOLDERS = ("brat", "scirex-output")


class Chosen(NamedTuple):
    """The readers of gold and, if another, of the systems; `said` is what was found out about files."""

    readers: tuple[str, str | None]
    said: tuple[str, ...] = ()


def chosen(
    family: str, gold: Any, systems: Sequence[Any], readers: tuple[str, str | None], usual: str = JSONL
) -> Chosen:
    r"""The readers, those that are `guess` by the content of the files; what could be anything is read as `usual`.

    >>> chosen("ner", b"EU B-ORG\n", [b"EU B-PER\n"], ("guess", None)).readers
    ('bio', None)
    """
    ours, theirs = readers
    said: list[str] = []
    if theirs is None and ours != GUESS:
        return Chosen(readers)
    if ours == GUESS:
        ours = _guessed(family, gold, usual, said)
    if theirs in (GUESS, None):
        found = {_guessed(family, each, ours if each is gold else usual, said): each for each in systems}
        if len(found) > 1:
            told = ", ".join(f"{_place(each)} is {name}" for name, each in found.items())
            raise UsageError(f"the systems are of different formats: {told}", hint="score them one by one")
        theirs = next(iter(found), ours)
        theirs = None if theirs == ours else theirs
    return Chosen((ours, theirs), tuple(dict.fromkeys(said)))


def refuse_guess(readers: tuple[str, str | None]) -> None:
    """Raise if a reader would have to be guessed."""
    if GUESS in readers:
        raise UsageError("no reader is named, and nothing is to be guessed", hint="name it with --reader")


def files_of(gold: Any, system: Any) -> list[Any]:
    """The systems that may be files: one, a list of them beside a file of gold, or the values of a mapping."""
    if isinstance(system, Mapping):
        return [each for each in system.values() if _is_source(each)]
    if isinstance(system, list | tuple):
        return [each for each in system if _is_source(each)] if _is_source(gold) else []
    return [system] if _is_source(system) else []


def _is_source(source: Any) -> bool:
    return isinstance(source, str | os.PathLike | bytes)


def _guessed(family: str, source: Any, usual: str, said: list[str]) -> str:
    """The reader of a source; one that is not the usual one is said."""
    if family not in families():
        return usual
    found = _candidates(family, source)
    if usual in found or not found or (usual == "answers" and JSONL in found):  # which reads all lines of JSON
        return usual
    names = [name for name in (find_family(family).default, JSONL) if name in found] or list(found)
    if len(names) > 1 and names[0] not in (find_family(family).default, JSONL):
        hint = f"choose with --reader {' or --reader '.join(names)}"
        raise UsageError(Problem(f"this may be {' or '.join(names)}", _place(source), hint=hint))
    said.append(f"reading {_place(source)} as {names[0]}{found[names[0]]}")
    return names[0]


def _candidates(family: str, source: Any) -> dict[str, str]:
    """The readers of a family that a source may be for, with what is known of their ends."""
    from adjudge.formats.recognise import folder_formats, formats_of, head_of
    from adjudge.formats.source import HEAD

    if isinstance(source, bytes):
        formats = formats_of(source)
    elif not isinstance(source, str | os.PathLike) or str(source) == "-":
        return {}
    elif os.path.isdir(source):  # noqa: PTH112  # unlike Path.is_dir it never raises
        formats = [each for each in folder_formats(Path(source))[0] if each.kind in _FOLDERS]
    elif os.path.isfile(source):  # noqa: PTH113
        head = head_of(Path(source))
        formats = formats_of(head, cut=len(head) >= HEAD)
    else:
        return {}
    own = find_family(family).readers
    found: dict[str, str] = {}
    for each in formats:
        ends = f" (ends {each.ends})" if each.ends else ""
        for name in readers_of(each.kind):
            if name == JSONL or name in own:
                found.setdefault(name, ends)
    return found


def _place(source: Any) -> str:
    from adjudge.formats.source import source_name

    return source_name(source)
