"""The reliability of an automatic judge: agreement, bias towards systems, calibration, and the labels it saves."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec
import numpy as np

from adjudge.errors import UsageError, did_you_mean
from adjudge.estimates.design import Design, refuse_other_pool, verdicts_of
from adjudge.estimates.items import ItemEstimate, estimate_items
from adjudge.estimates.pool import METRIC, Assist, Pool, Sample
from adjudge.estimates.rows import interval, sample_notes
from adjudge.stats.inference import holm
from adjudge.stats.intervals import student_tails
from adjudge.stats.measure import Array
from adjudge.stats.result import Note

FEW = 30
BINS = 10
_FEWEST_TESTED = 3


class Agreement(msgspec.Struct, frozen=True, kw_only=True):
    """One measure of agreement on the pool, or on the items of one system or slice."""

    scope: str
    measure: str
    value: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0


class Bias(msgspec.Struct, frozen=True, kw_only=True):
    """How much the judge overrates a system, compared with the items of others."""

    system: str
    value: float | None
    others: float | None = None
    p: float | None = None
    p_holm: float | None = None


class Bin(msgspec.Struct, frozen=True):
    """Items with opinions between low and high: how many were read, and the means of the judge and of people."""

    low: float
    high: float
    n: int
    judge: float | None
    people: float | None


class JudgeReport(msgspec.Struct, frozen=True, kw_only=True):
    """The whole report; below 30 labels only the counts mean anything, and a note says so."""

    n: int
    of: int
    threshold: float
    weight: float | None = None
    agreement: tuple[Agreement, ...] = ()
    bias: tuple[Bias, ...] = ()
    calibration: tuple[Bin, ...] = ()
    saved: dict[str, float] = {}
    notes: tuple[Note, ...] = ()

    def published(self) -> JudgeReport:
        """The report itself, or only its counts if there are too few labels for more."""
        if self.n >= FEW:
            return self
        return JudgeReport(n=self.n, of=self.of, threshold=self.threshold, notes=self.notes)

    def to_json(self) -> bytes:
        """As JSON."""
        return msgspec.json.format(msgspec.json.encode(self), indent=1)


class Asked(NamedTuple):
    """The options of the report; `seen` counts verdicts that were made with the judge's answer in view."""

    threshold: float = 0.5
    level: float = 0.95
    by: tuple[str, ...] = ()
    seen: int = 0


def judge_report(pool: Pool, design: Design, verdicts: Mapping[str, float], asked: Asked | None = None) -> JudgeReport:
    """The report of a judge, from verdicts of a random sample; shares are weighted by 1/p."""
    threshold, level, by, seen = asked or Asked()
    if not pool.judged:
        raise UsageError("not every item of the pool has a judge", hint="give --judge FILE")
    if not 0 < threshold < 1:
        raise UsageError(f"the threshold is {threshold:g}", hint="give a number between 0 and 1")
    if len(design.rounds) > 1:
        raise UsageError("a judge is reported on one round", hint="give the design of one round")
    refuse_other_pool(design, (item.id for item in pool.items))
    known, outside = verdicts_of(design, verdicts)
    sample = pool.sample(design.by_round[design.rounds[0].number], known)
    notes = sample_notes(outside)
    if seen:
        message = f"{seen} verdicts were made with the judge's answer in view: agreement proves nothing"
        notes.append(Note("seen-judge", seen, message))
    number = int(np.count_nonzero(sample.drawn))
    report = JudgeReport(n=number, of=len(pool.items), threshold=threshold, notes=tuple(notes))
    if number < FEW:
        short = Note("few-labels", number, f"{number} verdicts are too few to assess a judge, {FEW} are needed")
        report = msgspec.structs.replace(report, notes=(*notes, short))
    ways: tuple[Assist, Assist] = ("constant", "judge")
    both = {assist: estimate_items(sample, assist, design.rounds[0].sampling) for assist in ways}
    scopes: list[tuple[str, Any]] = [("pool", np.ones(len(pool.items), dtype=bool))]
    scopes += [(name, sample.member[:, at]) for at, name in enumerate(pool.systems)]
    known_fields = sorted({name for item in pool.items for name in item.attributes})
    for field in by:
        if field not in known_fields:
            hint = did_you_mean(field, known_fields) or f"fields: {', '.join(known_fields) or 'none'}"
            raise UsageError(f"the items have no {field}", hint=hint)
        values = [str(item.attributes.get(field)) for item in pool.items]
        scopes += [(f"{field}={value}", np.array([own == value for own in values])) for value in sorted(set(values))]
    return msgspec.structs.replace(
        report,
        weight=both["judge"].model.b,
        agreement=tuple(row for name, scope in scopes for row in _agreements(sample, scope, name, threshold, level)),
        bias=_biases(pool, sample),
        calibration=_calibration(sample),
        saved=labels_saved(pool, both),
    )


def labels_saved(pool: Pool, both: Mapping[Any, ItemEstimate]) -> dict[str, float]:
    """How many more labels an equally wide interval of F1 would need without the judge, by system."""
    found: dict[str, float] = {}
    key = (METRIC, "f1")
    constant, judged = both["constant"], both["judge"]
    if constant.spread is None or judged.spread is None:
        return found
    for at, name in enumerate(pool.systems):
        plain = constant.spread.variance(key, constant.values[key], at)
        helped = judged.spread.variance(key, judged.values[key], at)
        if helped > 0:
            found[name] = judged.labelled * (plain / helped - 1)
    return found


