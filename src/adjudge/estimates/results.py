"""A saved estimate as a result, for `compare` and `report`: pseudo-counts per document, documents as a sample."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from adjudge.estimates.design import units_named
from adjudge.estimates.rows import VARIES, Estimate
from adjudge.stats.build import Counts, Scoring, build_result
from adjudge.stats.inference import Inference
from adjudge.stats.ranking import standings_by
from adjudge.stats.result import Note, Result
from adjudge.stats.table import StatsTable


def result_of(estimate: Estimate) -> Result:
    """The estimate as a result whose documents are a sample, from its pseudo-counts.

    They already contain the noise of the sample, so that nothing is resampled within documents.
    """
    tables = estimate.pseudo or estimate.table
    note = _estimated(estimate, "sample")
    scoring = Scoring(
        task="estimate",
        profile=units_named(estimate.unit),
        measures=estimate.measures,
        inference=Inference(level=estimate.level, interval="jackknife", cluster_by=_clusters(estimate, tables)),
        fields={"sample": f"{estimate.n}/{estimate.of}", "assist": estimate.assist},
    )
    return build_result(scoring, {name: Counts(table, [note]) for name, table in tables.items()})


def _clusters(estimate: Estimate, tables: Mapping[str, StatsTable]) -> str | None:
    """The field of clusters, if it is known of all documents that have counts (a judge's result may lack it)."""
    field = estimate.cluster_by
    return field if field in next(iter(tables.values())).attributes else None


def _estimated(estimate: Estimate, documents: str) -> Note:
    """How the counts were estimated, and what varies."""
    sample = f"{estimate.n} of {estimate.of} {units_named(estimate.unit)} were assessed"
    how = f"counts are estimates from that sample (assist {estimate.assist}, method design, {VARIES[documents]})"
    return Note("estimated", estimate.n, f"{sample}: {how}")


def without_documents(result: Result) -> Result:
    """Without counts per document: of what is estimated, single documents have no scores that mean anything."""
    return msgspec.structs.replace(
        result, systems=tuple(msgspec.structs.replace(each, table=None) for each in result.systems)
    )


def as_estimated(result: Result, estimate: Estimate) -> Result:
    """With the intervals, tests and ranks of the estimate, in which the documents are fixed."""
    rows = {(row.system, row.metric, row.part): row for row in estimate.scores if not row.slice}
    apart = {(row.a, row.b, row.metric, row.part): row for row in estimate.differences if not row.slice}
    systems = []
    for system in result.systems:
        scores = []
        for score in system.scores:
            row = rows.get((system.name, score.metric, score.part))
            if row is not None:
                # Without events the interval says nothing, as in the table of the estimate.
                low, high = (None, None) if row.events == 0 else (row.low, row.high)
                score = msgspec.structs.replace(
                    score, value=row.value, low=low, high=high, level=estimate.level, interval="jackknife"
                )
            scores.append(score)
        notes = (_estimated(estimate, "fixed"), *(note for note in system.notes if note.code != "estimated"))
        systems.append(msgspec.structs.replace(system, scores=tuple(scores), notes=notes))
    comparisons = []
    for each in result.comparisons:
        found = apart.get((each.a, each.b, each.metric, each.part))
        if found is not None:
            each = msgspec.structs.replace(
                each,
                difference=found.value,
                low=found.low,
                high=found.high,
                p=found.p,
                p_holm=found.p_holm,
                q=found.q,
                wins=None,
                detectable=found.detectable(),
            )
        comparisons.append(each)
    ranks = {row.system: (row.best, row.worst) for row in estimate.ranking}
    by_name = {system.name: system.scores for system in systems}
    ranking = standings_by(estimate.ranked_by, by_name, sets=ranks) if estimate.ranked_by and ranks else ()
    fixed = Note("documents-fixed", 1, "intervals are about these documents: only the sample of what was read varies")
    return msgspec.structs.replace(
        result, systems=tuple(systems), comparisons=tuple(comparisons), notes=(*result.notes, fixed), ranking=ranking
    )
