"""Where the frames of zstd end (RFC 8878): the library does not say that a file was cut off, it only stops."""

from __future__ import annotations

FRAME = 0xFD2FB528
_SKIPPABLE = range(0x184D2A50, 0x184D2A60)
_CHECKSUM = 4


class Frames:
    """Follows compressed bytes as they pass by; `whole` tells whether they end where a frame does.

    >>> frames = Frames()
    >>> frames.feed(b"\\x28\\xb5\\x2f\\xfd\\x20\\x01\\x09\\x00")
    >>> frames.whole
    False
    >>> frames.feed(b"\\x00x")
    >>> frames.whole
    True
    """

    def __init__(self) -> None:
        self._state = self._magic
        self._need = 4
        self._held = b""
        self._skip = 0
        self._sum = 0

    @property
    def whole(self) -> bool:
        """Whether nothing has begun that has not ended."""
        return self._state == self._magic and not self._held and not self._skip

    def feed(self, data: bytes) -> None:
        """Take in the next bytes."""
        at = 0
        while at < len(data):
            if self._skip:
                step = min(self._skip, len(data) - at)
                self._skip -= step
                at += step
                continue
            part = data[at : at + self._need - len(self._held)]
            self._held += part
            at += len(part)
            if len(self._held) == self._need:
                value, self._held = int.from_bytes(self._held, "little"), b""
                self._state(value)

    def _magic(self, value: int) -> None:
        if value in _SKIPPABLE:
            self._state, self._need = self._skippable, 4
        elif value == FRAME:
            self._state, self._need = self._descriptor, 1
        # Anything else is no frame, of which the library will say more.

    def _skippable(self, value: int) -> None:
        self._skip = value
        self._state, self._need = self._magic, 4

    def _descriptor(self, value: int) -> None:
        single = value >> 5 & 1
        self._sum = _CHECKSUM if value >> 2 & 1 else 0
        self._skip = (1 - single) + (0, 1, 2, 4)[value & 3] + (single, 2, 4, 8)[value >> 6]
        self._state, self._need = self._block, 3

    def _block(self, value: int) -> None:
        repeated = (value >> 1 & 3) == 1
        self._skip = 1 if repeated else value >> 3
        if value & 1:  # the last one
            self._skip += self._sum
            self._state, self._need = self._magic, 4
