"""Estimates against numbers of an independent implementation (golden/estimates.json)."""

import json
from pathlib import Path

import numpy as np
import pytest

from adjudge.estimates.api import estimate
from adjudge.estimates.assessors import dawid_skene, least_distance
from adjudge.estimates.beyond import Exhaustive, f1_beyond, recall_beyond, share_in_pool
from adjudge.estimates.bounds import Clipped, Pair, clip_bounds, difference_bounds
from adjudge.estimates.design import Design, Round
from adjudge.estimates.documents import Counted, estimate_documents
from adjudge.estimates.draw import probabilities
from adjudge.estimates.judge import judge_report
from adjudge.estimates.planning import documents_with_runs, labels_needed
from adjudge.estimates.pool import Drawn, Item, Pool
from adjudge.estimates.rows import How
from adjudge.stats.intervals import Parts, jackknife_error, score_interval, student_interval
from adjudge.stats.measure import Ratio
from adjudge.stats.points import Additive
from adjudge.stats.power import detectable, documents_needed
from adjudge.stats.ranking import critical_value, ranges_at, rank_sets
from adjudge.stats.runs import Runs
from adjudge.stats.table import StatsTable

CASES = json.loads((Path(__file__).parent.parent / "golden" / "estimates.json").read_text(encoding="utf-8"))["cases"]
RATIO = (Ratio("x", "score", (("matched", 1.0),), (("of", 1.0),)),)
KEY = ("x", "score")
close = pytest.approx


def cases(kind):
    found = [case for case in CASES if case["kind"] == kind]
    assert found
    return pytest.mark.parametrize(("given", "expect"), [(each["given"], each["expect"]) for each in found])


def pool_of(given):
    return [{"id": x["id"], "document": x.get("doc", ""), "systems": x["S"], "judge": x["g"]} for x in given["pool"]]


def labels_of(given):
    return [{"id": x["id"], "verdict": x["f"]} for x in given["pool"] if x["f"] is not None]


def design_of(given):
    rows = [Drawn(id=x["id"], probability=x["p"], drawn=x["drawn"], stratum=x.get("h")) for x in given["pool"]]
    return Design((Round(size=sum(x.drawn for x in rows), sampling=given.get("design", "fixed")),), tuple(rows))


def rows_equal(found, expected, names):
    for row in found.scores:
        wanted = expected["scores"][row.system][row.part]
        value = row.value if row.uncut is None else row.uncut
        assert value == close(wanted["value"], rel=1e-9)
        assert row.value == close(wanted.get("printed", row.value), rel=1e-9)
        for name in names:
            assert getattr(row, name) == close(wanted[name], rel=1e-9, abs=1e-12), (row, name)
    for row in found.differences:
        for name, wanted in expected.get("differences", {}).get(f"{row.a}-{row.b}", {}).get(row.part, {}).items():
            assert getattr(row, name) == close(wanted, rel=1e-9), (row, name)


@cases("items")
def test_items(given, expect):
    found = estimate(
        pool_of(given), labels_of(given), design=design_of(given), assist=given["assist"], level=given.get("level")
    )
    rows_equal(found, expect, ("variance", "low", "high", "bounds"))
    assert {row.df for row in found.scores} == {expect.get("df")}
    pseudo = sum(expect.get("pseudo", [found.table["A"].totals["gold"]]))
    assert found.table["A"].totals["gold"] == close(pseudo, rel=1e-9)


@cases("items-documents-sampled")
def test_items_of_sampled_documents(given, expect):
    options = {"assist": given["assist"], "documents": "sample", "level": given["level"]}
    found = estimate(pool_of(given), labels_of(given), design=design_of(given), **options)
    rows_equal(found, expect, ("variance", "low", "high"))
    table = found.table["A"]
    gold = dict(zip(table.ids, (row[2] for row in table.values), strict=True))
    assert gold == close(expect["pseudo_gold"], rel=1e-9)


