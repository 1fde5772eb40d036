"""Which documents are being counted, here and in worker processes: a progress line names one that takes long.

Every process has a place in memory that all of them share, with the moment and the name of its document.
"""

from __future__ import annotations

import struct
from time import monotonic
from typing import Any

_ENTRY = struct.Struct("d120s")
_ours: Any = bytearray(_ENTRY.size)
_place = 0
_shared: Any = b""  # of the workers that were started last


def begin(name: str) -> None:
    """Say which document this process counts from now on."""
    _ENTRY.pack_into(_ours, _place, monotonic(), name.encode(errors="replace")[: _ENTRY.size - 8])


def end() -> None:
    """Say that this process counts none."""
    _ENTRY.pack_into(_ours, _place, 0.0, b"")


def share(context: Any, workers: int) -> tuple[Any, Any]:
    """Memory for some workers, and the number of the next one that takes a place in it."""
    global _shared
    _shared = context.RawArray("b", _ENTRY.size * workers)
    return _shared, context.Value("i", 0)


def join(memory: Any, number: Any) -> None:
    """Take a place in the memory of all workers, if there is one."""
    global _ours, _place
    with number.get_lock():
        place = number.value * _ENTRY.size
        number.value += 1
    if place < len(memory):
        _ours, _place = memory, place


def slow(seconds: float) -> str:
    """The name of the document that has taken longest, if that is more than these seconds."""
    entries = [
        _ENTRY.unpack_from(memory, place) for memory in (_ours, _shared) for place in range(0, len(memory), _ENTRY.size)
    ]
    began, name = min(((began, name) for began, name in entries if began), default=(0.0, b""))
    if not began or monotonic() - began <= seconds:
        return ""
    told: str = name.rstrip(b"\0").decode(errors="ignore")
    return told
