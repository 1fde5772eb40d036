"""`adjudge template`: incidents with slots and their fillers."""

from __future__ import annotations

from adjudge.cli.family import family_group

command = family_group("template", {"errors": "Count mistakes by what would fix them, with examples."})