@cases("rounds")
def test_rounds(given, expect):
    rows = [
        Drawn(id=unit, probability=p, drawn=unit in each["drawn"], round=number)
        for number, each in enumerate(given["rounds"], 1)
        for unit, p in each["probability"].items()
    ]
    rounds = tuple(Round(number=number, size=each["size"]) for number, each in enumerate(given["rounds"], 1))
    found = estimate(pool_of(given), labels_of(given), design=Design(rounds, tuple(rows)), assist=given["assist"])
    f1 = {row.system: row.value if row.uncut is None else row.uncut for row in found.scores if row.part == "f1"}
    assert f1 == close(expect["f1"], rel=1e-9)
    assert found.table["A"].totals["gold"] == close(sum(expect["pseudo"]), rel=1e-9)


@cases("documents")
def test_documents_assessed_whole(given, expect):
    number = given["documents"]
    names = [f"d{at:02}" for at in range(1, number + 1)]
    share = len(given["drawn"]) / number
    rows = tuple(Drawn(id=name, probability=share, drawn=name in given["drawn"]) for name in names)
    design = Design((Round(size=len(given["drawn"]), unit="document"),), rows)
    tables = [
        {}
        if counts is None
        else {name: StatsTable(tuple(own), ("matched", "of"), list(own.values())) for name, own in counts.items()}
        for counts in (given["assessed"], given["judge"])
    ]
    found = estimate_documents(Counted(RATIO, *tables), design, How(level=given["level"]))
    assert found.weight.get("x.score", 0.0) == close(expect["lambda"], rel=1e-9)
    for row in found.scores:
        for name, wanted in expect["scores"][row.system].items():
            assert getattr(row, name) == close(wanted, rel=1e-9)
        assert row.df == expect["df"]
    for row in found.differences:
        for name, wanted in expect["differences"][f"{row.a}-{row.b}"].items():
            assert getattr(row, name) == close(wanted, rel=1e-9)
    sampled = estimate_documents(Counted(RATIO, *tables), design, How(level=given["level"], documents="sample"))
    for row in sampled.scores:
        if "documents_sampled" in expect:
            assert row.variance == close(expect["documents_sampled"][row.system]["variance"], rel=1e-9)


@cases("probabilities")
def test_probabilities(given, expect):
    assert probabilities(*given.values()).tolist() == close(expect["probability"], rel=1e-9)


@cases("clip-bounds")
def test_bounds_of_clipped_scores(given, expect):
    documents = [Clipped(*each.values()) for each in given["documents"]]
    assert clip_bounds(documents, given["beta"]) == close((expect["low"], expect["high"]), rel=1e-9)


@cases("difference-bounds")
def test_bounds_of_differences(given, expect):
    pair = Pair(
        (given["tp_a"], given["tp_b"]), (given["n_a"], given["n_b"]), given["gold"], *given["unassessed"].values()
    )
    assert difference_bounds(pair) == close((expect["low"], expect["high"]), rel=1e-9)


@cases("beyond")
def test_recall_beyond_the_pool(given, expect):
    share = share_in_pool([Exhaustive(each["in_pool"], each["all"]) for each in given["exhaustive"]])
    assert share[:2] == close((expect["theta"], expect["theta_variance"]), rel=1e-9)
    recall = recall_beyond(given["recall"], given["variance"], share)
    assert recall == close((expect["recall"], expect["recall_variance"]), rel=1e-9)
    f1 = f1_beyond(given["tp"], given["gold"], given["system"], share, 0.0)
    assert f1.value == close(expect["f1"], rel=1e-9)


@cases("judge")
def test_judge(given, expect):
    pool = Pool(tuple(Item(id=x["id"], document=x["doc"], systems=tuple(x["S"]), judge=x["g"]) for x in given["pool"]))
    verdicts = {x["id"]: float(x["f"]) for x in given["pool"] if x["f"] is not None}
    found = judge_report(pool, design_of(given), verdicts)
    whole = {row.measure: row.value for row in found.agreement if row.scope == "pool"}
    assert whole == close({name: expect[name] for name in whole}, rel=1e-9)
    assert {each.system: each.value for each in found.bias} == close(expect["bias"], rel=1e-9)
    assert found.saved == close(expect["saved"], rel=1e-9)


@cases("plan")
def test_documents_for_a_difference(given, expect):
    assert documents_needed(given.pop("sd"), given.pop("difference"), **given) == expect["documents"]


@cases("mdd")
def test_detectable(given, expect):
    assert detectable(given["se"], given["documents"]) == close(expect["mdd"], rel=1e-9)


