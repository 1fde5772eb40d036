"""`adjudge eal campaign`: the commands for whole campaigns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import click

from adjudge.cli.app import LazyGroup


class CampaignGroup(LazyGroup):
    """Its commands, each in a module of its own."""

    entries: ClassVar[Mapping[str, str]] = {
        "init": "Lay out a new campaign in a folder.",
        "run": "Do every step that is due, and say what it waits for.",
    }
    prefix = "eal_campaign_"


@click.group("campaign", cls=CampaignGroup, epilog="\b\nExample:\n  adjudge eal campaign init autumn")
def command() -> None:
    """Lay out a campaign and run every step that is due."""
