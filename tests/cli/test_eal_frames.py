"""`adjudge eal frames`: templates, completed frames, frames on other assessments."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from adjudge.cli import run
from adjudge.formats.eal_fields import sha1_id
from adjudge.formats.eal_store import open_frames, open_key
from adjudge.model.eal import AnswerKey, Assessment
from eal_keys import CORPUS, contents, named, put, simple

Call = Callable[..., tuple[int, str, str]]
A, B, C = (sha1_id(named(letter)) for letter in "abc")


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    monkeypatch.chdir(tmp_path)
    put(Path("key"), simple(c1="ab", c2="c"))

    def made(*arguments: str) -> tuple[int, str, str]:
        code = run(["eal", "frames", *arguments])
        out, err = capsys.readouterr()
        return code, out, err

    return made


def report(call: Call, *arguments: str) -> dict[str, Any]:
    _, out, err = call(*arguments, "--format", "json")
    assert err == ""
    found: dict[str, Any] = json.loads(out)
    return found


def test_template(call: Call):
    code, out, err = call("template", "key", "-o", "frames")
    assert (code, err) == (0, "")
    assert out == "template: 1 document, 2 TRFRs to be linked\nwritten: frames\n"
    text = Path("frames/d").read_text()
    assert f'# Life.Die Victim Actual: "a" 97-97, "b" 98-98\n#{A}\t{B}\n' in text
    assert text.endswith("INCOMPLETE\t" + "\t".join(sorted((A, B, C))) + "\n")
    assert call("template", "key", "-o", "frames")[0] == 2
    assert call("template", "key", "-o", "frames", "--overwrite", "--plain", "--quiet") == (0, "", "")
    assert Path("frames/d").read_text() == "INCOMPLETE\t" + "\t".join(sorted((A, B, C))) + "\n"


def test_from_the_template_to_the_reference(call: Call):
    """An annotator removes two signs, and joins two lines."""
    call("template", "key", "-o", "frames", "--quiet")
    code, out, _ = call("read", "frames", "key")
    assert code == 0
    assert 'd: not linked: Life.Die Victim Actual: "a" 97-97, "b" 98-98\n' in out
    assert "read: 1 document, 0 frames, 0 of 2 TRFRs linked, 0 errors, 0 warnings\n" in out
    assert call("read", "frames", "key", "--complete")[0] == 1
    text = Path("frames/d").read_text()
    Path("frames/d").write_text(text.replace(f"#{A}\t{B}", f"{B}\t{C}"))
    code, out, err = call("read", "frames", "key", "--complete", "-o", "reference")
    assert (code, err) == (0, "")
    assert "1 frame, 2 of 2 TRFRs linked, 0 errors, 0 warnings" in out
    assert Path("reference/d").read_text() == "\t".join(sorted((A, B, C))) + "\nINCOMPLETE\t\n"


def test_wrong_frames_are_not_written(call: Call):
    key = simple(c1="a", c2="c")
    put(Path("key"), AnswerKey("d", {**key.assessed, named("a"): Assessment("C", "W")}, (), key.coref))
    Path("frames").mkdir()
    Path("frames/d").write_text(f"{A}\t{C}\n")
    code, out, err = call("read", "frames", "key", "-o", "out")
    assert (code, err) == (1, "")
    assert "frames/d:1:1: error: the response" in out
    assert "its role is W" in out
    assert "written" not in out
    assert not Path("out").exists()
    found = report(call, "read", "frames", "key")
    assert [(each["kind"], each["line"]) for each in found["findings"]] == [("frame-wrong", 1)]
    assert (found["errors"], found["output"]) == (1, None)


def test_read_as_classes(call: Call):
    code, *_ = call("read", str(CORPUS / "ref"), str(CORPUS / "key"), "-o", "out", "--as", "classes", "--quiet")
    assert code == 0
    assert len(contents(Path("out"))) == 12


@pytest.mark.parametrize(
    "options", [["--comments"], ["--as", "classes"], ["--overwrite"], ["-o", "x", "--as", "classes", "--comments"]]
)
def test_read_and_wrong_usage(call: Call, options: list[str]):
    code, out, err = call("read", str(CORPUS / "ref"), str(CORPUS / "key"), *options)
    assert (code, out) == (2, "")
    assert "give -o OUT" in err or "leave out" in err


def test_the_corpus(call: Call):
    found = report(call, "read", str(CORPUS / "ref"), str(CORPUS / "key"), "-o", "out")
    assert sum(each["linked"] for each in found["documents"]) == 82
    assert all(each["unlinked"] == [] for each in found["documents"])
    assert (found["errors"], found["warnings"], found["output"]) == (0, 22, "out")


def test_project(call: Call):
    put(Path("new"), simple(c1="a", c2="bc"))
    Path("frames").mkdir()
    Path("frames/d").write_text(f"{A}\t{B}\n{C}\n")
    code, out, err = call("project", "frames", "key", "new", "-o", "out", "--verbose", "--plain")
    assert (code, err) == (0, "")
    assert 'd: Life.Die Victim Actual: "a" 97-97: split' in out
    assert "project: 1 document, 2 frames, 2 of 2 TRFRs linked" in out
    linking = open_frames("out").linking(open_key("new").key("d"))
    assert linking is not None
    assert [len(frame.responses) for frame in linking.frames] == [3, 2]
    found = report(call, "project", "frames", "key", "new", "-o", "out", "--overwrite")
    assert len(found["split"]) == 2
    assert found["lost"] == []
    assert Path("out/d").read_text().startswith("# d: a line for each event")


def test_project_needs_the_old_assessments(call: Call):
    Path("frames").mkdir()
    Path("frames/z").write_text("INCOMPLETE\t\n")
    code, out, err = call("project", "frames", "key", "key", "-o", "out")
    assert (code, out) == (1, "")
    assert "frames/z: frames of a document that has no assessments" in err
    assert not Path("out").exists()


def test_frames_by_the_ids_of_column_1(call: Call):
    """The message of an unknown id says to use them, whatever they are."""
    key = Path("key/d")
    rows = [line.split("\t") for line in key.read_text().splitlines()]
    key.write_text("".join("\t".join([f"r{number}", *row[1:]]) + "\n" for number, row in enumerate(rows, 1)))
    put_text = "r1\tr3\nr2\nINCOMPLETE\t\n"
    Path("frames").mkdir()
    Path("frames/d").write_text(put_text)
    code, _, err = call("read", "frames", "key", "-o", "full")
    assert (code, err) == (0, "")
    by_id = {f"r{number}": row[0] for number, row in enumerate(rows, 1)}
    full = [set(line.split("\t")) for line in Path("full/d").read_text().splitlines()]
    assert full[0] >= {by_id["r1"], by_id["r3"]}
    Path("frames/d").write_text("\t".join(by_id.values()) + "\nINCOMPLETE\t\n")  # content hashes still do
    assert call("read", "frames", "key")[0] == 0
    key.write_text(key.read_text().replace("r3\t", "r1\t"))
    Path("frames/d").write_text(put_text)
    code, out, err = call("read", "frames", "key")
    assert code == 1
    assert "frames/d:1:1: error: the id 'r1' stands on several lines of the assessments" in out + err
