"""Files that are read at once."""

from __future__ import annotations

import gzip

import pytest

from adjudge.errors import FormatError, UsageError
from adjudge.formats.json_file import read_folder_digest, read_json
from adjudge.formats.source import read_text, read_whole


def test_bytes_streams_and_files_are_the_same(tmp_path):
    plain, packed = tmp_path / "a.txt", tmp_path / "a.txt.gz"
    plain.write_bytes(b"caf\xc3\xa9\r\n")
    packed.write_bytes(gzip.compress(plain.read_bytes(), mtime=0))
    assert {read_whole(source).data for source in (plain, packed, str(plain), plain.read_bytes())} == {
        b"caf\xc3\xa9\r\n"
    }
    assert {read_text(source)[1] for source in (plain, packed)} == {"café\r\n"}
    assert read_whole(plain).digest == read_whole(packed).digest


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"ab\ncd\xff", "<bytes>:2:3: the byte 0xff is not UTF-8, save the file as UTF-8"),
        (gzip.compress(b"a" * 999, mtime=0)[:-9], "<bytes>: the compressed file ends too early"),
        (b"\xff", "<bytes>:1:1: the byte 0xff is not UTF-8"),
    ],
    ids=["second line", "cut", "first byte"],
)
def test_what_is_wrong_has_a_place(data, says):
    with pytest.raises(FormatError, match=says):
        read_text(data)


def test_broken_json_has_a_place():
    with pytest.raises(FormatError, match=r"<bytes>:2:3: malformed JSON \(expecting"):
        read_json(b'{"a":\n  }')
    with pytest.raises(FormatError, match="nested too deeply"):
        read_json(b"[" * 100_000 + b"]" * 100_000)


def test_a_folder_has_the_digest_of_its_files_and_their_names(tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.txt").write_text("a")
    assert read_folder_digest(tmp_path / "one") == read_folder_digest(tmp_path / "two")
    (tmp_path / "two" / "a.txt").rename(tmp_path / "two" / "b.txt")
    assert read_folder_digest(tmp_path / "one") != read_folder_digest(tmp_path / "two")
    with pytest.raises(UsageError, match="there is no such file"):
        read_folder_digest(tmp_path / "none")
