"""Leaves by their definition: every alignment of every list is tried, and the best one by (C, E, W, F) is kept.

Shares nothing with the operator but the comparison of two scalar values.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

from adjudge.algebra import shape
from adjudge.algebra.leaf_values import absent, credit, reading

Worth = tuple[float, int, float, float]
NOTHING: Worth = (0, 0, 0, 0)
UNIT = 1 << 20


def worth(schema: shape.Schema, gold: Any, system: Any) -> Worth:
    """(C, E, W, F) of the best alignment of two documents."""
    ours, theirs = records(schema, gold), records(schema, system)
    listing = schema.root if isinstance(schema.root, shape.Listing) else shape.Listing(of=schema.root)
    listing = shape.Listing(of=record_shape(schema), match=listing.match, key=listing.key, pair_at=listing.pair_at)
    if isinstance(gold, Mapping) and len(theirs) == 1:
        return compare(schema, listing.of, ours[0], theirs[0])
    return compare(schema, listing, ours, theirs)


def leaves(schema: shape.Schema, document: Any, *, of_gold: bool = True) -> int:
    """The number of leaves of a document."""
    return sum(size(schema, record_shape(schema), each, of_gold) for each in records(schema, document))


def record_shape(schema: shape.Schema) -> shape.Shape:
    """The shape of one record."""
    root = schema.root.of if isinstance(schema.root, shape.Listing) else schema.root
    return root if isinstance(root, shape.Fields | shape.Anything) else shape.Fields(fields={"value": root})


def records(schema: shape.Schema, document: Any) -> list[Any]:
    """The records of a document."""
    root = schema.root.of if isinstance(schema.root, shape.Listing) else schema.root
    objects = isinstance(root, shape.Fields | shape.Anything)
    listed = document if isinstance(document, list) else [] if document is None else [document]
    return [each if isinstance(each, Mapping) and objects else {"value": each} for each in listed]


def size(schema: shape.Schema, of: shape.Shape, value: Any, of_gold: bool) -> int:
    """The number of leaves of a value."""
    is_absent = absent(schema)
    match of:
        case shape.Ignore():
            return 0
        case shape.Leaf():
            return int(not is_absent(value))
        case shape.Fields() if isinstance(value, Mapping):
            return sum(size(schema, inner, value.get(name), of_gold) for name, inner in of.fields.items())
        case shape.Fields():
            return sum(not is_absent(each) for each in scalars(value))
        case shape.Listing():
            return sum(size(schema, of.of, each, of_gold) for each in elements(schema, of, value))
    if isinstance(value, Mapping):
        return sum(size(schema, of, each, of_gold) for each in value.values())
    if isinstance(value, list):
        return sum(size(schema, of, each, of_gold) for each in value)
    return int(not is_absent(value))


def scalars(value: Any) -> Iterator[Any]:
    """The scalars in a value."""
    if isinstance(value, Mapping | list):
        for each in value.values() if isinstance(value, Mapping) else value:
            yield from scalars(each)
    else:
        yield value


def elements(schema: shape.Schema, of: shape.Listing, value: Any) -> list[Any]:
    """The elements of a list that count."""
    is_absent = absent(schema)
    listed = value if isinstance(value, list) else [] if value is None else [value]
    kept = [each for each in listed if of.match == "place" or size(schema, of.of, each, True)]
    if of.unique:
        marks = [seen(schema, of.of, each) for each in kept]
        kept = [each for place, each in enumerate(kept) if marks[place] not in marks[:place]]
    return [None if is_absent(each) else each for each in kept]


def seen(schema: shape.Schema, of: shape.Shape, value: Any) -> Any:
    """What the comparisons of a shape can see of a value."""
    if not size(schema, of, value, True):
        return None
    match of:
        case shape.Leaf():
            return reading(of.by).read(value)
        case shape.Fields() if isinstance(value, Mapping):
            return tuple(seen(schema, inner, value.get(name)) for name, inner in of.fields.items())
        case shape.Fields():
            return ("stray", tuple(each for each in scalars(value) if not absent(schema)(each)))
        case shape.Listing():
            return bag(seen(schema, of.of, each) for each in elements(schema, of, value))
    assert isinstance(of, shape.Anything)
    if isinstance(value, Mapping):
        named = ((name, seen(schema, of, each)) for name, each in value.items())
        return "object", frozenset((name, each) for name, each in named if each is not None)
    if isinstance(value, list):
        return "list", bag(each for inner in value if (each := seen(schema, of, inner)) is not None)
    return reading(of.by).read(value)


def bag(items: Any) -> Any:
    """Elements and how often they occur."""
    listed = list(items)
    return frozenset((each, listed.count(each)) for each in listed)


def compare(schema: shape.Schema, of: shape.Shape, g: Any, s: Any) -> Worth:
    """(C, E, W, F) of the best alignment of two values; credits are multiples of 2^-20."""
    if not size(schema, of, g, True) or not size(schema, of, s, False):
        return NOTHING
    match of:
        case shape.Leaf():
            return leaf(schema, of, g, s)
        case shape.Fields():
            if not isinstance(g, Mapping) or not isinstance(s, Mapping):
                return NOTHING
            kept = [(name, inner) for name, inner in of.fields.items() if not isinstance(inner, shape.Ignore)]
            return added(
                ranked(compare(schema, inner, g.get(name), s.get(name)), len(kept) - place)
                for place, (name, inner) in enumerate(kept)
            )
        case shape.Listing():
            return aligned(schema, of, elements(schema, of, g), elements(schema, of, s))
    assert isinstance(of, shape.Anything)
    kinds = [Mapping if isinstance(each, Mapping) else list if isinstance(each, list) else None for each in (g, s)]
    if kinds[0] is not kinds[1]:
        return NOTHING
    if kinds[0] is Mapping:
        return added(
            ranked(compare(schema, of, each, s.get(name)), len(g) - place)
            for place, (name, each) in enumerate(g.items())
        )
    if kinds[0] is list:
        bags = shape.Listing(of=of)
        return aligned(schema, bags, elements(schema, bags, g), elements(schema, bags, s))
    return leaf(schema, shape.Leaf(by=of.by), g, s)


def leaf(schema: shape.Schema, of: shape.Leaf, g: Any, s: Any) -> Worth:
    """Two scalars."""
    given = g if of.any and isinstance(g, list) else [g]
    right = max(credit(of.by)(each, s) for each in given if not absent(schema)(each))
    right = round(right * UNIT) / UNIT
    return right, 0, 1 - right, 0


def ranked(inner: Worth, rank: int) -> Worth:
    """What a field adds to its object."""
    return inner[0], inner[1], inner[2], rank * inner[0] + inner[3]


def added(parts: Any) -> Worth:
    """The sum of several."""
    found = list(parts)
    c, e, w, f = (sum(each[level] for each in found) for level in range(4))
    return c, e, w, f


def aligned(schema: shape.Schema, of: shape.Listing, gs: list[Any], ss: list[Any]) -> Worth:
    """The best of all alignments of two lists."""
    if of.match == "place":
        return added(pair(schema, of, *both) for both in zip(gs, ss, strict=False))
    table = [[pair(schema, of, g, s) for s in ss] for g in gs]
    best = NOTHING
    for chosen in itertools.product([None, *range(len(ss))], repeat=len(gs)):
        used = [(i, j) for i, j in enumerate(chosen) if j is not None]
        if len({j for _, j in used}) < len(used):
            continue
        if of.match == "order" and [j for _, j in used] != sorted(j for _, j in used):
            continue
        if all(allowed(schema, of, gs[i], ss[j], table[i][j][0]) for i, j in used):
            best = max(best, added(table[i][j] for i, j in used))
    return best


def pair(schema: shape.Schema, of: shape.Listing, g: Any, s: Any) -> Worth:
    """Two elements; a pair of objects without any error counts as such."""
    c, e, w, f = compare(schema, of.of, g, s)
    whole = isinstance(g, Mapping) and isinstance(s, Mapping) and not isinstance(of.of, shape.Leaf)
    right = c == size(schema, of.of, g, True) == size(schema, of.of, s, False)
    return c, e + (whole and right), w, f


def allowed(schema: shape.Schema, of: shape.Listing, g: Any, s: Any, c: float) -> bool:
    """Whether two elements may be paired."""
    sizes = size(schema, of.of, g, True), size(schema, of.of, s, False)
    if c <= 0 or (of.pair_at is not None and 2 * c < of.pair_at * sum(sizes) - 1e-9):
        return False
    for name in of.key:
        assert isinstance(of.of, shape.Fields)
        inner = of.of.fields[name]
        ours, theirs = size(schema, inner, g.get(name), True), size(schema, inner, s.get(name), False)
        if not compare(schema, inner, g.get(name), s.get(name))[0] == ours == theirs:
            return False
    return True
