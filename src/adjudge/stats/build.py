"""From tables to a result: values, intervals, slices, comparisons, notes, signature."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import cast

import numpy as np

from adjudge._version import __version__
from adjudge.errors import UsageError, did_you_mean
from adjudge.stats.data import AttributeValue, TableData
from adjudge.stats.elements import ElementTable, element_corpora, reordered
from adjudge.stats.estimator import Additive, Estimator, slices
from adjudge.stats.inference import Inference, inherited
from adjudge.stats.measure import Measure
from adjudge.stats.merge_notes import DRAWN
from adjudge.stats.notes import inference_notes, scope_notes, summed_up
from adjudge.stats.reduce import Pool
from adjudge.stats.resample import USUAL, Drawing, shared_documents
from adjudge.stats.result import Note, Options, Result, Score, Slice, SystemResult, result_fields, unique_names
from adjudge.stats.scores import corrected, family_sizes, gather, headlines, pair_comparisons, system_scores
from adjudge.stats.signature import SignatureValue, hash_chunks, signature
from adjudge.stats.table import StatsTable

_SHOWN = 5


def build_result(
    *,
    task: str,
    profile: str,
    measures: Sequence[Measure],
    tables: Mapping[str, StatsTable],
    pool: Pool = "micro",
    by: Sequence[str] = (),
    inference: Inference | None = None,
    headline: Mapping[str, str] | None = None,
    notes: Mapping[str, Sequence[Note]] | None = None,
    signature_fields: Mapping[str, SignatureValue] | None = None,
    best: Mapping[str, StatsTable] | None = None,
    elements: Mapping[str, Sequence[ElementTable]] | None = None,
    drawing: Drawing = USUAL,
) -> Result:
    """The result of one or several systems from their tables, which are over the same documents.

    `by` slices by attributes of the documents or by fields of their `elements`, one at a time. All pairs of systems are
    compared on the `headline` part of each metric (by default its last part that is not a count). `inference` says
    how intervals and tests are made. A slice is resampled by itself, as if only its documents had been scored.
    `best` has, for a system whose search was cut short, the rows of those documents with the highest counts possible.

    >>> from adjudge.stats.measure import Prf
    >>> f1 = Prf("set.f1", ("matched", "system"), ("matched", "gold"))
    >>> rows = [[1, 2, 2], [3, 4, 3], [2, 2, 3], [4, 5, 4]]
    >>> table = StatsTable(("d1", "d2", "d3", "d4"), ("matched", "system", "gold"), rows)
    >>> result = build_result(task="score", profile="default", measures=[f1], tables={"A": table})
    >>> result["set.f1"].f1
    0.8000 [0.5074, 0.9395]
    """
    measures = tuple(measures)
    return build_from_estimators(
        task=task,
        profile=profile,
        estimators={
            name: Additive(table, measures, pool, table.replaced((best or {})[name]) if name in (best or {}) else None)
            for name, table in tables.items()
        },
        by=by,
        inference=inference,
        headline=headline,
        notes=notes,
        signature_fields=signature_fields,
        elements=elements,
        drawing=drawing,
    )


def build_from_estimators(
    *,
    task: str,
    profile: str,
    estimators: Mapping[str, Estimator],
    by: Sequence[str] = (),
    inference: Inference | None = None,
    headline: Mapping[str, str] | None = None,
    notes: Mapping[str, Sequence[Note]] | None = None,
    signature_fields: Mapping[str, SignatureValue] | None = None,
    elements: Mapping[str, Sequence[ElementTable]] | None = None,
    drawing: Drawing = USUAL,
) -> Result:
    """The same for any estimators, so also for metrics that do not add over documents.

    Those are saved without a table, and cannot be tested by randomisation.
    """
    if not estimators:
        raise UsageError("no system to score")
    inference = inference or Inference()
    first = next(iter(estimators.values()))
    pools = sorted({estimator.pool for estimator in estimators.values()})
    if len(pools) > 1:
        raise UsageError(f"systems pooled differently cannot stand in one result: {', '.join(pools)}")
    documents = shared_documents({name: estimator.ids for name, estimator in estimators.items()})
    if any(estimator.keys != first.keys for estimator in estimators.values()):
        raise UsageError("the systems of one result need the same metrics and parts")
    keys = headlines(first, headline or {})
    corpora: list[tuple[Slice, Mapping[str, Estimator]]] = [({}, estimators)]
    for field in by:
        corpora += [({field: value}, members) for value, members in _sliced(estimators, elements or {}, field)]
    families = family_sizes(len(estimators), [where for where, _ in corpora])
    options = Options(
        pool=first.pool,
        by=tuple(by),
        bootstrap=inference.resamples,
        level=inference.level,
        seed=inference.seed,
        test=inference.test,
        fields=dict(signature_fields or {}),
        interval=inference.interval,
        resamples=inference.of_families(families),
        draws=drawing.name,
    )
    scores: dict[str, list[Score]] = {name: [] for name in estimators}
    remarks: dict[str, list[Note]] = {name: list((notes or {}).get(name, ())) for name in estimators}
    own: dict[str, list[tuple[Slice, Note]]] = {name: [] for name in estimators}
    comparisons = []
    # Counts near the end of the range of numbers overflow into undefined scores; numpy need not say so as well.
    with np.errstate(all="ignore"):
        for where, members in corpora:
            here = [key for key in keys if key in next(iter(members.values())).keys]
            evidence = gather(members, here, options, inference.for_tests(families[tuple(where)]), drawing)
            for name, estimator in members.items():
                found = system_scores(name, estimator, evidence, options, where)
                scores[name] += found
                own[name] += [(where, note) for note in scope_notes(name, estimator, evidence, found, where)]
            comparisons += pair_comparisons(members, evidence, here, options, where)
    for name in estimators:
        remarks[name] += summed_up(own[name])
    sizes = [(where, len(next(iter(members.values())).ids)) for where, members in corpora]
    systems = [
        SystemResult(
            name=name,
            documents=documents,
            scores=tuple(scores[name]),
            notes=tuple(remarks[name]),
            table=estimator.table.to_struct() if isinstance(estimator, Additive) else None,
            best=_unfinished(estimator),
            elements=tuple((elements or {}).get(name, ())),
        )
        for name, estimator in estimators.items()
    ]
    return Result(
        adjudge=__version__,
        task=task,
        profile=profile,
        signature=signature(task, result_fields(profile, documents, len(estimators), options)),
        systems=tuple(systems),
        comparisons=corrected(comparisons),
        notes=tuple(inference_notes(options, sizes, scores, comparisons)),
        measures=first.measures if isinstance(first, Additive) else (),
        options=options,
    )


def _sliced(
    estimators: Mapping[str, Estimator], elements: Mapping[str, Sequence[ElementTable]], field: str
) -> list[tuple[AttributeValue, Mapping[str, Estimator]]]:
    """Each value of a field, of documents or of elements, and the systems on that part of the corpus."""
    tables = {name: each for name in estimators for each in elements.get(name, ()) if each.field == field}
    first = next(iter(estimators.values()))
    if len(tables) == len(estimators) and isinstance(first, Additive):
        ids = {name: estimator.ids for name, estimator in estimators.items()}
        return list(element_corpora(tables, ids, first.measures, first.pool))
    return [
        (value, {name: estimator.select(ids) for name, estimator in estimators.items()})
        for value, ids in slices(first, field)
    ]


def _unfinished(estimator: Estimator) -> TableData | None:
    """The rows whose search was cut short."""
    if not isinstance(estimator, Additive) or estimator.best is None:
        return None
    changed = (estimator.best.values != estimator.table.values).any(axis=1)
    best = estimator.best.select(np.array(estimator.ids)[changed].tolist()) if changed.any() else None
    return None if best is None else StatsTable(best.ids, best.columns, best.values).to_struct()


def compare(
    *results: Result | Iterable[Result],
    by: Sequence[str] | None = None,
    bootstrap: int | None = None,
    level: float | None = None,
    seed: int | None = None,
    test: str | None = None,
    interval: str | None = None,
    headline: Mapping[str, str] | None = None,
) -> Result:
    """One result of all the systems of saved results, recomputed from their tables without scoring again.

    The results, given one by one or as a list, must agree on task, profile, measures, pooling, conventions and
    documents. What is not given is taken from the first result. Documents that were saved are kept.
    """
    given = [each for one in results for each in ((one,) if isinstance(one, Result) else one)]
    if not given:
        raise UsageError("nothing to compare", hint="give at least one saved result")
    first, options = given[0], _saved_options(given[0])
    for other in given[1:]:
        _refuse_incomparable(first, other)
    unique_names(system.name for result in given for system in result.systems)
    if options.pool == "corpus":
        from adjudge.stats.sampled import compare_sampled

        wanted = {"bootstrap": bootstrap, "level": level, "seed": seed, "test": test, "interval": interval}
        found = compare_sampled(given, inherited(options, **wanted), by=by)
        return found.with_outcomes_of(given)
    tables: dict[str, StatsTable] = {}
    best: dict[str, StatsTable] = {}
    notes: dict[str, tuple[Note, ...]] = {}
    elements: dict[str, tuple[ElementTable, ...]] = {}
    for system in (system for result in given for system in result.systems):
        table = system.stats()
        if table is None:
            raise UsageError(
                f"the result of {system.name} has no counts per document", hint="write it with --save or Result.save"
            )
        tables[system.name] = _same_documents(tables, system.name, table)
        if system.best is not None:
            best[system.name] = StatsTable.from_data(system.best)
        notes[system.name] = tuple(note for note in system.notes if note.code not in DRAWN)
        elements[system.name] = tuple(reordered(each, table.ids, tables[system.name].ids) for each in system.elements)
    chosen = _fields_to_slice(options.by if by is None else by, tables, elements, required=by is not None)
    if by is None and len(chosen) < len(options.by):
        lost = ", ".join(name for name in options.by if name not in chosen)
        message = f"there are no slices by {lost}: not all results were saved with them"
        notes = {name: (*own, Note("no-slices", 1, message)) for name, own in notes.items()}
    inputs = [str(_saved_options(result).fields["in"]) for result in given if "in" in _saved_options(result).fields]
    fields = {name: value for name, value in options.fields.items() if name != "in"}
    if inputs:
        fields["in"] = inputs[0] if len(inputs) == 1 else hash_chunks(text.encode() for text in inputs)
    found = build_result(
        task=first.task,
        profile=first.profile,
        measures=first.measures,
        tables=tables,
        pool=cast(Pool, options.pool),
        by=chosen,
        inference=inherited(options, bootstrap=bootstrap, level=level, seed=seed, test=test, interval=interval),
        headline=headline,
        notes=notes,
        signature_fields=fields,
        best=best,
        elements=elements,
    )
    return found.with_outcomes_of(given)


def _fields_to_slice(
    by: Sequence[str],
    tables: Mapping[str, StatsTable],
    elements: Mapping[str, Sequence[ElementTable]],
    *,
    required: bool,
) -> tuple[str, ...]:
    """Those fields that all results can be sliced by; a required one that cannot is an error."""
    attributes = next(iter(tables.values())).attributes
    fields = [{each.field for each in own} for own in elements.values()]
    shared, some = set.intersection(*fields), set.union(*fields)
    for name in by if required else ():
        if name in attributes or name in shared:
            continue
        if name in some or "." in name:
            hint = f"score and save all systems with --by {name}"
            raise UsageError(f"these results were not all saved with slices by {name}", hint=hint)
        known = [*attributes, *sorted(shared)]
        hint = did_you_mean(name, known) or (f"fields: {', '.join(known)}" if known else "score with --by and --save")
        raise UsageError(f"these results have no field {name!r} to slice by", hint=hint)
    return tuple(name for name in dict.fromkeys(by) if name in attributes or name in shared)


def _saved_options(result: Result) -> Options:
    if result.options is None or not result.measures:
        names = ", ".join(system.name for system in result.systems)
        raise UsageError(
            f"the result of {names} has no counts per document", hint="write it with --save or Result.save"
        )
    return result.options


def _refuse_incomparable(first: Result, other: Result) -> None:
    """Numbers obtained in different ways are not compared; the error names the ways."""
    mine, yours = _saved_options(first), _saved_options(other)
    pairs: list[tuple[str, object, object]] = [
        ("task", first.task, other.task),
        ("profile", first.profile, other.profile),
        ("pool", mine.pool, yours.pool),
    ]
    names = dict.fromkeys([*mine.fields, *yours.fields])
    pairs += [(name, mine.fields.get(name), yours.fields.get(name)) for name in names if name != "in"]
    differing = [f"{name} ({a} and {b})" for name, a, b in pairs if a != b]
    if not differing and first.measures != other.measures:
        changed = {
            m.name for m in first.measures + other.measures if m not in first.measures or m not in other.measures
        }
        differing = [f"measures ({', '.join(sorted(changed)) or 'their order'})"]
    if differing:
        hint = "score the systems in the same way"
        raise UsageError(f"these results cannot be compared, they differ in {', '.join(differing)}", hint=hint)


def _same_documents(tables: Mapping[str, StatsTable], name: str, table: StatsTable) -> StatsTable:
    """The table in the order of the first one, or an error that says which documents differ."""
    if not tables:
        return table
    first, reference = next(iter(tables.items()))
    ours, theirs = set(reference.ids), set(table.ids)
    for one, other, ids in (
        (first, name, [i for i in reference.ids if i not in theirs]),
        (name, first, [i for i in table.ids if i not in ours]),
    ):
        if ids:
            listed = ", ".join(ids[:_SHOWN]) + (f" and {len(ids) - _SHOWN} more" if len(ids) > _SHOWN else "")
            hint = "score the systems on the same documents"
            raise UsageError(
                f"{one} was scored on {len(ids)} document{'s' * (len(ids) != 1)} that {other} was not: {listed}",
                hint=hint,
            )
    return table.select(reference.ids)
