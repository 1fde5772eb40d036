"""From counts per document to a result: tables, slices, notes and the signature.

Notes also tell what looks like a mistake in the files, which then score next to nothing: the names of files tell
swapped sides; the spans of gold and system are compared as pairs of numbers, document by document, and a note says if
hardly any is equal and most would be if all were moved alike.
"""

from __future__ import annotations

import os
import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence, Set
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from adjudge.errors import Problem, UsageError, ValidationError, did_you_mean
from adjudge.evaluate.sides import NO_DOCUMENTS
from adjudge.evaluate.task import Reported, Side, Task

if TYPE_CHECKING:
    from adjudge.evaluate.engine import Evaluation
    from adjudge.model.document import CorpusNote, Reading
    from adjudge.stats.alignment import Alignment
    from adjudge.stats.elements import ElementTable
    from adjudge.stats.panel import Panel
    from adjudge.stats.result import Note, Result, SystemResult

EXAMPLES = 10


def result_of(evaluation: Evaluation) -> Result:
    """Add up and, if requested, resample; numpy is loaded only if there is something to draw."""
    from adjudge.stats.build import Counts, Scoring, build_result
    from adjudge.stats.scores import USUAL
    from adjudge.stats.table import StatsTable

    evaluation.checked()
    task, run, ids = evaluation.task, evaluation.run, evaluation.ids
    reported, elements = task.reported(evaluation), task.elements(evaluation)
    if run.exact:
        _check_proven(evaluation, reported, elements)
    inside = {each.field for tables in elements.values() for each in tables}
    attributes = document_fields(evaluation, inside) if reported.attributes is None else reported.attributes
    systems = {}
    once = {number: number for number in map(float, range(2048))}  # small counts are one object each
    given = dict(reported.counts)
    reported = msgspec.structs.replace(reported, counts={})  # so that the numbers of a system are freed one by one
    for name in tuple(given):
        counts = given.pop(name)
        rows = tuple(zip(*[map(once.get, counts, counts)] * len(reported.columns), strict=True))
        del counts
        best = reported.best.get(name, {})
        systems[name] = Counts(
            StatsTable(ids, reported.columns, rows, dict(attributes)),
            [*notes_of(evaluation, name), *task.notes(evaluation, name), *reported.notes.get(name, ())],
            StatsTable(tuple(ids[at] for at in best), reported.columns, tuple(best.values())) if best else None,
            elements.get(name, ()),
        )
    scoring = Scoring(
        task=task.name,
        profile=task.profile,
        measures=reported.measures,
        pool=reported.pool or run.pool or "micro",
        by=run.by if reported.by is None else reported.by,
        inference=run.inference,
        fields={} if is_unsigned(evaluation) else signature_of(evaluation),
        drawing=task.drawing() or USUAL,
        unsaved=reported.unsaved,
    )
    return with_doubts(build_result(scoring, systems), evaluation)


def document_fields(evaluation: Evaluation, inside: Container[str] = ()) -> dict[str, tuple[Any, ...]]:
    """The values of the fields by which documents are sliced or clustered, except fields `inside` of elements."""
    run, documents = evaluation.run, evaluation.attributes
    found = {name: _attribute(name, documents) for name in run.by if name not in inside}
    name = run.inference.cluster_by
    if name is not None and name not in found:
        found[name] = _attribute(name, documents, "cluster")
    return found


def _check_proven(evaluation: Evaluation, reported: Reported, elements: Mapping[str, Sequence[ElementTable]]) -> None:
    """Raise if there is a document whose search was cut short, with all of them."""
    problems = []
    for name in reported.counts:
        places = set(reported.best.get(name, ()))
        for table in elements.get(name, ()):
            parts = [(range(len(evaluation.ids)), table.rest), *((each.documents, each.rows) for each in table.slices)]
            for where, rows in parts:
                found = zip(where, rows.values, rows.best or rows.values, strict=True)
                places.update(at for at, values, best in found if values != best)
        hint = "give more time with --time-limit, or leave --exact out"
        for at in sorted(places):
            problems.append(Problem(f"{name}: the scores of {evaluation.ids[at]} are not proven", hint=hint))
    if problems:
        raise ValidationError(problems)


