"""Leaves of nested records: the operator against all alignments, and the laws of the specification of records."""

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import definition_leaves as slow
import leaf_documents
from adjudge.algebra import ir, shape
from adjudge.algebra.operators import collection, leaf_lists, leaf_shapes, leaves
from adjudge.algebra.operators.base import GOLD, SYSTEM, Context
from adjudge.algebra.plan import Plan
from adjudge.algebra.shape import Fields, Leaf, Listing, Number, Schema
from adjudge.metrics import records

relaxed = settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))


def outcomes(schema, gold, system):
    """The outcome of the leaves: of all, and by path."""
    return Plan(ir.Leaves(schema=schema)).observe(gold, system).outcomes


def totals(schema, gold, system):
    return outcomes(schema, gold, system).total


@relaxed
@given(st.data())
def test_no_alignment_is_better(data):
    schema, documents = data.draw(leaf_documents.problems())
    gold, system = data.draw(documents), data.draw(documents)
    found = outcomes(schema, gold, system)
    total, by_path = found.total, found.by_path
    correct, _, wrong, _ = slow.worth(schema, gold, system)
    leaves = slow.leaves(schema, gold), slow.leaves(schema, system, of_gold=False)
    assert (total.gold, total.system) == leaves
    if not isinstance(gold, dict):
        assert total[:2] == pytest.approx((correct, wrong), abs=1e-5)
    assert total == pytest.approx([sum(each) for each in zip([0] * 5, *by_path.values(), strict=True)])


@pytest.mark.parametrize("many", [0, 10**6], ids=["all lists are many", "all lists are few"])
@relaxed
@given(data=st.data())
def test_the_alignment_is_the_first_by_all_four_numbers(many, data):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(leaf_lists, "_LARGE", many)
        check_all_four_numbers(data)


def check_all_four_numbers(data):
    schema, documents = data.draw(leaf_documents.problems())
    gold, system = [data.draw(documents), data.draw(documents)]
    op = Plan(ir.Leaves(schema=Schema(root=Listing(of=slow.record_shape(schema))))).op
    g, s = op.prepare(gold, GOLD, {}), op.prepare(system, SYSTEM, {})
    found = op.listing.worth(g.records, s.records)
    unit = op.listing.unit
    lists = Schema(root=Listing(of=slow.record_shape(schema)))
    expected = slow.worth(lists, *([each] if isinstance(each, dict) else each for each in (gold, system)))
    assert (found[0] / unit, found[1], found[2] / unit, found[3] / unit) == pytest.approx(expected, abs=1e-9)


@relaxed
@given(st.data())
def test_a_document_against_itself_is_right(data):
    schema, documents = data.draw(leaf_documents.problems())
    document = data.draw(documents)
    total = totals(schema, document, document)
    assert total[:4] == (slow.leaves(schema, document), 0, 0, 0)


@relaxed
@given(st.data())
def test_of_too_many_pairs_a_lower_bound_says_so(data):
    schema, documents = data.draw(leaf_documents.problems())
    gold, system = data.draw(documents), data.draw(documents)
    best = totals(schema, gold, system).correct
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(leaf_lists, "_MOST", 1)
        patch.setattr(leaf_lists, "MOST", 2)
        patch.setattr(leaf_lists, "FEW", 1)
        found = Plan(ir.Leaves(schema=schema)).observe(gold, system)
    assert found.value <= best + 1e-9
    if found.optimal:
        assert found.value == pytest.approx(best)
    else:
        assert found.bound >= best


@pytest.mark.parametrize("many", [0, 10**6], ids=["all lists are many", "all lists are few"])
@relaxed
@given(data=st.data())
def test_without_time_there_is_a_lower_bound_and_an_upper_one(many, data):
    schema, documents = data.draw(leaf_documents.problems())
    gold, system = data.draw(documents), data.draw(documents)
    best = totals(schema, gold, system).correct
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(leaf_lists, "_LARGE", many)
        patch.setattr(leaf_lists, "_PATIENCE", 0)
        patch.setattr(leaf_shapes, "_SPARE", data.draw(st.integers(0, 5)))
        plan = Plan(ir.Leaves(schema=schema), time_limit=0.0)
        found = plan.observe(gold, system)
        shown = plan.align(gold, system)
    assert found.value <= best + 1e-9
    assert found.outcomes.total.gold == found.gold
    assert found.outcomes.total.system == found.system
    if found.optimal:
        assert found.value == pytest.approx(best)
    else:
        assert best <= found.bound + 1e-9 <= min(found.gold, found.system) + 2e-9
        assert sum(each.score for each in shown.matched) == pytest.approx(found.value)


