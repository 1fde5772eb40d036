"""Answers to queries, judged and counted as in the assessment of Cold Start.

The judge is a pool of assessed answers, or a gold knowledge base that answers the same questions. Equivalent answers
form a class. The classes of a question form a tree, in which those of the second hop are children of those of the
first; a path of names identifies each of them. Gold is the number of classes (one, for a slot with a single value).
There is a row of counts for the first hop of each question, and one for the second hop under each class of the first.
An answer below a wrong one is wrong, and only one answer of a class is correct. A policy decides how answers count
that are neither.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias, TypeVar

from adjudge.errors import UsageError
from adjudge.formats.kb_coldstart_check import find_slot
from adjudge.formats.standoff import parse_place
from adjudge.model.kbp_queries import (
    CORRECT,
    IGNORED,
    INEXACT,
    NO_CLASS,
    WRONG,
    Answer,
    Assessment,
    Question,
    asked_path,
)
from adjudge.tasks.kbp.queries import Fill, KbIndex, TripleIndex

Path: TypeAlias = tuple[str, ...]
Match: TypeAlias = Literal["assessed", "exact", "case"]
MATCHES: tuple[Match, ...] = ("assessed", "exact", "case")
UNASSESSED = "unassessed"
_K = TypeVar("_K")


class Verdict(NamedTuple):
    """The verdict on an answer: its judgment, the path of its class (None if it has none), and the levels of mentions.

    `parent` is the class that the question asks about, which gives the row of the answer; None if it is not a class.
    """

    judgment: str
    path: Path | None = None
    parent: Path | None = ()
    level: str = ""
    group_level: str = ""


class PoolJudge:
    """Judges by assessments of a pool of answers.

    With `assessed`, an answer counts as judged only if exactly this answer, value and places, is in the pool. With
    `exact` or `case`, the judgment of an equal value for the same question and parent class is taken.

    >>> pool = PoolJudge([Assessment("Q1", "Ben", "correct", ("1",))], ["Q1"])
    >>> pool.judge(Question("Q1", "Q1", ("spouse",)), (), Answer("Q1", "Ben")).path
    ('1',)
    """

    def __init__(self, pool: Iterable[Assessment], known: Iterable[str], *, match: Match = "assessed") -> None:
        if match not in MATCHES:
            raise UsageError(f"there is no way of matching called {match!r}", hint=f"choose from {', '.join(MATCHES)}")
        self.match = match
        names = frozenset(known)
        self.strangers = 0  # assessments of questions that are not asked
        self._classes: dict[str, dict[Path, dict[str, None]]] = {}
        self._exact: dict[tuple[str, str, str, str], Assessment] = {}
        self._values: dict[tuple[str, Path | None, str], Assessment] = {}
        self._placed: dict[tuple[str, Path], set[str]] = {}
        self.pool = listed = list(pool)
        # The class that a question of a later hop asks about: that of the answer that raised it.
        self._above: dict[str, Path] = {each.target: each.group for each in listed if each.group}
        for each in listed:
            root = asked_path(each.asked, names)
            if root is None:
                self.strangers += 1
                continue
            tree = self._classes.setdefault(root[0], {(): {}})
            if each.group:
                self._placed.setdefault((root[0], each.group), set()).add(_document(each))
            for depth, name in enumerate(each.group):
                tree.setdefault(each.group[:depth], {})[name] = None
            _prefer(self._exact, _key(each), each)
            if match != "assessed":
                above = self._parent(each.asked, root[1])
                _prefer(self._values, (root[0], above, self._folded(each.value)), each)

    def _parent(self, asked: str, hop: int) -> Path | None:
        return self._above.get(asked) if hop else ()

    def _folded(self, value: str) -> str:
        return value.casefold() if self.match == "case" else value

    def classes(self, question: Question) -> Mapping[Path, Sequence[str]]:
        """The classes that some assessment names."""
        return {path: list(names) for path, names in self._classes.get(question.id, {}).items()}

    def documents(self, question: str, path: Path) -> int:
        """In how many documents assessments place a class of a question."""
        return len(self._placed.get((question, path), ()))

    def judge(self, question: Question, above: Path | None, answer: Answer) -> Verdict:
        """The assessment of an answer; `unassessed` if it has none."""
        parent = () if answer.asked == question.id else self._above.get(answer.asked)
        found = self._exact.get(_key(answer))
        if found is None and self.match != "assessed":
            parent = parent if parent is not None else above
            found = self._values.get((question.id, parent, self._folded(answer.value)))
        if found is None:
            return Verdict(UNASSESSED, None, parent)
        path = found.group or None
        return Verdict(found.judgment, path, path[:-1] if path else parent, found.level, found.group_level)


def _key(each: Answer | Assessment) -> tuple[str, str, str, str]:
    return each.asked, each.value, each.provenance, each.place


def _document(each: Answer | Assessment) -> str:
    return (each.provenance or each.place).partition(",")[0].rpartition(":")[0]


def _prefer(table: dict[_K, Assessment], key: _K, each: Assessment) -> None:
    """Of several judgments of one answer, a correct one counts, else the first."""
    before = table.get(key)
    if before is None or (before.judgment != CORRECT and each.judgment == CORRECT):
        table[key] = each


@dataclass(slots=True)
class _Class:
    """Equivalent gold answers: nodes, or strings with a text in common."""

    nodes: dict[str, None] = field(default_factory=dict)
    texts: set[str] = field(default_factory=set)


class GoldJudge:
    """Judges by the answers of a gold knowledge base, which is complete for its documents.

    In a knowledge base with mentions, an answer is right if the rule for entry points leads from the place of its value
    to a node that is a gold answer (or to several equally near nodes, of which one is); a string is right if gold has
    the same text, whatever its case and spacing. In a table of triples, names are compared.

    >>> from adjudge.model.kbp import TripleTable
    >>> table = TripleTable()
    >>> table.add("ana", "spouse", "ben", "d1")
    >>> judge = GoldJudge(TripleIndex(table))
    >>> judge.judge(Question("Q1", "Q1", ("spouse",), node="ana"), (), Answer("Q1", "ben")).judgment
    'correct'
    """

    def __init__(self, gold: KbIndex | TripleIndex) -> None:
        self.gold = gold
        self._documents = gold.documents() if isinstance(gold, KbIndex) else frozenset()
        self._trees: dict[str, dict[Path, dict[str, _Class]]] = {}

    def _tree(self, question: Question) -> dict[Path, dict[str, _Class]]:
        tree = self._trees.get(question.id)
        if tree is None:
            tree = self._trees[question.id] = {}
            known = self.gold.start(question._replace(entry_point=None)) if question.node else None
            node = known if known is not None else self.gold.start(question)
            level: dict[Path, list[str]] = {(): [node]} if node is not None else {}
            for slot in question.slots:
                following: dict[Path, list[str]] = {}
                for path, nodes in level.items():
                    tree[path] = self._grouped([fill for each in nodes for fill in self.gold.fills(each, slot)])
                    following |= {(*path, name): list(each.nodes) for name, each in tree[path].items()}
                level = following
        return tree

    def _grouped(self, fills: Sequence[Fill]) -> dict[str, _Class]:
        """The classes of some fillers, named after a node or a text."""
        found: dict[str, _Class] = {}
        for fill in fills:
            texts = self._texts(fill)
            same = [name for name, each in found.items() if each.texts & texts] if texts else []
            name = same[0] if same else fill.node or fill.value
            each = found.setdefault(name, _Class())
            if fill.node:
                each.nodes[fill.node] = None
            each.texts |= texts
            for other in same[1:]:
                gone = found.pop(other)
                each.nodes |= gone.nodes
                each.texts |= gone.texts
        return found

    def _texts(self, fill: Fill) -> set[str]:
        """All texts of a string; none for an entity, whose name proves nothing."""
        if not isinstance(self.gold, KbIndex):
            return set()
        entity = self.gold.entities.get(fill.node)
        if entity is None:
            return {_plain(fill.value)}
        return {_plain(each.text) for each in entity.mentions} if entity.kind == "string" else set()

    def classes(self, question: Question) -> Mapping[Path, Sequence[str]]:
        """The answers of gold."""
        return {path: list(names) for path, names in self._tree(question).items()}

    def judge(self, question: Question, above: Path | None, answer: Answer) -> Verdict:
        """Whether gold has the answer below the same class."""
        known = self._tree(question).get(above, {}) if above is not None else {}
        name = self._find(known, answer)
        if name is not None and above is not None:
            return Verdict(CORRECT, (*above, name), above)
        place = parse_place(answer.place.partition(",")[0]) if answer.place and self._documents else None
        outside = place is not None and place[0] not in self._documents
        return Verdict(UNASSESSED if outside else WRONG, None, above)

    def _find(self, known: Mapping[str, _Class], answer: Answer) -> str | None:
        if not isinstance(self.gold, KbIndex):
            return next((name for name in (answer.node, answer.value) if name in known), None)
        text = _plain(answer.value)
        for name, each in known.items():
            if text in each.texts:
                return name
        place = parse_place(answer.place.partition(",")[0]) if answer.place else None
        if place is None:
            return next((name for name, each in known.items() if answer.node in each.nodes), None)
        near = [each.id for each in self.gold.overlapping(*place)]
        # Nodes at one and the same place cannot be told apart, except by a name that both sides use.
        for node in sorted(near, key=lambda each: each != answer.node):
            for name, each in known.items():
                if node in each.nodes:
                    return name
        return None


Judge: TypeAlias = PoolJudge | GoldJudge
"""Knows the classes of each question, by the path of their parent, and judges answers.

