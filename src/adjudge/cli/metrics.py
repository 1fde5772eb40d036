"""`adjudge metrics`: the catalogue."""

from __future__ import annotations

from pathlib import Path

import click

from adjudge.cli.completion import complete_metrics
from adjudge.cli.options import output_options
from adjudge.cli.output import check_targets, emit


@click.command("metrics", epilog="\b\nExample:\n  adjudge metrics relation")
@click.argument("name", required=False, shell_complete=complete_metrics)
@output_options
def command(name: str | None, format_: str, output: Path | None, quiet: bool, verbose: bool) -> None:  # noqa: ARG001
    """List the metrics, or those of one family, or show one of them.

    NAME is a metric (relation.strict) or a family (relation). With --quiet, only the names.
    """
    import json

    from adjudge.errors import UsageError, did_you_mean
    from adjudge.metrics import catalogue
    from adjudge.report.tables import render_listing

    check_targets(output)
    known = {definition.name: definition for definition in catalogue()}
    families = dict.fromkeys(definition.family for definition in known.values())
    if name is not None and name not in known and name not in families:
        hint = did_you_mean(name, [*known, *families]) or f"families are {', '.join(families)}"
        raise UsageError(f"there is no metric {name!r}", hint=hint)
    chosen = [each for each in known.values() if name in (None, each.name, each.family)]
    if quiet and format_ == "text":
        emit("".join(f"{each.name}\n" for each in chosen), output)
        return
    if name in known and format_ == "text":
        (one,) = chosen
        example = json.dumps(one.example, ensure_ascii=False) if one.example else None
        blocks = [one.name, one.documentation.split("\n\n>>>")[0]]
        blocks += (
            [f"Options:  {', '.join(f'{key}={value}' for key, value in one.options.items())}"] if one.options else []
        )
        blocks += [f"A document:  {example}"] if example else []
        emit("\n\n".join(blocks) + "\n", output)
        return
    rows = [
        {
            "name": each.name,
            "about": each.about,
            "family": each.family,
            "field": each.within,
            "options": [f"{key}={value}" for key, value in each.options.items()],
            "example": each.example if format_ == "json" else None,
        }
        for each in chosen
    ]
    columns = {"text": ("name", "about"), "md": ("name", "about"), "latex": ("name", "about")}
    fields = ("name", "about", "family", "field", "options", *(["example"] if format_ == "json" else []))
    emit(render_listing(rows, columns.get(format_, fields), format_), output)
