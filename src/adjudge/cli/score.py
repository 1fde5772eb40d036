"""`adjudge score`: read, pair, observe, reduce, resample, render."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

from adjudge.cli.completion import complete_metrics
from adjudge.cli.gates import apply_gates, check_gates
from adjudge.cli.options import (
    document_list,
    is_file,
    named,
    reader_options,
    refuse_alone,
    refuse_with,
    scoring_options,
)
from adjudge.cli.output import Log, check_targets, emit, finish, metric_files, progress_bar
from adjudge.evaluate.inputs import distinct, stem
from adjudge.tasks.adding import measures_of
from adjudge.tasks.scoring import Adjust, as_metrics, explain_document, score


@click.command(
    "score",
    epilog="\b\nExample:\n  adjudge score relation.strict gold.jsonl a.jsonl b.jsonl --by genre --fail-under f1=0.5",
)
@click.argument("metric", shell_complete=complete_metrics)
@click.argument("gold")
@click.argument("systems", metavar="SYSTEM...", nargs=-1, required=True)
@reader_options
@scoring_options
def command(metric: str, gold: str, systems: tuple[str, ...], **options: Any) -> None:
    """Score one or more systems against the gold documents.

    METRIC is a name from `adjudge metrics`, a specification file (.yaml or .json), or module:name (a type, or a
    metric of your own); several are separated by commas. GOLD and SYSTEM are JSON lines, one object with an "id"
    per document, or what --reader says, plain, gzip or zstd, or Parquet; - is standard input. A folder, or a
    pattern in quotes ('runs/mine-*.jsonl'), is all of its files as one. A system is called after its file, or NAME
    in NAME=FILE. Several systems are compared with paired tests.
    """
    score_files(metric, gold, systems, **options)


def score_files(
    metric: str, gold: str, systems: Sequence[str], *, adjust: Adjust | None = None, **options: Any
) -> None:
    """Score files and print, save and gate as the options say; the family commands end here, too."""
    given = [named(system) for system in systems]
    paths = [path for _, path in given]
    names = system_names(given)
    inputs = [
        gold,
        *paths,
        *options["hierarchy"].values(),
        *metric_files(metric),
        *([options["docs"]] if is_file(options["docs"] or "") else []),
    ]
    check_targets(options["output"], options["save"], inputs=inputs)
    if options["explain"] is not None:
        unused = ("save", "save_documents", "summary", "fail_under", "by", "docs", "bootstrap", "ci", "seed")
        refuse_with("--explain", (*unused, "interval", "test", "jobs", "cluster"))
        _explain(metric, gold, paths, names, adjust, **options)
        return
    if options["save"] is None:
        refuse_alone("--save-documents", "--save")
    log = Log(verbose=options["verbose"])
    metrics = as_metrics(
        metric,
        pool=options["pool"],
        profile=options["profile"],
        time_limit=options["time_limit"],
        hierarchy=_hierarchies(options),
    )
    if options["fail_under"]:
        from adjudge.stats.measure import part_keys

        check_gates(options["fail_under"], part_keys(measures_of(metrics)))
    log(f"scoring {len(systems)} system(s) with {', '.join(str(each) for each in metrics)}")
    with progress_bar(shown=not options["quiet"]) as progress:
        result = score(
            metrics,
            gold,
            paths,
            names=names,
            by=options["by"],
            bootstrap=options["bootstrap"],
            ci=options["ci"],
            seed=options["seed"],
            pool=options["pool"],
            profile=options["profile"],
            docs=None if options["docs"] is None else document_list(options["docs"]),
            jobs=options["jobs"],
            cluster=options["cluster"],
            progress=progress,
            test=options["test"],
            interval=options["interval"],
            reader=options["reader"],
            system_reader=options["system_reader"],
            adjust=adjust,
            documents=options["save_documents"],
        )
    log(f"scored {result.systems[0].documents} documents")
    finish(result, **options)
    apply_gates(options["fail_under"], result)


def _hierarchies(options: Mapping[str, Any]) -> dict[str, Any]:
    """The hierarchies of fields; the credit belongs to all of them."""
    if not options["hierarchy"]:
        refuse_alone("--hierarchy-credit", "--hierarchy")
        return {}
    from adjudge.metrics.hierarchies import as_hierarchy

    credit = options["hierarchy_credit"]
    return {field: as_hierarchy(file, credit=credit) for field, file in options["hierarchy"].items()}


def system_names(given: Sequence[tuple[str | None, str]]) -> list[str]:
    """What the systems are called: the names given, the others after their files."""
    files = iter(distinct([stem(path) for name, path in given if name is None]))
    return [next(files) if name is None else name for name, _ in given]


def _explain(metric: str, gold: str, paths: list[str], names: list[str], adjust: Adjust | None, **options: Any) -> None:
    from adjudge.report.render import render_explanation

    found = explain_document(
        metric,
        gold,
        paths,
        options["explain"],
        profile=options["profile"],
        names=names,
        time_limit=options["time_limit"],
        reader=options["reader"],
        system_reader=options["system_reader"],
        hierarchy=_hierarchies(options),
        adjust=adjust,
    )
    emit(render_explanation(options["explain"], found, options["format_"]), options["output"])
