"""The metric framework: similarities as values, three ways to write them, and a planner that computes them exactly."""

import importlib
from typing import TYPE_CHECKING, Any

from adjudge.algebra.access import ignore
from adjudge.algebra.functions import Fn
from adjudge.algebra.ir import Conventions, Similarity
from adjudge.algebra.matching import (
    best_pair,
    count,
    f,
    f1,
    graph,
    greedy,
    jaccard,
    latent,
    many_to_many,
    many_to_one,
    one_sided,
    one_to_many,
    one_to_one,
    precision,
    prf,
    recall,
    sequence,
    set_of,
)
from adjudge.algebra.similarity import (
    best_of,
    case,
    custom,
    dice,
    edit,
    exact,
    hierarchy,
    iou,
    mapped,
    number,
    one_of,
    overlap,
    record,
    span,
    text,
    threshold,
    total,
    union,
    unit,
    variable,
)
from adjudge.model.variable import Variable

if TYPE_CHECKING:
    from adjudge.algebra.derive import derive_similarity, ordered
    from adjudge.algebra.plan import problems
    from adjudge.algebra.spec import MetricSpec, decode, dump_spec, encode, load_spec, spec_schema
    from adjudge.algebra.views import View, view

__all__ = [
    "Conventions",
    "Fn",
    "MetricSpec",
    "Similarity",
    "Variable",
    "View",
    "best_of",
    "best_pair",
    "case",
    "count",
    "custom",
    "decode",
    "derive_similarity",
    "dice",
    "dump_spec",
    "edit",
    "encode",
    "exact",
    "f",
    "f1",
    "graph",
    "greedy",
    "hierarchy",
    "ignore",
    "iou",
    "jaccard",
    "latent",
    "load_spec",
    "many_to_many",
    "many_to_one",
    "mapped",
    "number",
    "one_of",
    "one_sided",
    "one_to_many",
    "one_to_one",
    "ordered",
    "overlap",
    "precision",
    "prf",
    "problems",
    "recall",
    "record",
    "sequence",
    "set_of",
    "span",
    "spec_schema",
    "text",
    "threshold",
    "total",
    "union",
    "unit",
    "variable",
    "view",
]


_HOMES = {
    "derive": "derive_similarity ordered",
    "plan": "problems",
    "spec": "MetricSpec decode dump_spec encode load_spec spec_schema",
    "views": "View view",
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    """Load the modules for classes and specification files on first use."""
    home = _HOME_OF.get(name)
    if home is not None:
        return getattr(importlib.import_module(f"{__name__}.{home}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
