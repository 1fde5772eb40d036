"""What files are, by their content: the readers of every task, what is asked if there are several, and new readers."""

from __future__ import annotations

import io
import json
import struct
import sys
import zipfile
from pathlib import Path

import pytest

from adjudge.cli import run
from adjudge.formats.exports import read_inspect, read_inspect_gold
from adjudge.formats.kinds import formats_of
from adjudge.formats.webanno import read_webanno
from adjudge.tasks.family import families
from adjudge.tasks.readers import chosen

CASES = json.loads((Path(__file__).parent / "recognise.json").read_text(encoding="utf-8"))
PAIRS = [(case, task, readers) for case in CASES for task, readers in case["readers"].items()]


@pytest.mark.parametrize(
    ("case", "task", "readers"), PAIRS, ids=lambda each: each["id"] if isinstance(each, dict) else ""
)
def test_the_content_says_the_reader(case, task, readers, tmp_path):
    data = case["content"].encode()
    if task not in families():  # which tell their formats themselves
        assert formats_of(data)[0].kind == readers
        return
    if isinstance(readers, str):
        usual = "answers" if task == "record" else "?"
        assert chosen(task, data, [data], ("guess", None), usual).readers[0] == readers
        return
    path = tmp_path / "x"
    path.write_bytes(data)
    other = tmp_path / "y"
    other.write_text("Ada B-PER\nran O\n\n")
    assert chosen(task, str(path), [str(other)], ("guess", None), "bio").readers[0] == "bio"
    assert run([task, "score", str(path), str(path)]) == 2


def test_what_may_be_two_things_is_asked_with_the_first_item_of_each(tmp_path, capsys):
    path = tmp_path / "x"
    path.write_text("Ada B-PER B-LOC\nran O B-PER\n\n")
    assert run(["ner", "score", str(path), str(path)]) == 2
    err = capsys.readouterr().err
    assert 'x: this may be bio or bio-both, choose: --reader bio would read entities of sentence-1: {"span"' in err
    assert '"type": "LOC"}; --reader bio-both would read' in err
    assert '"type": "PER"}' in err


@pytest.mark.parametrize("reader", [[], ["--reader", "doccano"]])
def test_standard_input_is_looked_at_and_read_all_the_same(reader, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    line = '{"id": 1, "text": "Ada", "label": [[0, 3, "PER"]]}\n'
    Path("gold").write_text(line * 1)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(line.encode())))
    assert run(["ner", "score", "gold", "-", "--metric", "ner.strict", "--bootstrap", "0", *reader]) == 0
    out, err = capsys.readouterr()
    assert "100.0" in out
    assert ("reading <stdin> as doccano (ends exclusive)" in err) == (not reader)


