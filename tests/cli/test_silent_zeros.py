"""No zero with exit code 0 where files do not fit together: an error, or a note that says what is wrong."""

import json
import shutil
from pathlib import Path

import pytest

from adjudge.cli import run
from adjudge.demo import DATA

ENTITIES = [[(0, 4), (10, 15)], [(3, 9), (20, 25), (30, 33)], [(5, 8), (40, 44)]]
CONLL = "#begin document ({0}); part 000\n{0} 0 0 a (1)\n{0} 0 1 b (2)\n{0} 0 2 c (1)\n\n#end document\n"
TBF = "#BeginOfDocument {0}\ngold\t{0}\tE1\t3,7\tdied\tLife_Die\tActual\n#EndOfDocument\n"
FORMS = {
    "jsonl": '{{"id": "{0}", "entities": [], "relations": [], "items": [], "incidents": []}}\n',
    "conll": CONLL,
    "tbf": TBF,
    "triples": "ana\tworks_for\tcorvex\t{0}\n",
    "edl": "{0}\t0\t4\tE1\n",
    "amr": "# ::id {0}\n(a / amr)\n\n",
}
TASKS = {
    "score ner.strict {0}.jsonl {1}.jsonl": "jsonl",
    "score ner.strict {0}.jsonl {1}.jsonl --jobs 2": "jsonl",
    "ner score {0}.jsonl {1}.jsonl --reader jsonl": "jsonl",
    "relation score {0}.jsonl {1}.jsonl": "jsonl",
    "template score {0}.jsonl {1}.jsonl --reader jsonl": "jsonl",
    "coref score {0}.conll {1}.conll --quiet": "conll",
    "coref score {0}.conll {1}.conll --jobs 2": "conll",
    "coref score {0}.conll {1}.conll --compat conll-8.01": "conll",
    "coref score {0}.conll {1}.conll --profile strict": "conll",
    "nugget score -g {0}.tbf -s {1}.tbf": "tbf",
    "nugget score -g {0}.tbf -s {1}.tbf --profile evmeval-1.8": "tbf",
    "nugget score -g {0}.tbf -s {1}.tbf --compat evmeval-1.8": "tbf",
    "kbp score --gold {0}.triples {1}.triples": "triples",
    "linking score {0}.edl {1}.edl": "edl",
    "linking score {0}.edl {1}.edl --compat neleval-3.1.1": "edl",
    "amr score {0}.amr {1}.amr": "amr",
}


