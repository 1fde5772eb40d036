"""Metrics as data: the same similarities in JSON or YAML, without programming.

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

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

import msgspec

from adjudge.algebra import ir
from adjudge.algebra.functions import Fn
from adjudge.algebra.ir import NodeError, is_choice, literals
from adjudge.algebra.matching import ALIASES
from adjudge.algebra.operators.leaf_outcomes import OUTCOMES
from adjudge.errors import FormatError, Problem, UsageError, did_you_mean

if TYPE_CHECKING:
    from adjudge.algebra.places import Source, Where

_Struct = TypeVar("_Struct", bound=msgspec.Struct)
_OMITTED: dict[str, Any] = {"name": "", "about": "", "recall": None, "report": [], "per": None}


# Writing


def _written(value: Any) -> Any:
    if isinstance(value, Fn):
        value.check_saved()
        return value.name
    raise NotImplementedError(type(value))


def encode(node: ir.Similarity) -> bytes:
    """Canonical JSON: equal nodes give equal bytes. A function without a name cannot be written.

    The fields of a schema keep their order, because it is part of their meaning: earlier ones break ties.

    >>> encode(ir.Set(of=ir.Exact()))
    b'{"of":{"sim":"exact"},"sim":"set"}'
    """
    return msgspec.json.encode(_sorted(msgspec.to_builtins(_canonical(node), enc_hook=_written)))


def _sorted(value: Any) -> Any:
    """Plain JSON with the keys of its objects in order, but for the fields of a schema."""
    if isinstance(value, list | tuple):
        return [_sorted(each) for each in value]
    if not isinstance(value, dict):
        return value
    found = {key: _sorted(each) for key, each in sorted(value.items())}
    if value.get("shape") == "fields" and "fields" in value:
        found["fields"] = {name: _sorted(each) for name, each in value["fields"].items()}
    return found


def _canonical(node: ir.Similarity) -> ir.Similarity:
    """The same node in the one form that is written: 1 is 1.0 where a number is meant, defaults are left out."""
    try:
        plain = decode(msgspec.json.encode(node, enc_hook=_written))
    except FormatError:
        plain = None
    if plain != node:
        raise UsageError("the similarity cannot be serialised", hint="are all its numbers finite?")
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
    except (msgspec.MsgspecError, UnicodeDecodeError, NodeError) as error:
        raise FormatError(f"not a similarity: {error}") from None
    except RecursionError:
        raise FormatError("not a similarity: it is nested too deeply") from None


def dump_spec(spec: MetricSpec) -> dict[str, Any]:
    """A metric as plain JSON values; empty fields are left out, conventions never.

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
    from adjudge.algebra.places import read_file, read_source

    if isinstance(source, Path) or _is_file_name(source):
        file = Path(source)
        path = path or str(file)
        source = read_file(file)
    read = read_source(source, path=path)
    found = _Reader(read).spec(read.value)
    return found if found.name or path is None else msgspec.structs.replace(found, name=Path(path).stem)


def _is_file_name(source: str) -> bool:
    if "\n" in source or not source.strip():
        return False
    return source.endswith((".json", ".yaml", ".yml")) or not (":" in source or "{" in source)


# The schema


def spec_schema() -> dict[str, Any]:
    """The JSON Schema of a metric file, shorthands included.

    >>> spec_schema()["title"]
    'A metric of adjudge'
    """
    made = msgspec.json.schema(MetricSpec, schema_hook=_function_schema)
    # Classes with the same name in two modules are prefixed with their modules.
    patched: dict[str, Any] = {
        key.removeprefix(f"{ir.__name__}."): value for key, value in _patched(made["$defs"]).items()
    }
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
    if "discriminator" in schema and schema["discriminator"]["propertyName"] == "sim":
        rest = [each for each in schema["anyOf"] if "$ref" not in each]
        of = {"$ref": "#/$defs/Similarity"}
        return {**({"anyOf": [of, *rest]} if rest else of), **({"default": None} if "default" in schema else {})}
    return {key: _patched(value) for key, value in schema.items() if key != "discriminator"}


