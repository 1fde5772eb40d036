"""Every format of gold and of systems from the command line, as a file and as a folder; and systems with nothing."""

import gzip
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from adjudge.cli import run

DOCUMENTS = ("D1", "D2", "D3")
RELATION = "orgaffiliation.leadership"
MENTIONS = (("PER", "Ana"), ("ORG", "Corvex"))
HEADER = "subject\trelation\tobject\tdocument\n"


def spans(document):
    """Type, start, end and text of the two mentions in `Ana1 runs Corvex1`."""
    (one, ana), (other, corvex) = ((kind, name + document[1:]) for kind, name in MENTIONS)
    return [(one, 0, len(ana), ana), (other, len(ana) + 6, len(ana) + 6 + len(corvex), corvex)]


def triple(document):
    (_, _, _, ana), (_, _, _, corvex) = spans(document)
    return f"{ana}\t{RELATION}\t{corvex}\t{document}\n"


def record(document):
    entities = [
        {"id": f"E{n}", "type": kind, "mentions": [{"start": start, "end": end, "text": text}]}
        for n, (kind, start, end, text) in enumerate(spans(document))
    ]
    relations = [{"type": RELATION, "subject": "E0", "object": "E1"}]
    return json.dumps({"id": document, "entities": entities, "relations": relations}) + "\n"


def coldstart(documents):
    lines = ["run1"]
    for d in documents:
        for kind, start, end, text in spans(d):
            lines += [f":{kind}{d}\ttype\t{kind}", f':{kind}{d}\tmention\t"{text}"\t{d}:{start}-{end - 1}']
            lines += [f':{kind}{d}\tcanonical_mention\t"{text}"\t{d}:{start}-{end - 1}']
        lines += [f":PER{d}\t{RELATION}\t:ORG{d}\t{d}:0-14"]
    return "\n".join(lines) + "\n"


def apf(document):
    entities = "".join(
        f'<entity ID="{document}-E{n}" TYPE="{kind}"><entity_mention ID="{document}-E{n}-1" TYPE="NAM">'
        f'<extent><charseq START="{start}" END="{end - 1}">{text}</charseq></extent>'
        f'<head><charseq START="{start}" END="{end - 1}">{text}</charseq></head></entity_mention></entity>'
        for n, (kind, start, end, text) in enumerate(spans(document))
    )
    arguments = "".join(f'<relation_argument REFID="{document}-E{n}" ROLE="Arg-{n + 1}"/>' for n in (0, 1))
    relation = f'<relation ID="{document}-R1" TYPE="ORG-AFF" SUBTYPE="{RELATION}">{arguments}</relation>'
    return f'<source_file><document DOCID="{document}">{entities}{relation}</document></source_file>'


def ere(document):
    entities = "".join(
        f'<entity id="ent-{n}" type="{kind}"><entity_mention id="m-{n}" noun_type="NAM" offset="{start}" '
        f'length="{end - start}"><mention_text>{text}</mention_text></entity_mention></entity>'
        for n, (kind, start, end, text) in enumerate(spans(document))
    )
    type_, _, subtype = RELATION.partition(".")
    arguments = "".join(
        f'<rel_arg{n + 1} entity_id="ent-{n}" entity_mention_id="m-{n}" role="r">{text}</rel_arg{n + 1}>'
        for n, (_, _, _, text) in enumerate(spans(document))
    )
    mention = f'<relation_mention id="rm-1" realis="true">{arguments}</relation_mention>'
    relation = f'<relation id="r-1" type="{type_}" subtype="{subtype}">{mention}</relation>'
    return f'<deft_ere doc_id="{document}"><entities>{entities}</entities><relations>{relation}</relations></deft_ere>'


def write(folder, kind, shape):
    """Files of a format: the path for the command, and the documents that are in them."""
    folder.mkdir()
    documents = DOCUMENTS[:1] if shape == "file" and kind in ("ace", "ere") else DOCUMENTS
    if kind in ("ace", "ere"):
        ending, content = (".apf.xml", apf) if kind == "ace" else (".rich_ere.xml", ere)
        for each in documents:
            (folder / (each + ending)).write_text(content(each))
            (folder / f"{each}.sgm").write_text(" runs ".join(name for *_, name in spans(each)) + "\n")
        return (folder / (documents[0] + ending) if shape == "file" else folder), documents
    if kind == "coldstart":
        path = folder / "run.tac"
        path.write_text(coldstart(documents))
        return (path if shape == "file" else folder), documents
    ending, content = (".tsv", triple) if kind == "triples" else (".jsonl", record)
    if shape == "file":
        path = folder / f"all{ending}"
        path.write_text("".join(map(content, documents)))
        return path, documents
    for each in documents:
        (folder / (each + ending)).write_text(content(each))
    if kind == "triples":
        (folder / "D0.tsv").touch()  # of a worker that had nothing to write
    return folder, documents


