"""What a reader should know of scores that the numbers do not say of themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from adjudge.stats.measure import Blanc, Measure, Prf, Ratio
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
    if isinstance(estimator, Additive):
        totals = dict(zip(estimator.table.columns, estimator.table.values.sum(axis=0).tolist(), strict=True))
        notes += nothing_in_gold(estimator.measures, totals, where)
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


def nothing_in_gold(measures: Sequence[Measure], totals: Mapping[str, float], where: Slice) -> list[Note]:
    """A note on metrics for which gold has nothing to find, so that recall is 0/0 and has a value all the same.

    >>> f1 = Prf("set.f1", ("matched", "system"), ("matched", "gold"))
    >>> [note.message for note in nothing_in_gold([f1], {"matched": 0, "system": 3, "gold": 0}, {})]
    ['gold has nothing to find for set.f1: 0/0 counts as 0']
    """
    found: dict[int, list[str]] = {}
    for measure in measures:
        value = 0 if isinstance(measure, Blanc) else getattr(measure, "undefined", None)
        if value is not None and _gold(measure, totals) == 0:
            found.setdefault(value, []).append(measure.name)
    place = f" in {slice_text(where)}" if where else ""
    return [
        Note(
            "nothing-in-gold",
            len(names),
            f"gold has nothing to find for {_listed(list(dict.fromkeys(names)))}{place}: 0/0 counts as {value}",
        )
        for value, names in found.items()
    ]


def _gold(measure: Measure, totals: Mapping[str, float]) -> float | None:
    """What there is to find in gold; None if the measure does not say."""
    if isinstance(measure, Prf) and "recall" in measure.parts:
        return totals.get(measure.recall[1])
    if isinstance(measure, Ratio) and measure.part in ("recall", "score"):
        return sum(weight * totals.get(column, 0.0) for column, weight in measure.denominator)
    return totals.get(measure.mentions[2]) if isinstance(measure, Blanc) else None


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - SHOWN} more metrics" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more


def summed_up(notes: Sequence[tuple[Slice, Note]]) -> list[Note]:
    """The notes, those that say the same of several slices as one."""
    groups: dict[object, list[tuple[Slice, Note]]] = {}
    for number, (where, note) in enumerate(notes):
        place = f" in {slice_text(where)}" if where else ""
        repeatable = where and note.code in ("one-document", "undefined-resample", "nothing-in-gold")
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
