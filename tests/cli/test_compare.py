"""`adjudge compare`, `select` and `--summary`."""

import csv
import io
import json
import re
from pathlib import Path

import jsonschema
import pytest

from adjudge.report.comparing import json_schema as selection_schema
from adjudge.stats.saved import json_schema


@pytest.fixture
def saved(adjudge, campaign: Path):
    for name in ("good", "poor"):
        arguments = ("score", "relation.strict,relation.spans", "gold.jsonl", f"{name}.jsonl", "--by", "relations.type")
        assert adjudge(*arguments, "--bootstrap", "100", "--save", f"{name}.json").code == 0
    return adjudge


def test_where_systems_differ_most(saved):
    text = saved("compare", "good.json", "poor.json", "--top", "3").out
    assert "documents on which systems differ most" in text
    assert "slices in which systems differ most" in text
    data = json.loads(saved("compare", "good.json", "poor.json", "--top", "2", "--format", "json").out)
    jsonschema.validate(data, json_schema())
    assert len(data["differences"]["documents"]) == 4  # of two metrics
    first = data["differences"]["documents"][0]
    assert first["difference"] == pytest.approx(first["score_a"] - first["score_b"])
    assert data["comparisons"][0]["p_holm"] is not None
    assert data["comparisons"][0]["wins"] == 1
    assert "**documents" in saved("compare", "good.json", "poor.json", "--format", "md").out


def test_differences_can_be_left_out(saved):
    for more in (("--top", "0"), ("--quiet",), ("--format", "csv"), ("--format", "latex")):
        assert "differ most" not in saved("compare", "good.json", "poor.json", *more).out
    assert "differ most" in saved("compare", "good.json", "poor.json", "--quiet", "--top", "1").out
    assert "differ most" not in saved("compare", "good.json").out
    ran = saved("compare", "good.json", "poor.json", "--format", "latex", "--top", "3")
    assert (ran.code, ran.err) == (2, "error: --top and --format latex cannot be combined, use text, md or json\n")


def test_a_table_for_a_paper(saved):
    text = saved("compare", "good.json", "poor.json", "--by", "genre", "--format", "latex").out
    assert text.count(r"\begin{table}") == text.count(r"\end{table}") == 1
    assert text.count("{") == text.count("}")
    rows = [line for line in text.splitlines() if line.startswith("all &")]
    assert [row.split(" & ")[1] for row in rows] == ["good", "poor"]
    assert [row.count(r"\textbf{") for row in rows] == [2, 0]
    assert "Bold: better than every other system (jackknife, Holm-corrected $p < 0.05$)." in text
    assert r"\caption{Scores in percent on 8 documents, with 95 \% intervals in brackets.}" in text
    assert "$^{" not in text
    pairs = saved("compare", "good.json", "poor.json", "--format", "latex", "--pairs").out
    assert re.search(r"\\textbf\{[\d.]+\$\^\{b\}\$\}", pairs)
    assert "Superscripts name the systems that are significantly worse" in pairs
    assert r"\textbf" not in saved("compare", "good.json", "same=good.json", "--format", "latex").out
    assert "Signature: \\texttt{score\\textbar{}\\allowbreak{}metric:relation.strict" in text
    alone = saved("compare", "good.json", "--format", "latex").out
    assert r"\textbf" not in alone


@pytest.mark.parametrize("more", [(), ("--by", "genre"), ("--quiet",), ("--bootstrap", "0")])
def test_the_table_is_well_formed(saved, more):
    text = saved("compare", "a_1%=good.json", "b&#=poor.json", "--format", "latex", *more).out
    opened = re.findall(r"\\(begin|end)\{(\w+)\}", text)
    stack = []
    for kind, name in opened:
        stack.append(name) if kind == "begin" else assert_last(stack, name)
    assert stack == []
    body = re.search(r"\\begin\{tabular\}\{([lr]+)\}(.*?)\\end\{tabular\}", text, re.DOTALL)
    rows = [line for line in body[2].splitlines() if line.strip() and not re.fullmatch(r"\\\w+(rule|space).*", line)]
    assert len(rows) >= 3
    for row in rows:
        assert row.endswith(r" \\")
        assert len(re.findall(r"(?<!\\)&", row)) == len(body[1]) - 1
    plain = re.sub(r"\\[%#&_{}]", "", re.sub(r"^%.*$", "", text, flags=re.M))
    assert not re.search(r"[#_]", re.sub(r"(?<=\$)[_^]|\$\^\{\w+\}\$", "", plain))
    assert "%" not in plain
    depth = 0
    for sign in re.findall(r"(?<!\\)[{}]", text):
        depth += 1 if sign == "{" else -1
        assert depth >= 0
    assert depth == 0


