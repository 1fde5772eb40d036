"""`adjudge coref score`: chains against a key."""

from __future__ import annotations

import os
from typing import Any

from adjudge.cli.options import (
    RESAMPLING,
    choice,
    command,
    flag,
    refuse_with,
    run_from,
    scoring_options,
    side_arguments,
    sides_of,
    value,
)
from adjudge.cli.output import count_task, emit, emit_explanations, finish, is_file, say
from adjudge.errors import UsageError, visible
from adjudge.tasks.coref.settings import MATCHES, PROFILES, SINGLETONS, settings

COMPAT = ("conll-8.01",)
_SMALL = 1_000_000  # bytes of a key that may be a single document, which has no intervals
_ONLY_SCORES = ("by", "save", "summary", "fail_under", "pool", *RESAMPLING, "rank", "rank_by", "jobs", "cluster")


@command(
    "score",
    side_arguments("KEY", "RESPONSE"),
    value(
        "--metric", "NAMES", "Only these: mentions, muc, b3, ceafm, ceafe, blanc, lea, conll, kbp, separated by commas."
    ),
    choice(
        "--profile",
        PROFILES,
        "As the reference scorer counts; with repeated mentions removed and BLANC as in its paper (clean); or "
        "with errors for whatever is doubtful (strict).",
        default="conll-8.01",
    ),
    choice("--singletons", SINGLETONS, "Whether chains of one mention count, on both sides.", default="keep"),
    choice(
        "--match", MATCHES, "When mentions are the same: equal, with the same head, or overlapping.", default="exact"
    ),
    value(
        "--overlap",
        "SHARE",
        "For --match partial: words in common over words in either, at least. [default: 0.5]",
        type=float,
    ),
    choice("--compat", COMPAT, "Print what the reference scorer prints, and only that."),
    flag("--each-document", "With --compat: also the block that it prints for each document."),
    scoring_options(
        by="Also score by a field: genre.",
        explain="Print what went wrong in this document instead of the scores.",
        without={
            "time_limit": "no chain needs a search",
        },
    ),
    examples=[
        "adjudge coref score key.conll a.conll b.conll --by genre",
        "adjudge coref score --compat conll-8.01 --metric all key.conll system.conll",
    ],
)
def score(**options: Any) -> None:
    """Score one or more responses against a key.

    KEY and RESPONSE are CoNLL-2011/2012 files, CorefUD, or JSON lines of clusters, plain or gzip; - is standard input.
    A response is called after its file, or NAME in NAME=FILE. Several are compared with paired tests.
    """
    from adjudge.tasks.coref.settings import chosen_metrics
    from adjudge.tasks.coref.task import CorefTask

    sides = sides_of(options)
    chosen = settings(options["profile"], options["singletons"], options["match"], options["overlap"])
    if options["compat"]:
        _compat(sides, CorefTask(chosen), options)
    elif options["each_document"]:
        raise UsageError("--each-document is for --compat", hint="see one document with --explain DOC")
    elif options["explain"] is not None:
        from adjudge.tasks.coref.task import explain

        refuse_with("--explain", (*_ONLY_SCORES, "docs", "metric"))
        how = {name: options[name] for name in ("profile", "singletons", "match", "overlap")}
        found = explain(sides.gold, sides.paths, options["explain"], names=sides.names, **how)
        emit_explanations(found.values(), options)
    else:
        if options["bootstrap"] != 0 and is_file(sides.gold) and os.path.getsize(sides.gold) > _SMALL:  # noqa: PTH202
            import numpy  # noqa: F401 - intervals will need it, and the reader is faster with it
        task = CorefTask(chosen, chosen_metrics(options["metric"]))
        run = run_from(options, align=options["save_documents"])
        finish(count_task(task, sides, run, options).result(), options)


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
