"""Pools: order and grouping make no difference, and everybody's confidence is known."""

from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.model.eal import Argument, Arguments
from adjudge.tasks.eal.apply import Pool, contribution, merged, pool
from eal_responses import documents, response

A, B = response("a"), response("b")

POOLS = st.tuples(st.sampled_from(("s1", "s2", "s3")), documents()).map(lambda pair: contribution(pair[0], pair[1][0]))


def test_maximum_confidence_and_its_comment() -> None:
    one = contribution("one", Arguments("d", [Argument(A, 0.5, "1", "low", 7), Argument(B, 0.25)]))
    two = contribution("two", Arguments("d", [Argument(A, 0.75, "9", "high", 3), Argument(A, 0.1)]))
    joined = pool([one, two])
    assert list(joined.arguments.arguments) == [Argument(A, 0.75, "", "high"), Argument(B, 0.25)]
    assert joined.given == {A: {"one": 0.5, "two": 0.75}, B: {"one": 0.25}}
    (lost,) = merged([one, two], joined)
    assert lost == (Argument(A, 0.5, "", "low"), "given-by-several", joined.best[A])


@settings(max_examples=50)
@given(st.lists(POOLS, min_size=1, max_size=4), st.randoms(use_true_random=False))
def test_order_and_grouping_make_no_difference_and_nothing_is_lost(pools: list[Pool], random: object) -> None:
    joined = pool(pools)
    shuffled = list(pools)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert pool(shuffled) == pool([pool(pools[:2]), *pools[2:]]) == pool([joined, joined, pools[0]]) == joined
    for response_, argument in joined.best.items():
        confidences = [each.best[response_].confidence for each in pools if response_ in each.best]
        assert argument.confidence == max(confidences) == max(joined.given[response_].values())
    assert set(joined.best) == {response_ for each in pools for response_ in each.best}
    assert len(merged(pools, joined)) == sum(len(each.best) for each in pools) - len(joined.best)
    for each in pools:  # a pool of pools knows its systems
        assert contribution("pool", each.arguments, each.given) == each
