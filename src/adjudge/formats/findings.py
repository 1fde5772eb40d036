"""What a validator says about a file."""

from __future__ import annotations

from dataclasses import dataclass

from adjudge.errors import Problem


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to fix; `kind` is a stable name for programs."""

    kind: str
    error: bool
    problem: Problem
    document: str | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """What was found in one file, in file order, and what is in it."""

    path: str
    findings: list[Finding]
    documents: int
    tokens: int
    chains: int
    mentions: int

    @property
    def errors(self) -> int:
        """How many findings are errors."""
        return sum(finding.error for finding in self.findings)

    @property
    def warnings(self) -> int:
        """How many findings are warnings."""
        return len(self.findings) - self.errors
