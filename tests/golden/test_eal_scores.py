"""Scores of event arguments and linking as the official programs compute them, and the tables of the proposal."""

import json
import math
from pathlib import Path

import pytest

from adjudge.errors import ValidationError
from adjudge.formats.eal_store import FramesWriter, KeyWriter, StoreWriter
from adjudge.model.eal import AnswerKey, Argument, Arguments, Assessment, Cas, Frame, Linking, Response, Span
from adjudge.stats.points import Additive
from adjudge.stats.resample import bootstrap
from adjudge.tasks.eal.compare import compare, prepare
from adjudge.tasks.eal.measures import document_scores, measures, table_of
from adjudge.tasks.eal.proposal import EXAMPLES, ceaf_examples, table_1
from adjudge.tasks.eal.ranking import java_indices, java_weights, percentile, rank_systems
from adjudge.tasks.eal.settings import Settings, settings
from adjudge.tasks.eal.task import tables_of
from eal_keys import compare_values, counted

HERE = Path(__file__).parent
CASES = json.loads((HERE / "eal.json").read_text())
CORPUS = HERE / "eal" / "corpusA"
EXPECTED = json.loads((CORPUS / "expected.json").read_text())
SYSTEMS = {name: CORPUS / "systems" / name for name in ("S0", "S1", "S2")}
MODES = {"with_realis": None, "neutralize_realis": "realis", "neutralize_realis_coref": "coref"}
RIGHT = Assessment("C", "C", "C", "C", "Actual", "NAME")

SETS = CASES["set_level_scoring"]
MICRO = CASES["micro_documents_2015"]["rows"]


def test_all_cases_are_here():
    assert (len(SETS), len(MICRO), len(CASES["table1_proposal"])) == (64, 30, 5)


# Sets of letters


def letter(name, realis="Actual", filler=(0, 1)):
    at = Span(0, 1)
    filler = Span(*filler)
    return Response("DOC", "Conflict.Attack", "Victim", Cas(name, at), filler, (filler,), (), realis)


def frames_of(groups, responses):
    return Linking("DOC", [Frame(frozenset(responses[name] for name in group)) for group in groups])


@pytest.mark.parametrize("profile", ["spec", "bbn-2015"])
@pytest.mark.parametrize("row", SETS, ids=lambda row: row["name"])
def test_set_level_scoring(row, profile):
    names = [*row["correct"], *row["incorrect"]]
    realis = {name: "Generic" if name in row["generic"] else "Actual" for name in names}
    responses = {name: letter(name, realis[name]) for name in names}
    assessed = {
        responses[name]: RIGHT._replace(realis=realis[name]) if name in row["correct"] else Assessment("W")
        for name in names
    }
    coref = {response.cas: number for number, response in enumerate(responses.values())}
    system = {responses[name] for frame in row["system_frames"] for name in frame}
    chosen = settings(profile)
    found = compare_values(
        Arguments("DOC", [Argument(each) for each in system]),
        frames_of(row["system_frames"], responses),
        AnswerKey("DOC", assessed, (), coref),
        frames_of(row["reference_frames"], responses),
        chosen,
    )
    (scores,) = document_scores(table_of(["DOC"], [found.row], chosen), chosen)
    links, expected = found.observed.links, row["expected"]
    assert (scores["tp"], scores["fp"], scores["fn"]) == (expected["tp"], expected["fp"], expected["fn"])
    raw, overall = expected["arg_raw"], expected["doc_score_unclipped"]
    if profile == "spec" and raw < 0:  # the proposal clips a document at 0
        overall -= 0.5 * raw / (expected["tp"] + expected["fn"])
        raw = 0.0
    assert scores["raw"] == pytest.approx(raw, abs=1e-12)
    assert links.f == pytest.approx(expected["link_sum"], abs=1e-9)
    assert links.size == expected["link_norm"]
    assert scores["link-precision"] == pytest.approx(expected["link_p"], abs=1e-9)
    assert scores["link-recall"] == pytest.approx(expected["link_r"], abs=1e-9)
    assert scores["linking"] == pytest.approx(expected["link_f"], abs=1e-9)
    assert scores["overall"] == pytest.approx(overall, abs=1e-7)


