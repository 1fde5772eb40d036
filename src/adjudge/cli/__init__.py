"""The command line: parse options, call the library, render.

This module is what is imported before anything can be interrupted or fail, so it imports next to nothing; the
commands are in the others, which are imported when they are run.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import NoReturn

LISTED = 100  # problems shown before "and N more"
INTERRUPTED, BROKEN_PIPE, BUG = 130, 141, 70


class ReaderGone(Exception):
    """The program that reads our output has ended, as `head` does."""


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """The entry point: every way to end, and its exit code."""
    try:
        code = run(list(sys.argv[1:] if arguments is None else arguments))
    except KeyboardInterrupt:  # before there was anything that could say so
        if sys.stderr is not None:
            sys.stderr.write("error: interrupted\n")
        code = INTERRUPTED
    sys.exit(code)


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code."""
    from adjudge.cli.app import run_command

    return run_command(arguments)