def assert_last(stack, name):
    assert stack.pop() == name


def test_select(saved):
    ran = saved("select", "good.json", "poor.json", "--disagree", "3")
    assert ran.code == 0
    assert "3 of 8 documents by their influence on the ranking by relation.strict f1" in ran.out
    data = json.loads(saved("select", "good.json", "poor.json", "--format", "json").out)
    assert len(data["documents"]) == data["of"] == 8
    rows = list(csv.DictReader(io.StringIO(saved("select", "good.json", "poor.json", "--format", "csv").out)))
    assert [row["document"] for row in rows] == [each["document"] for each in data["documents"]]
    assert set(rows[0]) >= {"influence", "disagreement", "flips", "score.good", "score.poor"}
    assert float(rows[0]["influence"]) == data["documents"][0]["influence"]
    ran = saved("select", "good.json", "poor.json", "--order", "disagreement", "--metric", "relation.spans.recall")
    assert "how much the systems disagree in relation.spans recall" in ran.out
    for more in (("--format", "md"), ("--format", "latex"), ("--quiet",)):
        assert saved("select", "good.json", "poor.json", *more).code == 0


def test_select_items(saved):
    for name in ("good", "poor"):
        arguments = ("score", "relation.strict", "gold.jsonl", f"{name}.jsonl", "--bootstrap", "0")
        assert saved(*arguments, "--save", f"{name}.json", "--save-documents").code == 0
    both = ("select", "good.json", "poor.json", "--items", "--disagree", "3")
    text = saved(*both).out
    assert "3 of 24 items by their influence on the ranking by relation.strict f1, each judged the other way" in text
    assert "relations[" in text
    data = json.loads(saved(*both, "--format", "json").out)
    jsonschema.validate(data, selection_schema())
    assert len(data["items"]) == 3
    rows = list(csv.DictReader(io.StringIO(saved(*both, "--format", "csv").out)))
    assert [row["document"] for row in rows] == [item["document"] for item in data["items"]]
    assert set(rows[0]) >= {"item", "gold", "value", "influence", "credit.good", "credit.poor"}
    assert "that systems differ on in relation.strict f1" in saved(*both, "--order", "disagreement").out
    for more in (("--format", "md"), ("--format", "latex"), ("--quiet",)):
        assert saved(*both, *more).code == 0


def test_what_is_printed_has_a_schema(saved):
    validator = jsonschema.Draft202012Validator(json.loads(saved("schema", "result").out))
    data = json.loads(saved("compare", "good.json", "poor.json", "--format", "json").out)
    validator.validate(data)
    for key in ("documents", "slices"):
        assert data["differences"][key]
        wrong = json.loads(json.dumps(data))
        wrong["differences"][key][0]["difference"] = "large"
        assert not validator.is_valid(wrong)
    del data["differences"]["documents"]
    assert not validator.is_valid(data)
    chosen = json.loads(saved("select", "good.json", "poor.json", "--format", "json").out)
    schema = json.loads(saved("schema", "selection").out)
    assert schema == json.loads(json.dumps(selection_schema()))
    jsonschema.validate(chosen, schema)
    del chosen["ranking"]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(chosen, schema)


def test_what_select_refuses(saved):
    assert "at least two systems" in saved("select", "good.json").err
    assert "have no score x" in saved("select", "good.json", "poor.json", "--metric", "x").err
    assert saved("select", "good.json", "poor.json", "--disagree", "many").code == 2
    said = "error: the result was saved without the outcome of every item, write it with --save and --save-documents\n"
    ran = saved("select", "good.json", "poor.json", "--items")
    assert (ran.code, ran.err) == (2, said)


def test_a_summary_is_added_to_what_is_there(adjudge, campaign: Path):
    for _ in range(2):
        arguments = ("score", "relation.strict", "gold.jsonl", "good.jsonl", "--bootstrap", "0", "--summary", "sum.md")
        assert adjudge(*arguments).code == 0
    text = Path("sum.md").read_text()
    assert text.count("| metric |") == text.count("signature") == 2
    assert "\n\n| metric |" in text  # apart from what came before
    assert adjudge(*arguments[:-1], "no/such/folder.md").code == 2
    assert "to print it use --format md" in adjudge(*arguments[:-1], "-").err
    assert "cannot be combined" in adjudge(*arguments, "--explain", "d1").err
