"""Agreement between annotators: every pair is scored with one as gold and the other as the system."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import combinations, permutations
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from msgspec.structs import replace

from adjudge._version import __version__
from adjudge.errors import Problem, UsageError, ValidationError, check_keywords, did_you_mean
from adjudge.evaluate.results import input_note
from adjudge.evaluate.sides import is_file
from adjudge.evaluate.task import Side, run_of
from adjudge.stats.agreement import Coefficient
from adjudge.stats.inference import Inference
from adjudge.stats.notes import inference_notes, unproven_notes
from adjudge.stats.result import Note, Score
from adjudge.tasks.annotations import ANNOTATIONS
from adjudge.tasks.chosen import as_metrics
from adjudge.tasks.documents import Documents, Read, check_readers, read_each
from adjudge.tasks.door import family_of, opened
from adjudge.tasks.family import JSONL, families, find_family, reads
from adjudge.tasks.observe import compared_fields
from adjudge.tasks.request import OPTIONS, fitting_metrics
from adjudge.tasks.scoring import score
from adjudge.tasks.units import CLUSTERS, continua_of, labels_of, link_labels, place_labels

if TYPE_CHECKING:
    from adjudge.stats.agreement import Distance
    from adjudge.stats.estimate import Estimate
    from adjudge.stats.measure import Array, Key
    from adjudge.stats.result import Result
    from adjudge.tasks.observe import AnyMetric

_SAME = 1e-12
_EXAMPLES = 5


class Pair(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Two annotators on the documents they share, `a` as gold.

    `reverse` has the headline scores with `b` as gold where they differ, that is, for asymmetric metrics.
    """

    a: str
    b: str
    documents: int
    scores: tuple[Score, ...]
    headlines: dict[str, str]
    reverse: dict[str, float | None] = {}

    def headline(self, metric: str) -> Score:
        """The score that stands for the agreement of a metric, such as its F1."""
        return next(each for each in self.scores if (each.metric, each.part) == (metric, self.headlines[metric]))


class Mean(msgspec.Struct, frozen=True, kw_only=True):
    """The mean of a score over all pairs, with an interval if all pairs share the same documents.

    If a search was cut short, the true mean lies between `value` and `bound`.
    """

    metric: str
    part: str
    pairs: int
    value: float | None
    low: float | None = None
    high: float | None = None
    level: float | None = None
    bound: float | None = None


class Disagreement(NamedTuple):
    """An item that only one of two annotators has, or that both have without full credit."""

    document: str
    metric: str
    a: str
    b: str
    path: str
    only: str | None
    credit: float
    item_a: Any
    item_b: Any


class Agreement(msgspec.Struct, frozen=True, kw_only=True):
    """How well annotators agree: pairs, their mean, chance-corrected coefficients, and the disagreements."""

    adjudge: str
    signature: str
    annotators: dict[str, int]
    pairs: tuple[Pair, ...]
    means: tuple[Mean, ...]
    coefficients: tuple[Coefficient, ...]
    notes: tuple[Note, ...]
    disagreements: tuple[Disagreement, ...] | None = None

    def __str__(self) -> str:
        """The table that `adjudge agree` prints."""
        from adjudge.rooms import load

        return str(load("adjudge.report.agreement:render_agreement")(self)).rstrip("\n")

    def _repr_html_(self) -> str:
        from adjudge.stats.notebook import rows_html

        rows = [
            (f"{mean.metric} {mean.part}", f"{pair.a}, {pair.b}", repr(_estimate(pair.headline(mean.metric))))
            for mean in self.means
            for pair in self.pairs
        ]
        rows += [(f"{each.metric} {each.part}", "mean", repr(_estimate(each))) for each in self.means]
        rows += [
            (f"{each.name}, {each.on}", ", ".join(each.annotators), repr(_estimate(each))) for each in self.coefficients
        ]
        return rows_html(("agreement", "annotators", "value"), rows, labels=2)


