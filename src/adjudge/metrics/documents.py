"""Documents as metrics want them: empty ones, and raw JSON turned into a user's own types."""

from __future__ import annotations

import typing
from collections.abc import Set
from typing import Any

import msgspec

from adjudge.algebra import ir
from adjudge.algebra.access import fields_of, is_record_class, unwrapped
from adjudge.errors import UsageError, ValidationError
from adjudge.model.variable import Variable


def empty(node: ir.Similarity) -> Any:
    """What stands for a document in which nothing was found.

    >>> from adjudge.algebra import exact, record, set_of
    >>> empty(record(relations=set_of(exact)))
    {'relations': []}
    """
    match node:
        case ir.Record() | ir.Sum():
            return {name: empty(inner) for name, inner in node.fields.items()}
        case ir.Set() | ir.Greedy() | ir.Sequence() | ir.Overlap() | ir.Leaves():
            return []
        case ir.Graph():
            return {node.nodes: [], node.edges: []}
        case ir.Normalise() | ir.Threshold() | ir.Unit() | ir.Latent():
            return empty(node.of)
        case ir.Mapped() if node.by is not None and node.by.name == "tree":
            return {}
        case ir.Mapped():
            return empty(node.of)
        case ir.Union():
            for case in node.cases:
                if case.type == "null":
                    return None
            for case in node.cases:
                if case.type in (None, "array", "object"):
                    return empty(case.of)
    raise ValidationError(
        "it is missing and cannot count as empty: this metric compares single values",
        hint="give every gold document a system document",
    )


def typed(kind: Any, document: Any) -> Any:
    """A raw document as an object of a type; a pydantic model validates itself.

    >>> typed(list[int], [1, 2])
    [1, 2]
    """
    validate = getattr(kind, "model_validate", None)
    if validate is not None:
        return _validated(validate, document)
    try:
        return msgspec.convert(document, kind, dec_hook=_special)
    except msgspec.ValidationError as error:
        message, _, path = str(error).partition(" - at ")
        place = path.strip("`") or "$"
        hint = "give it a default in the type if documents may lack it" if "missing required" in message else None
        raise ValidationError(f"{place}: {message[:1].lower()}{message[1:]}", hint=hint) from None
    except TypeError as error:
        raise UsageError(f"documents cannot be read as {kind!r}: {error}") from None
    except RecursionError:
        raise
    except Exception as error:  # the type is the user's: its __post_init__ may raise anything
        raise _refused(kind, error) from error


def _refused(kind: Any, error: Exception) -> ValidationError:
    name = getattr(kind, "__qualname__", str(kind))
    return ValidationError(f"$: {name} refuses it ({type(error).__name__}: {error})", hint=f"see the code of {name}")


def without_repeats(kind: Any) -> str | None:
    """Where a type holds a set, in which the repeated elements of a JSON array are lost; None if it holds none.

    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Page:
    ...     tags: list[str]
    ...     links: frozenset[str]
    >>> without_repeats(Page)
    'Page.links'
    """
    return _set_in(kind, getattr(kind, "__qualname__", str(kind)), [])


def _set_in(kind: Any, path: str, inside: list[Any]) -> str | None:
    kind = unwrapped(kind)
    origin = typing.get_origin(kind)
    if any(kind is each for each in inside):
        return None
    here = [*inside, kind]
    for each in (kind, origin):
        if isinstance(each, type) and issubclass(each, Set):
            return path
        if is_record_class(each):
            for field in fields_of(each, typing.get_args(kind)):
                if found := _set_in(field.type, f"{each.__qualname__}.{field.name}", here):
                    return found
            return None
    inner = [kind.__value__] if hasattr(kind, "__value__") else typing.get_args(kind)
    return next((found for each in inner if (found := _set_in(each, path, here))), None)


def _validated(validate: Any, document: Any) -> Any:
    try:
        return validate(document)
    except RecursionError:
        raise
    except Exception as error:
        if not isinstance(error, ValueError):
            raise _refused(getattr(validate, "__self__", validate), error) from error
        listed = getattr(error, "errors", None)
        first = listed()[0] if listed is not None else {"loc": (), "msg": str(error)}
        steps = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in first["loc"])
        raise ValidationError(f"${steps}: {first['msg']}") from None


def _special(kind: type, value: Any) -> Any:
    if kind is Variable:
        if not isinstance(value, str):
            raise ValueError(f"Expected the name of a variable, got `{type(value).__name__}`")
        return Variable(value)
    raise NotImplementedError
