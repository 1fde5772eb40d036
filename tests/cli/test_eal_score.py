"""`adjudge eal score` and `adjudge eal proposal-tables` from the command line."""

import csv
import json
import re
import shutil
from pathlib import Path

import jsonschema
import pytest

from adjudge.cli import run
from adjudge.stats.result import Result
from adjudge.stats.saved import decode_result, json_schema

CORPUS = Path(__file__).parents[1] / "golden" / "eal" / "corpusA"
KEY, REF = str(CORPUS / "key"), str(CORPUS / "ref")
S0, S1, S2 = (str(CORPUS / "systems" / name) for name in ("S0", "S1", "S2"))
OFFICIAL = ("--profile", "bbn-2015")


@pytest.fixture
def call(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def called(*arguments, command="score"):
        code = run(["eal", command, *arguments])
        out, err = capsys.readouterr()
        return code, out, err

    return called


@pytest.fixture
def score(call):
    def scored(*arguments):
        return call("--key", KEY, "--frames", REF, *arguments)

    return scored


def test_one_system(score):
    code, out, err = score(S0, *OFFICIAL, "--bootstrap", "50", "--interval", "percentile")
    assert (code, err) == (0, "")
    assert out.splitlines()[0].split() == ["metric", "precision", "recall", "f1", "tp", "fp", "fn", "score"]
    assert "eal.overall" in out
    assert "profile    bbn-2015" in out
    assert "seed:0|boot:50|draws:java" in out
    assert "note: " in out
    assert "responses removed as times that say less than a correct one" in out
    assert "are spurious beside right ones" in out


def test_several_systems_are_ranked(score):
    code, out, _ = score("S0=" + S0, "one=" + S1, S2, *OFFICIAL, "--bootstrap", "50", "--seed", "0")
    assert code == 0
    lines = out.splitlines()
    assert lines[0] == "ranking by the median over 50 corpora (seed 0, java)"
    assert [line.split()[1] for line in lines[2:5]] == ["one", "S0", "S2"]
    assert lines[2].split()[2] == "37.0"
    assert "comparison (jackknife)" not in out
    pairs = score("S0=" + S0, "one=" + S1, S2, *OFFICIAL, "--bootstrap", "50", "--seed", "0", "--pairs")[1]
    assert "comparison (jackknife)" in pairs
    assert "share of corpora (%) in which the row is above the column" in pairs
    assert "ranking" not in score(S0, S1, *OFFICIAL, "--bootstrap", "20", "--no-rank")[1]
    assert "ranking" not in score(S0, S1, *OFFICIAL, "--bootstrap", "0")[1]
    assert score(S0, *OFFICIAL, "--bootstrap", "0", "--rank")[0] == 2


def test_json_has_the_contract_and_the_ranking(score):
    code, out, _ = score(S0, S1, *OFFICIAL, "--bootstrap", "50", "--format", "json")
    assert code == 0
    data = json.loads(out)
    jsonschema.validate(data, json_schema())
    assert "ranking" in json_schema()["$defs"]["Result"]["properties"]
    assert decode_result(out.encode()).ranking[0].rank_shares == pytest.approx({1: 0.78, 2: 0.22})
    scores = {(s["metric"], s["part"]): s for s in data["systems"][0]["scores"]}
    assert scores["eal.argument", "tp"]["value"] == 53
    assert scores["eal.overall", "score"]["value"] == pytest.approx(0.30746352, abs=1e-6)
    assert [each["system"] for each in data["ranking"]][:2] == ["S1", "S0"]
    assert data["ranking"][0]["wins"] == {"S0": pytest.approx(0.78)}
    assert data["comparisons"][0]["test"] == "jackknife"


def test_several_processes_give_the_same_numbers(score, tmp_path):
    archive = shutil.make_archive("S0", "zip", S0)
    texts = tmp_path / "texts"
    texts.mkdir()
    for n in range(12):
        (texts / f"DOC{n:02d}").write_text(("<quote></quote>" if n < 6 else "text ") + " " * 2000)
    options = (*OFFICIAL, "--bootstrap", "20", "--by", "type", "--docs-text", "texts", "--format", "json")
    one, two = (score(archive, S1, *options, "--jobs", jobs) for jobs in ("1", "2"))
    assert one[0] == 0
    assert one == two  # also to the last digit, although each process has its own order of sets
    Path("filter").write_text("1\nDOC00\n0-3\n")
    one, two = (score(S0, *OFFICIAL, "--quotes", "filter", "--jobs", jobs) for jobs in ("1", "2"))
    assert one[0] == 1
    assert one == two


def test_the_signature_tells_decisions_genres_and_samples_apart(score):
    def signature(*more):
        return json.loads(score(S0, "--bootstrap", "0", "--format", "json", *more)[1])["signature"]

    assert "|decided:unassessed=ignore,unlinked=drop|" not in signature(*OFFICIAL)
    both = signature("--unlinked", "drop", "--unassessed", "ignore")
    assert "|decided:unlinked=drop,unassessed=ignore|" in both
    assert signature("--decide", "unlinked=drop", "--decide", "unassessed=ignore") == both
    for name, genre in (("one", "forum"), ("other", "newswire")):
        Path(name).write_text(f"DOC00\t{genre}\n")
    lists = [signature(*OFFICIAL, "--by", "genre", "--genre-list", name) for name in ("one", "other")]
    assert lists[0] != lists[1]
    assert (
        len({signature(*OFFICIAL, *more) for more in ((), ("--beta", "1"), ("--lambda", "1"), ("--docs", "DOC00"))})
        == 4
    )


def test_sides_that_do_not_belong_together(call, score, tmp_path):
    strange = tmp_path / "strange"
    for kind in ("arguments", "linking"):
        (strange / kind).mkdir(parents=True)
        (strange / kind / "OTHER").write_text("")
    code, _, err = score("strange", *OFFICIAL)
    assert (code, "no document is in common with" in err and "'OTHER' here and" in err) == (1, True)
    code, _, err = call("--key", S0, "--frames", REF, S1)
    assert (code, "this is a submission, not a key" in err) == (2, True)


def test_a_missing_linking_file_is_told(score):
    shutil.copytree(S0, "loose")
    Path("loose/linking/DOC02").unlink()
    code, out, _ = score("loose", "--unlinked", "drop", "--bootstrap", "0")
    assert code == 0
    assert "1 document has responses and no linking file, so nothing is linked there (DOC02)" in out


def test_the_program_of_2014(call):
    code, out, _ = call("--key", KEY, S0, "--profile", "bbn-2014", "--bootstrap", "0", "--format", "json")
    assert code == 0
    scores = {(s["metric"], s["part"]): s["value"] for s in json.loads(out)["systems"][0]["scores"]}
    assert [scores["eal2014.standard", part] for part in ("tp", "fp", "fn")] == [53, 47, 44]
    assert {"eal2014.strict", "eal2014.lax"} <= {metric for metric, _ in scores}
    assert not any(metric.startswith("eal.linking") for metric, _ in scores)


def test_weights_slices_and_extras(score):
    options = ("--unlinked", "drop", "--bootstrap", "0", "--format", "json")
    code, out, _ = score(S0, *options, "--beta", "0", "--lambda", "1", "--by", "type", "--by", "role", "--also", "f")
    assert code == 0
    data = json.loads(out)
    scores = {(s["metric"], s["part"]): s["value"] for s in data["systems"][0]["scores"] if not s["slice"]}
    assert scores["eal.overall", "score"] == scores["eal.argument", "score"] == scores["eal.argument", "recall"]
    assert scores["eal.overall.f", "score"] == pytest.approx(scores["eal.argument", "f1"])
    assert {tuple(s["slice"]) for s in data["systems"][0]["scores"]} == {(), ("type",), ("role",)}
    assert "|beta:0|lambda:1|decided:unlinked=drop|also:f|" in data["signature"]
    code, out, _ = score(S0, *options, "--also", "ceaf", "--also", "b3", "--also", "blanc")
    metrics = {s["metric"] for s in json.loads(out)["systems"][0]["scores"]}
    assert {f"eal.linking.{name}" for name in ("ceafm", "ceafe", "b3", "blanc")} <= metrics


def test_genres_and_documents(score, tmp_path):
    Path("genres").write_text("".join(f"DOC{n:02d}\t{'forum' if n < 6 else 'newswire'}\n" for n in range(12)))
    Path("list").write_text("".join(f"DOC{n:02d}\n" for n in range(6)))
    options = (*OFFICIAL, "--bootstrap", "0", "--format", "json")

    def overall(*more, **where):
        data = json.loads(score(S0, *options, *more)[1])
        (found,) = [
            s["value"]
            for s in data["systems"][0]["scores"]
            if (s["metric"], s["part"], s["slice"]) == ("eal.overall", "score", where)
        ]
        return found

    forum = overall("--genre-list", "genres", "--genre", "forum")
    assert forum == overall("--docs", "list") == overall("--genre-list", "genres", "--by", "genre", genre="forum")
    assert forum != overall()
    code, _, err = score(S0, *options, "--genre", "newswire")
    assert code == 2
    assert "no document is newswire" in err


def test_quotes(score, tmp_path):
    Path("filter").write_text("12\n" + "".join(f"DOC{n:02d}\n{'0-3' if n < 6 else ''}\n" for n in range(12)))
    code, out, _ = score(S0, *OFFICIAL, "--bootstrap", "0", "--quotes", "filter")
    assert code == 0
    assert "responses removed as quotations" in out
    (first,) = re.findall(r"\|quotes:removed#\w{4}\|", out)
    texts = tmp_path / "texts"
    texts.mkdir()
    for n in range(12):
        (texts / f"DOC{n:02d}").write_text(("<quote></quote>" if n < 6 else "text ") + " " * 2000)
    code, other, _ = score(S0, *OFFICIAL, "--bootstrap", "0", "--docs-text", "texts")
    assert code == 0
    assert "as quotations" in other
    assert first not in other  # other quotations
    Path("filter").write_text("1\nDOC00\n0-3\n")
    code, _, err = score(S0, *OFFICIAL, "--quotes", "filter")
    assert code == 1
    assert "the document 'DOC01' is not listed here" in err
    assert score(S0, "--quotes", "filter", "--docs-text", "texts")[0] == 2


@pytest.mark.parametrize("profile", ["bbn-2015", "bbn-2014"])
def test_saved_results_of_official_profiles_can_be_compared(score, capsys, profile):
    options = ("--profile", profile, "--bootstrap", "20", "--lambda", "0.25")
    for name, path in (("S0", S0), ("S1", S1)):
        assert score(path, *options, "--save", f"{name}.json")[0] == 0
    both = json.loads(score(S0, S1, *options, "--format", "json")[1])
    assert run(["compare", "S0.json", "S1.json", "--format", "json"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert [each["difference"] for each in again["comparisons"]] == [each["difference"] for each in both["comparisons"]]
    values = [[s["value"] for system in data["systems"] for s in system["scores"]] for data in (both, again)]
    assert values[0] == values[1]


def test_scores_of_documents(score):
    code, _, _ = score(S0, *OFFICIAL, "--bootstrap", "0", "--per-document", "documents.tsv")
    assert code == 0
    header, *rows = [line.split("\t") for line in Path("documents.tsv").read_text().splitlines()]
    assert header[:3] == ["system", "document", "tp"]
    assert len(rows) == 12
    first = dict(zip(header, rows[0], strict=True))
    assert (first["document"], f"{100 * float(first['overall']):.2f}") == ("DOC00", "7.14")


def test_explain(score):
    code, out, _ = score(S0, S1, *OFFICIAL, "--explain", "DOC02")
    assert code == 0
    assert "the event type is wrong" in out
    assert re.search(r"^links +\d+ gained: ", out, re.MULTILINE)
    assert out.count("DOC02  ") == 2
    code, out, _ = score(S0, *OFFICIAL, "--explain", "DOC02", "--format", "json")
    (metric,) = json.loads(out)[0]["metrics"]
    assert {pair["outcome"] for pair in metric["pairs"]} == {"correct", "wrong"}
    assert score(S0, *OFFICIAL, "--explain", "DOC02", "--by", "type")[0] == 2
    assert score(S0, *OFFICIAL, "--explain", "DOC99")[0] == 2


def test_diagnostics(score):
    def argument(*more):
        out = score(S0, "--unlinked", "drop", "--bootstrap", "0", "--format", "json", *more)[1]
        scores = {(s["metric"], s["part"]): s["value"] for s in json.loads(out)["systems"][0]["scores"]}
        return scores["eal.argument", "score"]

    plain = argument()
    assert argument("--neutralize", "realis") > plain
    assert argument("--neutralize", "coref") > plain
    assert argument("--taxonomy", "collapsed") != plain
    assert argument("--pool", "macro") != plain
    assert argument("--decide", "x_year=no") != plain


def test_mistakes(call, score, tmp_path):
    shutil.copytree(S0, "loose")
    Path("loose/linking/DOC02").write_text("")
    code, _, err = score("loose")
    assert code == 1
    assert err.count("in no frame, link it") > 3
    assert "--unlinked" in err
    for arguments, said in (
        ((f"x={S0}", f"x={S0}"), "two systems are called 'x'"),
        (("nothing",), "nothing"),
        ((S0, "--decide", "colour=blue"), "no profile decides 'colour'"),
        ((S0, "--decide", "x_year=perhaps"), "x_year cannot be 'perhaps', write yes or no"),
        ((S0, "--decide", "draws=dice"), "draws cannot be 'dice', it is numpy or java"),
        ((S0, "--decide", "measures=lax,loose"), "measures cannot be 'lax,loose', write one or more of standard, "),
        ((S0, "--decide", "bootstrap_seed=-1"), "bootstrap_seed cannot be '-1', write a whole number"),
        ((S0, "--decide", "x_year"), "NAME=VALUE"),
        ((S0, "--by", "colour"), "cannot slice by 'colour'"),
        ((S0, "--beta", "-1"), "beta is -1"),
        ((S0, "--save", "a.json", "-o", "a.json"), "same file"),
    ):
        code, _, err = score(*arguments, *OFFICIAL)
        assert (code, said in err) == (2, True), (arguments, err)
    code, _, err = call("--key", KEY, S0, "--also", "b3")
    assert code == 2
    assert "needs reference frames" in err
    assert "Traceback" not in err
    assert not list(tmp_path.glob("*.json"))


def test_proposal_tables(call):
    code, out, _ = call(command="proposal-tables")
    assert code == 0
    assert "Ignore_Prec" in out
    assert out.count("36.36") >= 2
    code, out, _ = call("--format", "json", "--beta", "0.5", "-o", "tables.json", command="proposal-tables")
    assert (code, out) == (0, "")
    assert json.loads(Path("tables.json").read_text())["beta"] == 0.5
    code, out, _ = call("--format", "csv", command="proposal-tables")
    cells = {(row["row"], row["column"]): float(row["value"]) for row in csv.DictReader(out.splitlines())}
    assert cells["2014_Rank1", "proposed, link 0.8"] == pytest.approx(0.176, abs=5e-4)
    assert cells["example 2", "proposed"] == cells["example 3", "proposed"] == pytest.approx(4 / 15)
    assert "| 2014_Rank1 | 43 |" in call("--format", "md", command="proposal-tables")[1]
    assert call("--format", "latex", command="proposal-tables")[1].count(r"\end{table}") == 2


def test_responses_in_quotations(call):
    """They are not in the pool, so nobody has assessed them: scores leave them out, and say where they stand."""
    from adjudge.demo import DATA

    data = DATA / "eal"
    usual = ("--key", str(data / "assessments"), "--frames", str(data / "frames"), str(data / "submissions" / "marble"))
    code, _, err = call(*usual)
    assert code == 1
    assert "; if it is in a quotation, leave it out with --quotes-in SOURCES;" in err
    quoted = (*usual, "--docs-text", str(data / "sources"))
    code, out, _ = call(*quoted, "--bootstrap", "0")
    assert (code, "10 of 230 responses removed as quotations" in out) == (0, True)
    code, _, err = call(*quoted, *OFFICIAL)  # whose redundant responses were not assessed
    assert (code, "complete the assessment, or choose" in err, "quotation" in err) == (1, True, False)
    _, out, _ = call(*quoted, "--explain", "MINI_DF_01")
    line = next(line for line in out.splitlines() if "in a quotation" in line)
    assert line.startswith("ignored ")
    assert line.endswith("(24f747e33a2f): the base filler and the CAS are in a quotation")


def test_documents_are_saved_with_their_texts(call):
    from adjudge.demo import DATA
    from adjudge.stats.panel import check_panel
    from eal_keys import GRAPHS

    data = DATA / "eal"
    systems = (str(data / "submissions" / name) for name in ("slate", "granite"))
    usual = (str(data / "assessments"), *systems, "--frames", str(data / "frames"))
    more = ("--texts", str(data / "sources"), "--unassessed", "ignore", "--bootstrap", "20", "--by", "type")
    saved = []
    for jobs in ("1", "2"):
        assert call(*usual, *more, "--jobs", jobs, "--save-documents", "--save", f"{jobs}.json")[0] == 0
        saved.append(Result.load(f"{jobs}.json"))
    assert Path("1.json").read_bytes() == Path("2.json").read_bytes()
    document = saved[0].documents[0]
    item = next(item for item in document.items if item.text == "Runa Hollbeck")
    assert document.text[slice(*item.place[0])] == "Runa Hollbeck"
    assert len(saved[0].systems[0].aligned) == len(saved[0].documents) == 12
    panels = {panel.name: panel for panel in saved[0].panels}
    assert tuple(panels) == (*GRAPHS, "changes")[: len(panels)]
    for panel in panels.values():
        check_panel(panel)
    scores = {s.name: next(x.value for x in s.scores if x.metric == "eal.overall") for s in saved[0].systems}
    assert dict(row[:2] for row in panels["bootstrap-overall"].rows) == scores
    for _, _, *box in panels["bootstrap-overall"].rows:
        assert box[:5] == sorted(box[:5])
        assert box[1] <= box[5] <= box[2] <= box[6] <= box[3]
    beta = next(row for row in panels["scores-beta"].rows if row[0] == 0.25)
    assert beta[1:] == pytest.approx([scores["slate"], scores["granite"]])


def test_a_cas_in_two_clusters_joins_them(call):
    """Ann is in clusters 1 and 2, her in 2 and she in 1: three names of one person, so one class and not two."""
    line = "{id}\td\tLife.Die\tVictim\t{cas}\t{at}\t0-90\t{filler}\tNIL\tActual\t1.0"
    answers = "\tC\tC\tC\tC\t{cluster}\tActual\tNAME"
    rows = [("Ann", "0-2", 1), ("Ann", "0-2", 2), ("her", "4-6", 2), ("she", "8-10", 1), ("Bob", "20-22", 3)]
    lines = [
        (line.format(id=n, cas=cas, at=at, filler=f"{30 + n}-50"), answers.format(cluster=cluster))
        for n, (cas, at, cluster) in enumerate(rows)
    ]
    for folder in ("key", "sub/arguments"):
        Path(folder).mkdir(parents=True)
    Path("key/d").write_text("".join(f"{one}{two}\n" for one, two in lines))
    Path("sub/arguments/d").write_text("".join(f"{one}\n" for one, _ in (lines[2], lines[3])))
    code, out, _ = call("--key", "key", "sub", "--bootstrap", "0", "--format", "json")
    assert code == 0
    result = json.loads(out)
    (system,) = result["systems"]
    scores = {each["part"]: each["value"] for each in system["scores"] if each["metric"] == "eal.argument"}
    assert (scores["tp"], scores["fp"], scores["fn"]) == (1, 0, 1)  # of Ann and Bob
    notes = [note["message"] for note in system["notes"] if note["code"] == "clusters-joined"]
    assert notes == ["the key: 1 CAS is in several clusters, which are joined, because coreference is transitive"]
    code, _, err = call("--key", "key", "sub", *OFFICIAL)
    assert code == 1
    assert "key/d:2:63: the CAS 'Ann' is in cluster 2 here, in 1 on line 1, give it one cluster" in err
