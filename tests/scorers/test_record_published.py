"""Published scorers of records: what a JSON Schema changes, errors with their places, and the command.

The numbers were printed by the packages themselves.
"""

from __future__ import annotations

import json
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.cli import run
from adjudge.errors import FormatError
from adjudge.scorers import donut, extract_bench, stickler
from adjudge.scorers.anls_star import anls_star
from adjudge.scorers.donut import Node, tree_distance
from adjudge.stats.points import Additive
from adjudge.stats.table import StatsTable

INVOICE = {
    "type": "object",
    "properties": {
        "no": {
            "type": "string",
            "x-aws-stickler-comparator": "ExactComparator",
            "x-aws-stickler-threshold": 1.0,
            "x-aws-stickler-weight": 3.0,
        },
        "vendor": {
            "type": "string",
            "x-aws-stickler-threshold": 0.8,
            "x-aws-stickler-clip-under-threshold": False,
        },
        "date": {"type": "string", "format": "date"},
        "currency": {"type": "string", "enum": ["EUR", "USD"]},
        "lines": {"type": "array", "items": {"$ref": "#/$defs/line"}},
    },
    "$defs": {
        "line": {
            "type": "object",
            "x-aws-stickler-match-threshold": 0.4,
            "properties": {"sku": {"type": "string"}, "price": {"type": "number", "x-aws-stickler-weight": 2.0}},
        }
    },
}
GOLD = {
    "no": "A-1",
    "vendor": "Acme GmbH",
    "date": "2026-01-02",
    "currency": "EUR",
    "lines": [{"sku": "A1", "price": 10}, {"sku": "B2", "price": 99}],
}
SYSTEM = {
    "no": "a-1",
    "vendor": "Acme",
    "date": "2 January 2026",
    "currency": "eur",
    "lines": [{"sku": "B2", "price": 99}, {"sku": "A1", "price": "11"}, {"sku": "C3", "price": 1}],
}
CONFIGURED = {
    "type": "object",
    "required": ["name"],
    "properties": {
        "name": {"type": "string", "evaluation_config": "string_fuzzy"},
        "code": {"type": "string", "evaluation_config": "string_exact", "nullable": True},
        "total": {
            "type": "number",
            "evaluation_config": {"metrics": [{"metric_id": "number_tolerance", "params": {"tolerance": 2}}]},
        },
        "tax": {"type": ["number", "null"]},
        "paid": {"type": "boolean"},
        "to": {
            "type": "object",
            "properties": {
                "city": {"type": "string", "evaluation_config": "string_case_insensitive"},
                "zip": {"type": "integer"},
            },
        },
        "lines": {"type": "array", "items": {"type": "string"}, "evaluation_config": "skip"},
    },
}


def lines(*values):
    return "".join(json.dumps({"id": f"d{place}", "records": each}) + "\n" for place, each in enumerate(values, 1))


def scores(published):
    names = list(dict.fromkeys(name for _, row in published.rows for name in row))
    return Additive(StatsTable.from_rows(published.rows, names), published.measures).point()


@pytest.fixture
def schema(tmp_path):
    def write(value):
        (tmp_path / "schema.json").write_text(json.dumps(value, indent=1))
        return str(tmp_path / "schema.json")

    return write


def test_stickler_by_a_schema(schema):
    found = scores(stickler.run(lines(GOLD).encode(), lines(SYSTEM).encode(), schema=schema(INVOICE)))
    assert found["stickler", "score"] == pytest.approx(0.2698412698412698, abs=1e-9)
    parts = ("tp", "fa", "fd", "fn", "tn")
    assert [found["stickler.overall", part] for part in parts] == [2, 1, 4, 0, 0]
    assert [found["stickler.aggregate", part] for part in parts] == [3, 0, 3, 0, 0]


def test_extract_bench_by_a_schema(schema):
    gold = {"name": "Acme GmbH", "code": None, "total": 10, "tax": 1.5, "to": {"city": "Riga", "zip": 1010}}
    system = {"name": "acme gmb", "code": "x", "total": 13, "tax": None, "paid": True, "to": {"city": "RIGA"}, "z": 1}
    gold["lines"] = ["a"]
    found = scores(extract_bench.run(lines(gold).encode(), lines(system).encode(), schema=schema(CONFIGURED)))
    assert [found["extract-bench", part] for part in ("tp", "fp", "fn", "tn")] == [2, 2, 2, 1]
    assert found["extract-bench", "score"] == pytest.approx(0.42016806722689076, abs=1e-9)


@pytest.mark.parametrize(
    ("scorer", "change", "message"),
    [
        (
            stickler,
            {"type": "string", "x-aws-stickler-comparator": "BERTComparator"},
            "'BERTComparator' is not supported here",
        ),
        (stickler, {"type": "string", "x-aws-stickler-weight": "a lot"}, "'a lot' is not a number"),
        (stickler, {"$ref": "#/$defs/no"}, "there is no #/$defs/no"),
        (stickler, {"type": "array"}, "a list must say what its items are"),
        (extract_bench, {"type": "string"}, "asks a language model about this field"),
        (extract_bench, {"type": "array", "items": {"type": "string"}}, "asks a language model about every list"),
        (extract_bench, {"type": "string", "evaluation_config": "string_close"}, "there is no preset 'string_close'"),
    ],
)
def test_a_schema_that_cannot_be_followed_says_where(scorer, change, message, schema):
    path = schema({"type": "object", "properties": {"a": change}})
    with pytest.raises(FormatError) as caught:
        scorer.run(lines({"a": "x"}).encode(), lines({"a": "x"}).encode(), schema=path)
    problem = caught.value.problems[0]
    assert message in problem.message
    assert (problem.path, problem.line is not None) == (path, True)


