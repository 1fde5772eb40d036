"""`sample`, `estimate`, `judge` and `plan`, for Python and for the commands."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from statistics import fmean
from typing import Any, cast

import msgspec
from msgspec.structs import replace

from adjudge.errors import UsageError, ValidationError, check_keywords, did_you_mean
from adjudge.estimates.beyond import FEW, Beyond, Share, f1_beyond, recall_beyond, share_in_pool
from adjudge.estimates.design import Design, Round, refuse_other_pool, refuse_unread, units_hash
from adjudge.estimates.documents import Counted, estimate_documents
from adjudge.estimates.draw import UNIFORM, Plan, document_importance, draw, item_importance, parse_size
from adjudge.estimates.estimate import estimate_pool
from adjudge.estimates.files import Verdict, read_design, read_exhaustive, read_pool, read_verdicts, with_judge
from adjudge.estimates.judge import Asked, JudgeReport, judge_report
from adjudge.estimates.pool import Pool, Sampling
from adjudge.estimates.rows import BEYOND, Estimate, How, interval, is_estimate
from adjudge.estimates.runs import finished
from adjudge.estimates.sources import is_store, saved_result
from adjudge.model.prf import ratio
from adjudge.stats.points import Additive
from adjudge.stats.result import Note, Result
from adjudge.stats.runs import run_groups
from adjudge.stats.scores import headlines


@contextmanager
def _blaming(source: Any) -> Iterator[None]:
    """Name the file of a design in errors about it."""
    try:
        yield
    except ValidationError as error:
        if not isinstance(source, str | os.PathLike):
            raise
        place = os.fspath(source)
        problems = [each if each.path else replace(each, path=place) for each in error.problems]
        raise ValidationError(problems) from None


_SAMPLE = ("design", "active", "by", "strata", "labels", "uniform", "seed", "pair", "after")


def sample(pool: Any, size: int | str, **options: Any) -> Design:
    """Draw items (or with `by="document"` documents) of a pool, with recorded probabilities.

    Options are `design` (fixed or poisson), `active`, `pair` (the two systems that active sampling is for), `strata` (a
    field), `labels` (verdicts known before), `uniform`, `seed`, and `after` (the design and the labels of earlier
    rounds).

    >>> drawn = sample([{"id": str(at), "systems": ["A"]} for at in range(10)], 4)
    >>> sum(row.drawn for row in drawn.rows), drawn.rows[0].probability
    (4, 0.4)
    """
    check_keywords(options, _SAMPLE, "sample")
    unit = options.get("by") or "item"
    if unit not in ("item", "document", "class"):
        raise UsageError(f"units are items or documents, not {unit!r}", hint='give by="document" or leave it out')
    known_pool = read_pool(pool)
    units = list(known_pool.documents) if unit == "document" else [item.id for item in known_pool.items]
    earlier = options.get("after")
    number, before, old = 1, set[str](), None
    if earlier is not None:
        old = read_design(earlier[0])
        with _blaming(earlier[0]):
            refuse_other_pool(old, units, grown=True)
        if old.unit != unit:
            raise UsageError(f"the earlier rounds drew {old.units}", hint="draw the same units again")
        number = old.rounds[-1].number + 1
        before = _assessed(earlier[1], known_pool, unit) & set(old.drawn)
        missing = sorted(old.drawn - before)
        if missing:
            raise ValidationError(f"drawn before and not assessed: {', '.join(missing[:5])}", hint="assess them first")
    labels = options.get("labels")
    known = [] if labels is None else sorted(_assessed(labels, known_pool, unit) & set(units) - before)
    free = [each for each in units if each not in before]
    strata = _strata(known_pool, options.get("strata"), unit)
    importance = None
    if options.get("active"):
        pair = options.get("pair")
        unknown = [name for name in pair or () if name not in known_pool.systems]
        if unknown:
            hint = did_you_mean(unknown[0], known_pool.systems) or f"systems: {', '.join(known_pool.systems)}"
            raise UsageError(f"the pool has no system {unknown[0]}", hint=hint)
        importance = document_importance(known_pool) if unit == "document" else item_importance(known_pool, pair)
    seed, sampling = int(options.get("seed", 13)), cast(Sampling, options.get("design") or "fixed")
    wanted = parse_size(str(size), len(set(free) - set(known)))
    plan = Plan(wanted, sampling, strata, importance, float(options.get("uniform", UNIFORM)), seed, number)
    rows = draw(free, plan, known)
    asked = {name: options[name] for name in ("active", "strata", "uniform", "pair") if options.get(name)}
    about = Round(
        number=number,
        size=wanted,
        sampling=sampling,
        unit=unit,
        seed=seed,
        pool=units_hash(units),
        options=asked,
    )
    made = Design((about,), tuple(rows))
    return made if old is None else old.joined(made)


def _assessed(source: Any, pool: Pool, unit: str) -> set[str]:
    """The units that have been assessed: those with verdicts, or the documents of a result or of a store."""
    if unit == "document":
        result = saved_result(source)
        if result is not None:
            return {each for table in result.tables().values() for each in table.ids}
        if is_store(source):
            from adjudge.formats.eal_store import open_key

            with open_key(source) as keys:
                return {each for each in keys.documents if not keys.key(each).unassessed}
    said = {each.unit for each in read_verdicts(source)}
    if unit != "document":
        return said
    waiting = {item.document for item in pool.items if item.id not in said}
    return {each for each in pool.documents if each in said or each not in waiting}


def _strata(pool: Pool, field: str | None, unit: str) -> dict[str, str] | None:
    if field is None:
        return None
    known = {name for item in pool.items for name in item.attributes} | {"document"}
    if field not in known:
        raise UsageError(f"the items have no {field}", hint=did_you_mean(field, known) or None)
    found: dict[str, str] = {}
    for item in pool.items:
        value = item.document if field == "document" else str(item.attributes.get(field, ""))
        name = item.document if unit == "document" else item.id
        if found.setdefault(name, value) != value:
            raise UsageError(f"document {name!r} is in several strata by {field}", hint="give each document one")
    return found


# ---------------------------------------------------------------------------------------------------------------------
# Estimates

_ESTIMATE = (
    *("judge", "assist", "documents", "level", "cluster_by", "by", "exhaustive", "graded", "beta", "impute"),
    "runs_fixed",
)


def estimate(source: Any, labels: Any = None, *, design: Any, **options: Any) -> Estimate:
    """Scores estimated from assessments: of a pool and labels, or of a result whose documents were assessed completely.

    Options are `judge` (a file of verdicts, or a result against the judge), `assist` (auto, none, constant, judge),
    `documents` (fixed or sample), `level`, `cluster_by`, `by`, `exhaustive`, `graded`, `beta`, `impute` (also the
    argument score clipped in every document, from a model of the verdicts), and `runs_fixed`: systems NAME#1, NAME#2
    are runs of NAME, and their mean is about these runs only.
    """
    check_keywords(options, _ESTIMATE, "estimate")
    assist, documents = options.get("assist") or "auto", options.get("documents") or "fixed"
    for name, value, known in (
        ("assist", assist, ("auto", "none", "constant", "judge")),
        ("documents", documents, ("fixed", "sample")),
    ):
        if value not in known:
            raise UsageError(f"no {name} {value!r}", hint=did_you_mean(value, known) or f"{', '.join(known)}")
    by = options.get("by") or ()
    how = How(
        assist=assist,
        documents=documents,
        level=float(options.get("level") or 0.95),
        cluster_by=options.get("cluster_by"),
        by=(by,) if isinstance(by, str) else tuple(by),
        beta=float(options.get("beta") or 1.0),
    )
    drawn = read_design(design)
    result = saved_result(source)
    if result is not None and (labels is None or drawn.unit != "item"):
        with _blaming(design):
            made = _of_result(result, drawn, how, options, labels)
            return finished(made, headlines(made.measures)[0], fixed=bool(options.get("runs_fixed")))
    if isinstance(source, str | os.PathLike) and is_estimate(source):
        hint = "give the pool that it was made from, or read it with compare, report or plan"
        raise UsageError(f"{os.fspath(source)} is an estimate already", hint=hint)
    if labels is None:
        raise UsageError("a pool needs the verdicts on what was drawn", hint="give LABELS after POOL")
    pool = read_pool(source)
    if options.get("judge") is not None:
        pool = with_judge(pool, options["judge"])
    verdicts, notes = resolve(read_verdicts(labels), graded=bool(options.get("graded")))
    with _blaming(labels):
        refuse_unread(drawn, verdicts)
    with _blaming(design):
        found = estimate_pool(pool, drawn, verdicts, how)
    found = msgspec.structs.replace(found, notes=(*found.notes, *notes))
    if options.get("impute"):
        found = with_imputed(found, pool, drawn, verdicts, how)
    found = finished(found, headlines(found.measures)[0], fixed=bool(options.get("runs_fixed")))
    return found if options.get("exhaustive") is None else _beyond(found, options["exhaustive"])


def with_imputed(found: Estimate, pool: Pool, design: Design, verdicts: Mapping[str, float], how: How) -> Estimate:
    """Add the argument score that is clipped in every document, from a model of the verdicts and marked as such."""
    from adjudge.estimates.impute import SENTENCE, impute

    if how.documents != "fixed":
        raise UsageError("a model of the verdicts is about these documents", hint="leave out --documents sample")
    heard = {unit: value for unit, value in verdicts.items() if unit in design.drawn}
    scores, differences = impute(pool, design, heard, how)
    note = Note("model", 1, f"argument score: model-based, not for official tables; {SENTENCE}")
    return msgspec.structs.replace(
        found,
        scores=(*found.scores, *scores),
        differences=(*found.differences, *differences),
        notes=(*found.notes, note),
    )


def _of_result(result: Result, design: Design, how: How, options: Mapping[str, Any], labels: Any) -> Estimate:
    for name in ("exhaustive", "graded", "by", "impute"):
        if options.get(name):
            raise UsageError(f"{name} is for pools of items", hint="leave it out")
    if options.get("assist") not in (None, "auto"):
        raise UsageError("documents assessed completely can only be assisted by a judge", hint="give --judge RESULT")
    if labels is not None:
        raise UsageError("a result has its assessments inside", hint="give the result alone, and --judge RESULT")
    judge = options.get("judge")
    judged = None if judge is None else saved_result(judge)
    if judge is not None and judged is None:
        raise UsageError("the judge of a result is a result, too", hint="score the systems against the judge")
    if judged is not None and judged.measures != result.measures:
        raise UsageError("the judge's result has different measures", hint="score both in the same way")
    return estimate_documents(
        Counted(result.measures, result.tables(), judged.tables() if judged is not None else {}), design, how
    )


def resolve(verdicts: Sequence[Verdict], *, graded: bool = False) -> tuple[dict[str, float], list[Note]]:
    """One verdict for every unit; those of several assessors are resolved by Dawid and Skene's model."""
    by_unit: dict[str, dict[str, float]] = {}
    for each in verdicts:
        by_unit.setdefault(each.unit, {})[each.assessor or ""] = each.value
    if all(len(own) == 1 for own in by_unit.values()):
        return {unit: next(iter(own.values())) for unit, own in by_unit.items()}, []
    from adjudge.estimates.assessors import dawid_skene

    units = sorted(by_unit)
    said = [{name: "right" if value >= 0.5 else "wrong" for name, value in by_unit[unit].items()} for unit in units]
    found = dawid_skene(said, ("right", "wrong"))
    several = sum(len(own) > 1 for own in by_unit.values())
    message = (
        f"{several} units with several assessors, resolved together; the interval does not include the uncertainty "
        "of that"
    )
    notes = [Note("resolved", several, message), *found.notes]
    if graded:
        return {unit: own[0] for unit, own in zip(units, found.posterior, strict=True)}, notes
    return {unit: float(verdict == "right") for unit, verdict in zip(units, found.verdicts, strict=True)}, notes


