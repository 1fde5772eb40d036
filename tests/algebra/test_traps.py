"""Ways in which a derived metric can silently mean something else, each of which must not happen here."""

import dataclasses
from collections.abc import Collection
from typing import Annotated, Generic, Literal, Optional, TypeVar, Union

import pytest

from adjudge.algebra import ir
from adjudge.algebra.derive import derive_similarity, ordered
from adjudge.algebra.matching import count, f1, many_to_many, precision, set_of
from adjudge.algebra.plan import problems
from adjudge.algebra.similarity import exact
from adjudge.errors import UsageError
from adjudge.model.variable import Variable

STRING, INTEGER, NULL = (ir.Exact(type=kind) for kind in ("string", "integer", "null"))
T = TypeVar("T")


@dataclasses.dataclass
class Later:
    inner: "Late"
    values: "list[int]"


@dataclasses.dataclass
class Late:
    tags: list[str]


@dataclasses.dataclass
class Box(Generic[T]):
    content: T


def whole_object_equality(node):
    """Whether a collection somewhere below was swallowed by plain equality."""
    return "Set(" not in repr(node)


@pytest.mark.parametrize(
    "tp",
    [
        Later,
        Box[list[int]],
        Box[list[int] | None],
        Annotated[Collection[int], "doc"],
        Annotated[Box[list[str]], "doc"],
    ],
)
def test_types_do_not_degrade_to_equality(tp):
    assert not whole_object_equality(derive_similarity(tp))


def test_both_notations_of_a_union_are_one():
    old = Union[Variable, str]  # noqa: UP007
    assert derive_similarity(list[Variable | str]) == derive_similarity(list[old])


def test_mappings_compare_their_values():
    assert "value" in derive_similarity(dict[str, int]).of.of.fields


def test_tuples_are_not_sets_of_their_first_type():
    assert derive_similarity(tuple[int, str]) == ir.Record(fields={"0": INTEGER, "1": STRING}, size=2)


def test_order_matters_when_it_is_asked_for():
    assert derive_similarity(Annotated[list[str], ordered]) == ir.Sequence(of=STRING)


def test_a_text_is_not_a_collection():
    assert problems(derive_similarity(list[str]), "abc")[0][1] == "expected an array, got a string"


@dataclasses.dataclass
class Parent:
    x: int


@dataclasses.dataclass
class Child(Parent):
    y: str


def test_a_subclass_has_its_own_fields():
    assert list(derive_similarity(Parent).fields) == ["x"]
    assert list(derive_similarity(Child).fields) == ["x", "y"]


def test_a_normaliser_is_never_dropped():
    assert derive_similarity(Annotated[list[int], precision]) == precision(set_of(INTEGER))
    assert derive_similarity(Annotated[list[int], many_to_many, precision]) == precision(many_to_many(INTEGER))
    assert derive_similarity(Box[Annotated[list[int], many_to_many]]).fields["content"] == many_to_many(INTEGER)
    assert derive_similarity(list[Annotated[list[int], many_to_many]]).of == f1(many_to_many(INTEGER), undefined=1)
    for wrong in (lambda: set_of(exact, match=precision), lambda: set_of("f1"), lambda: precision("<->")):
        with pytest.raises(UsageError):
            wrong()
    with pytest.raises(UsageError, match="count needs a collection"):
        derive_similarity(Annotated[int, count])


def test_cases_of_a_union_keep_their_own_similarity():
    node = derive_similarity(Box[Annotated[list[int], count] | None]).fields["content"]
    assert node == ir.Union(cases=(ir.Case(type="array", of=set_of(INTEGER)), ir.Case(type="null", of=NULL)))


@pytest.mark.parametrize(
    ("tp", "values"),
    [
        (Optional[list[int]], [None, [1], []]),  # noqa: UP045
        (Optional[Literal["a", "b"]], [None, "a"]),  # noqa: UP045
        (Parent | None, [None, Parent(1), Child(1, "a"), {"x": 1}]),
        (Parent | Later, [Parent(1), Child(1, "a")]),
        (bool | int, [True, 1]),
    ],
)
def test_optional_values_and_instances_of_subclasses_find_their_case(tp, values):
    node = derive_similarity(tp)
    for value in values:
        assert not list(problems(node, value))


def test_true_is_not_one():
    cases = derive_similarity(bool | int).cases
    assert [case.type for case in cases] == ["boolean", "integer"]
    assert [message for _, message, _ in problems(derive_similarity(list[int]), [True])] == [
        "expected an integer, got a boolean"
    ]
