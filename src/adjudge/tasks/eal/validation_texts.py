"""The source documents that offsets refer to: where they are, what stands at an offset, and where a text stands."""

from __future__ import annotations

import os
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal, TypeAlias

from adjudge.errors import Problem, UsageError
from adjudge.formats.eal_layout import is_junk
from adjudge.formats.eal_offsets import Utf16
from adjudge.formats.eal_sources import ENDINGS
from adjudge.model.eal import Span
from adjudge.model.whereabouts import not_utf8

Offsets: TypeAlias = Literal["code-points", "utf-16"]

AROUND = 10_000  # characters before and after a span in which a text is looked for

_ASTRAL = re.compile("[\U00010000-\U0010ffff]")


class Text:
    """A document, addressed by offsets that count code points or UTF-16 units; both ends of a span belong to it.

    >>> text = Text("a\U0001f600bc", "utf-16")
    >>> text.size, text.at(Span(3, 4)), text.cuts(Span(2, 3))
    (5, 'bc', True)
    """

    def __init__(self, text: str, offsets: Offsets = "code-points", path: str | None = None) -> None:
        self.text = text
        self.path = path
        self.offsets = offsets
        self.astral = [] if text.isascii() else [each.start() for each in _ASTRAL.finditer(text)]
        self._units = Utf16(text) if self.astral and offsets == "utf-16" else None
        self.size = len(text) + (len(self.astral) if self._units else 0)

    @property
    def has_halves(self) -> bool:
        """Whether a span can begin or end in the middle of a character."""
        return self._units is not None

    def at(self, span: Span) -> str:
        """The characters of a span; those that it cuts into halves count."""
        start, end = span if self._units is None else self._units.to_characters(span)
        return self.text[start : end + 1]

    def cuts(self, span: Span) -> bool:
        """Whether a span begins or ends in the middle of a character."""
        return self._units is not None and self._units.cuts(span)

    def span(self, start: int, end: int) -> Span:
        """The offsets of the characters from `start` to `end`, both inclusive."""
        return Span(start, end) if self._units is None else self._units.to_units(Span(start, end))

    def find(self, wanted: str, near: Span) -> Span | None:
        """Where a text stands that was expected at a span: the closest place, or None if it is not around."""
        start = near.start if self._units is None else self._units.to_characters(near).start
        first, last = max(0, start - AROUND), start + AROUND + len(wanted)
        places = [self.text.rfind(wanted, first, start + len(wanted)), self.text.find(wanted, start, last)]
        there = [place for place in places if place >= 0]
        if not there or not wanted:
            return None
        place = min(there, key=lambda each: abs(each - start))
        return self.span(place, place + len(wanted) - 1)


class Texts:
    """The source documents of a folder, or of a file that has a document id, a TAB and a path in each line.

    Files of a folder are called by the document id and one suffix, or none: the one that fits most of `documents`.
    They may be in folders of that folder. Each is read when it is asked for.
    """

    def __init__(self, place: str | Path, documents: Iterable[str], offsets: Offsets = "code-points") -> None:
        self.place = str(place)
        self.offsets = offsets
        self._files: dict[str, list[Path]]
        path = Path(place)
        try:
            mapped = path.is_file()
        except (OSError, ValueError):  # a name that is too long, or has a null character
            mapped = False
        if mapped:
            self._files = _read_map(path)
            return
        names = _names(path)
        suffix = _suffix(sorted(names), documents)
        self._files = {name.removesuffix(suffix): paths for name, paths in names.items() if name.endswith(suffix)}

    @property
    def documents(self) -> list[str]:
        """The ids of all documents, sorted."""
        return sorted(self._files)

    def __contains__(self, document: object) -> bool:
        return document in self._files

    def read(self, document: str) -> Text | Problem | None:
        """A document, what is wrong with it, or None if there is none."""
        paths = self._files.get(document)
        if paths is None:
            return None
        path = paths[0]
        if len(paths) > 1:
            message = f"the source document of {document!r} may be {path} or {paths[1]}"
            return Problem(message, path=self.place, hint="leave one of them")
        try:
            # A byte-order mark and carriage returns count.
            return Text(path.read_bytes().decode(), self.offsets, str(path))
        except UnicodeDecodeError as error:
            return not_utf8(error, str(path), hint="the source document must be UTF-8: convert it")
        except OSError as error:
            message = f"the source document cannot be read: {error.strerror or error}"
            return Problem(message, path=str(path), hint="check the path and its permissions")


def _names(folder: Path) -> dict[str, list[Path]]:
    found: dict[str, list[Path]] = {}
    try:
        next(folder.iterdir(), None)  # os.walk is silent about a folder that is not there
        for base, folders, names in os.walk(folder):
            folders[:] = sorted(each for each in folders if not is_junk(each))
            for name in sorted(names):
                if not is_junk(name):
                    found.setdefault(name, []).append(Path(base, name))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        hint = "give the folder with the source documents, or a file with lines of document id, TAB and path"
        problem = Problem(f"the source documents cannot be read: {reason}", path=str(folder), hint=hint)
        raise UsageError(problem) from None
    return found


def _suffix(names: Sequence[str], documents: Iterable[str]) -> str:
    """How names of files end after the document id, by what most of them do."""
    counts: Counter[str] = Counter()
    for document in filter(None, documents):
        at = bisect_left(names, document)
        while at < len(names) and names[at].startswith(document):
            suffix = names[at][len(document) :]
            if not suffix or suffix[0] == ".":
                counts[suffix] += 1
            at += 1
    if not counts:  # no document of the submission is here, but what is missing has a name, too
        counts.update(_ending(name) for name in names)
    # Of equally common ones the shortest: DOC rather than DOC.bak.
    return min(counts, key=lambda suffix: (-counts[suffix], len(suffix), suffix), default="")


def _ending(name: str) -> str:
    stem = Path(name)
    while stem.suffix in ENDINGS:
        stem = stem.with_suffix("")
    return name.removeprefix(stem.name)


def _read_map(path: Path) -> dict[str, list[Path]]:
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise UsageError(not_utf8(error, str(path), hint="give a folder, or a text file in UTF-8")) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        hint = "give a folder, or a text file in UTF-8"
        raise UsageError(Problem(f"the source documents cannot be read: {reason}", str(path), hint=hint)) from None
    files: dict[str, list[Path]] = {}
    problems = []
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        document, tab, name = line.partition("\t")
        if not (tab and document.strip() and name.strip()) or "\0" in name:
            hint = "write a document id, a TAB and a path"
            problems.append(Problem("this line names no source document", str(path), number, 1, hint))
            continue
        paths = files.setdefault(document.strip(), [])
        if path.parent / name.strip() not in paths:
            paths.append(path.parent / name.strip())
    if problems:
        raise UsageError(problems)
    return files
