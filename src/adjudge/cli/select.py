"""`adjudge select`: the documents or items that a ranking hangs on, from saved results."""

from __future__ import annotations

from typing import Any

import click

from adjudge.cli.options import named, output_options, whole
from adjudge.cli.output import Log, check_targets, emit, load_results

ORDERS = ("influence", "disagreement")


@click.command("select", epilog="\b\nExample:\n  adjudge select alder.json birch.json cedar.json --disagree 10 --items")
@click.argument("results", metavar="RESULT...", nargs=-1, required=True)
@click.option(
    "--disagree",
    metavar="K",
    callback=whole("give the number of documents or items"),
    default="10",
    show_default=True,
    help="How many documents, or items.",
)
@click.option("--items", is_flag=True, help="Select items, if the results were saved with --save-documents.")
@click.option("--metric", metavar="NAME", help="Rank systems by this score: relation.strict, or relation.strict.f1.")
@click.option(
    "--order",
    type=click.Choice(ORDERS),
    default=ORDERS[0],
    show_default=True,
    help="Order by what the ranking loses without them, or by how much systems differ on them.",
)
@output_options
def command(
    results: tuple[str, ...], disagree: int, items: bool, metric: str | None, order: Any, **options: Any
) -> None:
    """Select the documents, or items, whose annotation or assessment would change the ranking of systems most.

    RESULT is what score wrote with --save; NAME=FILE calls its system NAME. Systems are ranked by one score. The effect
    of a document on two neighbours of the ranking is their difference minus their difference without it, in units of
    the difference or its standard error, whichever is larger; its influence is the sum over all neighbours. Flips:
    without the document, two neighbours change places. Disagreement: how far the scores of systems on the document are
    apart, on average over all pairs. For items, "without it" is: judged the other way, so that a gold item is none, and
    what only systems have is one.
    """
    from adjudge.report.comparing import render_selection
    from adjudge.stats.build import compare
    from adjudge.stats.influence import select_documents

    given = [named(text) for text in results]
    check_targets(options["output"], inputs=[path for _, path in given])
    log = Log(verbose=options["verbose"])
    loaded = load_results(given)
    log(f"read {len(loaded)} result(s)")
    result = compare(loaded, by=(), bootstrap=0)
    if items:
        from adjudge.report.comparing import render_items
        from adjudge.stats.item_influence import select_items

        chosen = select_items(result, disagree, metric=metric, order=order)
        log(f"selected {len(chosen.items)} of {chosen.of} items")
        emit(render_items(chosen, options["format_"], quiet=options["quiet"]), options["output"])
        return
    found = select_documents(result, disagree, metric=metric, order=order)
    log(f"selected {len(found.documents)} of {found.of} documents")
    emit(render_selection(found, options["format_"], quiet=options["quiet"]), options["output"])
