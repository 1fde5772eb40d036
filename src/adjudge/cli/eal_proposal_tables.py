"""`adjudge eal proposal-tables`: the numbers of the scoring proposal, computed again."""

from __future__ import annotations

from pathlib import Path

import click

from adjudge.cli.options import FORMATS, output_option
from adjudge.cli.output import check_targets, emit


@click.command(
    "proposal-tables",
    epilog="\b\nExamples:\n  adjudge eal proposal-tables\n  adjudge eal proposal-tables --beta 0.5 --format json",
)
@click.option(
    "--beta", type=click.FloatRange(min=0), default=0.25, show_default=True, help="What a false positive costs."
)
@click.option(
    "--lambda",
    "lambda_",
    type=click.FloatRange(0, 1),
    default=0.5,
    show_default=True,
    help="The weight of the argument score.",
)
@click.option("--format", "format_", type=click.Choice(FORMATS), default="text", show_default=True, help="Layout.")
@output_option
def command(beta: float, lambda_: float, format_: str, output: Path | None) -> None:
    """Print Table 1 and the CEAF examples of the scoring proposal.

    Table 1 compares the linear argument score with F1 in its place; the examples compare link scores. With --format csv
    there is a row for each cell.
    """
    from adjudge.report.render import render_grids
    from adjudge.report.tables import csv_rows
    from adjudge.tasks.eal.proposal import grids, to_data, to_rows

    check_targets(output)
    if format_ == "json":
        import json

        emit(json.dumps(to_data(beta=beta, lambda_=lambda_), indent=2) + "\n", output)
    elif format_ == "csv":
        emit(csv_rows(to_rows(beta=beta, lambda_=lambda_), ("table", "row", "column", "value")), output)
    else:
        emit(render_grids(grids(beta=beta, lambda_=lambda_), format_), output)
