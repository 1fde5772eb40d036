"""What a reader may do with an input, and what it may not.

Allowed are a value, and an error of our own that says where. Not allowed are any other exception, more time than two
seconds and five for each megabyte (of the processor, so that a busy machine does not matter), more memory than
`MEMORY` plus `MULTIPLE` times the size of the input, a file that is written or left behind, and a message that cannot
be printed.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from adjudge.errors import AdjudgeError, Problem
from fuzz.targets import Target

SECONDS = 2.0
SECONDS_PER_BYTE = 5 / (1 << 20)
MEMORY = 8 << 20
MULTIPLE = 200
"""Bytes of memory for each byte of an input (unpacked, if it is compressed)."""

# What can be said of a file as a whole only; everything else has a line.
WHOLE = (
    "no documents", "nothing", "is empty", "too early", "damaged", "cannot be read", "no templates", "no messages",
    "ends before", "archive", "entry", "entries", "nested", "too deep", "Parquet", "names no", "there are no",
    "has no ", "is also in", "not kept", "no tokens", "more of", "more problems", "documents, but", "no graph",
    "is missing", "not read:", "cannot be written", "no run id", "written by adjudge", "not a similarity", "could be",
    "there is no document", "places are read as", "lines end in", "no source text", "sentences, in", "sentence, in",
    "may be", "do not stand", "looks like",
)  # fmt: skip


class Finding(NamedTuple):
    """A disallowed outcome: its kind, where it comes from, and everything about it."""

    kind: str
    where: str
    detail: str


class Outcome(NamedTuple):
    """`value`, `refused`, or a finding."""

    name: str
    finding: Finding | None = None
    seconds: float = 0.0


class TooSlow(BaseException):
    """The time of an input is over; not an Exception, so that no reader catches it."""


def judge(target: Target, data: bytes, room: Path, *, memory: bool = False) -> Outcome:
    """Run a target on an input in an empty folder, which is empty again afterwards."""
    name, finding = "value", None
    limit = (SECONDS + SECONDS_PER_BYTE * len(data)) * (4 if memory else 1)  # measuring takes its time
    before = time.process_time()
    try:
        with _time_limit(limit), _memory(memory) as peak:
            value = target.run(data, room)
        finding = _check_problems(value, target)
    except AdjudgeError as error:
        name, finding = "refused", _check_error(error, target)
    except TooSlow:
        finding = Finding("slow", _where(sys.exc_info()[2]), f"more than {limit:.1f} s")
    except MemoryError as error:
        finding = Finding("memory", _where(error.__traceback__), "MemoryError")
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        detail = "".join(traceback.format_exception(error, limit=-6))
        finding = Finding("exception", f"{type(error).__name__} at {_where(error.__traceback__)}", detail)
    seconds = time.process_time() - before
    if finding is None and memory and peak[0] > MEMORY + MULTIPLE * _unpacked_size(data):
        finding = Finding("memory", target.name, f"{peak[0]} bytes for an input of {len(data)}")
    left = _clear(room)
    if finding is None and left:
        finding = Finding("left", target.name, f"left behind: {', '.join(left)}")
    return Outcome("finding" if finding else name, finding, seconds)


# The files that targets write for their readers, by their first name below the folder
_GIVEN = frozenset(
    """
    X1.apf.xml X1.sgm ere source ner.jsonl clusters.jsonl relations.jsonl list.tsv D2.txt arguments linking
    s.zip s.tar.gz key frames texts store tokens m.json m.yaml .campaign part-0.jsonl part-1.jsonl.gz
    part-1.jsonl.zst part-1.parquet __lock sizes.txt p.tsv o.txt o.toml genres.tsv types.txt fields.yaml h.tsv
    h.json a.conll
    """.split()  # noqa: SIM905
)


def _clear(room: Path) -> list[str]:
    names = os.listdir(room)  # noqa: PTH208  # a million times
    for name in names:
        path = room / name
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
    return [name for name in names if name not in _GIVEN]


def _check_error(error: AdjudgeError, target: Target) -> Finding | None:
    if not error.problems:
        return Finding("silent", _where(error.__traceback__), "an error without a problem")
    return _check_messages(error, error.__traceback__, error.problems, target)


def _check_problems(value: Any, target: Target) -> Finding | None:
    """Problems that are part of a value have places, too."""
    found = list(_problems(value, 3))
    return _check_messages("\n".join(map(str, found)), None, found, target) if found else None


def _check_messages(shown: object, trace: Any, problems: Any, target: Target) -> Finding | None:
    def found(kind: str, what: str, detail: object) -> Finding:
        return Finding(kind, f"{what} at {_where(trace) if trace else 'value'}", repr(detail))

    try:
        str(shown).encode()
    except Exception as error:
        return found("unprintable", type(error).__name__, error)
    for problem in problems:
        if problem.path is None:
            return found("unplaced", f"no path: {_kind(problem.message)}", problem)
        wrong = (problem.line is not None and problem.line < 1) or (problem.column is not None and problem.column < 1)
        if wrong or (problem.column is not None and problem.line is None):
            return found("misplaced", _kind(problem.message), problem)
    first = problems[0]
    # An archive has entries, and no lines.
    is_text = target.shape not in ("archive", "bytes")
    if first.line is None and is_text and not any(word in first.message for word in WHOLE):
        return found("unplaced", f"no line: {_kind(first.message)}", first)
    return None


def _kind(message: str) -> str:
    """A message without what is special to one input, so that equal complaints are one finding."""
    import re

    return re.sub(r"'[^']*'|\"[^\"]*\"|`[^`]*`|[0-9]+|[^ -~]+", "_", message)[:60]


def _problems(value: Any, depth: int) -> Iterator[Problem]:
    if isinstance(value, Problem):
        yield value
    elif depth and isinstance(value, list | tuple):
        for each in value[:50]:
            yield from _problems(each, depth - 1)
    elif depth:
        for name in getattr(value, "__struct_fields__", None) or getattr(value, "__dataclass_fields__", ()):
            yield from _problems(getattr(value, name), depth - 1)


def _where(trace: Any) -> str:
    """The innermost line of the project in a traceback."""
    frames = [each for each in traceback.extract_tb(trace) if "/adjudge/" in each.filename]
    if not frames:
        return "outside of the project"
    last = frames[-1]
    return f"{last.filename.rpartition('/adjudge/')[2]}:{last.name}: {last.line}"


def _unpacked_size(data: bytes) -> int:
    if data[:2] != b"\x1f\x8b":
        return len(data)
    import zlib

    size, machine = 0, zlib.decompressobj(31)
    try:
        block = machine.decompress(data, 1 << 20)
        while block:
            size += len(block)
            block = machine.decompress(machine.unconsumed_tail, 1 << 20)
    except zlib.error:
        pass
    return max(size, len(data))


@contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return

    _listen()
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


@cache
def _listen() -> None:
    """The signal is heard from the first time limit on; nobody else in these processes uses it."""

    def stop(*_: object) -> None:
        raise TooSlow

    signal.signal(signal.SIGVTALRM, stop)


@contextmanager
def _memory(wanted: bool) -> Iterator[list[int]]:
    peak = [0]
    if not wanted:
        yield peak
        return
    import tracemalloc

    tracemalloc.start()
    try:
        yield peak
    finally:
        peak[0] = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()


@contextmanager
def no_writing(room: Path) -> Iterator[list[str]]:
    """Nothing is written outside of a folder: what is, is listed. It cannot be taken back, so only in own processes."""
    found: list[str] = []
    active = [True]
    inside = (str(room), "/dev/null")

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        if not active[0]:
            return
        if event == "open":
            path, _, flags = arguments
            writes = isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
            if writes and isinstance(path, str | bytes) and not os.fsdecode(path).startswith(inside):
                found.append(f"open {os.fsdecode(path)}")
        elif event in _CHANGES and not str(arguments[0]).startswith(inside):
            found.append(f"{event} {arguments[0]}")

    sys.addaudithook(watch)
    try:
        yield found
    finally:
        active[0] = False


# Removing is not among them: folders are emptied by relative names.
_CHANGES = frozenset(("os.mkdir", "os.rename", "os.link", "os.symlink", "os.truncate", "os.chmod"))
