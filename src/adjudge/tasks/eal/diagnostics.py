"""Parts of the corpus and of the classes: genres of documents, and counts by event type and by role."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
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


def count_by(field: str, observed: Observed, reference: Reference, settings: Settings) -> dict[str, list[float]]:
    """The argument counts of a document for every event type, or every role, on either side; each clipped by itself."""
    at_field = FIELDS.index(field)  # the place in a class
    found: dict[str, list[float]] = {}
    classes, correct, known = reference.classes, reference.correct, len(reference.classes)
    unassessed = frozenset() if settings.profile.unassessed_misses else frozenset(observed.unassessed)
    for number, right in enumerate(correct):
        if right:
            found.setdefault(str(classes[number][at_field]), [0.0] * 4)[2] += 1
    for number, at in observed.leaders.items():
        key = classes[number] if number < known else observed.extra[number]
        counts = found.setdefault(str(key[at_field]), [0.0] * 4)
        counts[1] += 1
        if observed.codes[at] & GOOD:
            counts[0] += 1
        elif at in unassessed and number < known and correct[number]:
            counts[2] -= 1
    for counts in found.values():
        counts[3] = max(0.0, counts[0] - settings.beta * (counts[1] - counts[0]))
    return found


def element_table(field: str, documents: Sequence[Mapping[str, list[float]]]) -> ElementTable:
    """The counts of all documents in the form of results."""
    from adjudge.stats.elements import ElementSlice, ElementTable, Rows

    values: dict[str, dict[int, tuple[float, ...]]] = {}
    for place, counts in enumerate(documents):
        for value, own in counts.items():
            values.setdefault(value, {})[place] = tuple(own)
    return ElementTable(
        field,
        ARGUMENT,
        Rows(((0.0,) * len(ARGUMENT),) * len(documents)),
        tuple(
            ElementSlice(value, tuple(found), Rows(tuple(found.values()))) for value, found in sorted(values.items())
        ),
    )
