"""`adjudge eal frames template`: what is to be linked, as files that people complete."""

from __future__ import annotations

from pathlib import Path

import click

from adjudge.cli.eal_assessment_shared import report_options, say_done, target_options
from adjudge.cli.findings import counted
from adjudge.cli.memory import uncollected
from adjudge.tasks.eal.frames_files import template_store


@click.command("template", epilog="\b\nExample:\n  adjudge eal frames template assessments -o frames")
@click.argument("key", metavar="KEY")
@click.option("--comments/--plain", default=True, show_default=True, help="Describe what is to be linked in comments.")
@target_options("Folder of linking files")
@report_options
def command(key: str, comments: bool, output: Path, overwrite: bool, format_: str, quiet: bool) -> None:
    """Write the linking pool of the assessments in KEY: a file per document, everything on its INCOMPLETE line.

    The pool are the responses that are correct or inexact in event type, role, CAS and base filler, and whose realis is
    Actual or Other and the assessor's. Comments list them by type, role, realis and cluster of the CAS (a TRFR), with
    the ids of each: copied into one line, without the #, they are an event. `adjudge eal frames read` takes what is
    linked off the INCOMPLETE line.
    """
    with uncollected():
        done = template_store(key, output, comments=comments, overwrite=overwrite)
    classes = sum(each.classes for each in done.documents)
    facts = {
        "input": key,
        "output": str(output),
        "documents": [{"document": each.document, "classes": each.classes} for each in done.documents],
        "classes": classes,
    }
    lines = [
        f"template: {counted(len(done.documents), 'document')}, {counted(classes, 'TRFR')} to be linked",
        f"written: {output}",
    ]
    say_done("frames template", facts, lines, format_=format_, quiet=quiet)
