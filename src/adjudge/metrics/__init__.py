"""The catalogue: one file per family, discovered automatically, so that adding a metric is adding a file.

Equations (Eq. 13) are those of Chen et al. 2023, A Unified View of Evaluation Metrics for Structured Prediction.
"""

import importlib
from typing import TYPE_CHECKING, Any

from adjudge.metrics.base import Metric, Row, Scores
from adjudge.metrics.registry import Definition, catalogue, find, metric

if TYPE_CHECKING:
    from adjudge.metrics.derived import Combined, derive

__all__ = ["Combined", "Definition", "Metric", "Row", "Scores", "catalogue", "derive", "find", "metric"]


def __getattr__(name: str) -> Any:
    """Load what averages and types need on first use."""
    if name in ("Combined", "derive"):
        return getattr(importlib.import_module("adjudge.metrics.derived"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
