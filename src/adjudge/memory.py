"""A limit of memory that holds: the operating system refuses what is beyond it, to this process and to its workers."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from adjudge.errors import EnvironmentFault, UsageError

_SIZE = re.compile(r"(\d{1,6}(?:\.\d{1,6})?) ?([KMGT]?)(i?)B?", re.IGNORECASE | re.ASCII)


def parse_size(text: str) -> int | None:
    """The bytes of a size as people write it; None if it is none.

    >>> parse_size("500MB"), parse_size("1.5 GiB"), parse_size("2g"), parse_size("much")
    (500000000, 1610612736, 2000000000, None)
    """
    found = _SIZE.fullmatch(text.strip())
    if found is None:
        return None
    number, unit, binary = found.groups()
    return int(float(number) * (1024 if binary else 1000) ** " KMGT".index(unit.upper() or " "))


@contextmanager
def limited(size: int | None) -> Iterator[None]:
    """No more memory than so many bytes in each process, if it is a number; to need more is a fault of the machine.

    >>> with limited(None): pass
    """
    if size is None:
        yield
        return
    if not sys.platform.startswith("linux"):
        raise UsageError("memory can be limited on Linux only", hint="leave --memory out")
    import numpy  # noqa: F401  # which, without memory to load it, ends the process

    resident = _in_use()[1]
    if size <= resident:
        raise UsageError(f"{_megabytes(resident)} is in use before anything is read", hint="give more with --memory")
    try:
        with held_to(size - resident):
            yield
    except MemoryError:
        message = f"{_megabytes(size)} of memory is not enough"
        raise EnvironmentFault(message, hint="give more with --memory, or score fewer documents at once") from None


@contextmanager
def held_to(size: int) -> Iterator[None]:
    """So many bytes more than now, where the system can hold such a limit; more is a MemoryError.

    >>> with held_to(1 << 30): pass
    """
    if not sys.platform.startswith("linux"):
        yield
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    # Addresses without memory behind them, such as those of libraries, do not count; what is new counts in full.
    limits = [_in_use()[0] + size, *(own for own in (soft, hard) if own != resource.RLIM_INFINITY)]
    resource.setrlimit(resource.RLIMIT_AS, (min(limits), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _in_use() -> tuple[int, int]:
    """The bytes that have addresses, and those that have memory."""
    import resource

    with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123  # pathlib is slow to load
        addresses, resident = (int(pages) * resource.getpagesize() for pages in file.read().split()[:2])
    return addresses, resident


def _megabytes(size: int) -> str:
    return f"{-(-size // 1_000_000):,} MB"
