"""Every kind of similarity as an element, a field, a case or an alternative of every other kind.

That is where the planner chooses tables, blocks, bounds and searches instead of comparing two values by definition.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

EXACT, EDIT = {"sim": "exact"}, {"sim": "edit"}
SPAN = {"sim": "span"}
NAMES = {"sim": "union", "cases": [{"prefix": "?", "name": "var", "of": {"sim": "variable"}}, {"of": EXACT}]}
TRIPLE = {"sim": "record", "fields": {"0": NAMES, "1": EXACT, "2": NAMES}}
TRIPLES = [
    [["?a", "r", "?b"], ["?a", "type", "x"], ["?b", "type", "y"]],
    [["?m", "r", "?n"], ["?m", "type", "y"], ["?n", "type", "x"]],
    [["?p", "r", "?q"], ["?q", "r", "?p"], ["?p", "type", "x"]],
    [["c", "r", "d"]],
]
GRAPHS = [
    {"nodes": ["a", "b"], "edges": [[0, 1]]},
    {"nodes": ["a", "b", "a"], "edges": [[0, 1], [1, 2]]},
    {"nodes": ["b", "a"], "edges": [[0, 1], [1, 0]]},
    {"nodes": [], "edges": []},
]
TYPES = {"Attack": "Conflict", "Bombing": "Attack", "Meet": "Contact"}
WORDS = ["abc", "abd", "xyz", ""]
LISTS = [["a", "b"], ["b", "c", "b"], ["a"], []]
SPANS = [[0, 4], [2, 6], [4, 8], [9, 9]]
NUMBERS = [0, 2, 3.5, 4, -1]
RECORDS = [
    {"k": "x", "v": "abc", "s": [0, 4]},
    {"k": "x", "v": "abd", "s": [2, 6]},
    {"k": "y", "v": "abc", "s": [4, 8]},
    {"k": "y", "v": "", "s": [0, 4]},
]


def inner() -> Iterator[tuple[str, dict[str, Any], list[Any]]]:
    """What stands inside, and four values of it."""
    yield "exact", EXACT, ["a", "b", 1, True]
    yield "edit", EDIT, WORDS
    yield "number", {"sim": "number", "scale": 4.0}, NUMBERS
    yield (
        "hierarchy",
        {"sim": "hierarchy", "parents": TYPES, "credit": "linear"},
        ["Attack", "Bombing", "Meet", "Conflict"],
    )
    yield "span", SPAN, SPANS
    yield "span any", {"sim": "span", "by": "any"}, SPANS
    yield "overlap", {"sim": "overlap", "of": EXACT}, LISTS
    yield "multiset overlap", {"sim": "overlap", "of": EXACT, "by": "jaccard", "duplicates": "multiset"}, LISTS
    yield "link", {"sim": "overlap", "of": EXACT, "by": "link"}, LISTS
    yield "set", {"sim": "set", "of": EXACT}, LISTS
    yield "empty set", {"sim": "set", "of": EXACT, "empty": 1}, LISTS
    yield "multiset", {"sim": "set", "of": EXACT, "match": "1:N", "duplicates": "multiset"}, LISTS
    yield "best", {"sim": "set", "of": EXACT, "match": "best", "duplicates": "multiset"}, LISTS
    yield "set of spans", {"sim": "set", "of": SPAN, "match": "N:1"}, [SPANS[:2], SPANS[1:3], SPANS, []]
    yield "sequence", {"sim": "sequence", "of": EXACT}, LISTS
    yield "greedy", {"sim": "greedy", "of": EDIT}, [WORDS[:2], WORDS[1:], WORDS[:1], []]
    yield "graph", {"sim": "graph", "of": EXACT}, GRAPHS
    yield "record", {"sim": "record", "fields": {"k": EXACT, "v": EDIT, "s": SPAN}}, RECORDS
    yield "exact record", {"sim": "record", "fields": {"k": EXACT, "s": EXACT}}, RECORDS
    yield "sum", {"sim": "sum", "fields": {"k": EXACT, "s": SPAN}}, RECORDS
    yield "map", {"sim": "map", "by": "casefold", "of": EDIT}, ["Abc", "aBD", "x", ""]
    yield "map one side", {"sim": "map", "system": "casefold", "of": EXACT}, ["Abc", "abc", "X", "x"]
    yield "threshold", {"sim": "threshold", "of": EDIT, "above": 0.5}, WORDS
    yield "kept threshold", {"sim": "threshold", "of": SPAN, "at_least": 0.25, "keep": True}, SPANS
    yield "max", {"sim": "max", "of": [EXACT, {"sim": "threshold", "of": EDIT, "at_least": 0.5, "keep": True}]}, WORDS
    yield (
        "max of exact",
        {"sim": "max", "of": [EXACT, {"sim": "map", "by": "casefold", "of": EXACT}]},
        ["a", "A", "b", ""],
    )
    yield "unit", {"sim": "unit", "of": {"sim": "span", "by": "count"}}, SPANS
    yield "f1", {"sim": "normalise", "of": {"sim": "set", "of": EXACT}}, LISTS
    yield (
        "jaccard",
        {"sim": "normalise", "of": {"sim": "set", "of": SPAN}, "by": "jaccard"},
        [SPANS[:2], SPANS[1:], [], SPANS],
    )
    yield (
        "two sided",
        {"sim": "normalise", "of": {"sim": "set", "of": SPAN}, "recall": {"sim": "set", "of": EXACT}, "undefined": 1},
        [SPANS[:2], SPANS[1:], [], SPANS],
    )
    yield (
        "union",
        {
            "sim": "union",
            "cases": [{"type": "string", "of": EDIT}, {"type": "number", "of": {"sim": "number", "scale": 2.0}}],
        },
        ["abc", "abd", 1, 2],
    )
    yield "latent", {"sim": "latent", "of": {"sim": "set", "of": TRIPLE}}, TRIPLES


def outer(of: dict[str, Any], values: list[Any]) -> Iterator[tuple[str, dict[str, Any], list[Any]]]:
    """What it stands in, and values of that."""
    lists = [[], values[:1], values[:3], [values[3], values[1], values[1], values[0]]]
    for match in ("1:1", "N:1", "1:N", "N:N", "best"):
        yield f"set {match}", {"sim": "set", "of": of, "match": match}, lists
    yield "multiset", {"sim": "set", "of": of, "duplicates": "multiset", "empty": 1}, lists
    for order in ("score", "system", "gold"):
        yield f"greedy {order}", {"sim": "greedy", "of": of, "order": order, "ties": "gold"}, lists
    yield "greedy first", {"sim": "greedy", "of": of, "order": "gold", "take": "first", "duplicates": "multiset"}, lists
    yield "sequence", {"sim": "sequence", "of": of}, lists
    yield "loose sequence", {"sim": "sequence", "of": of, "match": "N:N", "empty": 1}, lists
    graphs = [{"nodes": each, "edges": [[k, k + 1] for k in range(len(each) - 1)][:2]} for each in lists]
    yield "graph", {"sim": "graph", "of": of}, graphs
    cut = {"sim": "threshold", "of": of, "above": 0.3}
    yield "threshold", cut, values
    yield "set of thresholds", {"sim": "set", "of": cut}, lists
    kept = {"sim": "threshold", "of": of, "at_least": 0.5, "keep": True}
    yield "set of kept thresholds", {"sim": "set", "of": kept, "match": "N:N"}, lists
    best = {"sim": "max", "of": [of, {"sim": "threshold", "of": of, "above": 0.0}]}
    yield "max", best, values
    yield "set of maxima", {"sim": "set", "of": best}, lists
    pairs = [{"a": one, "b": other} for one, other in zip(values, values[1:] + values[:1], strict=True)]
    yield "record", {"sim": "record", "fields": {"a": of, "b": of}}, pairs
    some = [pairs[:2], pairs, pairs[::-1], []]
    yield "set of records", {"sim": "set", "of": {"sim": "record", "fields": {"a": of, "b": EXACT}}}, some
    yield "set of sums", {"sim": "set", "of": {"sim": "sum", "fields": {"a": of, "b": of}}}, some
    ratio = {"sim": "normalise", "of": {"sim": "set", "of": of}, "beta": 0.5}
    yield "f0.5", ratio, lists
    yield "set of f0.5", {"sim": "set", "of": ratio}, [lists, lists[1:], []]
    yield "unit", {"sim": "set", "of": {"sim": "unit", "of": of}}, lists
    union = {
        "sim": "union",
        "cases": [{"field": "t", "equals": 1, "of": {"sim": "record", "fields": {"a": of}}}, {"of": EXACT}],
    }
    cases = [{"t": 1, "a": values[0]}, {"t": 1, "a": values[1]}, {"t": 2}, "other"]
    yield "union", union, cases
    yield "set of unions", {"sim": "set", "of": union}, [cases, cases[1:], cases[:1], []]
    yield "overlap", {"sim": "overlap", "of": of, "by": "containment"}, lists


def searches() -> Iterator[tuple[str, dict[str, Any], list[Any]]]:
    """Variables in all sorts of places."""
    sets = {"sim": "set", "of": TRIPLE}
    variable = {"sim": "variable"}
    names = [["?a", "?b"], ["?x", "?y", "?x"], ["?z"], []]
    documents = [{"t": each, "k": place % 2, "w": WORDS[place]} for place, each in enumerate(TRIPLES)]
    shapes: list[tuple[str, dict[str, Any], list[Any]]] = [
        ("set", sets, TRIPLES),
        ("multiset", {**sets, "duplicates": "multiset"}, [*TRIPLES, TRIPLES[0] + TRIPLES[0]]),
        ("N:1", {**sets, "match": "N:1"}, TRIPLES),
        ("1:N", {**sets, "match": "1:N", "of": {"sim": "record", "fields": {"0": NAMES, "2": NAMES}}}, TRIPLES),
        ("best", {**sets, "match": "best"}, TRIPLES),
        ("empty", {**sets, "empty": 1}, [*TRIPLES, []]),
        ("f1", {"sim": "normalise", "of": sets}, [*TRIPLES, []]),
        ("f1 or one", {"sim": "normalise", "of": sets, "undefined": 1}, [*TRIPLES, []]),
        ("two sided", {"sim": "normalise", "of": sets, "recall": {**sets, "match": "1:N"}}, TRIPLES),
        ("sum", {"sim": "sum", "fields": {"t": sets, "w": EDIT}}, documents),
        ("sum of sets", {"sim": "sum", "fields": {"t": sets, "k": EXACT, "w": EDIT}}, documents),
        ("record", {"sim": "record", "fields": {"t": sets, "k": EXACT, "w": EDIT}}, documents),
        (
            "record of sums",
            {"sim": "record", "fields": {"t": {"sim": "sum", "fields": {"0": TRIPLE}}}},
            documents,
        ),
        ("map", {"sim": "map", "by": "flatten", "of": sets}, [[each] for each in TRIPLES]),
        ("sequence", {"sim": "sequence", "of": variable}, names),
        ("overlap", {"sim": "overlap", "of": variable}, names),
        ("graph", {"sim": "graph", "of": variable, "ids": "value"}, [
            {"nodes": ["?a", "?b"], "edges": [["?a", "?b"]]},
            {"nodes": ["?x", "?y", "?z"], "edges": [["?y", "?x"], ["?z", "?x"]]},
            {"nodes": [], "edges": []},
        ]),
        ("threshold", {"sim": "threshold", "of": {"sim": "normalise", "of": sets}, "above": 0.5}, TRIPLES),
        ("max", {"sim": "max", "of": [sets, {"sim": "sequence", "of": TRIPLE}]}, TRIPLES),
        ("set of sets", {"sim": "set", "of": {"sim": "set", "of": variable}}, [names, names[1:], [["?a", "?b"]]]),
        ("graded", {"sim": "set", "of": {"sim": "record", "fields": {"0": NAMES, "1": EDIT, "2": NAMES}}}, TRIPLES),
        ("greedy", {"sim": "greedy", "of": TRIPLE}, TRIPLES),
        ("greedy beside", {"sim": "sum", "fields": {"t": sets, "w": {"sim": "greedy", "of": EXACT}}}, [
            {"t": TRIPLES[0], "w": ["a"]}, {"t": TRIPLES[1], "w": ["a", "b"]},
        ]),
    ]  # fmt: skip
    for name, of, values in shapes:
        latent = {"sim": "latent", "of": of}
        yield f"latent {name}", latent, values
        yield (
            f"set of latent {name}",
            {"sim": "set", "of": latent, "match": "N:1"},
            [values, values[1:], values[:1], []],
        )
        yield f"ratio of latent {name}", {"sim": "normalise", "of": latent, "by": "jaccard"}, values
        cut = {"sim": "threshold", "of": latent, "at_least": 2.0}
        yield f"thresholds of latent {name}", {"sim": "set", "of": cut}, [values, values[1:2]]
    for ids in ("value", "id"):
        nodes: list[Any] = ["a", "b", "c"] if ids == "value" else [{"id": each, "t": "x"} for each in "abc"]
        of = EXACT if ids == "value" else {"sim": "record", "fields": {"t": EXACT}}
        values = [
            {"nodes": nodes, "edges": [["a", "b"], ["b", "c"]]},
            {"nodes": nodes[::-1], "edges": [["c", "a"]]},
            {"nodes": nodes[:1], "edges": []},
            {"nodes": [*nodes, *nodes], "edges": []},
            {"nodes": nodes, "edges": [["a", "z"]]},
            {"nodes": ["a", {"t": "x"}], "edges": [["a", "a", "a"]]},
        ]
        for match in ("1:1", "N:1", "1:N", "N:N"):
            yield f"graph by {ids} {match}", {"sim": "graph", "of": of, "ids": ids, "match": match}, values


def everything() -> Iterator[tuple[str, dict[str, Any], list[Any]]]:
    """Names, specifications, and values."""
    for name, of, values in inner():
        for around, spec, own in outer(of, values):
            yield f"{around} of {name}", spec, own
    yield from searches()