def _attribute(name: str, documents: Sequence[Mapping[str, Any]], use: str = "slice") -> tuple[Any, ...]:
    values = tuple(each.get(name) for each in documents)
    if documents and all(value is None for value in values):
        known = list(dict.fromkeys(key for each in documents for key in each))
        hint = did_you_mean(name, known) or (f"fields are {', '.join(known)}" if known else "these documents have none")
        raise UsageError(f"no gold document has a field {name!r} to {use} by", hint=hint)
    return values


def input_note(note: Problem | CorpusNote) -> Note:
    """A reader's note on a whole file."""
    from adjudge.stats.result import Note

    return Note("input", 1, str(note)) if isinstance(note, Problem) else Note(*msgspec.structs.astuple(note))


def notes_of(evaluation: Evaluation, name: str) -> Iterator[Note]:
    """The notes of every task: on the files, and on documents that one side does not have."""
    from adjudge.stats.result import Note

    side = evaluation.systems[name].side
    for note in (*evaluation.gold.notes, *side.notes):
        yield input_note(note)
    if not side.documents:
        yield Note("empty-system", 1, NO_DOCUMENTS)
    missing = [each for each in evaluation.ids if each not in side.documents]
    if missing:
        have, count = ("document has", "counts") if len(missing) == 1 else ("documents have", "count")
        message = f"{len(missing)} gold {have} no system output and {count} as empty"
        yield Note("missing-document", len(missing), message, tuple(sorted(missing)[:EXAMPLES]))
    extra = [each for each in side.documents if each not in evaluation.gold.documents]
    if extra:
        are = "document is" if len(extra) == 1 else "documents are"
        message = f"{len(extra)} system {are} not in gold and ignored"
        yield Note("extra-document", len(extra), message, tuple(sorted(extra)[:EXAMPLES]))


def signature_of(evaluation: Evaluation) -> dict[str, str | float | None]:
    """The fields of the signature: those of the task, and hashes of gold, of the choice of documents, and of all.

    A run without `digest` has no hashes of its inputs.
    """
    from adjudge.stats.inference import hash_chunks

    digests = [side.hashed().encode() for side in _sides(evaluation)] if evaluation.run.digest else []
    found = {**evaluation.task.signature(evaluation), **_ends(evaluation)}
    if digests:
        found["gold"] = hash_chunks(digests[:1])
    if evaluation.run.docs is not None:
        chosen = "\n".join(evaluation.ids).encode("utf-8", "surrogatepass")
        found["docs"] = "#" + hash_chunks([chosen])[:4]
    return {**found, "in": hash_chunks(digests)} if digests else found


def _ends(evaluation: Evaluation) -> dict[str, str]:
    """How ends of spans were interpreted, if the shapes of the inputs do not say."""
    readings = [side.reading for side in _sides(evaluation) if side.reading is not None]
    ends = dict.fromkeys(each.ends for each in readings if each.ends is not None and each.said != "shape")
    return {"ends": "+".join(ends)} if ends else {}


def readings_of(evaluation: Evaluation) -> dict[str, Reading]:
    """How every side was interpreted: `gold`, and the systems by name."""
    from adjudge.model.document import Reading

    names = ("gold", *evaluation.systems)
    found = {}
    for name, side in zip(names, _sides(evaluation), strict=True):
        ids = "position" if side.paired_by_place else "given"
        number = sum(each in side.documents for each in evaluation.ids)
        found[name] = side.reading or Reading(shape=evaluation.task.shape, documents=number, ids=ids)
    return found


def is_unsigned(evaluation: Evaluation) -> bool:
    """Whether the signature is computed on demand only, because it would hash documents in memory."""
    return any(not isinstance(side.digest, str) for side in _sides(evaluation))


def _sides(evaluation: Evaluation) -> list[Side]:
    return [evaluation.gold, *(each.side for each in evaluation.systems.values())]


