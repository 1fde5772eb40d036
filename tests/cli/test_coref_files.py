"""`adjudge coref convert` and `adjudge coref validate`."""

import json
import lzma
from pathlib import Path

import pytest

import adjudge as aj
from adjudge.cli import run

CONLL = "#begin document (a); part 000\nx\t(1\ny\t-\nz\t(2)|1)\n\n#end document\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("a.conll").write_text(CONLL)
    return tmp_path


def test_convert_to_and_fro(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["coref", "convert", "--to", "jsonl", "a.conll"]) == 0
    out, err = capsys.readouterr()
    record = {"id": "(a); part 000", "tokens": 3, "clusters": [[[0, 2]], [[2, 2]]], "ids": ["1", "2"]}
    assert (json.loads(out), err) == (record, "")
    Path("a.jsonl").write_text(out)
    assert run(["coref", "convert", "--from", "jsonl", "--to", "conllu", "a.jsonl", "-o", "a.conllu"]) == 0
    assert run(["coref", "convert", "--to", "conll", "a.conllu"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("\t")[-1] for line in lines[1:-1]] == ["(1", "-", "(2)|1)"]


def test_a_dash_is_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["coref", "convert", "--to", "conll", "a.conll", "-o", "-"]) == 0
    assert capsys.readouterr().out.startswith("#begin document (a); part 000")
    assert run(["coref", "validate", "a.conll", "-o", "-"]) == 0
    assert capsys.readouterr().out.startswith("a.conll: 1 document")
    assert not Path("-").exists()


def test_convert_says_what_is_lost(capsys: pytest.CaptureFixture[str]) -> None:
    Path("gap.jsonl").write_text('{"id": "a", "clusters": [[[0, 0, 2, 2]]], "text": "x"}\n')
    assert run(["coref", "convert", "--to", "conll", "gap.jsonl", "-o", "gap.conll"]) == 0
    assert capsys.readouterr().err.splitlines() == [
        "note: gap.jsonl: not read: text",
        "note: gap.jsonl: 1 mention with gaps written from the first to the last token",
        "note: gap.jsonl: 1 document of unknown length written up to the last mention",
    ]
    assert run(["coref", "convert", "--to", "conll", "gap.jsonl", "--quiet"]) == 0
    assert capsys.readouterr().err == ""


def test_convert_refuses(capsys: pytest.CaptureFixture[str]) -> None:
    Path("cross.jsonl").write_text('{"id": "a", "clusters": [[[0, 2], [1, 3]]]}\n')
    assert run(["coref", "convert", "--to", "conll", "cross.jsonl", "-o", "cross.conll"]) == 1
    assert "cross.jsonl:1: the mention [0, 2] of chain 0 crosses or touches" in capsys.readouterr().err
    assert not Path("cross.conll").exists()
    assert run(["coref", "convert", "a.conll"]) == 2
    assert run(["coref", "convert", "--to", "conll", "a.conll", "-o", "a.conll"]) == 2
    assert run(["coref", "convert", "--to", "conll", "none"]) == 2


def test_validate(capsys: pytest.CaptureFixture[str]) -> None:
    Path("b.conll").write_text(CONLL.replace("-", "(2)|(3)"))
    assert run(["coref", "validate", "a.conll", "b.conll"]) == 0
    assert capsys.readouterr().out == (
        "a.conll: 1 document, 3 tokens, 2 chains, 2 mentions, 0 errors, 0 warnings\n"
        "b.conll:3:7: warning: the mention of token 1 is in chain 3 and in chain 2 (line 3), keep it in one chain\n"
        "b.conll: 1 document, 3 tokens, 3 chains, 4 mentions, 0 errors, 1 warning\n"
    )


