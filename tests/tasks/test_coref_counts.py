"""The fused counts against the definitions, written out, with repeated mentions and without."""

import math
from fractions import Fraction
from itertools import combinations, permutations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.model.coref import Chain, UdDocument
from adjudge.tasks.coref import corefud
from adjudge.tasks.coref.ceaf import align
from adjudge.tasks.coref.corefud import compare_corefud
from adjudge.tasks.coref.counts import COLUMNS, NAMES, UD_COLUMNS, count, count_repeated
from adjudge.tasks.coref.observe import copies, without_copies, without_matched_copies
from adjudge.tasks.coref.settings import Settings

SPANS = [(a, b) for a in range(4) for b in range(a, min(a + 2, 4))]
REPEATING = st.lists(st.lists(st.sampled_from(SPANS), min_size=1, max_size=5), max_size=5)


@st.composite
def partitions(draw, size=14):
    labels = draw(st.lists(st.integers(0, 6), max_size=size))
    chains = {}
    for place, label in enumerate(labels):
        if label:
            chains.setdefault(label, []).append((place, place))
    return list(chains.values())


def chained(lists):
    return [Chain(str(number), list(mentions)) for number, mentions in enumerate(lists)]


def as_read(key, response):
    """The response without copies of mentions of the key, as the reference scorer has it."""
    return [chain.mentions for chain in without_matched_copies(chained(key), chained(response))[0]]


def slow(key, response):
    """Section by section what the metrics are, in fractions and sets of pairs."""
    last = {m: i for i, chain in enumerate(key) for m in chain}
    home = {m: j for j, chain in enumerate(response) for m in chain}
    gold, system = sum(map(len, key)), sum(map(len, response))
    found = {"coref.mentions": (len(last.keys() & home.keys()), len(home), len(last))}
    links = 0
    for chain in response:
        known = [last[m] for m in chain if m in last]
        links += len(known) - len(set(known))
    found["coref.muc"] = (links, sum(len(c) - 1 for c in response), sum(len(c) - 1 for c in key))
    recall = precision = Fraction(0)
    for chain in response:
        for m in chain:
            if m in last:
                other = key[last[m]]
                both = sum(x in other for x in chain)
                recall += Fraction(both, len(other))
                precision += Fraction(both, len(chain))
    found["coref.b3"] = (precision, system, recall, gold)
    shared = [[sum(m in r for m in k) for r in response] for k in key]
    found["coref.ceafm"] = (best(shared), system, gold)
    dice = [
        [Fraction(2 * n, len(k) + len(r)) for n, r in zip(row, response, strict=True)]
        for row, k in zip(shared, key, strict=True)
    ]
    found["coref.ceafe"] = (best(dice), len(response), len(key))
    (c_key, n_key), (c_response, n_response) = pairs(key), pairs(response)
    found["coref.blanc.coref"] = (len(c_key & c_response), len(c_response), len(c_key))
    found["coref.blanc.noncoref"] = (len(n_key & n_response), len(n_response), len(n_key))
    found["coref.lea"] = (lea(response, last, key), system, lea(key, home, response), gold)
    return {
        f"{name}:{column}": value
        for name, values in found.items()
        for column, value in zip(NAMES[name], values, strict=True)
    }


def pairs(chains):
    within = {tuple(sorted(pair)) for chain in chains for pair in combinations(chain, 2)}
    between = {tuple(sorted(pair)) for a, b in combinations(chains, 2) for pair in product(a, b)}
    return within, between


def lea(chains, index, others):
    total = Fraction(0)
    for chain in chains:
        if len(chain) == 1:
            total += int(chain[0] in index and len(others[index[chain[0]]]) == 1)
        else:
            linked = list(combinations(chain, 2))
            resolved = sum(a in index and index[a] == index.get(b) for a, b in linked)
            total += Fraction(resolved * len(chain), len(linked))
    return total


def best(table):
    """The best one-to-one choice, by trying all."""
    if not table or not table[0]:
        return 0
    if len(table) > len(table[0]):
        table = list(zip(*table, strict=True))
    return max(
        sum(table[i][j] for i, j in enumerate(order)) for order in permutations(range(len(table[0])), len(table))
    )


def check(key, response, counts):
    wanted = slow(key, response)
    for name, value in zip(COLUMNS, counts, strict=True):
        assert value == pytest.approx(float(wanted[name]), abs=1e-12), name


@settings(deadline=None, max_examples=120)
@given(REPEATING, REPEATING)
def test_counts_with_repeats_follow_the_definitions(key, response):
    response = as_read(key, response)
    check(key, response, count(key, response))


@settings(deadline=None, max_examples=120)
@given(partitions(), partitions())
def test_counts_without_repeats_follow_the_definitions(key, response):
    check(key, response, count(key, response))


