"""Two columns of tags as the published scorers of named entities want them: the same sentences on both sides."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from adjudge.errors import FormatError, Problem
from adjudge.findings import raise_problems
from adjudge.formats.bio import Columns, grouped, read_columns
from adjudge.scorers import Option

BOTH_COLUMNS = Option(
    "GOLD has the gold tags in its last column but one; give the file twice if it has the system's as well."
)


class Pairs(NamedTuple):
    """The tags of both sides, sentence by sentence; `documents` has the id and the number of sentences of each."""

    gold: list[list[str]]
    system: list[list[str]]
    documents: list[tuple[str, int]]
    starts: int  # lines that begin a document
    places: tuple[Columns, Columns]  # where the tags stand


def read_pairs(gold: Any, system: Any, *, both_columns: bool = False, prefixes: str = "") -> Pairs:
    """The tags of two files, or of the last two columns of one; all problems of both are raised together.

    >>> read_pairs(b"EU B-ORG\\n", b"EU O\\n").system
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
    pairs = Pairs(
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
    pairs: Pairs, counts: Sequence[Mapping[str, float]], columns: Iterable[str]
) -> list[tuple[str, dict[str, float]]]:
    """The counts of sentences added up for each document.

    >>> pairs = read_pairs(b"EU B-ORG\\n", b"EU O\\n")
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
