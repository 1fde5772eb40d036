"""The names in use for the subject, relation, object, document and confidence of a triple, and which program wrote a
graph."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, Literal, TypeAlias

from adjudge.errors import FormatError, Problem

ROLES: dict[str, tuple[str, ...]] = {
    "subject": ("subject", "sub", "s", "head", "h", "source", "from"),
    "relation": ("relation", "rel", "r", "predicate", "p", "edge", "label"),
    "object": ("object", "obj", "o", "tail", "t", "target", "to"),
    "document": ("document", "document_id", "doc", "doc_id", "sent_id", "provenance"),
    "confidence": ("confidence", "score"),
}
TRIPLE = ("subject", "relation", "object")
PLAIN = (*TRIPLE, "document", "confidence")
"""The columns of a table that has no header, as far as it has them."""

Kind: TypeAlias = Literal["json", "langchain", "neo4j", "llamaindex", "kggen"]
KINDS: tuple[Kind, ...] = ("json", "langchain", "neo4j", "llamaindex", "kggen")

_ROLE = {name: role for role, names in ROLES.items() for name in names}


def roles_of(names: Iterable[Any]) -> dict[str, Any] | None:
    """The name of each role among some names, ignoring case; None unless subject, relation and object are there.

    >>> roles_of(["Relation", "tail", "head", "n"])
    {'relation': 'Relation', 'object': 'tail', 'subject': 'head'}
    >>> roles_of(["head", "sub", "rel", "obj"])
    Traceback (most recent call last):
    adjudge.errors.FormatError: 'head' and 'sub' both name the subject, rename one of them
    """
    found: dict[str, Any] = {}
    twice: list[tuple[str, Any]] = []
    for name in names:
        role = _ROLE.get(str(name).strip().lower())
        if role is not None and found.setdefault(role, name) is not name:
            twice.append((role, name))
    if not all(role in found for role in TRIPLE):
        return None
    for role, name in twice:
        message = f"{str(found[role])!r} and {str(name)!r} both name the {role}"
        raise FormatError(Problem(message, hint="rename one of them"))
    return found


def document_of(data: Mapping[str, Any], names: Iterable[str] = ROLES["document"]) -> str | None:
    """The document that an object names; None if it names none."""
    from adjudge.model.kg import one_line

    lower = {str(key).lower(): value for key, value in data.items()}
    for name in names:
        value = lower.get(name)
        if isinstance(value, str | int) and not isinstance(value, bool) and one_line(str(value)):
            return one_line(str(value))
    return None


def confidence_of(value: Any) -> float | None:
    """A confidence; None if the value is not a number.

    >>> confidence_of("0.5"), confidence_of(2), confidence_of("high"), confidence_of("nan")
    (0.5, 2.0, None, None)
    """
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def kind_of_values(values: list[Any]) -> Kind:
    """The program that writes such values.

    >>> kind_of_values([{"nodes": [], "relationships": [], "source": {}}]), kind_of_values([["a", "r", "b"]])
    ('langchain', 'json')
    """
    first = values[0] if values else None
    if not isinstance(first, Mapping):
        return "json"
    if "relationships" in first and "nodes" in first:
        return "langchain"
    if "rels" in first or any(
        isinstance(each, Mapping) and each.get("type") in ("node", "relationship") and {"labels", "start"} & each.keys()
        for each in values
    ):
        return "neo4j"
    if "triplets" in first and isinstance(first.get("nodes"), Mapping):
        return "llamaindex"
    if "relations" in first and "entities" in first and "edges" in first:
        return "kggen"
    return "json"