def _agreements(sample: Sample, scope: Any, name: str, threshold: float, level: float) -> list[Agreement]:
    """Agreement, kappa, sensitivity and specificity, with the jackknife over the labels, stratum by stratum."""
    at = sample.drawn
    weights = np.where(scope[at], 1 / sample.probability[at], 0.0)
    people, judge = sample.verdict[at] >= 0.5, sample.judge[at] >= threshold
    cells: Array = np.stack([people & judge, people & ~judge, ~people & judge, ~people & ~judge], axis=1)
    cells = cells * weights[:, None]
    here, labelled = int(np.count_nonzero(scope & at)), int(np.count_nonzero(scope & sample.labelled))
    left, shares = _left_out(sample, cells) if labelled > _FEWEST_TESTED else ([], np.zeros(0))
    rows = []
    for measure, value in _measures(cells.sum(axis=0)).items():
        low = high = None
        others = [each[measure] for each in left]
        if value is not None and others and all(each is not None for each in others):
            departures = np.array(others, dtype=np.float64) - value
            variance = float((shares * departures**2).sum())
            low, high = interval(
                value, variance, labelled - 1, level, (-1.0, 1.0) if measure == "kappa" else (0.0, 1.0)
            )
        elif here and not labelled:
            low = high = value  # everything was assessed
        rows.append(Agreement(scope=name, measure=measure, value=value, low=low, high=high, n=here))
    return rows


def _left_out(sample: Sample, cells: Array) -> tuple[list[dict[str, float | None]], Array]:
    """The measures without each labelled item, and the weights of their squares.

    The other items of its stratum weigh n / (n - 1) as much. `cells` has a row for every drawn item.
    """
    labelled = sample.labelled[sample.drawn]
    _, own, sizes = np.unique(sample.stratum[sample.labelled], return_inverse=True, return_counts=True)
    if (sizes < 2).any():
        raise UsageError("a stratum with one assessed item has no spread", hint="join it with another one")
    total, number = cells.sum(axis=0), sizes[own][:, None]
    together = np.stack([cells[labelled][own == each].sum(axis=0) for each in range(len(sizes))])[own]
    rest = total - together + number / (number - 1) * (together - cells[labelled])
    shares = (number[:, 0] - 1) / number[:, 0] * (1 - sample.probability[sample.labelled])
    return [_measures(np.maximum(each, 0.0)) for each in rest], shares


def _measures(cells: Array) -> dict[str, float | None]:
    """Measures of a table of two by two: people by judge."""
    both, missed, false, neither = (float(each) for each in cells)
    total = both + missed + false + neither
    agreement = _over(both + neither, total)
    kappa = None
    if agreement is not None:
        right = (both + missed) / total * (both + false) / total
        chance = right + (false + neither) / total * (missed + neither) / total
        kappa = _over(agreement - chance, 1 - chance)
    return {
        "agreement": agreement,
        "kappa": kappa,
        "sensitivity": _over(both, both + missed),
        "specificity": _over(neither, false + neither),
    }


def _biases(pool: Pool, sample: Sample) -> tuple[Bias, ...]:
    """The mean of judge minus verdict on the items of each system, tested against all other items (Welch)."""
    found: list[Bias] = []
    for at, name in enumerate(pool.systems):
        own = sample.drawn & sample.member[:, at]
        inside, outside = _mean(sample, own), _mean(sample, sample.drawn & ~sample.member[:, at])
        p = None
        if inside and outside and inside[1] + outside[1] > 0 and min(inside[2], outside[2]) > 1:
            spread = inside[1] + outside[1]
            freedom = spread**2 / (inside[1] ** 2 / (inside[2] - 1) + outside[1] ** 2 / (outside[2] - 1))
            p = student_tails((inside[0] - outside[0]) / math.sqrt(spread), freedom)
        found.append(
            Bias(
                system=name,
                value=inside[0] if inside else None,
                others=outside[0] if outside else None,
                p=p,
            )
        )
    adjusted = holm([each.p for each in found])
    return tuple(msgspec.structs.replace(each, p_holm=p) for each, p in zip(found, adjusted, strict=True))


def _mean(sample: Sample, which: Any) -> tuple[float, float, int] | None:
    """Weighted mean of judge minus verdict, its variance, and the number of labels."""
    number = int(np.count_nonzero(which))
    if not number:
        return None
    weights = 1 / sample.probability[which]
    apart = sample.judge[which] - sample.verdict[which]
    total = math.fsum(weights.tolist())
    mean = math.fsum((weights * apart).tolist()) / total
    if number < 2:
        return mean, 0.0, number
    spread = math.fsum((weights**2 * (apart - mean) ** 2).tolist()) / total**2 * number / (number - 1)
    return mean, spread, number


def _calibration(sample: Sample) -> tuple[Bin, ...]:
    found = []
    for at in range(BINS):
        low, high = at / BINS, (at + 1) / BINS
        inside = sample.drawn & (sample.judge >= low) & ((sample.judge < high) | (at == BINS - 1))
        number = int(np.count_nonzero(inside))
        weights = 1 / sample.probability[inside]
        judge = people = None
        if number:
            judge = float((weights * sample.judge[inside]).sum() / weights.sum())
            people = float((weights * sample.verdict[inside]).sum() / weights.sum())
        found.append(Bin(low, high, number, judge, people))
    return tuple(found)


def _over(top: float, bottom: float) -> float | None:
    return top / bottom if bottom else None
