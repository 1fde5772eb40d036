"""Run as a program, in a child: the score that a saved result is ranked by, as a line of JSON.

python -I -m adjudge.serve.headline RESULT.json [SCORE]
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from adjudge.errors import AdjudgeError
from adjudge.serve.boards import NUMBERS
from adjudge.stats.ranking import ranking_key
from adjudge.stats.saved import decode_result


def headline(result: Path, wanted: str | None) -> dict[str, Any]:
    """What a saved result is ranked by: `metric`, `part`, `value`, its interval, and its bound if it is not proven."""
    if result.is_symlink() or not result.is_file():
        raise ValueError("there is no file")
    found = decode_result(result.read_bytes(), result.name)
    metric, part = ranking_key(found, wanted)
    for each in found.systems[0].scores:
        if (each.metric, each.part) == (metric, part) and not each.slice:
            return {"metric": metric, "part": part, **{name: getattr(each, name) for name in NUMBERS}}
    raise ValueError(f"there is no score {metric}.{part}")


def main(result: str, wanted: str | None = None) -> int:
    """Print it, or why not; the exit code."""
    try:
        sys.stdout.write(json.dumps(headline(Path(result), wanted or None)) + "\n")
    except (AdjudgeError, OSError, LookupError, ValueError, TypeError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
