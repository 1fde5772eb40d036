"""Matching two sets whose elements mention variables: the best one-to-one matching of the variables (Eqs. 36, 43-47).

Elements that depend on the same variable pairs are gathered into one term, independent parts are solved separately, and
each of them goes to an exact search (`latent_search`).

Large problems begin with a guess in about linear time, and an equally cheap bound. Variables get colours by the
elements that they occur in, and by the colours of the variables beside them, round by round (Weisfeiler and Leman
1968), on both sides at once. Those that share a colour for many rounds are matched first, and from each match the guess
grows along the elements that the two have in common.
"""

from __future__ import annotations

import heapq
import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations

import msgspec
from msgspec.structs import replace

from adjudge.algebra.solve.assignment import fitting
from adjudge.algebra.solve.deadline import NEVER, Deadline, OutOfTime
from adjudge.algebra.solve.latent_search import Core, Match, Pair, match_elements, solve_core

# weight, variable pairs that must be matched, system element, gold element
ElementPair = tuple[float, tuple[Pair, ...], int, int]
# A term is named by the variable pairs it needs, sorted.
Needs = tuple[Pair, ...]


def best_variable_matching(
    unary: Mapping[Pair, float],
    pairs: Sequence[ElementPair],
    *,
    element_match: Match = "1:1",
    elements_exclusive: bool = True,
    deadline: Deadline = NEVER,
    start: Callable[[], tuple[Mapping[int, int], float]] | None = None,
) -> Solution:
    """Match system variables to gold variables one-to-one so that as much as possible comes true.

    max sum unary[s, g] over matched (s, g) + sum of the weights of chosen element pairs, each of which needs all its
    variable pairs matched, and its elements according to `element_match`. `elements_exclusive=False` says that this
    last constraint follows from the variables. Weights that are not positive are ignored. Without a deadline the
    answer is optimal; with one it says whether it is, and how much could be missing. Same input, same answer. `start`
    makes a matching to begin with and a bound of all, if the problem is not easy.

    >>> best_variable_matching({(1, 0): 0.5}, [(1.0, ((0, 0), (1, 1)), 0, 0)])
    Solution(value=1.0, mapping={0: 0, 1: 1}, chosen=[0], bound=1.0, optimal=True)
    """
    match: Match = element_match if elements_exclusive else "N:N"
    singles = {pair: weight for pair, weight in unary.items() if weight > 0.0}
    try:
        groups = _gather(pairs, deadline)
        worth = {needs: _group_value(members, pairs, match) for needs, members in groups.items()}
        ties = _entangled(groups, pairs, match, deadline)
        cores = _components(singles, groups, worth, ties, pairs, match, deadline)
    except OutOfTime:
        return _hurried(singles, pairs, match, "1:1" if not elements_exclusive else match)
    matched: set[Pair] = set()
    slack: list[float] = []
    optimal = True

    @cache
    def first() -> tuple[frozenset[Pair], float]:
        mapping, most = ({}, math.inf) if start is None else start()
        return frozenset(mapping.items()), most if len(cores) == 1 else math.inf

    for number, core in enumerate(cores):
        chosen, bound, proven = solve_core(core, deadline.part(len(cores) - number), first)
        matched.update(core.keys[p] for p in chosen)
        slack.append(max(0.0, bound - core.exact(chosen)))
        optimal = optimal and proven
    return _assemble(singles, pairs, groups, match, matched, 0.0 if optimal else math.fsum(slack), optimal)


def _gather(pairs: Sequence[ElementPair], deadline: Deadline) -> dict[Needs, list[int]]:
    """Element pairs by the variable pairs they need; those that no one-to-one matching can satisfy are left out."""
    groups: dict[Needs, list[int]] = {}
    for index, (weight, wanted, _, _) in enumerate(pairs):
        if index % 1024 == 1023:
            deadline.check()
        if weight > 0.0:
            needs = tuple(sorted(set(wanted)))
            if _consistent(needs):
                groups.setdefault(needs, []).append(index)
    return groups


