"""Facts and rows of one side by what they are about, so that a single triple can be looked into."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from adjudge.tasks.kbp.facts import Facts, label_of
from adjudge.tasks.kbp.options import KbOptions
from adjudge.tasks.kbp.relations import forward_rows, relation_numbers, reversed_relations

if TYPE_CHECKING:
    import numpy.typing as npt

    from adjudge.model.kbp import TripleTable
    from adjudge.tasks.kbp.options import Side

    Ints: TypeAlias = npt.NDArray[Any]


class Index:
    """Where each key of a column stands; `places` says where the column itself comes from, if not from everywhere.

    >>> import numpy as np
    >>> Index(np.array([4, 2, 4])).find(4), Index(np.array([4, 2]), np.array([7, 9])).find(2)
    ([0, 2], [9])
    """

    def __init__(self, keys: Ints, places: Ints | None = None) -> None:
        import numpy as np

        order = np.argsort(keys, kind="stable")
        distinct, starts, numbers = np.unique(keys[order], return_index=True, return_counts=True)
        self.order = order if places is None else places[order]
        # A dictionary answers a million questions in a second, a binary search does not.
        places_of = zip(starts.tolist(), (starts + numbers).tolist(), strict=True)
        self.known = dict(zip(distinct.tolist(), places_of, strict=True))

    def find(self, key: int) -> list[int]:
        """The places of a key, in ascending order."""
        at = self.known.get(key)
        if at is None:
            return []
        found: list[int] = self.order[slice(*at)].tolist()
        return found


class FactIndex:
    """The facts of one side that the other side does not have, by labels; `known` flags all nodes that have a fact."""

    def __init__(self, facts: Facts, labels: int, relations: int, matched: Ints) -> None:
        import numpy as np

        self.facts, self.matched = facts, matched
        self.subjects = label_of(facts, facts.subjects).astype(np.int64)
        self.objects = label_of(facts, facts.objects).astype(np.int64)
        self.size, self.relations = max(1, labels), max(1, relations)
        self.known = np.zeros(self.size, dtype=bool)
        self.known[self.subjects] = True
        self.known[self.objects] = True
        self.alone = np.flatnonzero(~matched)

    @cached_property
    def _pairs(self) -> Index:
        return Index(_pairs(self.subjects[self.alone], self.objects[self.alone], self.size), self.alone)

    @cached_property
    def _by_subject(self) -> Index:
        return Index(self.subjects[self.alone] * self.relations + self.facts.relations[self.alone], self.alone)

    @cached_property
    def _by_object(self) -> Index:
        return Index(self.objects[self.alone] * self.relations + self.facts.relations[self.alone], self.alone)

    @cached_property
    def _every_pair(self) -> Index:
        return Index(_pairs(self.subjects, self.objects, self.size))

    def between(self, one: int, other: int) -> list[int]:
        """The facts between two nodes, in either direction, that the other side does not have."""
        return self._pairs.find(_pair(one, other, self.size))

    def about(self, subject: int, relation: int) -> list[int]:
        """The facts with this subject and relation that the other side does not have."""
        return self._by_subject.find(subject * self.relations + relation)

    def reaching(self, object_: int, relation: int) -> list[int]:
        """The facts with this object and relation that the other side does not have."""
        return self._by_object.find(object_ * self.relations + relation)

    def related(self, one: int, other: int, relation: int) -> bool:
        """Whether there is any fact of this relation between two nodes."""
        found = self._every_pair.find(_pair(one, other, self.size))
        return any(self.facts.relations[fact] == relation for fact in found)


def _pair(one: int, other: int, size: int) -> int:
    return min(one, other) * size + max(one, other)


def _pairs(ones: Ints, others: Ints, size: int) -> Ints:
    import numpy as np

    found: Ints = np.minimum(ones, others) * size + np.maximum(ones, others)
    return found


class RowIndex:
    """The rows of a table by the nodes that they are about, and which triples each of them stands for."""

    def __init__(
        self, table: TripleTable, options: KbOptions, side: Side, *, documents: Sequence[int], named: bool
    ) -> None:
        import numpy as np

        self.table = table
        columns = [
            np.frombuffer(column, dtype=f"i{column.itemsize}") if len(column) else np.zeros(0, dtype=np.int32)
            for column in (table.subjects, table.relations, table.objects, table.documents)
        ]
        s, relations, o, where = columns
        r = relation_numbers(table, options, side, named=named)[relations]
        self.counts = r >= 0
        if options.inverse == "canonical":
            turned = forward_rows(table, options, s, np.maximum(r, 0), o)
            s, r, o = (np.where(self.counts, new, old) for new, old in zip(turned, (s, r, o), strict=True))
        self.inside = np.isin(where, np.asarray(documents, dtype=np.int64))
        self.subjects, self.relations, self.objects = s.astype(np.int64), r, o.astype(np.int64)
        self.size = max(1, len(table.names.nodes.listed))
        self.reverse = reversed_relations(table.names.relations, options)

    @cached_property
    def _counted(self) -> Index:
        return self._index(self.counts & self.inside)

    @cached_property
    def _others(self) -> Index:
        return self._index(~(self.counts & self.inside))

    def _index(self, kept: Ints) -> Index:
        import numpy as np

        rows = np.flatnonzero(kept)
        return Index(_pairs(self.subjects[rows], self.objects[rows], self.size), rows)

    def saying(self, subject: int, relation: int, object_: int) -> list[int]:
        """The rows that stand for a triple, directly or the other way round."""
        return [
            row
            for row in self._counted.find(_pair(subject, object_, self.size))
            if self._says(row, subject, relation, object_)
        ]

    def left_out(self, one: int, other: int) -> list[int]:
        """The rows between two nodes that do not count."""
        return self._others.find(_pair(one, other, self.size)) if max(one, other) < self.size else []

    def _says(self, row: int, subject: int, relation: int, object_: int) -> bool:
        s, r, o = int(self.subjects[row]), int(self.relations[row]), int(self.objects[row])
        return (s, r, o) == (subject, relation, object_) or (
            (o, s) == (subject, object_) and self.reverse.get(r) == relation
        )
