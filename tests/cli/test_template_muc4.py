"""`adjudge template score --compat muc4-3.3` from the command line."""

import json
from pathlib import Path

import pytest

from muc4_templates import file, template

KEY = file(
    template("M1", inc_type="BOMBING", hum_tgt_name=['"A"', '"B"']),
    template("M2", inc_type="ATTACK", hum_tgt_name='"C"'),
)
GOOD = file(template("M1", inc_type="BOMBING", hum_tgt_name=['"A"', '"B"']), template("M2", "*"))
POOR = file(template("M1", inc_type="ATTACK", hum_tgt_name='"A"'), template("M2", "*"))


@pytest.fixture
def score(adjudge, campaign):
    for name, data in (("key.txt", KEY), ("good.txt", GOOD), ("poor.txt", POOR)):
        Path(name).write_bytes(data)
    Path("history.el").write_text('(("M1" ("1" (hum-tgt-name ("\\"Z\\"" fail)))))')
    return lambda *arguments: adjudge("template", "score", *arguments)


def test_the_report_is_that_of_the_program(score):
    ran = score("key.txt", "poor.txt", "--compat", "muc4-3.3", "--history", "history.el")
    assert ran.code == 0
    # COR 1 PAR 1 MIS 3: REC 1.5/5, PRE 1.5/2, F = 2*30*75/105 = 42.86.
    assert "ALL TEMPLATES\t        5   2|  1   1   0|  0   0|  0   3  42| 30  75   0 \n" in ran.out
    assert ran.out.endswith("F-MEASURES\t\t\t\t\t    42.86     57.69     34.09\n")


def test_the_same_numbers_as_data(score):
    ran = score(
        "key.txt", "good=good.txt", "poor=poor.txt", "--compat", "muc4-3.3", "--format", "json", "--bootstrap", "9"
    )
    assert ran.code == 0
    result = json.loads(ran.out)
    assert (result["task"], result["profile"]) == ("template", "muc4-3.3")
    scores = {
        (system["name"], each["metric"], each["part"]): each["value"]
        for system in result["systems"]
        for each in system["scores"]
    }
    assert scores["poor", "template.muc4", "recall"] == 0.3
    assert scores["poor", "template.muc4", "precision"] == 0.75
    assert scores["poor", "template.muc4", "f1"] == pytest.approx(3 / 7)
    assert scores["good", "template.muc4.matched-only", "f1"] == 1.0
    assert scores["good", "template.muc4.messages", "recall"] == 0.5
    assert result["comparisons"]


def test_one_message(score):
    ran = score("key.txt", "poor.txt", "--compat", "muc4-3.3", "--explain", "M1")
    assert ran.code == 0
    assert "inc-type            partial    BOMBING  |  ATTACK\n" in ran.out


def test_the_default_aligns_optimally(score):
    """BOMBING against ATTACK 1/2, A right, B missing; M2 two missing: 1.5 of 5 and of 2."""
    ran = score("key.txt", "poor.txt", "--format", "json", "--bootstrap", "0")
    assert ran.code == 0
    values = {each["part"]: each["value"] for each in json.loads(ran.out)["systems"][0]["scores"]}
    assert values["recall"] == pytest.approx(0.3)
    assert values["precision"] == pytest.approx(0.75)


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["key.txt", "nothing.txt"], 2, "nothing.txt: there is no such file"),
        (["key.txt", "history.el"], 1, "history.el: there are no templates"),
        (["key.txt", "good.txt", "--history", "key.txt"], 1, "key.txt:1:1: the file is not one list"),
        (["key.txt", "good.txt", "--slots", "history.el"], 1, "history.el:1:1: this is not TOML"),
        (["key.txt", "good.txt", "--explain", "M3"], 2, "there is no message 'M3'"),
    ],
)
def test_mistakes(score, arguments, code, message):
    ran = score(*arguments, "--compat", "muc4-3.3")
    assert ran.code == code
    assert message in ran.err
    assert "Traceback" not in ran.err
