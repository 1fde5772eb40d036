"""What the algebra makes of many similarities, as plain data: `python tests/algebra_data.py > tests/algebra/kept.json`.

For each similarity its plan in words, what it says of pairs of values that fit, and why it refuses those that do not.
"""

from __future__ import annotations

import json
import sys
import typing
from collections.abc import Iterator
from typing import Any

import msgspec

from adjudge.algebra import ir
from adjudge.algebra.check import problems
from adjudge.algebra.data import decode
from adjudge.algebra.plan import plan
from adjudge.errors import AdjudgeError

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


def described(name: str, spec: dict[str, Any], values: list[Any]) -> dict[str, Any]:
    """One similarity and what it does."""
    node = ir.with_conventions(decode(msgspec.json.encode(spec)), ir.Conventions())
    made = plan(node)
    found: dict[str, Any] = {"plan": [" ".join(line.split()) for line in made.explain().splitlines()]}
    found["pairs"] = [[told(made, gold, system) for system in values] for gold in values]
    found["wrong"] = [[list(map(str, each)) for each in problems(node, value)] for value in WRONG]
    longest = max(values, key=lambda each: len(json.dumps(each)))
    found["aligned"] = made.align(longest, values[1]).to_data()
    return found


def told(made: Any, gold: Any, system: Any) -> Any:
    """Value and self scores of a pair."""
    try:
        seen = made.observe(gold, system)
    except AdjudgeError as error:
        return str(error)
    return [round(number, 9) for number in (seen.value, seen.system, seen.gold)]


def everything() -> dict[str, Any]:
    """All of them, by name."""
    return {name: described(name, spec, values) for name, spec, values in similarities()}


if __name__ == "__main__":
    lines = [
        f"{json.dumps(name)}: {json.dumps(value, sort_keys=True, default=str)}" for name, value in everything().items()
    ]
    sys.stdout.write("{\n" + ",\n".join(lines) + "\n}\n")
