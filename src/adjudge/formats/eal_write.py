"""Writers of stores. A store appears atomically: it is made in a hidden folder beside and then renamed.

Whatever happens in between, the old store is as it was. With `overwrite` the old and the new one change places in one
step, and only then the old one is removed; where the system cannot do that, the old one is first put aside under a
hidden name. Without `overwrite` nothing is replaced, not even what appears while the store is written. What a writer
who was killed has left beside it is removed by the next one, and one writer at a time is at work.
"""

from __future__ import annotations

import os
import shutil
import sys
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from adjudge import temporary
from adjudge.errors import EnvironmentFault, Problem, UsageError, ValidationError, refusal
from adjudge.files import is_special
from adjudge.formats.eal_arguments import Ids, write_named
from adjudge.formats.eal_assessments import write_key
from adjudge.formats.eal_linking import LinkingLayout, write_linking
from adjudge.model.eal import AnswerKey, Arguments, Linking

PACKED = (".zip", ".tar.gz", ".tgz")


class FolderWriter:
    """Files that become visible together when the block ends without an error.

    With `again` it is not an error if just these files are there already.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     with FolderWriter(Path(place) / "new") as writer:
    ...         writer.put("a/b", b"text")
    ...         seen = (Path(place) / "new").exists()
    ...     seen, (Path(place) / "new" / "a" / "b").read_bytes(), len(list(Path(place).iterdir()))
    (False, b'text', 1)
    """

    parts: tuple[str, ...] = ()
    """The folders that may be in what is overwritten."""

    def __init__(
        self, path: str | os.PathLike[str], *, overwrite: bool = False, durable: bool = False, again: bool = False
    ) -> None:
        self.path = Path(path).resolve()  # a later change of folder must not matter
        self._shown = os.fspath(path)
        self._overwrite = overwrite
        self._durable = durable
        self._again = again
        self._folder: Path | None = None
        self._sealed: Path | None = None
        self._held = ExitStack()
        self._known: set[Path] = set()

    @property
    def packed(self) -> bool:
        """Whether an archive is written."""
        return self.path.name.endswith(PACKED)

    def __enter__(self) -> Self:
        with ExitStack() as held:
            try:
                if not held.enter_context(temporary.guarded(self.path)):
                    raise self._busy()
                temporary.sweep(self.path)
                self._check_kind()
                may_be_there = self._overwrite or self._again or _is_empty_folder(self.path)
                if not may_be_there and os.path.lexists(self.path):
                    raise self._taken()
                name, handle = temporary.make_folder(self.path)
            except OSError as error:
                raise self._failed(error) from None
            if handle is not None:
                held.callback(os.close, handle)
            self._folder = Path(name)
            self._held = held.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._folder is not None
        folder, self._folder = self._folder, None
        try:
            if kind is None:
                self._publish(folder)
        except OSError as failure:
            raise self._failed(failure) from None
        finally:
            shutil.rmtree(folder, ignore_errors=True)
            if self._sealed is not None:
                with suppress(OSError):
                    self._sealed.unlink(missing_ok=True)
            self._held.close()

    def folder(self, name: str) -> None:
        """Make a folder, also if nothing will be in it."""
        assert self._folder is not None, "use the writer in a with block"
        try:
            (self._folder / name).mkdir(exist_ok=True)
        except OSError as error:
            raise self._failed(error) from None

    def put(self, name: str, data: bytes) -> None:
        """Write a file; its folder is made if needed."""
        assert self._folder is not None, "use the writer in a with block"
        if any(part in ("", ".", "..") for part in name.split("/")) or "\\" in name or "\0" in name:
            hint = "rename the document"
            raise ValidationError(Problem(f"{name!r} cannot be the name of a file in it", path=self._shown, hint=hint))
        path = self._folder / name
        try:
            if path.parent not in self._known:
                path.parent.mkdir(parents=True, exist_ok=True)
                self._known.add(path.parent)
            with path.open("xb") as file:
                file.write(data)
                if self._durable:
                    file.flush()
                    os.fsync(file.fileno())
        except FileExistsError:
            raise UsageError(Problem(f"{name} was written twice", path=self._shown)) from None
        except (OSError, ValueError) as error:
            raise self._failed(error) from None

    def seal(self) -> None:
        """Pack what was written, if it is to be packed: afterwards there is nothing left that takes room on the disk.

        For whoever makes something else visible before the store; it happens by itself in the end.
        """
        assert self._folder is not None, "use the writer in a with block"
        if self.packed and self._sealed is None:
            try:
                self._sealed = self._pack(self._folder)
            except OSError as error:
                raise self._failed(error) from None

    def _pack(self, folder: Path) -> Path:
        from adjudge.formats.archive import pack

        made = folder.with_name(f"{folder.name}{temporary.PACKED}")
        try:
            pack(folder, made, zipped=self.path.name.endswith(".zip"))
        except BaseException:
            with suppress(OSError):
                made.unlink(missing_ok=True)
            raise
        return made

    def _publish(self, folder: Path) -> None:
        if self.packed:
            self._publish_archive(folder)
        elif not os.path.lexists(self.path) or _is_empty_folder(self.path):
            if self.path.is_dir():
                self.path.rmdir()
            folder.rename(self.path)
        elif not self._overwrite:
            if not (self._again and _content(folder) == _content(self.path)):
                raise self._taken()
        elif exchange(folder, self.path):
            if not folder.is_dir():
                folder.unlink()
        else:
            self._put_aside(folder)

    def _put_aside(self, folder: Path) -> None:
        old = folder.with_name(f"{folder.name}{temporary.OLD}")
        self.path.rename(old)
        try:
            folder.rename(self.path)
        except BaseException:
            old.rename(self.path)
            raise
        if old.is_dir():
            shutil.rmtree(old, ignore_errors=True)
        else:
            old.unlink(missing_ok=True)

    def _publish_archive(self, folder: Path) -> None:
        made = self._sealed or self._pack(folder)
        try:
            if self._overwrite:
                made.replace(self.path)
                return
            try:
                os.link(made, self.path)  # unlike renaming, it never replaces anything
            except OSError:
                if os.path.lexists(self.path):
                    if self._again and self.path.is_file() and self.path.read_bytes() == made.read_bytes():
                        return
                    raise self._taken() from None
                made.rename(self.path)  # a file system without links
        finally:
            with suppress(OSError):
                made.unlink(missing_ok=True)

    def _check_kind(self) -> None:
        """Raise if there is something that is never replaced: no file or folder, the work around us, or not a store."""
        message = None
        if is_special(self.path):
            message = "this is neither a file nor a folder"
        elif self.path in (here := Path.cwd(), *here.parents):
            message = "this is the folder in which you are, or one around it"
        elif self._overwrite and self.path.is_dir():
            others = sorted(each.name for each in self.path.iterdir() if each.is_dir() and each.name not in self.parts)
            message = f"this is no such store: there are folders in it ({', '.join(others[:3])})" if others else None
        if message is not None:
            raise UsageError(Problem(message, path=self._shown, hint="choose another name for what is to be written"))

    def _taken(self) -> UsageError:
        hint = "choose another name, or allow overwriting"
        return UsageError(Problem("it already exists", path=self._shown, hint=hint))

    def _busy(self) -> UsageError:
        message = "another program is writing to it at this moment"
        return EnvironmentFault(Problem(message, path=self._shown, hint="wait until it is finished"))

    def _failed(self, error: OSError | ValueError) -> UsageError:
        reason = getattr(error, "strerror", None) or str(error)
        problem = Problem(f"cannot be written: {reason}", path=self._shown, hint=temporary.advice(error))
        return refusal(error, problem)


