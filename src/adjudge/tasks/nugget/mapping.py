"""Mappings of system nuggets to gold nuggets: greedy by Dice, one for every combination of attributes.

A place that overlaps with no other needs no search: its nuggets are paired in line order, as the greedy algorithm
does with pairs of equal Dice. Only places entangled with others go through the list of candidate pairs, which grows
with the square of the nuggets at a place.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import partial
from itertools import repeat
from math import fsum
from typing import NamedTuple, TypeAlias

from adjudge.algebra.solve.deadline import NEVER, Deadline
from adjudge.model.graph import blocks
from adjudge.tasks.nugget.spans import Counted, Dice, Key, Overlaps, dice, partial_overlaps, size, with_itself

Values: TypeAlias = Sequence[str]
Edge: TypeAlias = tuple[float, int, int]  # (-Dice, system index, gold index): in the order in which they are taken
Pair: TypeAlias = tuple[int, int, float]  # (gold index, system index, Dice)

STATES = 20_000  # partial solutions of one part after which the search stops; fewer if they are large
MANY = 1_000_000  # candidates above which the mapping stays in line order
PER_EDGE = 1e-5  # seconds assumed per candidate in the best one-to-one mapping, which cannot be interrupted
_SMALL = 40  # kinds of nuggets
SAME = 1e-9  # sums of Dice that differ by less are equal


class Places(NamedTuple):
    """The nuggets of every place: one of them, and all where there are several."""

    one: dict[Key, int]
    several: dict[Key, list[int]]
    counted: bool = False
    """Whether a place names characters that count more than once."""

    def at(self, key: Key) -> list[int]:
        """The nuggets of a place, in the order of their lines."""
        return self.several[key] if key in self.several else [self.one[key]]


def places_of(keys: Sequence[Key | None], *, plain: bool = False) -> Places:
    """The nuggets of every place; `plain` if it is known that all of them are single pieces.

    >>> places_of(["t1", "t2", None, "t1"])
    Places(one={'t1': 0, 't2': 1}, several={'t1': [0, 3]}, counted=False)
    """
    one: dict[Key | None, int] = dict(zip(keys, range(len(keys)), strict=True))  # the last of every place
    several: dict[Key, list[int]] = {}
    if len(one) < len(keys):
        for index in sorted(set(range(len(keys))).difference(one.values())):
            key = keys[index]
            if key in several:
                several[key].append(index)
            else:
                several[key] = [index]
        for key, indices in several.items():
            indices.append(one[key])
            one[key] = indices[0]
        several.pop(None, None)
    one.pop(None, None)
    return Places(one, several, not plain and Counted in set(map(type, one)))


class Side(NamedTuple):
    """The compared attributes of the nuggets of one side, in line order; their `ids` are for coreference.

    `places` are found once for a side that is compared several times; `named` has a place of every id.
    """

    keys: Sequence[Key | None]
    types: Values
    realis: Values
    ids: Values = ()
    places: Places | None = None
    named: Mapping[str, int] = {}


class Mappings(NamedTuple):
    """The pairs of every mapping (gold index, system index, Dice), and the outcome of entangled places.

    The first pairs, as many as `exact` says, have a Dice of 1. `several` has the places of each side at which there are
    several nuggets.
    """

    pairs: dict[str, list[Pair]]
    exact: dict[str, int]
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
    clock: Deadline = NEVER,
) -> Mappings:
    """The mappings named `span`, `type`, `realis` and `type+realis`, as far as requested.

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
    several = dict.fromkeys((*ours.several, *theirs.several))
    stars: list[Edge] = []
    edges: list[Edge] = []
    if wildcard is not None and (wildcard in gold.types or wildcard in gold.realis):
        entangled.update(golds)
        edges = _candidates(ours, theirs, entangled, overlaps, measure)
    else:
        stars, overlaps = _stars(ours, theirs, overlaps, measure)
        if overlaps:
            edges = _candidates(ours, theirs, set(overlaps).union(*overlaps.values()), overlaps, measure)
    single = golds.copy()  # of these places, a nugget has no rival
    for key in (*several, *entangled):
        single.pop(key, None)
    counted = char and ours.counted
    value_of = partial(with_itself, measure=measure) if counted else None
    pairs = _of_singles(single, value_of, (gold, system), names)
    alone = [key for key in several if key not in entangled and key in golds and key in systems]
    if alone:
        _take_alone(pairs, [(ours.at(key), theirs.at(key), with_itself(key, measure)) for key in alone], gold, system)
    exact = dict.fromkeys(pairs, 0) if counted else {name: len(taken) for name, taken in pairs.items()}
    found: dict[str, Mapped] = {}
    near, far = _narrowed(stars, gold, system, None), _narrowed(edges, gold, system, wildcard)
    for name, taken in pairs.items() if edges or stars else ():
        first: dict[int, Edge] = {}
        for edge in near[name]:
            first.setdefault(edge[2], edge)
        tails = list(first.values())
        if edges:
            # Candidates of more attributes are some of those of fewer: as many of them are the same.
            same = found.get(_WIDER[name]) if len(far[name]) == len(far[_WIDER[name]]) else None
            mapped = found[name] = same or best_of_ties(far[name], clock=clock)
            tails += [(-value, other, one) for one, other, value in (mapped.by_best if best else mapped.by_line)]
            tails.sort()
        taken += [(one, other, -negative) for negative, other, one in tails]
    return Mappings(pairs, exact, found, (ours.several, theirs.several))


