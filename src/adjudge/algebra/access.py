"""Reading parts of a value, whether it is JSON, a tuple, or an object of the user's own class.

A field is a key of a mapping, an attribute of an object, or a position of a tuple or list written as a number.
"""

from __future__ import annotations

import enum
import numbers
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import lru_cache
from operator import itemgetter
from typing import Any

from adjudge.algebra import ir


class MissingField(Exception):
    """The value has no such field; caught inside the package, never shown."""


def getter(name: str) -> Callable[[Any], Any]:
    """A function that reads the field `name`; how is decided once per type of value.

    >>> getter("a")({"a": 1}), getter("1")(("x", "y")), getter("real")(2.0)
    (1, 'y', 2.0)
    """
    readers: dict[type, Callable[[Any], Any]] = {}

    def read(value: Any) -> Any:
        kind = type(value)
        if kind is dict:
            try:
                return value[name]
            except KeyError:
                raise MissingField(name) from None
        reader = readers.get(kind)
        if reader is None:
            reader = readers[kind] = _reader(kind, name)
        try:
            return reader(value)
        except (KeyError, IndexError, AttributeError):
            raise MissingField(name) from None

    return read


def _reader(kind: type, name: str) -> Callable[[Any], Any]:
    if issubclass(kind, Mapping):
        return itemgetter(name)
    if issubclass(kind, tuple | list) and name.isdecimal():
        return itemgetter(int(name))

    # Not operator.attrgetter: it would take a dot in the name apart.
    def attribute(value: Any) -> Any:
        return getattr(value, name)

    # The methods of built-in containers and scalars are not fields of the data.
    if kind.__module__ == "builtins" and callable(getattr(kind, name, None)):
        return _absent
    return attribute


def _absent(value: Any) -> Any:
    raise AttributeError(value)


def get(value: Any, name: str) -> Any:
    """The field `name` of one value.

    >>> get({"start": 3}, "start")
    3
    """
    return getter(name)(value)


def names(value: Any) -> list[str]:
    """The names under which a value has fields, for messages.

    >>> names({"b": 1, "a": 2})
    ['b', 'a']
    """
    if isinstance(value, Mapping):
        return [str(key) for key in value]
    for listing in ("_fields", "__struct_fields__", "__dataclass_fields__", "__match_args__", "__slots__"):
        found = getattr(value, listing, None)
        if found and isinstance(found, Iterable) and not isinstance(found, str):
            return [str(name) for name in found]
    if isinstance(value, list | tuple):
        return [str(position) for position in range(len(value))]
    return [name for name in getattr(value, "__dict__", ()) if not name.startswith("_")]


@lru_cache(maxsize=4096)
def _kind_of(kind: type) -> ir.Kind:
    if issubclass(kind, bool):
        return "boolean"
    if issubclass(kind, str):
        return "string"
    if kind is type(None):
        return "null"
    if issubclass(kind, numbers.Integral):
        return "integer"
    if issubclass(kind, numbers.Real):
        return "number"
    if issubclass(kind, Mapping | bytes | bytearray) or hasattr(kind, "_fields"):
        return "object"
    return "array" if issubclass(kind, Collection) else "object"


def kind(value: Any) -> ir.Kind:
    """The JSON kind of a value: any collection is an array, a named tuple and any other object an object.

    >>> kind(True), kind(1), kind(1.5), kind(frozenset()), kind({}), kind(None)
    ('boolean', 'integer', 'number', 'array', 'object', 'null')
    """
    return _kind_of(type(value))  # type: ignore[arg-type]


def is_kind(value: Any, wanted: ir.Kind) -> bool:
    """Whether a value is of a JSON kind; an integer is a number, true is neither.

    >>> is_kind(3, "number"), is_kind(True, "integer")
    (True, False)
    """
    found = _kind_of(type(value))  # type: ignore[arg-type]
    return found == wanted or (wanted == "number" and found == "integer")


def in_case(case: ir.Case, value: Any) -> bool:
    """Whether all conditions of a case hold for a value."""
    if case.python is not None and not isinstance(value, case.python.function):  # type: ignore[arg-type]
        return False
    if case.type is not None and not is_kind(value, case.type):
        return False
    if case.prefix is not None and not (isinstance(value, str) and value.startswith(case.prefix)):
        return False
    try:
        if case.has is not None:
            get(value, case.has)
        if case.field is not None:
            found = get(value, case.field)
            found = found.value if isinstance(found, enum.Enum) else found
            # true is not 1
            return bool(found == case.equals) and isinstance(found, bool) == isinstance(case.equals, bool)
    except MissingField:
        return False
    return True


def case_of(node: ir.Union, value: Any) -> int | None:
    """The position of the first case that takes the value, or None."""
    return next((position for position, case in enumerate(node.cases) if in_case(case, value)), None)


def may_be_absent(node: ir.Similarity) -> bool:
    """Whether a missing field of this similarity counts as null: one case of the union takes null."""
    if isinstance(node, ir.Union):
        return any(in_case(case, None) for case in node.cases)
    if isinstance(node, ir.Exact):
        return node.type == "null" or (node.values is not None and None in node.values)
    if isinstance(node, ir.Threshold | ir.Unit | ir.Latent | ir.Normalise):
        return may_be_absent(node.of)
    return False
