"""Stores of assessments: unassessed pooled responses, copies with the assessor's realis, repairs, and merging.

Sources: task description of 2015, "Dimensions of Assessment"; the realis copies and the repairs are steps of the
official programs that no description mentions. Merging: an assessment of the baseline counts; what it has not assessed
is taken from the other. A CAS that has a cluster in the baseline keeps it. Another CAS goes where most of the CASes are
that share its cluster in the other store; if the baseline knows none of them, they get a new cluster."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, count
from typing import Literal, NamedTuple, TypeAlias

from adjudge.formats.eal_assessments import inconsistencies
from adjudge.model.eal import AnswerKey, Arguments, Assessment, Cas, Response
from adjudge.tasks.eal.settings import SPEC, Profile

LARGEST = 2**31 - 1  # cluster numbers have 32 bits


class Created(NamedTuple):
    """A document of assessments after adding a pool: how many responses are new, assessed, or already waiting."""

    key: AnswerKey
    added: int
    assessed: int
    waiting: int


def add_responses(key: AnswerKey, arguments: Arguments) -> Created:
    """The assessments, with every missing response of `arguments` added as unassessed.

    >>> from adjudge.model.eal import Argument, Span
    >>> bob = Response("d", "Life.Die", "Victim", Cas("Bob", Span(0, 2)), Span(0, 2), (Span(0, 9),), (), "Actual")
    >>> made = add_responses(AnswerKey("d"), Arguments("d", [Argument(bob)]))
    >>> made.added, add_responses(made.key, Arguments("d", [Argument(bob)])).waiting
    (1, 1)
    """
    waiting = dict.fromkeys(key.unassessed)
    new: dict[Response, None] = {}
    seen: set[Response] = set()
    for argument in arguments.arguments:
        seen.add(argument.response)
        if argument.response not in key.assessed and argument.response not in waiting:
            new[argument.response] = None
    assessed = sum(response in key.assessed for response in seen)
    made = AnswerKey(key.document, key.assessed, (*waiting, *new), key.coref) if new else key
    return Created(made, len(new), assessed, len(seen) - assessed - len(new))


def expand_realis(key: AnswerKey) -> tuple[AnswerKey, list[Response]]:
    """For each assessed response whose realis is not the assessor's a copy with the assessor's, and these copies.

    A copy has the assessment of its original. There is none if a response with these fields exists already, assessed
    or not.

    >>> from adjudge.model.eal import Span
    >>> bob = Response("d", "Life.Die", "Victim", Cas("Bob", Span(0, 2)), Span(0, 2), (Span(0, 9),), (), "Actual")
    >>> _, added = expand_realis(AnswerKey("d", {bob: Assessment("C", "C", "C", "C", "Other", "NAME")}, (), {}))
    >>> [response.realis for response in added]
    ['Other']
    """
    known = {*key.assessed, *key.unassessed}
    assessed = dict(key.assessed)
    added = []
    for response, assessment in key.assessed.items():
        if assessment.realis is None or assessment.realis == response.realis:
            continue
        copy = response._replace(realis=assessment.realis)
        if copy not in known:
            known.add(copy)
            assessed[copy] = assessment
            added.append(copy)
    return (AnswerKey(key.document, assessed, key.unassessed, key.coref), added) if added else (key, [])


class Change(NamedTuple):
    """A change to the assessments of a document, and the response if it concerns one."""

    kind: str
    document: str
    response: Response | None
    what: str


def repair(key: AnswerKey, profile: Profile = SPEC) -> tuple[AnswerKey, list[Change]]:
    """Assessments repaired to follow the guidelines, and the changes made.

    Answers not asked for are cleared; a response that lacks a required answer becomes unassessed again; a time that
    is not a date has a wrong CAS; every CAS of an assessed response gets a cluster, a new one if it has none.

    >>> from adjudge.model.eal import Span
    >>> bob = Response("d", "Life.Die", "Victim", Cas("Bob", Span(0, 2)), Span(0, 2), (Span(0, 9),), (), "Actual")
    >>> repaired, done = repair(AnswerKey("d", {bob: Assessment("W", None, "C")}, (), {}))
    >>> repaired.assessed[bob], [each.kind for each in done]
    (Assessment(event_type='W', role=None, cas=None, ...), ['cleared', 'new-cluster'])
    """
    assessed: dict[Response, Assessment] = {}
    again: list[Response] = []
    done: list[Change] = []
    for response, given in key.assessed.items():
        assessment = given
        wrong = inconsistencies(assessment, has_cluster=True)
        if any(each.kind == "assessment-missing" for each in wrong):
            missing = ", ".join(str(each.column) for each in wrong)
            done.append(Change("waits-again", key.document, response, f"there is no answer in column {missing}"))
            again.append(response)
            continue
        if wrong:
            assessment = Assessment(assessment.event_type, assessment.role)
            cleared = ", ".join(str(each.column) for each in wrong)
            done.append(Change("cleared", key.document, response, f"column {cleared} is not asked for"))
        if profile.is_broken(response.role, response.cas.text, assessment):
            done.append(
                Change("wrong-time", key.document, response, f"{response.cas.text!r} is not a date, the CAS is wrong")
            )
            assessment = assessment._replace(cas="W")
        assessed[response] = assessment
    coref = dict(key.coref)
    fresh = fresh_clusters(coref)
    for response in assessed:
        if response.cas not in coref:
            coref[response.cas] = next(fresh)
            done.append(Change("new-cluster", key.document, response, f"the CAS has cluster {coref[response.cas]} now"))
    if not done:
        return key, []
    return AnswerKey(key.document, assessed, (*key.unassessed, *again), coref), done


def fresh_clusters(coref: Mapping[Cas, int]) -> Iterator[int]:
    """Numbers that no cluster has: one more than the largest, and so on; what is free below it when there are no more.

    >>> from itertools import islice
    >>> list(islice(fresh_clusters({}), 2)), next(fresh_clusters({Cas("Bob", (0, 2)): 7}))
    ([1, 2], 8)
    """
    used = set(coref.values())
    above: Iterable[int] = range(max(used, default=0) + 1, LARGEST + 1)
    return chain(above, (number for number in count(1) if number not in used))


Prefer: TypeAlias = Literal["baseline", "additional"]


class Disagreement(NamedTuple):
    """A response that the two stores assess differently."""

    response: Response
    baseline: Assessment
    additional: Assessment


class Merged(NamedTuple):
    """A merged document, and what was added.

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
    """The clusters of one whose CASes are in several clusters of the other."""
    return [
        cluster for cluster, mates in _members(one).items() if len({other[mate] for mate in mates if mate in other}) > 1
    ]
