"""Stores of event arguments: folders or archives with a file per document, read one document at a time."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self, TypeAlias

from adjudge.errors import FormatError, Problem, UsageError, did_you_mean
from adjudge.formats.eal_arguments import Repeats, scan_arguments
from adjudge.formats.eal_assessments import RepeatedCluster, scan_key
from adjudge.formats.eal_layout import Layout, Rooms, Tree, arrange, arrange_flat, read_tree
from adjudge.formats.eal_linking import Incomplete, LinkingLayout, Separator, scan_ids, scan_linking
from adjudge.formats.eal_write import FramesWriter, KeyWriter, StoreWriter
from adjudge.formats.findings import Finding, errors_of
from adjudge.model.eal import AnswerKey, Argument, Arguments, Frame, Linking, Response

__all__ = [
    "FramesStore",
    "FramesWriter",
    "KeyStore",
    "KeyWriter",
    "Store",
    "StoreWriter",
    "open_frames",
    "open_key",
    "open_store",
    "scan_store",
    "transformed",
]

Transform: TypeAlias = Callable[[Response], Response]


class Reading(NamedTuple):
    """How the files of a store are read; `transform` is applied to each response.

    That is done after the ids of the linking have been found, because ids depend on the content.
    """

    repeats: Repeats = "error"
    linking_layout: LinkingLayout | None = None
    separator: Separator = "any"
    repeated_incomplete: Incomplete = "error"
    transform: Transform | None = None


class Held:
    """Something that may have unpacked an archive, and can be used in a `with` block."""

    def __init__(self, holder: Any) -> None:
        self._holder = holder
        self._kept: tuple[str, dict[str, bytes]] = "", {}

    def _bytes(self, document: str, path: str, place: str, *, read: bool = False) -> bytes:
        """A file; those of one document are kept, because who has `read` it may ask for the same bytes."""
        if self._kept[0] != document:
            self._kept = document, {}
        kept = self._kept[1]
        if not read or path not in kept:
            kept[path] = _read(path, place)
        return kept[path]

    def __getstate__(self) -> dict[str, Any]:
        """Whoever gets a copy does not own what an archive was unpacked to."""
        return {**self.__dict__, "_holder": None, "_kept": ("", {}), "_last": None}

    def close(self) -> None:
        """Remove what an archive was unpacked to; it is done in any case when nobody needs this any more."""
        if self._holder is not None:
            self._holder.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Store(Held):
    """The responses of one system: `documents` are sorted, each is read when it is asked for.

    `notes` are remarks about the layout that do not keep the store from being read.
    """

    def __init__(
        self,
        tree: Tree,
        rooms: Rooms,
        notes: list[Finding],
        holder: Any = None,
        reading: Reading | None = None,
    ) -> None:
        super().__init__(holder)
        self.path = tree.place
        self.packed = tree.packed
        self.notes = notes
        self.documents: list[str] = sorted(rooms.arguments)
        self.has_linking = rooms.linking is not None
        self._arguments = rooms.arguments
        self._linking = rooms.linking or {}
        self._flat = rooms.flat
        self._reading = reading or Reading()
        self._last: tuple[str, Arguments, list[Finding]] | None = None

    @property
    def is_flat(self) -> bool:
        """Whether the files of the documents are at the top: arguments of 2014, or something else."""
        return self._flat

    @property
    def linking_documents(self) -> list[str]:
        """The documents that have a linking file, sorted; not all of them need have arguments."""
        return sorted(self._linking)

    def __contains__(self, document: object) -> bool:
        return document in self._arguments

    def __len__(self) -> int:
        return len(self.documents)

    def __iter__(self) -> Iterator[tuple[Arguments, Linking | None]]:
        for document in self.documents:
            yield self.arguments(document), self.linking(document)

    def place(self, document: str, kind: str = "arguments") -> str:
        """How messages call a file of the store."""
        return f"{self.path}/{document}" if self._flat else f"{self.path}/{kind}/{document}"

    def arguments(self, document: str) -> Arguments:
        """The responses of a document, none if the store has no file for it; every problem is raised at once."""
        arguments, findings = self._scan(document)
        _raise(findings)
        return self._transformed(arguments)

    def linking(self, document: str) -> Linking | None:
        """The frames of a document, or None if the store has no file for it; every problem is raised at once."""
        linking, findings = self.scan_linking(document)
        _raise(findings)
        return linking

    def scan_arguments(self, document: str) -> tuple[Arguments, list[Finding]]:
        """What could be read of the responses of a document, and what is wrong with the file."""
        arguments, findings = self._scan(document)
        return self._transformed(arguments), findings

    def _transformed(self, arguments: Arguments) -> Arguments:
        transform = self._reading.transform
        return arguments if transform is None else transformed(arguments, None, transform)[0]

    def scan_linking(self, document: str) -> tuple[Linking | None, list[Finding]]:
        """What could be read of the frames of a document, and what is wrong with the file."""
        path = self._linking.get(document)
        if path is None:
            return None, []
        arguments, _ = self._scan(document)
        place = self.place(document, "linking")
        _, layout, separator, incomplete, transform = self._reading
        linking, findings = scan_linking(
            self._bytes(document, path, place),
            arguments,
            place,
            layout=layout,
            separator=separator,
            repeated_incomplete=incomplete,
        )
        return linking if transform is None else transformed(arguments, linking, transform)[1], findings

    def bytes_of(self, document: str, kind: str = "arguments") -> bytes | None:
        """The file of a document as it is, or None."""
        path = (self._arguments if kind == "arguments" else self._linking).get(document)
        return None if path is None else self._bytes(document, path, self.place(document, kind), read=True)

    def files_of(self, document: str) -> dict[str, bytes | None]:
        """All files of a document by their kinds, None for those that are not there."""
        return {kind: self.bytes_of(document, kind) for kind in ("arguments", "linking")}

    def _scan(self, document: str) -> tuple[Arguments, list[Finding]]:
        # The linking is asked for after the arguments, and needs them: one document is kept, no more.
        if self._last is None or self._last[0] != document:
            path = self._arguments.get(document)
            if path is None:
                return Arguments(document, []), []
            place = self.place(document)
            data = self._bytes(document, path, place)
            self._last = document, *scan_arguments(data, document, place, repeats=self._reading.repeats)
        return self._last[1], self._last[2]


def open_store(path: str | Path, *, layout: Layout | None = None, **options: Any) -> Store:
    """Open a folder or an archive (.zip, .tar.gz, .tgz) of responses; every problem with its layout is raised at once.

    Only names are looked at here: a document is read when it is asked for, as the `options` say (see `Reading`).
    """
    store, findings = scan_store(path, layout=layout, **options)
    try:
        _raise(findings)
    except BaseException:
        store.close()
        raise
    return store


def scan_store(path: str | Path, *, layout: Layout | None = None, **options: Any) -> tuple[Store, list[Finding]]:
    """The same for validators: what could be found, and what is wrong with the layout.

    An archive that is not safe to unpack is raised, because nothing of it can be read.
    """
    tree, holder = _open(path)
    rooms, findings = arrange(tree, layout)
    notes = [finding for finding in findings if not finding.error]
    return Store(tree, rooms, notes, holder, Reading(**options)), findings


class FlatStore(Held):
    """A file per document: `documents` are sorted, each is read when it is asked for."""

    def __init__(self, path: str, files: dict[str, str], notes: list[Finding], holder: Any = None) -> None:
        super().__init__(holder)
        self.path = path
        self.packed = holder is not None
        self.notes = notes
        self.documents = sorted(files)
        self._files = files

    def __contains__(self, document: object) -> bool:
        return document in self._files

    def __len__(self) -> int:
        return len(self.documents)

    def keep_only(self, documents: Collection[str] | None) -> None:
        """Forget every file that is not of these documents."""
        if documents is not None:
            self._files = {document: path for document, path in self._files.items() if document in documents}
            self.documents = sorted(self._files)

    def place(self, document: str) -> str:
        """How messages call the file of a document."""
        return f"{self.path}/{document}"

    def bytes_of(self, document: str) -> bytes | None:
        """The file of a document as it is, or None."""
        path = self._files.get(document)
        return None if path is None else self._bytes(document, path, self.place(document), read=True)

    def files_of(self, document: str) -> dict[str, bytes | None]:
        """The file of a document, None if it is not there."""
        return {"": self.bytes_of(document)}


class KeyStore(FlatStore):
    """Assessments; clusters that share a CAS are one, or an error."""

    repeated_cluster: RepeatedCluster = "join"

    def __iter__(self) -> Iterator[AnswerKey]:
        return map(self.key, self.documents)

    def key(self, document: str) -> AnswerKey:
        """The assessments of a document; every problem of its file is raised at once."""
        key, findings = self.scan_key(document)
        _raise(findings)
        return key

    def scan_key(self, document: str) -> tuple[AnswerKey, list[Finding]]:
        """What could be read of the assessments of a document, and what is wrong with the file."""
        if document not in self._files:
            hint = did_you_mean(document, self.documents) or "check the document id"
            raise UsageError(Problem(f"there is no document {document!r}", path=self.path, hint=hint))
        place = self.place(document)
        data = self._bytes(document, self._files[document], place)
        return scan_key(data, document, place, repeated_cluster=self.repeated_cluster)


def open_key(path: str | Path, *, repeated_cluster: RepeatedCluster = "join") -> KeyStore:
    """Open a folder or an archive of assessments: a file per document, and nothing else.

    Clusters that share a CAS are joined, because coreference is transitive, or are an error.
    """
    place, files, notes, holder = _open_flat(path)
    store = KeyStore(place, files, notes, holder)
    store.repeated_cluster = repeated_cluster
    return store


class FramesStore(FlatStore):
    """Reference frames: linking files whose ids are those of the assessed responses."""

    def linking(self, known: AnswerKey | Arguments) -> Linking | None:
        """The frames of the document of `known`, or None if there is no file; every problem is raised at once."""
        linking, findings = self.scan_linking(known)
        _raise(findings)
        return linking

    def scan_linking(self, known: AnswerKey | Arguments) -> tuple[Linking | None, list[Finding]]:
        """What could be read of the frames of a document, and what is wrong with the file."""
        path = self._files.get(known.document)
        if path is None:
            return None, []
        place = self.place(known.document)
        return scan_linking(self._bytes(known.document, path, place), known, place)

    def scan_ids(self, document: str) -> tuple[list[frozenset[str]], list[Finding]]:
        """The frames of a document as the ids that they list, and what is wrong with the file."""
        return scan_ids(self.bytes_of(document) or b"", document, self.place(document))


def open_frames(path: str | Path) -> FramesStore:
    """Open a folder or an archive of reference frames: a linking file per document, and nothing else."""
    place, files, notes, holder = _open_flat(path)
    return FramesStore(place, files, notes, holder)


def transformed(
    arguments: Arguments, linking: Linking | None, transform: Transform
) -> tuple[Arguments, Linking | None]:
    """Arguments and frames with each response replaced; of responses that become one the most confident counts."""
    changed: dict[Response, Response] = {}
    found: dict[Response, Argument] = {}
    for argument in arguments.arguments:
        response = changed[argument.response] = transform(argument.response)
        other = found.get(response)
        if other is None or argument.confidence > other.confidence:
            found[response] = argument if response is argument.response else argument._replace(response=response)
    if linking is not None:
        for response in frozenset[Response]().union(linking.incomplete, *(each.responses for each in linking.frames)):
            if response not in changed:
                changed[response] = transform(response)
        frames = [Frame(frozenset(changed[each] for each in frame.responses), frame.id) for frame in linking.frames]
        rest = frozenset(changed[each] for each in linking.incomplete)
        linking = Linking(linking.document, frames, rest)
    return Arguments(arguments.document, list(found.values())), linking


def _open(path: str | Path) -> tuple[Tree, Any]:
    path = Path(path)
    try:
        packed = path.is_file()
    except ValueError:  # a path with a null character
        packed = False
    if not packed:
        return read_tree(path), None
    from adjudge.formats.archive import open_archive

    archive = open_archive(path)
    entries = {name: None if file is None else os.fspath(file) for name, file in archive.entries.items()}
    return Tree(str(path), entries, packed=True), archive


def _open_flat(path: str | Path) -> tuple[str, dict[str, str], list[Finding], Any]:
    tree, holder = _open(path)
    files, findings = arrange_flat(tree)
    try:
        _raise(findings)
    except BaseException:
        if holder is not None:
            holder.close()
        raise
    return tree.place, files, findings, holder


def _read(path: str, place: str) -> bytes:
    try:
        with open(path, "rb", buffering=0) as stream:  # noqa: PTH123
            return stream.read()
    except OSError as error:
        hint = "check the permissions and whether it is still there"
        problem = Problem(f"the file cannot be read: {error.strerror or error}", path=place, hint=hint)
        raise UsageError(problem) from None


def _raise(findings: list[Finding]) -> None:
    problems = errors_of(findings)
    if problems:
        raise FormatError(problems)
