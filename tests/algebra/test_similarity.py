import json

import pytest

from adjudge.algebra import ir
from adjudge.algebra.functions import Fn
from adjudge.algebra.similarity import (
    best_of,
    case,
    custom,
    dice,
    edit,
    exact,
    hierarchy,
    iou,
    mapped,
    number,
    one_of,
    overlap,
    record,
    span,
    text,
    threshold,
    total,
    union,
    unit,
    variable,
)
from adjudge.errors import AdjudgeError, FormatError, UsageError


def bound(system, gold):
    return 1.0


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (exact, ir.Exact()),
        (variable, ir.Variable()),
        (record(a=exact), ir.Record(fields={"a": ir.Exact()})),
        (record({"a b": exact}, c=exact), ir.Record(fields={"a b": ir.Exact(), "c": ir.Exact()})),
        (total(a=exact), ir.Sum(fields={"a": ir.Exact()})),
        (
            union(case(variable, prefix="?"), exact),
            ir.Union(cases=(ir.Case(of=variable, prefix="?"), ir.Case(of=exact))),
        ),
        (mapped(exact, by="casefold"), ir.Mapped(of=exact, by=Fn("casefold"))),
        (mapped(exact, system=len), ir.Mapped(of=exact, system=Fn("builtins:len"))),
        (threshold(span(), above=0.5), ir.Threshold(of=ir.Span(), above=0.5)),
        (threshold(span(), at_least=1, keep=True), ir.Threshold(of=ir.Span(), at_least=1.0, keep=True)),
        (threshold(span(), above=0), ir.Threshold(of=ir.Span(), above=0.0)),
        (best_of(exact, edit()), ir.Max(of=(ir.Exact(), ir.Edit()))),
        (unit(exact), ir.Unit(of=exact)),
        (dice(), ir.Overlap(of=exact, by="dice")),
        (overlap(record(a=exact), by="subset"), ir.Overlap(of=record(a=exact), by="subset")),
        (overlap(text(normalise="casefold")), ir.Overlap(of=mapped(ir.Exact(type="string"), by="casefold"))),
        (iou(), ir.Span(by="jaccard")),
        (iou(above=0.5, inclusive=True), ir.Threshold(of=ir.Span(inclusive=True), above=0.5)),
        (iou(at_least=0.5, start="b", end="e"), ir.Threshold(of=ir.Span(start="b", end="e"), at_least=0.5)),
        (number(3), ir.Number(scale=3.0)),
        (custom(bound), ir.Custom(function=Fn.of(bound))),
        (custom(bound, upper=2, key="casefold"), ir.Custom(function=Fn.of(bound), upper=2.0, key=Fn("casefold"))),
        (
            custom(bound, upper=bound, self_score=1),
            ir.Custom(function=Fn.of(bound), bound=Fn.of(bound), self_score=1.0),
        ),
        (one_of(exact), ir.Mapped(of=ir.Set(of=exact, match="best"), system=Fn("singleton"))),
        (text(), ir.Exact(type="string")),
        (text("edit", normalise=("casefold", "strip")), mapped(mapped(ir.Edit(), by="strip"), by="casefold")),
        (text("words", measure="jaccard"), mapped(overlap(by="jaccard"), by="words")),
        (text("ngrams", n=2, duplicates="multiset"), mapped(overlap(duplicates="multiset"), by="ngrams(2)")),
    ],
)
def test_constructors(made, expected):
    assert made == expected
    assert hash(made) == hash(expected)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: threshold(exact), "exactly one of above"),
        (lambda: threshold(exact, above=0.5, at_least=0.5), "exactly one of above"),
        (lambda: threshold(exact, above=-0.1), "must not be negative"),
        (lambda: threshold(exact, at_least=0), "above 0"),
        (lambda: threshold(exact, above=float("nan")), "finite"),
        (lambda: threshold(exact, above="0.5"), "must be a number"),
        (lambda: threshold("exact", above=0.5), "must be a similarity"),
        (lambda: record(), "at least one field"),
        (lambda: record(a="exact"), "the field a must be a similarity"),
        (lambda: record(a=iou), r"call it, as in iou\(\.\.\.\)"),
        (lambda: record(a=str), r"derive_similarity\(str\)"),
        (lambda: total(), "at least one field"),
        (lambda: union(), "at least one case"),
        (lambda: union(exact, case(exact, type="string")), "never reached"),
        (lambda: case(exact, equals=3), "equals needs field"),
        (lambda: case(exact, type="text"), "type must be string"),
        (lambda: mapped(exact), "a function is needed"),
        (lambda: mapped(exact, by="casefld"), "did you mean casefold"),
        (lambda: mapped(exact, by=3), "expected a function"),
        (lambda: best_of(), "at least one similarity"),
        (lambda: overlap(by="dicee"), "did you mean dice"),
        (lambda: overlap(iou()), "overlap counts equal elements"),
        (lambda: overlap(duplicates="bag"), "duplicates must be set, multiset or error"),
        (lambda: span(by="link"), "by must be"),
        (lambda: iou(above=1, at_least=1), "exactly one"),
        (lambda: text("word"), "exact, edit, words or ngrams"),
        (lambda: text("ngrams", n=0), "at least 1"),
        (lambda: text(normalise="casefld"), "did you mean casefold"),
        (lambda: number(0), "scale must be above 0"),
        (lambda: number(-1), "scale must be above 0"),
        (lambda: number(float("inf")), "finite"),
        (lambda: number(True), "must be a number"),
        (lambda: custom(3), "expected a function"),
        (lambda: custom(bound, upper=0), "upper must be above 0"),
        (lambda: custom(bound, upper=float("inf")), "finite"),
        (lambda: custom(bound, self_score=-1), "must not be negative"),
        (lambda: hierarchy(), "give parents"),
        (lambda: hierarchy({"a": "b"}, separator="."), "either parents or a separator"),
        (lambda: hierarchy(separator=""), "must not be empty"),
        (lambda: hierarchy(separator=".", partial=1.5), "between 0 and 1"),
        (lambda: hierarchy(separator=".", credit="half"), "credit must be halving"),
        (lambda: hierarchy(separator=".", table=[("a", "b", 1.5)]), "between 0 and 1"),
        (lambda: hierarchy({"a": "b", "b": "c", "c": "b"}), "cycle: b < c < b"),
        (lambda: hierarchy({"a": "a"}), "cycle: a < a"),
        (lambda: hierarchy("nowhere.tsv"), "nowhere.tsv: cannot be read"),
    ],
)
def test_mistakes(make, message):
    with pytest.raises(UsageError, match=message):
        make()


