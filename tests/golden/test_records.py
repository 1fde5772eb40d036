"""Nested records whose numbers were found by trying all alignments (companion of the specification of records)."""

import json
from pathlib import Path

import pytest

import adjudge as aj

CASES = {case["id"]: case for case in json.loads(Path(__file__).with_name("records.json").read_text("utf-8"))}
METRICS = ("record.fields", "record.exact", "record.match", "record.field-mean")
# What an answer is wrapped in is taken off by the reader of answers, not by the metrics.
WRAPPED = {"answer-wrapped-list", "answer-wrapped-object", "answer-bare-list-for-one-field", "answer-wrapped-schema"}
OUTCOMES = ("correct", "wrong", "omitted", "hallucinated", "absent")


def scored(case, folder, **more):
    options = {
        key: ",".join(value) if isinstance(value, list) else value for key, value in case.get("options", {}).items()
    }
    schema = case.get("schema") or case.get("json_schema")
    if schema:
        options["schema"] = str(folder / "schema.json")
        (folder / "schema.json").write_text(json.dumps(schema))
    definitions = {each.name: each for each in aj.find()}
    metrics = [definitions[name](**options) for name in METRICS]
    documents = case.get("documents") or [{"id": "d", **case}]
    gold, system = ({each["id"]: {"records": each[side]} for each in documents} for side in ("gold", "system"))
    return aj.score(metrics, gold, system, bootstrap=0, **more).systems[0].scores


@pytest.mark.parametrize("name", [name for name in CASES if name not in WRAPPED])
def test_a_case(name, tmp_path):
    case = CASES[name]
    expected = case["expected"]
    scores = scored(case, tmp_path, by=["field"])
    whole = {(each.metric, each.part): each.value for each in scores if not each.slice}
    counts = {part: number for part, number in expected["counts"].items() if number is not None}
    assert {part: whole["record.fields", part] for part in counts} == pytest.approx(counts, abs=1e-9)
    assert [whole["record.fields", part] for part in ("precision", "recall", "f1")] == pytest.approx(
        [expected[part] for part in ("precision", "recall", "f1")], abs=1e-9
    )
    assert whole["record.exact", "f1"] == pytest.approx(expected["exact"]["f1"], abs=1e-9)
    assert whole["record.match", "f1"] == pytest.approx(expected["match_f1"], abs=1e-9)
    if "field_mean_f1" in expected:
        assert whole["record.field-mean", "f1"] == pytest.approx(expected["field_mean_f1"], abs=1e-9)
    rows = {}
    for each in scores:
        if each.slice and each.part in OUTCOMES:
            rows.setdefault(each.slice["field"], {})[each.part] = each.value
    tables = [expected["fields"]] if "fields" in expected else expected["fields_any"]
    assert tables is None or any(same(rows, table) for table in tables)
    averaged = {(each.metric, each.part): each.value for each in scored(case, tmp_path, pool="macro") if not each.slice}
    assert averaged["record.fields", "f1"] == pytest.approx(expected["document_mean_f1"], abs=1e-9)


@pytest.mark.parametrize("name", sorted(WRAPPED))
def test_a_wrapped_answer(name, tmp_path):
    case = CASES[name]
    options = ""
    if "schema" in case:
        (tmp_path / "schema.json").write_text(json.dumps(case["schema"]))
        options = f"(schema={tmp_path / 'schema.json'})"
    gold, system = (json.dumps({"id": "d", "records": case[side]}).encode() for side in ("gold", "system"))
    scores = aj.score(f"record.fields{options}", gold, system, reader="answers", bootstrap=0).systems[0].scores
    assert {each.part: each.value for each in scores if not each.slice and each.part in OUTCOMES} == pytest.approx(
        case["expected"]["counts"]
    )


def same(rows, table):
    return rows.keys() == table.keys() and all(rows[path] == pytest.approx(table[path], abs=1e-9) for path in table)
