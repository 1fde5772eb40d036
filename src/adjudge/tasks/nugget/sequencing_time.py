"""What follows from links between events, taken as statements about when they start and end.

Subevent links come first, then After links. A link that contradicts the ones before it, or links of one kind that
contradict each other, are stated, but nothing follows from them; so the result does not depend on any order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from adjudge.formats.standoff import closed
from adjudge.model.nugget import AFTER, NuggetDocument

Link = tuple[str, int, int]
"""A relation name and two nodes."""


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
        name, first, second = link
        if first not in self.places or second not in self.places:
            return False
        return all(self.later[x] >> y & 1 for x, y in points(name, self.places[first], self.places[second]))


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
    following: list[list[int]] = [[] for _ in range(2 * len(places))]
    for place in range(len(places)):
        following[2 * place].append(2 * place + 1)
    contradicting: set[Link] = set()
    later = [1 << node for node in range(len(following))]
    for number, name in enumerate(names):
        mine = [link for link in stated if link[0] == name]
        if number:
            contradicting |= {link for link in mine if _contradicted(link, places, later)}
        mine = [link for link in mine if link not in contradicting]
        wrong = _on_cycles(mine, places, following)
        contradicting |= wrong
        for link in mine:
            if link not in wrong:
                _insert(link, places, following)
        later = reach(following)
    # Links of one kind do not follow from each other, they were reduced between clusters.
    kept = [link for link in stated if len(names) == 1 or not _redundant(link, places, following, later, contradicting)]
    return Timeline(stated, kept, contradicting, places, later)


def _insert(link: Link, places: Mapping[int, int], following: list[list[int]]) -> None:
    name, first, second = link
    for x, y in points(name, places[first], places[second]):
        following[x].append(y)


def _contradicted(link: Link, places: Mapping[int, int], later: Sequence[int]) -> bool:
    name, first, second = link
    return any(later[y] >> x & 1 for x, y in points(name, places[first], places[second]))


def _on_cycles(links: Sequence[Link], places: Mapping[int, int], following: Sequence[Sequence[int]]) -> set[Link]:
    """The links that, added to the graph, lie on a cycle."""
    with_links = [list(others) for others in following]
    for link in links:
        _insert(link, places, with_links)
    part = [0] * len(with_links)
    found = components(with_links)
    if len(found) == len(with_links):
        return set()
    for number, component in enumerate(found):
        for node in component:
            part[node] = number
    return {
        (name, first, second)
        for name, first, second in links
        if any(part[x] == part[y] for x, y in points(name, places[first], places[second]))
    }


def _redundant(
    link: Link,
    places: Mapping[int, int],
    following: Sequence[Sequence[int]],
    later: Sequence[int],
    contradicting: set[Link],
) -> bool:
    """Whether an After link follows from the other links; all such links can go at once, as there is no cycle."""
    name, first, second = link
    if name != AFTER or link in contradicting:
        return False
    ((x, y),) = points(name, places[first], places[second])
    return any(later[other] >> y & 1 for other in following[x] if other != y)


# ---------------------------------------------------------------------------------------------------------------------
# Directed graphs of events: who reaches whom, in sets of bits


def components(following: Sequence[Sequence[int]]) -> list[list[int]]:
    """The strongly connected components, each one before those that lead to it (Tarjan 1972, without recursion).

    >>> components([[1], [2], [1, 3], []])
    [[3], [2, 1], [0]]
    """
    size = len(following)
    number, low = [0] * size, [0] * size  # 0: not seen
    finished = [False] * size
    found: list[list[int]] = []
    open_: list[int] = []
    count = 0
    for root in range(size):
        if number[root]:
            continue
        count += 1
        number[root] = low[root] = count
        open_.append(root)
        path = [(root, iter(following[root]))]
        while path:
            node, rest = path[-1]
            for other in rest:
                if not number[other]:
                    count += 1
                    number[other] = low[other] = count
                    open_.append(other)
                    path.append((other, iter(following[other])))
                    break
                if not finished[other] and number[other] < low[node]:
                    low[node] = number[other]
            else:
                path.pop()
                if path and low[node] < low[path[-1][0]]:
                    low[path[-1][0]] = low[node]
                if low[node] == number[node]:
                    component = []
                    while True:
                        member = open_.pop()
                        finished[member] = True
                        component.append(member)
                        if member == node:
                            break
                    found.append(component)
    return found


def reach(following: Sequence[Sequence[int]]) -> list[int]:
    """For every node the nodes that it reaches, itself included, as a set of bits.

    >>> [bin(bits) for bits in reach([[1], [2], []])]
    ['0b111', '0b110', '0b100']
    """
    found = [0] * len(following)
    for component in components(following):
        bits = 0
        for node in component:
            bits |= 1 << node
            for other in following[node]:
                bits |= found[other]  # 0 for those of the same component, which are all in
        for node in component:
            found[node] = bits
    return found


def turned(following: Sequence[Sequence[int]]) -> list[list[int]]:
    """The same graph with its edges turned round.

    >>> turned([[1], []])
    [[], [0]]
    """
    found: list[list[int]] = [[] for _ in following]
    for node, others in enumerate(following):
        for other in others:
            found[other].append(node)
    return found


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
