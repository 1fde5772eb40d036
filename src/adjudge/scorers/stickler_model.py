"""The model that stickler-eval 1.0.0 makes of a JSON Schema: its fields, how they are compared, what fits into them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import msgspec

from adjudge.algebra.places import Where
from adjudge.scorers.json_schema import Json, JsonSchema

Kind: TypeAlias = Literal["string", "number", "integer", "boolean", "object", "array"]
KINDS: tuple[Kind, ...] = ("string", "number", "integer", "boolean", "object", "array")
COMPARATORS = ("LevenshteinComparator", "NumericComparator", "ExactComparator", "DateComparator")
_USUAL = {"string": COMPARATORS[0], "number": COMPARATORS[1], "integer": COMPARATORS[1], "boolean": COMPARATORS[2]}
_START = "x-aws-stickler-"
_WHOLE = re.compile(r"[+-]?[0-9]+(\.0*)?")
_TRUE = frozenset(("1", "on", "t", "true", "y", "yes"))
_FALSE = frozenset(("0", "off", "f", "false", "n", "no"))


class Field(msgspec.Struct, frozen=True, kw_only=True):
    """A field; those of an object, or of the objects of a list, have `fields`, and a list of scalars has a comparator.

    Scores below `threshold` are 0 unless they are not `clipped`; objects of lists are alike from `match` on.
    """

    kind: Kind
    comparator: str = ""
    threshold: float = 0.5
    weight: float = 1.0
    clipped: bool = True
    match: float = 0.7
    required: bool = False
    fields: Mapping[str, Field] = {}
    of: Field | None = None


def model(schema: JsonSchema) -> Field:
    """The model of the root; one without fields is an error.

    >>> from adjudge.scorers.json_schema import guessed
    >>> model(guessed([{"lines": [{"price": 10}]}])).fields["lines"].of.fields["price"].comparator
    'NumericComparator'
    """
    root = _field(schema, schema.root, ())
    if not root.fields:
        raise schema.wrong((), "the model has no field", "stickler needs an object with properties")
    return root


def _field(schema: JsonSchema, written: Json, where: Where, *, required: bool = False) -> Field:
    node = schema.node(written, where)
    kind = schema.kind(node, where)
    if kind not in KINDS or len(where) > 60:
        raise schema.wrong(where, f"a type {kind!r} of a field cannot be compared", f"types: {', '.join(KINDS)}")
    sharp = bool(node.keys() & {"enum", "const"}) or node.get("format") in ("date", "date-time", "uri", "uuid", "time")
    own: dict[str, Any] = {
        "comparator": _comparator(schema, node, where, kind),
        "threshold": 1.0 if sharp else 0.7 if kind == "object" else 0.5,
    }
    for name, key in (("threshold", "threshold"), ("weight", "weight"), ("match", "match-threshold")):
        if f"{_START}{key}" in node:
            own[name] = _number(schema, node[f"{_START}{key}"], (*where, f"{_START}{key}"))
    own["clipped"] = node.get(f"{_START}clip-under-threshold", True) is not False
    if kind == "object":
        names = node.get("required") or ()
        own["fields"] = {
            name: _field(schema, each, (*where, "properties", name), required=name in names)
            for name, each in (node.get("properties") or {}).items()
        }
    elif kind == "array":
        if not isinstance(node.get("items"), dict):
            raise schema.wrong(where, "a list must say what its items are", "items: {type: string}")
        own["of"] = _field(schema, node["items"], (*where, "items"))
        if own["of"].kind == "array":  # lists in lists are equal or not
            own["of"] = msgspec.structs.replace(own["of"], comparator=COMPARATORS[2])
    return Field(kind=kind, required=required, **own)


def _comparator(schema: JsonSchema, node: Json, where: Where, kind: str) -> str:
    given = node.get(f"{_START}comparator")
    if kind in ("object", "array"):
        return given if given in COMPARATORS else ""
    if node.get(f"{_START}comparator-config"):
        raise schema.wrong(where, f"{_START}comparator-config is not followed here", "leave it out")
    if given is None:
        exact = node.keys() & {"enum", "const"} or node.get("format") in ("uri", "uuid", "time")
        date = node.get("format") in ("date", "date-time")
        return COMPARATORS[2] if exact else COMPARATORS[3] if date else _USUAL[kind]
    if given not in COMPARATORS:
        raise schema.wrong(where, f"the comparator {given!r} is not followed here", f"use {', '.join(COMPARATORS)}")
    return str(given)


def _number(schema: JsonSchema, value: Any, where: Where) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0:
        return float(value)
    raise schema.wrong(where, f"{value!r} is no number", "give a number from 0 on")


def fitted(field: Field, value: Any, path: str, problems: list[str]) -> Any:
    """A value as pydantic reads it; what it refuses goes to `problems`.

    >>> from adjudge.scorers.json_schema import guessed
    >>> problems = []
    >>> fitted(model(guessed([{"a": 1.5, "b": True}])), {"a": "1,250", "b": "yes"}, "", problems)["b"], problems
    (True, ["a: '1,250' is no number"])
    """
    match field.kind:
        case "object" if isinstance(value, dict):
            found = dict(value)
            for name, own in field.fields.items():
                inner = f"{path}.{name}" if path else name
                if value.get(name) is not None:
                    found[name] = fitted(own, value[name], inner, problems)
                elif own.required:
                    problems.append(f"{inner} is required and is not there")
            return found
        case "array" if isinstance(value, list):
            assert field.of is not None
            return [fitted(field.of, each, f"{path}[{place}]", problems) for place, each in enumerate(value)]
        case "string" if isinstance(value, str):
            return value
        case "number" | "integer" | "boolean":
            read = {"number": _float, "integer": _integer, "boolean": _boolean}[field.kind](value)
            if read is not None:
                return read
    names = {"object": "no object", "array": "no list", "string": "no text", "number": "no number"}
    problems.append(f"{path}: {value!r:.60} is {names.get(field.kind, f'no {field.kind}')}")
    return None


def _float(value: Any) -> float | None:
    try:
        return float(value) if isinstance(value, int | float | str) else None
    except (ValueError, OverflowError):
        return None


def _integer(value: Any) -> int | None:
    if isinstance(value, str) and _WHOLE.fullmatch(value.strip()):
        return int(value.strip().partition(".")[0])
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return int(value) if isinstance(value, int) else None


def _boolean(value: Any) -> bool | None:
    if isinstance(value, str):
        return True if value.lower() in _TRUE else False if value.lower() in _FALSE else None
    return bool(value) if isinstance(value, int | float) and value in (0, 1) else None
