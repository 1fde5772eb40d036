"""The tables of the proposal for other weights, and as data."""

import pytest

from adjudge.tasks.eal.proposal import ACCURACIES, table_1


def test_weights():
    for row in table_1(beta=0.0, lambda_=1.0):
        assert row.proposed == pytest.approx((row.recall,) * 3)
        assert row.using_f == pytest.approx((row.f1,) * 3)
    for row in table_1(lambda_=0.0):
        assert row.proposed == row.using_f == pytest.approx(tuple(each * row.recall for each in ACCURACIES))