An answer is judged given the class of the answer that it follows, None if that has none.
"""


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


# ---------------------------------------------------------------------------------------------------------------------


FOUND = ("correct", "incorrect", "inexact", "parent", "unassessed")
COUNTS = ("gold", "submitted", *FOUND, "redundant", "right", "wrong", "ignored")
"""The counts of a row: the outcomes, then what the policy makes of them; redundant ones are wrong or ignored, too."""

RIGHT, REDUNDANT = "right", "redundant"
_LABELS = {CORRECT: "correct", WRONG: "incorrect", INEXACT: "inexact", UNASSESSED: "unassessed", IGNORED: "ignored"}


class Policy(NamedTuple):
    """How answers count that are neither simply right nor simply wrong; the defaults are the official ones.

    An answer that repeats a right one of its class is ignored, unless `duplicates` makes it wrong.
    """

    inexact: Literal["right", "wrong", "ignore"] = "wrong"
    unassessed: Literal["wrong", "ignore"] = "ignore"
    wrong_parent: Literal["wrong", "ignore"] = "wrong"
    duplicates: Literal["wrong", "ignore"] = "ignore"


OFFICIAL = Policy()


class Row(NamedTuple):
    """The counts of one hop of one question below one class (`path`; `("0",)` collects what follows wrong answers)."""

    question: str
    path: Path
    counts: dict[str, int]

    @property
    def hop(self) -> int:
        """0 for the first hop."""
        return len(self.path)

    @property
    def name(self) -> str:
        """The name of the row in official tables.

        >>> Row("Q1", ("3",), {}).name
        'Q1:3'
        """
        return ":".join((self.question, *self.path))


class Outcome(NamedTuple):
    """The outcome of one answer: its verdict, and its label before and after the policy.

    `hop` and `line` say where it stands among the answers to its question, `node` is the path of nodes to it.
    """

    answer: Answer
    verdict: Verdict
    label: str
    effect: str
    hop: int = 0
    line: int = 0
    node: Path | None = None


class Counted(NamedTuple):
    """All rows of a system, the outcome of each answer, and how many were left out: no question, or over a limit."""

    rows: list[Row]
    outcomes: list[Outcome]
    strangers: int
    dropped: int


def answers_by_question(
    asked: Sequence[Question], answers: Iterable[Answer]
) -> tuple[dict[str, list[tuple[int, Answer]]], int]:
    """The answers to each question and to those that follow from it, with their hops, and how many answer none.

    >>> answers_by_question([Question("Q1", "Q1", ("spouse",))], [Answer("Q1", "Ben"), Answer("Q2", "Eva")])[1]
    1
    """
    by_id = {question.id: question for question in asked}
    found: dict[str, list[tuple[int, Answer]]] = {}
    strangers = 0
    for answer in answers:
        root = asked_path(answer.asked, by_id)
        if root is None or root[1] >= len(by_id[root[0]].slots):
            strangers += 1
        else:
            found.setdefault(root[0], []).append((root[1], answer))
    return found, strangers


def count_answers(
    asked: Sequence[Question],
    answers: Sequence[Answer],
    judge: Judge,
    *,
    policy: Policy = OFFICIAL,
    justifications: tuple[int, int] = (0, 0),
) -> Counted:
    """Judge all answers of a system and count them.

    `justifications` limits how many answers with the same node are kept, in one document and in all (0: no limit); the
    most confident ones are.

    >>> from adjudge.model.kbp_queries import Assessment
    >>> from adjudge.tasks.kbp.answers import PoolJudge
    >>> pool = [Assessment("Q1", "Ben", "correct", ("1",)), Assessment("Q1", "Al", "correct", ("2",))]
    >>> judge = PoolJudge(pool, ["Q1"])
    >>> counted = count_answers([Question("Q1", "Q1", ("spouse",))], [Answer("Q1", "Ben"), Answer("Q1", "Eva")], judge)
    >>> {name: count for name, count in counted.rows[0].counts.items() if count}
    {'gold': 2, 'submitted': 2, 'correct': 1, 'unassessed': 1, 'right': 1, 'ignored': 1}
    """
    placed, strangers = answers_by_question(asked, answers)
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
    """The answers within the limits, in their order; those that follow a dropped one are dropped with it."""
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
                document = _document(answer)
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
    good: dict[str, set[Path]] = {}  # the classes of correct answers, by the question that they raise
    right = {CORRECT} | ({INEXACT} if policy.inexact == "right" else set())
    nodes = _nodes(given)
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
        outcome = Outcome(answer, verdict, label, "", hop, number, nodes[number])
        rows.setdefault(row, []).append((number, outcome))
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
    """Whether a node is given by a name where its class has one; else it counts neither way (since 2016)."""
    named: dict[object, bool] = {}
    for each, owner in zip(found, owners, strict=True):
        if each.effect in (RIGHT, REDUNDANT) and each.verdict.level:
            named[owner] = named.get(owner, False) or each.verdict.level == "NAM" or each.verdict.group_level == "NOM"
    return named
