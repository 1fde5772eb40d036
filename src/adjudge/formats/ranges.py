"""Files in parts that begin with the same document on all sides, for several processes to read.

Only plain files can be cut. Nothing is checked here but the documents at the cuts: whoever reads a part sees whether
the documents of one side are those of the other.
"""

from __future__ import annotations

import json
import mmap
import os
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import accumulate, pairwise
from typing import NamedTuple, TypeAlias

import msgspec

_BOM = b"\xef\xbb\xbf"
_HEAD = 64  # bytes in which an object must begin
_NEAR = (1 << 14, 1 << 20)  # where to look first for a document that should be at a place in proportion
_FAR = 3  # parts behind the last cut in which to look then
_TRIES = 10  # documents behind a place of which all sides must have one


class Range(NamedTuple):
    """A part of a file."""

    path: str
    start: int
    end: int

    def read(self) -> bytes:
        """Its bytes."""
        with open(self.path, "rb") as stream:  # noqa: PTH123
            stream.seek(self.start)
            return stream.read(self.end - self.start)


Ranges: TypeAlias = tuple[Range, ...]
"""What a part has of one side, which may be several files."""


class _Identified(msgspec.Struct):
    """A document as far as cutting is concerned."""

    id: str | int


def cut_lines(sides: Sequence[Sequence[str]], parts: int) -> list[tuple[Ranges, ...]] | None:
    """Up to so many parts of about equal size, each with its ranges on every side; None if there are not even two.

    The first side decides where to cut; the others are looked through for its documents.
    """
    try:
        gold, *systems = (_Files(paths) for paths in sides)
    except (OSError, ValueError):  # empty, or nothing that can be mapped
        return None
    if not all(side.are_lines for side in (gold, *systems)):
        return None
    cuts = [[0] * len(sides)]
    for number in range(1, parts):
        found = _next_cut(gold, systems, max(gold.size * number // parts, cuts[-1][0] + 1), cuts[-1], parts)
        if found is not None:
            cuts.append(found)
    cuts.append([side.size for side in (gold, *systems)])
    if len(cuts) < 3:
        return None
    return [
        tuple(side.between(*ends) for side, ends in zip((gold, *systems), zip(start, end, strict=True), strict=True))
        for start, end in pairwise(cuts)
    ]


def cut_documents(paths: Sequence[str], marks: tuple[bytes, bytes], parts: int) -> list[tuple[Range, ...]] | None:
    """Files of the same documents, each between lines that begin with these marks, in up to so many parts.

    None if they cannot be cut even once: another order, another format, or too few documents.
    """
    begin = marks[0]
    with ExitStack() as stack:
        try:
            files = [stack.enter_context(_mapped(path)) for path in paths]
        except (OSError, ValueError):  # empty, or nothing that can be mapped
            return None
        if not all(file[: len(begin)] == begin for file in files):
            return None
        places = [[0] * len(files)]
        for number in range(1, parts):
            target = max(len(files[0]) * number // parts, places[-1][0])
            found = _between_documents(files, marks, target, places[-1])
            if found is not None:
                places.append(found)
        places.append([len(file) for file in files])
    if len(places) < 3:
        return None
    return [tuple(map(Range, paths, start, end)) for start, end in pairwise(places)]


@contextmanager
def _mapped(path: str) -> Iterator[mmap.mmap]:
    with open(path, "rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as file:  # noqa: PTH123
        yield file


def _between_documents(
    files: Sequence[mmap.mmap], marks: tuple[bytes, bytes], target: int, before: Sequence[int]
) -> list[int] | None:
    """Where the next document of gold behind a place begins, in all files; None if they do not agree."""
    begin, end = marks
    gold = files[0]
    at = gold.find(b"\n" + begin, target)
    if at < 0:
        return None
    line = gold[at : gold.find(b"\n", at + 1) + 1]
    found = [at + 1]
    for file, last in zip(files[1:], before[1:], strict=True):
        near = max(last, len(file) * at // len(gold) - _NEAR[-1])
        here = file.find(line, near, near + 2 * _NEAR[-1])
        here = file.find(line, last) if here < 0 else here
        found.append(here + 1)
    ended = (file[max(0, here - 80) : here].rstrip().endswith(end) for file, here in zip(files, found, strict=True))
    return found if all(ended) and all(map(int.__gt__, found, before)) else None


class _Files:
    """The files of one side as one row of bytes, of which one file at a time is open."""

    def __init__(self, paths: Sequence[str]) -> None:
        self.paths = paths
        self.starts = [0, *accumulate(map(os.path.getsize, paths))]
        self.size = self.starts[-1]
        self.are_lines = all(map(_begins_with_object, paths))

    def between(self, start: int, end: int) -> Ranges:
        """The ranges of files from one place to another."""
        return tuple(
            Range(path, max(start - begin, 0), min(end, stop) - begin)
            for path, (begin, stop) in zip(self.paths, pairwise(self.starts), strict=True)
            if begin < end and start < stop and start < end
        )

    def ids(self, place: int) -> Iterator[tuple[int, str]]:
        """Where the next documents behind a place begin, and their ids, up to a line that is none."""
        for number in range(bisect_right(self.starts, place) - 1, len(self.paths)):
            begin = self.starts[number]
            with open(self.paths[number], "rb") as stream:  # noqa: PTH123
                if place > begin:
                    stream.seek(place - begin - 1)
                    stream.readline()
                at = begin + stream.tell()
                for line in stream:
                    identifier = _id(line)
                    if identifier is not None:
                        yield at, identifier
                    elif line.strip():
                        return
                    at += len(line)

    def find(self, identifier: str, start: int, end: int) -> int | None:
        """Where the line of a document begins, if it is between two places."""
        pattern = _pattern(identifier)
        for place in self.between(max(start, 0), min(end, self.size)):
            begin = self.starts[self.paths.index(place.path)]
            with (
                open(place.path, "rb") as stream,  # noqa: PTH123
                mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as file,
            ):
                for match in pattern.finditer(file, place.start, place.end):
                    at = file.rfind(b"\n", 0, match.start()) + 1
                    until = file.find(b"\n", match.end())
                    if _id(file[at : until + 1 or len(file)]) == identifier:
                        return begin + at
        return None


def _next_cut(
    gold: _Files, systems: Sequence[_Files], target: int, before: Sequence[int], parts: int
) -> list[int] | None:
    """Where the next document of gold that all systems have begins, on all sides."""
    for tries, (at, identifier) in enumerate(gold.ids(target)):
        if tries == _TRIES:
            break
        found = [at]
        for system, last in zip(systems, before[1:], strict=True):
            there = system.size * at // gold.size
            places = [(max(there - near, last), there + near) for near in _NEAR]
            places.append((last, last + _FAR * system.size // parts))
            seen = (system.find(identifier, *place) for place in places)
            here = next((each for each in seen if each is not None), None)
            if here is None:
                break
            found.append(here)
        if len(found) == len(before):
            return found
    return None


def _begins_with_object(path: str) -> bool:
    with open(path, "rb") as stream:  # noqa: PTH123
        return stream.read(_HEAD).removeprefix(_BOM).lstrip().startswith(b"{")


def _id(line: bytes) -> str | None:
    try:
        return str(msgspec.json.decode(line.removeprefix(_BOM), type=_Identified).id)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None


def _pattern(identifier: str) -> re.Pattern[bytes]:
    """How the field `id` of a document can be written, in most cases."""
    written = [re.escape(each) for each in sorted({msgspec.json.encode(identifier), json.dumps(identifier).encode()})]
    if identifier.removeprefix("-").isdecimal():
        written.append(identifier.encode() + rb"\b")
    return re.compile(rb'"id"\s*:\s*(?:' + b"|".join(written) + rb")")
