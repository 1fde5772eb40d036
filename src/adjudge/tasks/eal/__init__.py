"""Event arguments and linking: validate, filter, pool, assess, link and score system responses.

import adjudge as aj

print(aj.eal.score("assessments/", "frames/", ["granite.zip", "marble.tar.gz"]))
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from adjudge.stats.explanation import Explanation
    from adjudge.stats.ranking import Ranking
    from adjudge.tasks.eal.ranking import rank_result
    from adjudge.tasks.eal.task import explain, score
    from adjudge.tasks.eal.validation import validate

__all__ = ["Explanation", "Ranking", "explain", "rank_result", "score", "validate"]

# Loaded when first used: the command line takes what it needs from the modules themselves.
_HOMES = {
    "Explanation": "stats.explanation",
    "Ranking": "stats.ranking",
    "explain": "tasks.eal.task",
    "rank_result": "tasks.eal.ranking",
    "score": "tasks.eal.task",
    "validate": "tasks.eal.validation",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"adjudge.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return list(__all__)
