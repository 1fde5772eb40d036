"""Merging shards that were scored separately: the result of scoring all their documents at once.

Counts add up, so that the concatenated tables of the parts are the table of the whole. Everything that depends on it
(intervals, slices, comparisons) is computed again.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from adjudge.errors import Problem, UsageError, ValidationError, some_of
from adjudge.model.document import Reading
from adjudge.stats.build import Counts, Scoring, build_result
from adjudge.stats.compare import differing, fields_to_slice, ways_of, with_same_fields
from adjudge.stats.elements import joined
from adjudge.stats.inference import SignatureValue, hash_chunks, inherited
from adjudge.stats.notes import DRAWN, UNPROVEN, unproven_message
from adjudge.stats.result import Note, Options, Result, SystemResult
from adjudge.stats.scores import USUAL, Drawing, saved_drawing
from adjudge.stats.table import StatsTable

INPUTS = ("gold", "in")  # fields of a signature that are hashes of what was read
CHOICE = "docs"  # the field that says which documents were chosen
_DRAWS = ("bootstrap", "level", "seed", "test", "interval")
_EVERYWHERE = ("empty-system", "no-document-in-common", "swapped")  # true of the whole only if true of all parts
_LAST = ("missing-document", "extra-document", "no-document-in-common", *UNPROVEN)  # in this order, after all else
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
"""Singular and plural forms in the sentences of notes."""


def merge(
    *parts: Result | Iterable[Result],
    names: Sequence[str] | None = None,
    by: Sequence[str] | None = None,
    order: Iterable[str] | None = None,
    drawing: Drawing = USUAL,
    **draws: Any,
) -> Result:
    """The result of scoring the documents of all parts at once, from the saved results of the parts.

    The parts must have been scored in the same way, with the same systems, on different documents. Documents are in the
    order of the parts, or in that of `order`. What is not given (`by`, and of the `draws` bootstrap, level, seed, test
    and interval) is as in the parts, which then must agree. `names` name the parts in errors. The hashes of the inputs
    (`gold`, `in`) stay if they are the same in all parts; else each is the hash of those of the parts, in their order.
    """
    given = [each for one in parts for each in ((one,) if isinstance(one, Result) else one)]
    if not given:
        raise UsageError("nothing to merge", hint="give at least one saved result")
    given = with_same_fields(given)
    called = list(names) if names is not None else [f"part {number}" for number in range(1, len(given) + 1)]
    options = [_options(result, name) for result, name in zip(given, called, strict=True)]
    wanted: dict[str, Any] = {} if by is None else {"by": tuple(by)}
    wanted |= {name: value for name, value in draws.items() if value is not None}
    _refuse_differing(given, options, called, wanted)
    _refuse_overlap(given, called)
    ids = [identifier for result in given for identifier in _ids(result.systems[0])]
    arranged = ids if order is None else _arranged(ids, order)
    first = given[0]
    named = sorted(arranged) if first.task == "score" else arranged  # as notes of that task list them
    unsaved = tuple(sorted({name for each in options for name in each.unsaved}))
    counts = {}
    for name in (each.name for each in first.systems):
        own = [result.system(name) for result in given]
        found = _joined(own, arranged, asked=options[0].by, unsaved=unsaved)
        notes = merge_notes([each.notes for each in own], order=named, slack=_slack(found))
        counts[name] = msgspec.structs.replace(found, notes=notes)
    scoring = Scoring(
        task=first.task,
        profile=first.profile,
        measures=first.measures,
        pool=options[0].pool,
        by=wanted.get("by", options[0].by),
        inference=inherited(options[0], **{name: wanted.get(name) for name in _DRAWS}),
        fields=_fields(options, arranged),
        drawing=drawing if drawing != USUAL else saved_drawing(options[0].draws),
        unsaved=unsaved,
    )
    fields_to_slice(scoring.by, counts, required=True)
    result = build_result(scoring, counts)
    told = (*merge_notes([each.notes for each in given], order=arranged), *result.notes)
    changed = msgspec.structs.replace(result, notes=told, reading=_readings(given))
    return _with_documents(changed, given, arranged)


def _readings(given: Sequence[Result]) -> dict[str, Reading]:
    """How each side was read, over all parts."""
    found: dict[str, Reading] = {}
    for name, each in (item for result in given for item in result.reading.items()):
        known = found.get(name)
        if known is not None:
            lost = {**known.ungrounded, **each.ungrounded}
            each = msgspec.structs.replace(known, documents=known.documents + each.documents, ungrounded=lost)
        found[name] = each
    return found


# ---------------------------------------------------------------------------------------------------------------------
# What cannot be merged


def _options(result: Result, name: str) -> Options:
    if result.options is not None and any(system.samples for system in result.systems):
        hint = "score all documents at once"
        raise UsageError(Problem("its scores are about the whole corpus and cannot be added up", path=name, hint=hint))
    try:
        result.tables()
    except UsageError as error:
        raise UsageError(replace(error.problems[0], path=name)) from None
    return result.saved


def _refuse_differing(
    given: Sequence[Result], options: Sequence[Options], called: Sequence[str], wanted: Mapping[str, object]
) -> None:
    """Raise unless all parts were scored in the same way; the error says which differ in what."""
    problems: list[Problem] = []
    left_out = (*INPUTS, CHOICE, "genres")
    ours = [system.name for system in given[0].systems]
    ways = [
        {**ways_of(result, left_out), "version": result.adjudge}
        | {name: getattr(own, name) for name in ("by", *_DRAWS) if name not in wanted}
        for result, own in zip(given, options, strict=True)
    ]
    for result, own, name in zip(given[1:], ways[1:], called[1:], strict=True):
        found = differing(given[0], result, ways[0], own)
        if found:
            message = f"scored in another way than {called[0]}: they differ in {', '.join(found)}"
            problems.append(Problem(message, path=name, hint="score all parts in the same way"))
        theirs = [system.name for system in result.systems]
        if set(theirs) != set(ours):
            message = f"has the systems {', '.join(theirs)}, and {called[0]} has {', '.join(ours)}"
            hint = "name the systems when scoring (NAME=FILE), or the only system of a part here (NAME=PART)"
            problems.append(Problem(message, path=name, hint=hint))
    if problems:
        raise UsageError(problems)


def _refuse_overlap(given: Sequence[Result], called: Sequence[str]) -> None:
    """Raise if a document was scored in two parts, or not for every system of a part."""
    owner: dict[str, str] = {}
    problems = []
    for result, name in zip(given, called, strict=True):
        ids = _ids(result.systems[0])
        for system in result.systems[1:]:
            if _ids(system) != ids:
                message = f"{system.name} was scored on other documents than {result.systems[0].name}"
                raise ValidationError(Problem(message, path=name, hint="score the part again"))
        again: dict[str, list[str]] = {}
        for identifier in ids:
            if identifier in owner:
                again.setdefault(owner[identifier], []).append(identifier)
        for other, both in again.items():
            documents = f"{len(both)} document{'s' * (len(both) != 1)}"
            message = f"{documents} of {other} are here again: {some_of(both)}"
            if len(both) == 1:
                message = message.replace(" are here", " is here")
            problems.append(Problem(message, path=name, hint="give every document once"))
        owner.update(dict.fromkeys(ids, name))
    if problems:
        raise ValidationError(problems)


# ---------------------------------------------------------------------------------------------------------------------
# Putting together


def _ids(system: SystemResult) -> tuple[str, ...]:
    assert system.table is not None
    return system.table.ids


def _arranged(ids: Sequence[str], order: Iterable[str]) -> list[str]:
    """The documents in the order of `order`, which must have all of them and may have more."""
    known = set(ids)
    arranged = [identifier for identifier in dict.fromkeys(order) if identifier in known]
    if len(arranged) < len(ids):
        missing = sorted(known - set(arranged))
        message = f"the order does not have the documents {some_of(missing)}"
        raise UsageError(message, hint="list every document of the parts")
    return arranged


def _joined(
    parts: Sequence[SystemResult], order: Sequence[str], *, asked: Sequence[str], unsaved: Sequence[str]
) -> Counts:
    """The counts of a system in all parts, with its documents in this order.

    The table has the attributes that it would have for the whole corpus: not those that are unsaved in some part.
    Slices by fields of elements are kept if all parts have them.
    """
    table = StatsTable.concat(*(each.table for each in parts if each.table is not None)).select(order)
    first = [name for name in asked if name in table.attributes]
    rest = sorted(name for name in table.attributes if name not in first and name not in unsaved)
    attributes = {name: table.attributes[name] for name in (*first, *rest)}
    best = [each.best for each in parts if each.best is not None]
    known = {name for each in best for name in each.ids}
    elements: dict[str, list[Any]] = {}
    for part in parts:
        for each in part.elements:
            elements.setdefault(each.field, []).append((each, _ids(part)))
    return Counts(
        StatsTable(table.ids, table.columns, table.values, attributes),
        best=StatsTable.concat(*best).select(name for name in order if name in known) if best else None,
        elements=[joined(own, order) for own in elements.values() if len(own) == len(parts)],
    )


def _fields(options: Sequence[Options], order: Sequence[str]) -> dict[str, SignatureValue]:
    """The conventions of the parts, and what was read put together; see `merge`."""
    fields = dict(options[0].fields)
    for name in INPUTS:
        hashes = [str(each.fields[name]) for each in options if name in each.fields]
        if hashes:
            fields[name] = hashes[0] if len(set(hashes)) == 1 else hash_chunks(text.encode() for text in hashes)
    if any(CHOICE in each.fields for each in options) and len(options) > 1:
        own = {name: fields.pop(name) for name in ("in",) if name in fields}
        chosen = hash_chunks(["\n".join(order).encode("utf-8", "surrogatepass")])
        fields = {**fields, CHOICE: "#" + chosen[:4], **own}
    return fields


def _slack(counts: Counts) -> float:
    """By how much the counts of all documents together may be too low."""
    if counts.best is None:
        return 0.0
    rows = zip(counts.best.values, counts.table.select(counts.best.ids).values, strict=True)
    return math.fsum(high - low for one, other in rows for high, low in zip(one, other, strict=True))


def _with_documents(result: Result, given: Sequence[Result], order: Sequence[str]) -> Result:
    """The documents of the parts, if all of them were saved with these; panels of parts say nothing of the whole."""
    if not all(each.documents for each in given):
        return result
    result = result.with_documents_of(given)
    places = {document.id: place for place, document in enumerate(result.documents)}
    at = [places[identifier] for identifier in order if identifier in places]
    return msgspec.structs.replace(
        result,
        documents=tuple(result.documents[place] for place in at),
        systems=tuple(
            msgspec.structs.replace(each, aligned=tuple(each.aligned[place] for place in at) if each.aligned else ())
            for each in result.systems
        ),
        panels=(),
    )


# ---------------------------------------------------------------------------------------------------------------------
# Notes of the parts as notes of the whole: numbers are added up, examples joined, sentences rewritten


def merge_notes(parts: Sequence[Sequence[Note]], *, order: Sequence[str] = (), slack: float = 0.0) -> list[Note]:
    """One note for all notes that say the same of several parts.

    A sentence with more than one number cannot be added up, and is marked as being about one part.

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
        elif code in UNPROVEN:
            count = sum(note.count for note in notes)
            found.append(Note(code, count, unproven_message(count, slack, code), _examples(notes, places)))
        elif len(parts) > 1 and code != "input" and re.search(r"\d", sentence):
            found += [Note(code, each.count, f"in one part: {each.message}", each.examples) for each in notes]
        else:
            found.append(_added(notes, sentence, places))
    return sorted(found, key=lambda note: _LAST.index(note.code) if note.code in _LAST else -1)


def _sentence(note: Note) -> str:
    """The sentence in the plural, with {n} for the number."""
    if note.code in UNPROVEN:
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
    if "{n}" not in sentence:  # the same is true of several parts, and is said once
        return Note(first.code, max(note.count for note in notes), first.message, _examples(notes, places))
    return Note(first.code, count, sentence.replace("{n}", str(count), 1), _examples(notes, places))


def _examples(notes: Sequence[Note], places: Mapping[str, int]) -> tuple[str, ...]:
    """The examples of all parts, as many as one part may show, in the order of the documents if they name these."""
    cut = [len(note.examples) for note in notes if len(note.examples) < note.count]
    examples = list(dict.fromkeys(example for note in notes for example in note.examples))
    if all(example in places for example in examples):
        examples.sort(key=places.__getitem__)
    # Tasks show five or ten; if fewer than there are stand there, that was the limit.
    return tuple(examples[: next((number for number in (10, 5) if number in cut), _EXAMPLES)])
