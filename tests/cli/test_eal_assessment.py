"""`adjudge eal assessment`: the commands, their reports and exit codes."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from adjudge.cli import run
from adjudge.formats.eal_lock import LOCK
from adjudge.formats.eal_store import StoreWriter, open_key
from adjudge.model.eal import AnswerKey, Argument, Arguments, Assessment
from eal_keys import CORPUS, GOOD, contents, put, simple
from eal_responses import response

Call = Callable[..., tuple[int, str, str]]
BOB, ANN = response("Bob"), response("Ann", at=(5, 7))
COMMANDS = ("create", "merge", "check", "progress", "expand-realis", "repair")


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    monkeypatch.chdir(tmp_path)
    with StoreWriter(tmp_path / "pool", linking=False) as writer:
        writer.write(
            Arguments("d", [Argument(BOB, 0.9), Argument(BOB._replace(base_filler=(4, 5)), 0.8), Argument(ANN)])
        )
    put(tmp_path / "old", AnswerKey("d", {BOB: GOOD}, (), {BOB.cas: 7}))

    def made(*arguments: str) -> tuple[int, str, str]:
        code = run(["eal", "assessment", *arguments])
        out, err = capsys.readouterr()
        return code, out, err

    return made


def report(call: Call, *arguments: str) -> dict[str, Any]:
    code, out, err = call(*arguments, "--format", "json")
    assert err == ""
    found: dict[str, Any] = json.loads(out)
    assert found["task"] == "eal"
    assert code in (0, 1)
    return found


def test_create(call: Call):
    code, out, err = call("create", "pool", "-o", "new", "--onto", "old", "--trim", "cas")
    assert (code, err) == (0, "")
    assert out == (
        "create: 1 document, 3 responses in the pool\n"
        "  removed       1  redundant: a better response differs in base filler and justifications only\n"
        "  added         1  new, they wait for assessment\n"
        "  known         1  assessed already\n"
        "  known         0  waiting already\n"
        "profile: spec\n"
        "written: new\n"
    )
    key = open_key("new").key("d")
    assert key.assessed == {BOB: GOOD}
    assert list(key.unassessed) == [ANN]


def test_create_again_changes_nothing(call: Call):
    call("create", "pool", "-o", "new")
    before = contents(Path("new"))
    found = report(call, "create", "pool", "-o", "new", "--onto", "new")
    assert (found["added"], found["waiting"], found["pooled"]) == (0, 3, 3)
    assert contents(Path("new")) == before
    code, _, err = call("create", "pool", "-o", "new")
    assert code == 2
    assert "it already exists" in err
    assert "--overwrite" in err
    assert call("create", "pool", "-o", "new", "--overwrite", "--quiet") == (0, "", "")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--trim", "coref"], "give it with --onto"),
        (["--unlinked", "drop"], "give both, or neither"),
        (["--onto", "nothing"], "nothing"),
        (["--trim", "all"], "--trim"),
        (["--ids", "keep"], "--ids"),
    ],
)
def test_create_and_wrong_usage(call: Call, options: list[str], said: str):
    code, out, err = call("create", "pool", "-o", "new", *options)
    assert (code, out) == (2, "")
    assert said in err
    assert not Path("new").exists()


def test_a_pool_with_mistakes(call: Call):
    Path("pool/arguments/e").write_text("x\n")
    Path("pool/arguments/f").write_text("y\n")
    code, _, err = call("create", "pool", "-o", "new")
    assert code == 1
    assert "pool/arguments/e:1:1" in err
    assert "pool/arguments/f:1:1" in err
    assert not Path("new").exists()


def test_the_number_of_2014(call: Call):
    assert call("create", "pool", "-o", "new", "--ids", "2014", "--quiet")[0] == 0
    assert all(int(line.split("\t")[0]) for line in Path("new/d").read_text().splitlines())


def test_merge(call: Call):
    put(Path("more"), AnswerKey("d", {BOB: Assessment("W"), ANN: GOOD}, (), {BOB.cas: 1, ANN.cas: 1}))
    code, out, err = call("merge", "old", "more", "-o", "both", "--verbose")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].endswith('Life.Die Victim Actual: "Bob" 0-2: C C C C Actual NAME stays, not W NIL NIL NIL NIL NIL')
    assert lines[1] == "merge: 1 document, 2 assessed, 0 not assessed"
    assert open_key("both").key("d").coref == {BOB.cas: 7, ANN.cas: 7}
    found = report(call, "merge", "old", "more", "-o", "both", "--overwrite")
    assert [each["cas"] for each in found["disagreements"]] == ["Bob"]
    assert found["disagreements"][0]["additional"]["event_type"] == "W"
    assert found["newly_assessed"] == 1


def test_merge_in_place(call: Call):
    put(Path("more"), AnswerKey("d", {ANN: GOOD}, (), {ANN.cas: 1}))
    assert call("merge", "old", "more", "-o", "old")[0] == 2
    assert call("merge", "old", "more", "-o", "old", "--overwrite")[0] == 0
    assert len(open_key("old").key("d").assessed) == 2


def test_check(call: Call):
    code, out, err = call("check", "old")
    assert (code, err) == (0, "")
    assert out == (
        "old: 1 document, 1 assessed response, 0 unassessed responses, 1 cluster, 1 TRFR, 0 errors, 0 warnings "
        "(profile spec)\n"
    )
    assert call("check", "old", "--quiet") == (0, "", "")


def test_check_lists_all_problems(call: Call):
    fields = "x\td\tLife.Die\tTime\tMay\t0-2\t0-50\t{}-9\tNIL\tActual\t1.0\t{}\n"
    answers = ("C NIL NIL NIL 1 NIL NIL", "C C C C 2 Actual NAME", " ".join(["UNANNOTATED"] * 7))
    Path("old/d").write_text("".join(fields.format(n, "\t".join(each.split())) for n, each in enumerate(answers)))
    code, out, _ = call("check", "old")
    assert code == 1
    assert re.findall(r"^old/d:(\d+):\d+: (error|warning): ", out, re.MULTILINE) == [
        *[("1", "error")] * 5,
        ("2", "warning"),
        ("2", "warning"),
        ("3", "warning"),
    ]
    found = report(call, "check", "old")
    assert (found["errors"], found["warnings"]) == (5, 3)
    assert [each["kind"] for each in found["findings"]] == [
        *["assessment-missing"] * 5,
        "broken-time",
        "coref-conflict",
        "unassessed",
    ]
    assert all(each["hint"] and each["path"] == "old/d" and each["line"] for each in found["findings"])
    code, out, _ = call("check", "old", "--limit", "2", "-o", "report.txt")
    assert (code, out) == (1, "")
    assert "(and 3 more like it" in Path("report.txt").read_text()


def test_strict_makes_warnings_count(call: Call):
    call("create", "pool", "-o", "new", "--quiet")
    assert call("check", "new")[0] == 0
    assert call("check", "new", "--strict")[0] == 1


def test_check_with_frames(call: Call):
    put(Path("key"), simple(c1="a", c2="b"))
    Path("frames").mkdir()
    code, out, _ = call("check", "key", "--frames", "frames")
    assert code == 1
    assert "frames/d: error: there are no frames for this document" in out
    code, out, _ = call("check", str(CORPUS / "key"), "--frames", str(CORPUS / "ref"), "--limit", "0")
    assert code == 0
    assert out.endswith("82 TRFRs, 82 linked TRFRs, 27 frames, 0 errors, 23 warnings (profile spec)\n")
    assert out.count("warning: a frame with") == 22


def test_check_documents(call: Call):
    code, out, _ = call("check", "old", "--docs", "d,e")
    assert code == 1
    assert "there are no assessments of 'e'" in out
    Path("list").write_text("d\n")
    assert call("check", "old", "--docs", "list")[0] == 0


def test_profiles_disagree_about_times(call: Call):
    spec = report(call, "check", str(CORPUS / "key"))
    official = report(call, "check", str(CORPUS / "key"), "--profile", "bbn-2015")
    assert (len(spec["findings"]), len(official["findings"])) == (1, 3)
    assert official["files"][0]["profile"] == "bbn-2015"


def test_progress(call: Call):
    call("create", "pool", "-o", "new", "--onto", "old", "--quiet")
    os.utime("new/d", (0, 0))
    code, out, err = call("progress", "new")
    assert (code, err) == (0, "")
    assert out == (
        "document  responses  assessed  left     %  good  TRFRs  last change (UTC)    problems\n"
        "d                 3         1     2  33.3     1      1  1970-01-01 00:00:00\n"
        "total             3         1     2  33.3     1      1\n"
        "\n"
        "type      responses  assessed  left     %  good  TRFRs\n"
        "Life.Die          3         1     2  33.3     1      1\n"
        "total             3         1     2  33.3     1      1\n"
        "\n"
        "1 of 3 responses assessed, 2 left; the times of the files give no pace, --rate sets one\n"
    )
    assert "about 0.5 hours at 4 responses an hour" in call("progress", "new", "--rate", "4")[1]


def test_progress_in_other_layouts(call: Call):
    call("create", "pool", "-o", "new", "--onto", "old", "--quiet")
    found = report(call, "progress", "new", "--rate", "4")
    assert (found["total"]["responses"], found["total"]["unassessed"]) == (3, 2)
    assert found["total"]["linked"] is None
    assert found["pace"]["hours_left"] == 0.5
    assert [each["name"] for each in found["types"]] == ["Life.Die"]
    csv = call("progress", "new", "--format", "csv", "--by", "type")[1].splitlines()
    assert csv[0].startswith("kind,name,responses,assessed,unassessed")
    assert [line.split(",")[0] for line in csv[1:]] == ["type", "total"]
    assert call("progress", "new", "--format", "md", "--by", "type")[1].startswith("| type | responses |")
    assert r"\begin{tabular}" in call("progress", "new", "--format", "latex")[1]


def test_progress_in_order_of_time(call: Call):
    put(Path("key"), *(AnswerKey(name, {}, [response(document=name)] * n) for n, name in enumerate("abc", 1)))
    for number, name in enumerate("bca"):
        os.utime(f"key/{name}", (number, number))

    def order(sort: str) -> str:
        out = call("progress", "key", "--by", "document", "--sort", sort)[1]
        return "".join(line[0] for line in out.splitlines()[1:4])

    assert (order("id"), order("time")) == ("abc", "bca")


def test_progress_counts_frames(call: Call):
    out = call("progress", str(CORPUS / "key"), "--frames", str(CORPUS / "ref"), "--by", "type")[1]
    assert re.search(r"^total +205 +205 +0 +100\.0 +105 +82 +82$", out, re.MULTILINE)


def test_expand_realis(call: Call):
    put(Path("key"), AnswerKey("d", {BOB: GOOD._replace(realis="Other")}, (), {BOB.cas: 7}))
    code, out, err = call("expand-realis", "key", "-o", "out", "--verbose")
    assert (code, err) == (0, "")
    assert 'Life.Die Victim Other: "Bob" 0-2: realis-copy: copied with realis Other' in out
    assert "expand-realis: 1 document, 2 assessed, 0 not assessed" in out
    found = report(call, "expand-realis", "out", "-o", "again")
    assert found["changes"] == []
    assert contents(Path("out")) == contents(Path("again"))


def test_repair(call: Call):
    Path("old/d").write_text(Path("old/d").read_text().replace("NAME", "NIL"))
    assert call("check", "old")[0] == 1
    assert call("expand-realis", "old", "-o", "out")[0] == 1
    code, out, err = call("repair", "old", "-o", "out")
    assert (code, err) == (0, "")
    assert re.search(r"^  waits-again +1  an answer is missing", out, re.MULTILINE)
    assert call("check", "out")[0] == 0
    assert report(call, "repair", "out", "-o", "again")["changes"] == []


@pytest.mark.parametrize("command", ["check", "progress", "expand-realis -o out", "merge old -o out"])
def test_a_locked_store(call: Call, command: str):
    name, *rest = command.split()
    Path("old", LOCK).write_text(f"adjudge\t{os.getpid()}\tfar-away\tlast night\tabc\n")
    code, out, err = call(name, "old", *rest)
    assert (code, out) == (2, "")
    assert f"old: the store is locked: process {os.getpid()} on far-away has been writing to it since last night" in err
    assert not Path("out").exists()


def test_the_program_itself(call: Call):
    """The exit code is that of the check."""
    call("create", "pool", "-o", "new", "--quiet")
    program = "from adjudge.cli import main; main()"
    for options, code in ((["old"], 0), (["new"], 0), (["new", "--strict"], 1), (["nothing"], 2)):
        command = [sys.executable, "-c", program, "eal", "assessment", "check", *options]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (done.returncode, "Traceback" in done.stderr) == (code, False)
