"""`adjudge coref validate`: everything that is wrong with a coreference file, with line and column."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from adjudge.cli.findings import counted, finding_line, finding_record
from adjudge.cli.options import output_option
from adjudge.cli.output import check_targets, emit
from adjudge.errors import visible
from adjudge.formats.coreference import FORMATS, check_coreference
from adjudge.formats.findings import Report


@click.command("validate", epilog="\b\nExample:\n  adjudge coref validate response.conll --strict")
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option("--from", "from_", type=click.Choice(FORMATS), help="Format of the files (default: by their content).")
@click.option("--strict", is_flag=True, help="Warnings count as errors.")
@click.option("--format", "format_", type=click.Choice(("text", "json")), default="text", show_default=True)
@output_option
@click.option("--quiet", is_flag=True, help="Only what is wrong: no line of totals.")
def command(
    files: tuple[str, ...], from_: str | None, strict: bool, format_: str, output: Path | None, quiet: bool
) -> int:
    """Report what is wrong with coreference files: brackets, repeated mentions, headers, end markers.

    An error stops the reference scorer; a warning is read in silence, but hardly as it was meant. The exit code is 1
    if there is an error.
    """
    check_targets(output, inputs=files)
    reports = [check_coreference(name, format=from_) for name in files]
    if format_ == "json":
        text = json.dumps({"files": [_record(report) for report in reports]}, indent=2, ensure_ascii=False) + "\n"
    else:
        text = "".join(_text(report, quiet=quiet) for report in reports)
    emit(text, output)
    return int(any(report.errors or (strict and report.warnings) for report in reports))


def _text(report: Report, *, quiet: bool) -> str:
    lines = [finding_line(finding) for finding in report.findings]
    if not quiet:
        counts = (
            (report.documents, "document"),
            (report.tokens, "token"),
            (report.chains, "chain"),
            (report.mentions, "mention"),
            (report.errors, "error"),
            (report.warnings, "warning"),
        )
        lines.append(f"{report.path}: " + ", ".join(counted(*each) for each in counts))
    return "".join(f"{visible(line)}\n" for line in lines)


def _record(report: Report) -> dict[str, Any]:
    return {
        "path": report.path,
        "documents": report.documents,
        "tokens": report.tokens,
        "chains": report.chains,
        "mentions": report.mentions,
        "errors": report.errors,
        "warnings": report.warnings,
        "findings": [finding_record(finding) for finding in report.findings],
    }
