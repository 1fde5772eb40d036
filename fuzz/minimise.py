"""A smaller input that breaks the same thing."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def minimised(data: bytes, still: Callable[[bytes], bool], *, seconds: float = 10.0) -> bytes:
    """Leave out lines, then bytes, in halves, quarters and so on, as long as the input `still` breaks.

    >>> minimised(b"a\\nbad\\nc", lambda data: b"d" in data)
    b'd'
    """
    end = time.monotonic() + seconds
    data = b"\n".join(_fewer(data.split(b"\n"), lambda lines: still(b"\n".join(lines)), end))
    return bytes(_fewer(list(data), lambda kept: still(bytes(kept)), end))


def _fewer(items: list[T], still: Callable[[list[T]], bool], end: float) -> list[T]:
    size = max(1, len(items) // 2)
    while items and time.monotonic() < end:
        at, changed = 0, False
        while at < len(items) and time.monotonic() < end:
            fewer = items[:at] + items[at + size :]
            if still(fewer):
                items, changed = fewer, True
            else:
                at += size
        if size == 1 and not changed:
            break
        size = max(1, size // 2)
    return items
