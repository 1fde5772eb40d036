"""Documents as metrics want them: what is empty, and what a type of one's own refuses."""

from dataclasses import dataclass

import pydantic
import pytest

from adjudge.algebra import ir
from adjudge.errors import ValidationError
from adjudge.metrics.documents import empty, typed, without_repeats


class Item(pydantic.BaseModel):
    name: str
    size: int


class Page(pydantic.BaseModel):
    items: list[Item]


class Strict(pydantic.BaseModel):
    size: int

    @pydantic.field_validator("size")
    @classmethod
    def _even(cls, value):
        if value % 2:
            raise TypeError("odd")
        return value


def test_the_first_problem_of_a_pydantic_model_has_its_place():
    with pytest.raises(ValidationError) as caught:
        typed(Page, {"items": [{"name": "a", "size": 1}, {"name": "b", "size": "many"}]})
    assert str(caught.value).startswith("$.items[1].size: Input should be a valid integer")
    assert typed(Page, {"items": [{"name": "a", "size": 1}]}).items[0].size == 1


def test_whatever_a_type_raises_is_told():
    with pytest.raises(ValidationError, match=r"Strict refuses it \(TypeError: odd\)"):
        typed(Strict, {"size": 3})

    @dataclass
    class Positive:
        size: int

        def __post_init__(self):
            if self.size < 0:
                raise KeyError("negative")

    with pytest.raises(ValidationError, match="refuses it"):
        typed(Positive, {"size": -1})
    with pytest.raises(ValidationError, match=r"^\$.size: expected `int`, got `str`"):
        typed(Positive, {"size": "1"})
    with pytest.raises(ValidationError, match=r"^\$: expected `object`, got `array`"):
        typed(Positive, [])


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        (ir.Set(of=ir.Exact()), []),
        (ir.Sequence(of=ir.Exact()), []),
        (ir.Union(cases=(ir.Case(of=ir.Exact(), type="string"), ir.Case(of=ir.Exact(), type="null"))), None),
        (ir.Union(cases=(ir.Case(of=ir.Exact(), type="string"), ir.Case(of=ir.Set(of=ir.Exact()), type="array"))), []),
        (ir.Record(fields={"a": ir.Set(of=ir.Exact())}), {"a": []}),
        (ir.Normalise(of=ir.Set(of=ir.Exact())), []),
    ],
)
def test_what_an_empty_document_is(node, expected):
    assert empty(node) == expected


@pytest.mark.parametrize(
    "node", [ir.Exact(), ir.Edit(), ir.Union(cases=(ir.Case(of=ir.Exact(), type="string"),)), ir.Number(scale=1.0)]
)
def test_single_values_have_no_empty_document(node):
    with pytest.raises(ValidationError, match="cannot count as empty"):
        empty(node)


def test_sets_in_types_are_found_where_they_are():
    @dataclass
    class Inner:
        tags: frozenset[str]

    @dataclass
    class Outer:
        names: list[str]
        inner: list[Inner]

    assert without_repeats(Outer).endswith("Inner.tags")
    assert without_repeats(list[int]) is None
    assert without_repeats(set[int]) is not None