def test_hierarchy_from_files(tmp_path):
    expected = {"attack": "conflict", "conflict": "event"}
    table = tmp_path / "types.tsv"
    table.write_text("# a comment\nattack\tconflict\n\nconflict\tevent\nattack\tconflict\n", encoding="utf-8")
    assert hierarchy(table).parents == expected
    assert hierarchy(str(table), credit="ancestors").credit == "ancestors"
    data = tmp_path / "types.json"
    data.write_text(json.dumps({**expected, "event": None}), encoding="utf-8")
    assert hierarchy(data).parents == expected
    assert hierarchy(table={("a", "b"): 1}).table == (("a", "b", 1.0),)


@pytest.mark.parametrize(
    ("name", "content", "messages"),
    [
        (
            "t.tsv",
            b"a b\nc\td\nc\te\n\td\n",
            ["t.tsv:1: expected a child", "t.tsv:3: c already has", "t.tsv:4: expected"],
        ),
        ("t.json", b"{", ["t.json:1:2: "]),
        ("t.json", b"[]", ["expected an object"]),
        ("t.json", b'{"a": 3, "b": []}', ["the parent of a", "the parent of b"]),
        ("t.tsv", b"\xff\tb", ["not UTF-8"]),
    ],
)
def test_broken_hierarchy_files(tmp_path, name, content, messages):
    file = tmp_path / name
    file.write_bytes(content)
    with pytest.raises(FormatError) as caught:
        hierarchy(file)
    assert len(caught.value.problems) == len(messages)
    for problem, message in zip(caught.value.problems, messages, strict=True):
        assert message in str(problem)


def test_a_long_chain_is_not_a_cycle():
    chain = {str(i): str(i + 1) for i in range(5000)}
    assert hierarchy(chain).parents == chain
    with pytest.raises(AdjudgeError, match="cycle"):
        hierarchy({**chain, "5000": "4998"})
