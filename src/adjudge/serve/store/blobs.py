"""Files named by the SHA-256 of their content, on the disk before anybody can know of them."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

_PART = 1 << 20


def blob_path(folder: Path, sha256: str) -> Path:
    """The path of a blob.

    >>> blob_path(Path("autumn"), "0be1" + "0" * 60).as_posix()[:20]
    'autumn/blobs/0b/e100'
    """
    if len(sha256) != 64 or set(sha256) - set("0123456789abcdef"):
        raise ValueError(f"not a SHA-256: {sha256!r}")
    return folder / "blobs" / sha256[:2] / sha256[2:]


class BlobWriter:
    """A blob on its way: parts are written as they come, and `commit` gives it its name; nothing of it stays else."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        place = folder / "blobs"
        place.mkdir(parents=True, exist_ok=True)
        self._digest, self.size = hashlib.sha256(), 0
        handle, name = tempfile.mkstemp(prefix=".part-", dir=place)
        self._name, self._file = Path(name), os.fdopen(handle, "wb")

    def write(self, part: bytes) -> None:
        """Some more."""
        self._digest.update(part)
        self.size += len(part)
        self._file.write(part)

    def commit(self) -> str:
        """Bring it to the disk, then under its name: its SHA-256."""
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        sha256 = self._digest.hexdigest()
        target = blob_path(self._folder, sha256)
        target.parent.mkdir(exist_ok=True)
        self._name.replace(target)
        sync_folder(target.parent)
        sync_folder(target.parent.parent)
        return sha256

    def __enter__(self) -> BlobWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
        self._name.unlink(missing_ok=True)


def write_blob(folder: Path, parts: Iterable[bytes]) -> tuple[str, int]:
    """Write a blob. Gives its SHA-256 and size."""
    with BlobWriter(folder) as blob:
        for part in parts:
            blob.write(part)
        return blob.commit(), blob.size


def sync_folder(folder: Path) -> None:
    """Names in a folder are on the disk when this returns."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def read_blob(folder: Path, sha256: str) -> Iterator[bytes]:
    """The parts of a blob."""
    with blob_path(folder, sha256).open("rb") as file:
        while part := file.read(_PART):
            yield part


def is_whole(folder: Path, sha256: str, size: int) -> bool:
    """Whether a blob is there and is what its name says."""
    path = blob_path(folder, sha256)
    if not path.is_file() or path.stat().st_size != size:
        return False
    digest = hashlib.sha256()
    for part in read_blob(folder, sha256):
        digest.update(part)
    return digest.hexdigest() == sha256
