r"""Answers to queries and judgments of answers: the files of Cold Start, and tables of our own.

A run (2017) has nine columns with TABs between them: query, slot, run, provenance of the relation, value, its type, its
place, confidence, node; without the node in 2015, and without node and type in 2014. Assessments (2016 and 2017) have
ten: id, `query:slot`, provenance of the relation, value, place of the value, judgment (C, W, X, I, S, L), level of the
value, judgment of the provenance, class (`query:3` or `query:3:1`, 0 if there is none), level of the class; in 2014 and
2015 eight, without the levels.

Our own tables name values instead of places. In a table of answers, a further value answers the next hop:

    query <TAB> value [<TAB> value...]

In a table of assessments, the judgment and the class come first:

    query <TAB> judgment <TAB> class <TAB> value [<TAB> value...]
"""

from __future__ import annotations

from collections.abc import Iterable

from adjudge.findings import Findings, field_column
from adjudge.formats.source import Source, read_rows, source_name
from adjudge.formats.standoff import parse_place, write_place
from adjudge.model.kbp_queries import CORRECT, IGNORED, INEXACT, NO_CLASS, WRONG, Answer, AnswerSet, Assessment

JUDGMENTS = {"C": CORRECT, "W": WRONG, "X": INEXACT, "S": INEXACT, "L": INEXACT, "I": IGNORED}
"""The letters of assessment files; S and L are values too short and too long."""

_LETTERS = ", ".join(JUDGMENTS)
_RUN_COLUMNS = (7, 8, 9)
HOPS = 100
"""Values in one line of a table: more are no chain of questions, but a file of another kind."""


def read_answers(source: Source, *, name: str | None = None) -> AnswerSet:
    r"""The answers of a system, from a run of Cold Start or from a table of our own.

    >>> read_answers(b"Q1\tBen\nQ1\tBen\tCorvex\n").answers[1].value
    'Corvex'
    """
    found = Findings(name or source_name(source))
    answers: list[Answer] = []
    lines: list[int] = []
    runs: dict[str, int] = {}
    seen: dict[tuple[str, str], None] = {}
    for number, line, fields in read_rows(source, found):
        if len(fields) == 4 and fields[3] == "NIL":  # old runs say so when they have no answer
            continue
        if len(fields) in _RUN_COLUMNS and ":" in fields[3]:
            answer = _run_answer(number, line, fields, runs, found)
            if answer is not None:
                answers.append(answer)
                lines.append(number)
        elif 2 <= len(fields) <= HOPS + 1 and all(fields):
            asked = fields[0]
            for value in fields[1:]:
                answer = Answer(asked, value)
                if (asked, value) not in seen:  # the first hop of several rows is one answer
                    seen[asked, value] = None
                    answers.append(answer)
                    lines.append(number)
                asked = answer.target
        else:
            _wrong_columns(number, line, "write query and value, or the nine columns of a run", found)
    if len(runs) > 1:
        message = f"answers of several runs: {', '.join(runs)}"
        found.add("several-runs", message, runs[list(runs)[1]], None, "give each run a file of its own")
    found.finish()
    return AnswerSet(next(iter(runs), ""), answers, lines, found.place)


def read_assessments(source: Source, *, name: str | None = None) -> tuple[list[Assessment], list[int]]:
    r"""The judgments of a pool of answers, and the line of each.

    >>> read_assessments(b"Q1\tC\t1\tBen\nQ1\tW\t0\tEva\n")[0][0].group
    ('1',)
    """
    found = Findings(name or source_name(source))
    assessments: list[Assessment] = []
    lines: list[int] = []
    for number, line, fields in read_rows(source, found):
        official = len(fields) in (8, 10) and ":" in fields[1]
        each = _official(number, line, fields, found) if official else _plain(number, line, fields, found)
        if each is not None:
            assessments.append(each)
            lines.append(number)
    found.finish(empty=None if assessments else "the file has no assessments", hint="check that it is the right file")
    return assessments, lines


def _wrong_columns(number: int, line: str, write: str, found: Findings) -> None:
    fields = [field.strip() for field in line.split("\t")]
    empty = fields.index("") + 1 if "" in fields else 0
    message = "an empty field" if empty else f"a line with {len(fields)} field{'s' * (len(fields) != 1)}"
    found.add("columns", message, number, field_column(line, empty or 1), f"{write}, with TABs between them")


