"""`adjudge eal`: the commands for event arguments and linking."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import click

from adjudge.cli.app import LazyGroup


class EalGroup(LazyGroup):
    """Its commands, each in a module of its own."""

    entries: ClassVar[Mapping[str, str]] = {
        "validate": "Check a submission: archive, columns, offsets, types, roles, linking.",
        "filter-quotes": "Remove responses that stand in quotations.",
        "expand-justifications": "Widen justifications to whole sentences.",
        "trim": "Keep the best of redundant responses.",
        "top": "Keep the N most confident responses, as the hoppers allow.",
        "pool": "Join submissions into one store.",
        "baseline-link": "Link all responses with the same event type.",
        "neutralize": "Take realis or coreference out of the comparison.",
        "assessment": "Make, merge and check stores of assessments.",
        "frames": "Prepare the linking of assessed responses, and read it back.",
        "score": "Score submissions: arguments, linking, ranking, diagnostics.",
        "graphs": "Draw how scores depend on beta and lambda, and the bootstrap, as SVG.",
        "report": "Write a page with the ranking, the graphs and every response.",
        "proposal-tables": "Print the tables of the scoring proposal, computed again.",
        "campaign": "Lay out a campaign and run every step that is due.",
    }
    prefix = "eal_"


@click.group(
    "eal", cls=EalGroup, epilog="\b\nExample:\n  adjudge eal validate system.zip --docs sources/ --ontology 2015"
)
def command() -> None:
    """Event arguments and linking: validate, filter, pool, assess, link, score, or run a whole campaign."""
