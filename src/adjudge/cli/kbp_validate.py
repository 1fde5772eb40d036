"""`adjudge kbp validate`: everything that is wrong with a knowledge base, with its line, and a repaired file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from adjudge.cli.findings import emit_reports, failed, report_options, report_record, report_text
from adjudge.cli.options import choice, command, value
from adjudge.cli.output import check_targets, emit, emit_json
from adjudge.errors import Problem, UsageError, visible
from adjudge.findings import counted
from adjudge.report.files import write_atomic
from adjudge.tasks.kbp.detection import FORMATS, detect
from adjudge.tasks.kbp.validation import LIMIT, KbReport, repair
from adjudge.tasks.kbp.validation import validate as check


@command(
    "validate",
    click.Argument(["files"], metavar="KB...", nargs=-1, required=True),
    choice("--from from_", FORMATS, "Format (default: by the content, - is coldstart)."),
    value("--docs", "FOLDER", "Source documents of a Cold Start file, to compare its spans with them."),
    value(
        "--repair repaired",
        "OUT",
        "Write a Cold Start file in which all that is clear is repaired; lines that mean nothing are "
        "left out, and what only a person can decide is kept.",
        type=click.Path(path_type=Path),
    ),
    report_options(limit=LIMIT, what="findings"),
    examples=["adjudge kbp validate run.tsv --docs sources/ --repair repaired.tsv"],
)
def validate(files: tuple[str, ...], from_: Any, docs: str | None, limit: int, **options: Any) -> int:
    """Report what is wrong with knowledge bases: lines, names, places, predicates, inverses, mentions.

    KB is a Cold Start file, a file of triples, extractions as JSON lines, a table of links, or a file or folder of ACE
    or Rich ERE annotation. An error is what the rules of the format forbid; what lenient reading does about it stands
    in brackets. The exit code is 1 if there is an error; with --repair, if there is one in the repaired file.
    """
    check_targets(options, "repaired", inputs=files)
    if files.count("-") > 1:
        raise UsageError("standard input can be read only once", hint="use - for one of the files")
    if options["repaired"] is None:
        reports = [check(name, format=from_, docs=docs, limit=limit) for name in files]
        return emit_reports(reports, _facts, _totals, options, also=("repair",))
    if len(files) > 1:
        raise UsageError("--repair writes one file", hint="name one knowledge base")
    kind = from_ or detect(files[0])
    if kind != "coldstart":
        message = f"only Cold Start files can be repaired, this is {kind}"
        raise UsageError(Problem(message, path=files[0], hint="correct it by hand"))
    return _write_repaired(*repair(files[0], docs=docs, limit=limit), options)


def _write_repaired(data: bytes, before: KbReport, after: KbReport, options: Mapping[str, Any]) -> int:
    target, quiet = options["repaired"], options["quiet"]
    if data:
        write_atomic(target, data)
    if options["format_"] == "json":
        records = [report_record(each, _facts(each), ("repair",)) for each in (before, after)]
        records[1]["path"] = str(target) if data else None
        emit_json({"files": records[:1], "repaired": records[1]}, options["output"])
    else:
        text = report_text(before, _totals(before), quiet=quiet)
        if not data:
            text += visible(f"{target}: not written, nothing could be read") + "\n"
        elif not quiet:
            lost = f"{counted(before.unrepaired, 'assertion')} left out, " if before.unrepaired else ""
            remain = f"{counted(after.errors, 'error')} and {counted(after.warnings, 'warning')} remain"
            text += visible(f"{target}: written, {lost}{remain}") + "\n"
            text += "".join(f"  {visible(f'{count} {kind}')}\n" for kind, count in _errors(after).items())
        emit(text, options["output"])
    return int(not data or failed(after, options))


def _errors(report: KbReport) -> dict[str, int]:
    """How many errors of each kind there are; a kind is always an error, or never."""
    counts: dict[str, int] = {}
    for finding in report.findings:
        if finding.error:
            counts[finding.kind] = counts.get(finding.kind, 0) + 1
    return {kind: count + report.unlisted.get(kind, 0) for kind, count in counts.items()}


def _totals(report: KbReport) -> list[str]:
    counts = {**report.counts, "error": report.errors, "warning": report.warnings}
    return [counted(count, what) for what, count in counts.items()]


def _facts(report: KbReport) -> dict[str, Any]:
    return {"format": report.format, "counts": report.counts, "unrepaired": report.unrepaired}
