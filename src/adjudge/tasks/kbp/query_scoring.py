"""Scores of answers to queries: the counts of rows added up by query, precision, recall and F1, intervals, comparisons.

Queries take the place of documents: they are what is resampled. `kbp.query.hop0` and `kbp.query.hop1`
pool the counts of a hop, `kbp.query` those of all hops. With `.macro` they are means over rows that gold can answer:
the first hop of a question, and the second below each class of the first. A query with several entry points asks
several questions; `each` of them counts, only the `best` one, or their `mean` (the official SF, LDC-MAX, LDC-MEAN).
`.ap` is the average precision of 2017, over questions that assessments can answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from adjudge.errors import UsageError, ValidationError, did_you_mean
from adjudge.evaluate.task import run_of
from adjudge.model.kbp_queries import NO_CLASS, WRONG, AnswerSet, Question, asked_path
from adjudge.model.prf import ratio
from adjudge.stats.alignment import Alignment, Item, Matching, Pair, Single
from adjudge.stats.measure import Measure, Prf, Ratio, Total
from adjudge.tasks.kbp.answers import (
    COUNTS,
    OFFICIAL,
    REDUNDANT,
    RIGHT,
    Counted,
    Judge,
    Outcome,
    Path,
    Policy,
    PoolJudge,
    Row,
    count_answers,
    is_single,
)
from adjudge.tasks.kbp.average_precision import JUSTIFICATIONS, Precision, average_precisions

if TYPE_CHECKING:
    from adjudge.stats.inference import SignatureValue
    from adjudge.stats.result import Note, Result
    from adjudge.stats.table import AttributeValue, StatsTable

View: TypeAlias = Literal["each", "best", "mean"]
VIEWS: tuple[View, ...] = ("each", "best", "mean")
FIELDS = ("query", "slots", "hops", "type")
"""The fields by which results can be sliced."""

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


def check_questions(asked: Sequence[Question], systems: Sequence[AnswerSet]) -> None:
    """Raise if there are no questions, or if queries or systems cannot be told apart."""
    names = [system.name for system in systems]
    if len(set(names)) < len(names):
        raise UsageError(f"systems with the same name: {', '.join(names)}", hint="write NAME=FILE")
    if not asked:
        raise ValidationError("there are no queries", hint="check the file of queries")
    seen: dict[str, str] = {}
    for question in asked:
        other = seen.setdefault(question.id, question.query)
        if other != question.query:
            message = f"the queries {other} and {question.query} ask the same at the same place"
            raise ValidationError(message, hint="leave one of them out")
    if len(seen) < len(asked):
        raise ValidationError("a query has the same entry point twice", hint="leave one of them out")


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


def query_table(
    asked: Sequence[Question], counted: Counted, *, view: View = "each", precisions: Precisions | None = None
) -> StatsTable:
    """The sums of each query, in the order of the queries; with average `precisions`, if they are given."""
    from adjudge.stats.table import StatsTable

    if view not in VIEWS:
        hint = did_you_mean(view, VIEWS) or f"choose from {', '.join(VIEWS)}"
        raise UsageError(f"no view {view!r} of entry points", hint=hint)
    hops = metric_hops(asked)
    names = [*(f"hop{hop}" for hop in range(hops)), "all"]
    columns = [f"{name}:{column}" for name in names for column in ("right", "system", "gold", *Ratios._fields, "rows")]
    columns += [f"{name}:{column}" for name in names for column in ("ap", "asked")] if precisions is not None else []
    by_question: dict[str, list[Row]] = {}
    for row in counted.rows:
        by_question.setdefault(row.question, []).append(row)
    queries: dict[str, list[Question]] = {}
    for question in asked:
        queries.setdefault(question.query, []).append(question)
    rows = []
    for query, members in queries.items():
        groups = [by_question.get(question.id, []) for question in members]
        chosen = list(range(len(members)))
        if view == "best":
            chosen = [max(chosen, key=lambda place: _group_f1(groups[place]))]
            groups = [groups[place] for place in chosen]
        sums = dict.fromkeys(columns, 0.0)
        if view == "mean":
            _add_means(groups, sums)
        else:
            for row in (row for group in groups for row in group):
                _add_row(row, sums)
        if precisions is not None:
            _add_precisions([precisions[members[place].id] for place in chosen], sums, mean=view == "mean")
        rows.append((query, sums))
    first = [members[0] for members in queries.values()]
    attributes: dict[str, list[AttributeValue]] = {
        "query": [question.query for question in first],
        "slots": ["/".join(question.slots) for question in first],
        "hops": [len(question.slots) for question in first],
        "type": [question.type or None for question in first],
    }
    return StatsTable.from_rows(rows, columns, attributes=attributes)


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


def count_systems(
    asked: Sequence[Question],
    systems: Sequence[AnswerSet],
    judge: Judge,
    *,
    policy: Policy = OFFICIAL,
    justifications: Sequence[tuple[int, int]] | None = None,
) -> list[Counted]:
    """The answers of each system, judged and counted; the arguments are those of `score_answers`."""
    limits = justifications if justifications is not None else [(0, 0)] * len(systems)
    return [
        count_answers(asked, system.answers, judge, policy=policy, justifications=limit)
        for system, limit in zip(systems, limits, strict=True)
    ]


class QueryScores(NamedTuple):
    """The result, and the rows and outcomes of each system behind it."""

    result: Result
    counted: Mapping[str, Counted]


def score_answers(
    asked: Sequence[Question],
    systems: Sequence[AnswerSet],
    judge: Judge,
    *,
    policy: Policy = OFFICIAL,
    view: View = "each",
    justifications: Sequence[tuple[int, int]] | None = None,
    fields: Mapping[str, SignatureValue] | None = None,
    depth: int = JUSTIFICATIONS,
    **options: Any,
) -> QueryScores:
    """Judge and count the answers of some systems, and score them; names of systems must differ.

    `justifications` has, for each system, how many answers with the same node are kept in one document and in all;
    `depth` is how many of them count in average precision, 0 for all. The `options` are those of every task: `by`,
    `bootstrap`, `ci`, `seed`, `interval`, `test` and `align`.

    >>> from adjudge.model.kbp_queries import Answer, Assessment
    >>> question = Question("Q1", "Q1", ("spouse",))
    >>> pool = [Assessment("Q1", "Ben", "correct", ("1",)), Assessment("Q1", "Al", "correct", ("2",))]
    >>> judge = PoolJudge(pool, ["Q1"])
    >>> scores = score_answers([question], [AnswerSet("A", [Answer("Q1", "Ben")])], judge, bootstrap=0)
    >>> scores.result["kbp.query"].recall
    0.5000
    """
    from adjudge.stats.build import Counts, Scoring, build_result

    run = run_of(**options)
    check_questions(asked, systems)
    for field in run.by:
        if field not in FIELDS:
            hint = did_you_mean(field, FIELDS) or f"choose from {', '.join(FIELDS)}"
            raise UsageError(f"cannot slice by {field!r}", hint=hint)
    every = count_systems(asked, systems, judge, policy=policy, justifications=justifications)
    counted = {system.name: found for system, found in zip(systems, every, strict=True)}
    for system in systems:
        found = counted[system.name]
        if system.answers and found.strangers == len(system.answers):
            message = f"{system.name}: no answer is to one of the queries"
            raise ValidationError(message, hint="check that the ids of the queries are the same in both files")
    precisions: dict[str, Precisions] = {}
    if isinstance(judge, PoolJudge):
        # All answers of a node count here, whatever the limits for precision and recall leave of them.
        ranked = count_systems(asked, systems, judge, policy=policy) if any(map(any, justifications or ())) else every
        precisions = {
            system.name: _precisions(asked, own, judge, depth) for system, own in zip(systems, ranked, strict=True)
        }
    scoring = Scoring(
        task="kbp",
        profile="query",
        measures=query_measures(metric_hops(asked), view, ap=bool(precisions)),
        by=run.by,
        inference=run.inference,
        fields={**_signature(policy, view), **(fields or {})},
    )
    result = build_result(
        scoring,
        {
            each.name: Counts(
                query_table(asked, counted[each.name], view=view, precisions=precisions.get(each.name)),
                _notes(each, counted[each.name], judge),
            )
            for each in systems
        },
    )
    if run.align:
        from adjudge.evaluate.results import with_documents

        aligned = {each.name: align_queries(asked, counted[each.name], judge, policy) for each in systems}
        result = with_documents(result, query_table(asked, every[0]).ids, aligned)
    return QueryScores(result, counted)


def _precisions(asked: Sequence[Question], counted: Counted, judge: PoolJudge, depth: int) -> Precisions:
    """Average precision by question and hop."""
    known = {question.id: question for question in asked}
    outcomes: dict[str, list[Outcome]] = {id: [] for id in known}
    for each in counted.outcomes:
        root = asked_path(each.answer.asked, known)
        assert root is not None
        outcomes[root[0]].append(each)
    nothing = {f"hop{hop}": Precision(0.0, 0) for hop in range(metric_hops(asked))}
    return {id: {**nothing, **average_precisions(known[id], each, judge, depth)} for id, each in outcomes.items()}


_WHYS = {
    "incorrect": "it is wrong",
    "inexact": "it is inexact",
    "parent": "it follows a wrong answer",
    "unassessed": "nobody has assessed it",
    "correct": "a name of the same node counts",
}


def align_queries(asked: Sequence[Question], counted: Counted, judge: Judge, policy: Policy) -> list[Alignment]:
    """The outcome of the answers to each query: gold has its classes of correct answers, the system its answers."""
    known = {question.id: question for question in asked}
    outcomes: dict[str, list[Outcome]] = {}
    for each in counted.outcomes:
        root = asked_path(each.answer.asked, known)
        assert root is not None
        outcomes.setdefault(root[0], []).append(each)
    queries: dict[str, list[Question]] = {}
    for question in asked:
        queries.setdefault(question.query, []).append(question)
    return [
        _aligned([(each, judge.classes(each), outcomes.get(each.id, [])) for each in members], policy)
        for members in queries.values()
    ]


def _aligned(
    members: Sequence[tuple[Question, Mapping[Path, Sequence[str]], Sequence[Outcome]]], policy: Policy
) -> Alignment:
    gold: dict[tuple[str, Path], Item] = {}
    system: list[Item] = []
    pairs, spurious, ignored = list[Pair](), list[Single](), list[Single]()
    right: dict[tuple[str, Path], int] = {}
    single: set[tuple[str, Path]] = set()
    for question, classes, outcomes in members:
        for path, names in classes.items():
            if len(path) < len(question.slots) and NO_CLASS not in path:
                slot = question.slots[len(path)]
                single |= {(question.id, path)} if is_single(slot) else set()
                for name in names:
                    id = ":".join((question.id, *path, name))
                    gold[question.id, (*path, name)] = Item(id=id, level=f"hop{len(path)}", text=name, label=slot)
        for each in outcomes:
            hop = len(each.verdict.parent or ()) if each.verdict.parent is not None else 0
            answer, number = each.answer, len(system)
            value = {"place": answer.place, "provenance": answer.provenance, "confidence": answer.confidence}
            name = f"{answer.asked} {answer.value} #{number + 1}"
            system.append(Item(id=name, level=f"hop{hop}", text=answer.value, label=answer.slot, value=value))
            if each.effect == RIGHT and each.verdict.path is not None:
                right[question.id, each.verdict.path] = number
            else:
                again = each.effect == REDUNDANT
                why = "it repeats a correct answer" if again else _WHYS.get(each.label, "it does not count")
                wrong = each.effect == WRONG or (again and policy.duplicates == "wrong")
                (spurious if wrong else ignored).append(Single(number, why))
    numbers = {key: place for place, key in enumerate(gold)}
    # A slot with a single value has one right answer, whichever of the right ones was found.
    answered = {(query, path[:-1]) for query, path in right}
    missed = []
    for (query, path), place in numbers.items():
        if (query, path) in right:
            pairs.append(Pair(place, right[query, path]))
        elif (query, path[:-1]) not in single or (query, path[:-1]) not in answered:
            missed.append(Single(place))
            answered |= {(query, path[:-1])} if (query, path[:-1]) in single else set()
    matching = Matching(
        metric="kbp.query",
        pairs=tuple(pairs),
        missed=tuple(missed),
        spurious=tuple(spurious),
        ignored=tuple(ignored),
    )
    return Alignment(gold=tuple(gold.values()), system=tuple(system), matchings=(matching,), missing=not system)


def _signature(policy: Policy, view: View) -> dict[str, SignatureValue]:
    changed = {
        name.replace("_", "-"): value for name, value in policy._asdict().items() if value != getattr(OFFICIAL, name)
    }
    return {"entry-points": view, **changed}


def _notes(system: AnswerSet, counted: Counted, judge: Judge) -> list[Note]:
    from adjudge.stats.result import Note

    notes = [Note("answers", 1, note.message) for note in system.notes]

    def add(code: str, count: int, noun: str, rest: str) -> None:
        if count:
            notes.append(Note(code, count, f"{count} {noun}{'s' * (count != 1)} {rest}"))

    totals = {name: sum(row.counts[name] for row in counted.rows) for name in COUNTS}
    add("not-asked", counted.strangers, "answer", "left out, to no question that was asked")
    add("justifications", counted.dropped, "answer", "left out, further justifications of the same nodes")
    add("unassessed", totals["unassessed"], "answer", "not assessed")
    add("wrong-parent", totals["parent"], "answer", "below a wrong answer")
    if isinstance(judge, PoolJudge):
        add("other-assessments", judge.strangers, "assessment", "of no question that was asked")
    return notes


def row_table(counted: Mapping[str, Counted]) -> str:
    """All rows with all counts as a table with TABs and a header."""
    lines = ["\t".join(TABLE_HEADER)]
    for name, found in counted.items():
        for row in found.rows:
            values = (*(str(row.counts[count]) for count in COUNTS), *(f"{value:.4f}" for value in row_ratios(row)))
            lines.append("\t".join((name, row.name, str(row.hop), *values)))
    return "".join(f"{line}\n" for line in lines)
