"""A saved estimate as a result, for `compare` and `report`: pseudo-counts per document, documents as a sample."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from adjudge.estimates.rows import Estimate
from adjudge.stats.build import Counts, Scoring, build_result
from adjudge.stats.inference import Inference
from adjudge.stats.result import Note, Result
from adjudge.stats.scores import headlines
from adjudge.stats.table import StatsTable


def result_of(estimate: Estimate) -> Result:
    """The estimate as a result whose documents are a sample, from its pseudo-counts.

    These carry the noise of the sample already, so that nothing is drawn inside a document again.
    """
    tables = estimate.table if estimate.unit == "item" else _pseudo_counts(estimate)
    sample = f"{estimate.n} of {estimate.of} {estimate.unit}s were assessed"
    note = Note("estimated", estimate.n, f"{sample}: counts are estimates from that sample ({estimate.assist})")
    scoring = Scoring(
        task="estimate",
        profile=f"{estimate.unit}s",
        measures=estimate.measures,
        inference=Inference(level=estimate.level, interval="jackknife"),
        fields={"sample": f"{estimate.n}/{estimate.of}", "assist": estimate.assist},
    )
    result = build_result(scoring, {name: Counts(table, [note]) for name, table in tables.items()})
    return result if estimate.documents == "sample" else _as_estimated(result, estimate)


def _pseudo_counts(estimate: Estimate) -> dict[str, StatsTable]:
    """lambda c^ + drawn (c - lambda c^) / p of every document, with the weight of the first headline score."""
    key = ".".join(headlines(estimate.measures)[0])
    weight = estimate.weight.get(key, 0.0)
    found: dict[str, StatsTable] = {}
    for name, table in estimate.table.items():
        drawn = dict(zip(table.ids, table.values, strict=True))
        judged: Mapping[str, tuple[float, ...]] = {}
        if name in estimate.judged:
            own = estimate.judged[name]
            places = [own.columns.index(column) for column in table.columns]
            judged = {each: tuple(row[at] for at in places) for each, row in zip(own.ids, own.values, strict=True)}
        nothing = (0.0,) * len(table.columns)
        rows = []
        for row in estimate.design:
            guess = tuple(weight * value for value in judged.get(row.id, nothing))
            counts = drawn.get(row.id)
            if counts is not None:
                guess = tuple(g + (c - g) / row.probability for g, c in zip(guess, counts, strict=True))
            rows.append(guess)
        found[name] = StatsTable(tuple(row.id for row in estimate.design), table.columns, tuple(rows))
    return found


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
                score = msgspec.structs.replace(
                    score, value=row.value, low=row.low, high=row.high, level=estimate.level, interval="jackknife"
                )
            scores.append(score)
        systems.append(msgspec.structs.replace(system, scores=tuple(scores)))
    comparisons = []
    for each in result.comparisons:
        found = apart.get((each.a, each.b, each.metric, each.part))
        if found is not None:
            each = msgspec.structs.replace(
                each, difference=found.value, low=found.low, high=found.high, p=found.p, p_holm=found.p_holm, q=None
            )
        comparisons.append(each)
    fixed = Note("documents-fixed", 1, "intervals are about these documents: only the sample of what was read varies")
    return msgspec.structs.replace(
        result, systems=tuple(systems), comparisons=tuple(comparisons), notes=(*result.notes, fixed), ranking=()
    )
