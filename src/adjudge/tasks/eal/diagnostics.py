"""Diagnostics besides the scores: rules that changed the input, genres, and counts by event type and by role."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import floor
from typing import TYPE_CHECKING

from adjudge.errors import numbered
from adjudge.evaluate.task import Remark
from adjudge.formats.eal_assessments import KeyLines
from adjudge.formats.eal_sources import read_pairs
from adjudge.model.eal import AnswerKey
from adjudge.tasks.eal.compare import Compared, Observed, Prepared
from adjudge.tasks.eal.measures import ARGUMENT, LINKING
from adjudge.tasks.eal.reference import GOOD, Reference
from adjudge.tasks.eal.settings import Settings

if TYPE_CHECKING:
    from adjudge.stats.elements import ElementTable
    from adjudge.stats.result import Note
    from adjudge.stats.table import StatsTable

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
    """The genre of a document by the collection prefix of its id; else `unknown`.

    >>> genre_of("NYT_ENG_20130501.0255"), genre_of("bolt-eng-DF-170"), genre_of("CNN_IP_20030329"), genre_of("DOC1")
    ('newswire', 'forum', 'broadcast-conversation', 'unknown')
    """
    if document.startswith(_KNOWN):
        return next(genre for prefix, genre in _PREFIXES if document.startswith(prefix))
    return next((genre for mark, genre in _MARKS if mark in document), "unknown")


def read_genres(path: str) -> dict[str, str]:
    """A list of documents and genres: a document id, a TAB, and its genre on each line; `#` begins a comment."""
    return read_pairs(path, "genre")


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


SHOWN = 5

REMOVED = {
    "quoted": "as quotations",
    "not-in-taxonomy": "because the collapsed taxonomy does not have {n?its type|their types}",
    "merged": "as equal to a more confident one by now",
    "covered": "as covered by a correct response of another type ({covers})",
    "less-specific-time": "as times that say less than a correct one",
    "no-correct-cas": "as wrong strings for which the key has no correct one",
    "unassessed": "because nobody has assessed them",
    "unlinked": "because they are not generic and in no frame",
    "redundant": "as redundant, a better one of the same class stands for them",
    "broken-time": "as times that are not dates",
}
CHANGED = {
    "type-merged": "got the merged event type",
    "realis-neutralised": "became Actual",
    "coref-neutralised": "got a correct CAS for their base filler or role",
    "time-repaired": "had xx in a time, which became XX",
}


class _Counts:
    """Remarks added up by reason, with the first documents in which it happened."""

    def __init__(self, remarks: Iterable[tuple[str, Remark]]) -> None:
        self.counts: dict[str, int] = {}
        self.documents: dict[str, list[str]] = {}
        for document, remark in remarks:
            reason = remark.code
            self.counts[reason] = self.counts.get(reason, 0) + remark.number
            known = self.documents.setdefault(reason, [])
            if len(known) < SHOWN:
                known.append(document)

    def note(self, reason: str, code: str, message: str) -> list[Note]:
        """A note about a reason, if it occurred; `n` in the message is how often."""
        from adjudge.stats.result import Note

        number = self.counts.get(reason, 0)
        return [Note(code, number, numbered(message, n=number), tuple(self.documents[reason]))] if number else []


def _remarks(counts: Iterable[tuple[str, int]]) -> tuple[Remark, ...]:
    return tuple([Remark(reason, "", number) for reason, number in counts if number])


def gold_remarks(prepared: Prepared, key: AnswerKey | KeyLines, *, unclosed: int = 0) -> tuple[Remark, ...]:
    """What happened to the gold side of a document; `unclosed` quotations reach to its end."""
    gold, reference = prepared.gold, prepared.reference
    by_reason = (
        ("key", {**gold.removed, **reference.removed}),
        ("frames", {**gold.unlinked, **reference.unlinked}),
        ("key-changed", gold.changed),
    )
    return _remarks(
        [
            *[(f"{what}:{reason}", number) for what, counts in by_reason for reason, number in counts.items()],
            ("broken", len(reference.broken)),
            ("doubtful", reference.doubtful),
            ("absent", reference.absent),
            ("joined", len(key.joined)),
            ("unclosed", unclosed),
        ]
    )


def system_remarks(compared: Compared, settings: Settings, given: int) -> tuple[Remark, ...]:
    """What happened to a document of a system, which had given so many responses."""
    observed, profile = compared.observed, settings.profile
    wrong = sum(observed.codes[at] >= 0 for at in observed.unassessed) if observed.unassessed else 0
    return _remarks(
        [
            ("responses", given),
            *compared.removed.items(),
            *compared.system.changed.items(),
            ("unassessed-wrong", wrong if profile.unassessed == "false-positive" else 0),
            ("singletons", len(observed.unlinked) if profile.unlinked == "singleton" else 0),
        ]
    )


def gold_notes(remarks: Iterable[tuple[str, Remark]], settings: Settings, strays: Sequence[str] = ()) -> list[Note]:
    """What happened to the key and the reference frames, and what is odd about them; `strays` are not documents."""
    found = _Counts([*remarks, *((document, Remark("stray")) for document in strays)])
    notes: list[Note] = []
    for prefix, place in (("key", "the key"), ("frames", "the reference frames")):
        for reason, text in REMOVED.items():
            why = _about(text, settings).replace("as times that say", "as {n?a time that says|times that say}")
            message = f"{place}: {{n:response|responses}} removed {why}"
            notes += found.note(f"{prefix}:{reason}", f"{prefix}-{reason}", message)
    for reason, text in CHANGED.items():
        notes += found.note(
            f"key-changed:{reason}", f"key-changed-{reason}", f"the key: {{n:response|responses}} {text}"
        )
    text = "the key: {n:file|files} without responses that no other side has "
    text += "{n?is not a document and was|are not documents and were} not scored"
    notes += found.note("stray", "stray-file", text)
    text = "the source documents: {n:quotation is|quotations are} never closed and {n?reaches|reach} to the end of "
    text += "the document"
    notes += found.note("unclosed", "unclosed-quotation", text)
    text = "the key: {n:CAS is|CASes are} in several clusters, which are joined, because coreference is transitive"
    notes += found.note("joined", "clusters-joined", text)
    became = {"wrong": "{n?counts|count} as wrong", "error": "{n?is|are} an error"}[settings.profile.broken_time]
    text = "the key: {n:time|times} assessed as correct {n?is not a date|are not dates} and " + became
    if settings.linking and settings.profile.broken_time_in_reference == "keep":
        text += "; where {n?it is in a reference frame|they are in reference frames}, no system can match {n?it|them}"
    notes += found.note("broken", "broken-time", text)
    if settings.linking and settings.profile.check_reference:
        text = "the reference frames have {n:class|classes} without a good response, which no system can match"
        notes += found.note("doubtful", "reference-wrong", text)
        text = "{n:correct class that is|correct classes that are} not generic {n?is|are} in no reference frame, "
        text += "linking {n?it|them} earns nothing"
        notes += found.note("absent", "reference-missing", text)
    return notes


def system_notes(remarks: Iterable[tuple[str, Remark]], table: StatsTable, settings: Settings) -> list[Note]:
    """What happened to the responses of a system, and which of its errors the metric does not penalise."""
    from adjudge.stats.result import Note

    remarks = list(remarks)
    found = _Counts(remarks)
    responses = found.counts.get("responses", 0)
    notes: list[Note] = []
    for reason, text in REMOVED.items():
        message = f"{{n}} of {responses} responses removed {_about(text, settings)}"
        notes += found.note(reason, f"removed-{reason}", message)
    for reason, text in CHANGED.items():
        notes += found.note(reason, f"changed-{reason}", f"{{n}} of {responses} responses {text}")
    text = "{n:response|responses} that nobody has assessed {n?counts|count} as wrong"
    notes += found.note("unassessed-wrong", "unassessed", text)
    notes += found.note(
        "singletons",
        "unlinked",
        "{n:response in no frame is a frame of its|responses in no frame are frames of their} own",
    )
    text = "{n:document has|documents have} responses and no linking file, so nothing is linked there"
    notes += found.note("unlinked-document", "missing-linking", text)
    path = next((remark.example for _, remark in remarks if remark.code == "no-linking"), None)
    if path is not None:
        notes.append(Note("no-linking", 1, "the submission has no linking, so nothing is linked", (path,)))
    return notes + weaknesses(table, settings)


def without_text(documents: Sequence[str]) -> list[Note]:
    """The documents whose text is not among the sources."""
    from adjudge.stats.result import Note

    if not documents:
        return []
    message = numbered("{n:document has|documents have} no text", n=len(documents))
    return [Note("no-text", len(documents), message, tuple(documents[:SHOWN]))]


def weaknesses(table: StatsTable, settings: Settings) -> list[Note]:
    """Errors of a system that are not penalised: two weaknesses of the metric.

    Once TP - beta FP of a document is 0, more false positives are free. Fillers that the reference does not have are
    taken out of the frames before the link score is computed, so there they never hurt.

    >>> from adjudge.stats.table import StatsTable
    >>> table = StatsTable(("d",), ARGUMENT, ((1.0, 8.0, 4.0, 0.0),), {})
    >>> [(note.code, note.count) for note in weaknesses(table, Settings(linking=False))]
    [('free-false-positives', 3)]
    """
    from adjudge.stats.result import Note

    places = {name: at for at, name in enumerate(table.columns)}
    tp, system = places[ARGUMENT[0]], places[ARGUMENT[1]]
    free: dict[str, int] = {}
    for document, row in zip(table.ids, table.values, strict=True):
        number = free_false_positives(row[tp], row[system] - row[tp], settings.beta)
        if number:
            free[document] = number
    notes = []
    if free:
        total, wrong = sum(free.values()), int(sum(row[system] - row[tp] for row in table.values))
        where = f"{len(free)} document{'s' * (len(free) > 1)}"
        message = f"{total} of {wrong} false positives cost nothing: the argument score of {where} is 0 without them"
        notes.append(Note("free-false-positives", total, message, tuple(free)[:SHOWN]))
    if settings.linking:
        spurious, fillers = places[LINKING[8]], places[LINKING[9]]
        found = {
            document: row[spurious] for document, row in zip(table.ids, table.values, strict=True) if row[spurious]
        }
        if found:
            total, all_ = int(sum(found.values())), int(sum(row[fillers] for row in table.values))
            share = f"{100 * total / all_:.1f} %"
            message = f"{total} of {all_} fillers in frames ({share}) are spurious beside right ones, at no cost"
            notes.append(Note("free-fillers", total, message, tuple(found)[:SHOWN]))
    return notes


def free_false_positives(tp: float, fp: float, beta: float) -> int:
    """How many false positives of a document could go without changing its score, which is 0.

    >>> free_false_positives(1, 7, 0.25), free_false_positives(2, 7, 0.25)
    (3, 0)
    """
    if beta == 0 or tp - beta * fp >= 0:
        return 0
    return floor(fp - tp / beta)


def _about(text: str, settings: Settings) -> str:
    return text.replace("{covers}", ", ".join(f"{other} by {one}" for one, other in settings.covers))
