"""Documents added one by one, in batches or from several processes, and scored on demand; results merged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from msgspec.structs import replace

from adjudge.errors import Problem, UsageError
from adjudge.evaluate.engine import Counted, Evaluation, by_position
from adjudge.evaluate.task import Side
from adjudge.model.document import CorpusNote, Document, Reading
from adjudge.tasks.documents import digest_of
from adjudge.tasks.named import asking, task_of
from adjudge.tasks.request import repeatable

if TYPE_CHECKING:
    from adjudge.stats.result import Result
    from adjudge.stats.scores import Drawing
    from adjudge.tasks.request import Asking

_TEXTS = ("ner", "linking", "relation", "event")  # tasks whose documents are not strings: a string is an answer


# Fields of documents without positions, by those of documents with them.
_OTHER = {"entities": "mentions", "relations": "triples"}


class _Pair(NamedTuple):
    """One document on both sides; the id is None if none was given."""

    id: str | None
    gold: Any
    system: Any


_HELD = 500  # minimum number of documents held, once some have been dropped


class _Counts(NamedTuple):
    """What remains of documents whose contents were dropped: counts, and whether the system has each of them."""

    ids: list[str | None]
    names: tuple[str, ...]
    found: list[bool]
    columns: tuple[str, ...]
    attributes: list[Any]
    counted: Counted
    digests: tuple[str, str]


class State:
    """Documents as they arrive: `add`, `add_batch`, `merge`, and `result` over all of them so far.

    Counts equal those of `score` on all documents, and so do the intervals if the ids are the same. Documents without
    ids are numbered in order, those of a merged state after the existing ones. It can be pickled, to be collected from
    other processes. `update` and `compute` are aliases of `add_batch` and `result`.

    Of many documents only the last few hundred are held, and the counts of all others; with `documents=True` all are
    held, so that any of them can be explained, as they are for tasks whose scores are not sums over documents.
    """

    def __init__(self, task: Any, *, metrics: Any = None, **options: Any) -> None:
        self._asked = (task, metrics, options)
        self._request: Asking | None = None
        self._pairs: list[_Pair] = []
        self._parts: list[_Counts] = []
        self._ids: set[str] = set()
        self._notes: dict[tuple[str, str], CorpusNote] = {}
        self._readings: dict[str, Reading] = {}
        self._asking()  # reports what is wrong with the options

    def _asking(self, **run: Any) -> Asking:
        task, metrics, options = self._asked
        if run:
            return asking(task, metrics, None, {**options, **run})
        if self._request is None:
            self._request = asking(task, metrics, None, dict(options))
        return self._request

    def add(self, gold: Any, system: Any, id: object = None) -> None:
        """Add one document: gold and the system's (None if the system has none)."""
        named = task_of(self._asked[0])
        if isinstance(system, str) and named is not None and named.name in _TEXTS:
            system = {"output": system}
        self.add_batch([gold], () if system is None else [system], None if id is None else [id])

    def add_batch(self, gold: Any, system: Any, ids: Sequence[object] | None = None) -> None:
        """Add several documents, in any of the shapes that `score` takes."""
        mine, theirs = self._asking().sides(gold, system)
        theirs = by_position(mine, theirs)
        own = [str(each) for each in ids] if ids is not None else None
        if own is not None and len(own) != len(mine.documents):
            raise UsageError(f"{len(own)} ids for {len(mine.documents)} documents", hint="give one for each, or none")
        unknown = [name for name in theirs.documents if name not in mine.documents]
        if unknown:
            raise UsageError(f"the document {unknown[0]!r} is not in gold", hint="add both sides of a document at once")
        given = list(mine.documents) if not _is_numbered(mine) else [None] * len(mine.documents)
        pairs = [
            _Pair(name, mine.documents[key], theirs.documents.get(key))
            for key, name in zip(mine.documents, own or given, strict=True)
        ]
        self._take(pairs)
        self._shrink()
        for side, which in ((mine, "gold"), (theirs, "system")):
            for note in side.notes:
                if isinstance(note, CorpusNote) and note.code != "one-document":
                    self._note(which, note)
            if side.reading is not None:
                self._readings[which] = side.reading

    def _take(self, pairs: Sequence[_Pair]) -> None:
        names = [pair.id for pair in pairs if pair.id is not None]
        twice = next((name for at, name in enumerate(names) if name in self._ids or name in names[:at]), None)
        if twice is not None:
            raise UsageError(f"the document {twice!r} was already added", hint="give every document its own id")
        self._ids.update(names)
        self._pairs += pairs

    def _note(self, side: str, note: CorpusNote) -> None:
        known = self._notes.get((side, note.code))
        if known is not None:
            count = known.count + note.count
            message = known.message.replace(str(known.count), str(count), 1)
            note = CorpusNote(note.code, count, message, (*known.examples, *note.examples)[:10])
        self._notes[side, note.code] = note

    def merge(self, other: State) -> None:
        """Add all documents of another state of the same task, for example from another process."""
        if repr(other._asked) != repr(self._asked):
            raise UsageError("the states have different tasks or options", hint="make both in the same way")
        self._take([*other._pairs, *(_Pair(name, None, None) for part in other._parts for name in part.ids)])
        self._pairs = self._pairs[: len(self._pairs) - len(other)]
        if (self._parts or other._parts) and self._pairs and other._pairs:
            self._count(len(self._pairs))
        self._parts += other._parts
        self._pairs += other._pairs
        self._shrink()
        for (side, _), note in other._notes.items():
            self._note(side, note)
        self._readings = {**other._readings, **self._readings}

    def result(self, **run: Any) -> Result:
        """The result of all documents so far; options of the run, such as `bootstrap`, may be given here."""
        if not self._pairs:
            raise UsageError("there is no document yet", hint="add some")
        names = self._names([*(name for part in self._parts for name in part.ids), *(pair.id for pair in self._pairs)])
        forgotten = sum(len(part.ids) for part in self._parts)
        request = self._asking(**run)
        gold, system = self._sides(names[forgotten:], self._pairs)
        if not self._parts:
            return repeatable(request, gold, system)
        if request.run.by != self._asking().run.by or request.run.align:
            wanted = "slices" if not request.run.align else "documents=True"
            raise UsageError("documents already counted are not kept", hint=f"ask the new state for {wanted}")
        return self._whole(request.evaluated(gold, system), names[:forgotten]).result()

    def _names(self, ids: Sequence[str | None]) -> list[str]:
        """The ids of documents; one without an id gets its number, if that is free."""
        found: list[str] = []
        number = 0
        for name in ids:
            while name is None:
                number += 1
                name = str(number) if str(number) not in self._ids else None
            found.append(name)
        return found

    def _sides(self, names: Sequence[str], pairs: Sequence[_Pair]) -> tuple[Any, Any]:
        """Gold and system of some documents."""
        named = _alike(dict(zip(names, pairs, strict=True)))
        gold = self._side("gold", {name: pair.gold for name, pair in named.items()})
        return gold, self._side(
            "system", {name: pair.system for name, pair in named.items() if pair.system is not None}
        )

    # -----------------------------------------------------------------------------------------------------------------
    # Documents whose counts suffice

    def _adds_up(self) -> bool:
        """Whether scores are made of sums over documents, and the documents need not be kept."""
        from adjudge.tasks.coref.task import CorefTask
        from adjudge.tasks.task import MetricsTask

        request = self._asking()
        if request.run.align:
            return False
        task = request.evaluated(*self._sides(["1"], self._pairs[:1])).task if self._pairs else None
        return isinstance(task, CorefTask) or (isinstance(task, MetricsTask) and not task.clustered)

    def _shrink(self) -> None:
        """Drop the contents of the first of many documents."""
        if len(self._pairs) >= 2 * _HELD and self._adds_up():
            self._count(len(self._pairs) - _HELD)

    def _count(self, number: int) -> None:
        """Count the first documents, and drop their contents."""
        pairs = self._pairs[:number]
        names = self._names([pair.id for pair in pairs])
        gold, system = self._sides(names, pairs)
        found = self._asking().evaluated(gold, system)
        (own,) = found.systems.values()
        digests = found.gold.hashed(), own.side.hashed()
        own.side = Side("system", "", {})
        here = [pair.system is not None for pair in pairs]
        ids = [pair.id for pair in pairs]
        self._parts.append(_Counts(ids, tuple(names), here, found.task.columns, found.attributes, own, digests))
        self._pairs = self._pairs[number:]

    def _whole(self, last: Evaluation, names: Sequence[str]) -> Evaluation:
        """The documents held, and the counts of all before them, under these names."""
        (own,) = last.systems.values()
        other = next((part for part in self._parts if part.columns != last.task.columns), None)
        if other is not None:
            raise UsageError("the documents are scored by different metrics", hint="name the metrics of the state")
        held, whole = [last.gold, own.side], Counted(own.side)
        gold, system = dict[str, Any](), dict[str, Any]()
        at = 0
        for part in self._parts:
            called = dict(zip(part.names, names[at:], strict=False))
            at += len(part.ids)
            gold |= dict.fromkeys(called.values())
            system |= {called[name]: None for name, here in zip(part.names, part.found, strict=True) if here}
            whole.counts.extend(part.counted.counts)
            whole.details += part.counted.details
            whole.remarks += [(called[name], remark) for name, remark in part.counted.remarks]
        whole.counts.extend(own.counts)
        whole.details += own.details
        whole.remarks += own.remarks
        digests = [
            _hash_of([*(part.digests[side] for part in self._parts), each.hashed()]) for side, each in enumerate(held)
        ]
        sides = [
            replace(each, documents={**before, **each.documents}, digest=digest, reading=_of(each.reading, size))
            for each, before, digest, size in zip(held, (gold, system), digests, [len(self)] * 2, strict=True)
        ]
        whole.side = sides[1]
        return msgspec.structs.replace(
            last,
            gold=sides[0],
            ids=(*names, *last.ids),
            attributes=[*(each for part in self._parts for each in part.attributes), *last.attributes],
            systems={own.side.name: whole},
            apart=True,
            sources=tuple(held),
        )

    def _side(self, which: str, documents: dict[str, Any]) -> Any:
        made = {name: _renamed(each, name) for name, each in documents.items()}
        task = task_of(self._asked[0])
        if task is not None and task.name == "nugget":
            return list(made.values())
        notes = tuple(note for (side, _), note in self._notes.items() if side == which)
        ids = "given" if self._ids else "position"
        usual = Reading(shape="documents", documents=len(made), ids=ids)
        kept = self._readings.get(which, usual)
        reading = msgspec.structs.replace(kept, documents=len(made), ids=ids, notes=notes)
        plain = all(isinstance(each, Document) for each in made.values())
        digest = partial(digest_of, made) if plain else partial(_digest, made)
        return Side(which, "", made, digest, notes=notes, reading=reading)

    def reset(self) -> None:
        """Remove all documents."""
        self._pairs, self._parts, self._ids, self._notes, self._readings = [], [], set(), {}, {}

    def __len__(self) -> int:
        return sum(len(part.ids) for part in self._parts) + len(self._pairs)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_request": None}

    def __repr__(self) -> str:
        return f"<State of {self._asked[0]}: {len(self)} document{'s' * (len(self) != 1)}>"

    update = add_batch
    compute = result