@pytest.mark.parametrize("name", CASES["footnote11_duplicate_trfr"]["scaled_link_score"])
def test_footnote_11(name):
    case = CASES["footnote11_duplicate_trfr"]
    responses = {each: letter(each) for each in "abcf"} | {"a'": letter("a", filler=(1, 2))}
    right = {"neither correct": "", "only a correct": "a", "only a' correct": "a'", "both correct": "a a'"}[
        name
    ].split()
    assessed = {
        response: RIGHT if each in ("b", "c", "f") or each in right else Assessment("W")
        for each, response in responses.items()
    }
    coref = {response.cas: number for number, response in enumerate(responses.values())}
    found = compare_values(
        Arguments("DOC", [Argument(each) for each in responses.values()]),
        frames_of(case["system_frames"], responses),
        AnswerKey("DOC", assessed, (), coref),
        frames_of(case["reference_frames"], responses),
        settings("bbn-2015"),
    )
    assert found.observed.links.f / found.observed.links.size == pytest.approx(
        case["scaled_link_score"][name], abs=1e-7
    )


# Documents of one corpus each


def of_micro(row):
    made = {}
    for name, fields in row["responses"].items():
        made[name] = Response(
            "D1",
            fields["type"],
            fields["role"],
            Cas(fields["cas"], Span(*fields["cas_offsets"])),
            Span(*fields["base_filler"]),
            tuple(sorted(Span(*each) for each in fields["pj"])),
            tuple(sorted(Span(*each) for each in fields["aj"])),
            fields["realis"],
        )
    assessed, coref = {}, {}
    for name, each in row["assessments"].items():
        mention = None if each["cas"] is None else "NAME"
        assessed[made[name]] = Assessment(each["aet"], each["aer"], each["cas"], each["bf"], each["realis"], mention)
        if each["coref"] is not None:
            coref[made[name].cas] = each["coref"]

    def linking(groups, incomplete=()):
        frames = [Frame(frozenset(made[name] for name in group)) for group in groups]
        return Linking("D1", frames, frozenset(made[name] for name in incomplete))

    system = Arguments("D1", [Argument(made[name], sure) for name, sure in row["system"].items()])
    return (
        system,
        linking(row["system_linking"]),
        AnswerKey("D1", assessed, (), coref),
        linking(row["reference_linking"], row["reference_incomplete"]),
    )


def printed(value):
    if math.isnan(value):
        return "NaN"
    return f"{100 * value:.2f}" if math.isfinite(value) else "-Infinity"


@pytest.mark.parametrize("row", MICRO, ids=lambda row: row["name"])
def test_micro_documents(row, tmp_path):
    system, linking, key, frames = of_micro(row)
    chosen = settings("bbn-2015", neutralize="realis" if row["neutralize_realis"] else None)
    expected = row["expect"]
    missing = row["name"] == "missing_system_document_is_error"
    with KeyWriter(tmp_path / "key") as writer:
        writer.write(key)
    with FramesWriter(tmp_path / "ref") as writer:
        writer.write(frames)
    with StoreWriter(tmp_path / "sys") as writer:
        if not missing:
            writer.write(system, linking)
    if missing:
        (tmp_path / "sys" / "arguments").mkdir(parents=True, exist_ok=True)
        (tmp_path / "sys" / "linking").mkdir(exist_ok=True)

    def score():
        sides = tmp_path / "key", tmp_path / "ref", {"sys": tmp_path / "sys"}
        return counted(*sides, chosen, by=["type"], bootstrap=0).result()

    if expected.get("error"):
        with pytest.raises(ValidationError):
            score()
        return
    # The order of a key decides collisions, and a file has another one than the case.
    found = compare(system, linking, prepare(key, frames, chosen), chosen)
    (scores,) = document_scores(table_of(["D1"], [found.row], chosen), chosen)
    assert (scores["tp"], scores["fp"], scores["fn"]) == (expected["tp"], expected["fp"], expected["fn"])
    assert printed(scores["argument"]) == expected["doc_argument_printed"]
    assert printed(scores["linking"]) == expected["doc_link_printed"]
    assert printed(scores["overall"]) == expected["doc_combined_printed"]
    if "collision" in row["name"]:
        return
    result = score()
    assert 100 * result["eal.argument"].score == pytest.approx(expected["aggregate_argument"], abs=1e-4)
    assert 100 * result["eal.linking"].score == pytest.approx(expected["aggregate_link"], abs=1e-4)
    assert 100 * result["eal.overall"].score == pytest.approx(expected["overall"], abs=1e-4)
    types = {score.slice["type"] for score in result.systems[0].scores if score.slice and score.part == "fn"}
    # The official program has no breakdown of types that are wrong only.
    broken_down = set(expected["event_types_broken_down"])
    assert broken_down <= types
    for extra in types - broken_down:
        assert result["eal.argument"].where(type=extra).tp == result["eal.argument"].where(type=extra).fn == 0


