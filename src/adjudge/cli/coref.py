"""`adjudge coref`: score, validate and convert files of chains."""

from __future__ import annotations

import os
from typing import Any

import click

from adjudge.cli.findings import counted, emit_reports, finding_lines, report_options
from adjudge.cli.options import (
    RESAMPLING,
    Command,
    compose,
    output_option,
    refuse_with,
    run_from,
    scoring_options,
    side_arguments,
    sides_of,
)
from adjudge.cli.output import check_targets, count_task, emit, emit_explanations, finish, is_file, say
from adjudge.errors import UsageError, visible
from adjudge.formats.coreference import FORMATS
from adjudge.tasks.coref.settings import MATCHES, PROFILES, SINGLETONS, settings

COMPAT = ("conll-8.01",)
_SMALL = 1_000_000  # bytes of a key that may be a single document, which has no intervals
_ONLY_SCORES = ("by", "save", "summary", "fail_under", "pool", *RESAMPLING, "jobs", "cluster")


@click.command(
    "score",
    cls=Command,
    epilog="\b\nExamples:\n  adjudge coref score key.conll a.conll b.conll --by genre"
    "\n  adjudge coref score --compat conll-8.01 --metric all key.conll system.conll",
)
@side_arguments("KEY", "RESPONSE")
@compose(
    click.option(
        "--metric",
        metavar="NAMES",
        help="Only these: mentions, muc, b3, ceafm, ceafe, blanc, lea, conll, kbp, separated by commas.",
    ),
    click.option(
        "--profile",
        type=click.Choice(list(PROFILES)),
        default="conll-8.01",
        show_default=True,
        help="As the reference scorer counts; with repeated mentions removed and BLANC as in its paper (clean); or "
        "with errors for whatever is doubtful (strict).",
    ),
    click.option(
        "--singletons",
        type=click.Choice(SINGLETONS),
        default="keep",
        show_default=True,
        help="Whether chains of one mention count, on both sides.",
    ),
    click.option(
        "--match",
        type=click.Choice(MATCHES),
        default="exact",
        show_default=True,
        help="When mentions are the same: equal, with the same head, or overlapping.",
    ),
    click.option(
        "--overlap",
        metavar="SHARE",
        type=float,
        help="For --match partial: words in common over words in either, at least. [default: 0.5]",
    ),
    click.option("--compat", type=click.Choice(COMPAT), help="Print what the reference scorer prints, and only that."),
    click.option(
        "--each-document", is_flag=True, help="With --compat: also the block that it prints for each document."
    ),
    scoring_options(
        by="Also score by a field: genre.",
        explain="Print what went wrong in this document instead of the scores.",
        refused={
            "time_limit": "no chain needs a search",
            "save_documents": "pages do not show chains, --explain DOC does",
        },
    ),
)
def score(**options: Any) -> None:
    """Score one or more responses against a key.

    KEY and RESPONSE are CoNLL-2011/2012 files, CorefUD, or JSON lines of clusters, plain or gzip; - is standard input.
    A response is called after its file, or NAME in NAME=FILE. Several are compared with paired tests.
    """
    from adjudge.tasks.coref.measures import chosen_metrics
    from adjudge.tasks.coref.task import CorefTask

    sides = sides_of(options)
    chosen = settings(options["profile"], options["singletons"], options["match"], options["overlap"])
    if options["compat"]:
        _compat(sides, CorefTask(chosen), options)
    elif options["each_document"]:
        raise UsageError("--each-document is for --compat", hint="see one document with --explain DOC")
    elif options["explain"] is not None:
        from adjudge.tasks.coref.explanation import explain

        refuse_with("--explain", (*_ONLY_SCORES, "docs", "metric"))
        how = {name: options[name] for name in ("profile", "singletons", "match", "overlap")}
        found = explain(sides.gold, sides.paths, options["explain"], names=sides.names, **how)
        emit_explanations(found.values(), options)
    else:
        if options["bootstrap"] != 0 and is_file(sides.gold) and os.path.getsize(sides.gold) > _SMALL:  # noqa: PTH202
            import numpy  # noqa: F401 - intervals will need it, and the reader is faster with it
        task = CorefTask(chosen, chosen_metrics(options["metric"]))
        finish(count_task(task, sides, run_from(options), options).result(), options)


def _compat(sides: Any, task: Any, options: dict[str, Any]) -> None:
    """The reference scorer's output has no room for anything but its own options."""
    from adjudge.evaluate.engine import evaluate
    from adjudge.tasks.coref.compat import chosen_compat, reference_output
    from adjudge.tasks.coref.task import warnings

    if task.profile != "conll-8.01":
        raise UsageError("--compat conll-8.01 needs its own profile", hint="leave --profile out")
    if len(sides.paths) > 1:
        raise UsageError("--compat prints one response", hint="run it once for each")
    refuse_with("--compat", (*_ONLY_SCORES, "explain"))
    if options["format_"] != "text":
        raise UsageError("--compat prints text", hint="leave --format out")
    metrics = chosen_compat(options["metric"])
    run = run_from(options, keep=True, digest=False)
    evaluation = evaluate(task, sides.gold, sides.paths, run).checked()
    text = reference_output(evaluation, metrics, documents=options["each_document"], titles=len(metrics) > 1)
    if not options["quiet"]:
        (name,) = evaluation.systems
        for line in warnings(evaluation, name):
            say(f"warning: {visible(str(line))}")
    emit(text, options["output"])


@click.command("convert", epilog="\b\nExample:\n  adjudge coref convert --to jsonl test.conll -o test.jsonl")
@click.argument("source", metavar="IN")
@click.option("--from", "from_", type=click.Choice(FORMATS), help="Format of IN (default: by its content).")
@click.option("--to", type=click.Choice(FORMATS), required=True, help="Format to write.")
@output_option
@click.option("--quiet", is_flag=True, help="Do not say what could not be kept.")
def convert(source: str, **options: Any) -> None:
    """Write coreference chains in another format.

    IN is a CoNLL-2011/2012 file (conll), CoNLL-U with entities (conllu) or JSON lines of clusters (jsonl), plain or
    gzip; - is standard input. Only documents, tokens, chains and mentions are kept, not words or other columns; what
    else is lost is said on standard error.
    """
    from adjudge.formats.coreference import read_coreference, write_coreference

    check_targets(options, inputs=(source,))
    corpus = read_coreference(source, format=options["from_"])
    text, notes = write_coreference(corpus.documents, options["to"], path=corpus.path)
    emit(text, options["output"])
    if not options["quiet"]:
        for note in (*corpus.notes, *notes):
            say(f"note: {visible(str(note))}")


@click.command("validate", epilog="\b\nExample:\n  adjudge coref validate response.conll --strict")
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option("--from", "from_", type=click.Choice(FORMATS), help="Format of the files (default: by their content).")
@report_options()
def validate(files: tuple[str, ...], **options: Any) -> int:
    """Report what is wrong with coreference files: brackets, repeated mentions, headers, end markers.

    An error stops the reference scorer; a warning is read in silence, but hardly as it was meant. The exit code is 1
    if there is an error.
    """
    from adjudge.formats.coreference import check_coreference

    def record(report: Any) -> dict[str, Any]:
        return {name: getattr(report, name) for name in ("documents", "tokens", "chains", "mentions")}

    def totals(report: Any) -> list[str]:
        names = ("document", "token", "chain", "mention", "error", "warning")
        return [counted(getattr(report, f"{name}s"), name) for name in names]

    check_targets(options, inputs=files)
    reports = [check_coreference(name, format=options["from_"]) for name in files]
    return emit_reports(reports, record, totals, options, lines=finding_lines)
