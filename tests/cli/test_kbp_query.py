"""`adjudge kbp query` and `adjudge kbp pooling-bias`."""

import json
from pathlib import Path

import pytest

from adjudge.cli import run
from adjudge.formats.kb_queries import read_queries
from adjudge.stats.result import Result

GOLD = "ana\tspouse\tben\td1\nben\temployer\tcorvex\td1\nben\temployer\tnorsk\td2\neva\tspouse\tdan\td2\n"
SYSTEM = "ana\tspouse\tben\td1\nben\temployer\tcorvex\td1\nben\temployer\toslo\td2\n"
QUERIES = "Q1\tana\t-\t-\t-\tspouse\temployer\nQ2\teva\t-\t-\t-\tspouse\n"
POOL = "Q1\tC\t1\tben\nQ1\tC\t1:1\tben\tcorvex\nQ1\tW\t0\tben\toslo\nQ2\tC\t1\tdan\n"
KB = """run1
:Entity_A\ttype\tPER
:Entity_A\tmention\t"Ana"\tD1:0-2
:Entity_A\tcanonical_mention\t"Ana"\tD1:0-2
:Entity_B\ttype\tPER
:Entity_B\tmention\t"Ben"\tD1:10-12
:Entity_B\tcanonical_mention\t"Ben"\tD1:10-12
:Entity_C\ttype\tPER
:Entity_C\tmention\t"Cyd"\tD1:20-22
:Entity_C\tcanonical_mention\t"Cyd"\tD1:20-22
:Entity_A\tper:children\t:Entity_B\tD1:0-12
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in (("gold.tsv", GOLD), ("a.tsv", SYSTEM), ("q.tsv", QUERIES), ("pool.tab", POOL)):
        Path(name).write_text(text)
    Path("gold.tac").write_text(KB)
    Path("b.tac").write_text(KB + ":Entity_A\tper:children\t:Entity_C\tD1:0-22\n")
    return tmp_path


def call(command: str) -> int:
    return run(command.split())


def scores(text: str, system: int = 0) -> dict[str, float]:
    found = json.loads(text)["systems"][system]["scores"]
    return {f"{each['metric']}.{each['part']}": each["value"] for each in found if not each["slice"]}


def test_triples(capsys: pytest.CaptureFixture[str]) -> None:
    # Q1: ben is right; below him corvex is right, oslo is wrong, norsk is missed. Q2: nothing.
    command = "kbp query --queries q.tsv --gold gold.tsv a.tsv --format json --bootstrap 0 --by query --table rows.tsv"
    assert call(command) == 0
    out = capsys.readouterr().out
    found = scores(out)
    assert (found["kbp.query.hop0.precision"], found["kbp.query.hop0.recall"]) == (1.0, 0.5)
    assert (found["kbp.query.hop1.precision"], found["kbp.query.hop1.recall"]) == (0.5, 0.5)
    assert (found["kbp.query.tp"], found["kbp.query.system"], found["kbp.query.gold"]) == (2, 3, 4)
    result = json.loads(out)
    assert (result["task"], result["profile"]) == ("kbp", "query")
    assert "judge:gold" in result["signature"]
    assert result["systems"][0]["notes"][0]["message"].startswith("1 of 2 questions start at no node: Q2")
    slices = [each["slice"] for each in result["systems"][0]["scores"] if each["slice"]]
    assert {"query": "Q1"} in slices
    rows = [line.split("\t")[:5] for line in Path("rows.tsv").read_text().splitlines()]
    assert rows[1:] == [["a", "Q1", "0", "1", "1"], ["a", "Q1:ben", "1", "2", "2"], ["a", "Q2", "0", "1", "0"]]


def test_assessments_and_files_of_answers(capsys: pytest.CaptureFixture[str]) -> None:
    command = (
        "kbp query --queries q.tsv --assessments pool.tab a.tsv --write-answers run.tsv --format json --bootstrap 0"
    )
    assert call(command) == 0
    first = scores(capsys.readouterr().out)
    assert Path("run.tsv").read_text() == "Q1\tben\nQ1\tben\tcorvex\nQ1\tben\toslo\n"
    assert call("kbp query --queries q.tsv --assessments pool.tab run.tsv --format json --bootstrap 0") == 0
    assert scores(capsys.readouterr().out) == first
    assert first["kbp.query.recall"] == 2 / 3


def test_a_query_is_explained_and_saved(capsys: pytest.CaptureFixture[str]) -> None:
    base = "kbp query --queries q.tsv --gold gold.tsv a.tsv"
    assert call(f"{base} --explain Q1") == 0
    out = capsys.readouterr().out
    assert out.startswith("Q1  a  kbp.query: hop0 1 correct; hop1 1 correct, 1 missed, 1 spurious\n")
    assert "missed   employer norsk (Q1:ben:norsk)\n" in out
    assert "oslo" in out
    assert call(f"{base} --bootstrap 0 --save r.json --save-documents") == 0
    capsys.readouterr()
    assert str(Result.load("r.json").explain("Q1")["a"]) + "\n" == out
    assert call(f"{base} --save-documents") == 2


def test_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("kbp query --queries q.tsv --assessments pool.tab A=a.tsv B=gold.tsv") == 0
    out = capsys.readouterr().out
    assert "kbp.query.hop1.macro" in out
    assert "A - B" in out
    assert "note: B: 1 answer not assessed" in out
    assert "(2 questions)" in out


def test_queries_are_made_and_read_back(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("made.xml", "made.tsv"):
        assert call(f"kbp query --gold gold.tsv --generate 9 --write-queries {name}") == 0
    assert capsys.readouterr() == ("", "")
    made = read_queries("made.xml")
    assert made == read_queries("made.tsv")
    assert [(each.node, each.slots) for each in made] == [
        ("ana", ("spouse",)),
        ("ben", ("employer",)),
        ("eva", ("spouse",)),
        ("ana", ("spouse", "employer")),
    ]
    assert call("kbp query --queries made.xml --gold gold.tsv gold.tsv --format json --bootstrap 0") == 0
    assert scores(capsys.readouterr().out)["kbp.query.f1"] == 1.0
    one = "kbp query --gold gold.tsv --generate 9 --hops 1 a.tsv --format json --bootstrap 0 --write-queries one.xml"
    assert call(one) == 0
    assert len(read_queries("one.xml")) == 3


def test_cold_start(capsys: pytest.CaptureFixture[str]) -> None:
    command = "kbp query --gold gold.tac --generate 5 --hops 1 b.tac --format json --bootstrap 0 --write-queries q.xml"
    assert call(command) == 0
    # Ana has one child in gold, and the system says two; Ben's parent is Ana for both.
    found = scores(capsys.readouterr().out)
    assert (found["kbp.query.tp"], found["kbp.query.system"], found["kbp.query.gold"]) == (2, 3, 2)
    assert read_queries("q.xml")[0].entry_points[0].name == "Ana"


def test_annotated_gold(capsys: pytest.CaptureFixture[str]) -> None:
    names = [("E1", 0, "Ana"), ("E2", 10, "Ben")]
    lines = []
    for document in ("D1", "D2"):
        entities = [
            {"id": id_, "type": "PER", "mentions": [{"start": start, "end": start + 3, "text": text}]}
            for id_, start, text in names
        ]
        relations = [{"type": "per:children", "subject": "E1", "object": "E2"}] if document == "D1" else []
        lines.append(json.dumps({"id": document, "entities": entities, "relations": relations}))
    Path("gold.jsonl").write_text("\n".join(lines))
    command = "kbp query --gold gold.jsonl --generate 5 --hops 1 gold.tac --format json --bootstrap 0"
    assert call(command) == 0
    assert scores(capsys.readouterr().out)["kbp.query.f1"] == 1.0


def test_gates_and_saved_results(capsys: pytest.CaptureFixture[str]) -> None:
    base = "kbp query --queries q.tsv --gold gold.tsv a.tsv --bootstrap 10 --save r.json"
    assert run([*base.split(), "--fail-under", "kbp.query.f1=0.9"]) == 3
    assert "kbp.query.f1 is 0.571429, below 0.9" in capsys.readouterr().err
    assert json.loads(Path("r.json").read_text())["systems"][0]["table"]["ids"] == ["Q1", "Q2"]
    assert run([*base.split(), "--fail-under", "kbp.quary.f1=0.9"]) == 2


def test_queries_are_chosen_averaged_and_shared_out(capsys: pytest.CaptureFixture[str]) -> None:
    # Q1 has 2 of 3 answers right and misses 1, Q2 has none of one: pooled 2 of 3 and 2 of 4, on average 1/3 and 1/3.
    base = "kbp query --queries q.tsv --gold gold.tsv a.tsv --format json --bootstrap 0"
    assert call(base) == 0
    whole = capsys.readouterr().out
    assert call(f"{base} --pool macro") == 0
    averaged = capsys.readouterr().out
    assert scores(whole)["kbp.query.recall"] == 2 / 4
    assert scores(averaged)["kbp.query.recall"] == pytest.approx((2 / 3 + 0) / 2)
    assert call(f"{base} --docs Q1") == 0
    one = capsys.readouterr().out
    assert (scores(one)["kbp.query.recall"], json.loads(one)["systems"][0]["documents"]) == (2 / 3, 1)
    assert call(f"{base} --jobs 2") == 0
    assert capsys.readouterr().out == whole
    assert call(f"{base} --exact") == 2
    assert "--exact has no meaning here: no query needs a search" in capsys.readouterr().err
    assert call(f"{base} --docs Q7") == 2
    assert "there is no gold document 'Q7'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("a.tsv", "where do the queries come from?"),
        ("--queries q.tsv --generate 3 --gold gold.tsv a.tsv", "where do the queries come from?"),
        ("--generate 3 a.tsv", "queries are made from gold"),
        ("--queries q.tsv a.tsv", "there is nothing to judge the answers by"),
        ("--queries q.tsv --gold gold.tsv --assessments pool.tab a.tsv", "by gold or by assessments"),
        ("--queries q.tsv --gold gold.tsv", "no system to ask"),
        ("--queries q.tsv --wiki w --assessments pool.tab a.tsv", "--wiki links the mentions of gold"),
        ("--queries q.tsv --gold gold.tsv a.tsv gold.tsv --write-answers x", "--write-answers is for one system"),
        ("--queries q.tsv --gold gold.tsv a.tsv --hops 2", "--queries and --hops cannot be combined"),
        ("--queries q.tsv --gold gold.tsv a.tsv --match case", "--gold and --match cannot be combined"),
        ("--generate 3 --hops 0 --gold gold.tsv a.tsv", "queries have one hop or more"),
        ("--generate 0 --gold gold.tsv a.tsv", "ask for one or more"),
        ("--queries q.tsv --gold gold.tsv a.tsv --justifications 3", "write for example 1:3"),
        ("--queries q.tsv --gold gold.tsv a.tsv --by genre", "cannot slice by 'genre'"),
        ("--queries q.tsv --gold gold.tsv x=a.tsv x=gold.tsv", "two systems are called"),
        ("--queries q.tsv --gold gold.tsv nowhere.tsv", "there is no such file"),
        ("--queries q.tsv --gold gold.tac --wiki w b.tac", "are linked already"),
        ("--queries q.tsv --gold gold.tsv a.tsv --table a.tsv", "a.tsv"),
    ],
)
def test_wrong_calls(arguments: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["kbp", "query", *arguments.split()]) == 2
    assert said in capsys.readouterr().err


def test_wrong_files(capsys: pytest.CaptureFixture[str]) -> None:
    Path("bad.tsv").write_text("Q1\tana\n")
    assert call("kbp query --queries bad.tsv --gold gold.tsv a.tsv") == 1
    assert "bad.tsv:1:1: a line with 2 fields instead of 6 or more" in capsys.readouterr().err
    Path("bad.tab").write_text("Q1\tZ\t1\tben\n")
    assert call("kbp query --queries q.tsv --assessments bad.tab a.tsv") == 1
    assert "bad.tab:1:4: there is no judgment 'Z'" in capsys.readouterr().err


def test_pooling_bias(capsys: pytest.CaptureFixture[str]) -> None:
    Path("x.tsv").write_text("Q1\tben\nQ1\tben\tcorvex\n")
    Path("y.tsv").write_text("Q1\tben\nQ2\tdan\n")
    command = "kbp pooling-bias --queries q.tsv --assessments pool.tab x.tsv y.tsv --bootstrap 0"
    assert call(command) == 0
    assert capsys.readouterr().out == (
        "system  unique  right  classes lost  precision  recall  f1    without  change  rank\n"
        "x       1       1      1             100.0      66.7    80.0  50.0     -30.0   1 > 2\n"
        "y       1       1      1             100.0      66.7    80.0  50.0     -30.0   1 > 2\n"
        "\n"
        "kbp.query over 2 queries; 4 assessments, 3 classes of correct answers, 1 assessments of no system here\n"
        "mean difference: precision -50.0, recall -16.7, f1 -30.0\n"
    )
    assert run([*command.split(), "--format", "json"]) == 0
    record = json.loads(capsys.readouterr().out)
    # x without corvex: ben is right, corvex is wrong, gold is ben and dan.
    assert record["systems"][0]["parts"]["f1"] == {
        "before": 0.8,
        "after": 0.5,
        "difference": pytest.approx(-0.3),
        "low": None,
        "high": None,
    }
    assert (record["systems"][0]["rank"], record["systems"][0]["rank_after"]) == (1, 2)
    assert record["mean"]["f1"] == pytest.approx(-0.3)
    assert call("kbp pooling-bias --queries q.tsv --assessments pool.tab x.tsv y.tsv --quiet") == 0
    assert "[" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("a.tsv", "a pool needs at least two systems"),
        ("a.tsv gold.tsv --metric kbp.hop1", "no metric 'kbp.hop1'"),
        ("x=a.tsv x=gold.tsv", "two systems are called"),
    ],
)
def test_wrong_calls_of_pooling_bias(arguments: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    base = ["kbp", "pooling-bias", "--queries", "q.tsv", "--assessments", "pool.tab"]
    assert run([*base, *arguments.split()]) == 2
    assert said in capsys.readouterr().err


def test_names_that_no_file_of_queries_can_hold_are_of_their_file(capsys: pytest.CaptureFixture[str]) -> None:
    Path("odd.tsv").write_text("a  b\tr\tc\td\n")
    assert call("kbp query --gold odd.tsv --generate 5 --write-queries q.xml") == 1
    assert "error: odd.tsv: query Q1H_0001: a name with a TAB or several blanks" in capsys.readouterr().err
