"""`adjudge nugget convert`: the same nuggets in another format."""

from __future__ import annotations

import os
from pathlib import Path

import click

from adjudge.cli.output import check_targets, emit
from adjudge.cli.streams import say
from adjudge.errors import UsageError, ValidationError, visible
from adjudge.formats.standoff import ORDERS, UNITS
from adjudge.report.folders import write_folder
from adjudge.tasks.nugget.conversion_files import SOURCES, Converted, Plan, convert, render, render_files

TO = ("tbf", "tbf-token", "tbf-char", "brat", "ere", "nugget-xml")
ENDINGS = {"brat": ".ann", "ere": ".xml", "nugget-xml": ".xml"}  # of a file, where a folder is the rule


@click.command(
    "convert", epilog="\b\nExample:\n  adjudge nugget convert --from brat --to tbf -t tokens/ annotations/ -o gold.tbf"
)
@click.argument("inputs", metavar="INPUT...", nargs=-1, required=True)
@click.option("--from", "source", type=click.Choice(SOURCES), help="Format of the input (default: by its name).")
@click.option("--to", "target", type=click.Choice(TO), required=True, help="Format to write.")
@click.option(
    "-t",
    "--tokens",
    metavar="TOKENS",
    type=click.Path(exists=True, path_type=Path),
    help="Folder of the token tables (DOCUMENT.tab), or one table.",
)
@click.option(
    "--texts",
    metavar="TEXTS",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of the texts (default: beside brat and ERE files).",
)
@click.option(
    "-o",
    "--output",
    metavar="OUT",
    type=click.Path(),
    help="File or folder to write, whole or not at all; - is standard output. A folder has a file per document.",
)
@click.option("--order", type=click.Choice(ORDERS), help="Nuggets by id (default for brat and ERE) or as in the file.")
@click.option(
    "--offsets", type=click.Choice(UNITS), default="code-points", show_default=True, help="How INPUT counts characters."
)
@click.option(
    "--token-offsets",
    type=click.Choice(UNITS),
    default="code-points",
    show_default=True,
    help="How the token tables count characters.",
)
@click.option("--system", metavar="NAME", help="System id to write in TBF (default: that of the input, or adjudge).")
@click.option("--strict", is_flag=True, help="Write nothing if anything would be lost.")
@click.option("--quiet", is_flag=True, help="Do not say what could not be kept.")
def command(
    inputs: tuple[str, ...],
    source: str | None,
    target: str,
    tokens: Path | None,
    texts: Path | None,
    output: str | None,
    order: str | None,
    offsets: str,
    token_offsets: str,
    system: str | None,
    strict: bool,
    quiet: bool,
) -> None:
    """Write event nuggets in another format.

    INPUT is a file or a folder: brat standoff (.ann with .txt), Rich ERE or LDC event-nugget XML (ere), or TBF by
    tokens or characters. --to tbf is by tokens if there are token tables, and turns one kind of TBF into the other;
    nugget-xml is LDC event-nugget XML, without coreference. What cannot be kept is counted on standard error.
    """
    plan = Plan(target, source, tokens, texts, order, offsets, token_offsets, system)
    converted = convert(inputs, plan)
    if strict and converted.notes:
        raise ValidationError(converted.notes)
    _write(converted, None if output == "-" else output)
    if not quiet:
        for note in converted.notes:
            say(f"note: {visible(str(note))}")


def _write(converted: Converted, output: str | None) -> None:
    """One file, or a folder with a file for each document."""
    documents, target = converted.documents, converted.target
    if output is not None and _is_folder(output, target):
        write_folder(output, render_files(documents, target), inputs=converted.inputs)
        return
    if not target.startswith("tbf") and len(documents) != 1:
        raise UsageError(
            f"{target} has a file for each of the {len(documents)} documents", hint="name a folder: -o OUT/"
        )
    path = None if output is None else Path(output)
    check_targets(path, inputs=converted.inputs)
    emit(render(documents, target), path)


def _is_folder(output: str, target: str) -> bool:
    """Whether OUT is a folder: it is there, ends as one, or is to hold files but is not named like one."""
    if output.endswith(("/", os.sep)) or Path(output).is_dir():
        return True
    return not target.startswith("tbf") and not output.endswith(ENDINGS[target])
