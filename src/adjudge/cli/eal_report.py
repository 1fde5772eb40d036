"""`adjudge eal report`: one page with the ranking, the graphs, and what became of every response."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from adjudge.cli.eal_scoring import (
    chosen_documents,
    chosen_regions,
    chosen_settings,
    given_seed,
    named_systems,
    only_option,
    refuse_inside,
    rule_options,
    view_options,
)
from adjudge.cli.memory import uncollected
from adjudge.cli.options import compose, inference_of, is_file, output_option, resampling_options, verbose_option
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
    regions = chosen_regions(chosen, options["quotes"], options["docs_text"])
    log = Log(verbose=options["verbose"])
    from adjudge.formats.eal_sources import Sources
    from adjudge.report.html.eal import eal_page

    sources = None if docs is None else Sources(docs)
    log(f"reading {key} and {len(systems)} submission(s)")
    with uncollected():
        page = eal_page(
            key,
            frames,
            systems,
            chosen,
            sources=sources,
            regions=regions,
            **chosen_documents(options["only"], **options),
            by=options["by"],
            inference=inference_of(options, seed=given_seed(options["seed"], chosen)),
            title=options["title"],
        )
    emit(page, output)
    log(f"wrote a page of {len(page)} characters")