@cases("plan-labels")
def test_labels_for_a_width(given, expect):
    needed = labels_needed(given["variance"], given["assessed"], given["pool"], given["half_width"], level=0.95)
    assert needed == expect["labels"]


@cases("plan-runs")
def test_documents_with_runs(given, expect):
    within, runs = (given["sigma2_a"], given["sigma2_b"]), (given["runs_a"], given["runs_b"])
    needed = documents_with_runs(given["omega2"], within, runs, given["difference"], alpha=0.05, power=0.8)
    assert needed == expect["documents"]


@cases("clusters")
def test_clusters(given, expect):
    documents = given["documents"]
    rows = [[each["matched"], each["of"]] for each in documents]
    table = StatsTable(tuple(f"d{at}" for at in range(len(rows))), ("matched", "of"), rows)
    errors = []
    for clusters in (None, tuple(each["cluster"] for each in documents)):
        counts = Additive(table, RATIO, clusters=clusters)
        parts = Parts(counts.point()[KEY], counts.left_out()[KEY], np.empty(0))
        errors.append(jackknife_error(parts))
    assert errors == close([expect["se_documents"], expect["se_clusters"]], rel=1e-9)
    assert score_interval(parts, "jackknife", level=0.95)[:2] == close((expect["low"], expect["high"]), rel=1e-9)


@cases("runs")
def test_runs(given, expect):
    matched, of = (np.array([[d[name] for d in run] for run in given["runs"]], float).T for name in ("matched", "of"))
    runs = Runs.of(matched.sum(0) / of.sum(0), (matched.sum(0) - matched) / (of.sum(0) - of))
    spread = runs.spread()
    assert spread[:3] == close((expect["v_documents"], expect["v_runs"], expect["v_both"]), rel=1e-9)
    assert (runs.value, spread.variance, spread.df) == close((expect["value"], expect["variance"], expect["df"]))
    ends = student_interval(runs.value, spread.variance**0.5, spread.df, level=0.95, signed=True)
    assert ends[:2] == close((expect["low"], expect["high"]), rel=1e-9)


@cases("dawid-skene")
def test_assessors(given, expect):
    found = dawid_skene(given["labels"], given["classes"])
    assert np.array(found.posterior) == close(np.array(expect["posterior"]), abs=1e-9)
    assert found.prior == close(expect["prior"], abs=1e-9)
    for name, rows in expect["confusion"].items():
        assert np.array(found.confusion[name]) == close(np.array(rows), abs=1e-9)
    assert list(found.verdicts) == expect["verdicts"]


@cases("least-distance")
def test_least_distance(given, expect):
    from adjudge import coref

    def clusters(chains):
        return [{"id": "d", "clusters": [[["wxyz".index(name)] * 2 for name in chain] for chain in chains]}]

    def score(gold, system):
        return coref.score(clusters(gold), clusters(system), bootstrap=0)[given["metric"]].f1

    chosen, means = least_distance(given["annotations"], score)
    assert chosen == expect["chosen"]
    assert means == close(expect["expected_distance"], rel=1e-9)


@cases("rank-sets")
def test_rank_sets(given, expect):
    if "critical" in given:
        scores = np.array(given["scores"])
        found = ranges_at(scores[:, None] - scores, np.array(given["se"]), given["critical"])
        assert [list(each) for each in found] == expect["ranks"]
        return
    rows, weights = np.array(given["scores_by_document"]), np.array(given["weights"], float)
    means, number = rows.mean(axis=0), len(rows)
    left = (rows.sum(axis=0) - rows) / (number - 1)
    drawn = weights @ rows / weights.sum(axis=1, keepdims=True)
    parts = {at: Parts(means[at], left[:, at], drawn[:, at]) for at in range(3)}
    assert [list(each) for each in rank_sets(parts, given["level"]).values()] == expect["ranks"]
    largest = np.zeros(len(drawn))
    for i, j in ((0, 1), (0, 2), (1, 2)):
        apart = drawn[:, i] - drawn[:, j] - (means[i] - means[j])
        largest = np.maximum(largest, np.abs(apart) / expect["se"][i][j])
    assert critical_value(largest, number, given["level"]) == close(expect["critical"], rel=1e-9)
