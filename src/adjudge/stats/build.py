"""From tables to a result: values, intervals, slices, comparisons, notes, signature."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias, cast, get_args

import numpy as np

from adjudge._version import __version__
from adjudge.errors import UsageError, did_you_mean
from adjudge.stats.estimator import Additive, Estimator, slices
from adjudge.stats.measure import Measure
from adjudge.stats.reduce import Pool, undefined_documents
from adjudge.stats.resample import Samples, check_level, shared_documents
from adjudge.stats.result import Note, Options, Result, Score, Slice, SystemResult, result_fields, unique_names
from adjudge.stats.scores import corrected, draw, headlines, pair_comparisons, system_scores
from adjudge.stats.signature import SignatureValue, hash_chunks, signature
from adjudge.stats.table import StatsTable
from adjudge.stats.text import slice_text

Test: TypeAlias = Literal["paired-bootstrap", "approximate-randomisation"]

_SHOWN = 5
_OWN_CODES = ("no-documents", "one-document", "undefined", "undefined-document", "undefined-resample")


def build_result(
    *,
    task: str,
    profile: str,
    measures: Sequence[Measure],
    tables: Mapping[str, StatsTable],
    pool: Pool = "micro",
    by: Sequence[str] = (),
    bootstrap: int = 1000,
    level: float = 0.95,
    seed: int = 13,
    test: Test = "paired-bootstrap",
    headline: Mapping[str, str] | None = None,
    notes: Mapping[str, Sequence[Note]] | None = None,
    signature_fields: Mapping[str, SignatureValue] | None = None,
) -> Result:
    """The result of one or several systems from their tables, which are over the same documents.

    `by` slices by attributes of the documents, one attribute at a time. All pairs of systems are compared on the
    `headline` part of each metric (by default its last part that is not a count). With `bootstrap=0` there are no
    intervals and no p values. A slice is resampled by itself, as if only its documents had been scored.

    >>> from adjudge.stats.measure import Prf
    >>> f1 = Prf("set.f1", ("matched", "system"), ("matched", "gold"))
    >>> table = StatsTable(("d1", "d2"), ("matched", "system", "gold"), [[1, 2, 2], [3, 4, 3]])
    >>> result = build_result(task="score", profile="default", measures=[f1], tables={"A": table}, bootstrap=100)
    >>> result["set.f1"].f1
    0.7273 [0.5000, 0.8571]
    """
    measures = tuple(measures)
    return build_from_estimators(
        task=task,
        profile=profile,
        estimators={name: Additive(table, measures, pool) for name, table in tables.items()},
        by=by,
        bootstrap=bootstrap,
        level=level,
        seed=seed,
        test=test,
        headline=headline,
        notes=notes,
        signature_fields=signature_fields,
    )


def build_from_estimators(
    *,
    task: str,
    profile: str,
    estimators: Mapping[str, Estimator],
    by: Sequence[str] = (),
    bootstrap: int = 1000,
    level: float = 0.95,
    seed: int = 13,
    test: Test = "paired-bootstrap",
    headline: Mapping[str, str] | None = None,
    notes: Mapping[str, Sequence[Note]] | None = None,
    signature_fields: Mapping[str, SignatureValue] | None = None,
) -> Result:
    """The same for any estimators, so also for metrics that do not add over documents.

    Those are saved without a table, and cannot be tested by approximate randomisation.
    """
    if not estimators:
        raise UsageError("no system to score")
    if bootstrap < 0:
        raise UsageError(f"bootstrap is {bootstrap}", hint="give 0 to turn intervals off")
    if test not in get_args(Test):
        raise UsageError(
            f"no test {test}", hint=did_you_mean(test, get_args(Test)) or f"tests: {', '.join(get_args(Test))}"
        )
    first = next(iter(estimators.values()))
    pools = sorted({estimator.pool for estimator in estimators.values()})
    if len(pools) > 1:
        raise UsageError(f"systems pooled differently cannot stand in one result: {', '.join(pools)}")
    documents = shared_documents({name: estimator.ids for name, estimator in estimators.items()})
    if any(estimator.keys != first.keys for estimator in estimators.values()):
        raise UsageError("the systems of one result need the same metrics and parts")
    options = Options(
        pool=first.pool,
        by=tuple(by),
        bootstrap=bootstrap,
        level=check_level(level),
        seed=seed,
        test=test,
        fields=dict(signature_fields or {}),
    )
    keys = headlines(first, headline or {})
    corpora: list[tuple[Slice, Mapping[str, Estimator]]] = [({}, estimators)]
    for field in by:
        for value, ids in slices(first, field).items():
            corpora.append(({field: value}, {name: estimator.select(ids) for name, estimator in estimators.items()}))
    scores: dict[str, list[Score]] = {name: [] for name in estimators}
    remarks: dict[str, list[Note]] = {name: list((notes or {}).get(name, ())) for name in estimators}
    comparisons = []
    for where, members in corpora:
        samples = draw(members, options)
        for name, estimator in members.items():
            scores[name] += system_scores(name, estimator, samples, options, where)
            remarks[name] += _notes(name, estimator, samples, where)
        comparisons += pair_comparisons(members, samples, keys, options, where)
    systems = [
        SystemResult(
            name=name,
            documents=documents,
            scores=tuple(scores[name]),
            notes=tuple(remarks[name]),
            table=estimator.table.to_struct() if isinstance(estimator, Additive) else None,
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
        measures=first.measures if isinstance(first, Additive) else (),
        options=options,
    )


def compare(
    results: Sequence[Result],
    *,
    by: Sequence[str] | None = None,
    bootstrap: int | None = None,
    level: float | None = None,
    seed: int | None = None,
    test: Test | None = None,
    headline: Mapping[str, str] | None = None,
) -> Result:
    """One result of all the systems of saved results, recomputed from their tables without scoring again.

    The results must agree on task, profile, measures, pooling, conventions and documents. What is not given is taken
    from the first result.
    """
    if not results:
        raise UsageError("nothing to compare", hint="give at least one saved result")
    first, options = results[0], _saved_options(results[0])
    for other in results[1:]:
        _refuse_incomparable(first, other)
    unique_names(system.name for result in results for system in result.systems)
    tables: dict[str, StatsTable] = {}
    notes: dict[str, tuple[Note, ...]] = {}
    for system in (system for result in results for system in result.systems):
        table = system.stats()
        if table is None:
            raise UsageError(
                f"the result of {system.name} has no counts per document", hint="write it with --save or Result.save"
            )
        tables[system.name] = _same_documents(tables, system.name, table)
        notes[system.name] = tuple(note for note in system.notes if note.code not in _OWN_CODES)
    inputs = [str(_saved_options(result).fields["in"]) for result in results if "in" in _saved_options(result).fields]
    fields = {name: value for name, value in options.fields.items() if name != "in"}
    if inputs:
        fields["in"] = inputs[0] if len(inputs) == 1 else hash_chunks(text.encode() for text in inputs)
    return build_result(
        task=first.task,
        profile=first.profile,
        measures=first.measures,
        tables=tables,
        pool=cast(Pool, options.pool),
        by=options.by if by is None else by,
        bootstrap=options.bootstrap if bootstrap is None else bootstrap,
        level=options.level if level is None else level,
        seed=options.seed if seed is None else seed,
        test=cast(Test, options.test) if test is None else test,
        headline=headline,
        notes=notes,
        signature_fields=fields,
    )


def _notes(name: str, estimator: Estimator, samples: Samples | None, where: Slice) -> list[Note]:
    """What the numbers do not say of themselves."""
    place = f" in {slice_text(where)}" if where else ""
    documents = len(estimator.ids)
    if documents == 0:
        return [Note("no-documents", 0, f"there are no documents{place}, so nothing was scored")]
    notes = []
    if documents == 1 and samples:
        notes.append(Note("one-document", 1, f"with one document{place} the interval cannot show any uncertainty"))
    points = samples.points[name] if samples else estimator.point()
    undefined = [" ".join(key) for key in estimator.keys if np.isnan(points[key])]
    if undefined:
        message = f"{len(undefined)} of {len(estimator.keys)} scores{place} are undefined (nothing to divide by)"
        notes.append(Note("undefined", len(undefined), message, tuple(undefined[:_SHOWN])))
    if isinstance(estimator, Additive) and estimator.pool == "macro" and not where:
        left_out: dict[tuple[str, tuple[str, ...]], list[str]] = {}
        for (metric, part), ids in undefined_documents(estimator.table, estimator.measures).items():
            left_out.setdefault((metric, ids), []).append(part)
        for (metric, ids), parts in left_out.items():
            message = f"the mean of {metric} {', '.join(parts)} leaves out {_documents(len(ids))} without a value"
            notes.append(Note("undefined-document", len(ids), message, ids[:_SHOWN]))
    for metric, part in estimator.keys if samples else ():
        missing = int(np.isnan(samples.values[name][metric, part]).sum()) if samples else 0
        if missing and not np.isnan(points[metric, part]):
            message = f"the interval of {metric} {part}{place} leaves out resampled corpora without a value"
            notes.append(Note("undefined-resample", missing, message))
    return notes


def _documents(number: int) -> str:
    return f"{number} document{'s' * (number != 1)}"


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
            raise UsageError(f"{one} was scored on {_documents(len(ids))} that {other} was not: {listed}", hint=hint)
    return table.select(reference.ids)
