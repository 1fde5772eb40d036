"""`adjudge nugget validate`, `convert` and `tokenize`: files of event nuggets."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from adjudge.cli.findings import validator
from adjudge.cli.options import choice, command, document_list, flag, value
from adjudge.cli.output import check_targets, emit, is_file, say, working
from adjudge.errors import UsageError, ValidationError, visible
from adjudge.findings import Findings, counted
from adjudge.formats.standoff import ORDERS, UNITS
from adjudge.tasks.nugget.conversion_files import SOURCES
from adjudge.tasks.nugget.validation import KINDS, read_sizes, read_types
from adjudge.tasks.nugget.validation import validate as check

if TYPE_CHECKING:
    from adjudge.tasks.nugget.conversion_files import Converted

TO = ("tbf", "tbf-token", "tbf-char", "brat", "ere", "nugget-xml")
ENDINGS = {"brat": ".ann", "ere": ".xml", "nugget-xml": ".xml"}  # of a file, where a folder is the rule


@validator(
    "nugget",
    value("-t --tokens", "DIR", "Token tables, one file <document><suffix> for each document."),
    value("--token-suffix", "TEXT", "Suffix of the names of token tables.", default=".tab"),
    value("--texts", "DIR", "Texts, one file <document><suffix> for each document."),
    value("--text-suffix", "TEXT", "Suffix of the names of texts.", default=".txt"),
    value("--sizes", "FILE", "Lengths of the documents in characters: a document id and a number per line."),
    value("--types", "FILE", "Event types that are allowed: a file with one per line, 2015 or 2016."),
    value(
        "--gold",
        "GOLD",
        "TBF file of the given nuggets, which must be copied unchanged, with nothing added.",
    ),
    value("--docs", "LIST", "The documents that must be there: a file with one id per line, a TBF file, or a,b,c."),
    choice(
        "--mode",
        ("token", "char"),
        "Positions are token ids or characters (default: token with -t, else as most of them look).",
    ),
    kinds=KINDS,
    metavar="SUBMISSION...",
    inputs=("gold",),
    examples=[
        "adjudge nugget validate system.tbf -t tokens/ --types 2015 --docs gold.tbf",
        "adjudge nugget validate clusters.tbf --gold gold.tbf",
    ],
)
def validate(path: str, options: Mapping[str, Any], **rules: Any) -> Findings:
    """Report what is wrong with event nuggets: structure, columns, ids, places, types, clusters, links, documents.

    With --gold, for the task with given nuggets, also report nuggets that are missing, changed or added.

    Errors are what the official programs refuse or what cannot be scored as intended; warnings do not affect the score,
    but are unusual or violate the format. The exit code is 1 if there are errors.
    """
    from adjudge.formats.tbf import open_tbf

    gold = None
    if options["gold"] is not None:
        if options["docs"] is not None:
            raise UsageError("--gold and --docs both say which documents must be there", hint="give one of them")
        gold = open_tbf(options["gold"])
        if not any(gold.ids):
            hint = "give a TBF file with the gold nuggets"
            raise UsageError(f"{options['gold']}: the file has no documents", hint=hint)
    docs = options["docs"]
    listed = [id for id in open_tbf(docs).ids if id] if is_file(docs) else None
    return check(
        path,
        tables=options["tokens"],
        suffix=options["token_suffix"],
        texts=options["texts"],
        text_suffix=options["text_suffix"],
        sizes=None if options["sizes"] is None else read_sizes(options["sizes"]),
        types=None if options["types"] is None else read_types(options["types"]),
        documents=listed or document_list(docs),
        gold=gold,
        mode=options["mode"],
        **rules,
    )


@command(
    "convert",
    click.Argument(["inputs"], metavar="INPUT...", nargs=-1, required=True),
    choice("--from source", SOURCES, "Format of the input (default: by its name)."),
    choice("--to target", TO, "Format to write.", required=True),
    value(
        "-t --tokens",
        "TOKENS",
        "Folder of the token tables (DOCUMENT.tab), or one table.",
        type=click.Path(exists=True, path_type=Path),
    ),
    value(
        "--texts",
        "TEXTS",
        "Folder of the texts (default: beside brat and ERE files).",
        type=click.Path(exists=True, file_okay=False, path_type=Path),
    ),
    value(
        "-o --output",
        "OUT",
        "File or folder to write (atomically); - is standard output. A folder has a file per document.",
        type=click.Path(),
    ),
    choice("--order", ORDERS, "Nuggets by id (default for brat and ERE) or as in the file."),
    choice("--offsets units", UNITS, "How INPUT counts characters.", default="code-points"),
    choice("--token-offsets table_units", UNITS, "How the token tables count characters.", default="code-points"),
    value("--system", "NAME", "System id to write in TBF (default: that of the input, or adjudge)."),
    flag("--strict", "Write nothing if anything would be lost."),
    flag("--quiet", "Do not report what could not be kept."),
    examples=["adjudge nugget convert --from brat --to tbf -t tokens/ annotations/ -o gold.tbf"],
)
def convert(inputs: tuple[str, ...], output: str | None, strict: bool, quiet: bool, **plan: Any) -> None:
    """Write event nuggets in another format.

    INPUT is a file or a folder: brat standoff (.ann with .txt), Rich ERE or LDC event-nugget XML (ere), or TBF by
    tokens or characters. --to tbf is by tokens if there are token tables, and turns one kind of TBF into the other;
    nugget-xml is LDC event-nugget XML, without coreference. What cannot be kept is reported on standard error.
    """
    from adjudge.tasks.nugget.conversion_files import Plan
    from adjudge.tasks.nugget.conversion_files import convert as converted_files

    converted = converted_files(inputs, Plan(**plan))
    if strict and converted.notes:
        raise ValidationError(converted.notes)
    _write(converted, None if output == "-" else output)
    if not quiet:
        for note in converted.notes:
            say(f"note: {visible(str(note))}")


def _write(converted: Converted, output: str | None) -> None:
    """One file, or a folder with a file for each document."""
    from adjudge.files import write_folder
    from adjudge.tasks.nugget.conversion_files import render, render_files

    documents, target = converted.documents, converted.target
    if output is not None and _is_folder(output, target):
        write_folder(output, render_files(documents, target), inputs=converted.inputs)
        return
    if not target.startswith("tbf") and len(documents) != 1:
        raise UsageError(
            f"{target} has a file for each of the {len(documents)} documents", hint="name a folder: -o OUT/"
        )
    path = None if output is None else Path(output)
    check_targets({"output": path}, inputs=map(str, converted.inputs))
    emit(render(documents, target), path)


def _is_folder(output: str, target: str) -> bool:
    """Whether OUT is a folder: it is there, ends as one, or is to hold files but is not named like one."""
    if output.endswith(("/", os.sep)) or Path(output).is_dir():
        return True
    return not target.startswith("tbf") and not output.endswith(ENDINGS[target])


@command(
    "tokenize",
    value(
        "-t --texts",
        "TEXTS",
        "Folder of the texts, or one text.",
        type=click.Path(exists=True, path_type=Path),
        required=True,
    ),
    value(
        "-a --annotations",
        "ANNOTATIONS",
        "Folder of brat files (DOCUMENT.ann), one such file, or a TBF file by characters.",
        type=click.Path(exists=True, path_type=Path),
    ),
    value("-o --output", "OUT", "Folder of the token tables.", type=click.Path(), required=True),
    value("-e --extension", "EXT", "Extension of the texts.", default="txt"),
    value("-s --separators", "CHARACTERS", "Cut tokens at these as well; '' for none.", default="/-\\"),
    flag("--utf16", "Offsets in annotations and tables count UTF-16 units, not characters."),
    flag("--strict", "Write nothing if an annotation does not fit the tokens."),
    flag("--quiet", "Do not report which tokens were split."),
    examples=["adjudge nugget tokenize -t texts/ -a annotations/ -o tables/ -s '/-\\'"],
)
def tokenize(texts: Path, annotations: Path | None, output: str, strict: bool, quiet: bool, **how: Any) -> int:
    """Make token tables (DOCUMENT.tab): id, string, begin and end of each token, as the Penn Treebank splits words.

    Tokens are split where an event nugget begins or ends inside, with a warning, so that every nugget is made of whole
    tokens. All tables are written or none.
    """
    from adjudge.files import write_folder
    from adjudge.tasks.nugget.tokenizer_files import make_tables

    if any(character.isspace() for character in how["separators"]):
        raise UsageError("a blank cannot be a separator", hint="tokens end at blanks anyway")
    with working("tokenizing", shown=not quiet) as progress:
        found = make_tables(texts, annotations, progress=progress, **how)
    refused = strict and bool(found.warnings)
    if not refused:
        write_folder(output, found.files, inputs=found.inputs)
    if refused or not quiet:
        for warning in found.warnings:
            say(f"[WARN] {visible(warning)}")
    if not quiet:
        for note in found.notes:
            say(f"note: {visible(str(note))}")
        numbers = {"document": len(found.files), "token": found.tokens, "boundary mismatch": len(found.warnings)}
        say(", ".join(counted(number, what) for what, number in numbers.items()))
    return int(refused)