def _consistent(needs: Sequence[Pair]) -> bool:
    return len({s for s, _ in needs}) == len(needs) == len({g for _, g in needs})


def _group_value(members: list[int], pairs: Sequence[ElementPair], match: Match) -> float:
    if len(members) == 1:
        return pairs[members[0]][0]
    return match_elements([(pairs[i][0], pairs[i][2], pairs[i][3], i) for i in members], match)[0]


def _entangled(
    groups: dict[Needs, list[int]], pairs: Sequence[ElementPair], match: Match, deadline: Deadline
) -> dict[Needs, set[Hashable]]:
    """Groups that may hold at the same time and compete for an element, with the elements they compete for.

    For all others the variables already see to it that an element is used once.
    """
    found: dict[Needs, set[Hashable]] = {}
    for side, constrained in ((0, ("1:1", "N:1")), (1, ("1:1", "1:N"))):
        if match not in constrained:
            continue
        wanted: dict[int, set[Needs]] = {}
        for needs, members in groups.items():
            for index in members:
                wanted.setdefault(pairs[index][2:][side], set()).add(needs)
        for element, rivals in wanted.items():
            if len(rivals) == 1:
                continue
            if any(len({frozenset(pair[end] for pair in needs) for needs in rivals}) == 1 for end in (0, 1)):
                continue  # different matches of the same variables exclude each other
            for number, (a, b) in enumerate(combinations(sorted(rivals), 2)):
                if number % 1024 == 1023:
                    deadline.check()
                if _consistent(sorted({*a, *b})):
                    found.setdefault(a, set()).add((side, element))
                    found.setdefault(b, set()).add((side, element))
    return found


def _components(
    singles: dict[Pair, float],
    groups: dict[Needs, list[int]],
    worth: dict[Needs, float],
    ties: dict[Needs, set[Hashable]],
    pairs: Sequence[ElementPair],
    match: Match,
    deadline: Deadline,
) -> list[Core]:
    """Independent problems: variables hang together through candidates, terms and contested elements."""
    parent: dict[Hashable, Hashable] = {}

    def find(node: Hashable) -> Hashable:
        parent.setdefault(node, node)
        while (above := parent[node]) != node:
            parent[node] = node = parent[above]
        return node

    def join(one: Hashable, other: Hashable) -> None:
        parent[find(one)] = find(other)

    # A system variable is known by its number n, a gold variable by -1 - n.
    terms = {needs: worth[needs] for needs in sorted(groups)}
    wanted = sorted({*singles, *(pair for needs in terms for pair in needs)})
    for number, (s, g) in enumerate(wanted):
        if number % 1024 == 1023:
            deadline.check()
        join(s, -1 - g)
    for needs in terms:
        for pair in needs[1:]:
            join(needs[0][0], pair[0])
    for needs, elements in ties.items():
        for node in elements:
            join(needs[0][0] if needs else min(elements, key=repr), node)
    parts: dict[Hashable, tuple[dict[Pair, float], dict[Needs, float]]] = {}
    for pair in wanted:
        parts.setdefault(find(pair[0]), ({}, {}))[0][pair] = singles.get(pair, 0.0)
    for number, (needs, value) in enumerate(terms.items()):
        if number % 1024 == 1023:
            deadline.check()
        if needs or ties.get(needs):
            root = find(needs[0][0] if needs else min(ties[needs], key=repr))
            parts.setdefault(root, ({}, {}))[1][needs] = value
    return [_core(candidates, own, groups, ties, pairs, match, deadline) for candidates, own in parts.values()]


