"""`adjudge nugget validate`: everything that is wrong with a submission, with line and column."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

import click

from adjudge.cli.findings import (
    counted,
    emit_reports,
    finding_line,
    finding_record,
    report_options,
    unlisted_line,
)
from adjudge.cli.options import document_list, is_file
from adjudge.cli.output import check_targets
from adjudge.errors import UsageError, visible
from adjudge.tasks.nugget.validation import LIMIT, NuggetReport, validate

if TYPE_CHECKING:
    from adjudge.formats.tbf import TbfFile

PASTED = 2000  # characters of a suggested line that are shown in a terminal


@click.command(
    "validate",
    epilog="\b\nExamples:\n  adjudge nugget validate system.tbf -t tokens/ --types 2015 --docs gold.tbf"
    "\n  adjudge nugget validate clusters.tbf --gold gold.tbf",
)
@click.argument("files", metavar="SUBMISSION...", nargs=-1, required=True)
@click.option("-t", "--tokens", metavar="DIR", help="Token tables, one file <document><suffix> for each document.")
@click.option("--token-suffix", metavar="TEXT", default=".tab", show_default=True, help="How names of tables end.")
@click.option("--texts", metavar="DIR", help="Texts, one file <document><suffix> for each document.")
@click.option("--text-suffix", metavar="TEXT", default=".txt", show_default=True, help="How names of texts end.")
@click.option("--sizes", metavar="FILE", help="Numbers of characters: a document id and its number in each line.")
@click.option("--types", metavar="FILE", help="Event types that are allowed: a file with one per line, 2015 or 2016.")
@click.option(
    "--gold",
    metavar="GOLD",
    help="The nuggets that were given, a TBF file: they must have been copied, and nothing else may be there.",
)
@click.option(
    "--docs",
    metavar="LIST",
    help="The documents that must be there: a file with one id per line, a TBF file, or a,b,c.",
)
@click.option(
    "--mode",
    type=click.Choice(("token", "char")),
    help="Places are token ids or characters (default: token with -t, else by what most of them look like).",
)
@report_options(limit=LIMIT)
def command(
    files: tuple[str, ...],
    tokens: str | None,
    token_suffix: str,
    texts: str | None,
    text_suffix: str,
    sizes: str | None,
    types: str | None,
    gold: str | None,
    docs: str | None,
    mode: Literal["token", "char"] | None,
    limit: int,
    **options: Any,
) -> int:
    """Report what is wrong with event nuggets: structure, columns, ids, places, types, clusters, links, documents.

    With --gold, for the task in which nuggets are given, also those that were not copied, were changed, or invented.

    An error is what the official programs refuse, or what cannot be scored as it is meant; a warning does no harm to
    the score, but is odd or against the letter of the format. The exit code is 1 if there is an error.
    """
    check_targets(options["output"], inputs=[*files, *([gold] if gold else [])])
    if gold is not None and docs is not None:
        raise UsageError("--gold and --docs both say which documents must be there", hint="give one of them")
    if [*files, gold].count("-") > 1:
        raise UsageError("standard input can be read only once", hint="use - for one of the files")
    listed = None
    if types is not None:
        from adjudge.tasks.nugget.ontology import read_types

        listed = read_types(types)
    counts = None
    if sizes is not None:
        from adjudge.tasks.nugget.validation_ground import read_sizes

        counts = read_sizes(sizes)
    wanted = None if docs is None else _documents(docs)
    given = None if gold is None else _gold(gold)
    reports = [
        validate(
            name,
            tables=tokens,
            suffix=token_suffix,
            texts=texts,
            text_suffix=text_suffix,
            sizes=counts,
            types=listed,
            documents=wanted,
            gold=given,
            mode=mode,
            limit=limit,
        )
        for name in files
    ]
    return emit_reports(reports, _record, _text, **options)


def _documents(docs: str) -> list[str]:
    if is_file(docs):
        from adjudge.formats.tbf import open_tbf

        if ids := [id for id in open_tbf(docs).ids if id]:
            return ids
    return document_list(docs)


def _gold(path: str) -> TbfFile:
    from adjudge.formats.tbf import open_tbf

    file = open_tbf(path)
    if not any(file.ids):
        raise UsageError(f"{path}: the file has no documents", hint="give a TBF file with the gold nuggets")
    return file


def _text(report: NuggetReport, *, quiet: bool) -> str:
    lines = []
    for finding in report.findings:
        lines.append(visible(finding_line(finding)))
        if finding.fix is not None:  # indented: blanks before a line mean nothing, so it can be pasted as it is
            fits = len(finding.fix) <= PASTED
            shown = finding.fix if fits else "(the line is long: --format json has it)"
            lines.append("    " + visible(shown, keep="\t"))
    for kind, count in report.unlisted.items():
        lines.append(visible(unlisted_line(report.path, kind, count)))
    if not quiet:
        counts = (
            (report.documents, "document"),
            (report.mentions, "mention"),
            (report.clusters, "cluster"),
            (report.links, "other relation"),
            (report.errors, "error"),
            (report.warnings, "warning"),
        )
        parts = [counted(*each) for each in counts]
        if report.empty:
            parts[0] += f" ({report.empty} without mentions)"
        if report.gold is not None:
            parts[1] += f" ({_copies(report.gold)})"
        lines.append(visible(f"{report.path}: {', '.join(parts)}"))
    return "".join(f"{line}\n" for line in lines)


def _copies(gold: Mapping[str, int]) -> str:
    """What became of the nuggets that were given, in words.

    >>> _copies({"gold": 9, "copied": 8, "renamed": 0, "changed": 1, "missing": 0, "invented": 2})
    'of 9 in gold 8 copied, 1 changed; 2 invented'
    """
    fates = [f"{gold[name]} {name}" for name in ("copied", "renamed", "changed", "missing") if gold[name]]
    invented = f"; {gold['invented']} invented" if gold["invented"] else ""
    return f"of {gold['gold']} in gold {', '.join(fates) or 'none copied'}{invented}"


def _record(report: NuggetReport) -> dict[str, Any]:
    return {
        "path": report.path,
        "mode": report.mode,
        "documents": report.documents,
        "without_mentions": report.empty,
        "mentions": report.mentions,
        "clusters": report.clusters,
        "other_relations": report.links,
        "errors": report.errors,
        "warnings": report.warnings,
        **({} if report.gold is None else {"gold": report.gold}),
        "unlisted": report.unlisted,
        "findings": [finding_record(finding, fix=finding.fix) for finding in report.findings],
    }
