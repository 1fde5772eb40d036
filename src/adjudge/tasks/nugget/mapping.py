"""Mappings of system nuggets to gold nuggets: greedy by Dice, one for every combination of attributes.

A place that overlaps with no other place but itself needs no search: its nuggets are paired in the order of their
lines, which is what the greedy algorithm does with pairs of the same Dice. Only places that are entangled with others
go through the list of candidate pairs.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple, TypeAlias

from adjudge.tasks.nugget.best import Edge, Mapped, Pair, best_of_ties
from adjudge.tasks.nugget.spans import Counted, Dice, Key, dice, partial_overlaps, size, with_itself

Values: TypeAlias = Sequence[str]


class Side(NamedTuple):
    """What is compared of the nuggets of one side, in the order of the lines; their `ids` are for coreference."""

    keys: Sequence[Key | None]
    types: Values
    realis: Values
    ids: Values = ()


class Mappings(NamedTuple):
    """The pairs of every mapping (gold index, system index, Dice), and what became of entangled places.

    `several` has the places of each side at which there are several nuggets.
    """

    pairs: dict[str, list[Pair]]
    entangled: dict[str, Mapped]
    several: tuple[dict[Key, list[int]], dict[Key, list[int]]]


def map_nuggets(
    gold: Side,
    system: Side,
    names: Sequence[str],
    *,
    char: bool,
    measure: Dice = dice,
    wildcard: str | None = None,
    best: bool = True,
) -> Mappings:
    """The mappings named `span`, `type`, `realis` and `type+realis`, as far as they are wanted.

    Of several orders of equal pairs the best one is taken, else (`best=False`) that of the lines. `wildcard` is a gold
    value that matches any value of the system.

    >>> gold = Side(["t1", "t2"], ["Attack", "Die"], ["Actual", "Actual"])
    >>> system = Side(["t2", "t1"], ["Die", "Die"], ["Other", "Actual"])
    >>> map_nuggets(gold, system, ["span", "type", "type+realis"], char=False).pairs
    {'span': [(1, 0, 1.0), (0, 1, 1.0)], 'type': [(1, 0, 1.0)], 'type+realis': []}
    """
    ours, theirs = _places(gold.keys), _places(system.keys)
    overlaps = partial_overlaps(ours.one, theirs.one, char=char)
    special = {*ours.several, *theirs.several}
    entangled = {*overlaps, *(key for mine in overlaps.values() for key in mine)} if overlaps else set()
    if wildcard is not None and (wildcard in gold.types or wildcard in gold.realis):
        entangled.update(ours.one)
    special |= entangled
    golds = ours.one
    singles = [(golds[key], index, 1.0) for key, index in theirs.one.items() if key in golds and key not in special]
    if char and Counted in set(map(type, golds)):
        singles = [(one, other, with_itself(gold.keys[one], measure)) for one, other, _ in singles]
    alone = [
        (ours.at(key), theirs.at(key), with_itself(key, measure))
        for key in dict.fromkeys((*ours.several, *theirs.several))
        if key not in entangled and key in golds and key in theirs.one
    ]
    edges: list[Edge] = []
    for key in entangled:
        if key in golds and key in theirs.one:
            value = with_itself(key, measure)
            edges += [(-value, i, j) for i in theirs.at(key) for j in ours.at(key)]
    for gold_key, mine in overlaps.items():
        for system_key, common in mine.items():
            value = measure(common, size(gold_key), size(system_key))
            edges += [(-value, i, j) for i in theirs.at(system_key) for j in ours.at(gold_key)]
    edges.sort()
    pairs: dict[str, list[Pair]] = {}
    found: dict[str, Mapped] = {}
    for name in names:
        taken = _agreeing(singles, gold, system, name)
        if alone:
            gold_values, system_values = _values(gold, name), _values(system, name)
            for there, here, same in alone:
                taken += _paired(there, here, same, gold_values, system_values)
        if edges:
            mapped = best_of_ties(_matching(edges, gold, system, name, wildcard))
            found[name] = mapped
            taken += mapped.by_best if best else mapped.by_line
        pairs[name] = taken
    return Mappings(pairs, found, (ours.several, theirs.several))


def true_positives(pairs: Sequence[Pair]) -> float:
    """The sum of the Dice values, from the highest down as the greedy algorithm adds them.

    >>> true_positives([(0, 0, 0.5), (1, 1, 1.0)])
    1.5
    """
    whole = [value for _, _, value in pairs].count(1.0)
    if whole == len(pairs):
        return float(whole)
    total = float(whole)
    for negative, _, _ in sorted([(-value, system, gold) for gold, system, value in pairs if value != 1.0]):
        total -= negative
    return total


class _Places(NamedTuple):
    """The nuggets of every place: one of them, and all where there are several."""

    one: dict[Key, int]
    several: dict[Key, list[int]]

    def at(self, key: Key) -> list[int]:
        return self.several[key] if key in self.several else [self.one[key]]


def _places(keys: Sequence[Key | None]) -> _Places:
    one: dict[Key | None, int] = dict(zip(keys, range(len(keys)), strict=True))
    several: dict[Key, list[int]] = {}
    if len(one) < len(keys):
        for index, key in enumerate(keys):
            if one[key] != index:
                several.setdefault(key, []).append(index)
        for key, indices in several.items():
            indices.append(one[key])  # the last of them
        several.pop(None, None)
    one.pop(None, None)
    return _Places(one, several)


def _agreeing(pairs: Sequence[Pair], gold: Side, system: Side, name: str) -> list[Pair]:
    """The pairs whose attributes are equal."""
    if name == "span":
        return list(pairs)
    if name == "realis":
        ours, theirs = gold.realis, system.realis
        return [pair for pair in pairs if ours[pair[0]] == theirs[pair[1]]]
    ours, theirs = gold.types, system.types
    found = [pair for pair in pairs if ours[pair[0]] == theirs[pair[1]]]
    return found if name == "type" else _agreeing(found, gold, system, "realis")


def _values(side: Side, name: str) -> Sequence[object] | None:
    """What must be equal in a mapping, for every nugget; None if nothing must."""
    if name == "span":
        return None
    if name == "type":
        return side.types
    return side.realis if name == "realis" else list(zip(side.types, side.realis, strict=True))


def mapped_values(side: Side, name: str) -> list[Hashable]:
    """What a mapping sees of every nugget: its place and the attributes that must match.

    >>> mapped_values(Side(["t1"], ["Attack"], ["Actual"]), "type")
    [('t1', 'Attack')]
    """
    columns = [
        side.keys,
        *(getattr(side, "types" if each == "type" else each) for each in name.split("+") if each != "span"),
    ]
    return list(zip(*columns, strict=True))


def _paired(
    golds: Sequence[int],
    systems: Sequence[int],
    value: float,
    gold_values: Sequence[object] | None,
    system_values: Sequence[object] | None,
) -> list[Pair]:
    """Nuggets of one place in the order of their lines: each system nugget takes the first free gold nugget."""
    if gold_values is None or system_values is None:
        return [(gold, system, value) for gold, system in zip(golds, systems, strict=False)]
    if len(golds) == 1 or len(systems) == 1:  # the first pair that agrees
        for system in systems:
            for gold in golds:
                if gold_values[gold] == system_values[system]:
                    return [(gold, system, value)]
        return []
    waiting: dict[object, list[int]] = {}
    for gold in reversed(golds):
        waiting.setdefault(gold_values[gold], []).append(gold)
    pairs = []
    for system in systems:
        queue = waiting.get(system_values[system])
        if queue:
            pairs.append((queue.pop(), system, value))
    return pairs


def _matching(edges: Sequence[Edge], gold: Side, system: Side, name: str, wildcard: str | None) -> list[Edge]:
    """The candidates whose attributes match."""
    kept = list(edges)
    for attribute, ours, theirs in (("type", gold.types, system.types), ("realis", gold.realis, system.realis)):
        if attribute in name.split("+"):
            kept = [edge for edge in kept if ours[edge[2]] in (theirs[edge[1]], wildcard)]
    return kept
