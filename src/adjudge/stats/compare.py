"""Saved results side by side: one result of all their systems, recomputed from their counts without scoring again."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any, TypeAlias

import msgspec

from adjudge._version import __version__
from adjudge.errors import UsageError, did_you_mean, some_of
from adjudge.stats.build import Counts, Scoring, build_result
from adjudge.stats.elements import joined
from adjudge.stats.inference import Inference, SignatureValue, hash_chunks, inherited, signature
from adjudge.stats.measure import Fields, Measure
from adjudge.stats.notes import DRAWN, inference_notes
from adjudge.stats.ranking import headline_standings
from adjudge.stats.result import (
    Comparison,
    Note,
    Options,
    Result,
    SampledCounts,
    SystemResult,
    result_fields,
    unique_names,
)
from adjudge.stats.scores import (
    POOL,
    Evidence,
    How,
    corrected,
    headline_keys,
    how_of,
    pair_comparisons,
    sampled,
    saved_drawing,
    system_scores,
    whole_differences,
)
from adjudge.stats.table import StatsTable
from adjudge.stats.text import slice_key

NOTCH = 1.57  # McGill, Tukey and Larsen 1978
_SHOWN = 5


def compare(
    *results: Result | Iterable[Result],
    by: Sequence[str] | None = None,
    bootstrap: int | None = None,
    level: float | None = None,
    seed: int | None = None,
    test: str | None = None,
    interval: str | None = None,
    cluster_by: str | None = None,
    headline: Mapping[str, str] | None = None,
) -> Result:
    """One result of all the systems of saved results, recomputed from their tables without scoring again.

    The results, given one by one or as a list, must agree on task, profile, measures, pooling, conventions and
    documents. Options that are not given are taken from the first result. Documents that were saved are kept.
    """
    given = [each for one in results for each in ((one,) if isinstance(one, Result) else one)]
    for each in given:
        if not isinstance(each, Result):
            hint = "give results, as aj.score returns them; result.renamed gives their systems other names"
            raise UsageError(f"cannot compare {type(each).__name__}", hint=hint)
    if not given:
        raise UsageError("nothing to compare", hint="give at least one saved result")
    given = with_same_fields(given)
    options = given[0].saved
    for other in given[1:]:
        _refuse_incomparable(given[0], other)
    unique_names(system.name for result in given for system in result.systems)
    inference = inherited(options, bootstrap=bootstrap, level=level, seed=seed, test=test, interval=interval)
    inference = inference if cluster_by is None else msgspec.structs.replace(inference, cluster_by=cluster_by)
    if options.pool == POOL and inference.cluster_by != options.cluster_by:
        message = "the samples of scores of a whole corpus are those that were saved"
        raise UsageError(message, hint="score with --cluster-by, and leave it out here")
    if options.pool == POOL:
        found = _compare_samples(given, inference, options.by if by is None else tuple(by), _joined_inputs(given))
    else:
        found = _compare_tables(given, inference, by, headline or {})
    reading = {name: each for one in reversed(given) for name, each in one.reading.items()}
    return msgspec.structs.replace(found.with_documents_of(given).signed(), reading=reading)


def _refuse_incomparable(first: Result, other: Result) -> None:
    """Numbers obtained in different ways are not compared; the error names the ways."""
    # How ends were read shows in the documents, which are in the hash of gold.
    ways = differing(first, other, *(ways_of(each, ("in", "ends")) for each in (first, other)))
    if ways:
        hint = "score the systems in the same way"
        raise UsageError(f"these results cannot be compared, they differ in {', '.join(ways)}", hint=hint)


def ways_of(result: Result, but: Collection[str]) -> dict[str, object]:
    """How the counts of a result were obtained, by the names in the signature, except some."""
    options = result.saved
    fields = {name: value for name, value in options.fields.items() if name not in but}
    return {"task": result.task, "profile": result.profile, "pool": options.pool, **fields}


def differing(first: Result, other: Result, mine: Mapping[str, object], yours: Mapping[str, object]) -> list[str]:
    """How two results differ in the ways they were obtained, or else in which measures."""
    names = [name for name in dict.fromkeys([*mine, *yours]) if mine.get(name) != yours.get(name)]
    if names or first.measures == other.measures:
        return [f"{name} ({_shown(mine.get(name))} and {_shown(yours.get(name))})" for name in names]
    both = first.measures + other.measures
    changed = sorted({m.name for m in both if m not in first.measures or m not in other.measures})
    return [f"measures ({', '.join(changed[:_SHOWN]) or 'their order'})"]


def _shown(value: object) -> str:
    if isinstance(value, tuple):
        return "+".join(map(str, value)) or "nothing"
    return "nothing" if value is None else str(value)


def _joined_inputs(given: Sequence[Result]) -> dict[str, SignatureValue]:
    """The conventions, with one hash of all inputs at the end."""
    fields = dict(given[0].saved.fields)
    inputs = [str(own["in"]) for own in (each.saved.fields for each in given) if "in" in own]
    fields.pop("in", None)
    if inputs:
        fields["in"] = inputs[0] if len(inputs) == 1 else hash_chunks(text.encode() for text in inputs)
    return fields


# ---------------------------------------------------------------------------------------------------------------------
# Counts that add over documents


def _compare_tables(
    given: Sequence[Result], inference: Inference, by: Sequence[str] | None, headline: Mapping[str, str]
) -> Result:
    first, options = given[0], given[0].saved
    tables = {name: table for each in given for name, table in each.tables().items()}
    systems: dict[str, Counts] = {}
    for system in (system for result in given for system in result.systems):
        own = tables[system.name]
        table = _same_documents(systems, system.name, own)
        notes = [note for note in system.notes if note.code not in DRAWN]
        elements = [joined([(each, own.ids)], table.ids) for each in system.elements]
        systems[system.name] = Counts(table, notes, system.best, elements)
    chosen = fields_to_slice(options.by if by is None else by, systems, required=by is not None)
    if by is None and len(chosen) < len(options.by):
        lost = ", ".join(name for name in options.by if name not in chosen)
        note = Note("no-slices", 1, f"there are no slices by {lost}: not all results were saved with them")
        systems = {name: msgspec.structs.replace(own, notes=[*own.notes, note]) for name, own in systems.items()}
    scoring = Scoring(
        task=first.task,
        profile=first.profile,
        measures=first.measures,
        pool=options.pool,
        by=chosen,
        inference=inference,
        fields=_joined_inputs(given),
        headline=headline,
        drawing=saved_drawing(options.draws),
    )
    return build_result(scoring, systems)


def _same_documents(systems: Mapping[str, Counts], name: str, table: StatsTable) -> StatsTable:
    """The table in the order of the first one, or an error that says which documents differ."""
    if not systems:
        return table
    first, reference = next((name, own.table) for name, own in systems.items())
    ours, theirs = set(reference.ids), set(table.ids)
    for one, other, ids in (
        (first, name, [i for i in reference.ids if i not in theirs]),
        (name, first, [i for i in table.ids if i not in ours]),
    ):
        if ids:
            hint = "score the systems on the same documents"
            raise UsageError(
                f"{one} was scored on {len(ids)} document{'s' * (len(ids) != 1)} that {other} was not: {some_of(ids)}",
                hint=hint,
            )
    return table.select(reference.ids)


def fields_to_slice(by: Sequence[str], systems: Mapping[str, Counts], *, required: bool) -> tuple[str, ...]:
    """Those fields that all results can be sliced by; a required one that cannot is an error."""
    attributes = next(iter(systems.values())).table.attributes
    fields = [{each.field for each in own.elements} for own in systems.values()]
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


# ---------------------------------------------------------------------------------------------------------------------
# Counts in samples of the documents

_Found: TypeAlias = "dict[Any, tuple[SampledCounts, Evidence]]"  # by the slice


def _compare_samples(
    results: Sequence[Result], inference: Inference, by: tuple[str, ...], fields: dict[str, SignatureValue]
) -> Result:
    """One result of all the systems of saved results whose counts do not add over documents.

    The samples are those that were saved, so that neither their number nor their seed can be changed. Exchanging
    documents between systems needs the items themselves, not counts: systems of different results are compared by
    the jackknife.
    """
    first, options = results[0], results[0].saved
    for other in results:
        _refuse_other_draws(options, other.saved, inference)
    for name in by:
        if any(name not in each.saved.by for each in results):
            raise UsageError(f"these results were not all saved with slices by {name}", hint=f"score with --by {name}")
    asked = (inference.interval, inference.test, inference.level)
    kept = len(results) == 1 and asked == (options.interval, options.test, options.level)
    exchanged = inference.test == "randomisation" and not kept
    if exchanged and options.test != "randomisation":
        raise UsageError(
            "saved counts cannot be exchanged between systems", hint="score the systems together, or leave --test out"
        )
    test = "jackknife" if exchanged else inference.test
    changed = msgspec.structs.replace(
        options, interval=inference.interval, test=test, level=inference.level, by=by, fields=fields
    )
    how = msgspec.structs.replace(how_of(changed), box=_box(first))
    given = [system for each in results for system in each.systems]
    found = {
        each.name: {slice_key(own.slice): (own, sampled(first.measures, own, how)) for own in each.samples}
        for each in given
    }
    # Which scores lie outside their intervals depends on the level.
    stale = () if how.level == options.level else ("percentile-misses",)
    systems = [_again(each, found[each.name], how, by, stale) for each in given]
    documents = first.systems[0].documents
    comparisons = first.comparisons if kept else _pairs(systems, found, first.measures, how, results)
    comparisons = tuple(each for each in comparisons if all(name in by for name in each.slice))
    notes = [note for note in first.notes if note.code not in (*DRAWN, "other-test")]
    scores = {each.name: each.scores for each in systems}
    notes += inference_notes(changed, [({}, documents)], scores, comparisons)
    whole = {name: own[slice_key({})][1] for name, own in found.items() if slice_key({}) in own}
    if exchanged and len(systems) > 1:
        message = "randomisation needs the triples themselves: systems of saved results are compared by the jackknife"
        notes.append(Note("other-test", 1, message))
    return msgspec.structs.replace(
        first,
        adjudge=__version__,
        signature=signature(first.task, result_fields(first.profile, documents, len(systems), changed)),
        systems=tuple(systems),
        comparisons=comparisons,
        notes=tuple(notes),
        ranking=headline_standings(whole, headline_keys(first.measures), scores, how.level),
        options=changed,
    )


def _refuse_other_draws(options: Options, other: Options, inference: Inference) -> None:
    bootstrap = options.bootstrap if inference.bootstrap is None else inference.bootstrap
    if (options.cluster_by, options.clusters) != (other.cluster_by, other.clusters):
        raise UsageError("these results were resampled by different clusters", hint="score the systems in the same way")
    for name, value, given in (("bootstrap", options.bootstrap, bootstrap), ("seed", options.seed, inference.seed)):
        if given != value:
            raise UsageError(f"these results were saved with {name} {value}", hint=f"score again with --{name} {given}")
        if getattr(other, name) != value:
            raise UsageError(
                f"these results cannot be compared, they differ in {name} ({value} and {getattr(other, name)})",
                hint="score the systems in the same way",
            )


def _box(result: Result) -> float | None:
    """The constant of the notches, if the result has box plots."""
    scores = [score for system in result.systems for score in system.scores]
    if not any(score.uncertainty is not None and score.uncertainty.box is not None for score in scores):
        return None
    notch = result.saved.fields.get("notch", NOTCH)
    return float(notch) if isinstance(notch, int | float) else NOTCH


def _again(system: SystemResult, found: _Found, how: How, by: Sequence[str], stale: Collection[str]) -> SystemResult:
    """The scores of a system at another level; those without samples stay as they are."""
    fresh = {
        (score.metric, score.part, place): score
        for place, (samples, evidence) in found.items()
        for score in system_scores(evidence, how, samples.slice)
    }
    kept = [score for score in system.scores if all(name in by for name in score.slice)]
    again = tuple(fresh.get((score.metric, score.part, slice_key(score.slice)), score) for score in kept)
    notes = tuple(note for note in system.notes if note.code not in stale)
    return msgspec.structs.replace(system, scores=again, notes=notes)


def _pairs(
    systems: Sequence[SystemResult],
    found: Mapping[str, _Found],
    measures: Sequence[Measure],
    how: How,
    results: Sequence[Result],
) -> tuple[Comparison, ...]:
    """All pairs in all samples that both have, and the differences of what was counted on all documents only."""
    sizes = {slice_key(each.slice): each.documents for result in results for each in result.comparisons}
    keys = headline_keys(measures)
    made: list[Comparison] = []
    for a, b in combinations(systems, 2):
        theirs = found[b.name]
        for place, (samples, evidence) in found[a.name].items():
            if place in theirs and theirs[place][0].columns == samples.columns:
                documents = a.documents if not place else sizes.get(place)
                both = {a.name: evidence, b.name: theirs[place][1]}
                made += pair_comparisons(both, keys, how, samples.slice, documents)
        made += whole_differences({each.name: each.scores for each in (a, b)}, keys, made)
    return corrected(made, measures)


def with_same_fields(results: Sequence[Result]) -> list[Result]:
    """The results with means over the fields of all of them; a field that one of them lacks counts nothing there."""
    every: dict[str, dict[tuple[str, str, str], None]] = {}
    for result in results:
        for each in result.measures:
            if isinstance(each, Fields):
                every.setdefault(each.name, {}).update(dict.fromkeys(each.of))
    groups = {name: tuple(sorted(found)) for name, found in every.items()}
    return [_widened(result, groups) for result in results]


def _widened(result: Result, groups: dict[str, tuple[tuple[str, str, str], ...]]) -> Result:
    own = [each for each in result.measures if isinstance(each, Fields)]
    if all(each.of == groups[each.name] for each in own):
        return result
    columns = [name for each in own for group in groups[each.name] for name in group]
    measures = tuple(
        msgspec.structs.replace(each, of=groups[each.name]) if isinstance(each, Fields) else each
        for each in result.measures
    )
    systems = tuple(
        msgspec.structs.replace(each, table=_with(each.table, columns), best=_with(each.best, columns))
        for each in result.systems
    )
    return msgspec.structs.replace(result.signed(), measures=measures, systems=systems)


def _with(table: StatsTable | None, columns: Sequence[str]) -> StatsTable | None:
    """A table with these columns at its end, whether it has them or not."""
    if table is None:
        return None
    wanted = set(columns)
    kept = [place for place, name in enumerate(table.columns) if name not in wanted]
    places = {name: place for place, name in enumerate(table.columns)}
    order = [*kept, *(places.get(name, -1) for name in columns)]
    rows = tuple(tuple([row[place] if place >= 0 else 0.0 for place in order]) for row in table.values)
    return StatsTable(table.ids, (*(table.columns[place] for place in kept), *columns), rows, table.attributes)
