"""Every printed number of the official nugget scorer, v1.8 and v1.6.2: its own data, and hand-made edges.

There is no tolerance: every printed digit is the same. Our own coreference figures are neither cut off nor rounded.
"""

import json
from pathlib import Path

import pytest

from adjudge.errors import AdjudgeError, ValidationError
from adjudge.evaluate.engine import evaluate
from adjudge.evaluate.task import Run
from adjudge.stats.inference import Inference
from adjudge.tasks.nugget.compat import NAMES, report
from adjudge.tasks.nugget.settings import settings
from adjudge.tasks.nugget.task import NuggetTask

HERE = Path(__file__).parent
CASES = json.loads((HERE / "nugget.json").read_text())["entries"]
CUT_OFF = 0.02  # percent: two digits of each figure, and of the average of those
PROFILES = {"1.8": "evmeval-1.8", "1.6.2": "evmeval-2015"}
MAPPINGS = ("span", "type", "realis", "type+realis")
METRICS = {"bcub": "b3", "ceafe": "ceafe", "ceafm": "ceafm", "muc": "muc", "blanc": "blanc", "average": "kbp"}
ABSENT = "data/conversion_demo/"  # not among the data files


def name(case):
    files = (Path(case[side]).name.removesuffix(".tbf") for side in ("gold", "system"))
    return "-".join((*files, *case["options"], case["mode"], case["scorer_version"]))


def numbered(cases):
    return [pytest.param(case, id=f"{place}-{name(case)}") for place, case in enumerate(cases)]


EDGES = [case for case in CASES if case["gold"].startswith("edge/")]
OFFICIAL = [case for case in CASES if not case["gold"].startswith(("edge/", ABSENT))]


def test_all_cases_are_here():
    assert (len(CASES), len(EDGES), len(OFFICIAL)) == (121, 57, 63)


@pytest.mark.parametrize("case", numbered(EDGES))
def test_edge_case(case):
    folder = HERE / "nugget_edge"
    check(case, *(folder / Path(case[side]).name for side in ("gold", "system")), folder / "tkn", folder)


@pytest.mark.parametrize("case", numbered(OFFICIAL))
def test_official_case(case, conformance):
    folder = conformance / "conformance" / "nugget"
    gold = folder / case["gold"]
    own = gold.parent / "tkn"
    tokens = own if own.is_dir() else folder / "data" / "scoring_demo" / "token_based" / "tkn"
    check(case, gold, folder / case["system"], tokens, folder)


def check(case, gold, system, tokens, folder):
    options = case["options"]
    chosen = settings(
        PROFILES[case["scorer_version"]],
        coref="-c" in options,
        sequencing="-a" in options,
        any_links="-nv" in options,
        coref_threshold=float(value(options, "-ct", 1)),
        coref_mapping=MAPPINGS[int(value(options, "-m", 1))],
        types=listed(value(options, "-wl", None), folder),
    )
    task = NuggetTask(chosen, tokens=tokens if case["mode"] == "token" else None, mode=case["mode"])
    run = Run(inference=Inference(bootstrap=0), keep=True)
    if case["exit_code"] and "ZeroDivisionError" not in case.get("crash", ""):
        with pytest.raises(AdjudgeError) as refused:
            evaluate(task, gold, system, run)
        assert str(system) in str(refused.value)
        return
    found = evaluate(task, gold, system, run)
    if case["exit_code"]:  # it divides by zero where the answer is clear
        result = found.result()
        assert "sequence-zero-division" in {note.code for note in result.systems[0].notes}
        assert result["nugget.sequence"].f1 == 1
        return
    assert printed(report(found), chosen) == expected(case)
    (own,) = found.systems.values()
    if own.side.documents and own.side.documents.keys().isdisjoint(found.gold.documents):
        # The program prints zeros, we refuse.
        with pytest.raises(ValidationError, match="no document is in common"):
            found.result()
        return
    check_result(found.result().systems[0], case)


def value(options, flag, otherwise):
    return options[options.index(flag) + 1] if flag in options else otherwise


