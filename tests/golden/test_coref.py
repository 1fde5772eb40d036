"""Every case of the reference scorer 8.01: its own tests, hand-made edges, random files. Not one digit of tolerance."""

import json
from pathlib import Path

import pytest

from adjudge.errors import FormatError, ValidationError
from adjudge.evaluate.engine import evaluate
from adjudge.evaluate.task import run_of
from adjudge.tasks.coref.compat import METRICS, added, reference_output, result_line
from adjudge.tasks.coref.counts import COLUMNS
from adjudge.tasks.coref.task import CorefTask, warnings

HERE = Path(__file__).parent
CASES = json.loads((HERE / "coref.json").read_text())
REFERENCE = {case["id"]: case for case in CASES["reference_cases"]}
EDGES = {case["id"]: case for case in CASES["edge_cases"]}
FUZZ = {case["id"]: case for case in json.loads((HERE / "coref_fuzz.json").read_text())["cases"]}
RUN = run_of(bootstrap=0, keep=True, digest=False)
NAMES = {"mentions": "coref.mentions", "lea": "coref.lea", **METRICS}


def test_all_cases_are_here():
    assert (len(REFERENCE), len(EDGES), len(FUZZ)) == (36, 51, 156)


def line(found):
    (r_num, r_den), (p_num, p_den), printed = found["recall"], found["precision"], found["printed"]
    return f"Recall: ({r_num} / {r_den}) {printed[0]}%\tPrecision: ({p_num} / {p_den}) {printed[1]}%\tF1: {printed[2]}%"


def expected(metric, observed):
    """The totals block of the reference scorer, line by line."""
    rule = "-" * 74
    lines = ["", "====== TOTALS =======", f"Identification of Mentions: {line(observed['mentions'])}", rule]
    if metric != "blanc":
        return [*lines, f"Coreference: {line(observed[metric])}", rule]
    blanc = observed["blanc"]
    titled = {
        "Coreference links: ": blanc["coref_links"],
        "Non-coreference links: ": blanc["noncoref_links"],
        "BLANC: ": blanc,
    }
    return [
        *lines,
        "",
        "Coreference:",
        *(each for title, found in titled.items() for each in (title + line(found), rule)),
    ]


def check(key, response, observed):
    evaluation = evaluate(CorefTask(), key, response, RUN)
    for metric in METRICS:
        printed = reference_output(evaluation, [metric], titles=False).splitlines()
        assert [each for each in printed if not each.startswith("Repeated mention")] == expected(metric, observed)
    (counted,) = evaluation.systems.values()
    counts = dict(zip(COLUMNS, added(each.counts for each in counted.details), strict=True))
    lea = [counts[f"coref.lea:{name}"] for name in ("found", "gold", "matched", "system")]
    assert result_line(*lea)[0] == line(observed["lea"])
    found = counted.side.documents
    if not found or found.keys() & set(evaluation.ids):
        check_result(evaluation, observed)
    else:  # the program prints zeros, we refuse
        with pytest.raises(ValidationError, match="no document is in common"):
            check_result(evaluation, observed)


def check_result(evaluation, observed):
    """Our own result has the same numbers before they are cut off."""
    result = evaluation.result().systems[0]
    for metric, name in NAMES.items():
        if metric == "blanc":
            values = [float(observed[metric][part][0]) for part in ("recall", "precision")]
        else:
            pairs = [tuple(map(float, observed[metric][part])) for part in ("recall", "precision")]
            values = [top / bottom if bottom else 0.0 for top, bottom in pairs]
        assert [result[name].recall, result[name].precision] == pytest.approx(values, rel=1e-13, abs=1e-15)
        assert 100 * result[name].f1 == pytest.approx(float(observed[metric]["printed"][2]), abs=0.01 + 1e-9)


@pytest.mark.parametrize("name", REFERENCE)
def test_official_case(name, conformance):
    case = REFERENCE[name]
    folder = conformance / "conformance" / "conll-scorer"
    key, response = (folder / Path(case[side]).name for side in ("key_file", "response_file"))
    check(key, response, case["observed"])
    result = evaluate(CorefTask(), key, response, RUN).result()
    for metric, stated in case["stated_RPF"].items():
        scores = result[NAMES[metric]]
        assert [scores.recall, scores.precision, scores.f1] == pytest.approx(stated, abs=1e-4)


@pytest.mark.parametrize("name", REFERENCE)
def test_official_chains(name):
    """The same without the files: the chains are in the case."""
    case = REFERENCE[name]
    sides = [[{"id": "d", "clusters": case[side]}] for side in ("key_chains", "response_chains")]
    check(*sides, case["observed"])


@pytest.mark.parametrize("name", EDGES)
def test_edge_case(name):
    case = EDGES[name]
    key, response = case["key"].encode(), case["response"].encode()
    if name == "resp_dup_11":
        # The reference scorer refuses; we score, and name the mention, the chains and the document.
        assert all(found["exit"] == 1 for found in case["observed"].values())
        evaluation = evaluate(CorefTask(), key, response, RUN)
        (own,) = evaluation.systems
        told = list(warnings(evaluation, own))
        assert any("11 repeated mentions in the response were removed" in each for each in told)
        assert any("refuses to score" in each for each in told)
        assert any("(0,0) in chains" in each and "'(t); part 000'" in each for each in told)
    elif any("exit" in found for found in case["observed"].values()):
        with pytest.raises(FormatError, match="chain"):
            evaluate(CorefTask(), key, response, RUN)
    else:
        check(key, response, case["observed"])


@pytest.mark.parametrize("name", FUZZ)
def test_random_case(name):
    case = FUZZ[name]
    check(case["key"].encode(), case["response"].encode(), case["observed"])
