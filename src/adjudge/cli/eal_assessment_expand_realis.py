"""`adjudge eal assessment expand-realis`: responses as they would have been with the realis of the assessor."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from adjudge.cli.eal_assessment_repair import report_changes
from adjudge.cli.eal_assessment_shared import ids_option, report_options, target_options, verbose_option
from adjudge.cli.memory import uncollected
from adjudge.tasks.eal.assess_files import change_store, expanding


@click.command("expand-realis", epilog="\b\nExample:\n  adjudge eal assessment expand-realis assessments -o key")
@click.argument("store", metavar="STORE")
@target_options("Store of assessments")
@ids_option
@report_options
@verbose_option
def command(store: str, output: Path, overwrite: bool, ids: Any, format_: str, quiet: bool, verbose: bool) -> None:
    """For each response whose realis the assessor has corrected, add one with the corrected realis.

    It has the same assessment, so it is right where only the realis was wrong. Nothing is added if the store has such a
    response already. The official scores of 2014 and 2015 were computed on keys that were expanded in this way.
    """
    with uncollected():
        done = change_store(store, output, expanding, ids=ids, overwrite=overwrite)
    report_changes("expand-realis", store, output, done, format_=format_, quiet=quiet, verbose=verbose)
