"""Reads the end of a zip archive and checks whether it is consistent.

Programs that read zip archives rely on different parts of the end, so that an inconsistent one is a different archive
for each of them. Nothing is unpacked here.
"""

from __future__ import annotations

from pathlib import Path
from struct import calcsize, unpack_from
from typing import NamedTuple

_SHORT, _LONG, _LOCATOR = "<4s4H2IH", "<4sQ2H2I4Q", "<4sIQI"
_TAIL = (1 << 16) + 200  # a comment of any length and the records before it
_UNTOLD = (0xFFFF, 0xFFFF, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF)  # look for the number in the record of 64 bits


class End(NamedTuple):
    """The size of the list of entries, in entries and bytes, and what is wrong with the end, if anything."""

    entries: int
    size: int
    lie: str | None = None


def read_end(path: Path) -> End | None:
    """The end of a zip archive; None if there is none."""
    length = path.stat().st_size
    with path.open("rb") as file:
        before = max(0, length - _TAIL)
        file.seek(before)
        tail = file.read()
    at = _last(tail)
    if at is None:
        return None
    _, *short, comment = unpack_from(_SHORT, tail, at)
    behind = len(tail) - at - calcsize(_SHORT) - comment
    said, where, lies = _numbers(tail, at, before, tuple(short))
    _, _, here, entries, size, start = said
    # A 64-bit record takes precedence wherever there is one.
    longest = max(size, 0 if short[4] == _UNTOLD[4] else short[4])
    if behind > 0:
        lies.append(f"{behind} bytes follow its end")
    if behind < 0:
        lies.append(f"its comment lacks {-behind} bytes")
    if _other_end(tail, at):
        lies.append("it has two ends")
    if said[0] or said[1]:
        lies.append("its end says that it is one of several disks")
    elif here != entries:
        lies.append(f"its end says that {here} of {entries} entries are on this disk")
    if start + size != where:
        lies.append(f"its list of entries is not at byte {start}, where its end says")
    return End(entries, longest, lies[0] if lies else None)


def _last(tail: bytes) -> int | None:
    """Where the last end record begins: at the very end if possible, else as far back as a comment reaches."""
    size = calcsize(_SHORT)
    at = len(tail) - size
    if at >= 0 and tail[at : at + 4] == b"PK\5\6" and tail[-2:] == b"\0\0":
        return at
    at = tail.rfind(b"PK\5\6")
    return at if 0 <= at <= len(tail) - size else None


def _other_end(tail: bytes, last: int) -> bool:
    """Whether an earlier record also has a comment that reaches to the end: other programs would take that one."""
    at = tail.find(b"PK\5\6")
    while 0 <= at < last:
        if at + calcsize(_SHORT) + int.from_bytes(tail[at + 20 : at + 22], "little") == len(tail):
            return True
        at = tail.find(b"PK\5\6", at + 1)
    return False


def _numbers(tail: bytes, at: int, before: int, short: tuple[int, ...]) -> tuple[tuple[int, ...], int, list[str]]:
    """The six numbers of the end, where the list of entries should end, and contradictions between the two records."""
    locator = at - calcsize(_LOCATOR)
    record = locator - calcsize(_LONG)
    if record < 0 or tail[locator : locator + 4] != b"PK\6\7" or tail[record : record + 4] != b"PK\6\6":
        return short, before + at, []
    long = unpack_from(_LONG, tail, record)[4:]
    lies = [
        "the two records of its end contradict each other"
        for told, other, untold in zip(short, long, _UNTOLD, strict=True)
        if told not in (other, untold)
    ]
    _, disk, place, disks = unpack_from(_LOCATOR, tail, locator)
    if disk or disks > 1:
        lies.append("its end says that it is one of several disks")
    if place != before + record:
        lies.append(f"the record of 64 bits is not at byte {place}, where its end says")
    return long, before + record, lies
