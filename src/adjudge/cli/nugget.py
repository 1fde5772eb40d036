"""`adjudge nugget`: the commands for event nuggets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import click

from adjudge.cli.app import LazyGroup


class NuggetGroup(LazyGroup):
    """Its commands, each in a module of its own."""

    entries: ClassVar[Mapping[str, str]] = {
        "score": "Score systems against the gold nuggets: span, type, realis, coreference, sequencing.",
        "validate": "Check a submission, with the line of every problem.",
        "convert": "Write nuggets in another format: TBF, brat, Rich ERE.",
        "tokenize": "Make token tables from texts and annotations.",
        "report": "Write a page that shows gold and system nuggets side by side.",
    }
    prefix = "nugget_"


@click.group(
    "nugget", cls=NuggetGroup, epilog="\b\nExample:\n  adjudge nugget score -g gold.tbf -s system.tbf -t tokens/"
)
def command() -> None:
    """Event nuggets: score systems, validate and convert files, make token tables, look at the differences."""