def listed(chosen, folder):
    if chosen is None:
        return None
    file = "TAC_KBP_eval_type_2016.txt" if chosen == "TAC2016" else "whitelist.txt"
    return (folder / file).read_text().splitlines()


def expected(case):
    """The numbers of the case as the report has them; a missing part is not printed."""
    rows = {"documents": case["documents"], "micro": case["micro"], "macro": case["macro"]}
    if "types_P_R_F1_gold_sys" in case:
        rows["types"] = {kind: [float(each) for each in row] for kind, row in case["types_P_R_F1_gold_sys"].items()}
    if "coref_F1" in case:
        rows["coref"] = case["coref_F1"]
    if "sequencing" in case:
        rows["sequencing"] = {kind: list(each.values()) for kind, each in case["sequencing"].items()}
    return rows


def number(text):
    return None if text == "nan" else float(text)


def printed(text, chosen):
    """A report taken apart again."""
    blocks = {}
    for line in text.splitlines():
        if line.startswith("======="):
            title = line.strip("= ")
            blocks[title] = []
        elif line:
            blocks[title].append(line.split("\t"))
    names = list(NAMES.values())
    documents = {}
    for id, *cells in blocks["Document Mention Detection Results"][2:]:
        numbers = [number(cell) for cell in cells if cell != "|"]
        documents[id.strip()] = {each: numbers[3 * k : 3 * k + 3] for k, each in enumerate(names)}
    final = {row[0].strip(): list(map(number, row[1:])) for row in blocks["Final Mention Detection Results"][2:]}
    rows = {
        "documents": documents,
        "micro": {each: numbers[:3] for each, numbers in final.items()},
        "macro": {each: numbers[3:] for each, numbers in final.items()},
    }
    if "Mention Type Results" in blocks:
        rows["types"] = {row[0].strip(): list(map(float, row[1:])) for row in blocks["Mention Type Results"][1:]}
    if chosen.coref:
        *metrics, average, _ = blocks["Final Mention Coreference Results"]
        rows["coref"] = {row[0].removeprefix("Metric : "): float(row[2].removesuffix(" *")) for row in metrics}
        rows["coref"]["average"] = float(average[1])
    if chosen.sequencing:
        rows["sequencing"] = sequencing_of(text)
    return rows


def sequencing_of(text):
    found, kind = {}, ""
    for line in text.splitlines():
        if line.startswith("=======Event Sequencing Results for "):
            kind = line.removeprefix("=======Event Sequencing Results for ").removesuffix(" =======")
        elif line.startswith("\t\t"):
            found[kind] = [float(cell) for cell in line.split()]
    return found


def check_result(system, case):
    """Our own result has the same numbers before they are rounded; nan has no value, and a note says so."""
    scored = {(score.metric, score.part): score for score in system.scores}
    for mapping, own in NAMES.items():
        for pool, suffix in (("micro", ""), ("macro", ".macro")):
            for part, number in zip(("precision", "recall", "f1"), case[pool][own], strict=True):
                score = scored[f"nugget.{mapping}{suffix}", part]
                value = score.value
                assert score.pool == pool
                if number is None:
                    assert value is None
                    assert "undefined" in {note.code for note in system.notes}
                else:
                    assert 100 * value == pytest.approx(number, abs=0.005 + 1e-9)
    average = "kbp2015" if case["scorer_version"] == "1.6.2" else "kbp"
    for metric, number in case.get("coref_F1", {}).items():
        own = average if metric == "average" else METRICS[metric]
        assert 100 * system[f"coref.{own}"].f1 == pytest.approx(number, abs=CUT_OFF)
    for metric, kind in (("after", "After"), ("subevent", "Subevent"), ("sequence", "All")):
        if "sequencing" in case:
            scores = system[f"nugget.{metric}"]
            own = [100 * scores.f1, 100 * scores.precision, 100 * scores.recall]
            assert own == pytest.approx(list(case["sequencing"][kind].values()), abs=1e-3)
