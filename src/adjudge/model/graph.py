"""Graphs of any hashable nodes: connected components, and reachability."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

T = TypeVar("T", bound=Hashable)


def closed(links: Iterable[Sequence[T]], members: Iterable[T]) -> list[tuple[T, ...]]:
    """The groups of more than one member that links join, groups and members in the order of `members`.

    >>> closed([("a", "c"), ("c", "d")], "abcd")
    [('a', 'c', 'd')]
    """
    return [group for group in _groups(links, members) if len(group) > 1]


def blocks(cells: Mapping[T, Iterable[Hashable]]) -> list[tuple[T, ...]]:
    """The rows of a table that are connected by columns, in the order of the rows.

    >>> blocks({0: "ab", 1: "c", 2: "b"})
    [(0, 2), (1,)]
    """
    columns: dict[Hashable, list[T]] = {}
    for row, own in cells.items():
        for column in own:
            columns.setdefault(column, []).append(row)
    return _groups(columns.values(), cells)


def _groups(links: Iterable[Sequence[T]], members: Iterable[T]) -> list[tuple[T, ...]]:
    parent: dict[T, T] = {}

    def root(each: T) -> T:
        while (above := parent.get(each, each)) != each:
            parent[each] = parent.get(above, above)
            each = above
        return each

    for link in links:
        for each in link[1:]:
            parent[root(each)] = root(link[0])
    groups: dict[T, dict[T, None]] = {}
    for each in members:
        groups.setdefault(root(each), {})[each] = None
    return [tuple(group) for group in groups.values()]


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


def reachability(n: int, edges: Iterable[tuple[int, int]]) -> list[int]:
    """For each node the nodes it can reach, itself included, as the bits of an integer; cycles are allowed.

    >>> [bin(mask) for mask in reachability(4, [(0, 1), (1, 2), (2, 1)])]
    ['0b111', '0b110', '0b110', '0b1000']
    """
    following: list[list[int]] = [[] for _ in range(n)]
    for source, target in edges:
        following[source].append(target)
    found = [0] * n
    for component in components(following):
        bits = 0
        for node in component:
            bits |= 1 << node
            for other in following[node]:
                bits |= found[other]  # 0 for those of the same component, which are all in
        for node in component:
            found[node] = bits
    return found
