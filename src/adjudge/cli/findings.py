"""What validators have found, as lines and as records: the same in every command."""

from __future__ import annotations

from typing import Any, Protocol

from adjudge.errors import Problem


class Found(Protocol):
    """Something to mend: what `formats.findings.Finding` has, and whatever is like it."""

    @property
    def kind(self) -> str:
        """A stable name for programs."""

    @property
    def error(self) -> bool:
        """Whether it is more than a warning."""

    @property
    def problem(self) -> Problem:
        """What is wrong, where, and how to mend it."""

    @property
    def document(self) -> str | None:
        """The document it is in."""


def finding_line(finding: Found) -> str:
    """A finding as `file:line:column: error: what is wrong, how to mend it`."""
    problem = finding.problem
    place = ":".join(str(part) for part in (problem.path, problem.line, problem.column) if part is not None)
    hint = f", {problem.hint}" if problem.hint else ""
    return f"{place}: {'error' if finding.error else 'warning'}: {problem.message}{hint}"


def finding_record(finding: Found, **more: Any) -> dict[str, Any]:
    """A finding for JSON."""
    return {
        "severity": "error" if finding.error else "warning",
        "kind": finding.kind,
        "document": finding.document,
        "path": finding.problem.path,
        "line": finding.problem.line,
        "column": finding.problem.column,
        "message": finding.problem.message,
        "hint": finding.problem.hint,
        **more,
    }


def counted(number: int, what: str) -> str:
    """A number and a noun.

    >>> counted(1, "document"), counted(2, "class")
    ('1 document', '2 classes')
    """
    ending = "" if number == 1 else ("es" if what.endswith("s") else "s")
    return f"{number} {what}{ending}"
