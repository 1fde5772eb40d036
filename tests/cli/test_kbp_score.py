"""`adjudge kbp score` from the command line."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from adjudge.cli import run
from calling import caller

PEOPLE, FIRMS, TOWNS = (tuple(f"{kind}{n}" for n in range(5)) for kind in ("ana", "corvex", "oslo"))


def lines(shift=0, documents=8):
    """Who works where, where that is, and who is related; a shift makes some of it wrong."""
    rows = []
    for d in range(documents):
        wrong = shift if d % 3 == 0 else 0
        rows += [
            (PEOPLE[d % 5], "Employment", FIRMS[(d + wrong) % 5], f"d{d}"),
            (FIRMS[d % 5], "Org-Location", TOWNS[(d + (shift > 1)) % 5], f"d{d}"),
            (PEOPLE[d % 5], "Family", PEOPLE[(d + 1 + wrong) % 5], f"d{d}"),
        ]
    return "".join("\t".join(row) + "\n" for row in rows)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("gold.tsv").write_text(lines())
    Path("good.tsv").write_text(lines(1))
    Path("poor.tsv").write_text(lines(2))
    return tmp_path


call = caller("kbp", "score", "--gold", "gold.tsv")


def test_one_table(call):
    code, out, err = call("good.tsv", "--bootstrap", "50")
    assert (code, err) == (0, "")
    rows = [line.split()[0] for line in out.splitlines()[1:7]]
    assert rows == ["kbp.hop1", "kbp.hop2", "kbp.hop2.full", "kbp.hop3", "kbp.hop3.full", "kbp.hops"]
    assert "interval   95 % (jackknife, logit)" in out
    assert "signature  kbp|profile:recommended|hops:3|" in out
    assert "|interval:jackknife|scale:logit|" in out
    assert "engine" not in out
    assert "kbp.excluded" not in out  # nothing was, and the table does not say so of all that may go wrong
    assert "63 % of the documents" in out


def test_the_engine_and_its_reason_are_for_the_curious(call):
    code, out, err = call("good.tsv", "--bootstrap", "0", "--verbose")
    assert code == 0
    assert "good, kbp.hop1: engine sparse: sparse products" in err
    assert call("good.tsv", "--bootstrap", "0")[1] == out


@pytest.mark.parametrize("place", [("--jobs", "2"), ("--jobs", "3"), ("--jobs", "2", "--cluster", "local")], ids=str)
def test_results_are_the_same_wherever_they_are_counted(call, place):
    if "--cluster" in place:
        pytest.importorskip("distributed", reason="Dask is not installed")
    arguments = ("good.tsv", "poor.tsv", "--by", "relation", "--by", "sequence", "--bootstrap", "60", "--box")
    _, here, _ = call(*arguments, "--format", "json", "--save", "here.json")
    code, there, err = call(*arguments, "--format", "json", "--save", "there.json", *place)
    assert (code, err) == (0, "")
    assert there == here
    assert Path("there.json").read_bytes() == Path("here.json").read_bytes()


def test_the_paper_warns_of_its_own_intervals(call):
    code, out, _ = call("good.tsv", "poor.tsv", "--profile", "paper", "--bootstrap", "50", "--format", "json")
    result = json.loads(out)
    assert code == 0
    assert {"percentile", "notch"} <= {note["code"] for note in result["notes"]}
    scores = [s for s in result["systems"][0]["scores"] if s["metric"] == "kbp.hop2" and s["part"] == "f1"]
    (f1,) = scores
    assert f1["interval"] == "percentile"
    assert f1["level"] == 0.9
    assert set(f1["uncertainty"]["intervals"]) == {"percentile", "centred", "jackknife"}
    assert f1["uncertainty"]["box"]["notch_low"] <= f1["uncertainty"]["box"]["median"]
    assert [f1["low"], f1["high"]] == f1["uncertainty"]["intervals"]["percentile"]
    assert {c["test"] for c in result["comparisons"]} == {"jackknife"}


def test_choices_change_the_numbers_and_the_signature(call):
    def f1(*arguments):
        _, out, _ = call("good.tsv", "--bootstrap", "0", "--format", "json", *arguments)
        result = json.loads(out)
        scores = {s["metric"]: s["value"] for s in result["systems"][0]["scores"] if s["part"] == "f1"}
        return scores, result["signature"]

    usual, _ = f1()
    only, signature = f1("--include", "Employment,Org-Location", "--hops", "2")
    assert set(only) == {"kbp.hop1", "kbp.hop2", "kbp.hop2.full", "kbp.hops"}
    assert "include:Employment+Org-Location" in signature
    Path("names.txt").write_text("Employment\nOrg-Location\n")
    assert f1("--include", "names.txt", "--hops", "2")[0] == only
    without, signature = f1("--exclude", "Family")
    assert without["kbp.hop1"] == only["kbp.hop1"] != usual["kbp.hop1"]
    Path("map.tsv").write_text("Employment\tWorks\n")
    renamed, _ = f1("--system-relations", "map.tsv", "--gold-relations", "map.tsv")
    assert renamed == usual
    assert f1("--system-relations", "map.tsv")[0] != usual
    assert f1("--symmetric", "annotated")[0]["kbp.hop2"] != usual["kbp.hop2"]
    simple, _ = f1("--walks", "simple", "--identity", "endpoints")
    assert "kbp.hop2.full" not in simple
    assert simple["kbp.hop2"] != usual["kbp.hop2"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("good.tsv", "--threshold", "40"), "--threshold is about annotated documents"),
        (("good.tsv", "--identity-source", "system"), "triples have no nodes of the system's own"),
        (("good.tsv", "--hops", "0"), "0 hops"),
        (("good.tsv", "--hops", "two"), "give the number of hops"),
        (("good.tsv", "--inverse-table", "gold.tsv"), "--inverse-table is not used"),
        (("x=good.tsv", "x=good.tsv"), "two systems are called 'x'"),
        (("good.tsv", "--wiki", "gold.tsv"), "names are taken as they are"),
        (("good.tsv", "--engine", "sample", "--identity", "full"), "compares the endpoints of all walks only"),
        (("good.tsv", "--notch-constant", "-1"), "notch constant"),
        (("good.tsv", "--save", "good.tsv"), "good.tsv"),
    ],
)
def test_wrong_usage(call, arguments, message):
    code, out, err = call(*arguments)
    assert (code, out) == (2, "")
    assert message in err


def test_input_that_is_no_triples(call):
    Path("bad.tsv").write_text("a\tr\tb\td\na\tr\n")
    code, out, err = call("bad.tsv", "--system-format", "triples")
    assert (code, out) == (1, "")
    assert "bad.tsv:2:" in err


def test_annotation_and_a_knowledge_base(capsys, tmp_path):
    """Documents as JSON lines on both sides, whose ids are local: aligned by their mentions."""

    def document(number, names, facts):
        entities = [
            {"id": f"E{n}", "type": "PER", "mentions": [{"start": 10 * n, "end": 10 * n + 4, "text": name}]}
            for n, name in enumerate(names)
        ]
        relations = [{"type": r, "subject": f"E{a}", "object": f"E{b}"} for a, r, b in facts]
        return json.dumps({"id": f"d{number}", "entities": entities, "relations": relations})

    gold = [document(1, ["Ana", "Corvex"], [(0, "Employment", 1)]), document(2, ["Corvex", "Oslo"], [(0, "Near", 1)])]
    Path("gold.jsonl").write_text("\n".join(gold) + "\n")
    Path("run.jsonl").write_text("\n".join(gold) + "\n")
    code = run(["kbp", "score", "--gold", "gold.jsonl", "run.jsonl", "--identity-source", "system", "--format", "json"])
    out, err = capsys.readouterr()
    assert (code, err) == (0, "")
    scores = {(s["metric"], s["part"]): s["value"] for s in json.loads(out)["systems"][0]["scores"]}
    assert scores["kbp.hop1", "f1"] == scores["kbp.hop2", "f1"] == scores["kbp.hop1.system", "f1"] == 1
    # The two nodes for Corvex are one only for gold: whoever asks this knowledge base does not get from Ana to Oslo.
    assert scores["kbp.hop2.system", "recall"] < 1
    assert scores["kbp.unaligned", "count"] == 0


def test_nothing_heavy_is_loaded_for_help():
    code = "import sys; from adjudge.cli import run; run(['kbp', 'score', '--help']); print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "False"


@pytest.mark.parametrize(
    ("more", "level"), [(("--profile", "paper"), 0.9), ((), 0.95), (("--profile", "paper", "--ci", "80"), 0.8)], ids=str
)
def test_an_estimate_has_the_level_of_the_others(call, more, level):
    rows = [f"a{n}\tr\tb{n}\td{n % 9}\nb{n}\ts\tc{n % (7 + n % 3)}\td{n % 9}\n" for n in range(3000)]
    Path("gold.tsv").write_text("".join(rows))
    Path("good.tsv").write_text("".join(row for n, row in enumerate(rows) if n % 3))
    arguments = ("good.tsv", "--engine", "sample", "--hops", "2", "--identity", "endpoints", "--format", "json")
    result = json.loads(call(*arguments, *more)[1])
    scores = {s["metric"]: s for s in result["systems"][0]["scores"] if s["part"] == "recall"}
    assert scores["kbp.hop2"]["uncertainty"]["estimated"]
    assert scores["kbp.hop2"]["level"] == scores["kbp.hop1"]["level"] == level


def test_lists_of_documents_are_named_in_errors(call):
    Path("gold.jsonl").write_text('{"id": "d", "entities": []}\n')
    Path("docs.txt").write_text("d\nnone\n")
    for docs, where, code in (("docs.txt", "docs.txt:2", 1), ("d,none", "--docs", 2)):
        assert run(["kbp", "score", "--gold", "gold.jsonl", "gold.jsonl", "--docs", docs]) == code
        _, _, err = call("good.tsv", "--hops", "0")
        assert f"error: {where}: there is no document 'none' in gold.jsonl" in err
