"""What published scorers have in common: pairs of documents, sums of counts, precision, recall and F1, matchings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

from adjudge.errors import FormatError, Problem, ValidationError, did_you_mean
from adjudge.evaluate.sides import Names, check_sides
from adjudge.findings import LIMIT, raise_problems, read_files
from adjudge.model.document import Corpus
from adjudge.stats.measure import Prf

Rows: TypeAlias = "Iterable[tuple[str, Mapping[str, float]]]"
T = TypeVar("T")


def both_sides(read: Callable[[Any], T], gold: Any, system: Any) -> tuple[T, T]:
    """What is read of gold and of the system; the problems of both are raised together, the same one once."""
    parts, problems = read_files((gold, system), read)
    if problems:
        raise FormatError(list(dict.fromkeys(problems)))
    return parts[0][1], parts[1][1]


def paired(gold: Corpus, system: Corpus, empty: Mapping[str, Any]) -> list[tuple[str, Any, Any]]:
    """(id, gold, system) of every gold document; one that the system lacks is `empty`, one that gold lacks an error."""
    answers = {document.id: document for document in system.documents}
    known = {document.id: None for document in gold.documents}
    check_sides(Names(gold.path or "gold", known.keys()), [Names(system.path or "system", answers.keys())])
    unknown = [document for document in system.documents if document.id not in known]
    problems = [
        Problem(
            f"the document {each.id!r} is not in the gold documents",
            path=system.path,
            line=each.line,
            # Looking for similar names takes time, and only the first problems are shown.
            hint=(did_you_mean(each.id, known) if number < LIMIT else None)
            or "remove it, or add it to the gold documents",
        )
        for number, each in enumerate(unknown)
    ]
    raise_problems(problems, kind=ValidationError)
    return [
        (document.id, document.data, answers[document.id].data if document.id in answers else dict(empty))
        for document in gold.documents
    ]


def columns(key: str = "") -> tuple[str, str, str]:
    """The columns of what is counted under a key: what both sides have, what the system has, what gold has.

    >>> columns("trigger")
    ('trigger:matched', 'trigger:system', 'trigger:gold')
    """
    start = f"{key}:" if key else ""
    return f"{start}matched", f"{start}system", f"{start}gold"


def counted(numbers: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """The counts of one document: matched, system and gold of every key.

    >>> counted({"trigger": (1, 2, 3)})
    {'trigger:matched': 1.0, 'trigger:system': 2.0, 'trigger:gold': 3.0}
    """
    return {
        column: float(number) for key, own in numbers.items() for column, number in zip(columns(key), own, strict=True)
    }


def prf(name: str, key: str = "", *, harmonic: bool = False) -> Prf:
    """Precision, recall and F1 of what is counted under a key."""
    matched, system, gold = columns(key)
    return Prf(name, (matched, system), (matched, gold), harmonic=harmonic)


def totals(rows: Rows, key: str = "") -> tuple[int, int, int]:
    """Matched, system and gold of all documents, which are whole numbers."""
    matched, system, gold = (int(sum(row[column] for _, row in rows)) for column in columns(key))
    return matched, system, gold


def three(
    matched: float, system: float, gold: float, found: float | None = None, *, tiny: float = 0
) -> tuple[float, float, float]:
    """Precision, recall and F1 as most scripts compute them: F1 from the two, and 0 where nothing can be divided.

    `found` is the numerator of recall, if it differs from that of precision; some scripts add a `tiny` number to
    every denominator.

    >>> three(1, 2, 1)
    (0.5, 1.0, 0.666...)
    """
    precision = matched / (system + tiny) if system + tiny > 0 else 0
    recall = (matched if found is None else found) / (gold + tiny) if gold + tiny > 0 else 0
    both = precision + recall + tiny
    return precision, recall, 2 * precision * recall / both if both > 0 else 0


def percentages(matched: float, system: float, gold: float, found: float | None = None) -> tuple[float, float, float]:
    """The same three, each times 100 at the end."""
    precision, recall, f1 = three(matched, system, gold, found)
    return 100.0 * precision, 100.0 * recall, 100.0 * f1


def assigned(weights: Any) -> list[tuple[int, int]]:
    """The pairs of the 1:1 matching of a table with the greatest sum, row by row; which of equal ones, is up to scipy.

    The programs that are written in Python leave it to the same function, and so it is part of what they print.

    >>> assigned([[1.0, 3.0], [2.0, 3.0]])
    [(0, 1), (1, 0)]
    """
    if not len(weights) or not len(weights[0]):
        return []
    import numpy as np

    from adjudge.algebra.solve.matrix import solved_or_late

    return list(zip(*solved_or_late(np.array(weights, dtype=float)), strict=True))


def sum_in_order(parts: Iterable[float]) -> float:
    """A sum whose last digit is that of adding one part after the other: `sum` is more exact from Python 3.12 on.

    >>> sum_in_order([0.1] * 3)
    0.30000000000000004
    """
    whole: float = 0
    for each in parts:
        whole += each
    return whole
