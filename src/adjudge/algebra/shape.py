"""How nested JSON is compared: the shape of a record, and the comparison of each of its leaves.

A leaf is one scalar value. A shape is read from a schema (a file, a JSON Schema, a class) and says which gold and
system values are compared with each other; `Anything` compares values without a schema.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

import msgspec

Decimal: TypeAlias = Literal["point", "comma"]


class _Comparison(msgspec.Struct, frozen=True, kw_only=True, tag_field="compare", omit_defaults=True):
    """Base of the comparisons of two scalar values, neither of which is absent."""


class Same(_Comparison, frozen=True, tag="exact"):
    """The same type and value; texts by code point, objects and lists deeply."""


class Text(_Comparison, frozen=True, tag="text"):
    """Equal but for case, spacing and Unicode form; with `squad` also for punctuation and articles."""

    squad: bool = False


class Number(_Comparison, frozen=True, tag="number"):
    """Numbers as people write them, at most `tolerance` apart, in decimal."""

    tolerance: str = "0"
    relative: bool = False
    decimal: Decimal = "point"


class Date(_Comparison, frozen=True, tag="date"):
    """Days, at most `days` apart; `day_first` says how 3/4/2021 is read; it is not read without."""

    days: int = 0
    day_first: bool | None = None


class Boolean(_Comparison, frozen=True, tag="boolean"):
    """Yes or no, as people write it."""


class Enum(_Comparison, frozen=True, tag="enum"):
    """One of some values, each with its aliases."""

    values: Mapping[str, tuple[str, ...]]


class Words(_Comparison, frozen=True, tag="words"):
    """Dice of the bags of folded words: correct from `at_least` on, or worth its value from there on if `graded`."""

    at_least: float = 0.5
    graded: bool = True


class Edit(_Comparison, frozen=True, tag="edit"):
    """1 - Levenshtein / longer length of folded texts: correct, or worth its value if `graded`, from `at_least` on."""

    at_least: float = 0.5
    graded: bool = True


class Plain(_Comparison, frozen=True, tag="plain"):
    """Two scalars without a schema: texts by `text`, numbers by value; texts read as numbers or days on request."""

    text: Literal["exact", "fold", "squad"] = "fold"
    numbers: bool = False
    dates: bool = False


class Sim(_Comparison, frozen=True, tag="sim"):
    """Any similarity of the algebra, as canonical JSON; its value is the credit."""

    similarity: str


Comparison: TypeAlias = Same | Text | Number | Date | Boolean | Enum | Words | Edit | Plain | Sim


class _Shape(msgspec.Struct, frozen=True, kw_only=True, tag_field="shape", omit_defaults=True):
    """Base of the shapes; a `required` one must not be absent from gold."""

    required: bool = False


class Leaf(_Shape, frozen=True, tag="leaf"):
    """One value; with `any`, gold is a list of acceptable values, and counts as one leaf."""

    by: Comparison = Text()
    any: bool = False


class Ignore(_Shape, frozen=True, tag="ignore"):
    """Never compared, never counted."""


class Anything(_Shape, frozen=True, tag="anything"):
    """Objects, lists (as bags) and scalars without a schema."""

    by: Plain = Plain()


class Fields(_Shape, frozen=True, tag="fields"):
    """An object; fields that are not named are ignored and counted in a note, or compared as they come (`extra`)."""

    fields: Mapping[str, Shape]
    extra: bool = False


class Listing(_Shape, frozen=True, tag="list"):
    """A list, whose elements are matched one-to-one.

    `match`: the best alignment, one that does not cross (`order`), or first with first (`place`). Elements may be
    paired only if all `key` fields are right or absent on both sides, and from a Dice of `pair_at` on. `unique` drops
    elements that are equal to an earlier one of the same side.
    """

    of: Shape
    match: Literal["best", "order", "place"] = "best"
    key: tuple[str, ...] = ()
    pair_at: float | None = None
    unique: bool = False


class Named(_Shape, frozen=True, tag="named"):
    """A shape by its name in `Schema.named`, for shapes that contain themselves."""

    name: str


Shape: TypeAlias = Leaf | Ignore | Anything | Fields | Listing | Named


class Schema(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How the records of documents are compared.

    `root` is the shape of a document's value: an object (`Fields`), a list of records (`Listing`), or `Anything`. A
    text of nothing but space is absent unless `blank`, and so is one that folds to one of `nulls`.
    """

    root: Shape = Anything()
    named: Mapping[str, Shape] = {}
    blank: bool = False
    nulls: tuple[str, ...] = ()
