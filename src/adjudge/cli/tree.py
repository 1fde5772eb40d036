"""`adjudge tree`: the commands for dependency trees."""

from adjudge.cli.family import family_group

command = family_group("tree")
