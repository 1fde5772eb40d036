"""Count judged answers to queries, as the assessment of Cold Start does.

Gold is the number of classes of equal answers (one, for a slot with a single value). There is a row of counts for the
first hop of each question, and one for the second hop under each class of the first. An answer below a wrong one is
wrong, and of several answers of a class one is right. A policy says what becomes of answers that are neither.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from adjudge.formats.kb_coldstart_check import find_slot
from adjudge.model.kbp_queries import CORRECT, IGNORED, INEXACT, NO_CLASS, WRONG, Answer, Question, asked_path
from adjudge.tasks.kbp.judging import UNASSESSED, Judge, Path, Verdict

FOUND = ("correct", "incorrect", "inexact", "parent", "unassessed")
COUNTS = ("gold", "submitted", *FOUND, "redundant", "right", "wrong", "ignored")
"""The counts of a row: what was found, then what the policy makes of it; what is redundant is in one of the last."""

RIGHT, REDUNDANT = "right", "redundant"
_LABELS = {CORRECT: "correct", WRONG: "incorrect", INEXACT: "inexact", UNASSESSED: "unassessed", IGNORED: "ignored"}


class Policy(NamedTuple):
    """What becomes of answers that are neither simply right nor simply wrong; the defaults are the official ones.

    An answer that repeats a right one of its class is ignored, or `duplicates` says that it is wrong.
    """

    inexact: Literal["right", "wrong", "ignore"] = "wrong"
    unassessed: Literal["wrong", "ignore"] = "ignore"
    wrong_parent: Literal["wrong", "ignore"] = "wrong"
    duplicates: Literal["wrong", "ignore"] = "ignore"


OFFICIAL = Policy()


class Row(NamedTuple):
    """The counts of one hop of one question below one class (`path`; `("0",)` gathers what follows wrong answers)."""

    question: str
    path: Path
    counts: dict[str, int]

    @property
    def hop(self) -> int:
        """0 for the first hop."""
        return len(self.path)

    @property
    def name(self) -> str:
        """As official tables call it.

        >>> Row("Q1", ("3",), {}).name
        'Q1:3'
        """
        return ":".join((self.question, *self.path))


class Outcome(NamedTuple):
    """What became of one answer: its verdict, and its label before and after the policy."""

    answer: Answer
    verdict: Verdict
    label: str
    effect: str


class Counted(NamedTuple):
    """All rows of a system, what became of each answer, and how many answers were not counted and why."""

    rows: list[Row]
    outcomes: list[Outcome]
    strangers: int
    dropped: int


def count_answers(
    asked: Sequence[Question],
    answers: Sequence[Answer],
    judge: Judge,
    *,
    policy: Policy = OFFICIAL,
    justifications: tuple[int, int] = (0, 0),
) -> Counted:
    """Judge all answers of a system and count them.

    `justifications` is how many answers with the same node are kept, in one document and in all; the most confident
    ones, 0 for any number.

    >>> from adjudge.model.kbp_queries import Assessment
    >>> from adjudge.tasks.kbp.judging import PoolJudge
    >>> pool = [Assessment("Q1", "Ben", "correct", ("1",)), Assessment("Q1", "Al", "correct", ("2",))]
    >>> judge = PoolJudge(pool, ["Q1"])
    >>> counted = count_answers([Question("Q1", "Q1", ("spouse",))], [Answer("Q1", "Ben"), Answer("Q1", "Eva")], judge)
    >>> {name: count for name, count in counted.rows[0].counts.items() if count}
    {'gold': 2, 'submitted': 2, 'correct': 1, 'unassessed': 1, 'right': 1, 'ignored': 1}
    """
    by_id = {question.id: question for question in asked}
    placed: dict[str, list[tuple[int, Answer]]] = {}
    strangers = 0
    for answer in answers:
        root = asked_path(answer.asked, by_id)
        if root is None or root[1] >= len(by_id[root[0]].slots):
            strangers += 1
        else:
            placed.setdefault(root[0], []).append((root[1], answer))
    rows: list[Row] = []
    outcomes: list[Outcome] = []
    dropped = 0
    for question in asked:
        given = placed.get(question.id, [])
        kept = _justified(given, *justifications)
        dropped += len(given) - len(kept)
        found, judged = _question_rows(question, kept, judge, policy)
        rows += found
        outcomes += judged
    return Counted(rows, outcomes, strangers, dropped)


def _nodes(given: Sequence[tuple[int, Answer]]) -> list[Path | None]:
    """The path of nodes of each answer, None for one without a node."""
    targets: dict[str, Path | None] = {}
    found: list[Path | None] = [None] * len(given)
    for hop, number, answer in sorted((hop, number, answer) for number, (hop, answer) in enumerate(given)):
        above = targets.get(answer.asked, (answer.asked,)) if hop else (answer.asked,)
        found[number] = (*above, answer.node) if answer.node and above is not None else None
        targets.setdefault(answer.target, found[number])
    return found


def _justified(given: Sequence[tuple[int, Answer]], each: int, all_: int) -> list[tuple[int, Answer]]:
    """The answers that the limits leave, in their order; those that follow a dropped one are dropped with it."""
    if not each and not all_:
        return list(given)
    nodes = _nodes(given)
    kept: set[int] = set()
    targets: set[str] = set()
    for hop in sorted({hop for hop, _ in given}):
        in_document: dict[tuple[Path, str], int] = {}
        in_all: dict[Path, int] = {}
        here = [number for number, (level, answer) in enumerate(given) if level == hop]
        here = [number for number in here if not hop or given[number][1].asked in targets]
        for number in sorted(here, key=lambda number: -given[number][1].confidence):
            node, answer = nodes[number], given[number][1]
            if node is not None:
                document = (answer.provenance or answer.place).partition(",")[0].rpartition(":")[0]
                count = in_document[node, document] = in_document.get((node, document), 0) + 1
                if each and count > each:
                    continue
                total = in_all[node] = in_all.get(node, 0) + 1
                if all_ and total > all_:
                    continue
            kept.add(number)
            targets.add(answer.target)
    return [pair for number, pair in enumerate(given) if number in kept]


def _question_rows(
    question: Question, given: Sequence[tuple[int, Answer]], judge: Judge, policy: Policy
) -> tuple[list[Row], list[Outcome]]:
    classes = judge.classes(question)
    rows: dict[Path, list[tuple[int, Outcome]]] = {path: [] for path in classes if len(path) < len(question.slots)}
    rows.setdefault((), [])
    above: dict[str, Path | None] = {question.id: ()}
    good: dict[str, set[Path]] = {}  # the classes of right answers, by the question that they raise
    right = {CORRECT} | ({INEXACT} if policy.inexact == "right" else set())
    for number, (hop, answer) in sorted(enumerate(given), key=lambda each: each[1][0]):
        verdict = judge.judge(question, above.get(answer.asked), answer)
        if verdict.path is not None or answer.target not in above:
            above[answer.target] = verdict.path
        row = verdict.parent if verdict.parent is not None else (NO_CLASS,) * hop
        label = _LABELS[verdict.judgment]
        if hop and row not in good.get(answer.asked, ()):
            label = "parent"
        elif verdict.judgment in right and verdict.path is not None:
            good.setdefault(answer.target, set()).add(verdict.path)
        rows.setdefault(row, []).append((number, Outcome(answer, verdict, label, "")))
    nodes = _nodes(given)
    finished: list[Row] = []
    outcomes: list[Outcome] = []
    for path in sorted(rows, key=lambda path: (len(path), path)):
        single = is_single(question.slots[len(path)])
        names = [] if NO_CLASS in path else classes.get(path, ())
        decided = _decide(rows[path], policy, nodes, single=single)
        outcomes += decided
        counts = dict.fromkeys(COUNTS, 0)
        counts["gold"] = min(len(names), 1) if single else len(names)
        counts["submitted"] = len(decided)
        for each in decided:
            effect = each.effect
            if each.label in FOUND:
                counts[each.label] += 1
            if effect == REDUNDANT:
                counts[REDUNDANT] += 1
                effect = WRONG if policy.duplicates == "wrong" else IGNORED
            counts[effect] += 1
        finished.append(Row(question.id, path, counts))
    return finished, outcomes


def is_single(slot: str) -> bool:
    """Whether a slot of Cold Start has one value."""
    domain, _, name = slot.partition(":")
    found = find_slot(domain.lower(), name.lower())[0]
    return found is not None and found.single


def _decide(
    outcomes: Sequence[tuple[int, Outcome]], policy: Policy, nodes: Sequence[Path | None], *, single: bool
) -> list[Outcome]:
    """The effect of each answer of a row: right, redundant, wrong or ignored."""
    effects = {
        "correct": RIGHT,
        "incorrect": WRONG,
        "inexact": {"right": RIGHT, "wrong": WRONG, "ignore": IGNORED}[policy.inexact],
        "unassessed": {"wrong": WRONG, "ignore": IGNORED}[policy.unassessed],
        "parent": {"wrong": WRONG, "ignore": IGNORED}[policy.wrong_parent],
        "ignored": IGNORED,
    }
    found = [each._replace(effect=effects[each.label]) for _, each in outcomes]
    # An answer without a node stands for itself.
    owners: list[object] = [nodes[number] or number for number, _ in outcomes]
    by_class: dict[Path | None, list[int]] = {}
    for place, each in enumerate(found):
        if each.effect == RIGHT:
            by_class.setdefault(None if single else each.verdict.path, []).append(place)
    for places in by_class.values():
        # One answer of a class counts, a name rather than a noun.
        first = min(places, key=lambda place: (found[place].verdict.level == "NOM", place))
        for place in places:
            if place != first:
                found[place] = found[place]._replace(effect=REDUNDANT)
    named = _named(found, owners)
    return [
        each if each.effect not in (RIGHT, REDUNDANT) or named.get(owner, True) else each._replace(effect=IGNORED)
        for each, owner in zip(found, owners, strict=True)
    ]


def _named(found: Sequence[Outcome], owners: Sequence[object]) -> dict[object, bool]:
    """Whether a node is given by a name if its class has one; if not, it counts neither way (the rule since 2016)."""
    named: dict[object, bool] = {}
    for each, owner in zip(found, owners, strict=True):
        if each.effect in (RIGHT, REDUNDANT) and each.verdict.level:
            named[owner] = named.get(owner, False) or each.verdict.level == "NAM" or each.verdict.group_level == "NOM"
    return named
