"""After and Subevent links: what a system says about the order and the parts of events.

    count_sequence(gold, system | None, mapping) -> Sequenced(counts, remarks)    counts in the order of COLUMNS
    compare_links(gold, system, mapping, first) -> Matching                       the outcome of every link
    sequence_measures() -> [Prf, Prf, Prf]                                        nugget.after, .subevent, .sequence
    reversed_links(document) -> [Problem, ...]                                    links that contradict each other

`@After` joins an event and a later one, `@Subevent` an event and a part of it. On each side, per relation name:

1. Events are clusters: links go between the coreference clusters of their arguments. A link inside a cluster, with an
   unknown id, or without exactly two arguments is left out.
2. A link from a to b is left out when some third event that a reaches reaches b (so all links of a longer cycle go).
3. A link that is left joins all mentions of the one cluster with all of the other.

A system mention that is mapped to a gold mention denotes the same thing. Links are statements about time, After
that end(a) < start(b), Subevent that start(a) < start(b) and end(b) < end(a), and have consequences:

- G and S are the links of gold and system without those After links that follow from the other links of their side;
- pm are the links of S that gold states or that follow from gold, rm those of G that the system states or that follow;
- im are the links of S that are not in G but follow from gold; with n events that occur in both G and S,
  w = 0.99 / max(1, 1 + n (n - 1) / 2 - rm).

P = sum pm / sum |S|, R = sum (rm + w im) / sum |G| over all documents (temporal awareness, UzZaman 2012, with implicit
relations in recall). Links that contradict each other are counted, but nothing follows from them.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from adjudge.errors import Problem
from adjudge.model.graph import closed, reachability
from adjudge.model.nugget import AFTER, SUBEVENT, NuggetDocument, Relation

if TYPE_CHECKING:
    from adjudge.stats.alignment import Matching
    from adjudge.stats.measure import Measure

METRICS = {"nugget.after": (AFTER,), "nugget.subevent": (SUBEVENT,), "nugget.sequence": (SUBEVENT, AFTER)}
COLUMNS = tuple(f"{metric}:{column}" for metric in METRICS for column in ("matched", "system", "found", "gold"))
"""What is counted: pm, |S|, rm + w im, |G|."""

_IMPLICIT = 0.99

Link = tuple[str, int, int]
"""A relation name and two nodes."""


class Sequenced(NamedTuple):
    """The counts of one document, and the codes of what a reader should know."""

    counts: tuple[float, ...]
    remarks: tuple[str, ...] = ()


NO_LINKS = Sequenced((0, 0, 0.0, 0) * len(METRICS))


def count_sequence(
    gold: NuggetDocument, system: NuggetDocument | None, mapping: Iterable[tuple[int, int, float]]
) -> Sequenced:
    """The counts of one document in the order of `COLUMNS`; `mapping` has (gold index, system index, Dice).

    >>> from adjudge.model.nugget import Nugget, Relation
    >>> nuggets = [Nugget(name, "Conflict_Attack", "Actual", name) for name in ("a", "b", "c")]
    >>> gold = NuggetDocument("d", nuggets, [Relation("After", "R1", ("a", "b")), Relation("After", "R2", ("b", "c"))])
    >>> system = NuggetDocument("d", nuggets, [Relation("After", "R1", ("a", "c"))])
    >>> count_sequence(gold, system, [(0, 0, 1.0), (1, 1, 1.0), (2, 2, 1.0)]).counts[:4]
    (1, 1, 0.495, 2)
    """
    system = system or NuggetDocument(gold.id)
    if not any(relation.name in (AFTER, SUBEVENT) for relation in (*gold.relations, *system.relations)):
        return NO_LINKS
    remarks: dict[str, None] = {}
    ours, theirs = (_reduced(side, remarks) for side in _sides(gold, system, mapping))
    counts: list[float] = []
    for names in METRICS.values():
        counts += _awareness(timeline(ours, names), timeline(theirs, names), remarks)
    return Sequenced(tuple(counts), tuple(remarks))


def sequence_measures() -> list[Measure]:
    """Precision, recall and F1 of After links, Subevent links, and both together.

    >>> [measure.name for measure in sequence_measures()]
    ['nugget.after', 'nugget.subevent', 'nugget.sequence']
    """
    from adjudge.stats.measure import Prf

    return [Prf(name, (f"{name}:matched", f"{name}:system"), (f"{name}:found", f"{name}:gold")) for name in METRICS]


def _sides(
    gold: NuggetDocument, system: NuggetDocument, mapping: Iterable[tuple[int, int, float]]
) -> tuple[_Side, _Side]:
    """Both sides over the same nodes: a system mention and the gold mention it is mapped to share a node."""
    own = range(len(gold.nuggets))
    nodes = list(range(len(own), len(own) + len(system.nuggets)))
    for mention, other, _ in mapping:
        nodes[other] = mention
    # Of several mentions with one id a link means the last; on the system side those without a gold mention come last.
    ours, theirs = (
        {document.nuggets[place].id: of[place] for place in sorted(range(len(of)), key=of.__getitem__)}
        for document, of in ((gold, own), (system, nodes))
    )
    return _Side(events_of(gold), ours), _Side(events_of(system), theirs)


class _Side(NamedTuple):
    """The events of one side, and the node of each id."""

    events: Events
    node: Mapping[str, int]

    def expanded(self, name: str, first: int, second: int) -> set[Link]:
        """The links between all mentions of two events."""
        members, node = self.events.members, self.node
        return {(name, node[left], node[right]) for left in members[first] for right in members[second]}


def _reduced(side: _Side, remarks: dict[str, None]) -> dict[str, set[Link]]:
    """The links by relation name, without those that follow from others; remarks on longer cycles."""
    found: dict[str, set[Link]] = {}
    size = len(side.events.members)
    for name in (SUBEVENT, AFTER):
        found[name] = set()
        links = side.events.links(name)
        if not links:
            continue
        after = reachability(size, links)
        before = reachability(size, [(second, first) for first, second in links])
        for first, second in links:
            between = after[first] & before[second] & ~(1 << first | 1 << second)
            if not between:
                found[name] |= side.expanded(name, first, second)
            elif after[second] >> first & 1:
                remarks["sequence-cycle"] = None
    return found


def _awareness(gold: Timeline, system: Timeline, remarks: dict[str, None]) -> tuple[float, ...]:
    """The four counts of one metric."""
    for side in (gold, system):
        if side.contradicting:
            remarks["sequence-contradiction"] = None
        if len(side.links) < len(side.stated):
            remarks["sequence-redundant"] = None
    matched = sum(link in gold.stated or gold.implies(link) for link in system.links)
    found = sum(link in system.stated or system.implies(link) for link in gold.links)
    listed = set(gold.links)
    implicit = sum(link not in listed and gold.implies(link) for link in system.links)
    ours, theirs = ({node for link in side.links for node in link[1:]} for side in (gold, system))
    common = len(ours & theirs)
    room = 1 + common * (common - 1) // 2 - found
    if room < 1:
        remarks["sequence-zero-division"] = None
    weight = _IMPLICIT / max(1, room)
    return matched, len(system.links), found + weight * implicit, len(gold.links)


def compare_links(
    gold: NuggetDocument, system: NuggetDocument, mapping: Iterable[tuple[int, int, float]], first: tuple[int, int]
) -> Matching:
    """The outcome of every stated link; items are numbered from `first` on, on each side.

    A link between events is one between all of their mentions, and the credit of a pair is the Dice of those. A link
    that only follows from the other side gets half credit: it counts on its own side.
    """
    from adjudge.stats.alignment import Matching, Pair, Single

    sides = _sides(gold, system, mapping)
    said, told = lines = [timeline(_reduced(side, {}), (SUBEVENT, AFTER)) for side in sides]
    (ours, _), (theirs, left_out) = (_counted(*each) for each in zip(sides, lines, strict=True))
    pairs: list[tuple[int, int, float, str]] = []
    free = set(ours), set(theirs)

    def join(one: int | None, other: int | None, credit: float, why: str) -> None:
        if one is not None and other is not None:
            pairs.append((one, other, credit, why))
            free[0].remove(one)
            free[1].remove(other)

    home = {link: number for number, links in ours.items() for link in links}
    for other, links in theirs.items():
        one = next((home[link] for link in links if link in home and home[link] in free[0]), None)
        if one is not None:
            both, sizes = len(links & ours[one]), (len(ours[one]), len(links))
            why = f"{both} of {sizes[0]} and {sizes[1]} pairs of nuggets" if {*sizes} != {both} else ""
            join(one, other, 2 * both / sum(sizes), why)
    for one in sorted(free[0]):
        if any(map(told.implies, ours[one])):
            join(one, _touching(ours[one], theirs, free[1]), 0.5, "it follows from other links of the system")
    for other in sorted(free[1]):
        if any(map(said.implies, theirs[other])):
            join(_touching(theirs[other], ours, free[0]), other, 0.5, "it follows from gold, where it is not stated")
    return Matching(
        metric="nugget.sequence",
        pairs=tuple(
            Pair(one + first[0], other + first[1], "partial" if why else "correct", credit, why)
            for one, other, credit, why in sorted(pairs)
        ),
        missed=tuple(Single(one + first[0]) for one in sorted(free[0])),
        spurious=tuple(Single(other + first[1]) for other in sorted(free[1])),
        ignored=tuple(Single(number + first[1], why) for number, why in left_out.items()),
        numbers=dict(zip(("matched", "system", "found", "gold"), _awareness(said, told, {}), strict=True)),
        grouped=False,
    )


def _counted(side: _Side, line: Timeline) -> tuple[dict[int, set[Link]], dict[int, str]]:
    """The links that count, by number, as links between mentions; and why others do not."""
    found: dict[int, set[Link]] = {}
    left_out: dict[int, str] = {}
    known: set[tuple[str, int, int]] = set()
    for number, relation in enumerate(side.events.relations):
        ends = side.events.ends(relation)
        if ends is None:
            left_out[number] = "it does not join two known events"
        elif (relation.name, *ends) in known:
            left_out[number] = "it is repeated"
        else:
            known.add((relation.name, *ends))
            links = side.expanded(relation.name, *ends)
            if links.isdisjoint(line.links):
                left_out[number] = "it follows from other links, or they form a cycle"
            else:
                found[number] = links
    return found, left_out


def _touching(links: Iterable[Link], others: Mapping[int, set[Link]], free: Container[int]) -> int | None:
    """A link that has an event in common with one that follows from it."""
    nodes = {node for link in links for node in link[1:]}
    return next(
        (n for n, own in others.items() if n in free and any(not nodes.isdisjoint(each[1:]) for each in own)), None
    )


def reversed_links(document: NuggetDocument) -> Iterator[Problem]:
    """Links of which the reverse is stated too: the official validator refuses them.

    >>> from adjudge.model.nugget import Nugget
    >>> nuggets = [Nugget(name, "Conflict_Attack", "Actual", name) for name in ("E1", "E2")]
    >>> links = [Relation("After", "A1", ("E1", "E2"), 3), Relation("After", "A2", ("E2", "E1"), 4)]
    >>> [each.message for each in reversed_links(NuggetDocument("d", nuggets, links))]
    ['After A2 says E2,E1, and A1 (line 3) the reverse']
    """
    events = events_of(document)
    first: dict[tuple[str, int, int], Relation] = {}
    for link in events.relations:
        ends = events.ends(link)
        if ends is None:
            continue
        reverse = first.get((link.name, ends[1], ends[0]))
        if reverse is not None and (link.name, *ends) not in first:
            name = reverse.id or "another"
            other = f"{name} (line {reverse.line})" if reverse.line else name
            message = f"{link.name} {link.id}".rstrip() + f" says {','.join(link.arguments)}, and {other} the reverse"
            yield Problem(message, line=link.line or None, hint="remove one of them")
        first.setdefault((link.name, ends[0], ends[1]), link)


# ---------------------------------------------------------------------------------------------------------------------
# What follows from links, taken as statements about when events start and end
#
# Subevent links come first, then After links. A link that contradicts the ones before it, or links of one kind that
# contradict each other, are stated, but nothing follows from them; so the result does not depend on any order.


@dataclass(frozen=True, slots=True)
class Timeline:
    """One side: the links that are stated, those that count, and the order of starts and ends that follows.

    Of the node with place p the start has the number 2 p, the end 2 p + 1; `later` has the points after each.
    """

    stated: set[Link]
    links: list[Link]
    contradicting: set[Link]
    places: dict[int, int]
    later: list[int]

    def implies(self, link: Link) -> bool:
        """Whether a link follows from those that do not contradict each other."""
        first, second = self.places.get(link[1]), self.places.get(link[2])
        if first is None or second is None:
            return False
        return all(self.later[x] >> y & 1 for x, y in points(link[0], first, second))


def points(name: str, first: int, second: int) -> Sequence[tuple[int, int]]:
    """The pairs of points, earlier and later, of a link between the nodes with these places.

    >>> points("After", 0, 1), points("Subevent", 0, 1)
    (((1, 2),), ((0, 2), (3, 1)))
    """
    if name == AFTER:
        return ((2 * first + 1, 2 * second),)
    return (2 * first, 2 * second), (2 * second + 1, 2 * first + 1)


def timeline(links: Mapping[str, Iterable[Link]], names: Sequence[str]) -> Timeline:
    """The links of some relations as one side of a comparison.

    >>> found = timeline({"After": [("After", 5, 3), ("After", 3, 7)]}, ["After"])
    >>> found.implies(("After", 5, 7)), found.implies(("After", 7, 5))
    (True, False)
    """
    stated = {link for name in names for link in links.get(name, ())}
    places: dict[int, int] = {}
    for _, first, second in stated:
        places.setdefault(first, len(places))
        places.setdefault(second, len(places))
    pairs = {link: points(link[0], places[link[1]], places[link[2]]) for link in stated}
    edges = [(2 * place, 2 * place + 1) for place in range(len(places))]
    contradicting: set[Link] = set()
    later = [1 << point for point in range(2 * len(places))]
    for name in names:
        # First those that contradict what is there, then those that lie on a cycle when all are added.
        for more in (False, True):
            mine = [link for link in stated if link[0] == name and link not in contradicting]
            after = reachability(len(later), edges + [pair for link in mine for pair in pairs[link]]) if more else later
            contradicting |= {link for link in mine if any(after[y] >> x & 1 for x, y in pairs[link])}
        edges += [pair for link in mine if link not in contradicting for pair in pairs[link]]
        later = reachability(len(later), edges)
    following: list[list[int]] = [[] for _ in later]
    for earlier, point in edges:
        following[earlier].append(point)
    # Between two kinds of links an After link may follow from others; all such links can go at once, as there is no
    # cycle. Links of one kind do not follow from each other, they were reduced between clusters.
    redundant = {
        link
        for link in (stated - contradicting if len(names) > 1 else ())
        if link[0] == AFTER
        and any(later[other] >> y & 1 for x, y in pairs[link] for other in following[x] if other != y)
    }
    return Timeline(stated, [link for link in stated if link not in redundant], contradicting, places, later)


@dataclass(frozen=True, slots=True)
class Events:
    """The events of one side: the ids of the mentions of each, the event of each id, and the links as stated."""

    members: list[list[str]]
    home: dict[str, int]
    relations: list[Relation]

    def ends(self, relation: Relation) -> tuple[int, int] | None:
        """The two events that a link joins; None if it is inside an event, or has unknown ids or not two of them."""
        ends = [self.home.get(each, -1) for each in relation.arguments]
        return (ends[0], ends[1]) if len(ends) == 2 and -1 not in ends and ends[0] != ends[1] else None

    def links(self, name: str) -> list[tuple[int, int]]:
        """The links of a relation between events, each once."""
        found = (self.ends(relation) for relation in self.relations if relation.name == name)
        return list(dict.fromkeys(ends for ends in found if ends is not None))


def events_of(document: NuggetDocument) -> Events:
    """The events of a document: its coreference clusters, overlapping ones as one, and each other mention alone.

    >>> from adjudge.model.nugget import Nugget, Relation
    >>> nuggets = [Nugget(name, "Attack", "Actual", name) for name in "abc"]
    >>> events_of(NuggetDocument("d", nuggets, [Relation("Coreference", "R1", ("a", "c"))])).members
    [['a', 'c'], ['b']]
    """
    known = dict.fromkeys(nugget.id for nugget in document.nuggets)
    clusters = [[id_ for id_ in cluster if id_ in known] for cluster in document.clusters()]
    first = {id_: group[0] for group in closed([each for each in clusters if each], known) for id_ in group}
    members: dict[str, list[str]] = {}
    for id_ in known:
        members.setdefault(first.get(id_, id_), []).append(id_)
    home = {id_: number for number, event in enumerate(members.values()) for id_ in event}
    return Events(list(members.values()), home, [each for each in document.relations if each.name in (AFTER, SUBEVENT)])
