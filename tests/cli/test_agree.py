"""`adjudge agree`."""

import csv
import io
import json
from pathlib import Path

import pytest

BIO = "EU B-ORG\nrejects O\nGerman B-MISC\ncall O\n\nPeter B-PER\nB I-PER\nis O\n"


@pytest.fixture
def annotators(campaign: Path):
    Path("anna.bio").write_text(BIO)
    Path("ben.bio").write_text(BIO.replace("German B-MISC", "German B-ORG"))
    Path("clara.bio").write_text(BIO.replace("B I-PER", "B O"))
    return ("agree", "ner.strict", "anna.bio", "ben.bio", "clara=clara.bio", "--reader", "bio", "--bootstrap", "100")


def test_text_has_everything(adjudge, annotators):
    ran = adjudge(*annotators, "--disagreements")
    assert (ran.code, ran.err) == (0, "")
    for part in (
        "mean of 3 pairs",
        "ner.strict f1, the row on the gold side",
        "kappa (Cohen)",
        "kappa (Fleiss)",
        "alpha (Krippendorff)",
        "alpha_u (Krippendorff)",
        "signature  agree|annotators:3",
        'only ben.bio  entities[1]: {"span": {"start": 2, "end": 3}, "type": "ORG"}',
    ):
        assert part in ran.out
    quiet = adjudge(*annotators, "--quiet").out
    assert "signature" not in quiet


def test_layouts(adjudge, annotators):
    data = json.loads(adjudge(*annotators, "--format", "json", "--disagreements").out)
    assert len(data["pairs"]) == 3
    assert data["pairs"][0]["scores"][2]["value"] == pytest.approx(2 / 3)
    assert {each["only"] for each in data["disagreements"]} == {"anna.bio", "ben.bio", "clara"}
    rows = list(csv.DictReader(io.StringIO(adjudge(*annotators, "--format", "csv").out)))
    assert {row["kind"] for row in rows} == {"pair", "mean", "coefficient"}
    assert r"\toprule" in adjudge(*annotators, "--format", "latex").out
    assert "| score |" in adjudge(*annotators, "--format", "md", "--disagreements").out


def test_the_saved_result_has_the_others_against_the_first(adjudge, annotators):
    assert adjudge(*annotators, "--save", "agree.json").code == 0
    compared = json.loads(adjudge("compare", "agree.json", "--format", "json").out)
    assert [system["name"] for system in compared["systems"]] == ["ben.bio", "clara"]


def test_labels(adjudge, campaign):
    ran = adjudge("agree", "relation.strict", "gold.jsonl", "gold2=gold.jsonl", "--label", "genre")
    assert "kappa (Cohen)         genre  gold, gold2  8      1.000" in ran.out
    ran = adjudge("agree", "relation.strict", "gold.jsonl", "good.jsonl", "--label", "relations.type")
    assert ran.code == 1
    assert ran.err.count("different numbers of relations.type") == 2
    ran = adjudge(
        "agree", "relation.strict", "gold.jsonl", "good.jsonl", "--label", "relations.type", "--unit", "subject,object"
    )
    assert "relations.type  gold, good  14" in ran.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("gold.jsonl",), "at least two annotators"),
        (("gold.jsonl", "good.jsonl", "--unit", "x"), "--unit does nothing without --label"),
        (("gold.jsonl", "good.jsonl", "--distance", "ordinal"), "--distance does nothing without --label"),
        (("gold.jsonl", "good.jsonl", "--disagreements", "--format", "csv"), "do not go together"),
        (("a=gold.jsonl", "a=good.jsonl"), "two annotators are called 'a'"),
        (("gold.jsonl", "good.jsonl", "-o", "gold.jsonl"), "also an input"),
        (("-", "-"), "standard input can be read only once"),
        (("gold.jsonl", "good.jsonl", "--reader", "biu"), "there is no reader 'biu'"),
    ],
)
def test_wrong_calls(adjudge, arguments, said):
    ran = adjudge("agree", "relation.strict", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err


def test_every_broken_file_is_named(adjudge, campaign):
    for name in ("a", "b"):
        Path(f"{name}.jsonl").write_text("{\n")
    ran = adjudge("agree", "relation.strict", "a.jsonl", "b.jsonl")
    assert ran.code == 1
    assert "a.jsonl:1" in ran.err
    assert "b.jsonl:1" in ran.err
