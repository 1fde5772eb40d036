"""The tables of the proposal for other weights, and as data."""

import json

import pytest

from adjudge.tasks.eal.proposal import ACCURACIES, ceaf_examples, render, table_1, to_data


def test_weights():
    for row in table_1(beta=0.0, lambda_=1.0):
        assert row.proposed == pytest.approx((row.recall,) * 3)
        assert row.using_f == pytest.approx((row.f1,) * 3)
    for row in table_1(lambda_=0.0):
        assert row.proposed == row.using_f == pytest.approx(tuple(each * row.recall for each in ACCURACIES))


def test_counts_give_the_same_cells():
    """A system with 1,000 correct classes, in whole responses."""
    for row in table_1():
        tp = 1000 * row.recall
        fp = tp * (1 - row.precision) / row.precision
        for accuracy, value in zip(ACCURACIES, row.proposed, strict=True):
            assert value == pytest.approx(((tp - fp / 4) / 1000 + accuracy * tp / 1000) / 2)


def test_data_and_text():
    data = json.loads(json.dumps(to_data()))
    assert len(data["table_1"]) * (len(data["accuracies"]) * 2) == 30
    assert [each["name"] for each in data["examples"]] == [each.name for each in ceaf_examples()]
    assert "Ignore_Prec" in render()
    assert "-24.4" in render()
