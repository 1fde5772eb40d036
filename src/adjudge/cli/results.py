"""`adjudge compare`, `report`, `merge` and `select`: saved results, without scoring again."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click

from adjudge.cli.options import (
    FORMATS,
    UNCLUSTERED,
    Target,
    Whole,
    baseline_options,
    choice,
    command,
    document_list,
    fail_under_option,
    flag,
    format_option,
    is_given,
    named,
    output_option,
    output_options,
    rank_options,
    resampling_options,
    runs_fixed_option,
    save_option,
    saved_by_option,
    summary_option,
    value,
    verbose_option,
)
from adjudge.cli.output import (
    check_baseline,
    check_gates,
    check_targets,
    emit,
    emit_page,
    finish,
    log,
    of_runs,
    uncollected,
    with_ranking,
)
from adjudge.errors import UsageError

if TYPE_CHECKING:
    from adjudge.estimates.rows import Estimate
    from adjudge.stats.result import Result

LISTED = ("text", "md", "json")  # layouts that can hold more than one table
ORDERS = ("influence", "disagreement")
_as_saved = resampling_options(", or as saved")


def _load(files: Sequence[str], options: dict[str, Any], inputs: Sequence[str | None] = ()) -> list[Result]:
    """Saved results, unless an output would overwrite one; a name is that of the only system of its result."""
    given = [named(text) for text in files]
    check_targets(options, inputs=[*(path for _, path in given), *inputs])
    loaded = [_saved(path) if name is None else _saved(path).renamed(name) for name, path in given]
    log(options, f"read {len(loaded)} result(s)")
    return loaded


def _saved(path: str) -> Result:
    """A saved result, or a saved estimate as one."""
    from adjudge.stats.result import Result

    estimate = _estimate(path)
    if estimate is None:
        return Result.load(path)
    from adjudge.estimates.results import result_of

    return result_of(estimate)


def _estimate(path: str) -> Estimate | None:
    """A saved estimate, or None if the file is something else."""
    with suppress(OSError, ValueError), open(path, "rb") as file:  # noqa: PTH123
        if b'"kind": "estimate"' in file.read(64):
            from adjudge.estimates.rows import Estimate

            return Estimate.load(path)
    return None


def _changes(options: dict[str, Any]) -> dict[str, Any]:
    """The options that differ from the saved results."""
    names = ("bootstrap", "seed", "interval", "test", "cluster_by")
    changed = {name: options[name] for name in names if options.get(name) is not None}
    changed |= {"level": options["ci"]} if options["ci"] is not None else {}
    return changed | ({"by": options["by"]} if options["by"] else {})


@command(
    "compare",
    click.Argument(["results"], metavar="[NAME=]RESULT...", nargs=-1, required=True),
    saved_by_option,
    value(
        "--top",
        "N",
        "For each metric, list the N documents and slices on which systems differ most (text, md, json).",
        type=Whole("give the number of documents and slices, or 0 for none"),
        default=5,
    ),
    _as_saved,
    rank_options(),
    fail_under_option,
    baseline_options(),
    save_option,
    summary_option,
    output_options,
    examples=["adjudge compare alder.json birch.json --test randomisation"],
)
def compare(results: tuple[str, ...], **options: Any) -> None:
    """Compare the systems of saved results (--save).

    The results must have the same metrics, conventions and documents. Options that are not given are taken from the
    first result. NAME=FILE calls the system of a result NAME. With --format csv there is a row for each comparison;
    --format latex is a table for a paper, with a row per system and what is significantly best in bold.
    """
    from adjudge.stats.compare import compare as compare_results

    top, format_, quiet = options["top"], options["format_"], options["quiet"]
    if is_given("top") and top and format_ not in LISTED:
        raise UsageError(f"--top and --format {format_} cannot be combined", hint="use text, md or json")
    loaded = _load(results, options)
    check_gates(options["fail_under"], loaded[0].measures)
    _find_baseline(results, loaded, options)
    result = compare_results(loaded, **_changes(options))
    log(options, "compared")
    shown, text = of_runs(with_ranking(result, options), options), None
    # Nobody who wants it quiet gets a list that was not asked for; what is estimated has no scores of documents.
    listed = top and result.task != "estimate" and len(shown.systems) == len(result.systems)
    if listed and format_ in LISTED and (is_given("top") or not quiet) and result.comparisons:
        from adjudge.report.comparing import render_comparison
        from adjudge.stats.influence import largest_differences

        found = largest_differences(result, top)
        text = render_comparison(shown, found, format_, quiet=quiet, pairs=options["pairs"])
    finish(result, options, shown=shown, rows="comparisons" if result.comparisons else "scores", text=text)


def _find_baseline(results: Sequence[str], loaded: Sequence[Result], options: dict[str, Any]) -> None:
    """Interpret a baseline that is one of the results as that result's system."""
    for text, result in zip(results, loaded, strict=True):
        if options["fail_if_worse"] == named(text)[1] and len(result.systems) == 1:
            options |= {"fail_if_worse": result.systems[0].name, "baseline_within": True}
            return
    names = [system.name for result in loaded for system in result.systems]
    check_baseline(options, names, lambda: loaded[0].measures)


