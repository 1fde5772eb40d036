"""`adjudge eal validate`: everything that is wrong with a submission, with file, line and column."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import click

from adjudge.cli.eal_stores import UNITS, offsets_option, profile_option
from adjudge.cli.findings import emit_findings, finding_options, findings_text, kinds_help, severities_of
from adjudge.cli.options import choice, command, flag, listed_lines, old_texts, value
from adjudge.cli.output import check_targets, emit, is_file
from adjudge.errors import UsageError
from adjudge.files import replacing
from adjudge.findings import Findings
from adjudge.tasks.eal.validation import KINDS
from adjudge.tasks.eal.validation import validate as check


@command(
    "validate",
    click.Argument(["submissions"], metavar="SUBMISSION...", nargs=-1, required=True),
    value("--texts", "FOLDER", "Source documents, or a file with lines of document id, TAB and path."),
    value("--ontology", "NAME", "2014, 2015, 2016, or a file (default: 2015, with the profile bbn-2014 2014)."),
    profile_option,
    choice(
        "--layout",
        ("2014", "2015", "2016"),
        "Which folders a submission has (default: as in the year of the ontology).",
    ),
    offsets_option,
    value("--docs", "LIST", "The documents that must be there: a file with one id per line, or a,b."),
    value("--doc-list", "LIST", "", hidden=True),
    flag("--dump", "Show each response with the text at its offsets, frame by frame."),
    finding_options(),
    before=kinds_help(KINDS),
    examples=[
        "adjudge eal validate system.zip --texts sources/ --severity cas-text=error --severity entity-type=off --strict"
    ],
)
def validate(submissions: tuple[str, ...], **options: Any) -> int:
    """Report what is wrong with event arguments and linking: archive, columns, ids, types, offsets, dates, frames.

    A submission is a folder, a .zip or a .tar.gz with arguments/ and linking/. Errors are what the official programs
    refuse or what cannot be scored as intended; warnings do not affect the score, but are unusual or violate the
    format. --severity changes the severity of a kind of problem. The exit code is 1 if there are errors.
    """
    if options["dump"] and (options["format_"] == "json" or options["save"]):
        raise UsageError(
            "--dump is for people, JSON for programs", hint="leave out --dump, or --format json and --save"
        )
    old_texts(options, "doc_list")
    check_targets(options, inputs=[*submissions, options["docs"]])
    rules: dict[str, Any] = {
        "offsets": UNITS[options["offsets"]] if options["offsets"] else None,
        "documents": None if options["docs"] is None else _documents(options["docs"]),
        "docs": options["texts"],
        "severity": severities_of(options, KINDS),
        **{name: options[name] for name in ("ontology", "profile", "layout", "limit")},
    }
    if not options["dump"]:
        return emit_findings("eal", [check(name, **rules) for name in submissions], options)
    return int(any(found.fails(strict=options["strict"]) for found in _dump(submissions, rules, options)))


def _dump(submissions: tuple[str, ...], rules: dict[str, Any], options: Mapping[str, Any]) -> list[Findings]:
    """Each document is written when it has been checked: a submission may be larger than the memory."""
    from adjudge.tasks.eal.texts import dump_document

    reports = []
    with _opened(options["output"]) as file:

        def write(text: str) -> None:
            if file is None:
                emit(text)
            else:
                file.write(text.encode("utf-8", "backslashreplace"))

        for name in submissions:
            report = check(name, **rules, watch=lambda *document: write(dump_document(*document)))
            write(findings_text(report, quiet=options["quiet"]))
            reports.append(report)
    return reports


@contextmanager
def _opened(output: Path | None) -> Iterator[IO[bytes] | None]:
    """A file beside the output that takes its place at the end; None for standard output."""
    if output is None:
        yield None
        return
    with replacing(output) as file:
        yield file


def _documents(text: str) -> list[str]:
    lines = listed_lines(text, "documents") if is_file(text) else text.split(",")
    ids = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    if not ids:
        raise UsageError(f"--docs {text!r} names no documents", hint="give ids, or a file with one id per line")
    return ids