def matrix(found: Agreement, metric: str) -> dict[tuple[str, str], float | None]:
    """The headline score of every ordered pair: the first is gold, the second is scored against it."""
    cells: dict[tuple[str, str], float | None] = dict.fromkeys(permutations(found.annotators, 2))
    for pair in found.pairs:
        value = pair.headline(metric).value
        cells[pair.a, pair.b] = value
        cells[pair.b, pair.a] = pair.reverse.get(metric, value)
    return cells


def _estimate(each: Score | Mean | Coefficient) -> Estimate:
    from adjudge.stats.estimate import Estimate

    bound = None if isinstance(each, Coefficient) else each.bound
    return Estimate(each.value, low=each.low, high=each.high, level=each.level, bound=bound)


def agree(
    metric: Any,
    annotators: Mapping[str, Documents],
    *,
    reader: str = JSONL,
    label: str | Sequence[str] | None = None,
    unit: Sequence[str] = (),
    distance: Distance = "nominal",
    profile: str = "default",
    disagreements: bool = False,
    **options: Any,
) -> Agreement:
    """How well two or more annotators agree on what a metric compares.

    Every pair is scored on the documents both annotated. Where the elements of the compared field have spans, their
    labels on the places of the text give kappa and alpha, and the spans themselves alpha for units. `label` names
    one or more fields whose values are labels of the same units (`genre`, `tokens.tag`), for kappa and alpha; the
    units are paired by place, or by the fields `unit`. Chains have kappa and alpha of the links between their
    mentions. Intervals are over documents, as those of scores are; the `options` are `bootstrap`, `ci`, `seed`,
    `interval`, `pool`, `docs` and `time_limit`.

    >>> anna = [{"id": "d1", "items": ["a", "b"]}, {"id": "d2", "items": ["c"]}]
    >>> ben = [{"id": "d1", "items": ["a"]}, {"id": "d2", "items": ["c"]}]
    >>> agree("record.set", {"anna": anna, "ben": ben}, bootstrap=0).means[0].value
    0.8
    """
    if not isinstance(annotators, Mapping):
        raise UsageError("annotators have no names", hint="give {name: documents}")
    if len(annotators) < 2:
        raise UsageError("agreement needs at least two annotators", hint="give the documents of each of them")
    asked = (label,) if isinstance(label, str) else tuple(label or ())
    if unit and not asked:
        raise UsageError("unit does nothing without label", hint="give both, or neither")
    check_readers((), annotators, None if reader == JSONL else reader, None)
    given = {name: options.pop(name) for name in OPTIONS if name in options}
    check_keywords(options, ("bootstrap", "ci", "seed", "interval", "pool", "docs", "time_limit", *OPTIONS), "agree")
    run = run_of(**options)
    shared = {"pool": run.pool, "profile": profile, "time_limit": run.time_limit}
    metrics, annotators = _opened(metric, annotators, given, {**shared, "reader": reader})
    sides = _chosen(read_each(annotators, reading(reader)), run.docs)
    options |= {"docs": None, "profile": profile, "reader": JSONL if reader in ANNOTATIONS else reader}
    results: dict[tuple[str, str], Result] = {}
    notes = list(dict.fromkeys(input_note(each) for side in sides for each in side.notes))
    for one, other in combinations(sides, 2):
        both = _shared(one, other, notes)
        results[one.name, other.name] = score(metrics, both[0], both[1], documents=disagreements, **options)
        back = {**options, "bootstrap": 0}
        results[other.name, one.name] = score(metrics, both[1], both[0], **back)
    for (against, name), result in results.items():
        notes += unproven_notes(result, f"{name} against {against}")
    pairs = [_pair(results, one.name, other.name) for one, other in combinations(sides, 2)]
    first = results[sides[0].name, sides[1].name]
    inference = run.inference
    data = {side.name: {each: document.data for each, document in side.documents.items()} for side in sides}
    coefficients = _span_coefficients(metrics, data, inference, notes)
    for each in asked:
        from adjudge.stats.agreement import label_coefficients

        _, labels = labels_of(data, each, unit)
        coefficients += label_coefficients(labels, list(data), each, inference, distance=distance)
    assert first.options is not None
    sizes = min(pair.documents for pair in pairs)
    notes += inference_notes(first.options, [({}, sizes)], {"": ()}, ())
    return Agreement(
        adjudge=__version__,
        signature=_signature(first, sides, "+".join(asked) or None, unit, distance),
        annotators={side.name: len(side.documents) for side in sides},
        pairs=tuple(pairs),
        means=tuple(_mean(results, pairs, each, inference) for each in pairs[0].headlines.items()),
        coefficients=tuple(coefficients),
        notes=tuple(notes),
        disagreements=tuple(_disagreements(results, sides)) if disagreements else None,
    )


