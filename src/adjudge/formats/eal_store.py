"""Stores of event arguments: folders or archives with a file per document, read one document at a time."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Self, TypeAlias, TypeVar

from adjudge.errors import FormatError, Problem, UsageError, did_you_mean, refusal
from adjudge.findings import Finding, errors_of
from adjudge.formats.eal_arguments import ArgumentLines, Repeats, scan_lines
from adjudge.formats.eal_assessments import KeyLines, RepeatedCluster, scan_key_lines
from adjudge.formats.eal_layout import Layout, Rooms, Tree, arrange, arrange_flat, read_tree
from adjudge.formats.eal_linking import (
    Incomplete,
    LinkedLines,
    LinkingLayout,
    LinkingOptions,
    Separator,
    scan_ids,
    scan_linked_lines,
    scan_linking,
)
from adjudge.formats.eal_lock import LOCK, check_lock, is_left, just_locked
from adjudge.formats.eal_write import FramesWriter, KeyWriter, StoreWriter
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
T = TypeVar("T")
F = TypeVar("F", bound="Files")


class Reading(NamedTuple):
    """How the files of a store are read; `transform` is applied to each response.

    That is done after the ids of the linking have been found, because ids depend on the content.
    """

    repeats: Repeats = "error"
    linking_layout: LinkingLayout | None = None
    separator: Separator = "any"
    repeated_incomplete: Incomplete = "error"
    transform: Transform | None = None


class Files:
    """A file of each kind per document, in a folder or an unpacked archive; can be used in a `with` block.

    `documents` are sorted, each is read when it is asked for. `notes` are remarks about the layout that do not keep
    the store from being read.
    """

    def __init__(self, tree: Tree, files: Mapping[str, dict[str, str]], notes: list[Finding], holder: Any) -> None:
        self.path = tree.place
        self.packed = tree.packed
        self.notes = notes
        self._files = files
        self._first = next(iter(files))
        self.is_flat = not self._first
        self._holder = holder
        self._kept: tuple[str, dict[str, bytes]] = "", {}
        self._ahead: set[str] = set()  # kinds that were read before anybody asked
        self._digest: _Digest | None = None
        self.documents: list[str] = sorted(files[self._first])

    def __contains__(self, document: object) -> bool:
        return document in self._files[self._first]

    def __len__(self) -> int:
        return len(self.documents)

    def __getstate__(self) -> dict[str, Any]:
        """Whoever gets a copy does not own what an archive was unpacked to."""
        return {**self.__dict__, "_holder": None, "_kept": ("", {}), "_digest": None, "_last": None}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Remove what an archive was unpacked to; it is done in any case when nobody needs this any more."""
        if self._holder is not None:
            self._holder.close()

    def keep_only(self, documents: Collection[str] | None) -> None:
        """Forget every file that is not of these documents."""
        if documents is not None:
            kept = {
                kind: {name: path for name, path in files.items() if name in documents}
                for kind, files in self._files.items()
            }
            self._files, self.documents = kept, sorted(kept[self._first])

    def place(self, document: str, kind: str = "") -> str:
        """How messages call a file; those of a flat store are at the top."""
        return f"{self.path}/{document}" if self.is_flat else f"{self.path}/{kind or self._first}/{document}"

    def bytes_of(self, document: str, kind: str = "", *, again: bool = False) -> bytes | None:
        """A file as it is, None if there is none; those of one document are kept, unless it is to be read `again`."""
        kind = kind or self._first
        if document not in self._files.get(kind, ()):
            return None
        if self._kept[0] != document:
            self._kept, self._ahead = (document, {}), set()
            if self._digest is not None and self._digest.reaches(document, self._files):
                self._pass(document, self._digest)
        kept = self._kept[1]
        if kind in self._ahead:
            self._ahead.remove(kind)
        elif again or kind not in kept:
            kept[kind] = self._read(document, kind)
        return kept[kind]

    def _pass(self, document: str, digest: _Digest) -> None:
        """Read all files of the document whose turn it is in the hash."""
        kept = self._kept[1] if self._kept[0] == document else {}
        for kind, files in self._files.items():
            if document in files:
                kept[kind] = self._read(document, kind)
        self._ahead = set(kept)
        digest.update([(kind, kept.get(kind)) for kind in self._files])

    def _read(self, document: str, kind: str) -> bytes:
        try:
            return _content(self._files[kind][document])
        except OSError as error:
            hint = "check the permissions and whether it is still there"
            message = f"the file cannot be read: {error.strerror or error}"
            raise refusal(error, Problem(message, path=self.place(document, kind), hint=hint)) from None

    def take_digest(self, documents: Iterable[str]) -> None:
        """From now on take the hash of the files of documents, of those that are read in this order on the way."""
        self._digest = _Digest(() if self.packed else documents)

    def digest(self) -> str:
        """The hash of an archive as a whole, or of the files of documents, with those that are not there."""
        if self._digest is None:
            return ""
        if self.packed:
            return hashlib.sha256(Path(self.path).read_bytes()).hexdigest()
        while (document := self._digest.next()) is not None:
            self._pass(document, self._digest)
        return self._digest.hasher.hexdigest()


