"""A saved estimate as a result, for `compare` and `report`: pseudo-counts per document, documents as a sample."""

from __future__ import annotations

import msgspec

from adjudge.estimates.design import units_named
from adjudge.estimates.rows import Estimate
from adjudge.stats.build import Counts, Scoring, build_result
from adjudge.stats.inference import Inference
from adjudge.stats.result import Note, Result


def result_of(estimate: Estimate) -> Result:
    """The estimate as a result whose documents are a sample, from its pseudo-counts.

    They already contain the noise of the sample, so that nothing is resampled within documents.
    """
    tables = estimate.pseudo or estimate.table
    sample = f"{estimate.n} of {estimate.of} {units_named(estimate.unit)} were assessed"
    note = Note("estimated", estimate.n, f"{sample}: counts are estimates from that sample ({estimate.assist})")
    scoring = Scoring(
        task="estimate",
        profile=units_named(estimate.unit),
        measures=estimate.measures,
        inference=Inference(level=estimate.level, interval="jackknife"),
        fields={"sample": f"{estimate.n}/{estimate.of}", "assist": estimate.assist},
    )
    result = build_result(scoring, {name: Counts(table, [note]) for name, table in tables.items()})
    return result if estimate.documents == "sample" else _as_estimated(result, estimate)


def _as_estimated(result: Result, estimate: Estimate) -> Result:
    """With the intervals of the estimate, in which the documents are fixed."""
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
        systems.append(msgspec.structs.replace(system, scores=tuple(scores)))
    comparisons = []
    for each in result.comparisons:
        found = apart.get((each.a, each.b, each.metric, each.part))
        if found is not None:
            each = msgspec.structs.replace(
                each, difference=found.value, low=found.low, high=found.high, p=found.p, p_holm=found.p_holm, q=found.q
            )
        comparisons.append(each)
    fixed = Note("documents-fixed", 1, "intervals are about these documents: only the sample of what was read varies")
    return msgspec.structs.replace(
        result, systems=tuple(systems), comparisons=tuple(comparisons), notes=(*result.notes, fixed), ranking=()
    )
