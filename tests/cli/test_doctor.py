"""`adjudge doctor`: every format by its content, what is odd, how files fit together, and commands that run."""

import gzip
import io
import json
import lzma
import os
import shlex
import shutil
import zipfile
from pathlib import Path

import pytest

from adjudge.cli import run
from adjudge.demo import DATA
from adjudge.errors import AdjudgeError, UsageError
from adjudge.tasks.contents import misspelt
from adjudge.tasks.doctor import LOOKED, examine
from adjudge.tasks.guess import Guess, guess
from fuzz.seeding import SEEDS
from fuzz.targets import targets

PARTS = b"~~~~\n"  # between the files that a seed stands for
KINDS = {
    # Seeds of fuzzing and files of the demo, and what they are.
    **{f"seeds/{name}": kind for name, kind in {
        "answers/answers.jsonl": "answers",
        "bio/both.txt": "bio",
        "bio/conll.txt": "bio",
        "bio/tags.txt": "bio",
        "clusters/clusters.jsonl": "clusters",
        "coldstart/small.tac": "coldstart",
        "conll/key.conll": "conll",
        "conllu/entities.conllu": "corefud",
        "docred/facts.json": "docred-facts",
        "docred/gold.json": "docred",
        "docred/result.json": "docred-result",
        "dygie/gold.jsonl": "dygie",
        "dygie/output.jsonl": "dygie-output",
        "eal-arguments/numbers.tsv": "eal-arguments",
        "eal-key/key.tsv": "eal-key",
        "edl/table.tsv": "edl",
        "jsonl/documents.jsonl": "jsonl",
        "kb-answers/run.tsv": "kb-answers",
        "kb-assessments/official.tsv": "kb-assessments",
        "kb-documents/all.jsonl": "kb-documents",
        "kb-queries/ldc.xml": "kb-queries",
        "kb-queries/table.tsv": "kb-queries",
        "links/acetowiki.tsv": "links",
        "links/plain.csv": "links",
        "muc4/key.txt": "muc4",
        "neleval/table.tsv": "neleval",
        "omnievent/gold.jsonl": "omnievent",
        "oneie/graph.jsonl": "oneie",
        "oneie/mentions.jsonl": "oneie",
        "penman/graphs.txt": "penman",
        "rams/gold.jsonl": "rams",
        "rams/output.jsonl": "rams",
        "results/saved.json": "result",
        "scirex/gold.jsonl": "scirex",
        "specs/events.yaml": "spec",
        "specs/tree.json": "spec",
        "tbf/char.tbf": "tbf",
        "templates/gold.jsonl": "grit",
        "templates-iterx/iterx.jsonl": "iterx-output",
        "templates-output/gtt.json": "auto-err",
        "textee/window.jsonl": "textee",
        "tokens/table.tab": "tokens",
        "trees/two.conllu": "conllu",
        "triples/small.tsv": "triples",
        "wikievents/gold.jsonl": "wikievents",
        "wikievents-clusters/clusters.jsonl": "wikievents-clusters",
    }.items()},
    "made/brat": "brat",
    "made/one.ann": "brat",
    "made/hoppers.xml": "ere",
    "made/nuggets.xml": "nugget-xml",
    "made/X1.apf.xml": "ace",
    "made/scirex": "scirex-output",
    "made/store.zip": "eal",
    "made/it's here.bio.gz": "bio",
    "gold.jsonl": "jsonl",
    "kbp/delta.tsv": "coldstart",
    "eal/submissions/slate": "eal",
    "eal/assessments": "eal-key",
    "eal/frames": "eal-linking",
    "nugget/tokens": "tokens",
    "nugget": "tbf",
    "kbp": "folder",
}  # fmt: skip


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The files of the demo, those of fuzzing, and some that are made of them."""
    room = tmp_path_factory.mktemp("doctor")
    shutil.copytree(DATA, room, dirs_exist_ok=True)
    shutil.copytree(SEEDS, room / "seeds")
    made = room / "made"
    (made / "brat").mkdir(parents=True)
    (made / "scirex").mkdir()
    ann, text = (SEEDS / "brat/all.txt").read_bytes().split(PARTS)[:2]
    for path in (made / "brat/a.ann", made / "one.ann"):
        path.write_bytes(ann)
        path.with_suffix(".txt").write_bytes(text)
    for name in ("hoppers", "nuggets"):
        (made / f"{name}.xml").write_bytes((SEEDS / f"ere/{name}.xml").read_bytes().split(PARTS)[0])
    ace, sgm = (SEEDS / "ace/document.xml").read_bytes().split(PARTS)[:2]
    (made / "X1.apf.xml").write_bytes(ace)
    (made / "X1.sgm").write_bytes(sgm)
    three = (SEEDS / "scirex-output/three.txt").read_bytes().split(PARTS)
    for name, part in zip(("ner", "clusters", "relations"), three, strict=True):
        (made / f"scirex/{name}.jsonl").write_bytes(part)
    with zipfile.ZipFile(made / "store.zip", "w") as archive:
        for path in (DATA / "eal/submissions/slate").rglob("*"):
            archive.write(path, path.relative_to(DATA / "eal/submissions/slate"))
    (made / "it's here.bio.gz").write_bytes(gzip.compress(b"EU B-ORG\nsaid O\n"))
    return room


@pytest.mark.parametrize("name", KINDS)
def test_every_format_is_recognised_and_the_proposed_command_runs(name, files, monkeypatch, capsys):
    monkeypatch.chdir(files)
    assert run(["doctor", name, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    (file,) = found["files"]
    assert (file["recognised"], file["format"]) == (True, KINDS[name])
    words = shlex.split(found["next"] or "adjudge doctor --help")
    assert words[0] == "adjudge"
    code = run(words[1:])
    out, err = capsys.readouterr()
    assert code == 0 or (code == 1 and "validate" in words), err
    assert out or "validate" in words
    assert run(["doctor", name]) == 0
    assert KINDS[name] == "parquet" or file["name"] in capsys.readouterr().out


SIDES = {
    "coref/key.conll coref/maple.conll": "coref score",
    "gold.jsonl alder.jsonl birch.jsonl": "score event.trigger-id",
    "nugget/heron.tbf nugget/gold.tbf nugget/tokens": (
        "nugget score nugget/gold.tbf nugget/heron.tbf --tokens nugget/tokens"
    ),
    "eal/submissions/slate eal/frames eal/assessments": (
        "eal score eal/assessments eal/submissions/slate --frames eal/frames"
    ),
    "kbp/delta.tsv kbp/gold.jsonl kbp/links.csv": "kbp score kbp/gold.jsonl kbp/delta.tsv --wiki kbp/links.csv",
    "seeds/dygie/output.jsonl seeds/dygie/gold.jsonl": "score event.trigger-id",
    "seeds/templates-iterx/iterx.jsonl seeds/templates/gold.jsonl": "template score seeds/templates/gold.jsonl",
    "seeds/results/saved.json saved.json": "compare",
}


@pytest.mark.parametrize("names", SIDES)
def test_several_files_fit_together(names, files, monkeypatch, capsys):
    monkeypatch.chdir(files)
    other = json.loads((SEEDS / "results/saved.json").read_bytes())
    Path("saved.json").write_text(json.dumps({**other, "systems": [{**other["systems"][0], "name": "c"}]}))
    assert run(["doctor", *names.split()]) == 0
    line = capsys.readouterr().out.splitlines()[-1].removeprefix("next").lstrip().removeprefix("adjudge ")
    assert line.startswith(SIDES[names])
    # Nobody has assessed some of the responses, and the small files have no document in common.
    expected = int(line.startswith(("eal", "template")))
    assert run([*shlex.split(line), *(["--bootstrap", "0"] if "score" in line else [])]) == expected


def test_what_is_common_missing_and_unknown_is_said(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    mention = {"span": {"start": 0, "end": 2}, "type": "PER"}
    for name, ids, kind in (("sys.jsonl", "bcx", "PERSON"), ("gold.jsonl", "abc", "PER")):
        lines = [json.dumps({"id": each, "entities": [{**mention, "type": kind}]}) for each in ids]
        Path(name).write_text("\n".join(lines))
    assert run(["doctor", "sys.jsonl", "gold.jsonl"]) == 0
    assert capsys.readouterr().out.splitlines()[-5:] == [
        "together    gold.jsonl looks like gold",
        "            2 of 3 ids are in gold, not x; 1 gold document is missing (a)",
        "            types only in sys.jsonl: PERSON (gold has PER)",
        "good for    ner (strict, exact, type, partial)    not for: relation (no relations), linking (no ids)",
        "next        adjudge ner score gold.jsonl sys.jsonl --map PERSON=PER",
    ]


ODD = {
    "bom": b"\xef\xbb\xbfEU B-ORG\nsaid O\n",
    "line-ends": b"EU B-ORG\r\nsaid O\n\na O\n",
    "null": b"EU\0 B-ORG\nsaid O\n",
    "rare-label": b"EU B-ORG\n\n" * 12 + b"UN B-OGR\n",
    "empty-document": b'{"id": "a", "entities": []}\n{"id": "b", "entities": [{"span": {"start": 0, "end": 1}}]}',
    "outside-text": b'{"id": "a", "text": "ab", "entities": [{"span": {"start": 1, "end": 5}, "type": "P"}]}',
    "empty-span": b'{"id": "a", "text": "ab", "entities": [{"span": {"start": 1, "end": 1}, "type": "P"}]}',
    "ends": json.dumps(
        {"id": "a", "text": "Ada met Ben. " * 12, "entities": [
            {"span": {"start": 13 * n, "end": 13 * n + 2}, "type": "P"} for n in range(12)]}
    ).encode(),
    "several-formats": b"EU B-ORG B-ORG\nto O O\n",
    "repeated": b'{"id": "a", "clusters": [[[0, 1], [0, 1]]]}',
    "encoding": "EU B-ORG\n".encode("utf-16"),
}  # fmt: skip


@pytest.mark.parametrize("kind", ODD)
def test_what_is_odd_is_found(kind):
    assert kind in [each.kind for each in examine(ODD[kind]).findings.found]


UNITS = {
    "seeds/tbf/token.tbf": ("tokens", ""),
    "seeds/tbf/char.tbf": ("characters", ""),
    "gold.jsonl": ("characters", "exclusive"),
    "seeds/dygie/gold.jsonl": ("tokens", "inclusive"),
    "seeds/jsonl/documents.jsonl": ("", ""),
}


@pytest.mark.parametrize("name", UNITS)
def test_what_offsets_count(name, files, monkeypatch):
    monkeypatch.chdir(files)
    found = examine(name)
    assert (found.unit, found.ends) == UNITS[name]


def test_labels_that_differ_on_purpose_are_not_misspelt():
    from collections import Counter

    assert misspelt(Counter({"ARG1": 40, "ARG2": 1, "PER": 30, "GPE": 1, "LOC": 12, "LOCATION": 1})) == []


WRONG = {
    "prose": ("Es war einmal – ein König.\n".encode(), "not recognised"),
    "nothing": (b"", "not recognised"),
    "trailing comma": (b'{"id": "a", "entities": [],}\n{"id": "b",}\n', "a comma before the closing bracket"),
    "duplicate ids": (b'{"id": "a", "entities": []}\n{"id": "a", "entities": []}\n', "duplicate id 'a'"),
    "binary": (bytes(range(256)) * 40, "not recognised"),
    "a bomb": (gzip.compress(b"\0" * (1 << 27)), "not recognised"),
    "half of a gzip": (gzip.compress(os.urandom(1 << 16), mtime=0)[:-9000], "ends too early"),
    "deep": (b"[" * 200_000, "not recognised"),
    "comments without end": (b"<!--" * 200_000, "not recognised"),
    "brackets": (b"(" * 1_000_000, "not recognised"),
    "an escape": (b'{"id": "\x1b[31m", "entities": 5', "not recognised"),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_nothing_is_said_with_the_closest_guesses(what, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    data, said = WRONG[what]
    Path("x").write_bytes(data)
    assert run(["doctor", "x"]) == 1
    out = capsys.readouterr().out
    assert said in out
    assert out.isprintable() or "\x1b" not in out


@pytest.mark.parametrize("target", sorted({target.seeds for target in targets()}))
def test_doctor_never_fails(target):
    seed = max((each for own in targets() if own.seeds == target for each in own.corpus()), key=len)
    for data in (seed, seed[: len(seed) // 2], seed[: len(seed) // 3] + b"\xff" + seed[len(seed) // 3 :]):
        found = examine(data)
        assert found.fits or found.failed or found.looks or found.findings.total or not found.encoding


def test_a_pipe_and_a_missing_file_are_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for name in ("pipe", "none"):
        with pytest.raises(UsageError):
            examine(str(tmp_path / name))


@pytest.mark.parametrize("full", [False, True])
def test_large_files_are_looked_at_from_the_beginning_and_that_is_said(full, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    line = json.dumps({"id": "N", "entities": [{"span": {"start": 0, "end": 9}, "type": "PER"}], "text": "x" * 900})
    Path("big.jsonl").write_text("\n".join(line.replace("N", str(n)) for n in range(2000)))
    assert run(["doctor", "big.jsonl", "--format", "json", *["--full"] * full]) == 0
    found = json.loads(capsys.readouterr().out)
    (file,) = found["files"]
    assert found["findings"] == []
    assert file["looked_at"] == (None if full else LOOKED)
    assert (file["documents"] == 2000) is full


def test_one_long_object_is_read_to_its_end(tmp_path):
    path = tmp_path / "out.json"
    path.write_text(json.dumps({f"d{n}": {"pred_templates": [{"incident_type": "attack"}]} for n in range(30_000)}))
    found = examine(str(path))
    assert (found.format.kind, len(found.contents.documents), found.seen) == ("gtt-output", 30_000, None)


ENTITY = b'{"id": "d", "entities": [{"span": {"start": 0, "end": 3}, "type": "PER"}]}\n'


def test_xz_is_looked_into_and_scored(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    packed = lzma.compress(ENTITY[:40]) + lzma.compress(ENTITY[40:])
    Path("a.jsonl.xz").write_bytes(packed)
    found = examine("a.jsonl.xz")
    assert (found.compression, found.format.kind, [use.task for use in found.uses]) == ("xz", "jsonl", ["ner"])
    assert run(["ner", "score", "a.jsonl.xz", "a.jsonl.xz"]) == 0
    Path("a.jsonl.xz").write_bytes(packed[:-20])
    assert "ends too early" in str(examine("a.jsonl.xz").findings.found[0].problem)
    Path("a.jsonl.xz").write_bytes(lzma.compress(b"\0" * (1 << 27)))
    with pytest.raises(AdjudgeError, match="more than 200 times its size"):
        examine("a.jsonl.xz", full=True)


def test_an_archive_is_recognised_by_what_is_in_it(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    with zipfile.ZipFile("runs.zip", "w") as archive:
        archive.writestr("runs/a.jsonl", ENTITY)
        archive.writestr("runs/README", "Words.\nMore words.\n")
    assert run(["doctor", "runs.zip"]) == 0
    page = capsys.readouterr().out
    assert "an archive of 2 files; unpack it" in page
    assert "note: runs/a.jsonl: JSON lines of documents" in page


@pytest.mark.parametrize(
    ("more", "following"), [("", "ner validate one"), ("E1\tATTACK:T1\n", "nugget convert --to tbf one")]
)
def test_brat_is_for_nuggets_only_with_events(more, following, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("one").mkdir()
    Path("one/a.txt").write_text("Ada ran.\n")
    Path("one/a.ann").write_text(f"T1\tPER 0 3\tAda\n{more}")
    assert run(["doctor", "one", "--format", "json"]) == 0
    next_one = json.loads(capsys.readouterr().out)["next"]
    assert next_one == f"adjudge {following}"
    if not more:
        assert run(shlex.split(next_one)[1:]) == 0


def test_parquet(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = [{"id": "a", "entities": [{"span": {"start": 0, "end": 1}, "type": "P"}]}]
    parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "a.parquet")
    found = examine(str(tmp_path / "a.parquet"))
    assert (found.format.kind, [use.task for use in found.uses]) == ("parquet", ["ner"])
    rows = [{"doc_id": "a", "start": 0, "end": 3, "label": "PER"}]
    parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "b.parquet")
    table = examine(str(tmp_path / "b.parquet")).format
    assert (table.kind, table.name) == ("dataset", "a Parquet table (doc_id, start, end, label)")
    for name, kind in (("a", "parquet"), ("b", "dataset")):  # from standard input, which is read once
        data = (tmp_path / f"{name}.parquet").read_bytes()
        found = examine(io.BytesIO(data))
        assert (found.format.kind, found.contents.documents, found.uses[0].task) == (kind, ["a"], "ner")
        for broken in (data[:-9], b"PAR1"):
            assert "adjudge-" not in str(examine(io.BytesIO(broken)).failed[0][1])


LOG = {"version": 2, "status": "success", "eval": {}, "samples": [{"id": 1, "target": "[]", "output": {}}]}


def test_standard_input_is_read_once_and_validated(tmp_path, monkeypatch, capsys):
    def said(data):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
        return run(["doctor", "-"]), capsys.readouterr().out

    code, page = said(b"Ada B-PER\nleft O\n")
    assert (code, "error" in page, page.splitlines()[-1].split(None, 1)[1]) == (0, False, "adjudge ner validate -")
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as log:
        log.writestr("header.json", json.dumps(LOG))
        log.writestr("samples/1_epoch_1.json", json.dumps(LOG["samples"][0]))
    code, page = said(archive.getvalue())
    assert (code, "<stdin>     a log of Inspect    1 document" in page, "next" in page) == (0, True, False)


GUESSES = {
    ("coref/key.conll", "coref/maple.conll"): Guess("coref"),
    ("nugget/gold.tbf", "nugget/heron.tbf"): Guess("nugget"),
    ("kbp/gold.jsonl", "kbp/delta.tsv"): Guess("kbp"),
    ("eal/assessments", "eal/submissions/slate"): Guess("eal"),
    ("seeds/bio/tags.txt", "seeds/bio/tags.txt"): Guess("ner", "bio", "bio"),
    ("seeds/docred/gold.json", "seeds/docred/result.json"): Guess("relation", "docred", "docred"),
    ("seeds/templates/gold.jsonl", "seeds/templates-iterx/iterx.jsonl"): Guess("template", "iterx", "iterx"),
    ("coref/key.conll", "nugget/gold.tbf"): "these are files of different tasks",
    ("seeds/results/saved.json", "seeds/results/saved.json"): Guess("compare"),
    ("seeds/results/saved.json", "coref/key.conll"): "saved result of adjudge, which is not scored",
}


@pytest.mark.parametrize("names", GUESSES)
def test_the_task_of_two_files_is_guessed(names, files, monkeypatch):
    monkeypatch.chdir(files)
    expected = GUESSES[names]
    if isinstance(expected, Guess):
        assert guess(*names) == expected
    else:
        with pytest.raises(AdjudgeError, match=expected):
            guess(*names)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "there is nothing in the file, check that it is complete"),
        (
            gzip.compress(b'{"id": "d"}\n' * 50, mtime=0)[:30],
            "the compressed file ends too early, copy or create the file again",
        ),
    ],
)
def test_a_file_with_nothing_to_recognise_says_why(tmp_path, capsys, content, said):
    path = tmp_path / f"gold.jsonl{'.gz' * bool(content)}"
    path.write_bytes(content)
    assert run(["doctor", str(path)]) == 1
    assert f"{path}: error: {said}" in capsys.readouterr().out
    assert run([str(path), str(path)]) == 1
    assert f"error: {path}: {said}" in capsys.readouterr().err


def test_what_has_to_be_said_of_files_is_in_the_next_command(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    gold = {"id": "a", "text": "Ada met Bo", "entities": [{"start": 0, "end": 3, "label": "PER"}]}
    system = {"id": "a", "entities": [{"start": 0, "end": 2, "type": "PERSON"}]}
    Path("gold.jsonl").write_text(json.dumps(gold) + "\n")
    Path("pred.jsonl").write_text(json.dumps(system) + "\n")
    assert run(["doctor", "gold.jsonl", "pred.jsonl"]) == 0
    out = capsys.readouterr().out
    assert "gold.jsonl  JSON lines (entities with start, end, label)    1 document, 1 entity of 1 type\n" in out
    assert "            ends: 0 of 1 equal a gold span, 1 would with ends one higher: inclusive\n" in out
    assert "error" not in out
    line = out.splitlines()[-1].removeprefix("next        adjudge ")
    assert line == "ner score gold.jsonl pred.jsonl --system-ends inclusive --map PERSON=PER"
    assert run([*shlex.split(line), "--metric", "ner.strict", "--bootstrap", "0"]) == 0
    assert "ner.strict  100.0      100.0   100.0" in capsys.readouterr().out


def test_a_table_with_gold_and_answers_is_scored_by_its_columns(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("x.csv").write_text(
        'id,prompt,answer,expected\n1,p,"{""a"": 1}","{""a"": 1}"\n2,p,"{""a"": 2}","{""a"": 3}"\n'
    )
    assert run(["doctor", "x.csv"]) == 0
    first, line = capsys.readouterr().out.splitlines()
    assert first.startswith("x.csv       CSV with prompt, answer, expected: 2 rows    2 documents, ")
    line = line.removeprefix("next        adjudge ")
    assert line == "record score x.csv --gold-column expected --system-column answer"
    assert run([*shlex.split(line), "--metric", "record.fields", "--bootstrap", "0"]) == 0
    assert "50.0" in capsys.readouterr().out


@pytest.mark.parametrize("header", ["subject,relation,object", "head,relation,tail", "source,predicate,target"])
def test_a_table_of_triples_is_a_graph(header, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("g.csv").write_text("\n".join([header, "Ada,born_in,London", ""]))
    assert run(["doctor", "g.csv"]) == 0
    assert "next        adjudge kbp validate g.csv" in capsys.readouterr().out
    assert run(["g.csv", "g.csv", "--bootstrap", "0"]) == 0
    assert "kbp.hop1       100.0" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("seed", "said", "then"),
    [
        ("eal-ontology/o.json", "--ontology of adjudge eal validate", "eal validate --help"),
        ("eal-ontology/o.tsv", "--ontology of adjudge eal validate", "eal validate --help"),
        ("eal-quotes/quotes.txt", "--quotes of adjudge eal filter-quotes", "eal filter-quotes --help"),
        ("ontology/onto.json", "--ontology of adjudge kbp validate", "kbp validate --help"),
        ("bio/both.txt", "two readings", "ner score FILE FILE --reader bio-both"),
        ("jsonl/documents.jsonl", "in a form that a metric compares", "metrics"),
        ("jsonl/ids.jsonl", "in a form that a metric compares", "metrics"),
        ("kg-json/read-08.jsonl", "in a form that a metric compares", "metrics"),
    ],
)
def test_a_file_that_is_not_scored_by_itself_has_a_next_command_that_runs(seed, said, then, capsys):
    path = str(SEEDS / seed)
    assert run(["doctor", path]) == 0
    out = capsys.readouterr().out
    command = then.replace("FILE", shlex.quote(path))
    assert said in out
    assert out.splitlines()[-1].split(maxsplit=1) == ["next", f"adjudge {command}"]
    assert run([*shlex.split(command), *(["--bootstrap", "0"] if "score" in then else [])]) == 0
    if said.startswith("--"):
        assert said.split()[0] in capsys.readouterr().out


def test_a_list_of_documents_is_not_any_text(tmp_path, capsys):
    names, prose = tmp_path / "names", tmp_path / "prose"
    names.write_text("# chosen\nNW_01\nNW_02\n")
    prose.write_text("A list\nof words\n")
    assert run(["doctor", str(names)]) == 0
    assert "a list of documents" in (out := capsys.readouterr().out)
    assert "--docs of adjudge eal score" in out
    run(["doctor", str(prose)])
    assert "not recognised" in capsys.readouterr().out
