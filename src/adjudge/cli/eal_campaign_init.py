"""`adjudge eal campaign init`: the folders and the settings of a new campaign."""

from __future__ import annotations

import shlex

import click

from adjudge.cli.output import emit
from adjudge.errors import visible
from adjudge.tasks.eal.campaign import init_campaign


@click.command(
    "init", epilog="\b\nExample:\n  adjudge eal campaign init autumn\n  adjudge eal campaign init try --demo"
)
@click.argument("folder", metavar="FOLDER")
@click.option(
    "--demo", is_flag=True, help="Put the bundled campaign into it: texts, three submissions, and the answers."
)
@click.option("--quiet", is_flag=True, help="Do not say what was made.")
def command(folder: str, demo: bool, quiet: bool) -> None:
    """Lay out a campaign in FOLDER, which must be new or empty: its settings, and folders to be filled.

    Put source documents into sources/ and submissions into submissions/, look through campaign.toml, and go on with
    `adjudge eal campaign run FOLDER`.
    """
    if demo:
        from adjudge.demo.eal import fill_campaign

        made = init_campaign(folder, fill=fill_campaign)
    else:
        made = init_campaign(folder)
    if not quiet:
        next_ = f"adjudge eal campaign run {shlex.quote(folder)}"
        emit(
            "".join(f"{visible(line)}\n" for line in (*(f"made {path}" for path in made), f"go on with: {next_}")), None
        )
