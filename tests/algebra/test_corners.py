"""Branches that ordinary metrics do not reach: explanations by path, merged cases, texts, conventions, long numbers."""

import enum
import json
from collections import namedtuple
from typing import Annotated

import pytest

from adjudge.algebra import custom, derive_similarity, edit, exact, record, set_of, text
from adjudge.algebra.operators.base import freeze
from adjudge.algebra.plan import plan, problems
from adjudge.algebra.similarity import hierarchy
from adjudge.algebra.spec import load_spec
from adjudge.errors import FormatError, UsageError

NAMES = set_of(record(name=edit(), kind=exact))
GOLD = [{"name": "abcd", "kind": "x"}, {"name": "ijkl", "kind": "y"}]
SYSTEM = [{"name": "abce", "kind": "x"}, {"name": "ijkm", "kind": "z"}]


def test_why_by_a_path_of_either_side():
    alignment = plan(NAMES).align(GOLD, SYSTEM)
    (pair,) = alignment.matched
    assert (pair.system_path, pair.gold_path, pair.score) == ("[0]", "[0]", 0.75)
    for side, value, other in (("system", SYSTEM[0], GOLD[0]), ("gold", GOLD[0], SYSTEM[0])):
        why = alignment.why("[0]", side=side)
        assert (why.path, why.value, why.nearest_path, why.nearest) == ("[0]", value, "[0]", other)
        assert why.matched
        assert [(each.path, each.similarity) for each in why.differences] == [("name", 0.75), ("kind", 1.0)]
    for side, value, other in (("system", SYSTEM[1], GOLD[1]), ("gold", GOLD[1], SYSTEM[1])):
        why = alignment.why("[1]", side=side)
        assert (why.value, why.nearest_path, why.nearest, why.matched) == (value, "[1]", other, False)
    assert alignment.why("[1]").value == GOLD[1]
    assert alignment.why("[0]").value == SYSTEM[0]
    assert alignment.why(pair).matched
    for path, side in (("[7]", None), ("[0]", "neither")):
        with pytest.raises(UsageError, match="there is no item"):
            alignment.why(path, side=side)
    told = str(alignment).splitlines()
    assert told[0] == "[*]: 1 matched, 1 missed, 1 spurious"
    assert "     nearest system [1]: name is 'ijkm', gold 'ijkl'; kind is 'z', gold 'y'" in told


def test_why_of_what_is_equal_but_taken():
    alignment = plan(set_of(edit(), duplicates="multiset")).align(["ab"], ["ab", "ab"])
    (left,) = alignment.spurious
    why = alignment.why(left)
    assert (why.nearest_path, why.nearest) == ("[0]", "ab")
    assert "equal, but matched elsewhere or worth nothing" in str(alignment)


def shout(value):
    return value.upper()


def test_functions_are_no_similarities():
    with pytest.raises(UsageError, match=r"shout is a function, not a similarity, wrap it: .*custom\(shout\)"):
        derive_similarity(Annotated[str, shout])
    with pytest.raises(UsageError, match="len is a function, not a similarity"):
        derive_similarity(Annotated[str, len])


class Colour(enum.Enum):
    RED = (1, 2)


Point = namedtuple("Point", "x y")


def test_what_equality_sees():
    assert freeze([1, [2]]) == freeze((1, (2,)))
    assert freeze(True) != freeze(1)
    assert freeze([True]) != freeze([1])
    assert freeze(Colour.RED) == freeze([1, 2])
    assert freeze(Point(1, [2])) == (1, (2,))
    assert freeze({"a": [1]}) == freeze({"a": (1,)})
    assert freeze({1, 2}) == freeze(frozenset((2, 1)))
    assert freeze({"a": 1}) != freeze([["a", 1]])


