"""What is wrong with the After and Subevent links of one document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from adjudge.errors import Problem
from adjudge.formats.findings import Finding
from adjudge.model.nugget import AFTER, SUBEVENT, NuggetDocument, Relation
from adjudge.tasks.nugget.sequencing_graph import Events, components, events_of

_SHOWN = 6  # events of a cycle that are named


def check_links(document: NuggetDocument, *, path: str | None = None) -> list[Finding]:
    """Everything that keeps a link from meaning what it says, in the order of the file.

    Kinds: `link-arguments`, `link-unknown-event` and `link-and-reverse` are errors (the official validator refuses
    them); `link-repeated`, `link-inside-cluster`, `link-cycle` (over three or more events) and `link-after-part` (an
    event after its own part) are warnings.

    >>> from adjudge.model.nugget import Nugget
    >>> nuggets = [Nugget(name, "Conflict_Attack", "Actual", name) for name in ("E1", "E2")]
    >>> links = [Relation("After", "A1", ("E1", "E2"), 3), Relation("After", "A2", ("E2", "E1"), 4)]
    >>> for finding in check_links(NuggetDocument("d", nuggets, links), path="sys.tbf"):
    ...     print(finding.problem)
    sys.tbf:4: After A2 says E2,E1, and A1 (line 3) the reverse, remove one of them
    """
    mine = [relation for relation in document.relations if relation.name in (AFTER, SUBEVENT)]
    if not mine:
        return []
    events = events_of(document)
    found: list[tuple[Relation, str, bool, str, str]] = []
    sound = []
    for link in mine:
        finding = _alone(link, events)
        if finding:
            found.append((link, *finding))
        else:
            sound.append(link)
    found += _together(sound, events)
    places = {id(link): place for place, link in enumerate(mine)}
    found.sort(key=lambda each: places[id(each[0])])
    return [
        Finding(kind, error, Problem(message, path=path, line=link.line or None, hint=hint), document.id)
        for link, kind, error, message, hint in found
    ]


Complaint = tuple[str, bool, str, str]  # kind, whether it is an error, message, hint


def _told(link: Relation) -> str:
    return f"{link.name} {link.id}".rstrip()


def _alone(link: Relation, events: Events) -> Complaint | None:
    """What is wrong with a link by itself."""
    number = len(link.arguments)
    if number != 2:
        message = f"{_told(link)} has {number} argument{'s' * (number != 1)}"
        return "link-arguments", True, message, "give two mention ids, separated by a comma"
    unknown = [id_ for id_ in dict.fromkeys(link.arguments) if id_ not in events.home]
    if unknown:
        message = f"{_told(link)} names {' and '.join(unknown)}, which no mention of the document has as its id"
        return "link-unknown-event", True, message, "correct the id, or add the mention"
    first, second = link.arguments
    if events.home[first] == events.home[second]:
        what = "joins a mention with itself" if first == second else f"joins {first} and {second} of one cluster"
        return "link-inside-cluster", False, f"{_told(link)} {what}, and is ignored", "join two different events"
    return None


def _together(links: Sequence[Relation], events: Events) -> Iterator[tuple[Relation, str, bool, str, str]]:
    """What is wrong between links."""
    first: dict[tuple[str, int, int], Relation] = {}
    for link in links:
        left, right = (events.home[id_] for id_ in link.arguments)
        pair = ",".join(link.arguments)
        same, reverse = first.get((link.name, left, right)), first.get((link.name, right, left))
        if same:
            message = f"{_told(link)} says {pair}, as {_named(same)} does"
            yield link, "link-repeated", False, message, "remove one of them"
        elif reverse:
            message = f"{_told(link)} says {pair}, and {_named(reverse)} the reverse"
            yield link, "link-and-reverse", True, message, "remove one of them"
        else:
            other = first.get((SUBEVENT if link.name == AFTER else AFTER, left, right))
            other = other or first.get((SUBEVENT if link.name == AFTER else AFTER, right, left))
            if other:
                message = f"{_told(link)} joins the same events as {other.name} {_named(other)}"
                hint = "an event is not before or after its own part: remove one of them"
                yield link, "link-after-part", False, message, hint
        first.setdefault((link.name, left, right), link)
    for name in (SUBEVENT, AFTER):
        yield from _cycles(name, [link for link in links if link.name == name], events)


def _cycles(name: str, links: Sequence[Relation], events: Events) -> Iterator[tuple[Relation, str, bool, str, str]]:
    following: list[list[int]] = [[] for _ in events.members]
    for link in links:
        following[events.home[link.arguments[0]]].append(events.home[link.arguments[1]])
    for component in components(following):
        if len(component) > 2:
            inside = set(component)
            mine = [link for link in links if {events.home[id_] for id_ in link.arguments} <= inside]
            names = [events.members[event][0] for event in sorted(component)]
            listed = ", ".join(names[:_SHOWN]) + (f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")
            message = f"{name} links lead in a circle through {listed}; the {len(mine)} links of it count for nothing"
            yield mine[0], "link-cycle", False, message, "remove the link that is wrong"


def _named(link: Relation) -> str:
    name = link.id or "another"
    return f"{name} (line {link.line})" if link.line else name
