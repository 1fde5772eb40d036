"""`adjudge eal graphs`: how scores and ranks depend on beta and lambda, and how far the bootstrap spreads, as SVG."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

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
from adjudge.cli.options import compose, is_file, resampling_options, verbose_option
from adjudge.cli.output import Log, emit
from adjudge.errors import visible

if TYPE_CHECKING:
    from adjudge.report.html.eal_graphs import Change

F = TypeVar("F", bound=Callable[..., Any])


def without(options: Callable[[F], F], *names: str) -> Callable[[F], F]:
    """The same options but for some, which would change nothing here."""

    def decorate(function: F) -> F:
        function = options(function)
        kept = [each for each in function.__click_params__ if each.name not in names]  # type: ignore[attr-defined]
        function.__click_params__ = kept  # type: ignore[attr-defined]
        return function

    return decorate


@click.command(
    "graphs",
    epilog="\b\nExample:\n  adjudge eal graphs --key assessments/ --frames frames/ acme1.zip acme2.zip -o graphs/",
)
@click.argument("submissions", metavar="[NAME=]SUBMISSION...", nargs=-1, required=True)
@click.option("--key", metavar="ASSESSMENTS", required=True, help="The assessments, a folder or an archive.")
@click.option("--frames", metavar="LINKING", help="The reference frames. Without them only arguments are scored.")
@compose(
    click.option(
        "-o",
        "--output",
        metavar="FOLDER",
        required=True,
        type=click.Path(path_type=Path),
        help="Folder for the SVG files, which is made if it is not there; all of them are written or none.",
    ),
    rule_options,
    without(view_options, "by", "extras"),
    only_option,
    without(resampling_options(), "interval", "test"),
    click.option("--quiet", is_flag=True, help="Do not list the files and the values at which systems change places."),
    verbose_option,
)
def command(submissions: tuple[str, ...], key: str, frames: str | None, output: Path, **options: Any) -> None:
    """Draw how scores and ranks vary with beta and lambda, and the distributions of the bootstrap, as SVG files.

    The exact values at which two systems change places are marked, and printed.
    """
    systems = named_systems(submissions)
    listed = [options[name] or "" for name in ("only", "quotes", "genre_list")]
    inputs = [name for name in (key, frames or "", *systems.values(), *listed) if is_file(name)]
    refuse_inside(output, [key, frames, *systems.values(), options["docs_text"]])
    chosen = chosen_settings(frames, **options, extras=())
    log = Log(verbose=options["verbose"])
    from adjudge.report.folders import write_folder
    from adjudge.report.html.charts import standalone
    from adjudge.report.html.eal_graphs import graphs_of, rankings_of
    from adjudge.tasks.eal.task import Gold, tables_of

    log(f"reading {key} and {len(systems)} submission(s)")
    with uncollected():
        inference = given_inference(options, chosen, interval="auto", test="auto")
        evaluation = count_systems(Gold(key, frames), systems, chosen, options, inference=inference, docs=only(options))
        log(f"counted {len(evaluation.ids)} documents")
        result = evaluation.result()
        graphs, changes = graphs_of(tables_of(evaluation), chosen, rankings_of(result, chosen))
    files = {f"{graph.name}.svg": standalone(graph.chart).encode() for graph in graphs}
    write_folder(output, files, inputs=inputs)
    if not options["quiet"]:
        lines = [*(f"{output / name}" for name in files), *_lines(changes), f"signature {result.signature}"]
        emit("".join(f"{visible(line)}\n" for line in lines), None)


def _lines(changes: list[Change]) -> list[str]:
    return [
        f"{each.weight} {each.value:.6g}: {each.before} ahead below, {each.after} above (score {100 * each.score:.2f})"
        for each in changes
    ]
