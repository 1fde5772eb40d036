"""Schemas of records as people write them: fields and how each is compared, in YAML or JSON.

```yaml
vendor: text
total: {number: 0.01}
tags: [text]                 # a list of texts, in any order
address: {street: words, city: text}
lines: {list: {sku: exact, price: number}, key: sku}
comment: ignore
```

A string names a comparison, a list of one entry describes the elements of a list, a mapping is an object of fields,
unless it has one of the keywords below and nothing but its options. All mistakes are reported at once, with line and
column.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from adjudge.algebra import shape
from adjudge.algebra.places import Source, Where, read_file, read_source
from adjudge.errors import FormatError, Problem, did_you_mean

LARGEST = 10**15  # of a tolerance
NAMED: dict[str, shape.Shape] = {
    "exact": shape.Leaf(by=shape.Same()),
    "text": shape.Leaf(by=shape.Text()),
    "squad": shape.Leaf(by=shape.Text(squad=True)),
    "number": shape.Leaf(by=shape.Number()),
    "date": shape.Leaf(by=shape.Date()),
    "boolean": shape.Leaf(by=shape.Boolean()),
    "words": shape.Leaf(by=shape.Words()),
    "edit": shape.Leaf(by=shape.Edit()),
    "ignore": shape.Ignore(),
}
OPTIONS: dict[str, tuple[str, ...]] = {
    "number": ("relative", "decimal", "any", "required"),
    "date": ("day_first", "any", "required"),
    "words": ("graded", "any", "required"),
    "edit": ("graded", "any", "required"),
    "enum": ("any", "required"),
    "compare": ("any", "required"),
    "list": ("key", "match", "unique", "pair_at", "required"),
    "fields": ("extra", "required"),
}
_NUMERIC = ("number", "date", "words", "edit")
_ANY = shape.Leaf()  # a placeholder where something is wrong and has been noted
_CLASS = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*")


def schema_of(given: Any) -> shape.Schema:
    """A schema from a file (this form or JSON Schema), from `module:Class`, a class, or a mapping.

    >>> schema_of({"name": "words", "tags": ["text"]}).root.fields["name"].by
    Words(at_least=0.5, graded=True)
    """
    from adjudge.algebra.schema import of_class

    if isinstance(given, shape.Schema):
        return given
    if isinstance(given, Mapping | list):
        return read_value(Source(given if isinstance(given, list) else dict(given), None))
    if not isinstance(given, str | Path):
        return of_class(given)
    if isinstance(given, str) and _CLASS.fullmatch(given) and not Path(given).exists():
        from adjudge.algebra.functions import resolve

        return of_class(resolve(given, what="type"))
    return read_value(_source(given))


def _source(path: str | Path) -> Source:
    text = read_file(path)
    if not text.strip():
        raise FormatError(Problem("the file is empty", path=str(path), hint="name: text"))
    return read_source(text, path=str(path))


def read_value(source: Source) -> shape.Schema:
    """The schema in a small file."""
    from adjudge.algebra.schema import JsonSchema, is_json_schema

    reader = Reader(source)
    if is_json_schema(source.value):
        walk = JsonSchema(reader)
        root = walk.root(source.value)
        named: Mapping[str, shape.Shape] = walk.named
    else:
        root, named = reader.node(source.value, ()), {}
    if not isinstance(root, shape.Fields | shape.Listing | shape.Named | shape.Anything):
        reader.note((), "expected fields and how they are compared", "name: text")
    elif not reader.problems and not any(map(compares, (root, *named.values()))):
        reader.note((), "all fields are ignored", "compare at least one")
    reader.stop()
    return shape.Schema(root=of_records(root), named=named)


def of_records(root: shape.Shape) -> shape.Shape:
    """The shape of a document: elements of a list that are not objects are records with the field `value`."""
    if isinstance(root, shape.Listing) and isinstance(root.of, shape.Leaf | shape.Listing):
        return msgspec.structs.replace(root, of=shape.Fields(fields={"value": root.of}))
    return root


def compares(node: shape.Shape) -> bool:
    """Whether anything is compared in a shape."""
    if isinstance(node, shape.Fields):
        return node.extra or any(map(compares, node.fields.values()))
    if isinstance(node, shape.Listing):
        return compares(node.of)
    return not isinstance(node, shape.Ignore | shape.Named)


def path_of(where: Where) -> str:
    """The path of a part of a schema, such as `lines[].price`."""
    path = ""
    for each in where:
        if each in ("list", "items", 0):
            path += "[]"
        elif each not in ("fields", "properties", "x-adjudge"):
            path += f".{each}" if path else str(each)
    return path


class Options(NamedTuple):
    """A mapping, and its place."""

    raw: Mapping[str, Any]
    where: Where


class Reader:
    """Builds the shapes of one file and collects what is wrong with it."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.problems: list[Problem] = []

    def note(self, where: Where, message: str, hint: str | None = None, *, key: bool = False) -> None:
        """Complain about a part of the file."""
        path = path_of(where)
        self.problems.append(self.source.problem(where, f"{path}: {message}" if path else message, hint, key=key))

    def stop(self) -> None:
        """Raise if anything was wrong."""
        if self.problems:
            raise FormatError(sorted(self.problems, key=lambda each: (each.line or 0, each.column or 0)))

    def node(self, raw: Any, where: Where, hint: str | None = None) -> shape.Shape:
        """The shape that a value describes; `hint` says what its key may have been meant for."""
        if isinstance(raw, str):
            if raw in NAMED:
                return NAMED[raw]
            close = did_you_mean(raw, NAMED)
            self.note(where, f"there is no comparison {raw!r}", hint or close or f"use {', '.join(NAMED)}")
            return _ANY
        if isinstance(raw, list):
            if len(raw) == 1:
                return shape.Listing(of=self.node(raw[0], (*where, 0)))
            self.note(where, "a list has one entry, which describes its elements", "write [text]")
            return _ANY
        if not isinstance(raw, dict):
            what = "nothing" if raw is None else repr(raw)
            self.note(where, f"{what} names no comparison", hint or "write text, number, {number: 0.5}, [text]")
            return _ANY
        return self.mapping(raw, where)

    def mapping(self, raw: dict[str, Any], where: Where) -> shape.Shape:
        """An object of fields, or a keyword with its options."""
        if isinstance(raw.get("sim"), str):
            return self.similarity(raw, where)
        for word, options in OPTIONS.items():
            if word not in raw:
                continue
            number = _is_number(raw[word])
            strange = [key for key in raw if key != word and key not in options]
            if word in _NUMERIC and not number:
                continue
            if strange and not number:
                continue  # an object that has a field of this name
            for key in strange:
                known = did_you_mean(key, options) or f"its options are {', '.join(options)}"
                self.note((*where, key), f"{word} has no option {key!r}", known, key=True)
            return self.word(word, Options(raw, where))
        return self.fields(raw, where)

    def fields(self, raw: Mapping[str, Any], where: Where) -> shape.Fields:
        """An object of fields."""
        if not raw:
            self.note(where, "there are no fields", "name: text")
        found = {}
        options = [option for word in OPTIONS if word in raw for option in OPTIONS[word]]
        for name, inner in raw.items():
            found[name] = self.node(inner, (*where, name), did_you_mean(name, options) if options else None)
        return shape.Fields(fields=found)

    def word(self, word: str, given: Options) -> shape.Shape:
        """The shape of a keyword with its options."""
        raw, where = given
        required = self.flag(given, "required")
        if word == "list":
            return msgspec.structs.replace(self.listing(given), required=required)
        if word == "fields":
            return msgspec.structs.replace(self.object(given), required=required)
        if word == "compare":
            of = self.node(raw[word], (*where, word))
            if not isinstance(of, shape.Leaf):
                self.note((*where, word), "compare takes the name of a comparison", "write {compare: text, any: true}")
                return _ANY
            return shape.Leaf(by=of.by, any=of.any or self.flag(given, "any"), required=required)
        by = self.enum(given) if word == "enum" else self.numeric(word, given)
        return shape.Leaf(by=by, any=self.flag(given, "any"), required=required)

    def numeric(self, word: str, given: Options) -> shape.Comparison:
        """A comparison with a number: a tolerance, days, or the lowest similarity that counts."""
        raw, where = given
        value = raw[word]
        if word == "number":
            self.check(0 <= value <= LARGEST, (*where, word), "a tolerance is a number from 0", "write {number: 0.5}")
            decimal = self.choice(given, "decimal", ("point", "comma"), "point")
            relative = self.flag(given, "relative")
            return shape.Number(tolerance=_decimal(value), relative=relative, decimal=decimal)
        if word == "date":
            fine = isinstance(value, int) and 0 <= value <= LARGEST
            self.check(fine, (*where, word), "the number of days is a whole number from 0", "write {date: 1}")
            first = self.flag(given, "day_first") if "day_first" in raw else None
            return shape.Date(days=int(value) if fine else 0, day_first=first)
        self.check(0 <= value <= 1, (*where, word), "a likeness is a number from 0 to 1", f"write {{{word}: 0.8}}")
        kind = shape.Words if word == "words" else shape.Edit
        return kind(at_least=float(value), graded=self.flag(given, "graded"))

    def enum(self, given: Options) -> shape.Enum:
        """Values, or values with their aliases."""
        raw, where = given.raw["enum"], (*given.where, "enum")
        found: dict[str, tuple[str, ...]] = {}
        if isinstance(raw, list):
            found = {scalar_text(each): () for each in raw if each is not None and not isinstance(each, dict | list)}
            for place, each in enumerate(raw):
                self.check(not isinstance(each, dict | list), (*where, place), "expected a value", "write [kg, g]")
        elif isinstance(raw, dict):
            for name, aliases in raw.items():
                listed = aliases if isinstance(aliases, list) else [] if aliases is None else [aliases]
                simple = not any(isinstance(each, dict | list) for each in listed)
                self.check(simple, (*where, name), "expected other ways to write it", "write {USD: [$, US Dollar]}")
                found[name] = tuple(scalar_text(each) for each in listed) if simple else ()
        if not found:
            hint = "write {enum: [kg, g]} or {enum: {USD: [$]}}; a field called enum stands under fields:"
            self.note(where, "enum takes the list of allowed values", hint)
        return shape.Enum(values=found)

    def listing(self, given: Options) -> shape.Listing:
        """A list and how its elements are matched."""
        raw, where = given
        return self.with_options(shape.Listing(of=self.node(raw["list"], (*where, "list"))), given)

    def with_options(self, made: shape.Listing, given: Options) -> shape.Listing:
        """A list with the options that a mapping gives it."""
        raw, where = given
        changed: dict[str, Any] = {}
        if "key" in raw:
            changed["key"] = self.keys(raw["key"], made.of, (*where, "key"))
        if "match" in raw:
            changed["match"] = self.choice(given, "match", ("best", "order", "place"), "best")
        if "unique" in raw:
            changed["unique"] = self.flag(given, "unique")
        if "pair_at" in raw:
            fine = _is_number(raw["pair_at"]) and 0 <= raw["pair_at"] <= 1
            self.check(fine, (*where, "pair_at"), "pair_at is a number from 0 to 1", "write pair_at: 0.5")
            changed["pair_at"] = float(raw["pair_at"]) if fine else None
        return msgspec.structs.replace(made, **changed)

    def keys(self, raw: Any, of: shape.Shape, where: Where) -> tuple[str, ...]:
        """The fields that form the key of an element."""
        names = raw if isinstance(raw, list) else [raw]
        if not all(isinstance(name, str) for name in names):
            self.note(where, "key takes names of fields", "write key: sku")
            return ()
        fields = of.fields if isinstance(of, shape.Fields) else {}
        for name in names:
            if isinstance(fields.get(name), shape.Ignore):
                self.note(where, f"the key {name!r} is an ignored field", "compare it")
            elif name not in fields and not (isinstance(of, shape.Fields) and of.extra):
                hint = did_you_mean(name, fields) or (f"fields are {', '.join(fields)}" if fields else None)
                self.note(where, f"the elements have no field {name!r}", hint)
        return tuple(names)

    def object(self, given: Options) -> shape.Fields:
        """An object whose fields stand under `fields`."""
        raw, where = given.raw["fields"], (*given.where, "fields")
        extra = self.choice(given, "extra", ("count", "ignore"), "ignore") == "count"
        if not isinstance(raw, dict):
            hint = "write {fields: {name: text}}; a field called fields stands under fields: too"
            self.note(where, "fields takes the fields of an object", hint)
            return shape.Fields(fields={})
        made = shape.Fields(fields={}) if extra and not raw else self.fields(raw, where)
        return msgspec.structs.replace(made, extra=extra)

    def similarity(self, raw: dict[str, Any], where: Where) -> shape.Shape:
        """Any similarity of the algebra."""
        from adjudge.algebra.spec import encode, similarity_at

        given = Options(raw, where)
        own = {key: value for key, value in raw.items() if key not in ("any", "required")}
        node, problems = similarity_at(self.source, own, where)
        self.problems += problems
        by = shape.Sim(similarity="" if problems else encode(node).decode())
        return shape.Leaf(by=by, any=self.flag(given, "any"), required=self.flag(given, "required"))

    def flag(self, given: Options, name: str) -> bool:
        """An option that is true or false."""
        value = given.raw.get(name, False)
        self.check(isinstance(value, bool), (*given.where, name), f"{name} is true or false", f"write {name}: true")
        return value is True

    def choice(self, given: Options, name: str, known: tuple[str, ...], default: str) -> Any:
        """An option that is one of some words."""
        value = given.raw.get(name, default)
        hint = did_you_mean(str(value), known) or f"use {' or '.join(known)}"
        self.check(value in known, (*given.where, name), f"{name} cannot be {value!r}", hint)
        return value if value in known else default

    def check(self, fine: bool, where: Where, message: str, hint: str) -> None:
        """Note a problem unless something is fine."""
        if not fine:
            self.note(where, message, hint)


def scalar_text(value: Any) -> str:
    """A scalar of a file as it is written in JSON; a text as it is."""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _decimal(value: float) -> str:
    return repr(value) if isinstance(value, float) and not value.is_integer() else str(int(value))
