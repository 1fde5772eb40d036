"""The best alignment of mentions that are annotated twice, against all alignments, one by one."""

import random
import time
from collections import Counter
from itertools import product

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from adjudge.stats.points import compute
from adjudge.tasks.coref.counts import COLUMNS, count_unrepeated
from adjudge.tasks.coref.settings import measures_of
from adjudge.tasks.nugget import choice_search, double_annotation, open_choices
from adjudge.tasks.nugget.double_annotation import average, best_alignment, count_pairs, find_choices

# A document here is (gold clusters, system clusters, pairs, gold classes, system classes).


def solved(documents):
    choices = [find_choices(*each) for each in documents]
    return best_alignment(choices, [count_pairs(*each[:3]) for each in documents])


def counts_of(found, documents):
    given = [count_pairs(*each[:3]) for each in documents]
    return [found.changed[place][0] if place in found.changed else row for place, row in enumerate(given)]


def alignments(document):
    """All ways to pair mentions with the same numbers between the classes."""
    _, _, pairs, gold, system = document
    found = set()

    def extend(theirs, left, chosen, used):
        if theirs == len(system):
            if not +left:
                found.add(tuple(sorted(chosen)))
            return
        extend(theirs + 1, left, chosen, used)
        for ours in range(len(gold)):
            flow = gold[ours], system[theirs]
            if ours not in used and left[flow]:
                extend(theirs + 1, left - Counter([flow]), [*chosen, (ours, theirs)], used | {ours})

    extend(0, Counter((gold[i], system[j]) for i, j in pairs), [], frozenset())
    return found


def brute(documents):
    """The best average F1 over all alignments of all documents."""
    every = [{count_pairs(*each[:2], way) for way in alignments(each)} for each in documents]
    number = 1
    for each in every:
        number *= len(each)
    assume(number <= 3000)
    return max(average([sum(column) for column in zip(*rows, strict=True)]) for rows in product(*every))


def greedy(gold_class, system_class, wildcard=()):
    """Pairs of one class, system mentions in order, each with the first gold mention that is left."""
    used, pairs = set(), []
    for theirs, mine in enumerate(system_class):
        for ours, other in enumerate(gold_class):
            if ours not in used and (other == mine or (other, mine) in wildcard):
                used.add(ours)
                pairs.append((ours, theirs))
                break
    return pairs


def clusters(homes):
    found = {}
    for mention, home in enumerate(homes):
        found.setdefault(home, []).append(mention)
    return list(found.values())


@st.composite
def documents(draw, most=6):
    """One document; a gold class may be paired with two system classes, as with attributes that match everything."""
    kinds, homes = draw(st.integers(1, 3)), draw(st.integers(1, 4))
    sides = []
    for _ in range(2):
        number = draw(st.integers(1, most))
        classes = draw(st.lists(st.integers(0, kinds), min_size=number, max_size=number))
        sides.append((clusters(draw(st.lists(st.integers(0, homes), min_size=number, max_size=number))), classes))
    (gold, ours), (system, theirs) = sides
    pairs = greedy(ours, theirs, wildcard={(0, 1)} if draw(st.booleans()) else ())
    return gold, system, pairs, ours, theirs


def checked(found, corpus):
    """The pairs of a result are allowed, and its counts are theirs."""
    for each, pairs, counts in zip(corpus, found.pairs, counts_of(found, corpus), strict=True):
        if pairs is None:
            assert counts == count_pairs(*each[:3])
        else:
            assert tuple(pairs) in alignments(each)
            partner = {system: gold for gold, system in pairs}
            rows = [[partner.get(mention, f"s{mention}") for mention in chain] for chain in each[1]]
            assert counts == count_unrepeated(each[0], rows)
    totals = [sum(column) for column in zip(*counts_of(found, corpus), strict=True)]
    assert found.score == pytest.approx(average(totals), abs=1e-12)
    values = compute(measures_of(["kbp"], "8.01"), COLUMNS, [totals])
    assert found.score == pytest.approx(float(values["coref.kbp", "f1"][0]), abs=1e-12)


@settings(max_examples=125)
@given(st.lists(documents(), min_size=1, max_size=3))
def test_equals_all_alignments(corpus):
    found = solved(corpus)
    assert found.optimal
    assert found.score == found.bound == pytest.approx(brute(corpus), abs=1e-10)
    checked(found, corpus)


@settings(max_examples=75)
@given(st.lists(documents(), min_size=1, max_size=2), st.integers(0, 3), st.sampled_from([1, 2, 50]))
def test_with_little_patience_the_bound_holds(corpus, nodes, few):
    best = brute(corpus)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(choice_search, "NODES", nodes)
        patch.setattr(choice_search, "POINTS", few)
        patch.setattr(double_annotation, "POINTS", few)
        patch.setattr(open_choices, "OPTIONS", few)
        found = solved(corpus)
    checked(found, corpus)
    assert found.greedy - 1e-12 <= found.score <= best + 1e-10 <= found.bound + 2e-10
    if found.optimal:
        assert found.score == pytest.approx(best, abs=1e-10)