def _run_answer(number: int, line: str, fields: list[str], runs: dict[str, int], found: Findings) -> Answer | None:
    before = found.errors
    asked, slot, run, provenance, value = fields[:5]
    type_ = fields[5] if len(fields) > 7 else ""
    place, sure = fields[-3:-1] if len(fields) == 9 else fields[-2:]
    runs.setdefault(run, number)
    for column, text in enumerate((asked, slot, run, provenance, value), 1):
        if not text:
            found.add("empty-field", "an empty field", number, field_column(line, column), "fill it in")
    shift = len(fields) - (2 if len(fields) == 9 else 1)
    places = _places(provenance, number, field_column(line, 4), found)
    where = _places(place, number, field_column(line, shift), found)
    try:
        confidence = float(sure)
    except ValueError:
        confidence = -1.0
    if not 0 <= confidence <= 1:
        message = f"the confidence {sure!r} is not between 0 and 1"
        found.add("confidence", message, number, field_column(line, shift + 1), "write a decimal number")
    if found.errors > before:
        return None
    return Answer(asked, value, slot, where, places, fields[8] if len(fields) == 9 else "", type_, confidence)


def _official(number: int, line: str, fields: list[str], found: Findings) -> Assessment | None:
    before = found.errors
    asked, _, slot = fields[1].partition(":")
    provenance = _places(fields[2], number, field_column(line, 3), found)
    place = _places(fields[4], number, field_column(line, 5), found)
    long = len(fields) == 10
    levels = (fields[6], fields[9]) if long else ("", "")
    group_column = 8 if long else 7
    group = fields[group_column]
    _, *path = group.split(":")
    if group != NO_CLASS and not path:
        message = f"{group!r} is no class"
        found.add("class", message, number, field_column(line, group_column + 1), "write query:3, query:3:1 or 0")
        return None
    judgment = _judgment(fields[5], tuple(path), number, field_column(line, 6), found)
    if found.errors > before or judgment is None:
        return None
    level, group_level = ("" if text == NO_CLASS else text for text in levels)
    return Assessment(asked, fields[3], judgment, tuple(path), slot, place, provenance, level, group_level, fields[0])


def _plain(number: int, line: str, fields: list[str], found: Findings) -> Assessment | None:
    if not 4 <= len(fields) <= HOPS + 3 or not all(fields):
        write = "write query, judgment, class and value, or the columns of an assessment file"
        _wrong_columns(number, line, write, found)
        return None
    asked, letter, group, *values = fields
    path = () if group in (NO_CLASS, "-") else tuple(group.split(":"))
    if path and len(path) != len(values):
        message = f"the class {group} has {len(path)} part{'s' * (len(path) != 1)} for {len(values)} hops"
        found.add("class", message, number, field_column(line, 3), "write one part for each value, as 3:1")
        return None
    judgment = _judgment(letter, path, number, field_column(line, 2), found)
    for value in values[:-1]:
        asked = Answer(asked, value).target
    return None if judgment is None else Assessment(asked, values[-1], judgment, path)


def _judgment(letter: str, path: tuple[str, ...], number: int, column: int, found: Findings) -> str | None:
    judgment = JUDGMENTS.get(letter.upper())
    if judgment is None:
        found.add("judgment", f"there is no judgment {letter!r}", number, column, f"write one of {_LETTERS}")
    elif judgment == CORRECT and (not path or NO_CLASS in path):
        found.add("no-class", "a correct answer without a class", number, column, "name its class of equal answers")
        return None
    elif judgment in (WRONG, IGNORED) and path:
        found.add("class-of-wrong", "an answer that is not right has a class", number, column, "write 0 for it")
        return None
    return judgment


def _places(text: str, number: int, column: int, found: Findings) -> str:
    """Places in the one order in which they are compared."""
    if text in ("", "-", "NIL"):
        return ""
    places = []
    for part in text.replace(";", ",").split(","):
        if part.strip() == "NIL":
            continue
        place = parse_place(part)
        if place is None:
            found.add("place", f"{part.strip()!r} is no place", number, column, "write document:start-last")
            return ""
        places.append(place)
    return join_places(places)


def join_places(places: Iterable[tuple[str, int, int]]) -> str:
    """Documents and half-open spans as the text by which provenances are compared.

    >>> join_places([("d1", 7, 9), ("d1", 0, 3)])
    'd1:0-2,d1:7-8'
    """
    return ",".join(write_place(*place) for place in sorted(places))


def write_answers(answers: Iterable[Answer], *, run: str) -> bytes:
    r"""A run in nine columns; answers without a place become a table of query and value, if they are of one hop.

    >>> write_answers([Answer("Q1", "Ben", "per:spouse", "d1:4-6", "d1:0-9", ":E2", "PER", 0.5)], run="r1")
    b'Q1\tper:spouse\tr1\td1:0-9\tBen\tPER\td1:4-6\t0.5\t:E2\n'
    """
    lines = []
    values: dict[str, tuple[str, ...]] = {}
    for each in answers:
        if each.provenance:
            fields = (each.asked, each.slot, run, each.provenance, each.value, each.type, each.place)
            lines.append("\t".join((*fields, f"{each.confidence:g}", each.node)))
        else:
            path = (*values.get(each.asked, (each.asked,)), each.value)
            values[each.target] = path
            lines.append("\t".join(path))
    return "".join(f"{line}\n" for line in lines).encode()
