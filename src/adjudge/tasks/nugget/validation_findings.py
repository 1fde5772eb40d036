"""What a validator finds in a submission: the first of each kind in full, the others counted."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from adjudge.errors import Problem

LIMIT = 20
"""How many of a kind are listed, unless it is said otherwise: one mistake may stand in every line."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """One thing to fix; `kind` is a stable name for programs, `fix` a line that can be pasted."""

    kind: str
    error: bool
    problem: Problem
    document: str | None = None
    fix: str | None = None


@dataclass(frozen=True, slots=True)
class NuggetReport:
    """What was found in one file, in file order, and what is in it; `unlisted` counts what is not listed, by kind.

    `gold` says, where nuggets were given, how many there are, and what became of how many of them.
    """

    path: str
    mode: str
    findings: list[Mistake]
    unlisted: dict[str, int]
    errors: int
    warnings: int
    documents: int = 0
    empty: int = 0
    mentions: int = 0
    clusters: int = 0
    links: int = 0
    gold: dict[str, int] | None = None


@dataclass(slots=True)
class Collector:
    """Takes what is found in one file."""

    path: str
    limit: int = LIMIT  # 0 is no limit
    findings: list[Mistake] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    errors: int = 0
    warnings: int = 0

    def error(
        self,
        kind: str,
        message: str,
        line: int | None = None,
        column: int | None = None,
        *,
        hint: str | None = None,
        document: str | None = None,
        fix: str | None = None,
        path: str | None = None,
    ) -> None:
        """Something that the official programs refuse, or that cannot be scored as it is meant."""
        self.errors += 1
        if self._room(kind):
            problem = Problem(message, path or self.path, line, column, hint)
            self.findings.append(Mistake(kind, True, problem, document, fix))

    def warn(
        self,
        kind: str,
        message: str,
        line: int | None = None,
        column: int | None = None,
        *,
        hint: str | None = None,
        document: str | None = None,
        path: str | None = None,
    ) -> None:
        """Something that does no harm to the score, but is odd or against the letter of the format."""
        self.warnings += 1
        if self._room(kind):
            problem = Problem(message, path or self.path, line, column, hint)
            self.findings.append(Mistake(kind, False, problem, document))

    def unlisted(self) -> dict[str, int]:
        """How many of each kind are not listed."""
        listed = Counter(finding.kind for finding in self.findings)
        return {kind: count - listed[kind] for kind, count in self.counts.items() if count > listed[kind]}

    def _room(self, kind: str) -> bool:
        self.counts[kind] += 1
        return not self.limit or self.counts[kind] <= self.limit
