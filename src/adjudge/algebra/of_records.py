"""Similarities of documents that compare nothing but their records, leaf by leaf.

What became of the leaves of two single records is then all that the numbers of the two documents depend on.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from adjudge.algebra import shape
from adjudge.algebra.operators import collection, leaves, record, wrap
from adjudge.algebra.operators.base import GOLD, SYSTEM, Context, Op
from adjudge.algebra.operators.leaf_outcomes import Outcomes


class OfRecords(NamedTuple):
    """Documents of which the records are compared, by all of their leaves or by a similarity of each two records."""

    name: str
    leaves: leaves.LeavesOp
    element: Op | None = None

    @property
    def schema(self) -> shape.Schema:
        """How fields are compared."""
        return self.leaves.node.schema

    def observe(self, found: Outcomes) -> tuple[float, float, float]:
        """The numbers of two documents of one record each, both with leaves, from what became of these."""
        if self.element is None:
            return found.total.correct, found.total.system, found.total.gold
        s, g = self.leaves.known(found)
        one, other = _around(self.element, s), _around(self.element, g)
        own = self.element.self_score(one, SYSTEM), self.element.self_score(other, GOLD)
        return (self.element.pair(one, other, Context()), *own)


def _around(op: Op, records: leaves.Records) -> Any:
    """Records as the ratios around them want them, which look at their size."""
    if isinstance(op, wrap.NormaliseOp):
        return (_around(op.inner, records), float(records.records.size))
    return _around(op.inner, records) if isinstance(op, wrap.Wrapper) else records


def of_records(op: Op) -> OfRecords | None:
    """What an operator compares, if it is nothing but the records of documents."""
    if not (isinstance(op, record.RecordOp) and len(op.ops) == 1 and op.size is None):
        return None
    ((name, inner),) = op.ops.items()
    if isinstance(inner, leaves.LeavesOp):
        return OfRecords(name, inner)
    if not (
        isinstance(inner, wrap.MappedOp)
        and all(each is not None and each.name == "records" for each in inner.functions)
    ):
        return None
    each = inner.inner
    if not (isinstance(each, collection.SetOp) and each.match == "1:1"):
        return None
    element = each.element
    while isinstance(element, wrap.NormaliseOp | wrap.ThresholdOp) and not getattr(element, "recall", None):
        element = element.inner
    return OfRecords(name, element, each.element) if isinstance(element, leaves.LeavesOp) else None
