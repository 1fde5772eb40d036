"""Shards that were scored by themselves, put together: the result of scoring all of their documents at once.

Counts add, so that the tables of the parts, one after the other, are the table of the whole. Everything that is drawn
from it (intervals, slices, comparisons) is drawn anew.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import msgspec

from adjudge.errors import Problem, UsageError, ValidationError
from adjudge.stats.elements import ElementSlice, ElementTable, Rows, reordered
from adjudge.stats.inference import inherited
from adjudge.stats.merge_notes import merge_notes
from adjudge.stats.result import Note, Options, Result, SystemResult
from adjudge.stats.signature import SignatureValue, hash_chunks

if TYPE_CHECKING:
    from adjudge.stats.data import AttributeValue
    from adjudge.stats.inference import Inference
    from adjudge.stats.reduce import Pool
    from adjudge.stats.resample import Drawing
    from adjudge.stats.table import StatsTable

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
    drawing: Drawing | None = None,
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
    slices = wanted.get("by", options[0].by)
    return _built(given, options, systems, (ids, arranged), {"by": slices, "inference": chosen, "drawing": drawing})


def _built(
    given: Sequence[Result],
    options: Sequence[Options],
    systems: Sequence[Sequence[SystemResult]],
    documents: tuple[Sequence[str], Sequence[str]],
    how: Mapping[str, Any],
) -> Result:
    """`documents` are those of the parts one after the other, and as they are to stand."""
    from adjudge.stats.build import build_result
    from adjudge.stats.resample import USUAL
    from adjudge.stats.table import StatsTable

    first, (ids, order) = options[0], documents
    unsaved = tuple(sorted({name for each in options for name in each.unsaved}))
    by = how["by"]
    named = sorted(order) if given[0].task == "score" else order  # as notes of that task name documents
    tables, best, elements, notes = {}, {}, {}, {}
    for own in systems:
        name = own[0].name
        table = StatsTable.concat(*(_table(each) for each in own))
        table = table if order is ids else table.select(order)
        tables[name] = _with_attributes(table, first.by, unsaved)
        cut = [StatsTable.from_data(each.best) for each in own if each.best is not None]
        if cut:
            joined = StatsTable.concat(*cut)
            known = set(joined.ids)
            best[name] = joined.select([identifier for identifier in order if identifier in known])
        elements[name] = _elements(own, ids, order)
        notes[name] = merge_notes([each.notes for each in own], order=named, slack=_slack(table, best.get(name)))
    _refuse_unknown_slices(by, tables, elements)
    found = build_result(
        task=given[0].task,
        profile=given[0].profile,
        measures=given[0].measures,
        tables=tables,
        pool=cast("Pool", first.pool),
        by=by,
        inference=how["inference"],
        notes=notes,
        signature_fields=_fields(options, order),
        best=best,
        elements=elements,
        drawing=how["drawing"] or USUAL,
    )
    assert found.options is not None
    found = msgspec.structs.replace(
        found,
        options=msgspec.structs.replace(found.options, unsaved=unsaved),
        notes=(*_result_notes(given, order), *found.notes),
    )
    return _with_outcomes(found, given, order)


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
            differing = [_measures(given[0], result)]
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


def _measures(first: Result, other: Result) -> str:
    both = first.measures + other.measures
    changed = sorted({each.name for each in both if each not in first.measures or each not in other.measures})
    return f"measures ({', '.join(changed[:_SHOWN]) or 'their order'})"


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


def _refuse_unknown_slices(
    by: Sequence[str], tables: Mapping[str, StatsTable], elements: Mapping[str, Sequence[ElementTable]]
) -> None:
    attributes = next(iter(tables.values())).attributes
    shared = set.intersection(*({each.field for each in own} for own in elements.values()))
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


def _table(system: SystemResult) -> StatsTable:
    table = system.stats()
    assert table is not None
    return table


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


def _with_attributes(table: StatsTable, by: Sequence[str], unsaved: Sequence[str]) -> StatsTable:
    """The table with the attributes that a whole corpus would have: not those that some documents cannot be cut by."""
    from adjudge.stats.table import StatsTable

    asked = [name for name in by if name in table.attributes]
    rest = sorted(name for name in table.attributes if name not in asked and name not in unsaved)
    attributes: dict[str, tuple[AttributeValue, ...]] = {name: table.attributes[name] for name in (*asked, *rest)}
    return StatsTable(table.ids, table.columns, table.values, attributes)


def _elements(systems: Sequence[SystemResult], ids: Sequence[str], order: Sequence[str]) -> tuple[ElementTable, ...]:
    """The slices by fields of elements: those fields that all parts have."""
    shared = set.intersection(*({each.field for each in system.elements} for system in systems))
    found = []
    for field in (each.field for each in systems[0].elements if each.field in shared):
        parts = [each for system in systems for each in system.elements if each.field == field]
        table = _in_order(reordered(_joined(parts), ids, order))
        found.append(msgspec.structs.replace(table, slices=_by_appearance(table.slices, parts, ids, order)))
    return tuple(found)


def _by_appearance(
    slices: Sequence[ElementSlice], parts: Sequence[ElementTable], ids: Sequence[str], order: Sequence[str]
) -> tuple[ElementSlice, ...]:
    """The slices in the order in which counting all documents meets their values.

    Values that begin in one document stand as in its part: only that one has seen which of them comes first in it.
    """
    from adjudge.stats.data import value_key

    ranks = [{value_key(each.value): rank for rank, each in enumerate(part.slices)} for part in parts]
    numbers = [number for number, part in enumerate(parts) for _ in part.rest.values]
    part_of = dict(zip(ids, numbers, strict=True))

    def appears(each: ElementSlice) -> tuple[int, int]:
        if not each.documents:
            return -1, 0
        first = each.documents[0]
        return first, ranks[part_of[order[first]]][value_key(each.value)]

    return tuple(sorted(slices, key=appears))


def _joined(parts: Sequence[ElementTable]) -> ElementTable:
    """Counts of elements of one field, the documents of the parts one after the other."""
    from adjudge.stats.data import value_key

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
    difference = best.values - table.select(best.ids).values
    return math.fsum(difference.ravel().tolist())


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
