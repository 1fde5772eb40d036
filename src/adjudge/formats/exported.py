"""The values of a file of exports, as in memory, with the lines of documents; and both sides as documents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from msgspec.structs import replace

from adjudge.errors import FormatError, Problem
from adjudge.formats.coerce.corpus import Declared, Table
from adjudge.formats.coerce.side import Reading
from adjudge.formats.coerce.sides import called, coerce
from adjudge.formats.coerce.tables import id_column
from adjudge.model.document import Corpus

_NAMED = r"document '([^']*)'"


class Values(NamedTuple):
    """The values of a file, as they would be in memory; `lines` are those of its documents, in order."""

    place: str
    digest: str
    values: Any
    lines: list[int]

    def corpus(self, reading: Reading) -> Corpus:
        """The documents that were understood, with their lines."""
        known = self.by_id(reading)
        documents = [replace(each, line=known.get(each.id)) for each in reading.documents.values()]
        return Corpus(path=self.place, documents=tuple(documents), digest=self.digest, notes=reading.notes)

    def by_id(self, reading: Reading) -> Mapping[str, int]:
        """The lines of documents, if each value was a document and none was left out."""
        same = len(self.lines) == len(reading.documents)
        return dict(zip(reading.documents, self.lines, strict=True)) if same else {}

    def blamed(self, error: FormatError, side: str) -> FormatError:
        """The error with the file instead of the side that it names, and the line of the document if it names one."""
        return FormatError([self._placed(each, side) for each in error.problems])

    def _placed(self, problem: Problem, side: str) -> Problem:
        if problem.path is None and problem.message.startswith(f"{side} "):
            message = side.partition(" ")[0] + problem.message.removeprefix(side)
            return Problem(message, path=self.place, hint=problem.hint)
        if problem.path is not None or not problem.message.startswith((f"{side}:", f"{side},")):
            return problem
        import re

        found = re.search(_NAMED, problem.message)
        message = problem.message.removeprefix(side).lstrip(":, ")
        line = self._line(found[1]) if found else None
        return Problem(message, path=self.place, line=line or (self.lines[0] if self.lines else 1), hint=problem.hint)

    def _line(self, name: str) -> int | None:
        if isinstance(self.values, Table):
            column = id_column(self.values.columns, Declared())
            rows = enumerate(zip(self.values.rows, self.lines, strict=True), 1)
            return next((line for n, (row, line) in rows if name == str(n if column is None else row[column])), None)
        if len(self.values) != len(self.lines):
            return None
        declared = Declared()
        for place, (value, line) in enumerate(zip(self.values, self.lines, strict=True), 1):
            column = id_column(value, declared) if isinstance(value, Mapping) else None
            if name == (str(place) if column is None else str(value[column])):
                return line
        return None


def understood(
    kind: str, gold: Any, systems: Mapping[str, Any], options: Mapping[str, Any]
) -> tuple[Reading, dict[str, Reading]]:
    """Both sides as documents; either may be the values of a file, whose problems get their place."""
    sides = {"gold": gold, **{called(name, len(systems)): each for name, each in systems.items()}}
    given = {name: each.values if isinstance(each, Values) else each for name, each in sides.items()}
    own = dict(zip(systems, list(given.values())[1:], strict=True))
    files = {side: each for side, each in sides.items() if isinstance(each, Values)}
    if not files:
        return coerce(kind, gold, systems, options)
    try:
        return coerce(kind, given["gold"], own, options)
    except FormatError as error:
        for side, source in files.items():
            error = source.blamed(error, side)
        *_, last = files.values()  # what concerns both sides is blamed on the system
        raise FormatError([each if each.path else replace(each, path=last.place) for each in error.problems]) from None
    except (AttributeError, IndexError, KeyError, TypeError, RecursionError) as error:
        first = next(iter(files.values()))
        message = f"a document does not have the form of such files ({type(error).__name__}: {error})"
        hint, line = "adjudge doctor says what it is", first.lines[0] if first.lines else 1
        raise FormatError(Problem(message[:200], path=first.place, line=line, hint=hint)) from None
