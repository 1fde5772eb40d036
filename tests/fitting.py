"""Random documents that fit a metric, made from its similarity alone, so that a new metric needs no generator."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import strategies as st

from adjudge.algebra import ir


def documents(metric: Any, example: Any = None) -> st.SearchStrategy[Any]:
    """Documents for a metric or a combination of metrics.

    If the similarity does not show what values it takes (it maps them by a function), parts of the metric's example
    are put together instead.
    """
    try:
        return _documents(metric)
    except NotImplementedError:
        assert example is not None, f"{metric.name} needs an example with a few different elements"
        return st.fixed_dictionaries({key: pieces(value) for key, value in example.items() if key != "id"})


def pieces(value: Any) -> st.SearchStrategy[Any]:
    """Values like an example: lists of some of its elements, in any order."""
    if isinstance(value, list):
        return st.lists(st.sampled_from(value), max_size=5) if value else st.just([])
    if isinstance(value, dict):
        return st.fixed_dictionaries({key: pieces(inner) for key, inner in value.items()})
    return st.just(value)


TEXT = frozenset(("casefold", "lower", "strip", "spaces", "punctuation", "articles", "nfc", "nfkc", "squad", "words"))


def _documents(metric: Any) -> st.SearchStrategy[Any]:
    parts: dict[str, st.SearchStrategy[Any]] = {}
    for member in metric.members:
        if member.name.startswith("coref."):
            return st.fixed_dictionaries({"clusters": partitions()})
        for node in (member.precision, member.recall):
            if isinstance(node, ir.Record):
                parts |= {name: values(inner) for name, inner in node.fields.items() if name not in parts}
            elif node is not None:
                return values(node)
    return st.fixed_dictionaries(parts)


def values(node: ir.Similarity) -> st.SearchStrategy[Any]:
    """Values for a similarity; domains are small, so that things match."""
    match node:
        case ir.Exact(type="string"):
            return st.sampled_from(["p", "q"])
        case ir.Exact(type="integer"):
            return st.integers(0, 2)
        case ir.Exact():
            return st.sampled_from(["a", "b", 1, True, None, ["x"]])
        case ir.Record() | ir.Sum():
            return st.fixed_dictionaries({name: values(inner) for name, inner in node.fields.items()})
        case ir.Span():
            return st.tuples(st.integers(0, 4), st.integers(1, 4)).map(lambda p: [p[0], p[0] + p[1]])
        case ir.Hierarchy():
            separator = node.separator or "."
            paths = [["A"], ["A", "B"], ["A", "B", "C"], ["A", "D"], ["E"]]
            return st.sampled_from([separator.join(path) for path in paths])
        case ir.Mapped() if node.by is not None and node.by.name == "tree":
            return trees()
        case ir.Set() | ir.Greedy() | ir.Sequence():
            return st.lists(values(node.of), max_size=5)
        case ir.Overlap():  # an element by itself, which has something in it
            return st.lists(values(node.of), min_size=1, max_size=5)
        case ir.Mapped() if {fn.name for fn in (node.by, node.system, node.gold) if fn is not None} <= TEXT:
            return st.sampled_from(["a", "A b", "b  a", "The b.", ""])
        case ir.Normalise() | ir.Threshold() | ir.Unit() | ir.Latent():
            return values(node.of)
        case ir.Graph():
            return graphs(values(node.of), node.nodes, node.edges)
        case ir.Edit():
            return st.text("ab", max_size=4)
        case ir.Number():
            return st.integers(0, 5)
    raise NotImplementedError(f"teach tests/fitting.py to make values for {type(node).__name__}")


def partitions() -> st.SearchStrategy[Any]:
    """Disjoint clusters of some of a few mentions, as metrics of coreference want them."""

    def clusters(labels: list[int]) -> list[list[Any]]:
        found: dict[int, list[Any]] = {}
        for place, label in enumerate(labels):
            if label:
                found.setdefault(label, []).append([place, place + label % 2])
        return list(found.values())

    return st.lists(st.integers(0, 4), max_size=7).map(clusters)


def trees() -> st.SearchStrategy[Any]:
    """Small labelled trees."""
    label = st.sampled_from("ab")
    leaf = st.fixed_dictionaries({"label": label})
    return st.recursive(
        leaf, lambda t: st.fixed_dictionaries({"label": label, "children": st.lists(t, max_size=3)}), max_leaves=4
    )


def graphs(nodes: st.SearchStrategy[Any], names: str, edges: str) -> st.SearchStrategy[Any]:
    """Small directed acyclic graphs; an edge is a pair of places."""

    def made(found: list[Any], chosen: list[bool]) -> dict[str, Any]:
        pairs = [[a, b] for b in range(len(found)) for a in range(b)]
        return {names: found, edges: [pair for pair, take in zip(pairs, chosen, strict=False) if take]}

    return st.builds(made, st.lists(nodes, max_size=4), st.lists(st.booleans(), min_size=6, max_size=6))


def renamed(value: Any) -> Any:
    """The value with every string and integer replaced by another, the same everywhere."""
    if isinstance(value, dict):
        return {key: renamed(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [renamed(inner) for inner in value]
    if isinstance(value, str):
        return f"new {value}"
    return value + 1000 if isinstance(value, int) and not isinstance(value, bool) else value


def shuffled(node: ir.Similarity, value: Any, rng: random.Random) -> Any:
    """The value with the elements of all its sets in another order."""
    match node:
        case ir.Record() | ir.Sum():
            return {name: shuffled(inner, value[name], rng) for name, inner in node.fields.items()}
        case ir.Set() | ir.Overlap():
            items = [shuffled(node.of, item, rng) for item in value]
            rng.shuffle(items)
            return items
        case ir.Mapped() if node.by is not None and node.by.name in ("flatten", "memberships", "separations"):
            return [rng.sample(inner, len(inner)) for inner in rng.sample(value, len(value))]
        case ir.Normalise() | ir.Threshold() | ir.Unit() | ir.Latent():
            return shuffled(node.of, value, rng)
        case _:
            return value
