"""`adjudge eal validate`: everything that is wrong with a submission, with file, line and column."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from textwrap import fill
from typing import IO, Any

import click

from adjudge.cli.eal_stores import UNITS, offsets_option, profile_option
from adjudge.cli.findings import all_counted, failed, report_options, report_record, report_text
from adjudge.cli.options import choice, command, flag, listed_lines, value
from adjudge.cli.output import check_targets, emit, emit_json, is_file
from adjudge.errors import Problem, UsageError
from adjudge.files import replacing
from adjudge.findings import parse_severities
from adjudge.tasks.eal.settings import PROFILES
from adjudge.tasks.eal.validation import KINDS, LIMIT, EalReport
from adjudge.tasks.eal.validation import validate as check

_KINDS = fill(", ".join(KINDS), width=74, break_on_hyphens=False, initial_indent="  ", subsequent_indent="  ")


@command(
    "validate",
    click.Argument(["submissions"], metavar="SUBMISSION...", nargs=-1, required=True),
    value("--docs", "FOLDER", "Source documents, or a file with lines of document id, TAB and path."),
    value("--ontology", "NAME", "2014, 2015, 2016, or a file (default: 2015, with the profile bbn-2014 2014)."),
    profile_option,
    choice(
        "--layout",
        ("2014", "2015", "2016"),
        "Which folders a submission has (default: as in the year of the ontology).",
    ),
    offsets_option,
    value("--doc-list", "LIST", "The documents that must be there: a file with one id per line, or a,b."),
    value(
        "--severity",
        "KIND=LEVEL",
        "Make a kind of problem an error, a warning, or off: cas-text=error. Repeatable.",
        multiple=True,
    ),
    flag("--dump", "Show each response with the text at its offsets, frame by frame."),
    report_options(limit=LIMIT),
    before=f"\b\nKinds of problems:\n{_KINDS}\n\n",
    examples=[
        "adjudge eal validate system.zip --docs sources/ --severity cas-text=error --severity entity-type=off --strict"
    ],
)
def validate(submissions: tuple[str, ...], **options: Any) -> int:
    """Report what is wrong with event arguments and linking: archive, columns, ids, types, offsets, dates, frames.

    A submission is a folder, a .zip or a .tar.gz with arguments/ and linking/. An error is what the official programs
    refuse, or what cannot be scored as it is meant; a warning does no harm to the score, but is odd or against the
    letter of the format; --severity changes what a kind of problem is. The exit code is 1 if there is an error.
    """
    if options["dump"] and options["format_"] == "json":
        raise UsageError("--dump is for people, JSON for programs", hint="leave out --dump or --format json")
    check_targets(options, inputs=[*submissions, options["doc_list"]])
    rules: dict[str, Any] = {
        "ontology": _ontology(options["ontology"], options["profile"]),
        "offsets": UNITS[options["offsets"]] if options["offsets"] else None,
        "documents": None if options["doc_list"] is None else _documents(options["doc_list"]),
        "severity": parse_severities(options["severity"], KINDS),
        **{name: options[name] for name in ("docs", "profile", "layout", "limit")},
    }
    if options["dump"]:
        reports = _dump(submissions, rules, options)
    else:
        reports = [check(name, **rules) for name in submissions]
        if options["format_"] == "json":
            emit_json({"submissions": [report_record(each, _facts(each)) for each in reports]}, options["output"])
        else:
            emit("".join(_text(each, options) for each in reports), options["output"])
    return int(any(failed(report, options) for report in reports))


def _dump(submissions: tuple[str, ...], rules: dict[str, Any], options: Mapping[str, Any]) -> list[EalReport]:
    """Each document is written when it has been checked: a submission may be larger than the memory."""
    from adjudge.tasks.eal.validation_files import dump_document

    reports = []
    with _opened(options["output"]) as file:

        def write(text: str) -> None:
            if file is None:
                emit(text)
            else:
                file.write(text.encode("utf-8", "backslashreplace"))

        for name in submissions:
            report = check(name, **rules, watch=lambda *document: write(dump_document(*document)))
            write(_text(report, options))
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


def _text(report: EalReport, options: Mapping[str, Any]) -> str:
    parts = all_counted(
        document=report.documents,
        response=report.responses,
        frame=report.frames,
        error=report.errors,
        warning=report.warnings,
    )
    if report.empty:
        parts[0] += f" ({report.empty} without responses)"
    units = "code points" if report.offsets == "code-points" else "UTF-16 units"
    against = f"offsets in {units}" if report.texts else "no source documents: offsets not checked"
    changed = "".join(f", {kind} {severity}" for kind, severity in report.severity.items())
    parts[-1] += f" (profile {report.profile}, ontology {report.ontology}{changed}, {against})"
    return report_text(report, parts, quiet=options["quiet"])


def _facts(report: EalReport) -> dict[str, Any]:
    return {
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
    }
