"""`adjudge coref validate` and `convert`: files of chains."""

from __future__ import annotations

from typing import Any

import click

from adjudge.cli.findings import counted, emit_reports, finding_lines, report_options
from adjudge.cli.options import choice, command, flag, output_option
from adjudge.cli.output import check_targets, emit, say
from adjudge.errors import visible
from adjudge.formats.coreference import FORMATS, check_coreference, read_coreference, write_coreference


@command(
    "convert",
    click.Argument(["source"], metavar="IN"),
    choice("--from from_", FORMATS, "Format of IN (default: by its content)."),
    choice("--to", FORMATS, "Format to write.", required=True),
    output_option,
    flag("--quiet", "Do not say what could not be kept."),
    examples=["adjudge coref convert --to jsonl test.conll -o test.jsonl"],
)
def convert(source: str, **options: Any) -> None:
    """Write coreference chains in another format.

    IN is a CoNLL-2011/2012 file (conll), CoNLL-U with entities (conllu) or JSON lines of clusters (jsonl), plain or
    gzip; - is standard input. Only documents, tokens, chains and mentions are kept, not words or other columns; what
    else is lost is said on standard error.
    """
    check_targets(options, inputs=(source,))
    corpus = read_coreference(source, format=options["from_"])
    text, notes = write_coreference(corpus.documents, options["to"], path=corpus.path)
    emit(text, options["output"])
    if not options["quiet"]:
        for note in (*corpus.notes, *notes):
            say(f"note: {visible(str(note))}")


@command(
    "validate",
    click.Argument(["files"], metavar="FILE...", nargs=-1, required=True),
    choice("--from from_", FORMATS, "Format of the files (default: by their content)."),
    report_options(),
    examples=["adjudge coref validate response.conll --strict"],
)
def validate(files: tuple[str, ...], **options: Any) -> int:
    """Report what is wrong with coreference files: brackets, repeated mentions, headers, end markers.

    An error stops the reference scorer; a warning is read in silence, but hardly as it was meant. The exit code is 1
    if there is an error.
    """

    def record(report: Any) -> dict[str, Any]:
        return {name: getattr(report, name) for name in ("documents", "tokens", "chains", "mentions")}

    def totals(report: Any) -> list[str]:
        names = ("document", "token", "chain", "mention", "error", "warning")
        return [counted(getattr(report, f"{name}s"), name) for name in names]

    check_targets(options, inputs=files)
    reports = [check_coreference(name, format=options["from_"]) for name in files]
    return emit_reports(reports, record, totals, options, lines=finding_lines)
