"""Shards that were scored by themselves, put together: the result of scoring all of their documents at once.

Counts add, so that the tables of the parts, one after the other, are the table of the whole. Everything that is drawn
from it (intervals, slices, comparisons) is drawn anew.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from adjudge.errors import Problem, UsageError, ValidationError
from adjudge.stats.build import Counts, Scoring, build_result
from adjudge.stats.compare import changed_measures
from adjudge.stats.elements import ElementSlice, ElementTable, Rows, reordered
from adjudge.stats.inference import Inference, inherited
from adjudge.stats.merge_notes import merge_notes
from adjudge.stats.result import Note, Options, Result, SystemResult
from adjudge.stats.scores import USUAL, Drawing
from adjudge.stats.signature import SignatureValue, hash_chunks
from adjudge.stats.table import StatsTable, value_key

INPUTS = ("gold", "in")  # fields of a signature that are hashes of what was read
CHOICE = "docs"  # the field that says which documents were chosen
_DRAWS = ("bootstrap", "level", "seed", "test", "interval")
_SHOWN = 5


def merge(
    *parts: Result | Iterable[Result],
    names: Sequence[str] | None = None,
    by: Sequence[str] | None = None,
    order: Iterable[str] | None = None,
    inference: Inference | None = None,
    drawing: Drawing = USUAL,
    **draws: Any,
) -> Result:
    """The result of scoring the documents of all parts at once, from the saved results of the parts.

    The parts must have been scored in the same way, with the same systems, on different documents. Documents stand in
    the order of the parts, or in that of `order`; as resampling draws them by place, the intervals are those of a
    corpus in this order. What is not given (`by`, and of the `draws` bootstrap, level, seed, test and
    interval, or `inference` with all of them) is as in the parts, which then must agree. `names`
    are what errors call the parts. The hashes of the inputs (`gold`, `in`) stay if they are the same in all parts;
    else each is the hash of those of the parts, in their order.
    """
    given = [each for one in parts for each in ((one,) if isinstance(one, Result) else one)]
    if not given:
        raise UsageError("nothing to merge", hint="give at least one saved result")
    called = list(names) if names is not None else [f"part {number}" for number in range(1, len(given) + 1)]
    options = [_options(result, name) for result, name in zip(given, called, strict=True)]
    wanted: dict[str, Any] = {} if by is None else {"by": tuple(by)}
    wanted |= {name: value for name, value in draws.items() if value is not None}
    if inference is not None:
        wanted |= dict.fromkeys(_DRAWS)
    _refuse_differing(given, options, called, wanted)
    _refuse_overlap(given, called)
    systems = [[result.system(name) for result in given] for name in (each.name for each in given[0].systems)]
    ids = [identifier for result in given for identifier in _ids(result.systems[0])]
    arranged = ids if order is None else _arranged(ids, order)
    chosen = inference or inherited(options[0], **{name: wanted.get(name) for name in _DRAWS})
    first = given[0]
    named = sorted(arranged) if first.task == "score" else arranged  # as notes of that task name documents
    unsaved = tuple(sorted({name for each in options for name in each.unsaved}))
    counts = {}
    for own in systems:
        found = _joined(own, ids, arranged, asked=options[0].by, unsaved=unsaved)
        slack = _slack(found.table, found.best)
        counts[own[0].name] = found._replace(notes=merge_notes([each.notes for each in own], order=named, slack=slack))
    scoring = Scoring(
        task=first.task,
        profile=first.profile,
        measures=first.measures,
        pool=options[0].pool,
        by=wanted.get("by", options[0].by),
        inference=chosen,
        fields=_fields(options, arranged),
        drawing=drawing,
    )
    _refuse_unknown_slices(scoring.by, counts)
    result = build_result(scoring, counts)
    assert result.options is not None
    result = msgspec.structs.replace(
        result,
        options=msgspec.structs.replace(result.options, unsaved=unsaved),
        notes=(*_result_notes(given, arranged), *result.notes),
    )
    return _with_outcomes(result, given, arranged)


# ---------------------------------------------------------------------------------------------------------------------
# What cannot be merged


def _options(result: Result, name: str) -> Options:
    if result.options is not None and any(system.samples for system in result.systems):
        hint = "score all documents at once"
        raise UsageError(Problem("its scores are of the whole corpus, and do not add up", path=name, hint=hint))
    if result.options is None or any(system.table is None for system in result.systems):
        hint = "write it with --save or Result.save"
        raise UsageError(Problem("the result has no counts per document", path=name, hint=hint))
    return result.options


def _refuse_differing(
    given: Sequence[Result], options: Sequence[Options], called: Sequence[str], wanted: Mapping[str, object]
) -> None:
    """Raise unless all parts were scored in the same way; the error says which differ in what."""
    problems: list[Problem] = []
    mine = _ways(given[0], options[0], wanted)
    ours = [system.name for system in given[0].systems]
    for result, own, name in zip(given[1:], options[1:], called[1:], strict=True):
        yours = _ways(result, own, wanted)
        differing = [
            f"{key} ({_shown(mine.get(key))} and {_shown(yours.get(key))})"
            for key in dict.fromkeys([*mine, *yours])
            if mine.get(key) != yours.get(key)
        ]
        if not differing and result.measures != given[0].measures:
            changed = changed_measures(given[0], result)
            differing = [f"measures ({', '.join(changed[:_SHOWN]) or 'their order'})"]
        if differing:
            message = f"scored in another way than {called[0]}: they differ in {', '.join(differing)}"
            problems.append(Problem(message, path=name, hint="score all parts in the same way"))
        theirs = [system.name for system in result.systems]
        if set(theirs) != set(ours):
            message = f"has the systems {', '.join(theirs)}, and {called[0]} has {', '.join(ours)}"
            hint = "name the systems when scoring (NAME=FILE), or the only system of a part here (NAME=PART)"
            problems.append(Problem(message, path=name, hint=hint))
    if problems:
        raise UsageError(problems)


def _ways(result: Result, options: Options, wanted: Mapping[str, object]) -> dict[str, object]:
    """All that must be the same in two parts, by its name in the signature."""
    conventions = {name: value for name, value in options.fields.items() if name not in (*INPUTS, CHOICE, "genres")}
    return {
        "task": result.task,
        "profile": result.profile,
        "pool": options.pool,
        **conventions,
        "version": result.adjudge,
        **{name: getattr(options, name) for name in ("by", *_DRAWS) if name not in wanted},
    }


def _shown(value: object) -> str:
    if isinstance(value, tuple):
        return "+".join(map(str, value)) or "nothing"
    return "nothing" if value is None else str(value)


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
            more = f" and {len(both) - _SHOWN} more" if len(both) > _SHOWN else ""
            documents = f"{len(both)} document{'s' * (len(both) != 1)}"
            message = f"{documents} of {other} are here again: {', '.join(both[:_SHOWN])}{more}"
            if len(both) == 1:
                message = message.replace(" are here", " is here")
            problems.append(Problem(message, path=name, hint="give every document once"))
        owner.update(dict.fromkeys(ids, name))
    if problems:
        raise ValidationError(problems)


def _refuse_unknown_slices(by: Sequence[str], systems: Mapping[str, Counts]) -> None:
    attributes = next(iter(systems.values())).table.attributes
    shared = set.intersection(*({each.field for each in own.elements} for own in systems.values()))
    for name in by:
        if name not in attributes and name not in shared:
            known = ", ".join([*attributes, *sorted(shared)])
            hint = f"fields are {known}" if known else "score and save the parts with --by"
            raise UsageError(f"these parts have no field {name!r} to slice by", hint=hint)


# ---------------------------------------------------------------------------------------------------------------------
# Putting together


def _ids(system: SystemResult) -> tuple[str, ...]:
    assert system.table is not None
    return system.table.ids


def _arranged(ids: Sequence[str], order: Iterable[str]) -> list[str]:
    """The documents as they stand in `order`, which must have all of them and may have more."""
    known = set(ids)
    arranged = [identifier for identifier in dict.fromkeys(order) if identifier in known]
    if len(arranged) < len(ids):
        missing = sorted(known - set(arranged))
        more = f" and {len(missing) - _SHOWN} more" if len(missing) > _SHOWN else ""
        message = f"the order does not have the documents {', '.join(missing[:_SHOWN])}{more}"
        raise UsageError(message, hint="list every document of the parts")
    return arranged


def _joined(
    parts: Sequence[SystemResult],
    ids: Sequence[str],
    order: Sequence[str],
    *,
    asked: Sequence[str],
    unsaved: Sequence[str],
) -> Counts:
    """The counts of a system in all parts; `ids` are their documents one after the other, `order` how they stand.

    The table has the attributes that a whole corpus would have: not those that some documents cannot be cut by.
    """
    table = StatsTable.concat(*(each.table for each in parts if each.table is not None)).select(order)
    first = [name for name in asked if name in table.attributes]
    rest = sorted(name for name in table.attributes if name not in first and name not in unsaved)
    attributes = {name: table.attributes[name] for name in (*first, *rest)}
    best = [each.best for each in parts if each.best is not None]
    joined = StatsTable.concat(*best) if best else None
    known = set() if joined is None else set(joined.ids)
    return Counts(
        StatsTable(table.ids, table.columns, table.values, attributes),
        best=None if joined is None else joined.select(name for name in order if name in known),
        elements=_elements(parts, ids, order),
    )


def _elements(systems: Sequence[SystemResult], ids: Sequence[str], order: Sequence[str]) -> tuple[ElementTable, ...]:
    """The slices by fields of elements: those fields that all parts have."""
    shared = set.intersection(*({each.field for each in system.elements} for system in systems))
    found = []
    for field in (each.field for each in systems[0].elements if each.field in shared):
        parts = [each for system in systems for each in system.elements if each.field == field]
        table = _in_order(reordered(_joined_elements(parts), ids, order))
        found.append(msgspec.structs.replace(table, slices=_by_appearance(table.slices, parts, ids, order)))
    return tuple(found)


def _by_appearance(
    slices: Sequence[ElementSlice], parts: Sequence[ElementTable], ids: Sequence[str], order: Sequence[str]
) -> tuple[ElementSlice, ...]:
    """The slices in the order in which counting all documents meets their values.

    Values that begin in one document stand as in its part: only that one has seen which of them comes first in it.
    """
    ranks = [{value_key(each.value): rank for rank, each in enumerate(part.slices)} for part in parts]
    numbers = [number for number, part in enumerate(parts) for _ in part.rest.values]
    part_of = dict(zip(ids, numbers, strict=True))

    def appears(each: ElementSlice) -> tuple[int, int]:
        if not each.documents:
            return -1, 0
        first = each.documents[0]
        return first, ranks[part_of[order[first]]][value_key(each.value)]

    return tuple(sorted(slices, key=appears))


def _joined_elements(parts: Sequence[ElementTable]) -> ElementTable:
    """Counts of elements of one field, the documents of the parts one after the other."""
    slices: dict[object, list[tuple[int, ElementSlice]]] = {}
    start = 0
    for part in parts:
        if part.columns != parts[0].columns:
            raise UsageError(f"the counts of {part.field} have other columns in some parts", hint="score them again")
        for each in part.slices:
            slices.setdefault(value_key(each.value), []).append((start, each))
        start += len(part.rest.values)
    return ElementTable(
        parts[0].field,
        parts[0].columns,
        _rows([part.rest for part in parts]),
        tuple(
            ElementSlice(
                own[0][1].value,
                tuple(first + place for first, each in own for place in each.documents),
                _rows([each.rows for _, each in own]),
            )
            for own in slices.values()
        ),
    )


def _rows(parts: Sequence[Rows]) -> Rows:
    values = tuple(row for part in parts for row in part.values)
    if not any(part.best for part in parts):
        return Rows(values)
    return Rows(values, tuple(row for part in parts for row in part.best or part.values))


def _in_order(table: ElementTable) -> ElementTable:
    """The documents of each slice in their order."""
    slices = []
    for each in table.slices:
        at = sorted(range(len(each.documents)), key=each.documents.__getitem__)
        rows = Rows(*(tuple(own[i] for i in at) if own else () for own in (each.rows.values, each.rows.best)))
        slices.append(ElementSlice(each.value, tuple(each.documents[i] for i in at), rows))
    return msgspec.structs.replace(table, slices=tuple(slices))


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


def _slack(table: StatsTable, best: StatsTable | None) -> float:
    """By how much the counts may be too low, all documents together."""
    if best is None:
        return 0.0
    rows = zip(best.values, table.select(best.ids).values, strict=True)
    return math.fsum(high - low for one, other in rows for high, low in zip(one, other, strict=True))


def _result_notes(given: Sequence[Result], order: Sequence[str]) -> list[Note]:
    notes = merge_notes([each.notes for each in given], order=order)
    if any(each.ranking is not None for each in given):
        message = "the official ranking of the parts is not that of the whole, and is left out"
        notes.append(Note("no-ranking", 1, message))
    return notes


def _with_outcomes(result: Result, given: Sequence[Result], order: Sequence[str]) -> Result:
    """The documents and outcomes of the parts, if all of them were saved with these."""
    if any(each.documents is None for each in given):
        return result
    result = result.with_outcomes_of(given)
    assert result.documents is not None
    places = {document.id: place for place, document in enumerate(result.documents.gold)}
    at = [places[identifier] for identifier in order if identifier in places]
    gold = tuple(result.documents.gold[place] for place in at)
    return msgspec.structs.replace(
        result,
        documents=msgspec.structs.replace(result.documents, gold=gold),
        systems=tuple(
            msgspec.structs.replace(each, outcomes=tuple(each.outcomes[place] for place in at) if each.outcomes else ())
            for each in result.systems
        ),
    )
