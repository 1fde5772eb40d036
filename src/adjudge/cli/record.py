"""`adjudge record`: lists of JSON objects, such as language models give them."""

from __future__ import annotations

from adjudge.cli.family import family_group

command = family_group("record")
