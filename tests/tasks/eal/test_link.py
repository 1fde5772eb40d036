"""The link score and its alternatives against their definitions with sets, and against coreference on partitions."""

from itertools import combinations, permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.tasks.coref.counts import COLUMNS, count
from adjudge.tasks.eal.measures import score_alternatives, score_links
from adjudge.tasks.eal.reference import Frames, spread

SIZE = 6
groups = st.lists(st.frozensets(st.integers(0, SIZE - 1), min_size=1, max_size=4), max_size=5)


def mask(group):
    return sum(1 << each for each in group)


def frames(gold):
    """The reference with its classes numbered from 0, whatever they are called."""
    names = {name: place for place, name in enumerate(sorted(set().union(*gold)))}
    masks = [mask(names[each] for each in group) for group in gold]
    neighbours = [0] * len(names)
    spread(masks, neighbours)
    return Frames(masks, neighbours, list(range(len(names))), {}), names


def near(x, linking):
    return set().union(*(group for group in linking if x in group)) - {x}


@given(groups, groups)
@settings(max_examples=100)
def test_official_link_score(gold, system):
    reference, names = frames(gold)
    known = set(names)
    own = [group & known for group in system]
    found = score_links(reference, [mask(names[each] for each in group) for group in own])
    f = p = r = 0.0
    present = set().union(*own)
    for x in present:
        mine, theirs = near(x, own), near(x, gold)
        if not mine and not theirs:
            f, p, r = f + 1, p + 1, r + 1
        elif mine & theirs:
            precision, recall = len(mine & theirs) / len(mine), len(mine & theirs) / len(theirs)
            f, p, r = f + 2 * precision * recall / (precision + recall), p + precision, r + recall
    links = [{pair for group in side for pair in combinations(sorted(group), 2)} for side in (own, gold)]
    assert (found.f, found.precision, found.recall) == pytest.approx((f, p, r))
    assert (found.found, found.size) == (len(present), len(known))
    assert (found.common, found.system, found.gold) == (len(links[0] & links[1]), len(links[0]), len(links[1]))


@given(groups, groups)
@settings(max_examples=100)
def test_alternatives_with_sets(gold, system):
    found = score_alternatives([mask(each) for each in gold], [mask(each) for each in system])
    gold, system = set(gold), set(system)
    theirs, ours = set().union(*gold), set().union(*system)
    precision = sum(
        len((near(x, system) | {x}) & (near(x, gold) | {x})) / len(near(x, system) | {x}) for x in ours & theirs
    )
    recall = sum(len((near(x, system) | {x}) & (near(x, gold) | {x})) / len(near(x, gold) | {x}) for x in ours & theirs)
    assert found.b3 == pytest.approx((precision, recall, len(ours), len(theirs)))
    short, long = sorted((list(gold), list(system)), key=len)
    for kind, weigh in (("ceafm", lambda a, b: len(a & b)), ("ceafe", lambda a, b: 2 * len(a & b) / (len(a) + len(b)))):
        chosen = permutations(long, len(short))
        most = max(sum(weigh(a, b) for a, b in zip(short, order, strict=True)) for order in chosen)
        assert getattr(found, kind)[0] == pytest.approx(most)
    pairs = [set(combinations(sorted(each), 2)) for each in (ours, theirs)]
    links = [{pair for group in side for pair in combinations(sorted(group), 2)} for side in (system, gold)]
    apart = [pairs[0] - links[0], pairs[1] - links[1]]
    assert found.blanc == (
        *(len(links[0] & links[1]), len(links[0]), len(links[1])),
        *(len(apart[0] & apart[1]), len(apart[0]), len(apart[1])),
        *(len(ours & theirs), len(ours), len(theirs)),
    )


@st.composite
def partitions(draw):
    """Frames that have no class in common, as chains of coreference are."""
    owners = draw(st.lists(st.integers(0, 3), min_size=SIZE, max_size=SIZE))
    chosen = draw(st.sets(st.integers(0, SIZE - 1)))
    found = {}
    for each in sorted(chosen):
        found.setdefault(owners[each], set()).add(each)
    return [frozenset(group) for group in found.values()]


@given(partitions(), partitions())
@settings(max_examples=75)
def test_on_partitions_they_are_the_metrics_of_coreference(gold, system):
    found = score_alternatives([mask(each) for each in gold], [mask(each) for each in system])
    counted = dict(zip(COLUMNS, count([sorted(g) for g in gold], [sorted(s) for s in system]), strict=True))
    expected = {
        name: tuple(value for column, value in counted.items() if column.startswith(f"coref.{name}:"))
        for name in ("b3", "ceafm", "ceafe", "blanc.coref", "blanc.noncoref")
    }
    assert found.ceafm == pytest.approx(expected["ceafm"])
    assert found.ceafe == pytest.approx(expected["ceafe"])
    precision, recall, ours, theirs = found.b3
    assert (precision, ours, recall, theirs) == pytest.approx(expected["b3"])
    assert found.blanc[:6] == pytest.approx((*expected["blanc.coref"], *expected["blanc.noncoref"]))


def test_rules_a_to_c():
    reference, _ = frames([{0, 1}, {2}])
    assert score_links(reference, []).f == 0.0
    assert score_links(reference, [0b100]).f == 1.0  # alone on both sides
    assert score_links(reference, [0b001]).f == 0.0  # alone on one side only
    assert score_links(reference, [0b011, 0b100]).f == 3.0
    assert score_links(Frames([], [], [], {}), []).size == 0
