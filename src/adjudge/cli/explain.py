"""`adjudge explain`: what a metric is and how it will be computed."""

from __future__ import annotations

import json
from pathlib import Path

import click

from adjudge.cli.completion import complete_metrics
from adjudge.cli.options import output_options
from adjudge.cli.output import check_targets, emit, metric_files
from adjudge.errors import UsageError, visible


@click.command("explain", epilog="\b\nExample:\n  adjudge explain event.argument-cls")
@click.argument("metric", shell_complete=complete_metrics)
@output_options
def command(metric: str, format_: str, output: Path | None, quiet: bool, verbose: bool) -> None:  # noqa: ARG001
    """Print the definition of a metric, and the plan by which it is computed.

    METRIC is a name from `adjudge metrics`, a specification file, or module:name. With --quiet, only the plan.
    """
    from adjudge.tasks.scoring import as_metrics

    if format_ not in ("text", "json"):
        raise UsageError(f"a metric cannot be explained as {format_}", hint="use text or json")
    check_targets(output, inputs=metric_files(metric))
    found = as_metrics(metric)
    if format_ == "json":
        data = [
            {"metric": each.name, "written": str(each), "definition": each.definition(), "plan": each.plan()}
            for each in found
        ]
        emit(json.dumps(data, indent=2, ensure_ascii=False) + "\n", output)
        return
    blocks = [each.plan() if quiet else f"{each.definition()}\n\nplan\n{each.plan()}" for each in found]
    emit(visible("\n\n".join(blocks) + "\n", keep="\n"), output)
