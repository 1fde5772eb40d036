"""Writers of stores. A store appears atomically: it is made in a hidden folder beside and then renamed.

Whatever happens in between, the old store is as it was. With `overwrite` the old and the new one change places in one
step, and only then the old one is removed; where the system cannot do that, the old one is first put aside under a
hidden name. What belongs to a store (a design, a provenance, another store) is complete before either gets its name,
and if one of them cannot get it, both are as they were. Without `overwrite` nothing is replaced, not even what appears
while the store is written. What a writer who was killed has left beside it is removed by the next one, and one writer
at a time is at work.
"""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from adjudge import temporary
from adjudge.errors import EnvironmentFault, Problem, UsageError, ValidationError, refusing
from adjudge.files import is_special
from adjudge.formats.archive import SUFFIXES
from adjudge.formats.eal_arguments import Ids, write_named
from adjudge.formats.eal_assessments import write_key
from adjudge.formats.eal_linking import LinkingLayout, write_linking
from adjudge.model.eal import AnswerKey, Arguments, Linking

W = TypeVar("W", bound="FolderWriter")


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
        self._made: Path | None = None
        self._held = ExitStack()
        self._known: set[Path] = set()
        self._companions: list[FolderWriter | Companion] = []

    @property
    def packed(self) -> bool:
        """Whether an archive is written."""
        return self.path.name.endswith(SUFFIXES)

    def __enter__(self) -> Self:
        with ExitStack() as held:
            with refusing("cannot be written", self._shown, temporary.advice):
                if not held.enter_context(temporary.guarded(self.path)):
                    raise self._busy()
                temporary.sweep(self.path)
                self._check_kind()
                may_be_there = self._overwrite or self._again or _is_empty_folder(self.path)
                if not may_be_there and os.path.lexists(self.path):
                    raise self._taken()
                name, handle = temporary.make_folder(self.path)
            if handle is not None:
                held.callback(os.close, handle)
            self._folder = Path(name)
            self._held = held.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        together = [*self._companions, self]
        try:
            if kind is None:
                for each in together:
                    each.complete()
                with ExitStack() as undo:
                    for each in together:
                        each.publish(undo)
                    undo.pop_all()
        finally:
            for each in together:
                each.close()

    def beside(self, path: str | os.PathLike[str]) -> Companion:
        """A text file that gets its name together with the store: both are new then, or both are as they were."""
        companion = Companion(path)
        self._companions.append(companion)
        return companion

    def together(self, other: W) -> W:
        """Another store that appears together with this one, ready to be written: it needs no block of its own."""
        self._companions.append(other.__enter__())
        return other

    def folder(self, name: str) -> None:
        """Make a folder, also if nothing will be in it."""
        assert self._folder is not None, "use the writer in a with block"
        with refusing("cannot be written", self._shown, temporary.advice):
            (self._folder / name).mkdir(exist_ok=True)

    def put(self, name: str, data: bytes) -> None:
        """Write a file; its folder is made if needed."""
        assert self._folder is not None, "use the writer in a with block"
        if any(part in ("", ".", "..") for part in name.split("/")) or "\\" in name or "\0" in name:
            hint = "rename the document"
            raise ValidationError(Problem(f"{name!r} cannot be the name of a file in it", path=self._shown, hint=hint))
        path = self._folder / name
        with refusing("cannot be written", self._shown, temporary.advice):
            if path.parent not in self._known:
                path.parent.mkdir(parents=True, exist_ok=True)
                self._known.add(path.parent)
            try:
                with path.open("xb") as file:
                    file.write(data)
                    if self._durable:
                        file.flush()
                        os.fsync(file.fileno())
            except FileExistsError:
                raise UsageError(Problem(f"{name} was written twice", path=self._shown)) from None

    def complete(self) -> None:
        """Pack what was written, if it is to be packed: nothing that is left to do takes room on the disk."""
        assert self._folder is not None, "use the writer in a with block"
        self._made = self._folder
        if self.packed:
            from adjudge.formats.archive import pack

            self._made = self._folder.with_name(f"{self._folder.name}{temporary.PACKED}")
            with refusing("cannot be written", self._shown, temporary.advice):
                pack(self._folder, self._made, zipped=self.path.name.endswith(".zip"))

    def publish(self, undo: ExitStack) -> None:
        """Give what is complete its name; `undo` learns how to take it back."""
        assert self._made is not None, "complete it first"
        with refusing("cannot be written", self._shown, temporary.advice):
            if self._overwrite:
                _swap(self._made, self.path, undo)
            elif self._again and os.path.lexists(self.path) and not _is_empty_folder(self.path):
                if _content(self._made) != _content(self.path):
                    raise self._taken()
            elif self.packed:
                self._link(self._made, undo)
            elif not os.path.lexists(self.path) or _is_empty_folder(self.path):
                if self.path.is_dir():
                    self.path.rmdir()
                    undo.callback(self.path.mkdir)
                _swap(self._made, self.path, undo)
            else:
                raise self._taken()

    def _link(self, made: Path, undo: ExitStack) -> None:
        try:
            os.link(made, self.path)  # unlike renaming, it never replaces anything
        except OSError:
            if os.path.lexists(self.path):
                raise self._taken() from None
            made.rename(self.path)  # a file system without links
        undo.callback(temporary.remove, str(self.path))

    def close(self) -> None:
        """Remove what is not needed any more: what was to be published, or what has been replaced."""
        if self._folder is not None:
            _clear(self._folder)
            self._folder = None
        self._held.close()

    def _check_kind(self) -> None:
        """Raise if there is something that is never replaced: no file or folder, the work around us, or not a store."""
        message = None
        if is_special(self.path):
            message = "this is neither a file nor a folder"
        elif self.path in (here := Path.cwd(), *here.parents):
            message = "this is the current folder, or one that contains it"
        elif self._overwrite and self.path.is_dir():
            others = sorted(each.name for each in self.path.iterdir() if each.is_dir() and each.name not in self.parts)
            message = f"this is not such a store: it contains folders ({', '.join(others[:3])})" if others else None
        if message is not None:
            raise UsageError(Problem(message, path=self._shown, hint="choose another name for what is to be written"))

    def _taken(self) -> UsageError:
        hint = "choose another name, or allow overwriting"
        return UsageError(Problem("it already exists", path=self._shown, hint=hint))

    def _busy(self) -> UsageError:
        message = "another program is writing to it at this moment"
        return EnvironmentFault(Problem(message, path=self._shown, hint="wait until it is finished"))


