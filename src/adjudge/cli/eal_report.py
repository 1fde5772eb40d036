"""`adjudge eal report`: one page with the ranking, the graphs, and what became of every response."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from adjudge.cli.eal_score import chosen_regions, chosen_settings, named_systems, rule_options, view_options
from adjudge.cli.memory import uncollected
from adjudge.cli.options import compose, document_list, is_file, output_option, resampling_options
from adjudge.cli.output import Log, check_targets, emit
from adjudge.errors import Problem, UsageError

only_option = click.option(
    "--only", metavar="LIST", help="Only these documents: a file with one id per line, or a,b,c."
)


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
    click.option("--verbose", is_flag=True, help="Say what is done on the way; show where a bug is."),
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
    from adjudge.tasks.eal.diagnostics import read_genres

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
            docs=None if options["only"] is None else document_list(options["only"]),
            by=options["by"],
            genre=options["genre"],
            genre_list=None if options["genre_list"] is None else read_genres(options["genre_list"]),
            bootstrap=options["bootstrap"],
            level=options["ci"],
            seed=given_seed(options["seed"]),
            test=options["test"],
            title=options["title"],
        )
    emit(page, output)
    log(f"wrote a page of {len(page)} characters")


def given_seed(seed: int) -> int | None:
    """The seed of the command line; without one, the profile has its own."""
    source = click.get_current_context().get_parameter_source("seed")
    return seed if source is ParameterSource.COMMANDLINE else None


def refuse_inside(output: Path, folders: Iterable[str | None]) -> None:
    """Raise if the output would lie in a folder that is read: there every file is taken for a document."""
    target = Path(os.path.realpath(output))
    for folder in folders:
        if folder and os.path.isdir(folder):  # noqa: PTH112  # unlike Path.is_dir it never raises
            place = Path(os.path.realpath(folder))
            if place == target or place in target.parents:
                hint = "write it elsewhere"
                raise UsageError(Problem(f"this is in {folder}, which is read", path=str(output), hint=hint))
