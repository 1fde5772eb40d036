"""The two scores that Donut's `JSONParseEvaluator` gives for nested JSON: F1 of fields, and tree edit distance.

What is falsy (an empty text, 0, false, null, empty lists and objects) vanishes before, every scalar is a stripped text,
and keys stand in the order of their length. Departures from `record.fields`:

- `cal_f1` compares pairs of a path and a text, without places in lists: prices on the wrong lines, or years on the
  wrong people, score 1. Values 0 and false are never seen, and 10 is not 10.0.
- The tree edit distance keeps the order of lists and prefers swapped prices to reordered lines. It adds up letters,
  so that two wrong one-letter values earn one half, and two equal empty documents score 0.
- No field in all documents of both sides is a division by zero in the program, and an error here.
- Objects only: a list is put under the key `records`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from adjudge.algebra.solve.running import timed
from adjudge.errors import FormatError, Problem
from adjudge.formats.source import source_name
from adjudge.scorers import Published, Scorer
from adjudge.scorers.record_values import mean_measure, mean_score, read_pairs, wrapped
from adjudge.scorers.shared import counted, prf, totals
from adjudge.scorers.tree_edit import Node, tree_distance

F1 = "donut.cal_f1"
TED = "donut.nTED"


def run(gold: Any, system: Any) -> Published:
    """Both scores, as `test.py` of Donut prints them."""
    pairs = read_pairs(gold, system)
    rows = []
    for key, ours, theirs in timed(pairs.documents):
        sides = normalised(ours), normalised(theirs)
        left, right = (Counter(_flat(side)) for side in sides)
        counts = counted({"": ((left & right).total(), right.total(), left.total())})
        rows.append((key, {**counts, "score": tree_accuracy(*sides), "documents": 1.0}))
    matched, found, wanted = totals(rows)
    if not found + wanted:
        message = "there is no field in gold or system: donut divides by zero (0, false and empty values are dropped)"
        raise FormatError(Problem(message, path=source_name(gold), hint="give documents with values"))
    f1 = matched / (matched + (found + wanted - 2 * matched) / 2)
    text = (
        f"Total number of samples: {len(rows)}, Tree Edit Distance (TED) based accuracy score: {mean_score(rows)}, "
        f"F1 accuracy score: {f1}\n"
    )
    return Published(rows, (mean_measure(TED), prf(F1)), text, notes=pairs.notes)


def normalised(value: Any) -> dict[str, Any]:
    """An object whose values are lists of texts or of such objects.

    >>> normalised({"total": 0, "lines": [{"qty": 2}, {}], "to": {"city": " Riga "}})
    {'to': [{'city': ['Riga']}], 'lines': [{'qty': ['2']}]}
    """
    found = _listed(wrapped(value))
    return found[0] if found else {}


def _listed(value: Any) -> list[Any]:
    """A value as a list of texts, or of objects; empty if it vanishes."""
    if not value:
        return []
    if isinstance(value, dict):
        parts = {key: _listed(value[key]) for key in sorted(value, key=lambda key: (len(key), key))}
        kept = {key: own for key, own in parts.items() if own}
        return [kept] if kept else []
    if not isinstance(value, list):
        return [str(value).strip()]
    if all(isinstance(each, dict) for each in value):
        return [own for each in value for own in _listed(each)]
    texts = [str(each).strip() for each in value if isinstance(each, str | int | float) and not isinstance(each, bool)]
    return [text for text in texts if text]


def _flat(value: dict[str, Any], above: str = "") -> Iterator[tuple[str, str]]:
    for key, listed in value.items():
        path = f"{above}.{key}" if above else key
        for each in listed:
            if isinstance(each, dict):
                yield from _flat(each, path)
            else:
                yield path, each


def tree_accuracy(gold: dict[str, Any], system: dict[str, Any]) -> float:
    """1 - the edit distance of the trees of two normalised objects, over that of gold to nothing; never below 0.

    >>> tree_accuracy({"a": ["kitten"]}, {"a": ["sitting"]})
    0.571...
    """
    ours, theirs = _tree("<root>", [gold]), _tree("<root>", [system])
    whole = ours.weight - 1
    return max(0.0, 1 - tree_distance(theirs, ours) / whole) if whole else 0.0


def _tree(name: str, listed: list[Any]) -> Node:
    """A key with the parts of its value; an object of a list has a node of its own, the only one at the root not."""
    if name == "<root>":
        return Node(name, tuple(_tree(f".{key}", own) for key, own in listed[0].items()))
    return Node(
        name,
        tuple(
            Node("<subtree>", tuple(_tree(f".{key}", own) for key, own in each.items()))
            if isinstance(each, dict)
            else Node(each, leaf=True)
            for each in listed
        ),
    )


SCORER = Scorer(name="donut", family="record", about="cal_f1 and the tree edit distance of Donut", run=run)
