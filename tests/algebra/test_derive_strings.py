"""Annotations that are strings: everything must come out as it does without the import below."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, ClassVar, Generic, Literal, NamedTuple, NotRequired, TypedDict, TypeVar

import attrs
import msgspec
import pydantic
import pytest

from adjudge.algebra import ir
from adjudge.algebra.derive import derive_similarity
from adjudge.algebra.matching import count, f1, latent
from adjudge.algebra.similarity import iou, record
from adjudge.model.variable import Variable

STRING, INTEGER, NULL = (ir.Exact(type=kind) for kind in ("string", "integer", "null"))
T = TypeVar("T")


@dataclass
class DataEvent:
    span: Annotated[Span, iou(above=0.5)]
    tags: list[str] | None
    counted: Annotated[list[Kind], count]
    later: Span
    bag: Counter[str]
    skipped: ClassVar[int] = 0


@attrs.define
class AttrsEvent:
    span: Annotated[Span, iou(above=0.5)]
    tags: list[str] | None
    counted: Annotated[list[Kind], count]
    later: Span
    bag: Counter[str]
    skipped: ClassVar[int] = 0


class StructEvent(msgspec.Struct):
    span: Annotated[Span, iou(above=0.5)]
    tags: list[str] | None
    counted: Annotated[list[Kind], count]
    later: Span
    bag: Counter[str]
    skipped: ClassVar[int] = 0


class TupleEvent(NamedTuple):
    span: Annotated[Span, iou(above=0.5)]
    tags: list[str] | None
    counted: Annotated[list[Kind], count]
    later: Span
    bag: Counter[str]


class DictEvent(TypedDict):
    span: Annotated[Span, iou(above=0.5)]
    tags: NotRequired[list[str]]
    counted: Annotated[list[Kind], count]
    later: Span
    bag: Counter[str]


class ModelEvent(pydantic.BaseModel):
    span: Annotated[Span, iou(above=0.5)]
    tags: list[str] | None
    counted: Annotated[list[Kind], count]
    later: Span
    bag: Counter[str]
    skipped: ClassVar[int] = 0


class Kind(Enum):
    A = "a"


@dataclass
class Span:
    start: int
    end: int


@pytest.mark.parametrize("cls", [DataEvent, AttrsEvent, StructEvent, TupleEvent, DictEvent, ModelEvent])
def test_string_annotations(cls):
    node = derive_similarity(set[cls])
    fields = node.of.fields
    assert list(fields) == ["span", "tags", "counted", "later", "bag"]
    assert fields["span"] == iou(above=0.5)
    assert {case.of for case in fields["tags"].cases} == {NULL, f1(ir.Set(of=STRING), undefined=1)}
    assert fields["counted"] == ir.Set(of=ir.Exact(values=("a",)))
    assert fields["later"] == record(start=INTEGER, end=INTEGER)
    assert fields["bag"].of == f1(ir.Set(of=STRING, duplicates="multiset"), undefined=1)


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


@dataclass(frozen=True)
class Prop:
    subject: Variable
    object: Variable | str


def test_isomorphic_graphs_are_compared_by_their_variables():
    node = derive_similarity(set[Prop])
    assert node == latent(node.of)
    assert node.of.of.fields["subject"] == ir.Variable()
    assert [case.of for case in node.of.of.fields["object"].cases] == [ir.Variable(), STRING]
