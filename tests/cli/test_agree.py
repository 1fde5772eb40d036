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
        '{"span": {"start": 2, "end": 3}, "type": "ORG"} (credit 0)',
    ):
        assert part in ran.out
    quiet = adjudge(*annotators, "--quiet").out
    assert "signature" not in quiet


def test_layouts(adjudge, annotators):
    data = json.loads(adjudge(*annotators, "--format", "json", "--disagreements").out)
    assert len(data["pairs"]) == 3
    assert data["pairs"][0]["scores"][2]["value"] == pytest.approx(2 / 3)
    assert {each["only"] for each in data["disagreements"]} == {"anna", "ben", "clara", None}
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
        (("gold.jsonl", "good.jsonl", "--disagreements", "--format", "csv"), "cannot be combined"),
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
    assert ("only anna" in ran.out and "only ben" in ran.out) or "(credit 0)" in ran.out
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


@pytest.fixture
def linked(adjudge, tmp_path, monkeypatch):
    """Two people who linked one document: the second made one event of two, and listed other responses of TRFRs."""
    monkeypatch.chdir(tmp_path)
    line = "{id}\tD1\tLife.Die\tVictim\t{cas}\t{at}\t0-9\t{at}\tNIL\tActual\t1\tC\tC\tC\tC\t{cluster}\tActual\tNAME\n"
    people = [("Ann", "0-2", 1), ("her", "4-6", 1), ("Bob", "10-12", 2), ("Cay", "20-22", 3)]
    rows = [line.format(id=n, cas=cas, at=at, cluster=each) for n, (cas, at, each) in enumerate(people, 11)]
    for name, text in (
        ("assessments", "".join(rows)),
        ("anna", "11\t13\n14\nINCOMPLETE\t\n"),
        ("ben", "12\t13\t14\nINCOMPLETE\t\n"),
        ("nobody", "INCOMPLETE\t11\t12\t13\t14\n"),
    ):
        Path(name).mkdir()
        Path(name, "D1").write_text(text)
    return ("agree", "coref.b3", "--reader", "eal-frames", "--bootstrap", "0", "--format", "json")


def test_reference_frames_agree_with_themselves(adjudge, linked):
    ran = adjudge(*linked, "A=anna", "B=anna")
    data = json.loads(ran.out)
    assert (ran.code, data["means"][0]["value"]) == (0, 1.0)
    assert [note["code"] for note in data["notes"]] == ["frames-as-listed"]


def test_reference_frames_are_compared_by_trfr_with_their_key(adjudge, linked):
    as_listed = json.loads(adjudge(*linked, "anna", "ben").out)["means"][0]["value"]
    # Shared are 13 (half of a frame of two, a third of a frame of three) and 14: P 2/9 of 3, R 3/2 of 3.
    assert as_listed == pytest.approx(2 * (2 / 9) * (1 / 2) / (2 / 9 + 1 / 2))
    ran = adjudge(*linked, "anna", "ben", "--key", "assessments")
    # Ann, Bob | Cay against Ann, Bob, Cay: P (2/3 + 2/3 + 1/3) / 3, R 1.
    assert json.loads(ran.out)["means"][0]["value"] == pytest.approx(2 * (5 / 9) / (5 / 9 + 1))
    assert json.loads(ran.out)["notes"] == []


def test_a_folder_without_frames_is_refused(adjudge, linked):
    for folder, said in (
        ("assessments", "assessments: none of these files has frames: in D1 'D1' is not the id of a response"),
        ("nobody", "nobody: there is no frame in any file"),
    ):
        ran = adjudge(*linked, f"A={folder}", f"B={folder}")
        assert (ran.code, ran.out) == (1, "")
        assert said in ran.err
    ran = adjudge("agree", "coref.b3", "--reader", "coref", "a", "b", "--key", "assessments")
    assert (ran.code, "only reference frames have a key" in ran.err) == (2, True)
