"""`adjudge event`: triggers and arguments of events."""

from __future__ import annotations

from adjudge.cli.family import family_group

command = family_group("event")
