"""What the documentation says of intervals and tests, checked by simulation; about five minutes, hence not by default.

Shares over N corpora are uncertain themselves: 0.9 over 500 has a standard error of 1.3 points, over 200 of 2.1, and
0.05 over 1500 one of 0.6 points.
"""

import pytest

import kbp_simulation
from adjudge.model.kbp import TripleNames, TripleTable
from adjudge.stats.scores import POOL, How, headline_keys, pair_comparisons, sampled
from adjudge.tasks.kbp.scoring import score_triples
from kbp_simulation import LEVEL

# Corpora of so many documents, and so many of them.
CASES = [(100, 500), (300, 200)]


@pytest.fixture(scope="module", params=CASES, ids=["100 documents", "300 documents"])
def shares(request):
    return kbp_simulation.simulate(*request.param, exchange=False)


def test_the_simulation_judges_as_scoring_does():
    names = TripleNames()
    gold, one, other = (TripleTable(names) for _ in range(3))
    for table, rows in zip((gold, one, other), kbp_simulation.corpus(40, 5), strict=True):
        for place, (s, r, o) in enumerate(rows.tolist()):
            # The number of a document is its place in the order of names.
            table.add(f"e{s}", f"r{r}", f"e{o}", f"d{place // kbp_simulation.PER_DOCUMENT:03}")
    how = {"ci": 0.9, "box": True, "seed": 5, "identity": "endpoints", "bootstrap": 100, "test": "randomisation"}
    result = score_triples(gold, {"A": one, "B": other}, **how)
    assert "eager-test" not in {note.code for note in result.notes}
    eager = score_triples(gold, {"A": one, "B": other}, bootstrap=20, test="centred")
    assert "eager-test" in {note.code for note in eager.notes}
    tests = {}
    for interval, test in (("jackknife", "jackknife"), ("percentile", "bootstrap"), ("centred", "centred")):
        how = How(POOL, interval, test, 0.9)
        both = {system.name: sampled(result.measures, system.samples[0], how) for system in result.systems}
        found = pair_comparisons(both, headline_keys(result.measures), how, {}, None)
        tests[test] = {each.metric: each.p for each in found}
    tests["randomisation"] = {each.metric: each.p for each in result.comparisons}
    for hop, judged in kbp_simulation.judge(40, 5, resamples=100).items():
        metric = f"kbp.hop{hop}"
        f1, yours = (
            next(s for s in system.scores if (s.metric, s.part) == (metric, "f1") and not s.slice)
            for system in result.systems
        )
        assert judged.f1 == pytest.approx(f1.value, abs=1e-12)
        assert judged.error == pytest.approx(f1.uncertainty.error, rel=1e-9)
        assert judged.intervals.keys() == f1.uncertainty.intervals.keys()
        for method, interval in judged.intervals.items():
            assert interval == pytest.approx(f1.uncertainty.intervals[method], rel=1e-9), method
        boxes = [each.uncertainty.box for each in (f1, yours)]
        assert judged.apart == (boxes[0].notch_high < boxes[1].notch_low or boxes[1].notch_high < boxes[0].notch_low)
        for test, p in judged.p.items():
            assert p == pytest.approx(tests[test][metric], rel=1e-9), test


@pytest.mark.slow
@pytest.mark.parametrize("hop", [1, 2, 3])
def test_default_intervals_cover_what_they_say(shares, hop):
    assert shares.coverage["jackknife", hop] == pytest.approx(0.9, abs=0.05)
    assert shares.coverage["default", hop] == pytest.approx(LEVEL, abs=0.05)


@pytest.mark.slow
@pytest.mark.parametrize("hop", [1, 2, 3])
def test_the_jackknife_test_keeps_its_level(shares, hop):
    assert shares.alarms["jackknife", hop] <= 0.07


@pytest.mark.slow
def test_resampled_differences_are_too_eager_as_the_note_says(shares):
    assert all(0.08 < shares.alarms[test, 1] < 0.2 for test in ("bootstrap", "centred"))


@pytest.mark.slow
@pytest.mark.parametrize("hop", [2, 3])
def test_the_percentile_interval_of_the_paper_does_not_cover(shares, hop):
    assert shares.coverage["percentile", hop] < 0.7
    assert shares.inside[hop] < 0.7


@pytest.mark.slow
@pytest.mark.parametrize("hop", [1, 2, 3])
def test_notches_are_no_test(shares, hop):
    assert shares.alarms["notch", hop] > 0.8


@pytest.mark.slow
def test_forty_documents():
    found = kbp_simulation.simulate(40, 600, resamples=0, exchange=False)
    for hop in (1, 2, 3):
        assert 0.93 <= found.coverage["default", hop] <= 0.98, (hop, found.coverage)
        assert found.alarms["jackknife", hop] <= 0.07


@pytest.mark.slow
def test_systems_of_one_f1_and_two_precisions_are_not_told_apart():
    found = kbp_simulation.unlike_alarms(40, 700)
    assert max(found.values()) <= 0.07, found


@pytest.mark.slow
def test_randomisation_keeps_its_level_on_paths():
    found = [kbp_simulation.judge(40, number, resamples=200) for number in range(300)]
    for hop in (1, 2, 3):
        alarms = sum(each[hop].p["randomisation"] < 0.05 for each in found) / len(found)
        assert alarms <= 0.085, (hop, alarms)


@pytest.mark.slow
def test_default_intervals_where_paths_are_rare():
    found = kbp_simulation.simulate(100, 1000, entities=1500, resamples=0, exchange=False)
    for hop in (1, 2, 3):
        assert found.coverage["jackknife", hop] == pytest.approx(0.9, abs=0.05)
        assert found.coverage["default", hop] == pytest.approx(LEVEL, abs=0.05)
