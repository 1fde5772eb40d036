"""`adjudge metrics`, `explain` and `schema`: the catalogue, what a metric is, and what files look like."""

from __future__ import annotations

from typing import Any

import click

from adjudge.cli.completion import complete_metrics
from adjudge.cli.options import command, output_option, output_options
from adjudge.cli.output import check_targets, emit, emit_json
from adjudge.errors import UsageError, did_you_mean, visible

_SCHEMAS = {
    "result": "adjudge.stats.saved:json_schema",
    "agreement": "adjudge.report.agreement:json_schema",
    "selection": "adjudge.report.comparing:json_schema",
    "metric": "adjudge.algebra.spec:spec_schema",
}


@command(
    "metrics",
    click.Argument(["name"], required=False, shell_complete=complete_metrics),
    output_options,
    examples=["adjudge metrics relation"],
)
def metrics(name: str | None, **options: Any) -> None:
    """List the metrics, or those of one family, or show one of them.

    NAME is a metric (relation.strict) or a family (relation). With --quiet, only the names.
    """
    import json

    from adjudge.metrics import catalogue
    from adjudge.report.tables import render_listing

    check_targets(options)
    format_, output = options["format_"], options["output"]
    known = {definition.name: definition for definition in catalogue()}
    families = dict.fromkeys(definition.family for definition in known.values())
    if name is not None and name not in known and name not in families:
        hint = did_you_mean(name, [*known, *families]) or f"families are {', '.join(families)}"
        raise UsageError(f"there is no metric {name!r}", hint=hint)
    chosen = [each for each in known.values() if name in (None, each.name, each.family)]
    if options["quiet"] and format_ == "text":
        emit("".join(f"{each.name}\n" for each in chosen), output)
        return
    if name in known and format_ == "text":
        (one,) = chosen
        blocks = [one.name, one.documentation.split("\n\n>>>")[0]]
        if one.options:
            blocks.append(f"Options:  {', '.join(f'{key}={value}' for key, value in one.options.items())}")
        if one.example:
            blocks.append(f"A document:  {json.dumps(one.example, ensure_ascii=False)}")
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
    every = ("name", "about", "family", "field", "options")
    columns = {"json": (*every, "example"), "csv": every}
    emit(render_listing(rows, columns.get(format_, ("name", "about")), format_), output)


@command(
    "explain",
    click.Argument(["metric"], shell_complete=complete_metrics),
    output_options,
    examples=["adjudge explain event.argument-cls"],
)
def explain(metric: str, **options: Any) -> None:
    """Print the definition of a metric, and the plan by which it is computed.

    METRIC is a name from `adjudge metrics`, a specification file, or module:name. With --quiet, only the plan.
    """
    from adjudge.cli.family import metric_files
    from adjudge.tasks.chosen import as_metrics

    if options["format_"] not in ("text", "json"):
        raise UsageError(f"a metric cannot be explained as {options['format_']}", hint="use text or json")
    check_targets(options, inputs=metric_files(metric, options))
    found = as_metrics(metric)
    if options["format_"] == "json":
        data = [
            {"metric": each.name, "written": str(each), "definition": each.definition(), "plan": each.plan()}
            for each in found
        ]
        emit_json(data, options["output"])
        return
    blocks = [each.plan() if options["quiet"] else f"{each.definition()}\n\nplan\n{each.plan()}" for each in found]
    emit(visible("\n\n".join(blocks) + "\n", keep="\n"), options["output"])


@command(
    "schema",
    click.Argument(["what"], type=click.Choice(list(_SCHEMAS))),
    output_option,
    examples=["adjudge schema result > result.schema.json"],
)
def schema(what: str, **options: Any) -> None:
    """Print the JSON Schema of a result (what score, compare and demo print with --format json, and what --save
    writes), of what agree or select prints, or of a metric specification.
    """
    from importlib import import_module

    check_targets(options)
    module, _, function = _SCHEMAS[what].partition(":")
    emit_json(getattr(import_module(module), function)(), options["output"])
