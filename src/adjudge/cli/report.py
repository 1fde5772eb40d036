"""`adjudge report`: a page of saved results, without scoring again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from adjudge.cli.options import compose, named, output_option, resampling_options, saved_by_option, verbose_option
from adjudge.cli.output import Log, check_targets, emit, load_results


@click.command(
    "report",
    epilog="\b\nExample:\n  adjudge report old=may.json new=june.json --by genre -o report.html",
)
@click.argument("results", metavar="[NAME=]RESULT...", nargs=-1, required=True)
@compose(
    output_option,
    saved_by_option,
    resampling_options(inherited=True),
    click.option("--title", default="Report", show_default=True, help="What stands at the top of the page."),
    verbose_option,
)
def command(results: tuple[str, ...], output: Path | None, **options: Any) -> None:
    """Write an HTML page of results that were saved with --save: one file that needs no network.

    It has scores with intervals, comparisons with paired tests and ranges of ranks, slices, distributions, and the
    documents. Results that were saved with --save-documents also show what became of every item, beside the text.
    Several results are compared as `adjudge compare` does; what is not given is taken from the first of them.
    """
    from adjudge.report.html.result import render_result
    from adjudge.stats.build import compare

    given = [named(text) for text in results]
    check_targets(output, inputs=[path for _, path in given])
    log = Log(verbose=options["verbose"])
    loaded = load_results(given)
    log(f"read {len(loaded)} result(s)")
    changed = {name: options[name] for name in ("bootstrap", "seed", "interval", "test") if options[name] is not None}
    changed |= {"level": options["ci"]} if options["ci"] is not None else {}
    changed |= {"by": options["by"]} if options["by"] else {}
    result = loaded[0] if len(loaded) == 1 and not changed else compare(loaded, **changed)
    page = render_result(result, title=options["title"])
    emit(page, output)
    log(f"wrote a page of {len(page)} characters")
