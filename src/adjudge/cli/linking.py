"""`adjudge linking`: the commands for entity linking."""

from adjudge.cli.family import family_group

command = family_group("linking")
