"""The table of fields, and the scores of fields in JSON."""

import json

import pytest

import adjudge as aj
from adjudge.stats.merge import merge
from calling import run

GOLD = [
    {"id": "a", "records": {"vendor": "Acme", "lines": [{"sku": "A1", "price": 10}, {"sku": "B2", "price": 99}]}},
    {"id": "b", "records": {"vendor": "Ajax", "lines": [{"sku": "C3", "price": 3}]}},
]
SYSTEM = [
    {"id": "a", "records": {"vendor": "acme", "lines": [{"sku": "B2", "price": 98}, {"sku": "A1", "price": 11}]}},
    {"id": "b", "records": {"vendor": None, "lines": [{"sku": "C3", "price": 3}, {"sku": "D4"}]}},
]
SCHEMA = "vendor: text\nlines: [{sku: text, price: number, unit: text}]\n"


@pytest.fixture
def files(tmp_path):
    for name, documents in (("gold.jsonl", GOLD), ("system.jsonl", SYSTEM)):
        (tmp_path / name).write_text("".join(json.dumps(each) + "\n" for each in documents))
    (tmp_path / "schema.yaml").write_text(SCHEMA)
    return tmp_path


def test_the_worst_field_comes_first():
    text = str(aj.score("record.fields", GOLD, SYSTEM, by=["field"], bootstrap=0))
    _, table, _ = text.split("\n\n", 2)
    assert [line.split() for line in table.splitlines()] == [
        ["field", "gold", "correct", "wrong", "omitted", "hallucinated", "precision", "recall", "f1"],
        ["lines[].price", "3", "1", "2", "0", "0", "33.3", "33.3", "33.3"],
        ["vendor", "2", "1", "0", "1", "0", "100.0", "50.0", "66.7"],
        ["lines[].sku", "3", "3", "0", "0", "1", "75.0", "100.0", "85.7"],
    ]


def test_fields_are_shown_unasked_with_a_schema(files, capsys):
    metric = f"record.fields(schema={files / 'schema.yaml'})"
    command = ["record", "score", str(files / "gold.jsonl"), str(files / "system.jsonl"), "--metric", metric]
    assert run([*command, "--bootstrap", "0", "--quiet"]) == 0
    assert "lines[].unit   0     0" in capsys.readouterr().out
    assert run([*command, "--bootstrap", "0", "--format", "json"]) == 0
    (system,) = json.loads(capsys.readouterr().out)["systems"]
    found = {(each["part"], each["slice"].get("field")): each["value"] for each in system["scores"]}
    assert found["wrong", "lines[].price"] == 2.0
    assert found["absent", "lines[].unit"] == 3.0
    assert found["wrong", None] == 2.0


def test_fields_are_a_family_of_their_own_for_holm():
    gold = [{"id": f"d{n}", "records": {"a": n, "b": n % 3}} for n in range(30)]
    first = [{"id": f"d{n}", "records": {"a": n if n % 5 else -1, "b": n % 3}} for n in range(30)]
    second = [{"id": f"d{n}", "records": {"a": n if n % 2 else -1, "b": n % 3 if n % 4 else 9}} for n in range(30)]
    result = aj.score("record.fields", gold, {"A": first, "B": second}, by=["field"], bootstrap=200)
    families = {each.slice.get("field"): (each.family, each.p, each.p_holm) for each in result.comparisons}
    assert families[None][0] == "overall"
    assert families[None][1] == families[None][2]
    assert {families[name][0] for name in "ab"} == {"field"}
    lower, higher = sorted(families[name][1:] for name in "ab")
    assert lower[1] == pytest.approx(min(1, 2 * lower[0]))
    assert higher[1] >= higher[0]


def test_several_systems_have_a_row_each():
    text = str(aj.score("record.fields", GOLD, {"A": SYSTEM, "B": GOLD}, by=["field"], bootstrap=0))
    rows = [line.split()[:4] for line in text.split("\n\n")[1].splitlines()]
    assert rows[:3] == [
        ["field", "system", "gold", "correct"],
        ["lines[].price", "A", "3", "1"],
        ["lines[].price", "B", "3", "3"],
    ]


def test_results_that_saw_other_fields_are_merged_and_compared():
    metrics = ["record.fields", "record.field-mean"]
    gold = [{"id": "a", "records": {"x": 1}}, {"id": "b", "records": {"y": 1}}]
    first = [{"id": "a", "records": {"x": 1}}, {"id": "b", "records": {"y": 2, "z": 1}}]
    second = [{"id": "a", "records": {"x": 1, "w": 1}}, {"id": "b", "records": {"y": 1}}]
    whole = aj.score(metrics, gold, {"A": first, "B": second}, bootstrap=0)
    alone = [aj.score(metrics, gold, {name: own}, bootstrap=0) for name, own in (("A", first), ("B", second))]
    together = aj.compare(*alone)
    for name in "AB":
        assert [each.value for each in together.system(name).scores] == [
            each.value for each in whole.system(name).scores
        ]
    parts = [aj.score(metrics, gold[k : k + 1], {"A": first[k : k + 1]}, bootstrap=0, by=["field"]) for k in (0, 1)]
    merged = {(each.metric, each.part): each.value for each in merge(*parts).system("A").scores if not each.slice}
    assert merged["record.field-mean", "f1"] == pytest.approx(1 / 3)
    assert merged["record.fields", "correct"] == 1
