"""adjudge: the evaluation toolkit for information extraction.

    import adjudge as aj

    result = aj.score("ner", gold, {"A": one, "B": other})
    print(result)

Errors come with the package, as everything else needs them; other names are loaded when first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from adjudge._version import __version__
from adjudge.errors import AdjudgeError

if TYPE_CHECKING:
    from adjudge import algebra
    from adjudge.algebra import Conventions, view
    from adjudge.estimates.api import estimate, sample
    from adjudge.estimates.planning import plan
    from adjudge.metrics import Metric, derive, find, metric
    from adjudge.stats.compare import compare
    from adjudge.stats.frames import assert_score
    from adjudge.stats.result import Result
    from adjudge.tasks.agreement import agree
    from adjudge.tasks.named import NamedTask
    from adjudge.tasks.scoring import explain, read, score, state

    amr: NamedTask
    coref: NamedTask
    eal: NamedTask
    event: NamedTask
    kbp: NamedTask
    linking: NamedTask
    ner: NamedTask
    nugget: NamedTask
    record: NamedTask
    relation: NamedTask
    template: NamedTask
    tree: NamedTask

_TASKS = ("amr", "coref", "eal", "event", "kbp", "linking", "ner", "nugget", "record", "relation", "template", "tree")
_HOMES = {
    "adjudge.algebra": "Conventions view",
    "adjudge.estimates.api": "estimate sample",
    "adjudge.estimates.planning": "plan",
    "adjudge.metrics": "Metric derive find metric",
    "adjudge.stats.compare": "compare",
    "adjudge.stats.frames": "assert_score",
    "adjudge.stats.result": "Result",
    "adjudge.tasks.agreement": "agree",
    "adjudge.tasks.scoring": "explain read score state",
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names.split()}
# Names of the last release, where they are now, and what to write instead.
_MOVED = {
    **{
        name: ("adjudge.algebra", f"adjudge.algebra.{name}")
        for name in (
            *("count", "custom", "exact", "f1", "hierarchy", "ignore", "iou", "latent", "ordered", "overlap"),
            *("sequence", "set_of", "text", "Variable"),
        )
    },
    "load_spec": ("adjudge.algebra", "adjudge.find(path)"),
    "catalogue": ("adjudge.metrics", "adjudge.find()"),
    "explain_document": ("adjudge.tasks.scoring", "adjudge.explain"),
}

__all__ = [
    "AdjudgeError",
    "Conventions",
    "Metric",
    "Result",
    "__version__",
    "agree",
    "algebra",
    "amr",
    "assert_score",
    "compare",
    "coref",
    "derive",
    "eal",
    "estimate",
    "event",
    "explain",
    "find",
    "kbp",
    "linking",
    "metric",
    "ner",
    "nugget",
    "plan",
    "read",
    "record",
    "relation",
    "sample",
    "score",
    "state",
    "template",
    "tree",
    "view",
]


def __getattr__(name: str) -> Any:
    if name in _TASKS:
        return importlib.import_module("adjudge.tasks.named").NamedTask(name)
    if name == "algebra":
        return importlib.import_module("adjudge.algebra")
    home = _HOME_OF.get(name)
    if home is None:
        if name not in _MOVED:
            raise AttributeError(f"module 'adjudge' has no attribute {name!r}")
        import warnings

        home, now = _MOVED[name]
        warnings.warn(f"adjudge.{name} is now {now}", DeprecationWarning, stacklevel=2)
    return getattr(importlib.import_module(home), name)


def __dir__() -> list[str]:
    return list(__all__)
