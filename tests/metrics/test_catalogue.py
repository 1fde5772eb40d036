"""The catalogue is what it was: what a metric compares, reports and counts changes only when somebody means it to."""

import json
from pathlib import Path

import pytest

import catalogue_data
from adjudge.metrics import catalogue

EXPECTED = json.loads((Path(__file__).parent / "catalogue.json").read_text(encoding="utf-8"))
HOW = "if that is meant: python tests/catalogue_data.py > tests/metrics/catalogue.json"


def test_the_same_metrics():
    assert [definition.name for definition in catalogue()] == sorted(EXPECTED), HOW


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_a_metric_is_what_it_was(name):
    (definition,) = (each for each in catalogue() if each.name == name)
    found = catalogue_data.plain(catalogue_data.described(definition))
    for key, value in EXPECTED[name].items():
        assert found[key] == value, f"{name}: {key} has changed; {HOW}"
    assert found.keys() == EXPECTED[name].keys()
