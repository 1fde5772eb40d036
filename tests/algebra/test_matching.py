import pytest

from adjudge.algebra import ir
from adjudge.algebra.functions import Fn
from adjudge.algebra.matching import (
    best_pair,
    count,
    f1,
    graph,
    greedy,
    latent,
    many_to_many,
    many_to_one,
    one_to_many,
    one_to_one,
    sequence,
    set_of,
)
from adjudge.algebra.similarity import exact
from adjudge.errors import UsageError


@pytest.mark.parametrize(
    ("make", "names", "match"),
    [
        (one_to_one, ("1:1", "<->", "one_to_one"), "1:1"),
        (many_to_one, ("N:1", "->", "many_to_one"), "N:1"),
        (one_to_many, ("1:N", "<-", "one_to_many"), "1:N"),
        (many_to_many, ("N:N", "~", "many_to_many"), "N:N"),
        (best_pair, ("best", "best_pair"), "best"),
    ],
)
def test_every_name_of_a_constraint_means_the_same(make, names, match):
    expected = ir.Set(of=exact, match=match, duplicates="error", empty=1)
    assert make(exact, duplicates="error", empty=1) == expected
    for name in names:
        assert set_of(exact, match=name, duplicates="error", empty=1) == expected
        if match != "best":
            assert sequence(exact, match=name) == ir.Sequence(of=exact, match=match)
            assert graph(exact, match=name) == ir.Graph(of=exact, match=match)


def test_other_matchings():
    assert greedy(exact, order="gold", rank="get(score)") == ir.Greedy(of=exact, order="gold", rank=Fn("get(score)"))
    assert greedy(exact, take="first", order="system", ties="gold").take == "first"
    assert graph(exact, nodes="n", edges="e", ids="id") == ir.Graph(of=exact, nodes="n", edges="e", ids="id")
    assert latent(one_to_one(ir.Variable())) == ir.Latent(of=ir.Set(of=ir.Variable()))


def test_count_takes_the_normaliser_off():
    inner = many_to_one(exact)
    assert count(f1(inner)) == count(inner) == inner
    assert count(exact) == one_to_one(exact)
    assert count(sequence(exact)) == sequence(exact)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: set_of(exact, match="one-to-one"), "did you mean one_to_one"),
        (lambda: set_of(exact, match="1:*"), "there is no matching '1:\\*'"),
        (lambda: set_of(exact, duplicates="bag"), "duplicates must be"),
        (lambda: set_of(exact, empty=True), "empty must be 0 or 1, got True"),
        (lambda: one_to_one(one_to_one), "call it"),
        (lambda: sequence(exact, match="best"), "single pair"),
        (lambda: graph(exact, match="best"), "single pair"),
        (lambda: greedy(exact, order="both"), "order must be"),
        (lambda: greedy(exact, rank="get(score)"), "by score"),
        (lambda: greedy(exact, take="first"), "needs a side"),
        (lambda: greedy(exact, order="gold", rank="gets(score)"), "there is no function"),
        (lambda: count("exact"), "must be a similarity"),
    ],
)
def test_mistakes(make, message):
    with pytest.raises(UsageError, match=message):
        make()
