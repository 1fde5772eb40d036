"""Coreference: score responses against a key, and explain a document.

import adjudge as aj

print(aj.coref.score("key.conll", "system.conll"))
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from adjudge.tasks.coref.explanation import Explanation, explain
    from adjudge.tasks.coref.task import score

__all__ = ["Explanation", "explain", "score"]

# Loaded when first used: the command line takes what it needs from the modules themselves. A function that is called as
# its module would be hidden by it, so the explanation lives in `explanation`.
_HOMES = {"Explanation": "explanation", "explain": "explanation", "score": "task"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return list(__all__)
