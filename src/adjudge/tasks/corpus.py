"""Results of metrics that are more than sums over documents: counted anew in every sample of the documents.

The samples are the corpus itself, the corpus without one document (or a random group, if there are more than a
thousand), bootstrap samples, and pairs of leave-outs. In a bootstrap sample a document that is drawn twice stands there
twice, and what it says about an entity agrees with itself: clusters look better than they are, so that the percentile
interval is not shown unless it is asked for. Interval and test are those of the jackknife.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Any, TypeAlias

from adjudge.errors import UsageError
from adjudge.tasks.adding import Campaign, columns_of, fields_of, measures_of, notes_of
from adjudge.tasks.elements import restricted, same
from adjudge.tasks.observe import AnyMetric, Seen, looks_at, wrapped
from adjudge.tasks.slices import Slicing

if TYPE_CHECKING:
    from adjudge.stats.inference import Inference
    from adjudge.stats.measure import Array, Measure
    from adjudge.stats.result import Note, Result, SampledCounts, Slice
    from adjudge.stats.signature import SignatureValue

Counter: TypeAlias = "Callable[[Array], Mapping[str, Array]]"
"""Called with weights (k x documents); gives every column, one value for each row of weights."""

_BLOCK = 256  # samples that are counted at once


def is_clustered(metrics: Sequence[AnyMetric]) -> bool:
    """Whether one of the metrics is counted over the whole corpus.

    >>> from adjudge.metrics import find
    >>> is_clustered([find("linking.link")]), is_clustered([find("linking.link"), find("linking.b3")])
    (False, True)
    """
    return any(member.clustered is not None for each in metrics for member in each.members)


def check_clustered(metrics: Sequence[AnyMetric], *, adjusted: bool = False) -> None:
    """Raise if a metric of the whole corpus is to be counted in a way that only documents can be."""
    for member in (member for each in metrics for member in each.members):
        if member.clustered is None:
            continue
        if member.pool != "micro":
            hint = "leave --pool out, or choose other metrics"
            raise UsageError(f"{member.name} is a score of the whole corpus, documents have none to average", hint=hint)
        if member.conventions.duplicates != "set":
            hint = "use duplicates=set, or choose other metrics"
            raise UsageError(f"{member.name} compares sets of mentions, repeated ones cannot count", hint=hint)
        if adjusted:
            hint = "choose other metrics"
            raise UsageError(
                f"{member.name} compares whole corpora, not pairs of documents that were changed", hint=hint
            )


def add_up_corpus(campaign: Campaign, slices: Slicing, *, profile: str, inference: Inference) -> Result:
    """The scores of all systems if at least one metric is counted over the whole corpus.

    Documents are taken in the order of their ids, so that the order in which they were read changes nothing.
    """
    order = sorted(range(len(campaign.ids)), key=campaign.ids.__getitem__)
    ids, seen = tuple(campaign.ids[place] for place in order), [campaign.seen[place] for place in order]
    attributes = {name: tuple(values[place] for place in order) for name, values in slices.attributes.items()}
    campaign, slices = replace(campaign, ids=ids, seen=seen), replace(slices, attributes=attributes)
    parts: list[tuple[Slice, tuple[int, ...], dict[str, Counter]]] = []
    everything = tuple(range(len(campaign.ids)))
    parts.append(({}, everything, {side.name: _counter(campaign, k) for k, side in enumerate(campaign.systems)}))
    for field in slices.by:
        parts += _element_parts(campaign, field) if field in slices.paths else _document_parts(parts[0], slices, field)
    return build_sampled(
        task="score",
        profile=profile,
        measures=measures_of(campaign.metrics),
        parts=parts,
        documents=len(campaign.ids),
        by=slices.by,
        inference=inference,
        notes={side.name: notes_of(campaign, place) for place, side in enumerate(campaign.systems)},
        fields=fields_of(campaign),
    )


def build_sampled(
    *,
    task: str,
    profile: str,
    measures: Sequence[Measure],
    parts: Sequence[tuple[Slice, Sequence[int], Mapping[str, Counter]]],
    documents: int,
    by: Sequence[str] = (),
    inference: Inference | None = None,
    notes: Mapping[str, Sequence[Note]] | None = None,
    fields: Mapping[str, SignatureValue] | None = None,
) -> Result:
    """The result of counters: for each part of the corpus (a slice and the places of its documents), one per system."""
    from adjudge._version import __version__
    from adjudge.stats.inference import Inference
    from adjudge.stats.measure import count_keys
    from adjudge.stats.notes import inference_notes, spread_notes, summed_up
    from adjudge.stats.result import Comparison, Result, SampledCounts, SystemResult, result_fields
    from adjudge.stats.scores import (
        POOL,
        corrected,
        family_sizes,
        headline_keys,
        how_of,
        options_of,
        pair_comparisons,
        sampled,
        sampled_scores,
    )
    from adjudge.stats.signature import signature

    inference = inference or Inference()
    if inference.test == "randomisation":
        raise UsageError(
            "clusters of the whole corpus cannot be exchanged between systems document by document",
            hint="leave --test out, or choose other metrics",
        )
    measures = tuple(measures)
    names = list(parts[0][2])
    families = family_sizes(len(names), [where for where, _, _ in parts])
    options = options_of(inference, families, pool=POOL, by=tuple(by), fields=dict(fields or {}))
    how = how_of(options)
    samples: dict[str, list[SampledCounts]] = {name: [] for name in names}
    comparisons: list[Comparison] = []
    for where, places, counters in parts:
        tests = inference.for_tests(families[tuple(where)])
        more = how.test in ("bootstrap", "centred") and len(names) > 1 and options.bootstrap
        resamples = max(options.bootstrap, tests) if more else options.bootstrap
        left, pairs, drawn = _drawn(documents, places, bootstrap=resamples, seed=inference.seed)
        found = _count(counters, drawn)
        for name in names:
            values = tuple(tuple(column.tolist()) for column in found[name].values())
            samples[name].append(SampledCounts(tuple(found[name]), left, values, dict(where), pairs))
        own = how._replace(tests=tests)
        evidence = {name: sampled(measures, samples[name][-1], own) for name in names}
        comparisons += pair_comparisons(evidence, headline_keys(measures), own, where, len(places))
    scores = {name: [sampled_scores(measures, own, how) for own in samples[name]] for name in names}
    remarks: dict[str, list[Note]] = {
        name: [*(notes or {}).get(name, ()), *_about_gold(measures, samples[name])] for name in names
    }
    counts = count_keys(measures)
    for name in names if options.bootstrap else ():
        alike = [
            (where, note)
            for (where, places, _), own in zip(parts, scores[name], strict=True)
            if len(places) > 1
            for note in spread_notes([each for each in own if (each.metric, each.part) not in counts], where)
        ]
        remarks[name] += summed_up(alike)
    sizes = [(where, len(places)) for where, places, _ in parts]
    flat = {name: [score for own in scores[name] for score in own] for name in names}
    systems = [
        SystemResult(
            name=name,
            documents=documents,
            scores=tuple(flat[name]),
            notes=tuple(remarks[name]),
            samples=tuple(samples[name]),
        )
        for name in names
    ]
    return Result(
        adjudge=__version__,
        task=task,
        profile=profile,
        signature=signature(task, result_fields(profile, documents, len(names), options)),
        systems=tuple(systems),
        comparisons=corrected(comparisons, measures),
        notes=tuple(inference_notes(options, sizes, flat, comparisons)),
        measures=measures,
        options=options,
    )


def _about_gold(measures: Sequence[Measure], samples: Sequence[SampledCounts]) -> list[Note]:
    from adjudge.stats.notes import nothing_in_gold, summed_up

    found = []
    for each in samples:
        totals = {name: values[0] for name, values in zip(each.columns, each.values, strict=True)}
        found += [(each.slice, note) for note in nothing_in_gold(measures, totals, each.slice)]
    return summed_up(found)


def cluster_counter(
    metrics: Mapping[str, tuple[Any, str, Sequence[str]]], tables: Mapping[Any, Any], additive: Mapping[str, Array]
) -> Counter:
    """A counter of clusterings and of columns that add over documents.

    `metrics` has, for each name, the key of its table, how its clusters are compared and its columns: matched, system,
    gold, or matched, system, found, gold. `tables` are `Contingency`s; `additive` has a value per document.
    """
    import numpy as np

    kinds: dict[Any, list[str]] = {}
    for key, kind, _ in metrics.values():
        kinds.setdefault(key, []).append(kind)
    plain = np.stack(list(additive.values()), axis=1) if additive else None

    def count(weights: Array) -> dict[str, Array]:
        found = {} if plain is None else dict(zip(additive, (weights @ plain).T, strict=True))
        counted = {key: tables[key].counts(own, weights) for key, own in kinds.items()}
        for key, kind, columns in metrics.values():
            both, system, hit, gold = counted[key][kind]
            values = (both, system, gold) if len(columns) == 3 else (both, system, hit, gold)
            found.update(zip(columns, values, strict=True))
        return found

    return count


# ---------------------------------------------------------------------------------------------------------------------
# Counters of a campaign


Change: TypeAlias = "Callable[[Any], Any]"


def _counter(
    campaign: Campaign, place: int, *, change: Change | None = None, counts: Callable[[Seen], Any] | None = None
) -> Counter:
    """The counter of one system; `change` restricts its documents to some elements, `counts` the sums likewise."""
    import numpy as np

    from adjudge.tasks.catalogue.family import load
    from adjudge.tasks.clusterings import contingency

    of_members = [member for each in campaign.metrics for member in each.members]
    metrics: dict[str, tuple[str, str, tuple[str, ...]]] = {}
    tables: dict[str, Any] = {}
    whole: set[str] = set()
    side = campaign.systems[place]
    for member in of_members:
        if member.clustered is None:
            continue
        assign, kind, _ = member.clustered
        metrics[member.name] = (assign, kind, member.columns)
        whole.update(member.columns)
        if assign not in tables:
            function = load(assign)
            sides = [
                [
                    _assigned(function, member, each, plain=campaign.plain, change=change)
                    for each in (own.get(identifier) for identifier in campaign.ids)
                ]
                for own in (campaign.gold.documents, side.documents)
            ]
            tables[assign] = contingency(*sides)
    rows = [(counts or _whole)(seen[place]).counts for seen in campaign.seen]
    additive = {
        column: np.array([row.get(column, 0.0) for row in rows])
        for column in columns_of(campaign.metrics)
        if column not in whole
    }
    return cluster_counter(metrics, tables, additive)


def _whole(seen: Seen) -> Any:
    return seen.whole


def _assigned(function: Any, metric: Any, document: Any, *, plain: bool, change: Change | None) -> Any:
    if document is None:
        return {}
    data = wrapped(metric, document.data, plain=plain)
    data = data if change is None else change(data)
    field = data.get(metric.within) if isinstance(data, Mapping) else getattr(data, metric.within)
    return function(field or ())


def _document_parts(
    whole: tuple[Slice, tuple[int, ...], dict[str, Counter]], slices: Slicing, field: str
) -> list[tuple[Slice, tuple[int, ...], dict[str, Counter]]]:
    """The documents with each value of one of their fields."""
    from adjudge.stats.table import group_rows

    return [
        ({field: value}, tuple(int(place) for place in places), whole[2])
        for value, places in group_rows(slices.attributes[field])
    ]


def _element_parts(campaign: Campaign, field: str) -> list[tuple[Slice, tuple[int, ...], dict[str, Counter]]]:
    """The elements with each value of one of their fields, in the documents in which any side has it."""
    for metric in campaign.metrics:
        if not looks_at(metric, field):
            raise UsageError(f"{metric.name} does not look at {field!r}", hint="leave the metric out, or --by")
    values: list[tuple[Any, set[int]]] = []
    for number, seen in enumerate(campaign.seen):
        for own in seen:
            for value, _ in own.slices[field].values:
                known = next((each for each in values if same(each[0], value)), None)
                if known is None:
                    known = (value, set())
                    values.append(known)
                known[1].add(number)
    parts: list[tuple[Slice, tuple[int, ...], dict[str, Counter]]] = []
    for value, numbers in values:
        counters = {
            side.name: _counter(
                campaign,
                place,
                change=partial(_restricted, field=field, value=value),
                counts=partial(_of_value, field=field, value=value),
            )
            for place, side in enumerate(campaign.systems)
        }
        parts.append(({field: value}, tuple(sorted(numbers)), counters))
    return parts


def _restricted(data: Any, *, field: str, value: Any) -> Any:
    return restricted(data, field, value)


def _of_value(seen: Seen, *, field: str, value: Any) -> Any:
    sliced = seen.slices[field]
    return next((counted for each, counted in sliced.values if same(each, value)), sliced.rest)


# ---------------------------------------------------------------------------------------------------------------------
# Samples


def _drawn(
    documents: int, places: Sequence[int], *, bootstrap: int, seed: int
) -> tuple[int, tuple[tuple[int, int], ...], Callable[[], Iterator[Array]]]:
    """The number of leave-outs, the pairs of them, and the weights of all samples in blocks, in the saved order."""
    import numpy as np

    from adjudge.stats.resample import bootstrap_weights
    from adjudge.tasks.kbp.masks_samples import drawn_pairs, leave_out_presence

    number = len(places)
    resampled = bootstrap > 0 and number > 1
    left = leave_out_presence(number, np.random.default_rng([seed, 1])).T if resampled else np.zeros((0, number), bool)
    pairs = drawn_pairs(len(left), np.random.default_rng([seed, 2])) if resampled else np.zeros((0, 2), np.int64)

    def spread(weights: Any) -> Array:
        full = np.zeros((len(weights), documents))
        full[:, list(places)] = weights
        return full

    def blocks() -> Iterator[Array]:
        yield spread(np.ones((1, number)))
        for at in range(0, len(left), _BLOCK):
            yield spread(left[at : at + _BLOCK])
        if resampled:
            for drawn in bootstrap_weights(number, bootstrap, Random(seed)):  # noqa: S311  # nothing is secret
                for at in range(0, len(drawn), _BLOCK):
                    yield spread(drawn[at : at + _BLOCK])
        for at in range(0, len(pairs), _BLOCK):
            some = pairs[at : at + _BLOCK]
            yield spread(left[some[:, 0]] & left[some[:, 1]])

    return len(left), tuple((int(a), int(b)) for a, b in pairs), blocks


def _count(counters: Mapping[str, Counter], blocks: Callable[[], Iterator[Array]]) -> dict[str, dict[str, Array]]:
    import numpy as np

    found: dict[str, list[Mapping[str, Array]]] = {name: [] for name in counters}
    for weights in blocks():
        for name, counter in counters.items():
            found[name].append(counter(weights))
    return {
        name: {column: np.concatenate([each[column] for each in counted]) for column in counted[0]}
        for name, counted in found.items()
    }
