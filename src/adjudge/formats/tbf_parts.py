"""Several TBF files cut before the same documents, so that what lies between two cuts can be read by itself."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import pairwise
from typing import IO, TypeAlias, cast

from adjudge.formats.source import GZIP, ZSTD, opened
from adjudge.formats.tbf import SAMPLE, Mode, TbfFile, guess_mode, open_tbf
from adjudge.formats.tbf_scan import HEADER, scan

Range: TypeAlias = tuple[int, int]
"""Where a part of a file begins and ends."""

_NEAR = 1 << 20  # bytes before and after a place in proportion, in which a document is looked for
_TRIES = 10  # documents behind a place of which all files must have one


def cut_files(paths: Sequence[str], parts: int) -> list[list[Range]] | None:
    """For every part the ranges of all files; None if they cannot be cut before the same documents.

    The places are in proportion to the first file. Nothing is known of what lies between them: whether the documents of
    a part are the same in all files must be looked at when they are read.
    """
    sizes = [os.path.getsize(path) for path in paths]  # noqa: PTH202
    cuts = [[0] * len(paths)]
    for number in range(1, parts):
        found = _cut(paths, sizes, sizes[0] * number // parts)
        if found is None or any(here <= before for here, before in zip(found, cuts[-1], strict=True)):
            return None
        cuts.append(found)
    if any(_is_packed(path) for path in paths):
        return None
    cuts.append(sizes)
    return [list(zip(*each, strict=True)) for each in pairwise(cuts)]


def _cut(paths: Sequence[str], sizes: Sequence[int], at: int) -> list[int] | None:
    """Where the same document begins in all files, if possible the first one after a place in the first file."""
    data = _bytes(paths[0], at, _NEAR)
    place = 0
    for _ in range(_TRIES):
        place = data.find(b"\n" + HEADER, place) + 1
        end = data.find(b"\n", place)
        if not place or end < 0:
            return None
        found = [at + place]
        for path, size in zip(paths[1:], sizes[1:], strict=True):
            begin = max(0, size * found[0] // sizes[0] - _NEAR)
            here = _bytes(path, begin, 2 * _NEAR).find(data[place - 1 : end + 1])
            if here < 0:
                break
            found.append(begin + here + 1)
        if len(found) == len(paths):
            return found
    return None


def _bytes(path: str, begin: int, size: int) -> bytes:
    with open(path, "rb") as stream:  # noqa: PTH123
        stream.seek(begin)
        return stream.read(size)


def _is_packed(path: str) -> bool:
    return _bytes(path, 0, 4).startswith((GZIP, ZSTD))


def open_part(path: str, part: Range, mode: Mode | None = None) -> TbfFile:
    """The documents of a part; lines are numbered from its beginning, and there is no digest."""
    begin, end = part
    with opened(path, path) as stream:
        stream.seek(begin)
        index = scan(cast("IO[bytes]", _Limited(stream, end - begin)), path, begin=begin)
    return TbfFile(index, None, "", mode)


def mode_at(path: str) -> Mode | None:
    """How places are written in a file, by its beginning; None if that does not say it."""
    head = _bytes(path, 0, _NEAR)
    file = open_tbf(head[: head.rfind(b"\n" + HEADER) + 1])
    spans = list(file.spans())
    return guess_mode(spans) if len(spans) == SAMPLE else None


class _Limited:
    """So many bytes of a stream."""

    def __init__(self, stream: IO[bytes], left: int) -> None:
        self.stream = stream
        self.left = left

    def read(self, size: int) -> bytes:
        """The next bytes."""
        data = self.stream.read(min(size, self.left))
        self.left -= len(data)
        return data
