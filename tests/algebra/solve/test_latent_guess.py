"""The first guess of a matching of variables: what it says is true, and symmetric graphs are solved by it."""

import random
from itertools import permutations

import pytest

from adjudge.algebra.solve.latent import guess, most_equal
from adjudge.metrics import find


def made(source, variables, count):
    kinds = [(kind, (a,)) for kind in (0, 1) for a in range(variables)]
    kinds += [(2 + kind, (a, b)) for kind in (0, 1) for a in range(variables) for b in range(variables)]
    return source.sample(kinds, min(count, len(kinds)))


def equal(ss, gs, mapping):
    known = set(gs)
    return sum((kind, tuple(mapping.get(v) for v in variables)) in known for kind, variables in ss)


@pytest.mark.parametrize("seed", range(40))
def test_a_guess_counts_what_it_makes_equal_and_bounds_every_matching(seed):
    source = random.Random(seed)
    ss, gs = (made(source, source.choice((3, 4, 5)), source.choice((3, 8, 15))) for _ in range(2))
    found = guess(ss, gs)
    assert len(set(found.mapping.values())) == len(found.mapping)
    assert len(found.pairs) == equal(ss, gs, found.mapping)
    left, right = (sorted({v for _, variables in side for v in variables}) for side in (ss, gs))
    right += range(-1, len(right) - len(left) - 1, -1)  # to be left alone
    best = max(equal(ss, gs, dict(zip(left, order, strict=True))) for order in permutations(right, len(left)))
    assert len(found.pairs) <= best <= found.most == most_equal(ss, gs)


@pytest.mark.parametrize("seed", range(20))
def test_graphs_that_differ_in_names_only_are_found_to_be_equal(seed):
    source = random.Random(seed)
    ss = made(source, 30, 60)
    names = list(range(30))
    source.shuffle(names)
    gs = [(kind, tuple(names[v] for v in variables)) for kind, variables in ss]
    source.shuffle(gs)
    assert len(guess(ss, gs).pairs) == most_equal(ss, gs) == len(ss)


def triples(count, edges):
    return [*([f"v{n}", "instance", "same"] for n in range(count)), *([f"v{a}", "ARG0", f"v{b}"] for a, b in edges)]


def star(count):
    return triples(count, [(0, n) for n in range(1, count)])


def chain(count):
    return triples(count, [(n, n + 1) for n in range(count - 1)])


def ring(count):
    return triples(count, [(n, (n + 7) % count) for n in range(count)])


def stars(many, each):
    return triples(many * each, [(a * each, a * each + n) for a in range(many) for n in range(1, each)])


SYMMETRIC = {
    "isolated": (triples(40, []), triples(37, []), 37),
    "star": (star(40), star(35), 35 + 34),
    "chain": (chain(40), chain(35), 35 + 34),
    "ring": (ring(40), ring(40), 80),
    "stars": (stars(4, 10), stars(5, 8), 40 + 4 * 7),
    "large": (star(500), star(400), 400 + 399),
    "large ring": (ring(500), ring(500), 1000),
}


@pytest.mark.parametrize("name", SYMMETRIC)
def test_nodes_that_cannot_be_told_apart_are_solved_at_once(name):
    gold, system, most = SYMMETRIC[name]
    random.Random(3).shuffle(system)
    row = find("amr.smatch").with_options(time_limit=20.0).observe({"amr": gold}, {"amr": system})
    assert row.optimal
    assert row.counts["amr.smatch:matched"] == most


def test_a_search_without_time_has_a_good_answer_and_a_bound():
    source = random.Random(4)
    gold, system = (triples(500, [(source.randrange(n), n) for n in range(1, 500)]) for _ in range(2))
    row = find("amr.smatch").with_options(time_limit=0.2).observe({"amr": gold}, {"amr": system})
    assert not row.optimal
    assert 500 <= row.counts["amr.smatch:matched"] < row.bound["amr.smatch:matched"] < 999
