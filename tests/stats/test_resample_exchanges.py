"""Few documents have few exchanges, each of which is counted once, however often it is drawn."""

import time

import numpy as np
import pytest

from adjudge.stats import resample
from adjudge.stats.measure import Prf
from adjudge.stats.points import Additive
from adjudge.stats.table import StatsTable

MEASURES = (Prf("x", ("tp", "s"), ("tp", "g")),)


def systems(number, documents, seed):
    rng = np.random.default_rng(seed)
    names = tuple(f"d{at:02}" for at in range(documents))
    gold = rng.integers(1, 9, documents)
    found = {}
    for at in range(number):
        tp = rng.binomial(gold, 0.3 + 0.4 * rng.random())
        rows = np.stack([tp, tp + rng.integers(0, 4, documents), gold], axis=1)
        found[f"S{at}"] = Additive(StatsTable(names, ("tp", "s", "g"), rows.tolist()), MEASURES)
    return found


@pytest.mark.parametrize("documents", [2, 3, 5, 8])
def test_p_is_that_of_every_trial_counted_by_itself(documents, monkeypatch):
    found = systems(4, documents, documents)
    keys = [("x", "f1"), ("x", "precision")]
    once = resample.randomisation(found, keys, trials=700, seed=5)
    monkeypatch.setattr(resample, "_distinct", lambda drawn, trials, size: (drawn, None))
    assert once == resample.randomisation(found, keys, trials=700, seed=5)


def test_sixty_systems_on_seven_documents_take_no_longer_than_their_exchanges():
    began = time.process_time()
    resample.randomisation(systems(60, 7, 1), [("x", "f1")], trials=100_000, seed=5)
    assert time.process_time() - began < 10  # every trial by itself: minutes
