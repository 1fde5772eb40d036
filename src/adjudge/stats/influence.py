"""Which documents matter: where two systems differ most, and whose scores hold a ranking up.

Everything is computed from the counts per document of a saved result; nothing is scored again. The effect of a
document on a difference is the difference on all documents minus the difference without it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Literal, TypeAlias, cast

import msgspec

from adjudge.errors import UsageError, did_you_mean
from adjudge.stats.result import Comparison, Result

if TYPE_CHECKING:
    from adjudge.stats.measure import Array, Key
    from adjudge.stats.points import Additive, Pool

Order: TypeAlias = Literal["influence", "disagreement"]
_SLACK = 1e-12  # differences that are equal but for the rounding of sums


class DocumentDifference(msgspec.Struct, frozen=True, kw_only=True):
    """The scores of two systems on one document, and what the document does to their difference on all.

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
    undefined, or on which the systems do not differ, are left out.

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
    corpus = result.options is not None and result.options.pool == "corpus"  # then documents have no scores
    systems = {} if corpus else {name: _Parts(each) for name, each in estimators(result).items()}
    for key in keys:
        found = [each for a, b in combinations(systems, 2) for each in _on_documents(systems, a, b, key)]
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
    """What leaving one document out does to two neighbours of a ranking; `flips` if their order changes."""

    a: str
    b: str
    effect: float
    without: float
    flips: bool


class Influence(msgspec.Struct, frozen=True, kw_only=True):
    """One document: how much the ranking hangs on it, and how much the systems disagree about it."""

    document: str
    influence: float
    disagreement: float | None
    scores: dict[str, float | None]
    effects: tuple[Effect, ...]

    @property
    def strongest(self) -> Effect | None:
        """The effect on the pair that it changes most."""
        return strongest_of(self.effects)


class Neighbours(msgspec.Struct, frozen=True, kw_only=True):
    """Two systems that stand next to each other: their difference and its jackknife standard error."""

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


class Selection(Ranked, frozen=True, kw_only=True):
    """The documents to look at, the most telling first, and the ranking that they were chosen for."""

    documents: tuple[Influence, ...]


