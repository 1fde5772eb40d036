"""Keys that people make: changed lines, files that are not documents, texts, quotations, and mistakes in one file."""

import json
import shutil
from pathlib import Path

import pytest

from adjudge.demo.eal import ASSESSMENTS, FRAMES, SOURCES, SUBMISSIONS
from eal_campaigns import settle

DOC = "MINI_NW_01"


@pytest.fixture
def adjudge(adjudge):
    """The command, also for paths."""
    return lambda *arguments: adjudge(*map(str, arguments))


@pytest.fixture
def ready(adjudge, tmp_path):
    """A campaign in which people have done all their work."""
    adjudge("eal", "campaign", "init", "c", "--demo", "--quiet")
    settle(tmp_path / "c")
    adjudge("eal", "campaign", "run", "c")
    for room in ("assessments", "frames"):
        shutil.copytree(tmp_path / "c" / "answers" / room, tmp_path / "c" / room, dirs_exist_ok=True)
    return tmp_path / "c"


def steps(adjudge, *options):
    ran = adjudge("eal", "campaign", "run", "c", "--format", "json", *options)
    return ran.code, {f"{step['step']} {step['subject']}".strip(): step for step in json.loads(ran.out)["steps"]}


def edit(path: Path, column: int, value: str, line: int = 0) -> str:
    """Change a field of a line, and give the id of the line."""
    lines = [each.split("\t") for each in path.read_text().splitlines()]
    lines[line][column - 1] = value
    path.write_text("".join("\t".join(each) + "\n" for each in lines))
    return lines[line][0]


# A line that was changed


@pytest.mark.parametrize(
    ("column", "value"),
    [(1, "0" * 40), (1, "7"), (3, "Life.Born"), (4, "Agent"), (5, "somebody"), (6, "1-2"), (7, "0-9"), (9, "0-9")],
)
def test_a_changed_line_is_an_error_wherever_assessments_are_read(adjudge, column, value):
    shutil.copytree(ASSESSMENTS, "key")
    edit(Path("key") / DOC, column, value, 2)
    ran = adjudge("eal", "assessment", "check", "key")
    assert ran.code == 1
    assert f"key/{DOC}:3:1: error: the response was changed: column 1 (id) is " in ran.out
    assert ", undo the change, or write this hash if it is meant" in ran.out
    ran = adjudge("eal", "score", "--key", "key", "--frames", FRAMES, SUBMISSIONS["slate"], "--bootstrap", "0")
    assert (ran.code, ran.out) == (1, "")
    assert f"key/{DOC}:3:1: the response was changed" in ran.err
    assert adjudge("eal", "assessment", "repair", "key", "-o", "fixed").code == 1


def test_ids_of_2014_and_of_ones_own(adjudge):
    assert adjudge("eal", "assessment", "expand-realis", ASSESSMENTS, "-o", "old", "--ids", "2014").code == 0
    assert adjudge("eal", "assessment", "check", "old").code == 0
    edit(Path("old") / DOC, 4, "Agent")
    assert adjudge("eal", "assessment", "check", "old").code == 1
    shutil.copytree(ASSESSMENTS, "own")
    for path in Path("own").iterdir():
        lines = [line.split("\t", 1)[1] for line in path.read_text().splitlines()]
        path.write_text("".join(f"r{number}\t{line}\n" for number, line in enumerate(lines)))
    assert adjudge("eal", "assessment", "check", "own").code == 0  # there are no hashes


def test_ids_of_another_program_are_one_message_and_can_be_replaced(adjudge):
    shutil.copytree(ASSESSMENTS, "other")
    path = Path("other") / DOC
    lines = path.read_text().splitlines()
    path.write_text("".join(f"{number:040x}{line[40:]}\n" for number, line in enumerate(lines)))
    ran = adjudge("eal", "assessment", "check", "other", "--quiet")
    assert ran.code == 1
    assert ran.out.count("\n") == 1
    assert f"column 1 (id) of {len(lines)} lines is not the hash of columns 2 to 10" in ran.out
    ran = adjudge("eal", "assessment", "repair", "other", "-o", "fixed")
    assert (ran.code, "new-ids             1" in ran.out) == (0, True)
    assert (Path("fixed") / DOC).read_text() == (ASSESSMENTS / DOC).read_text()


