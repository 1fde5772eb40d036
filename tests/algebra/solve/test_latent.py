"""Variable matching against trying every matching of the variables."""

from __future__ import annotations

import math
import random
import subprocess
import sys
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from adjudge.algebra.solve import latent_search
from adjudge.algebra.solve.deadline import NEVER, Deadline
from adjudge.algebra.solve.ilp import maximise
from adjudge.algebra.solve.latent import best_variable_matching, branch_and_bound
from adjudge.algebra.solve.latent_search import Core, Incumbent, Relaxation, solve_core, tighten

MATCHES = ("1:1", "N:1", "1:N", "N:N")


def all_matchings(rows, columns):
    """Every partial one-to-one mapping of rows to columns."""
    padded = [*columns, *[None] * len(rows)]
    seen = set()
    for image in permutations(padded, len(rows)):
        if image not in seen:
            seen.add(image)
            yield {k: v for k, v in zip(rows, image, strict=True) if v is not None}


def elements_value(active, match):
    """By trying every subset, one element pair at a time."""

    def extend(position, used_s, used_g):
        if position == len(active):
            return 0.0
        weight, s, g = active[position]
        best = extend(position + 1, used_s, used_g)
        free_s = match in ("1:N", "N:N") or s not in used_s
        free_g = match in ("N:1", "N:N") or g not in used_g
        if free_s and free_g:
            best = max(best, weight + extend(position + 1, used_s | {s}, used_g | {g}))
        return best

    return extend(0, frozenset(), frozenset())


def value_of(mapping, unary, pairs, match):
    matched = set(mapping.items())
    active = [(w, s, g) for w, needs, s, g in pairs if w > 0 and matched.issuperset(needs)]
    return math.fsum(max(0.0, unary.get(pair, 0.0)) for pair in matched) + elements_value(active, match)


def brute(unary, pairs, match):
    rows = sorted({k for k, _ in unary} | {k for _, needs, _, _ in pairs for k, _ in needs})
    columns = sorted({v for _, v in unary} | {v for _, needs, _, _ in pairs for _, v in needs})
    return max(value_of(m, unary, pairs, match) for m in all_matchings(rows, columns))


def check(solution, unary, pairs, match):
    matched = set(solution.mapping.items())
    assert len(set(solution.mapping.values())) == len(matched)
    chosen = [pairs[i] for i in solution.chosen]
    assert solution.chosen == sorted(set(solution.chosen))
    assert all(w > 0 and matched.issuperset(needs) for w, needs, _, _ in chosen)
    if match in ("1:1", "N:1"):
        assert len({s for _, _, s, _ in chosen}) == len(chosen)
    if match in ("1:1", "1:N"):
        assert len({g for _, _, _, g in chosen}) == len(chosen)
    total = math.fsum([*(max(0.0, unary.get(pair, 0.0)) for pair in matched), *(w for w, _, _, _ in chosen)])
    assert solution.value == pytest.approx(total, abs=1e-12)
    assert solution.bound >= solution.value
    assert solution.bound == solution.value or not solution.optimal
    useful = {pair for _, needs, _, _ in chosen for pair in needs} | {pair for pair, w in unary.items() if w > 0}
    assert matched <= useful


VARIABLES = st.tuples(st.integers(0, 3), st.integers(0, 3))
WHOLE = st.sampled_from([0.0, 1.0, 1.0, 2.0])
BROKEN = st.sampled_from([0.31, 0.47, 0.5, 1 / 3, 0.9, 1.0])


def problems(weights, needs_size, elements):
    pair = st.tuples(
        weights,
        st.lists(VARIABLES, max_size=needs_size).map(tuple),
        st.integers(0, elements),
        st.integers(0, elements),
    )
    return st.tuples(st.dictionaries(VARIABLES, weights, max_size=5), st.lists(pair, max_size=9))


@settings(max_examples=75, deadline=None)
@given(problems(WHOLE, 2, 6) | problems(BROKEN, 3, 2), st.sampled_from(MATCHES))
def test_against_every_matching(problem, match):
    unary, pairs = problem
    solution = best_variable_matching(unary, pairs, element_match=match)
    check(solution, unary, pairs, match)
    assert solution.optimal
    assert solution.value == pytest.approx(brute(unary, pairs, match), abs=1e-9)
    assert best_variable_matching(dict(reversed(unary.items())), pairs, element_match=match) == solution


@pytest.mark.parametrize("match", MATCHES)
@pytest.mark.parametrize("weights", [(1.0, 2.0), (0.31, 0.47, 1.0)])
def test_branches_find_the_best(monkeypatch, match, weights):
    """With a single round for the bound, branching has to do the work."""
    monkeypatch.setattr(latent_search, "_ROOT_ROUNDS", 1)
    monkeypatch.setattr(latent_search, "_NODE_ROUNDS", 2)
    rng = random.Random(f"{match}{weights}")
    for _ in range(10):
        unary = {(rng.randrange(5), rng.randrange(5)): rng.choice(weights) for _ in range(6)}
        pairs = [
            (
                rng.choice(weights),
                tuple((rng.randrange(5), rng.randrange(5)) for _ in range(rng.choice([0, 1, 2, 2, 2, 3]))),
                rng.randrange(8),
                rng.randrange(8),
            )
            for _ in range(14)
        ]
        solution = best_variable_matching(unary, pairs, element_match=match)
        check(solution, unary, pairs, match)
        assert solution.optimal
        assert solution.value == pytest.approx(brute(unary, pairs, match), abs=1e-9)