def test_validate_other_formats(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.jsonl").write_text('{"id": "a", "clusters": [[[1, 0]]]}\n')
    assert run(["coref", "validate", "a.jsonl", "--quiet"]) == 1
    assert capsys.readouterr().out.startswith("a.jsonl:1:27: error: the mention [1, 0] ends before it starts")


def test_a_file_of_another_format_is_named(tmp_path, capsys):
    table = tmp_path / "key.csv"
    table.write_text("id,text\n1,a\n2,b\n")
    assert run(["coref", "validate", str(table)]) == 1
    printed = capsys.readouterr()
    said = printed.out + printed.err
    assert "this looks like CSV (columns id, text), give CoNLL, CorefUD, JSON lines of clusters or a table" in said


KEY = [("a", 0, 1, "x"), ("a", 3, 3, "x"), ("a", 5, 5, "y"), ("a", 7, 7, "y"), ("b", 2, 4, "z")]
RESPONSE = [("a", 0, 1, 1), ("a", 3, 3, 1), ("a", 5, 5, 1), ("b", 2, 4, 1)]
COLUMNS = ("doc", "start", "end", "cluster")


def written(name, rows, separator=","):
    Path(name).write_text("".join(separator.join(map(str, row)) + "\n" for row in (COLUMNS, *rows)))
    return name


def dicts(rows):
    return [dict(zip(COLUMNS, row, strict=True)) for row in rows]


def table_of(form):
    if form == "tsv":
        return written("key.tsv", KEY, "\t")
    if form == "parquet":
        pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        parquet.write_table(pyarrow.Table.from_pylist(dicts(KEY)), "key.parquet")
        return "key.parquet"
    written("key.csv", KEY)
    if form == "xz":
        Path("key.csv.xz").write_bytes(lzma.compress(Path("key.csv").read_bytes()))
        return "key.csv.xz"
    return "key.csv"


@pytest.mark.parametrize("form", ["csv", "tsv", "xz", "parquet"])
def test_a_table_of_mentions_scores_as_its_rows_do(form, capsys):
    key, response = table_of(form), written("response.csv", RESPONSE)
    expected = aj.score("coref", dicts(KEY), dicts(RESPONSE), bootstrap=0)
    assert expected["coref.b3"].recall == pytest.approx((2 * 2 / 2 + 1 / 2 + 1) / 5)
    assert aj.score("coref", key, response, bootstrap=0).to_flat() == expected.to_flat()
    assert run(["coref", "score", key, response, "--bootstrap", "0"]) == 0
    assert "coref.b3" in capsys.readouterr().out
    assert run(["coref", "convert", "--to", "jsonl", key]) == 0
    clusters = [json.loads(line)["clusters"] for line in capsys.readouterr().out.splitlines()]
    assert clusters == [[[[0, 1], [3, 3]], [[5, 5], [7, 7]]], [[[2, 4]]]]
    assert run(["doctor", key]) == 0
    said = capsys.readouterr().out
    assert "2 documents, 3 chains, 5 mentions" in said
    assert said.splitlines()[-1].split() == ["next", "adjudge", "coref", "validate", key]
    assert run(["doctor", key, response]) == 0
    assert f"adjudge coref score {key} response.csv" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (("a", "x", 1, 1), 'expected a mention, got ["x", 1]'),
        (("a", "", 1, 1), "expected a mention, got [null, 1]"),
        (("a", 3, 1, 1), "the mention [3, 1] ends before it starts"),
        (("a", 1, 3, ""), "the mention has no cluster"),
    ],
)
def test_a_row_that_is_no_mention_has_its_line(row, message, capsys):
    assert run(["coref", "validate", written("key.csv", [*KEY, row])]) == 1
    assert f"key.csv:{len(KEY) + 2}: error: {message}" in capsys.readouterr().out


def test_a_row_with_nothing_but_its_document_is_a_document_without_mentions(capsys):
    assert run(["coref", "convert", "--to", "jsonl", written("key.csv", [*KEY[:1], ("c", "", "", "")])]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[1]) == {"id": "c", "clusters": []}


def test_a_table_of_entities_with_clusters_is_good_for_both(capsys):
    Path("both.csv").write_text("doc,start,end,type,cluster\na,0,1,PER,1\n")
    assert run(["doctor", "both.csv"]) == 0
    said = capsys.readouterr().out
    assert "good for    ner (strict, exact, type, partial), coref" in said
    assert "warning" not in said
