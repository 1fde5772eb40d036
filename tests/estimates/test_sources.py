"""Results with their documents, and stores of event arguments, as pools to draw from."""

import json
from importlib.resources import files
from pathlib import Path

import pytest

import adjudge as aj
from adjudge.cli import run
from adjudge.errors import AdjudgeError
from adjudge.estimates.files import read_pool

DATA = Path(str(files("adjudge.demo") / "data" / "eal"))


def entities(*found):
    return [{"start": start, "end": end, "type": type_} for start, end, type_ in found]


GOLD = [
    {"id": "d1", "text": "Bob met Ann", "entities": entities((0, 3, "PER"), (8, 11, "PER"))},
    {"id": "d2", "text": "Acme grew", "entities": entities((0, 4, "ORG"))},
]
A = [
    {"id": "d1", "entities": entities((0, 3, "PER"), (4, 7, "PER"), (8, 11, "PER"))},
    {"id": "d2", "entities": entities((0, 4, "PER"))},
]
B = [
    {"id": "d1", "entities": entities((8, 11, "PER"), (0, 3, "ORG"))},
    {"id": "d2", "entities": []},
]


def scored(**more):
    return aj.score("ner.strict", GOLD, {"A": A, "B": B}, bootstrap=0, **more)


def described(pool):
    return {(item.document, item.attributes["type"], item.attributes["text"]): item.systems for item in pool.items}


def test_items_are_the_same_whoever_returned_them():
    pool = read_pool(scored(documents=True))
    assert described(pool) == {
        ("d1", "PER", "Bob"): ("A",),
        ("d1", "ORG", "Bob"): ("B",),
        ("d1", "PER", "met"): ("A",),
        ("d1", "PER", "Ann"): ("A", "B"),  # the third of one and the first of the other
        ("d2", "PER", "Acme"): ("A",),
    }
    assert pool.items[0].id.startswith("d1/ORG/0-3/")


def test_a_saved_result_is_a_pool_and_all_of_it_assessed_gives_its_precision(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    result = scored(documents=True)
    result.save("result.json")
    assert run(["sample", "result.json", "--size", "100%", "-o", "design.jsonl"]) == 0
    right = {("d1", "PER", "Bob"), ("d1", "PER", "Ann")}
    pool = read_pool("result.json")
    said = {
        item.id: int((item.document, item.attributes["type"], item.attributes["text"]) in right) for item in pool.items
    }
    Path("labels.jsonl").write_text("".join(json.dumps({"id": k, "verdict": v}) + "\n" for k, v in said.items()))
    words = ["estimate", "result.json", "labels.jsonl", "--design", "design.jsonl", "--format", "json"]
    capsys.readouterr()
    assert run(words) == 0
    rows = {(row["system"], row["part"]): row["value"] for row in json.loads(capsys.readouterr().out)["scores"]}
    for system in result.systems:
        (precision,) = [each.value for each in system.scores if each.part == "precision"]
        assert rows[system.name, "precision"] == precision
    assert rows["A", "recall"] == 1  # within the pool, in which nobody has found Acme
    assert rows["B", "recall"] == 0.5


def test_a_result_without_documents_is_no_pool():
    with pytest.raises(AdjudgeError, match="--save-documents"):
        read_pool(scored())


def test_a_store_of_pooled_responses_is_a_pool(tmp_path, capsys):
    stores = [str(DATA / "submissions" / name) for name in ("granite", "marble")]
    target = tmp_path / "pool"
    assert run(["eal", "pool", *stores, "-o", str(target), "--quiet"]) == 0
    given = {}
    for line in (tmp_path / "pool.provenance.tsv").read_text().splitlines():
        if not line.startswith("#"):
            document, response, system, _ = line.split("\t")
            given.setdefault((document, response), set()).add(system)
    pool = read_pool(target)
    assert {(item.document, item.id): set(item.systems) for item in pool.items} == given
    assert {"type", "role", "realis", "text"} == set(pool.items[0].attributes)
    capsys.readouterr()
    assert run(["sample", str(target), "--size", "10%", "--strata", "realis"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()[1:]]
    assert {row["id"] for row in rows} == {item.id for item in pool.items}
    assert {row["stratum"] for row in rows} == {item.attributes["realis"] for item in pool.items}

    lines = (tmp_path / "pool.provenance.tsv").read_text().splitlines()
    gone = lines.pop().split("\t")[1]
    kept = [line for line in lines if gone not in line]
    (tmp_path / "pool.provenance.tsv").write_text("\n".join([*kept, ""]))
    with pytest.raises(AdjudgeError, match=gone):
        read_pool(target)


def test_a_store_without_provenance_is_of_one_system():
    pool = read_pool(DATA / "submissions" / "slate")
    assert pool.systems == ("slate",)
