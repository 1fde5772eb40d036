"""What an explanation says: losses step by step, examples, and a waterfall for each number of hops."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from adjudge.tasks.kbp.explain_evidence import Evidence
from adjudge.tasks.kbp.explain_paths import Sample
from adjudge.tasks.kbp.explain_reasons import Reason

Fate: TypeAlias = Literal["missed", "wrong"]
FATES: tuple[Fate, ...] = ("missed", "wrong")


class Loss(NamedTuple):
    """How many paths are lost at one step; `at` says at which of their facts, the first one first.

    The last number of `at` counts paths all of whose facts are right, but between nodes that do not join.
    """

    reason: Reason
    paths: int
    at: tuple[int, ...]


class PathFact(NamedTuple):
    """A fact of a path: its names, whether the other side has it too, and what supports it."""

    subject: str
    relation: str
    object: str
    matched: bool
    documents: tuple[str, ...]
    evidence: tuple[Evidence, ...]


class Example(NamedTuple):
    """A lost path: the facts along it, which of them broke first (from 1), and why; `paths` broke at this very fact."""

    fate: Fate
    reason: Reason
    detail: str
    paths: int
    broken: int
    facts: tuple[PathFact, ...]


class Waterfall(NamedTuple):
    """All paths of one length: those of gold, of the system and of both, and at which step the others were lost."""

    metric: str
    hop: int
    gold: int
    system: int
    both: int
    missed: tuple[Loss, ...]
    wrong: tuple[Loss, ...]
    examples: tuple[Example, ...]
    sample: Sample | None = None

    def losses(self, fate: Fate) -> tuple[Loss, ...]:
        """The losses of one side."""
        return self.missed if fate == "missed" else self.wrong


class Explanation(NamedTuple):
    """One system: a waterfall for each number of hops."""

    system: str
    waterfalls: tuple[Waterfall, ...]
