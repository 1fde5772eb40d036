"""The rules before scoring: broken times, responses that another one covers, and times that say less than another.

Source: task description of 2015, "Departures from ACE 2005". The rules look at the key alone; what they say goes then
holds for the key, the reference frames, and the responses and frames of every system.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

from adjudge.formats.timex import is_valid, less_specific
from adjudge.model.eal import TIME_ROLES, AnswerKey, Assessment, Response
from adjudge.tasks.eal.identity import ACCEPTABLE, Cluster, is_good
from adjudge.tasks.eal.profiles import Profile
from adjudge.tasks.eal.settings import Cover

Rule: TypeAlias = Literal["covered", "less-specific-time"]

Fate: TypeAlias = tuple[str, str, str, Cluster]  # type, role, realis, cluster of what is covered
Date: TypeAlias = tuple[str, str, "str | None", str]  # type, role, realis (None: any), text of what says less


class Bans(NamedTuple):
    """What goes: fillers that are covered, each with the type that covers it, and dates that say too little."""

    covered: Mapping[Fate, str]
    dates: Mapping[Date, str]
    any_realis: bool = False

    def rule(self, response: Response, cluster: Cluster) -> Rule | None:
        """The rule by which a response goes, if any."""
        if self.covered and (response.type, response.role, response.realis, cluster) in self.covered:
            return "covered"
        if self.dates and response.role in TIME_ROLES and self.date(response) is not None:
            return "less-specific-time"
        return None

    def date(self, response: Response) -> str | None:
        """The more specific date because of which a response goes."""
        realis = None if self.any_realis else response.realis
        return self.dates.get((response.type, response.role, realis, response.cas.text))


def broken_times(assessed: Mapping[Response, Assessment], profile: Profile) -> list[Response]:
    """Times that were assessed as acceptable although they are not dates.

    >>> from adjudge.model.eal import Cas, Span
    >>> at = Span(0, 2)
    >>> day = Response("d", "Life.Die", "Time", Cas("XXXX-05-04", at), at, (Span(0, 9),), (), "Actual")
    >>> right = Assessment("C", "C", "C", "C", "Actual", "NAME")
    >>> from adjudge.tasks.eal.profiles import BBN_2015, SPEC
    >>> len(broken_times({day: right}, BBN_2015)), len(broken_times({day: right}, SPEC))
    (1, 0)
    """
    return [
        response
        for response, assessment in assessed.items()
        if response.role in TIME_ROLES
        and assessment.cas in ACCEPTABLE
        and not is_valid(response.cas.text, x_year=profile.x_year, lower_x=profile.lower_x)
    ]


def covered_fillers(
    assessed: Iterable[tuple[Response, Assessment]], cluster: Callable[[Response], Cluster], covers: Sequence[Cover]
) -> dict[Fate, str]:
    """What is covered by good responses: with the type of each cover, the same role, realis and cluster.

    >>> from adjudge.model.eal import Cas, Span
    >>> at = Span(0, 2)
    >>> bob = Response("d", "Life.Die", "Victim", Cas("Bob", at), at, (Span(0, 9),), (), "Actual")
    >>> right = Assessment("C", "C", "C", "C", "Actual", "NAME")
    >>> covered_fillers([(bob, right)], lambda response: 7, [("Life.Die", "Life.Injure")])
    {('Life.Injure', 'Victim', 'Actual', 7): 'Life.Die'}
    """
    found: dict[Fate, str] = {}
    types: dict[str, list[str]] = {}
    for one, other in covers:
        types.setdefault(one, []).append(other)
    for response, assessment in assessed:
        if response.type in types and is_good(response, assessment):
            for other in types[response.type]:
                found.setdefault((other, response.role, response.realis, cluster(response)), response.type)
    return found


def vague_dates(assessed: Iterable[tuple[Response, Assessment]], profile: Profile) -> dict[Date, str]:
    """The dates that say less than one that was assessed as acceptable, each with that one.

    Whether the whole response must be good, whether realis matters, and which dates say less, is decided by the
    profile.
    """
    found: dict[Date, str] = {}
    done: set[Date] = set()
    for response, assessment in assessed:
        if response.role not in TIME_ROLES or assessment.cas not in ACCEPTABLE:
            continue
        if profile.time_rule_requires == "good" and not is_good(response, assessment):
            continue
        text = response.cas.text
        realis = response.realis if profile.time_rule_same_realis else None
        date = response.type, response.role, realis, text
        if date in done or not is_valid(text, x_year=profile.x_year, lower_x=profile.lower_x):
            continue
        done.add(date)
        for less in less_specific(text, x_year=profile.x_year, parts=profile.time_rule_digits == "each-part"):
            found.setdefault((response.type, response.role, realis, less), text)
    return found


def repair_lower_x(responses: Iterable[Response]) -> dict[Response, Response]:
    """Times with a small x and what they become: every xx is XX.

    >>> from adjudge.model.eal import Cas, Span
    >>> at = Span(0, 2)
    >>> day = Response("d", "Life.Die", "Time", Cas("2003-xx-xx", at), at, (Span(0, 9),), (), "Actual")
    >>> [after.cas.text for after in repair_lower_x([day]).values()]
    ['2003-XX-XX']
    """
    found = {}
    for response in responses:
        if response.role in TIME_ROLES and "xx" in response.cas.text:
            text = response.cas.text.replace("xx", "XX")
            found[response] = response._replace(cas=response.cas._replace(text=text))
    return found


def repaired_key(key: AnswerKey) -> AnswerKey:
    """A key in which each xx of a time is XX; a CAS that is new then is a cluster of its own."""
    changed = repair_lower_x([*key.assessed, *key.unassessed])
    if not changed:
        return key
    coref = dict(key.coref)
    free = max((*coref.values(), 0)) + 1
    for new in changed.values():
        if new.cas not in coref:
            coref[new.cas] = free
            free += 1
    assessed = {changed.get(response, response): assessment for response, assessment in key.assessed.items()}
    rest = dict.fromkeys(changed.get(response, response) for response in key.unassessed)
    return AnswerKey(key.document, assessed, [each for each in rest if each not in assessed], coref)
