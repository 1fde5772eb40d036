"""JSON Schemas for the published scorers of records: nodes with references resolved, and schemas guessed from gold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from adjudge.algebra.places import Source, Where, read_file, read_source
from adjudge.errors import FormatError
from adjudge.scorers import Option

Json: TypeAlias = Mapping[str, Any]
_DEEPEST = 100
SCHEMA = Option("The JSON Schema by which the scorer compares; guessed from gold unless given.", "FILE")


class JsonSchema:
    """A JSON Schema with the places of its parts."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.root: Json = source.value

    @classmethod
    def read(cls, path: Any) -> JsonSchema:
        """The schema of a file; it must be that of an object or a list."""
        source = read_source(read_file(path), path=str(path))
        if not isinstance(source.value, dict) or not source.value.keys() & {"properties", "items", "$ref"}:
            hint = "give a JSON Schema with properties, as pydantic's model_json_schema() writes it"
            raise FormatError(source.problem((), "this is not JSON Schema of an object or a list", hint))
        return cls(source)

    def referred(self, node: Json, where: Where) -> Json:
        """A node merged with the target of its `$ref`.

        >>> schema = JsonSchema(Source({"$defs": {"t": {"type": "string"}}}, None))
        >>> schema.referred({"$ref": "#/$defs/t"}, ())
        {'type': 'string'}
        """
        for _ in range(_DEEPEST):
            if not isinstance(node.get("$ref"), str):
                return node
            named: Any = self.root
            for part in node["$ref"].removeprefix("#").split("/")[1:]:
                named = named.get(part.replace("~1", "/").replace("~0", "~")) if isinstance(named, dict) else None
            if not isinstance(named, dict):
                raise self.wrong(where, f"$ref: there is no {node['$ref']}", "name a part of this file: #/$defs/...")
            node = {**named, **{key: own for key, own in node.items() if key != "$ref"}}
        raise self.wrong(where, "the references are circular", "make them end at a type")

    def node(self, node: Json, where: Where) -> Json:
        """The same, and of alternatives the only one that is not null.

        >>> JsonSchema(Source({}, None)).node({"anyOf": [{"type": "string"}, {"type": "null"}]}, ())
        {'type': 'string'}
        """
        node = self.referred(node, where)
        several = next((node[word] for word in ("anyOf", "oneOf") if isinstance(node.get(word), list)), None)
        others = [each for each in several or () if isinstance(each, dict) and each.get("type") != "null"]
        if len(others) != 1:
            return node
        return {
            **self.referred(others[0], where),
            **{key: own for key, own in node.items() if key not in ("anyOf", "oneOf")},
        }

    def kind(self, node: Json, where: Where) -> str:
        """The one type of a node beside null."""
        given = node.get("type")
        types = [each for each in (given if isinstance(given, list) else [given]) if each != "null"]
        if len(types) == 1 and isinstance(types[0], str):
            return types[0]
        raise self.wrong(where, "the schema must say one type", "string, number, integer, boolean, object or array")

    def wrong(self, where: Where, message: str, hint: str) -> FormatError:
        """An error at a part of the schema."""
        path = ".".join(str(part) for part in where if part not in ("properties", "items"))
        return FormatError(self.source.problem(where, f"{path}: {message}" if path else message, hint))


def guessed(values: Iterable[Any], path: str | None = None) -> JsonSchema:
    """A schema that fits objects of a file, by the first value of each field that is there.

    >>> guessed([{"a": None, "b": [1]}, {"a": True, "b": [1.5]}]).root["properties"]
    {'a': {'type': 'boolean'}, 'b': {'type': 'array', 'items': {'type': 'number'}}}
    """
    return JsonSchema(Source(_guessed(list(values)), path))


def _guessed(values: list[Any]) -> dict[str, Any]:
    there = [value for value in values if value is not None]
    first = there[0] if there else ""
    if isinstance(first, dict):
        columns: dict[str, list[Any]] = {}
        for each in there:
            if isinstance(each, dict):
                for key, own in each.items():
                    columns.setdefault(key, []).append(own)
        return {"type": "object", "properties": {key: _guessed(column) for key, column in columns.items()}}
    if isinstance(first, list):
        return {
            "type": "array",
            "items": _guessed([part for each in there if isinstance(each, list) for part in each]),
        }
    if isinstance(first, bool):
        return {"type": "boolean"}
    if isinstance(first, int | float):
        whole = all(isinstance(each, int) for each in there)
        return {"type": "integer" if whole else "number"}
    return {"type": "string"}
