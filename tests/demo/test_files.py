"""The files of the bundled campaigns, copied."""

import pytest

from adjudge.cli import run
from adjudge.demo import DATA
from adjudge.demo.files import FOLDERS, copy_campaign
from adjudge.errors import UsageError


@pytest.mark.parametrize("task", FOLDERS)
def test_a_campaign_is_copied_whole(task, tmp_path):
    number = copy_campaign(task, tmp_path / "demo")
    copied = {path.relative_to(tmp_path / "demo"): path.read_bytes() for path in _files(tmp_path / "demo")}
    source = DATA if task == "extraction" else DATA / task
    expected = {path.relative_to(source): path.read_bytes() for path in _files(source)}
    if task == "extraction":
        expected = {path: data for path, data in expected.items() if len(path.parts) == 1}
    assert copied == expected
    assert number == len(copied)
    assert [path.name for path in tmp_path.iterdir()] == ["demo"]


def _files(folder):
    return [path for path in folder.rglob("*") if path.is_file()]


def test_nothing_is_overwritten(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    assert run(["demo", "kbp", "--files", "empty"]) == 0
    assert capsys.readouterr().out == "empty: 5 files of the campaign kbp\n"
    before = {path: path.read_bytes() for path in _files(tmp_path)}
    for folder, said in (
        ("empty", "it already exists, choose a new or empty folder"),
        ("empty/gold.jsonl", "this is a file, a folder is needed"),
        ("no/demo", "its parent folder does not exist, create it first"),
    ):
        assert run(["demo", "--files", folder]) == 2
        assert said in capsys.readouterr().err
    assert {path: path.read_bytes() for path in _files(tmp_path)} == before


def test_the_folder_one_is_in(tmp_path, monkeypatch, capsys):
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "log").write_text("kept")
    monkeypatch.chdir(tmp_path / "here")
    assert run(["demo", "kbp", "--files", "."]) == 0
    assert capsys.readouterr() == (".: 5 files of the campaign kbp\n", "")
    found = sorted(path.name for path in (tmp_path / "here").iterdir())
    assert found == ["delta.tsv", "fjord.tsv", "geyser.jsonl", "gold.jsonl", "links.csv", "log"]
    assert run(["kbp", "score", "--gold", "gold.jsonl", "--wiki", "links.csv", "delta.tsv", "--quiet"]) == 0
    assert run(["demo", "--files", "."]) == 2
    assert "gold.jsonl: it already exists" in capsys.readouterr().err
    assert sorted(path.name for path in (tmp_path / "here").iterdir()) == found


def test_a_copy_that_fails_leaves_nothing(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(UsageError, match="cannot be written: No space left on device"):
        copy_campaign("coref", tmp_path / "demo")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("more", [("--report", "pages"), ("--format", "json"), ("-o", "x")])
def test_files_alone(more, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(["demo", "--files", "demo", *more]) == 2
    assert "cannot be combined" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
