import collections
import dataclasses
import datetime
import decimal
import enum
import functools
import pathlib
import pickle
import typing
import uuid
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import (
    Annotated,
    Any,
    Generic,
    Literal,
    NamedTuple,
    NewType,
    NotRequired,
    Optional,
    Required,
    TypedDict,
    TypeVar,
    Union,
)

import attrs
import msgspec
import pydantic
import pytest
import typing_extensions

from adjudge.algebra import derive, ir
from adjudge.algebra.derive import derive_similarity, ordered
from adjudge.algebra.functions import Fn
from adjudge.algebra.matching import count, f1, greedy, jaccard, latent, many_to_one, one_to_one, precision, sequence
from adjudge.algebra.plan import plan, problems
from adjudge.algebra.similarity import exact, hierarchy, iou, record, span, text, unit
from adjudge.algebra.spec import encode
from adjudge.algebra.views import view
from adjudge.errors import UsageError
from adjudge.model.variable import Variable
from definition import Reference

STRING, INTEGER, NUMBER, BOOLEAN, NULL = (
    ir.Exact(type=kind) for kind in ("string", "integer", "number", "boolean", "null")
)
T = TypeVar("T")
U = TypeVar("U")
ratio = functools.partial(f1, undefined=1)  # of a collection inside an element: two empty ones are equal


def fields_of(name, /, **fields):
    """A dataclass of these fields."""
    return dataclasses.make_dataclass(name, fields.items())


def optional(node, name=None, kind=None):
    return ir.Union(cases=(ir.Case(type=kind, name=name, of=node), ir.Case(type="null", of=NULL)))


# One record in every way Python knows to write it


@dataclasses.dataclass(frozen=True)
class DataSpan:
    start: int
    end: "int"
    kind: typing.ClassVar[str] = "span"
    note: str = dataclasses.field(default="", compare=False)


@attrs.frozen
class AttrsSpan:
    start: int
    end: "int"
    note: str = attrs.field(default="", eq=False)


class StructSpan(msgspec.Struct, frozen=True):
    start: int
    end: "int"


class TupleSpan(NamedTuple):
    start: int
    end: "int"


class DictSpan(TypedDict):
    start: int
    end: "int"


class ModelSpan(pydantic.BaseModel, frozen=True):
    start: int
    end: "int"


@pydantic.dataclasses.dataclass(frozen=True)
class ModelDataSpan:
    start: int
    end: "int"


SPANS = [DataSpan, AttrsSpan, StructSpan, TupleSpan, DictSpan, ModelSpan, ModelDataSpan]
SPAN = ir.Record(fields={"start": INTEGER, "end": INTEGER})


@pytest.mark.parametrize("cls", SPANS)
def test_every_kind_of_class(cls):
    assert derive_similarity(cls) == SPAN
    assert derive_similarity(list[cls]) == ir.Set(of=SPAN)
    value = cls(start=1, end=2)
    assert list(problems(SPAN, value)) == []
    assert (
        len(list(problems(SPAN, cls(start=1, end="2") if cls not in (ModelSpan, ModelDataSpan) else {"start": 1}))) == 1
    )


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


Id = NewType("Id", str)


# Scalars


class Role(str):
    pass


class Level(enum.IntEnum):
    LOW = 1


class Odd(enum.Enum):
    PAIR = (1, 2)


class Bits(enum.Flag):
    A = 1
    B = 2


