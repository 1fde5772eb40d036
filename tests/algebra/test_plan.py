"""The planner finds what the definition says: planned equals reference on random metrics and data."""

import pickle
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import problems
from adjudge.algebra import (
    best_of,
    custom,
    edit,
    exact,
    f,
    f1,
    greedy,
    hierarchy,
    iou,
    ir,
    jaccard,
    latent,
    number,
    overlap,
    precision,
    record,
    set_of,
    span,
    threshold,
    variable,
)
from adjudge.algebra.plan import plan
from adjudge.errors import UsageError, ValidationError
from definition import Reference, distinct, phi

LEVELS = hierarchy(separator=".", credit="linear")
RELAXED = settings(
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)


def agree(node, gold, system):
    fast = plan(node).observe(gold, system)
    slow = Reference(node).observe(gold, system)
    for name in ("value", "system", "gold"):
        a, b = getattr(fast, name), getattr(slow, name)
        assert a == pytest.approx(b, abs=1e-12, rel=1e-12), (name, node, gold, system)
    assert fast.optimal


@settings(RELAXED, max_examples=problems.budget(800))
@given(data=st.data(), shape=problems.shapes())
def test_planned_equals_reference(data, shape):
    agree(shape.node, data.draw(shape.values, "gold"), data.draw(shape.values, "system"))


@settings(RELAXED, max_examples=problems.budget(240))
@given(data=st.data(), shape=problems.latent_shapes())
def test_latent_variables(data, shape):
    agree(shape.node, data.draw(shape.values, "gold"), data.draw(shape.values, "system"))


@settings(RELAXED, max_examples=problems.budget(120))
@given(data=st.data(), shape=problems.shapes(2))
def test_many_elements_against_many(data, shape):
    """Larger sets reach the joins, the sweep and the assignment of components."""
    node = ir.Set(of=shape.node, match="1:1", duplicates="set", empty=0)
    values = st.lists(shape.values, max_size=8)
    agree(node, data.draw(values, "gold"), data.draw(values, "system"))


@settings(RELAXED, max_examples=problems.budget(160))
@given(data=st.data(), shape=problems.shapes(2))
def test_alignment_adds_up(data, shape):
    """The matched pairs of the outer level make the score; with missed and spurious they are all there is."""
    node = ir.Set(of=shape.node, match="1:1", duplicates="multiset", empty=0)
    values = st.lists(shape.values, max_size=5)
    gold, system = data.draw(values, "gold"), data.draw(values, "system")
    made = plan(node)
    alignment = made.align(gold, system)
    top = [pair for pair in alignment.matched if pair.level == "[*]"]
    assert sum(pair.score for pair in top) == pytest.approx(made.observe(gold, system).value, abs=1e-12)
    assert all(pair.score > 0 for pair in alignment.matched)
    assert len(top) + sum(each.level == "[*]" for each in alignment.missed) == len(gold)
    assert len(top) + sum(each.level == "[*]" for each in alignment.spurious) == len(system)
    again = made.align(gold, system)
    assert (alignment.matched, alignment.missed, alignment.spurious) == (again.matched, again.missed, again.spurious)
    assert str(alignment)
    for each in (*alignment.missed, *alignment.spurious, *alignment.matched):
        assert str(alignment.why(each))


@settings(RELAXED, max_examples=problems.budget(120))
@given(shape=st.one_of(problems.shapes(), problems.latent_shapes()))
def test_every_plan_can_be_explained_and_sent(shape):
    text = plan(shape.node).explain()
    assert text.strip()
    assert pickle.loads(pickle.dumps(shape.node)) == shape.node


def test_variable_outside_latent():
    with pytest.raises(UsageError, match="latent"):
        plan(ir.Set(of=ir.Variable()))


@pytest.mark.parametrize(
    ("sim", "gold", "system", "value"),
    [
        (threshold(number(10), at_least=0.1), 0, 9, 1),
        (threshold(number(10), above=0.3), 0, 7, 0),
        (threshold(best_of(iou(), exact), above=1 / 3), [0, 3], [0, 1], 0),
        (threshold(f1(set_of(exact), undefined=1), above=1 / 3), [1, 4, 5], [1, 2, 3], 0),
        (threshold(f1(set_of(exact), undefined=1), at_least=1 / 3), [1, 4, 5], [1, 2, 3], 1),
        (iou(at_least=5 / 6), [0, 6], [0, 5], 1),
        (iou(above=5 / 6), [0, 6], [0, 5], 0),
        (
            threshold(precision(set_of(LEVELS, duplicates="multiset")), at_least=0.7),
            ["a.b.c.d.e.f.g.h.i.j"] * 3,
            ["a.b.c.d.e.f.g.x.y.z"] * 3,
            1,
        ),
    ],
)
def test_thresholds_are_decided_in_integers(sim, gold, system, value):
    for way in (plan, Reference):
        assert way(sim).observe(gold, system).value == value


def test_variables_of_the_recall_side_are_matched_too():
    sim = latent(f(record(a=set_of(exact)), record(b=set_of(variable))))
    for way in (plan, Reference):
        seen = way(sim).observe({"a": [1], "b": ["y"]}, {"a": [1], "b": ["x"]})
        assert seen.value == 1


@pytest.mark.parametrize(
    ("node", "message"),
    [
        (latent(greedy(record(v=variable, c=exact))), "greedy"),
        (threshold(edit(), at_least=1.5), "nothing passes"),
        (threshold(iou(), above=1.0), "nothing passes"),
        (jaccard(set_of(exact, match="N:N")), "Jaccard"),
        (record(a=jaccard(record(b=set_of(exact, match="N:1")))), "Jaccard"),
    ],
)
def test_metrics_that_make_no_sense_are_refused(node, message):
    with pytest.raises(UsageError, match=message):
        plan(node)


@pytest.mark.parametrize("value", [0, 1, "x", None, [1], object()])
def test_a_function_that_fails_names_the_values(value):
    sim = record(a=custom(lambda s, g: {}[s]))
    with pytest.raises(ValidationError, match="failed on"):
        plan(sim).observe({"a": value}, {"a": 1})


def test_keys_do_not_collide():
    assert plan(set_of(exact)).observe([["true"]], [True]).value == 0
    assert plan(set_of(exact)).observe([{"a": 1.0}], [{"a": 1}]).value == 1
    assert plan(set_of(exact)).observe([["{}", []]], [{}]).value == 0


def test_true_is_not_one_wherever_it_stands():
    node = overlap(exact, by="dice")
    for left, right, value in (([1, True], [True, 1], 1), ([1], [True], 0), ([1, True], [1], Fraction(2, 3))):
        assert phi(node, left, right, {}) == value


def test_an_empty_span_is_the_same_however_it_is_written():
    node, twice = span(by="count"), [[0, 0], {"start": 0, "end": 0}, [1, 1]]
    assert distinct(node, twice, 0, "set") == [[0, 0], [1, 1]]
