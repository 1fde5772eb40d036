"""Documents as metrics want them: empty ones, and raw JSON turned into a user's own types."""

from __future__ import annotations

from typing import Any

import msgspec

from adjudge.algebra import ir
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
        case ir.Set() | ir.Greedy() | ir.Sequence() | ir.Overlap():
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
    raise UsageError(
        "a missing document cannot count as empty: this metric compares single values",
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
        raise ValidationError(f"{place}: {message[:1].lower()}{message[1:]}") from None
    except TypeError as error:
        raise UsageError(f"documents cannot be read as {kind!r}: {error}") from None


def _validated(validate: Any, document: Any) -> Any:
    try:
        return validate(document)
    except ValueError as error:
        listed = getattr(error, "errors", None)
        first = listed()[0] if listed is not None else {"loc": (), "msg": str(error)}
        steps = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in first["loc"])
        raise ValidationError(f"${steps}: {first['msg']}") from None


def _special(kind: type, value: Any) -> Any:
    if kind is Variable:
        return Variable(value)
    raise NotImplementedError
