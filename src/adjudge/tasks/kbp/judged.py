"""Scores from judgement files: verdicts of a language model on facts that a graph should support (MINE, KGGen).

A file is a list of facts, each with `evaluation` 0 or 1; its last element may state the accuracy. The score is the mean
over files of the share of facts judged right; files are resampled.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from adjudge.errors import FormatError, Problem
from adjudge.formats.json_file import read_json
from adjudge.formats.source import find_shards
from adjudge.model.prf import ratio
from adjudge.stats.measure import Measure, Ratio, Total

if TYPE_CHECKING:
    from adjudge.evaluate.task import Run
    from adjudge.stats.result import Result

METRIC = "kbp.judged"
MEASURES: tuple[Measure, ...] = (
    Ratio(METRIC, "accuracy", (("accuracy", 1.0),), (("files", 1.0),)),
    Total(METRIC, "right", (("right", 1.0),)),
    Total(METRIC, "facts", (("facts", 1.0),)),
)
_HINT = "write a list of objects with evaluation 0 or 1"
_PERCENT = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*%\s*")


class Judged(NamedTuple):
    """The facts of a file: how many were judged right, how many there are, and the accuracy that the file states."""

    right: int
    facts: int
    stated: str | None = None

    @property
    def accuracy(self) -> float:
        """The share judged right; 0 without facts."""
        return ratio(self.right, self.facts)

    def agrees(self) -> bool:
        """Whether the stated accuracy agrees with the judgements, to the digits stated.

        >>> Judged(2, 3, "66.67%").agrees(), Judged(2, 3, "70%").agrees()
        (True, False)
        """
        found = _PERCENT.fullmatch(self.stated or "")
        if found is None:
            return self.stated is None
        digits = len(found[1].partition(".")[2])
        return bool(abs(100 * self.accuracy - float(found[1])) <= 0.5 * 10**-digits + 1e-9)


def read_judged(source: Any, *, name: str | None = None) -> Judged:
    """The judgements of a file.

    >>> read_judged(b'[{"correct_answer": "a", "evaluation": 1}, {"evaluation": 0}, {"accuracy": "50.00%"}]')
    Judged(right=1, facts=2, stated='50.00%')
    """
    whole, value = read_json(source, name=name)
    if not isinstance(value, list):
        raise FormatError(Problem("the file is not a list of judgements", whole.place, 1, hint=_HINT))
    stated = None
    if value and isinstance(value[-1], Mapping) and "accuracy" in value[-1] and "evaluation" not in value[-1]:
        stated, value = str(value[-1]["accuracy"]), value[:-1]
    problems = []
    right = 0
    for number, each in enumerate(value, 1):
        said = each.get("evaluation") if isinstance(each, Mapping) else None
        if said not in (0, 1):
            problems.append(Problem(f"entry {number}: {each!r:.60} has no judgement", path=whole.place, hint=_HINT))
        else:
            right += bool(said)
    if problems:
        raise FormatError(problems[:100])
    if not value:
        raise FormatError(Problem("the file has no judgements", whole.place, 1, hint=_HINT))
    return Judged(right, len(value), stated)


def score_judged(systems: Mapping[str, Sequence[str]], run: Run) -> Result:
    """Scores of systems by their files; a folder or a pattern stands for its files."""
    from adjudge.stats.build import Counts, Scoring, build_result
    from adjudge.stats.inference import hash_chunks
    from adjudge.stats.result import Note
    from adjudge.stats.table import StatsTable

    found: dict[str, dict[str, Judged]] = {}
    problems: list[Problem] = []
    for system, sources in systems.items():
        own = found.setdefault(system, {})
        for file in (each for source in sources for each in find_shards(source, what="judgements") or [source]):
            try:
                own[str(file)] = read_judged(file)
            except FormatError as error:
                problems += error.problems
    if problems:
        raise FormatError(problems)
    counts = {}
    for system, own in found.items():
        other = [name for name, each in own.items() if not each.agrees()]
        message = "files state another accuracy than their judgements have"
        notes = [Note("stated-accuracy", len(other), message, tuple(other[:5]))] if other else []
        rows = [
            (
                str(place),
                {"accuracy": each.accuracy, "files": 1.0, "right": float(each.right), "facts": float(each.facts)},
            )
            for place, each in enumerate(own.values(), 1)
        ]
        counts[system] = Counts(StatsTable.from_rows(rows, ("accuracy", "files", "right", "facts")), notes)
    every = [f"{each.right}/{each.facts}" for own in found.values() for each in own.values()]
    fields = {"in": hash_chunks(text.encode() for text in every)}
    scoring = Scoring(task="kbp", profile="judged", measures=MEASURES, inference=run.inference, fields=fields)
    return build_result(scoring, counts)
