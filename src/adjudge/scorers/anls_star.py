"""What `anls_score` of anls-star 1.0.1 gives for nested JSON: ANLS*, the normalised Levenshtein similarity of trees.

Every pair of values gives a sum of similarities and a length, and the score is their ratio; lists are matched
one-to-one so that the sum of the averages of the pairs is greatest. Departures from `record.fields`:

- Values are texts: 10 against 10.0 earns one half, 5 against -5 too; a similarity below one half is 0.
- A null on both sides earns 1, so that fields which are null everywhere raise the score.
- A key that only the system has costs its length even if its value is null or empty: `{"a": "x"}` against
  `{"a": "x", "b": null}` is one half.
- Lists are matched by the averages of pairs, which is not what makes the score greatest. All elements of the shorter
  list are matched, so that values on the wrong record earn what is right by chance.
- Which of several equally good matchings is taken is left to the solver.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from adjudge.scorers import Published, Scorer
from adjudge.scorers.shared import assigned, averaged, read_records

Score: TypeAlias = tuple[float, int]
_MANY = 64  # pairs of texts from which on numpy is faster


def run(gold: Any, system: Any) -> Published:
    """The mean of the documents' scores."""
    return averaged("anls-star", read_records(gold, system), anls_star)


def anls_star(gold: Any, system: Any) -> float:
    """The score of one document.

    >>> anls_star({"a": "kitten", "b": [1, 2]}, {"a": "sitting", "b": [2]})
    0.523...
    """
    if isinstance(system, str) and isinstance(gold, list) and all(isinstance(each, str) for each in gold):
        return max((anls_star(each, system) for each in gold), default=0.0)
    total, length = Comparison().pair(_prepared(gold), _prepared(system))
    return total / length if length else 1.0


def _prepared(value: Any) -> Any:
    """Scalars as the texts that are compared."""
    if isinstance(value, dict):
        return {key: _prepared(own) for key, own in value.items()}
    if isinstance(value, list):
        return [_prepared(each) for each in value]
    return None if value is None else " ".join(str(value).lower().split())


def _length(value: Any) -> int:
    if isinstance(value, dict):
        return sum(map(_length, value.values()))
    return sum(map(_length, value)) if isinstance(value, list) else 1


class Comparison:
    """Pairs of values, each as a sum of similarities and the length that it is divided by."""

    def __init__(self) -> None:
        self.known: dict[str, dict[str, float]] = {}
        """Similarities by gold text and system text."""

    def pair(self, gold: Any, system: Any) -> Score:
        """Two values."""
        if isinstance(gold, str):
            if isinstance(system, str):
                return self.texts(gold, system), 1
        elif isinstance(gold, dict):
            if isinstance(system, dict):
                return self.objects(gold, system)
        elif isinstance(gold, list):
            if isinstance(system, list):
                return self.lists(gold, system)
        elif not system:
            return 1.0, 1
        return 0.0, max(_length(gold), _length(system))

    def texts(self, gold: str, system: str) -> float:
        """1 - Levenshtein / longer length, or 0 if that is below one half."""
        row = self.known.setdefault(gold, {})
        if system not in row:
            self.learn([gold], [system])
        return row[system]

    def objects(self, gold: Mapping[str, Any], system: Mapping[str, Any]) -> Score:
        """Key by key; a missing key is null."""
        total, length = 0.0, 0
        for key, own in gold.items():
            more, longer = self.pair(own, system.get(key))
            total += more
            length += longer
        if not gold.keys() >= system.keys():
            length += sum(max(1, _length(own)) for key, own in system.items() if key not in gold)
        return total, length

    def lists(self, gold: Sequence[Any], system: Sequence[Any]) -> Score:
        """The best matching of the elements; those without a partner count by their length."""
        if not gold or not system:
            return 0.0, _length(gold) + _length(system)
        self.look(gold, system)
        table = [[self.pair(ours, theirs) for theirs in system] for ours in gold]
        weights = [[total / length if length else 1.0 for total, length in row] for row in table]
        for row, ours in zip(weights, gold, strict=True):
            for place, value in enumerate(row):
                if value == 1 and ours == system[place]:  # of all that earn everything, the equal one
                    row[place] = math.nextafter(1, 2)
        pairs = assigned(weights)
        chosen = [table[row][column] for row, column in pairs]
        rows, columns = {row for row, _ in pairs}, {column for _, column in pairs}
        alone = [each for place, each in enumerate(gold) if place not in rows]
        alone += [each for place, each in enumerate(system) if place not in columns]
        return math.fsum(total for total, _ in chosen), sum(length for _, length in chosen) + _length(alone)

    def look(self, gold: Sequence[Any], system: Sequence[Any]) -> None:
        """Learn the similarities that all pairs of elements will need, at once."""
        if len(gold) * len(system) < _MANY:
            return
        texts = [list(dict.fromkeys(each for each in side if isinstance(each, str))) for side in (gold, system)]
        self.learn(*texts)
        columns = [_columns(side) for side in (gold, system)]
        for key in columns[0].keys() & columns[1].keys():
            self.look(columns[0][key], columns[1][key])

    def learn(self, gold: Sequence[str], system: Sequence[str]) -> None:
        """The similarities of all pairs of texts."""
        from adjudge.algebra.edit_distance import levenshtein

        if len(gold) * len(system) < _MANY:
            edits: Any = [[levenshtein(ours, theirs) for theirs in system] for ours in gold]
        else:
            from adjudge.algebra.edit_distance import distances

            edits = distances(gold, system).tolist()
        for ours, row in zip(gold, edits, strict=True):
            known = self.known.setdefault(ours, {})
            for theirs, distance in zip(system, row, strict=True):
                longer = max(len(ours), len(theirs))
                known[theirs] = 1 - distance / longer if 2 * distance <= longer and longer else float(not longer)


def _columns(elements: Sequence[Any]) -> dict[str, list[Any]]:
    """The values of every key of the objects among some elements, and under "" those of inner lists."""
    found: dict[str, list[Any]] = {}
    for each in elements:
        if isinstance(each, dict):
            for key, own in each.items():
                found.setdefault(f".{key}", []).append(own)
        elif isinstance(each, list):
            found.setdefault("", []).extend(each)
    return found


SCORER = Scorer(name="anls-star-1.0.1", family="record", about="the score of the package anls-star 1.0.1", run=run)
