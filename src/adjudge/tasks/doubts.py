"""Notes on a result that looks like a mistake in the files: offsets that are off everywhere, swapped sides."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import msgspec

from adjudge.evaluate.offsets import Span, offset_notes
from adjudge.evaluate.swapped import swapped_note

if TYPE_CHECKING:
    from adjudge.stats.result import Note, Result, SystemResult

Documents: TypeAlias = Callable[[], Iterable[tuple[str, Any]]]
"""Gives ids and documents, once more if it is called again."""

_LOW = 0.2  # a score below which the offsets are looked at
_DEEP = 20


class Compared(NamedTuple):
    """What was compared: the fields of documents (None: all of them), their unit of offsets, and the files."""

    fields: frozenset[str] | None
    unit: str
    paths: tuple[str | None, ...]  # of gold and of every system
    documents: tuple[Documents, ...]  # likewise


def with_doubts(result: Result, compared: Compared) -> Result:
    """The result with notes on systems that look as if something was wrong with the files.

    The documents are read again only if a score is low.
    """
    gold: dict[str, set[Span]] | None = None
    systems = []
    for place, system in enumerate(result.systems, 1):
        notes: list[Note] = []
        swapped = swapped_note(compared.paths[0], compared.paths[place])
        if swapped is not None:
            notes.append(swapped)
        if is_low(system):
            if gold is None:
                gold = _spans(compared.documents[0](), compared.fields)
            own = _spans(compared.documents[place](), compared.fields)
            notes += offset_notes(
                [(spans, own[name]) for name, spans in sorted(gold.items()) if name in own], unit=compared.unit
            )
        systems.append(msgspec.structs.replace(system, notes=(*system.notes, *notes)) if notes else system)
    return msgspec.structs.replace(result, systems=tuple(systems))


def is_low(system: SystemResult) -> bool:
    """Whether the F1 of any metric of a system is so low that it may be a mistake."""
    whole = [score for score in system.scores if not score.slice and score.part == "f1"]
    return any(score.value is not None and score.value < _LOW for score in whole)


def spans_in(value: Any, depth: int = 0) -> Iterator[Span]:
    """All that has a start and an end, wherever it is.

    >>> sorted(spans_in({"span": {"start": 3, "end": 5}, "other": [{"start": 7, "end": 9, "x": "a"}]}))
    [(3, 5), (7, 9)]
    """
    if depth > _DEEP or isinstance(value, str | bytes | int | float) or value is None:
        return
    inner: Iterable[Any]
    if isinstance(value, Mapping):
        start, end, inner = value.get("start"), value.get("end"), value.values()
    elif isinstance(value, list | tuple | Set):
        start, end, inner = None, None, value
    else:
        names = getattr(value, "__struct_fields__", None) or getattr(value, "__dataclass_fields__", None) or ()
        start, end = getattr(value, "start", None), getattr(value, "end", None)
        inner = [getattr(value, name) for name in names]
    if type(start) is int and type(end) is int:
        yield start, end
    for each in inner:
        yield from spans_in(each, depth + 1)


def _spans(documents: Iterable[tuple[str, Any]], fields: frozenset[str] | None) -> dict[str, set[Span]]:
    return {name: set(spans_in(_chosen(data, fields))) for name, data in documents}


def _chosen(data: Any, fields: frozenset[str] | None) -> Sequence[Any]:
    if fields is None:
        return [data]
    if isinstance(data, Mapping):
        return [data[name] for name in fields if name in data] or ([] if "id" in data else [data])
    found = [getattr(data, name) for name in fields if hasattr(data, name)]
    return found or [data]
