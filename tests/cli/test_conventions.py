"""What is said of files on the command line: conventions that shapes do not tell, and errors that help."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from adjudge.cli import run


@pytest.fixture
def score(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def scored(task, gold, system, *options, metric="ner.strict"):
        for name, content in (("gold", gold), ("system", system)):
            if content is not None:
                text = content if isinstance(content, str) else "".join(json.dumps(each) + "\n" for each in content)
                Path(name).write_text(text, encoding="utf-8")
        files = ["gold"] if system is None else ["gold", "system"]
        code = run([task, "score", *files, "--metric", metric, "--bootstrap", "0", "--quiet", *options])
        out, err = capsys.readouterr()
        rows = [line.split() for line in out.splitlines()[1:] if line.startswith(metric)]
        return code, rows[0][-3:] if rows else err.removeprefix("error: ").strip()

    return scored


ADA = {"id": "a", "text": "Ada met Bo in Oslo"}
GOLD = [{**ADA, "entities": [{"start": 0, "end": 3, "label": "PER"}, {"start": 14, "end": 18, "label": "LOC"}]}]
INCLUSIVE = [{"id": "a", "spans": [[0, 2, "PER"], [14, 17, "LOC"]]}]
RIGHT, HALF, NONE = ["100.0"] * 3, ["50.0"] * 3, ["0.0"] * 3
CASES = {
    "one side's ends": ("ner", GOLD, INCLUSIVE, ["--system-ends", "inclusive"], RIGHT),
    "ends of both": ("ner", INCLUSIVE, INCLUSIVE, ["--ends", "inclusive"], RIGHT),
    "gold's ends": ("ner", INCLUSIVE, GOLD, ["--gold-ends", "inclusive", "--system-ends", "exclusive"], RIGHT),
    "labels": ("ner", GOLD, [{**ADA, "spans": [[0, 3, "PERSON"], [14, 18, "LOC"]]}], ["--map", "PERSON=PER"], RIGHT),
    "counted from 1": ("ner", [{**ADA, "spans": [[1, 4, "PER"]]}], [{**ADA, "spans": [[1, 4, "PER"]]}], ["--base", "1"], RIGHT),
    "other fields": (
        "ner",
        [{"key": "a", "found": [{"from": 0, "to": 3, "label": "PER"}]}],
        [{"key": "a", "found": [{"from": 0, "to": 3, "label": "PER"}]}],
        ["--id", "key", "--field", "found", "--fields", "start=from", "--fields", "end=to", "--ends", "exclusive", "--reader", "jsonl"],
        RIGHT,
    ),
    "bytes": (
        "ner",
        [{"id": "a", "text": "Käthe B", "spans": [[6, 7, "PER"]]}],
        [{"id": "a", "text": "Käthe B", "spans": [[7, 8, "PER"]]}],
        ["--offsets", "bytes"],
        None,
    ),
    "names of tags": ("ner", [{"id": "a", "tags": [1, 0]}], [{"id": "a", "tags": [1, 0]}], ["--labels", "O,B-PER"], RIGHT),
    "bare labels": ("ner", "Ada PER\nmet O\n", "Ada PER\nmet O\n", ["--scheme", "IO", "--reader", "bio"], RIGHT),
    "a strict scheme": ("ner", "Ada B-PER\n", "Ada I-PER\n", ["--scheme", "IOB2"], NONE),
    "no ids": ("ner", [{"tags": ["B-PER", "O"]}], [{"tags": ["B-PER", "O"]}], [], RIGHT),
    "all occurrences": (
        "ner",
        [{"id": "a", "text": "Bo met Bo", "spans": [[0, 2, "PER"], [7, 9, "PER"]]}],
        [{"id": "a", "entities": [{"text": "Bo", "label": "PER"}]}],
        ["--locate", "all", "--gold-ends", "exclusive"],
        RIGHT,
    ),
    "marked answers": (
        "ner",
        [{"id": "a", "text": "Ada met Bo", "spans": [[0, 3, "PER"]]}],
        [{"id": "a", "output": "<PER>Ada</PER> met Bo"}],
        ["--inline", "--system-reader", "llm", "--gold-reader", "jsonl", "--gold-ends", "exclusive"],
        RIGHT,
    ),
    "one of two annotators": (
        "ner",
        [
            {
                "id": 1,
                "data": {"text": "Ada"},
                "annotations": [
                    {"completed_by": who, "result": [{"type": "labels", "value": {"start": 0, "end": 3, "labels": [kind]}}]}
                    for who, kind in ((1, "PER"), (2, "LOC"))
                ],
            }
        ],
        [{"id": 1, "text": "Ada", "label": [[0, 3, "PER"]]}],
        ["--annotator", "1", "--gold-reader", "label-studio", "--system-reader", "doccano"],
        RIGHT,
    ),
    "two columns of one table": (
        "ner",
        "doc_id,token,gold,pred\na,Ada,B-PER,B-PER\na,ran,O,B-LOC\n",
        None,
        ["--reader", "csv", "--gold-column", "gold", "--system-column", "pred"],
        ["50.0", "100.0", "66.7"],
    ),
    "one file with both sides": ("ner", "Ada B-PER B-PER\nran O B-LOC\n", None, ["--reader", "bio-both"], None),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_what_is_said_of_files_counts(name, score):
    task, gold, system, options, expected = CASES[name]
    code, rows = score(task, gold, system, *options)
    assert code == 0, rows
    if expected is not None:
        assert rows == expected


def test_offsets_of_both_sides_in_bytes(score):
    gold = [{"id": "a", "text": "Käthe B", "spans": [[7, 8, "PER"]]}]
    assert score("ner", gold, gold, "--offsets", "bytes", "--ends", "exclusive") == (0, RIGHT)
    code, said = score("ner", [{**gold[0], "spans": [[2, 3, "PER"]]}], gold, "--offsets", "bytes")
    assert (code, "(2, 3, 'PER') begins or ends inside a character" in said) == (1, True)


def test_fragments_are_joined_or_compared_one_by_one(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name, line in (("gold", "T1\tPER 0 3;8 10\tAda Bo\n"), ("system", "T1\tPER 0 3\tAda\n")):
        Path(name).mkdir()
        Path(name, "a.txt").write_text("Ada met Bo")
        Path(name, "a.ann").write_text(line)
    found = {}
    for how in ("join", "keep"):
        command = ["ner", "score", "gold", "system", "--metric", "ner.strict", "--bootstrap", "0", "--fragments", how]
        assert run(command) == 0
        found[how] = capsys.readouterr().out.splitlines()[1].split()[1:]
    assert found == {"join": NONE, "keep": ["100.0", "50.0", "66.7"]}


def test_two_columns_of_records(score):
    table = 'id,prompt,answer,expected\n1,x,"{""a"": 1}","{""a"": 1}"\n2,x,"{""a"": 2}","{""a"": 3}"\n'
    columns = ["--gold-column", "expected", "--system-column", "answer"]
    assert score("record", table, None, *columns, metric="record.fields") == (0, HALF)
    code, said = score("record", table, None, "--gold-column", "expcted", *columns[2:], metric="record.fields")
    assert (code, "there is no column 'expcted'" in said) == (2, True)


@pytest.mark.parametrize(
    ("gold", "options", "said"),
    [
        (GOLD, ["--scheme", "IOB2"], '--scheme IOB2 does not apply to files that are read as jsonl, leave scheme out'),
        ("Ada B-PER\n", ["--ends", "inclusive"], '--ends inclusive does not apply to files that are read as bio'),
        ("Ada B-PER\n", ["--locate", "all"], '--locate all does not apply to files that are read as bio'),
        ("Ada B-PER\n", ["--fragments", "keep"], '--fragments keep does not apply to files that are read as bio'),
        (GOLD, ["--annotator", "3"], '--annotator 3 does not apply to files that are read as jsonl'),
        (GOLD, ["--map", "PERSN=PER"], "map: no item is called 'PERSN'"),
        (GOLD, ["--map", "PER=X", "--map", "PER=Y"], "--map PER is given twice"),
        (GOLD, ["--map", "PER"], "'PER' is not valid, write for example PERSON=PER"),
        (GOLD, ["--field", "nothing"], '--field nothing does not apply to files that are read as jsonl'),
        (GOLD, ["--labels", "O,B-X"], "labels=['O', 'B-X'] does not apply to files that are read as jsonl"),
        ("Ada B-PER\n", ["--scheme", "BIO"], "there is no scheme 'BIO', use IO, IOB1"),
    ],
)  # fmt: skip
def test_what_means_nothing_is_an_error(gold, options, said, score):
    code, err = score("ner", gold, gold, *options)
    assert code == 2
    assert said in err


def test_one_file_without_both_sides_is_no_system(score):
    code, err = score("ner", "Ada B-PER\n", None)
    assert (code, "there is no system" in err) == (2, True)


# ruff: noqa: E501
ERRORS = [
    ([{"id": "1", "tags": [5, 6, 6, 0]}], None, 'gold:1: document \'1\': tags are numbers (5, 6, 6, ...) without names; give --labels O,B-PER,..., or a Dataset whose features name them'),
    ([{"id": "1", "tags": ["PER", "O"]}], None, "gold:1: document '1': 'PER' has no B- or I- prefix; say --scheme IO if each run of a label is one entity"),
    ("Ada PER\nmet O\n", None, "gold:1:5: 'PER' has no B- or I- prefix, say --scheme IO if each run of a label is one entity"),
    ([{"id": "1", "spans": [[4, 4, "PER"], [0, 0, "LOC"], [1, 3, "ORG"]]}], None, "gold:1: 2 of 3 spans are empty with exclusive ends (first: document '1', (4, 4, 'PER')); if an end is the last token or character of the span, say --ends inclusive"),
    ([{"id": "2", "tags": ["O"] * 5}, {"id": "3", "tags": ["O"]}], [{"id": "2", "tags": ["O"] * 4}, {"id": "3", "tags": ["O"] * 2}], "document '2': gold has 5 tags, system has 4; both sides need the same tokens (2 documents differ)"),
    ([{"tags": ["O"]}], [{"tags": ["O"]}] * 2, "gold has 1 document, system has 2, and they have no ids; pass {id: document}, or lists of equal length"),
    ([{"id": str(n), "prompt": "x", "answer": "y"} for n in range(1, 61)], None, "gold:1: 60 of 60 documents have none of entities, spans, tags, ... (first: document '1' has id, prompt, answer); name the field with --field answer"),
    ([{"prompt": "x", "found": [[0, 3, "PER"]]}], None, "gold:1: 1 of 1 documents have none of entities, spans, tags, ... (first: document '1' has prompt, found); name the field with --field found"),
    ("start,end,label\n0,3,PER\n", None, "gold:2: a table with one row per entity needs a column for the document; its columns are start, end, label; name it with --id COLUMN"),
]  # fmt: skip


@pytest.mark.parametrize(("gold", "system", "said"), ERRORS)
def test_likely_mistakes_say_what_helps(gold, system, said, score):
    code, err = score("ner", gold, gold if system is None else system)
    assert code == 1
    assert said in err
