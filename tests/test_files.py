"""Files are written whole or not at all."""

import errno
import os
from pathlib import Path

import pytest

from adjudge import temporary
from adjudge.errors import UsageError
from adjudge.files import check_writable, write_whole


def names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def test_new_and_replaced_files(tmp_path) -> None:
    path = tmp_path / "out.txt"
    check_writable(path)
    assert not path.exists()
    write_whole(path, "é\n")
    assert path.read_bytes() == "é\n".encode()
    write_whole(str(path), b"\xff")
    assert path.read_bytes() == b"\xff"
    assert names(tmp_path) == ["out.txt"]


def test_a_link_stays_a_link(tmp_path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    write_whole(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


def test_devices_are_written_directly() -> None:
    check_writable("/dev/null")
    write_whole("/dev/null", "x")
    assert not Path("/dev/null").is_file()


@pytest.mark.parametrize("failing", [(os, "fsync"), (os, "replace")])
def test_a_full_disk_leaves_the_old_file(tmp_path, monkeypatch, failing) -> None:
    path = tmp_path / "out.txt"
    path.write_text("old")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(*failing, full)
    with pytest.raises(UsageError, match="No space left on device"):
        write_whole(path, "new")
    assert path.read_text() == "old"
    assert names(tmp_path) == ["out.txt"]


def test_another_writer_leaves_a_file_alone_that_is_about_to_get_its_name(tmp_path, monkeypatch) -> None:
    path, replace = tmp_path / "out.txt", os.replace

    def swept(*names: str) -> None:
        temporary.sweep(path)  # as somebody does who writes the same file
        replace(*names)

    monkeypatch.setattr(os, "replace", swept)
    write_whole(path, "new")
    assert path.read_text() == "new"


def test_places_where_nothing_can_be_written(tmp_path) -> None:
    for function in (check_writable, lambda path: write_whole(path, "")):
        with pytest.raises(UsageError) as caught:
            function(tmp_path)
        assert str(caught.value) == f"{tmp_path}: this is a folder, name a file in it"
    with pytest.raises(UsageError, match="the folder of this file does not exist, create it first"):
        check_writable(tmp_path / "no" / "out")
    with pytest.raises(UsageError, match="choose a file in a folder that exists"):
        write_whole(tmp_path / "no" / "out", "")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_no_permission(tmp_path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(UsageError, match="no permission to write the file"):
        check_writable(tmp_path / "out")
    tmp_path.chmod(0o700)


def test_an_input_is_never_overwritten(tmp_path) -> None:
    (tmp_path / "gold").write_text("x")
    (tmp_path / "link").symlink_to("gold")
    with pytest.raises(UsageError, match="this file is also an input"):
        check_writable(tmp_path / "link", inputs=["-", tmp_path / "gold"])
    check_writable(tmp_path / "other", inputs=["-", tmp_path / "gold"])
