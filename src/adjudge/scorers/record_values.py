"""What the published scorers of records have in common: the JSON value of every document, and the mean of scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from adjudge.algebra.solve.running import timed
from adjudge.errors import FormatError, Problem
from adjudge.formats.answers import read_answers
from adjudge.model.document import Corpus
from adjudge.scorers import Published
from adjudge.scorers.shared import both_sides, paired, sum_in_order
from adjudge.stats.measure import Ratio
from adjudge.stats.result import Note


class Pairs(NamedTuple):
    """Ids with the values of gold and system, what is to be said of how they were read, and where they stand."""

    documents: Sequence[tuple[str, Any, Any]]
    notes: Sequence[Note]
    sides: tuple[Corpus, Corpus]

    def gold(self) -> list[Any]:
        """The values of gold."""
        return [ours for _, ours, _ in self.documents]

    def refuse(self, found: Iterable[tuple[str, int, str]], hint: str) -> None:
        """Raise what a scorer cannot take: the id of a document, its side (0: gold), and what is wrong with it."""
        lines = [{each.id: each.line for each in side.documents} for side in self.sides]
        problems = [
            Problem(message, path=self.sides[side].path, line=lines[side].get(key), hint=hint)
            for key, side, message in found
        ]
        if problems:
            raise FormatError(problems)


def read_pairs(gold: Any, system: Any) -> Pairs:
    """The values of all documents as they are; an answer that cannot be read, or is not there, is an empty list."""
    sides = both_sides(read_answers, gold, system)
    documents = [(key, ours["records"], theirs["records"]) for key, ours, theirs in paired(*sides, {"records": []})]
    notes = [Note(each.code, each.count, each.message) for side in sides for each in side.notes]
    return Pairs(documents, notes, sides)


def wrapped(value: Any) -> Any:
    """A list as an object, for scorers of objects only."""
    return {"records": value} if isinstance(value, list) else value


def averaged(name: str, pairs: Pairs, score: Callable[[Any, Any], float]) -> Published:
    """The mean over the documents of the score that a function gives gold and system."""
    rows = [(key, {"score": score(ours, theirs), "documents": 1.0}) for key, ours, theirs in timed(pairs.documents)]
    return Published(rows, (mean_measure(name),), f"{name}: {mean_score(rows)}\n", notes=pairs.notes)


def mean_measure(name: str) -> Ratio:
    """The mean of the scores of the documents."""
    return Ratio(name, "score", (("score", 1.0),), (("documents", 1.0),))


def mean_score(rows: Sequence[tuple[str, Mapping[str, float]]]) -> float:
    """What that measure is, added up in order as the programs do."""
    return sum_in_order(row["score"] for _, row in rows) / len(rows) if rows else 0.0
