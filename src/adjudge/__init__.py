"""adjudge: the evaluation toolkit for information extraction.

    import adjudge as aj

    result = aj.score("relation.strict", "gold.jsonl", "system.jsonl")
    print(result)

Names are loaded when first used, so that importing the package costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from adjudge._version import __version__

if TYPE_CHECKING:
    from adjudge.algebra import (
        Conventions,
        count,
        custom,
        exact,
        f1,
        hierarchy,
        ignore,
        iou,
        latent,
        load_spec,
        ordered,
        overlap,
        record,
        sequence,
        set_of,
        text,
        view,
    )
    from adjudge.errors import AdjudgeError
    from adjudge.metrics import Metric, catalogue, derive, find, metric
    from adjudge.model.variable import Variable
    from adjudge.stats.compare import compare
    from adjudge.stats.frames import assert_score
    from adjudge.stats.result import Result
    from adjudge.tasks import coref, eal, kbp, nugget
    from adjudge.tasks.agreement import agree
    from adjudge.tasks.scoring import explain_document, score

_HOMES = {
    "adjudge.algebra": (
        "Conventions count custom exact f1 hierarchy ignore iou latent load_spec "
        "ordered overlap record sequence set_of text view"
    ),
    "adjudge.errors": "AdjudgeError",
    "adjudge.metrics": "Metric catalogue derive find metric",
    "adjudge.model.variable": "Variable",
    "adjudge.stats.frames": "assert_score",
    "adjudge.stats.compare": "compare",
    "adjudge.stats.result": "Result",
    "adjudge.tasks": "coref eal kbp nugget",
    "adjudge.tasks.agreement": "agree",
    "adjudge.tasks.scoring": "explain_document score",
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names.split()}

__all__ = [
    "AdjudgeError",
    "Conventions",
    "Metric",
    "Result",
    "Variable",
    "__version__",
    "agree",
    "assert_score",
    "catalogue",
    "compare",
    "coref",
    "count",
    "custom",
    "derive",
    "eal",
    "exact",
    "explain_document",
    "f1",
    "find",
    "hierarchy",
    "ignore",
    "iou",
    "kbp",
    "latent",
    "load_spec",
    "metric",
    "nugget",
    "ordered",
    "overlap",
    "record",
    "score",
    "sequence",
    "set_of",
    "text",
    "view",
]


def __getattr__(name: str) -> Any:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module 'adjudge' has no attribute {name!r}")
    if home == "adjudge.tasks":  # a task is a module of its own
        return importlib.import_module(f"{home}.{name}")
    return getattr(importlib.import_module(home), name)


def __dir__() -> list[str]:
    return list(__all__)