def test_values_that_do_not_fit_are_listed_with_their_lines(tmp_path):
    gold, system = tmp_path / "gold.jsonl", tmp_path / "system.jsonl"
    gold.write_text(lines({"total": 5.5}, {"total": 7}))
    system.write_text(lines({"total": "1,250.50"}, {"total": [7]}))
    with pytest.raises(FormatError) as caught:
        stickler.run(str(gold), str(system))
    assert [(each.path, each.line, each.message) for each in caught.value.problems] == [
        (str(system), 1, "total: '1,250.50' is not a number"),
        (str(system), 2, "total: [7] is not a number"),
    ]


def test_answers_that_cannot_be_read_count_as_empty(tmp_path, capsys):
    (tmp_path / "gold.jsonl").write_text(lines({"a": "x"}, {"a": "y"}))
    (tmp_path / "system.jsonl").write_text(
        '{"id": "d1", "output": "{\\"a\\": \\"x\\"}"}\n{"id": "d2", "output": "no"}\n'
    )
    sides = [str(tmp_path / "gold.jsonl"), str(tmp_path / "system.jsonl")]
    assert run(["record", "score", *sides, "--compat", "anls-star-1.0.1"]) == 0
    assert capsys.readouterr().out == "anls-star: 0.5\n"
    assert run(["record", "score", *sides, "--compat", "donut", "--format", "json", "--bootstrap", "0"]) == 0
    found = json.loads(capsys.readouterr().out)["systems"][0]["scores"]
    assert {(each["metric"], each["part"]): each["value"] for each in found if each["metric"] == "donut.cal_f1"} == {
        ("donut.cal_f1", "precision"): 1.0,
        ("donut.cal_f1", "recall"): 0.5,
        ("donut.cal_f1", "f1"): pytest.approx(2 / 3),
    }


def test_a_schema_belongs_to_the_scorers_that_read_one(tmp_path, capsys):
    (tmp_path / "g.jsonl").write_text(lines({"a": "x"}))
    argv = ["record", "score", str(tmp_path / "g.jsonl"), str(tmp_path / "g.jsonl"), "--compat", "donut"]
    assert run([*argv, "--schema", str(tmp_path / "g.jsonl")]) == 2
    assert "--schema is not an option of donut" in capsys.readouterr().err


def test_long_lists_of_lines_are_matched():
    gold = [{"sku": f"S{place:03}", "text": "blue bolt", "qty": place % 7} for place in range(40)]
    system = [*gold[20:], *gold[:20]]
    assert anls_star({"lines": gold}, {"lines": system}) == 1
    system[0] = {"sku": "XXXX", "text": "blue bolt", "qty": 20 % 7}
    assert anls_star({"lines": gold}, {"lines": system}) == pytest.approx(1 - 1 / 120)


TREES = st.recursive(
    st.text("ab", min_size=1, max_size=3).map(lambda text: Node(text, leaf=True)),
    lambda inner: st.builds(Node, st.sampled_from("xyz"), st.lists(inner, max_size=3).map(tuple)),
    max_leaves=6,
)


@settings(max_examples=30, deadline=None)
@given(TREES, TREES)
def test_the_distance_of_trees_is_that_of_its_recursion(one, other):
    def cost(node):
        return len(node.name) if node.leaf else 1

    def relabel(a, b):
        if a.leaf and b.leaf:
            return edits(a.name, b.name)
        return 1 + cost(a if a.leaf else b) if a.leaf or b.leaf else int(a.name != b.name)

    @cache
    def edits(a, b):
        if not a or not b:
            return len(a) + len(b)
        return min(edits(a[1:], b) + 1, edits(a, b[1:]) + 1, edits(a[1:], b[1:]) + (a[0] != b[0]))

    @cache
    def forests(left, right):
        if not left and not right:
            return 0
        found = []
        if left:
            found.append(forests((*left[:-1], *left[-1].parts), right) + cost(left[-1]))
        if right:
            found.append(forests(left, (*right[:-1], *right[-1].parts)) + cost(right[-1]))
        if left and right:
            inside = forests(left[-1].parts, right[-1].parts) + relabel(left[-1], right[-1])
            found.append(forests(left[:-1], right[:-1]) + inside)
        return min(found)

    assert tree_distance(one, other) == forests((one,), (other,))


def test_trees_that_are_too_large_name_their_document_and_file(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(donut, "MOST", 50)
    lines = [{"id": "a", "n": "x"}, {"id": "b", "n": [str(each) for each in range(9)]}]
    for name in ("gold.jsonl", "system.jsonl"):
        (tmp_path / name).write_text("\n".join(map(json.dumps, lines)))
    gold, system = str(tmp_path / "gold.jsonl"), str(tmp_path / "system.jsonl")
    assert run(["record", "score", gold, system, "--compat", "donut"]) == 1
    assert f"{system}: document 'b': trees of " in capsys.readouterr().err
