"""`adjudge kbp explain`: for every missed and wrong path the first step that broke."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from adjudge.cli.kbp_options import (
    choice_options,
    input_options,
    kb_options,
    limit_option,
    read_systems,
    systems_of,
)
from adjudge.cli.memory import uncollected
from adjudge.cli.options import compose, output_option, verbose_option, whole
from adjudge.cli.output import Log, emit
from adjudge.cli.sections import SectionedCommand
from adjudge.errors import UsageError

FORMATS = ("text", "json", "csv", "md")


@click.command(
    "explain",
    cls=SectionedCommand,
    epilog="\b\nExamples:\n  adjudge kbp explain --gold gold.tsv system.tsv --hop 2"
    "\n  adjudge kbp explain --gold ace/ --wiki ACEtoWIKI_resource.txt run.tac --hop 1 --limit 0 --format json",
)
@click.argument("systems", metavar="[NAME=]SYSTEM...", nargs=-1, required=True)
@compose(
    input_options,
    choice_options,
    click.option(
        "--hop",
        "chosen",
        metavar="N",
        multiple=True,
        type=click.IntRange(min=1),
        help="Explain paths of N facts. Repeatable. [default: all lengths up to --hops]",
    ),
    limit_option,
    click.option(
        "--most",
        metavar="N",
        default="1000000",
        show_default=True,
        callback=whole("give the number of paths"),
        help="From two hops on, look at all paths if there are no more than N ways along them, else at a sample.",
    ),
    click.option(
        "--seed",
        metavar="N",
        default="13",
        show_default=True,
        callback=whole("give a whole number from 0"),
        help="Seed of the sample.",
    ),
    click.option("--format", "format_", type=click.Choice(FORMATS), default="text", show_default=True, help="Layout."),
    output_option,
    click.option("--quiet", is_flag=True, help="Only the tables: no examples."),
    verbose_option,
)
def command(systems: tuple[str, ...], **options: Any) -> None:
    """Say for every missed and every wrong path which step broke first, counted as a waterfall, with examples.

    The steps are: mentions found, entities aligned, linked to the right entity, related, by the right relation, through
    the right entity in the middle. What is lost at the steps adds up to what the score misses.
    """
    given = systems_of(systems, options, options["output"])
    chosen = kb_options(options)
    hops = options["chosen"]
    if hops and options["hops"] is None:
        chosen = replace(chosen, hops=max(hops))
    elif hops and max(hops) > chosen.hops:
        raise UsageError(f"--hop {max(hops)} is beyond --hops {chosen.hops}", hint="leave --hops out")
    if options["engine"] != "auto":
        raise UsageError("explanations look at paths one by one, by no engine", hint="leave --engine out")
    from adjudge.report.kb_explanations import render_explanations
    from adjudge.tasks.kbp.explain import explain_inputs

    log = Log(verbose=options["verbose"])
    with uncollected():
        read = read_systems(given, options, log)
        log("read; explaining")
        found = explain_inputs(
            read,
            chosen,
            hops=hops,
            limit=options["limit"] or None,
            seed=options["seed"],
            most=options["most"],
        )
    emit(render_explanations(found, options["format_"], quiet=options["quiet"]), options["output"])
