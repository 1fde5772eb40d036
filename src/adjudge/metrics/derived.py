"""The metric of a type or of a view on one, and any metric with a hierarchy of types in one of its fields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, get_args

from adjudge.algebra import hierarchy, ir, view
from adjudge.algebra.view import View, counting_elements, is_collection
from adjudge.errors import UsageError, did_you_mean
from adjudge.metrics.base import Metric, Pool
from adjudge.metrics.combined import Combined

CREDITS: tuple[str, ...] = get_args(ir.Credit)


def derive(
    kind: Any,
    *,
    name: str | None = None,
    nested: Literal["f1", "count"] = "f1",
    pool: Pool = "micro",
    conventions: ir.Conventions | None = None,
    names: Mapping[str, Any] | None = None,
) -> Metric | Combined:
    """The metric defined by a type.

    Fields are compared by equality unless `typing.Annotated` says otherwise (with `aj.algebra.ignore` not at all),
    records by the product of their fields, collections by the best one-to-one matching of their elements; inside a
    record a collection counts by its F1 (1 if both are empty), or with `nested="count"` by the number of matched
    elements. `names` resolves forward references to types that are not at the top of a module.

    A record type is a document, whose field `id` pairs documents and is never compared; values of any other type stand
    in a document's field `value`. A document with one field counts its elements over all documents. One with several
    collections has a row for each field, `NAME.FIELD`; `derive(Doc).product("joint")` adds their product. Any other is
    one record, which counts once.

    >>> derive(set[int]).score({3, 4, 5}, {1, 2, 3, 4}).precision
    0.5
    """
    from adjudge.algebra.derive import derive_similarity

    similarity = derive_similarity(kind, nested=nested, names=names)
    shape: ir.Similarity = similarity
    while isinstance(shape, ir.Latent | ir.Normalise):
        shape = shape.of
    whole = isinstance(shape, ir.Record | ir.Sum)
    made = Metric(
        similarity=similarity,
        name=name or str(getattr(kind, "__name__", "metric")),
        pool=pool,
        conventions=conventions or ir.Conventions(),
        document=kind if whole else None,
        within=None if whole else "value",
    )
    return _of_document(made) if whole else made


def of_view(chosen: View) -> Metric | Combined:
    """The metric of a view; that on a type treats documents as `derive` does.

    >>> from typing import NamedTuple
    >>> class Page(NamedTuple):
    ...     id: str
    ...     tags: list[str]
    ...     links: list[str]
    >>> of_view(view(Page)).parts[-1], of_view(view(Page).only("tags")).parts[-1]
    ('metric.links.f1', 'f1')
    """
    made = Metric(similarity=chosen.node)
    return _of_document(made) if chosen.derived else made


def _of_document(metric: Metric) -> Metric | Combined:
    """A metric of documents without their id, with a row for each field if several are collections."""
    node = counting_elements(_without_id(metric))
    if not isinstance(node, ir.Record) or sum(map(is_collection, node.fields.values())) < 2 or node.size is not None:
        return replace(metric, similarity=node)
    rows = [
        replace(metric, name=f"{metric.name}.{field}", similarity=counting_elements(ir.Record(fields={field: inner})))
        for field, inner in node.fields.items()
    ]
    return Combined(name=metric.name, of=tuple((row, row.parts[-1]) for row in rows), op=None)


def _without_id(metric: Metric) -> ir.Similarity:
    node = metric.similarity
    record = node.of if isinstance(node, ir.Latent) else node
    if not isinstance(record, ir.Record) or "id" not in record.fields:
        return node
    if len(record.fields) == 1:
        hint = "add a field, or derive the type of what is compared, such as list[str]"
        raise UsageError(f"{metric.name} has nothing to compare: its id pairs documents", hint=hint)
    return view(node).ignore("id").node


# ---------------------------------------------------------------------------------------------------------------------
# Hierarchies: a field that is compared by equality gives partial credit instead


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