def _alike(pairs: dict[str, _Pair]) -> dict[str, _Pair]:
    """Pairs in which empty documents get the field that the others have: on their own it is unknown."""
    datas = [each.data for pair in pairs.values() for each in pair[1:] if isinstance(each, Document)]
    known = [each for each in datas if isinstance(each, dict)]
    for usual, other in _OTHER.items():
        if any(other in each and usual not in each for each in known):
            change = partial(_under, usual, other)
            pairs = {
                name: pair._replace(gold=change(pair.gold), system=change(pair.system)) for name, pair in pairs.items()
            }
    return pairs


def _under(usual: str, other: str, document: Any) -> Any:
    if document is None or document.data.get(usual, True):
        return document
    data = {**{key: value for key, value in document.data.items() if key != usual}, other: []}
    return Document(id=document.id, data=data)


def _is_numbered(side: Side) -> bool:
    return side.paired_by_place if side.reading is None else side.reading.ids == "position"


def _of(reading: Reading | None, documents: int) -> Reading | None:
    return None if reading is None else msgspec.structs.replace(reading, documents=documents)


def _hash_of(digests: Sequence[str]) -> str:
    from hashlib import sha256

    return sha256("".join(digests).encode()).hexdigest()


def _digest(documents: dict[str, Any]) -> str:
    from hashlib import sha256

    return sha256(repr(list(documents.items())).encode("utf-8", "backslashreplace")).hexdigest()


