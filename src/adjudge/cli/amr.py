"""`adjudge amr`: the commands for meaning graphs."""

from adjudge.cli.family import family_group

command = family_group("amr")