@settings(max_examples=75)
@given(st.lists(documents(), min_size=1, max_size=3))
def test_one_tangent_and_what_is_near_it(corpus):
    """With a single tangent, at the given pairs, the choices that it does not rule out are gone through."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(double_annotation, "ROUNDS", 1)
        found = solved(corpus)
    assert found.optimal
    assert found.score == pytest.approx(brute(corpus), abs=1e-10)
    checked(found, corpus)


@settings(max_examples=40)
@given(st.lists(documents(), min_size=1, max_size=3), st.randoms(use_true_random=False))
def test_order_does_not_matter(corpus, rng):
    moved = []
    for gold, system, pairs, ours, theirs in corpus:
        places, sides = [], []
        for chains, classes in ((gold, ours), (system, theirs)):
            place = rng.sample(range(len(classes)), len(classes))
            places.append(place)
            order = sorted(range(len(classes)), key=place.__getitem__)
            renamed = [[place[mention] for mention in chain] for chain in chains]
            sides.append((rng.sample(renamed, len(renamed)), [classes[old] for old in order]))
        changed = [(places[0][i], places[1][j]) for i, j in pairs]
        moved.append((sides[0][0], sides[1][0], changed, sides[0][1], sides[1][1]))
    rng.shuffle(moved)
    assert solved(moved).score == pytest.approx(solved(corpus).score, abs=1e-10)


# ---------------------------------------------------------------------------------------------------------------------
# Examples


def test_without_double_annotation_there_is_no_choice():
    corpus = [([[0, 1], [2]], [[0], [1, 2]], [(0, 0), (1, 1)], "abc", "abd")]
    assert find_choices(*corpus[0]) is None
    found = solved(corpus)
    assert found.score == found.greedy == found.bound
    assert found.optimal
    assert found.pairs == [None]


def test_doubles_of_one_cluster_are_alike():
    assert find_choices([[0, 1]], [[0, 1]], [(0, 0), (1, 1)], "aa", "aa") is None
    assert find_choices([[0], [1]], [[0], [1]], [(0, 0), (1, 1)], "aa", "aa") is None


def test_given_pairs_that_are_the_best_stay():
    corpus = [([[0, 2], [1]], [[0, 2], [1]], [(0, 0), (1, 1), (2, 2)], "aab", "aab")]
    found = solved(corpus)
    assert found.score == 1.0
    assert found.pairs == [None]
    assert found.optimal


def test_an_empty_corpus():
    assert best_alignment([], [])[:4] == (0.0, 0.0, True, 0.0)


def test_pairs_must_be_pairs():
    with pytest.raises(ValueError, match="two"):
        count_pairs([[0]], [[0, 1]], [(0, 0), (0, 1)])


def test_hopelessly_many_doubles():
    """Sixty mentions of one span and type in as many clusters: no traceback, and a bound."""
    number = 60
    gold = [[i, number + i] for i in range(number)]
    system = [[i, number + 7 * i % number] for i in range(number)]
    classes = ["x"] * number + list(range(number))
    found = solved([(gold, system, [(i, i) for i in range(2 * number)], classes, classes)])
    assert found.greedy < found.score <= found.bound <= 1.0


# ---------------------------------------------------------------------------------------------------------------------
# Size


def generated(rng, cases, plain, mean, noise):
    """A document with so many double annotations of one type, and a system that has 90 % of its mentions."""
    number = 2 * cases + plain
    classes = [i // 2 if i < 2 * cases else i for i in range(number)]
    count = max(2, int(number / mean))
    homes = []
    for mention in range(number):
        home = rng.randrange(count)
        if mention < 2 * cases and mention % 2 and home == homes[-1]:
            home = (home + 1) % count  # two mentions of one span are not one event
        homes.append(home)
    kept = rng.sample([i for i in range(number) if rng.random() < 0.9], k=round(0.9 * number) - 8)
    system = [homes[i] if rng.random() > noise else rng.randrange(count) for i in kept]
    theirs = [classes[i] for i in kept]
    return clusters(homes), clusters(system), greedy(classes, theirs), classes, theirs


@pytest.mark.parametrize("plain", [50, 100])
@pytest.mark.parametrize("mean", [1.5, 2.5, 5, 10])
def test_fifty_cases_in_one_document(plain, mean):
    corpus = [generated(random.Random(plain), 50, plain, mean, 0.25)]
    start = time.process_time()
    found = solved(corpus)
    assert time.process_time() - start < 10
    assert found.optimal
    assert found.score > found.greedy + 0.05


def test_a_corpus_of_many_documents():
    rng = random.Random(3)
    corpus = [generated(rng, 2, 40, 2.2, 0.3) for _ in range(60)]
    found = solved(corpus)
    assert found.optimal
    assert found.score > found.greedy
    # No change in a single document is an improvement.
    for place, each in enumerate(corpus):
        others = [counts for number, counts in enumerate(counts_of(found, corpus)) if number != place]
        for way in alignments_of_doubles(each):
            totals = [sum(column) for column in zip(*others, count_pairs(*each[:2], way), strict=True)]
            assert average(totals) <= found.score + 1e-10


def alignments_of_doubles(document):
    """All alignments, when at most two mentions are of one class."""
    _, _, pairs, ours, theirs = document
    ways = []
    for name in dict.fromkeys(ours):
        mine = [i for i, each in enumerate(ours) if each == name]
        other = [j for j, each in enumerate(theirs) if each == name]
        number = sum(ours[i] == name for i, _ in pairs)
        if number == 2:
            ways.append([list(zip(mine, other, strict=True)), list(zip(mine, other[::-1], strict=True))])
        else:
            ways.append([[(i, j)] for i in mine for j in other] if number else [[]])
    return [[pair for part in way for pair in part] for way in product(*ways)]
