"""Objects of nothing but scalars, as most records are: what became of their leaves, without preparing them first.

Two texts that are equal as they stand are right under every comparison but one of the user's, so that only values that
differ, and those that may be absent, are read.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, TypeAlias

from adjudge.algebra import shape
from adjudge.algebra.operators.base import GOLD, SYSTEM
from adjudge.algebra.operators.leaf_outcomes import ONE, Outcome, Outcomes, outcome_of
from adjudge.algebra.operators.leaf_prepared import SCALARS, Kind, step
from adjudge.algebra.operators.leaf_shapes import AnythingKind, Compiler, FieldsKind, LeafKind

Flat: TypeAlias = Callable[[dict[str, Any], dict[str, Any]], Outcomes | None]
"""What became of the leaves of an object of gold and one of the system; None if one of them is not flat."""

_MOST = 1 << 12  # sets of keys that are remembered
_RIGHT, _WRONG, _OMITTED, _HALLUCINATED, _ABSENT = range(5)


def flat(kind: Kind, compiler: Compiler) -> Flat | None:
    """How objects of a kind are compared if they are flat; None if they never are."""
    if isinstance(kind, AnythingKind):
        return _Anything(kind, compiler)
    if isinstance(kind, FieldsKind) and kind.extra is None and all(isinstance(each, LeafKind) for each in kind.kinds):
        return _Fields(kind, compiler)
    return None


class _Compared:
    """The scalars of two objects, field by field."""

    def __init__(self, compiler: Compiler) -> None:
        schema = compiler.schema
        self.absent = compiler.absent if schema.nulls or schema.blank else str.isspace
        self.doubtful: Sequence[int] = ()  # places of fields in which not even what is equal is right

    def outcome(self, place: int, a: Any, b: Any) -> int | float:
        """What became of a leaf: one of the five outcomes, or a credit that is a part."""
        raise NotImplementedError

    def outcomes(self, right: dict[str, Outcome], ours: Collection[Any], theirs: Collection[Any]) -> Outcomes | None:
        """What became of all leaves, of which `right` has the paths."""
        absent = self.absent
        todo = [
            (place, a, b)
            for place, (a, b) in enumerate(zip(ours, theirs, strict=True))
            if a != b
            or not a
            or (kind := type(a)) is not type(b)
            or (kind is not int and (kind is not str or absent(a)))
        ]
        if self.doubtful:
            every = list(zip(ours, theirs, strict=True))
            known = {place for place, _, _ in todo}
            todo += [(place, *every[place]) for place in self.doubtful if place not in known]
        rows, paths = right.copy(), list(right) if todo else []
        counts, credits = [len(right) - len(todo), 0, 0, 0, 0], {}
        for place, a, b in todo:
            if type(a) not in SCALARS or type(b) not in SCALARS:
                return None
            found = self.outcome(place, a, b)
            if type(found) is int:
                counts[found] += 1
                rows[paths[place]] = ONE[found]
            else:
                credits[place] = found
                rows[paths[place]] = Outcome(found, 1 - found)
        return Outcomes(outcome_of(counts, [credits[place] for place in sorted(credits)]), rows)


class _Fields(_Compared):
    """Objects with the fields of a schema."""

    def __init__(self, kind: FieldsKind, compiler: Compiler) -> None:
        super().__init__(compiler)
        self.names = kind.names
        self.leaves = [each for each in kind.kinds if isinstance(each, LeafKind)]
        self.doubtful = [place for place, each in enumerate(self.leaves) if isinstance(each.by, shape.Sim)]
        self.right = dict.fromkeys(kind.paths(""), ONE[_RIGHT])

    def __call__(self, gold: dict[str, Any], system: dict[str, Any]) -> Outcomes | None:
        sides = []
        for each in (gold, system):
            own = list(map(each.get, self.names))
            if len(each) != len(own) and not SCALARS.issuperset(map(type, each.values())):
                return None  # in what is not compared there may be what JSON does not have
            sides.append(own)
        return self.outcomes(self.right, *sides)

    def outcome(self, place: int, a: Any, b: Any) -> int | float:
        leaf = self.leaves[place]
        p = None if a is None else leaf.prepare(a, GOLD)
        q = None if b is None else leaf.prepare(b, SYSTEM)
        if p is None or q is None:
            return (_ABSENT if q is None else _HALLUCINATED) if p is None else _OMITTED
        if leaf.coded:
            return _RIGHT if p == q else _WRONG
        credit = leaf.credit(p, q)
        return credit if 0 < credit < 1 else _RIGHT if credit else _WRONG


class _Anything(_Compared):
    """Objects without a schema: key by key, those of gold first."""

    def __init__(self, kind: AnythingKind, compiler: Compiler) -> None:
        super().__init__(compiler)
        self.prepare = kind.prepare
        self._right: dict[tuple[str, ...], dict[str, Outcome]] = {}

    def __call__(self, gold: dict[str, Any], system: dict[str, Any]) -> Outcomes | None:
        names = tuple(gold)
        sides: tuple[Collection[Any], Collection[Any]] = gold.values(), system.values()
        if names != tuple(system):
            names = tuple(dict.fromkeys((*gold, *system)))
            sides = list(map(gold.get, names)), list(map(system.get, names))
        right = self._right.get(names)
        if right is None:
            if len(self._right) >= _MOST:
                self._right.clear()
            right = self._right[names] = {step("", name): ONE[_RIGHT] for name in names}
        return self.outcomes(right, *sides)

    def outcome(self, place: int, a: Any, b: Any) -> int | float:
        p = None if a is None else self.prepare(a, GOLD)
        q = None if b is None else self.prepare(b, SYSTEM)
        if p is None or q is None:
            return (_ABSENT if q is None else _HALLUCINATED) if p is None else _OMITTED
        return _RIGHT if p == q else _WRONG
