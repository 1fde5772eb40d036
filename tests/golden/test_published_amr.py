"""The published scorers of meaning graphs, to the printed digit, and the proven optimum on every pair of graphs."""

import csv
import json
from itertools import islice
from pathlib import Path

import pytest

from adjudge.formats.penman import read_graphs
from adjudge.scorers import amr_evaluation, smatch, smatchpp
from adjudge.scorers.smatch import best_match

CASES = {
    each["id"]: each
    for each in json.loads(Path(__file__).with_name("published.json").read_text(encoding="utf-8"))["cases"]
    if each["id"].startswith("amr-")
}
# The sets, and how many of their pairs are looked at here; the benchmark looks at all of them.
SETS = {"lpp": 1563, "syn20": 150, "syn40": 30, "syn40hard": 20, "syn70": 8, "syn100": 5, "syn100hard": 3}


def sides(case):
    return case["input"]["amr2"].encode(), case["input"]["amr1"].encode()


@pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))
def test_smatch(case):
    expected = case["expected"]["smatch-1.0.4"]
    found = smatch.run(*sides(case), digits="6")
    ((_, counts),) = found.rows
    assert tuple(counts.values()) == (expected["match"], expected["triples1"], expected["triples2"])
    assert found.text == f"Precision: {expected['p']:.6f}\nRecall: {expected['r']:.6f}\nF-score: {expected['f']:.6f}\n"


@pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))
@pytest.mark.parametrize(
    ("standard", "words"),
    [("none", "no standardisation"), ("generic", "generic standardisation"), ("amr", "AMR standardisation")],
)
def test_smatchpp(case, standard, words):
    expected = case["expected"][f"smatchpp-1.8.0 ilp, {words}"]
    line, *_ = smatchpp.run(*sides(case), standard=standard).text.splitlines()
    scores = f"F1: {expected['F1']}    Precision: {expected['Precision']}    Recall: {expected['Recall']}"
    assert line == f"main ---->   {scores}"


def test_sample_files(conformance):
    cases = json.loads(Path(__file__).with_name("published.json").read_text(encoding="utf-8"))["cases"]
    (expected,) = (each["expected"] for each in cases if each["id"] == "smatch-sample-files")
    folder = conformance / "conformance" / "published" / "smatch"
    files = (folder / "test_input2.txt", folder / "test_input1.txt")
    assert smatch.run(*files).text == "Precision: 0.83\nRecall: 0.86\nF-score: 0.85\n"
    for kind in ("micro", "macro"):
        (line, *_) = smatchpp.run(*files, score_type=kind).text.splitlines()
        wanted = expected["smatchpp ilp AMR standardisation"][kind]
        assert line == f"main ---->   F1: {wanted['F1']}    Precision: {wanted['P']}    Recall: {wanted['R']}"
    printed = amr_evaluation.run(*files).text.splitlines()
    for line, (name, values) in zip(printed, expected["amr-evaluation"].items(), strict=True):
        assert line.startswith(name)
        numbers = [float(part.split(":")[1].strip(" ,FR")) for part in line.split("> ")[-1].split(", ")]
        assert numbers == values


@pytest.mark.parametrize("name", SETS)
def test_the_optimum_is_found_and_proven(conformance, name):
    folder = conformance / "conformance" / "published" / "amr"
    systems, golds = (read_graphs(folder / f"{name}.{kind}.amr.gz") for kind in ("pred", "gold"))
    with (folder / f"{name}.expected.tsv").open(encoding="utf-8") as stream:
        known = list(csv.DictReader(stream, delimiter="\t"))
    assert len(known) == len(systems) == len(golds)
    for (_, system), (_, gold), row in islice(zip(systems, golds, known, strict=True), SETS[name]):
        mine, wanted = smatch.triples(system), smatch.triples(gold)
        found = (best_match(mine, wanted).value, mine.size, wanted.size)
        assert found == (int(row["match"]), int(row["triples_pred"]), int(row["triples_gold"])), row["pair"]
