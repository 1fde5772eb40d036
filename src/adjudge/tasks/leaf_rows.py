"""Documents of one flat record each, which need no search: their leaves are looked at once for all metrics."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from adjudge.algebra.operators.leaf_outcomes import Outcome
from adjudge.tasks.observe import Counted, Seen

if TYPE_CHECKING:
    from adjudge.tasks.observe import AnyMetric

_PLAIN = Counted()
_MOST = 1 << 16  # counts of leaves of which it is remembered what metrics make of them


class LeafRows:
    """Metrics that compare the same leaves of records; travels to other processes. `keep`: what became of leaves."""

    def __init__(self, metrics: Sequence[AnyMetric], *, keep: bool) -> None:
        self.metrics, self.keep = metrics, keep
        self.members = [one for each in metrics for one in each.members]
        self.names = [one.name for one in self.members if one.leaves is not None]
        self.of_records = [one.of_records for one in self.members]
        self.within, self.flat = self.of_records[0].name, self.of_records[0].leaves.flat
        self._known: dict[Outcome, tuple[float, ...]] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(LeafRows, keep=self.keep), (self.metrics,)

    @classmethod
    def of(cls, metrics: Sequence[AnyMetric], columns: Sequence[str], *, keep: bool) -> LeafRows | None:
        """The metrics if they do, each with its own columns; else None."""
        members = [one for each in metrics for one in each.members]
        found: list[Any] = [one.of_records for one in members if one.document is None]
        if len(found) != len(metrics) or not all(found):
            return None
        alike = all(each.name == found[0].name and each.schema == found[0].schema for each in found)
        own = tuple(column for one in members for column in one.columns)
        return cls(metrics, keep=keep) if alike and found[0].leaves.flat and own == tuple(columns) else None

    def row(self, gold: Any, system: Any) -> tuple[tuple[float, ...], Seen | None] | None:
        """The counts of two documents, and what became of their leaves; None if they take a closer look."""
        if type(gold) is not dict or type(system) is not dict:
            return None
        ours, theirs = gold.get(self.within), system.get(self.within)
        if type(ours) is not dict or type(theirs) is not dict:
            return None
        found = self.flat(ours, theirs)
        if found is None:
            return None
        total = found.total
        counts = self._known.get(total)
        if counts is None:
            if not total.gold or not total.system:
                return None
            if len(self._known) >= _MOST:
                self._known.clear()
            numbers: list[float] = []
            for one, own in zip(self.members, self.of_records, strict=True):
                numbers += (*own.observe(found), *(total[1:] if len(one.columns) > 3 else ()))
            counts = self._known[total] = tuple(numbers)
        return counts, Seen(_PLAIN, {}, dict.fromkeys(self.names, found.by_path)) if self.keep else None
