"""The catalogue: one file per family, discovered automatically, so that adding a metric is adding a file.

Equations (Eq. 13) are those of Chen et al. 2023, A Unified View of Evaluation Metrics for Structured Prediction.
"""

from adjudge.metrics.base import Metric, Row, Scores
from adjudge.metrics.derived import Combined, derive
from adjudge.metrics.registry import Definition, catalogue, find, metric

__all__ = ["Combined", "Definition", "Metric", "Row", "Scores", "catalogue", "derive", "find", "metric"]
