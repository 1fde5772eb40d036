"""`adjudge coref`: the commands for coreference."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import click

from adjudge.cli.app import LazyGroup


class CorefGroup(LazyGroup):
    """Its commands, each in a module of its own."""

    entries: ClassVar[Mapping[str, str]] = {
        "score": "Score responses against a key: MUC, B3, CEAF, BLANC, LEA and their averages.",
        "validate": "Check the files of chains, with line and column of every problem.",
        "convert": "Write chains in another format.",
    }
    prefix = "coref_"


@click.group("coref", cls=CorefGroup, epilog="\b\nExample:\n  adjudge coref score key.conll system.conll")
def command() -> None:
    """Coreference: score responses against a key, validate files, convert them."""
