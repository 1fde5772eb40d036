"""Cuts files into parts that begin with the same document on all sides, for several processes to read.

Only uncompressed files can be cut. Only the documents at the cuts are checked here: whoever reads a part sees whether
the documents of one side are those of the other.
"""

from __future__ import annotations

import json
import mmap
import os
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import accumulate, islice, pairwise
from typing import NamedTuple, TypeAlias

import msgspec

from adjudge.formats.source import BOM

_HEAD = 64  # bytes within which an object must begin
_NEAR = (1 << 14, 1 << 20)  # how far around its proportional place a document is searched for first
_FAR = 3  # how many parts after the last cut are searched next
_TRIES = 10  # how many documents after a place are tried, one of which all sides must have


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
"""The ranges of a part on one side, which may be several files."""


def cut_lines(sides: Sequence[Sequence[str]], parts: int) -> list[tuple[Ranges, ...]] | None:
    """Cut JSON lines into up to so many parts of about equal size, each with its ranges on every side.

    The first side decides where to cut; its documents are searched for in the others. None if not even one cut is
    possible: another order, another format, or too few documents.
    """
    return _cut(sides, _Lines(), parts)


def cut_documents(paths: Sequence[str], marks: tuple[bytes, bytes], parts: int) -> list[tuple[Range, ...]] | None:
    """The same for files, one per side, whose documents stand between lines that begin with these marks."""
    found = _cut([[path] for path in paths], _Marked(*marks), parts)
    return None if found is None else [tuple(side[0] for side in part) for part in found]


def _cut(sides: Sequence[Sequence[str]], boundary: _Lines | _Marked, parts: int) -> list[tuple[Ranges, ...]] | None:
    try:
        files = [_Files(paths, boundary, parts) for paths in sides]
    except (OSError, ValueError):  # empty, or cannot be mapped
        return None
    if not all(side.can_be_cut for side in files):
        return None
    gold = files[0]
    cuts = [[0] * len(files)]
    for number in range(1, parts):
        target = max(gold.size * number // parts, cuts[-1][0] + 1)
        for at, key in islice(gold.documents(target), _TRIES):
            others = zip(files[1:], cuts[-1][1:], strict=True)
            places = [side.find(key, side.size * at // gold.size, last) for side, last in others]
            if None not in places:
                cuts.append([at, *(place for place in places if place is not None)])
                break
    cuts.append([side.size for side in files])
    if len(cuts) < 3:
        return None
    return [
        tuple(side.between(*ends) for side, ends in zip(files, zip(start, end, strict=True), strict=True))
        for start, end in pairwise(cuts)
    ]


class _Files:
    """The files of one side as one sequence of bytes; one file is open at a time."""

    def __init__(self, paths: Sequence[str], boundary: _Lines | _Marked, parts: int) -> None:
        self.paths = paths
        self.boundary = boundary
        self.starts = [0, *accumulate(map(os.path.getsize, paths))]
        self.size = self.starts[-1]
        self.far = _FAR * self.size // parts
        self.can_be_cut = all(map(self._begins, paths))

    def _begins(self, path: str) -> bool:
        with open(path, "rb") as stream:  # noqa: PTH123
            return self.boundary.begins(stream.read(_HEAD).removeprefix(BOM))

    def between(self, start: int, end: int) -> Ranges:
        """The file ranges from one place to another."""
        return tuple(
            Range(path, max(start - begin, 0), min(end, stop) - begin)
            for path, (begin, stop) in zip(self.paths, pairwise(self.starts), strict=True)
            if begin < end and start < stop and start < end
        )

    def documents(self, place: int) -> Iterator[tuple[int, str]]:
        """Where the next documents after a place begin, and how to find them elsewhere."""
        for number in range(bisect_right(self.starts, place) - 1, len(self.paths)):
            begin = self.starts[number]
            with _mapped(self.paths[number]) as file:
                for at, key in self.boundary.documents(file, max(place - begin, 0)):
                    yield begin + at, key

    def find(self, key: str, there: int, last: int) -> int | None:
        """Where a document begins that should be about `there`, after the last cut."""
        for start, end in (*((max(there - near, last), there + near) for near in _NEAR), (last, last + self.far)):
            for place in self.between(max(start, 0), min(end, self.size)):
                with _mapped(place.path) as file:
                    at = self.boundary.find(file, key, place.start, place.end)
                if at is not None:
                    return self.starts[self.paths.index(place.path)] + at
        return None


@contextmanager
def _mapped(path: str) -> Iterator[mmap.mmap]:
    with open(path, "rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as file:  # noqa: PTH123
        yield file


class _Identified(msgspec.Struct):
    """What cutting needs to know of a document."""

    id: str | int


class _Lines:
    """Documents that are JSON lines, found by their ids."""

    def begins(self, head: bytes) -> bool:
        return head.lstrip().startswith(b"{")

    def documents(self, file: mmap.mmap, place: int) -> Iterator[tuple[int, str]]:
        """The documents up to the first line that is not one."""
        at = file.find(b"\n", place - 1) + 1 if place else 0
        while at or not place:
            line = _line(file, at)
            identifier = _id(line)
            if identifier is not None:
                yield at, identifier
            elif line.strip() or not line:
                return
            at += len(line)

    def find(self, file: mmap.mmap, key: str, start: int, end: int) -> int | None:
        written = [re.escape(each) for each in sorted({msgspec.json.encode(key), json.dumps(key).encode()})]
        if key.removeprefix("-").isdecimal():
            written.append(key.encode() + rb"\b")
        pattern = re.compile(rb'"id"\s*:\s*(?:' + b"|".join(written) + rb")")
        for match in pattern.finditer(file, start, end):
            at = file.rfind(b"\n", 0, match.start()) + 1
            if _id(_line(file, at)) == key:
                return at
        return None


class _Marked(NamedTuple):
    """Documents between lines that begin with marks, found by their first lines."""

    begin: bytes
    end: bytes

    def begins(self, head: bytes) -> bool:
        return head.startswith(self.begin)

    def documents(self, file: mmap.mmap, place: int) -> Iterator[tuple[int, str]]:
        while (place := file.find(b"\n" + self.begin, place) + 1) > 0:
            if self._follows_an_end(file, place):
                yield place, _line(file, place).decode("latin-1")

    def find(self, file: mmap.mmap, key: str, start: int, end: int) -> int | None:
        at = file.find(b"\n" + key.encode("latin-1"), max(start - 1, 0), end) + 1
        return at if at > 0 and self._follows_an_end(file, at) else None

    def _follows_an_end(self, file: mmap.mmap, at: int) -> bool:
        return file[max(0, at - 80) : at].rstrip().endswith(self.end)


def _line(file: mmap.mmap, at: int) -> bytes:
    return file[at : file.find(b"\n", at) + 1 or len(file)]


def _id(line: bytes) -> str | None:
    try:
        return str(msgspec.json.decode(line.removeprefix(BOM), type=_Identified).id)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
