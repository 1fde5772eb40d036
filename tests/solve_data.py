"""Which way the searches take, as plain data: `python tests/solve_data.py > tests/algebra/solve/steps.json`.

For each problem the answer, which is to be the same in every release, and how often each function of the search is
called: a bound that is less tight than it was, or a branch that is no longer cut off, still gives the right answer and
is seen here. Nothing that numpy or scipy has computed is among it.
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from types import FrameType
from typing import Any
from unittest.mock import patch

import adjudge.algebra.solve
from adjudge.algebra.solve import (
    assignment,
    branch,
    edit,
    ilp,
    independent,
    latent,
    latent_bound,
    latent_search,
    order,
    sequence,
)
from adjudge.algebra.solve.branch import branch_and_bound
from adjudge.algebra.solve.latent import best_variable_matching
from adjudge.algebra.solve.latent_bound import Incumbent, Relaxation, tighten
from adjudge.algebra.solve.latent_core import Climber, Core
from adjudge.algebra.solve.latent_search import solve_core

FOLDER = str(Path(adjudge.algebra.solve.__file__).parent)
MATCHES = ("1:1", "N:1", "1:N", "N:N")
WEIGHTS = {"ones": (1.0,), "whole": (1.0, 2.0, 3.0), "broken": (0.31, 0.47, 0.9, 1.13)}


def counted(work: Callable[[], Any]) -> tuple[Any, dict[str, int]]:
    """What some work gives, and how often each function of the searches is called (or resumed) meanwhile."""
    calls: Counter[str] = Counter()

    def note(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        # Comprehensions are functions of their own up to Python 3.11 only.
        if event == "call" and not code.co_name.startswith("<") and code.co_filename.startswith(FOLDER):
            calls[f"{Path(code.co_filename).stem}.{code.co_name}"] += 1

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        found = work()
    finally:
        sys.setprofile(before)
    return found, dict(sorted(calls.items()))


def everything() -> Iterator[tuple[str, Callable[[], Any]]]:
    """All problems, by name, with the work that solves them."""
    yield from matchings()
    yield from variables()
    yield from cores()
    yield from orders()
    yield from chains()
    yield from texts()
    yield from limited()


class Clock:
    """A clock that goes on by one whenever somebody looks at it."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        """The time."""
        self.now += 1.0
        return self.now


def timed(work: Callable[[], Any]) -> Any:
    """What some work gives by such a clock, and what time it is after it."""
    clock = Clock()
    limits = {"_ROOT_ROUNDS": 3, "_NODE_ROUNDS": 2, "_KICKS": 5, "_EASY_EFFORT": 300, "_EFFORT": 10**9}
    with ExitStack() as stack:
        for module in (branch, independent, latent, latent_bound, latent_search, order):
            stack.enter_context(patch.object(module, "time", clock))
        stack.enter_context(patch.multiple(latent_search, **limits))
        stack.enter_context(patch.object(latent_search, "_integer_programme", lambda *_: 50.0))
        stack.enter_context(patch.object(independent, "_integer_programme", lambda *given: given[2]))
        return [work(), clock.now]


def limited() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Searches that are cut short."""
    unary, pairs = graphs(random.Random(10), 10, 2, 3, False)
    for limit in (0.0, 1.0, 2.0, 5.0, 20.0, 1000.0):
        yield (
            f"graphs within {limit}",
            lambda limit=limit: timed(lambda: shown(best_variable_matching(unary, pairs, time_limit=limit))),
        )
    rng = random.Random(3)
    worth = [[rng.choice((0, 1, 2, 5)) for _ in range(5)] for _ in range(5)]
    for limit in (0.0, 1.0, 4.0, 30.0):
        yield (
            f"outside value within {limit}",
            lambda limit=limit: timed(lambda: shown(_outside(worth, range(5), range(5), limit))),
        )
    edges, here, there = table(rng, 24, 24, 400, (0.31, 0.47, 0.9)), reach(rng, 24, 14), reach(rng, 24, 14)
    masks = [0] * 60
    for i in range(60):
        for j in range(i):
            if rng.random() < 0.2:
                masks[i] |= 1 << j
                masks[j] |= 1 << i
    values = [rng.choice((0.31, 0.47, 0.9, 1.13)) for _ in masks]
    for limit in (0.0, 0.5, 1.0, 2.0, 3.0, 8.0, 1000.0):

        def ordered(limit: float = limit) -> Any:
            found = order.order_preserving(edges, here, there, time_limit=limit)
            return [found.value, found.pairs, found.bound, found.optimal]

        def apart(limit: float = limit) -> Any:
            with patch.object(independent, "_NODES", 500):
                found = independent.heaviest_independent(values, masks, time_limit=limit)
            return [found.members, found.bound, found.optimal]

        yield f"order within {limit}", lambda ordered=ordered: timed(ordered)
        yield f"independent within {limit}", lambda apart=apart: timed(apart)


