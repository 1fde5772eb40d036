"""`adjudge kbp validate`: everything that is wrong with a knowledge base, with its line, and a repaired file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from adjudge.cli.findings import (
    as_json,
    counted,
    emit_reports,
    failed,
    finding_line,
    finding_record,
    report_options,
    unlisted_line,
)
from adjudge.cli.output import check_targets, emit
from adjudge.errors import Problem, UsageError, visible
from adjudge.formats.findings import Finding
from adjudge.report.files import write_atomic
from adjudge.tasks.kbp.detection import FORMATS, Format, detect
from adjudge.tasks.kbp.validation import LIMIT, KbReport, repair, validate


@click.command("validate", epilog="\b\nExample:\n  adjudge kbp validate run.tsv --docs sources/ --repair repaired.tsv")
@click.argument("files", metavar="KB...", nargs=-1, required=True)
@click.option("--from", "from_", type=click.Choice(FORMATS), help="Format (default: by the content, - is coldstart).")
@click.option("--docs", metavar="FOLDER", help="Source documents of a Cold Start file, to compare its spans with them.")
@click.option(
    "--repair",
    "repaired",
    metavar="OUT",
    type=click.Path(path_type=Path),
    help="Write a Cold Start file in which all that is clear is repaired; lines that mean nothing are "
    "left out, and what only a person can decide is kept.",
)
@report_options(limit=LIMIT, what="findings")
def command(
    files: tuple[str, ...],
    from_: Format | None,
    docs: str | None,
    repaired: Path | None,
    limit: int,
    **options: Any,
) -> int:
    """Report what is wrong with knowledge bases: lines, names, places, predicates, inverses, mentions.

    KB is a Cold Start file, a file of triples, extractions as JSON lines, a table of links, or a file or folder of ACE
    or Rich ERE annotation. An error is what the rules of the format forbid; what lenient reading does about it stands
    in brackets. The exit code is 1 if there is an error; with --repair, if there is one in the repaired file.
    """
    check_targets(options["output"], repaired, inputs=files)
    if files.count("-") > 1:
        raise UsageError("standard input can be read only once", hint="use - for one of the files")
    if repaired is not None:
        if len(files) > 1:
            raise UsageError("--repair writes one file", hint="name one knowledge base")
        return _repair(files[0], from_, docs, repaired, limit, **options)
    reports = [validate(name, format=from_, docs=docs, limit=limit) for name in files]
    return emit_reports(reports, _record, _text, **options)


def _repair(
    file: str,
    from_: Format | None,
    docs: str | None,
    target: Path,
    limit: int,
    *,
    strict: bool,
    format_: str,
    output: Path | None,
    quiet: bool,
) -> int:
    kind = from_ or detect(file)
    if kind != "coldstart":
        message = f"only Cold Start files can be repaired, this is {kind}"
        raise UsageError(Problem(message, path=file, hint="correct it by hand"))
    data, before, after = repair(file, docs=docs, limit=limit)
    if data:
        write_atomic(target, data)
    if format_ == "json":
        record = {"files": [_record(before)], "repaired": {**_record(after), "path": str(target) if data else None}}
        text = as_json(record)
    else:
        text = _text(before, quiet=quiet)
        if not data:
            text += visible(f"{target}: not written, nothing could be read") + "\n"
        elif not quiet:
            lost = f"{counted(before.unrepaired, 'assertion')} left out, " if before.unrepaired else ""
            remain = f"{counted(after.errors, 'error')} and {counted(after.warnings, 'warning')} remain"
            text += visible(f"{target}: written, {lost}{remain}") + "\n"
            text += "".join(f"  {visible(f'{count} {kind}')}\n" for kind, count in _errors(after).items())
    emit(text, output)
    return int(not data or failed(after, strict=strict))


def _errors(report: KbReport) -> dict[str, int]:
    """How many errors of each kind there are; a kind is always an error, or never."""
    counts: dict[str, int] = {}
    for finding in report.findings:
        if finding.error:
            counts[finding.kind] = counts.get(finding.kind, 0) + 1
    return {kind: count + report.unlisted.get(kind, 0) for kind, count in counts.items()}


def _text(report: KbReport, *, quiet: bool) -> str:
    lines = [_line(finding) for finding in report.findings]
    for kind, count in report.unlisted.items():
        lines.append(unlisted_line(report.path, kind, count))
    if not quiet:
        counts = {**report.counts, "error": report.errors, "warning": report.warnings}
        lines.append(f"{report.path}: " + ", ".join(counted(count, what) for what, count in counts.items()))
    return "".join(f"{visible(line)}\n" for line in lines)


def _line(finding: Finding) -> str:
    repaired = f" [{finding.repair}]" if finding.repair else ""
    return finding_line(finding) + repaired


def _record(report: KbReport) -> dict[str, Any]:
    return {
        "path": report.path,
        "format": report.format,
        "counts": report.counts,
        "errors": report.errors,
        "warnings": report.warnings,
        "unrepaired": report.unrepaired,
        "unlisted": report.unlisted,
        "findings": [finding_record(finding, repair=finding.repair) for finding in report.findings],
    }