def _renamed(document: Any, name: str) -> Any:
    """A document under its final id."""
    if isinstance(document, Document):
        data = document.data
        if isinstance(data, dict) and "id" in data and data["id"] != name:
            data = {**data, "id": name}
        return document if document.id == name and data is document.data else Document(id=name, data=data)
    if document.id == name:
        return document
    found = copy(document)
    found.id = name
    return found


_WHOLE: Mapping[str, str] = {
    "double-annotation": "nuggets that are annotated twice are aligned at best for the whole corpus at once",
    "stopped": "a repeated id stops the count of the whole corpus, as in the program of 2015",
}
"""Notes of parts whose counts differ from those of the same documents in the whole corpus, and why."""


def merge(
    parts: Sequence[Result],
    *,
    names: Sequence[str] | None = None,
    by: Sequence[str] | None = None,
    bootstrap: int | None = None,
    level: float | None = None,
    seed: int | None = None,
    test: str | None = None,
    interval: str | None = None,
    order: Iterable[str] | None = None,
) -> Result:
    """The result of scoring the documents of all parts at once; see `adjudge.stats.merge`.

    >>> from adjudge.tasks.scoring import score
    >>> one = score("record.set", [{"id": "a", "items": [1]}], {"s": [{"id": "a", "items": [1]}]})
    >>> two = score("record.set", [{"id": "b", "items": [2, 3]}], {"s": [{"id": "b", "items": [2]}]})
    >>> merge([one, two])["record.set"].recall
    0.6667 [0.0000, 1.0000]
    """
    from adjudge.stats.merge import merge as merge_tables

    called = list(names) if names is not None else [f"part {number}" for number in range(1, len(parts) + 1)]
    if len(parts) > 1:
        _refuse_whole(parts, called)
    draws: dict[str, Any] = {"bootstrap": bootstrap, "level": level, "seed": seed, "test": test, "interval": interval}
    drawing = _drawing(parts[0]) if parts else None
    draws |= {} if drawing is None else {"drawing": drawing}
    result = merge_tables(parts, names=called, by=by, order=order, **draws)
    return _with_genres(result) if result.task == "eal" else result