ANNOTATION, SYSTEMS = ("ace", "ere", "documents"), ("coldstart", "documents", "ace", "ere")
SHAPES = ("file", "folder")
PAIRS = [
    *((gold, system) for gold in ANNOTATION for system in SYSTEMS),
    ("triples", "triples"),
]


@pytest.mark.parametrize("shapes", [(one, other) for one in SHAPES for other in SHAPES], ids="-".join)
@pytest.mark.parametrize("kinds", PAIRS, ids="-".join)
def test_every_format_as_a_file_and_as_a_folder(kinds, shapes, tmp_path, capsys):
    gold, known = write(tmp_path / "gold", kinds[0], shapes[0])
    system, found = write(tmp_path / "system", kinds[1], shapes[1])
    code = run(["kbp", "score", "--gold", str(gold), str(system), "--hops", "1", "--format", "json"])
    out, err = capsys.readouterr()
    assert code == 0, err
    scores = {(s["metric"], s["part"]): s["value"] for s in json.loads(out)["systems"][0]["scores"]}
    assert scores["kbp.hop1", "precision"] == 1.0
    assert scores["kbp.hop1", "recall"] == len({*known} & {*found}) / len(known)


@pytest.mark.parametrize("kind", ["triples", *SYSTEMS])
def test_folders_for_the_other_commands(kind, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder, _ = write(tmp_path / "folder", kind, "folder")
    code = run(["kbp", "validate", str(folder)])
    out, err = capsys.readouterr()
    assert (code, err) == (int(kind == "coldstart"), "")  # whose rules do not know this relation
    assert "3 documents" in out
    gold = folder
    if kind == "coldstart":
        gold, _ = write(tmp_path / "gold", "documents", "folder")
    commands = [["explain"], ["report", "-o", "page.html"]] + [["discovery"]] * (kind != "triples")
    for command in commands:
        assert run(["kbp", *command, "--gold", str(gold), str(folder)]) == 0, capsys.readouterr().err


def test_the_engine_in_a_database_is_gone(tmp_path, capsys):
    gold, _ = write(tmp_path / "gold", "triples", "file")
    assert run(["kbp", "score", "--gold", str(gold), str(gold), "--engine", "duckdb"]) == 2
    assert "the engine duckdb was removed, leave it out: ten million triples take about 3 GB" in capsys.readouterr().err


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux holds the limit")
def test_a_limit_of_memory_holds(tmp_path):
    triples = tmp_path / "triples.tsv"
    triples.write_text("".join(f"subject-{n}\trelation\tobject-{n}\tdocument-{n % 9}\n" for n in range(60_000)))
    line = [sys.executable, "-m", "adjudge", "kbp", "score", str(triples), str(triples), "--hops", "1", "--bootstrap"]

    def ran(*memory: str) -> tuple[int, str, str, int]:
        code = "import resource, subprocess, sys\nran = subprocess.run(sys.argv[1:])\n"
        code += "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss << 10)\nsys.exit(ran.returncode)"
        words = [sys.executable, "-c", code, *line, "0", "--quiet", "--memory", *memory]
        found = subprocess.run(words, capture_output=True, text=True, check=False)
        *out, peak = found.stdout.splitlines()
        return found.returncode, "\n".join(out), found.stderr, int(peak)

    code, out, err, needed = ran("4GB")
    assert (code, "100.0" in out, err) == (0, True, "")
    code, out, err, peak = ran(f"{needed // 3_000_000 * 2}MB")
    assert (code, out) == (2, "")
    assert re.fullmatch(r"error: [\d,]+ MB of memory is not enough, give more with --memory, .*\n", err)
    assert peak <= 1.05 * (needed // 3_000_000 * 2_000_000)  # pages of programs are none of ours
    code, _, err, _ = ran("1MB")
    assert (code, "MB is in use before anything is read" in err) == (2, True)
    code, _, err, _ = ran("much")
    assert (code, "'much' is not valid, write for example 500MB or 4GB" in err) == (2, True)


def test_a_folder_of_several_things_is_refused(tmp_path, capsys):
    path, _ = write(tmp_path / "mixed", "documents", "folder")
    (path / "run.tac").write_text(coldstart(DOCUMENTS))
    (path / "readme.txt").write_text("texts do not matter\n")
    gold, _ = write(tmp_path / "gold", "documents", "file")
    assert run(["kbp", "score", "--gold", str(gold), str(path)]) == 2
    assert (
        "mixed: files of several formats: D1.jsonl is documents in JSON lines, run.tac is a Cold Start knowledge base, "
        "name one of the files" in capsys.readouterr().err
    )
    two, _ = write(tmp_path / "two", "coldstart", "folder")
    (two / "other.tac").write_text(coldstart(DOCUMENTS))
    assert run(["kbp", "score", "--gold", str(gold), str(two)]) == 2
    assert "2 Cold Start files, and a knowledge base is one, name one of them" in capsys.readouterr().err
    double, _ = write(tmp_path / "double", "documents", "folder")
    (double / "again.jsonl").write_text(record("D2"))
    assert run(["kbp", "score", "--gold", str(double), str(gold)]) == 1
    assert "again.jsonl" in (err := capsys.readouterr().err)
    assert "the document 'D2' is also in" in err


# ---------------------------------------------------------------------------------------------------------------------

NOTHING = {
    "empty.tsv": ("triples", "", "the file has no facts: it is scored as an empty system"),
    "header.tsv": ("triples", HEADER, "the file has no facts: it is scored as an empty system"),
    "comment.tsv": ("triples", "# nothing found\n", "the file has no facts: it is scored as an empty system"),
    "run.tsv": ("triples", "run1\n", "the file has no facts: it is scored as an empty system"),
    "empty.tac": ("documents", "", "the file has no facts: it is scored as an empty system"),
    "empty.jsonl": ("ace", "", "the file has no facts: it is scored as an empty system"),
    "run.tac": ("documents", "run1\n", "1 empty: read as an empty knowledge base"),
}


@pytest.mark.parametrize("other", [False, True], ids=["alone", "beside another"])
@pytest.mark.parametrize("name", NOTHING)
def test_a_system_with_nothing_scores_nothing(name, other, tmp_path, capsys):
    kind, content, note = NOTHING[name]
    gold, _ = write(tmp_path / "gold", kind, "folder")
    (tmp_path / name).write_text(content)
    arguments = [str(tmp_path / name), *([f"full={gold}"] if other else ())]
    code = run(["kbp", "score", "--gold", str(gold), *arguments, "--hops", "2", "--format", "json"])
    out, err = capsys.readouterr()
    assert code == 0, err
    result = json.loads(out)
    scores = {(s["metric"], s["part"]): s["value"] for s in result["systems"][0]["scores"]}
    assert [scores["kbp.hop1", part] for part in ("precision", "recall", "f1", "tp", "system")] == [0, 0, 0, 0, 0]
    assert scores["kbp.hop1", "gold"] == 3
    (said,) = [each for each in result["notes"] if each["message"] == note]
    assert said["examples"] == [str(tmp_path / name)]
    if other:
        (better,) = [c for c in result["comparisons"] if c["metric"] == "kbp.hop1" and c["part"] == "f1"]
        assert abs(better["difference"]) == 1.0


@pytest.mark.parametrize("name", NOTHING)
def test_the_other_commands_take_a_system_with_nothing(name, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    kind, content, _ = NOTHING[name]
    gold, _ = write(tmp_path / "gold", kind, "folder")
    Path(name).write_text(content)
    commands = [["explain"], ["report", "-o", "page.html"]] + [["discovery"]] * (kind != "triples")
    for command in commands:
        assert run(["kbp", *command, "--gold", str(gold), name]) == 0, capsys.readouterr().err


@pytest.mark.parametrize(("content", "said"), [("", "the file is empty"), (HEADER, "the file has no triples")])
def test_gold_with_nothing_is_an_error(content, said, tmp_path, capsys):
    system, _ = write(tmp_path / "system", "triples", "file")
    (tmp_path / "gold.tsv").write_text(content)
    assert run(["kbp", "score", "--gold", str(tmp_path / "gold.tsv"), str(system)]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert f"gold.tsv: {said}" in err


def test_a_file_that_was_cut_off_is_no_empty_system(tmp_path, capsys):
    gold, system = tmp_path / "gold.tsv", tmp_path / "system.tsv.gz"
    gold.write_text("ana\tspouse\tben\td1\n")
    system.write_bytes(gzip.compress(gold.read_bytes())[:-9])
    for words in (["score", str(gold), str(system)], ["score", str(system), str(gold)], ["validate", str(system)]):
        assert run(["kbp", *words]) == 1
        printed = capsys.readouterr()
        assert "the compressed file ends too early" in printed.out + printed.err
