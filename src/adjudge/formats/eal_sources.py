"""Source documents: the texts to which offsets refer, found by document id and read as they are.

Nothing is taken away: a byte order mark, carriage returns and tags count like any other character.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Literal, TypeAlias

from adjudge.errors import FormatError, Problem, UsageError, did_you_mean
from adjudge.formats.eal_offsets import Utf16
from adjudge.model.eal import Span
from adjudge.model.whereabouts import not_utf8

Offsets: TypeAlias = Literal["code-points", "utf-16"]

ENDINGS = (".txt", ".xml", ".sgm", ".sgml", ".mpdf", ".cmp", ".rsd", ".nw", ".df", ".html")


class Sources:
    """Texts by document id; each is read when it is asked for.

    `path` is a folder, in which a document is a file with its id as name, with or without one or more of `ENDINGS`, on
    any level; or a file with lines of a document id, a TAB and a path, which is relative to the folder of the file.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        try:
            self._files = _listed(Path(path)) if Path(path).is_file() else _found(Path(path))
        except UnicodeDecodeError as error:
            raise FormatError(not_utf8(error, self.path)) from None
        except (OSError, ValueError) as error:  # a ValueError is a path with a null character
            reason = getattr(error, "strerror", None) or str(error)
            problem = Problem(f"the source documents cannot be read: {reason}", path=self.path, hint="check the path")
            raise UsageError(problem) from None

    @property
    def documents(self) -> list[str]:
        """The ids of all documents, sorted; a file with an ending has an id with and one without it."""
        return sorted(self._files)

    def __contains__(self, document: object) -> bool:
        return document in self._files

    def place(self, document: str) -> str:
        """How messages call the file of a document."""
        files = self._files.get(document)
        return str(files[0]) if files else f"{self.path}/{document}"

    def text(self, document: str) -> str:
        """The characters of a document."""
        files = self._files.get(document)
        if files is None:
            hint = did_you_mean(document, self._files) or "give the folder that holds it"
            raise UsageError(Problem(f"there is no source document {document!r}", path=self.path, hint=hint))
        if len(files) > 1:
            names = " and ".join(str(file) for file in files[:3])
            message = f"the source document {document!r} could be {names}"
            raise UsageError(Problem(message, path=self.path, hint="leave one of them in the folder"))
        try:
            data = files[0].read_bytes()
        except OSError as error:
            problem = Problem(f"the file cannot be read: {error.strerror or error}", path=str(files[0]))
            raise UsageError(problem) from None
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            message = f"the byte 0x{data[error.start]:02x} is not UTF-8"
            raise FormatError(Problem(message, path=str(files[0]), line=line, hint="save the file in UTF-8")) from None


def _found(folder: Path) -> dict[str, list[Path]]:
    if not folder.is_dir():
        raise OSError(None, "there is no such file or folder")
    exact: dict[str, list[Path]] = {}
    shorter: dict[str, list[Path]] = {}
    for base, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            if name.startswith("."):
                continue
            path = Path(base, name)
            exact.setdefault(name, []).append(path)
            without = path
            while without.suffix in ENDINGS:
                without = without.with_suffix("")
                shorter.setdefault(without.name, []).append(path)
    return {**shorter, **exact}  # a file whose whole name is the id comes before others


def _listed(path: Path) -> dict[str, list[Path]]:
    found: dict[str, list[Path]] = {}
    problems = []
    for number, line in enumerate(path.read_text(encoding="utf-8-sig").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        document, tab, name = line.partition("\t")
        if not (document.strip() and tab and name.strip()) or "\0" in name:
            hint = "write the document id, a TAB, and the path of its text"
            problems.append(
                Problem("this is not a line of a list of documents", path=str(path), line=number, hint=hint)
            )
            continue
        file = path.parent / name.strip()
        if file not in found.setdefault(document.strip(), []):
            found[document.strip()].append(file)
    if problems:
        raise FormatError(problems)
    return found


def in_units(text: str, spans: Iterable[Span], offsets: Offsets) -> tuple[Span, ...]:
    """Spans of characters in the units that offsets count; a character beyond U+FFFF has two units in UTF-16.

    >>> in_units(chr(0x1F600) + "ab", [Span(0, 0), Span(1, 2)], "utf-16")
    (Span(start=0, end=1), Span(start=2, end=3))
    """
    return tuple(spans) if offsets == "code-points" else tuple(map(Utf16(text).to_units, spans))
