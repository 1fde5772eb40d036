"""`adjudge eal validate`: everything that is wrong with a submission, with file, line and column."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from textwrap import fill
from typing import IO, Any, Literal

import click

from adjudge.cli.eal_common import UNITS, offsets_option, profile_option
from adjudge.cli.findings import counted, failed, finding_line, finding_record, severity_option, unlisted_line
from adjudge.cli.options import is_file, listed_lines, output_option, whole
from adjudge.cli.output import check_targets, emit
from adjudge.errors import Problem, UsageError, visible
from adjudge.formats.findings import parse_severities
from adjudge.stats.atomic import replacing
from adjudge.tasks.eal.profiles import PROFILES
from adjudge.tasks.eal.validation import KINDS, LIMIT, EalReport, validate

_KINDS = fill(", ".join(KINDS), width=74, break_on_hyphens=False, initial_indent="  ", subsequent_indent="  ")


@click.command(
    "validate",
    epilog=f"\b\nKinds of problems:\n{_KINDS}\n\n\b\nExample:\n"
    "  adjudge eal validate system.zip --docs sources/ --severity cas-text=error --severity entity-type=off --strict",
)
@click.argument("submissions", metavar="SUBMISSION...", nargs=-1, required=True)
@click.option("--docs", metavar="FOLDER", help="Source documents, or a file with lines of document id, TAB and path.")
@click.option(
    "--ontology", metavar="NAME", help="2014, 2015, 2016, or a file (default: 2015, with the profile bbn-2014 2014)."
)
@profile_option
@click.option(
    "--layout",
    type=click.Choice(("2014", "2015", "2016")),
    help="Which folders a submission has (default: as in the year of the ontology).",
)
@offsets_option
@click.option(
    "--doc-list", metavar="LIST", help="The documents that must be there: a file with one id per line, or a,b."
)
@severity_option
@click.option("--strict", is_flag=True, help="Warnings count as errors.")
@click.option(
    "--limit",
    metavar="N",
    default=str(LIMIT),
    show_default=True,
    callback=whole("give a whole number, or 0 for all"),
    help="List so many problems of a kind and count the others; 0 lists all.",
)
@click.option("--format", "format_", type=click.Choice(("text", "json")), default="text", show_default=True)
@click.option("--dump", is_flag=True, help="Show each response with the text at its offsets, frame by frame.")
@output_option
@click.option("--quiet", is_flag=True, help="Only what is wrong: no line of totals.")
def command(
    submissions: tuple[str, ...],
    docs: str | None,
    ontology: str | None,
    profile: str,
    layout: Literal["2014", "2015", "2016"] | None,
    offsets: str | None,
    doc_list: str | None,
    severity: tuple[str, ...],
    strict: bool,
    limit: int,
    format_: str,
    dump: bool,
    output: Path | None,
    quiet: bool,
) -> int:
    """Report what is wrong with event arguments and linking: archive, columns, ids, types, offsets, dates, frames.

    A submission is a folder, a .zip or a .tar.gz with arguments/ and linking/. An error is what the official programs
    refuse, or what cannot be scored as it is meant; a warning does no harm to the score, but is odd or against the
    letter of the format; --severity changes what a kind of problem is. The exit code is 1 if there is an error.
    """
    if dump and format_ == "json":
        raise UsageError("--dump is for people, JSON for programs", hint="leave out --dump or --format json")
    check_targets(output, inputs=[*submissions, *([doc_list] if doc_list else [])])
    options: dict[str, Any] = {
        "docs": docs,
        "ontology": _ontology(ontology, profile),
        "profile": profile,
        "offsets": UNITS[offsets] if offsets else None,
        "layout": layout,
        "documents": None if doc_list is None else _documents(doc_list),
        "severity": parse_severities(severity, KINDS),
        "limit": limit,
    }
    if dump:
        reports = _dump(submissions, options, output, quiet=quiet)
    else:
        reports = [validate(name, **options) for name in submissions]
        if format_ == "json":
            records = [_record(report) for report in reports]
            text = json.dumps({"submissions": records}, indent=2, ensure_ascii=False) + "\n"
        else:
            text = "".join(_text(report, quiet=quiet) for report in reports)
        emit(text, output)
    return int(any(failed(report, strict=strict) for report in reports))


def _dump(
    submissions: tuple[str, ...], options: dict[str, Any], output: Path | None, *, quiet: bool
) -> list[EalReport]:
    """Each document is written when it has been checked: a submission may be larger than the memory."""
    from adjudge.tasks.eal.validation_dump import dump_document

    reports = []
    with _opened(output) as file:

        def write(text: str) -> None:
            if file is None:
                emit(text, None)
            else:
                file.write(text.encode("utf-8", "backslashreplace"))

        for name in submissions:
            report = validate(name, **options, watch=lambda *document: write(dump_document(*document)))
            write(_text(report, quiet=quiet))
            reports.append(report)
    return reports


@contextmanager
def _opened(output: Path | None) -> Iterator[IO[bytes] | None]:
    """A file beside the output that takes its place at the end; None for standard output."""
    if output is None:
        yield None
        return
    if output.exists() and not output.is_file():  # a device or a pipe cannot be replaced
        try:
            with output.open("wb") as file:
                yield file
        except OSError as error:
            message = f"cannot be written: {error.strerror or error}"
            raise UsageError(Problem(message, path=str(output), hint="write elsewhere")) from None
        return
    with replacing(output) as file:
        yield file


def _ontology(name: str | None, profile: str) -> Any:
    from adjudge.tasks.eal.ontology import load_ontology

    if name is None:
        name = "2014" if PROFILES[profile].linking_layout == "none" else "2015"
    return load_ontology(name)


def _documents(text: str) -> list[str]:
    lines = listed_lines(text, "documents") if is_file(text) else text.split(",")
    ids = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    if not ids:
        raise UsageError(f"--doc-list {text!r} names no documents", hint="give ids, or a file with one id per line")
    return ids


def _text(report: EalReport, *, quiet: bool) -> str:
    lines = [finding_line(finding) for finding in report.findings]
    for kind, count in report.unlisted.items():
        lines.append(unlisted_line(report.path, kind, count))
    if not quiet:
        counts = (
            (report.documents, "document"),
            (report.responses, "response"),
            (report.frames, "frame"),
            (report.errors, "error"),
            (report.warnings, "warning"),
        )
        parts = [counted(*each) for each in counts]
        if report.empty:
            parts[0] += f" ({report.empty} without responses)"
        units = "code points" if report.offsets == "code-points" else "UTF-16 units"
        against = f"offsets in {units}" if report.texts else "no source documents: offsets not checked"
        changed = "".join(f", {kind} {severity}" for kind, severity in report.severity.items())
        rules = f"profile {report.profile}, ontology {report.ontology}{changed}, {against}"
        lines.append(f"{report.path}: {', '.join(parts)} ({rules})")
    return "".join(f"{visible(line)}\n" for line in lines)


def _record(report: EalReport) -> dict[str, Any]:
    return {
        "path": report.path,
        "profile": report.profile,
        "decisions": PROFILES[report.profile].decisions(),
        "severity": dict(report.severity),
        "ontology": report.ontology,
        "layout": report.layout,
        "offsets": report.offsets,
        "source_documents": report.texts,
        "documents": report.documents,
        "without_responses": report.empty,
        "responses": report.responses,
        "frames": report.frames,
        "errors": report.errors,
        "warnings": report.warnings,
        "unlisted": report.unlisted,
        "findings": [finding_record(finding) for finding in report.findings],
    }