class MetricSpec(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A metric, complete with its conventions.

    With `recall`, precision comes from `metric` and recall from `recall`. `report` lists the parts to show (empty: the
    usual ones). `pool`: counts are summed over documents (`micro`), or scores averaged (`macro`). `per` field, a metric
    of leaves is the unweighted mean of the F1 of all fields.
    """

    metric: ir.Similarity
    name: str = ""
    about: str = ""
    recall: ir.Similarity | None = None
    report: tuple[str, ...] = ()
    pool: Literal["micro", "macro"] = "micro"
    conventions: ir.Conventions = ir.Conventions()
    per: Literal["field"] | None = None


CLASSES: dict[str, type[ir.Node]] = {str(each.__struct_config__.tag): each for each in ir.Node.__subclasses__()}
BARE = ("exact", "edit", "leaves", "span", "variable")


def read_function(kind: type, value: Any) -> Any:
    """Decode a function, which msgspec does not know, by its name."""
    if kind is Fn:
        if isinstance(value, str):
            return Fn(value)
        raise TypeError(f"Expected `str`, got `{type(value).__name__}`")
    raise NotImplementedError(kind)


class _Reader:
    """Builds the similarities of one file from the inside out and collects what is wrong with it."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.problems: list[Problem] = []

    def note(self, where: Where, message: str, hint: str | None = None, *, key: bool = False) -> None:
        self.problems.append(self.source.problem(where, message, hint, key=key))

    def stop(self) -> None:
        if self.problems:
            raise FormatError(sorted(self.problems, key=lambda each: (each.line or 0, each.column or 0)))

    def spec(self, raw: Any) -> MetricSpec:
        if not isinstance(raw, dict):
            self.note((), f"expected an object with metric: ..., got {_kind(raw)}")
        elif "sim" in raw and "metric" not in raw:
            self.note((), "the similarity is at the top level", "put it under metric:")
        self.stop()
        given: dict[str, Any] = {
            key: self.similarity(value, (key,)) if key in ("metric", "recall") and value is not None else value
            for key, value in raw.items()
        }
        if isinstance(given.get("conventions"), dict):
            made = self.struct(given["conventions"], ir.Conventions, "conventions", ("conventions",))
            given["conventions"] = made or ir.Conventions()
        spec = self.struct(given, MetricSpec, "a metric", ())
        if spec is not None:
            self.report(spec)
        self.stop()
        assert spec is not None
        return spec

    def report(self, spec: MetricSpec) -> None:
        """The parts to show, which depend on the metric."""
        ratio = spec.metric if isinstance(spec.metric, ir.Normalise) else ir.Normalise(of=spec.metric)
        both = spec.recall is not None or ratio.recall is not None
        known = ["precision", "recall", f"f{ratio.beta:g}", *(() if both else ("jaccard", "matched")), "system", "gold"]
        known += OUTCOMES if isinstance(ratio.of, ir.Leaves) else ()
        for position, part in enumerate(spec.report):
            where = ("report", position)
            if part in spec.report[:position]:
                self.note(where, f"{part} is reported twice")
            elif part in ("jaccard", "matched") and both:
                self.note(where, f"{part} needs one matching value, and this metric has two")
            elif part not in known:
                self.note(where, f"{part!r} cannot be reported", did_you_mean(part, known) or f"use {', '.join(known)}")

    def struct(self, raw: dict[str, Any], kind: type[_Struct], what: str, where: Where) -> _Struct | None:
        """An object as the struct it stands for, or None if its keys or values are wrong."""
        before = len(self.problems)
        self.keys(raw, where, kind, what)
        if len(self.problems) > before:
            return None
        try:
            made = msgspec.convert(raw, type=kind, dec_hook=read_function)
        except msgspec.ValidationError as error:
            message, _, place = str(error).partition(" - at `$")
            self.note((*where, *_steps(place.removesuffix("`"), raw)), _friendly(message))
            return None
        except NodeError as error:
            for name, message in error.complaints:
                self.note(where if name is None else (*where, name), message)
            return None
        self.functions(made, where)
        return made

    def keys(self, raw: dict[str, Any], where: Where, kind: type, what: str) -> None:
        """Complain about unknown and missing keys of an object, and about impossible choices."""
        fields = msgspec.structs.fields(kind)
        names = [field.name for field in fields] + (["sim"] if issubclass(kind, ir.Node) else [])
        for key in raw:
            if key not in names:
                hint = did_you_mean(key, names) or f"known are {', '.join(names)}"
                self.note((*where, key), f"{what} has no key {key!r}", hint, key=True)
        for field in fields:
            if field.required and field.name not in raw:
                self.note(where, f"{what} needs {field.name}")
        for name, allowed in literals(kind).items():
            if name in raw and not is_choice(raw[name], allowed):
                known = [_plain(each) for each in allowed]
                hint = did_you_mean(str(raw[name]), known) or f"use {', '.join(known)}"
                self.note((*where, name), f"{name} cannot be {_plain(raw[name])}", hint)

    def functions(self, node: msgspec.Struct, where: Where) -> None:
        """Complain about functions that do not exist."""
        for name in node.__struct_fields__:
            function = getattr(node, name)
            # A function of the user's own is looked up when it is used, not when a file is read.
            if isinstance(function, Fn) and ":" not in function.name:
                try:
                    _ = function.function
                except UsageError as error:
                    self.note((*where, name), error.problems[0].message, error.problems[0].hint)

    def similarity(self, raw: Any, where: Where) -> ir.Node:
        """The similarity; a placeholder where something is wrong and has been noted."""
        if isinstance(raw, str) and raw in CLASSES:
            if raw in BARE:
                return CLASSES[raw]()
            needed = [field.name for field in msgspec.structs.fields(CLASSES[raw]) if field.required]
            first = (needed or ["its settings"])[0]
            self.note(where, f"{raw} needs {', '.join(needed) or first}", f"write {{sim: {raw}, {first}: ...}}")
            return _ANY
        name = raw if isinstance(raw, str) else raw.get("sim") if isinstance(raw, dict) else None
        if not isinstance(raw, str | dict):
            self.note(where, f"expected a similarity, got {_kind(raw)}", "write exact, or {sim: ...}")
        elif name is None:
            guess = "record" if "fields" in raw else "union" if "cases" in raw else "set"
            self.note(where, "a similarity needs sim, its name", f"add, for example, sim: {guess}")
        elif isinstance(raw, str) or not isinstance(name, str) or name not in CLASSES:
            hint = did_you_mean(str(name), CLASSES) or f"known are {', '.join(CLASSES)}"
            self.note((*where, "sim") if isinstance(raw, dict) else where, f"there is no similarity {name!r}", hint)
        else:
            own = {key: self.part(name, key, value, (*where, key)) for key, value in raw.items()}
            return self.struct(own, CLASSES[name], name, where) or _ANY
        return _ANY

    def part(self, name: str, key: str, raw: Any, where: Where) -> Any:
        """A value of a similarity with its shorthands expanded and the similarities inside it built."""
        if key == "match" and isinstance(raw, str):
            return ALIASES.get(raw, raw)
        if key == "fields" and isinstance(raw, list) and all(isinstance(each, str) for each in raw):
            for position, each in enumerate(raw):
                if each in raw[:position]:
                    self.note((*where, position), f"the field {each!r} is listed twice")
            return dict.fromkeys(raw, _ANY)
        if key == "fields" and isinstance(raw, dict):
            return {each: self.similarity(inner, (*where, each)) for each, inner in raw.items()}
        if key == "cases" and isinstance(raw, list):
            return [self.case(each, (*where, position)) for position, each in enumerate(raw)]
        if key == "of" and name == "max":
            many = isinstance(raw, list)
            return [self.similarity(each, (*where, position)) for position, each in enumerate(raw)] if many else raw
        if key == "of" or (key == "recall" and raw is not None):
            return self.similarity(raw, where)
        return raw

    def case(self, raw: Any, where: Where) -> ir.Case:
        if not isinstance(raw, dict):
            self.note(where, f"expected a case, got {_kind(raw)}", "write {type: string, of: exact}")
            return ir.Case(of=_ANY)
        own = {key: self.similarity(each, (*where, key)) if key == "of" else each for key, each in raw.items()}
        return self.struct(own, ir.Case, "a case", where) or ir.Case(of=_ANY)


_ANY = ir.Exact()


def similarity_at(source: Source, raw: Any, where: Where) -> tuple[ir.Similarity, list[Problem]]:
    """The similarity that a part of a file describes, and what is wrong with it."""
    reader = _Reader(source)
    return cast("ir.Similarity", reader.similarity(raw, where)), reader.problems


def _steps(path: str, raw: Any) -> Where:
    """The path in a message of msgspec, which does not say which key of a mapping it means."""
    steps: list[str | int] = []
    for name, index in re.findall(r"\.(\w+)|\[(\d+|\.\.\.)\]", path):
        if index == "...":
            wrong = [key for key, value in raw.items() if not isinstance(value, str)] if isinstance(raw, dict) else []
            step: str | int = wrong[0] if wrong else ""
        else:
            step = name or int(index)
        steps.append(step)
        try:
            raw = raw[step]
        except (KeyError, IndexError, TypeError):
            break
    return tuple(steps)


_WORDS = {
    "str": "a string",
    "int": "an integer",
    "float": "a number",
    "bool": "true or false",
    "array": "an array",
    "object": "an object",
    "null": "null",
}


def _friendly(message: str) -> str:
    """A message of msgspec in the words of JSON."""

    def names(found: re.Match[str]) -> str:
        return " or ".join(_WORDS.get(name.strip(), name.strip()) for name in found[1].split("|"))

    text = re.sub(r"`([^`]*)`", names, message)
    return text[:1].lower() + text[1:]


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    name = {dict: "object", list: "array", type(None): "null"}.get(type(value), type(value).__name__)
    return _WORDS.get(name, name)


def _plain(value: Any) -> str:
    return msgspec.json.encode(value).decode() if value is None or isinstance(value, bool) else str(value)
