"""Every metric that a task with code of its own reports is listed by `adjudge metrics`."""

from __future__ import annotations

import json

import pytest

from adjudge.cli.metrics import own_metric
from adjudge.metrics import catalogue
from adjudge.tasks.coref.counts import UD_NAMES
from adjudge.tasks.eal.measures import Settings
from adjudge.tasks.eal.measures import measures as eal_measures
from adjudge.tasks.kbp.discovery import CLUSTERS, SETS
from adjudge.tasks.kbp.graph_scores import graph_measures
from adjudge.tasks.kbp.options import KbOptions
from adjudge.tasks.kbp.query_scoring import query_measures

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