def select_documents(
    result: Result, number: int, *, metric: str | None = None, part: str | None = None, order: Order = "influence"
) -> Selection:
    """The documents whose annotation or assessment would change the ranking of the systems most.

    Systems are ranked by one score. For neighbours a, b with difference d the effect of document i is d - d(-i), where
    d(-i) is the difference without it; it counts in units of max(|d|, s), s the jackknife standard error of d, so that
    a pair that is nearly tied weighs more than one that is far apart. The influence of a document is the sum of these
    over all neighbours. Its disagreement is the mean absolute difference of its scores over all pairs of systems.

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
    systems = estimators(result)
    key, points = ranking(result, systems, metric, part)
    without = {name: left_out(each)[key] for name, each in systems.items()}
    own = {name: _alone(estimator)[key] for name, estimator in systems.items()}
    neighbours = neighbours_of(points, without)
    documents = [
        _influence(
            identifier,
            {name: float(values[place]) for name, values in own.items()},
            [(pair, float(without[pair.a][place] - without[pair.b][place])) for pair in neighbours],
        )
        for place, identifier in enumerate(next(iter(systems.values())).ids)
    ]
    documents.sort(key=lambda each: _rank(each, order))
    return Selection(
        adjudge=result.adjudge,
        signature=result.signature,
        metric=key[0],
        part=key[1],
        order=order,
        of=len(documents),
        ranking=points,
        neighbours=neighbours,
        documents=tuple(documents[:number]),
    )


def _influence(identifier: str, scores: Mapping[str, float], left: list[tuple[Neighbours, float]]) -> Influence:
    total, effects = changed_pairs(left)
    defined = [value for value in scores.values() if not math.isnan(value)]
    pairs = [abs(one - other) for one, other in combinations(defined, 2)]
    return Influence(
        document=identifier,
        influence=total,
        disagreement=math.fsum(pairs) / len(pairs) if pairs else None,
        scores={name: None if math.isnan(value) else value for name, value in scores.items()},
        effects=effects,
    )


def ranking(
    result: Result, systems: Mapping[str, Additive], metric: str | None, part: str | None
) -> tuple[Key, dict[str, float]]:
    """The score that is asked for, and that of every system, the best first; an error if there is nothing to rank."""
    if len(systems) < 2:
        raise UsageError("a ranking needs at least two systems", hint="give the results of several systems")
    if not all(estimator.ids for estimator in systems.values()):
        raise UsageError("there are no documents to choose from")
    key = chosen(result, metric, part)
    points = {name: estimator.point()[key] for name, estimator in systems.items()}
    unknown = [name for name, value in points.items() if math.isnan(value)]
    if unknown:
        raise UsageError(f"{' '.join(key)} of {unknown[0]} is undefined", hint="choose another score with --metric")
    return key, dict(sorted(points.items(), key=lambda each: -each[1]))


def neighbours_of(points: Mapping[str, float], without: Mapping[str, Array]) -> tuple[Neighbours, ...]:
    """The pairs of a ranking, with errors from the scores that each document leaves when it is left out."""
    return tuple(
        Neighbours(a=a, b=b, difference=points[a] - points[b], error=_error(without[a] - without[b]))
        for a, b in pairwise(points)
    )


def strongest_of(effects: Iterable[Effect]) -> Effect | None:
    """The effect that changes its pair most: one that flips it, then the largest."""
    return max(effects, key=lambda each: (each.flips, abs(each.effect)), default=None)


def changed_pairs(left: Iterable[tuple[Neighbours, float]]) -> tuple[float, tuple[Effect, ...]]:
    """The influence of a change after which neighbours differ by so much, and its effects one by one."""
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


def _rank(each: Influence, order: Order) -> tuple[float, float, str]:
    influence, disagreement = -round(each.influence, 12), -round(each.disagreement or 0.0, 12)
    first, second = (influence, disagreement) if order == "influence" else (disagreement, influence)
    return first, second, each.document


def chosen(result: Result, metric: str | None, part: str | None) -> Key:
    """The score that systems are ranked by: the one asked for, else the first that they were compared on."""
    headlines = {each.metric: each.part for each in result.comparisons}
    known = [(score.metric, score.part) for score in result.systems[0].scores if not score.slice]
    if metric is None:
        return next(iter(headlines.items()))
    if metric in headlines and part is None:
        return metric, headlines[metric]
    whole = metric if part is None else f"{metric}.{part}"
    for key in known:
        if ".".join(key) == whole:
            return key
    names = [*headlines, *(".".join(key) for key in known)]
    hint = did_you_mean(whole, names) or f"scores are {', '.join(names)}"
    raise UsageError(f"the results have no score {whole}", hint=hint)


def estimators(result: Result) -> dict[str, Additive]:
    """The systems by their counts."""
    from adjudge.stats.points import Additive

    if result.options is not None and result.options.pool == "corpus":
        raise UsageError(
            "these scores do not add over documents, so that none has a score of its own",
            hint="choose a metric that is counted document by document",
        )
    found = {}
    for system in result.systems:
        table = system.table
        if table is None or result.options is None:
            hint = "write it with --save or Result.save"
            raise UsageError(f"the result of {system.name} has no counts per document", hint=hint)
        found[system.name] = Additive(table, result.measures, cast("Pool", result.options.pool))
    return found


class _Parts:
    """The scores of one system: on all documents, on each alone, and without each."""

    def __init__(self, estimator: Additive) -> None:
        self.ids = estimator.ids
        self.point = estimator.point()
        self.alone, self.without = _alone(estimator), left_out(estimator)


def _on_documents(systems: Mapping[str, _Parts], a: str, b: str, key: Key) -> list[DocumentDifference]:
    one, other = systems[a], systems[b]
    whole = one.point[key] - other.point[key]
    effects = (whole - (one.without[key] - other.without[key])).tolist()
    found = []
    rows = zip(one.ids, one.alone[key].tolist(), other.alone[key].tolist(), effects, strict=True)
    for identifier, first, second, effect in rows:
        if math.isnan(first) or math.isnan(second) or abs(first - second) <= _SLACK:
            continue
        found.append(
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
        )
    return found


def _alone(estimator: Additive) -> dict[Key, Array]:
    """The scores of every document by itself."""
    from adjudge.stats.points import per_document

    return per_document(estimator.table, estimator.measures)


def left_out(estimator: Additive) -> dict[Key, Array]:
    """The scores of the corpus without each of the documents."""
    import numpy as np

    table, _ = estimator.summed
    return estimator.finish(np.array(list(table.totals.values())) - table.array)


def _error(left: Array) -> float:
    """The jackknife error of what is without each document; 0 if there are too few."""
    from adjudge.stats.intervals import Parts, jackknife_error

    return jackknife_error(Parts(0.0, left, left[:0])) or 0.0


def _sign(value: float) -> int:
    return 0 if abs(value) <= _SLACK else int(math.copysign(1, value))