@pytest.mark.parametrize(
    ("by", "one", "other", "value"),
    [
        ("exact", "a", "b", 0.0),
        ("edit", "abcd", "abce", 0.75),
        ("words", "a b", "b c", 0.5),
        ("ngrams", "abcd", "abce", 0.5),
    ],
)
def test_texts(by, one, other, value):
    assert plan(text(by)).observe(one, other).value == value
    assert plan(text(by, normalise="casefold")).observe(one.upper(), other).value == value
    assert plan(text(by, normalise=["strip", str.casefold])).observe(f" {one.upper()} ", other).value == value


def test_options_of_texts():
    assert plan(text("ngrams", n=2, measure="jaccard")).observe("abc", "abd").value == pytest.approx(1 / 3)
    assert plan(text("words", duplicates="multiset")).observe("a a b", "a b b").value == pytest.approx(2 / 3)
    assert plan(text("words", duplicates="multiset", measure="count")).observe("a a b", "a a c").value == 2
    for n in (0, True, 1.5):
        with pytest.raises(UsageError, match="n must be a whole number of at least 1"):
            text("ngrams", n=n)
    with pytest.raises(UsageError, match="by must be exact, edit, words or ngrams, got 'x'"):
        text("x")


SET = {"sim": "set", "of": {"sim": "exact"}}


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ({"metric": SET, "report": ["f1", "f1"]}, "f1 is reported twice"),
        ({"metric": SET, "recall": SET, "report": ["jaccard"]}, "jaccard needs one matching value"),
        ({"metric": {"sim": "normalise", "of": SET, "recall": SET}, "report": ["matched"]}, "matched needs one"),
        ({"metric": SET, "report": ["recal"]}, "'recal' cannot be reported, did you mean recall"),
        ({"metric": SET, "report": ["zzz"]}, "use precision, recall, f1, jaccard, matched, system, gold"),
        ({"metric": {"sim": "normalise", "of": SET, "beta": 2.0}, "report": ["f1"]}, "'f1' cannot be reported"),
    ],
)  # fmt: skip
def test_what_cannot_be_reported(spec, said):
    with pytest.raises(FormatError) as caught:
        load_spec(json.dumps(spec))
    assert said in str(caught.value)
    line = json.dumps(spec)
    assert caught.value.problems[0].column == line.rindex(f'"{spec["report"][-1]}"') + 1


def test_what_can_be_reported():
    for report in (["f2", "gold", "jaccard"], ["matched", "system"]):
        assert list(load_spec(json.dumps({"metric": {**f1_of(2.0)}, "report": report})).report) == report


def f1_of(beta):
    return {"sim": "normalise", "of": SET, "beta": beta}


def test_numbers_and_nests_beyond_measure(tmp_path):
    long = json.dumps({"metric": {"sim": "number", "scale": 1}}).replace("1", "1" * 5000)
    with pytest.raises(FormatError, match="a number is too long"):
        load_spec(long)
    deep = '{"metric": ' * 3000 + "1" + "}" * 3000
    with pytest.raises(FormatError, match="nested"):
        load_spec(deep)
    path = tmp_path / "types.json"
    for content in ('{"a": ' + "1" * 5000 + "}", "[1]"):
        path.write_text(content)
        with pytest.raises(FormatError, match="expected an object of child and parent names"):
            hierarchy(path)


class Wrapped(int):
    """A number that carries a field."""

    name = "abc"


def test_scalars_that_carry_fields():
    node = record(name=exact)
    assert list(problems(node, Wrapped(3))) == []
    assert len(list(problems(node, 3))) == 1
    assert plan(node).observe(Wrapped(3), {"name": "abc"}).value == 1


def near(one, other):
    return max(0.0, 1 - abs(one - other) / 2)


def test_what_is_worth_nothing_is_not_matched():
    for match in ("1:1", "N:1", "1:N", "N:N"):
        alignment = plan(set_of(custom(near), match=match)).align([0, 10], [1, 20])
        assert [(each.system_path, each.gold_path, each.score) for each in alignment.matched] == [("[0]", "[0]", 0.5)]
        assert [each.path for each in alignment.missed] == ["[1]"]
        assert [each.path for each in alignment.spurious] == ["[1]"]