def graph_problem(size, rng, *, noise=0.2, labels=None, relations=10, soft=False, similar=True):
    """Two graphs like meaning representations: a tree with re-entrancies, concepts, relations; one is a noisy copy."""
    labels = labels or max(2, size // 2)

    def fresh():
        edges = {(rng.randrange(max(0, i - 6), i), rng.randrange(relations), i) for i in range(1, size)}
        for _ in range(size // 7):
            a, b = rng.sample(range(size), 2)
            edges.add((a, rng.randrange(relations), b))
        return [rng.randrange(labels) for _ in range(size)], edges

    gold_concepts, gold_edges = fresh()
    if similar:
        concepts = [rng.randrange(labels) if rng.random() < noise else c for c in gold_concepts]
        edges = set()
        for a, relation, b in sorted(gold_edges):
            if rng.random() < noise:
                relation, a = rng.choice([(rng.randrange(relations), a), (relation, rng.randrange(size))])
            edges.add((a, relation, b))
    else:
        concepts, edges = fresh()
    name = rng.sample(range(size), size)
    unary = {
        (name[k], v): rng.choice([1.0, 0.9, 0.77]) if soft else 1.0
        for k in range(size)
        for v in range(size)
        if concepts[k] == gold_concepts[v]
    }
    pairs = [
        (1.0, ((name[a], c), (name[b], d)), i, j)
        for i, (a, relation, b) in enumerate(sorted(edges))
        for j, (c, other, d) in enumerate(sorted(gold_edges))
        if relation == other
    ]
    return unary, pairs


def programmed(unary, pairs):
    """The value of the integer programme of Eqs. 43-47: a column for each variable pair and for each element pair."""
    keys = sorted({*unary, *(pair for _, needs, _, _ in pairs for pair in needs)})
    column = {pair: index for index, pair in enumerate(keys)}
    rows = [([(len(keys) + k, 1.0), (column[p], -1.0)], 0.0) for k, each in enumerate(pairs) for p in each[1]]
    groups = {}
    for pair, index in column.items():
        for side in (0, 1):
            groups.setdefault(("variable", side, pair[side]), []).append(index)
    for k, (_, _, *ends) in enumerate(pairs):
        for side in (0, 1):
            groups.setdefault(("element", side, ends[side]), []).append(len(keys) + k)
    rows += [([(index, 1.0) for index in group], 1.0) for group in groups.values()]
    weights = [unary.get(pair, 0.0) for pair in keys] + [each[0] for each in pairs]
    answer = maximise(weights, rows, integers=len(weights))
    assert answer.optimal
    return sum(weights[index] for index in answer.ones)


@pytest.mark.parametrize("soft", [False, True])
@pytest.mark.parametrize("similar", [False, True])
def test_search_equals_the_integer_programme(soft, similar):
    rng = random.Random(17)
    for size in (8, 12, 12, 16):
        unary, pairs = graph_problem(size, rng, soft=soft, similar=similar, labels=4)
        found = best_variable_matching(unary, pairs)
        assert found.optimal
        assert found.value == pytest.approx(programmed(unary, pairs), abs=1e-7)
        check(found, unary, pairs, "1:1")


def test_renamed_copy_is_found_entirely():
    unary, pairs = graph_problem(60, random.Random(2), noise=0.0)
    solution = best_variable_matching(unary, pairs)
    assert solution.value == len(solution.mapping) + len({pair[2] for pair in pairs})
    assert len(solution.mapping) == 60


@settings(max_examples=75, deadline=None)
@given(problems(WHOLE, 2, 6) | problems(BROKEN, 2, 6), st.integers(1, 30))
def test_the_bound_is_never_below_the_optimum(problem, rounds):
    unary, pairs = problem
    keys = sorted({*unary, *(pair for _, needs, _, _ in pairs for pair in needs)})
    index = {pair: p for p, pair in enumerate(keys)}
    core = Core(keys, [unary.get(pair, 0.0) for pair in keys], [{} for _ in keys])
    for weight, needs, _, _ in pairs:
        p, q = (index[needs[0]], index[needs[-1]]) if needs else (0, 0)
        if p != q and keys[p][0] != keys[q][0] and keys[p][1] != keys[q][1]:
            core.links[p][q] = core.links[q][p] = weight
    if not keys:
        return
    best = max(
        core.exact({index[pair] for pair in mapping.items() if pair in index})
        for mapping in all_matchings(sorted({k for k, _ in keys}), sorted({v for _, v in keys}))
    )
    incumbent = Incumbent(core, 0.0)
    bound = tighten(Relaxation(core), incumbent, rounds, NEVER)
    assert incumbent.value == pytest.approx(core.exact(incumbent.chosen))
    assert incumbent.value <= best + 1e-9
    assert max(bound, incumbent.value) >= best - 1e-9


def test_empty_and_constant():
    nothing = best_variable_matching({}, [])
    assert (nothing.value, nothing.mapping, nothing.chosen, nothing.optimal) == (0.0, {}, [], True)
    constant = best_variable_matching({}, [(0.5, (), 0, 0), (0.7, (), 0, 1)])
    assert (constant.value, constant.chosen) == (0.7, [1])
    impossible = best_variable_matching({}, [(1.0, ((0, 0), (0, 1)), 0, 0)])
    assert impossible.value == 0.0


def test_usual_sizes_load_no_library():
    code = """
import random, sys
from adjudge.algebra.solve.assignment import max_weight_matching
from adjudge.algebra.solve.latent import best_variable_matching
from adjudge.algebra.solve.order import order_preserving
from adjudge.model.graph import reachability
rng = random.Random(0)
max_weight_matching([(i, j, rng.random()) for i in range(25) for j in range(25)])
max_weight_matching([(rng.randrange(3000), rng.randrange(3000), rng.random()) for _ in range(6000)])
tree = reachability(8, [(rng.randrange(i), i) for i in range(1, 8)])
order_preserving([(i, j, 1.0) for i in range(8) for j in range(8) if (i + j) % 2], tree, tree)
edges = [(rng.randrange(i), rng.randrange(5), i) for i in range(1, 30)]
both = [(i, j) for i in range(29) for j in range(29) if edges[i][1] == edges[j][1]]
pairs = [(1.0, ((edges[i][0], edges[j][0]), (edges[i][2], edges[j][2])), i, j) for i, j in both]
assert best_variable_matching({(i, i): 1.0 for i in range(0, 30, 2)}, pairs).optimal
assert not {"numpy", "scipy"} & sys.modules.keys()
"""
    subprocess.run([sys.executable, "-c", code], check=True)


@settings(max_examples=60, deadline=None)
@given(problems(WHOLE, 2, 3), st.booleans())
def test_generic_branch_and_bound(problem, tight):
    unary, pairs = problem
    rows = sorted({k for k, _ in unary} | {k for _, needs, _, _ in pairs for k, _ in needs})
    columns = sorted({v for _, v in unary} | {v for _, needs, _, _ in pairs for _, v in needs})

    def evaluate(mapping, open_s):
        if not open_s:
            return value_of(mapping, unary, pairs, "1:1")
        if not tight:
            return sum(unary.values()) + sum(pair[0] for pair in pairs)
        possible = [
            pair for pair in pairs if all(mapping.get(k, v) == v and (k in mapping or k in open_s) for k, v in pair[1])
        ]
        hope = sum(w for (k, v), w in unary.items() if mapping.get(k) == v or k in open_s)
        return hope + sum(pair[0] for pair in possible)

    solution = branch_and_bound(rows, columns, evaluate)
    assert solution.optimal
    assert solution.value == solution.bound == pytest.approx(brute(unary, pairs, "1:1"))
    assert value_of(solution.mapping, unary, pairs, "1:1") == pytest.approx(solution.value)
    for k in solution.mapping:
        less = {key: v for key, v in solution.mapping.items() if key != k}
        assert value_of(less, unary, pairs, "1:1") < solution.value


def hard_core():
    """Nothing is worth anything alone, so that a bound says little at first: links, a wide term, and rivals."""
    keys = [(k, v) for k in range(4) for v in range(4)]
    core = Core(keys, [0.0] * 16, [{} for _ in keys], match="1:1")
    rng = random.Random(9)
    for p in range(16):
        for q in range(p):
            if keys[p][0] != keys[q][0] and keys[p][1] != keys[q][1] and rng.random() < 0.5:
                core.links[p][q] = core.links[q][p] = rng.choice([0.31, 0.47, 1.0])
    core.wide.append((0.7, (0, 5, 10)))
    for index, p in enumerate((0, 5, 6, 9, 15)):
        core.loose.append((0.4, (p,)))
        core.base[p] += 0.4
        core.rivals.append((0.4, (p,), index % 2, index % 3, index))
    return core


def best_of_core(core):
    index = {key: p for p, key in enumerate(core.keys)}
    choices = ({index[pair] for pair in m.items()} for m in all_matchings(range(4), range(4)))
    return max(core.exact(choice) for choice in choices)


@pytest.mark.parametrize("match", MATCHES)
def test_wide_terms_and_rivals(match):
    """The search finds what trying everything finds, and its bound is the value."""
    core = replace(hard_core(), match=match)
    chosen, bound, optimal = solve_core(core, NEVER)
    assert optimal
    assert bound == core.exact(chosen) == pytest.approx(best_of_core(core), abs=1e-9)


def test_no_time_leaves_the_bound_open():
    core = hard_core()
    chosen, bound, optimal = solve_core(core, Deadline(-1.0))
    assert not optimal
    assert core.exact(chosen) <= best_of_core(core) < bound
    assert latent_search._branch(Relaxation(core), 99.0, Incumbent(core, 0.0), Deadline(-1.0)) == 99.0
