"""A schema of records from JSON Schema, or from a class: dataclasses, attrs, msgspec, pydantic, NamedTuple, TypedDict.

`x-adjudge` on any node chooses another comparison, in the form of `schema_file`; on an array its options (`key`,
`match`, `unique`, `pair_at`) may be given alone.

Types become comparisons, `null` is dropped, references are resolved. A field of a class chooses another comparison
under `x-adjudge`: in the metadata of a dataclass or attrs field, in `json_schema_extra` of pydantic, in
`extra_json_schema` of msgspec, or as `Annotated[float, {"x-adjudge": ...}]`.
"""

from __future__ import annotations

import collections.abc
import dataclasses
import datetime
import decimal
import enum
import fractions
import pathlib
import typing
import uuid
from collections import deque
from collections.abc import Mapping
from typing import Any, Literal
from urllib.parse import unquote

import msgspec

from adjudge.algebra import shape
from adjudge.algebra.access import UNIONS, fields_of, ignore, is_record_class, is_typed_dict, substitute, unwrapped
from adjudge.algebra.places import Source, Where
from adjudge.algebra.schema_file import OPTIONS, Options, Reader, compares, of_records, scalar_text
from adjudge.errors import FormatError, Problem, UsageError

OWN = "x-adjudge"
MANY = 20_000  # nodes, references resolved, beyond which a schema is refused
_TYPES: dict[str, shape.Comparison] = {
    "string": shape.Text(),
    "number": shape.Number(),
    "integer": shape.Number(),
    "boolean": shape.Boolean(),
}
_KNOWN = ("object", "array", "null", *_TYPES)


def is_json_schema(value: Any) -> bool:
    """Whether a value of a file is a JSON Schema, and not fields with their comparisons.

    >>> is_json_schema({"type": "array", "items": {}}), is_json_schema({"type": "text", "items": ["text"]})
    (True, False)
    """
    if not isinstance(value, dict):
        return False
    if "$schema" in value or ("$ref" in value and "$defs" in value):
        return True
    if value.get("type") == "object":
        return isinstance(value.get("properties"), dict)
    return value.get("type") == "array" and "items" in value


