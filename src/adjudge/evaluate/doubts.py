"""Notes on a result that looks like a mistake in the files: sides that are swapped, offsets that are off everywhere.

Such files score next to nothing, and the numbers do not say why. The names of files tell swapped sides. The spans of
gold and system are compared as pairs of numbers, document by document; a note tells if hardly any is equal and most
would be if all were moved alike.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import msgspec

if TYPE_CHECKING:
    from adjudge.stats.result import Note, Result, SystemResult

Span: TypeAlias = tuple[int, int]

_DEEP = 20  # how far down in a document spans are looked for
_FAR = 2  # how far offsets are moved in search of equal ones
_SCALARS = frozenset((str, int, float, bool, type(None)))
_ENOUGH = 3  # spans below which nothing can be told
_LOOKED_AT = 50_000  # spans of a system that are looked at
_MOVES = sorted(
    ((a, b) for a in range(-_FAR, _FAR + 1) for b in range(-_FAR, _FAR + 1) if a or b),
    key=lambda move: (abs(move[0]) + abs(move[1]), move),
)
_NUMBERS = ("no", "one", "two")
GOLD = frozenset(("gold", "golden", "goldstandard", "key", "keys", "reference", "references", "truth", "groundtruth"))
SYSTEM = frozenset(
    ("system", "sys", "pred", "preds", "prediction", "predictions", "predicted", "response", "responses", "output")
)
Spans: TypeAlias = Callable[[], Iterable[tuple[str, Iterable[Span]]]]
"""Gives the ids of documents and the spans in them, once more if it is called again."""


class Compared(NamedTuple):
    """What was compared: files and spans of gold and of every system, and what spans count.

    `metric` is the one that tells whether spans are equal, if there is such a one, else any may; `low` is the F1 below
    which spans are looked at.
    """

    paths: tuple[str | None, ...]
    spans: tuple[Spans, ...]
    unit: str
    metric: str | None = None
    low: float = 0.2


def with_doubts(result: Result, compared: Compared) -> Result:
    """The result with notes on systems that look as if something was wrong with the files.

    Spans are asked for only if a score is low.
    """
    gold: dict[str, set[Span]] | None = None
    systems = []
    for place, system in enumerate(result.systems, 1):
        notes: list[Note] = []
        swapped = swapped_note(compared.paths[0], compared.paths[place])
        if swapped is not None and all(note.code != swapped.code for note in system.notes):
            notes.append(swapped)
        if _is_low(system, compared):
            gold = _gathered(compared.spans[0]) if gold is None else gold
            own = _gathered(compared.spans[place])
            shared = sorted(name for name in gold if name in own)
            notes += offset_notes([(gold[name], own[name]) for name in shared], unit=compared.unit)
        systems.append(msgspec.structs.replace(system, notes=(*system.notes, *notes)) if notes else system)
    return msgspec.structs.replace(result, systems=tuple(systems))


def _is_low(system: SystemResult, compared: Compared) -> bool:
    """Whether the F1 of a system is so low that it may be a mistake."""
    whole = [score for score in system.scores if not score.slice and score.part == "f1"]
    telling = [score for score in whole if score.metric == compared.metric] or whole
    return any(score.value is not None and score.value < compared.low for score in telling)


def _gathered(spans: Spans) -> dict[str, set[Span]]:
    return {name: set(own) for name, own in spans()}


def swapped_note(gold: str | None, system: str | None) -> Note | None:
    """A note if the file of the system is called like gold, and that of gold is not.

    >>> swapped_note("pred.jsonl", "gold.jsonl").message
    'the system is called gold.jsonl and gold is called pred.jsonl: are the two swapped?'
    >>> swapped_note("gold.jsonl", "gold2.jsonl") is None
    True
    """
    if gold is None or system is None:
        return None
    names = PurePath(system).name, PurePath(gold).name
    theirs, ours = (set(re.split(r"[^a-z]+", name.lower())) for name in names)
    if not theirs & GOLD or theirs & SYSTEM or ours & GOLD:
        return None
    from adjudge.stats.result import Note

    return Note("swapped", 1, f"the system is called {names[0]} and gold is called {names[1]}: are the two swapped?")


def offset_notes(pairs: Iterable[tuple[Iterable[Span], Iterable[Span]]], *, unit: str = "character") -> list[Note]:
    """A note if the spans of a system (second of each pair) are those of gold (first), moved by the same little way.

    >>> [note.message for note in offset_notes([([(0, 4), (9, 12), (20, 27)], [(0, 3), (9, 11), (20, 26)])])]
    ['every system span ends one character before a gold span with the same start: does one side count ends ...]
    """
    from adjudge.stats.result import Note

    documents = list(_distinct(pairs))
    gold, system = (sum(len(each[side]) for each in documents) for side in (0, 1))
    fewer = min(gold, system)
    equal = sum(len(ours & theirs) for ours, theirs in documents)
    if fewer < _ENOUGH or equal * 10 > fewer:
        return []
    best = max(_MOVES, key=lambda move: _moved(documents, move))  # the first of equals, which is the nearest
    found = _moved(documents, best)
    if found * 2 < fewer or found < max(_ENOUGH, 5 * equal):
        return []
    who = "every system span" if found == system else f"of {system} system spans {found}"
    return [Note("off-by-one", found, f"{_told(who, best, unit, one=found == system)}")]


def spans_in(value: Any, depth: int = 0) -> Iterator[Span]:
    """All in a value that has a start and an end, wherever it is.

    >>> sorted(spans_in({"span": {"start": 3, "end": 5}, "other": [{"start": 7, "end": 9, "x": "a"}]}))
    [(3, 5), (7, 9)]
    """
    inner: Iterable[Any]
    if depth > _DEEP:
        return
    if type(value) is dict or isinstance(value, Mapping):
        start, end, inner = value.get("start"), value.get("end"), value.values()
    elif isinstance(value, str | bytes | int | float) or value is None:
        return
    elif isinstance(value, list | tuple | Set):
        start, end, inner = None, None, value
    else:
        names = getattr(value, "__struct_fields__", None) or getattr(value, "__dataclass_fields__", None) or ()
        start, end = getattr(value, "start", None), getattr(value, "end", None)
        inner = [getattr(value, name) for name in names]
    if type(start) is int and type(end) is int:
        yield start, end
    if not _SCALARS.issuperset(map(type, inner)):
        for each in inner:
            yield from spans_in(each, depth + 1)


def _distinct(pairs: Iterable[tuple[Iterable[Span], Iterable[Span]]]) -> Iterable[tuple[set[Span], set[Span]]]:
    seen = 0
    for gold, system in pairs:
        sides = set(gold), set(system)
        yield sides
        seen += len(sides[1])
        if seen > _LOOKED_AT:
            break


def _moved(documents: Sequence[tuple[set[Span], set[Span]]], move: Span) -> int:
    """How many system spans are gold spans whose start and end were moved so far."""
    start, end = move
    return sum(sum((a - start, b - end) in ours for a, b in theirs) for ours, theirs in documents)


def _told(who: str, move: Span, unit: str, *, one: bool) -> str:
    start, end = move
    far = _distance(start or end, unit)
    s = "s" if one else ""
    if start == end:
        side = "after" if start > 0 else "before"
        hint = f"does one side count {unit}s from 0 and the other from 1?"
        return f"{who} begin{s} and end{s} {far} {side} a gold span: {hint}"
    if start == 0:
        side = "after" if end > 0 else "before"
        late = "gold" if end > 0 else "system"
        hint = f"does one side count ends inclusively and the other exclusively (set {late}_ends=inclusive)?"
        return f"{who} end{s} {far} {side} a gold span with the same start: {hint}"
    if end == 0:
        side = "after" if start > 0 else "before"
        hint = f"does one side count {unit}s from 1, with the end included?"
        return f"{who} begin{s} {far} {side} a gold span with the same end: {hint}"
    first, second = ("after" if each > 0 else "before" for each in (start, end))
    return (
        f"{who} begin{s} {_distance(start, unit)} {first} and end{s} {_distance(end, unit)} {second} a gold span: "
        "do both sides count in the same way?"
    )


def _distance(number: int, unit: str) -> str:
    return f"{_NUMBERS[abs(number)]} {unit}{'s' * (abs(number) > 1)}"
