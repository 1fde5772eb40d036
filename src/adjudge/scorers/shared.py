"""What published scorers of documents have in common: pairs of documents, and sums of counts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from adjudge.errors import Problem, ValidationError, did_you_mean
from adjudge.evaluate.sides import Names, check_sides
from adjudge.model.document import Corpus

LISTED = 100


def paired(gold: Corpus, system: Corpus, empty: Mapping[str, Any]) -> list[tuple[str, Any, Any]]:
    """(id, gold, system) of every gold document; one that the system lacks is `empty`, one that gold lacks an error."""
    answers = {document.id: document for document in system.documents}
    known = {document.id: None for document in gold.documents}
    check_sides(Names(gold.path or "gold", known.keys()), [Names(system.path or "system", answers.keys())])
    unknown = [document for document in system.documents if document.id not in known]
    if unknown:
        raise ValidationError(
            [
                Problem(
                    f"the document {each.id!r} is not in the gold documents",
                    path=system.path,
                    line=each.line,
                    hint=did_you_mean(each.id, known) or "remove it, or add it to the gold documents",
                )
                for each in unknown[:LISTED]
            ]
        )
    return [
        (document.id, document.data, answers[document.id].data if document.id in answers else dict(empty))
        for document in gold.documents
    ]


def summed(rows: Iterable[tuple[str, Mapping[str, float]]], columns: Sequence[str]) -> dict[str, int]:
    """The sums of whole counts."""
    found = [row for _, row in rows]
    return {column: int(sum(row[column] for row in found)) for column in columns}


def three(matched: int, system: int, gold: int) -> tuple[float, float, float]:
    """Precision, recall and F1 as most scripts compute them: F1 from the two, and 0 where nothing can be divided.

    >>> three(1, 2, 1)
    (0.5, 1.0, 0.666...)
    """
    precision = matched / system if system > 0 else 0
    recall = matched / gold if gold > 0 else 0
    both = precision + recall
    return precision, recall, 2 * precision * recall / both if both > 0 else 0


def sum_in_order(parts: Iterable[float]) -> float:
    """A sum whose last digit is that of adding one part after the other: `sum` is more exact from Python 3.12 on.

    >>> sum_in_order([0.1] * 3)
    0.30000000000000004
    """
    whole: float = 0
    for each in parts:
        whole += each
    return whole
