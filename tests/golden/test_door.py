"""What people have in memory goes in at the first try: every shape, its scores, its notes, its errors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import adjudge as aj
from adjudge.cli import run
from adjudge.errors import AdjudgeError
from adjudge.tasks.family import reads

HERE = json.loads((Path(__file__).parent / "door.json").read_text(encoding="utf-8"))
CASES = HERE["cases"]
# What a message must say, by the code of the error.
ERRORS = {
    "plain-labels": "'PER' has no B- or I- prefix; say scheme=\"IO\" if each run of a label is one entity",
    "int-tags": 'tags are numbers (5, 6, 6, ...) without names; pass labels=["O", "B-PER", ...]',
    "several-splits": "gold is a DatasetDict with the splits 'train', 'test'; pass one of them, for example",
    "empty-spans": "gold: 2 of 3 spans are empty with exclusive ends (first: document '1', (4, 4, 'PER')); if",
    "numeric-labels": "labels are numbers (7, ...)",
    "several-annotations": "task 1 has 2 annotations (by 1, 2); choose with annotator=1, or compare them with agree",
    "no-document-column": "a table with one row per entity needs a column for the document; its columns are start, end",
    "head-base": "set base=0",
}


def tuples(value):
    if isinstance(value, list):
        return tuple(map(tuples, value))
    return {key: tuples(each) for key, each in value.items()} if isinstance(value, dict) else value


def sides(case):
    """Gold and system of a case; those of other libraries are made by them, if they are installed."""
    made = {}
    if "snippet" in case:
        try:
            exec(HERE["snippets"][case["snippet"]], made)  # our own
        except ImportError as error:
            pytest.skip(f"needs {error.name}")
    gold = made.get("gold", case.get("gold"))
    system = case.get("system", made.get("system"))
    if case.get("container") == "tuple":
        gold, system = [tuples(each) for each in gold], [tuples(each) for each in system]
    if case.get("container") == "set":
        gold, system = ([list(map(set, each)) for each in side] for side in (gold, system))
    return gold, system


def check(case, result):
    for name, expected in case.get("scores", {}).items():
        for part, value in zip(("precision", "recall", "f1"), expected, strict=True):
            if value is not None:
                assert float(getattr(result[name], part)) == pytest.approx(value, abs=1e-9)
    codes = {note.code for note in result.notes} | {note.code for each in result.systems for note in each.notes}
    assert codes >= set(case.get("notes", ()))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_what_people_have_goes_in(case):
    gold, system = sides(case)
    metrics = case.get("metrics") or list(case.get("scores", {})) or [case["task"]]
    options = {"bootstrap": 0, **case.get("options", {})}
    if "error" in case:
        with pytest.raises(AdjudgeError) as caught:
            aj.score(metrics, gold, system, **options)
        assert ERRORS[case["error"]] in str(caught.value)
        return
    result = aj.score(metrics, gold, system, **options)
    check(case, result)
    if "ungrounded" in case:
        assert result.ungrounded == {"system": case["ungrounded"]}


def strip(value):
    """Plain values without what is not in the model of a case, for comparison."""
    return json.loads(json.dumps(value))


@pytest.mark.parametrize("case", [each for each in CASES if "error" not in each], ids=lambda case: case["id"])
def test_the_name_of_a_task_is_enough(case):
    gold, system = sides(case)
    options = case.get("options", {})
    usual = aj.score(case["task"], gold, system, bootstrap=0, **options)
    named = aj.score(case["task"], gold, system, metrics=list(case["scores"]), bootstrap=0, **options)
    check({**case, "scores": {name: each for name, each in case["scores"].items() if name in usual}}, usual)
    check(case, named)
    if system is None or case["task"] in ("amr", "kbp"):
        return
    found = aj.read(case["task"], gold, **{name: each for name, each in options.items() if name != "system_ends"})
    expected = case["documents"]["gold"]
    assert [
        {name: strip(each.get(name)) for name in one} for each, one in zip(found, expected, strict=True)
    ] == expected


EXPORTS = [
    (case, reader)
    for case in CASES
    for reader in ("prodigy", "doccano", "label-studio", "llm")
    if reader in case["id"] and "gold" in case and case["id"] != "ner-llm-raw-strings"
]


@pytest.mark.parametrize("form", ["lines", "array"])
@pytest.mark.parametrize(("case", "reader"), EXPORTS, ids=lambda each: each["id"] if isinstance(each, dict) else "")
def test_exports_on_disk_are_what_they_are_in_memory(case, reader, form, tmp_path):
    paths = []
    for side in ("gold", "system"):
        values = case.get(side)
        if values is not None:
            paths.append(tmp_path / f"{side}.json")
            lines = "".join(json.dumps(each) + "\n" for each in values) if isinstance(values, list) else ""
            paths[-1].write_text(lines if form == "lines" and lines else json.dumps(values, indent=1), encoding="utf-8")
    options = {"bootstrap": 0, "reader": reader, **case.get("options", {})}
    if "error" in case:
        with pytest.raises(AdjudgeError, match=r"gold\.json:\d+: ") as caught:
            aj.score(case["task"], *paths, **options)
        assert ERRORS[case["error"]] in str(caught.value)
        return
    result = aj.score(list(case["scores"]), *paths, **options)
    check(case, result)


def test_a_table_with_commas_has_a_row_for_each_entity(tmp_path):
    gold, system = tmp_path / "gold.csv", tmp_path / "system.csv"
    gold.write_text("doc_id,start,end,label\na,0,3,LOC\na,5,9,PER\nb,0,2,PER\n", encoding="utf-8")
    system.write_text("doc_id;start;end;label\na;0;3;LOC\nb;0;2;ORG\n", encoding="utf-8")
    result = aj.score("ner.strict", gold, system, reader="csv", bootstrap=0, ends="exclusive")
    assert (result["ner.strict"].precision, result["ner.strict"].recall) == pytest.approx((1 / 2, 1 / 3))
    system.write_text("doc_id,start,end,label\na,0,3\n", encoding="utf-8")
    with pytest.raises(AdjudgeError, match=r"system\.csv:2: 3 cells, and the first line names 4 columns"):
        aj.score("ner.strict", gold, system, reader="csv", bootstrap=0)


def written(case, room):
    """Gold and system of a case whose files are written to a folder."""
    for name, content in case["files"].items():
        (room / name).parent.mkdir(exist_ok=True)
        (room / name).write_text(content, encoding="utf-8")
    return room / case["gold"], room / case["system"]


@pytest.mark.parametrize("case", HERE["files"], ids=lambda case: case["id"])
def test_what_people_have_on_disk_goes_in(case, tmp_path):
    paths = written(case, tmp_path)
    check(case, aj.score(list(case["scores"]), *paths, reader=case["reader"], bootstrap=0))
    read, _ = reads(case["reader"])
    (found,) = case["documents"]["gold"][:1]
    assert found.items() <= read(paths[0]).documents[0].data.items()


@pytest.mark.parametrize(
    ("reader", "content", "message"),
    [
        ("brat", "T1\tPER 0 3\tAda\nR1\tmet Arg1:T1 Arg2:T9\n", "x:2:1: R1 refers to 'T9', which is not in the file"),
        ("pubtator", "1|t|Ada.\n1\t0\t9\tAda\tPER\t1\nhello\n", "x:2: the text has no characters 0 to 9"),
        ("pubtator", "1|t|Ada.\n1\t0\t9\tAda\tPER\t1\nhello\n", "x:3: neither a title, an abstract nor an annotation"),
        ("bioc", "<a/>", "x:1: the root is 'a'"),
        ("bioc", "<collection>\n<document/></collection>", "x:2: the document '' has no id of its own"),
        (
            "xmi",
            "<XMI><Sofa sofaString='a'/>\n<NamedEntity begin='0' end='9'/></XMI>",
            "x:2:1: the annotation ends beyond",
        ),
        ("doccano", '{"id": 1, "text": "a", "label": [[0, 1, "X"]]}\n{"id": 1,\n', "x:2:10: "),
        ("doccano", '{"id": 1, "text": "a"}', "1 of 1 documents have none of entities, spans, tags"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_with_its_place(reader, content, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("x").write_text(content, encoding="utf-8")
    with pytest.raises(AdjudgeError) as caught:
        aj.score("ner.strict", "x", "x", reader=reader, bootstrap=0)
    assert message in str(caught.value)


@pytest.mark.parametrize("case", HERE["files"], ids=lambda case: case["id"])
def test_the_content_of_a_file_says_how_it_is_read(case, tmp_path):
    paths = written(case, tmp_path)
    result = aj.score(list(case["scores"]), *paths, bootstrap=0)
    check({**case, "notes": [*case.get("notes", ()), "guessed-reader"]}, result)
    named = aj.score(list(case["scores"]), *paths, reader=case["reader"], bootstrap=0)
    assert result.signature == named.signature


@pytest.mark.parametrize(
    ("task", "content", "said"),
    [
        ("ner", '{"id": 1, "text": "Ada", "label": [[0, 3, "PER"]]}\n', "reading x as doccano (ends exclusive)"),
        ("ner", '{"text": "Ada", "spans": [], "answer": "accept", "_input_hash": 1}\n', "reading x as prodigy (ends"),
        ("ner", '[{"id": 1, "data": {"text": "Ada"}, "annotations": [{"result": []}]}]', "reading x as label-studio ("),
        ("relation", '[{"id": 1, "data": {"text": "Ada"}, "annotations": [{"result": []}]}]', "as label-studio ("),
        ("ner", "doc_id,start,end,label\na,0,3,LOC\n", "reading x as csv"),
        ("ner", "1|t|BRCA1.\n1|a|x\n1\t0\t5\tBRCA1\tGene\t672\n", "reading x as pubtator (ends exclusive)"),
        ("linking", "<collection><document><id>1</id></document></collection>", "reading x as bioc (ends exclusive)"),
        ("linking", "r1\tm1\tAda\td1:0-2\tE1\tPER\tNAM\t1.0\n", "reading x as edl (ends inclusive)"),
        ("ner", '{"id": "d1", "entities": [{"span": {"start": 0, "end": 2}, "type": "PER"}]}\n', "reading x as jsonl"),
        ("relation", '{"doc_key": "d", "sentences": [["a"]], "ner": [[]], "relations": [[]]}\n', "reading x as dygie"),
        ("relation", '[{"title": "d", "sents": [["a"]], "vertexSet": [], "labels": []}]', "reading x as docred"),
        ("ner", "Ada B-PER\nran O\n\n", ""),
        ("linking", "d1\t0\t4\tE1\t1.0\tPER\n", ""),
        ("record", '{"id": "d1", "output": "[{\\"a\\": 1}]"}\n', ""),
        ("amr", "# ::id 1\n(w / want-01\n   :ARG0 (b / boy))\n", ""),
    ],
)
def test_a_command_says_what_it_takes_a_file_for(task, content, said, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("x").write_text(content, encoding="utf-8")
    if "docred" in said:
        Path("y").write_text('[{"title": "d", "h_idx": 0, "t_idx": 0, "r": "P1"}]', encoding="utf-8")
    assert run([task, "score", "x", "y" if "docred" in said else "x", "--bootstrap", "0"]) == 0
    err = capsys.readouterr().err
    assert said in err if said else "reading" not in err


def test_nothing_is_guessed_if_nobody_wants_it(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("x").write_text('{"id": 1, "text": "Ada", "label": [[0, 3, "PER"]]}\n', encoding="utf-8")
    assert run(["ner", "score", "x", "x", "--no-guess"]) == 2
    monkeypatch.setenv("ADJUDGE_GUESS", "0")
    assert run(["ner", "score", "x", "x"]) == 2
    assert capsys.readouterr().err.count("name it with --reader") == 2
    assert run(["ner", "score", "x", "x", "--reader", "doccano", "--bootstrap", "0"]) == 0
