"""Five newcomers reach their result at the first or second command, with README.md and the page that it links to.

Every command here has the words of a command on one of these two pages, and data as such people have them.
"""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from types import SimpleNamespace

import pytest

import adjudge as aj
from adjudge.cli import run
from adjudge.demo import coref

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.fixture
def newcomer(tmp_path, monkeypatch, capsys):
    """Somebody who types commands of the README and of one page that it links to."""
    monkeypatch.chdir(tmp_path)

    def page(name):
        assert f"](docs/{name})" in README
        known = README + (ROOT / "docs" / name).read_text(encoding="utf-8")

        def types(*words, code=0):
            options = [word for word in words[2:] if word.startswith("--")]
            command = " ".join(words[:2] if words[1] == "score" else words[:1])
            assert re.search(rf"adjudge {command}\b", known)
            assert all(option in known for option in options), options
            assert run(words) == code
            return "".join(capsys.readouterr())

        return types

    return page


def test_coreference_to_a_table_and_a_page(newcomer):
    types = newcomer("start-coreference.md")
    told = types("coref", "score", str(coref.KEY), str(coref.SYSTEMS["linden"]), "--save", "r.json", "--save-documents")
    assert re.search(r"coref\.conll +83\.4 \[76\.8, 88\.3\]", told)
    types("report", "r.json", "-o", "page.html")
    assert "<!doctype html>" in Path("page.html").read_text(encoding="utf-8")


TAGS = ["O", "B-PER", "I-PER", "B-LOC"]
GOLD, FOUND = [[1, 2, 0, 3], [0, 3]], [[1, 2, 0, 3], [0, 1]]


class Split(list):
    """What a split of `datasets` looks like: rows, and features with the names of the labels."""

    __module__ = "datasets.arrow_dataset"

    def __init__(self, rows):
        self.features = {"tokens": None, "ner_tags": SimpleNamespace(feature=SimpleNamespace(names=TAGS))}
        super().__init__({"tokens": ["word"] * len(tags), "ner_tags": tags} for tags in rows)


class Doc:
    """What a spaCy document looks like."""

    __module__ = "spacy.tokens.doc"
    text = "Ada Lovelace left Oslo"

    def __init__(self, *spans):
        self.ents = [SimpleNamespace(start_char=a, end_char=b, label_=label, kb_id_="") for a, b, label in spans]


ADA = Doc((0, 12, "PER"), (18, 22, "LOC"))


@pytest.mark.parametrize(
    ("gold", "system"),
    [
        ([[TAGS[tag] for tag in row] for row in GOLD], [[TAGS[tag] for tag in row] for row in FOUND]),
        (Split(GOLD), Split(FOUND)),
        ([ADA, Doc((18, 22, "LOC"))], [ADA, Doc((18, 22, "PER"))]),
    ],
    ids=["lists", "datasets", "spaCy"],
)
def test_named_entities_in_memory(gold, system):
    assert "](docs/start-ner.md)" in README
    assert 'aj.score("ner", gold, system)' in README
    assert aj.score("ner", gold, system)["ner.strict"].f1 == pytest.approx(2 / 3)


def test_answers_of_a_model_to_a_table_of_fields_and_a_gate(newcomer):
    types = newcomer("start-llm.md")
    schema = {"type": "object", "properties": {"vendor": {"type": "string"}, "total": {"type": "number"}}}
    Path("schema.json").write_text(json.dumps(schema), encoding="utf-8")
    records = [{"vendor": f"Firm {n}", "total": n * 10.0} for n in range(8)]
    sides = {
        "gold": [{"id": str(n), "records": each} for n, each in enumerate(records)],
        "good": [
            {"id": str(n), "output": f"Sure!\n```json\n{json.dumps(each)}\n```"} for n, each in enumerate(records)
        ],
        "bad": [{"id": str(n), "output": json.dumps({**each, "total": -1})} for n, each in enumerate(records)],
    }
    for name, rows in sides.items():
        Path(f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    told = types("record", "score", "gold.jsonl", "good.jsonl", "--schema", "schema.json", "--save", "good.json")
    assert re.search(r"(?m)^vendor +8 +8 ", told)
    assert re.search(r"(?m)^total +8 +8 ", told)
    gate = ("--schema", "schema.json", "--fail-if-worse", "good.json")
    assert "worse than the baseline" in types("record", "score", "gold.jsonl", "bad.jsonl", *gate, code=3)


def test_ten_teams_to_a_ranking_with_bands(newcomer):
    types = newcomer("start-shared-task.md")
    draw = random.Random(7)
    Path("runs").mkdir()

    def document(number, right):
        types = ["PER" if draw.random() < right else "LOC" for _ in range(8)]
        entities = [{"span": {"start": at, "end": at + 1}, "type": kind} for at, kind in enumerate(types)]
        return json.dumps({"id": f"d{number}", "entities": entities}) + "\n"

    Path("gold.jsonl").write_text("".join(document(each, 1) for each in range(20)), encoding="utf-8")
    for team in range(10):
        right = 0.5 + 0.1 * (team // 2)  # always two teams that are equally good
        Path(f"runs/team{team}.jsonl").write_text("".join(document(n, right) for n in range(20)), encoding="utf-8")
    runs = sorted(map(str, Path("runs").glob("*.jsonl")))
    told = types("score", "ner.strict", "gold.jsonl", *runs, "--save", "final.json")
    ranks = re.findall(r"(?m)^ner\.strict +(team\d) .*\] +(\d+)(?:-(\d+))?", told)
    assert len(ranks) == 10
    assert any(high for _, _, high in ranks), "no two teams share a band"


def test_triples_to_hop_scores(newcomer):
    types = newcomer("start-graph.md")
    facts = [("Ada", "born_in", "London"), ("London", "capital_of", "UK")]
    for name, rows in (("gold", facts), ("model", facts[:1])):
        table = "".join(",".join(row) + "\n" for row in [("subject", "relation", "object"), *rows])
        Path(f"{name}.csv").write_text(table, encoding="utf-8")
        triples = "".join(" ".join(f"<http://ex.org/{each}>" for each in row) + " .\n" for row in rows)
        Path(f"{name}.nt").write_text(triples, encoding="utf-8")
    for kind in ("csv", "nt"):
        told = types("kbp", "score", f"gold.{kind}", f"model.{kind}", "--hops", "2")
        assert re.search(r"kbp\.hop1 +100\.0 +50\.0 +66\.7", told)
        assert re.search(r"(?m)^kbp\.hop2 .* 0\.0", told)
