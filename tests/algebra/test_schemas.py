"""Schemas of records from files, JSON Schema and classes; what is wrong with them, with its place."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import json
import sys
from typing import Annotated, Any, Literal, NamedTuple, NewType, TypedDict

import attrs
import msgspec
import pydantic
import pytest

from adjudge.algebra.access import ignore
from adjudge.algebra.schema_file import schema_of
from adjudge.algebra.shape import (
    Anything,
    Boolean,
    Date,
    Edit,
    Enum,
    Fields,
    Ignore,
    Leaf,
    Listing,
    Named,
    Number,
    Same,
    Schema,
    Sim,
    Text,
    Words,
)  # fmt: skip
from adjudge.errors import AdjudgeError

TEXT, NUMBER = Leaf(by=Text()), Leaf(by=Number())


def of(**fields):
    return Schema(root=Fields(fields=fields))


WRITTEN = """\
vendor: text
total: {number: 0.01}
date: date
tags: [text]
address: {street: words, city: text}
lines:
  list: {sku: exact, qty: number, price: {number: 0.05, relative: true}}
  key: sku
comment: ignore
"""


def test_the_form_of_the_specification(tmp_path):
    path = tmp_path / "invoice.yaml"
    path.write_text(WRITTEN)
    line = Fields(
        fields={"sku": Leaf(by=Same()), "qty": NUMBER, "price": Leaf(by=Number(tolerance="0.05", relative=True))}
    )
    expected = of(
        vendor=TEXT,
        total=Leaf(by=Number(tolerance="0.01")),
        date=Leaf(by=Date()),
        tags=Listing(of=TEXT),
        address=Fields(fields={"street": Leaf(by=Words()), "city": TEXT}),
        lines=Listing(of=line, key=("sku",)),
        comment=Ignore(),
    )
    assert schema_of(path) == schema_of(str(path)) == expected
    assert msgspec.json.decode(msgspec.json.encode(expected), type=Schema) == expected


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("squad", Leaf(by=Text(squad=True))),
        ("boolean", Leaf(by=Boolean())),
        ("edit", Leaf(by=Edit())),
        ({"number": 0, "decimal": "comma"}, Leaf(by=Number(decimal="comma"))),
        ({"number": 1e-05}, Leaf(by=Number(tolerance="1e-05"))),
        ({"date": 0, "day_first": False}, Leaf(by=Date(day_first=False))),
        ({"date": 2, "any": True, "required": True}, Leaf(by=Date(days=2), any=True, required=True)),
        ({"words": 0.8}, Leaf(by=Words(at_least=0.8, graded=False))),
        ({"edit": 0.8, "graded": True}, Leaf(by=Edit(at_least=0.8))),
        ({"enum": ["kg", 1, None, True]}, Leaf(by=Enum(values={"kg": (), "1": (), "true": ()}))),
        ({"enum": {"USD": ["$", "US Dollar"], "EUR": "€", "GBP": None}},
         Leaf(by=Enum(values={"USD": ("$", "US Dollar"), "EUR": ("€",), "GBP": ()}))),
        ({"compare": "text", "any": True}, Leaf(any=True)),
        ({"compare": {"number": 1}}, Leaf(by=Number(tolerance="1"))),
        ({"sim": "edit"}, Leaf(by=Sim(similarity='{"sim":"edit"}'))),
        ({"list": "text", "unique": True, "match": "order", "pair_at": 0.5},
         Listing(of=TEXT, unique=True, match="order", pair_at=0.5)),
        ([["number"]], Listing(of=Listing(of=NUMBER))),
        ({"fields": {"a": "text"}, "extra": "count"}, Fields(fields={"a": TEXT}, extra=True)),
        ({"fields": {}, "extra": "count", "required": True}, Fields(fields={}, extra=True, required=True)),
        ({"fields": {"list": "text", "fields": "text"}}, Fields(fields={"list": TEXT, "fields": TEXT})),
        # A word with a text, or beside other keys, is the name of a field.
        ({"date": "date", "number": "text"}, Fields(fields={"date": Leaf(by=Date()), "number": TEXT})),
        ({"list": "text", "name": "text"}, Fields(fields={"list": TEXT, "name": TEXT})),
        ({"required": "text", "any": "text"}, Fields(fields={"required": TEXT, "any": TEXT})),
    ],
)  # fmt: skip
def test_a_form(raw, expected):
    assert schema_of({"x": raw}) == of(x=expected)


def test_roots_that_are_lists():
    assert schema_of({"list": {"a": "text"}, "key": ["a"]}).root == Listing(of=Fields(fields={"a": TEXT}), key=("a",))
    values = Listing(of=Fields(fields={"value": NUMBER}))
    assert schema_of({"list": "number"}).root == schema_of(["number"]).root == schema_of(list[int]).root == values


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("name: wrods", ["1:7: name: there is no comparison 'wrods', did you mean words?"]),
        ("a: {b: {list: {c: txt}}}\nd: nmber",
         ["1:19: a.b[].c: there is no comparison 'txt', did you mean text?", "2:4: d: there is no comparison 'nmber'"]),
        ("a: {number: 0, relativ: true}", ["1:16: a.relativ: number has no option 'relativ', did you mean relative?"]),
        ("a: {number: -1}", ["1:13: a.number: a tolerance is a number from 0"]),
        ("a: {number: 1, decimal: coma}", ["1:25: a.decimal: decimal cannot be 'coma', did you mean comma?"]),
        ("a: {number: 1, relative: 1}", ["1:26: a.relative: relative is true or false"]),
        ("a: {date: 0.5}", ["1:11: a.date: the number of days is a whole number from 0"]),
        ("a: {words: 2}", ["1:12: a.words: a likeness is a number from 0 to 1"]),
        ("a: {enum: text}", ["1:11: a.enum: enum takes the list of allowed values"]),
        ("a: {enum: [[x]]}", ["1:12: a.enum[]: expected a value"]),
        ("a: {enum: {x: [{}]}}", ["a.enum.x: expected other ways to write it"]),
        ("a: {compare: [text]}", ["compare takes the name of a comparison"]),
        ("a: {sim: nothing}", ["1:10: there is no similarity 'nothing'"]),
        ("a: {list: {sku: text}, key: sk}", ["1:29: a.key: the elements have no field 'sk', did you mean sku?"]),
        ("a: {list: {sku: ignore}, key: sku}", ["the key 'sku' is an ignored field"]),
        ("a: {list: text, key: 5}", ["a.key: key takes names of fields"]),
        ("a: {list: text, key: x}", ["a.key: the elements have no field 'x'"]),
        ("a: {list: {sku: text}, kye: sku}", ["a.kye: there is no comparison 'sku', did you mean key?"]),
        ("a: {list: text, match: bset}", ["match cannot be 'bset', did you mean best?"]),
        ("a: {list: text, pair_at: 2}", ["pair_at is a number from 0 to 1"]),
        ("a: {fields: text}", ["1:13: a: fields takes the fields of an object"]),
        ("a: {fields: {b: text}, extra: yes}", ["extra cannot be 'yes'"]),
        ("a: [text, number]", ["1:4: a: a list has one entry, which describes its elements"]),
        ("a: {}", ["1:4: a: there are no fields"]),
        ("a:\nb: 5", ["a: nothing names no comparison", "2:4: b: 5 names no comparison"]),
        ("text", ["1:1: expected fields and how they are compared"]),
        ("a: ignore\nb: [ignore]", ["all fields are ignored"]),
        ("a: [", ["1:5: "]),
        ("", ["the file is empty"]),
    ],
)  # fmt: skip
def test_mistakes_are_said_with_their_places(tmp_path, text, says):
    path = tmp_path / "fields.yaml"
    path.write_text(text)
    with pytest.raises(AdjudgeError) as caught:
        schema_of(path)
    lines = str(caught.value)
    for each in says:
        assert each in lines
        assert str(path) in lines


JSON_SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "properties": {
        "vendor": {"type": "string"},
        "date": {"type": "string", "format": "date"},
        "total": {"anyOf": [{"type": "number"}, {"type": "null"}]},
        "currency": {"enum": ["EUR", "USD", None]},
        "paid": {"type": ["boolean", "null"]},
        "lines": {"type": "array", "items": {"$ref": "#/$defs/Line"}, "x-adjudge": {"key": "sku"}},
        "tags": {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
        "box": {"type": "array", "prefixItems": [{"type": "number"}, {"type": "integer"}]},
        "comment": {"type": "string", "x-adjudge": "ignore"},
        "either": {"type": ["string", "number"]},
        "free": {"type": "object", "additionalProperties": {"type": "string"}},
        "kind": {"const": "invoice"},
        "party": {"oneOf": [{"$ref": "#/$defs/Person"}, {"$ref": "#/$defs/Company"}]},
        "whole": {"allOf": [{"$ref": "#/$defs/Person"}], "description": "as pydantic writes it"},
        "parent": {"$ref": "#"},
    },
    "required": ["vendor", "total", "lines", "paid"],
    "$defs": {
        "Line": {"properties": {"sku": {"type": "string"}, "price": {"type": "number", "x-adjudge": {"number": 0.01}}}},
        "Person": {"type": "object", "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
                   "required": ["name"]},
        "Company": {"type": "object", "properties": {"name": {"type": "string"}, "age": {"type": "string"}},
                    "required": ["name", "age"]},
    },
}  # fmt: skip


def test_json_schema(tmp_path):
    path = tmp_path / "schema.json"
    path.write_text(json.dumps(JSON_SCHEMA))
    line = Fields(fields={"sku": TEXT, "price": Leaf(by=Number(tolerance="0.01"))})
    needed = Leaf(required=True)
    expected = {
        "vendor": needed,
        "date": Leaf(by=Date()),
        "total": NUMBER,  # it is required, and may be null
        "currency": Leaf(by=Enum(values={"EUR": (), "USD": ()})),
        "paid": Leaf(by=Boolean()),
        "lines": Listing(of=line, key=("sku",), required=True),
        "tags": Listing(of=TEXT, unique=True),
        "box": Listing(of=NUMBER, match="place"),
        "comment": Ignore(),
        "either": Anything(),
        "free": Anything(),
        "kind": Leaf(by=Enum(values={"invoice": ()})),
        "party": Fields(fields={"name": needed, "age": Anything()}),
        "whole": Fields(fields={"name": needed, "age": NUMBER}),
        "parent": Named(name="#"),
    }
    found = schema_of(path)
    assert dict(found.root.fields) == expected
    assert found.named == {"#": found.root}


def test_json_schema_that_contains_itself():
    tree = {"type": "object", "properties": {"of": {"type": "array", "items": {"$ref": "#/$defs/Tree"}}, "x": {}}}
    found = schema_of({"$ref": "#/$defs/Tree", "$defs": {"Tree": tree}})
    shape = Fields(fields={"of": Listing(of=Named(name="#/$defs/Tree")), "x": Anything()})
    assert found == Schema(root=Named(name="#/$defs/Tree"), named={"#/$defs/Tree": shape})


def test_json_schema_whose_references_multiply():
    definitions = {"d0": {"type": "string"}}
    for level in range(1, 12):
        definitions[f"d{level}"] = {"properties": {f"p{n}": {"$ref": f"#/$defs/d{level - 1}"} for n in range(10)}}
    with pytest.raises(AdjudgeError, match="more than 20000 parts"):
        schema_of({"$ref": "#/$defs/d11", "$defs": definitions})


@pytest.mark.parametrize(
    ("properties", "says"),
    [
        ('{"a": {"$ref": "#/$defs/No"}}', "schema.json:1:58: a.$ref: there is no #/$defs/No in this schema"),
        ('{"a": {"$ref": "other.json"}}', "there is no other.json in this schema"),
        ('{"a": {"type": "text"}}', "schema.json:1:58: a.type: there is no type 'text'"),
        ('{"a": 5}', "schema.json:1:49: a: expected a schema"),
        ('{"a": {"x-adjudge": "nmber"}}', "schema.json:1:63: a: there is no comparison 'nmber'"),
        ('{"a": {"x-adjudge": {"key": "b"}}}', "there is no comparison 'b'"),
    ],
)
def test_mistakes_in_json_schema(tmp_path, properties, says):
    path = tmp_path / "schema.json"
    path.write_text('{"type": "object",       "properties":    ' + properties + "}")
    with pytest.raises(AdjudgeError) as caught:
        schema_of(path)
    assert says in str(caught.value)


# Classes


class Currency(enum.Enum):
    EUR = "EUR"
    USD = "USD"


Price = NewType("Price", float)
CENT = {"x-adjudge": {"number": 0.01}}


@dataclasses.dataclass
class DataLine:
    sku: str
    price: Annotated[Price, CENT]


@dataclasses.dataclass
class DataInvoice:
    vendor: str
    date: datetime.date
    total: decimal.Decimal | None
    currency: Currency
    lines: list[DataLine]
    tags: frozenset[str] = frozenset()
    paid: bool = False
    comment: str = dataclasses.field(default="", metadata={"x-adjudge": "ignore"})


@attrs.define
class AttrsLine:
    sku: str
    price: Price = attrs.field(metadata=CENT)


@attrs.define
class AttrsInvoice:
    vendor: str
    date: datetime.date
    total: decimal.Decimal | None
    currency: Currency
    lines: list[AttrsLine]
    tags: frozenset[str] = frozenset()
    paid: bool = False
    comment: str = attrs.field(default="", metadata={"x-adjudge": "ignore"})


class StructLine(msgspec.Struct):
    sku: str
    price: Annotated[float, msgspec.Meta(extra_json_schema=CENT)]


class StructInvoice(msgspec.Struct):
    vendor: str
    date: datetime.date
    total: decimal.Decimal | None
    currency: Currency
    lines: list[StructLine]
    tags: frozenset[str] = frozenset()
    paid: bool = False
    comment: Annotated[str, {"x-adjudge": "ignore"}] = ""


class ModelLine(pydantic.BaseModel):
    sku: str
    price: float = pydantic.Field(json_schema_extra=CENT)


class ModelInvoice(pydantic.BaseModel):
    vendor: str
    date: datetime.date
    total: decimal.Decimal | None
    currency: Currency
    lines: list[ModelLine]
    tags: frozenset[str] = frozenset()
    paid: bool = False
    comment: str = pydantic.Field(default="", json_schema_extra={"x-adjudge": "ignore"})


INVOICES = (DataInvoice, AttrsInvoice, StructInvoice, ModelInvoice)


@pytest.mark.parametrize("cls", INVOICES)
def test_a_class(cls):
    price = Leaf(by=Number(tolerance="0.01"), required=True)
    expected = of(
        vendor=Leaf(required=True),
        date=Leaf(by=Date(), required=True),
        total=NUMBER,
        currency=Leaf(by=Enum(values={"EUR": (), "USD": ()}), required=True),
        lines=Listing(of=Fields(fields={"sku": Leaf(required=True), "price": price}), required=True),
        tags=Listing(of=TEXT, unique=True),
        paid=Leaf(by=Boolean()),
        comment=Ignore(),
    )
    assert schema_of(cls) == schema_of(f"{__name__}:{cls.__name__}") == expected
    assert schema_of(list[cls]).root == Listing(of=expected.root)


class Node(NamedTuple):
    label: str
    children: list[Node] = []  # noqa: RUF012


class Keys(TypedDict, total=False):
    either: int | str
    number: int | float
    one: Literal["a", "b"] | None
    point: tuple[float, float]
    mixed: tuple[float, str]
    free: dict[str, int]
    anything: Any
    bare: list
    left_out: Annotated[str, ignore]
    both: Node | DataLine


def test_types():
    node = Fields(fields={"label": Leaf(required=True), "children": Listing(of=Named(name="Node"))})
    assert schema_of(Node) == Schema(root=Named(name="Node"), named={"Node": node})
    found = schema_of(Keys)
    assert dict(found.root.fields) == {
        "either": Anything(),
        "number": NUMBER,
        "one": Leaf(by=Enum(values={"a": (), "b": ()})),
        "point": Listing(of=NUMBER, match="place"),
        "mixed": Listing(of=Anything(), match="place"),
        "free": Anything(),
        "anything": Anything(),
        "bare": Listing(of=Anything()),
        "both": Fields(
            fields={
                "label": TEXT,
                "children": Listing(of=Named(name="Node")),
                "sku": TEXT,
                "price": Leaf(by=Number(tolerance="0.01")),
            }
        ),
    }


@dataclasses.dataclass
class Wrong:
    price: Annotated[float, {"x-adjudge": {"list": "nmber"}}]


@dataclasses.dataclass
class Silent:
    a: Annotated[str, {"x-adjudge": "ignore"}]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (int, "int does not say which fields records have"),
        (Wrong, "Wrong.price: []: there is no comparison 'nmber'"),
        (Silent, "Silent: all fields are ignored"),
        ("no_such_module:Invoice", "cannot find the type 'no_such_module:Invoice'"),
        (f"{__name__}:Invoise", "cannot find the type"),
        ("missing.yaml", "missing.yaml: cannot be read"),
    ],
)
def test_mistakes_in_classes(given, says):
    with pytest.raises(AdjudgeError) as caught:
        schema_of(given)
    assert says in str(caught.value)


def test_a_module_beside_the_data(tmp_path, monkeypatch):
    (tmp_path / "own_invoice.py").write_text("class Invoice:\n    __annotations__ = {'a': str}\n    _fields = ('a',)\n")
    (tmp_path / "own_data.py").write_text(
        "import dataclasses\n\n\n@dataclasses.dataclass\nclass Invoice:\n    a: 'str | None'\n"
    )
    monkeypatch.chdir(tmp_path)
    assert schema_of("own_data:Invoice") == of(a=TEXT)
    with pytest.raises(AdjudgeError, match="does not say which fields"):
        schema_of("own_invoice:Invoice")
    sys.modules.pop("own_data")
    sys.modules.pop("own_invoice")
