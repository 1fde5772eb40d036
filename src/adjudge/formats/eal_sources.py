"""Source documents: the texts to which offsets refer, found by document id and read as they are.

Nothing is taken away: a byte order mark, carriage returns and tags count like any other character.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Literal, TypeAlias

from adjudge.errors import FormatError, Problem, UsageError, did_you_mean
from adjudge.formats.eal_layout import is_junk
from adjudge.formats.eal_offsets import Utf16
from adjudge.model.eal import Span
from adjudge.model.whereabouts import not_utf8

Offsets: TypeAlias = Literal["code-points", "utf-16"]

ENDINGS = (
    *(".txt", ".text", ".xml", ".sgm", ".sgml", ".mpdf", ".cmp", ".rsd", ".nw", ".df", ".html", ".htm"),
    ".story",
)


class Sources:
    """Texts by document id; each is read when it is asked for.

    `path` is a folder, in which a document is a file with its id as name, with or without one or more of `ENDINGS`, on
    any level; or a file with lines of a document id, a TAB and a path, which is relative to the folder of the file.
    Other files, such as DOC.ann beside DOC.txt, are not read.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        self._others: list[str] = []  # files that are not read, because their endings are not known
        try:
            self.listed = Path(path).is_file()
            self._files = _listed(Path(path)) if self.listed else _found(Path(path), self._others)
        except UnicodeDecodeError as error:
            hint = "give a folder, or a text file in UTF-8 with lines of document id, TAB and path"
            raise UsageError(not_utf8(error, self.path, hint=hint)) from None
        except (OSError, ValueError) as error:  # a ValueError is a path with a null character
            reason = getattr(error, "strerror", None) or str(error)
            hint = "give the folder with the source documents, or a file with lines of document id, TAB and path"
            problem = Problem(f"the source documents cannot be read: {reason}", path=self.path, hint=hint)
            raise UsageError(problem) from None

    @property
    def documents(self) -> list[str]:
        """The ids of all documents, sorted; a file with an ending has an id with and one without it."""
        return sorted(self._files)

    def one_each(self, known: Collection[str] = ()) -> list[str]:
        """An id for each text, sorted: one that is `known`, else the name of the file without any ending.

        A file beside a text, such as DOC.ann, is none, and if most files have an ending of `ENDINGS`, nor is one
        without, such as README.
        """
        chosen: dict[Path, str] = {}
        for document, files in self._files.items():
            for file in files:
                other = chosen.get(file)
                if other is None or (other not in known and (document in known or len(document) < len(other))):
                    chosen[file] = document
        texts = {
            document: file.suffix.lower() in ENDINGS
            for file, document in chosen.items()
            if document in known
            or self.listed
            or not file.suffix
            or file.stem not in self._files
            or file.name != document
        }
        only = not self.listed and 2 * sum(texts.values()) > len(texts)
        return sorted(document for document, ending in texts.items() if ending or not only or document in known)

    def __contains__(self, document: object) -> bool:
        return document in self._files

    def place(self, document: str) -> str:
        """How messages call the file of a document."""
        files = self._files.get(document)
        return str(files[0]) if files else f"{self.path}/{document}"

    def remedy(self, document: str) -> str:
        """What to do about a document that has no text: the rule by which texts are found."""
        if self.listed:
            return did_you_mean(document, self._files) or f"add a line with {document}, a TAB and the path of its text"
        rule = f"its file is called {document}, or {document} with one of {', '.join(ENDINGS)} behind it"
        other = next((name for name in self._others if name.startswith(f"{document}.")), None)
        close = None if other else did_you_mean(document, self._files)
        return f"{other} is not read: {rule}" if other else f"{close} {rule}" if close else rule

    def text(self, document: str) -> str:
        """The characters of a document."""
        files = self._files.get(document)
        if files is None:
            hint = self.remedy(document)
            raise UsageError(Problem(f"there is no source document {document!r}", path=self.path, hint=hint))
        if len(files) > 1:
            names = " and ".join(str(file) for file in files[:3])
            message = f"the source document {document!r} could be {names}"
            raise UsageError(Problem(message, path=self.path, hint="leave one of them in the folder"))
        try:
            data = files[0].read_bytes()
        except OSError as error:
            hint = "check the path and its permissions"
            problem = Problem(f"the file cannot be read: {error.strerror or error}", path=str(files[0]), hint=hint)
            raise UsageError(problem) from None
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise FormatError(not_utf8(error, str(files[0]), hint="save the file in UTF-8")) from None


def _found(folder: Path, others: list[str]) -> dict[str, list[Path]]:
    if not folder.is_dir():
        raise OSError(None, "there is no such file or folder")
    exact: dict[str, list[Path]] = {}
    shorter: dict[str, list[Path]] = {}
    for base, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not is_junk(name))
        for name in sorted(names):
            if is_junk(name):
                continue
            path = Path(base, name)
            exact.setdefault(name, []).append(path)
            without = path
            while without.suffix.lower() in ENDINGS:
                without = without.with_suffix("")
                shorter.setdefault(without.name, []).append(path)
            if without is path and path.suffix:
                others.append(name)
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