def _stars(ours: Places, theirs: Places, overlaps: Overlaps, measure: Dice) -> tuple[list[Edge], Overlaps]:
    """The candidates of gold nuggets of which no other one has any, so that each takes its first; the other overlaps.

    >>> places = places_of([(0, 4), (8, 9)]), places_of([(1, 4), (0, 4), (7, 9)])
    >>> _stars(*places, {(0, 4): {(1, 4): 3}, (8, 9): {(7, 9): 1}}, dice)
    ([(-1.0, 1, 0), (-0.857..., 0, 0), (-0.666..., 2, 1)], {})
    """
    met: set[Key] = set()  # system places that meet a gold place
    shared: set[Key] = set()  # those that meet several
    for mine in overlaps.values():
        for key in mine:
            if key in met or key in ours.one:
                shared.add(key)
            met.add(key)
    stars: list[Edge] = []
    rest: Overlaps = {}
    for key, mine in overlaps.items():
        if key in met or key in ours.several or not shared.isdisjoint(mine):
            rest[key] = mine
            continue
        one, length = ours.one[key], size(key)
        for each, common in mine.items():
            value = -measure(common, length, size(each))
            if each in theirs.several:
                stars += [(value, other, one) for other in theirs.several[each]]
            else:
                stars.append((value, theirs.one[each], one))
        if key in theirs.one:
            stars += [(-with_itself(key, measure), other, one) for other in theirs.at(key)]
    stars.sort()
    return stars, rest


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


def true_positives(pairs: Sequence[Pair], exact: int = 0) -> float:
    """The sum of the Dice values, from the highest down as the greedy algorithm adds them; the first ones are `exact`.

    >>> true_positives([(0, 0, 0.5), (1, 1, 1.0)])
    1.5
    """
    partial = [-value for _, _, value in pairs[exact:] if value != 1.0]
    partial.sort()
    total = float(len(pairs) - len(partial))
    for negative in partial:
        total -= negative
    return total


def _of_singles(
    golds: Mapping[Key, int], value_of: Callable[[Key], float] | None, sides: tuple[Side, Side], names: Sequence[str]
) -> dict[str, list[Pair]]:
    """The pairs without a rival whose attributes agree, in every mapping; `value_of` a place is its Dice, if not 1."""
    gold, system = sides
    met = enumerate(map(golds.get, system.keys))
    if value_of is None:
        pairs = [(one, other, 1.0) for other, one in met if one is not None]
    else:
        pairs = [(one, other, value_of(system.keys[other])) for other, one in met if one is not None]
    found = {"span": pairs}
    for name in ("type", "realis", "type+realis"):
        ours, theirs = (gold.types, system.types) if name == "type" else (gold.realis, system.realis)
        found[name] = [pair for pair in found[_WIDER[name]] if ours[pair[0]] == theirs[pair[1]]]
    return {name: found[name] for name in names}


