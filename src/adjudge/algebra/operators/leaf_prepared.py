"""Prepared values, which are compared leaf by leaf, and the interface of compiled shapes.

A prepared value is None if it is absent, a `Rec` for an object with the fields of a schema, an `Obj` for one without, a
`Lst` for a list, a `Stray` for anything else in the place of an object, and otherwise the normal form of a leaf.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from adjudge.algebra.operators.leaf_outcomes import Place, Tally


class Worth(NamedTuple):
    """What a pair of values is worth, in the order in which alignments are chosen.

    Correct leaves, pairs of objects without any error, wrong leaves (the more, the fewer stay unmatched), and correct
    leaves weighted by the rank of their fields, of which the first has the highest.
    """

    correct: int
    whole: int
    wrong: int
    early: int


NOTHING = Worth(0, 0, 0, 0)


class Rec:
    """An object by a schema: its fields in order, and those that the schema does not name, if they count."""

    __slots__ = ("extra", "parts", "size")

    def __init__(self, parts: tuple[Any, ...], size: int, extra: Obj | None = None) -> None:
        self.parts, self.size, self.extra = parts, size, extra


class Obj:
    """An object without a schema."""

    __slots__ = ("parts", "size")

    def __init__(self, parts: dict[str, Any], size: int) -> None:
        self.parts, self.size = parts, size


class Lst:
    """A list: its elements, and their positions if some of it are left out."""

    __slots__ = ("items", "positions", "size")

    def __init__(self, items: list[Any], positions: Sequence[int], size: int) -> None:
        self.items, self.positions, self.size = items, positions, size


class Stray:
    """A value that should be an object: its scalars are leaves, and none of them can be right."""

    __slots__ = ("places", "size", "values")

    def __init__(self, values: tuple[Hashable, ...], places: tuple[Place, ...]) -> None:
        self.values, self.places, self.size = values, places, len(values)


class Acceptable(tuple[Any, ...]):
    """Acceptable values of gold, prepared."""

    __slots__ = ()


CONTAINERS = (Rec, Obj, Lst, Stray)
TYPES = frozenset(CONTAINERS)
SCALARS = frozenset((str, int, float, bool, type(None)))


def size_of(p: Any) -> int:
    """The number of leaves of a prepared value."""
    if p is None:
        return 0
    return p.size if type(p) in TYPES else 1


class Kind:
    """A compiled shape. `same`: values with equal keys match in every leaf, and matching is transitive."""

    same = True
    listed = False

    def prepare(self, value: Any, side: int) -> Any:
        """A value as it is compared."""
        raise NotImplementedError

    def key(self, p: Any) -> Hashable:
        """Values with equal keys are the same to every comparison."""
        raise NotImplementedError

    def worth(self, g: Any, s: Any) -> Worth:
        """The worth of a pair of values, neither of which is absent."""
        raise NotImplementedError

    def both(self, g: Any, s: Any, at: str, tally: Tally, gp: Place | None, sp: Place | None) -> None:
        """Count the leaves of two aligned values."""
        raise NotImplementedError

    def alone(self, p: Any, side: int, at: str, tally: Tally, where: Place | None) -> None:
        """Count the leaves of a value without a counterpart."""
        raise NotImplementedError


EMPTY = Obj({}, 0)


def scalars(value: Any, where: Place) -> Iterator[tuple[Place, Any]]:
    """The scalars in a value and their places in it."""
    inner: Iterable[tuple[Any, Any]]
    if isinstance(value, Mapping):
        inner = value.items()
    elif isinstance(value, list | tuple):
        inner = enumerate(value)
    else:
        yield where, value
        return
    for name, each in inner:
        yield from scalars(each, (*where, name))


def step(at: str, name: str) -> str:
    """The path of a field of the value at a path.

    >>> step("lines[]", "price"), step("", "a.b"), step("c", "d[]")
    ('lines[].price', '"a.b"', 'c."d[]"')
    """
    if not name or not _SPECIAL.isdisjoint(name):
        name = json.dumps(name, ensure_ascii=False)
    return f"{at}.{name}" if at else name


_SPECIAL = frozenset('.[]"')
