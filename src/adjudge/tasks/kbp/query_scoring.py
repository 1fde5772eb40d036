"""Answers to queries as a task: queries take the place of documents, they are what is paired and resampled."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import msgspec

from adjudge.errors import UsageError, ValidationError, did_you_mean
from adjudge.evaluate.engine import Evaluation, evaluate
from adjudge.evaluate.task import Remark, Reported, Row, Side, Task, run_of
from adjudge.model.document import CorpusNote
from adjudge.model.kbp_queries import NO_CLASS, WRONG, Answer, AnswerSet, Question, asked_path
from adjudge.stats.alignment import Alignment, Item, Matching, Pair, Single
from adjudge.stats.measure import Measure
from adjudge.tasks.kbp.answers import (
    OFFICIAL,
    REDUNDANT,
    RIGHT,
    Counted,
    Judge,
    Outcome,
    Path,
    Policy,
    PoolJudge,
    answers_by_question,
    count_answers,
    is_single,
)
from adjudge.tasks.kbp.queries import KbIndex, answer_questions, read_asked
from adjudge.tasks.kbp.query_measures import (
    FIELDS,
    JUSTIFICATIONS,
    VIEWS,
    Precision,
    View,
    average_precisions,
    metric_hops,
    query_columns,
    query_measures,
    query_sums,
)

if TYPE_CHECKING:
    from adjudge.evaluate.task import Run
    from adjudge.stats.result import Note, Result


STRANGERS = "not-asked"


class Given(NamedTuple):
    """The answers of a system to one query, and how many with the same node are kept, in one document and in all."""

    answers: Sequence[Answer] = ()
    limits: tuple[int, int] = (0, 0)


class Queries(NamedTuple):
    """What is asked, how answers are judged and counted, and what the signature says of it besides.

    `depth` is how many answers of a node count in average precision, 0 for all.
    """

    asked: Sequence[Question]
    judge: Judge
    policy: Policy = OFFICIAL
    view: View = "each"
    depth: int = JUSTIFICATIONS
    fields: Mapping[str, str | float | None] = {}


class QueryTask(Task):
    """Answers to queries; the documents are queries, of which gold has the questions and a system its answers.

    >>> from adjudge.model.kbp_queries import Assessment
    >>> question = Question("Q1", "Q1", ("spouse",))
    >>> pool = [Assessment("Q1", "Ben", "correct", ("1",)), Assessment("Q1", "Al", "correct", ("2",))]
    >>> task = QueryTask(Queries([question], PoolJudge(pool, ["Q1"])))
    >>> system = task.side(AnswerSet("A", [Answer("Q1", "Ben")]))
    >>> evaluate(task, task.gold(), {"A": system}, run_of(bootstrap=0)).result()["kbp.query"].recall
    0.5000
    """

    name = "kbp"
    profile = "query"
    shape = "queries"
    unit = "answer"
    low: ClassVar[float] = 0.0

    def __init__(self, how: Queries) -> None:
        if how.view not in VIEWS:
            hint = did_you_mean(how.view, VIEWS) or f"choose from {', '.join(VIEWS)}"
            raise UsageError(f"no view {how.view!r} of entry points", hint=hint)
        _check_questions(how.asked)
        self.how = how
        self.ap = isinstance(how.judge, PoolJudge)
        self.hops = metric_hops(how.asked)
        self.columns = query_columns(self.hops, ap=self.ap)

    def measures(self) -> list[Measure]:
        """Precision, recall and F1 of every hop and of all; with assessments average precision."""
        return query_measures(self.hops, self.how.view, ap=self.ap)

    def gold(self) -> Side:
        """The questions of every query."""
        found: dict[str, list[Question]] = {}
        for question in self.how.asked:
            found.setdefault(question.query, []).append(question)
        return Side("gold", "", found, digest=partial(_judge_digest, self.how.asked, self.how.judge))

    def side(self, system: AnswerSet, limits: tuple[int, int] = (0, 0)) -> Side:
        """The answers of a system by query; `limits` are those of `Given`."""
        by_question, strangers = answers_by_question(self.how.asked, system.answers)
        if system.answers and strangers == len(system.answers):
            message = f"{system.name}: no answer is to one of the queries"
            raise ValidationError(message, hint="check that the ids of the queries are the same in both files")
        found: dict[str, list[Answer]] = {}
        for question in self.how.asked:
            found.setdefault(question.query, []).extend(answer for _, answer in by_question.get(question.id, ()))
        notes = [CorpusNote("answers", 1, note.message) for note in system.notes]
        notes += _noted(STRANGERS, strangers, "answer", "left out, to no question that was asked", CorpusNote)
        given = {query: Given(own, limits) for query, own in found.items()}
        return Side(system.name, system.path, given, partial(_answers_digest, given), tuple(notes))

    def read(self, source: Any, name: str, *, only: Container[str] | None = None, digest: bool = True) -> Side:  # noqa: ARG002
        """The answers of a knowledge base to the questions."""
        return self.side(answer_questions(read_asked(source, name=name), self.how.asked))

    def observe(self, gold: Any, system: Any | None, *, keep: bool = False) -> Row:
        """Judge and count the answers to the questions of one query."""
        given, how = system or Given(), self.how
        counted = count_answers(gold, given.answers, how.judge, policy=how.policy, justifications=given.limits)
        precisions = None
        if isinstance(how.judge, PoolJudge):
            # All answers of a node count here, whatever the limits for precision and recall leave of them.
            ranked = counted
            if any(given.limits):
                ranked = count_answers(gold, given.answers, how.judge, policy=how.policy)
            precisions = _precisions(gold, ranked, how.judge, how.depth, self.hops)
        number = {name: sum(row.counts[name] for row in counted.rows) for name in ("unassessed", "parent")}
        remarks = (("justifications", counted.dropped), *number.items())
        return Row(
            query_sums(gold, counted.rows, self.columns, view=how.view, precisions=precisions),
            tuple(Remark(code, number=times) for code, times in remarks if times),
            counted if keep else None,
        )

    def align(self, gold: Any, system: Any | None, row: Row) -> Alignment:  # noqa: ARG002
        """Classes of correct answers on the gold side, the answers of the system on the other."""
        outcomes = _by_question(gold, row.detail.outcomes)
        return _aligned([(each, self.how.judge.classes(each), outcomes[each.id]) for each in gold], self.how.policy)

    def attributes(self, document: Any) -> dict[str, Any]:
        """The query itself, its slots, how many they are, and the type of its entity."""
        first = document[0]
        values = first.query, "/".join(first.slots), len(first.slots), first.type or None
        return dict(zip(FIELDS, values, strict=True))

    def reported(self, evaluation: Evaluation) -> Reported:
        """All counts, with all attributes of the queries."""
        return msgspec.structs.replace(
            super().reported(evaluation),
            attributes={name: tuple(each[name] for each in evaluation.attributes) for name in FIELDS},
        )

    def signature(self, evaluation: Evaluation) -> dict[str, str | float | None]:  # noqa: ARG002
        """How entry points count, and what differs from the official policy."""
        policy = self.how.policy._asdict()
        changed = {name.replace("_", "-"): value for name, value in policy.items() if value != getattr(OFFICIAL, name)}
        return {"entry-points": self.how.view, **changed, **self.how.fields}

    def notes(self, evaluation: Evaluation, name: str) -> list[Note]:
        """How many answers were left out or do not count, and why."""
        from adjudge.stats.result import Note

        totals: dict[str, int] = {}
        for _, remark in evaluation.systems[name].remarks:
            totals[remark.code] = totals.get(remark.code, 0) + remark.number
        judge = self.how.judge
        said = (
            ("justifications", totals.get("justifications", 0), "left out, further justifications of the same nodes"),
            ("unassessed", totals.get("unassessed", 0), "not assessed"),
            ("wrong-parent", totals.get("parent", 0), "below a wrong answer"),
        )
        notes = [note for code, number, rest in said for note in _noted(code, number, "answer", rest, Note)]
        others = judge.strangers if isinstance(judge, PoolJudge) else 0
        return [*notes, *_noted("other-assessments", others, "assessment", "of no question that was asked", Note)]


def evaluate_answers(
    how: Queries,
    systems: Sequence[AnswerSet],
    run: Run,
    *,
    justifications: Sequence[tuple[int, int]] | None = None,
) -> Evaluation:
    """Judge and count the answers of some systems, whose names must differ; `justifications` are those of each."""
    names = [system.name for system in systems]
    if len(set(names)) < len(names):
        raise UsageError(f"systems with the same name: {', '.join(names)}", hint="write NAME=FILE")
    task = QueryTask(how)
    for field in run.by:
        if field not in FIELDS:
            hint = did_you_mean(field, FIELDS) or f"choose from {', '.join(FIELDS)}"
            raise UsageError(f"cannot slice by {field!r}", hint=hint)
    limits = justifications if justifications is not None else [(0, 0)] * len(systems)
    sides = {system.name: task.side(system, limit) for system, limit in zip(systems, limits, strict=True)}
    return evaluate(task, task.gold(), sides, run)


def outcomes(evaluation: Evaluation) -> dict[str, Counted]:
    """All rows and outcomes of every system, if the run kept them."""
    found = {}
    for name, own in evaluation.systems.items():
        kept: Sequence[Counted] = own.details
        rows = [row for each in kept for row in each.rows]
        every = [outcome for each in kept for outcome in each.outcomes]
        strangers = sum(
            note.count for note in own.side.notes if isinstance(note, CorpusNote) and note.code == STRANGERS
        )
        found[name] = Counted(rows, every, strangers, sum(each.dropped for each in kept))
    return found


class QueryScores(NamedTuple):
    """The result, and the rows and outcomes of each system behind it."""

    result: Result
    counted: Mapping[str, Counted]


def score_answers(
    asked: Sequence[Question],
    systems: Sequence[AnswerSet],
    judge: Judge,
    *,
    justifications: Sequence[tuple[int, int]] | None = None,
    **how: Any,
) -> QueryScores:
    """Judge and count the answers of some systems, and score them; names of systems must differ.

    `justifications` has, for each system, how many answers with the same node are kept in one document and in all;
    `how` are the `policy`, the `view`, the `depth` and the `fields` of `Queries`, and the options of every task: `by`,
    `docs`, `pool`, `jobs`, `bootstrap`, `ci`, `seed`, `interval`, `test`, `align` and others.

    >>> from adjudge.model.kbp_queries import Assessment
    >>> question = Question("Q1", "Q1", ("spouse",))
    >>> pool = [Assessment("Q1", "Ben", "correct", ("1",)), Assessment("Q1", "Al", "correct", ("2",))]
    >>> judge = PoolJudge(pool, ["Q1"])
    >>> scores = score_answers([question], [AnswerSet("A", [Answer("Q1", "Ben")])], judge, bootstrap=0)
    >>> scores.result["kbp.query"].recall
    0.5000
    """
    own = {name: how.pop(name) for name in Queries._fields if name in how}
    queries = Queries(asked, judge, **own)
    evaluation = evaluate_answers(queries, systems, run_of(**how, keep=True), justifications=justifications)
    return QueryScores(evaluation.result(), outcomes(evaluation))


def _check_questions(asked: Sequence[Question]) -> None:
    """Raise if there are no questions, or if queries cannot be told apart."""
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


def _judge_digest(asked: Sequence[Question], judge: Judge) -> str:
    """A hash of the questions and of what answers are judged by."""
    from adjudge.stats.inference import hash_chunks

    def written() -> Iterator[bytes]:
        yield repr(list(asked)).encode("utf-8", "backslashreplace")
        if isinstance(judge, PoolJudge):
            yield repr(judge.pool).encode("utf-8", "backslashreplace")
        elif isinstance(judge.gold, KbIndex):
            for each in (*judge.gold.kb.entities, *judge.gold.kb.facts):
                yield repr(each).encode("utf-8", "backslashreplace")
        else:
            yield from (
                "	".join(map(str, row)).encode("utf-8", "backslashreplace") for row in judge.gold.table.rows()
            )

    return hash_chunks(written())


def _answers_digest(given: Mapping[str, Given]) -> str:
    from adjudge.stats.inference import hash_chunks

    return hash_chunks(repr((query, tuple(each))).encode("utf-8", "backslashreplace") for query, each in given.items())


def _precisions(
    members: Sequence[Question], counted: Counted, judge: PoolJudge, depth: int, hops: int
) -> dict[str, dict[str, Precision]]:
    """Average precision by question and hop."""
    nothing, outcomes = {f"hop{hop}": Precision(0.0, 0) for hop in range(hops)}, _by_question(members, counted.outcomes)
    return {each.id: {**nothing, **average_precisions(each, outcomes[each.id], judge, depth)} for each in members}


def _by_question(members: Sequence[Question], outcomes: Sequence[Outcome]) -> dict[str, list[Outcome]]:
    found: dict[str, list[Outcome]] = {question.id: [] for question in members}
    for each in outcomes:
        root = asked_path(each.answer.asked, found)
        assert root is not None
        found[root[0]].append(each)
    return found


_WHYS = {
    "incorrect": "it is wrong",
    "inexact": "it is inexact",
    "parent": "it follows a wrong answer",
    "unassessed": "nobody has assessed it",
    "correct": "a name of the same node counts",
}


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


def _noted(code: str, number: int, noun: str, rest: str, kind: Any) -> list[Any]:
    """A note, if there is anything to say."""
    return [kind(code, number, f"{number} {noun}{'s' * (number != 1)} {rest}")] if number else []
