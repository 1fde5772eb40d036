"""The commands that look after the data of a server, as somebody types them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from adjudge.cli import run
from adjudge.serve.folder import Folder
from adjudge.serve.store import Store, sql
from serve.campaigns import fill, judge


@pytest.fixture
def autumn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    folder = Folder.create(tmp_path / "autumn")
    with Store.open(folder.path) as store:
        fill(store)
        store.write([judge("ann", "i1", {"aet": "C"}, "t1", 0)])
    return folder.path


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    code = run(["serve", *arguments])
    captured = capsys.readouterr()
    return code, captured.out + captured.err


def change(folder: Path, statement: str) -> None:
    connection = sql.connect(folder, None)
    connection.execute(statement)
    connection.close()


def test_a_folder_goes_into_a_backup_and_comes_back(autumn: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, "verify", "autumn") == (0, "autumn: 4 events in 2 streams, 0 files: everything is intact\n")
    assert said(capsys, "backup", "autumn", "-o", "saved") == (0, "saved: 4 events\n")
    assert said(capsys, "restore", "saved", "again") == (0, "again: 4 events\n")
    assert said(capsys, "verify", "again")[0] == 0
    assert Folder("again").secret == Folder("autumn").secret
    assert said(capsys, "restore", "saved", "again")[0] == 2
    assert said(capsys, "upgrade", "again") == (0, "again: up to date (version 2)\n")


def test_what_was_changed_is_found_and_made_again(autumn: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change(autumn, "UPDATE judgment SET answers = '{}'")
    code, text = said(capsys, "verify", "autumn")
    assert code == 1
    assert "autumn: table judgment: 1 row not as the events say, the first is autumn/i1/ann" in text
    code, text = said(capsys, "rebuild", "autumn")
    assert (code, text.strip().rpartition(": ")[2]) == (0, "judgment")
    assert said(capsys, "rebuild", "autumn")[1].strip().endswith("every table agreed with the events")
    assert said(capsys, "verify", "autumn")[0] == 0


def test_heads_that_were_noted_show_that_the_end_is_gone(autumn: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Store.open(autumn) as store, store.read() as snapshot:
        Path("manifest.json").write_text(json.dumps({"heads": snapshot.heads()}))
    assert said(capsys, "verify", "autumn", "--heads", "manifest.json")[0] == 0
    for statement in (
        "DROP TRIGGER event_delete",
        "DELETE FROM event WHERE seq = 4",
        "DELETE FROM stream WHERE id = 'c/autumn/d1/ann'",
        "DELETE FROM judgment",
        "DELETE FROM tally WHERE reader = 'ann'",
    ):
        change(autumn, statement)
    assert said(capsys, "verify", "autumn")[0] == 0
    code, text = said(capsys, "verify", "autumn", "--heads", "manifest.json")
    assert code == 1
    assert "stream c/autumn/d1/ann: there is no event 1 with the hash" in text
    Path("manifest.json").write_text("[]")
    assert said(capsys, "verify", "autumn", "--heads", "manifest.json")[0] == 1


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there is no /dev/zero")
def test_heads_have_an_end(autumn: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, text = said(capsys, "verify", "autumn", "--heads", "/dev/zero")
    assert code == 1
    assert "/dev/zero" in text


def test_a_folder_that_is_served_is_not_rebuilt_or_upgraded(autumn: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Store.open(autumn, server=True):
        for name in ("rebuild", "upgrade"):
            code, text = said(capsys, name, "autumn")
            assert code == 2
            assert "a server is running on it already" in text
        assert said(capsys, "verify", "autumn")[0] == 0
        assert said(capsys, "backup", "autumn", "-o", "saved")[0] == 0
