"""Mappings of system nuggets to gold nuggets: greedy by Dice, one for every combination of attributes.

A nugget that is alone at its place, and overlaps with nothing but one at the same place, needs no search; only places
with several nuggets, or that are entangled with others, go through the list of candidate pairs.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple, TypeAlias

from adjudge.tasks.nugget.best import Edge, Mapped, Pair, best_of_ties
from adjudge.tasks.nugget.spans import Counted, Dice, Key, Overlaps, dice, partial_overlaps, size, with_itself

Values: TypeAlias = Sequence[str]


class Places(NamedTuple):
    """The nuggets of every place: one of them, and all where there are several."""

    one: dict[Key, int]
    several: dict[Key, list[int]]

    def at(self, key: Key) -> list[int]:
        """The nuggets of a place, in the order of their lines."""
        return self.several[key] if key in self.several else [self.one[key]]


def places_of(keys: Sequence[Key | None]) -> Places:
    """The nuggets of every place.

    >>> places_of(["t1", "t2", None, "t1"])
    Places(one={'t1': 0, 't2': 1}, several={'t1': [0, 3]})
    """
    one: dict[Key | None, int] = dict(zip(keys, range(len(keys)), strict=True))
    several: dict[Key, list[int]] = {}
    if len(one) < len(keys):
        one = {}
        enter = one.setdefault
        for index, key in enumerate(keys):
            first = enter(key, index)
            if first != index:
                several.setdefault(key, [first]).append(index)
        several.pop(None, None)
    one.pop(None, None)
    return Places(one, several)


class Side(NamedTuple):
    """What is compared of the nuggets of one side, in the order of the lines; their `ids` are for coreference.

    `places` are found once for a side that is compared several times.
    """

    keys: Sequence[Key | None]
    types: Values
    realis: Values
    ids: Values = ()
    places: Places | None = None


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
    ours, theirs = gold.places or places_of(gold.keys), system.places or places_of(system.keys)
    golds, systems = ours.one, theirs.one
    overlaps = partial_overlaps(golds, systems, char=char)
    entangled = set(overlaps).union(*overlaps.values())
    if wildcard is not None and (wildcard in gold.types or wildcard in gold.realis):
        entangled.update(golds)
    entangled.update(key for key in (*ours.several, *theirs.several) if key in golds and key in systems)
    special = set(map(golds.get, entangled))  # gold nuggets that need more
    singles = [
        (one, other, 1.0)
        for one, other in zip(map(golds.get, systems), systems.values(), strict=True)
        if one is not None and one not in special
    ]
    if char and Counted in set(map(type, golds)):
        singles = [(one, other, with_itself(gold.keys[one], measure)) for one, other, _ in singles]
    edges = _candidates(ours, theirs, entangled, overlaps, measure)
    pairs = _of_singles(singles, gold, system, names)
    found: dict[str, Mapped] = {}
    if edges:
        for name, taken in pairs.items():
            mapped = found[name] = best_of_ties(_matching(edges, gold, system, name, wildcard))
            taken += mapped.by_best if best else mapped.by_line
    return Mappings(pairs, found, (ours.several, theirs.several))


def _candidates(
    ours: Places, theirs: Places, entangled: Iterable[Key], overlaps: Overlaps, measure: Dice
) -> list[Edge]:
    """All pairs of nuggets of entangled places that have something in common, from the highest Dice down."""
    edges: list[Edge] = []
    for key in entangled:
        if key in ours.one and key in theirs.one:
            value = with_itself(key, measure)
            edges += [(-value, i, j) for i in theirs.at(key) for j in ours.at(key)]
    for gold_key, mine in overlaps.items():
        there, length = ours.at(gold_key), size(gold_key)
        for system_key, common in mine.items():
            value = measure(common, length, size(system_key))
            edges += [(-value, i, j) for i in theirs.at(system_key) for j in there]
    edges.sort()
    return edges


def true_positives(pairs: Sequence[Pair]) -> float:
    """The sum of the Dice values, from the highest down as the greedy algorithm adds them.

    >>> true_positives([(0, 0, 0.5), (1, 1, 1.0)])
    1.5
    """
    partial = [-value for _, _, value in pairs if value != 1.0]
    partial.sort()
    total = float(len(pairs) - len(partial))
    for negative in partial:
        total -= negative
    return total


def _of_singles(pairs: list[Pair], gold: Side, system: Side, names: Sequence[str]) -> dict[str, list[Pair]]:
    """The pairs without a rival whose attributes agree, in every mapping."""
    found = {"span": pairs, "type": _agreeing(pairs, gold.types, system.types)}
    for name, wider in (("realis", "span"), ("type+realis", "type")):
        if name in names:
            found[name] = _agreeing(found[wider], gold.realis, system.realis)
    return {name: found[name] for name in names}


def _agreeing(pairs: Sequence[Pair], ours: Values, theirs: Values) -> list[Pair]:
    """The pairs whose values of an attribute are equal."""
    return [pair for pair in pairs if ours[pair[0]] == theirs[pair[1]]]


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


def _matching(edges: Sequence[Edge], gold: Side, system: Side, name: str, wildcard: str | None) -> Sequence[Edge]:
    """The candidates whose attributes match."""
    kept = edges
    for attribute, ours, theirs in (("type", gold.types, system.types), ("realis", gold.realis, system.realis)):
        if attribute not in name:
            continue
        if wildcard is None:
            kept = [edge for edge in kept if ours[edge[2]] == theirs[edge[1]]]
        else:
            kept = [edge for edge in kept if ours[edge[2]] in (theirs[edge[1]], wildcard)]
    return kept
