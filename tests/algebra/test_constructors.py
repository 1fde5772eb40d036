"""Constructors of similarities: what is given stands in the node that is made, and what makes no sense is refused."""

import json
import math

import pytest

from adjudge.algebra import (
    best_of,
    best_pair,
    case,
    count,
    custom,
    dice,
    edit,
    exact,
    f,
    f1,
    graph,
    greedy,
    hierarchy,
    iou,
    ir,
    jaccard,
    latent,
    many_to_many,
    many_to_one,
    mapped,
    matching,
    number,
    one_of,
    one_sided,
    one_to_many,
    one_to_one,
    overlap,
    precision,
    prf,
    recall,
    record,
    sequence,
    set_of,
    span,
    text,
    threshold,
    total,
    union,
    unit,
    variable,
)
from adjudge.algebra.functions import Fn
from adjudge.errors import AdjudgeError, FormatError, UsageError

SET = ir.Set(of=exact)
COMMON = {"duplicates": "multiset", "empty": 1}
MADE = [
    (overlap, (exact,), {"by": "link", "duplicates": "error"}, {}),
    (dice, (), {"duplicates": "multiset"}, {"of": exact, "by": "dice"}),
    (span, (), {"by": "any", "start": "a", "end": "b", "inclusive": True}, {}),
    (iou, (), {"start": "a", "end": "b", "inclusive": True}, {"by": "jaccard"}),
    (threshold, (edit(),), {"above": 0.5, "keep": True}, {"at_least": None}),
    (threshold, (edit(),), {"at_least": 0.5}, {"above": None, "keep": False}),
    (number, (3,), {}, {"scale": 3.0}),
    (unit, (SET,), {}, {"of": SET}),
    (best_of, (exact, edit()), {}, {"of": (exact, edit())}),
    (one_of, (exact,), {}, {"system": Fn("singleton"), "gold": None, "by": None}),
    (hierarchy, ({"a": "b"},), {"credit": "general", "partial": 0.25, "table": (("a", "b", 0.5),)}, {}),
    (hierarchy, (), {"separator": "."}, {"credit": "halving", "partial": 0.5, "table": (), "parents": None}),
    (custom, (max,), {"symmetric": True, "self_score": 2.0}, {"upper": None, "bound": None, "key": None}),
    (custom, ("math:floor",), {"upper": 3.0, "key": Fn("casefold")}, {"self_score": None}),
    (custom, (max,), {"upper": "math:fsum"}, {"upper": None, "bound": Fn("math:fsum"), "symmetric": False}),
    (set_of, (exact,), {"match": "N:1", **COMMON}, {}),
    (set_of, (exact,), {}, {"match": "1:1", "duplicates": None, "empty": None}),
    (one_to_one, (exact,), COMMON, {"match": "1:1"}),
    (many_to_one, (exact,), COMMON, {"match": "N:1"}),
    (one_to_many, (exact,), COMMON, {"match": "1:N"}),
    (many_to_many, (exact,), COMMON, {"match": "N:N"}),
    (best_pair, (exact,), COMMON, {"match": "best"}),
    (greedy, (exact,), {"order": "gold", "take": "first", "ties": "gold", "rank": Fn("get(a)"), **COMMON}, {}),
    (greedy, (exact,), {}, {"order": "score", "take": "best", "ties": "system", "rank": None}),
    (sequence, (exact,), {"match": "1:N", "empty": 1}, {}),
    (graph, (exact,), {"nodes": "n", "edges": "e", "ids": "id", "match": "N:N", "empty": 1}, {}),
    (latent, (SET,), {}, {"of": SET}),
    (f1, (SET,), {"undefined": 1}, {"by": "f", "beta": 1.0, "recall": None}),
    (f, (SET,), {"beta": 2.0, "undefined": 1}, {"by": "f"}),
    (precision, (SET,), {"undefined": 1}, {"by": "precision"}),
    (recall, (SET,), {"undefined": 1}, {"by": "recall"}),
    (jaccard, (SET,), {"undefined": 1}, {"by": "jaccard"}),
    (prf, (SET, best_pair(exact)), {"undefined": 1}, {"recall": best_pair(exact)}),
    (one_sided, (exact,), {"beta": 2.0, "undefined": 1},
     {"of": many_to_one(exact), "recall": one_to_many(exact)}),
    (one_sided, (exact,), COMMON,
     {"of": many_to_one(exact, **COMMON), "recall": one_to_many(exact, **COMMON)}),
]  # fmt: skip


