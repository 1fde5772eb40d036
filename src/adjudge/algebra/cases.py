"""Telling the members of a union apart.

Kinds of JSON values come first choice, then a field with a `Literal` of its own, then the class itself. Where a single
class stands beside kinds that look different, it takes "anything else", so that the same metric works on JSON.
"""

from __future__ import annotations

import enum
import typing
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from adjudge.algebra import ir
from adjudge.algebra.access import may_be_absent
from adjudge.algebra.functions import Fn
from adjudge.errors import UsageError
from adjudge.model.variable import Variable

KINDS: dict[type, ir.Kind] = {
    bool: "boolean",
    str: "string",
    int: "integer",
    float: "number",
    type(None): "null",
}


@dataclass(frozen=True, slots=True)
class Option:
    """One member of a union: a JSON kind or a class; `fields` are the types of a record's fields."""

    of: ir.Similarity
    name: str
    kind: ir.Kind | None = None
    cls: type | None = None
    fields: Mapping[str, Any] | None = None


def literal_values(values: Sequence[Any]) -> tuple[str | int | bool | None, ...] | None:
    """The plain values of literals or enum members, if all of them can be written down.

    >>> literal_values(["a", 1, None])
    ('a', 1, None)
    """
    plain = [value.value if isinstance(value, enum.Enum) else value for value in values]
    return tuple(plain) if all(value is None or isinstance(value, str | int) for value in plain) else None


def literal_options(values: Sequence[Any], of: ir.Similarity) -> list[Option]:
    """The values of a `Literal` inside a union, one option per kind."""
    groups: dict[ir.Kind, list[Any]] = {}
    for value in literal_values(values) or values:
        kind = next((kind for base, kind in KINDS.items() if isinstance(value, base)), None)
        if kind is None:
            raise UsageError(f"{value!r} cannot stand beside other types", hint="use an Enum instead of the Literal")
        groups.setdefault(kind, []).append(value)
    whole = isinstance(of, ir.Exact)
    return [Option(ir.Exact(values=tuple(group)) if whole else of, kind, kind=kind) for kind, group in groups.items()]


def union_of(options: Sequence[Option]) -> ir.Similarity:
    """The union of the options, or the only one that is left after merging."""
    options = _merged(options)
    if len(options) == 1:
        return options[0].of
    records = [option for option in options if option.fields is not None]
    tag = _tag(records)
    last = None if tag else _otherwise(options)
    # Classes before kinds (a text of a special class is still a text), subclasses before their bases.
    order = sorted(options, key=lambda each: (each is last, each.cls is None, -len(getattr(each.cls, "__mro__", ()))))
    return ir.Union(cases=tuple(_case(option, records, tag, last) for option in order))


def _case(option: Option, records: Sequence[Option], tag: str | None, last: Option | None) -> ir.Case:
    if option is last:
        return ir.Case(name=option.name, of=option.of)
    if tag is not None and option.fields is not None:
        return ir.Case(name=option.name, field=tag, equals=_only_value(option.fields[tag]), of=option.of)
    if option.cls is not None:
        return ir.Case(name=option.name, python=Fn.of(option.cls), of=option.of)
    if option.fields is not None and len(records) > 1:
        return ir.Case(name=option.name, has=_own_key(option, records), of=option.of)
    return ir.Case(type=option.kind, of=option.of)


def _merged(options: Sequence[Option]) -> list[Option]:
    """One option per kind: plain equality absorbs the literals of its kind, and a float may be an integer."""
    numbers = [option for option in options if option.kind in ("integer", "number")]
    if any(option.of == ir.Exact(type="number") for option in numbers):
        options = [option for option in options if not (option.kind == "integer" and isinstance(option.of, ir.Exact))]
    kept: dict[Any, Option] = {}
    for option in options:
        key = option.cls or (option.name if option.fields is not None else option.kind)
        other = kept.get(key)
        kept[key] = option if other is None else _both(other, option)
    maps = [option for option in kept.values() if option.kind == "object"]
    if len(maps) > 1 and any(option.fields is None for option in maps):
        raise UsageError("a dict and a TypedDict cannot be told apart", hint="use a dataclass for one of them")
    return list(kept.values())


def _both(one: Option, other: Option) -> Option:
    """Two options that look alike are one if both are plain equality, or the same."""
    if one.of == other.of and one.cls is other.cls:
        return one
    if not (isinstance(one.of, ir.Exact) and isinstance(other.of, ir.Exact) and one.kind is not None):
        hint = "make one of them a class of its own, or choose a similarity for the whole union with Annotated"
        raise UsageError(f"two cases of the union are of the same kind: {other.name}", hint=hint)
    if one.of.values is None or other.of.values is None:
        return replace(one, of=ir.Exact(type=one.kind))
    return replace(one, of=ir.Exact(values=(*one.of.values, *other.of.values)))


def _otherwise(options: Sequence[Option]) -> Option | None:
    """The one class whose values need no test, because nothing else of the union looks like them."""
    classes = [option for option in options if option.cls is not None and option.cls is not Variable]
    records = [option for option in classes if option.fields is not None]
    chosen = records if len(records) == 1 else classes
    if len(chosen) != 1 or any(option.kind == "object" for option in options):
        return None
    cls = chosen[0].cls
    looks_like = {kind for base, kind in KINDS.items() if cls is not None and issubclass(cls, base)}
    return None if looks_like & {option.kind for option in options} else chosen[0]


def _tag(records: Sequence[Option]) -> str | None:
    """A field that every record of the union has with a Literal of its own."""
    if len(records) < 2:
        return None
    for name in records[0].fields or ():
        values = [_only_value((option.fields or {}).get(name)) for option in records]
        if None not in values and len(set(values)) == len(values):
            return name
    return None


def _only_value(tp: Any) -> str | int | bool | None:
    while typing.get_origin(tp) is typing.Annotated:
        tp = tp.__origin__
    values = literal_values(typing.get_args(tp)) if typing.get_origin(tp) is Literal else None
    return values[0] if values is not None and len(values) == 1 else None


def _own_key(option: Option, records: Sequence[Option]) -> str:
    """A key that this TypedDict always has and the others never have."""
    others = {name for other in records if other is not option for name in _names(other)}
    for name in option.fields or ():
        if name not in others and isinstance(option.of, ir.Record) and not may_be_absent(option.of.fields[name]):
            return name
    hint = 'give each of them a field like kind: Literal["..."]'
    raise UsageError(f"nothing tells {option.name} from the other cases", hint=hint)


def _names(option: Option) -> set[str]:
    """All fields of a record, the optional ones included."""
    return set(option.of.fields) if isinstance(option.of, ir.Record) else set(option.fields or ())
