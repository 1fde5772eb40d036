"""Event nuggets: validate a submission, score systems against gold, and explain the differences.

import adjudge as aj

print(aj.nugget.score("gold.tbf", ["a.tbf", "b.tbf"], tokens="tokens/"))
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from adjudge.stats.explanation import Explanation
    from adjudge.tasks.nugget.task import explain, score

__all__ = ["Explanation", "explain", "score"]

# Loaded when first used: the command line takes what it needs from the modules themselves.
_HOMES = {"Explanation": "stats.explanation", "explain": "tasks.nugget.task", "score": "tasks.nugget.task"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"adjudge.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return list(__all__)
