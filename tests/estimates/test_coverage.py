"""Intervals cover what they say, tests err as often as they say: the simulations of all sections on small sizes."""

import math

import numpy as np
import pytest

import estimate_simulation as simulation
from adjudge.estimates.draw import Plan, draw, pivotal, probabilities
from adjudge.stats.resample import Stream


def check(found, *names):
    for name in names:
        assert found[name].times >= 400
        assert found[name].within(), (name, found[name])


@pytest.mark.parametrize("judge", ["biased", "adversarial"])
@pytest.mark.parametrize("way", ["constant", "judge"])
def test_items(judge, way):
    found = simulation.items("small", 64, way, populations=1, times=400, judge=judge)
    check(found, "precision", "recall", "f1", "difference")


@pytest.mark.parametrize(("way", "sampling"), [("active", "fixed"), ("judge", "poisson")])
def test_other_draws(way, sampling):
    check(simulation.items("small", 80, way, populations=1, times=400, sampling=sampling), "precision", "f1")


def test_a_useless_judge_costs_nothing_and_a_good_one_narrows():
    widths = {
        (judge, way): simulation.items("small", 64, way, populations=1, times=20, judge=judge)["half-width"]
        for judge in ("biased", "flat")
        for way in ("constant", "judge")
    }
    assert widths["flat", "judge"] == pytest.approx(widths["flat", "constant"], rel=0.02)
    assert widths["biased", "judge"] < 0.8 * widths["biased", "constant"]


def test_rounds_of_items():
    check(simulation.rounds(times=400, kind="small", size=40), "precision", "recall", "f1")


@pytest.mark.parametrize("judged", [False, True])
def test_documents_assessed_whole(judged):
    check(simulation.whole("mixed", 20, judged, populations=1, times=400), "argument", "link", "argument difference")


def test_rounds_of_whole_documents():
    check(simulation.whole("mixed", 12, True, populations=1, times=400, rounds=2), "argument", "link")


def test_documents_as_a_sample():
    check(simulation.sampled_items("even", 14, times=400), "f1", "difference")
    check(simulation.sampled_whole("small", 12, True, times=400), "argument", "link")


def test_systems_of_one_f1_are_not_told_apart_by_what_was_read():
    assert simulation.equal_items("unlike", 80, "judge", populations=1, times=400)["alarms"].within(0.0, 0.06)


@pytest.mark.slow
@pytest.mark.parametrize("kind", simulation.EQUAL)
def test_false_alarms_of_estimates_and_of_judges(kind):
    assert simulation.equal_items(kind, 80, "judge")["alarms"].within(0.0, 0.06)
    assert simulation.equal_whole(kind, 20, judged=True, populations=2)["alarms"].within(0.0, 0.06)
    assert simulation.equal_sampled(kind, 20, 2000)["alarms"].within(0.0, 0.06)
    assert simulation.fair_judge(kind, 80, times=2000)["alarms"].within(0.0, 0.06)


def test_clusters_vary_together():
    found = simulation.clusters(30, 4, times=400)
    check(found, "clusters")
    assert found["ignored"].value < 0.85


def test_runs_vary_too():
    found = simulation.runs(4, 50, times=400)
    check(found, "both")
    assert found["one run"].value < found["documents"].value < found["both"].value
    assert found["alarms"].value < 0.08


def test_sets_of_ranks_hold_all_at_once():
    assert simulation.estimated_ranks(80, populations=1, times=400)["all ranks"].within(0.93, 1.0)
    assert simulation.ranks(4, 25, 0.0, times=400, resamples=300)["all ranks"].within(0.93, 1.0)


def test_plans_reach_their_power():
    assert simulation.power(0.2, 0.05, times=1000)["power"].value == pytest.approx(0.8, abs=0.03)


def test_samples_have_their_size_and_probabilities():
    chances = probabilities([1, 5, 2, 8, 1, 3, 9], 3)
    drawn, times = np.zeros(7), 3000
    for seed in range(times):
        chosen = pivotal(chances, Stream(seed))
        assert chosen.sum() == 3
        drawn += chosen
    errors = np.sqrt(chances * (1 - chances) / times)
    assert (np.abs(drawn / times - chances) < 4 * errors + 1e-9).all()
    units = [f"x{at:02}" for at in range(20)]
    counts = dict.fromkeys(units, 0)
    for seed in range(1000):
        rows = draw(units, Plan(5, seed=seed))
        assert sum(row.drawn for row in rows) == 5
        for row in rows:
            counts[row.id] += row.drawn
    assert all(abs(number / 1000 - 0.25) < 4 * math.sqrt(0.25 * 0.75 / 1000) for number in counts.values())
