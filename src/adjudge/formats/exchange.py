"""Two names change places in one step, where the system can do that."""

from __future__ import annotations

import os
import sys
from pathlib import Path

_HERE = -100  # AT_FDCWD: paths are seen from the current folder
_EXCHANGE = 2  # RENAME_EXCHANGE


def exchange(one: Path, other: Path) -> bool:
    """Let two files or folders change names, and say whether that was possible; if not, nothing has changed.

    There is no moment at which one of the names is missing. Only Linux offers this, and not on every file system.
    """
    if sys.platform != "linux":
        return False
    try:
        import ctypes

        rename = ctypes.CDLL(None).renameat2
    except (ImportError, OSError, AttributeError):
        return False
    return bool(rename(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _EXCHANGE) == 0)
