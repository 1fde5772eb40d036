"""Writers of stores. A store appears whole or not at all: it is made in a hidden folder beside and then renamed.

Whatever happens in between, the old store is as it was. With `overwrite` the old and the new one change places in one
step, and only then the old one is removed; where the system cannot do that, the old one is first put aside under a
hidden name. Without `overwrite` nothing is replaced, not even what appears while the store is written.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from types import TracebackType
from typing import Self

from adjudge.errors import Problem, UsageError, ValidationError
from adjudge.formats.eal_arguments import Ids, write_named
from adjudge.formats.eal_assessments import write_key
from adjudge.formats.eal_linking import LinkingLayout, write_linking
from adjudge.formats.eal_rows import Verbatim
from adjudge.formats.exchange import exchange
from adjudge.model.eal import AnswerKey, Arguments, Linking

PACKED = (".zip", ".tar.gz", ".tgz")


class FolderWriter:
    """Files that become visible together when the block ends without an error.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     with FolderWriter(Path(place) / "new") as writer:
    ...         writer.put("a/b", b"text")
    ...         seen = (Path(place) / "new").exists()
    ...     seen, (Path(place) / "new" / "a" / "b").read_bytes(), len(list(Path(place).iterdir()))
    (False, b'text', 1)
    """

    def __init__(self, path: str | os.PathLike[str], *, overwrite: bool = False, durable: bool = False) -> None:
        self.path = Path(path).resolve()  # a later change of folder must not matter
        self._shown = os.fspath(path)
        self._overwrite = overwrite
        self._durable = durable
        self._folder: Path | None = None
        self._known: set[Path] = set()

    @property
    def packed(self) -> bool:
        """Whether an archive is written."""
        return self.path.name.endswith(PACKED)

    def __enter__(self) -> Self:
        import secrets

        if not self._overwrite and os.path.lexists(self.path) and not _is_empty_folder(self.path):
            raise self._taken()
        self._folder = self.path.with_name(f".{self.path.name}.{secrets.token_hex(6)}")
        try:
            self._folder.mkdir()
        except OSError as error:
            raise self._failed(error) from None
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

    def _publish(self, folder: Path) -> None:
        if self.packed:
            self._publish_archive(folder)
        elif not os.path.lexists(self.path) or _is_empty_folder(self.path):
            if self.path.is_dir():
                self.path.rmdir()
            folder.rename(self.path)
        elif not self._overwrite:
            raise self._taken()
        elif exchange(folder, self.path):
            if not folder.is_dir():
                folder.unlink()
        else:
            self._put_aside(folder)

    def _put_aside(self, folder: Path) -> None:
        old = folder.with_name(f"{folder.name}.old")
        self.path.rename(old)
        try:
            folder.rename(self.path)
        except BaseException:
            old.rename(self.path)
            raise
        shutil.rmtree(old) if old.is_dir() else old.unlink()

    def _publish_archive(self, folder: Path) -> None:
        from adjudge.formats.archive_pack import pack

        made = folder.with_name(f"{folder.name}.packed")
        try:
            pack(folder, made, zipped=self.path.name.endswith(".zip"))
            if self._overwrite:
                made.replace(self.path)
                return
            try:
                os.link(made, self.path)  # unlike renaming, it never replaces anything
            except OSError:
                if os.path.lexists(self.path):
                    raise self._taken() from None
                made.rename(self.path)  # a file system without links
        finally:
            made.unlink(missing_ok=True)

    def _taken(self) -> UsageError:
        hint = "choose another name, or say that it may be overwritten"
        return UsageError(Problem("there is something already", path=self._shown, hint=hint))

    def _failed(self, error: OSError | ValueError) -> UsageError:
        reason = getattr(error, "strerror", None) or str(error)
        hint = "choose a place that exists and that you may write to"
        return UsageError(Problem(f"cannot be written: {reason}", path=self._shown, hint=hint))


class StoreWriter(FolderWriter):
    """Writes a store of responses: `arguments/`, and `linking/` if frames are given, as a folder or an archive.

    `ids` decides the first column and the ids of the linking: content hashes ("sha1", "2014") or those read ("keep").
    With `linking=False` the store has no frames, whatever is given.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        ids: Ids = "sha1",
        linking: bool = True,
        layout: LinkingLayout = "2015",
        separator: str = "\t",
        incomplete: bool = True,
        overwrite: bool = False,
        durable: bool = False,
    ) -> None:
        super().__init__(path, overwrite=overwrite, durable=durable)
        self._ids = ids
        self._linking = linking
        self._layout: LinkingLayout = layout
        self._separator = separator
        self._incomplete = incomplete

    def __enter__(self) -> Self:
        super().__enter__()
        self.folder("arguments")
        if self._linking:
            self.folder("linking")
        return self

    def write(self, arguments: Arguments, linking: Linking | None = None, verbatim: Verbatim | None = None) -> None:
        """Write a document; with the lines it was read from, what is unchanged is not formatted again."""
        document = _document_name(arguments.document)
        data, ids = write_named(arguments, self._ids, verbatim)
        self.put(f"arguments/{document}", data)
        if linking is None or not self._linking:
            return
        if linking.document != arguments.document:
            message = f"the frames are of {linking.document!r}, the responses of {arguments.document!r}"
            raise ValidationError(message)
        names = {argument.response: id_ for argument, id_ in zip(arguments.arguments, ids, strict=True)}
        data = write_linking(
            linking, ids=names, layout=self._layout, separator=self._separator, incomplete=self._incomplete
        )
        self.put(f"linking/{document}", data)


class KeyWriter(FolderWriter):
    """Writes a store of assessments; each file is flushed to the disk, because it is the work of people."""

    def __init__(self, path: str | os.PathLike[str], *, ids: Ids = "sha1", overwrite: bool = False) -> None:
        super().__init__(path, overwrite=overwrite, durable=True)
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


def _is_empty_folder(path: Path) -> bool:
    return path.is_dir() and next(path.iterdir(), None) is None
