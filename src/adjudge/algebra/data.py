"""Metrics as data: the same similarities in JSON or YAML, for people who do not program.

```yaml
metric:
  sim: set
  of: {sim: record, fields: {type: exact, span: {sim: threshold, above: 0.5, of: span}}}
report: [precision, recall, f1]
```

Shorthands: a name alone (`exact`, `edit`, `span`, `variable`) for a similarity without settings, a list of names under
`fields` for exact fields, arrows and words for `match`. All mistakes of a file are reported at once, with their place.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar

import msgspec

from adjudge.algebra import ir
from adjudge.algebra.functions import Fn
from adjudge.algebra.matching import ALIASES
from adjudge.algebra.places import read_source
from adjudge.algebra.reader import BARE, CLASSES, MetricSpec, read_function, read_spec
from adjudge.errors import FormatError, Problem, UsageError
from adjudge.model.whereabouts import not_utf8

__all__ = ["MetricSpec", "decode", "dump_spec", "encode", "load_spec", "spec_schema"]


_Struct = TypeVar("_Struct", bound=msgspec.Struct)
_OMITTED: dict[str, Any] = {"name": "", "about": "", "recall": None, "report": []}


# Writing


def _written(value: Any) -> Any:
    if isinstance(value, Fn):
        value.check_saved()
        return value.name
    raise NotImplementedError(type(value))


def encode(node: ir.Similarity) -> bytes:
    """Canonical JSON: equal nodes give equal bytes. A function without a name cannot be written.

    >>> encode(ir.Set(of=ir.Exact()))
    b'{"of":{"sim":"exact"},"sim":"set"}'
    """
    return msgspec.json.encode(_canonical(node), enc_hook=_written, order="sorted")


def _canonical(node: ir.Similarity) -> ir.Similarity:
    """The same node in the one form that is written: 1 is 1.0 where a number is meant, defaults are left out."""
    try:
        plain = decode(msgspec.json.encode(node, enc_hook=_written))
    except FormatError:
        plain = None
    if plain != node:
        raise UsageError("the similarity cannot be written down", hint="are all its numbers finite?")
    return _with_defaults(node if plain is None else plain)


def _with_defaults(node: ir.Similarity) -> ir.Similarity:
    # msgspec leaves out a field only if it holds the very object that is the default.
    if isinstance(node, ir.Union):
        node = ir.Union(cases=tuple(_defaulted(case) for case in node.cases))
    return _defaulted(ir.rebuild(node, _with_defaults))


def _defaulted(struct: _Struct) -> _Struct:
    same = {
        field.name: field.default
        for field in msgspec.structs.fields(struct)
        if type(getattr(struct, field.name)) is type(field.default) and getattr(struct, field.name) == field.default
    }
    return msgspec.structs.replace(struct, **same)


def decode(data: bytes | str) -> ir.Similarity:
    """The node that `encode` wrote.

    >>> decode(b'{"sim":"number","scale":2}')
    Number(scale=2.0)
    """
    try:
        return msgspec.json.decode(data, type=ir.Similarity, dec_hook=read_function)  # type: ignore[no-any-return]
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise FormatError(f"not a similarity: {error}") from None
    except RecursionError:
        raise FormatError("not a similarity: it is nested too deeply") from None


def dump_spec(spec: MetricSpec) -> dict[str, Any]:
    """A metric as plain JSON values; what is empty is left out, the conventions never are.

    >>> dump_spec(MetricSpec(metric=ir.Exact()))["metric"]
    {'sim': 'exact'}
    """
    recall = None if spec.recall is None else _canonical(spec.recall)
    spec = msgspec.structs.replace(spec, metric=_canonical(spec.metric), recall=recall)
    plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(spec, enc_hook=_written))
    return {key: value for key, value in plain.items() if key not in _OMITTED or value != _OMITTED[key]}


# Reading


def load_spec(source: str | Path, *, path: str | None = None) -> MetricSpec:
    """A metric from a file or from text; `path` names the text in messages.

    >>> load_spec("metric: {sim: set, of: exact, match: ->}").metric.match
    'N:1'
    """
    if isinstance(source, Path) or _is_file_name(source):
        file = Path(source)
        path = path or str(file)
        source = _text(file)
    read = read_source(source, path=path)
    found = read_spec(read)
    return found if found.name or path is None else msgspec.structs.replace(found, name=Path(path).stem)


def _is_file_name(source: str) -> bool:
    if "\n" in source or not source.strip():
        return False
    return source.endswith((".json", ".yaml", ".yml")) or not (":" in source or "{" in source)


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except OSError as error:
        reason = f"cannot be read ({error.strerror or error})"
        raise UsageError(Problem(reason, path=str(file), hint="check the path")) from None
    except UnicodeDecodeError as error:
        raise FormatError(not_utf8(error, str(file))) from None
    except ValueError as error:  # a path with a null character
        raise UsageError(Problem(f"cannot be read ({error})", path=str(file), hint="check the path")) from None


# The schema


def spec_schema() -> dict[str, Any]:
    """The JSON Schema of a metric file, shorthands included.

    >>> spec_schema()["title"]
    'A metric of adjudge'
    """
    made = msgspec.json.schema(MetricSpec, schema_hook=_function_schema)
    patched: dict[str, Any] = _patched(made["$defs"])
    named = [{"$ref": f"#/$defs/{kind.__name__}"} for kind in CLASSES.values()]
    patched["Similarity"] = {"anyOf": [{"enum": sorted(BARE)}, *named]}
    for name in ("Record", "Sum"):
        fields = patched[name]["properties"]["fields"]
        listed = {"type": "array", "items": {"type": "string"}, "uniqueItems": True, "minItems": 1}
        patched[name]["properties"]["fields"] = {"anyOf": [fields, listed]}
    for name in ("Set", "Sequence", "Graph"):
        match = patched[name]["properties"]["match"]
        match["enum"] = [alias for alias, meant in ALIASES.items() if meant in match["enum"]]
    top = patched.pop("MetricSpec")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **top,
        "title": "A metric of adjudge",
        "$defs": patched,
    }


def _function_schema(kind: type) -> dict[str, Any]:
    if kind is Fn:
        return {"type": "string", "description": "a function by name, such as casefold or package.module:name"}
    raise NotImplementedError(kind)


def _patched(schema: Any) -> Any:
    """A schema in which every place for a similarity refers to one definition."""
    if isinstance(schema, list):
        return [_patched(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if "discriminator" in schema:
        rest = [each for each in schema["anyOf"] if "$ref" not in each]
        of = {"$ref": "#/$defs/Similarity"}
        return {**({"anyOf": [of, *rest]} if rest else of), **({"default": None} if "default" in schema else {})}
    return {key: _patched(value) for key, value in schema.items()}