@pytest.mark.parametrize(
    ("tp", "expected"),
    [
        (str, STRING),
        (int, INTEGER),
        (float, NUMBER),
        (bool, BOOLEAN),
        (None, NULL),
        (type(None), NULL),
        (Role, STRING),
        (Id, STRING),
        (bytes, exact),
        (complex, exact),
        (datetime.date, exact),
        (datetime.datetime, exact),
        (datetime.timedelta, exact),
        (decimal.Decimal, exact),
        (uuid.UUID, exact),
        (pathlib.Path, exact),
        (Colour, ir.Exact(values=("red", "blue"))),
        (Level, ir.Exact(values=(1,))),
        (Odd, exact),
        (Bits, exact),
        (Literal["a", 1, None], ir.Exact(values=("a", 1, None))),
        (Literal[Colour.RED], ir.Exact(values=("red",))),
        (Annotated[str, "a comment"], STRING),
        (Annotated[str, "a comment", text("edit"), exact], ir.Edit()),
        (typing.Final[str], STRING),
        (tuple[int, str], ir.Record(fields={"0": INTEGER, "1": STRING}, size=2)),
        (range, ir.Set(of=INTEGER)),
        (Annotated[list[int], precision], precision(ir.Set(of=INTEGER))),
        (Annotated[list[int], many_to_one, precision], precision(many_to_one(INTEGER))),
    ],
)
def test_values_and_tuples(tp, expected):
    assert derive_similarity(tp) == expected


# Collections


@pytest.mark.parametrize(
    "tp",
    [
        list[str],
        set[str],
        frozenset[str],
        tuple[str, ...],
        typing.List[str],  # noqa: UP006
        typing.FrozenSet[str],  # noqa: UP006
        Sequence[str],
        Collection[str],
        Iterable[str],
        AbstractSet[str],
        collections.deque[str],
        Annotated[list[str], "a comment"],
    ],
)
def test_collections_are_sets(tp):
    assert derive_similarity(tp) == ir.Set(of=STRING)
    assert derive_similarity(tuple[int, tp]) == ir.Record(fields={"0": INTEGER, "1": ratio(ir.Set(of=STRING))}, size=2)
    assert derive_similarity(tuple[int, tp], nested="count").fields["1"] == ir.Set(of=STRING)
    assert derive_similarity(list[tp]) == ir.Set(of=ratio(ir.Set(of=STRING)))


ITEMS = Fn("adjudge.algebra.derive:items")
ELEMENTS = Fn("adjudge.algebra.derive:elements")


@pytest.mark.parametrize("tp", [dict[str, int], Mapping[str, int], collections.defaultdict[str, int]])
def test_mappings_compare_keys_and_values(tp):
    entries = ir.Set(of=ir.Record(fields={"key": STRING, "value": INTEGER}))
    assert derive_similarity(tp) == ir.Mapped(of=entries, by=ITEMS)
    assert derive_similarity(list[tp]) == ir.Set(of=ir.Mapped(of=ratio(entries), by=ITEMS))
    assert Fn.of(derive.items).name == ITEMS.name


def test_counters_are_multisets():
    assert derive_similarity(collections.Counter[str]) == ir.Mapped(
        of=ir.Set(of=STRING, duplicates="multiset"), by=ELEMENTS
    )
    assert derive.elements(collections.Counter("aab")) == ["a", "a", "b"]
    assert derive.elements(["a"]) == ["a"]
    with pytest.raises(TypeError):
        derive.items([1])


# Where a collection counts and where it is a ratio


Wrapper = fields_of("Wrapper", events=list[DataSpan])


Two = fields_of("Two", left=list[str], right=list[str])


def test_a_record_of_one_field_is_transparent_at_the_top():
    assert derive_similarity(Wrapper) == ir.Record(fields={"events": ir.Set(of=SPAN)})
    assert derive_similarity(list[Wrapper]) == ir.Set(of=ir.Record(fields={"events": ratio(ir.Set(of=SPAN))}))
    side = ratio(ir.Set(of=STRING))
    assert derive_similarity(Two) == ir.Record(fields={"left": side, "right": side})
    assert derive_similarity(Optional[list[str]]) == optional(ir.Set(of=STRING), kind="array")  # noqa: UP045


# Annotated


Marked = fields_of(
    "Marked",
    counted=Annotated[list[str], count],
    ordered=Annotated[list[str], ordered],
    both=Annotated[list[str], sequence, count],
    many=Annotated[set[str], many_to_one],
    ratio=Annotated[set[str], jaccard],
    table=Annotated[dict[str, int], precision],
    filler=Annotated[str, unit],
    greedy=Annotated[list[str], "why", greedy],
    whole=Annotated[list[str], exact],
    span=Annotated[DataSpan, iou(above=0.5)],
    inner=list[Annotated[str, text("edit")]],
    maybe=Annotated[DataSpan, span()] | None,
    narrow=Annotated[DataSpan, view(DataSpan).only("start")],
    graph=Annotated[list[str], latent],
    bag=Annotated[collections.Counter[str], ordered],
)