class StoreWriter(FolderWriter):
    """Writes a store of responses: `arguments/`, and `linking/` if frames are given, as a folder or an archive.

    `ids` decides the first column and the ids of the linking: content hashes ("sha1", "2014") or those read ("keep").
    With `linking=False` the store has no frames, whatever is given.
    """

    parts = ("arguments", "linking")

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        ids: Ids = "sha1",
        linking: bool = True,
        layout: LinkingLayout = "2015",
        separator: str = "\t",
        overwrite: bool = False,
    ) -> None:
        super().__init__(path, overwrite=overwrite)
        self._ids = ids
        self._linking = linking
        self._layout: LinkingLayout = layout
        self._separator = separator

    def __enter__(self) -> Self:
        super().__enter__()
        try:
            self.folder("arguments")
            if self._linking:
                self.folder("linking")
        except BaseException as error:
            self.__exit__(type(error), error, None)
            raise
        return self

    def write(self, arguments: Arguments, linking: Linking | None = None) -> None:
        """Write a document."""
        document = _document_name(arguments.document)
        data, ids = write_named(arguments, self._ids)
        self.put(f"arguments/{document}", data)
        if linking is None or not self._linking:
            return
        if linking.document != arguments.document:
            message = f"the frames are of {linking.document!r}, the responses of {arguments.document!r}"
            raise ValidationError(message)
        names = {argument.response: id_ for argument, id_ in zip(arguments.arguments, ids, strict=True)}
        data = write_linking(linking, ids=names, layout=self._layout, separator=self._separator)
        self.put(f"linking/{document}", data)


class KeyWriter(FolderWriter):
    """Writes a store of assessments; each file is flushed to the disk, because it is the work of people."""

    def __init__(
        self, path: str | os.PathLike[str], *, ids: Ids = "sha1", overwrite: bool = False, again: bool = False
    ) -> None:
        super().__init__(path, overwrite=overwrite, durable=True, again=again)
        self._ids = ids

    def write(self, key: AnswerKey) -> None:
        """Write a document."""
        self.put(_document_name(key.document), write_key(key, ids=self._ids))


class FramesWriter(FolderWriter):
    """Writes a store of reference frames, flushed to the disk like assessments."""

    def __init__(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        super().__init__(path, overwrite=overwrite, durable=True)

    def write(self, linking: Linking) -> None:
        """Write a document."""
        self.put(_document_name(linking.document), write_linking(linking))


def _document_name(document: str) -> str:
    """A document id that can be the name of a file, or an error."""
    if not document or document.startswith(".") or "/" in document or "\\" in document or not document.isprintable():
        hint = "rename the document: no slashes, no dot at the beginning, no control characters"
        raise ValidationError(f"the document id {document!r} cannot be the name of a file", hint=hint)
    return document


def _content(path: Path) -> dict[str, bytes | None]:
    """All files of a folder, and its folders without bytes."""
    found = {each.relative_to(path).as_posix(): each for each in path.rglob("*")}
    return {name: each.read_bytes() if each.is_file() else None for name, each in found.items()}


def _is_empty_folder(path: Path) -> bool:
    return path.is_dir() and next(path.iterdir(), None) is None


_HERE = -100  # AT_FDCWD: paths are seen from the current folder
_EXCHANGE = 2  # RENAME_EXCHANGE


def exchange(one: Path, other: Path) -> bool:
    """Let two files or folders change names, and say whether that was possible; if not, nothing has changed.

    There is no moment at which one of the names is missing. Only Linux offers this, and not on every file system.
    """
    if sys.platform != "linux":
        return False
    try:
        import ctypes

        rename = ctypes.CDLL(None).renameat2
    except (ImportError, OSError, AttributeError):
        return False
    return bool(rename(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _EXCHANGE) == 0)
