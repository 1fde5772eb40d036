"""Recorded numbers of the CorefUD scorer 1.2: every edge case and some random files, in all combinations of options."""

import json
from pathlib import Path

import pytest

from adjudge.cli import run
from adjudge.errors import AdjudgeError
from adjudge.evaluate.engine import evaluate
from adjudge.evaluate.task import run_of
from adjudge.tasks.coref.settings import settings
from adjudge.tasks.coref.task import task_of

GOLDEN = json.loads((Path(__file__).parent / "corefud.json").read_text())
CASES = {case["id"]: case for case in GOLDEN["cases"]}
NAMES = ["b3" if metric == "bcub" else metric for metric in GOLDEN["metrics"]]
RUN = run_of(bootstrap=0, digest=False, jobs=1)


def whole(text):
    """A file with all columns."""
    lines = (line.split(" ") if line and line[0].isdigit() else [line] for line in text.split("\n"))
    return "\n".join(
        "\t".join((*each[:2], *"______", *each[2:])) if len(each) > 1 else each[0] for each in lines
    ).encode()


def scores(key, response, combination):
    match, singletons, zeros = combination.split("-")
    task = task_of(settings("corefud", singletons, match, None, zeros))
    result = evaluate(task, key, response, RUN).result().systems[0]
    return [[result[f"coref.{name}"][part] for part in ("recall", "precision", "f1")] for name in NAMES]


def check(key, response, outcomes):
    """`outcomes` are (combination, exception, numbers)."""
    for combination, refused, numbers in outcomes:
        if numbers is None:
            with pytest.raises(AdjudgeError) as caught:
                scores(key, response, combination)
            assert refused
            assert all(each.path and (each.line or "is not there" in each.message) for each in caught.value.problems)
            continue
        for name, expected, own in zip(NAMES, numbers, scores(key, response, combination), strict=True):
            assert expected is None or own == pytest.approx(expected, abs=1e-6), (combination, name)


@pytest.mark.parametrize("name", CASES)
def test_a_recorded_pair(name):
    case = CASES[name]
    outcomes = [case["results"][place] for place in case["of"]]
    listed = [(each.get("refused"), each.get("numbers")) for each in outcomes]
    check(whole(case["key"]), whole(case["sys"]), zip(GOLDEN["options"], *zip(*listed, strict=True), strict=True))


@pytest.mark.slow
def test_the_pairs_of_the_official_scorer(conformance):
    data = json.loads((conformance / "cases" / "corefud.json").read_text())
    folder = conformance / "conformance" / "corefud"
    pairs = [
        ((folder / each["key"]).read_bytes(), (folder / each["sys"]).read_bytes(), each)
        for each in data["official_test_pairs"]
    ]
    pairs += [(each["key"].encode(), each["sys"].encode(), each) for each in data["random_cases"]]
    assert len(pairs) == 232
    for key, response, case in pairs:
        outcomes = []
        for combination, place in case["by_options"].items():
            own = case["results"][place]
            numbers = own.get("extension") if "refused" in own else own
            if "refused" in own and numbers is None and own["refused"] == "ZeroDivisionError":
                continue  # we have numbers, and nobody else has
            listed = None if numbers is None else [numbers.get(metric) for metric in GOLDEN["metrics"]]
            outcomes.append((combination, own.get("refused"), listed))
        check(key, response, outcomes)


# What that program prints for the pair open-close-same-token.
PRINTED = """\
The scorer is evaluating coreferential mentions, singletons, zeros (using dependent match method) \
using head match evaluation setting.
The following metrics will be evaluated: muc, bcub, ceafe, ceafm, blanc, lea, mor, zero

muc
Recall: 0.00  Precision: 0.00  F1: 0.00
bcub
Recall: 50.00  Precision: 25.00  F1: 33.33
ceafe
Recall: 50.00  Precision: 25.00  F1: 33.33
ceafm
Recall: 50.00  Precision: 25.00  F1: 33.33
blanc
Recall: 0.00  Precision: 0.00  F1: 0.00
lea
Recall: 0.00  Precision: 0.00  F1: 0.00
mor
Recall: 100.00  Precision: 28.57  F1: 44.44
zero
Recall: 0.00  Precision: 0.00  F1: 0.00
CoNLL score: 22.22
"""


def test_the_text_of_the_official_program(tmp_path, capsys):
    (tmp_path / "key.conllu").write_bytes(whole(CASES["open-close-same-token"]["key"]))
    (tmp_path / "sys.conllu").write_bytes(whole(CASES["open-close-same-token"]["sys"]))
    words = ["coref", "score", str(tmp_path / "key.conllu"), str(tmp_path / "sys.conllu"), "--compat", "corefud"]
    assert run([*words, "--singletons", "keep"]) == 0
    assert capsys.readouterr().out == PRINTED
    assert run([*words, "--singletons", "keep", "--metric", "zero,muc"]) == 0
    some = capsys.readouterr().out.splitlines()
    lines = PRINTED.splitlines()
    at = lines.index("zero")
    assert some[1:] == ["The following metrics will be evaluated: zero, muc", "", *lines[at : at + 2], *lines[3:5]]
