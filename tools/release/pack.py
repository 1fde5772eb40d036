"""Compress a wheel as far as its format allows: `python tools/release/pack.py dist`.

The files in it and their order stay the same; zopfli writes what any unzip reads, 3 % smaller than zlib does.
"""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path
from unittest import mock


class _Zopfli:
    """A compressor as zipfile uses it: everything in, then one raw deflate stream out."""

    def __init__(self) -> None:
        self._whole = bytearray()

    def compress(self, data: bytes) -> bytes:
        self._whole += data
        return b""

    def flush(self) -> bytes:
        import zopfli.zlib

        return bytes(zopfli.zlib.compress(bytes(self._whole), numiterations=15)[2:-4])  # without zlib's frame


def pack(wheel: Path) -> None:
    """Replace the wheel by the same one, smaller."""
    smaller = wheel.with_suffix(".packed")
    with (
        mock.patch("zipfile._get_compressor", side_effect=lambda *_: _Zopfli()),
        zipfile.ZipFile(wheel) as before,
        zipfile.ZipFile(smaller, "w", zipfile.ZIP_DEFLATED) as after,
    ):
        for entry in before.infolist():
            after.writestr(entry, before.read(entry))
    smaller.replace(wheel)


if __name__ == "__main__":
    for path in Path(sys.argv[1]).glob("*.whl"):
        pack(path)
