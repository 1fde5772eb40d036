"""Notes: what readers of scores should know besides the numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum
from typing import TYPE_CHECKING

from msgspec.structs import replace

from adjudge.stats.inference import FEW, LEAST, chosen_interval, chosen_test, hidden
from adjudge.stats.measure import Blanc, Measure, Prf, Ratio
from adjudge.stats.points import undefined_documents
from adjudge.stats.result import Comparison, Note, Options, Result, Score, Slice, SystemResult

if TYPE_CHECKING:
    from adjudge.stats.points import Additive
    from adjudge.stats.scores import Evidence, How

SHOWN = 5
UNPROVEN = ("not-optimal", "not-exact")
"""Searches that were cut short."""
TOO_FEW = 100  # resamples below which the ends of an interval are unreliable
_REPEATABLE = ("one-document", "undefined-resample", "no-spread", "nothing-in-gold")
DRAWN = frozenset(
    (
        "bca",
        "difference",
        "few-documents",
        "few-resamples",
        "no-documents",
        "no-significance",
        "no-slices",
        "no-spread",
        "nothing-in-gold",
        "one-document",
        "undefined",
        "undefined-document",
        "undefined-resample",
    )
)
"""Notes that are computed again with the numbers of the whole."""


def scope_notes(
    estimator: Additive | None, evidence: Evidence, how: How, scores: Sequence[Score], where: Slice
) -> list[Note]:
    """Notes on the scores of one system on one corpus; without an estimator only on what does not vary."""
    place = _place(where)
    if estimator is None:
        return spread_notes(evidence, scores, where)
    if not estimator.table.ids:
        return [Note("no-documents", 0, f"there are no documents{place}, so nothing was scored")]
    notes = nothing_in_gold(estimator.measures, estimator.table.totals, where)
    undefined = [f"{score.metric} {score.part}" for score in scores if score.value is None]
    if undefined:
        message = f"{len(undefined)} of {len(scores)} scores{place} are undefined (nothing to divide by)"
        notes.append(Note("undefined", len(undefined), message, tuple(undefined[:SHOWN])))
    if estimator.pool == "macro" and not where:
        left_out: dict[tuple[str, tuple[str, ...]], list[str]] = {}
        for (metric, part), ids in undefined_documents(estimator.table, estimator.measures).items():
            left_out.setdefault((metric, ids), []).append(part)
        for (metric, ids), parts in left_out.items():
            message = f"the mean of {metric} {', '.join(parts)} leaves out {_documents(len(ids))} without a value"
            notes.append(Note("undefined-document", len(ids), message, tuple(sorted(ids)[:SHOWN])))
    if not evidence.varies:
        return notes
    notes += spread_notes(evidence, scores, where)
    used = evidence.left_out if how.interval == "jackknife" else evidence.drawn
    for score in scores:
        drawn = used.get((score.metric, score.part))
        missing = 0 if drawn is None else int((drawn != drawn).sum())  # nan is not itself
        if missing and score.value is not None:
            message = f"the interval of {score.metric} {score.part}{place} leaves out resampled corpora without a value"
            notes.append(Note("undefined-resample", missing, message))
    return notes


def nothing_in_gold(measures: Sequence[Measure], totals: Mapping[str, float], where: Slice) -> list[Note]:
    """Notes on metrics for which gold has nothing to find, so that recall is 0/0 and has a conventional value.

    >>> f1 = Prf("set.f1", ("matched", "system"), ("matched", "gold"))
    >>> [note.message for note in nothing_in_gold([f1], {"matched": 0, "system": 3, "gold": 0}, {})]
    ['gold has nothing to find for set.f1: 0/0 counts as 0']
    """
    found: dict[int, list[str]] = {}
    for measure in measures:
        value = 0 if isinstance(measure, Blanc) else getattr(measure, "undefined", None)
        if value is not None and _gold(measure, totals) == 0:
            if value == "both":
                assert isinstance(measure, Prf)
                value = 0 if totals.get(measure.precision[1]) else 1
            found.setdefault(value, []).append(measure.name)
    return [
        Note(
            "nothing-in-gold",
            len(names),
            f"gold has nothing to find for {_listed(list(dict.fromkeys(names)))}{_place(where)}: 0/0 counts as {value}",
        )
        for value, names in found.items()
    ]


def _gold(measure: Measure, totals: Mapping[str, float]) -> float | None:
    """What there is to find in gold; None if the measure does not tell."""
    if isinstance(measure, Prf) and "recall" in measure.parts:
        return totals.get(measure.recall[1])
    if isinstance(measure, Ratio) and measure.part in ("recall", "score"):
        return sum(weight * totals.get(column, 0.0) for column, weight in measure.denominator)
    return totals.get(measure.mentions[2]) if isinstance(measure, Blanc) else None


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - SHOWN} more metrics" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more


def spread_notes(evidence: Evidence, scores: Sequence[Score], where: Slice) -> list[Note]:
    """Which scores of several documents, apart from counts, have no interval because nothing varies."""
    lacking = [each for each in scores if each.value is not None and each.low is None]
    alike = [f"{each.metric} {each.part}" for each in lacking if (each.metric, each.part) not in evidence.counts]
    if not alike or not evidence.varies:
        return []
    message = f"no interval for scores on which all documents{_place(where)} agree"
    return [Note("no-spread", len(alike), message, tuple(alike[:SHOWN]))]


def inference_notes(
    options: Options,
    corpora: Sequence[tuple[Slice, int]],
    systems: Mapping[str, Sequence[Score]],
    comparisons: Sequence[Comparison],
) -> list[Note]:
    """Notes on the intervals and tests of a whole result; `corpora` are the slices and numbers of documents.

    The first of them is the whole corpus; `systems` has the scores by name.
    """
    if options.bootstrap == 0:
        return []
    documents = corpora[0][1]
    alone = "with one document{} there is no interval and no test"
    lonely = [(where, Note("one-document", 1, alone.format(_place(where)))) for where, number in corpora if number == 1]
    found = summed_up(lonely) if lonely else []
    interval = chosen_interval(options.interval, documents, additive=options.pool != "corpus")
    test = chosen_test(options.test, interval) if len(systems) > 1 else "jackknife"
    if options.bootstrap < TOO_FEW and documents > 1 and (interval != "jackknife" or test != "jackknife"):
        message = f"{options.bootstrap} resamples are too few for intervals and tests to be trusted, draw 1000"
        found.append(Note("few-resamples", options.bootstrap, message))
    found += _few_documents(corpora, len(systems))
    replaced = [score for own in systems.values() for score in own if score.interval not in (None, "bca")]
    if options.interval == "bca" and replaced:
        message = "intervals of the jackknife, because all resampled scores are on one side of the score: no bca"
        found.append(Note("bca", len(replaced), message, tuple(f"{s.metric} {s.part}" for s in replaced[:SHOWN])))
    if len(systems) > 1 and test == "randomisation":
        message = "p of a difference is by randomisation, its interval by the jackknife; the two may disagree"
        found.append(Note("difference", 1, message))
    alike = [each for each in comparisons if each.p is not None and each.low is None and each.difference]
    if alike:
        message = "no interval for differences on which all documents agree; p is as small as resamples allow"
        examples = tuple(f"{each.metric} {each.a} - {each.b}" for each in alike[:SHOWN])
        found.append(Note("no-spread", len(alike), message, examples))
    return found + (_hidden(comparisons) if comparisons else [])


def _few_documents(corpora: Sequence[tuple[Slice, int]], systems: int) -> list[Note]:
    """Below twenty documents intervals and tests are rough, below five no difference is marked."""
    unmarked = f"; below {LEAST} no difference is marked as significant" if systems > 1 else ""
    documents = corpora[0][1]
    if 1 < documents < FEW:
        message = f"{documents} documents are few: below {FEW} intervals and tests are rough"
        return [Note("few-documents", documents, message + unmarked * (documents < LEAST))]
    few = [(where, number) for where, number in corpora[1:] if 1 < number < FEW]
    if not few:
        return []
    slices = "1 slice has" if len(few) == 1 else f"{len(few)} slices have"
    message = f"{slices} fewer than {FEW} documents: intervals and tests are rough there"
    least = min(number for _, number in few)
    examples = tuple(_in_words(where) for where, _ in few[:SHOWN])
    return [Note("few-documents", len(few), message + unmarked * (least < LEAST), examples)]


def _hidden(comparisons: Sequence[Comparison]) -> list[Note]:
    """Notes on families in which the smallest possible p is too large after the correction."""
    sizes: dict[tuple[str, str, tuple[str, ...], int], int] = {}
    for each in comparisons:
        if each.p is not None and each.resamples is not None:
            key = each.metric, each.part, tuple(each.slice), each.resamples
            sizes[key] = sizes.get(key, 0) + 1
    largest: dict[tuple[tuple[str, ...], int], int] = {}
    for (_, _, fields, resamples), number in sizes.items():
        largest[fields, resamples] = max(number, largest.get((fields, resamples), 0))
    found = []
    for (fields, resamples), number in largest.items():
        if (message := hidden(number, resamples)) is not None:
            place = f"in slices by {' and '.join(fields)} " if fields else ""
            found.append(Note("no-significance", number, place + message))
    return found


def summed_up(notes: Sequence[tuple[Slice, Note]]) -> list[Note]:
    """The notes, with those that say the same of several slices merged."""
    groups: dict[object, list[tuple[Slice, Note]]] = {}
    for number, (where, note) in enumerate(notes):
        repeatable = where and note.code in _REPEATABLE
        key: object = (note.code, note.message.replace(_place(where), " in {}")) if repeatable else number
        groups.setdefault(key, []).append((where, note))
    found = []
    for about, members in groups.items():
        _, note = members[0]
        if len(members) > 1 and isinstance(about, tuple):
            message = str(about[1]).replace(" in {}", f" in {len(members)} slices")
            note = Note(note.code, len(members), message, tuple(_in_words(where) for where, _ in members[:SHOWN]))
        found.append(note)
    return found


def _place(where: Slice) -> str:
    return f" in {_in_words(where)}" if where else ""


def _documents(number: int) -> str:
    return f"{number} document{'s' * (number != 1)}"


def unproven_message(documents: int, slack: float, code: str = "not-optimal") -> str:
    """The note on documents whose search was cut short, or of whose records some pairs were left out.

    >>> unproven_message(1, 2.0)
    '1 document was not solved to the end in the time allowed; the matched counts are proven to be at most 2 too low'
    """
    plural = "s were" if documents > 1 else " was"
    if code == "not-exact":
        return (
            f"{documents} document{plural} not aligned exactly, because a list is too long to compare all pairs "
            f"(--exact does) or time was up; the correct counts are proven to be at most {slack:g} too low"
        )
    return (
        f"{documents} document{plural} not solved to the end in the time allowed; "
        f"the matched counts are proven to be at most {slack:g} too low"
    )


def unproven_of(system: SystemResult, document: str) -> str:
    """The same for one document of a saved system; empty if its search was finished."""
    if system.best is None or system.table is None or document not in system.best.ids:
        return ""
    highest, counted = (
        dict(zip(each.columns, each.values[each.ids.index(document)], strict=True))
        for each in (system.best, system.table)
    )
    code = next(note.code for note in system.notes if note.code in UNPROVEN)
    return unproven_message(1, fsum(highest[name] - counted[name] for name in highest), code)


def unproven_notes(result: Result, name: str = "") -> list[Note]:
    """The notes on searches that were cut short, with the names of the systems, or with this one."""
    return [
        replace(note, message=f"{name or system.name}: {note.message}")
        for system in result.systems
        for note in system.notes
        if note.code in UNPROVEN
    ]


def _in_words(where: Slice) -> str:
    from adjudge.stats.text import slice_text

    return slice_text(where)