def _core(
    candidates: dict[Pair, float],
    terms: dict[Needs, float],
    groups: dict[Needs, list[int]],
    ties: dict[Needs, set[Hashable]],
    pairs: Sequence[ElementPair],
    match: Match,
    deadline: Deadline,
) -> Core:
    index = {pair: p for p, pair in enumerate(candidates)}
    base = list(candidates.values())
    links: list[dict[int, float]] = [{} for _ in base]
    core = Core(list(candidates), base, links, match=match)
    constant = 0.0
    for number, (needs, value) in enumerate(terms.items()):
        if number % 1024 == 1023:
            deadline.check()
        places = tuple(sorted(index[pair] for pair in needs))
        if needs in ties:
            core.loose.append((value, places))
            core.rivals.extend((pairs[i][0], places, pairs[i][2], pairs[i][3], i) for i in groups[needs])
        if not places:
            constant += value
        elif len(places) == 1:
            base[places[0]] += value
        elif len(places) == 2:
            links[places[0]][places[1]] = links[places[1]][places[0]] = value
        else:
            core.wide.append((value, places))
    return replace(core, constant=constant) if constant else core


def _hurried(singles: dict[Pair, float], pairs: Sequence[ElementPair], match: Match, really: Match) -> Solution:
    """The answer without time to search: variables in order, the heaviest first, and a bound from each element.

    `really` is how often elements can be matched, be it by the constraint or because the variables see to it.
    """
    wanted = sorted(singles, key=lambda pair: (-singles[pair], pair)) + [pair for each in pairs for pair in each[1]]
    matched = set(fitting(wanted))
    active = [i for i, (weight, needs, _, _) in enumerate(pairs) if weight > 0.0 and matched.issuperset(needs)]
    groups: dict[Needs, list[int]] = {}
    for i in active:
        groups.setdefault(tuple(sorted(set(pairs[i][1]))), []).append(i)
    found = _assemble(singles, pairs, groups, match, matched, 0.0, optimal=False)
    limits = [math.fsum([*singles.values(), *(max(pair[0], 0.0) for pair in pairs)])]
    for side, constrained in ((0, ("1:1", "N:1")), (1, ("1:1", "1:N"))):
        if really in constrained:
            best: dict[tuple[bool, int], float] = {}
            for pair, weight in singles.items():
                best[False, pair[side]] = max(best.get((False, pair[side]), 0.0), weight)
            for weight, _, *ends in pairs:
                best[True, ends[side]] = max(best.get((True, ends[side]), 0.0), weight)
            limits.append(math.fsum(best.values()))
    bound = max(found.value, min(limits))
    return replace(found, bound=bound, optimal=bound <= found.value)


def _assemble(
    singles: dict[Pair, float],
    pairs: Sequence[ElementPair],
    groups: dict[Needs, list[int]],
    match: Match,
    matched: set[Pair],
    slack: float,
    optimal: bool,
) -> Solution:
    """Count from scratch what the matched variables make true, and leave out the matches that add nothing."""
    active = [i for needs, members in groups.items() if matched.issuperset(needs) for i in members]
    _, chosen = match_elements([(pairs[i][0], pairs[i][2], pairs[i][3], i) for i in sorted(active)], match)
    useful = {pair for i in chosen for pair in pairs[i][1]} | (matched & singles.keys())
    value = math.fsum([*(singles[pair] for pair in useful if pair in singles), *(pairs[i][0] for i in chosen)])
    return Solution(value, dict(sorted(useful)), sorted(chosen), value + slack, optimal)


class Solution(msgspec.Struct, frozen=True):
    """The mapping from system to gold variables, the element pairs that count (by index), and how good it is.

    No solution exceeds `bound`; if `optimal`, none exceeds `value`, and the two are equal.
    """

    value: float
    mapping: dict[int, int]
    chosen: list[int]
    bound: float
    optimal: bool


Evaluate = Callable[[dict[int, int], set[int]], float]


