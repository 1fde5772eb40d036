"""`adjudge linking score`."""

import json
from pathlib import Path

import pytest

from adjudge.cli import run
from adjudge.stats.result import Result

GOLD = "d1\t0\t4\tE1\t1.0\tPER\nd1\t10\t15\tE2\t1.0\tORG\nd2\t0\t3\tE1\t1.0\tPER\n"
SYSTEM = "d1\t0\t4\tE1\t0.9\tPER\nd1\t10\t15\tNIL1\t0.8\tORG\nd2\t0\t3\tE1\t0.9\tORG\n"


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gold.tsv").write_text(GOLD)
    (tmp_path / "system.tsv").write_text(SYSTEM)
    return tmp_path


def test_the_table(files, capsys):
    assert run(["linking", "score", "gold.tsv", "system.tsv"]) == 0
    out = capsys.readouterr().out
    assert out.splitlines()[1].split()[:2] == ["linking.mention", "100.0"]
    assert "linking.b3-plus" in out
    assert "95 % (jackknife, logit)" in out


def test_compat_prints_the_table_of_neleval(files, capsys):
    assert run(["linking", "score", "gold.tsv", "system.tsv", "--compat", "neleval-3.1.1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "ptp\tfp\trtp\tfn\tprecis\trecall\tfscore\tmeasure"
    assert "2\t0\t2\t1\t1.000\t0.667\t0.800\tstrong_link_match" in lines
    assert len(lines) == 20


def test_compat_as_json_has_intervals_and_gates(files, capsys):
    command = ["linking", "score", "gold.tsv", "system.tsv", "--compat", "neleval-3.1.1", "--format", "json"]
    assert run([*command, "--fail-under", "linking.link.f1=0.9"]) == 3
    result = json.loads(capsys.readouterr().out)
    scores = {(s["metric"], s["part"]): s for s in result["systems"][0]["scores"]}
    assert len({metric for metric, _ in scores}) == 19
    assert scores["linking.link", "recall"]["value"] == pytest.approx(2 / 3)
    assert scores["linking.link", "recall"]["low"] is not None


def test_json_lines_and_slices(files, capsys):
    mention = {"span": {"start": 0, "end": 5}, "type": "PER", "entity": "E1"}
    (files / "g.jsonl").write_text("".join(json.dumps({"id": f"d{k}", "mentions": [mention]}) + "\n" for k in range(3)))
    command = ["linking", "score", "g.jsonl", "g.jsonl", "--reader", "jsonl", "--by", "mentions.type"]
    assert run(command) == 0
    assert "mentions.type=PER" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("content", "code", "message"),
    [
        ("d1\tx\t4\tE1\n", 1, "bad.tsv:1:4: the first character is 'x'"),
        ("d9\t0\t4\tE1\n", 1, "no document is in common with gold.tsv: 'd9' here and 'd1', 'd2' there"),
        ("r\tm\tOslo\td1:0-4\tE1\tPER\tNAM\t1\n", 1, "use --reader edl"),
    ],
)
def test_problems(files, capsys, content, code, message):
    (files / "bad.tsv").write_text(content)
    assert run(["linking", "score", "gold.tsv", "bad.tsv", "--reader", "neleval"]) == code
    assert message in capsys.readouterr().err


def test_saved_results_are_compared_again(files, capsys):
    (files / "other.tsv").write_text(GOLD)
    for name in ("system", "other"):
        assert run(["linking", "score", "gold.tsv", f"{name}.tsv", "--save", f"{name}.json"]) == 0
    capsys.readouterr()
    assert run(["compare", "system.json", "other.json"]) == 0
    assert "linking.b3 f1" in capsys.readouterr().out


def test_wrong_usage(files, capsys):
    assert run(["linking", "score", "gold.tsv", "system.tsv", "--test", "approximate-randomisation"]) == 2
    assert "cannot be exchanged" in capsys.readouterr().err
    assert run(["linking", "score", "gold.tsv", "system.tsv", "--pool", "macro"]) == 2


def test_words_of_mentions_are_shown(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    line = "run\tm1\tOslo\td1:310-313\tm.1\tGPE\tNAM\t1.0\n"
    (tmp_path / "gold.tab").write_text(line)
    (tmp_path / "system.tab").write_text(line.replace("m.1", "m.2"))
    assert run(["linking", "score", "gold.tab", "system.tab", "--explain", "d1", "--metric", "linking.link"]) == 0
    said = "missed   GPE Oslo (linked[0]): entity is 'm.2', gold 'm.1'; near GPE Oslo (linked[0])"
    assert said in capsys.readouterr().out.splitlines()


def test_mentions_without_words_are_places(files, capsys):
    assert run(["linking", "score", "gold.tsv", "system.tsv", "--explain", "d2", "--metric", "linking.mention"]) == 0
    assert "correct  PER 0–4, entity E1 (mentions[0]) | ORG 0–4, entity E1 (mentions[0])" in capsys.readouterr().out


def linked(*entities: str) -> str:
    """Documents with two mentions each, the first linked as said."""
    documents = []
    for number, entity in enumerate(entities):
        mentions = [{"span": {"start": 0, "end": 5}, "type": "PER", "entity": entity}]
        mentions.append({"span": {"start": 7, "end": 12}, "type": "ORG", "entity": "NIL1"})
        documents.append({"id": f"d{number}", "mentions": mentions})
    return "".join(json.dumps(each) + "\n" for each in documents)


@pytest.mark.parametrize("bootstrap", ["0", "20"])
def test_what_to_annotate_next_is_chosen_by_the_metrics_that_count_documents(files, capsys, bootstrap):
    kept = {"gold": "AABBC", "one": "AABBX", "two": "XXBBC"}
    for name, entities in kept.items():
        (files / f"{name}.jsonl").write_text(linked(*entities))
    (files / "some").write_text("d1\nd2\nd3\nd4\n")
    score = ["linking", "score", "gold.jsonl", "one.jsonl", "two.jsonl", "--bootstrap", bootstrap, "--quiet"]
    assert run([*score, "--save", "all.json"]) == 0
    capsys.readouterr()
    assert run(["select", "all.json"]) == 0
    said = capsys.readouterr().out
    assert "note: ranked by linking.mention f1: --metric chooses from linking.mention, linking.typed, " in said
    assert "linking.b3-plus are counted over the whole corpus" in said
    assert run(["select", "all.json", "--metric", "linking.link", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["metric"], found["of"], found["ranking"]) == ("linking.link", 5, {"one": 0.8, "two": 0.6})
    without = {each["document"]: each["effects"][0]["without"] for each in found["documents"]}
    assert run([*score, "--docs", "some", "--format", "json"]) == 0
    left = {each["name"]: each["scores"] for each in json.loads(capsys.readouterr().out)["systems"]}
    one, two = (next(s for s in left[n] if (s["metric"], s["part"]) == ("linking.link", "f1")) for n in ("one", "two"))
    assert without["d0"] == pytest.approx(one["value"] - two["value"])
    assert run(["select", "all.json", "--metric", "linking.b3.f1"]) == 2
    said = capsys.readouterr().err
    assert "linking.b3 is counted over the whole corpus" in said
    assert "choose with --metric from linking.mention, " in said


def test_nothing_is_chosen_by_metrics_of_the_whole_corpus_alone(files, capsys):
    for name, entities in (("gold", "AAB"), ("one", "AAX")):
        (files / f"{name}.jsonl").write_text(linked(*entities))
    both = ["gold.jsonl", "one.jsonl", "two=gold.jsonl"]
    assert run(["score", "linking.b3,linking.ceafm", *both, "--save", "whole.json"]) == 0
    capsys.readouterr()
    assert run(["select", "whole.json"]) == 2
    said = capsys.readouterr().err
    assert "no counts of single documents: its scores are counted over the whole corpus, score and save" in said
    assert "--bootstrap" not in said


CLUSTERED = "linking.ceafm,linking.typed-ceafm,linking.b3,linking.b3-plus"


def test_clusters_are_shown_with_the_words_of_the_text(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    places = {"Ana": 0, "Ben": 8, "Oslo": 15, "She": 21}

    def line(text, **entities):
        mentions = [
            {"span": {"start": places[name], "end": places[name] + len(name)}, "type": "PER", "entity": entity}
            for name, entity in entities.items()
        ]
        return json.dumps({"id": "d1", **text, "mentions": mentions}) + "\n"

    text = {"text": "Ana met Ben in Oslo. She left."}
    Path("gold.jsonl").write_text(line(text, Ana="Q1", Ben="NIL1", Oslo="Q5", She="Q1"))
    Path("system.jsonl").write_text(line({}, Ana="Q1", Ben="Q1", She="NIL2"))
    words = ["linking", "score", "gold.jsonl", "system.jsonl", "--reader", "jsonl", "--metric", CLUSTERED]
    assert run([*words, "--explain", "d1"]) == 0
    out = capsys.readouterr().out
    assert "correct  Ana … She (clusters[0]) | She (clusters[1])\n" in out
    assert "correct  Ben (clusters_typed[1]) | Ana … Ben (clusters_typed[0])\n" in out
    entities = "entity is 'Ana … Ben', gold 'Ana … She'"
    assert f"partial  Ana in Ana … She (memberships[0]) | Ana in Ana … Ben (memberships[0]) (0.5): {entities}\n" in out
    assert "missed   Oslo in Oslo (memberships[3])\n" in out
    assert run([*words, "--bootstrap", "0", "--save", "r.json", "--save-documents", "--quiet"]) == 0
    result = Result.load("r.json")
    for items, own in ((result.documents[0].items, "Ana … She"), (result.systems[0].aligned[0].items, "Ana … Ben")):
        assert {item.text for item in items if item.level == "mentions|clusters[*]"} >= {own}
        assert all(item.place and not any(letter.isdigit() for letter in item.text) for item in items)
    assert run(["report", "r.json", "-o", "page.html"]) == 0
    assert "Ana … Ben" in Path("page.html").read_text()
    capsys.readouterr()
    Path("gold.jsonl").write_text(line({}, Ana="Q1", She="Q1"))
    assert run([*words, "--explain", "d1"]) == 0
    assert "0–3 PER, 21–24 PER (clusters_typed[0])" in capsys.readouterr().out
