"""`adjudge kbp report`: one page that shows what the scores of knowledge bases are made of."""

from __future__ import annotations

from typing import Any

import click

from adjudge.cli.kbp_options import (
    choice_options,
    input_options,
    kb_options,
    limit_option,
    read_systems,
    systems_of,
    uncertainty_options,
    warning,
)
from adjudge.cli.memory import uncollected
from adjudge.cli.options import compose, output_option, verbose_option
from adjudge.cli.output import Log, emit
from adjudge.cli.sections import SectionedCommand


@click.command(
    "report",
    cls=SectionedCommand,
    epilog="\b\nExample:\n  adjudge kbp report --gold ace/ --wiki links.csv old=run1.tac new=run2.tac -o report.html",
)
@click.argument("systems", metavar="[NAME=]SYSTEM...", nargs=-1, required=True)
@compose(
    input_options,
    choice_options,
    uncertainty_options,
    limit_option,
    output_option,
    click.option("--title", default="Knowledge bases", show_default=True, help="What stands at the top of the page."),
    click.option("--quiet", is_flag=True, help="No warnings."),
    verbose_option,
)
def command(systems: tuple[str, ...], **options: Any) -> None:
    """Write an HTML page with scores, intervals and explanations: one file that needs no network.

    For every number of hops it shows at which step paths are lost, with examples and the text that supports them, the
    scores of each relation, and the paper's box plots beside intervals that can be believed.
    """
    given = systems_of(systems, options, options["output"])
    chosen = kb_options(options)
    from adjudge.report.html.kbp import kbp_page

    log = Log(verbose=options["verbose"])
    with uncollected():
        read = read_systems(given, options, log)
        log("read; counting and explaining")
        page = kbp_page(
            read,
            chosen,
            profile=options["profile"],
            limit=options["limit"] or None,
            bootstrap=options["bootstrap"],
            ci=options["ci"],
            seed=options["seed"],
            engine=options["engine"],
            title=options["title"],
            warn=warning(options),
        )
    emit(page, options["output"])
    log(f"wrote a page of {len(page)} characters")