def _refuse_whole(parts: Sequence[Result], called: Sequence[str]) -> None:
    problems = [
        Problem(f"cannot be merged: {_WHOLE[note.code]}", path=name, hint="score all documents at once")
        for result, name in zip(parts, called, strict=True)
        for note in dict.fromkeys(note for system in result.systems for note in system.notes)
        if note.code in _WHOLE
    ]
    if problems:
        raise UsageError(list(dict.fromkeys(problems)))


def _drawing(first: Result) -> Drawing | None:
    """How corpora are drawn, if the profile uses the generator of the official programs."""
    if first.task != "eal":
        return None
    from adjudge.tasks.eal.ranking import drawing_of
    from adjudge.tasks.eal.settings import PROFILES

    profile = PROFILES.get(first.profile)
    return None if profile is None else drawing_of(profile)


def _with_genres(result: Result) -> Result:
    """The signature of a result by genre names the genres of all documents."""
    from adjudge.stats.inference import hash_chunks, signature
    from adjudge.stats.result import result_fields

    options, table = result.options, result.systems[0].table
    assert options is not None
    assert table is not None
    if "genre" not in table.attributes or "genres" not in options.fields:
        return result
    genres = "\n".join(str(each) for each in table.attributes["genre"]).encode()
    fields = {**options.fields, "genres": "#" + hash_chunks([genres])[:4]}
    options = msgspec.structs.replace(options, fields=fields)
    line = result_fields(result.profile, result.systems[0].documents, len(result.systems), options)
    return msgspec.structs.replace(result, options=options, signature=signature(result.task, line))