def test_annotated_chooses():
    strings = ir.Set(of=STRING)
    entries = ir.Set(of=ir.Record(fields={"key": STRING, "value": INTEGER}))
    expected = {
        "counted": strings,
        "ordered": ratio(sequence(STRING)),
        "both": sequence(STRING),
        "many": ratio(many_to_one(STRING)),
        "ratio": jaccard(strings, undefined=1),
        "table": ir.Mapped(of=precision(entries, undefined=1), by=ITEMS),
        "filler": unit(STRING),
        "greedy": ratio(greedy(STRING)),
        "whole": exact,
        "span": iou(above=0.5),
        "inner": ratio(ir.Set(of=ir.Edit())),
        "maybe": ir.Union(cases=(ir.Case(type="null", of=NULL), ir.Case(name="DataSpan", of=span()))),
        "narrow": record(start=INTEGER),
        "graph": latent(ratio(strings)),
        "bag": ir.Mapped(of=ratio(sequence(STRING)), by=ELEMENTS),
    }
    got = derive_similarity(Marked)
    for name, node in expected.items():
        assert got.fields[name] == node, name
    assert list(got.fields) == list(expected)


def test_similarities_with_fields_may_stand_in_unions():
    node = record(start=exact)
    expected = ir.Union(cases=(ir.Case(type="null", of=NULL), ir.Case(name="DataSpan", of=node)))
    assert derive_similarity(Annotated[DataSpan, node] | None) == expected
    assert derive_similarity(Optional[Annotated[str, hierarchy({"a": "b"})]]).cases[0].type == "string"  # noqa: UP045


# Unions


@pytest.mark.parametrize(
    ("tp", "expected"),
    [
        (int | None, [("integer", INTEGER), ("null", NULL)]),
        (Union[int, str], [("integer", INTEGER), ("string", STRING)]),  # noqa: UP007
        (bool | int, [("boolean", BOOLEAN), ("integer", INTEGER)]),
        (int | float | None, [("number", NUMBER), ("null", NULL)]),
        (Literal["a"] | int, [("string", ir.Exact(values=("a",))), ("integer", INTEGER)]),
        (Literal["a"] | Literal["b"] | None, [("string", ir.Exact(values=("a", "b"))), ("null", NULL)]),
        (Literal["a"] | str | None, [("string", STRING), ("null", NULL)]),
        (Literal["a", 1] | float, [("string", ir.Exact(values=("a",))), ("number", NUMBER)]),
        (list[str] | str, [("array", ir.Set(of=STRING)), ("string", STRING)]),
        (tuple[int, str] | None, [("array", ir.Record(fields={"0": INTEGER, "1": STRING}, size=2)), ("null", NULL)]),
        (DictSpan | None, [("object", SPAN), ("null", NULL)]),
        (Optional[Id | int], [("string", STRING), ("integer", INTEGER), ("null", NULL)]),  # noqa: UP045
        (Annotated[str, text("edit")] | int, [("string", ir.Edit()), ("integer", INTEGER)]),
    ],
)
def test_unions_of_json_kinds(tp, expected):
    assert derive_similarity(tp) == ir.Union(cases=tuple(ir.Case(type=kind, of=of) for kind, of in expected))


Base = fields_of("Base", x=int)


@dataclasses.dataclass
class Derived(Base):
    y: int


Other = fields_of("Other", z=int)


BASE, DERIVED, OTHER = record(x=INTEGER), record(x=INTEGER, y=INTEGER), record(z=INTEGER)


def by_class(cls, of):
    return ir.Case(name=cls.__name__, python=Fn.of(cls), of=of)


class Shape(enum.StrEnum):
    ROUND = "round"