def test_a_pool_and_its_assessments(adjudge):
    adjudge("eal", "pool", *(f"{name}={path}" for name, path in SUBMISSIONS.items()), "-o", "pool")
    adjudge("eal", "assessment", "create", "pool", "-o", "key")
    assert adjudge("eal", "assessment", "check", "key", "--pool", "pool").code == 0
    path = Path("key") / DOC
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[1:]))
    (Path("key") / "MINI_NW_02").unlink()
    adjudge("eal", "pool", f"slate={SUBMISSIONS['slate']}", "-o", "less")
    ran = adjudge("eal", "assessment", "check", "key", "--pool", "pool")
    assert ran.code == 1
    assert f"key/{DOC}: error: the response " in ran.out
    assert f"({lines[0][:40]}) is in the pool and has no line here" in ran.out
    assert "key: error: there are no assessments of 'MINI_NW_02'" in ran.out
    ran = adjudge("eal", "assessment", "check", "key", "--pool", "less", "--format", "json")
    kinds = {each["kind"] for each in json.loads(ran.out)["findings"]}
    assert "not-pooled" in kinds


# In a campaign


def test_a_changed_line_stops_the_scores_and_not_the_others(adjudge, ready):
    id_ = edit(ready / "assessments" / DOC, 4, "Agent")
    (ready / "frames" / "MINI_NW_02").unlink()
    (ready / "assessments" / "MINI_NW_03").unlink()
    code, told = steps(adjudge)
    assert code == 1
    assert told["assessments"]["status"] == "failed"
    assert f"1 problem to be corrected first in {DOC}; " in told["assessments"]["message"]
    assert "added to 1 file" in told["assessments"]["message"]  # MINI_NW_03 is there again
    assert id_ in Path(told["assessments"]["details"]).read_text()
    assert told["check"]["message"].endswith("2 errors, 1 warning")
    found = Path(told["check"]["details"]).read_text()
    assert "the response was changed" in found
    assert "is not in the pool" in found
    assert f"({id_}) is in the pool and has no line here" in found
    shutil.copy(ready / "answers" / "assessments" / "MINI_NW_03", ready / "assessments")
    code, told = steps(adjudge)
    assert told["frames"]["status"] == "done"  # for MINI_NW_02
    assert (ready / "frames" / "MINI_NW_02").exists()
    assert told["score"]["status"] == "waiting"
    assert told["score"]["message"] == "for the assessments to be corrected"
    assert not (ready / "reference").exists()  # it would not be whole


def test_a_mistake_in_the_frames_of_one_document(adjudge, ready):
    path = ready / "frames" / DOC
    path.write_text("0123456789\n" + path.read_text())
    (ready / "frames" / "MINI_NW_02").unlink()
    code, told = steps(adjudge)
    assert (code, told["frames"]["status"]) == (1, "failed")
    assert told["frames"]["message"] == f"1 problem to be corrected first in {DOC}; 1 file written"
    assert (ready / "frames" / "MINI_NW_02").exists()


def test_files_that_are_no_documents(adjudge, ready):
    _, told = steps(adjudge)
    assert told["score"]["message"] == "3 systems on 12 documents, the best is granite"
    before = (ready / "scores" / "ranking.json").read_text()
    for room in ("assessments", "frames"):
        (ready / room / "notes").write_text("# to do\n")
        for name in (f"{DOC}~", f"#{DOC}#", f"{DOC}.bak", f".{DOC}.swp"):
            shutil.copy(ready / room / DOC, ready / room / name)
    code, told = steps(adjudge)
    assert (code, told["score"]["status"]) == (0, "done")
    assert told["score"]["message"] == "3 systems on 12 documents, the best is granite"
    assert (ready / "scores" / "ranking.json").read_text() == before
    assert told["check"]["message"].endswith("; not a document: notes")
    found = Path(told["check"]["details"]).read_text()
    assert "/notes: warning: this is not a document of the campaign and is not scored, move it elsewhere" in found
    assert "were put there by an editor, as a backup, they are not read" in found
    assert told["reference"]["message"].endswith("; not a document: notes")
    assert steps(adjudge)[1]["score"]["status"] == "up to date"


