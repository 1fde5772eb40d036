"""A class as a schema of records: dataclasses, attrs, msgspec, pydantic, NamedTuple and TypedDict, by their types.

A field is compared otherwise if it says so under `x-adjudge`: in the metadata of a dataclass or attrs field, in
`json_schema_extra` of pydantic, in `extra_json_schema` of msgspec, or as `Annotated[float, {"x-adjudge": ...}]`.
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

import msgspec

from adjudge.algebra import shape
from adjudge.algebra.access import UNIONS, fields_of, ignore, is_record_class, is_typed_dict, substitute, unwrapped
from adjudge.algebra.places import Source
from adjudge.algebra.schema_file import Reader, compares, of_records
from adjudge.algebra.schema_json import OWN, combined, enumeration
from adjudge.errors import FormatError, Problem, UsageError

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
    """The shapes of classes; those that contain themselves are in `named`."""

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
            needed = not (field.optional or field.name in given or _takes_null(field.type))
            found[field.name] = msgspec.structs.replace(made, required=needed)
        self.open.pop()
        whole = shape.Fields(fields=found)
        if _name(tp) not in self.named:
            return whole
        self.named[_name(tp)] = whole
        return shape.Named(name=_name(tp))


def _resolved(tp: Any) -> Any:
    """A type without what says nothing about its values."""
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


def _takes_null(tp: Any) -> bool:
    tp = _resolved(tp)
    if typing.get_origin(tp) is typing.Annotated:
        return _takes_null(typing.get_args(tp)[0])
    if typing.get_origin(tp) in UNIONS:
        return any(_takes_null(each) for each in typing.get_args(tp))
    return tp in (None, type(None), Any) or (typing.get_origin(tp) is Literal and None in typing.get_args(tp))


def _pieces(cls: type) -> list[tuple[str, Any]]:
    """What the fields of a class say of themselves outside of their types."""
    if hasattr(cls, "__pydantic_fields__") and hasattr(cls, "model_fields"):
        return list(cls.model_fields.items())
    if dataclasses.is_dataclass(cls):
        return [(field.name, field.metadata) for field in dataclasses.fields(cls)]
    return [(field.name, field.metadata) for field in getattr(cls, "__attrs_attrs__", ())]


def _said(piece: Any) -> Any:
    """The comparison that a piece of metadata says; None if it says nothing of it."""
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
    """The fields that need not be given."""
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
