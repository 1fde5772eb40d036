"""The metric of a type or of a view on one: which fields of a document count, together or each by itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

from adjudge.algebra import derive_similarity, ir, view
from adjudge.algebra.view import View, counting_elements, is_collection
from adjudge.errors import UsageError
from adjudge.metrics.base import Metric, Pool
from adjudge.metrics.combined import Combined


def derive(
    kind: Any,
    *,
    name: str | None = None,
    nested: Literal["f1", "count"] = "f1",
    pool: Pool = "micro",
    conventions: ir.Conventions | None = None,
    names: Mapping[str, Any] | None = None,
) -> Metric | Combined:
    """The metric of a type: the type is the metric.

    Fields are compared by equality unless `typing.Annotated` says otherwise (`Annotated[str, aj.ignore]`: not at all),
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
