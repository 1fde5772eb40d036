"""`adjudge nugget`: score, report, validate, convert and tokenize event nuggets."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from adjudge.cli.findings import validator
from adjudge.cli.options import (
    Sides,
    Target,
    choice,
    command,
    docs_option,
    document_list,
    flag,
    listed_lines,
    output_option,
    refuse_with,
    resampling_options,
    side_arguments,
    sides_of,
    value,
    verbose_option,
)
from adjudge.cli.output import (
    check_targets,
    emit,
    emit_explanations,
    emit_page,
    finish,
    is_file,
    say,
    uncollected,
    working,
)
from adjudge.cli.score import (
    ONLY_SCORES,
    check_official,
    counted,
    emit_official,
    readers_of,
    run_from,
    scoring_options,
    search_options,
)
from adjudge.errors import UsageError, ValidationError, visible
from adjudge.findings import Findings
from adjudge.findings import counted as numbered
from adjudge.formats.standoff import ORDERS, UNITS
from adjudge.tasks.nugget.settings import ATTRIBUTES, MAPPINGS, PROFILES, settings
from adjudge.tasks.nugget.validation import KINDS, read_sizes, read_types
from adjudge.tasks.nugget.validation import validate as check

if TYPE_CHECKING:
    from adjudge.evaluate.engine import Evaluation
    from adjudge.tasks.nugget.conversion_files import Converted
    from adjudge.tasks.nugget.settings import Settings
    from adjudge.tasks.nugget.task import NuggetTask

COMPAT = ("evmeval-1.8", "evmeval-2015")
SOURCES = ("brat", "ere", "tbf", "tbf-token", "tbf-char")  # formats that can be converted

side_options = [
    side_arguments(old_gold="-g --gold", old_system="-s --system"),
    value(
        "-t --tokens",
        "FOLDER",
        "Token tables, one per document; positions are then tokens. [default: as in the gold file]",
    ),
    value("--token-suffix", "TEXT", "Suffix of the names of token tables.", default=".tab"),
    value("--texts", "DIR", "Texts, one file <document><suffix> per document, to show."),
    value("--text-suffix", "TEXT", "Suffix of the names of texts.", default=".txt"),
    choice("--mode", ("token", "char"), "Unit of positions, instead of guessing it."),
    choice(
        "--profile",
        PROFILES,
        "Follow the specification, or count as the official program did in 2015 or does since 1.8.",
        default="spec",
    ),
    value("--types", "FILE", "Score only these types: one per line."),
    flag("--coref/--no-coref", "Score coreference. [default: if a file has any]", default=None),
    value(
        "--coref-threshold",
        "DICE",
        "Minimum overlap for nuggets to be the same mention in coreference.",
        type=float,
        default=1.0,
    ),
    choice("--coref-mapping", MAPPINGS, "The mapping that coreference and sequencing build on.", default="type"),
    flag("--sequencing/--no-sequencing", "Score After and Subevent links. [default: if any]", default=None),
    flag("--any-links", "Also score links that are stated in both directions."),
]
"""Gold, systems, tokens, and how they are compared."""


@command(
    "score",
    side_options,
    value(
        "--attributes",
        "NAMES",
        "Attributes to score in all combinations, besides the span alone; none scores the span only.",
        default=",".join(ATTRIBUTES),
    ),
    choice("--confusion", ATTRIBUTES, "Print which values the systems confuse instead of the scores."),
    value(
        "--comparison",
        "FILE",
        "Also write gold and system nuggets side by side, in the layout of the official program.",
        type=Target(),
    ),
    choice("--compat", COMPAT, "Print only the report of the official program."),
    scoring_options(
        "nugget.type.recall",
        by="Also score by type or by realis.",
        pool="Only micro or only macro averages of nuggets.",
        explain="Print the outcome of every item in this document instead of the scores.",
        without=readers_of("nuggets are scored from TBF files"),
    ),
    examples=[
        "adjudge nugget score gold.tbf a.tbf b.tbf -t tokens/",
        "adjudge nugget score gold.tbf run=out/system.tbf --by type --profile evmeval-1.8",
        "adjudge nugget score gold.tbf system.tbf --compat evmeval-1.8 --coref",
    ],
)
def score(**options: Any) -> None:
    """Score systems against gold nuggets: spans, types, realis, coreference and sequencing.

    Files are TBF, plain or gzip; - is standard input. A system is named after its file, or NAME if given as NAME=FILE.
    Several are compared with paired tests.
    """
    sides = sides_of(options, "comparison", inputs=[options["types"]])
    profile = options["profile"]
    if options["compat"]:
        check_official(sides, options, only=("profile", "attributes", "confusion"))
        profile = options["compat"]
    chosen = _settings(options, profile=profile, attributes=options["attributes"])
    if options["confusion"] is not None:
        refuse_with("--confusion", ("explain", "pool", *(name for name in ONLY_SCORES if name != "docs")))
        chosen = chosen._replace(coref=False, sequencing=False)
    if options["comparison"] is not None and len(sides.paths) > 1:
        raise UsageError("--comparison writes one system", hint="run it once for each")
    from adjudge.tasks.nugget.task import NuggetTask

    task = NuggetTask(chosen, **_how(options), by=options["by"], time_limit=options["time_limit"])
    evaluation = _evaluated(sides, task, options)
    if evaluation is None:
        return
    if options["comparison"] is not None:
        from adjudge.tasks.nugget.compat import write_comparison

        write_comparison(options["comparison"], evaluation, Path(sides.paths[0]).name)
    if options["compat"]:
        _compat(evaluation, task, options)
    elif options["confusion"] is not None:
        _confusion(evaluation, options)
    else:
        finish(evaluation.result(), options)


def _settings(options: Mapping[str, Any], **more: Any) -> Settings:
    """The settings of the comparison, from the options."""
    names = ("profile", "coref", "sequencing", "coref_threshold", "coref_mapping", "any_links")
    types = None if options["types"] is None else listed_lines(options["types"], "types")
    return settings(**{**{name: options[name] for name in names}, "types": types, **more})


def _how(options: Mapping[str, Any]) -> dict[str, Any]:
    """How the files are read."""
    return {
        "suffix": options["token_suffix"],
        **{name: options[name] for name in ("tokens", "mode", "texts", "text_suffix")},
    }


def _evaluated(sides: Sides, task: NuggetTask, options: Mapping[str, Any]) -> Evaluation | None:
    from functools import partial

    from adjudge.evaluate.engine import evaluate
    from adjudge.tasks.nugget.measures import measures

    chosen = task.settings
    scored = {"coref": chosen.coref is not False, "sequencing": chosen.sequencing is not False}
    named = partial(measures, chosen, pool=options.get("pool"), **scored)
    keep = any(options.get(name) is not None for name in ("compat", "comparison", "confusion"))
    run = run_from(options, keep=keep, **({} if "pool" in options else {"pool": "micro"}))
    return counted(partial(evaluate, task), named, sides, options, run=run, only=("confusion", "comparison", "pool"))


def _compat(evaluation: Evaluation, task: NuggetTask, options: Mapping[str, Any]) -> None:
    from adjudge.evaluate.results import notes_of
    from adjudge.tasks.nugget.compat import report

    text = report(evaluation.checked())
    (name,) = evaluation.systems
    notes = (*notes_of(evaluation, name), *task.notes(evaluation, name))
    told = (each.message + (f" ({', '.join(each.examples)})" if each.examples else "") for each in notes)
    emit_official(text, told, options)


def _confusion(evaluation: Evaluation, options: Mapping[str, Any]) -> None:
    from adjudge.tasks.nugget.confusion import confusions

    if options["format_"] not in ("text", "json", "csv"):
        raise UsageError(f"a confusion matrix cannot be written as {options['format_']}", hint="use text, json or csv")
    found = confusions(evaluation, options["confusion"])
    if options["format_"] != "csv":
        emit_explanations(found, options)
        return
    import csv
    import io

    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    for each in found:
        writer.writerows(each.rows())
    emit(stream.getvalue().rstrip("\n") + "\n", options["output"])


@command(
    "report",
    side_options,
    docs_option,
    value("--title", "TEXT", "Title of the page.", default="Event nuggets"),
    search_options,
    resampling_options(),
    output_option,
    verbose_option,
    examples=["adjudge nugget report gold.tbf mine=run1.tbf run2.tbf -t tokens/ --texts texts/ -o report.html"],
)
def report(**options: Any) -> None:
    """Write an HTML page with gold and system nuggets side by side: one file that needs no network.

    This is the page of `adjudge report`: the ranking, the most frequent errors, and every nugget, hopper and link
    beside the text. Without texts it shows the tokens; without token tables, a table of the nuggets.
    """
    from adjudge.tasks.nugget.task import NuggetTask

    sides = sides_of(options, inputs=[options["types"]])
    task = NuggetTask(_settings(options), **_how(options), time_limit=options["time_limit"])
    with uncollected():
        evaluation = _evaluated(sides, task, {**options, "save_documents": True})
        assert evaluation is not None
        result = evaluation.result()
    emit_page(result, options)


TO = ("tbf", "tbf-token", "tbf-char", "brat", "ere", "nugget-xml")
ENDINGS = {"brat": ".ann", "ere": ".xml", "nugget-xml": ".xml"}  # of a file, where a folder is usual


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
    """Whether OUT is a folder: it exists, ends like one, or is to hold files and is not named like a file."""
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
        say(", ".join(numbered(number, what) for what, number in numbers.items()))
    return int(refused)
