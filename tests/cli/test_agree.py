"""`adjudge agree`."""

import csv
import io
import json
from pathlib import Path

import jsonschema
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
        'only ben  entities[1]: {"span": {"start": 2, "end": 3}, "type": "ORG"}',
    ):
        assert part in ran.out
    quiet = adjudge(*annotators, "--quiet").out
    assert "signature" not in quiet


def test_layouts(adjudge, annotators):
    data = json.loads(adjudge(*annotators, "--format", "json", "--disagreements").out)
    assert len(data["pairs"]) == 3
    assert data["pairs"][0]["scores"][2]["value"] == pytest.approx(2 / 3)
    assert {each["only"] for each in data["disagreements"]} == {"anna", "ben", "clara"}
    rows = list(csv.DictReader(io.StringIO(adjudge(*annotators, "--format", "csv").out)))
    assert {row["kind"] for row in rows} == {"pair", "mean", "coefficient"}
    assert r"\toprule" in adjudge(*annotators, "--format", "latex").out
    assert "| score |" in adjudge(*annotators, "--format", "md", "--disagreements").out


def test_the_saved_result_has_the_others_against_the_first(adjudge, annotators):
    assert adjudge(*annotators, "--save", "agree.json").code == 0
    compared = json.loads(adjudge("compare", "agree.json", "--format", "json").out)
    assert [system["name"] for system in compared["systems"]] == ["ben", "clara"]


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


def test_what_is_printed_has_a_schema(adjudge, annotators):
    schema = json.loads(adjudge("schema", "agreement").out)
    jsonschema.Draft202012Validator.check_schema(schema)
    for more in ((), ("--disagreements",)):
        data = json.loads(adjudge(*annotators, "--format", "json", *more).out)
        jsonschema.validate(data, schema)
    data["disagreements"][0]["credit"] = "none"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(data, schema)


AMR = "# ::id s1\n(w / want-01 :ARG0 (b / boy))\n"
TEMPLATE = '{"id": "d", "templates": [{"type": "attack", "fillers": [{"role": "Victim", "mentions": ["mayor"]}]}]}\n'
EVENT = {"type": "Die", "trigger": {"start": 1, "end": 2}, "arguments": []}
FILES = {
    "amr.smatch": ("penman", AMR, AMR.replace("boy", "girl")),
    "template.fillers": ("jsonl", TEMPLATE, TEMPLATE.replace("mayor", "guard")),
    "event.trigger-cls": (
        "jsonl",
        json.dumps({"id": "d", "text": "They died", "events": [EVENT]}),
        json.dumps({"id": "d", "text": "They died", "events": [{**EVENT, "type": "Injure"}]}),
    ),
    "record.set": ("triples", "a\tr\tb\td\n", "a\tr\tc\td\n"),
}


@pytest.mark.parametrize("metric", FILES)
def test_files_of_a_family_give_a_report(metric, adjudge, campaign):
    reader, first, second = FILES[metric]
    Path("anna.txt").write_text(first)
    Path("ben.txt").write_text(second)
    both = ("agree", metric, "anna.txt", "ben.txt", "--reader", reader, "--bootstrap", "0")
    ran = adjudge(*both, "--disagreements", "--save", "agree.json")
    assert (ran.code, ran.err) == (0, "")
    assert "only anna" in ran.out
    assert "only ben" in ran.out
    assert adjudge("report", "agree.json", "-o", "page.html").code == 0
    assert "ben" in Path("page.html").read_text()


def test_files_of_the_tasks(adjudge, campaign):
    assert adjudge("demo", "coref", "--files", "chains", "--quiet").code == 0
    files = [f"chains/{name}.conll" for name in ("linden", "maple", "rowan")]
    ran = adjudge("agree", "coref.muc", *files, "--reader", "coref", "--bootstrap", "0", "--save", "agree.json")
    for part in ("mean of 3 pairs", "the row on the gold side", "links between mentions", "mentions as units"):
        assert part in ran.out
    assert adjudge("report", "agree.json", "-o", "page.html").code == 0
    ran = adjudge("agree", "coref.muc", *files, "--reader", "coref", "--bootstrap", "0", "--report", "direct.html")
    page = Path("direct.html").read_text()
    assert "<title>linden and maple, rowan" in page
    assert adjudge("agree", "coref.muc", *files, "--reader", "coref", "--report", files[0]).code == 2
    same = adjudge("agree", "coref.muc", *files, "--reader", "coref", "--report", "x.html", "--save", "x.html")
    assert (same.code, same.err) == (2, "error: --save and --report name the same file, choose two names\n")
    ran = adjudge("agree", "coref.muc", *files, "--reader", "core")
    assert (ran.code, "there is no reader 'core'" in ran.err) == (2, True)
