"""What validators have found, as lines and as records, and the options of validators: the same in every command."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import click

from adjudge.cli.options import Whole, flag, format_option, output_option, value
from adjudge.cli.output import emit, emit_json
from adjudge.errors import Problem, grouped, visible


def report_options(*, limit: int | None = None, what: str = "problems") -> list[click.Parameter]:
    """The options of a validator; with a `limit`, how many findings are listed."""
    limits = value(
        "--limit",
        "N",
        f"List so many {what} of a kind and count the others; 0 lists all.",
        default=limit,
        type=Whole("give a whole number, or 0 for all"),
    )
    return [
        flag("--strict", "Warnings count as errors."),
        *([] if limit is None else [limits]),
        format_option("text", "json"),
        output_option,
        flag("--quiet", "Only what is wrong: no line of totals."),
    ]


def emit_reports(
    reports: Sequence[Any],
    record: Callable[[Any], dict[str, Any]],
    totals: Callable[[Any], Sequence[str]],
    options: Mapping[str, Any],
    *,
    lines: Callable[[Any], list[str]] | None = None,
    also: tuple[str, ...] = (),
) -> int:
    """Write the reports on some files and give the exit code.

    `record` is what JSON has of a report beside its findings and `also` of each finding, `totals` what the last line of
    the text says of it, `lines` how its findings are listed, if not one by one.
    """
    if options["format_"] == "json":
        emit_json({"files": [report_record(report, record(report), also) for report in reports]}, options["output"])
    else:
        texts = (report_text(report, totals(report), quiet=options["quiet"], lines=lines) for report in reports)
        emit("".join(texts), options["output"])
    return int(any(failed(report, options) for report in reports))


def failed(report: Any, options: Mapping[str, Any]) -> bool:
    """Whether something must be repaired."""
    return bool(report.errors or (options["strict"] and report.warnings))


def report_record(report: Any, facts: Mapping[str, Any], also: tuple[str, ...] = ()) -> dict[str, Any]:
    """A report for programs: what was checked and is in it, and the findings."""
    return {
        "path": report.path,
        **facts,
        "errors": report.errors,
        "warnings": report.warnings,
        **({"unlisted": report.unlisted} if hasattr(report, "unlisted") else {}),
        "findings": [finding_record(finding, *also) for finding in report.findings],
    }


def report_text(
    report: Any, totals: Sequence[str], *, quiet: bool, lines: Callable[[Any], list[str]] | None = None
) -> str:
    """A report for people: the findings, those that are not listed, and a line of totals."""
    shown = [visible(finding_line(each)) for each in report.findings] if lines is None else lines(report)
    for kind, count in getattr(report, "unlisted", {}).items():
        shown.append(visible(f"{report.path}: and {count} more of the kind {kind}, --limit 0 lists all"))
    if not quiet:
        shown.append(visible(f"{report.path}: {', '.join(totals)}"))
    return "".join(f"{line}\n" for line in shown)


def finding_line(finding: Any) -> str:
    """A finding as `file:line:column: error: what is wrong, how to fix it`; in brackets what a reader makes of it."""
    repaired = f" [{finding.repair}]" if getattr(finding, "repair", None) else ""
    return _line(finding.problem, error=finding.error) + repaired


def _line(problem: Problem, *, error: bool) -> str:
    place = ":".join(str(part) for part in (problem.path, problem.line, problem.column) if part is not None)
    hint = f", {problem.hint}" if problem.hint else ""
    return f"{place}: {'error' if error else 'warning'}: {problem.message}{hint}"


def finding_lines(report: Any) -> list[str]:
    """Findings as lines in the order of their places; one mistake on many lines is one of them, with a count."""
    found: list[tuple[Problem, bool]] = []
    for error in (True, False):
        kinds: dict[str, list[Problem]] = {}
        for finding in report.findings:
            if finding.error == error:
                kinds.setdefault(finding.kind, []).append(finding.problem)
        found += [(problem, error) for own in kinds.values() for problem in grouped(own)]
    found.sort(key=lambda each: (each[0].line or 0, each[0].column or 0))
    return [visible(_line(problem, error=error)) for problem, error in found]


def finding_record(finding: Any, *also: str) -> dict[str, Any]:
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
        **{name: getattr(finding, name) for name in also},
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


def all_counted(**numbers: int) -> list[str]:
    """Numbers and nouns.

    >>> all_counted(document=2, other_relation=1)
    ['2 documents', '1 other relation']
    """
    return [counted(number, what.replace("_", " ")) for what, number in numbers.items()]