@pytest.mark.parametrize(
    ("tp", "cases"),
    [
        # The only class of a union needs no test, so that JSON objects are accepted as well.
        (Base | None, [ir.Case(type="null", of=NULL), ir.Case(name="Base", of=BASE)]),
        (str | Base, [ir.Case(type="string", of=STRING), ir.Case(name="Base", of=BASE)]),
        (datetime.date | str, [ir.Case(type="string", of=STRING), ir.Case(name="date", of=exact)]),
        # Several classes are told apart by isinstance, subclasses first.
        (Base | Other, [by_class(Base, BASE), by_class(Other, OTHER)]),
        (Base | Derived | None, [by_class(Derived, DERIVED), by_class(Base, BASE), ir.Case(type="null", of=NULL)]),
        (Base | dict[str, int], [by_class(Base, BASE), ir.Case(type="object", of=derive_similarity(dict[str, int]))]),
        (Base | DictSpan, [by_class(Base, BASE), ir.Case(name="DictSpan", has="start", of=SPAN)]),
        # A string of a special class is still a string, so the class goes first.
        (str | Shape, [by_class(Shape, ir.Exact(values=("round",))), ir.Case(type="string", of=STRING)]),
    ],
)
def test_unions_of_classes(tp, cases):
    assert derive_similarity(tp) == ir.Union(cases=tuple(cases))


Circle = fields_of("Circle", kind=Literal["circle"], radius=float)


Square = fields_of("Square", kind=Literal["square"], side=float)


class DictCircle(TypedDict):
    kind: Literal["circle"]
    radius: float


class DictSquare(TypedDict):
    kind: Literal["square"]
    side: float


@pytest.mark.parametrize(("circle", "square"), [(Circle, Square), (DictCircle, DictSquare)])
def test_literal_fields_tell_records_apart(circle, square):
    node = derive_similarity(circle | square | None)
    assert [(case.field, case.equals, case.type) for case in node.cases] == [
        ("kind", "circle", None),
        ("kind", "square", None),
        (None, None, "null"),
    ]
    assert not list(problems(node, {"kind": "square", "side": 2.0}))
    assert not list(problems(node, square(kind="square", side=2.0)))
    assert list(problems(node, {"kind": "squar", "side": 2.0})) == [
        ("$", "no case takes an object; there are kind = circle, kind = square, null", "did you mean square?")
    ]


class Person(TypedDict):
    name: str
    born: int


class Place(TypedDict):
    name: str
    country: str


def test_typed_dicts_are_told_apart_by_a_key_of_their_own():
    node = derive_similarity(Person | Place)
    assert [case.has for case in node.cases] == ["born", "country"]


# TypedDict, total or not


class Partial(TypedDict, total=False):
    a: Required[int]
    b: str
    c: str | None


class Whole(Partial):
    d: NotRequired[list[int]]
    e: int


class Extended(typing_extensions.TypedDict):
    a: typing_extensions.ReadOnly[int]
    b: typing_extensions.NotRequired[str]


def absent(node):
    return ir.Union(cases=(ir.Case(type="null", of=NULL), ir.Case(of=node)))


def test_absent_keys():
    partial = {"a": INTEGER, "b": absent(STRING), "c": optional(STRING, kind="string")}
    assert derive_similarity(Partial) == ir.Record(fields=partial)
    whole = {**partial, "d": absent(ratio(ir.Set(of=INTEGER))), "e": INTEGER}
    assert derive_similarity(Whole) == ir.Record(fields=whole)
    assert derive_similarity(Extended) == ir.Record(fields={"a": INTEGER, "b": absent(STRING)})
    assert not list(problems(derive_similarity(Whole), {"a": 1, "e": 2}))
    assert [path for path, *_ in problems(derive_similarity(Whole), {"b": "x"})] == ["$.a", "$.e"]


# Generics and inheritance


@dataclasses.dataclass
class DataBox(Generic[T]):
    value: T
    rest: "list[T] | None"


@attrs.define
class AttrsBox(Generic[T]):
    value: T
    rest: "list[T] | None"


class StructBox(msgspec.Struct, Generic[T]):
    value: T
    rest: "list[T] | None"


