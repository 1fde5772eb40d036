"""Parts of the corpus and of the classes: genres of documents, and counts by event type and by role."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from adjudge.errors import FormatError, Problem, UsageError
from adjudge.model.whereabouts import not_utf8
from adjudge.tasks.eal.classes import GOOD, Reference
from adjudge.tasks.eal.measures import ARGUMENT
from adjudge.tasks.eal.observe import Observed
from adjudge.tasks.eal.settings import Settings

if TYPE_CHECKING:
    from adjudge.stats.elements import ElementTable

FIELDS = ("type", "role")

# Longer prefixes first. The last two are marks inside the ids of later collections.
_PREFIXES = (
    ("CNN_CF", "broadcast-conversation"),
    ("CNN_IP", "broadcast-conversation"),
    ("CNNHL", "broadcast-news"),
    ("CNN_", "broadcast-news"),
    *((name, "forum") for name in ("bolt", "marce", "alt.", "aus.cars", "Austin-Grad", "misc.", "rec.")),
    *((name, "forum") for name in ("seattle.", "soc.", "talk.", "uk.")),
    *((name, "newswire") for name in ("APW", "AFP", "CNA", "NYT", "WPB", "XIN")),
    ("fsh_", "speech"),
)
_KNOWN = tuple(prefix for prefix, _ in _PREFIXES)
_MARKS = (("_NW_", "newswire"), ("_DF_", "forum"))


def genre_of(document: str) -> str:
    """The genre that a document id tells, by the prefixes of the collections; else `unknown`.

    >>> genre_of("NYT_ENG_20130501.0255"), genre_of("bolt-eng-DF-170"), genre_of("CNN_IP_20030329"), genre_of("DOC1")
    ('newswire', 'forum', 'broadcast-conversation', 'unknown')
    """
    if document.startswith(_KNOWN):
        return next(genre for prefix, genre in _PREFIXES if document.startswith(prefix))
    return next((genre for mark, genre in _MARKS if mark in document), "unknown")


def read_genres(path: str) -> dict[str, str]:
    """A list of documents and genres: a document id, a TAB, and its genre on each line; `#` begins a comment."""
    try:
        lines = Path(path).read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise FormatError(not_utf8(error, path)) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        hint = "check the path"
        raise UsageError(Problem(f"the list of genres cannot be read: {reason}", path=path, hint=hint)) from None
    found: dict[str, str] = {}
    problems = []
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        document, tab, genre = line.partition("\t")
        document, genre = document.strip(), genre.strip()
        if not (document and tab and genre):
            hint = "write the document id, a TAB, and its genre"
            problems.append(Problem("this line gives no genre", path=path, line=number, hint=hint))
        elif found.setdefault(document, genre) != genre:
            message = f"{document} is {genre} here and {found[document]} above"
            problems.append(Problem(message, path=path, line=number, hint="keep one of the two lines"))
    if problems:
        raise FormatError(problems)
    return found


def genres(documents: Iterable[str], listed: Mapping[str, str] | None = None) -> dict[str, str]:
    """The genre of each document, from a list if there is one.

    >>> genres(["NYT_1", "x"], {"x": "forum"})
    {'NYT_1': 'unknown', 'x': 'forum'}
    """
    if listed is None:
        return {document: genre_of(document) for document in documents}
    return {document: listed.get(document, "unknown") for document in documents}


class Slices:
    """The argument counts of every event type, or of every role, in every document that has it on either side."""

    def __init__(self, field: str, settings: Settings) -> None:
        self.field = field
        self.settings = settings
        self._at = FIELDS.index(field)  # the place in a class
        self.values: dict[str, dict[int, list[float]]] = {}

    def add(self, place: int, observed: Observed, reference: Reference) -> None:
        """Take in one document."""
        self.put(place, self.count(observed, reference))

    def put(self, place: int, found: Mapping[str, list[float]]) -> None:
        """Take in what was counted of one document."""
        for value, counts in found.items():
            self.values.setdefault(value, {})[place] = counts

    def count(self, observed: Observed, reference: Reference) -> dict[str, list[float]]:
        """The counts of one document by value; each value is clipped by itself."""
        found: dict[str, list[float]] = {}
        classes, correct, known = reference.classes, reference.correct, len(reference.classes)
        excusing = not self.settings.profile.unassessed_misses
        unassessed = frozenset(observed.unassessed) if excusing else frozenset()
        for number, right in enumerate(correct):
            if right:
                found.setdefault(str(classes[number][self._at]), [0.0] * 4)[2] += 1
        for number, at in observed.leaders.items():
            key = classes[number] if number < known else observed.extra[number]
            counts = found.setdefault(str(key[self._at]), [0.0] * 4)
            counts[1] += 1
            if observed.codes[at] & GOOD:
                counts[0] += 1
            elif at in unassessed and number < known and correct[number]:
                counts[2] -= 1
        for counts in found.values():
            counts[3] = max(0.0, counts[0] - self.settings.beta * (counts[1] - counts[0]))
        return found

    def table(self, documents: int) -> ElementTable:
        """All of it in the form of results."""
        from adjudge.stats.elements import ElementSlice, ElementTable, Rows

        return ElementTable(
            self.field,
            ARGUMENT,
            Rows(((0.0,) * len(ARGUMENT),) * documents),
            tuple(
                ElementSlice(value, tuple(found), Rows(tuple(tuple(counts) for counts in found.values())))
                for value, found in sorted(self.values.items())
            ),
        )
