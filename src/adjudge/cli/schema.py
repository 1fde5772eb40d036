"""`adjudge schema`: the JSON Schemas of what goes in and what comes out."""

from __future__ import annotations

import json
from pathlib import Path

import click

from adjudge.cli.options import output_option
from adjudge.cli.output import check_targets, emit


@click.command("schema", epilog="\b\nExample:\n  adjudge schema result > result.schema.json")
@click.argument("what", type=click.Choice(("result", "agreement", "selection", "metric")))
@output_option
def command(what: str, output: Path | None) -> None:
    """Print the JSON Schema of a result (what score, compare and demo print with --format json, and what --save
    writes), of what agree or select prints, or of a metric specification.
    """
    check_targets(output)
    if what == "result":
        from adjudge.stats.result import json_schema as schema
    elif what == "agreement":
        from adjudge.report.agreement import json_schema as schema
    elif what == "selection":
        from adjudge.report.comparing import json_schema as schema
    else:
        from adjudge.algebra.spec import spec_schema as schema
    emit(json.dumps(schema(), indent=2, ensure_ascii=False) + "\n", output)