class TupleBox(NamedTuple, Generic[T]):
    value: T
    rest: "list[T] | None"


class DictBox(TypedDict, Generic[T]):
    value: T
    rest: "list[T] | None"


class ModelBox(pydantic.BaseModel, Generic[T]):
    value: T
    rest: "list[T] | None"


@dataclasses.dataclass
class IntDataBox(DataBox[int]):
    own: str


@attrs.define
class IntAttrsBox(AttrsBox[int]):
    own: str


class IntStructBox(StructBox[int]):
    own: str


class IntDictBox(DictBox[int]):
    own: str


class IntModelBox(ModelBox[int]):
    own: str


BOX = {"value": INTEGER, "rest": optional(ratio(ir.Set(of=INTEGER)), kind="array")}


@pytest.mark.parametrize("cls", [DataBox, AttrsBox, StructBox, TupleBox, DictBox, ModelBox])
def test_generics(cls):
    assert derive_similarity(cls[int]) == ir.Record(fields=BOX)
    assert derive_similarity(list[cls[str]]).of.fields["value"] == STRING
    with pytest.raises(UsageError, match=rf"{cls.__name__}.value: the type variable T is open"):
        derive_similarity(cls)


@pytest.mark.parametrize("cls", [IntDataBox, IntAttrsBox, IntStructBox, IntDictBox, IntModelBox])
def test_inherited_generics(cls):
    assert derive_similarity(cls) == ir.Record(fields={**BOX, "own": STRING})


@dataclasses.dataclass
class Swapped(DataBox[U], Generic[T, U]):
    # T means something else here than in the base.
    extra: T


B = TypeVar("B", bound=DataSpan)
C = TypeVar("C", int, str)


@pytest.mark.parametrize(
    ("tp", "values"),
    [
        (Optional[list[int]], [None, [1], []]),  # noqa: UP045
        (Optional[Literal["a", "b"]], [None, "a"]),  # noqa: UP045
        (Base, [Base(1), Derived(1, 2)]),
        (Base | None, [None, Base(1), Derived(1, 2), {"x": 1}]),
        (Base | Other, [Base(1), Derived(1, 2)]),
        (bool | int, [True, 1]),
    ],
)
def test_instances_of_subclasses_and_json_find_their_case(tp, values):
    assert [problem for value in values for problem in problems(derive_similarity(tp), value)] == []


def test_type_variables_belong_to_their_class():
    got = derive_similarity(Swapped[str, int])
    assert (got.fields["value"], got.fields["extra"]) == (INTEGER, STRING)
    assert derive_similarity(DataBox[DataBox[int]]).fields["value"] == ir.Record(fields=BOX)


def test_bounds_and_constraints():
    assert derive_similarity(list[B]) == ir.Set(of=SPAN)
    assert derive_similarity(list[C]).of == derive_similarity(int | str)
    with_default = typing_extensions.TypeVar("with_default", default=int)
    assert derive_similarity(list[with_default]) == ir.Set(of=INTEGER)


def test_type_aliases():
    name = typing_extensions.TypeAliasType("name", str)
    maybe = typing_extensions.TypeAliasType("maybe", T | None, type_params=(T,))
    assert derive_similarity(list[name]) == ir.Set(of=STRING)
    assert derive_similarity(maybe[int]) == derive_similarity(int | None)
    assert derive_similarity(name | int) == derive_similarity(str | int)
    tree = typing_extensions.TypeAliasType("tree", "list[tree]")
    nested = typing_extensions.TypeAliasType("nested", Union[int, list["nested"]])  # noqa: UP007
    with pytest.raises(UsageError, match="contains itself"):
        derive_similarity(nested, names={"nested": nested})
    with pytest.raises(UsageError, match="cannot resolve"):
        derive_similarity(tree)


class Undecorated(Base):
    w: int


@attrs.define
class AttrsParent:
    x: int


class AttrsUndecorated(AttrsParent):
    w: int


