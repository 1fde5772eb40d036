"""The elements of a document: the values of one of their fields, and the document restricted to some of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from adjudge.errors import UsageError


class _Absent:
    """A value that no element has."""


ABSENT: Final = _Absent()
NOTHING: Final = object()


def field_of(value: Any, name: str) -> Any:
    """The value of a field, also of a nested one (meta.genre); `NOTHING` if there is none.

    >>> field_of({"meta": {"genre": "nw"}}, "meta.genre")
    'nw'
    """
    if isinstance(value, Mapping) and name in value:
        return value[name]
    outer, dot, inner = name.partition(".")
    if isinstance(value, Mapping):
        found = value.get(outer, NOTHING)
    else:
        # Methods of built-in types are not fields of the data.
        found = NOTHING if type(value).__module__ == "builtins" else getattr(value, outer, NOTHING)
    return field_of(found, inner) if dot and found is not NOTHING else found


def is_scalar(value: Any) -> bool:
    """Whether a value can name a slice."""
    return value is None or isinstance(value, str | int | float | bool)


def same(one: Any, other: Any) -> bool:
    """Whether two values name the same slice: true is not 1, but 1.0 is.

    >>> same(1, 1.0), same(1, True), same("1", 1)
    (True, False, False)
    """
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)


def element_values(document: Any, path: str) -> list[Any]:
    """The values of an element's field, such as `relations.type`, in one document; None where there is none.

    The field may be one of elements of elements (`events.arguments.role`).

    >>> element_values({"relations": [{"type": "x"}, {"type": True}, {"type": "x"}, {}]}, "relations.type")
    ['x', True, None]
    """
    outer, _, inner = path.partition(".")
    found: dict[tuple[bool, Any], Any] = {}
    for item in _items(document, outer):
        for value in element_values(item, inner) if is_nested(item, inner) else [_scalar(item, inner)]:
            found.setdefault((isinstance(value, bool), value), value)
    return list(found.values())


def is_nested(item: Any, path: str) -> bool:
    """Whether the path continues into the item's own elements.

    >>> is_nested({"arguments": []}, "arguments.role"), is_nested({"span": {"start": 1}}, "span.start")
    (True, False)
    """
    outer, dot, _ = path.partition(".")
    return bool(dot) and isinstance(field_of(item, outer), list | tuple)


def restricted(document: Any, path: str, value: Any) -> Any:
    """The document with only the elements whose field has this value, and those that contain such elements.

    >>> restricted({"id": "a", "relations": [{"type": "x"}, {"type": "y"}]}, "relations.type", "y")
    {'id': 'a', 'relations': [{'type': 'y'}]}
    """
    outer, _, inner = path.partition(".")
    if not isinstance(document, Mapping):
        raise UsageError(
            f"--by {path} needs JSON documents, not {type(document).__qualname__} objects",
            hint="give the documents as mappings",
        )
    if not isinstance(document.get(outer), list | tuple):
        return document
    kept = []
    for item in _items(document, outer):
        if is_nested(item, inner):
            part = restricted(item, inner, value)
            if part[inner.partition(".")[0]]:
                kept.append(part)
        elif same(_scalar(item, inner), value):
            kept.append(item)
    return {**document, outer: kept}


def _items(document: Any, outer: str) -> Sequence[Any]:
    found = field_of(document, outer)
    return found if isinstance(found, list | tuple) else ()


def _scalar(item: Any, path: str) -> Any:
    value = field_of(item, path)
    return None if value is NOTHING or not is_scalar(value) else value
