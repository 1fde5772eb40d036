"""Zip archives: read with the standard library, after everything they say of themselves has been checked."""

from __future__ import annotations

import stat
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from struct import unpack_from
from typing import IO

from adjudge.errors import FormatError, Problem
from adjudge.formats.archive import (
    BLOCK,
    DAMAGED,
    ENTRIES_HINT,
    NAME_HINT,
    Archive,
    Budget,
    Entry,
    Limits,
    Refusals,
    Register,
    add_folders,
    store_file,
)

_LONG = 0xFFFFFFFF  # look for the size elsewhere
_ENTRY = 512  # bytes of an entry in the list at the end of a zip archive, much more than usual


def unpack_zip(path: Path, archive: Archive, limits: Limits) -> None:
    """Unpack a zip archive; every reason to refuse it is raised."""
    refusals = Refusals(archive.place)
    if _directory_size(path) > limits.entries * _ENTRY:  # before the list of entries is in memory
        refusals.add("entries", f"the archive has more than {limits.entries} entries", ENTRIES_HINT)
        refusals.check()
    try:
        with zipfile.ZipFile(path) as packed:
            register = Register(refusals, limits)
            wanted = []
            total = 0
            for info in packed.infolist():
                name = register.admit(_zip_entry(info))
                if name is not None:
                    total += info.file_size
                    wanted.append((name, info))
            refusals.check()
            budget = Budget(archive.place, path.stat().st_size, limits)
            budget.check(total)  # what the archive says of itself; what comes out is counted, too
            for name, info in wanted:
                if info.is_dir():
                    archive.entries[name] = None
                else:
                    with packed.open(info) as stream:
                        store_file(_blocks(stream), archive, name, budget, limits.entry)
            add_folders(archive, register)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        message = f"the archive is damaged ({error})"
        raise FormatError(Problem(message, path=archive.place, hint=DAMAGED)) from None
    except UnicodeDecodeError:
        message = "an entry has a name that is not UTF-8 although the archive says so"
        raise FormatError(Problem(message, path=archive.place, hint=NAME_HINT)) from None
    except (ValueError, IndexError, OverflowError) as error:  # numbers in headers that make no sense
        message = f"the archive is damaged ({error})"
        raise FormatError(Problem(message, path=archive.place, hint=DAMAGED)) from None


def _directory_size(path: Path) -> int:
    """How long the list of entries at the end of a zip archive is; 0 if there is none, then it is damaged."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - (1 << 16) - 200))
        tail = file.read()
    at = tail.rfind(b"PK\5\6")
    if at < 0 or at + 16 > len(tail):
        return 0
    size: int = unpack_from("<I", tail, at + 12)[0]
    # A record with 64 bits is believed wherever there is one, whatever the other says.
    at = tail.rfind(b"PK\6\6")
    long: int = unpack_from("<Q", tail, at + 40)[0] if 0 <= at <= len(tail) - 48 else 0
    return long if size == _LONG else max(size, long)


def _zip_entry(info: zipfile.ZipInfo) -> Entry:
    name = info.orig_filename  # `filename` is cut at a null character
    if not info.flag_bits & 0x800 and not name.isascii():
        # Not marked as UTF-8, so zipfile has read it in the encoding of DOS; many programs forget the mark.
        try:
            name = name.encode("cp437").decode("utf-8")
        except UnicodeError:
            return Entry(name, False, 0, "has a name in an unknown encoding", "pack it with names in UTF-8")
    kind = stat.S_IFMT(info.external_attr >> 16)
    is_folder = info.is_dir() or kind == stat.S_IFDIR
    refused, hint = None, ""
    if kind and kind not in (stat.S_IFREG, stat.S_IFDIR):
        refused = _special(kind)
    elif info.flag_bits & 0x1:
        refused, hint = "is encrypted", "pack it without a password"
    elif info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        refused, hint = f"is compressed by method {info.compress_type}", "use the usual one (deflate)"
    return Entry(name, is_folder, info.file_size, refused, hint)


def _special(kind: int) -> str:
    names = {
        stat.S_IFLNK: "is a symbolic link",
        stat.S_IFIFO: "is a pipe",
        stat.S_IFCHR: "is a device",
        stat.S_IFBLK: "is a device",
        stat.S_IFSOCK: "is a socket",
    }
    return names.get(kind, "is neither a file nor a folder")


def _blocks(stream: IO[bytes]) -> Iterator[bytes]:
    while block := stream.read(BLOCK):
        yield block
