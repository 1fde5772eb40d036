"""Documents that are already as metrics want them, which are left as they are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from adjudge.formats.coerce.answers import is_answer
from adjudge.formats.coerce.corpus import IDS, LABELS, is_cell, is_list, origin
from adjudge.formats.coerce.spans import unnamed_link

NATIVE = {
    "ner": "entities",
    "linking": "mentions",
    "relation": "relations",
    "event": "events",
    "tree": "dependencies",
    "amr": "amr",
    "coref": "clusters",
}


def is_native(kind: str, source: Any) -> bool:
    """Whether documents are already as metrics want them: the first that has anything says so."""
    if origin(source) in ("pandas", "polars", "pyarrow", "datasets", "duckdb", "_duckdb", "networkx", "spacy"):
        return False
    if is_list(source) and any(isinstance(each, Mapping) and _is_called_otherwise(each) for each in source):
        return False
    if kind in ("amr", "coref") and is_list(source) and any(is_answer(kind, each) for each in source):
        return False
    if kind == "coref":
        from adjudge.formats.coerce import structures

        documents = list(source.values() if isinstance(source, Mapping) else source)
        other = ("predicted_clusters", "chains")
        known = not any(isinstance(each, Mapping) and any(name in each for name in other) for each in documents)
        named = any(map(structures.has_named_mentions, documents))
        spacy = any(origin(each) == "spacy" for each in documents)
        return known and not named and not spacy and not structures.is_clusters(source)
    if kind == "amr":
        graphs = source.values() if isinstance(source, Mapping) else source
        return not any(origin(each) == "penman" for each in graphs)
    values: Iterable[Any] = source.values() if isinstance(source, Mapping) else source
    if isinstance(source, Mapping) and NATIVE[kind] in source:
        values = [source]
    for value in values:
        found = value.get(NATIVE[kind]) if isinstance(value, Mapping) else getattr(value, NATIVE[kind], None)
        if found is None:
            found = value if is_list(value) else None
        foreign = is_cell(NATIVE[kind], found) or (isinstance(found, Mapping) and kind == "ner")
        if found is None or foreign or origin(value) == "spacy":
            return False
        if not is_list(found):
            return True  # which the metric says is none
        for each in found:
            return _is_native_item(kind, each)
    return True


def _is_called_otherwise(document: Mapping[Any, Any]) -> bool:
    """Whether a document has its id under another name."""
    return "id" not in document and any(name in document for name in IDS)


def _is_native_item(kind: str, item: Any) -> bool:
    if is_list(item) or isinstance(item, str | int) or (kind == "linking" and unnamed_link(item)):
        return False
    if kind == "ner" and _get(item, "type") is None and any(_get(item, label) is not None for label in LABELS):
        return False
    inner = {"relation": "subject", "event": "trigger"}.get(kind, "span")
    if kind in ("tree", "coref"):
        return kind == "tree" and _get(item, "dependent") is not None
    place = _get(item, inner)
    return (
        place is not None
        and not is_list(place)
        and not isinstance(place, str | int)
        and not any(_get(place, name) is None or isinstance(_get(place, name), float) for name in ("start", "end"))
    )


def _get(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)
