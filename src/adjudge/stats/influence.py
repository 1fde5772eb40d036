"""Which documents and items matter: where two systems differ most, and what a ranking depends on.

Everything is computed from the counts per document of a saved result; nothing is scored again. The effect of a
document on a difference is the difference on all documents minus the difference without it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, cast

import msgspec
from msgspec.structs import replace

from adjudge.errors import UsageError, did_you_mean
from adjudge.stats.build import refuse_few_clusters
from adjudge.stats.measure import Prf, measures_of, part_keys
from adjudge.stats.notes import unproven_notes
from adjudge.stats.points import Additive, Pool, per_document
from adjudge.stats.result import Comparison, Note, Result
from adjudge.stats.scores import POOL
from adjudge.stats.table import StatsTable, cluster_names

if TYPE_CHECKING:
    from adjudge.stats.alignment import GoldDocument, Matching, SystemDocument
    from adjudge.stats.measure import Array, Key

Order: TypeAlias = Literal["influence", "disagreement"]
_PARTLY = "by-document"  # the note that some scores are not counted document by document
_SLACK = 1e-12  # differences that are equal but for the rounding of sums


class DocumentDifference(msgspec.Struct, frozen=True, kw_only=True):
    """The scores of two systems on one document, and its effect on their difference on all documents.

    `effect` is None where leaving the document out leaves nothing to score.
    """

    document: str
    metric: str
    part: str
    a: str
    b: str
    score_a: float
    score_b: float
    difference: float
    effect: float | None


class Differences(msgspec.Struct, frozen=True, kw_only=True):
    """Where systems differ most: documents, and slices of the corpus, the largest difference first."""

    documents: tuple[DocumentDifference, ...]
    slices: tuple[Comparison, ...]


def largest_differences(result: Result, top: int) -> Differences:
    """For every metric the `top` documents and slices on which any two systems differ most.

    Documents with the same difference are ordered by the size of their effect on the whole; those on which a score is
    undefined or the systems do not differ are left out.

    >>> from adjudge.stats.build import Counts, Scoring, build_result
    >>> from adjudge.stats.measure import Ratio
    >>> from adjudge.stats.table import StatsTable
    >>> score = [Ratio("x", "score", (("s", 1.0),), (("n", 1.0),))]
    >>> a = StatsTable(("d", "e"), ("s", "n"), [[2, 2], [1, 4]])
    >>> b = StatsTable(("d", "e"), ("s", "n"), [[1, 2], [1, 4]])
    >>> scoring = Scoring(task="t", profile="p", measures=score)
    >>> made = build_result(scoring, {"A": Counts(a), "B": Counts(b)})
    >>> [(each.document, each.difference) for each in largest_differences(made, 5).documents]
    [('d', 0.5)]
    """
    keys = list(dict.fromkeys((each.metric, each.part) for each in result.comparisons))
    documents: list[DocumentDifference] = []
    slices: list[Comparison] = []
    corpus = result.saved.pool == POOL  # then documents have no scores
    systems = {} if corpus else _estimators(result)
    for key in keys:
        found = _on_documents(systems, key)
        found.sort(key=lambda each: (-round(abs(each.difference), 12), -abs(each.effect or 0.0), each.document))
        documents += found[:top]
        sliced = [
            each
            for each in result.comparisons
            if (each.metric, each.part) == key and each.slice and abs(each.difference or 0.0) > _SLACK
        ]
        slices += sorted(sliced, key=lambda each: -abs(each.difference or 0.0))[:top]
    return Differences(documents=tuple(documents), slices=tuple(slices))


class Effect(msgspec.Struct, frozen=True, kw_only=True):
    """The effect of leaving out one document on two neighbours in a ranking; `flips` if their order changes."""

    a: str
    b: str
    effect: float
    without: float
    flips: bool


class _Telling(msgspec.Struct, frozen=True, kw_only=True):
    """Something that a ranking depends on."""

    @property
    def strongest(self) -> Effect | None:
        """The strongest effect: one that flips a pair, else the largest."""
        effects: tuple[Effect, ...] = self.effects  # type: ignore[attr-defined]
        return max(effects, key=lambda each: (each.flips, abs(each.effect)), default=None)


class Influence(_Telling, frozen=True, kw_only=True):
    """One document: how much the ranking depends on it, and how much the systems disagree about it."""

    document: str
    influence: float
    disagreement: float | None
    scores: dict[str, float | None]
    effects: tuple[Effect, ...]


class ItemInfluence(_Telling, frozen=True, kw_only=True):
    """One item: whether gold and which systems have it, and the effect on the ranking of judging it the other way."""

    document: str
    item: str
    value: Any
    gold: bool
    credits: dict[str, float]
    influence: float
    disagreement: float
    effects: tuple[Effect, ...]


class Neighbours(msgspec.Struct, frozen=True, kw_only=True):
    """Two systems next to each other in a ranking: their difference and its jackknife standard error."""

    a: str
    b: str
    difference: float
    error: float


class Ranked(msgspec.Struct, frozen=True, kw_only=True):
    """The ranking that something was chosen for, by which score, and out of how many."""

    adjudge: str
    signature: str
    metric: str
    part: str
    order: str
    of: int
    ranking: dict[str, float]
    neighbours: tuple[Neighbours, ...]
    notes: tuple[Note, ...] = ()


class ItemSelection(Ranked, frozen=True, kw_only=True):
    """The items that most affect a ranking, in falling order, and the ranking."""

    items: tuple[ItemInfluence, ...]


class Selection(Ranked, frozen=True, kw_only=True):
    """The documents that most affect a ranking, in falling order, and the ranking."""

    documents: tuple[Influence, ...]


def select_documents(
    result: Result,
    number: int,
    *,
    metric: str | None = None,
    order: Order = "influence",
    cluster_by: str | None = None,
) -> Selection:
    """The documents whose annotation or assessment would change the ranking of the systems most.

    Systems are ranked by one score. For neighbours a, b with difference d the effect of document i is d - d(-i), where
    d(-i) is the difference without it; it counts in units of max(|d|, s), s the jackknife standard error of d, so that
    a pair that is nearly tied weighs more than one that is far apart. The influence of a document is the sum of these
    over all neighbours. Its disagreement is the mean absolute difference of its scores over all pairs of systems.
    Documents with the same value of the field `cluster_by` are left out together, and selected as one.

    >>> from adjudge.stats.build import Counts, Scoring, build_result
    >>> from adjudge.stats.measure import Ratio
    >>> from adjudge.stats.table import StatsTable
    >>> score = [Ratio("x", "score", (("s", 1.0),), (("n", 1.0),))]
    >>> a = StatsTable(("d", "e", "f"), ("s", "n"), [[9, 10], [1, 4], [1, 2]])
    >>> b = StatsTable(("d", "e", "f"), ("s", "n"), [[6, 10], [2, 4], [1, 2]])
    >>> scoring = Scoring(task="t", profile="p", measures=score)
    >>> made = build_result(scoring, {"A": Counts(a), "B": Counts(b)})
    >>> [(each.document, each.strongest.flips) for each in select_documents(made, 2).documents]
    [('d', True), ('e', False)]
    """
    result = _by_document(result, metric)
    systems = _clustered(_estimators(result), cluster_by)
    key, points = _ranking(result, systems, metric)
    without = {name: each.left_out()[key] for name, each in systems.items()}
    own = {name: per_document(_units(each), each.measures)[key] for name, each in systems.items()}
    neighbours = _neighbours(points, without)
    documents = []
    for place, identifier in enumerate(next(iter(systems.values())).ids):
        total, effects = _changed((pair, float(without[pair.a][place] - without[pair.b][place])) for pair in neighbours)
        scores = {name: float(values[place]) for name, values in own.items()}
        documents.append(
            Influence(
                document=identifier,
                influence=total,
                disagreement=_disagreement([value for value in scores.values() if not math.isnan(value)]),
                scores={name: None if math.isnan(value) else value for name, value in scores.items()},
                effects=effects,
            )
        )
    documents.sort(key=lambda each: (*_rank(each, order), each.document))
    head = _head(result, key, order, len(documents), points, neighbours)
    return Selection(**head, documents=tuple(documents[:number]))


def _head(
    result: Result, key: Key, order: str, of: int, points: dict[str, float], neighbours: tuple[Neighbours, ...]
) -> dict[str, Any]:
    head = {"adjudge": result.adjudge, "signature": result.signature, "metric": key[0], "part": key[1]}
    chosen = [replace(each, message=f"ranked by {' '.join(key)}: {each.message}") for each in result.notes[:1]]
    notes = (*(each for each in chosen if each.code == _PARTLY), *unproven_notes(result))
    return {**head, "order": order, "of": of, "ranking": points, "neighbours": neighbours, "notes": notes}


def _disagreement(values: Sequence[float]) -> float | None:
    """The mean absolute difference over all pairs."""
    pairs = [abs(one - other) for one, other in combinations(values, 2)]
    return math.fsum(pairs) / len(pairs) if pairs else None


def _rank(each: Influence | ItemInfluence, order: Order) -> tuple[float, float]:
    influence, disagreement = -round(each.influence, 12), -round(each.disagreement or 0.0, 12)
    return (influence, disagreement) if order == "influence" else (disagreement, influence)


def _ranking(result: Result, systems: Mapping[str, Additive], metric: str | None) -> tuple[Key, dict[str, float]]:
    """The score to rank by, and its value for every system, the best first; an error if there is nothing to rank."""
    if len(systems) < 2:
        raise UsageError("a ranking needs at least two systems", hint="give the results of several systems")
    if not all(estimator.ids for estimator in systems.values()):
        raise UsageError("there are no documents to choose from")
    key = _chosen(result, metric)
    points = {name: estimator.point()[key] for name, estimator in systems.items()}
    unknown = [name for name, value in points.items() if math.isnan(value)]
    if unknown:
        raise UsageError(f"{' '.join(key)} of {unknown[0]} is undefined", hint="choose another score with --metric")
    return key, dict(sorted(points.items(), key=lambda each: -each[1]))


def _neighbours(points: Mapping[str, float], without: Mapping[str, Array]) -> tuple[Neighbours, ...]:
    """The neighbours in a ranking, with errors from the scores without each document."""
    from adjudge.stats.intervals import Parts, jackknife_error

    left = {(a, b): Parts(0.0, without[a] - without[b], without[a][:0]) for a, b in pairwise(points)}
    return tuple(
        Neighbours(a=a, b=b, difference=points[a] - points[b], error=jackknife_error(parts) or 0.0)
        for (a, b), parts in left.items()
    )


def _changed(left: Iterable[tuple[Neighbours, float]]) -> tuple[float, tuple[Effect, ...]]:
    """The influence of a change after which neighbours differ by these values, and its single effects."""
    found, total = [], 0.0
    for pair, value in left:
        if math.isnan(value):
            continue
        effect = pair.difference - value
        scale = max(abs(pair.difference), pair.error)
        total += abs(effect) / scale if scale > _SLACK else 0.0
        flips = _sign(value) != _sign(pair.difference)
        found.append(Effect(a=pair.a, b=pair.b, effect=effect, without=value, flips=flips))
    return total, tuple(found)


def _chosen(result: Result, metric: str | None) -> Key:
    """The score to rank systems by: the requested one, else the first on which they were compared."""
    headlines = {each.metric: each.part for each in result.comparisons}
    known = [(score.metric, score.part) for score in result.systems[0].scores if not score.slice]
    if metric is None:
        return next(iter(headlines.items()))
    if metric in headlines:
        return metric, headlines[metric]
    names = {".".join(key): key for key in known}
    if metric not in names:
        hint = did_you_mean(metric, [*headlines, *names]) or f"scores are {', '.join([*headlines, *names])}"
        raise UsageError(f"the results have no score {metric}", hint=hint)
    return names[metric]


def _by_document(result: Result, metric: str | None) -> Result:
    """The scores that are counted document by document; a note names them if others are about the whole corpus."""
    if result.saved.pool != POOL:
        return result
    columns = [() if each.table is None else each.table.columns for each in result.systems]
    measures = measures_of(result.measures, columns[0])
    names = list(dict.fromkeys(each.name for each in measures))
    if not measures or len(set(columns)) > 1:
        raise UsageError(
            "the result has no counts of single documents: its scores are counted over the whole corpus",
            hint="score and save the systems with a metric that is counted document by document",
        )
    whole = list(dict.fromkeys(each.name for each in result.measures if each not in measures))
    if lost := next((each for each in whole if metric is not None and f"{metric}.".startswith(f"{each}.")), None):
        message = f"{lost} is counted over the whole corpus, so documents have no scores of their own"
        raise UsageError(message, hint=f"choose with --metric from {', '.join(names)}")
    keys = set(part_keys(measures))
    systems = [replace(e, scores=tuple(s for s in e.scores if (s.metric, s.part) in keys)) for e in result.systems]
    message = (
        f"--metric chooses from {', '.join(names)}; {', '.join(whole)} {'is' if len(whole) == 1 else 'are'} counted "
    )
    return replace(
        result,
        systems=tuple(systems),
        comparisons=tuple(each for each in result.comparisons if (each.metric, each.part) in keys),
        measures=measures,
        options=replace(result.saved, pool="micro"),
        notes=(Note(_PARTLY, len(names), f"{message}over the whole corpus"),),
    )


def _estimators(result: Result) -> dict[str, Additive]:
    """The systems by their counts."""
    pool = cast("Pool", result.saved.pool)
    return {name: Additive(table, result.measures, pool) for name, table in result.tables().items()}


def _clustered(systems: dict[str, Additive], field: str | None) -> dict[str, Additive]:
    """The systems with documents that are left out together, if they have such a field."""
    if field is None:
        return systems
    table = next(iter(systems.values())).table
    if field not in table.attributes:
        known = ", ".join(table.attributes)
        hint = did_you_mean(field, table.attributes) or (f"fields: {known}" if known else "score with --by and --save")
        raise UsageError(f"the documents have no field {field!r} to cluster by", hint=hint)
    names = cluster_names(field, table.ids, table.attributes[field])
    refuse_few_clusters(len(set(names)), field)
    return {name: replace(each, clusters=names) for name, each in systems.items()}


def _units(system: Additive) -> StatsTable:
    """The counts of documents, or of clusters of them."""
    return system.table if system.clusters is None else system.table.grouped(system.clusters)


def _on_documents(systems: Mapping[str, Additive], key: Key) -> list[DocumentDifference]:
    """All pairs of systems on all documents on which they differ."""
    points = {name: each.point()[key] for name, each in systems.items()}
    alone = {name: per_document(each.table, each.measures)[key] for name, each in systems.items()}
    without = {name: each.left_out()[key] for name, each in systems.items()}
    found = []
    for a, b in combinations(systems, 2):
        effects = ((points[a] - points[b]) - (without[a] - without[b])).tolist()
        rows = zip(systems[a].ids, alone[a].tolist(), alone[b].tolist(), effects, strict=True)
        found += [
            DocumentDifference(
                document=identifier,
                metric=key[0],
                part=key[1],
                a=a,
                b=b,
                score_a=first,
                score_b=second,
                difference=first - second,
                effect=None if math.isnan(effect) else effect,
            )
            for identifier, first, second, effect in rows
            if not math.isnan(first) and not math.isnan(second) and abs(first - second) > _SLACK
        ]
    return found


def _sign(value: float) -> int:
    return 0 if abs(value) <= _SLACK else int(math.copysign(1, value))


# ---------------------------------------------------------------------------------------------------------------------
# Items, by the outcomes that were saved with the result. A gold item judged the other way is no gold item; one that
# only systems have becomes one. The counts of the document change by the outcomes of the item, and nothing else
# changes.

_SAME = 1e-6  # outcomes are saved with six digits


class _Judged(NamedTuple):
    """An item, and the credit that each system has for it now, or would have."""

    document: int
    path: str
    value: Any
    gold: bool
    credits: dict[str, float]


def select_items(
    result: Result,
    number: int,
    *,
    metric: str | None = None,
    order: Order = "influence",
    cluster_by: str | None = None,
) -> ItemSelection:
    """The items whose annotation or assessment would change the ranking of the systems most.

    For neighbours a, b of the ranking with difference d the effect of an item is d - d', where d' is the difference if
    the item were judged the other way: removing a gold item takes its credit and one gold item from the counts, adding
    an item of systems gives them credit and adds one gold item. Influence and disagreement are those of
    `select_documents`, the latter of the credits of systems; `cluster_by` changes the standard errors alone.

    >>> import adjudge as aj
    >>> gold = [{"id": "d", "items": ["a", "b", "c"]}]
    >>> systems = {"A": [{"id": "d", "items": ["a", "b"]}], "B": [{"id": "d", "items": ["a", "x"]}]}
    >>> found = select_items(aj.score("record.set", gold, systems, bootstrap=0, documents=True), 2)
    >>> [(each.value, each.gold, each.strongest.flips) for each in found.items]
    [('b', True, True), ('x', False, True)]
    """
    import numpy as np

    if not result.documents or not all(system.aligned for system in result.systems):
        hint = "write it with --save and --save-documents"
        raise UsageError("the result was saved without the outcome of every item", hint=hint)
    result = _by_document(result, metric)
    systems = _estimators(result)
    key, points = _ranking(result, systems, metric)
    measure = _measure(result, key)
    judged = _judged(result, key[0], measure, systems)
    ids = next(iter(systems.values())).ids
    row = {identifier: place for place, identifier in enumerate(ids)}
    at = np.array([row[result.documents[each.document].id] for each in judged], dtype=np.int64)
    changed: dict[str, Array] = {}
    for name, estimator in systems.items():
        table = estimator.select(ids).table
        values = table.array[at]
        own = np.array([each.credits.get(name, 0.0) for each in judged])
        sign = np.array([-1.0 if each.gold else 1.0 for each in judged])
        values[:, table.columns.index(measure.recall[0])] += sign * own
        values[:, table.columns.index(measure.recall[1])] += sign
        own_rows = Additive(table, result.measures, estimator.pool)
        rows = own_rows.summed[0].array
        named = tuple(map(str, range(len(judged))))
        judged_table = StatsTable(named, table.columns, values)  # type: ignore[arg-type]  # an array will do
        other = Additive(judged_table, result.measures, estimator.pool).summed[0].array
        changed[name] = own_rows.finish(rows.sum(axis=0)[None, :] - rows[at] + other)[key]
    without = {name: each.left_out()[key] for name, each in _clustered(systems, cluster_by).items()}
    neighbours = _neighbours(points, without)
    items = []
    for place, each in enumerate(judged):
        total, effects = _changed((pair, float(changed[pair.a][place] - changed[pair.b][place])) for pair in neighbours)
        credit = {name: each.credits.get(name, 0.0) for name in systems}
        items.append(
            ItemInfluence(
                document=result.documents[each.document].id,
                item=each.path,
                value=each.value,
                gold=each.gold,
                credits=credit,
                influence=total,
                disagreement=_disagreement(list(credit.values())) or 0.0,
                effects=effects,
            )
        )
    items.sort(key=lambda each: (*_rank(each, order), each.document, each.item))
    head = _head(result, key, order, len(items), points, neighbours)
    return ItemSelection(**head, items=tuple(items[:number]))


def _measure(result: Result, key: Key) -> Prf:
    for each in result.measures:
        if isinstance(each, Prf) and each.name == key[0] and each.shared:
            return each
    raise _refusal(key[0])


def _refusal(metric: str) -> UsageError:
    hint = "choose a metric that counts items, or select documents"
    return UsageError(f"{metric} is not a sum over items, so no item has a share in it", hint=hint)


def _judged(result: Result, metric: str, measure: Prf, systems: Mapping[str, Additive]) -> list[_Judged]:
    """Every item of the level that the metric counts, with the credit of each system."""
    levels = {item.level: None for document in result.documents for item in document.items}
    for system in result.systems:
        levels |= {item.level: None for own in system.aligned for item in own.items}
    for level in sorted(levels, key=lambda each: -each.count("[*]")):  # the innermost ones are counted most often
        found = _at_level(result, metric, level)
        if found and _adds_up(found, measure, systems):
            return _merged(found)
    raise _refusal(metric)


class _Side(NamedTuple):
    """The items of one level for one system in one document."""

    document: str
    place: int
    system: str
    gold: dict[str, tuple[Any, float]]
    spurious: dict[str, tuple[Any, Any]]
    owned: int


def _at_level(result: Result, metric: str, level: str) -> list[_Side]:
    found = []
    for system in result.systems:
        for place, (gold, own) in enumerate(zip(result.documents, system.aligned, strict=True)):
            matching = next((each for each in own.matchings if each.metric == metric), None)
            if matching is not None:
                found.append(_side(place, system.name, gold, own, matching, level))
    return found if any(each.gold or each.spurious for each in found) else []


def _side(place: int, system: str, gold: GoldDocument, own: SystemDocument, matching: Matching, level: str) -> _Side:
    credit = {each.item: 0.0 for each in matching.missed}
    for pair in matching.pairs:
        credit[pair.gold] = credit.get(pair.gold, 0.0) + pair.credit
    golden = {
        gold.items[item].id: (gold.items[item].value, score)
        for item, score in credit.items()
        if gold.items[item].level == level
    }
    wholes = {item.id: item.value for item in own.items}
    wrong = [each.item for each in matching.spurious]
    wrong += [each.system for each in matching.pairs if each.outcome == "wrong"]
    spurious = {
        item.id: (item.value, [item.text, *(wholes.get(name) for name in item.group)])
        for item in (own.items[number] for number in wrong)
        if item.level == level
    }
    right = {each.system for each in matching.pairs if each.outcome != "wrong"}
    owned = len(spurious) + sum(own.items[number].level == level for number in right)
    return _Side(gold.id, place, system, golden, spurious, owned)


def _adds_up(found: Sequence[_Side], measure: Prf, systems: Mapping[str, Additive]) -> bool:
    """Whether the metric counts the items of a level: then their sums are its columns."""
    tables = {name: estimator.table for name, estimator in systems.items()}
    rows = {name: {identifier: place for place, identifier in enumerate(each.ids)} for name, each in tables.items()}
    names = measure.recall[0], measure.precision[1], measure.recall[1]
    for each in found:
        table = tables[each.system]
        counts = [table.values[rows[each.system][each.document]][table.columns.index(column)] for column in names]
        own = [math.fsum(score for _, score in each.gold.values()), each.owned, len(each.gold)]
        if any(abs(one - other) > _SAME * max(1.0, abs(one)) for one, other in zip(counts, own, strict=True)):
            return False
    return True


def _merged(found: Sequence[_Side]) -> list[_Judged]:
    """The items of all systems: those of gold by their ids, the others by their content."""
    known: dict[tuple[Any, ...], _Judged] = {}
    for each in found:
        for name, (value, score) in each.gold.items():
            item = known.setdefault((each.place, True, name), _Judged(each.place, name, value, True, {}))
            item.credits[each.system] = score
        for name, (value, whole) in each.spurious.items():
            same = each.place, False, json.dumps([value, whole], sort_keys=True, default=str)
            item = known.setdefault(same, _Judged(each.place, name, value, False, {}))
            item.credits[each.system] = 1.0
    return list(known.values())
