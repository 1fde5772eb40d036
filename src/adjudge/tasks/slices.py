"""Slices: by a field of the documents, such as genre, or by a field of their elements, such as relations.type."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from adjudge.errors import UsageError, did_you_mean
from adjudge.tasks.observe import AnyMetric, looks_at

_NOTHING = object()


@dataclass(frozen=True, slots=True)
class Slicing:
    """`attributes`: one value per gold document; `paths`: fields of elements."""

    attributes: dict[str, tuple[Any, ...]]
    paths: tuple[str, ...]


def slicing(by: Sequence[str], documents: Sequence[Any], metrics: Sequence[AnyMetric]) -> Slicing:
    """Sort fields into those of documents and those of elements, and refuse what is neither.

    >>> slicing(["genre"], [{"genre": "nw"}, {"genre": "df"}, {}], []).attributes
    {'genre': ('nw', 'df', None)}
    """
    attributes: dict[str, tuple[Any, ...]] = {}
    paths: list[str] = []
    for name in dict.fromkeys(by):
        values = [_field(document, name) for document in documents]
        outer, dot, inner = name.partition(".")
        elements = [_field(document, outer) for document in documents] if dot else []
        if dot and any(isinstance(each, list | tuple) for each in elements):
            _check_path(name, inner, elements, metrics)
            paths.append(name)
        elif all(value is _NOTHING for value in values):
            known = dict.fromkeys(field for document in documents for field in _names(document))
            hint = did_you_mean(name, known) or (f"fields are {', '.join(known)}" if known else "check the name")
            raise UsageError(f"no gold document has a field {name!r} to slice by", hint=hint)
        else:
            wrong = next((v for v in values if v is not _NOTHING and not _is_scalar(v)), _NOTHING)
            if wrong is not _NOTHING:
                kind = "an array" if isinstance(wrong, list | tuple) else "an object"
                hint = f"name a field of its elements, such as {name}.type"
                raise UsageError(f"cannot slice by {name!r}: its value is {kind}", hint=hint)
            attributes[name] = tuple(None if value is _NOTHING else value for value in values)
    return Slicing(attributes, tuple(paths))


def _check_path(name: str, inner: str, elements: Sequence[Any], metrics: Sequence[AnyMetric]) -> None:
    if not any(looks_at(metric, name) for metric in metrics):
        fields = dict.fromkeys(member.within for metric in metrics for member in metric.members if member.within)
        raise UsageError(f"no metric looks at {name!r}", hint=f"name a field of {' or '.join(fields)}")
    items = [item for each in elements if isinstance(each, list | tuple) for item in each]
    if items and all(_field(item, inner) is _NOTHING for item in items):
        known = dict.fromkeys(field for item in items for field in _names(item))
        hint = did_you_mean(inner, known) or (f"fields are {', '.join(known)}" if known else "check the name")
        raise UsageError(f"no element has a field {inner!r} to slice by ({name})", hint=hint)


def _field(value: Any, name: str) -> Any:
    """The value of a field, also inside of objects (meta.genre)."""
    if isinstance(value, Mapping) and name in value:
        return value[name]
    outer, dot, inner = name.partition(".")
    if isinstance(value, Mapping):
        found = value.get(outer, _NOTHING)
    else:
        found = _NOTHING if isinstance(value, str | list | tuple) else getattr(value, outer, _NOTHING)
    return _field(found, inner) if dot and found is not _NOTHING else found


def _names(value: Any) -> list[str]:
    """The names of the scalar fields of a document or element."""
    if isinstance(value, Mapping):
        return [str(key) for key, each in value.items() if _is_scalar(each) and key not in ("id", "text")]
    return [name for name in getattr(value, "__dict__", {}) if _is_scalar(getattr(value, name))]


def _is_scalar(value: Any) -> bool:
    return value is None or isinstance(value, str | int | float | bool)
