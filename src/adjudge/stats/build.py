"""From tables to a result: values, intervals, slices, comparisons, notes, signature.

Points are plain arithmetic; numpy is loaded only when something is resampled, because importing it takes longer than
scoring a small corpus.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, cast

import msgspec
from msgspec.structs import replace

from adjudge._version import __version__
from adjudge.errors import UsageError, did_you_mean
from adjudge.stats.elements import ElementTable, element_corpora
from adjudge.stats.inference import FEW, FEWEST_CLUSTERS, Inference, SignatureValue, signature
from adjudge.stats.measure import Key, Measure, part_keys
from adjudge.stats.notes import inference_notes, scope_notes, summed_up
from adjudge.stats.points import Additive, Pool
from adjudge.stats.result import (
    Comparison,
    Note,
    Options,
    Result,
    Score,
    Slice,
    Standing,
    SystemResult,
    result_fields,
)
from adjudge.stats.scores import (
    Drawing,
    Scope,
    corrected,
    family_sizes,
    gather,
    headlines,
    how_of,
    pair_comparisons,
    saved_drawing,
    system_scores,
)
from adjudge.stats.table import StatsTable, cluster_names, shared_documents


class Scoring(msgspec.Struct, frozen=True, kw_only=True):
    """How counts become a result.

    `by` slices by attributes of the documents or by fields of their elements, one at a time. `inference` says how
    intervals and tests are made, `drawing` how corpora are drawn if not in the usual way. All pairs of systems are
    compared on the `headline` part of each metric (by default its last part that is not a count). `fields` are the
    conventions that the signature names, `unsaved` fields of documents that are not attributes of the tables.
    """

    task: str
    profile: str
    measures: Sequence[Measure]
    pool: str = "micro"
    by: tuple[str, ...] = ()
    inference: Inference = msgspec.field(default_factory=Inference)
    fields: Mapping[str, SignatureValue] = {}
    headline: Mapping[str, str] = {}
    drawing: Drawing = Drawing()
    unsaved: tuple[str, ...] = ()


class Counts(msgspec.Struct, frozen=True):
    """What was counted of one system.

    `best` has the rows of documents whose search was cut short, with the highest counts possible; `elements` the
    counts by fields of elements; `notes` what a reader should know besides the numbers.
    """

    table: StatsTable
    notes: Sequence[Note] = ()
    best: StatsTable | None = None
    elements: Sequence[ElementTable] = ()


class Scored(NamedTuple):
    """The scores of every system in all scopes, notes on them, comparisons not yet corrected, and the first scope."""

    scores: dict[str, list[Score]]
    notes: dict[str, list[tuple[Slice, Note]]]
    comparisons: list[Comparison]
    whole: Scope

    def system_notes(self, name: str) -> list[Note]:
        """The notes on one system, with those that say the same of several slices merged."""
        return summed_up(self.notes[name]) if self.notes[name] else []


def build_result(scoring: Scoring, systems: Mapping[str, Counts]) -> Result:
    """The result of one or several systems from their tables, which have the same documents.

    A slice is resampled on its own, as if only its documents had been scored.

    >>> from adjudge.stats.measure import Prf
    >>> f1 = Prf("set.f1", ("matched", "system"), ("matched", "gold"))
    >>> rows = [[1, 2, 2], [3, 4, 3], [2, 2, 3], [4, 5, 4]]
    >>> table = StatsTable(("d1", "d2", "d3", "d4"), ("matched", "system", "gold"), rows)
    >>> build_result(Scoring(task="score", profile="default", measures=[f1]), {"A": Counts(table)})["set.f1"].f1
    0.8000 [0.5074, 0.9395]
    """
    if not systems:
        raise UsageError("no system to score")
    inference = scoring.inference
    corpora = corpora_of(scoring, systems)
    whole = corpora[0][1]
    first = next(iter(whole.values()))
    options, tests = options_of(
        scoring, len(systems), [where for where, _ in corpora], len(first.ids) if inference.cluster_by else None
    )
    keys = headlines(scoring.measures, scoring.headline)
    scopes = []
    for where, each in corpora:
        one = next(iter(each.values()))
        known = part_keys(one.measures)
        how = how_of(options, len(one.ids), tests[tuple(where)], scoring.drawing)
        scopes.append(Scope(where, len(one.table.ids), [key for key in keys if key in known], how, each))
    found = scored(gather(scopes), list(systems))
    sizes = [(each.slice, each.documents) for each in scopes]
    notes = inference_notes(options, sizes, found.scores, found.comparisons)
    if options.clusters is not None and options.bootstrap:
        notes.append(cluster_note(options.cluster_by, first, keys[0]))
    members = [
        SystemResult(
            name=name,
            documents=found.whole.documents,
            scores=tuple(found.scores[name]),
            notes=(*own.notes, *found.system_notes(name)),
            table=replace(own.table),  # without the cached arrays
            best=None if (best := whole[name].best) is None else _unfinished(own.table, best),
            elements=tuple(own.elements),
        )
        for name, own in systems.items()
    ]
    return result_from(scoring, options, members, found.whole, found.comparisons, notes)


def options_of(
    scoring: Scoring, systems: int, slices: Sequence[Slice], clusters: int | None
) -> tuple[Options, dict[tuple[str, ...], int]]:
    """How the numbers of a result are obtained, and the resamples of the tests of each family of slices."""
    inference, families = scoring.inference, family_sizes(systems, slices)
    options = Options(
        bootstrap=inference.resamples,
        level=inference.level,
        seed=inference.seed,
        test=inference.test,
        interval=inference.interval,
        resamples=inference.of_families(families),
        pool=scoring.pool,
        by=tuple(scoring.by),
        fields=dict(scoring.fields),
        draws=scoring.drawing.name,
        unsaved=scoring.unsaved,
        cluster_by=inference.cluster_by,
        clusters=clusters,
    )
    return options, {fields: inference.for_tests(size) for fields, size in families.items()}


def scored(scopes: Iterable[Scope], names: Sequence[str]) -> Scored:
    """Scores and comparisons of some systems in all scopes, of which the first is the whole corpus."""
    found = None
    for scope in scopes:
        found = found or Scored({name: [] for name in names}, {name: [] for name in names}, [], scope)
        for name, evidence in scope.evidence.items():
            scores = system_scores(evidence, scope.how, scope.slice)
            notes = scope_notes(scope.estimators.get(name), evidence, scope.how, scores, scope.slice)
            found.scores[name] += scores
            found.notes[name] += [(scope.slice, note) for note in notes]
        found.comparisons.extend(
            pair_comparisons(scope.evidence, scope.tested, scope.how, scope.slice, scope.documents, scope.estimators)
        )
    assert found is not None
    return found


def result_from(
    scoring: Scoring,
    options: Options,
    systems: Sequence[SystemResult],
    whole: Scope,
    comparisons: Sequence[Comparison],
    notes: Sequence[Note],
) -> Result:
    """The parts of a result put together: with the rankings, the signature, and p and q corrected for their number."""
    ranking: tuple[Standing, ...] = ()
    if len(systems) > 1:
        from adjudge.stats.ranking import headline_standings

        scores = {each.name: each.scores for each in systems}
        ranking = headline_standings(whole.evidence, whole.tested, scores, options.level)
    fields = result_fields(scoring.profile, systems[0].documents, len(systems), options)
    return Result(
        adjudge=__version__,
        task=scoring.task,
        profile=scoring.profile,
        signature=signature(scoring.task, fields),
        systems=tuple(systems),
        comparisons=corrected(comparisons, scoring.measures),
        notes=tuple(notes),
        ranking=ranking,
        measures=tuple(scoring.measures),
        options=options,
    )


def corpora_of(scoring: Scoring, systems: Mapping[str, Counts]) -> list[tuple[Slice, dict[str, Additive]]]:
    """The systems on the whole corpus, then on every slice of it, their documents in clusters or within strata."""
    measures, pool = tuple(scoring.measures), cast(Pool, scoring.pool)
    whole = {
        name: Additive(own.table.checked(), measures, pool, None if own.best is None else own.table.replaced(own.best))
        for name, own in systems.items()
    }
    if len(systems) > 1:
        shared_documents({name: own.table.ids for name, own in systems.items()})
    corpora: list[tuple[Slice, dict[str, Additive]]] = [({}, whole)]
    for field in scoring.by:
        tables = {name: each for name, own in systems.items() for each in own.elements if each.field == field}
        if len(tables) == len(systems):
            ids = next(iter(whole.values())).ids
            corpora += [({field: value}, found) for value, found in element_corpora(tables, ids, measures, pool)]
        else:
            parts = next(iter(whole.values())).table.slices(field)
            corpora += [
                ({field: value}, {name: own.select(part.ids) for name, own in whole.items()}) for value, part in parts
            ]
    corpora = _clustered(corpora, scoring.inference.cluster_by)
    if (within := scoring.drawing.within) is None:
        return corpora
    return [(where, {name: _within(own, within) for name, own in each.items()}) for where, each in corpora]


def saved_corpora(
    result: Result, by: Sequence[str] = (), measures: Sequence[Measure] | None = None
) -> list[tuple[Slice, dict[str, Additive]]]:
    """The same of a result that has its counts: what was drawn for it, on the whole corpus and on its slices."""
    options, tables = result.saved, result.tables()
    scoring = Scoring(
        task=result.task,
        profile=result.profile,
        measures=result.measures if measures is None else measures,
        pool=options.pool,
        by=tuple(by),
        inference=Inference(cluster_by=options.cluster_by),
        drawing=saved_drawing(options.draws),
    )
    counts = {each.name: Counts(tables[each.name], elements=each.elements) for each in result.systems}
    return corpora_of(scoring, counts)


def _clustered(
    corpora: list[tuple[Slice, dict[str, Additive]]], field: str | None
) -> list[tuple[Slice, dict[str, Additive]]]:
    """Every corpus with its documents in clusters; a document without a value of the field is its own."""
    if field is None:
        return corpora
    table = next(iter(corpora[0][1].values())).table
    known = table.attributes
    if field not in known:
        hint = did_you_mean(field, known) or (f"fields: {', '.join(known)}" if known else "these documents have none")
        raise UsageError(f"the documents have no field {field!r} to cluster by", hint=hint)
    names = dict(zip(table.ids, cluster_names(field, table.ids, known[field]), strict=True))
    refuse_few_clusters(len(set(names.values())), field)
    found: list[tuple[Slice, dict[str, Additive]]] = []
    for where, systems in corpora:
        clusters = tuple(names[each] for each in next(iter(systems.values())).table.ids)
        found.append((where, {name: replace(own, clusters=clusters) for name, own in systems.items()}))
    return found


def _within(system: Additive, field: str) -> Additive:
    """The same system with its documents drawn within those that have the same value of the field."""
    return replace(system, strata=tuple(map(str, system.table.attributes[field])))


def refuse_few_clusters(number: int, field: str) -> None:
    """Raise if there are not enough clusters for intervals."""
    if number < FEWEST_CLUSTERS:
        message = f"{number} clusters by {field} are too few for intervals"
        raise UsageError(message, hint=f"at least {FEWEST_CLUSTERS} are needed; leave --cluster-by out")


def cluster_note(field: str | None, counts: Additive, key: Key) -> Note:
    """How many clusters there are, and how much they widen an interval: (s of clusters / s of documents)^2."""
    import numpy as np

    from adjudge.stats.intervals import Parts, jackknife_error

    alone = replace(counts, clusters=None)
    errors = [jackknife_error(Parts(0.0, each.left_out()[key], np.empty(0))) for each in (counts, alone)]
    effect = (errors[0] / errors[1]) ** 2 if errors[0] is not None and errors[1] else None
    return clusters_note((field, len(set(counts.clusters or ()))), len(counts.table.ids), key, effect)


def clusters_note(clusters: tuple[str | None, int], documents: int, key: Key, effect: float | None) -> Note:
    """By which field how many clusters there are, and the design effect."""
    field, number = clusters
    message = f"{documents} documents are drawn in {number} clusters by {field}"
    if effect is not None:
        message += f"; the design effect on {' '.join(key)} is {effect:.2f}"
    if number < FEW:
        message += f"; below {FEW} clusters intervals and tests are rough"
    return Note("clusters", number, message)


def _unfinished(table: StatsTable, best: StatsTable) -> StatsTable | None:
    """The rows whose search was cut short."""
    rows = zip(table.ids, table.values, best.values, strict=True)
    cut = {name: possible for name, found, possible in rows if found != possible}
    return StatsTable(tuple(cut), table.columns, tuple(cut.values())) if cut else None
