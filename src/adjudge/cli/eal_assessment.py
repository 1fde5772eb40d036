"""`adjudge eal assessment`: the commands for stores of assessments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import click

from adjudge.cli.app import LazyGroup


class AssessmentGroup(LazyGroup):
    """Its commands, each in a module of its own."""

    entries: ClassVar[Mapping[str, str]] = {
        "create": "Make a store of assessments from a pool of responses.",
        "merge": "Join stores of assessments, the first with priority.",
        "check": "Check assessments, coreference and reference frames.",
        "progress": "Say how much is assessed, and how long the rest may take.",
        "expand-realis": "Add responses with the realis of the assessor.",
        "repair": "Fix assessments that break the rules of the guidelines.",
    }
    prefix = "eal_assessment_"


@click.group(
    "assessment", cls=AssessmentGroup, epilog="\b\nExample:\n  adjudge eal assessment create pool -o assessments"
)
def command() -> None:
    """Make, merge and check stores of assessments."""
