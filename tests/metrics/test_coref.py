"""The metrics as expressions of the algebra give the numbers of the fused counts."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fitting
from adjudge.errors import UsageError
from adjudge.metrics import find
from adjudge.stats.points import points
from adjudge.tasks.chosen import as_metrics
from adjudge.tasks.coref.counts import COLUMNS, NAMES, count
from adjudge.tasks.coref.settings import METRICS, measures_of
from adjudge.tasks.scoring import score

PARTITIONS = fitting.partitions()


def tuples(clusters):
    return [[tuple(mention) for mention in cluster] for cluster in clusters]


@settings(deadline=None, max_examples=75)
@given(PARTITIONS, PARTITIONS)
def test_the_algebra_counts_what_the_fused_pass_counts(gold, system):
    fused = dict(zip(COLUMNS, count(tuples(gold), tuples(system)), strict=True))
    seen = {}
    for name in ("mentions", "muc", "b3", "ceafm", "ceafe", "lea", "blanc"):
        seen |= find(f"coref.{name}").observe({"clusters": gold}, {"clusters": system}).counts
    assert seen.keys() == fused.keys()
    assert seen == pytest.approx(fused, abs=1e-12)


@settings(deadline=None, max_examples=50)
@given(PARTITIONS, PARTITIONS, st.sampled_from(["2014", "8.01"]))
def test_scores_of_catalogue_and_task_agree(gold, system, rule):
    totals = dict(zip(COLUMNS, count(tuples(gold), tuples(system)), strict=True))
    wanted = points(measures_of(METRICS, rule), totals)
    for name in METRICS:
        text = f"coref.{name}(rule={rule})" if name in ("blanc", "kbp") else f"coref.{name}"
        for part, value in find(text).score(gold, system).items():
            assert value == pytest.approx(wanted[f"coref.{name}", part], abs=1e-12), (name, part)


def test_an_average_and_its_parts_stand_in_one_result():
    gold = [{"id": "d", "clusters": [["a", "b"], ["c", "d"]]}, {"id": "e", "clusters": [["a"], ["b", "c"]]}]
    system = [{"id": "d", "clusters": [["a", "b", "c"], ["d"]]}, {"id": "e", "clusters": [["a"], ["b", "c"]]}]
    result = score("coref.muc, coref.conll, coref.kbp, coref.blanc", gold, system, bootstrap=0)
    parts = [result[f"coref.{name}"].f1 for name in ("muc", "b3", "ceafe", "blanc")]
    assert result["coref.conll"].f1 == pytest.approx(sum(parts[:3]) / 3)
    assert result["coref.kbp"].f1 == pytest.approx(sum(parts) / 4)
    assert len(as_metrics("coref.kbp")[0].members) == 6


def test_columns_have_the_names_of_the_task():
    for name, columns in NAMES.items():
        if not name.startswith("coref.blanc"):
            assert find(name).columns == tuple(f"{name}:{column}" for column in columns)


@pytest.mark.parametrize(
    ("gold", "system", "paper", "perl"),
    [
        ([["a"]], [["a"]], 1.0, 0.0),
        ([["a"]], [["b"]], 0.0, 0.0),
        ([], [], 1.0, 0.0),
        ([["a", "b"]], [["a", "b"]], 1.0, 1.0),
        ([["a", "b", "c"]], [["a", "b"], ["c"]], 0.25, 0.5),
        ([["a"], ["b"]], [["a"], ["b"]], 1.0, 1.0),
        ([["a"], ["b"], ["c"]], [["a", "b"], ["c"]], 0.4, 0.8),
    ],
)
def test_blanc_at_its_edges(gold, system, paper, perl):
    assert find("coref.blanc").score(gold, system).f1 == pytest.approx(paper)
    assert find("coref.blanc(rule=8.01)").score(gold, system).f1 == pytest.approx(perl)


def test_an_unknown_rule_is_refused():
    with pytest.raises(UsageError, match="no rule 1999"):
        find("coref.blanc(rule=1999)")
