"""Reading all fields of a record at once prepares what the operators prepare one by one."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.algebra import derive_similarity, exact, record, set_of, span
from adjudge.algebra.operators.base import GOLD, Misfit
from adjudge.algebra.operators.record import RecordOp
from adjudge.algebra.plan import plan
from adjudge.errors import ValidationError


@dataclass(frozen=True)
class Place:
    start: int
    end: int


@dataclass(frozen=True)
class Mention:
    span: Place
    type: str
    note: str | None


NODES = {
    "exact": derive_similarity(Mention),
    "graded": record(span=span(by="any"), type=exact, of=record(a=exact, b=span(by="jaccard"))),
    "one": record(type=exact),
    "nested": record(items=set_of(record(a=exact, b=exact)), a=exact),
    "quoted": record({'it\'s "a" \\ name': exact, "0": exact}),
}
LEAF = st.one_of(st.integers(-2, 4), st.sampled_from(["x", "", "PER"]), st.booleans(), st.none(), st.just(1.5))
NAMES = st.sampled_from(["span", "type", "start", "end", "note", "of", "a", "b", "items", 'it\'s "a" \\ name', "0"])
VALUES = st.recursive(
    LEAF,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(NAMES, inner, max_size=5)
        | st.fixed_dictionaries({"span": inner, "type": inner}, optional={"note": inner, "of": inner})
        | st.fixed_dictionaries({"start": st.integers(0, 3), "end": st.integers(0, 3)})
        | st.fixed_dictionaries({"a": inner, "b": inner}, optional={"items": st.lists(inner, max_size=2)})
    ),
    max_leaves=12,
)


def outcome(prepare: Any, value: Any) -> Any:
    """What comes out, by its identity, or what is complained about and where."""
    try:
        return prepare(value, GOLD, {})
    except Misfit as misfit:
        return misfit.found


@pytest.mark.parametrize("name", sorted(NODES))
@settings(deadline=None, max_examples=150)
@given(value=VALUES)
def test_the_same_as_field_by_field(name: str, value: Any) -> None:
    op = plan(NODES[name]).op
    assert isinstance(op, RecordOp)
    at_once = outcome(op.prepare, value)
    op.read = op._one_by_one  # type: ignore[method-assign]
    op.prepare = partial(RecordOp.prepare, op)  # type: ignore[method-assign]
    one_by_one = outcome(op.prepare, value)
    if (
        name == "nested" and isinstance(at_once, tuple) and isinstance(one_by_one, tuple)
    ):  # it has a bag, compared by what is in it
        assert op.identity(at_once) == op.identity(one_by_one)
    else:
        assert at_once == one_by_one


def test_objects_equal_dicts_with_the_same_fields() -> None:
    compiled = plan(set_of(NODES["exact"]))
    raw = {"span": {"start": 1, "end": 2}, "type": "PER", "note": None}
    assert compiled.observe([raw], [Mention(Place(1, 2), "PER", None)]).value == 1.0
    assert compiled.observe([raw], [{"span": {"start": 1, "end": 2}, "type": "PER"}]).value == 1.0
    with pytest.raises(ValidationError, match=r"gold\[0\]\.type: expected a string, got an integer"):
        compiled.observe([{**raw, "type": 1}], [raw])
