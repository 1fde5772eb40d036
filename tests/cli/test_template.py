"""`adjudge template` with the formats and scorers of recent work, and the page that shows them."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "templates.md").read_text(encoding="utf-8")


@pytest.fixture
def page(adjudge):
    for name, content in re.findall(r"^`([\w.]+)`[^\n]*:\n\n```text\n(.*?)```$", PAGE, re.DOTALL | re.MULTILINE):
        Path(name).write_text(content, encoding="utf-8")
    return lambda line: adjudge(*shlex.split(line))


def test_numbers_of_a_published_scorer(page):
    ran = page("template score gold.json preds.json --compat gtt --format json --bootstrap 20")
    assert ran.code == 0
    (system,) = json.loads(ran.out)["systems"]
    values = {each["part"]: each["value"] for each in system["scores"]}
    assert values == {"precision": 0.7, "recall": 0.5, "f1": pytest.approx(7 / 12)}


def test_errors_as_data(page):
    ran = page("template errors gold.json preds.json --format json")
    assert ran.code == 0
    found = json.loads(ran.out)
    assert (found["right"], found["system"], found["gold"]) == (4, 8, 9)
    assert found["errors"]["span"] == {
        "count": 1,
        "examples": [{"document": "30001", "role": "Victim", "system": "guards", "gold": "two guards"}],
    }


def test_auto_err_takes_both_sides_from_one_file(page):
    """Type and victim are right: 2 of 2 and of 2."""
    template = {"incident_type": "attack", "Victim": [["mayor"]]}
    document = {"doctext": "the mayor", "gold_templates": [template], "pred_templates": [template]}
    Path("both.json").write_text(json.dumps({"d": document}))
    ran = page("template score both.json both.json --compat auto-err")
    assert ran.code == 0
    assert ran.out.startswith("Result:\ntotal: Precision : 1.0000, Recall : 1.0000, F1 : 1.0000\n")
    assert "\nError Score: 0\n" in ran.out
    assert page("template errors both.json both.json --reader auto-err").out.startswith(
        "1 filler is right, of 1 of the system and 1 of gold"
    )


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        ("template score gold.json preds.jsonl --compat gtt", 1, "preds.jsonl:2:1: malformed JSON (extra data)"),
        ("template score gold.json preds.json --compat iterx", 1, "preds.json:1: this is not JSON"),
        ("template score gold.json gold.json --compat grit", 1, "gold.json:1: expected an object of roles as extracts"),
        ("template score gold.json gold.json --compat grit", 1, 'write {"docid": id, "extracts": {role: [[mention,'),
        (
            "template score gold.json preds.json --reader muc4",
            1,
            "this looks like JSON, for which there are other readers",
        ),
        (
            "template score gold.json preds.json",
            2,
            "gold.json: this may be gtt or iterx, choose: --reader gtt",
        ),
        ("template score gold.json preds.json --compat gtt --phi 3", 2, "--phi is not an option of gtt"),
        ("template score gold.json preds.json --compat gtt --event-n '>=2'", 2, "--event-n and --docids go together"),
        ("template errors gold.json nothing.json", 2, "nothing.json: there is no such file"),
        ("template errors gold.json preds.json -o gold.json", 2, "gold.json"),
        ("template errors gold.json preds.jsonl --reader jsonl", 1, "the document has no id"),
    ],
)
def test_mistakes(page, line, code, message):
    ran = page(line)
    assert (ran.code, "Traceback" in ran.err) == (code, False)
    assert message in ran.err
