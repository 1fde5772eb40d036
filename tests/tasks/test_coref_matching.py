"""Mentions that match without being equal."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import adjudge as aj
from adjudge.model.coref import Chain, CorefDocument, mention_words
from adjudge.tasks.coref.observe import by_head, by_overlap, compare
from adjudge.tasks.coref.settings import Settings

SPAN = st.tuples(st.integers(0, 9), st.integers(0, 4)).map(lambda pair: (pair[0], pair[0] + pair[1]))
CHAINS = st.lists(st.lists(SPAN, min_size=1, max_size=4), max_size=4).map(
    lambda lists: [Chain(str(k), mentions) for k, mentions in enumerate(lists)]
)


def mentions(chains):
    return [mention for chain in chains for mention in chain.mentions]


def jaccard(a, b):
    left, right = set(mention_words(a)), set(mention_words(b))
    return len(left & right) / len(left | right)


@given(CHAINS, CHAINS, st.sampled_from([0.1, 0.5, 2 / 3, 1.0]))
def test_partial_matches_are_one_to_one_and_far_enough(key, response, least):
    renamed = by_overlap(key, response, least)
    before, after = mentions(response), mentions(renamed)
    pairs = {(old, new) for old, new in zip(before, after, strict=True) if old != new}
    known = set(mentions(key))
    assert all(new in known and old not in known and jaccard(old, new) >= least - 1e-12 for old, new in pairs)
    assert len({new for _, new in pairs}) == len(pairs) == len({old for old, _ in pairs})
    # A mention of the key that the response has is never given to another one.
    assert not {new for _, new in pairs} & set(before)
    left = known - set(after)
    free = {mention for mention in after if mention not in known}
    assert not any(jaccard(a, b) >= least + 1e-12 for a in left for b in free)


@given(CHAINS, CHAINS, st.integers(0, 99))
def test_the_order_of_chains_does_not_change_the_match(key, response, seed):
    rng = random.Random(seed)
    plain = dict(zip(mentions(response), mentions(by_overlap(key, response, 0.5)), strict=True))
    shuffled = rng.sample(response, len(response))
    again = by_overlap(rng.sample(key, len(key)), shuffled, 0.5)
    assert dict(zip(mentions(shuffled), mentions(again), strict=True)) == plain


def test_an_overlap_of_one_is_equality():
    key, response = [Chain("1", [(0, 3), (5, 5)])], [Chain("a", [(0, 2), (5, 5)])]
    assert by_overlap(key, response, 1.0) == response
    assert mentions(by_overlap(key, response, 0.75)) == [(0, 3), (5, 5)]


def test_mentions_with_gaps_overlap_by_their_words():
    assert mentions(by_overlap([Chain("1", [(0, 1, 5, 5)])], [Chain("a", [(0, 5)])], 0.5)) == [(0, 1, 5, 5)]
    assert mentions(by_overlap([Chain("1", [(0, 1, 5, 5)])], [Chain("a", [(0, 5)])], 0.51)) == [(0, 5)]


def test_of_mentions_with_one_head_the_nearest_matches():
    key = [Chain("1", [(0, 5), (4, 5)])]
    response = [Chain("a", [(3, 5)])]
    heads = {(0, 5): 5, (4, 5): 5, (3, 5): 5}
    assert mentions(by_head(key, response, heads, heads)) == [(4, 5)]
    assert mentions(by_head(key, [Chain("a", [(0, 4)])], heads, {(0, 4): 4})) == [(0, 4)]


def test_matching_changes_the_score():
    key = CorefDocument("d", [Chain("1", [(0, 3), (6, 6)])], heads={(0, 3): 3, (6, 6): 6})
    response = CorefDocument("d", [Chain("a", [(2, 3), (6, 6)])], heads={(2, 3): 3, (6, 6): 6})
    scores = {
        name: aj.coref.score([key], [response], bootstrap=0, match=match, overlap=overlap)["coref.muc"].f1
        for name, match, overlap in (
            ("exact", "exact", None),
            ("head", "head", None),
            ("half", "partial", 0.5),
            ("most", "partial", 0.75),
        )
    }
    assert scores == pytest.approx({"exact": 0, "head": 1, "half": 1, "most": 0})


def test_copies_are_looked_for_after_matching():
    key = CorefDocument("d", [Chain("1", [(0, 3)])])
    response = CorefDocument("d", [Chain("a", [(0, 2)]), Chain("b", [(0, 2)])])
    found = compare(key, response, Settings(match="partial", overlap=0.5))
    assert [(each.mention, each.removed) for each in found.response_repeats] == [((0, 3), True)]