def _take_alone(
    pairs: Mapping[str, list[Pair]],
    there: Iterable[tuple[Sequence[int], Sequence[int], float]],
    gold: Side,
    system: Side,
) -> None:
    """Pair the nuggets of places: each system nugget takes the first free one there whose attributes agree."""
    types, realis, their_types, their_realis = gold.types, gold.realis, system.types, system.realis
    own: Hashable
    for golds, systems, value in there:
        for name, taken in pairs.items():
            if name == "span":
                taken += zip(golds, systems, repeat(value), strict=False)
                continue
            waiting: dict[Hashable, list[int]] = {}
            for one in reversed(golds):
                own = types[one] if name == "type" else realis[one] if name == "realis" else (types[one], realis[one])
                if own in waiting:
                    waiting[own].append(one)
                else:
                    waiting[own] = [one]
            for other in systems:
                own = (
                    their_types[other]
                    if name == "type"
                    else their_realis[other]
                    if name == "realis"
                    else (their_types[other], their_realis[other])
                )
                if free := waiting.get(own):
                    taken.append((free.pop(), other, value))


def attributes(side: Side, name: str, nuggets: Iterable[int]) -> list[Hashable]:
    """The attributes of some nuggets that must be equal in a mapping, besides the place.

    >>> attributes(Side(["t1", "t2"], ["Attack", "Die"], ["Actual", "Actual"]), "type+realis", [1])
    [('Die', 'Actual')]
    """
    if name == "span":
        return [None for _ in nuggets]
    if name == "type+realis":
        return [(side.types[each], side.realis[each]) for each in nuggets]
    values = side.types if name == "type" else side.realis
    return [values[each] for each in nuggets]


_WIDER = {"span": "span", "type": "span", "realis": "span", "type+realis": "type"}


def _narrowed(edges: Sequence[Edge], gold: Side, system: Side, wildcard: str | None) -> Mapping[str, Sequence[Edge]]:
    """The candidates whose attributes match, in every mapping."""
    if not edges:
        return dict.fromkeys(_WIDER, ())
    found = {"span": edges}
    for name in ("type", "realis", "type+realis"):
        ours, theirs = (gold.types, system.types) if name == "type" else (gold.realis, system.realis)
        if wildcard is None:
            found[name] = [edge for edge in found[_WIDER[name]] if ours[edge[2]] == theirs[edge[1]]]
        else:
            found[name] = [edge for edge in found[_WIDER[name]] if ours[edge[2]] in (theirs[edge[1]], wildcard)]
    return found


# ---------------------------------------------------------------------------------------------------------------------
# The greedy mapping where ties exist: by the order of the lines, the best of all orders, and the best of all mappings
#
# The specification takes pairs by falling Dice and does not say which of two equal pairs comes first, but that one goes
# "through all possible mappings, taking the highest score". Where pairs are equal, any maximal matching of them can be;
# so the search goes through the values of Dice from the highest down, and at each through the maximal matchings
# of the pairs that are still free. Nuggets with the same candidates are exchangeable and counted, not told apart, and
# every connected part of the candidates is solved by itself.


class Mapped(NamedTuple):
    """A mapping by order of lines and the best one; sums of Dice are over the same candidates.

    `best` is the highest sum that any order of equal pairs gives; unless it is `proven`, it is the highest that was
    found. `optimal` is that of the best one-to-one mapping, greedy or not; only a bound of it unless it was `solved`.
    """

    by_line: list[Pair]
    by_best: list[Pair]
    line: float
    best: float
    optimal: float
    proven: bool
    solved: bool = True


