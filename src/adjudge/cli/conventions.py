"""What people say of files on the command line that these do not say themselves: ends, schemes, fields, labels.

The words are those of `adjudge.score`; an option that means nothing for the files is an error.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from adjudge.cli.options import Made, choice, flag, section, value
from adjudge.cli.output import is_file
from adjudge.errors import UsageError

ENDS = ("exclusive", "inclusive")


@Made
def pair(text: str) -> tuple[str, str]:
    """A name and what it stands for, from A=B."""
    first, equals, second = (part.strip() for part in text.partition("="))
    if not (first and equals and second):
        raise ValueError(f"{text!r} is not valid, write for example PERSON=PER")
    return first, second


_OPTIONS: list[click.Option] = [
    choice("--ends", ENDS, "Whether the end of a bare span is exclusive or inclusive."),
    choice("--gold-ends", ENDS, "The same for gold alone."),
    choice("--system-ends", ENDS, "The same for the systems alone."),
    choice("--unit", ("token", "char"), "Unit of bare offsets."),
    choice("--base", ("0", "1"), "Whether bare offsets, or heads of trees, start at 0 or 1."),
    choice("--offsets", ("utf-16", "bytes"), "Unit of bare offsets, if not characters."),
    value("--scheme", "NAME", "Tagging scheme, read strictly: IO, IOB1, IOB2, IOE2, IOBES or BILOU."),
    value("--labels", "LIST", "The names of tags that are numbers: O,B-PER,... or a file, one per line."),
    value("--annotator", "ID", "Which annotator counts if a text has several."),
    value("--field field_", "NAME", "The field that holds the items, if it has another name."),
    value(
        "--fields",
        "NAME=FIELD",
        "Other names for fields of items: start=from. Repeatable.",
        type=pair,
        multiple=True,
    ),
    value("--id", "NAME", "The field or column that names the document."),
    choice("--locate", ("next", "all", "first"), "Which occurrence a mention without offsets refers to."),
    choice("--fragments", ("join", "keep"), "Join the fragments of a span, or compare each."),
    value("--gold-column", "NAME", "The column of gold, if one table has both sides."),
    value("--system-column", "NAME", "The column of the system, if one table has both sides."),
    value(
        "--map",
        "LABEL=LABEL",
        "Rename a label on both sides: PERSON=PER. Repeatable.",
        type=pair,
        multiple=True,
    ),
    flag("--inline", "Answers are the text with tags around the mentions."),
]
NAMES = tuple(str(each.name) for each in _OPTIONS)


def convention_options(*, own: Mapping[str, Any]) -> list[click.Parameter]:
    """The options, without those of which a task has its `own`."""
    return section("What the files do not say", *(each for each in _OPTIONS if str(each.name).rstrip("_") not in own))


def conventions_of(options: dict[str, Any]) -> dict[str, Any]:
    """What was said, by the names of `adjudge.score`; the options are taken out."""
    given = {name: options.pop(name, None) for name in NAMES}
    found = {name: each for name, each in given.items() if each not in (None, (), False)}
    for name in ("fields", "map"):
        if name in found:
            pairs = found[name]
            found[name] = dict(pairs)
            if len(found[name]) < len(pairs):
                raise UsageError(f"--{name} gives one name twice", hint="give each name once")
    if "field_" in found:
        found["field"] = found.pop("field_")
    if "base" in found:
        found["base"] = int(found["base"])
    if "labels" in found:
        from adjudge.cli.options import listed_lines

        text = found["labels"]
        names = listed_lines(text, "labels") if is_file(text) else text.split(",")
        found["labels"] = [name.strip() for name in names if name.strip()]
    if found.pop("inline", False):
        found["format"] = "inline"
    return found