# A corpus


@pytest.fixture(scope="module", params=MODES)
def corpus(request):
    chosen = settings("bbn-2015", neutralize=MODES[request.param])
    options = {"by": ["type"], "bootstrap": 50, "seed": 0, "interval": "percentile"}
    evaluation = counted(CORPUS / "key", CORPUS / "ref", SYSTEMS, chosen, **options)
    return request.param, evaluation, evaluation.result()


def test_corpus_aggregate(corpus):
    mode, _, result = corpus
    for name in SYSTEMS:
        expected, found = EXPECTED["modes"][mode][name]["aggregate"], result.system(name)
        argument, linking = expected["argument"], expected["linking"]
        for part in ("tp", "fp", "fn"):
            assert found["eal.argument"][part] == argument[part]
        for metric, part, value in (
            ("eal.argument", "precision", argument["precision"]),
            ("eal.argument", "recall", argument["recall"]),
            ("eal.argument", "score", argument["overall"]),
            ("eal.linking", "precision", linking["precision"]),
            ("eal.linking", "recall", linking["recall"]),
            ("eal.linking", "score", linking["overall"]),
            ("eal.overall", "score", expected["overall"]),
        ):
            assert 100 * found[metric][part] == pytest.approx(value, abs=1e-4), (name, metric, part)


def test_corpus_types_and_documents(corpus):
    mode, evaluation, result = corpus
    tables = tables_of(evaluation)
    for name in SYSTEMS:
        expected = EXPECTED["modes"][mode][name]
        for type_, values in expected["by_event_type_arg_P_R_score_printed"].items():
            found = result.system(name)["eal.argument"].where(type=type_)
            for part, value in zip(("precision", "recall", "score"), values, strict=True):
                assert 100 * found[part] == pytest.approx(value, abs=0.0051)
        for scores in document_scores(tables[name], evaluation.task.settings):
            each = expected["per_document_printed"][scores["document"]]
            for part, field in (("argument", "arg"), ("linking", "link"), ("overall", "combined")):
                value = float(each[field].replace("Infinity", "inf"))
                assert 100 * scores[part] == pytest.approx(value, abs=0.0051, nan_ok=True)
            for part, value in zip(("link-precision", "link-recall", "linking"), each["link_prf"], strict=True):
                assert 100 * scores[part] == pytest.approx(float(value), abs=0.051)


def test_corpus_bootstrap_and_ranking(corpus):
    mode, evaluation, _ = corpus
    formulas, tables = measures(evaluation.task.settings), tables_of(evaluation)
    estimators = {name: Additive(each, formulas) for name, each in tables.items()}
    samples = bootstrap(estimators, resamples=50, seed=0, weights=java_weights)
    expected = EXPECTED["ranking_own_computation"][mode]
    ranking = rank_systems(tables, formulas, resamples=50, seed=0, draws="java", percentiles="nist")
    assert [each.system for each in ranking.standings] == expected["ranking"]
    for each in ranking.standings:
        assert 100 * each.median == pytest.approx(expected["median"][each.system], abs=1e-4)
        assert each.wins == pytest.approx(expected["win_fraction"][each.system])
        drawn = 100 * samples[each.system]["eal.overall", "score"]
        assert drawn == pytest.approx(EXPECTED["modes"][mode][each.system]["bootstrap_overall"], abs=1e-4)
        f1 = (100 * samples[each.system]["eal.argument", "f1"]).tolist()
        link = (100 * samples[each.system]["eal.linking", "score"]).tolist()
        quarters = [percentile(values, share) for values in (f1, link) for share in (0.25, 0.75)]
        shown = EXPECTED["modes"][mode][each.system]["bootstrap_printed_argF1_p25_p75_link_p25_p75"]
        assert quarters == pytest.approx(shown, abs=0.0051)


def test_intervals_are_of_these_samples(corpus):
    mode, _, result = corpus
    for name in SYSTEMS:
        drawn = [each / 100 for each in EXPECTED["modes"][mode][name]["bootstrap_overall"]]
        found = result.system(name)["eal.overall"].score
        assert found.low == pytest.approx(percentile(drawn, 0.025), abs=1e-6)
        assert found.high == pytest.approx(percentile(drawn, 0.975), abs=1e-6)
    assert "draws:java" in result.signature
    assert "seed:0|boot:50" in result.signature


