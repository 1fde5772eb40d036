"""Event nuggets: what is wrong with a submission, how systems score against gold, and where they differ.

import adjudge as aj

print(aj.nugget.score("gold.tbf", ["a.tbf", "b.tbf"], tokens="tokens/"))
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from adjudge.tasks.nugget.explanation import Explanation, explain
    from adjudge.tasks.nugget.scoring import score

__all__ = ["Explanation", "explain", "score"]

# Loaded when first used: the command line takes what it needs from the modules themselves.
_HOMES = {"Explanation": "explanation", "explain": "explanation", "score": "scoring"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return list(__all__)