def with_documents(
    result: Result,
    ids: Sequence[str],
    aligned: Mapping[str, Sequence[Alignment]],
    panels: tuple[Panel, ...] = (),
) -> Result:
    """The result with the outcome of every item of every document, given for each system by name, and panels."""
    from adjudge.stats.alignment import saved_document

    own = zip(*aligned.values(), strict=True)
    saved = [saved_document(name, each) for name, each in zip(ids, own, strict=True)]
    systems = {name: tuple(each[place] for _, each in saved) for place, name in enumerate(aligned)}
    return msgspec.structs.replace(
        result,
        systems=tuple(msgspec.structs.replace(each, aligned=systems.get(each.name, ())) for each in result.systems),
        documents=tuple(gold for gold, _ in saved),
        panels=panels,
    )


# ---------------------------------------------------------------------------------------------------------------------
# What looks like a mistake in the files

Span: TypeAlias = tuple[int, int]

_DEEP = 20  # how far down in a document spans are looked for
_FAR = 2  # how far offsets are moved in search of equal ones
_SCALARS = frozenset((str, int, float, bool, type(None)))
_ENOUGH = 3  # spans below which nothing can be told
_LOOKED_AT = 50_000  # spans of a system that are looked at
_MOVES = sorted(
    ((a, b) for a in range(-_FAR, _FAR + 1) for b in range(-_FAR, _FAR + 1) if a or b),
    key=lambda move: (abs(move[0]) + abs(move[1]), move),
)
_NUMBERS = ("no", "one", "two")
GOLD = frozenset(("gold", "golden", "goldstandard", "key", "keys", "reference", "references", "truth", "groundtruth"))
SYSTEM = frozenset(
    ("system", "sys", "pred", "preds", "prediction", "predictions", "predicted", "response", "responses", "output")
)


def with_doubts(result: Result, evaluation: Evaluation) -> Result:
    """The result with notes on systems whose files look wrong.

    Spans are asked for only if a score is low.
    """
    task, gold = evaluation.task, dict[str, set[Span]]()
    paths = [str(each) if isinstance(each, str | os.PathLike) else None for each in evaluation.sources]
    systems = []
    for place, system in enumerate(result.systems, 1):
        notes: list[Note] = []
        moved: list[Note] = []
        swapped = swapped_note(paths[0], paths[place])
        if swapped is not None and all(note.code != swapped.code for note in system.notes):
            notes.append(swapped)
        if _is_low(system, task):
            gold = gold or _spans(evaluation, 0)
            own = _spans(evaluation, place)
            shared = sorted(name for name in gold if name in own)
            who = "system" if len(result.systems) == 1 else ""  # the names of several stand before their notes
            moved = offset_notes([(gold[name], own[name]) for name in shared], unit=task.unit, who=who)
        systems.append(msgspec.structs.replace(system, notes=(*moved, *system.notes, *notes)))
    return msgspec.structs.replace(result, systems=tuple(systems))


def _is_low(system: SystemResult, task: Task) -> bool:
    """Whether the F1 of a system is suspiciously low."""
    whole = [score for score in system.scores if not score.slice and score.part == "f1"]
    telling = [score for score in whole if score.metric == task.telling] or whole
    return any(score.value is not None and score.value < task.low for score in telling)


def _spans(evaluation: Evaluation, place: int) -> dict[str, set[Span]]:
    """The spans in the documents of one side; files that were read in parts are read again."""
    task, side = evaluation.task, _sides(evaluation)[place]
    if type(task).spans is Task.spans:
        return {}  # there is nothing to look at
    if evaluation.apart:
        source = evaluation.sources[place]
        side = source if isinstance(source, Side) else task.read(source, "", digest=False)
    chosen: Iterable[str] = side.documents
    if task.looked_at is not None:
        from zlib import crc32

        shuffled = sorted(evaluation.ids, key=lambda name: (crc32(name.encode("utf-8", "surrogatepass")), name))
        chosen = shuffled[: task.looked_at]
    return {name: set(task.spans(side.documents[name])) for name in chosen if name in side.documents}


def swapped_note(gold: str | None, system: str | None) -> Note | None:
    """A note if the system's file is named like gold, and gold's is not.

    >>> swapped_note("pred.jsonl", "gold.jsonl").message
    'the system is called gold.jsonl and gold is called pred.jsonl: are the two swapped?'
    >>> swapped_note("gold.jsonl", "gold2.jsonl") is None
    True
    """
    if gold is None or system is None:
        return None
    names = tuple(os.path.basename(os.path.normpath(path)) for path in (system, gold))  # noqa: PTH119
    theirs, ours = (set(re.split(r"[^a-z]+", name.lower())) for name in names)
    if not theirs & GOLD or theirs & SYSTEM or ours & GOLD:
        return None
    from adjudge.stats.result import Note

    return Note("swapped", 1, f"the system is called {names[0]} and gold is called {names[1]}: are the two swapped?")


