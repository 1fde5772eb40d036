"""Large CoNLL files in parts of whole documents, each of which another process reads and compares by itself.

All files are cut between the same two documents. Where that is not possible (another order, another format) or a part
has anything that calls for a remark with a line number, there is no answer, and the files are read as a whole.
"""

from __future__ import annotations

import gc
import mmap
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

from adjudge.errors import AdjudgeError
from adjudge.formats.ranges import Range
from adjudge.model.coref import CorefCorpus, CorefDocument
from adjudge.tasks.coref.observe import Compared, compare
from adjudge.tasks.coref.settings import Settings
from adjudge.tasks.coref.sides import read_side

LARGE = 128 << 20  # bytes of all files from which on several processes pay if nobody says how many
PARTS = 4  # for each process, so that none of them waits long for the last one

_NUMPY = 50_000_000  # bytes of all files from which on reading is faster with numpy
_BEGIN, _END = b"#begin document ", b"#end document"
_NEAR = 1 << 20  # where to look first for a document that should be at a place in proportion

Read: TypeAlias = tuple[CorefCorpus, list[Compared]]


class Bare(NamedTuple):
    """What is known of the documents of a part: names and tokens of the key, and the same with counts of responses."""

    key: list[tuple[str, int]]
    responses: list[tuple[list[tuple[str, int]], list[Compared]]]


class PartReader(NamedTuple):
    """Reads and compares one part; travels to other processes."""

    settings: Settings
    with_numpy: bool

    def read(self, key: Range, responses: tuple[Range, ...]) -> Bare | None:
        """The counts of a part, None if there is anything to say about it."""
        if self.with_numpy:
            import numpy  # noqa: F401 - the reader is faster with it
        collecting = gc.isenabled()
        gc.disable()  # nothing that is read has cycles
        try:
            ours = read_side(key.read(), self.settings, digest=False)
            only = frozenset(document.id for document in ours.documents)
            theirs = [read_side(each.read(), self.settings, only=only, digest=False) for each in responses]
            if any(corpus.notes for corpus in (ours, *theirs)):
                return None
            return Bare(_names(ours), [(_names(each), self._compared(ours, each)) for each in theirs])
        except AdjudgeError:
            return None
        finally:
            if collecting:
                gc.enable()

    def _compared(self, key: CorefCorpus, response: CorefCorpus) -> list[Compared]:
        found = {document.id: document for document in response.documents}
        return [compare(document, found.get(document.id), self.settings).bare() for document in key.documents]


def observe_parts(
    key: Any,
    responses: Sequence[tuple[str, Any]],
    settings: Settings,
    *,
    digest: bool,
    jobs: int | None,
    cluster: str | None,
) -> tuple[CorefCorpus, dict[str, Read]] | None:
    """The key and every response by name, without chains, counted part by part; None if that is not possible."""
    from adjudge.engine.local import map_documents, processors, work_folder

    paths = [key, *(source for _, source in responses)]
    if settings.profile == "strict" or not all(isinstance(path, str | os.PathLike) for path in paths):
        return None
    paths = [os.fspath(path) for path in paths]
    if not all(map(os.path.isfile, paths)):
        return None
    size = sum(map(os.path.getsize, paths))
    if cluster is None and not jobs:
        if size < LARGE:
            return None
        jobs = processors()
    if cluster is None and jobs == 1:
        return None
    parts = cut(paths, PARTS * (jobs or PARTS))
    if parts is None:
        return None
    found: list[Bare] = []
    pairs = ((str(number), part[0], part[1:]) for number, part in enumerate(parts))
    reader = PartReader(settings, size > _NUMPY)
    with _digests(paths if digest else []) as digests:
        work = map_documents(
            reader.read, pairs, jobs=jobs, cluster=cluster, folder=work_folder(paths), chunk=1, total=len(parts)
        )
        with closing(work):  # type: ignore[type-var]
            for _, bare in work:
                if bare is None:
                    return None
                found.append(bare)
        if _is_mixed(found):
            return None
        hashes = [each.result() for each in digests] or [""] * len(paths)
    ours = CorefCorpus(paths[0], [_document(each) for bare in found for each in bare.key], hashes[0])
    read: dict[str, Read] = {}
    for place, (name, _) in enumerate(responses):
        documents = [_document(each) for bare in found for each in bare.responses[place][0]]
        compared = [each for bare in found for each in bare.responses[place][1]]
        read[name] = CorefCorpus(paths[place + 1], documents, hashes[place + 1]), compared
    return ours, read


def cut(paths: Sequence[str], parts: int) -> list[tuple[Range, ...]] | None:
    """Files of the same documents in up to so many parts of about equal size; None if there are not even two."""
    with ExitStack() as stack:
        try:
            files = [stack.enter_context(_mapped(path)) for path in paths]
        except (OSError, ValueError):  # empty, or nothing that can be mapped
            return None
        if not all(file[: len(_BEGIN)] == _BEGIN for file in files):
            return None
        places = [[0] * len(files)]
        for number in range(1, parts):
            found = _between_documents(files, max(len(files[0]) * number // parts, places[-1][0]), places[-1])
            if found is not None:
                places.append(found)
        places.append([len(file) for file in files])
    if len(places) < 3:
        return None
    return [tuple(map(Range, paths, start, end)) for start, end in pairwise(places)]


@contextmanager
def _mapped(path: str) -> Iterator[mmap.mmap]:
    with open(path, "rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as file:  # noqa: PTH123
        yield file


def _between_documents(files: Sequence[mmap.mmap], target: int, before: Sequence[int]) -> list[int] | None:
    """Where the next document of the key behind a place begins, in all files; None if they do not agree."""
    key = files[0]
    at = key.find(b"\n" + _BEGIN, target)
    if at < 0:
        return None
    line = key[at : key.find(b"\n", at + 1) + 1]
    found = [at + 1]
    for file, last in zip(files[1:], before[1:], strict=True):
        near = max(last, len(file) * at // len(key) - _NEAR)
        here = file.find(line, near, near + 2 * _NEAR)
        here = file.find(line, last) if here < 0 else here
        found.append(here + 1)
    ended = (file[max(0, here - 80) : here].rstrip().endswith(_END) for file, here in zip(files, found, strict=True))
    return found if all(ended) and all(map(int.__gt__, found, before)) else None


def _is_mixed(parts: Sequence[Bare]) -> bool:
    """Whether a name is there twice, or in another part of a response than in the key."""
    home: dict[str, int] = {}
    for number, part in enumerate(parts):
        for name, _ in part.key:
            if home.setdefault(name, number) != number:
                return True
    for place in range(len(parts[0].responses)):
        seen: set[str] = set()
        for number, part in enumerate(parts):
            names = [name for name, _ in part.responses[place][0]]
            if not seen.isdisjoint(names) or any(home.get(name, number) != number for name in names):
                return True
            seen.update(names)
    return False


@contextmanager
def _digests(paths: Sequence[str]) -> Iterator[list[Any]]:
    """The hashes of whole files, made meanwhile by a thread of this process."""
    from concurrent.futures import ThreadPoolExecutor

    pool = ThreadPoolExecutor(1)
    try:
        yield [pool.submit(_digest, path) for path in paths]
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _digest(path: str) -> str:
    import hashlib

    with open(path, "rb") as stream:  # noqa: PTH123
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _names(corpus: CorefCorpus) -> list[tuple[str, int]]:
    return [(document.id, document.tokens) for document in corpus.documents]


def _document(bare: tuple[str, int]) -> CorefDocument:
    return CorefDocument(bare[0], [], bare[1])
