"""Average precision of answers to queries, the official measure of Cold Start 2017.

Systems return nodes: all answers to a question with the same node id are one, from the second hop on below the node of
the answer that raised the question. Nodes are ranked by confidence. The worth of a node is the share of the documents
of its class that its answers name. Each class is credited to one node; the most confident nodes choose first. Average
precision is the mean, over all classes that could be found, of the precision at every rank that adds worth.

With the confidences c1 >= c2 >= ... of a node's answers, of which the first K count, that of the node is
sum(ci / i) / sum(1 / i), i = 1 ... K, times that of the node above it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum
from typing import NamedTuple

from adjudge.model.kbp_queries import NO_CLASS, Question
from adjudge.tasks.kbp.answers import REDUNDANT, RIGHT, Outcome, Path, PoolJudge, is_single

JUSTIFICATIONS = 3
"""How many answers of a node count by default; 0 means all."""


class Precision(NamedTuple):
    """Average precision of one hop of a question, or of all, and how many classes could be found."""

    value: float
    classes: int


@dataclass(slots=True)
class _Node:
    hop: int
    line: int
    above: _Node | None
    answers: list[Outcome] = field(default_factory=list)
    confidence: float = 0.0
    worth: float = 0.0


def average_precisions(
    question: Question, outcomes: Sequence[Outcome], judge: PoolJudge, most: int = JUSTIFICATIONS
) -> dict[str, Precision]:
    """Average precision of each hop (`hop0`, `hop1`) and of all hops in one ranking (`all`).

    >>> from adjudge.model.kbp_queries import Answer, Assessment
    >>> from adjudge.tasks.kbp.answers import count_answers
    >>> right = [Assessment("Q1", "Ben", "correct", ("1",)), Assessment("Q1", "Al", "correct", ("2",))]
    >>> pool = PoolJudge(right, ["Q1"])
    >>> question = Question("Q1", "Q1", ("per:children",))
    >>> counted = count_answers([question], [Answer("Q1", "Eva", confidence=0.9), Answer("Q1", "Al")], pool)
    >>> average_precisions(question, counted.outcomes, pool, most=1)["hop0"]
    Precision(value=0.5, classes=2)
    """
    nodes = _nodes(outcomes, most)
    _take_classes(question.id, nodes, judge, most)
    possible = _possible(question, judge.classes(question))
    found = {
        f"hop{hop}": Precision(_average([each for each in nodes if each.hop == hop], number), number)
        for hop, number in enumerate(possible)
    }
    return {**found, "all": Precision(_average(nodes, sum(possible)), sum(possible))}


def _nodes(outcomes: Sequence[Outcome], most: int) -> list[_Node]:
    """The nodes of all answers, those of the first hop first, the most confident ones before others."""
    found: dict[object, _Node] = {}
    raised: dict[str, _Node] = {}
    for each in sorted(outcomes, key=lambda each: (each.hop, each.line)):
        above = raised.get(each.answer.asked) if each.hop else None
        node = found.setdefault(each.node or each.line, _Node(each.hop, each.line, above))
        node.answers.append(each)
        raised.setdefault(each.answer.target, node)
    for node in found.values():  # in the order of hops, so that those above are known
        node.answers.sort(key=lambda each: (-each.answer.confidence, each.line))
        sure = [each.answer.confidence for each in node.answers][: most or None]
        weights = [1 / place for place in range(1, (most or len(sure)) + 1)]
        own = fsum(one * weight for one, weight in zip(sure, weights, strict=False)) / fsum(weights)
        node.confidence = own * (node.above.confidence if node.above is not None else 1.0)
    return sorted(found.values(), key=lambda node: (node.hop, -node.confidence, node.line))


def _take_classes(question: str, nodes: Sequence[_Node], judge: PoolJudge, most: int) -> None:
    """Each node takes the free class for which it is worth most; below a worthless node it earns nothing."""
    taken: set[Path] = set()
    for node in nodes:
        by_class: dict[Path, list[Outcome]] = {}
        for each in node.answers:
            path = each.verdict.path
            if each.effect in (RIGHT, REDUNDANT) and path is not None and path not in taken:
                by_class.setdefault(path, []).append(each)
        best: tuple[float, int] | None = None
        for path, own in by_class.items():
            counted = own[: most or None]
            documents = judge.documents(question, path)
            asked = most * len({each.answer.asked for each in counted})
            worth = len(counted) / max(1, min(documents, asked) if most else documents)
            first = -min(each.line for each in own)
            if best is None or (worth, first) > best:
                best, chosen = (worth, first), path
        if best is not None:
            node.worth = best[0] if node.above is None or node.above.worth else 0.0
            taken.add(chosen)


def _possible(question: Question, classes: Mapping[Path, Sequence[str]]) -> list[int]:
    """How many classes each hop has; a slot with a single value has at most one below each class of the hop before."""
    found: list[int] = []
    for hop, slot in enumerate(question.slots):
        number = sum(len(names) for path, names in classes.items() if len(path) == hop and NO_CLASS not in path)
        if number and is_single(slot):
            number = found[-1] if found else 1
        found.append(number)
    return found


def _average(nodes: Sequence[_Node], possible: int) -> float:
    if not possible:
        return 0.0
    total, parts = 0.0, []
    for rank, node in enumerate(sorted(nodes, key=lambda node: (-node.confidence, node.line)), 1):
        total += node.worth
        if node.worth > 0:
            parts.append(total / rank)
    return fsum(parts) / possible
