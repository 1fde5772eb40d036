"""Every kind of similarity with values that fit it, and values that do not."""

from __future__ import annotations

import typing
from collections.abc import Iterator
from typing import Any

from adjudge.algebra import ir

TYPES = {"Attack": "Conflict", "Bombing": "Attack", "Conflict": "Event", "Meet": "Event"}
TEXTS = ["", "abc", "abd", "Attack", "Bombing", "Meet", "Conflict.Attack.Bombing", "Conflict.Meet"]
LISTS: list[Any] = [[], ["a"], ["a", "b"], ["b", "a"], ["a", "a", "c"], ["c", "d", "a", "b"]]
SPANS = [[0, 4], [2, 6], [0, 10], [4, 8], [5, 5], {"start": 0, "end": 4}]
SPAN_LISTS: list[Any] = [[], [[0, 4]], [[0, 4], [2, 6]], [[2, 8], [4, 5], [20, 30]], [[0, 4], [0, 4]]]
RECORDS = [
    {"kind": "x", "name": "abc", "parts": ["a", "b"], "span": [0, 4]},
    {"kind": "x", "name": "abd", "parts": ["b"], "span": [0, 5]},
    {"kind": "y", "name": "abc", "parts": [], "span": [9, 12]},
]
RECORD_LISTS = [[], RECORDS[:1], RECORDS, RECORDS[::-1], [RECORDS[1], RECORDS[1], RECORDS[2]]]
GRAPHS = [
    {"nodes": [], "edges": []},
    {"nodes": ["a", "b", "c"], "edges": [[0, 1], [1, 2]]},
    {"nodes": ["c", "b", "a"], "edges": [[0, 1], [1, 2]]},
    {"nodes": ["a", "b", "c", "b"], "edges": [[0, 1], [0, 3], [3, 2]]},
    {"nodes": ["a", "b"], "edges": [[0, 1], [1, 0]]},
]
NUMBERS = [0, 1, 1.5, -2, 1e9]
MIXED = [None, True, 1, 1.0, "1", "abc", [1], {"a": 1}]
WRONG = [None, True, 7, "text", [1, "a"], {"name": 3}, [[3, 1]], {"nodes": ["a"], "edges": [[0, 5]]}]


def similarities() -> Iterator[tuple[str, dict[str, Any], list[Any]]]:
    """Names, specifications, and values that fit them."""
    exact, edit = {"sim": "exact"}, {"sim": "edit"}
    yield "exact", exact, MIXED
    yield "edit", edit, TEXTS
    yield "number", {"sim": "number", "scale": 4.0}, NUMBERS
    for credit in typing.get_args(ir.Credit):
        yield f"hierarchy {credit}", {"sim": "hierarchy", "parents": TYPES, "credit": credit}, TEXTS[3:6]
        yield f"hierarchy . {credit}", {"sim": "hierarchy", "separator": ".", "credit": credit, "partial": 0.25}, TEXTS
    yield "hierarchy table", {"sim": "hierarchy", "table": [["Meet", "Attack", 0.75]]}, TEXTS[3:6]
    for by in typing.get_args(ir.OverlapKind):
        yield f"overlap {by}", {"sim": "overlap", "of": exact, "by": by}, LISTS
        yield (
            f"set of overlaps {by}",
            {"sim": "set", "of": {"sim": "overlap", "of": exact, "by": by}},
            [LISTS, LISTS[1:4]],
        )
    for by in typing.get_args(ir.SpanKind):
        yield f"span {by}", {"sim": "span", "by": by}, SPANS
        yield f"set of spans {by}", {"sim": "set", "of": {"sim": "span", "by": by}}, SPAN_LISTS
    yield "span inclusive", {"sim": "span", "inclusive": True}, SPANS
    for cut in ({"above": 0.5}, {"at_least": 0.5}, {"above": 0.25, "keep": True}):
        name = " ".join(f"{key} {value}" for key, value in cut.items())
        yield f"threshold of edit {name}", {"sim": "threshold", "of": edit, **cut}, TEXTS
        yield f"threshold of spans {name}", {"sim": "threshold", "of": {"sim": "span"}, **cut}, SPANS
        yield (
            f"set of thresholds {name}",
            {"sim": "set", "of": {"sim": "threshold", "of": {"sim": "span", "by": "dice"}, **cut}},
            SPAN_LISTS,
        )
    for match in typing.get_args(ir.Match):
        yield f"set {match}", {"sim": "set", "of": exact, "match": match}, LISTS
        yield (
            f"set of edits {match}",
            {"sim": "set", "of": edit, "match": match},
            [TEXTS[1:4], TEXTS[2:7], []],
        )
    for duplicates in ("set", "multiset"):
        for empty in (0, 1):
            spec = {"sim": "set", "of": exact, "duplicates": duplicates, "empty": empty}
            yield f"set {duplicates} empty {empty}", spec, LISTS
    for order in ("score", "system", "gold"):
        for take in ("best", "first"):
            for ties in ("system", "gold"):
                spec = {"sim": "greedy", "of": {"sim": "span"}, "order": order, "take": take, "ties": ties}
                yield f"greedy {order} {take} {ties}", spec, SPAN_LISTS
    for match in ("1:1", "N:1", "1:N", "N:N"):
        yield f"sequence {match}", {"sim": "sequence", "of": exact, "match": match}, LISTS
        yield (
            f"sequence of edits {match}",
            {"sim": "sequence", "of": edit, "match": match},
            [TEXTS, TEXTS[1:4]],
        )
        yield f"graph {match}", {"sim": "graph", "of": exact, "match": match}, GRAPHS
    fields = {"kind": exact, "name": edit, "parts": {"sim": "overlap", "of": exact}, "span": {"sim": "span"}}
    yield "record", {"sim": "record", "fields": fields}, RECORDS
    yield "sum", {"sim": "sum", "fields": fields}, RECORDS
    yield "set of records", {"sim": "set", "of": {"sim": "record", "fields": fields}}, RECORD_LISTS
    yield "set of sums", {"sim": "set", "of": {"sim": "sum", "fields": fields}}, RECORD_LISTS
    yield (
        "set of few fields",
        {"sim": "set", "of": {"sim": "record", "fields": {"kind": exact, "name": exact}}},
        RECORD_LISTS,
    )
    yield "max", {"sim": "max", "of": [exact, {"sim": "threshold", "of": edit, "above": 0.5}]}, TEXTS
    yield "unit", {"sim": "set", "of": {"sim": "unit", "of": {"sim": "span", "by": "count"}}}, SPAN_LISTS
    yield "map", {"sim": "map", "by": "casefold", "of": exact}, ["Abc", "aBC", "d"]
    yield "map one side", {"sim": "map", "system": "casefold", "of": exact}, ["Abc", "abc", "ABC"]
    for by in ("precision", "recall", "f", "jaccard"):
        for undefined in (0, 1):
            spec = {
                "sim": "normalise",
                "of": {"sim": "set", "of": exact},
                "by": by,
                "undefined": undefined,
                "beta": 2.0,
            }
            yield f"normalise {by} {undefined}", {"sim": "set", "of": spec}, [LISTS, LISTS[1:3], []]
    cases = [
        {"type": "string", "of": edit},
        {"type": "array", "of": {"sim": "set", "of": exact}},
        {"of": exact},
    ]
    yield "union", {"sim": "union", "cases": cases}, ["abc", "abd", ["a"], ["a", "b"], 3, None]
