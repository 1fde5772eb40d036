"""Token tables for folders of texts and annotations: which files belong together, and what comes out.

Nothing is written here: everything is read and built first, so that an error in the last file leaves no output.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from adjudge.errors import AdjudgeError, FormatError, Problem, UsageError, ValidationError
from adjudge.formats.standoff import plain, read_source_text
from adjudge.formats.token_table import write_table
from adjudge.model.nugget import NuggetDocument, Token, TokenTable
from adjudge.tasks.nugget.places import check_places, recounted_pieces
from adjudge.tasks.nugget.tokenizer import tokenize

Progress = Callable[[int, int], None]
Place = tuple[int, int]

SEPARATORS = "/-\\"


@dataclass
class Tables:
    """The files to write by name, the boundaries that did not fit, other remarks, and the files read."""

    files: dict[str, bytes] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    notes: list[Problem] = field(default_factory=list)
    inputs: list[str] = field(default_factory=list)
    tokens: int = 0


def table_of(
    text: str,
    document: str,
    spans: list[Place] | tuple[Place, ...] = (),
    *,
    separators: str = SEPARATORS,
    utf16: bool = False,
) -> tuple[TokenTable, list[str]]:
    """The token table of a text, cut where the spans (in characters) begin and end, and a warning for each misfit.

    >>> table, warnings = table_of("The bombing/shelling.", "a", [(12, 20)], separators="")
    >>> [token.text for token in table.tokens], warnings
    (['The', 'bombing/', 'shelling', '.'], ['Boundary mismatch found in a: Token [4,20] ...'])
    """
    places, mismatches = split_at_spans(text, split_at_separators(text, tokenize(text), separators), spans)
    units = utf16_offsets(text) if utf16 else range(len(text) + 1)
    tokens = [
        Token(str(number), plain(text[begin:end]), units[begin], units[end])
        for number, (begin, end) in enumerate(places, 1)
    ]
    return TokenTable(document, tokens), [describe(each, text, document, units) for each in mismatches]


def make_tables(
    texts: Path,
    annotations: Path | None,
    *,
    extension: str = "txt",
    separators: str = SEPARATORS,
    utf16: bool = False,
    progress: Progress | None = None,
) -> Tables:
    """The tables of all texts of a folder; the problems of all files are raised at once.

    Annotations are `.ann` files of the same names, or one TBF file by characters. A text without annotations has its
    table as well; annotations without a text are a problem.
    """
    found = Tables()
    paths = _texts(texts, extension)
    read, known = _annotations(annotations, extension, utf16)
    found.inputs += [*map(str, paths.values()), *sorted(set(known.values()))]
    problems = [
        Problem(f"there is no text for {document!r}", path=path, hint=f"add {texts / f'{document}.{extension}'}")
        for document, path in known.items()
        if document not in paths
    ]
    broken: type[AdjudgeError] = ValidationError
    for number, (document, path) in enumerate(paths.items(), 1):
        try:
            text = read_source_text(str(path), str(path))
            spans = read(document, text, found.notes) if document in known else ()
            table, warnings = table_of(text, document, spans, separators=separators, utf16=utf16)
        except (FormatError, ValidationError) as error:
            problems += error.problems
            broken = type(error)
            continue
        found.files[f"{document}.tab"] = write_table(table).encode()
        found.warnings += warnings
        found.tokens += len(table.tokens)
        if progress:
            progress(number, len(paths))
    if problems:
        raise broken(problems)
    found.notes += [
        Problem(f"there are no annotations for {document!r}", path=str(path), hint="its tokens are not split")
        for document, path in paths.items()
        if annotations is not None and document not in known
    ]
    return found


def _texts(folder: Path, extension: str) -> dict[str, Path]:
    """The texts by document, in the order of their names."""
    ending = f".{extension.removeprefix('.')}"
    if not folder.is_dir():
        return {folder.name.removesuffix(ending): folder}
    paths = sorted(path for path in folder.iterdir() if path.name.endswith(ending) and path.is_file())
    if not paths:
        hint = "check the folder, or give the extension of the texts with -e"
        raise UsageError(Problem(f"there is no text *{ending} in this folder", path=str(folder), hint=hint))
    return {path.name.removesuffix(ending): path for path in paths}


_Read = Callable[[str, str, list[Problem]], tuple[Place, ...]]


def _annotations(source: Path | None, extension: str, utf16: bool) -> tuple[_Read, Mapping[str, str]]:
    """How to read the spans of a document, and where those of each document are."""
    if source is None:
        return (lambda *_: ()), {}
    if source.is_dir() or source.name.endswith(".ann"):
        return _brat(source, extension, utf16)
    return _tbf(source, utf16)


def _brat(source: Path, extension: str, utf16: bool) -> tuple[_Read, Mapping[str, str]]:
    from adjudge.formats.brat import read_brat

    files = sorted(source.iterdir()) if source.is_dir() else [source]
    known = {
        path.name.removesuffix(".ann").removesuffix(f".{extension.removeprefix('.')}"): str(path)
        for path in files
        if path.name.endswith(".ann")
    }
    if not known:
        hint = "name a folder of .ann files, or a TBF file"
        raise UsageError(Problem("there is no .ann file in this folder", path=str(source), hint=hint))

    def read(document: str, text: str, notes: list[Problem]) -> tuple[Place, ...]:
        units = "utf-16" if utf16 else "code-points"
        annotated, said = read_brat(known[document], document=document, text=text, units=units)
        notes += filter(None, map(_about_places, said))
        check_places(annotated, path=known[document])
        return tuple(_pieces(annotated))

    return read, known


def _about_places(note: Problem) -> Problem | None:
    """A remark of the reader if it matters here; the rest of the file does not affect tokens."""
    if "UTF-16" in note.message:
        return replace(note, message="the offsets look like UTF-16 units: give --utf16")
    return None if note.message.endswith(("not kept", "left out", "is taken", "as written")) else note


def _tbf(source: Path, utf16: bool) -> tuple[_Read, Mapping[str, str]]:
    from adjudge.formats.tbf import read_tbf

    path = str(source)
    documents = {document.id: document for document in read_tbf(path, mode="char")}

    def read(document: str, text: str, _: list[Problem]) -> tuple[Place, ...]:
        annotated = NuggetDocument(document, documents[document].nuggets, text=text)
        if utf16:
            annotated = recounted_pieces(annotated, path=path)
        check_places(annotated, path=path)
        return tuple(_pieces(annotated))

    return read, dict.fromkeys(documents, path)


def _pieces(document: NuggetDocument) -> Iterator[Place]:
    for nugget in document.nuggets:
        yield from nugget.pieces


# ---------------------------------------------------------------------------------------------------------------------
# Cutting tokens further: at separators, and where annotations begin and end
#
# An event nugget is scored by its tokens, so no token may be only partly inside it.


class Mismatch(NamedTuple):
    """A token that an annotation begins or ends in the middle of."""

    token: Place
    span: Place


def split_at_separators(text: str, places: Iterable[Place], separators: str = SEPARATORS) -> list[Place]:
    """Tokens cut at the separators, which then belong to no token; one of separators only disappears.

    >>> split_at_separators("a re-elected - MP", [(0, 1), (2, 12), (13, 14), (15, 17)])
    [(0, 1), (2, 4), (5, 12), (15, 17)]
    """
    if not separators:
        return list(places)
    between = re.compile(f"[^{re.escape(separators)}]+")
    found: list[Place] = []
    for begin, end in places:
        if not between.fullmatch(text, begin, end):
            found += (part for each in between.finditer(text, begin, end) if (part := _trimmed(text, *each.span())))
        else:
            found.append((begin, end))
    return found


def split_at_spans(text: str, places: Sequence[Place], spans: Iterable[Place]) -> tuple[list[Place], list[Mismatch]]:
    """Tokens cut wherever a span begins or ends, and the tokens that did not fit.

    A span that covers no token at all, because it is of separators only, becomes one.

    >>> split_at_spans("buffet/music/buying", [(0, 19)], [(13, 19)])
    ([(0, 13), (13, 19)], [Mismatch(token=(0, 19), span=(13, 19))])
    """
    wanted = sorted({(begin, end) for begin, end in spans if begin < end})
    places = _with_uncovered(text, places, wanted)
    begins = [begin for begin, _ in places]
    cuts: dict[Place, set[int]] = {}
    mismatches: set[Mismatch] = set()
    for span in wanted:
        for cut in span:
            place = bisect_left(begins, cut) - 1  # the last token that begins before it
            if place >= 0 and cut < places[place][1]:
                cuts.setdefault(places[place], set()).add(cut)
                mismatches.add(Mismatch(places[place], span))
    found: list[Place] = []
    for each in places:
        if each not in cuts:
            found.append(each)
            continue
        begin = each[0]
        for cut in (*sorted(cuts[each]), each[1]):
            if part := _trimmed(text, begin, cut):
                found.append(part)
            begin = cut
    return found, sorted(mismatches)


def describe(mismatch: Mismatch, text: str, document: str, units: Sequence[int]) -> str:
    """The warning of the official tool; `units` are the offsets that it shows for those in characters.

    >>> describe(Mismatch((0, 19), (13, 19)), "buffet/music/buying", "d21", range(20))
    'Boundary mismatch found in d21: Token [0,19] [buffet/music/buying] vs. EventMentionSpan [13,19] [buying]'
    """
    token, span = (f"[{units[begin]},{units[end]}] [{plain(text[begin:end])}]" for begin, end in mismatch)
    return f"Boundary mismatch found in {document}: Token {token} vs. EventMentionSpan {span}"


def utf16_offsets(text: str) -> Sequence[int]:
    r"""Where each character begins in UTF-16 units, and where the text ends.

    >>> utf16_offsets("a\U0001f600b")
    [0, 1, 3, 4]
    """
    if text.isascii():
        return range(len(text) + 1)
    return list(accumulate((1 + (character > "\uffff") for character in text), initial=0))


def _with_uncovered(text: str, places: Sequence[Place], spans: Iterable[Place]) -> list[Place]:
    """The tokens, and those spans (overlapping ones together) that would have none."""
    ends = [end for _, end in places]
    added: list[Place] = []
    for begin, end in spans:
        after = bisect_right(ends, begin)
        if after < len(places) and places[after][0] < end:
            continue
        if added and begin < added[-1][1]:
            added[-1] = (added[-1][0], max(end, added[-1][1]))
        elif part := _trimmed(text, begin, end):
            added.append(part)
    return sorted([*places, *added]) if added else list(places)


def _trimmed(text: str, begin: int, end: int) -> Place | None:
    """A place without the whitespace at its ends; None if it is only whitespace."""
    inside = text[begin:end]
    begin += len(inside) - len(inside.lstrip())
    end -= len(inside) - len(inside.rstrip())
    return (begin, end) if begin < end else None
