"""`adjudge nugget tokenize`: token tables from texts and annotations."""

from __future__ import annotations

from pathlib import Path

import click

from adjudge.cli.findings import counted
from adjudge.cli.output import progress_bar
from adjudge.cli.streams import say
from adjudge.errors import UsageError, visible


@click.command(
    "tokenize", epilog="\b\nExample:\n  adjudge nugget tokenize -t texts/ -a annotations/ -o tables/ -s '/-\\'"
)
@click.option(
    "-t",
    "--texts",
    metavar="TEXTS",
    type=click.Path(exists=True, path_type=Path),
    required=True,
    help="Folder of the texts, or one text.",
)
@click.option(
    "-a",
    "--annotations",
    metavar="ANNOTATIONS",
    type=click.Path(exists=True, path_type=Path),
    help="Folder of brat files (DOCUMENT.ann), one such file, or a TBF file by characters.",
)
@click.option("-o", "--output", metavar="OUT", type=click.Path(), required=True, help="Folder of the token tables.")
@click.option("-e", "--extension", metavar="EXT", default="txt", show_default=True, help="Extension of the texts.")
@click.option(
    "-s",
    "--separators",
    metavar="CHARACTERS",
    default="/-\\",
    show_default=True,
    help="Cut tokens at these as well; '' for none.",
)
@click.option("--utf16", is_flag=True, help="Offsets, of annotations and tables, count UTF-16 units, not characters.")
@click.option("--strict", is_flag=True, help="Write nothing if an annotation does not fit the tokens.")
@click.option("--quiet", is_flag=True, help="Do not say which tokens were split.")
def command(
    texts: Path,
    annotations: Path | None,
    output: str,
    extension: str,
    separators: str,
    utf16: bool,
    strict: bool,
    quiet: bool,
) -> int:
    """Make token tables (DOCUMENT.tab): id, string, begin and end of each token, as the Penn Treebank divides words.

    Tokens are split where an event nugget begins or ends inside, with a warning, so that every nugget is made of whole
    tokens. All tables are written or none.
    """
    from adjudge.report.folders import write_folder
    from adjudge.tasks.nugget.tokenizer_files import make_tables

    if any(character.isspace() for character in separators):
        raise UsageError("a blank cannot be a separator", hint="tokens end at blanks anyway")
    with progress_bar("tokenizing", shown=not quiet) as progress:
        found = make_tables(
            texts, annotations, extension=extension, separators=separators, utf16=utf16, progress=progress
        )
    refused = strict and bool(found.warnings)
    if not refused:
        write_folder(output, found.files, inputs=found.inputs)
    if refused or not quiet:
        for warning in found.warnings:
            say(f"[WARN] {visible(warning)}")
    if not quiet:
        for note in found.notes:
            say(f"note: {visible(str(note))}")
        counts = ((len(found.files), "document"), (found.tokens, "token"), (len(found.warnings), "boundary mismatch"))
        say(", ".join(counted(*each) for each in counts))
    return int(refused)
