"""After and Subevent links: what a system says about the order and the parts of events.

    count_sequence(gold, system | None, mapping) -> Sequenced(counts, remarks)    counts in the order of COLUMNS
    sequence_measures() -> [Prf, Prf, Prf]                                        nugget.after, .subevent, .sequence
    reversed_links(document) -> [Problem, ...]                                    links that contradict each other

`@After` joins an event and a later one, `@Subevent` an event and a part of it. On each side, per relation name:

1. Events are clusters: links go between the coreference clusters of their arguments. A link inside a cluster, with an
   unknown id, or without exactly two arguments is left out.
2. A link from a to b is left out when some third event that a reaches reaches b (so all links of a longer cycle go).
3. A link that is left joins all mentions of the one cluster with all of the other.

A system mention that is mapped to a gold mention stands for the same thing. Links are statements about time, After
that end(a) < start(b), Subevent that start(a) < start(b) and end(b) < end(a), and have consequences:

- G and S are the links of gold and system without those After links that follow from the other links of their side;
- pm are the links of S that gold states or that follow from gold, rm those of G that the system states or that follow;
- im are the links of S that are not in G but follow from gold; with n events that occur in both G and S,
  w = 0.99 / max(1, 1 + n (n - 1) / 2 - rm).

P = sum pm / sum |S|, R = sum (rm + w im) / sum |G| over all documents (temporal awareness, UzZaman 2012, with implicit
relations in recall). Links that contradict each other are counted, but nothing follows from them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from adjudge.errors import Problem
from adjudge.model.graph import closed, reachability
from adjudge.model.nugget import AFTER, SUBEVENT, NuggetDocument, Relation

if TYPE_CHECKING:
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


_NOTHING = Sequenced((0, 0, 0.0, 0) * len(METRICS))


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
        return _NOTHING
    remarks: dict[str, None] = {}
    ours = _links(gold, list(range(len(gold.nuggets))), remarks)
    nodes = list(range(len(gold.nuggets), len(gold.nuggets) + len(system.nuggets)))
    for mention, other, _ in mapping:  # a system mention that is mapped to a gold mention is the same thing
        nodes[other] = mention
    theirs = _links(system, nodes, remarks)
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


def _links(document: NuggetDocument, nodes: Sequence[int], remarks: dict[str, None]) -> dict[str, set[Link]]:
    """The reduced and expanded links of one side by relation name, between nodes."""
    events = events_of(document)
    # Of several mentions with one id a link means the last; on the system side those without a gold mention come last.
    node = {document.nuggets[place].id: nodes[place] for place in sorted(range(len(nodes)), key=nodes.__getitem__)}
    found: dict[str, set[Link]] = {}
    for name in (SUBEVENT, AFTER):
        kept, cyclic = _reduced(events, name)
        if cyclic:
            remarks["sequence-cycle"] = None
        found[name] = {
            (name, node[left], node[right])
            for first, second in kept
            for left in events.members[first]
            for right in events.members[second]
        }
    return found


def _reduced(events: Events, name: str) -> tuple[list[tuple[int, int]], bool]:
    """The links between clusters without those that follow from others, and whether a longer cycle was left out."""
    links = events.links(name)
    if not links:
        return [], False
    after = reachability(len(events.members), links)
    before = reachability(len(events.members), [(second, first) for first, second in links])
    kept = []
    cyclic = False
    for first, second in links:
        between = after[first] & before[second] & ~(1 << first | 1 << second)
        if not between:
            kept.append((first, second))
        elif after[second] >> first & 1:
            cyclic = True
    return kept, cyclic


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


def reversed_links(document: NuggetDocument) -> Iterator[Problem]:
    """Links of which the reverse is stated too: the official validator refuses them.

    >>> from adjudge.model.nugget import Nugget
    >>> nuggets = [Nugget(name, "Conflict_Attack", "Actual", name) for name in ("E1", "E2")]
    >>> links = [Relation("After", "A1", ("E1", "E2"), 3), Relation("After", "A2", ("E2", "E1"), 4)]
    >>> [each.message for each in reversed_links(NuggetDocument("d", nuggets, links))]
    ['After A2 says E2,E1, and A1 (line 3) the reverse']
    """
    home = events_of(document).home
    first: dict[tuple[str, int, int], Relation] = {}
    for link in document.relations:
        ends = [home.get(id_, -1) for id_ in link.arguments]
        if link.name not in (AFTER, SUBEVENT) or len(ends) != 2 or -1 in ends or ends[0] == ends[1]:
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
    """The events of one side: the ids of the mentions of each, and the event of each id."""

    members: list[list[str]]
    home: dict[str, int]
    relations: list[tuple[str, str, str]]

    def links(self, name: str) -> list[tuple[int, int]]:
        """The links of a relation between events, each once, without those inside an event or with unknown ids."""
        home = self.home
        found: dict[tuple[int, int], None] = {}
        for relation, first, second in self.relations:
            if relation == name and first in home and second in home and home[first] != home[second]:
                found[home[first], home[second]] = None
        return list(found)


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
    relations = [
        (relation.name, relation.arguments[0], relation.arguments[1])
        for relation in document.relations
        if len(relation.arguments) == 2
    ]
    return Events(list(members.values()), home, relations)
