"""`adjudge eal assessment check`: everything that is wrong with assessments, coreference and reference frames."""

from __future__ import annotations

from pathlib import Path

import click

from adjudge._version import __version__
from adjudge.cli.eal_common import profile_option
from adjudge.cli.findings import as_json, counted, failed, finding_line, finding_record, report_options
from adjudge.cli.options import document_list
from adjudge.cli.output import check_targets, emit
from adjudge.errors import visible
from adjudge.tasks.eal.consistency_files import CheckReport, check
from adjudge.tasks.eal.profiles import get_profile
from adjudge.tasks.eal.validation_findings import LIMIT


@click.command("check", epilog="\b\nExample:\n  adjudge eal assessment check assessments --frames frames")
@click.argument("store", metavar="STORE")
@click.option(
    "--frames", metavar="LINKING", help="Reference frames for these assessments: a linking file per document."
)
@click.option(
    "--pool",
    metavar="POOL",
    help="The pool that is assessed: name each line that is not in it, and each of its responses that has no line.",
)
@click.option(
    "--docs",
    metavar="LIST",
    help="Only these documents, each of which must be there: a file with one id per line, or a,b,c.",
)
@profile_option
@report_options(limit=LIMIT)
def command(
    store: str,
    frames: str | None,
    pool: str | None,
    docs: str | None,
    profile: str,
    strict: bool,
    limit: int,
    format_: str,
    output: Path | None,
    quiet: bool,
) -> int:
    """Report what is wrong with a store of assessments.

    An error breaks a rule of the file or of the guidelines, or makes a reference that nobody can earn: lines whose
    response was changed, so that column 1 is not the hash of columns 2 to 10, answers that are missing or not asked
    for, two assessments of one response, two clusters of one CAS, wrong responses in frames, good ones in no frame,
    pooled responses that have no line. A warning is work that is left, or what a scorer would repair in silence:
    unassessed responses, times that are no dates, frames with several event types. The exit code is 1 if there is an
    error.
    """
    check_targets(output)
    documents = None if docs is None else document_list(docs)
    report = check(store, frames=frames, pool=pool, documents=documents, profile=get_profile(profile), limit=limit)
    emit(_json(report) if format_ == "json" else _text(report, quiet=quiet), output)
    return int(failed(report, strict=strict))


def _text(report: CheckReport, *, quiet: bool) -> str:
    lines = [finding_line(finding) for finding in report.findings]
    lines += [f"and {count} more of the kind {kind}, --limit 0 lists all" for kind, count in report.unlisted.items()]
    if not quiet:
        parts = [
            counted(report.documents, "document"),
            f"{report.assessed} assessed and {report.unassessed} unassessed responses",
            counted(report.clusters, "cluster"),
        ]
        if report.frames_path is not None:
            parts += [counted(report.frames, "frame"), f"{report.linked} of {report.classes} TRFRs linked"]
        parts += [counted(report.errors, "error"), counted(report.warnings, "warning")]
        lines += [f"{report.path}: {', '.join(parts)}", f"profile: {report.profile}"]
    return "".join(f"{visible(line)}\n" for line in lines)


def _json(report: CheckReport) -> str:
    record = {
        "adjudge": __version__,
        "task": "eal",
        "operation": "assessment check",
        "profile": report.profile,
        "path": report.path,
        "frames_path": report.frames_path,
        "documents": report.documents,
        "assessed": report.assessed,
        "unassessed": report.unassessed,
        "clusters": report.clusters,
        "classes": report.classes,
        "frames": report.frames,
        "linked": report.linked,
        "errors": report.errors,
        "warnings": report.warnings,
        "unlisted": report.unlisted,
        "findings": [finding_record(finding) for finding in report.findings],
    }
    return as_json(record)