@settings(deadline=None, max_examples=120)
@given(partitions(30), partitions(30))
def test_the_short_way_gives_the_same_bits_as_the_long_one(key, response):
    assert count(key, response) == count_repeated(key, response)


@given(partitions(), partitions())
def test_swapping_the_sides_swaps_the_counts(key, response):
    forward = dict(zip(COLUMNS, count(key, response), strict=True))
    back = dict(zip(COLUMNS, count(response, key), strict=True))
    opposite = {"system": "gold", "gold": "system"}
    for name, columns in NAMES.items():
        swap = {**opposite, "matched": "found", "found": "matched"} if "found" in columns else opposite
        for column in columns:
            assert forward[f"{name}:{column}"] == pytest.approx(back[f"{name}:{swap.get(column, column)}"], abs=1e-12)


CELLS = st.dictionaries(
    st.integers(0, 6), st.dictionaries(st.integers(0, 6), st.integers(1, 5), min_size=1, max_size=7), max_size=7
)


@settings(deadline=None, max_examples=120)
@given(CELLS)
def test_the_alignment_is_a_best_one(cells):
    chosen = align(cells)
    assert len(set(chosen.values())) == len(chosen)
    total = sum(cells[row][column] for row, column in chosen.items())
    table = [[cells.get(row, {}).get(column, 0) for column in range(7)] for row in sorted(cells)]
    assert total == best(table)


@settings(deadline=None, max_examples=30)
@given(st.integers(7, 30), st.integers(7, 30), st.randoms(use_true_random=False))
def test_a_large_dense_alignment_is_as_good_as_that_of_the_solver(height, width, rng):
    from adjudge.algebra.solve.assignment import max_weight_matching

    cells = {row: {column: rng.choice([0.5, 1.0, 1.25, 2.0]) for column in range(width)} for row in range(height)}
    edges = [(row, column, w) for row, mine in cells.items() for column, w in mine.items()]
    total = sum(cells[row][column] for row, column in align(cells).items())
    assert total == pytest.approx(max_weight_matching(edges)[0])


def test_the_alignment_leaves_its_input_alone():
    cells = {0: {0: 3, 1: 2}, 1: {0: 2}}
    align(cells)
    assert cells == {0: {0: 3, 1: 2}, 1: {0: 2}}


@given(REPEATING)
def test_without_copies_keeps_the_first(chains):
    kept, removed = without_copies(chained(chains))
    flat = [mention for chain in chains for mention in chain]
    assert [mention for chain in kept for mention in chain.mentions] == list(dict.fromkeys(flat))
    assert len(removed) == len(flat) - len(set(flat)) == len(copies(chained(chains)))
    assert all(chain.mentions for chain in kept)


def test_one_repeat_in_a_long_document_costs_no_pairs():
    """The links of 20,000 mentions are 200 million pairs; a repeat must not make us list them."""
    chains = [[(k, k) for k in range(start, start + 10)] for start in range(0, 20_000, 10)]
    key = [*chains, [(0, 0), (30_000, 30_000)]]
    counts = dict(zip(COLUMNS, count(key, chains), strict=True))
    n = 20_001
    assert counts["coref.blanc.coref:gold"] == 2000 * 45 + 1
    assert counts["coref.blanc.noncoref:gold"] == n * (n - 1) // 2 - (2000 * 45 - 9) + 1


def test_sums_of_corefud_do_not_depend_on_the_interpreter(monkeypatch):
    """The built-in `sum` of floats is exact to the last bit in Python 3.12 and later only."""

    def side(*chains):
        document = UdDocument("d")
        for number, mentions in enumerate(chains):
            document.chains.append(Chain(f"e{number}", [(mention, mention) for mention in mentions]))
            document.marks.append(list(mentions))
        return document

    # Six pairs of entities with a Dice of 0.4, and a mention in two entities of the key.
    key = side(*([10 * n, 10 * n + 1] for n in range(1, 7)), [81, 83], [81, 82])
    response = side(*([10 * n, 10 * n + 2, 10 * n + 3] for n in range(1, 7)))
    rules = Settings("corefud", "drop", "exact", None, "dependent")
    place = UD_COLUMNS.index("coref.ceafe:matched")
    one_by_one = 2.4
    assert one_by_one != math.fsum([0.4] * 6)
    assert compare_corefud(key, response, rules).counts[place] == one_by_one

    def compensated(values, start=0):
        listed = list(values)
        return math.fsum([start, *listed]) if any(isinstance(each, float) for each in listed) else sum(listed, start)

    monkeypatch.setattr(corefud, "sum", compensated, raising=False)
    assert compare_corefud(key, response, rules).counts[place] == one_by_one