def branch_and_bound(
    variables_s: Sequence[int], variables_g: Sequence[int], evaluate: Evaluate, deadline: Deadline = NEVER
) -> Solution:
    """The best one-to-one partial matching of system to gold variables for a value known only from outside.

    `evaluate(mapping, open)` must never be below what `mapping` can still become by matching variables of `open` to
    unused gold variables, must be exact when `open` is empty, and must not fall when a match is added. System variables
    are decided in the order given, the most promising gold variable first (ties: in the order given).

    >>> agreement = lambda mapping, open_s: sum(k == l for k, l in mapping.items()) + len(open_s)
    >>> branch_and_bound([0, 1, 2], [2, 1], agreement).mapping
    {1: 1, 2: 2}
    """
    best: dict[int, int] = {}
    value = evaluate({}, set())
    # A frame: optimistic value, mapping, number of decided system variables.
    stack: list[tuple[float, dict[int, int], int]] = [(evaluate({}, set(variables_s)), {}, 0)]
    while stack:
        if deadline.passed:
            break
        optimistic, mapping, decided = stack.pop()
        if optimistic <= value:
            continue
        if decided == len(variables_s):
            best, value = mapping, optimistic
            continue
        variable = variables_s[decided]
        undecided = set(variables_s[decided + 1 :])
        used = set(mapping.values())
        free = [other for other in variables_g if other not in used]
        children = [{**mapping, variable: other} for other in free]
        if len(free) <= len(undecided):
            # Only if gold variables are short can it be right to leave this one out: a match never hurts.
            children.append(mapping)
        rated = [(evaluate(child, undecided), child, decided + 1) for child in children]
        rated.sort(key=lambda frame: frame[0], reverse=True)
        stack.extend(frame for frame in reversed(rated) if frame[0] > value)
    left = max((frame[0] for frame in stack), default=value)
    for variable in list(best):
        fewer = {key: other for key, other in best.items() if key != variable}
        if evaluate(fewer, set()) >= value:
            best = fewer
    return Solution(value, best, [], max(left, value), left <= value)


# What the element is but for its variables, and these, by number
Element = tuple[int, tuple[int, ...]]

_ROUNDS = 48


@dataclass(frozen=True, slots=True)
class Guess:
    """A one-to-one matching of variables, the elements that it makes equal (by place), and how many there can be."""

    mapping: dict[int, int]
    pairs: list[tuple[int, int]]
    most: int


def guess(ss: Sequence[Element], gs: Sequence[Element], deadline: Deadline = NEVER) -> Guess:
    """Match the variables of system and gold elements, none of which occurs twice.

    >>> guess([(0, (0, 1)), (0, (1, 2))], [(0, (7, 5)), (0, (5, 6))])
    Guess(mapping={0: 7, 1: 5, 2: 6}, pairs=[(0, 0), (1, 1)], most=2)
    """
    growth = _Growth(ss, gs, deadline)
    degree = [Counter(v for _, variables in side for v in variables) for side in (ss, gs)]
    left, right = (sorted(growth.beside[side], key=degree[side].__getitem__, reverse=True) for side in (0, 1))
    mapping, taken = growth.mapping, growth.taken
    while left and right:
        # Variables of many elements first: they say most about others.
        pairs = list(_alike(left, right, growth.colours))
        for _, s, g in sorted(pairs, key=lambda p: (-min(degree[0][p[1]], degree[1][p[2]]), -p[0])):
            growth.grow(s, g)
        left, right = [v for v in left if v not in mapping], [v for v in right if v not in taken]
    where = {element: j for j, element in enumerate(gs)}
    moved = [(kind, tuple(mapping.get(v, -1) for v in variables)) for kind, variables in ss]
    equal = [(i, where[element]) for i, element in enumerate(moved) if element in where]
    return Guess(dict(sorted(mapping.items())), equal, most_equal(ss, gs))


def most_equal(ss: Sequence[Element], gs: Sequence[Element]) -> int:
    """How many elements no matching of the variables can exceed.

    Of one kind, two variables share no more elements than each of them has; at best the first has its like beside it,
    then the second, and so on.

    >>> most_equal([(0, (0, 1)), (0, (0, 2)), (0, (0, 3))], [(0, (0, 1)), (0, (2, 3)), (0, (3, 4))])
    1
    """
    most: dict[int, int] = {}
    for place in range(max((len(variables) for _, variables in ss), default=0)):
        counts = [Counter((kind, each[place]) for kind, each in side if place < len(each)) for side in (ss, gs)]
        ranked: list[dict[int, list[int]]] = [{}, {}]
        for side, count in enumerate(counts):
            for (kind, _), number in sorted(count.items(), key=lambda item: -item[1]):
                ranked[side].setdefault(kind, []).append(number)
        for kind, numbers in ranked[0].items():
            here = sum(map(min, numbers, ranked[1].get(kind, ())))
            most[kind] = min(most.get(kind, here), here)
    return sum(most.values())