def test_a_pattern_is_read_like_its_first_file(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for number in (1, 2):
        data = {"id": number, "entities": [{"span": {"start": 0, "end": 3}, "type": "PER"}]}
        Path(f"part-{number}.jsonl").write_text(json.dumps(data) + "\n")
    assert run(["ner", "score", "part-*.jsonl", "part-*.jsonl", "--metric", "ner.strict", "--bootstrap", "0"]) == 0
    out, err = capsys.readouterr()
    assert "reading part-*.jsonl as jsonl" in err
    assert "(2 documents)" in out


def test_a_folder_of_systems_is_no_corpus(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("runs").mkdir()
    for name in ("runs/a.bio", "runs/b.bio", "gold.bio"):
        Path(name).write_text("Ada B-PER\n")
    assert run(["ner", "score", "gold.bio", "runs"]) == 2
    assert (
        "runs: this is a folder of files, and no corpus, give its files one by one: runs/*" in capsys.readouterr().err
    )
    assert run(["ner", "score", "gold.bio", "runs/a.bio", "runs/b.bio", "--bootstrap", "0"]) == 0


def test_tokens_and_characters_are_not_compared(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("gold").write_text("Ada B-PER\n")
    Path("system").write_text('{"id": 1, "text": "Ada", "label": [[0, 3, "PER"]]}\n')
    assert run(["ner", "score", "gold", "system"]) == 1
    err = capsys.readouterr().err
    assert "system counts characters (doccano), and gold counts tokens (bio), give both in one unit" in err


# ---------------------------------------------------------------------------------------------------------------------
# WebAnno

HEAD = "#FORMAT=WebAnno TSV 3.3\n#T_SP=custom.NE|value\n\n\n"


def entities(text, **options):
    data = read_webanno(text.encode(), name="a.tsv", **options).documents[0].data
    return [(each["span"]["start"], each["span"]["end"], each["type"]) for each in data["entities"]]


def test_webanno_joins_tokens_by_their_numbers_and_parts_stacked_spans():
    lines = [
        "#Text=Ada Lovelace met",
        "1-1\t0-3\tAda\tPER[1]|MISC",
        "1-2\t4-12\tLovelace\tPER[1]",
        "1-3\t13-16\tmet\t*",
    ]
    assert entities(HEAD + "\n".join(lines) + "\n") == [(0, 12, "PER"), (0, 3, "MISC"), (13, 16, "")]
    two = "#Text=Bo Bo\n1-1\t0-2\tBo\tPER\n1-2\t3-5\tBo\tPER\n"
    assert entities(HEAD + two) == [(0, 2, "PER"), (3, 5, "PER")]


def test_webanno_counts_utf_16_if_the_tokens_say_so():
    text = "#Text=a\U0001f600 Bo\n1-1\t0-3\ta\U0001f600\t_\n1-2\t4-6\tBo\tPER\n"
    assert entities(HEAD + text) == [(3, 5, "PER")]
    points = "#Text=a\U0001f600 Bo\n1-1\t0-2\ta\U0001f600\t_\n1-2\t3-5\tBo\tPER\n"
    assert entities(HEAD + points) == [(3, 5, "PER")]


def test_webanno_asks_which_layer():
    head = "#FORMAT=WebAnno TSV 3.3\n#T_SP=a.Food|kind\n#T_SP=a.Drink|kind\n\n"
    text = f"{head}#Text=tea\n1-1\t0-3\ttea\t_\tHOT\n"
    assert entities(text, field="a.Drink") == [(0, 3, "HOT")]
    with pytest.raises(Exception, match=r"a.tsv:1: there are several layers of spans: a.Food, a.Drink, name one"):
        entities(text)
    with pytest.raises(Exception, match=r"a.tsv:5: no line of a token"):
        entities(f"{HEAD}1-1\t3-3\ttea\n")


# ---------------------------------------------------------------------------------------------------------------------
# Inspect


def log(answers, targets):
    return [
        {"id": f"d{n}", "epoch": 1, "target": target, "output": {"completion": answer}}
        for n, (answer, target) in enumerate(zip(answers, targets, strict=True))
    ]


def zipped(samples, *, method=zipfile.ZIP_DEFLATED):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        archive.writestr("_journal/start.json", "{}")
        for each in samples:
            archive.writestr(f"samples/{each['id']}_epoch_1.json", json.dumps(each))
        archive.writestr("header.json", "{}")
    return stream.getvalue()


def test_two_logs_are_two_systems_with_a_paired_test(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    targets = [json.dumps({"a": n, "b": "x"}) for n in range(12)]
    wrong = [json.dumps({"a": n if n % 3 else -1, "b": "x"}) for n in range(12)]
    Path("one.eval").write_bytes(zipped(log(targets, targets)))
    whole = {"version": 2, "status": "success", "eval": {}, "samples": log(wrong, targets)}
    Path("two.json").write_text(json.dumps(whole))
    assert run(["record", "score", "one.eval", "one.eval", "two.json", "--metric", "record.fields", "--pairs"]) == 0
    out, err = capsys.readouterr()
    assert "reading one.eval as inspect" in err
    assert "one - two" in out
    assert "100.0" in out


def test_logs_say_what_is_wrong_with_them(tmp_path):
    with pytest.raises(Exception, match="the log has no samples"):
        read_inspect(zipped([]))
    with pytest.raises(Exception, match="the archive cannot be read"):
        read_inspect(zipped(log(["1"], ["1"]))[:-10], name="x")
    with pytest.raises(Exception, match=r"x:1: this is not an Inspect log"):
        read_inspect_gold(b'{"samples": 3}', name="x")
    twice = log(["[1]"], ["[1]"]) * 2
    with pytest.raises(Exception, match="two samples are called 'd0'"):
        read_inspect(json.dumps({"samples": twice}).encode())
    twice[1] = {**twice[1], "epoch": 2}
    assert [each.id for each in read_inspect(json.dumps({"samples": twice}).encode()).documents] == ["d0-1", "d0-2"]


def test_logs_that_are_compressed_with_zstd_are_read():
    zstandard = pytest.importorskip("zstandard")
    sample = json.dumps(log(["[7]"], ["[7]"])[0]).encode()
    plain = zipped(log(["[7]"], ["[7]"]), method=zipfile.ZIP_STORED)
    packed = zstandard.ZstdCompressor().compress(sample)
    with zipfile.ZipFile(io.BytesIO(plain)) as archive:
        (entry,) = [each for each in archive.infolist() if each.filename.startswith("samples/")]
    # Python's own archives cannot have this method, so the entry is made by hand: its header, its bytes, its list.
    name = entry.filename.encode()
    sizes = struct.pack("<LLL", entry.CRC, len(packed), len(sample))
    local = b"PK\x03\x04" + struct.pack("<HHHHH", 20, 0, 93, 0, 33) + sizes + struct.pack("<HH", len(name), 0) + name
    listed = b"PK\x01\x02" + struct.pack("<HHHHHH", 20, 20, 0, 93, 0, 33) + sizes
    listed += struct.pack("<HHHHHLL", len(name), 0, 0, 0, 0, 0, 0) + name
    end = b"PK\x05\x06" + struct.pack("<HHHHLLH", 0, 0, 1, 1, len(listed), len(local) + len(packed), 0)
    assert read_inspect(local + packed + listed + end).documents[0].data["records"] == [7]


# ---------------------------------------------------------------------------------------------------------------------
# Tables, DocBin, datasets


def test_tables_of_records_and_triples(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("gold.csv").write_text("id,vendor,total\na,Acme,10\nb,Bcme,7\n")
    Path("answers.jsonl").write_text('{"id": "a", "output": "{\\"vendor\\": \\"Acme\\", \\"total\\": 10}"}\n')
    assert run(["record", "score", "gold.csv", "answers.jsonl", "--metric", "record.fields", "--bootstrap", "0"]) == 0
    assert "100.0      50.0" in capsys.readouterr().out
    Path("gold.tsv").write_text("Ada\tknows\tCharles\nAda\tborn in\tLondon\n")
    Path("system.tsv").write_text("ada\tknows\tCharles\n")
    assert run(["relation", "score", "gold.tsv", "system.tsv", "--bootstrap", "0"]) == 0
    out, err = capsys.readouterr()
    assert "reading gold.tsv as triples" in err
    assert "relation.triples  100.0      50.0" in out
    Path("named.csv").write_text("doc_id,subject,relation,object\n1,Ada,knows,Charles\n")
    assert run(["relation", "score", "named.csv", "named.csv", "--bootstrap", "0"]) == 0
    assert "relation.triples  100.0      100.0" in capsys.readouterr().out


def test_a_docbin_goes_in(tmp_path, monkeypatch, capsys):
    spacy = pytest.importorskip("spacy")
    monkeypatch.chdir(tmp_path)
    for name, label in (("gold", "PER"), ("system", "LOC")):
        document = spacy.blank("en")("Ada met Bo")
        document.ents = [document.char_span(0, 3, label="PER"), document.char_span(8, 10, label=label)]
        spacy.tokens.DocBin(docs=[document]).to_disk(f"{name}.spacy")
    assert run(["ner", "score", "gold.spacy", "system.spacy", "--metric", "ner.strict", "--bootstrap", "0"]) == 0
    assert "ner.strict  50.0       50.0    50.0" in capsys.readouterr().out


def test_a_docbin_without_spacy_says_so(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "spacy", None)
    path = tmp_path / "x.spacy"
    path.write_bytes(b"\x78\x9c....")
    assert run(["ner", "score", str(path), str(path)]) == 2
    assert (
        "x.spacy: a DocBin needs spaCy, which is not installed, install it with: pip install" in capsys.readouterr().err
    )


def test_saved_datasets_go_in(tmp_path, monkeypatch, capsys):
    datasets = pytest.importorskip("datasets")
    monkeypatch.chdir(tmp_path)
    label = datasets.ClassLabel(names=["O", "B-PER", "I-PER"])
    features = datasets.Features({"id": datasets.Value("string"), "ner_tags": datasets.Sequence(label)})
    made = datasets.Dataset.from_dict({"id": ["a", "b"], "ner_tags": [[1, 0], [1]]}, features=features)
    made.save_to_disk("gold")
    datasets.Dataset.from_dict({"id": ["a", "b"], "ner_tags": [[1, 0], [0]]}, features=features).to_parquet("s.parquet")
    capsys.readouterr()
    assert run(["ner", "score", "gold", "s.parquet", "--metric", "ner.strict", "--bootstrap", "0"]) == 0
    out, err = capsys.readouterr()
    assert "reading s.parquet as dataset" in err
    assert "ner.strict  100.0      50.0    66.7" in out