def best_of_ties(edges: Sequence[Edge], *, states: int = STATES, clock: Deadline = NEVER) -> Mapped:
    """The greedy mapping by line order (the edges are sorted), and the best one over all orders of equal pairs.

    >>> found = best_of_ties([(-0.5, 0, 0), (-0.5, 0, 1), (-0.5, 1, 0)])
    >>> found.line, found.best, found.by_best
    (0.5, 1.0, [(1, 0, 0.5), (0, 1, 0.5)])
    """
    whole = _by_line(edges)
    if whole.proven or len(edges) > MANY or clock.left <= len(edges) * PER_EDGE:
        return whole
    by_line: list[Pair] = []
    by_best: list[Pair] = []
    line = best = optimal = 0.0
    proven = solved = True
    for part in _parts(edges):
        own = _best_of_part(part, states, clock)
        by_line += own.by_line
        by_best += own.by_best
        line, best, optimal = line + own.line, best + own.best, optimal + own.optimal
        proven, solved = proven and own.proven, solved and own.solved
    return Mapped(by_line, by_best, line, best, optimal, proven, solved)


def _by_line(edges: Sequence[Edge]) -> Mapped:
    """The mapping by line order, which is proven to be the best if every nugget of one side has its best pair."""
    systems: set[int] = set()
    golds: set[int] = set()
    pairs: list[Pair] = []
    system_lost = gold_lost = False
    for negative, system, gold in edges:
        if system in systems:
            gold_lost = gold_lost or gold not in golds
        elif gold in golds:
            system_lost = True
        else:
            systems.add(system)
            golds.add(gold)
            pairs.append((gold, system, -negative))
    total = _total(pairs)
    most = _bound(edges) if system_lost and gold_lost else total
    first = total >= most - SAME
    return Mapped(pairs, pairs, total, total, total if first else most, first, first)


def _best_of_part(edges: Sequence[Edge], states: int, clock: Deadline) -> Mapped:
    """The same as `best_of_ties` for a connected part."""
    found = _by_line(edges)
    if found.proven or clock.left <= len(edges) * PER_EDGE:
        return found
    from adjudge.algebra.solve.assignment import fitting

    mates = _assignment(edges)
    highest = _total([(gold, system, dice) for (system, gold), dice in mates.items()])
    best, proven = found.by_line, True
    if found.line < highest - SAME and _tied(edges):
        # Equal pairs that are in a best mapping first: that often leads to it.
        order = sorted(edges, key=lambda edge: (edge[0], edge[1:] not in mates, edge[1:]))
        best = [(gold, system, -negative) for gold, system, negative in fitting((g, s, n) for n, s, g in order)]
        if _total(best) < highest - SAME:
            searched, proven = _search(edges, highest, states, clock)
            best = max(best, searched, key=_total)
        if _total(best) <= found.line + SAME:
            best = found.by_line
    return Mapped(found.by_line, best, found.line, _total(best), highest, proven)


def _total(pairs: Sequence[Pair]) -> float:
    return fsum([dice for _, _, dice in pairs])


def _parts(edges: Sequence[Edge]) -> list[list[Edge]]:
    """The connected parts, each with its edges in order."""
    own: dict[int, list[Edge]] = {}
    for edge in edges:
        own.setdefault(edge[2], []).append(edge)
    parts = blocks({gold: [system for _, system, _ in mine] for gold, mine in own.items()})
    return sorted(sorted(edge for gold in part for edge in own[gold]) for part in parts)


def _bound(edges: Sequence[Edge]) -> float:
    """An upper bound of any mapping: the sum of the best pair of every nugget, on the side where it is smaller."""
    systems: dict[int, float] = {}
    golds: dict[int, float] = {}
    for negative, system, gold in edges:  # the first edge of a node is its best
        systems.setdefault(system, -negative)
        golds.setdefault(gold, -negative)
    return min(sum(systems.values()), sum(golds.values()))


def _tied(edges: Sequence[Edge]) -> bool:
    return len({negative for negative, _, _ in edges}) < len(edges)


def _assignment(edges: Sequence[Edge]) -> dict[tuple[int, int], float]:
    """The pairs (system, gold) of a best one-to-one mapping, and their Dice."""
    from adjudge.tasks.coref.ceaf import align

    rows: dict[int, dict[int, float]] = {}
    for negative, system, gold in edges:
        rows.setdefault(gold, {})[system] = -negative
    return {(system, gold): rows[gold][system] for gold, system in align(rows).items()}


