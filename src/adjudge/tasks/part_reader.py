"""One part of files of JSON lines, as another process reads and counts it.

This module is all that such a process needs, so that it imports no more than that.
"""

from __future__ import annotations

import gc
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

import msgspec

from adjudge.errors import AdjudgeError
from adjudge.formats.jsonl import read_documents
from adjudge.formats.ranges import Ranges
from adjudge.tasks.observe import AnyMetric, Counted, Observer, Seen
from adjudge.tasks.slices import sliced_fields

Change: TypeAlias = Callable[[Any, Any], tuple[Any, Any]]
"""What is done to a pair of documents before they are compared."""

_AT_ONCE = 32  # documents that are compared together


class Part(NamedTuple):
    """What is known of the documents of a part, in a form that takes little time to be sent.

    `others` are ids of gold documents that were not chosen. `kinds` has the short fields that documents have, by how
    they are written, and `kind` the place of those that each document has. Of every system, `missing` are the documents
    that it does not have, `counts` float64 numbers, row by row, and `unproven` those whose search was cut short.
    """

    ids: list[str]
    others: list[str]
    kinds: dict[bytes, dict[str, Any]]
    kind: list[int]
    missing: list[list[str]]
    counts: list[bytes]
    unproven: list[dict[str, Counted]]
    written: list[bytes]


class PartReader(NamedTuple):
    """Reads and compares one part; travels to other processes."""

    metrics: tuple[AnyMetric, ...]
    columns: tuple[str, ...]
    by: tuple[str, ...]
    docs: frozenset[str] | None
    change: Change | None

    def read(self, gold: Ranges, systems: tuple[Ranges, ...]) -> Part | None:
        """The counts of a part, None if there is anything to say about it."""
        collecting = gc.isenabled()
        gc.disable()  # nothing that is read has cycles
        try:
            return self._read(gold, systems)
        except (AdjudgeError, _Unfit):
            return None
        finally:
            if collecting:
                gc.enable()

    def _read(self, gold: Ranges, systems: tuple[Ranges, ...]) -> Part:
        (ours, own), *theirs = (_documents(ranges) for ranges in (gold, *systems))
        if any(each.keys() - ours.keys() for each, _ in theirs):
            raise _Unfit("a document that gold does not have, at least not here")
        chosen = {name: each for name, each in ours.items() if self.docs is None or name in self.docs}
        pairs = [self._changed(each, tuple(other.get(name) for other, _ in theirs)) for name, each in chosen.items()]
        kinds, kind = _kinds(sliced_fields(chosen.values(), self.by, self.metrics))
        counts, unproven = self._counts(list(chosen), pairs, len(theirs))
        return Part(
            list(chosen),
            [name for name in ours if name not in chosen],
            kinds,
            kind,
            [[name for name in chosen if name not in other] for other, _ in theirs],
            counts,
            unproven,
            [own, *(written for _, written in theirs)],
        )

    def _counts(
        self, ids: Sequence[str], pairs: Sequence[tuple[Any, tuple[Any, ...]]], systems: int
    ) -> tuple[list[bytes], list[dict[str, Counted]]]:
        """The rows of every system, and what is known of those whose search was cut short."""
        columns, names = self.columns, set(self.columns)
        rows = [array("d") for _ in range(systems)]
        unproven: list[dict[str, Counted]] = [{} for _ in range(systems)]
        for name, seen in zip(ids, self._seen(pairs), strict=True):
            for row, found, each in zip(rows, unproven, seen, strict=True):
                counts = each.whole.counts
                if counts.keys() != names:
                    raise _Unfit("a metric that does not count what it says")
                row.extend([float(counts[column]) for column in columns])
                if not each.whole.optimal:
                    found[name] = each.whole
        return [row.tobytes() for row in rows], unproven

    def _seen(self, pairs: Sequence[tuple[Any, tuple[Any, ...]]]) -> Iterator[list[Seen]]:
        observer = Observer(self.metrics)
        for start in range(0, len(pairs), _AT_ONCE):
            for observed in observer.many(pairs[start : start + _AT_ONCE]):
                if observed.complaints:
                    raise _Unfit("a document that the metric cannot compare")
                yield observed.systems

    def _changed(self, gold: Any, systems: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...]]:
        if self.change is None:
            return gold, systems
        both = [self.change(gold, each) for each in systems]
        return both[0][0], tuple(system for _, system in both)


class _Unfit(Exception):
    """A part has to be looked at together with the others."""


class _Written(bytearray):
    """Takes what a hash would take."""

    def update(self, data: bytes) -> None:
        self.extend(data)


def _kinds(documents: Iterable[dict[str, Any]]) -> tuple[dict[bytes, dict[str, Any]], list[int]]:
    """Every kind of fields once, and which kind each document has."""
    kinds: dict[bytes, dict[str, Any]] = {}
    numbers: dict[bytes, int] = {}
    kind = []
    for fields in documents:
        key = _write(fields)
        kinds.setdefault(key, fields)
        kind.append(numbers.setdefault(key, len(numbers)))
    return kinds, kind


_write = msgspec.json.Encoder().encode  # tells 1, 1.0 and true apart, and one order of fields from another


def _documents(ranges: Ranges) -> tuple[dict[str, Any], bytes]:
    """The documents of a part of one side, by id, and what they say."""
    documents: dict[str, Any] = {}
    written = _Written()
    for each in ranges:
        data = each.read()
        if each.start and data.startswith(b"\xef\xbb\xbf"):
            raise _Unfit("a mark that belongs to the beginning of a file")
        if not data.strip():
            continue  # blank lines between documents, of which the file has others
        for document in read_documents(data, digest=written):
            if document.id in documents:
                raise _Unfit("an id is given twice")
            documents[document.id] = document.data
    return documents, bytes(written)
