"""Judges of answers: a pool of assessed answers, or a gold knowledge base that answers the same questions.

Equal answers form a class. The classes of a question are a tree, given by paths of their names: those of the second hop
hang under those of the first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias, TypeVar

from adjudge.errors import UsageError
from adjudge.formats.standoff import parse_place
from adjudge.model.kbp_queries import CORRECT, WRONG, Answer, Assessment, Question, asked_path
from adjudge.tasks.kbp.queries import Fill, KbIndex, TripleIndex

Path: TypeAlias = tuple[str, ...]
Match: TypeAlias = Literal["assessed", "exact", "case"]
MATCHES: tuple[Match, ...] = ("assessed", "exact", "case")
UNASSESSED = "unassessed"
_K = TypeVar("_K")


class Verdict(NamedTuple):
    """What is said of an answer: a judgment, the path of its class (None if it has none), levels of mentions.

    `parent` is the class that the question asks about, so the row of the answer; None if it is no class.
    """

    judgment: str
    path: Path | None = None
    parent: Path | None = ()
    level: str = ""
    group_level: str = ""


class PoolJudge:
    """Judges by assessments of a pool of answers.

    With `assessed`, an answer was judged if just this answer, with value and places, is in the pool. With `exact` or
    `case`, the judgment of an equal value for the same question and class above will do.

    >>> pool = PoolJudge([Assessment("Q1", "Ben", "correct", ("1",))], ["Q1"])
    >>> pool.judge(Question("Q1", "Q1", ("spouse",)), (), Answer("Q1", "Ben")).path
    ('1',)
    """

    def __init__(self, pool: Iterable[Assessment], known: Iterable[str], *, match: Match = "assessed") -> None:
        if match not in MATCHES:
            raise UsageError(f"no way {match!r} to match", hint=f"choose from {', '.join(MATCHES)}")
        self.match = match
        names = frozenset(known)
        self.strangers = 0  # assessments of questions that are not asked
        self._classes: dict[str, dict[Path, dict[str, None]]] = {}
        self._exact: dict[tuple[str, str, str, str], Assessment] = {}
        self._values: dict[tuple[str, Path | None, str], Assessment] = {}
        listed = list(pool)
        # The class that a question of a later hop asks about: that of the answer which raises it.
        self._above: dict[str, Path] = {each.target: each.group for each in listed if each.group}
        for each in listed:
            root = asked_path(each.asked, names)
            if root is None:
                self.strangers += 1
                continue
            tree = self._classes.setdefault(root[0], {(): {}})
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

    def judge(self, question: Question, above: Path | None, answer: Answer) -> Verdict:
        """The assessment of that answer, or that it has none."""
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


def _prefer(table: dict[_K, Assessment], key: _K, each: Assessment) -> None:
    """Of several judgments of one answer, a correct one counts, then the first."""
    before = table.get(key)
    if before is None or (before.judgment != CORRECT and each.judgment == CORRECT):
        table[key] = each


@dataclass(slots=True)
class _Class:
    """Gold answers that say the same: nodes, or strings with a text in common."""

    nodes: dict[str, None] = field(default_factory=dict)
    texts: set[str] = field(default_factory=set)


class GoldJudge:
    """Judges by the answers of a gold knowledge base, which is complete for its documents.

    In a knowledge base with mentions, an answer is right if the rule for entry points takes the place of its value to a
    node that gold answers as well (of several equally near nodes, to such a one); a string, if gold has the same
    text up to case and blanks. In a table of triples, names are compared.

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
"""Knows the classes of each question, by the path above them, and what an answer is worth.

An answer is judged with the class of the answer that it follows, None if that has none.
"""


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()
