"""Standard output and standard error, whatever state they are in."""

from __future__ import annotations

import codecs
import os
import sys
from contextlib import suppress

RED = "\x1b[1;31m"
_PLAIN = "\x1b[0m"
_ESCAPED = "adjudge-escaped"


def _escape(error: UnicodeError) -> tuple[str, int]:
    r"""Characters that a stream cannot take, as \uXXXX, which JSON understands as well."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    units = error.object[error.start : error.end].encode("utf-16-be", "surrogatepass")
    pairs = (units[place : place + 2].hex() for place in range(0, len(units), 2))
    return "".join(f"\\u{pair}" for pair in pairs), error.end


def prepare_streams() -> None:
    """Let no character stop the output: a terminal that knows ASCII only gets escapes."""
    codecs.register_error(_ESCAPED, _escape)
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            with suppress(ValueError, OSError):  # it is closed
                reconfigure(errors=_ESCAPED)


def say(line: str) -> None:
    """A line on standard error, if there is one."""
    if sys.stderr is not None:
        with suppress(OSError, ValueError):  # it is full or closed; there is nowhere left to say so
            sys.stderr.write(f"{line}\n")
            sys.stderr.flush()


def painted(text: str, colour: str) -> str:
    """Text in a colour if standard error is a terminal that shows colours and nobody has asked for none (NO_COLOR)."""
    if sys.stderr is None or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return text
    try:
        shown = sys.stderr.isatty()
    except ValueError:  # it is closed
        shown = False
    return f"{colour}{text}{_PLAIN}" if shown else text


def abandon_output() -> None:
    """Let go of what could not be written; else the interpreter would try once more, and complain, when it ends."""
    with suppress(AttributeError, ValueError, OSError):  # there is no standard output, or it is no file
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