def test_a_forgotten_decorator_is_not_overlooked():
    with pytest.raises(UsageError, match="annotates w but has no @dataclass of its own, decorate Undecorated"):
        derive_similarity(Undecorated)
    with pytest.raises(UsageError, match=r"annotates w but has no @attrs\.define of its own"):
        derive_similarity(AttrsUndecorated)


# Variables


@dataclasses.dataclass(frozen=True)
class Prop:
    subject: Variable
    predicate: str
    object: Variable | str


Meaning = fields_of("Meaning", props=frozenset[Prop])


Scoped = fields_of("Scoped", graphs=list[Annotated[Meaning, latent]])


def test_variables_are_bound_at_the_outermost_level():
    prop = record(
        subject=ir.Variable(),
        predicate=STRING,
        object=ir.Union(cases=(by_class(Variable, ir.Variable()), ir.Case(type="string", of=STRING))),
    )
    assert derive_similarity(set[Prop]) == latent(ir.Set(of=prop))
    assert derive_similarity(Meaning) == latent(record(props=ir.Set(of=prop)))
    assert derive_similarity(list[Meaning]) == latent(ir.Set(of=record(props=ratio(ir.Set(of=prop)))))
    assert derive_similarity(Scoped) == record(graphs=one_to_one(latent(record(props=ratio(ir.Set(of=prop))))))
    value = [Prop(Variable("x"), "instance", "dog"), Prop(Variable("x"), "agent", Variable("y"))]
    assert not list(problems(derive_similarity(set[Prop]), value))
    assert pickle.loads(pickle.dumps(Variable("x"))) == Variable("x")
    with pytest.raises(AttributeError):
        Variable("x").name = "y"


# What cannot be handled says so, with the path and the remedy


class Plain:
    x: int


@dataclasses.dataclass
class Node:
    label: str
    children: "list[Node]"


Empty = fields_of("Empty")


Argument = fields_of("Argument", value=Any)


Deep = fields_of("Deep", arguments=list[Argument])


@dataclasses.dataclass
class Unresolved:
    x: "Missing"  # noqa: F821


Uncalled = fields_of("Uncalled", span=Annotated[DataSpan, iou])


Miscounted = fields_of("Miscounted", name=Annotated[str, count])


Bare = collections.namedtuple("Bare", "x y")


@dataclasses.dataclass
class Holder(Generic[T]):
    item: T


@pytest.mark.parametrize(
    ("tp", "message"),
    [
        (
            Any,
            r"Any: Any does not define how to compare, choose a similarity: Annotated\[..., adjudge.algebra.exact\]",
        ),
        (object, "object: object does not define how to compare"),
        (Deep, r"Deep\.arguments\[\*\]\.value: Any does not define how to compare"),
        (set[Deep], r"^Deep\.arguments\[\*\]\.value: Any"),
        (Holder[Any], r"Holder\.item: Any"),
        (Holder[dict[str, Any]], r"Holder\.item\[\*\]\.value: Any"),
        (Holder[tuple[int, Any]], r"Holder\.item\[1\]: Any"),
        (Holder[Any | None], r"Holder\.item: Any"),
        (list[Any], r"list\[\*\]: Any"),
        (list, r"list: list does not say what it holds, write, for example, list\[str\]"),
        (typing.List, "does not say what it holds"),  # noqa: UP006
        (dict, r"dict\[str, int\]"),
        (collections.Counter, "does not say what it holds"),
        (tuple, r"tuple\[int, str\]"),
        (tuple[()], "does not say what it holds"),
        (tuple[int, *tuple[str, ...]], "open part"),
        (tuple[int, typing.Unpack[tuple[str, ...]]], "open part"),  # noqa: UP044
        (Iterator[int], "can be read only once"),
        (Holder[list], r"Holder\.item: list does not say"),
        (Callable[[int], int], "Callable"),
        (type[int], "type"),
        (Plain, "Plain: Plain is not a type with parts that can be compared, make it a dataclass"),
        (Holder[Plain], r"Holder\.item: Plain is not"),
        (Bare, r"Bare\.x: the field has no type"),
        (Node, r"Node\.children\[\*\]: Node contains itself"),
        (Empty, "Empty has no fields"),
        (Unresolved, r"Unresolved: an annotation cannot be resolved \(name 'Missing' is not defined\)"),
        (list["Missing"], r"list\[\*\]: cannot resolve 'Missing'"),  # noqa: F821
        (Uncalled, r"Uncalled\.span: iou is a function, call it: Annotated\[..., iou\(...\)\]"),
        (Miscounted, r"Miscounted\.name: count needs a collection, not str"),
        (list[int] | set[str], "two cases of the union are of the same kind: array"),
        (Holder[list[int] | tuple[int, int]], r"Holder\.item: two cases"),
        (dict[str, int] | dict[str, str], "same kind: object"),
        (dict[str, int] | DictSpan, "cannot be told apart"),
        (DictSpan | Place | Person, None),
        (Literal[b"a"] | str, "use an Enum"),
        (list[T], "type variable T is open"),
        (int | Any, "Any"),
    ],
)
def test_no_silent_equality(tp, message):
    if message is None:
        assert [case.has for case in derive_similarity(tp).cases] == ["start", "country", "born"]
        return
    with pytest.raises(UsageError, match=message) as caught:
        derive_similarity(tp)
    assert caught.value.problems[0].hint


