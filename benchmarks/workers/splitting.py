"""python -m benchmarks.workers.splitting FOLDER...: read every file whole and split its lines at TABs, in Python.

That is what no program in Python that looks at every field can do without; nothing is kept.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator


def files_in(folder: str) -> Iterator[str]:
    """All files below a folder, in order, or a file itself."""
    if not os.path.isdir(folder):  # noqa: PTH112
        yield folder
        return
    for name in sorted(os.listdir(folder)):  # noqa: PTH208
        yield from files_in(f"{folder}/{name}")


if __name__ == "__main__":
    for each in sys.argv[1:]:
        for path in files_in(each):
            with open(path, "rb") as stream:  # noqa: PTH123
                for line in stream.read().split(b"\n"):
                    line.split(b"\t")
