"""From the counts of every document to a result: tables, slices, notes and the signature."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any
from zlib import crc32

import msgspec

from adjudge.errors import Problem, UsageError, ValidationError, did_you_mean
from adjudge.evaluate.doubts import Compared, with_doubts
from adjudge.evaluate.sides import NO_DOCUMENTS
from adjudge.evaluate.task import Reported, Side, Task

if TYPE_CHECKING:
    from adjudge.evaluate.engine import Evaluation
    from adjudge.model.document import CorpusNote, Reading
    from adjudge.stats.alignment import Alignment
    from adjudge.stats.elements import ElementTable
    from adjudge.stats.panel import Panel
    from adjudge.stats.result import Note, Result

EXAMPLES = 10


def result_of(evaluation: Evaluation) -> Result:
    """Add up and, if asked, resample; numpy is loaded only when there is something to draw."""
    from adjudge.stats.build import Counts, Scoring, build_result
    from adjudge.stats.scores import USUAL
    from adjudge.stats.table import StatsTable

    evaluation.checked()
    task, run, ids = evaluation.task, evaluation.run, evaluation.ids
    reported, elements = task.reported(evaluation), task.elements(evaluation)
    if run.exact:
        _check_proven(evaluation, reported, elements)
    inside = {each.field for tables in elements.values() for each in tables}
    attributes = reported.attributes
    if attributes is None:
        attributes = {name: _attribute(name, evaluation.attributes) for name in run.by if name not in inside}
    systems = {}
    once = {number: number for number in map(float, range(256))}  # small counts are one object each
    for name, counts in reported.counts.items():
        rows = tuple(zip(*[map(once.get, counts, counts)] * len(reported.columns), strict=True))
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
        by=run.by,
        inference=run.inference,
        fields={} if is_unsigned(evaluation) else signature_of(evaluation),
        drawing=task.drawing() or USUAL,
        unsaved=reported.unsaved,
    )
    return with_doubts(build_result(scoring, systems), compared_in(evaluation))


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


def compared_in(evaluation: Evaluation) -> Compared:
    """What was compared, for notes on shifted offsets; files that were read in parts are read again."""
    task = evaluation.task
    only = None if task.looked_at is None else frozenset(sorted(evaluation.ids, key=_shuffled)[: task.looked_at])

    def spans(side: Side, source: Any) -> Iterator[tuple[str, Iterable[tuple[int, int]]]]:
        if type(task).spans is Task.spans:
            return  # there is nothing to look at
        if evaluation.apart:
            side = source if isinstance(source, Side) else task.read(source, "", digest=False)
        for name in side.documents:
            if only is None or name in only:
                yield name, task.spans(side.documents[name])

    sides = _sides(evaluation)
    paths = tuple(str(each) if isinstance(each, str | os.PathLike) else None for each in evaluation.sources)
    both = zip(sides, evaluation.sources, strict=True)
    return Compared(paths, tuple(partial(spans, *each) for each in both), task.unit, task.telling, task.low)


def _shuffled(name: str) -> tuple[int, str]:
    return crc32(name.encode("utf-8", "surrogatepass")), name


def _attribute(name: str, documents: Sequence[Mapping[str, Any]]) -> tuple[Any, ...]:
    values = tuple(each.get(name) for each in documents)
    if documents and all(value is None for value in values):
        known = list(dict.fromkeys(key for each in documents for key in each))
        hint = did_you_mean(name, known) or (f"fields are {', '.join(known)}" if known else "these documents have none")
        raise UsageError(f"no gold document has a field {name!r} to slice by", hint=hint)
    return values


def input_note(note: Problem | CorpusNote) -> Note:
    """What a reader says of a file as a whole."""
    from adjudge.stats.result import Note

    return Note("input", 1, str(note)) if isinstance(note, Problem) else Note(*msgspec.structs.astuple(note))


def notes_of(evaluation: Evaluation, name: str) -> Iterator[Note]:
    """What is said of every task: of the files, and of documents that one side does not have."""
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
    """The fields of the signature: those of the task, and hashes of gold, of the choice of documents, and of all."""
    from adjudge.stats.signature import hash_chunks

    digests = [side.hashed().encode() for side in _sides(evaluation)]
    hashes = {"gold": hash_chunks(digests[:1]), "in": hash_chunks(digests)}
    found = {**evaluation.task.signature(evaluation), **_ends(evaluation), "gold": hashes["gold"]}
    if evaluation.run.docs is not None:
        chosen = "\n".join(evaluation.ids).encode("utf-8", "surrogatepass")
        found["docs"] = "#" + hash_chunks([chosen])[:4]
    return {**found, "in": hashes["in"]}


def _ends(evaluation: Evaluation) -> dict[str, str]:
    """What the ends of spans were taken to be, if the shapes of the inputs do not say it."""
    readings = [side.reading for side in _sides(evaluation) if side.reading is not None]
    ends = dict.fromkeys(each.ends for each in readings if each.ends is not None and each.said != "shape")
    return {"ends": "+".join(ends)} if ends else {}


def readings_of(evaluation: Evaluation) -> dict[str, Reading]:
    """What every side was taken for: `gold`, and the systems by name."""
    from adjudge.model.document import Reading

    names = ("gold", *evaluation.systems)
    found = {}
    for name, side in zip(names, _sides(evaluation), strict=True):
        ids = "position" if side.paired_by_place else "given"
        number = sum(each in side.documents for each in evaluation.ids)
        found[name] = side.reading or Reading(shape=evaluation.task.shape, documents=number, ids=ids)
    return found


def is_unsigned(evaluation: Evaluation) -> bool:
    """Whether the signature is made only if somebody asks for it: it would hash documents in memory."""
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
