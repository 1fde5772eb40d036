"""What the catalogue is, as plain data: `python tests/catalogue_data.py > tests/metrics/catalogue.json`.

For each metric its definition, its options, what is reported and how, and its counts on changed copies of its example;
and the same for every option that has a choice, as far as the definition and the counts differ.
"""

from __future__ import annotations

import json
import sys
import typing
from collections.abc import Iterator
from typing import Any

import msgspec

from adjudge.errors import AdjudgeError
from adjudge.metrics import catalogue


def everything() -> dict[str, Any]:
    """All metrics, by name."""
    return {definition.name: described(definition) for definition in catalogue()}


def described(definition: Any) -> dict[str, Any]:
    """One metric."""
    metric = definition()
    return {
        "text": str(metric),
        "family": definition.family,
        "about": definition.about,
        "options": {name: plain(value) for name, value in definition.options.items()},
        "embedded": list(definition.embedded),
        "clustered": None if definition.clustered is None else list(definition.clustered),
        "within": definition.within,
        "laws": list(definition.laws),
        "example": plain(definition.example),
        "definition": metric.definition().splitlines(),
        "measures": [msgspec.to_builtins(measure) for measure in metric.measures],
        "members": [[member.name, list(member.columns), list(member.parts)] for member in metric.members],
        "counts": counted(metric, definition.example),
        "chosen": dict(chosen(definition)),
    }


def chosen(definition: Any) -> Iterator[tuple[str, Any]]:
    """The metric with each other choice of each of its options."""
    hints = typing.get_type_hints(definition.build)
    usual = definition().definition().splitlines()
    own = counted(definition(), definition.example)
    for name, default in definition.options.items():
        for value in choices(hints.get(name), default):
            if value == default:
                continue
            try:
                metric = definition(**{name: value})
            except AdjudgeError as error:
                yield f"{name}={value}", {"error": str(error)}
                continue
            found: dict[str, Any] = {"text": str(metric)}
            lines = [line for line in metric.definition().splitlines() if line not in usual]
            counts = counted(metric, definition.example)
            yield f"{name}={value}", {**found, "lines": lines, **({} if counts == own else {"counts": counts})}
    for name, value in (("undefined", None), ("empty", 1), ("duplicates", "multiset"), ("pool", "macro")):
        yield f"{name}={value}", {"text": str(definition(**{name: value}))}


def choices(kind: Any, default: Any) -> list[Any]:
    """Values to try for an option."""
    if isinstance(default, bool):
        return [True, False]
    if typing.get_origin(kind) is typing.Literal:
        return list(typing.get_args(kind))
    if isinstance(default, (int, float)):
        return [default + 1, default / 2] if isinstance(default, float) else [default + 1]
    return []


def counted(metric: Any, example: Any) -> list[Any]:
    """Counts and scores of changed copies of an example against it."""
    found = []
    document = {name: value for name, value in example.items() if name != "id"}
    for change in (lambda each: each, cut, doubled, respelled, emptied):
        try:
            gold, system = metric.prepare(document), metric.prepare(change(document))
            row = metric.observe(gold, system)
            alignment = metric.align(gold, system)
            values = [round(row.counts[column], 9) for member in metric.members for column in member.columns]
            found.append([*values, len(alignment.missed), len(alignment.spurious)])
        except AdjudgeError as error:
            found.append(str(error))
    return found


def cut(value: Any, depth: int = 0) -> Any:
    """Without the last element of the outermost lists, and with the end of spans moved."""
    if isinstance(value, list):
        return [cut(each, depth + 1) for each in (value[:-1] if depth == 0 else value)]
    if isinstance(value, dict):
        return {
            name: each + 1 if name == "end" and isinstance(each, int) else cut(each, depth)
            for name, each in value.items()
        }
    return value


def doubled(value: Any) -> Any:
    """With the first element of outermost lists twice."""
    return {name: [*each[:1], *each] if isinstance(each, list) else each for name, each in value.items()}


def respelled(value: Any, depth: int = 0) -> Any:
    """With one text of each record in other letters."""
    if isinstance(value, list):
        return [respelled(each, depth + 1) if place % 2 == 0 else each for place, each in enumerate(value)]
    if isinstance(value, dict):
        return {
            name: f"{each} the X" if isinstance(each, str) and place % 2 == depth % 2 else respelled(each, depth + 1)
            for place, (name, each) in enumerate(value.items())
        }
    return value


def emptied(value: Any) -> Any:
    """With nothing in it."""
    return {name: [] if isinstance(each, list) else each for name, each in value.items()}


def plain(value: Any) -> Any:
    """As JSON has it."""
    return json.loads(json.dumps(value, default=str))


if __name__ == "__main__":
    lines = [f"{json.dumps(name)}: {json.dumps(value, sort_keys=True)}" for name, value in everything().items()]
    sys.stdout.write("{\n" + ",\n".join(lines) + "\n}\n")
