"""`adjudge compare`: systems from saved results, without scoring again."""

from __future__ import annotations

from typing import Any

import click

from adjudge.cli.gates import apply_gates, check_gates
from adjudge.cli.options import compose, fail_under_option, named, output_options, resampling_options, save_option
from adjudge.cli.output import Log, check_targets, finish


@click.command(
    "compare", epilog="\b\nExample:\n  adjudge compare alder.json birch.json --test approximate-randomisation"
)
@click.argument("results", metavar="RESULT...", nargs=-1, required=True)
@compose(
    click.option(
        "--by",
        metavar="FIELD",
        multiple=True,
        help="Also score by a field of the documents, or of elements if all were saved with --by. Repeatable.",
    ),
    resampling_options(inherited=True),
    fail_under_option,
    save_option,
    output_options,
)
def command(results: tuple[str, ...], **options: Any) -> None:
    """Compare the systems of results that were saved with --save.

    The results must have the same metrics, conventions and documents. What is not given is taken from the first
    result. NAME=FILE calls the system of a result NAME. With --format csv there is a row for each comparison.
    """
    from adjudge.stats.build import compare
    from adjudge.stats.measure import part_keys
    from adjudge.stats.result import Result

    given = [named(text) for text in results]
    check_targets(options["output"], options["save"], inputs=[path for _, path in given])
    log = Log(verbose=options["verbose"])
    loaded = [Result.load(path) if name is None else Result.load(path).renamed(name) for name, path in given]
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
    finish(result, rows="comparisons" if result.comparisons else "scores", **options)
    apply_gates(options["fail_under"], result)
