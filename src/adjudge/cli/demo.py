"""`adjudge demo`: a first look without any data of one's own."""

from __future__ import annotations

import os
from pathlib import Path

import click

from adjudge.cli.options import output_options
from adjudge.cli.output import check_targets, emit

DOCUMENT = "nw-06"


@click.command("demo", epilog="\b\nExample:\n  adjudge demo --format md")
@output_options
def command(format_: str, output: Path | None, quiet: bool, verbose: bool) -> None:  # noqa: ARG001
    """Score the small campaign that comes with the package: 24 short documents and three systems."""
    from adjudge.demo import GOLD, METRICS, SYSTEMS
    from adjudge.report.render import render, render_explanation
    from adjudge.tasks.scoring import explain_document, score

    check_targets(output)
    paths = [str(path) for path in SYSTEMS.values()]
    result = score(list(METRICS), GOLD, paths)
    text = render(result, format_, quiet=quiet)
    if format_ == "text" and not quiet:
        explained = explain_document(METRICS[0], GOLD, paths[1], DOCUMENT)
        files = " ".join(_short(path) for path in (str(GOLD), *paths))
        text = "\n".join(
            [
                "The bundled campaign: relations and events in 24 short documents, found by three systems.",
                "",
                text,
                "What is behind a number, for one document:",
                "",
                render_explanation(DOCUMENT, explained),
                "The same with the commands for your own data:",
                "",
                f"  adjudge score {','.join(METRICS)} {files}",
                f"  adjudge score {METRICS[0]} {_short(str(GOLD))} {_short(paths[1])} --explain {DOCUMENT}",
                f"  adjudge score {METRICS[0]} {_short(str(GOLD))} {_short(paths[0])} --by genre --by relations.type",
                f"  adjudge explain {METRICS[2]}",
                "",
            ]
        )
    emit(text, output)


def _short(path: str) -> str:
    """The path from here if that is shorter."""
    try:
        return min(path, os.path.relpath(path), key=len)
    except ValueError:  # another drive
        return path
