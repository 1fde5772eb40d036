"""Every law that a metric of the catalogue claims, tested for every metric that claims it."""

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import fitting
from adjudge.algebra import ir
from adjudge.algebra.plan import plan
from adjudge.metrics import catalogue, find
from adjudge.metrics.documents import empty
from adjudge.metrics.registry import LAWS
from definition import Reference

RELAXED = settings(deadline=None, max_examples=15, suppress_health_check=list(HealthCheck))
DEFINITIONS = {definition.name: definition for definition in catalogue()}


def claiming(law):
    return [name for name, definition in DEFINITIONS.items() if law in definition.laws]


def documents(metric):
    return fitting.documents(metric, DEFINITIONS[metric.name].example)


def ratios(metric, row):
    """Numerators and denominators of precision and recall of every member."""
    for member in metric.members:
        counts = [row.counts[column] for column in member.columns[: 3 if member.leaves else None]]
        yield (counts[0], counts[1]), (counts[-2] if len(counts) == 4 else counts[0], counts[-1])


def test_the_catalogue_is_not_empty_and_claims_laws():
    assert len(DEFINITIONS) >= 12
    assert all(definition.laws for definition in DEFINITIONS.values())
    assert {law for definition in DEFINITIONS.values() for law in definition.laws} == set(LAWS)


def has_something(value):
    """Whether there is anything in the lists of a value."""
    if isinstance(value, dict):
        return any(map(has_something, value.values()))
    return any(map(has_something, value)) if isinstance(value, list | tuple) else True


@pytest.mark.parametrize("name", [*claiming("self"), *claiming("perfect")])
@RELAXED
@given(data=st.data())
def test_gold_against_itself_is_perfect(name, data):
    metric = find(name)
    gold = data.draw(documents(metric))
    for (p_num, p_den), (r_num, r_den) in ratios(metric, metric.observe(gold, gold)):
        assert p_num == pytest.approx(p_den, abs=1e-12)
        assert r_num == pytest.approx(r_den, abs=1e-12)


@pytest.mark.parametrize("name", claiming("self"))
@RELAXED
@given(data=st.data())
def test_gold_against_itself_is_more_than_nothing(name, data):
    metric = find(name)
    gold = data.draw(documents(metric))
    within = metric.members[0].within
    if has_something(gold if within is None else gold[within]):
        assert all(number > 0 for part in best(metric, gold) for number in part)


@pytest.mark.parametrize("name", claiming("perfect"))
def test_the_example_has_what_is_counted(name):
    assert all(number > 0 for part in best(find(name), DEFINITIONS[name].example) for number in part)


def best(metric, gold):
    """The counts of gold against itself, of the member that has most."""
    return max(ratios(metric, metric.observe(gold, gold)))


@pytest.mark.parametrize("name", claiming("order"))
@RELAXED
@given(data=st.data(), seed=st.integers(0, 1000))
def test_the_order_of_elements_does_not_matter(name, data, seed):
    metric = find(name)
    gold, system = data.draw(documents(metric)), data.draw(documents(metric))
    shuffled = fitting.shuffled(metric.members[0].precision, system, random.Random(seed))
    before, after = metric.observe(gold, system).counts, metric.observe(gold, shuffled).counts
    assert after == pytest.approx(before, abs=1e-12)


@pytest.mark.parametrize("name", claiming("swap"))
@RELAXED
@given(data=st.data())
def test_swapping_gold_and_system_swaps_precision_and_recall(name, data):
    metric = find(name)
    gold, system = data.draw(documents(metric)), data.draw(documents(metric))
    forward, back = metric.observe(gold, system), metric.observe(system, gold)
    for (p, r), (p_back, r_back) in zip(ratios(metric, forward), ratios(metric, back), strict=True):
        assert p == pytest.approx(r_back, abs=1e-12)
        assert r == pytest.approx(p_back, abs=1e-12)


@pytest.mark.parametrize("name", claiming("rename"))
@RELAXED
@given(data=st.data())
def test_names_mean_nothing(name, data):
    metric = find(name)
    gold, system = data.draw(documents(metric)), data.draw(documents(metric))
    before = metric.observe(gold, system).counts
    assert metric.observe(fitting.renamed(gold), fitting.renamed(system)).counts == pytest.approx(before, abs=1e-12)


@pytest.mark.parametrize("name", claiming("bounded"))
@RELAXED
@given(data=st.data())
def test_no_score_is_above_one(name, data):
    metric = find(name)
    gold, system = data.draw(documents(metric)), data.draw(documents(metric))
    for (p_num, p_den), (r_num, r_den) in ratios(metric, metric.observe(gold, system)):
        assert -1e-12 <= p_num <= p_den + 1e-12
        assert -1e-12 <= r_num <= r_den + 1e-12


@pytest.mark.parametrize("name", claiming("pooled"))
@RELAXED
@given(data=st.data(), count=st.integers(1, 4), seed=st.integers(0, 1000))
def test_pooled_is_the_sum_of_parts_in_any_order(name, data, count, seed):
    from adjudge.stats.points import Additive
    from adjudge.stats.table import StatsTable

    metric = find(name)
    pairs = [(data.draw(documents(metric)), data.draw(documents(metric))) for _ in range(count)]
    rows = [(f"d{k}", metric.observe(gold, system).counts) for k, (gold, system) in enumerate(pairs)]
    whole = Additive(StatsTable.from_rows(rows, metric.columns), metric.measures).point()
    random.Random(seed).shuffle(rows)
    renamed = [(f"r{k}", counts) for k, (_, counts) in enumerate(rows)]
    again = Additive(StatsTable.from_rows(renamed, metric.columns), metric.measures).point()
    for key, value in whole.items():
        assert again[key] == pytest.approx(value, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("name", sorted(DEFINITIONS))
@RELAXED
@given(data=st.data())
def test_planned_equals_reference(name, data):
    metric = find(name)
    gold, system = data.draw(documents(metric)), data.draw(documents(metric))
    for member in metric.members:
        for node in (member.precision, member.recall):
            if node is not None:
                fast = plan(node).observe(gold, system)
                slow = Reference(node).observe(gold, system)
                assert (fast.value, fast.system, fast.gold) == pytest.approx((slow.value, slow.system, slow.gold))


@pytest.mark.parametrize("name", sorted(DEFINITIONS))
def test_names_round_trip(name):
    metric = find(name)
    assert str(metric) == name
    assert find(str(metric)) == metric
    macro = metric.with_options(pool="macro")
    assert find(str(macro)) == macro
    multi = metric.with_options(conventions=ir.Conventions(duplicates="multiset", empty=1, undefined=None))
    assert find(str(multi)) == multi
    assert multi != metric


@pytest.mark.parametrize("name", sorted(DEFINITIONS))
def test_each_metric_explains_itself_and_fits_its_example(name):
    definition = DEFINITIONS[name]
    metric = find(name)
    assert definition.about.endswith(".")
    assert name in metric.definition()
    assert metric.plan().strip()
    assert definition.example is not None
    assert metric.check(definition.example) == []
    for member in metric.members:
        assert member.check(empty(member.precision)) == []
    assert metric.observe(definition.example, definition.example).optimal
