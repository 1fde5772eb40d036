"""Ids of documents from strangers never lead out of the folder that is written."""

import os
from pathlib import Path

import pytest

from adjudge.cli import run
from adjudge.errors import AdjudgeError, UsageError
from adjudge.files import write_folder
from adjudge.formats.eal_write import FolderWriter, FramesWriter, KeyWriter, StoreWriter
from adjudge.model.eal import AnswerKey, Arguments, Linking

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
