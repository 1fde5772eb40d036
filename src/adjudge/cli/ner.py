"""`adjudge ner`: the commands for named entities."""

from adjudge.cli.family import family_group

command = family_group("ner")
