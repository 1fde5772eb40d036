"""`adjudge eal frames`: the commands for reference frames."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import click

from adjudge.cli.app import LazyGroup


class FramesGroup(LazyGroup):
    """Its commands, each in a module of its own."""

    entries: ClassVar[Mapping[str, str]] = {
        "template": "Write what is to be linked, for people to link it.",
        "read": "Read the frames that people have made, and say what is not linked.",
        "project": "Move frames to changed assessments.",
    }
    prefix = "eal_frames_"


@click.group("frames", cls=FramesGroup, epilog="\b\nExample:\n  adjudge eal frames template assessments -o frames")
def command() -> None:
    """Prepare the linking of assessed responses, and read it back."""
