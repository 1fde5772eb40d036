"""python -m benchmarks.workers.decoding FILE ...: every line of JSON is decoded by msgspec, without types."""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec

if __name__ == "__main__":
    decode = msgspec.json.Decoder().decode
    for name in sys.argv[1:]:
        with Path(name).open("rb") as file:
            for line in file:
                decode(line)
