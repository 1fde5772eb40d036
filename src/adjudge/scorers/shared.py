"""What published scorers have in common: pairs of documents, sums of counts, precision, recall and F1, matchings.

Records are the JSON values of documents; tagged sentences are two columns, with the same sentences on both sides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias, TypeVar

from adjudge.algebra.solve.deadline import timed
from adjudge.errors import FormatError, Problem, ValidationError, did_you_mean
from adjudge.evaluate.sides import Names, check_sides
from adjudge.findings import LIMIT, raise_problems, read_files
from adjudge.formats.bio import Columns, grouped, read_columns
from adjudge.model.document import Corpus
from adjudge.model.prf import precision_recall_f1
from adjudge.scorers import Option, Published
from adjudge.stats.measure import Prf, Ratio
from adjudge.stats.result import Note

Rows: TypeAlias = "Iterable[tuple[str, Mapping[str, float]]]"
T = TypeVar("T")


def both_sides(read: Callable[[Any], T], gold: Any, system: Any) -> tuple[T, T]:
    """Gold and the system as read; the problems of both are raised together, each once."""
    parts, problems = read_files((gold, system), read)
    if problems:
        raise FormatError(list(dict.fromkeys(problems)))
    return parts[0][1], parts[1][1]


def paired(gold: Corpus, system: Corpus, empty: Mapping[str, Any]) -> list[tuple[str, Any, Any]]:
    """(id, gold, system) of every gold document; one that the system lacks is `empty`, one that gold lacks is an
    error."""
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
    """The columns of the counts of a key: on both sides, in the system, in gold.

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
    """Precision, recall and F1 from the counts of a key."""
    matched, system, gold = columns(key)
    return Prf(name, (matched, system), (matched, gold), harmonic=harmonic)


def totals(rows: Rows, key: str = "") -> tuple[int, int, int]:
    """Matched, system and gold of all documents, which are whole numbers."""
    matched, system, gold = (int(sum(row[column] for _, row in rows)) for column in columns(key))
    return matched, system, gold


def percentages(matched: float, system: float, gold: float, found: float | None = None) -> tuple[float, float, float]:
    """Precision, recall and F1, each times 100 at the end."""
    precision, recall, f1 = precision_recall_f1(matched, system, gold, found, undefined=0)
    return 100.0 * precision, 100.0 * recall, 100.0 * f1


def assigned(weights: Any) -> list[tuple[int, int]]:
    """The pairs of the 1:1 matching of a table with the greatest sum, row by row; ties are broken by scipy.

    Programs written in Python use the same function, so its ties are part of what they print.

    >>> assigned([[1.0, 3.0], [2.0, 3.0]])
    [(0, 1), (1, 0)]
    """
    if not len(weights) or not len(weights[0]):
        return []
    import numpy as np

    from adjudge.algebra.solve.matrix import solved_or_late

    return list(zip(*solved_or_late(np.array(weights, dtype=float)), strict=True))


def sum_in_order(parts: Iterable[float]) -> float:
    """A sum of floats from left to right, as programs compute it; `sum` is more exact since Python 3.12.

    >>> sum_in_order([0.1] * 3)
    0.30000000000000004
    """
    whole: float = 0
    for each in parts:
        whole += each
    return whole


class RecordPairs(NamedTuple):
    """Ids with the values of gold and system, notes on how they were read, and both sides as read."""

    documents: Sequence[tuple[str, Any, Any]]
    notes: Sequence[Note]
    sides: tuple[Corpus, Corpus]

    def gold(self) -> list[Any]:
        """The values of gold."""
        return [ours for _, ours, _ in self.documents]

    def refuse(self, found: Iterable[tuple[str, int, str]], hint: str) -> None:
        """Raise what a scorer cannot handle: the id of a document, its side (0: gold), and what is wrong with it."""
        lines = [{each.id: each.line for each in side.documents} for side in self.sides]
        problems = [
            Problem(message, path=self.sides[side].path, line=lines[side].get(key), hint=hint)
            for key, side, message in found
        ]
        if problems:
            raise FormatError(problems)