class JsonSchema:
    """The shapes of one JSON Schema; recursive ones are in `named`."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.named: dict[str, shape.Shape] = {}
        self.known: dict[str, shape.Shape] = {}
        self.open: list[str] = ["#"]
        self.count = 0
        self.crowded = False

    def node(self, raw: Any, where: Where) -> shape.Shape:
        """The shape of what a node describes."""
        self.count += 1
        if self.count > MANY and not self.crowded:
            self.crowded = True
            self.reader.note((), f"the schema has more than {MANY} parts", "use fewer references")
        if self.crowded or raw is True:
            return shape.Anything()
        if raw is False:
            return shape.Ignore()
        if not isinstance(raw, dict):
            self.reader.note(where, "expected a schema", "write {type: string}")
            return shape.Anything()
        own = raw.get(OWN)
        if isinstance(own, dict) and own and set(own) <= set(OPTIONS["list"]):
            made = self._plain(raw, where)
            if isinstance(made, shape.Listing):
                return self.reader.with_options(made, Options(own, (*where, OWN)))
        return self._plain(raw, where) if own is None else self.reader.node(own, (*where, OWN))

    def root(self, raw: dict[str, Any]) -> shape.Shape:
        """The shape of the whole, which may refer to itself."""
        made = self.node(raw, ())
        if "#" in self.named:
            self.named["#"] = made
        return made

    def _plain(self, raw: dict[str, Any], where: Where) -> shape.Shape:
        if isinstance(raw.get("$ref"), str):
            return self._reference(raw["$ref"], (*where, "$ref"))
        if "enum" in raw or "const" in raw:
            return enumeration(raw["enum"] if isinstance(raw.get("enum"), list) else [raw.get("const")])
        if isinstance(raw.get("allOf"), list):
            rest = {key: value for key, value in raw.items() if key != "allOf"}
            parts = [self.node(each, (*where, "allOf", place)) for place, each in enumerate(raw["allOf"])]
            own = [self._plain(rest, where)] if {"type", "properties", "anyOf", "oneOf"} & set(rest) else []
            return combined([part for part in (*own, *parts) if not isinstance(part, shape.Anything)], every=True)
        for word in ("anyOf", "oneOf"):
            if isinstance(raw.get(word), list):
                options = [
                    self.node(each, (*where, word, place)) for place, each in enumerate(raw[word]) if not _is_null(each)
                ]
                return combined([self._resolved(each) for each in options] if len(options) > 1 else options)
        return self._typed(raw, where)

    def _typed(self, raw: dict[str, Any], where: Where) -> shape.Shape:
        kinds = raw.get("type", "object" if "properties" in raw else "array" if "items" in raw else None)
        listed = [each for each in (kinds if isinstance(kinds, list) else [kinds]) if each not in (None, "null")]
        for each in listed:
            if each not in _KNOWN:
                self.reader.note((*where, "type"), f"there is no type {each!r}", f"use {', '.join(_KNOWN)}")
                return shape.Anything()
        return combined([self._of_type(each, raw, where) for each in listed])

    def _of_type(self, kind: str, raw: dict[str, Any], where: Where) -> shape.Shape:
        if kind == "object":
            return self._object(raw, where)
        if kind == "array":
            return self._array(raw, where)
        if kind == "string" and raw.get("format") in ("date", "date-time"):
            return shape.Leaf(by=shape.Date())
        return shape.Leaf(by=_TYPES[kind])

    def _object(self, raw: dict[str, Any], where: Where) -> shape.Shape:
        properties = raw.get("properties")
        if not isinstance(properties, dict) or not properties:
            return shape.Anything()  # a mapping of anything to anything
        needed = raw.get("required")
        required = set(needed) if isinstance(needed, list) else set()
        found = {}
        for name, inner in properties.items():
            made = self.node(inner, (*where, "properties", name))
            # Null is allowed, so an absent value is not missing.
            wanted = name in required and not _takes_null(inner)
            found[name] = msgspec.structs.replace(made, required=True) if wanted else made
        return shape.Fields(fields=found)

    def _array(self, raw: dict[str, Any], where: Where) -> shape.Shape:
        items = raw.get("items", True)
        first = raw.get("prefixItems", items if isinstance(items, list) else None)
        if isinstance(first, list):
            parts = [self.node(each, (*where, "prefixItems", place)) for place, each in enumerate(first)]
            same = bool(parts) and all(part == parts[0] for part in parts)
            made = shape.Listing(of=parts[0] if same else shape.Anything(), match="place")
        else:
            made = shape.Listing(of=self.node(items, (*where, "items")), unique=raw.get("uniqueItems") is True)
        return made

    def _reference(self, ref: str, where: Where) -> shape.Shape:
        if ref in self.known:
            self.count += _size(self.known[ref])
            return self.known[ref]
        if ref in self.open:
            self.named.setdefault(ref, shape.Anything())  # until it is finished
            return shape.Named(name=ref)
        target = self._target(ref)
        if target is None:
            self.reader.note(where, f"there is no {ref} in this schema", "refer to a part of it, as #/$defs/Line")
            return shape.Anything()
        self.open.append(ref)
        made = self.node(*target)
        self.open.pop()
        self.known[ref] = made
        if ref in self.named:
            self.named[ref] = made
            self.known[ref] = made = shape.Named(name=ref)
        return made

    def _target(self, ref: str) -> tuple[Any, Where] | None:
        value: Any = self.reader.source.value
        where: Where = ()
        if not ref.startswith("#"):
            return None
        for step in ref[1:].split("/")[1:] if ref != "#" else ():
            name = unquote(step).replace("~1", "/").replace("~0", "~")
            if isinstance(value, list) and name.isdecimal() and int(name) < len(value):
                value, where = value[int(name)], (*where, int(name))
            elif isinstance(value, dict) and name in value:
                value, where = value[name], (*where, name)
            else:
                return None
        return value, where

    def _resolved(self, node: shape.Shape) -> shape.Shape:
        return self.named.get(node.name, node) if isinstance(node, shape.Named) else node


def _is_null(raw: Any) -> bool:
    return isinstance(raw, dict) and (raw.get("type") == "null" or raw.get("enum") == [None] or _const_null(raw))


def _const_null(raw: dict[str, Any]) -> bool:
    return "const" in raw and raw["const"] is None


def _takes_null(raw: Any) -> bool:
    if not isinstance(raw, dict):
        return True
    kinds = raw.get("type")
    if _is_null(raw) or (isinstance(kinds, list) and "null" in kinds):
        return True
    values = raw.get("enum")
    if isinstance(values, list) and None in values:
        return True
    return any(_takes_null(each) for word in ("anyOf", "oneOf") for each in raw.get(word) or ())


def enumeration(values: list[Any]) -> shape.Shape:
    """The shape of one of some values, null left out."""
    listed = [value for value in values if value is not None]
    if not listed:
        return shape.Anything()
    if any(isinstance(value, dict | list) for value in listed):
        return shape.Leaf(by=shape.Same())
    return shape.Leaf(by=shape.Enum(values={scalar_text(value): () for value in listed}))


def _united(parts: list[shape.Fields], *, every: bool = False) -> shape.Fields:
    """Several objects as one with all their fields; one is required if all (with `every`: any) require it."""
    found: dict[str, shape.Shape] = {}
    for name in dict.fromkeys(name for part in parts for name in part.fields):
        own = [part.fields[name] for part in parts if name in part.fields]
        needed = (
            any(each.required for each in own)
            if every
            else all(name in part.fields and part.fields[name].required for part in parts)
        )
        found[name] = msgspec.structs.replace(combined([_optional(each) for each in own]), required=needed)
    return shape.Fields(fields=found, extra=any(part.extra for part in parts))


def _optional(node: shape.Shape) -> shape.Shape:
    return msgspec.structs.replace(node, required=False)


def combined(parts: list[shape.Shape], *, every: bool = False) -> shape.Shape:
    """One shape for several: equal shapes, objects and enumerations are merged, all others are `Anything`."""
    different = [part for place, part in enumerate(parts) if part not in parts[:place]]
    if len(different) == 1:
        return different[0]
    objects = [part for part in different if isinstance(part, shape.Fields)]
    if objects and len(objects) == len(different):
        return _united(objects, every=every)
    enums = [part.by.values for part in different if isinstance(part, shape.Leaf) and isinstance(part.by, shape.Enum)]
    if enums and len(enums) == len(different):
        return shape.Leaf(by=shape.Enum(values={name: aliases for each in enums for name, aliases in each.items()}))
    return different[0] if every and different else shape.Anything()


def _size(node: shape.Shape) -> int:
    if isinstance(node, shape.Fields):
        return 1 + sum(map(_size, node.fields.values()))
    return 1 + (_size(node.of) if isinstance(node, shape.Listing) else 0)


_LISTS = (
    *(list, set, frozenset, deque, collections.abc.Set, collections.abc.MutableSet, collections.abc.Sequence),
    *(collections.abc.MutableSequence, collections.abc.Collection, collections.abc.Iterable),
)
_SETS = (set, frozenset, collections.abc.Set, collections.abc.MutableSet)
_SCALARS: tuple[tuple[tuple[type, ...], shape.Comparison], ...] = (
    ((bool,), shape.Boolean()),
    ((int, float, decimal.Decimal, fractions.Fraction), shape.Number()),
    ((datetime.date,), shape.Date()),
    ((str, datetime.time, uuid.UUID, pathlib.PurePath), shape.Text()),
)


def of_class(given: Any) -> shape.Schema:
    """The schema of a class, or of a list of objects of one.

    >>> Line = dataclasses.make_dataclass("Line", [("sku", str), ("price", float)])
    >>> of_class(list[Line]).root.of.fields["price"].by
    Number(tolerance='0', relative=False, decimal='point')
    """
    walk = _Classes()
    root = walk.of(given, _name(given))
    if not isinstance(root, shape.Fields | shape.Listing | shape.Named):
        hint = "give a dataclass, pydantic, msgspec or attrs class, a file or a mapping"
        raise UsageError(f"{_name(given)} does not say which fields records have", hint=hint)
    if not any(map(compares, (root, *walk.named.values()))):
        raise UsageError(f"{_name(given)}: all fields are ignored", hint="compare at least one")
    return shape.Schema(root=of_records(root), named=walk.named)


class _Classes:
    """The shapes of classes; recursive ones are in `named`."""

    def __init__(self) -> None:
        self.named: dict[str, shape.Shape] = {}
        self.open: list[Any] = []

    def of(self, tp: Any, path: str) -> shape.Shape:
        """The shape of the values of a type."""
        tp = _resolved(tp)
        origin, args = typing.get_origin(tp), typing.get_args(tp)
        if origin is typing.Annotated:
            own = [each for piece in tp.__metadata__ if (each := _said(piece)) is not None]
            return _own(own[0], path) if own else self.of(args[0], path)
        if origin in UNIONS:
            return self._union([each for each in args if each is not type(None)], path)
        if origin is Literal:
            return enumeration([each.value if isinstance(each, enum.Enum) else each for each in args])
        if origin in _LISTS or (origin is tuple and args[1:] == (Ellipsis,)):
            return shape.Listing(of=self.of(args[0], f"{path}[]"), unique=origin in _SETS)
        if origin is tuple:
            parts = [self.of(each, f"{path}[]") for each in args]
            same = all(part == parts[0] for part in parts)
            return shape.Listing(of=parts[0] if same else shape.Anything(), match="place")
        return self._class(tp, origin or tp, path)

    def _union(self, members: list[Any], path: str) -> shape.Shape:
        parts = [self.of(each, path) for each in members]
        return combined([self.named.get(each.name, each) if isinstance(each, shape.Named) else each for each in parts])

    def _class(self, tp: Any, cls: Any, path: str) -> shape.Shape:
        if not isinstance(cls, type):
            return shape.Anything()
        if issubclass(cls, enum.Enum):
            return enumeration([each.value for each in cls])
        if is_record_class(cls):
            return self._record(tp, cls, path)
        for kinds, by in _SCALARS:
            if issubclass(cls, kinds):
                return shape.Leaf(by=by)
        return shape.Listing(of=shape.Anything()) if cls in _LISTS or cls is tuple else shape.Anything()

    def _record(self, tp: Any, cls: type, path: str) -> shape.Shape:
        if any(tp == each for each in self.open):
            self.named.setdefault(_name(tp), shape.Anything())  # until it is finished
            return shape.Named(name=_name(tp))
        self.open.append(tp)
        said = {name: own for name, piece in _pieces(cls) if (own := _said(piece)) is not None}
        given = _defaults(cls)
        found: dict[str, shape.Shape] = {}
        for field in fields_of(cls, typing.get_args(tp)):
            here = f"{path}.{field.name}"
            made = _own(said[field.name], here) if field.name in said else self.of(field.type, here)
            needed = not (field.optional or field.name in given or _type_takes_null(field.type))
            found[field.name] = msgspec.structs.replace(made, required=needed)
        self.open.pop()
        whole = shape.Fields(fields=found)
        if _name(tp) not in self.named:
            return whole
        self.named[_name(tp)] = whole
        return shape.Named(name=_name(tp))


def _resolved(tp: Any) -> Any:
    """A type without wrappers that say nothing about its values."""
    while True:
        if isinstance(tp, typing.NewType):
            tp = tp.__supertype__
        elif isinstance(tp, typing.TypeVar):
            tp = tp.__bound__ or Any
        elif type(typing.get_origin(tp) or tp).__name__ == "TypeAliasType":
            alias = typing.get_origin(tp) or tp
            tp = substitute(alias.__value__, dict(zip(alias.__type_params__, typing.get_args(tp), strict=False)))
        elif unwrapped(tp) is not tp:
            tp = unwrapped(tp)
        else:
            return tp


def _type_takes_null(tp: Any) -> bool:
    tp = _resolved(tp)
    if typing.get_origin(tp) is typing.Annotated:
        return _type_takes_null(typing.get_args(tp)[0])
    if typing.get_origin(tp) in UNIONS:
        return any(_type_takes_null(each) for each in typing.get_args(tp))
    return tp in (None, type(None), Any) or (typing.get_origin(tp) is Literal and None in typing.get_args(tp))


def _pieces(cls: type) -> list[tuple[str, Any]]:
    """The metadata of the fields of a class that is not in their types."""
    if hasattr(cls, "__pydantic_fields__") and hasattr(cls, "model_fields"):
        return list(cls.model_fields.items())
    if dataclasses.is_dataclass(cls):
        return [(field.name, field.metadata) for field in dataclasses.fields(cls)]
    return [(field.name, field.metadata) for field in getattr(cls, "__attrs_attrs__", ())]


def _said(piece: Any) -> Any:
    """The comparison that a piece of metadata chooses; None if it chooses none."""
    if piece is ignore:
        return "ignore"
    for each in (piece, getattr(piece, "json_schema_extra", None), getattr(piece, "extra_json_schema", None)):
        if isinstance(each, Mapping) and OWN in each:
            return each[OWN]
    return None


def _own(raw: Any, path: str) -> shape.Shape:
    reader = Reader(Source(raw, None))
    made = reader.node(raw, ())
    try:
        reader.stop()
    except FormatError as error:
        raise UsageError([Problem(f"{path}: {each.message}", hint=each.hint) for each in error.problems]) from None
    return made


def _defaults(cls: type) -> set[str]:
    """The fields that have a default."""
    if is_typed_dict(cls):
        return set()
    if hasattr(cls, "__struct_fields__"):
        return {field.name for field in msgspec.structs.fields(cls) if not field.required}
    if hasattr(cls, "__pydantic_fields__") and hasattr(cls, "model_fields"):
        return {name for name, field in cls.model_fields.items() if not field.is_required()}
    if dataclasses.is_dataclass(cls):
        no = dataclasses.MISSING
        return {
            each.name for each in dataclasses.fields(cls) if each.default is not no or each.default_factory is not no
        }
    if hasattr(cls, "__attrs_attrs__"):
        return {each.name for each in cls.__attrs_attrs__ if getattr(each.default, "name", "") != "NOTHING"}
    return set(getattr(cls, "_field_defaults", ()))


def _name(tp: Any) -> str:
    return getattr(tp, "__qualname__", None) or str(tp)
