"""The examples in the house are true."""

import doctest
from importlib import import_module

import pytest


@pytest.mark.parametrize("module", ["fit", "measure", "rows", "table"])
def test_examples(module):
    found = doctest.testmod(import_module(f"benchmarks.house.{module}"))
    assert found.attempted
    assert not found.failed
