"""`adjudge coref validate`: everything that is wrong with a coreference file, with line and column."""

from __future__ import annotations

from typing import Any

import click

from adjudge.cli.findings import counted, emit_reports, finding_lines, finding_record, report_options
from adjudge.cli.output import check_targets
from adjudge.errors import visible
from adjudge.formats.coreference import FORMATS, check_coreference
from adjudge.formats.findings import Report


@click.command("validate", epilog="\b\nExample:\n  adjudge coref validate response.conll --strict")
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option("--from", "from_", type=click.Choice(FORMATS), help="Format of the files (default: by their content).")
@report_options()
def command(files: tuple[str, ...], from_: str | None, **options: Any) -> int:
    """Report what is wrong with coreference files: brackets, repeated mentions, headers, end markers.

    An error stops the reference scorer; a warning is read in silence, but hardly as it was meant. The exit code is 1
    if there is an error.
    """
    check_targets(options["output"], inputs=files)
    return emit_reports([check_coreference(name, format=from_) for name in files], _record, _text, **options)


def _text(report: Report, *, quiet: bool) -> str:
    lines = finding_lines(report.findings)
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
