"""Documents that come one by one or in batches, and from several processes, scored when somebody asks."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from adjudge.errors import UsageError
from adjudge.evaluate.task import Side
from adjudge.model.document import CorpusNote, Document, Reading
from adjudge.tasks.documents import digest_of
from adjudge.tasks.named import asking, task_of
from adjudge.tasks.request import repeatable

if TYPE_CHECKING:
    from adjudge.stats.result import Result
    from adjudge.tasks.request import Asking

_TEXTS = ("ner", "linking", "relation", "event")  # tasks whose documents are no texts: a text is an answer


# Fields of documents without positions, by those of documents with them.
_OTHER = {"entities": "mentions", "relations": "triples"}


class _Pair(NamedTuple):
    """One document on both sides; the id is None if nobody has given one."""

    id: str | None
    gold: Any
    system: Any


class State:
    """Documents as they come: `add`, `add_batch`, `merge`, and `result` of all of them so far.

    Counts are those of `score` on the whole, and so are the intervals if the ids are the same. Documents without ids
    are numbered in their order, those of a merged state after one's own. It can be pickled, to be gathered from other
    processes. `update` and `compute` are other names of `add_batch` and `result`.
    """

    def __init__(self, task: Any, *, metrics: Any = None, **options: Any) -> None:
        self._asked = (task, metrics, options)
        self._request: Asking | None = None
        self._pairs: list[_Pair] = []
        self._ids: set[str] = set()
        self._notes: dict[tuple[str, str], CorpusNote] = {}
        self._readings: dict[str, Reading] = {}
        self._asking()  # which says what is wrong with the options

    def _asking(self, **run: Any) -> Asking:
        task, metrics, options = self._asked
        if run:
            return asking(task, metrics, None, {**options, **run})
        if self._request is None:
            self._request = asking(task, metrics, None, dict(options))
        return self._request

    def add(self, gold: Any, system: Any, id: object = None) -> None:
        """Add one document, as gold and as the system has it (None if it has not)."""
        named = task_of(self._asked[0])
        if isinstance(system, str) and named is not None and named.name in _TEXTS:
            system = {"output": system}
        self.add_batch([gold], () if system is None else [system], None if id is None else [id])

    def add_batch(self, gold: Any, system: Any, ids: Sequence[object] | None = None) -> None:
        """Add several documents, in any of the shapes that `score` takes."""
        mine, theirs = self._asking().sides(gold, system)
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
            raise UsageError(f"the document {twice!r} was added already", hint="give every document its own id")
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
        """Take in all documents of another state of the same task, as of another process."""
        if repr(other._asked) != repr(self._asked):
            raise UsageError("the states are of different tasks or options", hint="make both in the same way")
        self._take(other._pairs)
        for (side, _), note in other._notes.items():
            self._note(side, note)
        self._readings = {**other._readings, **self._readings}

    def result(self, **run: Any) -> Result:
        """The result of all documents so far; options of the run, such as `bootstrap`, may be given here."""
        if not self._pairs:
            raise UsageError("there is no document yet", hint="add some")
        named = _alike(self._named())
        gold = self._side("gold", {name: pair.gold for name, pair in named.items()})
        found = {name: pair.system for name, pair in named.items() if pair.system is not None}
        return repeatable(self._asking(**run), gold, self._side("system", found))

    def _named(self) -> dict[str, _Pair]:
        """All pairs by id; those without one by their number, as far as it is free."""
        found: dict[str, _Pair] = {}
        number = 0
        for pair in self._pairs:
            name = pair.id
            while name is None:
                number += 1
                name = str(number) if str(number) not in self._ids else None
            found[name] = pair
        return found

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
        """Forget all documents."""
        self._pairs, self._ids, self._notes, self._readings = [], set(), {}, {}

    def __len__(self) -> int:
        return len(self._pairs)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_request": None}

    def __repr__(self) -> str:
        return f"<State of {self._asked[0]}: {len(self)} document{'s' * (len(self) != 1)}>"

    update = add_batch
    compute = result


def _alike(pairs: dict[str, _Pair]) -> dict[str, _Pair]:
    """Pairs in which documents without anything have the field of the others: alone they did not know it."""
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


def _digest(documents: dict[str, Any]) -> str:
    from hashlib import sha256

    return sha256(repr(list(documents.items())).encode("utf-8", "backslashreplace")).hexdigest()


def _renamed(document: Any, name: str) -> Any:
    """A document under the id that it has in the end."""
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
