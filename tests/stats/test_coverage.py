"""What is said of intervals and tests of scores that add over documents, checked by simulation; not run by default.

Shares over N corpora are uncertain themselves: 0.95 over 1000 has a standard error of 0.7 points, 0.05 over 1500 one of
0.6 points.
"""

from __future__ import annotations

import pytest

from estimate_simulation import alarms, labelled


def coverage(*args, **how):
    return labelled(*args, **how)["f1"].value


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["even", "skewed", "rare"])
@pytest.mark.parametrize("documents", [6, 10, 20])
def test_small_corpora_are_covered(kind, documents):
    assert 0.915 <= coverage(kind, documents, 1000) <= 0.975


@pytest.mark.slow
def test_percentiles_do_not_cover_small_corpora():
    assert coverage("skewed", 6, 500, interval="percentile", bootstrap=500) < 0.9


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["even", "skewed", "rare"])
def test_the_default_covers_large_corpora(kind):
    assert 0.925 <= coverage(kind, 150, 600, bootstrap=1000) <= 0.975


@pytest.mark.slow
@pytest.mark.parametrize("pair", ["like", "unlike"])
@pytest.mark.parametrize(("documents", "test"), [(10, "auto"), (40, "auto"), (40, "randomisation"), (120, "auto")])
def test_equal_systems_are_rarely_told_apart(pair, documents, test):
    found = alarms("skewed" if pair == "like" else pair, documents, 1000, test=test, bootstrap=500)["alarms"].value
    assert found <= 0.07, found
