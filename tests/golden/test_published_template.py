"""Templates: the published scorers GRIT, GTT, IterX and the error analysis of Das et al., to the digit they print."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from adjudge.errors import ValidationError
from adjudge.metrics import find
from adjudge.scorers import auto_err, grit, gtt, iterx

HERE = Path(__file__).parent
CASES = json.loads((HERE / "published.json").read_text("utf-8"))["cases"]
VIEW = {case["id"]: case for case in json.loads((HERE / "metrics.json").read_text("utf-8"))["cases"]}
ALL = {case["id"]: case for case in CASES}


def of(prefix):
    found = [case for case in CASES if case["id"].startswith(prefix) and not case["id"].endswith("-corpus")]
    return pytest.mark.parametrize("case", found, ids=[case["id"] for case in found])


def lines(documents, field):
    return "".join(json.dumps({"docid": key, field: value}) + "\n" for key, value in documents.items()).encode()


def whole(documents, field):
    return json.dumps({key: {field: value} for key, value in documents.items()}).encode()


def sums(published, prefix, columns):
    return [sum(row[f"{prefix}{column}"] for _, row in published.rows) for column in columns]


@of("grit-")
@pytest.mark.parametrize("similarity", ["strict", "prop"])
def test_grit(case, similarity):
    given, expected = case["input"], case["expected"]
    files = lines(given["gold"], "extracts"), whole(given["pred"], "pred_extracts")
    if "raises" in expected:
        if "KeyError" in expected["raises"] or similarity == "prop":
            with pytest.raises(ValidationError):
                grit.run(*files, similarity=similarity)
        else:  # the entity without mentions fits, and only the other similarity fails
            assert sums(grit.run(*files), "", grit.COLUMNS) == [1, 1, 1]
        return
    found = grit.run(*files, similarity=similarity)
    for name, numbers in expected[similarity].items():
        prefix = "" if name == grit.MICRO else f"{name}:"
        wanted = [numbers[key] for key in ("p_num", "p_den", "r_den")]
        assert sums(found, prefix, grit.COLUMNS) == pytest.approx(wanted)
        p, r, f1 = (100 * numbers[part] for part in ("p", "r", "f1"))
        assert f" {name} " in found.text
        assert f"P: {p:.2f}%,  R: {r:.2f}%, F1: {f1:.2f}%\n" in found.text


@of("gtt-")
def test_gtt(case):
    given = case["input"]
    found = gtt.run(lines(given["gold"], "templates"), whole(given["pred"], "pred_templates"))
    for name, numbers in case["expected"].items():
        prefix = "" if name == gtt.MICRO else f"{name}:"
        assert sums(found, prefix, gtt.COLUMNS) == [numbers[key] for key in ("p_num", "p_den", "r_num", "r_den")]


@of("rme-")
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("phi-subset", {"phi": "subset"}),
        ("phi-3", {}),
        ("phi-3-entity-denominators (released comparison files)", {"denominators": "files"}),
    ],
)
def test_iterx(case, name, options):
    given, numbers = case["input"], case["expected"][name]
    answers = "".join(json.dumps({key: value}) + "\n" for key, value in given["pred"].items()).encode()
    found = iterx.run(lines(given["gold"], "templates"), answers, **options)
    assert sums(found, "", iterx.COLUMNS) == [numbers[key] for key in ("p_num", "p_den", "r_num", "r_den")]
    values = [float(line.split()[1]) for line in found.text.splitlines()]
    assert values == [round(numbers[part], 4) for part in ("p", "r", "f1")]


@of("das-")
def test_auto_err(case):
    given, expected = case["input"], case["expected"]
    document = {"doctext": given["doctext"], "gold_templates": given["gold"], "pred_templates": given["pred"]}
    file = json.dumps({"d": document}).encode()
    found = auto_err.run(file, file).text.splitlines()
    for name, (p, r, f1) in expected["prf"].items():
        assert f"{name}: Precision : {p:.4f}, Recall : {r:.4f}, F1 : {f1:.4f}" in found
    errors = {line.removeprefix("| |-").rpartition(": ")[0]: line.rpartition(": ")[2] for line in found if ":" in line}
    assert float(errors["Error Score"]) == expected["error_score"]
    for name, number in expected["errors"].items():
        assert float(errors[name]) == number


def test_better_is_the_product():
    """Three of five and four types: 2/3; ten of sixteen and twenty fillers: 5/9; 2/3 * 5/9 = 10/27."""
    case = ALL["better-granular-hand"]

    def template(kind, *fillers):
        return {"type": kind, "fillers": [{"role": "s", "mentions": [each]} for each in fillers]}

    names = [f"n{number}" for number in range(30)]
    gold = [template("A", *names[:10]), template("B", *names[10:15]), template("C", *names[15:20]), template("D")]
    system = [template("A", *names[:10]), template("B", *names[20:26]), template("C"), template("E"), template("F")]
    better = find("template.better")
    types, fillers = (
        {member.name: member for member in better.members}[f"template.better-{each}"].score(gold, system).f1
        for each in ("types", "fillers")
    )
    assert types == pytest.approx(case["expected"]["template_f1"])
    assert fillers == pytest.approx(case["expected"]["slot_f1"])
    assert better.score(gold, system).score == pytest.approx(case["expected"]["combined"])


# The equations


def one(entities, kind="A"):
    return [{"type": kind, "fillers": [{"role": role, "mentions": mentions} for role, mentions in entities]}]


@pytest.mark.parametrize(
    ("name", "metric"),
    [
        ("ceaf_ree_grit1", "template.ceaf-ree"),
        ("ceaf_ree_grit3", "template.ceaf-ree"),
        ("ceaf_ree_strictness", "template.ceaf-ree"),
        ("ceaf_rme_subset", "template.ceaf-rme"),
        ("ceaf_rme_phi3", "template.ceaf-rme(phi=3)"),
    ],
)
def test_equations(name, metric):
    case = VIEW[name]
    found = find(metric).score(one(case["ref"]), one(case["pred"]))
    for part, value in case["expected"].items():
        assert found[part] == pytest.approx(value)


def test_template_equations():
    case = VIEW["template_phi_subset"]
    gold, system = ([each for kind, fillers in case[side] for each in one(fillers, kind)] for side in ("ref", "pred"))
    for part, value in case["expected"].items():
        assert find("template.fillers").score(gold, system)[part] == pytest.approx(value)
    # The type counts as one filler of each side: P = 3/4, R = 3/3.
    like = find("template.gtt-like").score(gold, system)
    assert (like.precision, like.recall) == (0.75, 1.0)

    case = VIEW["better_granular"]
    gold, system = (
        [each for kind, fillers in case[side] for each in one([(slot, [value]) for slot, value in fillers], kind)]
        for side in ("ref", "pred")
    )
    assert find("template.better").score(gold, system).score == pytest.approx(case["expected"]["better"])


# The files of the published work


@pytest.fixture
def files(conformance):
    folder = conformance / "conformance" / "published"
    if not (folder / "gtt").is_dir():
        pytest.skip(f"needs {folder}")
    return folder


@pytest.mark.parametrize("name", ["preds_s_t", "preds_s_t_no_offset_constraint", "preds_s_t_sep_downweigh"])
def test_grit_corpus(files, name):
    folder = files / "grit_doc_event_entity"
    found = grit.run(folder / "test.json", folder / f"{name}.json").text
    assert found.splitlines()[-1] == ALL["grit-corpus"]["expected"][name]


def test_gtt_corpus(files):
    expected = ALL["gtt-corpus"]["expected"]
    folder = files / "gtt"
    sides = folder / "test.json", folder / "preds_gtt.json"
    assert gtt.run(*sides).text.splitlines()[-2] == expected["all"]
    docids = folder / "docids_event_n.json"
    several = gtt.run(*sides, event_n=">=2", docids=docids).text.splitlines()
    assert several[-2] == expected["docs with >=2 gold templates"]
    each = gtt.run(*sides, event_n="1,2,3,4", docids=docids).text
    assert each == expected["1,2,3,4 templates (micro F1 each)"] + "\n"


@pytest.mark.parametrize("model", ["bert-base", "bart-base", "t5-large-enc"])
@pytest.mark.parametrize(
    ("name", "options", "listed"),
    [
        ("phi-3", {"phi": "3"}, None),
        ("phi-subset", {"phi": "subset"}, "subset"),
        (
            "phi-3 with entity-count denominators (matches the released per-document files)",
            {"denominators": "files"},
            "phi3",
        ),
    ],
)
def test_iterx_corpus(files, model, name, options, listed):
    answers = files / "iterx" / "muc4" / f"{model}.preds.test.jsonlines"
    found = iterx.run(files / "gtt" / "test.json", answers, per_document=True, **options).text.splitlines()
    expected = ALL["iterx-corpus"]["expected"][model][name]
    assert found[-3:] == [f"iterx_muc_slot_{part}: {expected[part]}" for part in ("p", "r", "f1")]
    if listed:
        tsv = answers.with_name(f"{model}.{listed}.per_doc.tsv").read_text()
        assert found[:-3] == tsv.splitlines()


@pytest.mark.parametrize("name", ["ge_output.json", "nyu_output.json", "sri_output.json", "umass_output.json"])
def test_auto_err_corpus(files, name):
    folder = files / "auto-err-template-fill" / "muc-4"
    file = folder / f"{name}.gz"
    assert auto_err.run(file, file).text == (folder / f"{name}.expected.txt").read_text()


def test_auto_err_corpus_dygie(files):
    folder = files / "auto-err-template-fill" / "muc-4"
    file = folder / "dygie_muc_preds.out.gz"
    assert auto_err.run(file, file).text == (folder / "dygie_muc_preds.out.expected.txt").read_text()
