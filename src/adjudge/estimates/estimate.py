"""Estimates from a pool of items, a design and verdicts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple, cast

import msgspec
import numpy as np

from adjudge._version import __version__
from adjudge.errors import UsageError, ValidationError, did_you_mean, some_of
from adjudge.estimates.bounds import Assessed, Pair, difference_bounds, score_bounds
from adjudge.estimates.design import Design, refuse_other_pool, verdicts_of
from adjudge.estimates.items import ItemEstimate, estimate_items, pool_counts
from adjudge.estimates.pool import Assist, Pool, Sample
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
from adjudge.stats.build import cluster_note, refuse_few_clusters
from adjudge.stats.inference import FEW
from adjudge.stats.intervals import Parts, jackknife_error
from adjudge.stats.measure import Array, Key, Measure, Prf
from adjudge.stats.points import Additive, scores_of
from adjudge.stats.result import Note
from adjudge.stats.scores import headlines
from adjudge.stats.table import StatsTable, cluster_names, group_rows

FEW_LABELS, FEW_EVENTS, FEWEST_SAMPLED = 30, 5, 10


# ---------------------------------------------------------------------------------------------------------------------
# Items


def estimate_pool(pool: Pool, design: Design, verdicts: Mapping[str, float], how: How) -> Estimate:
    """Precision, recall and F of every system within the pool."""
    if design.unit == "document":
        raise UsageError("the design draws whole documents", hint="give a saved result: adjudge estimate RESULT")
    refuse_other_pool(design, (item.id for item in pool.items))
    known, outside = verdicts_of(design, verdicts)
    assist = _assist(pool, how.assist)
    notes = sample_notes(outside)
    samples = _rounds(pool, design, known, how.good)
    columns = [each for _, each in samples]
    scopes: list[tuple[dict[str, Any], Any]] = [({}, None), *_slices(pool, how.by)]
    refuse_many(len(pool.systems), len(scopes))
    scores: list[ScoreRow] = []
    differences: list[DifferenceRow] = []
    tables: dict[str, StatsTable] = {}
    weights: dict[str, float] = {}
    clusters: tuple[str, ...] | None = None
    for where, scope in scopes:
        rounds = [estimate_items(each, assist, design.rounds[at].sampling, how.scored, scope) for at, each in samples]
        mixed = _Mixed.of(rounds, [float(design.rounds[at].size) for at, _ in samples], how.scored, columns, scope)
        if not where:
            tables = _pseudo_tables(pool, mixed)
            clusters = _clusters(pool, tables, how)
            weights = {} if assist != "judge" else {how.scored[0].name: rounds[-1].model.b}
        about = _About(pool, how, where, len(known))
        if how.documents == "sample":
            own = tables if not where else _pseudo_tables(pool, mixed, scope)
            counts = {name: Additive(table, how.scored, clusters=clusters) for name, table in own.items()}
            if clusters is not None and not where:
                notes.append(cluster_note(how.cluster_by, next(iter(counts.values())), headlines(how.scored)[0]))
            found, apart = _sampled_rows(about, counts)
        else:
            found, apart = _fixed_rows(about, mixed, _known_counts(pool, known, how.good, scope), scope)
        scores += found
        differences += apart
    labelled = sum(int(np.count_nonzero(each.labelled)) for _, each in samples)
    if 0 < labelled < FEW_LABELS:
        notes.append(Note("few-labels", labelled, f"only {labelled} assessed {design.units}: intervals are rough"))
    if how.documents == "fixed" and how.cluster_by:
        message = f"{how.cluster_by} changes nothing: the documents are fixed, and only the sample of items varies"
        notes.append(Note("clusters-without-effect", 1, message))
    notes.append(Note("within-pool", 1, "recall within the pool: what no system returned is not counted"))
    return Estimate(
        adjudge=__version__,
        unit=design.unit,
        n=len(known),
        of=len(pool.items),
        assist=assist,
        weight=weights,
        documents=how.documents,
        cluster_by=how.cluster_by if how.documents == "sample" else None,
        level=how.level,
        rounds=design.rounds,
        scores=tuple(scores),
        differences=corrected(differences),
        notes=tuple(notes),
        table=tables,
        measures=how.scored,
    )


def _assist(pool: Pool, asked: str) -> Assist:
    if asked == "auto":
        return "judge" if pool.judged else "constant"
    if asked == "judge" and not pool.judged:
        raise UsageError("not every item of the pool has a judge", hint="give --judge FILE, or --assist constant")
    return cast(Assist, asked)


def _rounds(
    pool: Pool, design: Design, verdicts: Mapping[str, float], good: Mapping[str, Mapping[str, float]] | None
) -> list[tuple[int, Sample]]:
    """The columns of each round; items assessed before count as certain."""
    found: list[tuple[int, Sample]] = []
    before: set[str] = set()
    for at, each in enumerate(design.rounds):
        rows = {unit: row for unit, row in design.by_round[each.number].items() if unit not in before}
        lost = [item.id for item in pool.items if item.id not in rows and item.id not in before]
        if lost:
            raise ValidationError(
                f"in round {each.number} {some_of(lost)} could not have been drawn",
                hint="draw from them: adjudge sample POOL --after DESIGN LABELS",
            )
        drawn = {unit for unit, row in rows.items() if row.drawn}
        heard = {unit: verdicts[unit] for unit in before | drawn}
        found.append((at, pool.sample(rows, heard, good)))
        before |= drawn
    return found


class _Mixed(NamedTuple):
    """Several rounds as one: pseudo-verdicts by planned size, variances by their squares."""

    pseudo: Array
    matched: Array
    values: Mapping[Key, Array]
    rounds: Sequence[ItemEstimate]
    shares: Sequence[float]
    labelled: Sequence[Sample]

    @classmethod
    def of(
        cls,
        rounds: Sequence[ItemEstimate],
        sizes: Sequence[float],
        measures: Sequence[Measure],
        samples: Sequence[Sample],
        scope: Any,
    ) -> _Mixed:
        shares = [size / sum(sizes) for size in sizes] if len(rounds) > 1 else [1.0]
        if len(rounds) == 1:
            only = rounds[0]
            return cls(only.pseudo, only.matched, only.values, rounds, shares, samples)
        pseudo = np.sum([share * each.pseudo for share, each in zip(shares, rounds, strict=True)], axis=0)
        matched = np.sum([share * each.matched for share, each in zip(shares, rounds, strict=True)], axis=0)
        scope = np.ones(len(pseudo), dtype=bool) if scope is None else scope
        counts = pool_counts(samples[0].member, (pseudo, matched), scope)
        return cls(pseudo, matched, scores_of(measures, counts), rounds, shares, samples)

    def variance(self, key: Key, a: int, b: int | None = None) -> tuple[float, float]:
        """The variance of a score, or of a difference, and its degrees of freedom (Satterthwaite)."""
        parts = []
        for share, each in zip(self.shares, self.rounds, strict=True):
            if each.spread is None:
                continue
            value = each.spread.variance(key, each.values[key], a, b)
            parts.append((share * share * value, each.spread.freedom))
        total = math.fsum(value for value, _ in parts)
        if len(parts) == 1 or total <= 0:
            return total, parts[0][1] if parts else 0.0
        return total, total * total / math.fsum(value * value / freedom for value, freedom in parts)


class _About(NamedTuple):
    pool: Pool
    how: How
    where: dict[str, Any]
    read: int

    def row(self, system: str, key: Key, **more: Any) -> ScoreRow:
        """A row, with the fields that are the same in all of them."""
        return ScoreRow(
            system=system,
            metric=key[0],
            part=key[1],
            level=self.how.level,
            n=self.read,
            of=len(self.pool.items),
            varies=VARIES[self.how.documents],
            slice=self.where,
            **more,
        )

    def pair(self, a: str, b: str, key: Key) -> dict[str, Any]:
        """The fields that are the same in all rows of differences."""
        sample = {"n": self.read, "of": len(self.pool.items), "varies": VARIES[self.how.documents]}
        return {"a": a, "b": b, "metric": key[0], "part": key[1], **sample, "slice": self.where}


def _fixed_rows(about: _About, mixed: _Mixed, known: _Known, scope: Any) -> tuple[list[ScoreRow], list[DifferenceRow]]:
    systems, how = about.pool.systems, about.how
    scores: list[ScoreRow] = []
    differences: list[DifferenceRow] = []
    for at, system in enumerate(systems):
        bounds: dict[Key, tuple[float, float]] = {}
        for measure in how.scored:
            if isinstance(measure, Prf):
                bounds |= score_bounds(known.systems[system], measure, apart=how.good is not None)
        events = _events(mixed.labelled, at, scope)
        for key, values in mixed.values.items():
            value, (variance, freedom) = float(values[at]), mixed.variance(key, at)
            sides = bounds.get(key)
            cut = value if sides is None else min(max(value, sides[0]), sides[1])
            ends = interval(value, variance, freedom, how.level, sides) if freedom else (value, value)
            if ends[0] is None and sides is not None and sides[0] == sides[1]:
                ends = sides
            notes = []
            number = events.get(key[1], FEW_EVENTS)
            if freedom and number == 0:
                notes.append("no events: only the bounds are certain")
            elif ends[0] is None:
                notes.append("all that was read is alike: only the bounds are certain")
            elif freedom and number < FEW_EVENTS:
                notes.append(f"few events ({number}): the interval is rough")
            if cut != value:
                notes.append("cut to its bounds: the sample is too small")
            scores.append(
                about.row(
                    system,
                    key,
                    value=cut,
                    low=ends[0],
                    high=ends[1],
                    variance=variance,
                    df=freedom or None,
                    bounds=sides,
                    events=number if freedom and key[1] in events else None,
                    notes=tuple(notes),
                    uncut=None if cut == value else value,
                )
            )
    for (i, a), (j, b) in combinations(enumerate(systems), 2):
        for key, values in mixed.values.items():
            variance, freedom = mixed.variance(key, i, j)
            names = about.pair(a, b, key)
            row = difference(names, float(values[i] - values[j]), variance, freedom or 1.0, how.level)
            certain = None
            if how.good is None and key[1] == f"f{how.beta:g}":
                certain = difference_bounds(known.pair(i, j), how.beta)
            differences.append(msgspec.structs.replace(row, bounds=certain, df=freedom or None))
    return scores, differences


def _events(samples: Sequence[Sample], system: int, scope: Any) -> dict[str, int]:
    """How many labels of the rarer kind each score depends on, over all rounds."""
    labelled = np.any([each.labelled for each in samples], axis=0)
    labelled = labelled if scope is None else labelled & scope
    verdict = samples[-1].verdict_of(system)  # of this round and of all before it
    own, right = samples[0].member[:, system] & labelled, labelled & (np.nan_to_num(verdict) >= 0.5)
    inside, wrong = int(np.count_nonzero(own & right)), int(np.count_nonzero(own & ~right))
    outside = int(np.count_nonzero(labelled & ~own & (np.nan_to_num(samples[-1].verdict) >= 0.5)))
    return {
        "precision": min(inside, wrong),
        "recall": min(inside, outside),
        **{name: min(inside, wrong + outside) for name in ("f1", "jaccard", "score")},
    }


class _Known(NamedTuple):
    """What is certain about every system, and how many unread items each two share."""

    systems: Mapping[str, Assessed]
    shared: Any  # systems x systems

    def pair(self, i: int, j: int) -> Pair:
        """Two systems, with the unread items by who returned them."""
        one, other = (list(self.systems.values())[at] for at in (i, j))
        both = int(self.shared[i, j])
        unread = one.unread + one.unread_others
        kinds = (one.unread - both, other.unread - both, both, unread - one.unread - other.unread + both)
        return Pair((one.matched, other.matched), (one.system, other.system), one.gold, *kinds)


def _known_counts(
    pool: Pool, verdicts: Mapping[str, float], good: Mapping[str, Mapping[str, float]] | None, scope: Any
) -> _Known:
    inside = np.ones(len(pool.items), dtype=bool) if scope is None else scope
    verdict = np.array([verdicts.get(item.id, np.nan) for item in pool.items], dtype=np.float64)
    unread = np.isnan(verdict) & inside
    heard = np.where(inside, np.nan_to_num(verdict), 0.0)
    gold, number = math.fsum(heard.tolist()), int(np.count_nonzero(unread))
    found = {}
    for at, system in enumerate(pool.systems):
        own = pool.member[:, at]
        mine = int(np.count_nonzero(own & unread))
        size = float(np.count_nonzero(own & inside))
        matched = math.fsum(heard[own].tolist())
        if good is not None:
            inside_ = (item.id for item, here in zip(pool.items, own & inside, strict=True) if here)
            matched = math.fsum(good[each].get(system, 0.0) for each in inside_ if each in verdicts)
        found[system] = Assessed(matched, gold, size, mine, number - mine)
    open_ = pool.member[unread].astype(np.float64)
    return _Known(found, open_.T @ open_)


def _pseudo_tables(pool: Pool, mixed: _Mixed, scope: Any = None) -> dict[str, StatsTable]:
    """Pseudo-counts per document."""
    names = list(pool.documents)
    place = {name: at for at, name in enumerate(names)}
    at = np.array([place[item.document] for item in pool.items])
    inside = np.ones(len(pool.items), dtype=bool) if scope is None else scope
    gold = np.bincount(at, weights=np.where(inside, mixed.pseudo, 0.0), minlength=len(names))
    found: dict[str, StatsTable] = {}
    attributes = _attributes(pool)
    for column, system in enumerate(pool.systems):
        matched = np.bincount(at, weights=np.where(inside, mixed.matched[:, column], 0.0), minlength=len(names))
        own = pool.member[:, column] & inside
        size = np.bincount(at, weights=own.astype(np.float64), minlength=len(names))
        rows = np.stack([matched, size, gold], axis=1)
        found[system] = StatsTable(tuple(names), ("matched", "system", "gold"), rows, attributes)  # type: ignore[arg-type]
    return found


def _attributes(pool: Pool) -> dict[str, tuple[Any, ...]]:
    """The fields with one value per document, such as its story: `compare` may slice or cluster by them."""
    values: dict[str, dict[str, Any]] = {name: {} for item in pool.items for name in item.attributes}
    for item in pool.items:
        for name in list(values):
            value = item.attributes.get(name)
            if values[name].setdefault(item.document, value) != value or isinstance(value, dict | list):
                del values[name]
    documents = sorted({item.document for item in pool.items})
    return {name: tuple(own[document] for document in documents) for name, own in values.items()}


def _clusters(pool: Pool, tables: Mapping[str, StatsTable], how: How) -> tuple[str, ...] | None:
    """The cluster of every document; one without a value of the field is its own."""
    if how.cluster_by is None:
        return None
    known = {name for item in pool.items for name in item.attributes}
    if how.cluster_by not in known:
        raise UsageError(f"the items have no {how.cluster_by}", hint=did_you_mean(how.cluster_by, known) or None)
    table = next(iter(tables.values()))
    if how.cluster_by not in table.attributes:
        values: dict[str, Any] = {}
        for item in pool.items:
            value = item.attributes.get(how.cluster_by)
            if values.setdefault(item.document, value) != value:
                message = f"document {item.document!r} has several values of {how.cluster_by}"
                raise UsageError(message, hint="give each document one")
        raise UsageError(f"{how.cluster_by} has lists or objects", hint="give each document a name or a number")
    clusters = cluster_names(how.cluster_by, table.ids, table.attributes[how.cluster_by])
    if how.documents == "sample":
        refuse_few_clusters(len(set(clusters)), how.cluster_by)
    return clusters


def _sampled_rows(about: _About, systems: Mapping[str, Additive]) -> tuple[list[ScoreRow], list[DifferenceRow]]:
    """The rows if documents are a sample: their pseudo-counts are resampled like any counts."""
    number = len(next(iter(systems.values())).ids)
    if number < FEWEST_SAMPLED and not about.where and not about.how.cluster_by:
        hint = f"use --documents fixed, or have at least {FEWEST_SAMPLED}"
        raise UsageError(f"{number} documents are too few to stand for others", hint=hint)
    parts: dict[tuple[str, Key], Parts] = {}
    for system, counts in systems.items():
        left = counts.left_out()
        parts |= {(system, key): Parts(value, left[key], np.empty(0)) for key, value in counts.point().items()}
    freedom = number - 1.0
    said = bool(about.how.cluster_by)  # by a note of its own
    notes = (f"only {number} documents: the interval is rough",) if number < FEW and not said else ()
    scores = []
    for (system, key), own in parts.items():
        cut = min(max(own.point, 0.0), 1.0)
        variance = (jackknife_error(own) or 0.0) ** 2
        low, high = interval(own.point, variance, freedom, about.how.level, (0.0, 1.0))
        uncut = None if cut == own.point else own.point
        more = {"value": cut, "low": low, "high": high, "variance": variance, "df": freedom, "uncut": uncut}
        scores.append(about.row(system, key, **more, notes=notes))
    differences = []
    for a, b in combinations(systems, 2):
        for key in {key: None for _, key in parts}:
            apart = parts[a, key].minus(parts[b, key])
            variance = (jackknife_error(apart) or 0.0) ** 2
            differences.append(difference(about.pair(a, b, key), apart.point, variance, freedom, about.how.level))
    return scores, differences


def _slices(pool: Pool, by: Sequence[str]) -> list[tuple[dict[str, Any], Any]]:
    found: list[tuple[dict[str, Any], Any]] = []
    known = {name for item in pool.items for name in item.attributes} | {"document"}
    for name in by:
        if name not in known:
            raise UsageError(f"the items have no {name}", hint=did_you_mean(name, known) or None)
        values = [item.document if name == "document" else item.attributes.get(name) for item in pool.items]
        for value, places in group_rows(values, [item.id for item in pool.items]):
            scope = np.zeros(len(values), dtype=bool)
            scope[places] = True
            found.append(({name: value}, scope))
    return found