def _opened(
    metric: Any, annotators: Mapping[str, Documents], given: Mapping[str, Any], how: dict[str, Any]
) -> tuple[tuple[AnyMetric, ...], Mapping[str, Documents]]:
    """The metrics, and the annotators' data in memory as documents."""
    from adjudge.tasks.named import task_of

    reader = how.pop("reader")
    task = task_of(metric)
    family = find_family(task.name) if task is not None and task.name in families() else None
    metrics = as_metrics(metric if task is None else task.name, **how) if family is None else ()
    kind = family.name if family is not None else family_of(metrics)
    (first, mine), *others = annotators.items()
    if kind is not None and kind != "record" and not any(map(is_file, annotators.values())):
        gold, systems = opened(kind, mine, dict(others), given)
        annotators = {first: replace(gold, name=first) if isinstance(gold, Side) else gold, **systems}
    if family is not None:
        sides = list(annotators.values())
        metrics = as_metrics(list(fitting_metrics(family, sides[0], dict(others), reader)), **how)
    return metrics, annotators


def browsable(
    metric: Any,
    annotators: Mapping[str, Documents],
    *,
    docs: Iterable[str] | None = None,
    reader: str = JSONL,
    **options: Any,
) -> Result:
    """The first annotator against the others on their common documents, with every item, for a report."""
    sides = _chosen(read_each(annotators, reading(reader)), docs)
    shared = [each for each in sides[0].documents if all(each in side.documents for side in sides)]
    if not shared:
        raise UsageError("no document has all annotators", hint="save the result of two of them")
    gold, *others = (replace(side, documents={each: side.documents[each] for each in shared}) for side in sides)
    # A mapping keyed by document ids would be mistaken for documents.
    names = [side.name for side in others]
    systems = {f"{name}\0": side for name, side in zip(names, others, strict=True)}
    usual = JSONL if reader in ANNOTATIONS else reader
    return score(metric, gold, systems, names=names, reader=usual, documents=True, **options)


def reading(reader: str, key: str | None = None) -> Read | None:
    """How the files of annotators are read: by a reader of the catalogue, or one of the tasks.

    `key` names the assessments the reference frames were built from.
    """
    if key is not None:
        if reader != "eal-frames":
            raise UsageError("only reference frames have a key", hint="use --reader eal-frames, or leave out --key")
        return partial(ANNOTATIONS[reader][1], key=key)
    if reader in ANNOTATIONS:
        return ANNOTATIONS[reader][1]
    try:
        return reads(reader)[0]
    except UsageError as error:
        (problem,) = error.problems
        hint = did_you_mean(reader, ANNOTATIONS) or f"{problem.hint}, {', '.join(ANNOTATIONS)}"
        raise UsageError(problem.message, hint=hint) from None


def _chosen(sides: Sequence[Side], docs: Iterable[str] | None) -> list[Side]:
    """The requested documents in id order, in which resampling draws from them."""
    places = {side.paired_by_place for side in sides if side.documents}
    sizes = {len(side.documents) for side in sides}
    if len(places) > 1 or (True in places and len(sizes) > 1):
        hint = "give ids to the documents of all annotators; without any, all need as many documents"
        raise UsageError("the documents of annotators cannot be paired", hint=hint)
    if True not in places:
        sides = [replace(side, documents=dict(sorted(side.documents.items()))) for side in sides]
    if docs is None:
        return list(sides)
    wanted = set(docs)
    unknown = sorted(wanted - {each for side in sides for each in side.documents})
    if unknown:
        raise UsageError([Problem(f"there is no document {name!r}", hint="check the id") for name in unknown])
    return [
        replace(side, documents={each: found for each, found in side.documents.items() if each in wanted})
        for side in sides
    ]


