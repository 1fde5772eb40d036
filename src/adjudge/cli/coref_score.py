"""`adjudge coref score`: read, pair, count, reduce, resample, render."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from adjudge.cli.gates import apply_gates, check_gates
from adjudge.cli.memory import uncollected
from adjudge.cli.options import (
    compose,
    docs_option,
    document_list,
    engine_options,
    fail_under_option,
    is_file,
    named,
    output_options,
    pool_option,
    refuse_with,
    resampling_options,
    run_from,
    save_option,
    summary_option,
)
from adjudge.cli.output import Log, check_explained, check_targets, emit, emit_explanations, finish, working
from adjudge.cli.streams import say
from adjudge.errors import UsageError, visible
from adjudge.tasks.coref.settings import MATCHES, PROFILES, SINGLETONS, settings

if TYPE_CHECKING:
    from adjudge.tasks.coref.settings import Settings

COMPAT = ("conll-8.01",)
_SMALL = 1_000_000  # bytes of a key that may be a single document, which has no intervals
RESAMPLING = ("bootstrap", "ci", "seed", "interval", "test")

coref_options = compose(
    click.option(
        "--metric",
        metavar="NAMES",
        help="Only these: mentions, muc, b3, ceafm, ceafe, blanc, lea, conll, kbp, separated by commas.",
    ),
    click.option("--by", metavar="FIELD", multiple=True, help="Also score by a field: genre."),
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
    resampling_options(),
    pool_option,
    docs_option,
    click.option("--explain", metavar="DOC", help="Print what went wrong in this document instead of the scores."),
    click.option("--compat", type=click.Choice(COMPAT), help="Print what the reference scorer prints, and only that."),
    click.option(
        "--each-document", is_flag=True, help="With --compat: also the block that it prints for each document."
    ),
    fail_under_option,
    engine_options,
    save_option,
    summary_option,
    output_options,
)


@click.command(
    "score",
    epilog="\b\nExamples:\n  adjudge coref score key.conll a.conll b.conll --by genre"
    "\n  adjudge coref score --compat conll-8.01 --metric all key.conll system.conll",
)
@click.argument("key")
@click.argument("responses", metavar="RESPONSE...", nargs=-1, required=True)
@coref_options
def command(key: str, responses: tuple[str, ...], **options: Any) -> None:
    """Score one or more responses against a key.

    KEY and RESPONSE are CoNLL-2011/2012 files, CorefUD, or JSON lines of clusters, plain or gzip; - is standard input.
    A response is called after its file, or NAME in NAME=FILE. Several are compared with paired tests.
    """
    given = [named(response) for response in responses]
    paths, names = [path for _, path in given], [name for name, _ in given]
    listed = [options["docs"]] if is_file(options["docs"] or "") else []
    check_targets(options["output"], options["save"], inputs=(key, *paths, *listed))
    chosen = settings(options["profile"], options["singletons"], options["match"], options["overlap"])
    log = Log(verbose=options["verbose"])
    with uncollected():
        if options["compat"]:
            _compat(key, paths, chosen, **options)
        elif options["each_document"]:
            raise UsageError("--each-document is for --compat", hint="see one document with --explain DOC")
        elif options["explain"] is not None:
            _explain(key, paths, names, **options)
        else:
            _score(key, paths, names, chosen, log, **options)


def _score(key: str, paths: list[str], names: list[str | None], chosen: Settings, log: Log, **options: Any) -> None:
    from adjudge.evaluate.engine import evaluate
    from adjudge.tasks.coref.measures import chosen_metrics
    from adjudge.tasks.coref.task import CorefTask

    task = CorefTask(chosen, chosen_metrics(options["metric"]))
    if options["fail_under"]:
        from adjudge.stats.measure import part_keys

        check_gates(options["fail_under"], part_keys(task.measures()))
    if options["bootstrap"] != 0 and is_file(key) and os.path.getsize(key) > _SMALL:  # noqa: PTH202
        import numpy  # noqa: F401 - intervals will need it, and the reader is faster with it
    log(f"reading {key} and {len(paths)} response(s)")
    with working("scoring", shown=not options["quiet"]):
        evaluation = evaluate(task, key, paths, run_from(options), names=names)
    log(f"counted {len(evaluation.ids)} documents")
    result = evaluation.result()
    finish(result, **options)
    apply_gates(options["fail_under"], result)


def _compat(key: str, paths: list[str], chosen: Settings, **options: Any) -> None:
    """The reference scorer's output has no room for anything but its own options."""
    from adjudge.evaluate.engine import evaluate
    from adjudge.evaluate.run import Run
    from adjudge.tasks.coref.compat import chosen_compat, reference_output
    from adjudge.tasks.coref.task import CorefTask, warnings

    if chosen.profile != "conll-8.01":
        raise UsageError("--compat conll-8.01 needs its own profile", hint="leave --profile out")
    if len(paths) > 1:
        raise UsageError("--compat prints one response", hint="run it once for each")
    refuse_with("--compat", ("by", "save", "summary", "fail_under", "pool", "explain", *RESAMPLING, "jobs", "cluster"))
    if options["format_"] != "text":
        raise UsageError("--compat prints text", hint="leave --format out")
    metrics = chosen_compat(options["metric"])
    docs = None if options["docs"] is None else tuple(document_list(options["docs"]))
    evaluation = evaluate(CorefTask(chosen), key, paths, Run(docs=docs, keep=True, digest=False)).checked()
    text = reference_output(
        evaluation,
        metrics,
        documents=options["each_document"],
        titles=len(metrics) > 1,
    )
    if not options["quiet"]:
        (name,) = evaluation.systems
        for line in warnings(evaluation, name):
            say(f"warning: {visible(str(line))}")
    emit(text, options["output"])


def _explain(key: str, paths: list[str], names: list[str | None], **options: Any) -> None:
    from adjudge.tasks.coref.explanation import explain

    others = ("save", "summary", "fail_under", "by", "docs", "metric", "pool", *RESAMPLING, "jobs", "cluster")
    refuse_with("--explain", others)
    check_explained(options["format_"])
    how = {name: options[name] for name in ("profile", "singletons", "match", "overlap")}
    found = explain(key, paths, options["explain"], names=names, **how)
    emit_explanations(found.values(), options["format_"], options["output"])
