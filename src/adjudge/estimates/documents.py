"""Estimates from counts of whole documents that were drawn and assessed, in one round or several."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import msgspec
import numpy as np

from adjudge._version import __version__
from adjudge.errors import UsageError, ValidationError, did_you_mean, some_of
from adjudge.estimates.design import Design
from adjudge.estimates.pool import Drawn
from adjudge.estimates.rows import (
    VARIES,
    DifferenceRow,
    Estimate,
    How,
    ScoreRow,
    corrected,
    difference,
    interval,
    refuse_many,
    sample_notes,
)
from adjudge.estimates.whole import Documents, WholeEstimate, estimate_whole, values_of
from adjudge.stats.build import clusters_note, refuse_few_clusters
from adjudge.stats.inference import FEW
from adjudge.stats.measure import Array, Key, Measure, count_keys, needed_measures, part_keys
from adjudge.stats.result import Note
from adjudge.stats.scores import headlines
from adjudge.stats.table import StatsTable, cluster_names

_LARGE = 0.25
_SHOWN = 5


class Counted(NamedTuple):
    """Counts of every system on the documents that people assessed, and of a judge on all documents."""

    measures: tuple[Measure, ...]
    assessed: Mapping[str, StatsTable]
    judged: Mapping[str, StatsTable] = {}


class Mixed(NamedTuple):
    """One score of all systems from all rounds: totals by planned size, variances by its squares."""

    values: Array
    rounds: Sequence[tuple[float, WholeEstimate]]

    @property
    def weight(self) -> float:
        """The weight of the judge, over the rounds."""
        return math.fsum(share * each.weight for share, each in self.rounds)

    def variance(self, a: int, b: int | None, *, sampled: bool) -> tuple[float, float]:
        """The variance of a score, or of a difference, and its degrees of freedom (Satterthwaite)."""
        parts = [
            (share * share * each.variance(a, b), each.freedom) for share, each in self.rounds if len(each.left_out)
        ]
        fixed = math.fsum(value for value, _ in parts)
        more = math.fsum(share * each.alone(a, b) for share, each in self.rounds) if sampled else 0.0
        if not parts:
            return more, len(self.rounds[0][1].departures) - 1.0 if sampled else 0.0
        bottom = math.fsum(value * value / freedom for value, freedom in parts)
        return fixed + more, fixed * fixed / bottom if len(parts) > 1 and bottom else parts[0][1]


def estimate_documents(counted: Counted, design: Design, how: How) -> Estimate:
    """Any score whose counts add over documents, from the drawn documents."""
    if design.unit != "document":
        raise UsageError("the design draws items", hint="draw documents: adjudge sample POOL --by document")
    everything = sorted({row.id for row in design.rows})
    drawn = sorted(design.drawn)
    _refuse_missing(counted, drawn, everything)
    some = next(iter(counted.assessed.values()))
    systems = list(counted.assessed)
    refuse_many(len(systems))
    notes = sample_notes(sorted(set(some.ids) - set(drawn)))
    clusters, own = _clusters(some, drawn, how)
    notes += own
    rounds = _rounds(counted, design, everything, clusters)
    scores: list[ScoreRow] = []
    differences: list[DifferenceRow] = []
    weights: dict[str, float] = {}
    carried: dict[str, float] = {}
    pseudo = None
    first = headlines(counted.measures)[0]
    for key in part_keys(counted.measures):
        if key in count_keys(counted.measures):
            continue
        measures = needed_measures(counted.measures, [key])
        found = [(share, estimate_whole(measures, key, each)) for share, each in rounds]
        totals = np.sum([share * each.totals for share, each in found], axis=0)
        mixed = Mixed(values_of(measures, key, some.columns, totals), found)
        for name, *shares in zip(systems, *(each.largest_shares() for _, each in found), strict=True):
            if max(shares) > _LARGE:
                carried[" ".join((name, *key))] = max(shares)
        if counted.judged:
            weights[".".join(key)] = mixed.weight
        if key == first and clusters is not None:
            alone = mixed._replace(rounds=[(share, each.without_clusters()) for share, each in found])
            together, apart_ = (each.variance(0, None, sampled=True)[0] for each in (mixed, alone))
            effect = together / apart_ if apart_ > 0 else None
            notes.append(clusters_note((how.cluster_by, len(set(clusters.values()))), len(drawn), key, effect))
        if key == first:
            pseudo = np.sum(
                [
                    s * each.pseudo(len(everything), one.weight)
                    for (s, each), (_, one) in zip(rounds, found, strict=True)
                ],
                axis=0,
            )
        rows, apart = _rows(mixed, key, systems, (how, len(drawn), len(everything)))
        scores += rows
        differences += apart
    number = max(int(np.count_nonzero(each.open)) for _, each in rounds)
    alike = [f"{row.system} {row.metric} {row.part}" for row in scores if row.low is None]
    if alike:
        message = "no interval for scores on which all assessed documents agree: what was not read may differ"
        notes.append(Note("no-spread", len(alike), message, tuple(alike[:_SHOWN])))
    if 0 < number < FEW:
        notes.append(Note("few-documents", number, f"only {number} assessed documents: intervals are rough"))
    if carried:
        worst = sorted(carried, key=lambda name: (-carried[name], name))
        share, many = f"{carried[worst[0]]:.0%}", f"{len(worst)} of {len(scores)} scores"
        message = f"one document has up to {share} of the variance of {many}: their intervals are rough"
        if len({row.probability for row in design.rows if row.probability < 1}) == 1:
            message += "; if a few documents are much larger than others, draw by size (--by document --active)"
        notes.append(Note("one-document-carries", len(worst), message, tuple(worst[:_SHOWN])))
    assert pseudo is not None
    return Estimate(
        adjudge=__version__,
        unit="document",
        n=len(drawn),
        of=len(everything),
        assist="judge" if counted.judged else "none",
        weight=weights,
        documents=how.documents,
        cluster_by=how.cluster_by if clusters is not None else None,
        level=how.level,
        rounds=design.rounds,
        scores=tuple(scores),
        differences=corrected(differences),
        notes=tuple(notes),
        table={name: counted.assessed[name].select(drawn) for name in systems},
        pseudo=_pseudo_tables(counted, pseudo, drawn, everything),
        measures=counted.measures,
    )


def _pseudo_tables(
    counted: Counted, pseudo: Array, drawn: Sequence[str], everything: Sequence[str]
) -> dict[str, StatsTable]:
    """What is estimated of the documents: of all with a judge, else of those drawn, the others count nothing."""
    source, ids = (counted.judged, everything) if counted.judged else (counted.assessed, drawn)
    columns = next(iter(counted.assessed.values())).columns
    places = {unit: at for at, unit in enumerate(everything)}
    chosen = pseudo[[places[unit] for unit in ids]]
    return {
        name: StatsTable(tuple(ids), columns, chosen[:, at], source[name].select(ids).attributes)  # type: ignore[arg-type]
        for at, name in enumerate(counted.assessed)
    }


def _rounds(
    counted: Counted, design: Design, everything: Sequence[str], clusters: Mapping[str, int] | None
) -> list[tuple[float, Documents]]:
    """The documents of each round with its share; those assessed before count as certain."""
    columns = next(iter(counted.assessed.values())).columns
    judge = None
    if counted.judged:
        judge = np.stack([_rows_of(counted.judged[name], columns, everything) for name in counted.assessed], axis=1)
    strata = {name: at for at, name in enumerate(sorted({str(row.stratum) for row in design.rows}))}
    place = {unit: at for at, unit in enumerate(everything)}
    sizes = math.fsum(each.size for each in design.rounds)
    before: set[str] = set()
    found = []
    for each in design.rounds:
        rows = {unit: row for unit, row in design.by_round[each.number].items() if unit not in before}
        lost = [unit for unit in everything if unit not in rows and unit not in before]
        if lost:
            raise ValidationError(
                f"in round {each.number} {some_of(lost)} could not have been drawn",
                hint="draw from them: adjudge sample POOL --after DESIGN RESULT",
            )
        rows |= {unit: Drawn(id=unit, probability=1.0, drawn=True) for unit in before}
        drawn = sorted(unit for unit, row in rows.items() if row.drawn)
        apart = each.sampling == "poisson"  # strata, too, then have no fixed number
        documents = Documents(
            columns,
            np.stack([_rows_of(counted.assessed[name], columns, drawn) for name in counted.assessed], axis=1),
            np.array([rows[unit].probability for unit in drawn]),
            np.array([0 if apart else strata.get(str(rows[unit].stratum), 0) for unit in drawn]),
            judge,
            np.array([place[unit] for unit in drawn]),
            None if clusters is None else np.array([clusters[unit] for unit in drawn]),
            sum(row.probability < 1 for row in rows.values()) if apart else None,
        )
        found.append((each.size / sizes if len(design.rounds) > 1 else 1.0, documents))
        before |= set(drawn)
    return found


def _clusters(table: StatsTable, drawn: Sequence[str], how: How) -> tuple[dict[str, int] | None, list[Note]]:
    """The cluster of every drawn document, if documents are a sample in clusters."""
    field = how.cluster_by
    if field is None:
        return None, []
    if field not in table.attributes:
        hint = did_you_mean(field, table.attributes) or "score with --by and --save, so that the result has the field"
        raise UsageError(f"the documents have no field {field!r} to cluster by", hint=hint)
    if how.documents == "fixed":
        message = f"{field} changes nothing: the documents are fixed, and only which of them were drawn varies"
        return None, [Note("clusters-without-effect", 1, message)]
    some = table.select(drawn)
    names = dict(zip(drawn, cluster_names(field, some.ids, some.attributes[field]), strict=True))
    places = {name: at for at, name in enumerate(sorted(set(names.values())))}
    refuse_few_clusters(len(places), field)
    return {unit: places[name] for unit, name in names.items()}, []


def _refuse_missing(counted: Counted, drawn: Sequence[str], everything: Sequence[str]) -> None:
    for name, table in counted.assessed.items():
        lost = sorted(set(drawn) - set(table.ids))
        if lost:
            raise ValidationError(f"drawn documents that the result of {name} lacks: {', '.join(lost)}")
    if counted.judged and list(counted.judged) != list(counted.assessed):
        raise UsageError("the judge's result has different systems", hint="score the same systems against the judge")
    for name, table in counted.judged.items():
        lost = sorted(set(everything) - set(table.ids))
        if lost:
            raise ValidationError(f"documents that the judge's result of {name} lacks: {', '.join(lost)}")


def _rows_of(table: StatsTable, columns: Sequence[str], ids: Sequence[str]) -> Array:
    if set(table.columns) != set(columns):
        raise UsageError("the results have different columns", hint="score them with the same metrics and options")
    chosen = table.select(ids)
    found: Array = chosen.array[:, [chosen.columns.index(name) for name in columns]]
    return found


def _rows(
    mixed: Mixed, key: Key, systems: Sequence[str], asked: tuple[How, int, int]
) -> tuple[list[ScoreRow], list[DifferenceRow]]:
    how, n, number = asked
    sampled = how.documents == "sample"
    scores = []
    for at, system in enumerate(systems):
        value = float(mixed.values[at])
        variance, freedom = mixed.variance(at, None, sampled=sampled)
        bounds = (0.0, 1.0) if 0 <= value <= 1 else None
        low, high = interval(value, variance, freedom or 1.0, how.level, bounds)
        if n == number and not sampled:
            low = high = value
        scores.append(
            ScoreRow(
                system=system,
                metric=key[0],
                part=key[1],
                value=value,
                low=low,
                high=high,
                level=how.level,
                variance=variance,
                df=freedom or None,
                n=n,
                of=number,
                varies=VARIES[how.documents],
            )
        )
    differences = []
    for (i, a), (j, b) in combinations(enumerate(systems), 2):
        sample = {"n": n, "of": number, "varies": VARIES[how.documents]}
        names = {"a": a, "b": b, "metric": key[0], "part": key[1], **sample}
        variance, freedom = mixed.variance(i, j, sampled=sampled)
        row = difference(names, float(mixed.values[i] - mixed.values[j]), variance, freedom or 1.0, how.level)
        differences.append(msgspec.structs.replace(row, df=freedom or None))
    return scores, differences