def _beyond(found: Estimate, source: Any) -> Estimate:
    """Add recall and F1 over all correct items, from documents that were read to the end."""
    share = share_in_pool(read_exhaustive(source))
    notes = [note for note in found.notes if note.code != "within-pool"]
    if share.documents < FEW:
        message = f"only {share.documents} documents were read to the end: recall beyond the pool is rough"
        notes.append(Note("few-exhaustive", share.documents, message))
    more = []
    for row in found.scores:
        if row.slice or row.part not in ("recall", "f1") or row.variance is None:
            continue
        made = _beyond_row(found, row.system, row.part, row.variance, share)
        freedom = min(row.df or math.inf, share.documents - 1)
        low, high = interval(made.value, made.variance, freedom, found.level, (0.0, 1.0))
        part = f"{row.part}{BEYOND}"
        more.append(
            msgspec.structs.replace(
                row,
                part=part,
                value=made.value,
                low=low,
                high=high,
                variance=made.variance,
                df=freedom,
                bounds=None,
                events=None,
                notes=(),
                uncut=None,
            )
        )
    return msgspec.structs.replace(found, scores=(*found.scores, *more), notes=tuple(notes))


def _beyond_row(found: Estimate, system: str, part: str, variance: float, share: Share) -> Beyond:
    """A system's recall or F1 beyond the pool, from the variance of that within; of several runs their mean."""
    runs = run_groups(list(found.table))[system]
    totals = [found.table[name].totals for name in runs]
    if part == "recall":
        recall = fmean(ratio(own["matched"], own["gold"]) for own in totals)
        together: dict[str, float] = {}
        for moved in (_moved(found, name) for name in runs if found.documents == "sample"):
            for document, own in moved.items():
                together[document] = together.get(document, 0.0) + own / len(runs)
        return recall_beyond(recall, variance, share, together)
    alone = [f1_beyond(own["matched"], own["gold"], own["system"], share, 0.0) for own in totals]
    spread = fmean(math.sqrt(own.variance) for own in alone) ** 2  # the share in the pool moves all runs alike
    return Beyond(fmean(own.value for own in alone), variance + spread)


def _moved(found: Estimate, system: str) -> dict[str, float]:
    """The change of the recall of a run without each document, weighted as in its variance."""
    counts = Additive(found.table[system], found.measures)
    key = next(key for key in counts.point() if key[1] == "recall")
    left = counts.left_out()[key]
    weight = math.sqrt((len(left) - 1) / len(left))
    return dict(zip(counts.ids, (weight * (left - left.mean())).tolist(), strict=True))


def judge(pool: Any, labels: Any, *, design: Any, opinions: Any = None, **options: Any) -> JudgeReport:
    """How reliable the judge of a pool is, from verdicts on a random sample of it."""
    check_keywords(options, Asked._fields, "judge")
    known = read_pool(pool)
    if opinions is not None:
        known = with_judge(known, opinions)
    said = read_verdicts(labels)
    verdicts, notes = resolve(said)
    asked = Asked(**{"seen": sum(each.seen_judge for each in said), **options})
    drawn = read_design(design)
    with _blaming(labels):
        refuse_unread(drawn, verdicts)
    with _blaming(design):
        found = judge_report(known, drawn, verdicts, asked)
    return msgspec.structs.replace(found, notes=(*found.notes, *notes)).published()