# ---------------------------------------------------------------------------------------------------------------------
# Searching the orders of equal pairs

_Kinds: TypeAlias = tuple[tuple[int, ...], ...]  # the nuggets of every kind


class _Problem(NamedTuple):
    """Kinds of exchangeable nuggets on both sides, and for every Dice the pairs of kinds that have it."""

    systems: _Kinds
    golds: _Kinds
    levels: tuple[tuple[float, tuple[tuple[int, int], ...]], ...]


def _search(edges: Sequence[Edge], highest: float, states: int, clock: Deadline = NEVER) -> tuple[list[Pair], bool]:
    """The best greedy mapping of one part, and whether it is proven to be."""
    problem = _problem(edges)
    states = min(states, states * _SMALL // (len(problem.systems) + len(problem.golds)))
    start = tuple(map(len, problem.systems)), tuple(map(len, problem.golds))
    flows: tuple[tuple[int, int, int, int], ...] = ()  # (level, system kind, gold kind, how many)
    best: tuple[float, tuple[tuple[int, int, int, int], ...]] = (-1.0, ())
    seen: dict[tuple[int, int, tuple[int, ...], tuple[int, ...]], float] = {}
    stack = [(0, 0, *start, 0.0, flows)]
    while stack:
        level, place, systems, golds, total, flows = stack.pop()
        key = level, place, systems, golds
        if seen.get(key, -1.0) >= total - SAME / 2:
            continue
        if len(seen) >= states or clock.passed:
            return _spelled(problem, best[1]), False
        seen[key] = total
        if level == len(problem.levels):
            if total > best[0]:
                best = total, flows
                if total >= highest - SAME:
                    break
            continue
        value, pairs = problem.levels[level]
        if place == len(pairs):
            # Greedy leaves no pair behind of which both sides are free.
            if not any(systems[one] and golds[other] for one, other in pairs):
                stack.append((level + 1, 0, systems, golds, total, flows))
            continue
        one, other = pairs[place]
        for number in range(min(systems[one], golds[other]) + 1):  # the most are tried first
            taken = (*flows, (level, one, other, number)) if number else flows
            left = _less(systems, one, number), _less(golds, other, number)
            stack.append((level, place + 1, *left, total + number * value, taken))
    return _spelled(problem, best[1]), True


def _less(counts: tuple[int, ...], place: int, number: int) -> tuple[int, ...]:
    return (*counts[:place], counts[place] - number, *counts[place + 1 :]) if number else counts


def _problem(edges: Sequence[Edge]) -> _Problem:
    kinds: list[tuple[_Kinds, dict[int, int]]] = []
    systems_first = [(system, gold, negative) for negative, system, gold in edges]
    for ends in (systems_first, [(gold, system, negative) for system, gold, negative in systems_first]):
        partners: dict[int, list[tuple[int, float]]] = {}
        for node, partner, negative in ends:
            partners.setdefault(node, []).append((partner, negative))
        groups: dict[tuple[tuple[int, float], ...], list[int]] = {}
        for node in sorted(partners):
            groups.setdefault(tuple(sorted(partners[node])), []).append(node)
        members = tuple(map(tuple, groups.values()))
        kinds.append((members, {node: number for number, group in enumerate(members) for node in group}))
    (systems, system_kind), (golds, gold_kind) = kinds
    levels: dict[float, dict[tuple[int, int], None]] = {}
    for negative, system, gold in edges:
        levels.setdefault(-negative, {})[system_kind[system], gold_kind[gold]] = None
    return _Problem(systems, golds, tuple((value, tuple(pairs)) for value, pairs in levels.items()))


def _spelled(problem: _Problem, flows: Sequence[tuple[int, int, int, int]]) -> list[Pair]:
    """The pairs of nuggets behind numbers of pairs of kinds, the first lines first."""
    systems, golds = (
        [list(reversed(each)) for each in problem.systems],
        [list(reversed(each)) for each in problem.golds],
    )
    return [
        (golds[other].pop(), systems[one].pop(), problem.levels[level][0])
        for level, one, other, number in flows
        for _ in range(number)
    ]