def _content(path: str | Path) -> bytes:
    """A file as it is, with three calls of the system: there may be very many, and small ones."""
    file = os.open(path, _READING)
    try:
        data = os.read(file, _SMALL)
        if len(data) < _SMALL:
            return data
        parts = [data]
        while part := os.read(file, _LARGE):
            parts.append(part)
        return b"".join(parts)
    finally:
        os.close(file)


_READING = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
_SMALL, _LARGE = 1 << 16, 1 << 24


class _Digest:
    """The hash of the files of documents, in an order that is known."""

    def __init__(self, documents: Iterable[str]) -> None:
        self.hasher = hashlib.sha256()
        self._documents = list(documents)
        self._at = 0

    def next(self) -> str | None:
        """The document whose turn it is."""
        return self._documents[self._at] if self._at < len(self._documents) else None

    def reaches(self, document: str, files: Mapping[str, Container[str]]) -> bool:
        """Whether it is the turn of a document, once those before it that have no file are taken in."""
        while (own := self.next()) != document:
            if own is None or any(own in each for each in files.values()):
                return False
            self.update([(kind, None) for kind in files])
        return True

    def update(self, files: Iterable[tuple[str, bytes | None]]) -> None:
        """Take in the files of the document whose turn it is."""
        document = self._documents[self._at]
        for kind, data in files:
            head = f"{document}\t{kind}\t{-1 if data is None else len(data)}\n".encode()
            self.hasher.update(head + data if data else head)
        self._at += 1


class Store(Files):
    """The responses of one system, and its frames if it has any."""

    def __init__(self, tree: Tree, rooms: Rooms, notes: list[Finding], holder: Any, reading: Reading) -> None:
        super().__init__(tree, {"arguments": rooms.arguments, "linking": rooms.linking or {}}, notes, holder)
        self.has_linking = rooms.linking is not None
        self.is_flat = rooms.flat
        self._reading = reading
        self._last: tuple[str, ArgumentLines, list[Finding]] | None = None

    @property
    def linking_documents(self) -> list[str]:
        """The documents that have a linking file, sorted; not all of them need have arguments."""
        return sorted(self._files["linking"])

    def __iter__(self) -> Iterator[tuple[Arguments, Linking | None]]:
        for document in self.documents:
            yield self.arguments(document), self.linking(document)

    def arguments(self, document: str) -> Arguments:
        """The responses of a document, none if the store has no file for it; every problem is raised at once."""
        return _sound(self.scan_arguments(document))

    def linking(self, document: str) -> Linking | None:
        """The frames of a document, or None if the store has no file for it; every problem is raised at once."""
        return _sound(self.scan_linking(document))

    def lines(self, document: str, known: Mapping[str, object] | None = None) -> ArgumentLines:
        """The responses of a document in columns; `known` are those that need not be read again."""
        return _sound(self._scan_lines(document, known))

    def linked_lines(self, document: str) -> LinkedLines | None:
        """The frames of a document as places in the columns that were read last."""
        return _sound(self._scan_linked_lines(document))

    def scan_arguments(self, document: str) -> tuple[Arguments, list[Finding]]:
        """What could be read of the responses of a document, and what is wrong with the file."""
        lines, findings = self._scan_lines(document)
        transform = self._reading.transform
        arguments = lines.whole()
        return arguments if transform is None else transformed(arguments, None, transform)[0], findings

    def scan_linking(self, document: str) -> tuple[Linking | None, list[Finding]]:
        """What could be read of the frames of a document, and what is wrong with the file."""
        lines, findings = self._scan_linked_lines(document)
        linking = None if lines is None else lines.linking()
        transform = self._reading.transform
        if lines is None or transform is None:
            return linking, findings
        return transformed(lines.known.whole(), linking, transform)[1], findings  # type: ignore[arg-type]

    def _scan_lines(
        self, document: str, known: Mapping[str, object] | None = None
    ) -> tuple[ArgumentLines, list[Finding]]:
        # The linking is asked for after the arguments, and needs them: one document is kept, no more.
        if self._last is None or self._last[0] != document:
            data = self.bytes_of(document, again=True)
            if data is None:
                return ArgumentLines(document, []), []
            place, repeats = self.place(document), self._reading.repeats
            self._last = document, *scan_lines(data, document, place, repeats=repeats, known=known)
        return self._last[1:]

    def _scan_linked_lines(self, document: str) -> tuple[LinkedLines | None, list[Finding]]:
        data = self.bytes_of(document, "linking", again=True)
        if data is None:
            return None, []
        _, layout, separator, incomplete, _ = self._reading
        options: LinkingOptions = {"layout": layout, "separator": separator, "repeated_incomplete": incomplete}
        lines, _ = self._scan_lines(document)  # as they were read: ids depend on the content
        return scan_linked_lines(data, lines, self.place(document, "linking"), **options)