def _shared(one: Side, other: Side, notes: list[Note]) -> tuple[Side, Side]:
    """Both annotators on the documents that both have."""
    ids = [each for each in one.documents if each in other.documents]
    if not ids:
        hint = "compare annotators of the same documents"
        message = f"{other.name} has no document in common with {one.name}"
        raise ValidationError(Problem(message, path=other.place, hint=hint))
    for side, another in ((one, other), (other, one)):
        left = [each for each in side.documents if each not in another.documents]
        if left:
            text = f"{len(left)} document{'s' * (len(left) != 1)} of {side.name} without {another.name}"
            message = f"{text} {'is' if len(left) == 1 else 'are'} left out of their comparison"
            notes.append(Note("not-shared", len(left), message, tuple(sorted(left)[:_EXAMPLES])))
    a, b = (replace(side, documents={each: side.documents[each] for each in ids}) for side in (one, other))
    return a, b


def _pair(results: Mapping[tuple[str, str], Result], a: str, b: str) -> Pair:
    (found,) = results[a, b].systems
    (back,) = results[b, a].systems
    headlines = _headlines(results[a, b])
    points = {(each.metric, each.part): each.value for each in back.scores}
    scores = {(each.metric, each.part): each.value for each in found.scores}
    reverse = {
        metric: points[metric, part]
        for metric, part in headlines.items()
        if abs((points[metric, part] or 0.0) - (scores[metric, part] or 0.0)) > _SAME
    }
    return Pair(a=a, b=b, documents=found.documents, scores=found.scores, headlines=headlines, reverse=reverse)


def _headlines(result: Result) -> dict[str, str]:
    """The part of each metric that stands for it: F1 if it has one, else the last that is not a count."""
    from adjudge.stats.measure import count_keys

    counts = count_keys(result.measures)
    parts: dict[str, list[str]] = {}
    for each in result.systems[0].scores:
        if (each.metric, each.part) not in counts:
            parts.setdefault(each.metric, []).append(each.part)
    return {metric: "f1" if "f1" in own else own[-1] for metric, own in parts.items()}


def _mean(results: Mapping[tuple[str, str], Result], pairs: Sequence[Pair], key: Key, inference: Inference) -> Mean:
    metric, part = key
    values = [pair.headline(metric).value for pair in pairs]
    defined = [value for value in values if value is not None]
    value = math.fsum(defined) / len(defined) if len(defined) == len(values) else None
    bounds = (
        _mean_interval(results, pairs, key, value, inference) if value is not None and inference.resamples else None
    )
    low, high = bounds or (None, None)
    return Mean(
        metric=metric,
        part=part,
        pairs=len(values),
        value=value,
        low=low,
        high=high,
        level=inference.level if bounds else None,
        bound=_mean_bound([pair.headline(metric) for pair in pairs]),
    )


def _mean_bound(scores: Sequence[Score]) -> float | None:
    """The highest possible mean, if a score is not proven to be optimal."""
    best = [each.value if each.bound is None else each.bound for each in scores]
    defined = [value for value in best if value is not None]
    known = len(defined) == len(scores) and any(each.bound is not None for each in scores)
    return math.fsum(defined) / len(defined) if known else None


def _mean_interval(
    results: Mapping[tuple[str, str], Result], pairs: Sequence[Pair], key: Key, value: float, inference: Inference
) -> tuple[float, float] | None:
    """The interval of a mean over pairs, if all are counted per document on the same documents."""
    import numpy as np

    from adjudge.stats.measure import signed_keys
    from adjudge.stats.points import Additive
    from adjudge.stats.resample import function_intervals

    if len(pairs) == 1:
        only = pairs[0].headline(key[0])
        return None if only.low is None or only.high is None else (only.low, only.high)
    estimators = []
    for pair in pairs:
        result = results[pair.a, pair.b]
        table = result.systems[0].table
        if table is None or result.options is None or result.options.pool not in ("micro", "macro"):
            return None
        estimators.append(Additive(table, result.measures, result.options.pool))  # type: ignore[arg-type]
    ids = estimators[0].ids
    if any(set(each.ids) != set(ids) for each in estimators):
        return None
    estimators = [each.select(ids) for each in estimators]

    def means(weights: Array) -> dict[Key, Array]:
        return {key: np.stack([each.evaluate(weights)[key] for each in estimators]).mean(axis=0)}

    signed = key in signed_keys(estimators[0].measures)
    found = function_intervals(means, {key: value}, len(ids), inference, signed=signed)[key]
    return None if found is None else found[:2]