def table(rng: random.Random, rows: int, columns: int, count: int, weights: tuple[float, ...]) -> list[Any]:
    """Random edges, no two alike."""
    found = {(rng.randrange(rows), rng.randrange(columns)): rng.choice(weights) for _ in range(count)}
    return [(row, column, weight) for (row, column), weight in found.items()]


def matchings() -> Iterator[tuple[str, Callable[[], Any]]]:
    """One-to-one matchings, all ways that need no library."""
    for kind, weights in WEIGHTS.items():
        for rows, columns, count in (
            (1, 5, 5),
            (4, 1, 4),
            (2, 2, 4),
            (3, 7, 12),
            (8, 8, 20),
            (12, 9, 60),
            (30, 30, 90),
        ):
            rng = random.Random(f"{kind} {rows} {columns}")
            edges = table(rng, rows, columns, count, weights)
            yield f"matching {kind} {rows}x{columns}", lambda edges=edges: assignment.max_weight_matching(edges)
            graph: dict[int, dict[int, float]] = {}
            for row, column, weight in edges:
                graph.setdefault(row, {})[column] = weight
            yield (
                f"prices {kind} {rows}x{columns}",
                lambda graph=graph: [list(each.items()) for each in assignment.priced_matching(graph)],
            )
            for budget in (count, 2 * count, 6 * count):
                yield (
                    f"matching {kind} {rows}x{columns} looking {budget} times",
                    lambda graph=graph, budget=budget: sorted((assignment._augment(graph, budget) or {}).items()),
                )
            for patience in (0, 1, 3):
                yield (
                    f"folded {kind} {rows}x{columns} patience {patience}",
                    lambda edges=edges, patience=patience: _folded(edges, patience),
                )


def _folded(edges: list[Any], patience: int) -> Any:
    """What is folded away, the components of the rest and their sizes."""
    _, rows, columns = assignment._adjacency(edges)
    if patience and (found := assignment._augment(rows, patience * len(edges))) is not None:
        return sorted(found.items())
    pending = assignment._fold_pendants(rows, columns)
    parts = []
    while rows:
        parts.append(assignment._take_component(rows, columns))
    return pending, [[_plain(part), edges] for part, edges in parts], columns


def _plain(graph: Any) -> Any:
    return [[row, list(mine.items())] for row, mine in graph.items()]


def element_pairs(rng: random.Random, variables: int, count: int, sizes: list[int], weights: Any) -> list[Any]:
    """Random pairs of elements that need some pairs of variables."""
    return [
        (
            rng.choice(weights),
            tuple((rng.randrange(variables), rng.randrange(variables)) for _ in range(rng.choice(sizes))),
            rng.randrange(count),
            rng.randrange(count),
        )
        for _ in range(count)
    ]