def open_store(path: str | Path, *, layout: Layout | None = None, **options: Any) -> Store:
    """Open a folder or an archive (.zip, .tar.gz, .tgz) of responses; every problem with its layout is raised at once.

    Only names are looked at here: a document is read when it is asked for, as the `options` say (see `Reading`).
    """
    store, findings = scan_store(path, layout=layout, **options)
    return _sound((store, findings), store)


def scan_store(path: str | Path, *, layout: Layout | None = None, **options: Any) -> tuple[Store, list[Finding]]:
    """The same for validators: what could be found, and what is wrong with the layout.

    An archive that is not safe to unpack is raised, because nothing of it can be read.
    """
    tree, holder = _open(path)
    rooms, findings = arrange(tree, layout)
    notes = [finding for finding in findings if not finding.error]
    return Store(tree, rooms, notes, holder, Reading(**options)), findings


class KeyStore(Files):
    """Assessments; clusters that share a CAS are one, or an error."""

    repeated_cluster: RepeatedCluster = "join"

    def __iter__(self) -> Iterator[AnswerKey]:
        return map(self.key, self.documents)

    def key(self, document: str) -> AnswerKey:
        """The assessments of a document; every problem of its file is raised at once."""
        return self.lines(document).whole()

    def lines(self, document: str) -> KeyLines:
        """The same in columns."""
        return _sound(self._scan_lines(document))

    def scan_key(self, document: str) -> tuple[AnswerKey, list[Finding]]:
        """What could be read of the assessments of a document, and what is wrong with the file."""
        lines, findings = self._scan_lines(document)
        return lines.whole(), findings

    def _scan_lines(self, document: str) -> tuple[KeyLines, list[Finding]]:
        data = self.bytes_of(document, again=True)
        if data is None:
            hint = did_you_mean(document, self.documents) or "check the document id"
            raise UsageError(Problem(f"there is no document {document!r}", path=self.path, hint=hint))
        return scan_key_lines(data, document, self.place(document), repeated_cluster=self.repeated_cluster)


def open_key(path: str | Path, *, repeated_cluster: RepeatedCluster = "join") -> KeyStore:
    """Open a folder or an archive of assessments that nobody is writing: a file per document, and nothing else.

    Clusters that share a CAS are joined, because coreference is transitive, or are an error.
    """
    store = _open_flat(KeyStore, path)
    store.repeated_cluster = repeated_cluster
    return store


class FramesStore(Files):
    """Reference frames: linking files whose ids are those of the assessed responses."""

    def linking(self, known: AnswerKey | Arguments) -> Linking | None:
        """The frames of the document of `known`, or None if there is no file; every problem is raised at once."""
        return _sound(self.scan_linking(known))

    def scan_linking(self, known: AnswerKey | Arguments) -> tuple[Linking | None, list[Finding]]:
        """What could be read of the frames of a document, and what is wrong with the file."""
        data = self.bytes_of(known.document, again=True)
        return (None, []) if data is None else scan_linking(data, known, self.place(known.document))

    def linked_lines(self, known: KeyLines) -> LinkedLines | None:
        """The same as places in the columns of assessments."""
        data = self.bytes_of(known.document, again=True)
        return None if data is None else _sound(scan_linked_lines(data, known, self.place(known.document)))

    def scan_ids(self, document: str) -> tuple[list[frozenset[str]], list[Finding]]:
        """The frames of a document as the ids that they list, and what is wrong with the file."""
        return scan_ids(self.bytes_of(document) or b"", document, self.place(document))


def open_frames(path: str | Path) -> FramesStore:
    """Open a folder or an archive of reference frames that nobody is writing: a linking file per document."""
    return _open_flat(FramesStore, path)


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
        for response in linking.linked | linking.incomplete:
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


def _open_flat(kind: type[F], path: str | Path) -> F:
    if not Path(path).is_dir():  # the lock of an archive is beside it, and a folder that is missing may be replaced
        check_lock(path)
    tree, holder = _open(path)
    if LOCK in tree.entries:
        if holder is not None:
            holder.close()
        check_lock(path)
        if tree.packed or not is_left(Path(path, LOCK)):  # whoever had it is gone, with what was listed
            raise just_locked(path)
    files, findings = arrange_flat(tree)
    store = kind(tree, {"": files}, findings, holder)
    return _sound((store, findings), store)


def _sound(scanned: tuple[T, list[Finding]], store: Files | None = None) -> T:
    """What was read, or an error with every problem of it; then the store is closed."""
    found, findings = scanned
    problems = errors_of(findings) if findings else []
    if problems:
        if store is not None:
            store.close()
        raise FormatError(problems)
    return found
