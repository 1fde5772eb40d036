"""Every table of the script of the CoNLL 2018 shared task, from its own test files, and the published cases."""

import json
from pathlib import Path

import pytest

from adjudge.formats.conllu_trees import read_conllu_trees
from adjudge.scorers import ud2018
from adjudge.scorers.ud2018 import align_documents
from adjudge.tasks.scoring import score

CASES = {
    case["id"]: case
    for case in json.loads((Path(__file__).parent / "published.json").read_text())["cases"]
    if case["id"].startswith("ud-")
}
OWN = ("uas", "las", "clas", "mlas", "blex")


def table(text):
    rows = [line.split("|") for line in text.splitlines()[2:]]
    return {name.strip(): [figure.strip() for figure in figures] for name, *figures in rows}


def files(case, folder):
    return [str(folder / Path(case["input"][f"{side}_file"]).name) for side in ("gold", "system")]


FILED = [name for name, case in CASES.items() if "gold_file" in case["input"]]


def test_all_cases_are_here():
    assert len(CASES) == 6
    assert len(FILED) == 5


@pytest.mark.parametrize("name", FILED)
def test_scores_and_counts(name, conformance):
    folder = conformance / "conformance" / "published" / "conll2018"
    case = CASES[name]
    found = table(ud2018.run(*files(case, folder)).text)
    counts = table(ud2018.run(*files(case, folder), counts=True).text)
    assert list(found) == list(case["expected"])
    for metric, expected in case["expected"].items():
        accuracy = "" if expected["aligned_acc"] is None else f"{expected['aligned_acc']:.2f}"
        assert found[metric] == [*(f"{expected[key]:.2f}" for key in ("p", "r", "f1")), accuracy]
        assert counts[metric][:3] == [str(expected[key]) for key in ("correct", "gold", "system")]


@pytest.mark.parametrize(
    ("gold", "system", "expected"),
    [
        ("gold", "sys1", "sys1-expected.results"),
        ("gold", "sys2", "sys2-expected.results"),
        ("gold", "sys-space", "sys-space-expected.results"),
        ("case-gold", "case-sys", "case-expected.results"),
        ("func-gold", "func-sys", "func-expected.counts"),
    ],
)
def test_text_to_the_byte(gold, system, expected, conformance):
    folder = conformance / "conformance" / "published" / "conll2018"
    found = ud2018.run(folder / f"{gold}.conllu", folder / f"{system}.conllu", counts=expected.endswith("counts"))
    assert found.text == (folder / expected).read_text()


@pytest.mark.parametrize("name", FILED)
def test_the_definitions_agree_with_the_script(name, conformance):
    folder = conformance / "conformance" / "published" / "conll2018"
    gold, system = files(CASES[name], folder)
    result = score([f"tree.{each}" for each in OWN], gold, system, bootstrap=0, reader="conllu")
    for each in OWN:
        expected = CASES[name]["expected"][each.upper()]
        own = result[f"tree.{each}"]
        figures = [f"{100 * value:.2f}" for value in (own.precision, own.recall, own.f1)]
        assert figures == [f"{expected[key]:.2f}" for key in ("p", "r", "f1")]


def test_attachment_from_rows():
    case = CASES["ud-uas-las"]

    def conllu(rows):
        lines = (
            f"{number}\t{form}\t{form.lower()}\tX\t_\t_\t{head}\t{label}\t_\t_\n"
            for number, (form, head, label) in enumerate(rows, 1)
        )
        return ("".join(lines) + "\n").encode()

    gold, system = (conllu(case["input"][side]) for side in ("gold", "pred"))
    found = table(ud2018.run(gold, system).text)
    for metric, expected in case["expected"].items():
        assert found[metric][:3] == [f"{expected[key]:.2f}" for key in ("p", "r", "f1")], metric
    pair = read_conllu_trees(gold), read_conllu_trees(system)
    result = score(["tree.uas", "tree.las"], pair[0], align_documents(*pair), bootstrap=0)
    assert (float(result["tree.uas"].f1), float(result["tree.las"].f1)) == (0.8, 0.6)
