import pytest

from adjudge.errors import UsageError
from adjudge.tasks.kbp import counting
from adjudge.tasks.kbp.facts import make_facts


def choose_engine(gold, system, identity="endpoints", **how):
    return counting.choose_engine(gold, system, way=counting.Variant("", identity, False, 1), **how)


def test_the_choice_and_its_reason():
    facts = make_facts([0, 1, 2], [0, 0, 0], [1, 2, 0])
    auto = choose_engine(facts, facts)
    assert (auto.engine, auto.exact_hops) == ("sparse", 3)
    assert "at most 6 walks" in auto.reason
    for name in ("sparse", "sample"):
        assert "as asked for" in choose_engine(facts, facts, engine=name).reason


def test_hops_with_too_many_walks_are_sampled(monkeypatch):
    monkeypatch.setattr(counting, "WALKS", 30)
    # 1, 2, 4 walks from each node: two hops fit into the limit, three do not.
    fan = make_facts([0, 0, 1, 1, 2, 2], [0] * 6, [1, 2, 0, 2, 0, 1])
    found = choose_engine(fan, fan, hops=4)
    assert (found.engine, found.exact_hops) == ("sample", 2)
    assert "48 walks of 3 hops" in found.reason


def test_sampling_by_name_leaves_the_first_hop_exact():
    fan = make_facts([0, 1], [0, 0], [1, 2])
    assert choose_engine(fan, fan, hops=2, engine="sample").exact_hops == 1


@pytest.mark.parametrize("options", [{"identity": "full"}, {"walks": "simple"}])
def test_what_only_some_engines_can_do(options):
    facts = make_facts([0, 1], [0, 0], [1, 0])
    assert choose_engine(facts, facts, hops=2, **options).engine == "sparse"
    with pytest.raises(UsageError, match="endpoints of all walks only"):
        choose_engine(facts, facts, engine="sample", **options)


def test_reasons_of_the_other_ways_to_count():
    own = make_facts([0], [0], [1], labels=[0, 1])
    assert "one by one" in choose_engine(own, own, identity="full").reason
    plain = make_facts([0], [0], [1])
    assert "vectors" in choose_engine(plain, plain, identity="full").reason
