"""`adjudge compare`: systems from saved results, without scoring again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from adjudge.cli.gates import apply_gates, check_gates
from adjudge.cli.options import by_option, compose, fail_under_option, output_options, resampling_options, save_option
from adjudge.cli.output import Log, check_targets, emit
from adjudge.cli.score import finish


@click.command("compare", epilog="Example:  adjudge compare alder.json birch.json --test approximate-randomisation")
@click.argument("results", metavar="RESULT...", nargs=-1, required=True)
@compose(by_option, resampling_options, fail_under_option, save_option, output_options)
@click.pass_context
def command(context: click.Context, results: tuple[str, ...], **options: Any) -> None:
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
    given = {name for name in options if context.get_parameter_source(name) is not click.core.ParameterSource.DEFAULT}
    chosen = {name: options[name] for name in ("bootstrap", "seed", "test", "by") if name in given}
    result = compare(loaded, level=options["ci"] if "ci" in given else None, **chosen)
    log("compared")
    if options["format_"] == "csv" and result.comparisons:
        text = render(result, "csv", rows="comparisons")
        if options["save"] is not None:
            result.save(options["save"])
        emit(text, options["output"])
    else:
        finish(result, **options)
    apply_gates(options["fail_under"], result)
