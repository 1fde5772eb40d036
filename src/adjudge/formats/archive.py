"""Untrusted archives: .zip, .tar.gz and .tgz, unpacked safely.

Nothing in an archive decides where a byte is written: files are unpacked under numbers into a new folder, and their
names are only looked up. A name that would lead elsewhere is refused all the same, because no honest submission has
one. The whole archive is checked before anything is unpacked, and again while it is: links, devices, ambiguous names,
too many entries, and data that grows without end are refused.
"""

from __future__ import annotations

import os
import stat
import unicodedata
from collections.abc import Iterable
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, NamedTuple, Self
from weakref import finalize

from adjudge import temporary
from adjudge.errors import FormatError, Problem, UsageError, refusal, visible
from adjudge.findings import Findings
from adjudge.formats.archive_end import read_end

if TYPE_CHECKING:
    import zipfile

BLOCK = 1 << 16
SUFFIXES = (".zip", ".tar.gz", ".tgz")

MANY = 20  # complaints of one kind
_WORK = "adjudge-unpacked"
_ENTRY = 512  # bytes of an entry in the list at the end of a zip archive, much more than usual


_SPECIAL = {
    stat.S_IFLNK: "is a symbolic link",
    stat.S_IFIFO: "is a pipe",
    stat.S_IFCHR: "is a device",
    stat.S_IFBLK: "is a device",
    stat.S_IFSOCK: "is a socket",
}


class Limits(NamedTuple):
    """How large an archive may be once unpacked; `ratio` holds for archives that unpack to more than `small` bytes."""

    entries: int = 20_000
    total: int = 2 << 30
    entry: int = 256 << 20
    ratio: int = 200
    small: int = 16 << 20
    name: int = 1024  # bytes
    depth: int = 8


class Archive:
    """The files of an archive; `entries` gives the path of each, None for a folder.

    They are removed when the archive is closed or no longer needed.
    """

    def __init__(self, place: str, folder: Path, handle: int | None = None) -> None:
        self.place = place
        self.folder = folder
        self.entries: dict[str, Path | None] = {}
        self._close = finalize(self, _remove, folder, handle)

    def read(self, name: str) -> bytes:
        """The bytes of a file."""
        path = self.entries[name]
        assert path is not None, f"{name} is a folder"
        return path.read_bytes()

    def close(self) -> None:
        """Remove what was unpacked."""
        self._close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Entry(NamedTuple):
    """A file or folder of an archive whose name is not yet checked."""

    name: str
    is_folder: bool
    size: int
    refused: str | None = None  # why it is refused, whatever its name
    hint: str = ""


def open_archive(path: str | Path, *, limits: Limits | None = None, work: Path | None = None) -> Archive:
    """Unpack an archive into a new folder (in `work`, else where temporary files are), or say why not.

    >>> import io, tempfile, zipfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     bad = Path(place) / "bad.zip"
    ...     with zipfile.ZipFile(bad, "w") as file:
    ...         file.writestr("../up", "x")
    ...     try:
    ...         open_archive(bad)
    ...     except FormatError as error:
    ...         print(error.problems[0].message)
    the entry '../up' leads out of the archive
    """
    place = str(path)
    zipped = _kind(Path(path), place) == "zip"
    limits = limits or Limits()
    try:
        archive = Archive(place, *_work_folder(work))
    except OSError as error:
        reason = error.strerror or str(error)
        raise refusal(error, Problem(f"there is no folder to unpack to: {reason}", path=place)) from None
    try:
        if zipped:
            _unpack_zip(Path(path), archive, limits)
        else:
            from adjudge.formats.archive_tar import unpack_tar

            unpack_tar(Path(path), archive, limits)
    except OSError as error:
        archive.close()
        reason = error.strerror or str(error)
        hint = temporary.advice(error, "check the folder of temporary files")
        raise refusal(error, Problem(f"the archive cannot be unpacked: {reason}", path=place, hint=hint)) from None
    except BaseException:
        archive.close()
        raise
    return archive


def _work_folder(work: Path | None) -> tuple[Path, int | None]:
    """A new private folder; those left behind by killed processes are removed first.

    It is in use as long as its handle is open.
    """
    import tempfile

    parent = tempfile.gettempdir() if work is None else str(work)
    temporary.sweep(Path(parent, _WORK))
    name, handle = temporary.make_folder(Path(parent, _WORK), mode=0o700)
    return Path(name), handle


def _remove(folder: Path, handle: int | None) -> None:
    temporary.remove(str(folder))
    if handle is not None:
        with suppress(OSError):
            os.close(handle)


