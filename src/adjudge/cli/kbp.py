"""`adjudge kbp`: the commands for knowledge bases."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import click

from adjudge.cli.app import LazyGroup


class KbpGroup(LazyGroup):
    """Its commands, each in a module of its own."""

    entries: ClassVar[Mapping[str, str]] = {
        "validate": "Check knowledge bases and annotated corpora, and repair Cold Start files.",
    }
    prefix = "kbp_"


@click.group("kbp", cls=KbpGroup, epilog="\b\nExample:\n  adjudge kbp validate run.tsv --repair mended.tsv")
def command() -> None:
    """Knowledge bases: validate and repair them."""
