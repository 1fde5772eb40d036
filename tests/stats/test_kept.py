"""The statistics say what they said: results and their text, influence, agreement, intervals, and what is refused."""

import json
from pathlib import Path

import pytest

import stats_data

EXPECTED = json.loads((Path(__file__).parent / "kept.json").read_text(encoding="utf-8"))
WORK = dict(stats_data.everything())
HOW = "if that is meant: python tests/stats_data.py > tests/stats/kept.json"


def differing(found, kept, path=""):
    """Where two values differ, numbers by more than the last digit that is kept."""
    if isinstance(kept, dict) and isinstance(found, dict):
        for name in dict.fromkeys([*kept, *found]):
            yield from differing(found.get(name, "nothing"), kept.get(name, "nothing"), f"{path}.{name}")
    elif isinstance(kept, list) and isinstance(found, list) and len(kept) == len(found):
        for place, (one, other) in enumerate(zip(found, kept, strict=True)):
            yield from differing(one, other, f"{path}[{place}]")
    elif isinstance(kept, float) and type(found) in (int, float):
        if found != pytest.approx(kept, rel=1e-9, abs=1e-9):
            yield path, found, kept
    elif type(found) is not type(kept) or found != kept:
        yield path, found, kept


def test_the_same_work():
    assert WORK.keys() == EXPECTED.keys(), HOW


@pytest.mark.parametrize("name", list(EXPECTED))
def test_what_is_kept(name):
    assert not list(differing(stats_data.described(WORK[name]), EXPECTED[name])), HOW
