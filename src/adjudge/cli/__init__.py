"""The command line: parse options, call the library, render.

This module is what is imported before anything can be interrupted or fail, so it imports next to nothing; the
commands are in the others, which are imported when they are run.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

LISTED = 100  # problems shown before "and N more"
_ALLOCATIONS = 100_000  # new objects before the collector looks for cycles; we make many objects and few cycles
INTERRUPTED, BROKEN_PIPE, BUG = 130, 141, 70


class ReaderGone(Exception):
    """The program that reads our output has ended, as `head` does."""


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """The entry point: every way to end, and its exit code."""
    gc.set_threshold(_ALLOCATIONS)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # its threads cost more to start than our products of matrices
    try:
        code = run(list(sys.argv[1:] if arguments is None else arguments))
    except KeyboardInterrupt:  # before there was anything that could say so
        if sys.stderr is not None:
            sys.stderr.write("error: interrupted\n")
        code = INTERRUPTED
    if arguments is None:
        _leave(code)
    sys.exit(code)


def _leave(code: int) -> None:
    """End at once: taking a million small objects apart one by one helps nobody, and the system takes all back anyway.

    Not if workers were started as fresh interpreters or on a cluster, which have to be seen off, or if the output
    cannot be written to its end.
    """
    if "multiprocessing.resource_tracker" in sys.modules or "distributed" in sys.modules:
        return
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
    except (OSError, ValueError):
        return
    os._exit(code)


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code."""
    from adjudge.cli.app import run_command

    return run_command(arguments)