def test_a_stray_file_in_a_key_is_not_scored(adjudge):
    shutil.copytree(ASSESSMENTS, "key")
    Path("key/notes").write_text("# to do\n")
    shutil.copy(ASSESSMENTS / DOC, f"key/{DOC}~")
    options = ("--frames", FRAMES, "--docs-text", SOURCES, SUBMISSIONS["slate"], "--bootstrap", "0", "--format", "json")
    expected = json.loads(adjudge("eal", "score", "--key", ASSESSMENTS, *options).out)
    ran = adjudge("eal", "score", "--key", "key", *options)
    found = json.loads(ran.out)
    assert [each["scores"] for each in found["systems"]] == [each["scores"] for each in expected["systems"]]
    assert "docs:12|" in found["signature"]
    ran = adjudge("eal", "assessment", "check", "key", "--quiet")
    assert ran.out.splitlines() == [
        f"key: warning: {DOC}~ was put there by an editor, as a backup, it is not read",
        "key/notes: warning: the file has comments but no response, move it elsewhere if it is not a document",
    ]
    notes = {each["code"]: each for each in found["systems"][0]["notes"]}
    assert notes["stray-file"]["examples"] == ["notes"]
    assert notes["input"]["message"] == f"key: {DOC}~ was put there by an editor, as a backup, it is not read"


# Texts


def test_one_look_up_of_texts(adjudge):
    shutil.copytree(SOURCES, "texts")
    for path in Path("texts").iterdir():
        path.rename(path.with_suffix(".story"))
        path.with_suffix(".ann").write_text("T1\tPerson 0 3\tBob\n")
    plain = adjudge("eal", "validate", SUBMISSIONS["slate"], "--docs", SOURCES, "--quiet").out
    ran = adjudge("eal", "validate", SUBMISSIONS["slate"], "--docs", "texts", "--quiet")
    assert (ran.code, ran.out) == (0, plain)
    assert adjudge("eal", "filter-quotes", SUBMISSIONS["slate"], "--docs", "texts", "-o", "out").code == 0
    (Path("texts") / f"{DOC}.story").rename(Path("texts") / f"{DOC}.tale")
    rule = f"{DOC}.ann is not read: its file is called {DOC}, or {DOC} with one of .txt, .text, .xml, "
    ran = adjudge("eal", "validate", SUBMISSIONS["slate"], "--docs", "texts")
    assert ran.code == 1
    assert rule in ran.out
    ran = adjudge("eal", "filter-quotes", SUBMISSIONS["slate"], "--docs", "texts", "-o", "again")
    assert ran.code == 1
    assert rule in ran.err


def test_an_open_quotation_does_not_stop_a_campaign(adjudge, ready):
    path = ready / "sources" / "MINI_DF_03.txt"
    text = path.read_text()
    path.write_text(text + "<quote>")
    code, told = steps(adjudge)
    assert (code, told["sources"]["status"], told["score"]["status"]) == (0, "done", "done")
    assert next(iter(told)) == "sources"
    place = f"{path}:{text.count(chr(10)) + 1}:{len(text) - text.rfind(chr(10))}"
    assert told["sources"]["message"].startswith("0 errors, 1 warning: ")
    assert place.removeprefix(str(ready.parent) + "/") in told["sources"]["message"]
    path.write_bytes(b"\xff")
    code, told = steps(adjudge)
    assert (code, list(told), told["sources"]["status"]) == (1, ["sources", "score"], "failed")
    assert told["score"]["message"].startswith("for the source documents to be corrected")


def test_scores_note_an_open_quotation(adjudge):
    shutil.copytree(SOURCES, "texts")
    path = next(Path("texts").glob("MINI_DF_*"))
    path.write_text(path.read_text() + "<QUOTE>")
    options = ("--key", ASSESSMENTS, "--frames", FRAMES, SUBMISSIONS["slate"], "--bootstrap", "0")
    ran = adjudge("eal", "score", *options, "--docs-text", "texts")
    assert ran.code == 0
    assert "the source documents: 1 quotation is never closed and reaches to the end of the document" in ran.out
    ran = adjudge("eal", "score", *options, "--docs-text", "texts", "--decide", "quote_tags=exact")
    assert (ran.code, "never closed" in ran.out) == (0, False)


# Settings


