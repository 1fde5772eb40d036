"""Options that several commands about event arguments have."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from adjudge.cli.options import choice, flag, format_option, value
from adjudge.formats.eal_sources import Offsets
from adjudge.tasks.eal.responses import UNLINKED
from adjudge.tasks.eal.settings import PROFILES

IDS = ("sha1", "2014", "keep")
UNITS: dict[str, Offsets] = {"codepoints": "code-points", "utf16": "utf-16"}

offsets_option = choice("--offsets", UNITS, "What offsets count (default: as the profile says, code points).")

profile_option = choice("--profile", PROFILES, "Which conventions apply where the sources disagree.", default="spec")
report_options = [format_option("text", "json"), flag("--quiet", "Do not report what was done.")]


def ids_option(*, keep: bool) -> Any:
    """How the first column is written; ids can be kept only by commands that do not change responses."""
    return choice(
        "--ids",
        IDS if keep else IDS[:2],
        "First column: content hash, 2014 number" + (", or unchanged." if keep else "."),
        default="sha1",
    )


def target_options(text: str, *, required: bool = True) -> Any:
    """Where something is written."""
    output = value("-o --output", "OUT", text, required=required, type=click.Path(path_type=Path))
    return [output, flag("--overwrite", "Replace OUT if it exists.")]


def unlinked_option(subject: str) -> Any:
    """What becomes of responses that are not linked."""
    what = f"{subject} that are not generic and in no hopper"
    text = f"{what}: an error, dropped, or hoppers of their own (default: as the profile says)."
    return choice("--unlinked", UNLINKED, text)


def store_options(*, keep_ids: bool) -> Any:
    """The options of commands that write a store."""
    return [
        target_options("Store to write: a folder, or a .zip, .tar.gz or .tgz."),
        ids_option(keep=keep_ids),
        profile_option,
        format_option("text", "json"),
        flag("--verbose", "List every response that was removed or changed, and why."),
        flag("--quiet", "Do not report what was done."),
    ]


def texts_option(what: str) -> Any:
    """The source documents, in which something is found."""
    return value(
        "--texts docs",
        "SOURCES",
        f"Find {what} in these texts: a folder with a file per document, or a file of lines with id, TAB, path.",
    )
