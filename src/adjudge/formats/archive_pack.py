"""Folders packed into archives."""

from __future__ import annotations

import gzip
import io
import stat
import tarfile
import zipfile
from pathlib import Path


def pack(folder: Path, path: Path, *, zipped: bool) -> None:
    """Pack a folder into a new archive; the bytes depend on names and contents alone."""
    names = sorted(each.relative_to(folder).as_posix() + ("/" if each.is_dir() else "") for each in folder.rglob("*"))
    if zipped:
        with zipfile.ZipFile(path, "x", zipfile.ZIP_DEFLATED) as packed:
            for name in names:
                info = zipfile.ZipInfo(name)  # of 1980, as old as can be
                is_folder = name.endswith("/")
                info.external_attr = ((stat.S_IFDIR | 0o755) if is_folder else (stat.S_IFREG | 0o644)) << 16
                info.create_system = 3
                info.compress_type = zipfile.ZIP_STORED if is_folder else zipfile.ZIP_DEFLATED
                packed.writestr(info, b"" if is_folder else (folder / name).read_bytes())
        return
    with (
        path.open("xb") as raw,
        gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as squeezed,
        tarfile.open(fileobj=squeezed, mode="w", format=tarfile.PAX_FORMAT) as tar,
    ):
        for name in names:
            member = tarfile.TarInfo(name.rstrip("/"))
            if name.endswith("/"):
                member.type, member.mode = tarfile.DIRTYPE, 0o755
                tar.addfile(member)
            else:
                data = (folder / name).read_bytes()
                member.size, member.mode = len(data), 0o644
                tar.addfile(member, io.BytesIO(data))
