"""Every metric that a task with code of its own reports is listed by `adjudge metrics`."""

from __future__ import annotations

import json
import re

import pytest

import adjudge as aj
from adjudge.errors import UsageError
from adjudge.metrics import catalogue
from adjudge.tasks.coref.counts import UD_NAMES
from adjudge.tasks.eal.measures import Settings
from adjudge.tasks.eal.measures import measures as eal_measures
from adjudge.tasks.kbp.discovery import CLUSTERS, SETS
from adjudge.tasks.kbp.graph_scores import graph_measures
from adjudge.tasks.kbp.options import KbOptions
from adjudge.tasks.kbp.query_measures import query_measures
from adjudge.tasks.own_metrics import how_to_score, own_metric

CHECKED = [f"{name}:known" for name in ("conformance.relation", "conformance.range", "hallucination.object")]
REPORTED = {
    "coref": [*UD_NAMES, "coref.crac"],
    "eal": [each.name for each in eal_measures(Settings())],
    "discovery": [*SETS, *CLUSTERS],
    "graph": [each.name for each in graph_measures(KbOptions(hops=2, graph=True), checked=CHECKED)],
    "query": [each.name for each in query_measures(2)],
    "kbp": ["kbp.hop2", "kbp.hop3.full", "kbp.hop1.system", "kbp.hops"],
}


@pytest.mark.parametrize("task", REPORTED)
def test_every_reported_metric_is_listed(task):
    known = {each.name for each in catalogue()} | {"coref.blanc.coref", "coref.blanc.noncoref"}  # parts of coref.blanc
    assert not [each for each in REPORTED[task] if not own_metric(each) and each not in known]


def test_a_metric_of_a_task_names_its_command(adjudge):
    assert "Computed by:  adjudge coref score KEY SYSTEM --profile corefud" in adjudge("metrics", "coref.zero").out
    assert json.loads(adjudge("metrics", "kbp.hop2", "--format", "json").out)[0]["command"].startswith("adjudge kbp")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("kbp.hop2", 'score("kbp", gold, system, hops=2)["kbp.hop2"], or run adjudge kbp score GOLD SYSTEM --hops 2'),
        ("kbp.triples", 'score("kbp", gold, system, graph=True)["kbp.triples"]'),
    ],
)
def test_what_only_a_result_has_is_an_error_that_says_what_to_write(name, said):
    gold, system = [("a", "r", "b"), ("b", "s", "c")], [("a", "r", "b")]
    with pytest.raises(UsageError, match=re.escape(said)):
        aj.score(name, gold, system)
    call = re.search(r"write (.*\]), or run", how_to_score(name))[1]
    assert eval(f"aj.{call}", {"aj": aj, "gold": gold, "system": system}).recall == (0.5 if "hop" not in name else 0)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("coref.mor", 'profile="corefud")["coref.mor"]'),
        ("coref.blanc.coref", 'score("coref", gold, system)["coref.blanc.coref"]'),
        ("coref.crac", "run adjudge coref score KEY_FOLDER"),
        ("eal.overall", "frames=FRAMES"),
        ("nugget.span.macro", 'score("nugget", gold, system)'),
        ("kbp.query.macro", "run adjudge kbp query"),
    ],
)
def test_tasks_are_named_for_all_their_metrics(adjudge, name, said):
    assert said in (error := adjudge("score", name, "gold", "system").err)
    assert f"{name} is scored by its task alone" in error
