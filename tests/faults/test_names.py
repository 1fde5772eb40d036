"""Names that lead out of the folder that is written, that no file can have, or that something else has."""

import os
import re
from pathlib import Path

import pytest

from adjudge.cli import run
from adjudge.errors import AdjudgeError, UsageError
from adjudge.files import write_folder
from adjudge.formats.eal_write import FolderWriter, FramesWriter, KeyWriter, StoreWriter
from adjudge.model.eal import AnswerKey, Arguments, Linking
from faults.harness import Ground, tree

REFUSED = [
    "..",
    ".",
    "",
    "../x",
    "../../x",
    "a/b",
    "/etc/x",
    "a\\b",
    "..\\x",
    "a\0b",
    "a\nb",
    "\x1b[31m",
    ".hidden",
    "\ud800",
]
FINE = ["CON", "nul.txt", "-rf", "~", "a b", "\u674e", "x" * 200, "C:x", "*", "$(id)", "a;b"]


def around(folder: Path) -> list[str]:
    return sorted(os.path.relpath(Path(base, name), folder) for base, _, names in os.walk(folder) for name in names)


def write_store(path: Path, id: str) -> None:
    with StoreWriter(path) as writer:
        writer.write(Arguments(id, []), Linking(id))


def write_key(path: Path, id: str) -> None:
    with KeyWriter(path) as writer:
        writer.write(AnswerKey(id))


def write_frames(path: Path, id: str) -> None:
    with FramesWriter(path) as writer:
        writer.write(Linking(id))


WRITERS = [write_store, write_key, write_frames]


@pytest.mark.parametrize("write", WRITERS)
@pytest.mark.parametrize("kind", ["out", "out.zip", "out.tar.gz"])
def test_stores(tmp_path: Path, write, kind: str) -> None:
    place = tmp_path / "in" / "deep"
    place.mkdir(parents=True)
    for id in REFUSED:
        with pytest.raises(AdjudgeError, match="cannot be the name of a file"):
            write(place / kind, id)
        assert around(tmp_path) == []
    for number, id in enumerate(FINE):
        write(place / f"{number}{kind}", id)
    assert {name.split("/")[:2] == ["in", "deep"] for name in around(tmp_path)} == {True}


@pytest.mark.parametrize("name", ["../x", "a/../../x", "/x", "a//b", "a/", "./a", "a\0", "a\\b", ""])
def test_the_writer_of_folders_itself(tmp_path: Path, name: str) -> None:
    (tmp_path / "in").mkdir()
    with pytest.raises(AdjudgeError, match="cannot be the name"), FolderWriter(tmp_path / "in" / "out") as writer:
        writer.put(name, b"")
    with pytest.raises(UsageError, match="cannot be the name"):
        write_folder(tmp_path / "in" / "out", {"fine": b"", name: b""})
    assert around(tmp_path) == []


@pytest.mark.parametrize("target", ["brat", "tbf-char"])
def test_nuggets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], target: str
) -> None:
    (tmp_path / "in").mkdir()
    monkeypatch.chdir(tmp_path / "in")
    for id in ("../x", "../../x", "a/b", "/tmp/x", "..", "a\\b", ".x"):
        line = f"s\t{id}\tE1\t4,8\tmade\tMovement\tActual"
        Path("a.tbf").write_text(f"#BeginOfDocument {id}\n{line}\n#EndOfDocument\n")
        code = run(["nugget", "convert", "a.tbf", "--to", target, "-o", "out/"])
        assert code in (0, 1, 2)
        if target == "brat":
            assert (code, Path("out").exists()) == (1, False)
            assert "cannot be the name of a file" in capsys.readouterr().err
        assert {name.split("/")[0] for name in around(tmp_path)} == {"in"}
        Path("out").unlink(missing_ok=True)


def test_a_link_in_the_folder_is_replaced_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "victim").write_text("untouched")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "a").symlink_to(tmp_path / "victim")
    write_folder(tmp_path / "out", {"a": b"new"})
    assert (tmp_path / "victim").read_text() == "untouched"
    assert (tmp_path / "out" / "a").read_bytes() == b"new"


def test_what_is_no_file_is_never_replaced(ground: Ground) -> None:
    work = ground.fresh()
    pipe = work / "pipe"
    os.mkfifo(pipe)
    handle = os.open(pipe, os.O_RDWR)  # so that nobody waits for a reader
    try:
        line = ("nugget", "score", "-g", "@gold.tbf", "-s", "@heron.tbf", "-t", "@tokens", "--comparison", "pipe")
        assert ground.nursery.run(line, work).code == 0
        assert os.read(handle, 100).startswith(b"#BeginOfDocument nw-01\n")
        for out in ("pipe", "pipe.zip"):
            pipe = pipe.rename(work / out)
            ran = ground.nursery.run(("eal", "trim", "@granite", "-o", out, "--overwrite"), work)
            says = f"error: {out}: this is neither a file nor a folder, choose another name for what is to be written\n"
            assert (ran.code, ran.err) == (2, says)
            assert pipe.is_fifo()
    finally:
        os.close(handle)


def test_names_that_no_file_can_have(ground: Ground) -> None:
    long = "o" * 300
    for line in (
        ("schema", "result", "-o", long),
        ("nugget", "tokenize", "-t", "@texts", "-o", long),
        ("relation", "validate", long, "--reader", "scirex"),
        ("eal", "pool", "@granite", "-o", long),
    ):
        ran = ground.nursery.run(line, ground.fresh())
        assert ran.code == 2, ran
        assert re.match(rf"error: (?:/\S+/)?{long}[\w.]*: ", ran.err), ran
        assert "File name too long" in ran.err
    ran = ground.nursery.run(("eal", "pool", "@granite", "-o", ""), ground.fresh())
    assert ran.code == 2, ran


@pytest.mark.parametrize("out", ["", ".", "..", "../in"])
def test_overwriting_never_takes_what_is_no_store(ground: Ground, out: str) -> None:
    work = ground.fresh()
    (work / "mine").write_text("kept")
    before = tree(ground.root)
    ran = ground.nursery.run(("eal", "trim", "@granite", "-o", out, "--overwrite"), work)
    assert ran.code == 2, ran
    assert tree(ground.root) == before