def read_records(gold: Any, system: Any) -> RecordPairs:
    """The values of all documents; an answer that is unreadable or missing is an empty list."""
    from adjudge.formats.answers import read_answers

    sides = both_sides(read_answers, gold, system)
    documents = [(key, ours["records"], theirs["records"]) for key, ours, theirs in paired(*sides, {"records": []})]
    notes = [Note(each.code, each.count, each.message) for side in sides for each in side.notes]
    return RecordPairs(documents, notes, sides)


def wrapped(value: Any) -> Any:
    """A list as an object, for scorers of objects only."""
    return {"records": value} if isinstance(value, list) else value


def averaged(name: str, pairs: RecordPairs, score: Callable[[Any, Any], float]) -> Published:
    """The mean over documents of a score of gold and system."""
    rows = [(key, {"score": score(ours, theirs), "documents": 1.0}) for key, ours, theirs in timed(pairs.documents)]
    return Published(rows, (mean_measure(name),), f"{name}: {mean_score(rows)}\n", notes=pairs.notes)


def mean_measure(name: str) -> Ratio:
    """The mean of the scores of the documents."""
    return Ratio(name, "score", (("score", 1.0),), (("documents", 1.0),))


def mean_score(rows: Sequence[tuple[str, Mapping[str, float]]]) -> float:
    """The value of that measure, summed in order as the programs do."""
    return sum_in_order(row["score"] for _, row in rows) / len(rows) if rows else 0.0


BOTH_COLUMNS = Option(
    "GOLD has the gold tags in its last column but one; give the file twice if it has the system's as well."
)


class TaggedPairs(NamedTuple):
    """The tags of both sides, sentence by sentence; `documents` has the id and the number of sentences of each."""

    gold: list[list[str]]
    system: list[list[str]]
    documents: list[tuple[str, int]]
    starts: int  # lines that begin a document
    places: tuple[Columns, Columns]  # where the tags stand


def read_tagged(gold: Any, system: Any, *, both_columns: bool = False, prefixes: str = "") -> TaggedPairs:
    """The tags of two files, or of the last two columns of one; all problems of both are raised together.

    >>> read_tagged(b"EU B-ORG\\n", b"EU O\\n").system
    [['O']]
    """
    problems: list[Problem] = []
    found: list[Columns] = []
    for source, column in ((gold, -2 if both_columns else -1), (system, -1)):
        try:
            found.append(read_columns(source, column=column, prefixes=prefixes))
        except FormatError as error:
            problems += [problem for problem in error.problems if problem not in problems]
    if problems:
        raise FormatError(problems)
    left, right = found
    documents = [(name, len(sentences)) for name, sentences in grouped(left)]
    if documents != [(name, len(sentences)) for name, sentences in grouped(right)]:
        counts = [f"{len(each.sentences)} sentences and {each.starts} starts of documents" for each in found]
        message = f"{counts[1]}, but {left.place} has {counts[0]}"
        raise FormatError(Problem(message, path=right.place, hint="write every sentence of the gold file"))
    pairs = TaggedPairs(
        [s.tags for s in left.sentences], [s.tags for s in right.sentences], documents, left.starts, (left, right)
    )
    lines = zip(left.sentences, right.sentences, strict=True)
    problems = [
        Problem(
            f"a sentence of {len(b.tags)} tokens, but of {len(a.tags)} in line {a.line} of {left.place}",
            path=right.place,
            line=b.line,
            hint="write a line for every gold token",
        )
        for a, b in lines
        if len(a.tags) != len(b.tags)
    ]
    raise_problems(problems, right.place)
    return pairs


def by_document(
    pairs: TaggedPairs, counts: Sequence[Mapping[str, float]], columns: Iterable[str]
) -> list[tuple[str, dict[str, float]]]:
    """The counts of sentences added up for each document.

    >>> pairs = read_tagged(b"EU B-ORG\\n", b"EU O\\n")
    >>> by_document(pairs, [{"gold": 1}], ["gold", "system"])
    [('sentence-1', {'gold': 1, 'system': 0})]
    """
    columns = tuple(columns)
    rows, place = [], 0
    for name, size in pairs.documents:
        row: dict[str, float] = dict.fromkeys(columns, 0)
        for own in counts[place : place + size]:
            for column, value in own.items():
                row[column] += value
        rows.append((name, row))
        place += size
    return rows
