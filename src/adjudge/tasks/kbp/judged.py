"""Scores from judgement files: verdicts of a language model on facts that a graph should support (MINE, KGGen).

A file is a list of facts, each with `evaluation` 0 or 1; its last element may state the accuracy. The score is the mean
over files of the share of facts judged right; files take the place of documents, and are resampled.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from adjudge.errors import FormatError, Problem
from adjudge.evaluate.engine import Evaluation, evaluate
from adjudge.evaluate.task import Remark, Row, Side, Task, read_sides
from adjudge.findings import raise_problems, read_files
from adjudge.formats.json_file import read_json
from adjudge.formats.source import find_shards
from adjudge.model.prf import ratio
from adjudge.stats.alignment import Alignment, Item, Matching, Pair, Single
from adjudge.stats.measure import Measure, Ratio, Total

if TYPE_CHECKING:
    from adjudge.evaluate.task import Run
    from adjudge.stats.result import Note

METRIC = "kbp.judged"
MEASURES: tuple[Measure, ...] = (
    Ratio(METRIC, "accuracy", (("accuracy", 1.0),), (("files", 1.0),)),
    Total(METRIC, "right", (("right", 1.0),)),
    Total(METRIC, "facts", (("facts", 1.0),)),
)
_HINT = "write a list of objects with evaluation 0 or 1"
_PERCENT = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*%\s*")
_EXAMPLES = 5
_TEXTS = ("correct_answer", "fact", "text", "statement")


class Fact(NamedTuple):
    """A fact, and whether the graph was judged to support it."""

    text: str
    supported: bool


class Judged(NamedTuple):
    """The facts of a file, the accuracy that the file states, and its name."""

    facts: tuple[Fact, ...] = ()
    stated: str | None = None
    place: str = ""

    @property
    def right(self) -> int:
        """How many were judged right."""
        return sum(each.supported for each in self.facts)

    @property
    def accuracy(self) -> float:
        """The share judged right; 0 without facts."""
        return ratio(self.right, len(self.facts))

    def agrees(self) -> bool:
        """Whether the stated accuracy agrees with the judgements, to the digits stated.

        >>> facts = Fact("a", True), Fact("b", True), Fact("c", False)
        >>> Judged(facts, "66.67%").agrees(), Judged(facts, "70%").agrees()
        (True, False)
        """
        found = _PERCENT.fullmatch(self.stated or "")
        if found is None:
            return self.stated is None
        digits = len(found[1].partition(".")[2])
        return bool(abs(100 * self.accuracy - float(found[1])) <= 0.5 * 10**-digits + 1e-9)


def read_judged(source: Any, *, name: str | None = None) -> Judged:
    """The judgements of a file.

    >>> read_judged(b'[{"correct_answer": "a", "evaluation": 1}, {"evaluation": 0}, {"accuracy": "50.00%"}]')[:2]
    ((Fact(text='a', supported=True), Fact(text='', supported=False)), '50.00%')
    """
    whole, value = read_json(source, name=name)
    if not isinstance(value, list):
        raise FormatError(Problem("the file is not a list of judgements", whole.place, 1, hint=_HINT))
    stated = None
    if value and isinstance(value[-1], Mapping) and "accuracy" in value[-1] and "evaluation" not in value[-1]:
        stated, value = str(value[-1]["accuracy"]), value[:-1]
    problems, facts = list[Problem](), list[Fact]()
    for number, each in enumerate(value, 1):
        said = each.get("evaluation") if isinstance(each, Mapping) else None
        if said not in (0, 1):
            problems.append(Problem(f"entry {number}: {each!r:.60} has no judgement", path=whole.place, hint=_HINT))
        else:
            text = next((str(each[key]) for key in _TEXTS if each.get(key) is not None), "")
            facts.append(Fact(text, bool(said)))
    if problems:
        raise FormatError(problems[:100])
    if not value:
        raise FormatError(Problem("the file has no judgements", whole.place, 1, hint=_HINT))
    return Judged(tuple(facts), stated, whole.place)


class JudgedTask(Task):
    """Judged facts. Documents are files, which are numbered; there is no gold beside what was judged."""

    name = "kbp"
    profile = "judged"
    shape = "judgements"
    unit = "fact"
    columns = ("accuracy", "files", "right", "facts")

    def measures(self) -> Sequence[Measure]:
        """The mean accuracy of the files, and how many facts there are."""
        return MEASURES

    def read(self, source: Any, name: str, *, only: Container[str] | None = None, digest: bool = True) -> Side:  # noqa: ARG002
        """The judgements of some files; a folder or a pattern stands for its files."""
        from adjudge.stats.inference import hash_chunks

        files = (each for one in source for each in find_shards(one, what="judgements") or [one])
        found, problems = read_files(files, read_judged)
        raise_problems(problems, name)
        written = hash_chunks(f"{each.right}/{len(each.facts)}\n".encode() for _, each in found)
        return Side(name, "", {str(number): each for number, (_, each) in enumerate(found, 1)}, written)

    def observe(self, gold: Any, system: Any | None, *, keep: bool = False) -> Row:  # noqa: ARG002
        """The accuracy of a file."""
        own = system or Judged()
        remarks = () if own.agrees() else (Remark("stated-accuracy", own.place),)
        return Row((own.accuracy, 1.0, float(own.right), float(len(own.facts))), remarks, own if keep else None)

    def align(self, gold: Any, system: Any | None, row: Row) -> Alignment:  # noqa: ARG002
        """Every fact: supported by the graph, or missed."""
        facts = tuple(
            Item(id=str(number), level="facts", text=each.text) for number, each in enumerate(row.detail.facts, 1)
        )
        right = [place for place, each in enumerate(row.detail.facts) if each.supported]
        matching = Matching(
            metric=METRIC,
            pairs=tuple(Pair(place, at) for at, place in enumerate(right)),
            missed=tuple(Single(place) for place in sorted(set(range(len(facts))) - set(right))),
        )
        return Alignment(gold=facts, system=tuple(facts[place] for place in right), matchings=(matching,))

    def notes(self, evaluation: Evaluation, name: str) -> list[Note]:
        """The files that state another accuracy."""
        from adjudge.stats.result import Note

        other = [remark.example for _, remark in evaluation.systems[name].remarks]
        message = "files state an accuracy that differs from that of their judgements"
        return [Note("stated-accuracy", len(other), message, tuple(other[:_EXAMPLES]))] if other else []


def evaluate_judged(systems: Mapping[str, Sequence[Any]], run: Run) -> Evaluation:
    """The judgements of systems, by their files.

    >>> from adjudge.evaluate.task import run_of
    >>> facts = b'[{"correct_answer": "a", "evaluation": 1}, {"correct_answer": "b", "evaluation": 0}]'
    >>> evaluate_judged({"A": [facts]}, run_of(bootstrap=0)).result()["kbp.judged"].accuracy
    0.5000
    """
    from adjudge.stats.table import shared_documents

    task = JudgedTask()
    _, *sides = read_sides(task, Side("gold", "", {}), systems.items())
    shared_documents({side.name: tuple(side.documents) for side in sides})
    numbers = sides[0].documents
    gold = Side("gold", "", dict.fromkeys(numbers), str(len(numbers)))
    return evaluate(task, gold, {side.name: side for side in sides}, run)
