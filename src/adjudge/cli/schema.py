"""`adjudge schema`: the JSON Schemas of what goes in and what comes out."""

from __future__ import annotations

import json
from pathlib import Path

import click

from adjudge.cli.output import check_targets, emit


@click.command("schema", epilog="\b\nExample:\n  adjudge schema result > result.schema.json")
@click.argument("what", type=click.Choice(("result", "metric")))
@click.option(
    "-o", "--output", metavar="FILE", type=click.Path(path_type=Path), help="Write to FILE, whole or not at all."
)
def command(what: str, output: Path | None) -> None:
    """Print the JSON Schema of a result (every --format json output), or of a metric specification."""
    check_targets(output)
    if what == "result":
        from adjudge.stats.result import json_schema as schema
    else:
        from adjudge.algebra.data import spec_schema as schema
    emit(json.dumps(schema(), indent=2, ensure_ascii=False) + "\n", output)