@pytest.mark.parametrize("profile", ["bbn-2015", "bbn-2014"])
def test_corpus_2014(profile):
    result = counted(CORPUS / "key", CORPUS / "ref", SYSTEMS, settings(profile), bootstrap=0).result()
    for name, expected in EXPECTED["scorer2014_late_release_standard"].items():
        found = result.system(name)["eal2014.standard"]
        assert {part: found[part] for part in ("tp", "fp", "fn")} == expected


# Draws and percentiles


@pytest.mark.parametrize("row", CASES["bootstrap_index_sequences"]["rows"], ids=lambda row: f"{row['n']}-{row['seed']}")
def test_draws(row):
    assert java_indices(row["n"], len(row["samples"]), row["seed"]).tolist() == row["samples"]


def test_percentiles():
    case = CASES["percentiles_nist"]
    for share, value in case["percentile"]:
        assert percentile(case["data"], share) == pytest.approx(value)
    official = case["java_test"]
    assert percentile(official["nist_data"], 0.9) == pytest.approx(official["p90"], abs=1e-4)
    assert percentile(official["second_data"], 0.4) == pytest.approx(official["second_p40_nist"])
    assert percentile(case["data"], 0.5) == pytest.approx(case["median"])


# The proposal


@pytest.mark.parametrize("row", CASES["table1_proposal"], ids=lambda row: row["system"])
def test_table_1(row):
    (found,) = [each for each in table_1() if each.system == row["system"]]
    assert (100 * found.precision, 100 * found.recall) == (row["P"], row["R"])
    assert f"{100 * found.f1:.1f}" == f"{row['F1']:.1f}"
    assert [f"{100 * value:.1f}" for value in found.proposed] == [f"{value:.1f}" for value in row["proposed"]]
    assert [f"{100 * value:.1f}" for value in found.using_f] == [f"{value:.1f}" for value in row["using_f"]]


def test_table_1_argues_against_f():
    rows = {each.system: each for each in table_1()}
    for place in range(3):
        assert max(rows.values(), key=lambda each: each.using_f[place]).system == "Ignore_Prec"
        assert min(rows.values(), key=lambda each: each.proposed[place]).system == "Ignore_Prec"


def test_ceaf_examples():
    one, two, three = ceaf_examples()
    assert (one.proposed, two.proposed, three.proposed) == pytest.approx((2 / 15, 4 / 15, 4 / 15))
    # Of the two halves of a frame CEAF counts one: the links of the other are ignored.
    assert one.ceafm == pytest.approx((2 / 4, 2 / 15, 4 / 19))
    # Spurious members: the same score for both, as the proposal says; B-cubed and BLANC see them.
    assert two.ceafm == three.ceafm == pytest.approx((4 / 7, 4 / 15, 8 / 22))
    assert three.b3[2] < two.b3[2]
    assert three.blanc < two.blanc
    assert list(EXAMPLES) == [each.name for each in (one, two, three)]
    expected = {row["name"]: row["expected"]["link_f"] for row in SETS if row["name"].startswith("proposal")}
    assert expected == {f"proposal {each.name}": pytest.approx(each.proposed) for each in (one, two, three)}


def test_most_specific_temporal():
    case = CASES["most_specific_temporal"]

    def time(text, span):
        start, end = map(int, span.split("-"))
        at = Span(start, end)
        return Response("d", "Conflict.Attack", "Time", Cas(text, at), at, (at,), (), "Actual")

    answers = {"CAS correct": RIGHT, "CAS wrong": RIGHT._replace(cas="W")}
    assessed = {time(text, span): answers[answer] for text, span, answer in case["key"]}
    key = AnswerKey("d", assessed, (), {each.cas: number for number, each in enumerate(assessed)})
    prepared = prepare(key, None, Settings(settings("bbn-2015").profile, linking=False))
    system = Arguments("d", [Argument(time(text, span)) for text, span in case["system"]])
    found = compare(system, None, prepared, Settings(settings("bbn-2015").profile, linking=False))
    left = [
        argument.response for argument, code in zip(system.arguments, found.observed.codes, strict=True) if code >= 0
    ]
    assert left == [time(text, span) for text, span in case["system_after"]]
