"""`adjudge compare`: systems from saved results, without scoring again."""

from __future__ import annotations

from typing import Any

import click

from adjudge.cli.gates import apply_gates, check_gates
from adjudge.cli.options import compose, fail_under_option, output_options, resampling_options, save_option
from adjudge.cli.output import Log, check_targets, emit, finish


@click.command(
    "compare", epilog="\b\nExample:\n  adjudge compare alder.json birch.json --test approximate-randomisation"
)
@click.argument("results", metavar="RESULT...", nargs=-1, required=True)
@compose(
    click.option(
        "--by",
        metavar="FIELD",
        multiple=True,
        help="Also score by a field that the results were scored by. Repeatable.",
    ),
    resampling_options(inherited=True),
    fail_under_option,
    save_option,
    output_options,
)
def command(results: tuple[str, ...], **options: Any) -> None:
    """Compare the systems of results that were saved with --save.

    The results must have the same metrics, conventions and documents. What is not given is taken from the first
    result. With --format csv there is a row for each comparison.
    """
    from adjudge.report.render import render
    from adjudge.stats.build import compare
    from adjudge.stats.measure import part_keys
    from adjudge.stats.result import Result

    check_targets(options["output"], options["save"], inputs=results)
    log = Log(verbose=options["verbose"])
    loaded = [Result.load(path) for path in results]
    log(f"read {len(loaded)} result(s)")
    check_gates(options["fail_under"], part_keys(loaded[0].measures))
    result = compare(
        loaded,
        by=options["by"] or None,
        bootstrap=options["bootstrap"],
        level=options["ci"],
        seed=options["seed"],
        test=options["test"],
    )
    log("compared")
    if options["format_"] == "csv" and result.comparisons:
        text = render(result, "csv", rows="comparisons")
        if options["save"] is not None:
            result.save(options["save"])
        emit(text, options["output"])
    else:
        finish(result, **options)
    apply_gates(options["fail_under"], result)
