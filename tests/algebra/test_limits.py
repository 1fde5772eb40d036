"""Exactness is never given up silently: a search that runs out of time says so and gives its bound."""

import random

import pytest

from adjudge.algebra import case, exact, f1, graph, latent, record, set_of, total, union, variable
from adjudge.algebra.plan import plan
from adjudge.metrics import Metric


def hard_graph(seed, size=24, labels=2):
    """Many edges, few labels: nothing tells the variables apart but the structure."""
    rng = random.Random(seed)
    return [
        [f"?{a}", rng.choice("rs"[:labels]), f"?{b}"]
        for a in range(size)
        for b in range(size)
        if a != b and rng.random() < 0.25
    ]


name = union(case(variable, prefix="?"), exact)
triples = latent(set_of(record({"0": name, "1": exact, "2": name})))


def test_bound_holds_below_a_ratio():
    """F1 of the bound is a bound of F1: the second pass goes through every level."""
    gold, system = hard_graph(3), hard_graph(4)
    inner = plan(triples, time_limit=1e-6).observe(gold, system)
    outer = plan(f1(triples), time_limit=1e-6).observe(gold, system)
    assert not outer.optimal
    assert outer.value <= outer.bound <= 1
    assert outer.bound == pytest.approx(2 * inner.bound / (len(gold) + len(system)), rel=0.2)


def test_metric_and_result_carry_the_bound(tmp_path):
    from adjudge import score

    metric = Metric(triples, name="graphs", within="triples")
    gold = [{"id": "easy", "triples": [["?a", "r", "?b"]]}, {"id": "hard", "triples": hard_graph(1)}]
    system = [{"id": "easy", "triples": [["?x", "r", "?y"]]}, {"id": "hard", "triples": hard_graph(2)}]
    row = metric.with_options(time_limit=1e-6).observe(gold[1], system[1])
    assert not row.optimal
    assert row.bound["graphs:matched"] > row.counts["graphs:matched"]
    result = score(metric, gold, system, time_limit=1e-6, bootstrap=0)
    scores = {each.part: each for each in result.systems[0].scores}
    assert not scores["f1"].optimal
    assert scores["f1"].value < scores["f1"].bound <= 1
    (note,) = [note for note in result.systems[0].notes if note.code == "not-optimal"]
    assert note.examples == ("hard",)
    assert '"optimal":false' in result.to_json().replace(" ", "")


def test_an_unfinished_search_inside_another_is_not_forgotten():
    """A graph beside variables: its search is cut short, so the whole is unproven, and the bound covers the truth."""
    rng = random.Random(8)

    def value(size):
        edges = [[a, b] for a in range(size) for b in range(a + 1, size) if rng.random() < 0.15]
        graphs = {"nodes": [rng.choice("ab") for _ in range(size)], "edges": edges}
        return {"g": graphs, "s": [{"v": f"?{k}", "c": rng.choice("pq")} for k in range(3)]}

    gold, system = value(26), value(26)
    beside = latent(total(g=graph(exact), s=set_of(record(v=variable, c=exact))))
    seen = plan(beside, time_limit=1e-6).observe(gold, system)
    alone = plan(graph(exact), time_limit=1e-6).observe(gold["g"], system["g"])
    assert not alone.optimal
    assert not seen.optimal
    assert seen.bound >= alone.bound
    times = latent(record(g=graph(exact), s=set_of(record(v=variable, c=exact)), t=set_of(record(v=variable, c=exact))))
    product = plan(times, time_limit=1e-6).observe({**gold, "t": gold["s"]}, {**system, "t": system["s"]})
    assert not product.optimal
    assert product.value <= product.bound
