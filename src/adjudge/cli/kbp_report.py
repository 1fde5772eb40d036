"""`adjudge kbp report`: one page that shows what the scores of knowledge bases are made of."""

from __future__ import annotations

from typing import Any

import click

from adjudge.cli.kbp_options import (
    choice_options,
    input_arguments,
    input_files,
    input_options,
    kb_options,
    refuse_for_triples,
    uncertainty_options,
)
from adjudge.cli.memory import uncollected
from adjudge.cli.options import compose, is_file, named, output_option, whole
from adjudge.cli.output import Log, check_targets, emit
from adjudge.cli.sections import SectionedCommand
from adjudge.cli.streams import say
from adjudge.errors import visible


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
    click.option(
        "--limit",
        metavar="N",
        default="5",
        show_default=True,
        callback=whole("give the number of examples, or 0 for all"),
        help="Examples for each reason, those first that cost most paths; 0 for all.",
    ),
    output_option,
    click.option("--title", default="Knowledge bases", show_default=True, help="What stands at the top of the page."),
    click.option("--quiet", is_flag=True, help="No warnings."),
    click.option("--verbose", is_flag=True, help="Say what is done on the way; show where a bug is."),
)
def command(systems: tuple[str, ...], **options: Any) -> None:
    """Write an HTML page with scores, intervals and explanations: one file that needs no network.

    For every number of hops it shows at which step paths are lost, with examples and the text that supports them, the
    scores of each relation, and the paper's box plots beside intervals that can be believed.
    """
    read_from = [named(system) for system in systems]
    paths = [path for _, path in read_from]
    check_targets(options["output"], inputs=[*input_files(options), *(path for path in paths if is_file(path))])
    chosen = kb_options(options)
    from adjudge.report.html.kbp import kbp_page
    from adjudge.tasks.kbp.inputs import read_inputs, system_name

    log = Log(verbose=options["verbose"])
    with uncollected():
        log(f"reading {options['gold']} and {len(paths)} system(s)")
        names = [system_name(path) if name is None else name for name, path in read_from]
        read = read_inputs(options["gold"], paths, names=names, **input_arguments(options))
        if read.gold.table is not None:
            refuse_for_triples()
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
            warn=None if options["quiet"] else lambda text: say(f"warning: {visible(text)}"),
        )
    emit(page, options["output"])
    log(f"wrote a page of {len(page)} characters")
