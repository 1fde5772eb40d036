"""`adjudge coref convert`: the same chains in another format."""

from __future__ import annotations

from pathlib import Path

import click

from adjudge.cli.options import output_option
from adjudge.cli.output import check_targets, emit
from adjudge.cli.streams import say
from adjudge.errors import visible
from adjudge.formats.coreference import FORMATS, read_coreference, write_coreference


@click.command("convert", epilog="\b\nExample:\n  adjudge coref convert --to jsonl test.conll -o test.jsonl")
@click.argument("source", metavar="IN")
@click.option("--from", "from_", type=click.Choice(FORMATS), help="Format of IN (default: by its content).")
@click.option("--to", type=click.Choice(FORMATS), required=True, help="Format to write.")
@output_option
@click.option("--quiet", is_flag=True, help="Do not say what could not be kept.")
def command(source: str, from_: str | None, to: str, output: Path | None, quiet: bool) -> None:
    """Write coreference chains in another format.

    IN is a CoNLL-2011/2012 file (conll), CoNLL-U with entities (conllu) or JSON lines of clusters (jsonl), plain or
    gzip; - is standard input. Only documents, tokens, chains and mentions are kept, not words or other columns; what
    else is lost is said on standard error.
    """
    check_targets(output, inputs=(source,))
    corpus = read_coreference(source, format=from_)
    text, notes = write_coreference(corpus.documents, to, path=corpus.path)
    emit(text, output)
    if not quiet:
        for note in (*corpus.notes, *notes):
            say(f"note: {visible(str(note))}")
