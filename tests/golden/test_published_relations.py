"""Relations: the published scorers of DocRED, SciREX and DyGIE++, to the digit they print."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from adjudge.errors import ValidationError
from adjudge.scorers import docred, dygie, scirex

CASES = {
    case["id"]: case for case in json.loads((Path(__file__).parent / "published.json").read_text("utf-8"))["cases"]
}


def of(prefix):
    return pytest.mark.parametrize(
        "case", [each for each in CASES.values() if each["id"].startswith(prefix)], ids=_name
    )


def _name(case):
    return case["id"]


def encoded(value):
    return json.dumps(value).encode()


@of("docred-")
def test_docred(case):
    given, expected = case["input"], case["expected"]
    facts = {"train_annotated": "facts_in_train_annotated", "train_distant": "facts_in_train_distant"}
    options = {option: encoded(given[field]) for option, field in facts.items()}
    if "raises" in expected:
        with pytest.raises(ValidationError, match="the published scorer divides by zero here"):
            docred.run(encoded(given["gold"]), encoded(given["pred"]), **options)
        return
    found = docred.run(encoded(given["gold"]), encoded(given["pred"]), **options)
    assert found.text == "".join(f"{name}: {value}\n" for name, value in expected.items())


def test_dygie():
    case = CASES["dygie-rel-1"]

    def document(relations):
        return encoded({"doc_key": "d", "relations": [[[*a, *b, label] for a, b, label in relations]]})

    found = dygie.run_relations(document(case["input"]["gold"]), document(case["input"]["pred"]))
    assert json.loads(found.text) == case["expected"]


@pytest.mark.parametrize("name", ["scirex-1", "scirex-half"])
def test_scirex(name, tmp_path):
    case = CASES[name]
    folder = tmp_path / "system"
    folder.mkdir()
    for part, file in (("ner", "ner.jsonl"), ("clusters", "clusters.jsonl"), ("relations", "relations.jsonl")):
        (folder / file).write_text("".join(json.dumps(line) + "\n" for line in case["input"][part]))
    found = scirex.run("".join(json.dumps(line) + "\n" for line in case["input"]["gold"]).encode(), str(folder))
    expected = [[round(value, 6) for value in rows.values()] for rows in case["expected"].values()]
    assert scirex_numbers(found.text) == expected


def scirex_numbers(text):
    lines = text.splitlines()
    return [[float(line.split()[1]) for line in lines[at + 1 : at + 4]] for at in (0, 5, 10)]


def test_scirex_corpus(conformance, tmp_path):
    folder = conformance / "conformance" / "published" / "SciREX"
    if not folder.is_dir():
        pytest.skip(f"needs {folder}")
    for part in ("ner", "clusters", "rel"):
        (file,) = folder.glob(f"synthetic_{part}.jsonl*")
        (tmp_path / file.name).symlink_to(file)
    found = scirex.run(str(folder / "dev.jsonl.gz"), str(tmp_path))
    assert found.text == (folder / "expected_stdout.txt").read_text()
    assert scirex_numbers(found.text) == [
        list(rows.values()) for rows in CASES["scirex-dev-synthetic"]["expected"].values()
    ]
    assert not found.notes


def test_scirex_prints_as_many_decimals_as_the_table_needs(tmp_path):
    gold = {
        "doc_id": "d",
        "ner": [[0, 1, "Task"]],
        "coref": {"m": [[0, 1]], "e": [[2, 3]], "t": [[4, 5]], "f": []},
        "n_ary_relations": [{"Material": "m", "Metric": "e", "Task": "t", "Method": "f"}],
        "method_subrelations": {},
    }
    files = {"ner": [[0, 1, "Task"]], "clusters": {"c": [[0, 1]], "x": [[0, 1]]}, "predicted_relations": []}
    for name, value in files.items():
        (tmp_path / name).write_text(json.dumps({"doc_id": "d", name: value}) + "\n")
    found = scirex.run(json.dumps(gold).encode(), str(tmp_path))
    # Both system entities are `m`: p = 2/2, r = 1/4, f1 = 2/5; no relation is found, which is shown as 0.0; the
    # only relation of four has an entity without mentions.
    assert found.text.split("Name: mean, dtype: float64\n")[:2] == [
        "Salient Clustering Metrics\np     1.00\nr     0.25\nf1    0.40\n",
        "Relation Metrics n=2\np     0.0\nr     0.0\nf1    0.0\n",
    ]
    (note,) = found.notes
    assert note.code == "undefined"
    assert "n=4" in note.message
