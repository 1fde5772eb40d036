"""What the commands for assessments and frames have in common: options, and how findings and reports are printed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from adjudge._version import __version__
from adjudge.cli.options import compose
from adjudge.cli.output import emit
from adjudge.errors import visible
from adjudge.formats.eal_ids import sha1_id
from adjudge.model.eal import Response
from adjudge.tasks.eal.frames import describe

F = TypeVar("F", bound=Callable[..., Any])

report_options = compose(
    click.option("--format", "format_", type=click.Choice(("text", "json")), default="text", show_default=True),
    click.option("--quiet", is_flag=True, help="Do not say what was done."),
)


def target_options(what: str, *, required: bool = True) -> Callable[[F], F]:
    """Where a store is written."""
    return compose(
        click.option(
            "-o",
            "--output",
            metavar="OUT",
            required=required,
            type=click.Path(path_type=Path),
            help=f"{what} to write, whole or not at all.",
        ),
        click.option("--overwrite", is_flag=True, help="Replace OUT if it is there already."),
    )


ids_option = click.option(
    "--ids",
    type=click.Choice(("sha1", "2014")),
    default="sha1",
    show_default=True,
    help="First column: content hash, or number of 2014.",
)
verbose_option = click.option("--verbose", is_flag=True, help="List every response that is counted.")


def say_done(operation: str, facts: Mapping[str, Any], lines: Iterable[str], *, format_: str, quiet: bool) -> None:
    """Print what was done, as lines or as JSON."""
    if quiet:
        return
    if format_ == "json":
        head = {"adjudge": __version__, "task": "eal", "operation": operation, **facts}
        emit(json.dumps(head, indent=2, ensure_ascii=False) + "\n", None)
    else:
        emit("".join(f"{visible(line)}\n" for line in lines), None)


def response_record(response: Response) -> dict[str, Any]:
    """A response in JSON."""
    return {
        "document": response.document,
        "id": sha1_id(response),
        "type": response.type,
        "role": response.role,
        "cas": response.cas.text,
        "cas_span": f"{response.cas.span.start}-{response.cas.span.end}",
        "realis": response.realis,
    }


def response_line(response: Response) -> str:
    """A response in a line."""
    return f"{response.document}: {sha1_id(response)} {describe((response,))}"
