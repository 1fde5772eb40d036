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


def test_equal_confidences_count_once() -> None:
    pools = [contribution(name, Arguments("d", [Argument(A, 0.5)])) for name in "yx"]
    joined = pool(pools)
    assert joined.given[A] == {"x": 0.5, "y": 0.5}
    assert len(merged(pools, joined)) == 1


def test_a_pool_of_pools_knows_its_systems() -> None:
    one = contribution("one", Arguments("d", [Argument(A, 0.5)]))
    again = contribution("pool", one.arguments, one.given)
    assert again == one


@settings(max_examples=50)
@given(st.lists(POOLS, min_size=1, max_size=4), st.randoms(use_true_random=False))
def test_commutative(pools: list[Pool], random: object) -> None:
    shuffled = list(pools)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert pool(shuffled) == pool(pools)


@settings(max_examples=50)
@given(POOLS, POOLS, POOLS)
def test_associative_and_idempotent(a: Pool, b: Pool, c: Pool) -> None:
    everything = pool([a, b, c])
    assert pool([pool([a, b]), c]) == pool([a, pool([b, c])]) == everything
    assert pool([everything, everything]) == everything == pool([everything, a])


@settings(max_examples=50)
@given(st.lists(POOLS, min_size=1, max_size=4))
def test_nothing_is_lost(pools: list[Pool]) -> None:
    joined = pool(pools)
    for response_, argument in joined.best.items():
        confidences = [each.best[response_].confidence for each in pools if response_ in each.best]
        assert argument.confidence == max(confidences) == max(joined.given[response_].values())
    assert set(joined.best) == {response_ for each in pools for response_ in each.best}
    assert len(merged(pools, joined)) == sum(len(each.best) for each in pools) - len(joined.best)