def offset_notes(
    pairs: Iterable[tuple[Iterable[Span], Iterable[Span]]], *, unit: str = "character", who: str = ""
) -> list[Note]:
    """A note if the spans of a system (second of each pair) are those of gold (first), shifted by a small constant.

    >>> [note.message for note in offset_notes([([(0, 4), (9, 12), (20, 27)], [(0, 3), (9, 11), (20, 26)])])]
    ['0 of 3 spans equal a gold span, 3 would with ends one higher; if its ends are inclusive, say ...]
    """
    from adjudge.stats.result import Note

    documents = list(_distinct(pairs))
    gold, system = (sum(len(each[side]) for each in documents) for side in (0, 1))
    fewer = min(gold, system)
    equal = sum(len(ours & theirs) for ours, theirs in documents)
    if fewer < _ENOUGH or equal * 10 > fewer:
        return []
    best = max(_MOVES, key=lambda move: _moved(documents, move))  # the first of equals, which is the nearest
    found = _moved(documents, best)
    if found * 2 < fewer or found < max(_ENOUGH, 5 * equal):
        return []
    told = f"{equal} of {system} spans equal a gold span, {found} would with {_corrected(best, unit)}"
    return [Note("off-by-one", found, f"{who}: {told}" if who else told)]


def spans_in(value: Any, depth: int = 0) -> Iterator[Span]:
    """Everything in a value that has a start and an end, at any depth.

    >>> sorted(spans_in({"span": {"start": 3, "end": 5}, "other": [{"start": 7, "end": 9, "x": "a"}]}))
    [(3, 5), (7, 9)]
    """
    inner: Iterable[Any]
    if depth > _DEEP:
        return
    if type(value) is dict or isinstance(value, Mapping):
        start, end, inner = value.get("start"), value.get("end"), value.values()
    elif isinstance(value, str | bytes | int | float) or value is None:
        return
    elif isinstance(value, list | tuple | Set):
        start, end, inner = None, None, value
    else:
        names = getattr(value, "__struct_fields__", None) or getattr(value, "__dataclass_fields__", None) or ()
        start, end = getattr(value, "start", None), getattr(value, "end", None)
        inner = [getattr(value, name) for name in names]
    if type(start) is int and type(end) is int:
        yield start, end
    if not _SCALARS.issuperset(map(type, inner)):
        for each in inner:
            yield from spans_in(each, depth + 1)


def _distinct(pairs: Iterable[tuple[Iterable[Span], Iterable[Span]]]) -> Iterable[tuple[set[Span], set[Span]]]:
    seen = 0
    for gold, system in pairs:
        sides = set(gold), set(system)
        yield sides
        seen += len(sides[1])
        if seen > _LOOKED_AT:
            break


def _moved(documents: Sequence[tuple[set[Span], set[Span]]], move: Span) -> int:
    """How many system spans are gold spans with start and end shifted this far."""
    start, end = move
    return sum(sum((a - start, b - end) in ours for a, b in theirs) for ours, theirs in documents)


def _corrected(move: Span, unit: str) -> str:
    """What to change about spans that are shifted this far, and what may have shifted them."""
    start, end = move
    if start == end:
        return f"starts and ends {_back(start)}; does one side count {unit}s from 0 and the other from 1?"
    if start == 0:
        whose, option = ("gold's", "gold_ends") if end > 0 else ("its", "system_ends")
        return f'ends {_back(end)}; if {whose} ends are inclusive, say {option}="inclusive"'
    if end == 0:
        return f"starts {_back(start)}; does one side count {unit}s from 1, with the end included?"
    return f"starts {_back(start)} and ends {_back(end)}; do both sides count in the same way?"


def _back(moved: int) -> str:
    return f"{_NUMBERS[abs(moved)]} {'lower' if moved > 0 else 'higher'}"