def test_a_bound_knows_what_the_two_sides_share(monkeypatch):
    monkeypatch.setattr(leaf_shapes, "_SPARE", 0)
    gold = [{"sku": n, "note": "same"} for n in range(300)]
    system = [{"sku": n + 1000 * (n % 3 > 0), "note": "same"} for n in reversed(range(300))]
    schema = Schema(root=Listing(of=Fields(fields={"sku": Leaf(by=Number()), "note": Leaf()})))
    found = Plan(ir.Leaves(schema=schema), time_limit=0.0).observe(gold, system)
    assert not found.optimal
    assert found.value < 400 == found.bound


@pytest.mark.parametrize("metric", [records.match, records.all_right], ids=["match", "exact"])
@relaxed
@given(data=st.data())
def test_many_records_are_compared_in_columns_with_the_same_numbers(metric, data):
    schema, documents = data.draw(leaf_documents.problems())
    gold, system = ([each] if isinstance(each, dict) else each for each in (data.draw(documents), data.draw(documents)))
    with pytest.MonkeyPatch.context() as patch:
        expected = metric.score(gold, system, schema=schema)
        patch.setattr(leaves, "_MANY", 0)
        assert metric.score(gold, system, schema=schema) == expected
        patch.setattr(collection, "_MANY", 0)
        assert metric.score(gold, system, schema=schema).f1 == pytest.approx(expected.f1)


def shuffled(value, rng, of):
    """The same with elements of bags and keys of objects in another order."""
    if isinstance(value, dict):
        names = rng.sample(list(value), len(value))
        inner = of.fields if isinstance(of, Fields) else dict.fromkeys(value, of)
        return {name: shuffled(value[name], rng, inner.get(name, of)) for name in names}
    if isinstance(value, list):
        inner = of.of if isinstance(of, Listing) else of
        order = value if isinstance(of, Listing) and of.match != "best" else rng.sample(value, len(value))
        return [shuffled(each, rng, inner) for each in order]
    return value


@relaxed
@given(st.data(), st.integers(0, 99))
def test_the_order_of_elements_and_keys_changes_no_total(data, seed):
    schema, documents = data.draw(leaf_documents.problems())
    gold, system = data.draw(documents), data.draw(documents)
    again = shuffled(gold, random.Random(seed), schema.root), shuffled(system, random.Random(seed + 1), schema.root)
    if isinstance(schema.root, Fields):  # a list of them, matched as they are
        again = again if not isinstance(gold, list) else (gold, system)
    assert totals(schema, *again)[:4] == pytest.approx(totals(schema, gold, system)[:4])


@relaxed
@given(st.data())
def test_swapping_swaps_what_is_omitted_and_hallucinated(data):
    schema, documents = data.draw(leaf_documents.problems())
    gold, system = [data.draw(documents)], [data.draw(documents), data.draw(documents)]
    there, back = totals(schema, gold, system), totals(schema, system, gold)
    assert back[:4] == pytest.approx((there.correct, there.wrong, there.hallucinated, there.omitted))


@relaxed
@given(st.data(), leaf_documents.anything())
def test_an_ignored_field_changes_nothing(data, more):
    schema, documents = data.draw(leaf_documents.problems())
    root = slow.record_shape(schema)
    if not isinstance(root, Fields):
        return
    gold, system = data.draw(documents), data.draw(documents)
    wider = Schema(root=Fields(fields={"z": shape.Ignore(), **root.fields}))
    if isinstance(schema.root, Listing):
        wider = Schema(root=Listing(of=wider.root))
    added = [{**each, "z": more} for each in system] if isinstance(system, list) else {**system, "z": more}
    assert outcomes(wider, gold, added) == outcomes(schema, gold, system)


