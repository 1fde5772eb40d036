"""`adjudge compare`: systems from saved results, without scoring again."""

from __future__ import annotations

from typing import Any

import click
from click.core import ParameterSource

from adjudge.cli.gates import apply_gates, check_gates
from adjudge.cli.options import (
    compose,
    fail_under_option,
    named,
    output_options,
    resampling_options,
    save_option,
    saved_by_option,
    summary_option,
    whole,
)
from adjudge.cli.output import Log, check_targets, finish, load_results
from adjudge.errors import UsageError

LISTED = ("text", "md", "json")  # layouts that have room for more than one table


@click.command("compare", epilog="\b\nExample:\n  adjudge compare alder.json birch.json --test randomisation")
@click.argument("results", metavar="RESULT...", nargs=-1, required=True)
@compose(
    saved_by_option,
    click.option(
        "--top",
        metavar="N",
        callback=whole("give the number of documents and slices, or 0 for none"),
        default="5",
        show_default=True,
        help="For each metric, the N documents and slices on which systems differ most (text, md, json).",
    ),
    resampling_options(inherited=True),
    fail_under_option,
    save_option,
    summary_option,
    output_options,
)
def command(results: tuple[str, ...], **options: Any) -> None:
    """Compare the systems of results that were saved with --save.

    The results must have the same metrics, conventions and documents. What is not given is taken from the first
    result. NAME=FILE calls the system of a result NAME. With --format csv there is a row for each comparison; --format
    latex is a table for a paper, with the best in bold and marks for what is significant.
    """
    from adjudge.stats.build import compare
    from adjudge.stats.measure import part_keys

    top = _top(options)
    given = [named(text) for text in results]
    check_targets(options["output"], options["save"], inputs=[path for _, path in given])
    log = Log(verbose=options["verbose"])
    loaded = load_results(given)
    log(f"read {len(loaded)} result(s)")
    check_gates(options["fail_under"], part_keys(loaded[0].measures))
    result = compare(
        loaded,
        by=options["by"] or None,
        bootstrap=options["bootstrap"],
        level=options["ci"],
        seed=options["seed"],
        test=options["test"],
        interval=options["interval"],
    )
    log("compared")
    text = None
    if top and result.comparisons:
        from adjudge.report.comparing import render_comparison
        from adjudge.stats.influence import largest_differences

        text = render_comparison(result, largest_differences(result, top), options["format_"], quiet=options["quiet"])
    finish(result, rows="comparisons" if result.comparisons else "scores", text=text, **options)
    apply_gates(options["fail_under"], result)


def _top(options: dict[str, Any]) -> int:
    """How many differences are listed: none if nobody asked and the layout, or the wish for quiet, leaves no room."""
    asked = click.get_current_context().get_parameter_source("top") is ParameterSource.COMMANDLINE
    number: int = options["top"]
    if options["format_"] in LISTED and (asked or not options["quiet"]):
        return number
    if asked and number and options["format_"] not in LISTED:
        raise UsageError(f"--top and --format {options['format_']} do not go together", hint="use text, md or json")
    return 0
