"""`adjudge FAMILY validate`: what is found in documents, and how they fit gold."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from adjudge.cli import run

SEEDS = Path(__file__).parents[2] / "fuzz" / "seeds"
TEXT = "Ada went to Oslo"


def ner(*spans: tuple[int, int], id: str = "d1", **more: object) -> dict[str, object]:
    entities = [{"span": {"start": start, "end": end}, "type": "PER"} for start, end in spans]
    return {"id": id, "entities": entities, **more}


def relation(**more: object) -> dict[str, object]:
    spans = {"subject": {"start": 0, "end": 3}, "object": {"start": 5, "end": 9}}
    return {"id": "d1", "relations": [{"type": "in", **spans, **more}]}


GOLD = [ner((0, 3), (12, 16), (20, 25), id="d1"), ner((0, 3), id="d2")]
FOUND = {
    "unreadable": ([ner(), ner()], None, "2:8: error: duplicate id 'd1', it is already used in line 1"),
    "unfit": ([{"id": "d1", "entities": {}}], None, "1:26: error: entities: expected an array, got an object"),
    "outside-text": (
        [ner((3, 99), text=TEXT)],
        None,
        "1:36: error: entities[0].span: the span 3-99 is outside the text",
    ),
    "outside-tokens": (
        [ner((1, 3), tokens=["Ada", "slept"])],
        None,
        "1:36: error: entities[0].span: the span 1-3 is outside the text of 2 tokens, correct its offsets",
    ),
    "before-text": ([ner((-1, 3))], None, "1:36: error: entities[0].span: the span -1-3 is outside the text"),
    "empty-span": ([ner((3, 3))], None, "1:36: warning: entities[0].span: the span 3-3 is empty, the end is that of"),
    "other-text": (
        [{"id": "d1", "text": TEXT, "entities": [{"span": {"start": 0, "end": 3, "text": "Oslo"}, "type": "PER"}]}],
        None,
        "1:64: warning: entities[0].span: the text at 0-3 is 'Ada', not 'Oslo', correct the offsets or the text",
    ),
    "repeated": (
        [ner((0, 3), (4, 6), (0, 3))],
        None,
        "warning: entities[2]: the same as entities[0], keep one of them",
    ),
    "empty": ([ner(), ner(id="d2")], None, "warning: no document contains anything, check the file and its reader"),
    "unknown-document": ([*GOLD, ner((0, 2), id="d3")], GOLD, "3: error: the document 'd3' is not in gold, remove it"),
    "missing-document": (GOLD[:1], GOLD, "warning: the document 'd2' of gold is missing, write it, even if"),
    "unknown-label": (
        json.loads(json.dumps(GOLD).replace("PER", "PRE", 1)),
        GOLD,
        "1:68: warning: entities[0].type: gold never has 'PRE', did you mean PER?",
    ),
    "shifted": (
        [ner((1, 4), (13, 17), (21, 26)), ner((1, 4), id="d2")],
        GOLD,
        "warning: 0 of 4 spans equal a gold span, 4 would with starts and ends one lower, does one side count",
    ),
}


def validate(family: str, documents: list[dict[str, object]], *options: str) -> int:
    Path("file.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in documents))
    return run([family, "validate", "file.jsonl", "--reader", "jsonl", *options])


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", FOUND)
def test_one_thing_is_wrong(name, capsys):
    documents, gold, said = FOUND[name]
    options = []
    if gold is not None:
        Path("gold.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in gold))
        options = ["--gold", "gold.jsonl"]
    code = validate("ner", documents, *options, "--quiet")
    out = capsys.readouterr().out
    assert code == (" error: " in said or said.startswith("error"))
    assert out.startswith("file.jsonl:")
    assert said in out
    assert out.count("\n") == 1


def test_a_field_that_is_misspelt(capsys):
    assert (
        validate(
            "relation",
            [
                relation(subjct_type="PER"),
            ],
            "--metric",
            "relation.strict",
            "--quiet",
        )
        == 0
    )
    said = "file.jsonl:1:28: warning: relations[0]: there is no field 'subjct_type', did you mean subject_type"
    assert capsys.readouterr().out.startswith(said)
    assert validate("relation", [relation(comment="x", subject_type=None)], "--quiet", "--strict") == 0


def test_a_reversed_span_is_said_once(capsys):
    assert validate("ner", [ner((9, 3))], "--quiet") == 1
    assert capsys.readouterr().out.count("\n") == 1
    assert validate("ner", [ner((9, 3))], "--metric", "ner.type", "--quiet") == 1
    assert capsys.readouterr().out.count("\n") == 1


def test_words_must_be_those_of_gold(capsys):
    Path("gold.bio").write_text("Ada B-PER\nslept O\n")
    Path("system.bio").write_text("Ada B-PER\nslept O\nin O\n")
    assert run(["ner", "validate", "system.bio", "--gold", "gold.bio", "--quiet"]) == 1
    assert capsys.readouterr().out.startswith("system.bio")
    assert run(["ner", "validate", "system.bio", "--gold", "gold.bio", "--severity", "unpaired=off"]) == 0


def test_gold_files_and_system_files_of_one_format():
    document = {"doc_key": "d", "sentences": [["Ada", "slept"]], "ner": [[[0, 0, "PER"]]], "relations": [[]]}
    Path("gold.jsonl").write_text(json.dumps(document) + "\n")
    assert run(["relation", "validate", "gold.jsonl", "--reader", "dygie", "--side", "gold"]) == 0
    docred = [{"title": "d", "sents": [["Ada"]], "vertexSet": [], "labels": []}]
    Path("gold.json").write_text(json.dumps(docred))
    assert run(["relation", "validate", "gold.json", "--reader", "docred"]) == 0
    assert run(["relation", "validate", "gold.json", "--reader", "docred", "--side", "system"]) == 1
    shutil.copy(SEEDS / "scirex" / "gold.jsonl", "scirex.jsonl")
    assert run(["relation", "validate", "scirex.jsonl", "--reader", "scirex"]) == 0  # systems have a folder
    assert run(["relation", "validate", "scirex.jsonl", "--reader", "scirex", "--side", "system"]) == 2


def test_an_empty_file_is_a_system_that_found_nothing(capsys):
    Path("file.jsonl").write_text("")
    assert run(["ner", "validate", "file.jsonl", "--reader", "jsonl"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "file.jsonl: warning: the file has no documents, an empty system scores 0",
        "file.jsonl: 0 documents, 0 errors, 1 warning",
    ]


def test_every_problem_of_very_many_documents_is_counted(capsys):
    span = {"start": "0", "end": 3}  # which the metrics of labels and those of spans refuse in different words
    wrong = [{"id": number, "entities": [{"span": span, "type": 1}]} for number in range(12_000)]
    assert validate("ner", wrong, "--format", "json") == 1
    found = json.loads(capsys.readouterr().out)
    assert [(each["kind"], each["message"].split(":")[0], each["count"]) for each in found["findings"]] == [
        ("unfit", "entities[0].span.start", 12_000),
        ("unfit", "entities[0].type", 12_000),
    ]
    assert found["errors"] == 24_000


def test_a_line_that_cannot_be_read_does_not_end_the_check(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    reversed_span = {"id": "d1", "entities": [{"span": {"start": 5, "end": 2}, "type": "PER"}]}
    Path("s.jsonl").write_text(f"{{broken\n{json.dumps(reversed_span)}\n{json.dumps(reversed_span)}\n")
    line = ["ner", "validate", "s.jsonl", "--reader", "jsonl", "--format", "json"]
    assert run(line) == 1
    out = capsys.readouterr().out
    assert run([*line[:-2], "--save", "found.json"]) == 1
    assert Path("found.json").read_text() == out
    assert capsys.readouterr().out.startswith("s.jsonl:1:")
    found = json.loads(out)["findings"]
    assert [(each["kind"], each["line"]) for each in found] == [("unreadable", 1), ("unfit", 2), ("unreadable", 3)]
    assert run([*line, "--severity", "unreadable=warning"]) == 1  # what is wrong with the other lines stays wrong
    capsys.readouterr()
    Path("s.jsonl").write_text("{broken\n")
    assert run([*line, "--severity", "unreadable=warning"]) == 0
    notes = [each["message"] for each in json.loads(capsys.readouterr().out)["findings"] if each["kind"] == "note"]
    assert notes == ["the rest of the file was not checked"]


def test_what_else_is_wrong_is_found_beside_lines_of_any_format(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("s.csv").write_text("document_id,start,end,type\nd1,0,3,PER,more\nd1,5,2,PER\nd1,0,3,PER\n")
    Path("s.tsv").write_text("d1\t0\t4\tE1\t1.0\tPER\nd1\t5\n")
    for family, reader, name, lines in (("ner", "csv", "s.csv", [2, 3]), ("linking", "neleval", "s.tsv", [2])):
        line = [family, "validate", name, "--reader", reader, "--severity", "unreadable=warning", "--format", "json"]
        assert run(line) == 0
        found = json.loads(capsys.readouterr().out)["findings"]
        assert [each["line"] for each in found if each["kind"] == "unreadable"] == lines
        assert "the rest of the file was not checked" not in [each["message"] for each in found]


def test_a_file_whose_end_is_missing(adjudge, tmp_path):
    path = tmp_path / "cut.conllu"
    path.write_text("a B-PER\nb X-FOO extra\n\nc")
    ran = adjudge("tree", "validate", str(path))
    assert ran.code == 1
    assert f"{path}:5: error: the file does not end with an empty line" in ran.out


@pytest.mark.parametrize(
    ("family", "reader", "text"),
    [
        ("ner", "bio", "EU X-ORG\nrejects X-PER\n"),
        ("amr", "penman", "# ::id 1\n(a / b :x (c\n\n# ::id 2\n(a / b :x (c\n"),
    ],
)
def test_a_file_of_which_no_line_can_be_read_is_not_called_empty(family, reader, text, tmp_path, capsys):
    path = tmp_path / "s"
    path.write_text(text)
    assert run([family, "validate", str(path), "--reader", reader, "--format", "json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["errors"] == 2
    assert all(each["line"] for each in found["findings"] if each["severity"] == "error")


# ---------------------------------------------------------------------------------------------------------------------
# As scoring reads files

OPEN = '{"text": "Ada went to Oslo", "entities": [[0, 3, "PER"], [12, 16, "LOC"]]}\n{"text": "Ben", "entities": []}\n'
PREFIXES = "Ada PER\nslept O\nin O\nOslo LOC\n"


@pytest.mark.parametrize(
    ("family", "text", "options"),
    [
        ("ner", OPEN, []),
        ("ner", OPEN, ["--ends", "exclusive"]),
        ("ner", '{"id": "a", "found": [[0, 3, "PER"]]}\n', ["--field", "found"]),
        ("ner", PREFIXES, ["--reader", "bio", "--scheme", "IO"]),
        ("ner", "article,start,end,type\na,0,3,PER\n", ["--reader", "csv", "--id", "article"]),
        ("relation", '{"relations": [{"subject": [0, 1], "object": [2, 3], "type": "in"}]}\n', ["--ends", "exclusive"]),
    ],
)
def test_what_is_scored_is_valid(family, text, options, capsys):
    for name in ("gold", "system"):
        Path(name).write_text(text)
    assert run([family, "score", "gold", "system", "--bootstrap", "0", *options]) == 0
    capsys.readouterr()
    for more in ([], ["--gold", "gold"]):
        assert run([family, "validate", "system", *more, *options]) == 0
        assert capsys.readouterr().out.splitlines()[-1].startswith("system: ")


def test_problems_of_documents_without_ids_have_their_lines(capsys):
    Path("s.jsonl").write_text(OPEN.replace("16", "99").replace("[]", '[[0, 3, "PRE"]]'))
    Path("g.jsonl").write_text(OPEN)
    assert run(["ner", "validate", "s.jsonl", "--gold", "g.jsonl", "--ends", "exclusive"]) == 1
    first, second, totals = capsys.readouterr().out.splitlines()
    assert first.startswith("s.jsonl:1:")
    assert "error: entities[1].span: the span 12-99 is outside the text of 16 characters" in first
    assert second.startswith("s.jsonl:2:")
    assert second.endswith("gold never has 'PRE', did you mean PER?")
    assert totals == "s.jsonl: 2 documents, 3 items, 1 error, 1 warning"


def test_documents_that_cannot_be_paired_by_their_places(capsys):
    Path("s.jsonl").write_text(OPEN.splitlines(keepends=True)[0])
    Path("g.jsonl").write_text(OPEN)
    line = ["ner", "validate", "s.jsonl", "--gold", "g.jsonl", "--format", "json"]
    assert run(line) == 1
    (found,) = json.loads(capsys.readouterr().out)["findings"]
    assert (found["kind"], found["severity"]) == ("unpaired", "error")
    assert "gold has 2 documents" in found["message"]
    Path("s.jsonl").write_text(OPEN.replace("16", '"x"'))
    assert run(line) == 1
    assert {each["kind"] for each in json.loads(capsys.readouterr().out)["findings"]} == {"unreadable"}


def test_remedies_are_options_of_the_command(capsys):
    Path("s.bio").write_text(PREFIXES)
    assert run(["ner", "validate", "s.bio", "--reader", "bio", "--quiet"]) == 1
    out = capsys.readouterr().out
    assert "say --scheme IO if each run of a label is one entity" in out
    assert "scheme=" not in out
