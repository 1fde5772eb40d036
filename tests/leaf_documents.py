"""Random schemas of nested records and random documents, small enough to try all alignments."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from adjudge.algebra import shape
from adjudge.algebra.shape import Anything, Fields, Leaf, Listing, Schema

SCALARS = st.sampled_from(["x", "X ", "y", "", None, 0, 1, 1.0, True, "1"])
TEXTS = st.sampled_from(["x", "X ", "y", None])
NUMBERS = st.sampled_from([0, 1, "1.0", 2, None, "?"])
WORDS = st.sampled_from(["a b c", "a b", "b d", "a", None])


def anything(depth: int = 2) -> st.SearchStrategy[Any]:
    """JSON as it comes."""
    if depth == 0:
        return SCALARS
    below = anything(depth - 1)
    return st.one_of(
        SCALARS,
        st.dictionaries(st.sampled_from("abc"), below, max_size=3),
        st.lists(below, max_size=3),
    )


@st.composite
def shapes(draw: st.DrawFn, depth: int = 2) -> tuple[shape.Shape, st.SearchStrategy[Any]]:
    """A shape and values for it, mostly ones that fit."""
    kind = draw(st.sampled_from(["text", "number", "near", "words"] + ["list", "list", "fields"] * (depth > 0)))
    if kind == "text":
        return Leaf(), TEXTS
    if kind == "number":
        return Leaf(by=shape.Number()), NUMBERS
    if kind == "near":
        return Leaf(by=shape.Number(tolerance="1")), NUMBERS
    if kind == "words":
        return Leaf(by=shape.Words()), WORDS
    if kind == "fields":
        parts = {name: draw(shapes(depth - 1)) for name in "ab"}
        return Fields(fields={name: of for name, (of, _) in parts.items()}), objects(parts)
    if draw(st.booleans()):
        parts = {name: draw(shapes(depth - 1)) for name in "abc"[: draw(st.integers(1, 3))]}
        inner, values = Fields(fields={name: of for name, (of, _) in parts.items()}), objects(parts)
        key = draw(st.sampled_from([(), (), ("a",)]))
    else:
        (inner, values), key = draw(shapes(0)), ()
    match = draw(st.sampled_from(["best", "best", "best", "order", "place"]))
    made = Listing(
        of=inner,
        match=match,
        key=key,
        pair_at=draw(st.sampled_from([None, None, 0.5, 0.7])),
        unique=draw(st.sampled_from([False, False, match == "best"])),
    )
    return made, st.lists(values, max_size=3)


def objects(parts: dict[str, tuple[shape.Shape, st.SearchStrategy[Any]]]) -> st.SearchStrategy[Any]:
    """Objects with some of the fields."""
    return st.fixed_dictionaries({}, optional={name: values for name, (_, values) in parts.items()})


@st.composite
def problems(draw: st.DrawFn) -> tuple[Schema, st.SearchStrategy[Any]]:
    """A schema and documents for it."""
    if draw(st.booleans()):
        inside = st.dictionaries(st.sampled_from("abc"), anything(), max_size=3)
        return Schema(root=Anything()), inside | st.lists(inside, max_size=3)
    parts = {name: draw(shapes()) for name in "ab"}
    root = Fields(fields={name: of for name, (of, _) in parts.items()})
    values = objects(parts)
    if draw(st.booleans()):
        return Schema(root=root), values
    return Schema(root=Listing(of=root)), st.lists(values, max_size=3)