@relaxed
@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 2), st.booleans()), min_size=1, max_size=5), st.data())
def test_values_of_a_field_on_other_records_are_wrong(rows, data):
    gold = [dict(zip("npq", row, strict=True)) for row in rows]
    order = data.draw(st.permutations(range(len(rows))))
    system = [{**each, "p": gold[other]["p"]} for each, other in zip(gold, order, strict=True)]
    total = totals(Schema(), gold, system)
    same = sorted(map(repr, gold)) == sorted(map(repr, system))
    assert (total.correct == 3 * len(rows)) == same


@relaxed
@given(st.data())
def test_equal_records_may_be_paired_first(data):
    inside = st.dictionaries(st.sampled_from("abc"), leaf_documents.anything(), max_size=3)
    gold, system = data.draw(st.lists(inside, max_size=3)), data.draw(st.lists(inside, max_size=3))
    schema, shared = Schema(), data.draw(st.lists(inside, max_size=2))
    total, rest = totals(schema, gold + shared, shared + system), totals(schema, gold, system)
    extra = slow.leaves(schema, shared)
    assert total.correct == rest.correct + extra
    assert total[1:4] == rest[1:4]


@relaxed
@given(st.data())
def test_never_more_correct_than_either_side_has(data):
    schema, documents = data.draw(leaf_documents.problems())
    total = totals(schema, data.draw(documents), data.draw(documents))
    assert total.correct <= min(total.gold, total.system) + 1e-9


def test_credits_in_lists_inside_of_long_lists_are_exact():
    words = Listing(of=Fields(fields={"w": Leaf(by=shape.Words()), "n": Leaf()}))
    schema = Schema(root=Listing(of=Fields(fields={"n": Leaf(), "l": words})))
    texts = ["a b c d", "a b c", "a b", "b c d e", "x y z"]
    rng = random.Random(5)

    def lines():
        return [{"w": rng.choice(texts), "n": rng.choice("pq")} for _ in range(rng.randrange(4))]

    gold, system = ([{"n": rng.choice("klm"), "l": lines()} for _ in range(12)] for _ in range(2))
    few = totals(schema, gold, system)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(leaf_lists, "_LARGE", 0)
        many = totals(schema, gold, system)
    assert many[:4] == pytest.approx(few[:4])


def test_an_inner_list_may_be_of_the_shape_it_stands_in():
    tree = Fields(fields={"n": Leaf(), "below": Listing(of=shape.Named(name="tree"))})
    schema = Schema(root=shape.Named(name="tree"), named={"tree": tree})
    gold = {"n": "a", "below": [{"n": "b", "below": [{"n": "c"}]}, {"n": "d"}]}
    system = {"n": "a", "below": [{"n": "d"}, {"n": "b", "below": [{"n": "x"}]}]}
    found = outcomes(schema, gold, system)
    total, by_path = found.total, found.by_path
    assert total == (3, 0, 1, 1, 0)
    assert by_path["below[].below[].n"] == (0, 0, 1, 1, 0)


def test_values_nested_five_hundred_deep_are_compared():
    def nested(leaf):
        value = leaf
        for _ in range(250):
            value = {"a": [value]}
        return value

    assert totals(Schema(), nested(1), nested(1)) == (1, 0, 0, 0, 0)
    assert totals(Schema(), nested(1), nested(2)) == (0, 0, 1, 1, 0)


def test_leaves_can_be_combined_with_other_similarities():
    from adjudge.algebra import f1, set_of

    one = ir.Leaves(schema=Schema(root=Fields(fields={"n": Leaf(), "p": Leaf(by=Number())})))
    plan = Plan(set_of(f1(one)))
    assert plan.observe([{"n": "x", "p": 1}], [{"n": "X", "p": "2"}, {"n": "y"}]).value == 0.5
    found = Plan(one).op
    context = Context()
    assert found.pair(found.prepare({"p": 1}, SYSTEM, {}), found.prepare({"p": "1.0"}, GOLD, {}), context) == 1
