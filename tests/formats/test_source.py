"""Compressed files that are out of all proportion, damaged, or cut off."""

import gzip
import io
import os
import sys
import tracemalloc
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from adjudge.errors import AdjudgeError, FormatError
from adjudge.formats import source
from adjudge.formats.conll import read_conll
from adjudge.formats.json_file import read_json
from adjudge.formats.jsonl import read_documents
from adjudge.formats.kb_queries import read_queries
from adjudge.formats.source import RATIO, SMALL, opened, read_bytes, read_text, read_whole
from adjudge.formats.tbf import read_tbf

BOMB = 32 << 20
ROOM = 24 << 20  # a reader may ask for a block of 16 MiB at once
READERS: list[Callable[[bytes], object]] = [
    read_whole,
    read_text,
    read_json,
    lambda data: list(read_documents(data)),
    read_tbf,
    read_queries,
    lambda data: read_bytes(data, "f"),
    lambda data: list(read_conll(data)),
]


@cache
def squeezed(byte: bytes, size: int) -> bytes:
    made = io.BytesIO()
    with gzip.GzipFile(fileobj=made, mode="wb", mtime=0) as stream:
        for _ in range(size >> 20):
            stream.write(byte * (1 << 20))
    return made.getvalue()


@pytest.fixture
def strict(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "SMALL", 1 << 19)


@pytest.mark.usefixtures("strict")
@pytest.mark.parametrize("byte", [b"\0", b"x", b"["])
@pytest.mark.parametrize("read", READERS)
def test_a_bomb_is_refused_within_bounds(read: Callable[[bytes], object], byte: bytes) -> None:
    """Every reader stops, at the latest when it is too much, and holds no more than it may."""
    data = squeezed(byte, BOMB)
    assert len(data) < BOMB // 500
    tracemalloc.start()
    try:
        with pytest.raises(AdjudgeError):
            read(data)
        assert tracemalloc.get_traced_memory()[1] < ROOM
    finally:
        tracemalloc.stop()


@pytest.mark.usefixtures("strict")
def test_the_reason(tmp_path: Path) -> None:
    path = tmp_path / "bomb.gz"
    path.write_bytes(squeezed(b"\0", BOMB))
    with pytest.raises(FormatError) as caught:
        read_whole(path)
    expected = f"{path}: the compressed file unpacks to more than 200 times its size, check how it was made"
    assert str(caught.value).startswith(expected)
    with pytest.raises(FormatError, match="times its size"), opened(path, str(path)) as stream:
        stream.read()  # all at once


def test_the_bounds_leave_room_for_honest_files() -> None:
    assert (SMALL, RATIO) == (64 << 20, 200)
    assert len(read_whole(squeezed(b"x", 2 << 20)).data) == 2 << 20
    noise = os.urandom(1 << 16)
    assert read_whole(gzip.compress(noise)).data == noise
    assert read_whole(gzip.compress(b"a") + gzip.compress(b"b")).data == b"ab"


@pytest.mark.parametrize("at", [3, 11, -9, -4, -1])
def test_a_file_that_was_cut_off(at: int) -> None:
    data = gzip.compress(os.urandom(5000))
    with pytest.raises(FormatError, match="ends too early"):
        read_whole(data[:at])


def test_a_damaged_file() -> None:
    data = bytearray(gzip.compress(os.urandom(5000)))
    data[-6] ^= 1
    with pytest.raises(FormatError, match="the compressed file is damaged"):
        read_whole(bytes(data))


SKIPPED = (0x184D2A53).to_bytes(4, "little") + (5).to_bytes(4, "little") + b"12345"
FRAME = b"\x28\xb5\x2f\xfd"


@pytest.mark.usefixtures("strict")
def test_zstd() -> None:
    zstandard = pytest.importorskip("zstandard", reason="zstandard is an extra")
    compress = zstandard.ZstdCompressor().compress
    noise = os.urandom(300_000)
    assert read_whole(compress(noise)).data == noise
    several = compress(noise[:5]) + SKIPPED + compress(noise[5:])
    assert read_whole(several).data == noise
    for data in (compress(noise), several):
        for at in (5, 1000, -1):
            with pytest.raises(FormatError, match="ends too early"):
                read_whole(data[:at])
    with pytest.raises(FormatError, match="the compressed file is damaged"):
        read_whole(compress(noise) + b"more")
    with pytest.raises(FormatError, match="times its size"):
        read_whole(compress(bytes(BOMB)))
    line = b"#BeginOfDocument a\ns\ta\tE1\t4,8\tmade\tMovement\tActual\n#EndOfDocument\n"
    assert read_tbf(compress(line)) == read_tbf(line)


def test_zstd_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(FormatError, match="zstandard is not installed"):
        read_whole(FRAME)
