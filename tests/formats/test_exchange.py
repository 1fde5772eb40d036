"""Names that change places."""

import sys

import pytest

from adjudge.formats.eal_write import exchange


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux can do it")
def test_folders_and_files_change_places(tmp_path):
    one, other = tmp_path / "öne", tmp_path / "other"
    one.mkdir()
    (one / "inside").touch()
    other.write_bytes(b"text")
    if not exchange(one, other):
        pytest.skip("not on this file system")
    assert one.read_bytes() == b"text"
    assert [path.name for path in other.iterdir()] == ["inside"]


def test_if_it_cannot_be_done_nothing_changes(tmp_path, monkeypatch):
    one, other = tmp_path / "one", tmp_path / "other"
    one.touch()
    assert not exchange(one, other)
    assert not exchange(other, one)
    assert [path.name for path in tmp_path.iterdir()] == ["one"]
    other.mkdir()
    monkeypatch.setattr("sys.platform", "darwin")
    assert not exchange(one, other)
    assert one.is_file()


def test_a_library_without_it(tmp_path, monkeypatch):
    monkeypatch.setattr("ctypes.CDLL", lambda name: object())
    assert not exchange(tmp_path / "one", tmp_path / "other")
