"""JSONDiff of autoevals 0.4.1: the mean similarity of the values at the same places of two JSON values.

Departures from `record.fields`:

- Lists are compared by position: the same lines in another order are wrong.
- Every number is close to every other of similar size: 1815 for 1912 earns .974, prices on the wrong lines .809, birth
  years on the wrong people .991. A number against a text earns what their letters share: `"5"` for 5 .333.
- A key that is null on both sides earns 1; texts are compared with their case and spacing.
- The mean is taken at every level, so that a field of the document weighs as much as a whole list of lines.
"""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

from adjudge.scorers import Published, Scorer
from adjudge.scorers.shared import averaged, read_records, sum_in_order


def run(gold: Any, system: Any) -> Published:
    """The mean of the documents' scores."""
    return averaged("JSONDiff", read_records(gold, system), jsondiff)


def jsondiff(gold: Any, system: Any) -> float:
    """The score of two values.

    >>> jsondiff({"name": "Ada", "born": 1815}, {"name": "Ada", "born": 1912})
    0.986...
    """
    ours, theirs = _parsed(gold), _parsed(system)
    if isinstance(ours, dict) and isinstance(theirs, dict):
        keys = list(dict.fromkeys((*ours, *theirs)))
        return _mean([jsondiff(ours.get(key), theirs.get(key)) for key in keys], len(keys))
    if isinstance(ours, list) and isinstance(theirs, list):
        return _mean(list(map(jsondiff, ours, theirs)), max(len(ours), len(theirs)))
    if ours is None or theirs is None:
        return float(ours is theirs)
    if isinstance(ours, int | float) and isinstance(theirs, int | float):
        try:
            size = abs(ours) + abs(theirs)
            return 1 - abs(ours - theirs) / size if size else 1.0
        except OverflowError:  # one is too large for the other's kind of numbers
            return float(1 - abs(Fraction(ours) - Fraction(theirs)) / (abs(Fraction(ours)) + abs(Fraction(theirs))))
    if isinstance(ours, str) and isinstance(theirs, str):
        return _similarity(ours, theirs)
    return _similarity(*(json.dumps(each, separators=(",", ":"), sort_keys=True) for each in (ours, theirs)))


def _parsed(value: Any) -> Any:
    """A text that is a JSON object or list is that value."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value


def _mean(scores: list[float], number: int) -> float:
    return sum_in_order(scores) / number if number else 1.0


def _similarity(gold: str, system: str) -> float:
    from adjudge.algebra.edit_distance import levenshtein

    longer = max(len(gold), len(system))
    return 1 - levenshtein(gold, system) / longer if longer else 1.0


SCORER = Scorer(name="jsondiff-0.4.1", family="record", about="JSONDiff of autoevals 0.4.1", run=run)
