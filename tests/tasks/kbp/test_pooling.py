"""Pooling bias: leave one system out of the pool."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.errors import UsageError
from adjudge.model.kbp_queries import Answer, AnswerSet, Assessment, Question, follow_up
from adjudge.tasks.kbp.answers import OFFICIAL
from adjudge.tasks.kbp.pooling import pooling_bias

BELOW = follow_up("Q1", "x", "")
ASKED = [Question("Q1", "Q1", ("r", "s")), Question("Q2", "Q2", ("r",))]
# Q1 has the right answers x and y, below x there is u; Q2 has z. Of the wrong ones, n was found by A and B, m by A.
POOL = [
    Assessment("Q1", "x", "correct", ("1",)),
    Assessment("Q1", "y", "correct", ("2",)),
    Assessment("Q1", "n", "wrong"),
    Assessment("Q1", "m", "wrong"),
    Assessment(BELOW, "u", "correct", ("1", "1")),
    Assessment("Q2", "z", "correct", ("1",)),
]


def system(name, *pairs):
    return AnswerSet(name, [Answer(asked, value) for asked, value in pairs])


A = system("A", ("Q1", "x"), ("Q1", "n"), ("Q1", "m"), (BELOW, "u"))
B = system("B", ("Q1", "y"), ("Q1", "n"), ("Q2", "z"))
C = system("C", ("Q1", "y"), ("Q2", "z"))


def test_by_hand():
    bias = pooling_bias(ASKED, [A, B, C], POOL, bootstrap=0)
    assert (bias.queries, bias.pool, bias.unclaimed, bias.classes) == (2, 6, 0, 4)
    a, b, c = bias.systems
    # A alone found x, m and u. Before: 2 right of 4, gold 4 (x, y, u, z): P 1/2, R 1/2, F1 1/2. Without them gold is
    # y and z; all 4 answers of A are wrong then.
    assert (a.answers, a.assessed, a.unique, a.unique_correct, a.lost) == (4, 4, 3, 2, 2)
    assert a.parts["precision"][:3] == (0.5, 0.0, -0.5)
    assert a.parts["recall"][:3] == (0.5, 0.0, -0.5)
    assert a.parts["f1"][:3] == (0.5, 0.0, -0.5)
    # B and C have nothing of their own. B: 2 of 3, gold 4. C: 2 of 2, gold 4.
    assert (b.unique, b.lost, c.unique, c.lost) == (0, 0, 0, 0)
    assert b.parts["f1"][:3] == (4 / 7, 4 / 7, 0.0)
    assert c.parts["f1"][:3] == (4 / 6, 4 / 6, 0.0)
    assert [(each.rank, each.rank_after) for each in bias.systems] == [(3, 3), (2, 2), (1, 1)]
    assert bias.mean("f1") == pytest.approx(-0.5 / 3)


def test_ranks_change():
    # An A that is better than B until its own answers are taken from the pool.
    better = system("A", ("Q1", "x"), (BELOW, "u"), ("Q2", "z"))
    bias = pooling_bias(ASKED, [better, B], POOL, bootstrap=0)
    # A: 3 of 3, gold 4. Its own x and u go: 1 of 3, gold 2 (y, z): F1 2/5; B: 2 of 3, gold 2: F1 4/5.
    assert bias.systems[0].parts["f1"][:2] == (6 / 7, 2 / 5)
    assert (bias.systems[0].rank, bias.systems[0].rank_after) == (1, 2)
    # Without what B alone found (y, n), gold is x, u, z: A is right in all, B has 1 of 3.
    assert bias.systems[1].parts["f1"][:2] == (4 / 7, 2 / 6)
    assert (bias.systems[1].rank, bias.systems[1].rank_after) == (2, 2)


def test_what_is_not_assessed_may_be_ignored():
    a = pooling_bias(ASKED, [A, B, C], POOL, bootstrap=0, policy=OFFICIAL).systems[0]
    # x, m are ignored, u follows something that is not right: one wrong answer is left, n the other.
    assert a.parts["precision"][:2] == (0.5, 0.0)
    # By value, x of another place would do; there is none here, so nothing changes.
    b = pooling_bias(ASKED, [A, B, C], POOL, bootstrap=0, match="exact").systems[0]
    assert b.parts["f1"][:2] == (0.5, 0.0)


def test_another_justification_of_the_same_answer():
    pool = [Assessment("Q2", "z", "correct", ("1",), place=f"{d}:0-1", provenance=f"{d}:0-9") for d in ("d1", "d2")]
    one, two = (
        AnswerSet(name, [Answer("Q2", "z", "r", f"{d}:0-1", f"{d}:0-9")]) for name, d in (("A", "d1"), ("B", "d2"))
    )
    strict = pooling_bias(ASKED[1:], [one, two], pool, bootstrap=0).systems[0]
    assert (strict.unique, strict.lost, strict.parts["f1"].difference) == (1, 0, -1.0)
    lenient = pooling_bias(ASKED[1:], [one, two], pool, bootstrap=0, match="exact").systems[0]
    assert (lenient.unique, lenient.parts["f1"].difference) == (1, 0.0)


def test_assessments_of_nobody_stay():
    pool = [*POOL, Assessment("Q2", "by hand", "correct", ("2",)), Assessment("Q9", "elsewhere", "wrong")]
    bias = pooling_bias(ASKED, [A, B], pool, bootstrap=0)
    assert (bias.pool, bias.unclaimed, bias.classes) == (7, 1, 5)
    assert bias.systems[0].parts["recall"].before == 2 / 5


def test_classes_below_a_lost_class_are_lost():
    # w was found by hand, below x; if A had not said x, nobody would have been asked about it.
    pool = [*POOL, Assessment(BELOW, "w", "correct", ("1", "2"))]
    a = pooling_bias(ASKED, [A, B, C], pool, bootstrap=0).systems[0]
    assert (a.unique, a.lost) == (3, 3)
    # B scores 2 of 3 with the gold y and z that is left then, so its recall would be 1.
    better = pooling_bias(ASKED, [system("A", ("Q1", "x")), B], pool, bootstrap=0)
    assert (better.classes, better.systems[0].lost, better.systems[0].parts["recall"].before) == (5, 3, 1 / 5)


def test_intervals():
    many = [Question(f"Q{n}", f"Q{n}", ("r",)) for n in range(30)]
    pool = [Assessment(f"Q{n}", "x", "correct", ("1",)) for n in range(30)]
    a = system("A", *((f"Q{n}", "x") for n in range(0, 30, 2)))
    b = system("B", *((f"Q{n}", "x") for n in range(0, 30, 3)))
    found = pooling_bias(many, [a, b], pool, bootstrap=300)
    part = found.systems[0].parts["f1"]
    assert part.low < part.difference < part.high <= 0
    assert found == pooling_bias(many, [a, b], pool, bootstrap=300)
    hop = pooling_bias(many, [a, b], pool, bootstrap=0, metric="kbp.query.hop0.macro")
    assert hop.systems[0].parts["recall"].before == 15 / 30


def test_wrong_calls():
    with pytest.raises(UsageError, match="at least two systems"):
        pooling_bias(ASKED, [A], POOL)
    with pytest.raises(UsageError, match="same name"):
        pooling_bias(ASKED, [A, A], POOL)
    with pytest.raises(UsageError, match="did you mean"):
        pooling_bias(ASKED, [A, B], POOL, metric="kbp.query.hop7")


values = st.lists(st.sampled_from("abcdef"), max_size=6, unique=True)


@settings(max_examples=25, deadline=None)
@given(st.lists(values, min_size=2, max_size=4), st.sets(st.sampled_from("abcdef")), st.randoms(use_true_random=False))
def test_laws(found, right, rng):
    asked = [Question("Q", "Q", ("r",))]
    systems = [system(str(n), *(("Q", value) for value in each)) for n, each in enumerate(found)]
    pooled = sorted({value for each in found for value in each})
    pool = [Assessment("Q", v, "correct", (v,)) if v in right else Assessment("Q", v, "wrong") for v in pooled]
    bias = pooling_bias(asked, systems, pool, bootstrap=0)
    for place, each in enumerate(bias.systems):
        own = set(found[place])
        unique = own - {value for other in found[:place] + found[place + 1 :] for value in other}
        gold = set(pooled) & right
        assert (each.unique, each.unique_correct, each.lost) == (len(unique), len(unique & right), len(unique & right))
        # From outside the pool nothing can get better.
        assert all(part.difference <= 1e-12 for part in each.parts.values())
        if not unique:
            assert all(part.difference == 0 for part in each.parts.values())
        after = (own & right) - unique
        assert each.parts["precision"].after == pytest.approx(len(after) / len(own) if own else 0)
        assert each.parts["recall"].after == pytest.approx(len(after) / len(gold - unique) if gold - unique else 0)
    shuffled = pooling_bias(asked, rng.sample(systems, len(systems)), rng.sample(pool, len(pool)), bootstrap=0)
    assert {each.name: each for each in shuffled.systems} == {each.name: each for each in bias.systems}
