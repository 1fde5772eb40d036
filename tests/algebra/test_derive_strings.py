"""Annotations that are strings: everything must come out as it does without the import below."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, ClassVar, Generic, Literal, NamedTuple, NewType, NotRequired, TypedDict, TypeVar

import attrs
import msgspec
import pydantic
import pytest

from adjudge.algebra import ir
from adjudge.algebra.derive import derive_similarity
from adjudge.algebra.matching import count, f1
from adjudge.algebra.plan import plan
from adjudge.algebra.similarity import iou, record
from adjudge.algebra.spec import decode, encode
from definition import Reference

STRING, INTEGER, NULL = (ir.Exact(type=kind) for kind in ("string", "integer", "null"))
T = TypeVar("T")
Id = NewType("Id", str)


@dataclass
class DataEvent:
    type: Literal["attack", "meet"]
    colour: Kind | None
    span: Annotated[Span, iou(above=0.5)]
    counted: Annotated[list[Kind], count]
    later: Span
    arguments: frozenset[Span]
    tags: list[str] | None
    id: Id
    skipped: ClassVar[int] = 0


@attrs.define
class AttrsEvent:
    type: Literal["attack", "meet"]
    colour: Kind | None
    span: Annotated[Span, iou(above=0.5)]
    counted: Annotated[list[Kind], count]
    later: Span
    arguments: frozenset[Span]
    tags: list[str] | None
    id: Id
    skipped: ClassVar[int] = 0


class StructEvent(msgspec.Struct):
    type: Literal["attack", "meet"]
    colour: Kind | None
    span: Annotated[Span, iou(above=0.5)]
    counted: Annotated[list[Kind], count]
    later: Span
    arguments: frozenset[Span]
    tags: list[str] | None
    id: Id
    skipped: ClassVar[int] = 0


class TupleEvent(NamedTuple):
    type: Literal["attack", "meet"]
    colour: Kind | None
    span: Annotated[Span, iou(above=0.5)]
    counted: Annotated[list[Kind], count]
    later: Span
    arguments: frozenset[Span]
    tags: list[str] | None
    id: Id


class DictEvent(TypedDict):
    type: Literal["attack", "meet"]
    colour: Kind | None
    span: Annotated[Span, iou(above=0.5)]
    counted: Annotated[list[Kind], count]
    later: Span
    arguments: frozenset[Span]
    tags: NotRequired[list[str]]
    id: Id


class ModelEvent(pydantic.BaseModel):
    type: Literal["attack", "meet"]
    colour: Kind | None
    span: Annotated[Span, iou(above=0.5)]
    counted: Annotated[list[Kind], count]
    later: Span
    arguments: frozenset[Span]
    tags: list[str] | None
    id: Id
    skipped: ClassVar[int] = 0


class Kind(Enum):
    A = "a"


@dataclass(frozen=True)
class Span:
    start: int
    end: int


EVENTS = [DataEvent, AttrsEvent, StructEvent, TupleEvent, DictEvent, ModelEvent]
SPAN = record(start=INTEGER, end=INTEGER)
ratio = functools.partial(f1, undefined=1)


@pytest.mark.parametrize("cls", EVENTS)
@pytest.mark.parametrize("nested", ["f1", "count"])
def test_fields_of_every_kind(cls, nested):
    fields = derive_similarity(set[cls], nested=nested).of.fields
    kinds, tags = ir.Exact(values=("a",)), ir.Set(of=STRING)
    assert {case.of for case in fields["tags"].cases} == {NULL, ratio(tags) if nested == "f1" else tags}
    arguments = ir.Set(of=SPAN)
    assert {name: node for name, node in fields.items() if name != "tags"} == {
        "type": ir.Exact(values=("attack", "meet")),
        "colour": ir.Union(cases=(ir.Case(type="null", of=NULL), ir.Case(name="Kind", of=kinds))),
        "span": iou(above=0.5),
        "counted": ir.Set(of=kinds),
        "later": SPAN,
        "arguments": ratio(arguments) if nested == "f1" else arguments,
        "id": STRING,
    }
    assert decode(encode(ir.Record(fields=fields))) == ir.Record(fields=fields)


@pytest.mark.parametrize("cls", EVENTS)
def test_objects_and_json_are_the_same_and_order_does_not_matter(cls):
    raw = {"type": "meet", "colour": "a", "counted": ["a"], "tags": ["x"], "id": "e1"}
    raw |= {"span": {"start": 1, "end": 2}, "later": {"start": 1, "end": 2}}
    raw["arguments"] = [{"start": 5, "end": 6}, {"start": 3, "end": 4}]
    made = raw | {"colour": Kind.A, "counted": [Kind.A], "span": Span(1, 2), "later": Span(1, 2)}
    gold = cls(**made | {"arguments": frozenset({Span(3, 4), Span(5, 6)})})
    for system, matched in ((raw, 1), (raw | {"colour": None}, 0)):
        for way in (plan, Reference):
            assert way(derive_similarity(set[cls])).observe([gold], [system]).value == matched


@dataclass
class Box(Generic[T]):
    value: T
    kind: Literal["box"]


@dataclass
class Derived(Box[str]):
    more: list[T]  # open on purpose: Derived is not generic


@dataclass
class Closed(Box[Span]):
    more: int


def test_generics():
    assert derive_similarity(Box[int]).fields["value"] == INTEGER
    assert derive_similarity(Closed).fields["value"] == record(start=INTEGER, end=INTEGER)
    with pytest.raises(Exception, match=r"Derived\.more\[\*\]: the type variable T is open"):
        derive_similarity(Derived)
