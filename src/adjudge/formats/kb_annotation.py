"""What ACE and Rich ERE have in common: XML beside a text, with entities, their mentions, and relations.

The spans of an annotation are compared with the text that they are about: checked, put right, or trusted.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from html import escape, unescape
from pathlib import Path
from typing import Literal, TypeAlias

from adjudge.errors import FormatError, Problem, UsageError
from adjudge.findings import raise_problems, read_files
from adjudge.formats.kb_documents import repeated_documents
from adjudge.formats.safe_xml import Element
from adjudge.formats.standoff import folded
from adjudge.model.kbp import LEVELS, KbCorpus, KbDocument, Mention, Span

Offsets: TypeAlias = Literal["check", "fix", "trust"]
Names: TypeAlias = Literal["subtype", "type.subtype"]
Read: TypeAlias = tuple[KbDocument, list[Problem]]
"""A document, and remarks about it."""

NEAR = 200  # characters before and behind, in which the text of a span is looked for
PASSES = ("timex2norm", "adj", "fp1", "fp2")
"""Folders of the stages of annotation, the final one first; reading all of them would count documents several times."""


def read_folder(path: str | os.PathLike[str], ending: str, read: Callable[[Path], Read], hint: str) -> KbCorpus:
    """All documents of a file, or of the files of a folder with that ending; all problems are raised at once.

    The `hint` says what to do about a document that is in two files.
    """
    parts, problems = read_files(find_files(Path(path), ending), read)
    documents = [document for _, (document, _) in parts]
    problems += repeated_documents(documents, hint)
    raise_problems(problems)
    return KbCorpus(os.fspath(path), documents, [note for _, (_, notes) in parts for note in notes])


def find_files(path: Path, ending: str) -> list[Path]:
    """The file itself, or the files of a folder with that ending, sorted; of ACE only those of the final stage."""
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise UsageError(Problem("there is no such file or folder", path=str(path), hint="check the path"))
    files = sorted(each for each in path.rglob(f"*{ending}") if each.is_file())
    if not files:
        raise UsageError(Problem(f"no {ending} file in the folder", path=str(path), hint="check the path"))
    for stage in PASSES:
        staged = [file for file in files if file.parent.name == stage]
        if staged:
            return [*staged, *(file for file in files if file.parent.name not in PASSES)]
    return files


class Annotation:
    """One document on its way in: takes its mentions and says what is wrong with them.

    With `check` a span outside of the text is a problem and one with another text is counted; with `fix` both are moved
    to the nearest place with the right text; with `trust` the text is not looked at. `left` counts what is not kept.
    """

    def __init__(self, id: str, place: str, text: str | None, offsets: Offsets) -> None:
        self.id = id
        self.place = place
        self.text = None if offsets == "trust" else text
        self.offsets = offsets
        self.problems: list[Problem] = []
        self.different: list[int] = []
        self.moved: list[int] = []
        self.left: Counter[str] = Counter()

    def wrong(self, element: Element, message: str, hint: str) -> None:
        """A problem with an element."""
        self.problems.append(Problem(message, self.place, element.line, element.column, hint))

    def check(self) -> None:
        """Raise what is wrong."""
        if self.problems:
            raise FormatError(self.problems)

    def take(self, start: int, end: int, written: str, element: Element) -> Span | None:
        """The half-open span of an element, whose text is said to be `written`."""
        if end <= start:
            self.wrong(element, f"the span from {start} ends before it starts", "correct the offsets")
            return None
        if self.text is None:
            return Span(start, end)
        inside = end <= len(self.text)
        if inside and (not written or same_text(self.text[start:end], written)):
            return Span(start, end)
        if self.offsets == "fix" and written:
            found = nearest(self.text, written, start)
            if found is not None:
                self.moved.append(element.line)
                return found
        if not inside:
            message = f"the span from {start} to {end} ends behind the text of {len(self.text)} characters"
            self.wrong(element, message, "check that the text is the one that was annotated")
            return None
        self.different.append(element.line)
        return Span(start, end)

    def mention(self, element: Element, level: str, text: str, span: Span | None, head: Span | None) -> Mention | None:
        """A mention with its id, whatever that is called; None without a place."""
        if level not in LEVELS[:3]:
            self.wrong(element, f"a mention of the type {level!r}", f"write one of {', '.join(LEVELS[:3])}")
        id = element.get("ID") or element.get("id")
        return None if span is None else Mention(self.id, *span, level, text, head, id)

    def notes(self, words: dict[str, tuple[str, str]]) -> list[Problem]:
        """What was not kept, in the words for one and for several, and which spans were moved or have another text."""
        kinds = [(count, words.get(kind, (kind, f"{kind}s"))) for kind, count in sorted(self.left.items()) if count]
        left = [f"{count} {one if count == 1 else many}" for count, (one, many) in kinds]
        found = [Problem(f"not kept: {', '.join(left)}", path=self.place)] if left else []
        for lines, what in (
            (self.moved, "moved to the nearest place with the right text"),
            (self.different, "whose text is not the text at that place, the offsets are taken"),
        ):
            if lines:
                found.append(Problem(f"{len(lines)} span{'s' * (len(lines) != 1)} {what}", self.place, lines[0]))
        return found


def relation_name(element: Element, names: Names) -> str:
    """The name of a relation: its subtype, or with its type before it."""
    type_, subtype = (element.get(key.upper()) or element.get(key) for key in ("type", "subtype"))
    return f"{type_}.{subtype}" if names == "type.subtype" and subtype else subtype or type_


def same_text(raw: str, written: str) -> bool:
    """Whether the text of an annotation is what stands in the source, in which `&` may be written as `&amp;`.

    >>> same_text("AT&amp;T  Corp", "AT&T Corp"), same_text("IBM", "ibm")
    (True, False)
    """
    if raw == written:
        return True
    return folded(written) in (folded(raw), folded(unescape(raw)), folded(unescape(raw.replace("&AMP;", "&amp;"))))


def nearest(text: str, written: str, start: int) -> Span | None:
    """The place of a string that is nearest to an offset, at most `NEAR` characters away.

    >>> nearest("Oslo and Oslo", "Oslo", 7)
    Span(start=9, end=13)
    """
    best: Span | None = None
    low = max(0, start - NEAR)
    for form in dict.fromkeys((written, escape(written, quote=False))):
        at = text.find(form, low)
        while 0 <= at <= start + NEAR:
            if best is None or abs(at - start) < abs(best.start - start):
                best = Span(at, at + len(form))
            at = text.find(form, at + 1)
    return best
