import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kbp_naive as naive
from adjudge.errors import UsageError
from adjudge.tasks.kbp import engine as engines
from adjudge.tasks.kbp.duck import count_duckdb, installed
from adjudge.tasks.kbp.engine import choose_engine, count_with
from adjudge.tasks.kbp.paths import count_paths, make_facts

SIDES = naive.sides() | naive.sides(labelled=True)
needs_duckdb = pytest.mark.skipif(not installed(), reason="duckdb is not installed")


@needs_duckdb
@given(SIDES, SIDES, st.sampled_from([200, 1 << 24]))  # a partition takes long to set up: few of them
@settings(max_examples=12)
def test_engines_agree(gold, system, block):
    expected = count_paths(gold.facts, system.facts, hops=3)
    assert count_duckdb(gold.facts, system.facts, hops=3, block=block, threads=1) == expected
    assert count_with(gold.facts, system.facts, engine="sparse").exact == expected


@needs_duckdb
def test_joins_take_columns_in_any_order_and_stay_within_memory(tmp_path):
    rng = np.random.default_rng(1)
    columns = [rng.integers(0, n, 4000) for n in (300, 3, 300)]
    gold = make_facts(*columns)
    # A column on disk, with repetitions, as data larger than memory would come.
    mapped = []
    for name, column in zip("sro", columns, strict=True):
        np.save(tmp_path / f"{name}.npy", np.tile(column, 2))
        mapped.append(np.load(tmp_path / f"{name}.npy", mmap_mode="r"))
    loose = gold._replace(subjects=mapped[0], relations=mapped[1], objects=mapped[2])
    found = count_duckdb(loose, gold, hops=2, memory=1 << 27, folder=tmp_path, block=1 << 15)
    assert found == count_paths(gold, gold, hops=2)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["o.npy", "r.npy", "s.npy"]


@needs_duckdb
def test_too_many_sequences_for_joins():
    facts = make_facts([0], [1 << 20], [1])
    with pytest.raises(UsageError, match="too many for DuckDB"):
        count_duckdb(facts, facts, hops=4)


@needs_duckdb
def test_duckdb_by_name():
    facts = make_facts([0, 1], [0, 0], [1, 2])
    found = count_with(facts, facts, hops=2, engine="duckdb")
    assert found.choice.engine == "duckdb"
    assert found.exact == count_paths(facts, facts, hops=2)


def test_without_duckdb_the_way_to_get_it_is_named(monkeypatch):
    monkeypatch.setattr("adjudge.tasks.kbp.duck.installed", lambda: False)
    facts = make_facts([0], [0], [1])
    with pytest.raises(UsageError, match="not installed") as failure:
        count_with(facts, facts, engine="duckdb")
    assert "adjudge[duckdb]" in str(failure.value)


def test_the_choice_and_its_reason(monkeypatch):
    facts = make_facts([0, 1, 2], [0, 0, 0], [1, 2, 0])
    auto = choose_engine(facts, facts)
    assert (auto.engine, auto.exact_hops) == ("sparse", 3)
    assert "at most 6 walks" in auto.reason
    monkeypatch.setattr(engines, "installed", lambda: True)
    assert choose_engine(facts, facts, memory=10).engine == "duckdb"
    monkeypatch.setattr(engines, "installed", lambda: False)
    fallback = choose_engine(facts, facts, memory=10)
    assert fallback.engine == "sparse"
    assert "DuckDB is not installed" in fallback.reason
    for name in ("sparse", "duckdb", "sample"):
        assert "as asked for" in choose_engine(facts, facts, engine=name).reason


def test_hops_with_too_many_walks_are_sampled():
    # 1, 2, 4 walks from each node: two hops fit into the limit, three do not.
    fan = make_facts([0, 0, 1, 1, 2, 2], [0] * 6, [1, 2, 0, 2, 0, 1])
    found = count_with(fan, fan, hops=4, limit=30)
    assert found.choice.engine == "sample"
    assert found.choice.exact_hops == 2
    assert "48 walks of 3 hops" in found.choice.reason
    assert [hop.total for hop in found.exact] == [hop.total for hop in count_paths(fan, fan, hops=2)]
    assert [estimate.hop for estimate in found.estimates] == [3, 4]
    assert found.estimates[0].f1.value == 1.0


def test_sampling_by_name_leaves_the_first_hop_exact():
    fan = make_facts([0, 1], [0, 0], [1, 2])
    found = count_with(fan, fan, hops=2, engine="sample")
    assert (len(found.exact), len(found.estimates)) == (1, 1)


@pytest.mark.parametrize("options", [{"identity": "full"}, {"walks": "simple"}])
def test_what_only_some_engines_can_do(options):
    facts = make_facts([0, 1], [0, 0], [1, 0])
    found = count_with(facts, facts, hops=2, **options)
    assert found.exact == count_paths(facts, facts, hops=2, **options)
    for name in ("duckdb", "sample"):
        with pytest.raises(UsageError, match="endpoints of all walks only"):
            choose_engine(facts, facts, engine=name, **options)


def test_reasons_of_the_other_ways_to_count():
    own = make_facts([0], [0], [1], labels=[0, 1])
    assert "one by one" in choose_engine(own, own, identity="full").reason
    plain = make_facts([0], [0], [1])
    assert "vectors" in choose_engine(plain, plain, identity="full").reason


def test_unknown_engines_are_refused():
    facts = make_facts([0], [0], [1])
    with pytest.raises(UsageError, match="no engine spark") as failure:
        choose_engine(facts, facts, engine="spark")
    assert "sparse" in str(failure.value)
