"""`adjudge coref validate` and `convert`: files of chains."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from adjudge.cli.findings import validator
from adjudge.cli.options import choice, command, flag, output_option
from adjudge.cli.output import check_targets, emit, say
from adjudge.errors import visible
from adjudge.findings import Findings
from adjudge.formats.conll_check import KINDS
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


@validator(
    "coref",
    choice("--from from_", FORMATS, "Format of the files (default: by their content)."),
    kinds=KINDS,
    examples=["adjudge coref validate response.conll --strict"],
)
def validate(path: str, options: Mapping[str, Any], **rules: Any) -> Findings:
    """Report what is wrong with coreference files: brackets, repeated mentions, headers, end markers.

    An error stops the reference scorer; a warning is read in silence, but hardly as it was meant. The exit code is 1
    if there is an error.
    """
    return check_coreference(path, format=options["from_"], **rules)
