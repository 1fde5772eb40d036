"""`adjudge nugget report`: one page that shows what the scores are made of."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from adjudge.cli.memory import uncollected
from adjudge.cli.nugget_score import chosen_settings, side_options
from adjudge.cli.options import (
    compose,
    docs_option,
    document_list,
    inference_of,
    is_file,
    named,
    output_option,
    resampling_options,
    verbose_option,
)
from adjudge.cli.output import Log, check_targets, emit

report_options = compose(
    side_options,
    click.option("--texts", metavar="DIR", help="Texts, one file <document><suffix> for each document."),
    click.option(
        "--text-suffix", metavar="TEXT", default=".txt", show_default=True, help="What follows the id in text names."
    ),
    output_option,
    docs_option,
    resampling_options(),
    click.option("--title", default="Event nuggets", show_default=True, help="What stands at the top of the page."),
    verbose_option,
)


@click.command(
    "report",
    epilog="\b\nExample:\n"
    "  adjudge nugget report -g gold.tbf -s mine=run1.tbf -s run2.tbf -t tokens/ --texts texts/ -o report.html",
)
@report_options
def command(gold: str, systems: tuple[str, ...], output: Path | None, **options: Any) -> None:
    """Write an HTML page with gold and system nuggets side by side: one file that needs no network.

    Every nugget is coloured by what became of it, clusters are compared, and there are filters and a search. Without
    texts the tokens are shown, without token tables a table of the nuggets.
    """
    pairs = [named(each) for each in systems]
    paths = [path for _, path in pairs]
    listed = [options[name] for name in ("docs", "types") if is_file(options[name] or "")]
    check_targets(output, inputs=(gold, *paths, *listed))
    chosen = chosen_settings(options)
    log = Log(verbose=options["verbose"])
    log(f"reading {gold} and {len(paths)} system file(s)")
    from adjudge.report.html.nugget import nugget_page

    with uncollected():
        page = nugget_page(
            gold,
            paths,
            chosen,
            tokens=options["tokens"],
            texts=options["texts"],
            docs=None if options["docs"] is None else document_list(options["docs"]),
            mode=options["mode"],
            suffix=options["token_suffix"],
            text_suffix=options["text_suffix"],
            names=[name for name, _ in pairs],
            inference=inference_of(options),
            title=options["title"],
        )
    emit(page, output)
    log(f"wrote a page of {len(page)} characters")
