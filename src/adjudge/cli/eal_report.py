"""`adjudge eal report`: one page with the ranking, the graphs, and what became of every response."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from adjudge.cli.eal_scoring import (
    chosen_settings,
    count_systems,
    given_inference,
    named_systems,
    only,
    only_option,
    refuse_inside,
    rule_options,
    view_options,
)
from adjudge.cli.memory import uncollected
from adjudge.cli.options import compose, is_file, output_option, resampling_options, verbose_option
from adjudge.cli.output import Log, check_targets, emit


@click.command(
    "report",
    epilog="\b\nExamples:\n  adjudge eal report --key assessments/ --frames frames/ --docs texts/ *.zip -o report.html"
    "\n  adjudge eal report --key key/ --frames ref/ old=runs/6 new=runs/7 --by type -o report.html",
)
@click.argument("submissions", metavar="[NAME=]SUBMISSION...", nargs=-1, required=True)
@click.option("--key", metavar="ASSESSMENTS", required=True, help="The assessments, a folder or an archive.")
@click.option("--frames", metavar="LINKING", help="The reference frames. Without them only arguments are scored.")
@compose(
    click.option(
        "--docs",
        metavar="SOURCES",
        help="Show the texts: a folder of source documents, or a list of ids and paths. Nothing is removed by it.",
    ),
    output_option,
    rule_options,
    view_options,
    only_option,
    resampling_options(),
    click.option(
        "--title",
        default="Event arguments and linking",
        show_default=True,
        help="What stands at the top of the page.",
    ),
    verbose_option,
)
def command(
    submissions: tuple[str, ...], key: str, frames: str | None, output: Path | None, docs: str | None, **options: Any
) -> None:
    """Write an HTML page that shows what the scores are made of: one file that needs no network.

    It has the ranking, scores, graphs and notes, and for every document its responses with their outcomes and reasons,
    reference frames beside those of the system, and the text. #system=NAME and #compare=NAME,NAME open its views.
    """
    systems = named_systems(submissions)
    listed = [name or "" for name in (docs, options["only"], options["quotes"], options["genre_list"])]
    inputs = [key, frames or "", *systems.values(), *listed]
    check_targets(output, inputs=[name for name in inputs if is_file(name)])
    if output is not None:
        refuse_inside(output, [key, frames, *systems.values(), docs, options["docs_text"]])
    chosen = chosen_settings(frames, **options)
    log = Log(verbose=options["verbose"])
    from adjudge.formats.eal_sources import Sources
    from adjudge.report.html.eal import eal_page
    from adjudge.tasks.eal.task import Gold

    sources = None if docs is None else Sources(docs)
    log(f"reading {key} and {len(systems)} submission(s)")
    with uncollected():
        inference = given_inference(options, chosen)
        run = {"inference": inference, "docs": only(options), "whole": True}
        evaluation = count_systems(Gold(key, frames), systems, chosen, options, **run)
        page = eal_page(evaluation, sources=sources, title=options["title"])
    emit(page, output)
    log(f"wrote a page of {len(page)} characters")