@pytest.fixture
def call(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for side, names in (("gold", ("d1", "d2")), ("run", ("d1.txt", "d2.txt")), ("far", ("x", "y"))):
        for ending, form in FORMS.items():
            Path(f"{side}.{ending}").write_text("".join(form.format(name) for name in names))
    for ending in FORMS:
        Path(f"empty.{ending}").write_text("")

    def called(command: str):
        code = run(command.split())
        return code, *capsys.readouterr()

    return called


@pytest.mark.parametrize("task", TASKS)
def test_no_common_document(call, task):
    code, out, err = call(task.format("gold", "run"))
    ending = TASKS[task]
    assert (code, out) == (1, "")
    names = ("(d1.txt); part 000", "(d1); part 000") if ending == "conll" else ("d1.txt", "d1")
    assert err.startswith(f"error: run.{ending}: no document is in common with gold.{ending}: {names[0]!r}, ")
    assert f" here and {names[1]!r}, " in err
    assert "the names differ by " in err
    assert "'.txt' of the system only" in err
    code, out, err = call(task.format("gold", "far"))
    assert (code, out, "no document is in common" in err, "differ" in err) == (1, "", True, False)


@pytest.mark.parametrize(
    "task", [task for task in TASKS if "compat" not in task and "strict" not in task.split("--")[-1]]
)
def test_a_system_that_found_nothing(call, task):
    if "kbp" in task:
        pytest.skip("knowledge bases say it in their own way")
    code, out, _ = call(task.format("gold", "empty") + " --bootstrap 0")
    assert code == 0
    if "--quiet" not in task:
        assert "note: the system has no documents at all, so that everything in gold counts as missed" in out


def test_event_arguments(call):
    shutil.copytree(DATA / "eal", "eal")
    folder = Path("eal/submissions/slate")
    for file in [each for each in folder.rglob("*") if each.is_file()]:
        file.rename(file.with_name(f"{file.name}.cs"))
    code, out, err = call("eal score --key eal/assessments --frames eal/frames eal/submissions/slate")
    assert (code, out) == (1, "")
    assert "the names differ by the ending '.cs' of the system only" in err
    Path("nothing").mkdir()
    code, _, err = call("eal score --key nothing eal/submissions/marble")
    assert (code, "nothing: there are no gold documents to score against" in err) == (1, True)


def documents(name: str, start: int, end: int) -> None:
    lines = [
        {"id": f"d{i}", "entities": [{"span": {"start": a + start, "end": b + end}, "type": "PER"} for a, b in own]}
        for i, own in enumerate(ENTITIES)
    ]
    Path(name).write_text("".join(json.dumps(each) + "\n" for each in lines))


@pytest.mark.parametrize(
    ("move", "said"),
    [
        ((0, -1), 'ends one higher; if its ends are inclusive, say system_ends="inclusive"'),
        ((0, 1), 'ends one lower; if gold\'s ends are inclusive, say gold_ends="inclusive"'),
        ((1, 1), "starts and ends one lower; does one side count characters from 0 and the other from 1?"),
        ((-1, -1), "starts and ends one higher; does one side count characters from 0 and the other from 1?"),
    ],
)
def test_offsets_that_are_off_everywhere(call, move, said):
    documents("gold.jsonl", 0, 0)
    documents("run.jsonl", *move)
    for more in ("", " --jobs 2"):
        code, out, _ = call("score ner.strict gold.jsonl run.jsonl --bootstrap 0" + more)
        assert code == 0
        assert f"note: system: 0 of 7 spans equal a gold span, 7 would with {said}\n" in out
    lines = [json.loads(line) for line in Path("gold.jsonl").read_text().splitlines()]
    wrong = {**lines[0], "entities": [{**each, "type": "ORG"} for each in lines[0]["entities"]]}
    Path("run.jsonl").write_text("".join(json.dumps(each) + "\n" for each in (wrong, lines[1])))
    assert "a gold span" not in call("score ner.strict gold.jsonl run.jsonl --bootstrap 0")[1]


def test_offsets_of_mentions_and_nuggets(call):
    for name, end in (("key", 0), ("moved", 1)):
        chains = [[[0, 1 + end], [5, 6 + end]], [[9, 9 + end], [20, 21 + end]]]
        Path(f"{name}.jsonl").write_text(json.dumps({"id": "a", "clusters": chains}) + "\n")
        nuggets = "".join(f"r\ta\tE{s}\t{s},{s + 6 + end}\tkilled\tLife_Die\tActual\n" for s in (3, 20, 40))
        Path(f"{name}.tbf").write_text(f"#BeginOfDocument a\n{nuggets}#EndOfDocument\n")
    _, out, _ = call("coref score key.jsonl moved.jsonl")
    assert "note: system: 0 of 4 spans equal a gold span, 4 would with ends one lower; if gold's ends are" in out
    _, out, _ = call("nugget score -g key.tbf -s moved.tbf")  # which matches in part, so that it scores 92.3
    assert "note: system: 0 of 3 spans equal a gold span, 3 would with ends one lower; if gold's ends are" in out


def test_swapped_sides(call):
    documents("gold.jsonl", 0, 0)
    documents("pred.jsonl", 0, 0)
    _, out, _ = call("score ner.strict pred.jsonl gold.jsonl --bootstrap 0")
    assert "note: the system is called gold.jsonl and gold is called pred.jsonl: are the two swapped?" in out
    assert "swapped" not in call("score ner.strict gold.jsonl pred.jsonl --bootstrap 0")[1]


@pytest.mark.parametrize("bootstrap", [0, 20])
def test_nothing_in_gold(call, bootstrap):
    documents("run.jsonl", 0, 0)
    Path("gold.jsonl").write_text("".join(f'{{"id": "d{i}", "entities": []}}\n' for i in range(3)))
    _, out, _ = call(f"score ner.strict gold.jsonl run.jsonl --bootstrap {bootstrap}")
    assert "note: gold has nothing to find for ner.strict: 0/0 counts as 0" in out
    Path("key.jsonl").write_text('{"id": "a", "clusters": []}\n{"id": "b", "clusters": []}\n')
    Path("response.jsonl").write_text('{"id": "a", "clusters": [[[0, 0], [2, 2]]]}\n{"id": "b", "clusters": []}\n')
    _, out, _ = call(f"coref score key.jsonl response.jsonl --metric muc --bootstrap {bootstrap}")
    assert "note: gold has nothing to find for coref.muc: 0/0 counts as 0" in out
    Path("none.tbf").write_text("#BeginOfDocument d1\n#EndOfDocument\n#BeginOfDocument d2\n#EndOfDocument\n")
    _, out, _ = call(f"nugget score -g none.tbf -s gold.tbf --bootstrap {bootstrap}")
    assert "note: gold has nothing to find for nugget.span" in out


OTHER = {
    "table.csv": ("id,start,end,type\n" + "d1,0,4,PER\n" * 50, "CSV (columns id, start, end, type)"),
    "array.json": ('[{"id": "d1"}]', "JSON array"),
    "page.xml": ('<?xml version="1.0"?>\n<deft_ere/>\n', "XML"),
    "events.tbf": (TBF.format("d1"), "TBF"),
    "chains.conll": (CONLL.format("d1"), "CoNLL coreference"),
    "lines.jsonl": ('{"id": "d1"}\n{"id": "d2"}\n', "JSON lines"),
}


@pytest.mark.parametrize(
    ("command", "names"),
    [
        ("score ner.strict {} gold.jsonl", "table.csv array.json page.xml events.tbf chains.conll"),
        ("ner score {} {} --reader bio", "table.csv page.xml lines.jsonl"),
        ("coref score {} gold.conll", "table.csv page.xml events.tbf"),
        ("coref score gold.conll {}", "table.csv page.xml events.tbf"),
        ("nugget score -g {} -s gold.tbf", "table.csv array.json page.xml chains.conll lines.jsonl"),
        ("nugget score -g gold.tbf -s {}", "table.csv page.xml"),
        ("amr score {} gold.amr --reader penman", "table.csv page.xml lines.jsonl"),
        ("tree score {} {} --reader conllu", "table.csv page.xml lines.jsonl"),
        ("linking score {} gold.edl --reader neleval", "table.csv page.xml lines.jsonl"),
    ],
)
def test_a_file_of_another_format_is_named_once(call, command, names):
    for name in names.split():
        text, looks = OTHER[name]
        Path(name).write_text(text)
        code, _, err = call(command.format(name, name))
        assert code == 1
        assert len(set(err.splitlines())) == 1, err
        assert looks in err


def test_one_mistake_in_every_line_of_a_file(call):
    Path("gold.jsonl").write_text("".join(f'{{"id": "d{i}", "spans": []}}\n' for i in range(101)))
    Path("run.jsonl").write_text("".join(f'{{"id": "d{i}", "entities": []}}\n' for i in range(101)))
    assert call("score ner.strict gold.jsonl run.jsonl") == (
        1,
        "",
        "error: gold.jsonl:1:1: entities: the field 'entities' is missing, the fields there are id, spans "
        "(and 100 more like it, on lines 2, 3, 4, ...)\n",
    )
    Path("tags.bio").write_text("".join(f"w{i} X{i}\n" for i in range(2000)))
    _, _, err = call("ner score tags.bio tags.bio")
    assert set(err.splitlines()) == {
        "error: tags.bio:1:4: 'X0' has no B- or I- prefix, say --scheme IO if each run of a label is one entity "
        "(and 1999 more like it, on lines 2, 3, 4, ...)"
    }


def test_records_that_stand_under_another_key(call):
    gold = [{"id": f"d{n}", "record": {"name": "Ada", "born": n}} for n in range(3)]
    Path("gold.jsonl").write_text("".join(json.dumps(each) + "\n" for each in gold))
    answers = [{"id": each["id"], "answer": json.dumps(each["record"])} for each in gold]
    Path("answers.jsonl").write_text("".join(json.dumps(each) + "\n" for each in answers))
    Path("schema.yaml").write_text("name: text\nborn: number\n")
    command = "record score gold.jsonl answers.jsonl --bootstrap 0"
    code, out, _ = call(command)
    assert code == 0
    assert "answers have no field of gold (record), but born, name; --field and --system-field" in out
    code, _, err = call(f"{command} --schema schema.yaml")
    assert code == 1
    assert "gold.jsonl: no field of gold (record) is in the schema (born, name)" in err
    code, out, _ = call(f"{command} --schema schema.yaml --field record --system-field answer")
    assert (code, "no field of gold" in out) == (0, False)


def test_offsets_that_are_off_stand_before_other_notes(call):
    documents("gold.jsonl", 0, 0)
    documents("run.jsonl", 0, -1)
    lines = map(json.loads, Path("run.jsonl").read_text().splitlines())
    bare = [{"id": each["id"], "spans": [[*e["span"].values(), "PER"] for e in each["entities"]]} for each in lines]
    Path("run.jsonl").write_text("".join(json.dumps(each) + "\n" for each in bare))
    _, out, _ = call("ner score gold.jsonl run.jsonl --bootstrap 0")
    notes = [line for line in out.splitlines() if line.startswith("note: ")]
    assert len(notes) > 1
    assert " would with ends one higher; if its ends are inclusive" in notes[0]