class Ambiguous(TypedDict):
    name: str


def test_a_typed_dict_within_another_cannot_be_told_apart():
    with pytest.raises(UsageError, match="nothing distinguishes Ambiguous from the other cases"):
        derive_similarity(Ambiguous | Person)


def test_nested_must_be_known():
    with pytest.raises(UsageError, match="nested must be"):
        derive_similarity(list[int], nested="jaccard")


def test_names_resolve_local_classes():
    @dataclasses.dataclass
    class Inner:
        x: int

    @dataclasses.dataclass
    class Outer:
        inner: "Inner"

    with pytest.raises(UsageError, match=r"pass names=\{...\}"):
        derive_similarity(Outer)
    assert derive_similarity(Outer, names={"Inner": Inner}) == record(inner=record(x=INTEGER))
    assert derive_similarity(list["Inner"], names={"Inner": Inner}) == ir.Set(of=record(x=INTEGER))


def test_classes_inside_functions_work_but_cannot_be_saved():
    @dataclasses.dataclass
    class One:
        x: int

    @dataclasses.dataclass
    class Another:
        y: int

    node = derive_similarity(One | Another)
    assert not list(problems(node, One(1)))
    with pytest.raises(UsageError, match="cannot be serialised"):
        encode(node)


# What is derived can be computed


def observed(tp, gold, system):
    node = derive_similarity(tp)
    got, slow = (way(node).observe(gold, system) for way in (plan, Reference))
    assert (got.value, got.system, got.gold) == (slow.value, slow.system, slow.gold)
    return got.value, got.system, got.gold


@pytest.mark.parametrize(
    ("tp", "gold", "system", "expected"),
    [
        (dict[str, int], {"a": 1, "b": 2}, {"a": 1, "b": 3}, (1, 2, 2)),
        (collections.Counter[str], collections.Counter("aab"), collections.Counter("aaab"), (3, 4, 3)),
        (list[Base | Derived], [Base(1), Derived(1, 2)], [Derived(1, 2), Base(1), Base(2)], (2, 3, 2)),
        (Whole, {"a": 1, "e": 2}, {"a": 1, "e": 2, "b": None}, (1, 1, 1)),
        (range, range(3), range(1, 5), (2, 4, 3)),
        (Circle | Square, {"kind": "circle", "radius": 2.0}, Circle("circle", 2.0), (1, 1, 1)),
        (Annotated[list[str], ordered], ["a", "b"], ["b", "a"], (1, 2, 2)),
        (
            set[Prop],
            [Prop(Variable("x"), "agent", Variable("y")), Prop(Variable("y"), "instance", "dog")],
            [Prop(Variable("p"), "agent", Variable("q")), Prop(Variable("q"), "instance", "dog")],
            (2, 2, 2),
        ),
    ],
)
def test_derived_values(tp, gold, system, expected):
    assert observed(tp, gold, system) == expected