Place = tuple[int, int, int]  # kind of element, place of a variable in it, place of another one


def _beside(elements: Sequence[Element]) -> dict[int, dict[Place, list[int]]]:
    """For every variable the others that stand in elements with it, by kind and places."""
    found: dict[int, dict[Place, list[int]]] = {}
    for kind, variables in elements:
        for here, variable in enumerate(variables):
            mine = found.setdefault(variable, {})
            for there, other in enumerate(variables):
                if other != variable:
                    mine.setdefault((kind, here, there), []).append(other)
    return found


Colours = list[tuple[dict[int, int], ...]]  # of every round, on both sides


def _colours(ss: Sequence[Element], gs: Sequence[Element], deadline: Deadline) -> Colours:
    """Colours of variables, by the elements that they occur in and how often, then by the colours beside them."""
    now = tuple({v: 0 for _, variables in side for v in variables} for side in (ss, gs))
    found = [now]
    kinds = 0
    for number in range(_ROUNDS):
        if deadline.passed:
            break
        numbers: dict[tuple[int, tuple[tuple[int, ...], ...]], int] = {}
        new: tuple[dict[int, int], ...] = ({}, {})
        for side, elements in enumerate((ss, gs)):
            seen: dict[int, list[tuple[int, ...]]] = {}
            for kind, variables in elements:
                row = [now[side][v] for v in variables]
                for place, variable in enumerate(variables):
                    seen.setdefault(variable, []).append((kind, place, *row))
            for variable, rows in seen.items():
                key = (now[side][variable], tuple(sorted(set(rows) if number == 0 else rows)))
                new[side][variable] = numbers.setdefault(key, len(numbers))
        if (number > 1 and len(numbers) == kinds) or not set(new[0].values()) & set(new[1].values()):
            break
        kinds, now = len(numbers), new
        found.append(now)
    return found


def _alike(left: list[int], right: list[int], colours: Colours) -> Iterator[tuple[int, int, int]]:
    """Variables of both sides in pairs, those first that share a colour for the most rounds, with their number."""
    for depth in range(len(colours) - 1, -1, -1):
        if not left or not right:
            return
        mine, theirs = colours[depth]
        waiting: dict[int, list[int]] = {}
        for v in reversed(right):
            waiting.setdefault(theirs[v], []).append(v)
        rest = []
        for v in left:
            same = waiting.get(mine[v])
            if same:
                yield depth, v, same.pop()
            else:
                rest.append(v)
        if len(rest) < len(left):
            kept = {v for same in waiting.values() for v in same}
            left, right = rest, [v for v in right if v in kept]


class _Growth:
    """A matching that grows from pairs of variables along the elements that they have in common."""

    def __init__(self, ss: Sequence[Element], gs: Sequence[Element], deadline: Deadline) -> None:
        self.beside = _beside(ss), _beside(gs)
        self.colours = _colours(ss, gs, deadline)
        self.deadline = deadline
        self.mapping: dict[int, int] = {}
        self.taken: set[int] = set()

    def grow(self, s: int, g: int) -> None:
        """Match two variables unless one is matched, and what stands beside them, the most alike first."""
        mapping, taken = self.mapping, self.taken
        heap = [(0, 0, s, g)]
        pushed = 0
        while heap:
            _, _, s, g = heapq.heappop(heap)
            if s in mapping or g in taken:
                continue
            mapping[s] = g
            taken.add(g)
            if self.deadline.passed:
                return
            mine, theirs = self.beside[0][s], self.beside[1][g]
            for place in sorted(mine.keys() & theirs.keys()):
                left, right = [v for v in mine[place] if v not in mapping], [v for v in theirs[place] if v not in taken]
                for depth, one, other in _alike(left, right, self.colours):
                    pushed += 1
                    heapq.heappush(heap, (-depth, pushed, one, other))
