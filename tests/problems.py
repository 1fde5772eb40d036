"""Random metrics with random data that fits them, for comparing the planner with the reference."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

import leaf_documents
from adjudge.algebra import ir
from adjudge.algebra.functions import Fn


@dataclass(frozen=True)
class Shape:
    """A similarity and the values it takes."""

    node: ir.Similarity
    values: st.SearchStrategy[Any]
    # Whether phi is a ratio of counts: only then is a threshold at an exact fraction decided exactly.
    crisp: bool = True


def quarters(a: int, b: int) -> float:
    """A graded similarity whose values floating point can hold."""
    return max(0.0, 1 - abs(a - b) / 4)


def bound_quarters(a: int, b: int) -> float:
    """A bound on `quarters`, not tight."""
    return 0.0 if abs(a - b) > 3 else 1.0


def lopsided(s: int, g: int) -> float:
    """Not symmetric: the system may overshoot but not undershoot."""
    return 1.0 if s == g else 0.5 if s == g + 1 else 0.0


def parity(a: int) -> int:
    return a % 2


def even_only(s: int, g: int) -> float:
    return quarters(s, g) if parity(s) == parity(g) else 0.0


TYPES = ["A", "A.B", "A.B.C", "A.B.D", "A.E", "F", "F.G"]
PARENTS = {"b": "a", "c": "b", "d": "b", "e": "a", "g": "f"}


@st.composite
def spans(draw: st.DrawFn) -> Any:
    start = draw(st.integers(0, 4))
    end = start + draw(st.integers(0, 4))
    return draw(st.sampled_from([[start, end], {"start": start, "end": end}]))


@st.composite
def leaves(draw: st.DrawFn) -> Shape:
    kind = draw(st.sampled_from(["exact", "exact", "exact", "span", "edit", "number", "hierarchy", "custom", "leaves"]))
    if kind == "leaves":
        inside = st.dictionaries(st.sampled_from("ab"), leaf_documents.anything(1), max_size=2)
        return Shape(ir.Leaves(), inside | st.lists(inside, max_size=2))
    if kind == "exact":
        values = draw(
            st.sampled_from(
                [
                    st.integers(0, 2),
                    st.sampled_from(["x", "y", "Y"]),
                    st.sampled_from([True, 1, 0, None, "1"]),
                    st.lists(st.integers(0, 1), max_size=2),
                ]
            )
        )
        return Shape(ir.Exact(), values)
    if kind == "span":
        by = draw(st.sampled_from(["count", "dice", "jaccard", "precision", "recall", "containment", "any"]))
        inclusive = draw(st.booleans())
        return Shape(ir.Span(by=by, inclusive=inclusive), spans())
    if kind == "edit":
        return Shape(ir.Edit(), st.text("ab", max_size=4))
    if kind == "number":
        return Shape(ir.Number(scale=draw(st.sampled_from([2.0, 3.0, 10.0]))), st.integers(0, 5))
    if kind == "hierarchy":
        credit = draw(st.sampled_from(["halving", "linear", "ancestors", "general"]))
        if draw(st.booleans()):
            table = draw(st.sampled_from([(), (("A.B", "F", 0.25),), (("A", "A.B", 0.75), ("F", "A", 0.5))]))
            return Shape(ir.Hierarchy(separator=".", credit=credit, table=table), st.sampled_from(TYPES))
        return Shape(ir.Hierarchy(parents=PARENTS, credit=credit), st.sampled_from("abcdefg"))
    node = draw(
        st.sampled_from(
            [
                ir.Custom(function=Fn.of(quarters), symmetric=True),
                ir.Custom(function=Fn.of(quarters), upper=1.0, bound=Fn.of(bound_quarters)),
                ir.Custom(function=Fn.of(lopsided), self_score=1.0),
                ir.Custom(function=Fn.of(even_only), key=Fn.of(parity), symmetric=True),
            ]
        )
    )
    return Shape(node, st.integers(0, 5), crisp=False)


def exact_leaves() -> st.SearchStrategy[Shape]:
    return st.sampled_from(
        [
            Shape(ir.Exact(), st.integers(0, 3)),
            Shape(ir.Exact(), st.sampled_from("abc")),
            Shape(
                ir.Record(fields={"r": ir.Exact(), "v": ir.Exact()}),
                st.fixed_dictionaries({"r": st.sampled_from("pq"), "v": st.integers(0, 1)}),
            ),
            Shape(ir.Mapped(of=ir.Exact(), by=Fn("casefold")), st.sampled_from("aAbB")),
        ]
    )


MATCHES = st.sampled_from(["1:1", "1:1", "N:1", "1:N", "N:N", "best"])
DUPLICATES = st.sampled_from(["set", "multiset"])
BIT = st.sampled_from([0, 0, 1])
CUTS = st.sampled_from([0.5, 0.25, 0.75, 0.3, 0.1, 0.7, 1 / 3, 5 / 6])


@st.composite
def shapes(draw: st.DrawFn, depth: int = 3) -> Shape:
    if depth == 0:
        return draw(leaves())
    kind = draw(
        st.sampled_from(
            [
                *("leaf", "record", "record", "set", "set", "set", "overlap", "sum", "union", "map", "threshold"),
                *("max", "unit", "normalise", "normalise", "greedy", "sequence", "graph"),
            ]
        )
    )
    below = shapes(depth - 1)
    if kind == "leaf":
        return draw(leaves())
    if kind in ("record", "sum"):
        names = draw(st.lists(st.sampled_from("abc"), min_size=1, max_size=3, unique=True))
        parts = {name: draw(below) for name in names}
        fields = {name: part.node for name, part in parts.items()}
        values = st.fixed_dictionaries({name: part.values for name, part in parts.items()})
        node = ir.Record(fields=fields) if kind == "record" else ir.Sum(fields=fields)
        return Shape(node, values, all(part.crisp for part in parts.values()))
    if kind == "set":
        part = draw(below)
        node = ir.Set(of=part.node, match=draw(MATCHES), duplicates=draw(DUPLICATES), empty=draw(BIT))
        return Shape(node, st.lists(part.values, max_size=4), part.crisp)
    if kind == "overlap":
        part = draw(exact_leaves())
        by = draw(
            st.sampled_from(
                [
                    *("count", "dice", "jaccard", "precision", "recall", "containment", "subset", "superset", "link"),
                    *("pairs", "pairs-precision", "pairs-recall"),
                ]
            )
        )
        return Shape(ir.Overlap(of=part.node, by=by, duplicates=draw(DUPLICATES)), st.lists(part.values, max_size=5))
    if kind == "union":
        part = draw(below)
        cases = (ir.Case(of=ir.Exact(), prefix="?", name="q"), ir.Case(of=ir.Record(fields={"u": part.node})))
        return Shape(
            ir.Union(cases=cases),
            st.one_of(st.sampled_from(["?1", "?2"]), st.fixed_dictionaries({"u": part.values})),
            part.crisp,
        )
    if kind == "map":
        part = draw(below)
        return Shape(ir.Mapped(of=part.node, by=Fn("get(w)")), st.fixed_dictionaries({"w": part.values}), part.crisp)
    if kind == "threshold":
        part = draw(below)
        # Without counts, a cut no fraction of small numbers can hit keeps rounding out of the comparison.
        cut = draw(CUTS) if part.crisp else 0.3701
        keep = draw(st.booleans())
        if draw(st.booleans()):
            return Shape(ir.Threshold(of=part.node, above=cut, keep=keep), part.values, part.crisp)
        return Shape(ir.Threshold(of=part.node, at_least=cut, keep=keep), part.values, part.crisp)
    if kind == "max":
        part = draw(below)
        cut = draw(CUTS) if part.crisp else 0.3701
        return Shape(ir.Max(of=(part.node, ir.Threshold(of=part.node, above=cut))), part.values, part.crisp)
    if kind == "unit":
        part = draw(below)
        return Shape(ir.Unit(of=part.node), part.values, part.crisp)
    if kind == "normalise":
        part = draw(below)
        if draw(st.booleans()):
            match = draw(st.sampled_from(["1:1", "N:1"]))
            inner: ir.Similarity = ir.Set(of=part.node, match=match, duplicates=draw(DUPLICATES), empty=draw(BIT))
            values = st.lists(part.values, max_size=4)
        else:
            inner, values = part.node, part.values
        kinds = ["precision", "recall", "f", "jaccard"] if bounded(inner) else ["precision", "recall", "f"]
        by = draw(st.sampled_from(kinds))
        other = None
        if by == "f" and isinstance(inner, ir.Set) and inner.of is part.node and draw(st.booleans()):
            other = ir.Set(of=part.node, match="1:N", duplicates=inner.duplicates, empty=inner.empty)
        beta = draw(st.sampled_from([1.0, 2.0, 0.5])) if by == "f" else 1.0
        node = ir.Normalise(of=inner, by=by, beta=beta, recall=other, undefined=draw(BIT))
        return Shape(node, values, part.crisp and other is None)
    if kind == "greedy":
        part = draw(exact_leaves() | leaves().filter(lambda leaf: True))
        order = draw(st.sampled_from(["score", "system", "gold"]))
        node = ir.Greedy(
            of=part.node,
            order=order,
            take=draw(st.sampled_from(["best", "first"])),
            ties=draw(st.sampled_from(["system", "gold"])),
            rank=draw(st.sampled_from([None, Fn.of(rank)])),
            duplicates=draw(DUPLICATES),
            empty=draw(BIT),
        )
        return Shape(node, st.lists(part.values, max_size=4), crisp=False)
    if kind == "sequence":
        part = draw(below)
        match = draw(st.sampled_from(["1:1", "1:1", "N:1", "1:N", "N:N"]))
        node = ir.Sequence(of=part.node, match=match, empty=draw(BIT))
        return Shape(node, st.lists(part.values, max_size=5), part.crisp)
    part = draw(exact_leaves() | leaves())
    match = draw(st.sampled_from(["1:1", "1:1", "N:1", "1:N", "N:N"]))
    return Shape(ir.Graph(of=part.node, match=match, empty=draw(BIT)), graphs(part.values), part.crisp)


def bounded(node: ir.Similarity) -> bool:
    """Whether no element below is counted twice, as a Jaccard index needs it."""
    if getattr(node, "match", "1:1") not in ("1:1", "best"):
        return False
    return all(bounded(inner) for inner in ir.children(node))


def rank(value: Any) -> int:
    """A rank with many ties."""
    return len(repr(value)) % 3


@st.composite
def graphs(draw: st.DrawFn, values: st.SearchStrategy[Any]) -> Any:
    nodes = draw(st.lists(values, max_size=3))
    numbers = st.integers(0, max(0, len(nodes) - 1))
    edges = draw(st.lists(st.tuples(numbers, numbers), max_size=4)) if nodes else []
    return {"nodes": nodes, "edges": [list(edge) for edge in edges]}


@st.composite
def latent_shapes(draw: st.DrawFn) -> Shape:
    """Sets whose elements mention variables: linear ones, and ones that need the search."""
    variable = ir.Union(cases=(ir.Case(of=ir.Variable(), prefix="?"), ir.Case(of=ir.Exact())))
    names = st.sampled_from(["?a", "?b", "?c"])
    graded = draw(leaves())
    kinds = {
        "unary": (
            ir.Record(fields={"v": ir.Variable(), "c": ir.Exact()}),
            st.fixed_dictionaries({"v": names, "c": st.sampled_from("pq")}),
        ),
        "triple": (
            ir.Record(fields={"s": ir.Variable(), "p": ir.Exact(), "o": variable}),
            st.fixed_dictionaries({"s": names, "p": st.sampled_from("rs"), "o": names | st.sampled_from("xy")}),
        ),
        "nested": (
            ir.Record(fields={"s": ir.Record(fields={"v": ir.Variable()}), "o": ir.Variable()}),
            st.fixed_dictionaries({"s": st.fixed_dictionaries({"v": names}), "o": names}),
        ),
        "graded": (
            ir.Record(fields={"v": ir.Variable(), "x": graded.node}),
            st.fixed_dictionaries({"v": names, "x": graded.values}),
        ),
        "free": (
            ir.Record(fields={"o": variable, "p": ir.Exact()}),
            st.fixed_dictionaries({"o": names | st.sampled_from("xy"), "p": st.sampled_from("r")}),
        ),
    }
    match = draw(st.sampled_from(["1:1", "1:1", "1:1", "N:1", "1:N", "N:N"]))
    duplicates = draw(st.sampled_from(["set", "set", "multiset"]))

    def one() -> tuple[ir.Similarity, st.SearchStrategy[Any]]:
        element, values = kinds[draw(st.sampled_from(sorted(kinds)))]
        return ir.Set(of=element, match=match, duplicates=duplicates, empty=0), st.lists(values, max_size=4)

    form = draw(st.sampled_from(["set", "sum", "product", "ratio", "set of sets", "factor", "sum of products"]))
    if form == "set":
        node, values = one()
    elif form in ("sum", "product"):
        (a, av), (b, bv) = one(), one()
        values = st.fixed_dictionaries({"a": av, "b": bv})
        node = ir.Sum(fields={"a": a, "b": b}) if form == "sum" else ir.Record(fields={"a": a, "b": b})
    elif form == "ratio":
        inner, values = one()
        kinds = ["f", "precision", "jaccard"] if bounded(inner) else ["f", "precision"]
        node = ir.Normalise(of=inner, by=draw(st.sampled_from(kinds)), undefined=draw(BIT))
    elif form == "factor":
        inner, iv = one()
        node = ir.Record(fields={"x": graded.node, "a": inner})
        values = st.fixed_dictionaries({"x": graded.values, "a": iv})
    elif form == "sum of products":
        inner, iv = one()
        node = ir.Sum(fields={"m": ir.Record(fields={"x": graded.node, "a": inner}), "y": graded.node})
        both = st.fixed_dictionaries({"x": graded.values, "a": iv})
        values = st.fixed_dictionaries({"m": both, "y": graded.values})
    else:
        inner, iv = one()
        node, values = ir.Set(of=inner, match="1:1", duplicates=duplicates, empty=0), st.lists(iv, max_size=2)
    return Shape(ir.Latent(of=node), values, crisp=False)


def budget(examples: int) -> int:
    """How many examples to draw; ADJUDGE_FUZZ multiplies it for long runs."""
    return examples * int(os.environ.get("ADJUDGE_FUZZ", "1"))
