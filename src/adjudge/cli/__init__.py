"""The command line: parse options, call the library, render.

This module is imported before anything can be interrupted or fail, so it imports next to nothing; the commands are in
the other modules, which are imported when they run.
"""

from __future__ import annotations

import errno
import gc
import os
import signal
import sys
from collections.abc import Sequence
from typing import NoReturn

LISTED = 100  # problems shown before "and N more"
_ALLOCATIONS = 100_000  # new objects before a garbage collection; we make many objects and few cycles
INTERRUPTED, BROKEN_PIPE, BUG = 130, 141, 70
COMPLETE = "_ADJUDGE_COMPLETE"  # set by the completion scripts, never by users
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS)


_unfinished: list[BaseException] = []  # keeps its objects alive: freeing them one by one would delay the exit


class ReaderGone(Exception):
    """The program reading our output has ended, as `head` does."""


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """The entry point."""
    gc.set_threshold(_ALLOCATIONS)
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupt)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # its threads cost more to start than our products of matrices
    try:
        code = run(sys.argv[1:] if arguments is None else arguments)
    except KeyboardInterrupt:  # before errors could be reported
        if sys.stderr is not None:
            sys.stderr.write("error: interrupted\n")
        code = INTERRUPTED
    if arguments is None:
        _leave(code)
    sys.exit(code)


def _interrupt(*_: object) -> NoReturn:
    """Interrupt the work, without a garbage collection of a million objects on the way out."""
    gc.freeze()
    raise KeyboardInterrupt


def _leave(code: int) -> None:
    """Exit at once: freeing a million small objects one by one is useless, since the system reclaims the memory anyway.

    Not if workers were started as fresh interpreters or on a cluster, which have to be shut down, or if the output
    cannot be written completely.
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
    """Run one command line: every way to end, and its exit code."""
    import click

    from adjudge.cli.app import app, complete
    from adjudge.cli.output import abandon_output, complain, prepare_streams, say
    from adjudge.errors import AdjudgeError, grouped, more_problems

    prepare_streams()
    if COMPLETE in os.environ:
        return complete(COMPLETE)
    try:
        result = app.main(args=list(arguments) or ["--help"], prog_name="adjudge", standalone_mode=False)
        return result if isinstance(result, int) else 0
    except AdjudgeError as error:
        problems = grouped(error.problems)
        more = sum(1 + problem.more for problem in problems[LISTED:])
        complain(*problems[:LISTED], *([more_problems(more)] if more else []))
        return error.exit_code
    except click.ClickException as error:
        if isinstance(error, click.UsageError) and type(error).__name__ == "NoArgsIsHelpError":
            say(error.format_message())  # a group without a command: its help, with its lines
            return error.exit_code
        command = f" (see {error.ctx.command_path} --help)" if isinstance(error, click.UsageError) and error.ctx else ""
        said = " ".join(error.format_message().split()).removesuffix(".")
        complain(said[:1].lower() + said[1:] + command)  # in our style: lower case, one line, no full stop
        return error.exit_code
    except (click.Abort, KeyboardInterrupt) as error:
        _unfinished.append(error)
        complain("interrupted")
        return INTERRUPTED
    except (ReaderGone, SystemExit):  # click exits like this if its help is not read
        abandon_output()
        return BROKEN_PIPE
    except RecursionError:
        complain("something in the input is nested too deeply, flatten it")
        return 1
    except MemoryError:
        complain("out of memory, score fewer documents at once (--docs) or draw fewer resamples (--bootstrap)")
        return 1
    except Exception as error:
        if isinstance(error, OSError) and error.errno in _FULL:
            abandon_output()
            what = error.filename if isinstance(error.filename, str) else "a temporary file or the output"
            complain(f"{what}: cannot be written: {error.strerror}, make room, or write elsewhere")
            return 2
        if isinstance(error, OSError) and isinstance(error.filename, str):  # an invalid file name, a lost disk
            complain(f"{error.filename}: cannot be used: {error.strerror}, check the path")
            return 2
        return _report_bug(error, verbose="--verbose" in arguments)


def _report_bug(error: Exception, *, verbose: bool) -> int:
    import traceback

    from adjudge.cli.output import complain, say

    if verbose:
        say("".join(traceback.format_exception(error)).rstrip())
    complain(f"this is a bug in adjudge, not in your input: {type(error).__name__}: {error}")
    how = "with the command and the lines above" if verbose else "with the output of the same command and --verbose"
    complain(f"please report it to the maintainers, {how}")
    return BUG