class Companion:
    """A text file that appears together with a store; what cannot be replaced, such as a pipe, is written at once."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(os.path.realpath(path))  # a symbolic link stays a link: what it points to is replaced
        self._shown = os.fspath(path)
        self._made: Path | None = None
        with refusing("cannot be written", self._shown, temporary.advice):
            if is_special(self.path):
                handle = os.open(self.path, os.O_WRONLY)
            else:
                temporary.sweep(self.path)
                name, handle = temporary.make_file(self.path)
                self._made = Path(name)
            self._stream = os.fdopen(handle, "w", encoding="utf-8", newline="\n")

    def write(self, text: str) -> None:
        """Write more of it."""
        with refusing("cannot be written", self._shown, temporary.advice):
            self._stream.write(text)

    def complete(self) -> None:
        """Flush it to the disk."""
        with refusing("cannot be written", self._shown, temporary.advice):
            self._stream.flush()
            if self._made is not None:
                os.fsync(self._stream.fileno())
            if not temporary.can_hold():  # elsewhere it is held to the end: nobody takes it for something left behind
                self._stream.close()

    def publish(self, undo: ExitStack) -> None:
        """Give it its name; `undo` learns how to take it back."""
        if self._made is not None:
            with refusing("cannot be written", self._shown, temporary.advice):
                _swap(self._made, self.path, undo)

    def close(self) -> None:
        """Remove what is not needed any more."""
        with suppress(OSError):  # there was no room for the end of it
            self._stream.close()
        if self._made is not None:
            _clear(self._made)


def _swap(made: Path, path: Path, undo: ExitStack) -> None:
    """Give `path` to what was made; what had the name has that of what was made then, or one beside it."""
    if not os.path.lexists(path):
        made.rename(path)
        undo.callback(temporary.remove, str(path))
    elif exchange(made, path):
        undo.callback(exchange, made, path)
    else:
        old = made.with_name(f"{made.name.removesuffix(temporary.PACKED)}{temporary.OLD}")
        path.rename(old)
        undo.callback(old.rename, path)
        made.rename(path)
        undo.callback(path.rename, made)


def _clear(made: Path) -> None:
    """Remove a hidden file or folder, and what was made of it or put aside for it."""
    for ending in ("", temporary.PACKED, temporary.OLD):
        temporary.remove(f"{made}{ending}")


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
    """All files of a folder, and its folders without bytes; or a file."""
    if path.is_file():
        return {"": path.read_bytes()}
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
