"""Any metric with a hierarchy of types: a field that is compared by equality gives partial credit instead."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from adjudge.algebra import hierarchy, ir, view
from adjudge.errors import UsageError, did_you_mean
from adjudge.metrics.base import Metric
from adjudge.metrics.combined import Combined

CREDITS: tuple[str, ...] = get_args(ir.Credit)


def as_hierarchy(value: Any, *, credit: str = "halving") -> ir.Hierarchy:
    """A hierarchy from a file, from a mapping of types to their parents, or from what separates levels in names.

    >>> as_hierarchy(".").separator, as_hierarchy({"bombing": "attack"}).parents
    ('.', {'bombing': 'attack'})
    """
    if isinstance(value, ir.Hierarchy):
        return value
    if credit not in CREDITS:
        hint = did_you_mean(credit, CREDITS) or f"choose from {', '.join(CREDITS)}"
        raise UsageError(f"there is no credit {credit!r}", hint=hint)
    if isinstance(value, str) and value and not any(c.isalnum() or c.isspace() for c in value) and not _is_file(value):
        return hierarchy(separator=value, credit=credit)  # type: ignore[arg-type]
    return hierarchy(value, credit=credit)  # type: ignore[arg-type]


def with_hierarchies(metrics: tuple[Any, ...], hierarchies: Mapping[str, ir.Hierarchy]) -> tuple[Any, ...]:
    """Metrics whose fields at the paths give partial credit; a path must be a field of at least one of them.

    >>> from adjudge.metrics import find
    >>> (changed,) = with_hierarchies((find("ner.strict"),), {"entities.type": as_hierarchy(".")})
    >>> def mention(type): return [{"span": {"start": 0, "end": 5}, "type": type}]
    >>> changed.score(mention("Conflict.Attack"), mention("Conflict.Meet")).f1
    0.5
    """
    for path, types in hierarchies.items():
        changed = tuple(_with(metric, path, types) for metric in metrics)
        if changed == metrics:
            members = [member for metric in metrics for member in metric.members]
            raise _unknown(members[0], path)
        metrics = changed
    return metrics


def _with(metric: Any, path: str, types: ir.Hierarchy) -> Any:
    if isinstance(metric, Combined):
        of = tuple((_with(member, path, types), part) for member, part in metric.of)
        return metric if of == metric.of else replace(metric, of=of, laws=(), origin=None)
    return _one(metric, path, types)


def _one(metric: Metric, path: str, types: ir.Hierarchy) -> Metric:
    if metric.clustered is not None and _inner(metric, path) in metric.clustered.fields:
        hint = "choose other metrics"
        raise UsageError(f"{metric.name} compares clusters, which give no partial credit for {path}", hint=hint)
    try:
        similarity = view(metric.similarity).set(_inner(metric, path), types).node
    except UsageError:
        return metric  # it does not look at this field
    # What the metric promises holds of equality; what it is called by no longer says all, so it is written in full.
    return replace(metric, similarity=similarity, laws=(), origin=None)


def _inner(metric: Metric, path: str) -> str:
    """The path from where the similarity begins, which is inside one field of the document."""
    return path.removeprefix(f"{metric.within}.") if metric.within else path


def _unknown(metric: Metric, path: str) -> UsageError:
    try:
        view(metric.similarity).set(_inner(metric, path), ir.Hierarchy(separator="."))
    except UsageError as error:
        problem = error.problems[0]
        return UsageError(f"{metric.name}: {problem.message}", hint=problem.hint)
    return UsageError(f"{metric.name} has this hierarchy already")


def _is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except (OSError, ValueError):
        return False