@command(
    "report",
    click.Argument(["results"], metavar="[NAME=]RESULT...", nargs=-1, required=True),
    output_option,
    saved_by_option,
    _as_saved,
    runs_fixed_option,
    value("--title", "TEXT", "Title of the page. [default: the task and its metrics]", default=""),
    verbose_option,
    examples=["adjudge report old=may.json new=june.json --by genre -o report.html"],
)
def report(results: tuple[str, ...], **options: Any) -> None:
    """Write an HTML page of saved results (--save): one file that needs no network.

    It has scores with intervals, comparisons with paired tests and ranges of ranks, slices, distributions, and the
    documents. Results saved with --save-documents also show the outcome of every item beside the text.
    Several results are compared as `adjudge compare` does; options that are not given are taken from the first of them.
    """
    from adjudge.stats.compare import compare as compare_results

    with uncollected():  # what is loaded has no cycles, and may be millions of items
        loaded = _load(results, options)
        changed = _changes(options)
        result = loaded[0] if len(loaded) == 1 and not changed else compare_results(loaded, **changed)
        shown = of_runs(result, options)
        if result.task == "estimate":
            shown = _page_of_estimate(shown, None if changed or shown is not result else results)
    emit_page(shown, options)


def _page_of_estimate(result: Result, alone: Sequence[str] | None) -> Result:
    """What is shown of estimates: a single one as it was made, and of none the single documents."""
    from adjudge.estimates.results import as_estimated, without_documents

    estimate = _estimate(named(alone[0])[1]) if alone is not None and len(alone) == 1 else None
    if estimate is not None and estimate.documents == "fixed":
        result = as_estimated(result, estimate)
    return without_documents(result)


@command(
    "merge",
    click.Argument(["parts"], metavar="[NAME=]PART...", nargs=-1, required=True),
    value(
        "-o --output",
        "RESULT.json",
        "Write the merged result with its table of documents, atomically.",
        type=Target(),
    ),
    value(
        "--order",
        "LIST",
        "The order of the documents in the result: a file with one id per line, or a,b,c (default: one part "
        "after the other). Only the draws of the official EAL programs depend on it.",
    ),
    saved_by_option,
    resampling_options(", or as saved", names=UNCLUSTERED),
    rank_options(),
    fail_under_option,
    summary_option,
    format_option(*FORMATS),
    flag("--quiet", "Print nothing if there is an output file; no signature or notes."),
    verbose_option,
    examples=["adjudge merge parts/*.json -o result.json --bootstrap 1000"],
)
def merge(parts: tuple[str, ...], **options: Any) -> None:
    """Merge saved results (--save) of parts of a corpus that were scored separately.

    The parts must have been scored in the same way, with the same systems, on different documents; anything else is
    refused. The result is the same as scoring all documents at once: counts are added; intervals, slices and
    comparisons are computed again. Options that are not given are as in the parts. NAME=PART calls the only system of
    a part NAME.
    """
    from adjudge.tasks.state import merge as merge_results

    paths = [path for _, path in map(named, parts)]
    repeated = next((path for path in paths if paths.count(path) > 1), None)
    if repeated is not None:
        raise UsageError(f"{repeated} is given twice", hint="give every part once")
    order = options["order"]
    loaded = _load(parts, options, [order])
    check_gates(options["fail_under"], loaded[0].measures)
    result = merge_results(loaded, names=paths, order=document_list(order), **_changes(options))
    log(options, f"merged {result.systems[0].documents} documents")
    output = options["output"]
    silent = output is not None and options["quiet"]
    finish(result, {**options, "save": output, "output": None}, text="" if silent else None)


@command(
    "select",
    click.Argument(["results"], metavar="[NAME=]RESULT...", nargs=-1, required=True),
    value(
        "--disagree",
        "K",
        "How many documents, or items.",
        type=Whole("give the number of documents or items"),
        default=10,
    ),
    flag("--items", "Select items, if the results were saved with --save-documents."),
    value("--metric", "NAME", "Rank systems by this score: relation.strict, or relation.strict.f1."),
    choice(
        "--order",
        ORDERS,
        "Order by what the ranking loses without them, or by how much systems differ on them.",
        default=ORDERS[0],
    ),
    value("--cluster-by", "FIELD", "Documents with the same value of a field are left out, and selected, together."),
    output_options,
    examples=["adjudge select alder.json birch.json cedar.json --disagree 10 --items"],
)
def select(
    results: tuple[str, ...], disagree: int, items: bool, metric: str | None, order: Any, **options: Any
) -> None:
    """Select the documents, or items, whose annotation or assessment would change the ranking of systems most.

    RESULT is what score wrote with --save; NAME=FILE calls its system NAME. Systems are ranked by one score. The
    effect of a document on two neighbours in the ranking is their difference minus their difference without it, in
    units of the difference or its standard error, whichever is larger; its influence is the sum over all neighbours.
    Flips: without the document, two neighbours change places. Disagreement: how far the scores of systems on the
    document are apart, on average over all pairs. For items, "without it" means judged the other way: a gold item
    stops being gold, and an item that only systems have becomes gold.
    """
    from adjudge.report.comparing import render_items, render_selection
    from adjudge.stats.compare import compare as compare_results
    from adjudge.stats.influence import select_documents, select_items
    from adjudge.stats.scores import POOL

    loaded = _load(results, options)
    corpus = any(each.saved.pool == POOL for each in loaded)  # whose samples are those that were saved
    result = compare_results(loaded, by=(), bootstrap=None if corpus else 0)
    if items:
        chosen = select_items(result, disagree, metric=metric, order=order, cluster_by=options["cluster_by"])
        log(options, f"selected {len(chosen.items)} of {chosen.of} items")
        text = render_items(chosen, options["format_"], quiet=options["quiet"])
    else:
        found = select_documents(result, disagree, metric=metric, order=order, cluster_by=options["cluster_by"])
        log(options, f"selected {len(found.documents)} of {found.of} documents")
        text = render_selection(found, options["format_"], quiet=options["quiet"])
    emit(text, options["output"])
