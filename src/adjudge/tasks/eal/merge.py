"""Two stores of assessments as one: one of them has priority, the other fills its gaps.

Source: the official program that merges assessment stores. An assessment of the baseline counts; what it has not
assessed is taken from the other. A CAS that has a cluster in the baseline keeps it. Another CAS goes where most of the
CASes are that share its cluster in the other store; if the baseline knows none of them, they get a new cluster.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

from adjudge.model.eal import AnswerKey, Assessment, Cas, Response
from adjudge.tasks.eal.assess import fresh_clusters

Prefer: TypeAlias = Literal["baseline", "additional"]


class Disagreement(NamedTuple):
    """A response that both stores have assessed, each in its way."""

    response: Response
    baseline: Assessment
    additional: Assessment


class Merged(NamedTuple):
    """A merged document, and what came in.

    `split` are clusters of the additional store whose CASes the baseline puts into several clusters, `joined` clusters
    of the baseline whose CASes the additional store puts into several. In both cases the preferred store counts.
    """

    key: AnswerKey
    newly_assessed: Sequence[Response]
    disagreements: Sequence[Disagreement]
    split: Sequence[int] = ()
    joined: Sequence[int] = ()


def merge(baseline: AnswerKey, additional: AnswerKey, *, prefer: Prefer = "baseline") -> Merged:
    """The assessments of both; where they differ, the preferred ones, and the clusters of the preferred store.

    >>> from adjudge.model.eal import Span
    >>> bob = Response("d", "Life.Die", "Victim", Cas("Bob", Span(0, 2)), Span(0, 2), (Span(0, 9),), (), "Actual")
    >>> done = AnswerKey("d", {bob: Assessment("W")}, (), {bob.cas: 4})
    >>> merge(AnswerKey("d", {}, [bob], {}), done).key == done
    True
    """
    new = [response for response in additional.assessed if response not in baseline.assessed]
    taken = additional.assessed if prefer == "additional" else {each: additional.assessed[each] for each in new}
    assessed = {**baseline.assessed, **taken}
    waiting = dict.fromkeys((*baseline.unassessed, *additional.unassessed))
    disagreements = [
        Disagreement(response, baseline.assessed[response], assessment)
        for response, assessment in additional.assessed.items()
        if baseline.assessed.get(response, assessment) != assessment
    ]
    sides = (baseline.coref, additional.coref) if prefer == "baseline" else (additional.coref, baseline.coref)
    key = AnswerKey(
        baseline.document,
        assessed,
        tuple(response for response in waiting if response not in assessed),
        merge_clusters(*sides),
    )
    split, joined = _crossed(additional.coref, baseline.coref), _crossed(baseline.coref, additional.coref)
    return Merged(key, new, disagreements, split, joined)


def merge_clusters(baseline: Mapping[Cas, int], additional: Mapping[Cas, int]) -> dict[Cas, int]:
    """The clusters of the baseline, and where the other CASes go; with no baseline everything stays as it is.

    Of several clusters with the same number of mates, the one whose mate comes first counts.

    >>> a, b, c = (Cas(name, (0, 0)) for name in "abc")
    >>> merge_clusters({a: 7}, {a: 1, b: 1, c: 2})[b], merge_clusters({a: 7}, {a: 1, b: 1, c: 2})[c]
    (7, 8)
    """
    if not baseline:
        return dict(additional)
    merged = dict(baseline)
    fresh = fresh_clusters(baseline)
    for mates in _members(additional).values():
        votes = Counter(baseline[mate] for mate in mates if mate in baseline)
        if len(mates) == votes.total():
            continue
        goal = votes.most_common(1)[0][0] if votes else next(fresh)  # the first seen of equals
        for mate in mates:
            merged.setdefault(mate, goal)
    return merged


def _members(coref: Mapping[Cas, int]) -> dict[int, list[Cas]]:
    found: dict[int, list[Cas]] = {}
    for cas, cluster in coref.items():
        found.setdefault(cluster, []).append(cas)
    return found


def _crossed(one: Mapping[Cas, int], other: Mapping[Cas, int]) -> list[int]:
    """The clusters of one whose CASes stand in several clusters of the other."""
    return [
        cluster for cluster, mates in _members(one).items() if len({other[mate] for mate in mates if mate in other}) > 1
    ]