def graphs(rng: random.Random, size: int, labels: int, relations: int, soft: bool) -> tuple[Any, Any]:
    """Two graphs like meaning representations."""
    sides = []
    for _ in range(2):
        edges = {(rng.randrange(max(0, i - 4), i), rng.randrange(relations), i) for i in range(1, size)}
        edges |= {
            (*rng.sample(range(size), 1), rng.randrange(relations), rng.randrange(size)) for _ in range(size // 5)
        }
        sides.append(([rng.randrange(labels) for _ in range(size)], sorted(edges)))
    (here, mine), (there, theirs) = sides
    worth = (1.0, 0.9, 0.77) if soft else (1.0,)
    unary = {(k, v): rng.choice(worth) for k in range(size) for v in range(size) if here[k] == there[v]}
    pairs = [
        (1.0, ((a, c), (b, d)), i, j)
        for i, (a, one, b) in enumerate(mine)
        for j, (c, other, d) in enumerate(theirs)
        if one == other
    ]
    return unary, pairs


def shown(solution: Any) -> Any:
    """A solution of variables."""
    return [solution.value, list(solution.mapping.items()), solution.chosen, solution.bound, solution.optimal]


def variables() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Matchings of variables."""
    for match in MATCHES:
        for kind, weights in WEIGHTS.items():
            for number, sizes in enumerate(([1, 2], [0, 1, 2, 2, 3], [2, 3, 3, 4])):
                rng = random.Random(f"{match} {kind} {number}")
                unary = {(rng.randrange(5), rng.randrange(5)): rng.choice(weights) for _ in range(6)}
                pairs = element_pairs(rng, 5, 16, sizes, weights)
                yield (
                    f"variables {match} {kind} {number}",
                    lambda unary=unary, pairs=pairs, match=match: shown(
                        best_variable_matching(unary, pairs, element_match=match)
                    ),
                )
    for size, labels, relations, soft in ((6, 2, 2, False), (9, 3, 4, True), (10, 2, 3, False), (14, 4, 6, True)):
        unary, pairs = graphs(random.Random(size), size, labels, relations, soft)
        name = f"graphs of {size}"
        yield name, lambda unary=unary, pairs=pairs: shown(best_variable_matching(unary, pairs))
        yield f"{name} branched", lambda unary=unary, pairs=pairs: _branched(unary, pairs, 1, 0)
        yield f"{name} kicked", lambda unary=unary, pairs=pairs: _branched(unary, pairs, 3, 5)
    for size in (3, 4, 5):
        rng = random.Random(size)
        worth = [[rng.choice((0, 1, 2, 5)) for _ in range(size)] for _ in range(size)]
        for short in (size, size - 2):
            yield (
                f"outside value {size} {short}",
                lambda worth=worth, size=size, short=short: shown(_outside(worth, range(size), range(short))),
            )


def _branched(unary: Any, pairs: Any, rounds: int, kicks: int) -> Any:
    limits = {"_ROOT_ROUNDS": rounds, "_NODE_ROUNDS": 2, "_KICKS": kicks, "_EASY_EFFORT": 300, "_EFFORT": 10**9}
    with patch.multiple(latent_search, **limits):
        return shown(best_variable_matching(unary, pairs))


def _outside(worth: list[list[int]], rows: Any, columns: Any, time_limit: float | None = None) -> Any:
    def evaluate(mapping: dict[int, int], undecided: set[int]) -> float:
        free = [column for column in columns if column not in mapping.values()]
        hope = sum(max((worth[row][column] for column in free), default=0) for row in undecided)
        return float(sum(worth[row][column] for row, column in mapping.items()) + hope)

    return branch_and_bound(rows, columns, evaluate, time_limit)


def random_core(rng: random.Random, size: int, weights: tuple[float, ...], wide: int, rivals: int) -> Core:
    """A core with links, wide terms and rivals."""
    keys = sorted({(rng.randrange(size), rng.randrange(size)) for _ in range(2 * size)})
    core = Core(keys, [rng.choice((0.0, *weights)) for _ in keys], [{} for _ in keys], match="1:1" if rivals else "N:N")

    def together(*places: int) -> bool:
        return all(len({keys[p][side] for p in places}) == len(places) for side in (0, 1))

    for _ in range(3 * size):
        p, q = rng.sample(range(len(keys)), 2)
        if together(p, q):
            core.links[p][q] = core.links[q][p] = rng.choice(weights)
    for _ in range(wide):
        places = tuple(sorted(rng.sample(range(len(keys)), 3)))
        if together(*places):
            core.wide.append((rng.choice(weights), places))
    for index in range(rivals):
        p = rng.randrange(len(keys))
        weight = rng.choice(weights)
        core.loose.append((weight, (p,)))
        core.base[p] += weight
        core.rivals.append((weight, (p,), rng.randrange(3), rng.randrange(3), index))
    return core


def cores() -> Iterator[tuple[str, Callable[[], Any]]]:
    """The inner problems and the parts of their search."""
    for kind, weights in WEIGHTS.items():
        for number, (size, wide, rivals) in enumerate(((4, 0, 0), (5, 4, 0), (5, 0, 6), (6, 5, 5), (8, 0, 0))):
            rng = random.Random(f"{kind} {number}")
            core = random_core(rng, size, weights, wide, rivals)
            name = f"core {kind} {number}"
            yield f"{name} solved", lambda core=core: _sorted(solve_core(core, None))
            yield f"{name} bounded", lambda core=core: _bounded(core)
            starts = [sorted(rng.sample(range(len(core.keys)), 1)) for _ in range(4)] + [[]]
            yield f"{name} climbed", lambda core=core, starts=starts: _climbed(core, starts)
            yield f"{name} told apart", lambda core=core: _without_loose(core)


def _without_loose(core: Core) -> Any:
    single, links, wide = latent_search._without_loose(core)
    return [list(single.items()), list(links.items()), wide]


def _sorted(answer: Any) -> Any:
    chosen, *rest = answer
    return [sorted(chosen), *rest]


def _climbed(core: Core, starts: list[list[int]]) -> Any:
    climber = Climber(core)
    found = []
    for start in starts:
        for thorough in (False, True):
            chosen = climber.climb(start, thorough=thorough)
            found.append([sorted(chosen), core.optimistic(chosen), core.exact(chosen)])
    return found


def _bounded(core: Core) -> Any:
    """The bound after every few rounds, what is still alive then, and what the search would branch on."""
    incumbent = Incumbent(Climber(core), ilp.grid(core.weights()), set(), 0.0, set())
    relaxation = Relaxation(core)
    found = []
    for rounds in (1, 2, 3, 6, 12):
        bound, used = tighten(relaxation, incumbent, rounds, None)
        twin = relaxation.copy()
        pick = latent_search._branching_candidate(twin)
        told = [bound, used, incumbent.value, [int(each) for each in twin.alive], twin.matched, pick]
        if pick is not None:
            twin.exclude(twin.rivals_of(pick))
            told.append(twin.bound()[0])
        found.append([*told, relaxation.worth, latent_search._all_decided(relaxation)])
    return found


def reach(rng: random.Random, size: int, count: int) -> list[int]:
    """What each node of a random graph reaches."""
    return order.reachability(size, [(rng.randrange(size), rng.randrange(size)) for _ in range(count)])


def orders() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Matchings that keep an order, and independent sets."""
    for match in MATCHES:
        for kind, weights in WEIGHTS.items():
            rng = random.Random(f"{match} {kind}")
            edges, here, there = table(rng, 6, 6, 20, weights), reach(rng, 6, 5), reach(rng, 6, 6)
            name = f"order {match} {kind}"

            def solved(edges: Any = edges, here: Any = here, there: Any = there, match: Any = match) -> Any:
                found = order.order_preserving(edges, here, there, match=match)
                return [found.value, found.pairs, found.bound, found.optimal]

            def quick(edges: Any = edges, here: Any = here, there: Any = there, match: Any = match) -> Any:
                found = order._one_by_one(sorted(edges), here, there, match, None)
                return [found.value, found.pairs, found.bound, found.optimal]

            yield name, solved
            yield f"{name} one by one", quick
    for kind, weights in WEIGHTS.items():
        for size, density in ((6, 0.5), (10, 0.3), (16, 0.3), (24, 0.2), (24, 0.6)):
            rng = random.Random(f"{kind} {size} {density}")
            masks = [0] * size
            for i in range(size):
                for j in range(i):
                    if rng.random() < density:
                        masks[i] |= 1 << j
                        masks[j] |= 1 << i
            values = [rng.choice(weights) for _ in masks]
            name = f"independent {kind} {size} {density}"
            yield name, lambda values=values, masks=masks: _independent(values, masks)
            yield f"{name} parts", lambda values=values, masks=masks: _independent_parts(values, masks)


def _independent(values: list[float], masks: list[int]) -> Any:
    with patch.object(independent, "_DOMINANCE", 10):
        found = independent.heaviest_independent(values, masks)
    return [found.members, found.bound, found.optimal]


def _independent_parts(values: list[float], masks: list[int]) -> Any:
    heavy = sorted(range(len(values)), key=lambda v: -values[v])
    place = {vertex: index for index, vertex in enumerate(heavy)}
    local = [sum(1 << place[other] for other in independent.bits(masks[v])) for v in heavy]
    worth = [values[v] for v in heavy]
    everything = (1 << len(values)) - 1
    found = [independent._cover(worth, local, everything), list(independent.bits(independent._greedy(worth, local)))]
    with patch.object(independent, "_NODES", 4):
        cut = independent._branch(worth, local, None)
    alive = independent._drop_dominated(values, masks, everything)
    return [*found, [cut.members, cut.bound, cut.optimal], alive, list(independent._cliques(local))]


def chains() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Chains in two orders, and components of graphs."""
    for kind, weights in WEIGHTS.items():
        for rows in (False, True):
            for columns in (False, True):
                rng = random.Random(f"{kind} {rows} {columns}")
                edges = table(rng, 9, 11, 40, weights)
                yield (
                    f"chain {kind} {rows} {columns}",
                    lambda edges=edges, rows=rows, columns=columns: sequence.best_chain(
                        edges, rows_strict=rows, columns_strict=columns
                    ),
                )
    for size, count in ((5, 4), (9, 12), (12, 18)):
        rng = random.Random(size)
        yield f"reachable {size}", lambda rng=rng, size=size, count=count: reach(rng, size, count)


def texts() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Distances of texts."""
    words = ["", "a", "ab", "kitten", "sitting", "saturday", "sunday", "x" * 40, "x" * 40 + "y", "y" + "x" * 40]
    for limit in (None, 0, 1, 2, 5):
        yield (
            f"distances up to {limit}",
            lambda limit=limit: [[edit.levenshtein(one, other, limit) for one in words] for other in words],
        )
    yield "prefixes", lambda: [[edit._common_prefix(one, other) for one in words] for other in words]
    yield "ends", lambda: [[sequence._common_ends(one, other) for one in words] for other in words]


def described(work: Callable[[], Any]) -> dict[str, Any]:
    """The answer of a problem and the calls it takes."""
    answer, calls = counted(work)
    return {"answer": answer, "calls": calls}


if __name__ == "__main__":
    lines = [f"{json.dumps(name)}: {json.dumps(described(work))}" for name, work in everything()]
    sys.stdout.write("{\n" + ",\n".join(lines) + "\n}\n")
