"""Files are written whole or not at all."""

import errno
import os
from pathlib import Path

import pytest

from adjudge.errors import UsageError
from adjudge.report.files import check_writable, write_atomic


def names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def test_new_and_replaced_files(tmp_path) -> None:
    path = tmp_path / "out.txt"
    check_writable(path)
    assert not path.exists()
    write_atomic(path, "é\n")
    assert path.read_bytes() == "é\n".encode()
    write_atomic(str(path), b"\xff")
    assert path.read_bytes() == b"\xff"
    assert names(tmp_path) == ["out.txt"]


def test_a_link_stays_a_link(tmp_path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    write_atomic(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


def test_devices_are_written_directly() -> None:
    check_writable("/dev/null")
    write_atomic("/dev/null", "x")
    assert not Path("/dev/null").is_file()


@pytest.mark.parametrize("failing", [(os, "fsync"), (Path, "replace")])
def test_a_full_disk_leaves_the_old_file(tmp_path, monkeypatch, failing) -> None:
    path = tmp_path / "out.txt"
    path.write_text("old")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(*failing, full)
    with pytest.raises(UsageError, match="No space left on device"):
        write_atomic(path, "new")
    assert path.read_text() == "old"
    assert names(tmp_path) == ["out.txt"]


def test_places_where_nothing_can_be_written(tmp_path) -> None:
    for function in (check_writable, lambda path: write_atomic(path, "")):
        with pytest.raises(UsageError) as caught:
            function(tmp_path)
        assert str(caught.value) == f"{tmp_path}: this is a folder, name a file in it"
    with pytest.raises(UsageError, match="the folder of this file does not exist, create it first"):
        check_writable(tmp_path / "no" / "out")
    with pytest.raises(UsageError, match="choose a file in a folder that exists"):
        write_atomic(tmp_path / "no" / "out", "")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_no_permission(tmp_path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(UsageError, match="the file may not be written"):
        check_writable(tmp_path / "out")
    tmp_path.chmod(0o700)


def test_an_input_is_never_overwritten(tmp_path) -> None:
    (tmp_path / "gold").write_text("x")
    (tmp_path / "link").symlink_to("gold")
    with pytest.raises(UsageError, match="this file is also an input"):
        check_writable(tmp_path / "link", inputs=["-", tmp_path / "gold"])
    check_writable(tmp_path / "other", inputs=["-", tmp_path / "gold"])
