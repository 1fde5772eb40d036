"""`adjudge kbp pooling-bias`: what a system loses if its own unique answers are not in the pool."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from adjudge.cli.kbp_queries_shared import limits_of, policy_of, policy_options, query_options
from adjudge.cli.options import level, named, output_option, whole
from adjudge.cli.output import check_targets, emit
from adjudge.errors import visible

if TYPE_CHECKING:
    from adjudge.stats.text import Grid
    from adjudge.tasks.kbp.pooling import PartBias, PoolingBias


@click.command(
    "pooling-bias", epilog="\b\nExample:\n  adjudge kbp pooling-bias --queries q.xml --assessments pool.tab a b c"
)
@click.argument("systems", metavar="SYSTEM...", nargs=-1, required=True)
@click.option("--queries", metavar="FILE", required=True, help="Queries, as XML of Cold Start or as a table.")
@click.option("--assessments", metavar="FILE", required=True, help="The pooled assessments.")
@click.option("--metric", metavar="NAME", default="kbp.query", show_default=True, help="Score to look at.")
@query_options
@policy_options(unassessed="wrong")
@click.option(
    "--bootstrap",
    metavar="N",
    default="1000",
    show_default=True,
    callback=whole("give the number of resamples, or 0 for no intervals"),
    help="Resamples of the queries for intervals of the differences; 0 turns them off.",
)
@click.option("--ci", metavar="LEVEL", default="95", show_default=True, callback=level, help="Their confidence.")
@click.option(
    "--seed", metavar="N", default="13", show_default=True, callback=whole("give a whole number"), help="Their seed."
)
@click.option("--format", "format_", type=click.Choice(("text", "json")), default="text", show_default=True)
@output_option
@click.option("--quiet", is_flag=True, help="Only the table.")
def command(systems: tuple[str, ...], output: Path | None, quiet: bool, format_: str, **options: Any) -> None:
    """How the scores of systems change if their own unique answers had not been assessed.

    SYSTEM is a file of answers or a knowledge base; name all systems whose answers were pooled. One after the other is
    left out: assessments that only it has contributed are removed, and its answers that nobody else has are then wrong.
    """
    from adjudge.formats.kb_answers import read_assessments
    from adjudge.formats.kb_queries import read_queries
    from adjudge.tasks.kbp.pooling import pooling_bias
    from adjudge.tasks.kbp.query_inputs import ask_all

    given = [named(system) for system in systems]
    paths = [path for _, path in given]
    check_targets(output, inputs=[*paths, options["queries"], options["assessments"]])
    queries = read_queries(options["queries"])
    pool = read_assessments(options["assessments"])[0]
    names = [name for name, _ in given]
    asked, found = ask_all(queries, paths, names=names, pool=pool, same_type=options["same_type"])
    bias = pooling_bias(
        asked,
        [each.given for each in found],
        pool,
        match=options["match"],
        policy=policy_of(options),
        view=options["entry_points"],
        metric=options["metric"],
        justifications=limits_of(options["justifications"], found, gold=False),
        bootstrap=options["bootstrap"],
        ci=options["ci"],
        seed=options["seed"],
    )
    emit(_json(bias) if format_ == "json" else _text(bias, quiet=quiet), output)


def _json(bias: PoolingBias) -> str:
    import json

    from adjudge._version import __version__
    from adjudge.tasks.kbp.pooling import PARTS

    record = {"adjudge": __version__, "task": "kbp", **asdict(bias)}
    for system in record["systems"]:
        system["parts"] = {part: value._asdict() for part, value in system["parts"].items()}
    record["mean"] = {part: bias.mean(part) for part in PARTS}
    return json.dumps(record, indent=2, ensure_ascii=False) + "\n"


def _text(bias: PoolingBias, *, quiet: bool) -> str:
    from adjudge.stats.text import format_grid
    from adjudge.tasks.kbp.pooling import PARTS

    text = format_grid(_grid(bias)) + "\n"
    if quiet:
        return text
    means = ", ".join(f"{part} {_signed(bias.mean(part))}" for part in PARTS)
    lines = [
        f"{bias.metric} over {bias.queries} queries; {bias.pool} assessments, {bias.classes} classes of right answers, "
        f"{bias.unclaimed} assessments of no system here",
        f"mean difference: {means}",
    ]
    if any(each.parts["f1"].low is not None for each in bias.systems):
        lines.append(f"intervals: {bias.level:.0%} of {bias.bootstrap} resamples of the queries, seed {bias.seed}")
    return text + "\n" + "".join(f"{visible(line)}\n" for line in lines)


def _grid(bias: PoolingBias) -> Grid:
    from adjudge.stats.text import Cell, Grid

    header = ("system", "unique", "right", "classes lost", "precision", "recall", "f1", "without", "change", "rank")
    rows = []
    for each in bias.systems:
        f1 = each.parts["f1"]
        counts = (each.unique, each.unique_correct, each.lost)
        rank = f"{each.rank}" if each.rank == each.rank_after else f"{each.rank} > {each.rank_after}"
        cells = [Cell(visible(each.name)), *(Cell(str(count)) for count in counts)]
        cells += [Cell(_percent(each.parts[part].before)) for part in ("precision", "recall", "f1")]
        cells += [Cell(_percent(f1.after)), _change(f1), Cell(rank)]
        rows.append(tuple(cells))
    return Grid(header, 1, (tuple(rows),))


def _change(part: PartBias) -> Any:
    from adjudge.stats.text import Cell

    if part.low is None or part.high is None:
        return Cell(_signed(part.difference))
    return Cell(_signed(part.difference), f"[{100 * part.low:+.1f}, {100 * part.high:+.1f}]")


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f}"


def _signed(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:+.1f}"
