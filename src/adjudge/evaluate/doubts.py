"""Notes on a result that looks like a mistake in the files: offsets that are off everywhere, swapped sides."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import msgspec

from adjudge.evaluate.offsets import Span, offset_notes
from adjudge.evaluate.swapped import swapped_note

if TYPE_CHECKING:
    from adjudge.stats.result import Note, Result, SystemResult

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
