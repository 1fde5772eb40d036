"""`adjudge relation`: relations between spans, between entities, and among several entities."""

from __future__ import annotations

from adjudge.cli.family import family_group

command = family_group("relation")
