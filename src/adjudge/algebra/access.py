"""Fields of values and of classes: JSON, tuples, and objects of the user's own classes.

A field of a value is a key of a mapping, an attribute of an object, or a position of a tuple or list written as a
number. The fields of dataclasses, attrs, msgspec, pydantic, NamedTuple and TypedDict are read by
`typing.get_type_hints`; only the list of names differs, and type variables are filled in here, class by class, because
a base may use the same variable for something else.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import numbers
import types
import typing
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import lru_cache
from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from adjudge.errors import UsageError

if TYPE_CHECKING:
    from adjudge.algebra import ir


class MissingField(Exception):
    """The value has no such field; caught inside the package, never shown."""


def getter(name: str) -> Callable[[Any], Any]:
    """A function that reads the field `name`, choosing the way once per type of value.

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
    """The names of the fields of a value, for messages.

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


# ---------------------------------------------------------------------------------------------------------------------
# Classes


UNIONS = (typing.Union, types.UnionType)


class _Ignore:
    """The marker of a field that is not compared; a singleton."""

    def __repr__(self) -> str:
        return "ignore"

    def __reduce__(self) -> str:
        return "ignore"


ignore = _Ignore()
"""`text: Annotated[str, ignore]`: the field only describes the others, and is never compared."""


class Field(msgspec.Struct, frozen=True):
    """One field; `optional` if its key may be absent."""

    name: str
    type: Any
    optional: bool = False


def is_typed_dict(cls: Any) -> bool:
    """Whether `cls` is a TypedDict, from typing or from typing_extensions."""
    return isinstance(cls, type) and issubclass(cls, dict) and hasattr(cls, "__required_keys__")


def is_record_class(cls: Any) -> bool:
    """Whether the fields of a class can be listed."""
    return isinstance(cls, type) and _listed(cls) is not None


def fields_of(cls: type, args: tuple[Any, ...] = (), *, names: Mapping[str, Any] | None = None) -> list[Field]:
    """The compared fields of a class with their types; fields declared as not compared or marked `ignore` are left out.

    >>> class Point(typing.NamedTuple):
    ...     x: int
    ...     y: "float"
    >>> [(field.name, field.type.__name__) for field in fields_of(Point)]
    [('x', 'int'), ('y', 'float')]
    """
    origin, args = _pydantic_origin(cls, args)
    listed = _listed(cls)
    if listed is None:
        raise UsageError(f"{cls.__qualname__} is not a class whose fields can be listed")
    _check_decorated(cls, set(listed))
    try:
        hints = typing.get_type_hints(origin, localns=dict(names) if names else None, include_extras=True)
    except NameError as error:
        raise UsageError(
            f"{cls.__qualname__}: an annotation cannot be resolved ({error})",
            hint="define or import that name at the top of the module, or pass names={...}",
        ) from None
    maps = _substitutions(origin, args)
    found = []
    for name in listed:
        hint = hints.get(name, listed[name])
        if hint is None and name not in hints:
            raise UsageError(f"{cls.__qualname__}.{name}: the field has no type", hint="annotate it")
        hint, optional = _required(substitute(hint, _map_for(origin, name, maps)), name, cls)
        if ignore not in getattr(hint, "__metadata__", ()):
            found.append(Field(name, hint, optional))
    return found


@functools.cache
def field_names(cls: Any) -> tuple[str, ...] | None:
    """The names of the compared fields of a class; None if it is not one whose fields can be listed.

    >>> field_names(typing.NamedTuple("Point", [("x", int), ("y", int)])), field_names(list)
    (('x', 'y'), None)
    """
    listed = _listed(cls)
    if listed is None or is_typed_dict(cls):
        return None
    try:
        return tuple(field.name for field in fields_of(cls))
    except (
        UsageError,
        TypeError,
    ):  # a class without types, or with such as cannot be found here, has names all the same
        return tuple(listed)


def substitute(hint: Any, values: Mapping[Any, Any]) -> Any:
    """A type with its type variables filled in.

    >>> T = TypeVar("T")
    >>> substitute(list[T] | None, {T: int})
    list[int] | None
    """
    if isinstance(hint, TypeVar):
        return values.get(hint, hint)
    parameters = () if isinstance(hint, type) and not typing.get_args(hint) else getattr(hint, "__parameters__", ())
    if not parameters or not any(parameter in values for parameter in parameters):
        return hint
    return hint[tuple(values.get(parameter, parameter) for parameter in parameters)]


def _listed(cls: type) -> dict[str, Any] | None:
    """The names of the fields that are compared, each with a type if the class itself keeps one."""
    if hasattr(cls, "__struct_fields__"):
        return dict.fromkeys(cls.__struct_fields__)
    if hasattr(cls, "__pydantic_fields__") and hasattr(cls, "model_fields"):
        return {name: field.annotation for name, field in cls.model_fields.items()}
    if dataclasses.is_dataclass(cls):
        return {field.name: None for field in dataclasses.fields(cls) if field.compare}
    if hasattr(cls, "__attrs_attrs__"):
        return {field.name: field.type for field in cls.__attrs_attrs__ if field.eq}
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        return dict.fromkeys(cls._fields)
    if is_typed_dict(cls):
        return dict.fromkeys(cls.__annotations__)
    return None


def _check_decorated(cls: type, listed: set[str]) -> None:
    """A subclass that adds annotations without the decorator would silently lose its fields."""
    for mark, decorator in (("__dataclass_fields__", "dataclass"), ("__attrs_attrs__", "attrs.define")):
        if hasattr(cls, mark) and mark not in cls.__dict__:
            added = [
                name
                for name, hint in inspect.get_annotations(cls).items()
                if name not in listed and "ClassVar" not in str(hint)
            ]
            if added:
                raise UsageError(
                    f"{cls.__qualname__} annotates {', '.join(added)} but has no @{decorator} of its own",
                    hint=f"decorate {cls.__qualname__} as well",
                )


def _required(hint: Any, name: str, cls: type) -> tuple[Any, bool]:
    """The type without Required, NotRequired and the like, and whether the key may be absent."""
    optional = is_typed_dict(cls) and name in getattr(cls, "__optional_keys__", ())
    while (mark := _wrapper(hint)) is not None:
        if mark == "NotRequired":
            optional = True
        elif mark == "Required":
            optional = False
        hint = typing.get_args(hint)[0]
    return hint, optional


def _wrapper(hint: Any) -> str | None:
    origin = typing.get_origin(hint)
    name = getattr(origin, "_name", None) or getattr(origin, "__name__", None)
    return name if name in ("Required", "NotRequired", "ReadOnly", "Final", "ClassVar") else None


def unwrapped(hint: Any) -> Any:
    """A type without Final, Required and the like."""
    while _wrapper(hint) is not None and typing.get_args(hint):
        hint = typing.get_args(hint)[0]
    return hint


def _pydantic_origin(cls: type, args: tuple[Any, ...]) -> tuple[type, tuple[Any, ...]]:
    """A parametrised pydantic model is a class of its own; go back to the generic class and its arguments."""
    generic = getattr(cls, "__pydantic_generic_metadata__", None)
    if generic and generic["origin"] is not None:
        return generic["origin"], generic["args"]
    return cls, args


def _substitutions(cls: type, args: tuple[Any, ...]) -> dict[type, dict[Any, Any]]:
    """For every class among the bases, what its type variables stand for."""
    found: dict[type, dict[Any, Any]] = {}

    def visit(here: type, given: tuple[Any, ...]) -> None:
        here, given = _pydantic_origin(here, given)
        generic = getattr(here, "__pydantic_generic_metadata__", None)
        parameters = generic["parameters"] if generic else getattr(here, "__parameters__", ())
        values = dict(zip(parameters, given, strict=False))
        found.setdefault(here, values)
        for base in here.__dict__.get("__orig_bases__", here.__bases__):
            origin = typing.get_origin(base) or base
            if isinstance(origin, type) and origin not in (object, typing.Generic):
                visit(origin, tuple(substitute(arg, values) for arg in typing.get_args(base)))

    visit(cls, args)
    return found


def _map_for(cls: type, name: str, maps: Mapping[type, dict[Any, Any]]) -> dict[Any, Any]:
    """The substitution of the class that declares the field."""
    if is_typed_dict(cls):  # has lost its bases
        return {variable: value for values in reversed(list(maps.values())) for variable, value in values.items()}
    owner = next((base for base in cls.__mro__ if name in inspect.get_annotations(base)), cls)
    return maps.get(owner, {})
