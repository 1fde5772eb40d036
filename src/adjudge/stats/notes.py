"""What a reader should know of scores that the numbers do not say of themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from adjudge.stats.result import Note, Slice
from adjudge.stats.text import slice_text

if TYPE_CHECKING:
    from adjudge.stats.estimator import Estimator
    from adjudge.stats.resample import Samples

SHOWN = 5


def scope_notes(name: str, estimator: Estimator, samples: Samples | None, where: Slice) -> list[Note]:
    """What the numbers do not say of themselves."""
    import numpy as np

    from adjudge.stats.estimator import Additive
    from adjudge.stats.reduce import undefined_documents

    place = f" in {slice_text(where)}" if where else ""
    documents = len(estimator.ids)
    if documents == 0:
        return [Note("no-documents", 0, f"there are no documents{place}, so nothing was scored")]
    notes = []
    if documents == 1 and samples:
        notes.append(Note("one-document", 1, f"with one document{place} the interval cannot show any uncertainty"))
    points = samples.points[name] if samples else estimator.point()
    undefined = [" ".join(key) for key in estimator.keys if np.isnan(points[key])]
    if undefined:
        message = f"{len(undefined)} of {len(estimator.keys)} scores{place} are undefined (nothing to divide by)"
        notes.append(Note("undefined", len(undefined), message, tuple(undefined[:SHOWN])))
    if isinstance(estimator, Additive) and estimator.pool == "macro" and not where:
        left_out: dict[tuple[str, tuple[str, ...]], list[str]] = {}
        for (metric, part), ids in undefined_documents(estimator.table, estimator.measures).items():
            left_out.setdefault((metric, ids), []).append(part)
        for (metric, ids), parts in left_out.items():
            message = f"the mean of {metric} {', '.join(parts)} leaves out {_documents(len(ids))} without a value"
            notes.append(Note("undefined-document", len(ids), message, tuple(sorted(ids)[:SHOWN])))
    for metric, part in estimator.keys if samples else ():
        missing = int(np.isnan(samples.values[name][metric, part]).sum()) if samples else 0
        if missing and not np.isnan(points[metric, part]):
            message = f"the interval of {metric} {part}{place} leaves out resampled corpora without a value"
            notes.append(Note("undefined-resample", missing, message))
    return notes


def summed_up(notes: Sequence[tuple[Slice, Note]]) -> list[Note]:
    """The notes, those that say the same of several slices as one."""
    groups: dict[object, list[tuple[Slice, Note]]] = {}
    for number, (where, note) in enumerate(notes):
        place = f" in {slice_text(where)}" if where else ""
        repeatable = where and note.code in ("one-document", "undefined-resample")
        key: object = (note.code, note.message.replace(place, " in {}")) if repeatable else number
        groups.setdefault(key, []).append((where, note))
    found = []
    for about, members in groups.items():
        _, note = members[0]
        if len(members) > 1 and isinstance(about, tuple):
            message = str(about[1]).replace(" in {}", f" in {len(members)} slices")
            note = Note(note.code, len(members), message, tuple(slice_text(where) for where, _ in members[:SHOWN]))
        found.append(note)
    return found


def _documents(number: int) -> str:
    return f"{number} document{'s' * (number != 1)}"