def clean_name(name: str, limits: Limits) -> tuple[str, str | None]:
    r"""A name without `./` and redundant slashes, and why it is refused, if it is.

    >>> clean_name("./arguments//DOC1", Limits()), clean_name("a\\b", Limits())[1]
    (('arguments/DOC1', None), 'has a backslash in its name')
    """
    if any(0xD800 <= ord(letter) < 0xE000 for letter in name):
        return name, "has a name that is not UTF-8"
    if any(unicodedata.category(letter) in ("Cc", "Zl", "Zp") for letter in name):
        return name, "has control characters in its name"
    if len(name.encode()) > limits.name:
        return name, f"has a name of more than {limits.name} bytes"
    if "\\" in name:
        return name, "has a backslash in its name"
    if name.startswith("/"):
        return name, "has an absolute name"
    if name[1:2] == ":" and name[0].isalpha():
        return name, "has a name with a drive letter"
    parts = [part for part in name.split("/") if part not in ("", ".")]
    if ".." in parts:
        return name, "leads out of the archive"
    if len(parts) > limits.depth:
        return name, f"is more than {limits.depth} folders deep"
    if any(part.strip() != part for part in parts):
        return name, "has blanks at an end of its name"
    return "/".join(parts), None


class Register:
    """Registers the names of an archive, and refuses ambiguous ones."""

    def __init__(self, refusals: Findings, limits: Limits) -> None:
        self.names: dict[str, bool] = {}  # whether each is a folder
        self._refusals = refusals
        self._limits = limits
        self._folded: dict[str, str] = {}
        self._count = 0

    def admit(self, entry: Entry) -> str | None:
        """The clean name of an entry, or None if it is refused or is the root folder."""
        refuse = self._refusals.add
        self._count += 1
        if self._count > self._limits.entries:
            message = f"the archive has more than {self._limits.entries} entries"
            refuse("entries", message, None, None, ENTRIES_HINT)
            self._refusals.finish()
        name, reason = clean_name(entry.name, self._limits)
        shown = quote(entry.name)
        if reason is not None:
            refuse("name", f"the entry {shown} {reason}", None, None, NAME_HINT)
            return None
        if entry.refused is not None:
            refuse("kind", f"the entry {shown} {entry.refused}", None, None, entry.hint or _KIND_HINT)
            return None
        if not name:
            if not entry.is_folder:
                refuse("name", f"the entry {shown} has no name", None, None, NAME_HINT)
            return None
        if entry.size > self._limits.entry:
            refuse("size", f"the entry {shown} is larger than {_size(self._limits.entry)}", None, None, _SIZE_HINT)
            return None
        return self._file_as(name, entry.is_folder, shown)

    def _file_as(self, name: str, is_folder: bool, shown: str) -> str | None:
        refuse = self._refusals.add
        parts = name.split("/")
        for end in range(1, len(parts) + 1):
            part, last = "/".join(parts[:end]), end == len(parts)
            folded = unicodedata.normalize("NFC", part).casefold()
            known = self._folded.setdefault(folded, part)
            if known != part:
                message = f"the entries {quote(known)} and {shown} have the same name on many systems"
                refuse("alike", message, None, None, "rename one of them")
                return None
            here = is_folder or not last
            if part not in self.names:
                self.names[part] = here
            elif self.names[part] != here:
                refuse(
                    "alike", f"the entry {quote(part)} is both a file and a folder", None, None, "rename one of them"
                )
                return None
            elif last and not is_folder:
                refuse("twice", f"the entry {shown} occurs twice", None, None, "pack each file once")
                return None
        return name


class Budget:
    """Counts unpacked bytes, and stops before there are too many."""

    def __init__(self, place: str, packed: int, limits: Limits) -> None:
        self._place = place
        self._packed = max(packed, 1)
        self._limits = limits
        self._used = 0

    def spend(self, count: int) -> None:
        """Count bytes before they are written."""
        self._used += count
        self.check(self._used)

    def check(self, total: int) -> None:
        """Refuse an archive that unpacks to so many bytes."""
        if total > self._limits.total:
            message = f"the archive unpacks to more than {_size(self._limits.total)}"
        elif total > self._limits.small and total > self._limits.ratio * self._packed:
            message = f"the archive unpacks to more than {self._limits.ratio} times its size"
        else:
            return
        raise FormatError(Problem(message, path=self._place, hint=_SIZE_HINT))


def store_file(stream: Iterable[bytes], archive: Archive, name: str, budget: Budget, limit: int) -> None:
    """Write a file under a number, within the limits."""
    path = archive.folder / str(len(archive.entries))
    size = 0
    with path.open("xb") as file:
        for block in stream:
            size += len(block)
            if size > limit:
                message = f"the entry {quote(name)} is larger than {_size(limit)}"
                raise FormatError(Problem(message, path=archive.place, hint=_SIZE_HINT))
            budget.spend(len(block))
            file.write(block)
    archive.entries[name] = path


def add_folders(archive: Archive, register: Register) -> None:
    """Add the folders that have no entry of their own."""
    for name, is_folder in register.names.items():
        if is_folder:
            archive.entries.setdefault(name, None)