def _span_coefficients(
    metrics: Sequence[AnyMetric], data: Mapping[str, Mapping[str, Any]], inference: Inference, notes: list[Note]
) -> list[Coefficient]:
    """Kappa and alpha of what the metrics compare, for the fields whose elements have spans."""
    from adjudge.stats.agreement import label_coefficients
    from adjudge.stats.unitising import unit_coefficients

    members = [member for each in metrics for member in each.members]
    fields = dict.fromkeys(field for member in members for field in sorted(compared_fields(member) or ()))
    found: list[Coefficient] = []
    for field in fields:
        if field == CLUSTERS:
            found += label_coefficients(link_labels(data), list(data), "links between mentions", inference)
        continua = continua_of(data, field)
        if continua is None:
            continue
        named = "mentions" if field == CLUSTERS else field
        found += label_coefficients(
            place_labels(continua.documents), list(data), f"{named} on {continua.on}", inference
        )
        found += unit_coefficients(continua.documents, list(data), f"{named} as units", inference)
        if continua.merged:
            message = f"{continua.merged} overlapping {named} of one annotator and type count as parts of one unit"
            notes.append(Note("overlapping-units", continua.merged, message))
        if continua.guessed:
            message = (
                f"{continua.guessed} document{'s' * (continua.guessed != 1)} without text or tokens "
                "are taken to end with their last span in kappa and alpha"
            )
            notes.append(Note("unknown-length", continua.guessed, message))
    return found


def _disagreements(results: Mapping[tuple[str, str], Result], sides: Sequence[Side]) -> list[Disagreement]:
    """Everything that one annotator has and another lacks, by document."""
    found = []
    for one, other in combinations(sides, 2):
        result = results[one.name, other.name]
        for document, own in zip(result.documents, result.systems[0].aligned, strict=True):
            for each in own.matchings:
                about = document.id, each.metric, one.name, other.name
                for missed in each.missed:
                    item = document.items[missed.item]
                    found.append(Disagreement(*about, item.id, one.name, 0.0, item.value, None))
                for spurious in each.spurious:
                    item = own.items[spurious.item]
                    found.append(Disagreement(*about, item.id, other.name, 0.0, None, item.value))
                for pair in each.pairs:
                    ours, theirs = document.items[pair.gold], own.items[pair.system]
                    if pair.credit < 1 - _SAME:
                        found.append(Disagreement(*about, ours.id, None, pair.credit, ours.value, theirs.value))
    order = {each: place for place, each in enumerate(dict.fromkeys(each for side in sides for each in side.documents))}
    return sorted(found, key=lambda each: order[each.document])


def _signature(first: Result, sides: Sequence[Side], label: str | None, unit: Sequence[str], distance: str) -> str:
    """The signature of the scores, with the digests of all annotators in place of gold and systems."""
    from adjudge.stats.inference import hash_chunks, signature
    from adjudge.stats.result import result_fields

    assert first.options is not None
    digest = hash_chunks([side.hashed().encode() for side in sides])
    kept = {name: value for name, value in first.options.fields.items() if name not in ("gold", "in")}
    options = msgspec.structs.replace(first.options, fields={**kept, "in": digest})
    documents = len(dict.fromkeys(each for side in sides for each in side.documents))
    fields = {**result_fields(first.profile, documents, 1, options), "test": None}
    own = {"annotators": len(sides), "label": label, "unit": "+".join(unit) or None}
    return signature("agree", {**own, "distance": distance if distance != "nominal" else None, **fields})
