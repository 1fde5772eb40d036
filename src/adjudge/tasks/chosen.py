"""The requested metrics: by name, from a file, or derived from a type."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

import msgspec

from adjudge.algebra import ir
from adjudge.errors import UsageError, did_you_mean
from adjudge.tasks.family import PROFILES, find_family, is_family

if TYPE_CHECKING:
    from adjudge.tasks.observe import AnyMetric


def as_metrics(
    metric: Any,
    *,
    pool: str | None = None,
    profile: str = "default",
    time_limit: float | None = None,
    hierarchy: Mapping[str, Any] | None = None,
    options: Mapping[str, Any] | None = None,
) -> tuple[AnyMetric, ...]:
    """One or several metrics, under one pooling and the conventions of a profile, with the hierarchies of fields.

    The name of a family stands for its metrics. `options` go to every metric, besides those in its name.

    >>> [each.name for each in as_metrics("relation.strict(beta=2), relation.spans")]
    ['relation.strict', 'relation.spans']
    """
    if profile not in PROFILES:
        hint = did_you_mean(profile, PROFILES) or f"profiles are {', '.join(PROFILES)}"
        raise UsageError(f"there is no profile {profile!r}", hint=hint)
    if isinstance(metric, str):
        metric = [metric] if is_spec_file(metric) else split_names(metric)
    listed = [one for each in (metric if isinstance(metric, list | tuple) else [metric]) for one in _members(each)]
    found = [_as_metric(each, options or {}) for each in listed]
    if not found:
        raise UsageError("there is no metric", hint="name one, see `adjudge metrics`")
    changes = PROFILES[profile]
    metrics = tuple(
        each.with_options(
            pool=cast("Any", pool),
            conventions=msgspec.structs.replace(each.conventions, **changes) if changes else None,
            time_limit=time_limit,
        )
        for each in found
    )
    names = [each.name for each in metrics]
    for name in names:
        if names.count(name) > 1:
            hint = "name each metric once, and score other options in a run of their own"
            raise UsageError(f"the metric {name} is named twice", hint=hint)
    if len({each.pool for each in metrics}) > 1:
        raise UsageError("these metrics use different pooling", hint="choose one with pool (--pool micro or macro)")
    if not hierarchy:
        return metrics
    from adjudge.metrics.derived import as_hierarchy, with_hierarchies

    return with_hierarchies(metrics, {path: as_hierarchy(each) for path, each in hierarchy.items()})


def is_spec_file(text: str) -> bool:
    """Whether a string names an existing specification file."""
    extension = os.path.splitext(text)[1].lower()  # noqa: PTH122  # loading Path takes a tenth of a first small score
    return extension in (".json", ".yaml", ".yml") and os.path.isfile(text)  # noqa: PTH113


def split_names(text: str) -> list[str]:
    """The parts of a comma-separated list; commas inside brackets do not separate.

    >>> split_names("relation.strict(beta=2,pool=macro), record.set")
    ['relation.strict(beta=2,pool=macro)', 'record.set']
    """
    parts, depth = [""], 0
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]


def _members(value: Any) -> list[Any]:
    """The metrics of a family, if a text is the name of one."""
    if not isinstance(value, str) or not is_family(value):
        return [value]
    return list(find_family(value).metrics)


def _as_metric(value: Any, options: Mapping[str, Any]) -> AnyMetric:
    from adjudge.metrics.registry import Definition, find

    if isinstance(value, str):
        try:
            return cast("AnyMetric", find(value, **options))
        except UsageError:
            from adjudge.tasks.own_metrics import how_to_score

            if hint := how_to_score(value):
                raise UsageError(f"{value} is scored by its task alone", hint=hint) from None
            raise
    if isinstance(value, Definition):
        return cast("AnyMetric", value(**options))
    if options:
        name, called = next(iter(options)), getattr(value, "name", None) or type(value).__name__
        raise UsageError(f"{called} has no option {name!r}", hint="name a metric of the catalogue, or leave it out")
    from adjudge.algebra.views import View
    from adjudge.metrics.base import Metric
    from adjudge.metrics.derived import derive, of_view

    if isinstance(value, View):
        return of_view(value)
    if isinstance(value, ir.Node):
        return Metric(similarity=cast("ir.Similarity", value))
    if hasattr(value, "observe"):
        return cast("AnyMetric", value)
    return derive(value)
