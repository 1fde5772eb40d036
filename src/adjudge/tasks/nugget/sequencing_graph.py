"""Directed graphs of events: who reaches whom, in sets of bits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from adjudge.model.nugget import NuggetDocument


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
    parent = {id_: id_ for id_ in known}

    def root(id_: str) -> str:
        while parent[id_] != id_:
            parent[id_] = id_ = parent[parent[id_]]
        return id_

    for cluster in document.clusters():
        inside = [id_ for id_ in cluster if id_ in known]
        for id_ in inside[1:]:
            parent[root(id_)] = root(inside[0])
    numbers: dict[str, int] = {}
    home = {id_: numbers.setdefault(root(id_), len(numbers)) for id_ in known}
    members: list[list[str]] = [[] for _ in numbers]
    for id_, number in home.items():
        members[number].append(id_)
    relations = [
        (relation.name, relation.arguments[0], relation.arguments[1])
        for relation in document.relations
        if len(relation.arguments) == 2
    ]
    return Events(members, home, relations)
