"""Notes of the parts of a corpus as notes of the whole: numbers are added, examples joined, sentences written anew."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from adjudge.stats.result import Note

DRAWN = frozenset(
    (
        "bca",
        "difference",
        "few-documents",
        "few-resamples",
        "no-documents",
        "no-significance",
        "no-slices",
        "no-spread",
        "nothing-in-gold",
        "one-document",
        "undefined",
        "undefined-document",
        "undefined-resample",
    )
)
"""What the numbers of the whole say by themselves."""
_EVERYWHERE = ("empty-system", "no-document-in-common", "swapped")  # true of the whole only if it is true of all parts
_LAST = ("missing-document", "extra-document", "no-document-in-common", "not-optimal")  # in this order, after all else
_EXAMPLES = 10
_SEVERAL = (
    ("document has ", "documents have "),
    ("document is ", "documents are "),
    ("document differs ", "documents differ "),
    ("document was ", "documents were "),
    ("1 answer cannot", "1 answers cannot"),
    (" counts as empty", " count as empty"),
    ("nugget has ", "nuggets have "),
    ("cluster names ", "clusters name "),
    ("1 repeated mention in the key was", "1 repeated mentions in the key were"),
    ("1 repeated mention in the response was", "1 repeated mentions in the response were"),
)
"""How sentences about one thing differ from those about several."""


def merge_notes(parts: Sequence[Sequence[Note]], *, order: Sequence[str] = (), slack: float = 0.0) -> list[Note]:
    """One note for all that say the same of several parts.

    A sentence with more numbers than one cannot be added up, and is told as what it is: about one part.

    `order` is the order of the documents, for examples that name them; `slack` how much unfinished searches leave open.

    >>> one = Note("missing-document", 1, "1 gold document has no system output and counts as empty", ("d1",))
    >>> two = Note("missing-document", 2, "2 gold documents have no system output and count as empty", ("d7", "d9"))
    >>> merge_notes([[one], [two]])[0].message
    '3 gold documents have no system output and count as empty'
    """
    groups: dict[tuple[str, str], list[Note]] = {}
    for note in (note for notes in parts for note in notes if note.code not in DRAWN):
        groups.setdefault((note.code, _sentence(note)), []).append(note)
    places = {identifier: place for place, identifier in enumerate(order)}
    found = []
    for (code, sentence), notes in groups.items():
        if code in _EVERYWHERE:
            found += notes[:1] * (len(notes) == len(parts))
        elif code == "not-optimal":
            found.append(_unproven(notes, places, slack))
        elif len(parts) > 1 and code != "input" and re.search(r"\d", sentence):
            found += [Note(code, each.count, f"in one part: {each.message}", each.examples) for each in notes]
        else:
            found.append(_added(notes, sentence, places))
    return sorted(found, key=lambda note: _LAST.index(note.code) if note.code in _LAST else -1)


def _sentence(note: Note) -> str:
    """The sentence as it is said of several things, with {n} for their number."""
    if note.code == "not-optimal":
        return ""
    message = note.message
    for one, several in _SEVERAL if note.count == 1 else ():
        message = message.replace(one, several)
    if note.count == 1:
        message = re.sub(r"\b1 document\b", "1 documents", message)
    return re.sub(rf"(?<![\w.]){note.count}(?![\w.])", "{n}", message, count=1)


def _added(notes: Sequence[Note], sentence: str, places: Mapping[str, int]) -> Note:
    if len(notes) == 1:
        return notes[0]
    first, count = notes[0], sum(note.count for note in notes)
    if "{n}" not in sentence:  # the same is true of several parts, and need be said once
        return Note(first.code, max(note.count for note in notes), first.message, _examples(notes, places))
    return Note(first.code, count, sentence.replace("{n}", str(count), 1), _examples(notes, places))


def _unproven(notes: Sequence[Note], places: Mapping[str, int], slack: float) -> Note:
    count = sum(note.count for note in notes)
    return Note("not-optimal", count, unproven_message(count, slack), _examples(notes, places))


def unproven_message(documents: int, slack: float) -> str:
    """What is said of documents whose search was cut short.

    >>> unproven_message(1, 2.0)
    '1 document was not solved to the end in the time allowed; the matched counts are proven to be at most 2 too low'
    """
    plural = "s were" if documents > 1 else " was"
    return (
        f"{documents} document{plural} not solved to the end in the time allowed; "
        f"the matched counts are proven to be at most {slack:g} too low"
    )


def _examples(notes: Sequence[Note], places: Mapping[str, int]) -> tuple[str, ...]:
    """The examples of all parts, as many as one part may show, in the order of the documents if they name these."""
    cut = [len(note.examples) for note in notes if len(note.examples) < note.count]
    examples = list(dict.fromkeys(example for note in notes for example in note.examples))
    if all(example in places for example in examples):
        examples.sort(key=places.__getitem__)
    # Tasks show five or ten; if fewer than there are stand there, that was the limit.
    return tuple(examples[: next((number for number in (10, 5) if number in cut), _EXAMPLES)])
