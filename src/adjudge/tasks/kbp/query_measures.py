"""What queries are scored by: the counts of their rows added up, means over rows, and average precision.

`kbp.query.hop0` and `kbp.query.hop1` pool the counts of a hop, `kbp.query` those of all hops. With `.macro` they are
means over rows that gold can answer: the first hop of a question, and the second below each class of the first. A
query with several entry points asks several questions; `each` of them counts, only the `best` one, or their `mean` (the
official SF, LDC-MAX, LDC-MEAN). `.ap` is the average precision of 2017, over questions that assessments can answer.

For average precision systems return nodes: all answers to a question with the same node id are one, from the second hop
on below the node of the answer that raised the question. Nodes are ranked by confidence. The worth of a node is the
share of the documents of its class that its answers name. Each class is credited to one node; the most confident nodes
choose first. Average precision is the mean, over all classes that could be found, of the precision at every rank that
adds worth. With the confidences c1 >= c2 >= ... of a node's answers, of which the first K count, that of the node is
sum(ci / i) / sum(1 / i), i = 1 ... K, times that of the node above it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum
from typing import Literal, NamedTuple, TypeAlias

from adjudge.model.kbp_queries import NO_CLASS, Question
from adjudge.model.prf import ratio
from adjudge.stats.measure import Measure, Prf, Ratio, Total
from adjudge.tasks.kbp.answers import COUNTS, REDUNDANT, RIGHT, Counted, Outcome, Path, PoolJudge, Row, is_single

View: TypeAlias = Literal["each", "best", "mean"]
VIEWS: tuple[View, ...] = ("each", "best", "mean")
FIELDS = ("query", "slots", "hops", "type")
"""The fields by which results can be sliced."""

JUSTIFICATIONS = 3
"""How many answers of a node count in average precision by default; 0 means all."""

TABLE_HEADER = ("system", "row", "hop", *COUNTS, "precision", "recall", "f1")


class Ratios(NamedTuple):
    """Precision, recall and F1; 0/0 is 0."""

    precision: float
    recall: float
    f1: float


def ratios(right: float, system: float, gold: float) -> Ratios:
    """The three from counts."""
    return Ratios(ratio(right, system), ratio(right, gold), ratio(2 * right, system + gold))


def row_ratios(row: Row) -> Ratios:
    """The three of a row."""
    counts = row.counts
    return ratios(counts["right"], counts["right"] + counts["wrong"], counts["gold"])


def metric_hops(asked: Sequence[Question]) -> int:
    """How many hops the longest query has."""
    return max(len(question.slots) for question in asked)


def query_measures(hops: int, view: View = "each", *, ap: bool = False) -> list[Measure]:
    """The measures for queries of so many hops; with the mean of entry points there are no counts to pool.

    `ap` adds average precision, which needs assessments.

    >>> [measure.name for measure in query_measures(1) if isinstance(measure, Prf)]
    ['kbp.query.hop0', 'kbp.query']
    """
    names = [*(f"hop{hop}" for hop in range(hops)), "all"]
    found: list[Measure] = []
    for name in names if view != "mean" else ():
        metric = _metric(name)
        right, system, gold = (f"{name}:{count}" for count in ("right", "system", "gold"))
        found.append(Prf(metric, (right, system), (right, gold)))
        counts = (("tp", right), ("system", system), ("gold", gold))
        found += [Total(metric, part, ((column, 1.0),)) for part, column in counts]
    for name in names:
        for part in Ratios._fields:
            top, bottom = ((f"{name}:{part}", 1.0),), ((f"{name}:rows", 1.0),)
            found.append(Ratio(f"{_metric(name)}.macro", part, top, bottom))
    for name in names if ap else ():
        top, bottom = ((f"{name}:ap", 1.0),), ((f"{name}:asked", 1.0),)
        found.append(Ratio(f"{_metric(name)}.ap", "ap", top, bottom))
    return found


def _metric(name: str) -> str:
    return "kbp.query" if name == "all" else f"kbp.query.{name}"


Precisions: TypeAlias = "Mapping[str, Mapping[str, Precision]]"
"""By question, then by hop."""


def query_columns(hops: int, *, ap: bool = False) -> tuple[str, ...]:
    """What is counted of a query; with `ap` also the sums of average precision.

    >>> query_columns(1)[:4]
    ('hop0:right', 'hop0:system', 'hop0:gold', 'hop0:precision')
    """
    names = [*(f"hop{hop}" for hop in range(hops)), "all"]
    counts = [f"{name}:{column}" for name in names for column in ("right", "system", "gold", *Ratios._fields, "rows")]
    return (*counts, *(f"{name}:{column}" for name in names if ap for column in ("ap", "asked")))


def query_sums(
    members: Sequence[Question],
    rows: Sequence[Row],
    columns: Sequence[str],
    *,
    view: View = "each",
    precisions: Precisions | None = None,
) -> tuple[float, ...]:
    """The sums over the rows of one query, all of whose questions are `members`."""
    sums = dict.fromkeys(columns, 0.0)
    groups = [[row for row in rows if row.question == question.id] for question in members]
    chosen = list(range(len(members)))
    if view == "best":
        chosen = [max(chosen, key=lambda place: _group_f1(groups[place]))]
    if view == "mean":
        _add_means(groups, sums)
    else:
        for row in (row for place in chosen for row in groups[place]):
            _add_row(row, sums)
    if precisions is not None:
        _add_precisions([precisions[members[place].id] for place in chosen], sums, mean=view == "mean")
    return tuple(sums.values())


def _group_f1(rows: Sequence[Row]) -> float:
    """The F1 by which the best entry point is chosen; of equals the first is taken."""
    right, wrong, gold = (sum(row.counts[name] for row in rows) for name in ("right", "wrong", "gold"))
    return ratios(right, right + wrong, gold).f1


def _add_row(row: Row, sums: dict[str, float]) -> None:
    counts = row.counts
    for name in (f"hop{row.hop}", "all"):
        sums[f"{name}:right"] += counts["right"]
        sums[f"{name}:system"] += counts["right"] + counts["wrong"]
        sums[f"{name}:gold"] += counts["gold"]
        for part, value in row_ratios(row)._asdict().items():
            sums[f"{name}:{part}"] += value
        sums[f"{name}:rows"] += counts["gold"] > 0


def _add_means(groups: Sequence[Sequence[Row]], sums: dict[str, float]) -> None:
    """Rows with the same path are one row, with the mean of their values."""
    by_path: dict[Path, list[Row]] = {}
    for row in (row for group in groups for row in group):
        by_path.setdefault(row.path, []).append(row)
    for path, rows in by_path.items():
        values = [row_ratios(row) for row in rows]
        for name in (f"hop{len(path)}", "all"):
            for place, part in enumerate(Ratios._fields):
                sums[f"{name}:{part}"] += fsum(value[place] for value in values) / len(values)
            sums[f"{name}:rows"] += any(row.counts["gold"] for row in rows)


def _add_precisions(own: Sequence[Mapping[str, Precision]], sums: dict[str, float], *, mean: bool) -> None:
    """Questions without a class to find do not count, except in a mean over entry points if another one has some."""
    for name in own[0]:
        found = [each[name] for each in own]
        total, asked = fsum(each.value for each in found), sum(each.classes > 0 for each in found)
        sums[f"{name}:ap"] += total / len(found) if mean else total
        sums[f"{name}:asked"] += min(asked, 1) if mean else asked


def row_table(counted: Mapping[str, Counted]) -> str:
    """All rows with all counts as a table with TABs and a header."""
    lines = ["\t".join(TABLE_HEADER)]
    for name, found in counted.items():
        for row in found.rows:
            values = (*(str(row.counts[count]) for count in COUNTS), *(f"{value:.4f}" for value in row_ratios(row)))
            lines.append("\t".join((name, row.name, str(row.hop), *values)))
    return "".join(f"{line}\n" for line in lines)


# ---------------------------------------------------------------------------------------------------------------------
# Average precision


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