def quote(name: str) -> str:
    """A name for messages: no longer than a line, without control sequences."""
    return repr(visible(name if len(name) < 80 else f"{name[:60]}...{name[-15:]}"))


ENTRIES_HINT = "pack one file per document in each folder, and nothing else"
NAME_HINT = "use names such as arguments/DOCUMENT"
_KIND_HINT = "pack regular files and folders only"
_SIZE_HINT = "a submission is never so large; check how it was made"
DAMAGED = "pack or copy it again"


def _kind(path: Path, place: str) -> str:
    """Zip or tar, by the first bytes; the name must agree."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # a pipe would block
            raise UsageError(Problem("this is not a regular file", path=place, hint="give an archive"))
        with path.open("rb") as file:
            head = file.read(4)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        problem = Problem(f"the archive cannot be read: {reason}", path=place, hint="check the path")
        raise refusal(error, problem) from None
    kind = "zip" if head[:2] == b"PK" else "tar" if head[:2] == b"\x1f\x8b" else None
    if kind is None:
        what = "the file is empty" if not head else "this is neither a .zip nor a .tar.gz archive"
        raise FormatError(Problem(what, path=place, hint="pack arguments/ and linking/ with zip -r or tar czf"))
    said = "zip" if path.name.lower().endswith(".zip") else "tar"
    if not path.name.lower().endswith(SUFFIXES) or said != kind:
        right = ".zip" if kind == "zip" else ".tar.gz"
        message = f"the name does not say that this is a {right} archive"
        raise FormatError(Problem(message, path=place, hint=f"rename it so that it ends with {right}"))
    return kind


def _size(count: int) -> str:
    return f"{count >> 20} MiB" if count >= 1 << 20 else f"{count} bytes"


def _unpack_zip(path: Path, archive: Archive, limits: Limits) -> None:
    """Unpack a zip archive; all reasons to refuse it are raised."""
    import zipfile
    import zlib

    nonsense = (ValueError, IndexError, OverflowError)  # numbers in headers
    broken = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, *nonsense)
    refusals = Findings(archive.place, limit=MANY)
    end = read_end(path)  # if there is none, the archive is damaged
    if end is not None and end.size > limits.entries * _ENTRY:  # before the list of entries is in memory
        refusals.add("entries", f"the archive has more than {limits.entries} entries", None, None, ENTRIES_HINT)
        refusals.finish()
    if end is not None and end.lie is not None:
        raise FormatError(Problem(f"the archive is damaged or forged: {end.lie}", path=archive.place, hint=DAMAGED))
    try:
        with zipfile.ZipFile(path) as packed:
            register = Register(refusals, limits)
            wanted = []
            total = 0
            if end is not None and end.entries != len(packed.infolist()):
                lie = f"its end says that there are {end.entries} entries, and it lists {len(packed.infolist())}"
                message = f"the archive is damaged or forged: {lie}"
                raise FormatError(Problem(message, path=archive.place, hint=DAMAGED))
            for info in packed.infolist():
                name = register.admit(_zip_entry(info))
                if name is not None:
                    total += info.file_size
                    wanted.append((name, info))
            refusals.finish()
            budget = Budget(archive.place, path.stat().st_size, limits)
            budget.check(total)  # the declared size; the real one is counted, too
            for name, info in wanted:
                if info.is_dir():
                    archive.entries[name] = None
                else:
                    with packed.open(info) as stream:
                        blocks = iter(partial(stream.read, BLOCK), b"")
                        store_file(blocks, archive, name, budget, limits.entry)
            add_folders(archive, register)
    except UnicodeDecodeError:
        message = "an entry has a name that is not UTF-8 although the archive says so"
        raise FormatError(Problem(message, path=archive.place, hint=NAME_HINT)) from None
    except broken as error:
        message = f"the archive is damaged ({error})"
        raise FormatError(Problem(message, path=archive.place, hint=DAMAGED)) from None


def _zip_entry(info: zipfile.ZipInfo) -> Entry:
    import zipfile

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
        refused = _SPECIAL.get(kind, "is neither a file nor a folder")
    elif info.volume not in (0, 0xFFFF):  # the second means that the number is elsewhere
        refused, hint = "is said to be on another disk", "pack all of it into one archive"
    elif info.flag_bits & 0x1:
        refused, hint = "is encrypted", "pack it without a password"
    elif info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        refused, hint = f"is compressed by method {info.compress_type}", "use the usual one (deflate)"
    return Entry(name, is_folder, info.file_size, refused, hint)


def pack(folder: Path, path: Path, *, zipped: bool) -> None:
    """Pack a folder into a new archive; the bytes depend on names and contents alone."""
    import gzip
    import io
    import tarfile
    import zipfile

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
