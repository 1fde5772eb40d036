"""What validators have found, as lines and as records, and the options of validators: the same in every command."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, runtime_checkable

import click

from adjudge.cli.options import compose, output_option, whole
from adjudge.cli.output import emit
from adjudge.errors import Problem, grouped

if TYPE_CHECKING:
    from pathlib import Path

F = TypeVar("F", bound=Callable[..., Any])
R = TypeVar("R", bound="Checked")


class Found(Protocol):
    """Something to fix: what `formats.findings.Finding` has, and whatever is like it."""

    @property
    def kind(self) -> str:
        """A stable name for programs."""

    @property
    def error(self) -> bool:
        """Whether it is more than a warning."""

    @property
    def problem(self) -> Problem:
        """What is wrong, where, and how to fix it."""


@runtime_checkable
class FoundInDocument(Found, Protocol):
    """Something to fix in one of several documents."""

    @property
    def document(self) -> str | None:
        """The document it is in."""


class Checked(Protocol):
    """The report of a validator, as far as all of them agree."""

    @property
    def errors(self) -> int:
        """How many errors there are, listed or not."""

    @property
    def warnings(self) -> int:
        """How many warnings there are."""


def report_options(*, limit: int | None = None, what: str = "problems") -> Callable[[F], F]:
    """The options of a validator; with a `limit`, how many findings are listed."""
    limits = click.option(
        "--limit",
        metavar="N",
        default=str(limit),
        show_default=True,
        callback=whole("give a whole number, or 0 for all"),
        help=f"List so many {what} of a kind and count the others; 0 lists all.",
    )
    return compose(
        click.option("--strict", is_flag=True, help="Warnings count as errors."),
        *([] if limit is None else [limits]),
        click.option("--format", "format_", type=click.Choice(("text", "json")), default="text", show_default=True),
        output_option,
        click.option("--quiet", is_flag=True, help="Only what is wrong: no line of totals."),
    )


def severity_option(command: F) -> F:
    """Which kinds of problems are errors, warnings, or nothing: `--severity KIND=error|warning|off`."""
    return click.option(
        "--severity",
        metavar="KIND=LEVEL",
        multiple=True,
        help="Make a kind of problem an error, a warning, or off: cas-text=error. Repeatable.",
    )(command)


def emit_reports(
    reports: Sequence[R],
    record: Callable[[R], dict[str, Any]],
    text: Callable[..., str],
    *,
    strict: bool,
    format_: str,
    output: Path | None,
    quiet: bool,
) -> int:
    """Write the reports on files, each by its own record or text, and give the exit code."""
    if format_ == "json":
        emit(as_json({"files": [record(report) for report in reports]}), output)
    else:
        emit("".join(text(report, quiet=quiet) for report in reports), output)
    return int(any(failed(report, strict=strict) for report in reports))


def failed(report: Checked, *, strict: bool) -> bool:
    """Whether something must be repaired."""
    return bool(report.errors or (strict and report.warnings))


def as_json(record: dict[str, Any]) -> str:
    """A record for programs."""
    import json

    return json.dumps(record, indent=2, ensure_ascii=False) + "\n"


def unlisted_line(path: str, kind: str, count: int) -> str:
    """How many findings of a kind are not listed."""
    return f"{path}: and {count} more of the kind {kind}, --limit 0 lists all"


def finding_line(finding: Found) -> str:
    """A finding as `file:line:column: error: what is wrong, how to fix it`."""
    return _line(finding.problem, error=finding.error)


def _line(problem: Problem, *, error: bool) -> str:
    place = ":".join(str(part) for part in (problem.path, problem.line, problem.column) if part is not None)
    hint = f", {problem.hint}" if problem.hint else ""
    return f"{place}: {'error' if error else 'warning'}: {problem.message}{hint}"


def finding_lines(findings: Sequence[Found]) -> list[str]:
    """Findings as lines in the order of their places; one mistake on many lines is one of them, with a count."""
    found: list[tuple[Problem, bool]] = []
    for error in (True, False):
        kinds: dict[str, list[Problem]] = {}
        for finding in findings:
            if finding.error == error:
                kinds.setdefault(finding.kind, []).append(finding.problem)
        found += [(problem, error) for own in kinds.values() for problem in grouped(own)]
    found.sort(key=lambda each: (each[0].line or 0, each[0].column or 0))
    return [_line(problem, error=error) for problem, error in found]


def finding_record(finding: Found, **more: Any) -> dict[str, Any]:
    """A finding for JSON."""
    return {
        "severity": "error" if finding.error else "warning",
        "kind": finding.kind,
        **({"document": finding.document} if isinstance(finding, FoundInDocument) else {}),
        "path": finding.problem.path,
        "line": finding.problem.line,
        "column": finding.problem.column,
        "message": finding.problem.message,
        "hint": finding.problem.hint,
        **more,
    }


def counted(number: int, what: str) -> str:
    """A number and a noun.

    >>> counted(1, "document"), counted(2, "class"), counted(0, "entity")
    ('1 document', '2 classes', '0 entities')
    """
    if number == 1:
        return f"{number} {what}"
    if what.endswith("y"):
        return f"{number} {what[:-1]}ies"
    return f"{number} {what}{'es' if what.endswith(('s', 'ch')) else 's'}"