def test_documents_and_missing_ones(adjudge, ready):
    wanted = sorted(path.name for path in (ready / "answers" / "assessments").iterdir())[:6]
    (ready / "list").write_text("# the first half\n" + "\n".join(wanted) + "\n")
    settle(ready, documents="list")
    _, told = steps(adjudge)
    assert told["pool"]["message"].endswith("3 systems, 6 documents")
    assert told["score"]["message"].startswith("3 systems on 6 documents")
    assert "not a document: " in told["check"]["message"]  # the assessments of the others stay where they are
    settle(ready, documents=[*wanted[:2], "NONE"])
    code, told = steps(adjudge)
    assert (code, told["sources"]["status"]) == (1, "failed")
    assert "there is no source document 'NONE'" in told["sources"]["message"]


def test_a_missing_document_is_an_error_unless_it_is_allowed(adjudge, ready):
    for room in ("arguments", "linking"):
        (ready / "submissions" / "slate" / room / DOC).unlink()
    code, told = steps(adjudge)
    assert (code, told["validate slate"]["status"]) == (1, "failed")
    found = (ready / "reports" / "validate-slate.txt").read_text()
    assert f"error: the document '{DOC}' is missing, write files for it into arguments/ and linking/" in found
    assert told["score"]["message"].startswith("2 systems")
    settle(ready, missing="empty")
    code, told = steps(adjudge)
    assert (code, told["score"]["message"]) == (0, "3 systems on 12 documents, the best is granite")
    assert "1 gold document has no system output and counts as empty" in (ready / "scores" / "scores.txt").read_text()


def test_decisions_diagnostics_report_and_graphs(adjudge, ready):
    assert steps(adjudge)[0] == 0
    settle(ready, genre=True, macro=True, collapsed=True, neutral=["realis", "coref"], report=True, graphs=True)
    path = ready / "campaign.toml"
    path.write_text(path.read_text().replace("decisions = {}", 'decisions = {time_rule_requires = "good"}'))
    code, told = steps(adjudge)
    assert code == 0
    names = ["macro", "genre-forum", "genre-newswire", "collapsed", "neutral-realis", "neutral-coref"]
    assert told["diagnostics"]["message"] == ", ".join(names)
    assert "decided:time_rule_requires=good" in (ready / "scores" / "scores.txt").read_text()
    made = {each.stem for each in (ready / "scores" / "diagnostics").iterdir()}
    assert made == set(names)
    systems = [f"{name}={ready / 'filtered' / name}" for name in SUBMISSIONS]
    view = ("--taxonomy", "collapsed", "--decide", "time_rule_requires=good", "--bootstrap", "20", "--format", "json")
    options = ("--key", ready / "assessments", "--frames", ready / "reference")
    expected = json.loads(adjudge("eal", "score", *options, *systems, *view).out)
    saved = json.loads((ready / "scores" / "diagnostics" / "collapsed.json").read_text())
    assert [each["scores"] for each in saved["systems"]] == [each["scores"] for each in expected["systems"]]
    assert "<title>" in (ready / "scores" / "report.html").read_text()
    assert (ready / "scores" / "graphs" / "scores-beta.svg").exists()
    _, told = steps(adjudge)
    assert {told[name]["status"] for name in ("score", "diagnostics", "report", "graphs")} == {"up to date"}
    settle(ready, genre=False, macro=False, collapsed=False, neutral=[], report=False, graphs=False)
    _, told = steps(adjudge)
    assert not {"diagnostics", "report", "graphs"} & told.keys()
    assert not (ready / "scores" / "report.html").exists()
    assert not (ready / "scores" / "diagnostics").exists()


def test_corrections_of_an_assessor(adjudge):
    shutil.copytree(ASSESSMENTS, "first")
    shutil.copytree(ASSESSMENTS, "second")
    path = Path("second") / DOC
    at = next(n for n, line in enumerate(path.read_text().splitlines()) if line.split("\t")[11:15] == list("CCCC"))
    edit(path, 15, "I", at)
    ran = adjudge("eal", "assessment", "merge", "first", "second", "-o", "kept")
    assert ran.code == 0
    assert " stays, not C C C I " in ran.out.splitlines()[0]
    assert "ignored         1  assessed otherwise in an additional store" in ran.out
    assert (Path("kept") / DOC).read_bytes() == (ASSESSMENTS / DOC).read_bytes()
    ran = adjudge("eal", "assessment", "merge", "first", "second", "-o", "corrected", "--prefer", "additional")
    assert ran.code == 0
    assert " becomes C C C I " in ran.out.splitlines()[0]
    assert "corrected       1  assessed otherwise in an additional store" in ran.out
    assert (Path("corrected") / DOC).read_bytes() == path.read_bytes()
