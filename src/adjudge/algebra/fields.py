"""The fields of a class, whoever made the class: dataclasses, attrs, msgspec, pydantic, NamedTuple, TypedDict.

`typing.get_type_hints` reads the annotations of all of them; only the list of names differs, and type variables are
filled in here, class by class, because a base may use the same variable for something else.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from adjudge.errors import UsageError


class _Ignore:
    """The mark of a field that describes and is not compared; there is one."""

    def __repr__(self) -> str:
        return "ignore"

    def __reduce__(self) -> str:
        return "ignore"


ignore = _Ignore()
"""`text: Annotated[str, ignore]`: the field only describes the others, and is never compared."""


@dataclass(frozen=True, slots=True)
class Field:
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
    """A subclass that adds annotations without the decorator would lose its fields without a word."""
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


UNIONS = (typing.Union, types.UnionType)
