"""`adjudge kbp`: the commands for knowledge bases."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import click

from adjudge.cli.app import LazyGroup


class KbpGroup(LazyGroup):
    """Its commands, each in a module of its own."""

    entries: ClassVar[Mapping[str, str]] = {
        "score": "Score whole knowledge bases against annotation or triples, hop by hop.",
        "discovery": "Score mentions, types, links and clusters of entities, before any fact.",
        "explain": "For every missed and wrong path the first step that broke, counted and with examples.",
        "report": "Write an HTML page: scores, where paths are lost, and examples with their text.",
        "query": "Ask knowledge bases queries of one or more hops and score the answers; make sets of queries.",
        "pooling-bias": "What systems lose if their own unique answers are not in the pool of assessments.",
        "validate": "Check knowledge bases and annotated corpora, and repair Cold Start files.",
    }
    prefix = "kbp_"


@click.group("kbp", cls=KbpGroup, epilog="\b\nExample:\n  adjudge kbp score --gold gold.tsv system.tsv --hops 3")
def command() -> None:
    """Knowledge bases: score them hop by hop, query them, validate and repair them."""