@pytest.mark.parametrize(("constructor", "given", "options", "expected"), MADE)
def test_what_is_given_stands_in_the_node(constructor, given, options, expected):
    node = constructor(*given, **options)
    for name, value in (options | expected).items():
        if name in node.__struct_fields__:
            assert getattr(node, name) == value, name


def test_thresholds_of_spans():
    for name in ("above", "at_least"):
        node = iou(**{name: 0.25}, start="a", end="b", inclusive=True)
        assert getattr(node, name) == 0.25
        assert node.of == span(start="a", end="b", inclusive=True)


def test_names_of_matchings():
    assert matching.ALIASES["<->"] == "1:1"
    for name, match in matching.ALIASES.items():
        assert set_of(exact, match=name).match == match
        if match != "best":
            assert sequence(exact, match=name) == ir.Sequence(of=exact, match=match)
            assert graph(exact, match=name) == ir.Graph(of=exact, match=match)


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (record({"a b": exact}, c=exact), ir.Record(fields={"a b": ir.Exact(), "c": ir.Exact()})),
        (total(a=exact), ir.Sum(fields={"a": ir.Exact()})),
        (
            union(case(variable, prefix="?"), exact),
            ir.Union(cases=(ir.Case(of=ir.Variable(), prefix="?"), ir.Case(of=exact))),
        ),
        (mapped(exact, system=len), ir.Mapped(of=exact, system=Fn("builtins:len"))),
        (threshold(span(), at_least=1, keep=True), ir.Threshold(of=ir.Span(), at_least=1.0, keep=True)),
        (hierarchy(table={("a", "b"): 1}), ir.Hierarchy(table=(("a", "b", 1.0),))),
        (text(), ir.Exact(type="string")),
        (text("edit", normalise=("casefold", "strip")), mapped(mapped(ir.Edit(), by="strip"), by="casefold")),
        (text("words", measure="jaccard"), mapped(overlap(by="jaccard"), by="words")),
        (text("ngrams", n=2, duplicates="multiset"), mapped(overlap(duplicates="multiset"), by="ngrams(2)")),
        (count(f1(many_to_one(exact))), many_to_one(exact)),
        (count(sequence(exact)), sequence(exact)),
        (count(exact), one_to_one(exact)),
        (prf(precision(SET), recall(SET)), ir.Normalise(of=precision(SET), recall=recall(SET))),
    ],
)
def test_nodes(made, expected):
    assert made == expected
    assert hash(made) == hash(expected)


def bound(system, gold):
    return 1.0


MISTAKES = [
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
    (lambda: set_of(exact, match="one-to-one"), "did you mean one_to_one"),
    (lambda: set_of(exact, match="1:*"), "there is no matching '1:\\*'"),
    (lambda: set_of(exact, duplicates="bag"), "duplicates must be"),
    (lambda: set_of(exact, empty=True), "empty must be 0 or 1, got True"),
    (lambda: one_to_one(one_to_one), "call it"),
    (lambda: sequence(exact, match="best"), "single pair"),
    (lambda: graph(exact, match="best"), "single pair"),
    (lambda: greedy(exact, order="both"), "order must be"),
    (lambda: greedy(exact, rank="get(score)"), "by score"),
    (lambda: greedy(exact, take="first"), "needs a side"),
    (lambda: greedy(exact, order="gold", rank="gets(score)"), "there is no function"),
    (lambda: count("exact"), "must be a similarity"),
    (lambda: f(SET, beta=-1), "beta must not be negative"),
    (lambda: f(SET, beta=math.inf), "finite"),
    (lambda: f1("set"), "must be a similarity"),
    (lambda: prf(SET, "set"), "recall must be a similarity"),
    (lambda: f1(SET, undefined=0.5), "undefined must be 0 or 1"),
]


@pytest.mark.parametrize(("make", "message"), MISTAKES)
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
