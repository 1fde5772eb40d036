"""Where output goes: checked before the work, files and whole folders written all or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import IO, TYPE_CHECKING

from adjudge import temporary
from adjudge.errors import Problem, UsageError, refusal

if TYPE_CHECKING:  # slow to load, and most results are only printed
    from pathlib import Path


def write_atomically(path: str | os.PathLike[str], data: bytes, *, sweep: bool = True) -> None:
    """Write `data` to a temporary file next to `path`, flush it to the disk, then rename it over `path`.

    A reader sees the old file or the new one, never half of one, and a failure leaves nothing behind; what a writer who
    was killed has left is removed, unless `sweep` is false because many files of one folder are written.

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_atomically(Path(folder) / "scores.json", b"{}")
    ...     sorted(p.name for p in Path(folder).iterdir())
    ['scores.json']
    """
    with replacing(path, sweep=sweep) as file:
        file.write(data)


@contextmanager
def replacing(path: str | os.PathLike[str], *, sweep: bool = True) -> Iterator[IO[bytes]]:
    """A file to write, which takes the place of `path` if the block ends without an error.

    What is not a file (a device, a pipe such as /dev/stdout) cannot be replaced and is written directly.
    """
    target = os.path.realpath(path)  # a symbolic link stays a link: what it points to is replaced
    if is_special(target):
        try:
            with open(target, "wb") as file:  # noqa: PTH123
                yield file
        except OSError as error:
            raise refused(path, f"cannot be written: {error.strerror or error}", "write elsewhere", error) from error
        return
    try:
        if sweep:
            temporary.sweep(target)
        name, handle = temporary.make_file(target)
    except (OSError, ValueError) as error:
        raise _failed(path, error) from None
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
            if temporary.can_hold():  # while it is held: somebody who sweeps would take a closed one for a left one
                os.replace(name, target)  # noqa: PTH105
        if not temporary.can_hold():
            os.replace(name, target)  # noqa: PTH105
    except BaseException as error:
        with suppress(OSError):
            os.unlink(name)  # noqa: PTH108
        if isinstance(error, OSError):
            raise _failed(path, error) from None
        raise


def is_special(path: str | os.PathLike[str]) -> bool:
    """Whether something is there that is neither a file nor a folder.

    >>> is_special("no/such/file"), is_special("."), is_special(os.devnull)
    (False, False, True)
    """
    return os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)  # noqa: PTH110, PTH112, PTH113


def _failed(path: str | os.PathLike[str], error: OSError | ValueError) -> UsageError:
    reason = getattr(error, "strerror", None) or str(error)
    hint = temporary.advice(error, "choose a file in a folder that exists and that you may write to")
    return refused(path, f"cannot be written: {reason}", hint, error)


def refused(
    path: str | os.PathLike[str], message: str, hint: str, error: OSError | ValueError | None = None
) -> UsageError:
    """The error that says why something is not written; `error` is what the operating system said, if it did."""
    problem = Problem(message, path=os.fspath(path), hint=hint)
    return UsageError(problem) if error is None else refusal(error, problem)


def write_whole(path: str | Path, content: str | bytes) -> None:
    """Write a file atomically."""
    if os.path.isdir(path):  # noqa: PTH112  # pathlib is slow to load
        raise refused(path, "this is a folder", "name a file in it")
    write_atomically(path, content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content)


def append_whole(path: str | Path, block: bytes) -> None:
    """Add a block to the end of a file, after an empty line if there is something before; all of it or nothing.

    The file keeps its place, because others may have it open and add to it as well.
    """
    is_new = not os.path.lexists(path)
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)
    try:
        temporary.hold(handle, wait=True)
        size = os.fstat(handle).st_size
        data = (b"\n" if size else b"") + block
        try:
            while data:  # all at once, but for a disk that is almost full
                data = data[os.write(handle, data) :]
        except BaseException:
            with suppress(OSError):
                os.ftruncate(handle, size)
                if is_new and not size:
                    os.unlink(path)  # noqa: PTH108  # pathlib is slow to load
            raise
    finally:
        os.close(handle)


def check_writable(path: str | Path, *, inputs: Iterable[str | Path] = ()) -> None:
    """Raise now if `path` cannot be written later or would overwrite an input, before any work is done for it."""
    try:
        reason = _why_not(path, inputs)
    except (OSError, ValueError) as error:  # a name that no file can have
        raise _failed(path, error) from None
    if reason is not None:
        raise refused(path, *reason)


def _why_not(path: str | Path, inputs: Iterable[str | Path]) -> tuple[str, str] | None:
    """Why a file cannot be written, and what to do about it."""
    from pathlib import Path

    target = Path(path)
    folder = target.resolve().parent
    if target.is_dir():
        return "this is a folder", "name a file in it"
    if not folder.is_dir():
        return "the folder of this file does not exist", "create it first"
    if not os.access(target if target.exists() else folder, os.W_OK):
        return "no permission to write the file", "check the permissions of the file and its folder"
    if any(target.exists() and Path(other).exists() and target.samefile(other) for other in inputs):
        return "this file is also an input", "choose another name for the output"
    return None


def write_folder(
    folder: str | Path, files: Mapping[str, bytes], *, inputs: Iterable[str | Path] = (), fresh: bool = False
) -> None:
    """Write files into a folder, which is made if it is not there; nothing is changed if any of them cannot be written.

    A file that has these bytes already is left alone, so a text may lie beside its annotations; any other file among
    the `inputs` is not overwritten, and with `fresh` none at all. Names may have folders in them (`runs/a.json`).

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as parent:
    ...     write_folder(Path(parent) / "out", {"a.ann": b"", "a.txt": b"He died"})
    ...     sorted(path.name for path in (Path(parent) / "out").iterdir())
    ['a.ann', 'a.txt']
    """
    from pathlib import Path

    target = Path(os.path.realpath(folder))
    if target.exists() and not target.is_dir():
        raise refused(folder, "this is a file, a folder is needed", "choose another name")
    if not target.parent.is_dir():
        raise refused(folder, "its parent folder does not exist", "create it first")
    for name in files:
        if {"", ".", ".."} & set(name.split("/")) or not {"\\", "\0"}.isdisjoint(name):
            raise refused(folder, f"{name!r} cannot be the name of a file in it", "rename the document")
    kept = {name: data for name, data in files.items() if fresh or not _is_same(target / name, data)}
    try:
        # What is there may be a disk of its own, into which nothing can be moved from beside it.
        place = target / target.name if target.exists() else target
        with temporary.guarded(place, wait=True):
            temporary.sweep(place)
            temporary.sweep(target)  # from when it was not there
            _check_free(target, kept, inputs, Path(folder) if fresh else None)
            _write_all(place, target, kept)
    except OSError as error:
        reason = error.strerror or str(error)
        raise refused(folder, f"cannot be written: {reason}", temporary.advice(error), error) from None


def _check_free(target: Path, files: Iterable[str], inputs: Iterable[str | Path], fresh: Path | None) -> None:
    """Raise if a file would take the place of something that it may not replace."""
    taken = {os.path.realpath(each) for each in inputs}
    for name in files:
        if os.path.realpath(target / name) in taken:
            raise refused(target / name, "this file is also an input", "choose another folder for the output")
        if fresh is None and (target / name).is_dir():
            raise refused(target / name, "this is a folder", "choose another folder for the output")
    if fresh is not None:
        there = [name for name in dict.fromkeys(name.split("/")[0] for name in files) if os.path.lexists(target / name)]
        if there:
            hint = "choose a new or empty folder"
            raise UsageError([Problem("it already exists", str(fresh / name), hint=hint) for name in there])


def _write_all(place: Path, target: Path, files: Mapping[str, bytes]) -> None:
    import shutil
    from pathlib import Path

    made, handle = temporary.make_folder(place)
    stage = Path(made)
    moved: list[Path] = []
    try:
        for name, data in files.items():
            (stage / name).parent.mkdir(parents=True, exist_ok=True)
            with (stage / name).open("xb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
        if not target.exists():
            stage.rename(target)
            return
        for name in files:
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            new = not os.path.lexists(target / name)
            (stage / name).replace(target / name)
            moved += [target / name] if new else []
    except OSError:
        for each in moved:
            temporary.remove(str(each))
        raise
    finally:
        shutil.rmtree(stage, ignore_errors=True)
        if handle is not None:
            os.close(handle)


def _is_same(path: Path, data: bytes) -> bool:
    try:
        return path.is_file() and path.stat().st_size == len(data) and path.read_bytes() == data
    except (OSError, ValueError):
        return False
