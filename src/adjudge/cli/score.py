"""`adjudge score`: read, pair, observe, reduce, resample, render."""

from __future__ import annotations

from typing import Any

import click

from adjudge.cli.gates import apply_gates, check_gates
from adjudge.cli.options import document_list, scoring_options
from adjudge.cli.output import Log, check_targets, emit, finish, progress_bar
from adjudge.errors import UsageError
from adjudge.tasks.scoring import as_metrics, explain_document, measures_of, score


@click.command(
    "score",
    epilog="\b\nExample:\n  adjudge score relation.strict gold.jsonl a.jsonl b.jsonl --by genre --fail-under f1=0.5",
)
@click.argument("metric")
@click.argument("gold")
@click.argument("systems", metavar="SYSTEM...", nargs=-1, required=True)
@scoring_options
def command(metric: str, gold: str, systems: tuple[str, ...], **options: Any) -> None:
    """Score one or more systems against the gold documents.

    METRIC is a name from `adjudge metrics`, a specification file (.yaml or .json), or module:Type; several are
    separated by commas. GOLD and SYSTEM are JSON lines, one object with an "id" per document, plain or gzip; - is
    standard input. Several systems are compared with paired tests.
    """
    inputs = (gold, *systems)
    check_targets(options["output"], options["save"], inputs=inputs)
    if options["explain"] is not None:
        _explain(metric, gold, systems, **options)
        return
    log = Log(verbose=options["verbose"])
    metrics = as_metrics(metric, pool=options["pool"], profile=options["profile"], time_limit=options["time_limit"])
    if options["fail_under"]:
        from adjudge.stats.measure import part_keys

        check_gates(options["fail_under"], part_keys(measures_of(metrics)))
    log(f"scoring {len(systems)} system(s) with {', '.join(str(each) for each in metrics)}")
    with progress_bar(shown=not options["quiet"]) as progress:
        result = score(
            metrics,
            gold,
            list(systems),
            by=options["by"],
            bootstrap=options["bootstrap"],
            ci=options["ci"],
            seed=options["seed"],
            pool=options["pool"],
            profile=options["profile"],
            docs=None if options["docs"] is None else document_list(options["docs"]),
            jobs=options["jobs"],
            progress=progress,
            test=options["test"],
        )
    log(f"scored {result.systems[0].documents} documents")
    finish(result, **options)
    apply_gates(options["fail_under"], result)


def _explain(metric: str, gold: str, systems: tuple[str, ...], **options: Any) -> None:
    for name in ("save", "fail_under", "by", "docs"):
        if options[name]:
            flag = "--" + name.replace("_", "-")
            raise UsageError(f"--explain and {flag} do not go together", hint="leave one of them out")
    from adjudge.report.render import render_explanation

    found = explain_document(metric, gold, list(systems), options["explain"], profile=options["profile"])
    emit(render_explanation(options["explain"], found, options["format_"]), options["output"])
