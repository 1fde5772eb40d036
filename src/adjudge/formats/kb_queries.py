"""Queries over knowledge bases, answers, and judgments of answers: Cold Start files, and simpler tables of our own.

    <query_set>
      <query id="CS17_1">
        <mentions><mention><name>Ana</name><docid>d1</docid><beg>0</beg><end>2</end></mention></mentions>
        <enttype>per</enttype> <nodeid>n7</nodeid> <slot0>per:children</slot0> <slot1>per:schools_attended</slot1>
      </query>
    </query_set>

A slot-filling query has `name`, `docid`, `beg` and `end` directly in it, and may repeat its first slot as `slot`.
Offsets count characters from 0, the last one included. Our own table of queries has a line for each:

    query <TAB> node <TAB> type <TAB> name <TAB> places <TAB> slot <TAB> slot...

`places` are `document:start-last`, separated by commas; node, type, name and places may each be `-`.

A run of 2017 has nine columns, separated by TABs: query, slot, run, provenance of the relation, value, its type, its
place, confidence, node; 2015 lacks the node, 2014 the node and the type. Assessments of 2016 and 2017 have ten: id,
`query:slot`, provenance of the relation, value, place of the value, judgment (C, W, X, I, S, L), level of the value,
judgment of the provenance, class (`query:3` or `query:3:1`, 0 if there is none), level of the class; those of 2014 and
2015 have eight, without the levels.

Our own tables have values instead of places. In a table of answers, each further value answers the next hop:

    query <TAB> value [<TAB> value...]

In a table of assessments, the judgment and the class come first:

    query <TAB> judgment <TAB> class <TAB> value [<TAB> value...]
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from xml.sax.saxutils import escape, quoteattr

from adjudge.errors import FormatError, Problem
from adjudge.findings import Findings, field_column
from adjudge.formats.safe_xml import Element, read_xml, whole_number
from adjudge.formats.source import BOM, Source, read_bytes, read_rows, source_name
from adjudge.formats.standoff import parse_place, write_place
from adjudge.model.kbp_queries import (
    CORRECT,
    IGNORED,
    INEXACT,
    NO_CLASS,
    WRONG,
    Answer,
    AnswerSet,
    Assessment,
    EntryPoint,
    KbQuery,
)

HEADER = ("query", "node", "type", "name", "places", "slots")
NONE = "-"

_HINT = "write query, node, type, name, places and one slot or more with TABs between them, - for missing values"
_BREAKS = re.compile(r"[\t\n\r\0]")
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def read_queries(source: Source, *, name: str | None = None) -> list[KbQuery]:
    r"""The queries of a file, which is XML or a table; all problems are raised at once.

    >>> read_queries(b"Q1\tana\tPER\tAna\td1:0-2\tspouse\temployer\n")[0].slots
    ('spouse', 'employer')
    """
    found = Findings(name or source_name(source))
    data = read_bytes(source, found.place)
    start = data.removeprefix(BOM).lstrip()[:1]
    queries = _from_xml(data, found) if start == b"<" else _from_table(data, found)
    found.finish(empty=None if queries else "the file has no queries", hint="check that it is the right file")
    return queries


def _from_xml(data: bytes, found: Findings) -> list[KbQuery]:
    root = read_xml(data, found.place)
    if root.tag != "query_set":
        message = f"the file begins with <{root.tag}>"
        found.add("root", message, root.line, root.column, "a file of queries begins with <query_set>")
        return []
    queries = []
    lines: dict[str, int] = {}
    for element in root.children:
        if element.tag != "query":
            message = f"<{element.tag}> among the queries"
            found.add("element", message, element.line, element.column, "write <query id=...>")
            continue
        query = _query(element, found)
        if query is not None and _is_new(query.id, lines, element.line, element.column, found):
            queries.append(query)
    return queries


def _query(element: Element, found: Findings) -> KbQuery | None:
    before = found.errors

    def error(kind: str, message: str, hint: str, where: Element = element) -> None:
        found.add(kind, message, where.line, where.column, hint)

    id_ = element.get("id")
    if not id_:
        error("missing-id", "a query without an id", 'write <query id="...">')
    elif _BREAKS.search(id_):
        error("bad-id", f"the id {id_!r} has a TAB or a line break", "use another id")
    single = element.first("docid") is not None
    places = list(element.all("mentions"))
    points = [_point(element, id_, found)] if single else []
    points += [_point(mention, id_, found) for each in places for mention in each.all("mention")]
    if single and len(points) > 1:
        error("mixed", f"the query {id_} has an entry point of its own and a list of mentions", "keep one of them")
    slots = _slots(element, id_, found)
    type_, node = _text(element, "enttype"), _text(element, "nodeid")
    if not points and not node:
        error("no-entry", f"the query {id_} has no start", "give it a mention or a nodeid")
    if found.errors > before:
        return None
    return KbQuery(id_, slots, tuple(point for point in points if point), type_, node, single)


def _slots(element: Element, id_: str, found: Findings) -> tuple[str, ...]:
    """slot0, slot1 and so on; a follow-up query may have only `slot`, or repeat slot0 in it."""
    by_number: dict[int, Element] = {}
    for child in element.children:
        match = re.fullmatch(r"slot([0-9]{1,2})", child.tag)
        if match is None:
            continue
        if by_number.setdefault(int(match[1]), child) is not child:
            found.add("repeated-slot", f"a second <{child.tag}>", child.line, child.column, "keep one of them")
    if not by_number and (alone := element.first("slot")) is not None:
        by_number[0] = alone
    if not by_number or sorted(by_number) != list(range(len(by_number))):
        message = f"the query {id_} has no slots" if not by_number else f"the slots of {id_} are not slot0, slot1, ..."
        found.add("slots", message, element.line, element.column, "write <slot0>...</slot0>, then <slot1>")
        return ()
    slots = []
    for number in range(len(by_number)):
        child = by_number[number]
        slot = child.text.strip()
        if not slot or _BREAKS.search(slot):
            found.add("empty-slot", f"<{child.tag}> names no relation", child.line, child.column, "name one")
        slots.append(slot)
    return tuple(slots)


def _point(element: Element, id_: str, found: Findings) -> EntryPoint | None:
    document = _text(element, "docid")
    first, last = (whole_number(_text(element, tag)) for tag in ("beg", "end"))
    if not document or first is None or last is None or last < first:
        message = f"an entry point of {id_} is not a position in a document"
        hint = "give docid, beg and end, the offsets of the first and the last character"
        found.add("entry-point", message, element.line, element.column, hint)
        return None
    return EntryPoint(_text(element, "name"), document, first, last + 1)


def _text(element: Element, tag: str) -> str:
    child = element.first(tag)
    return "" if child is None else " ".join(child.text.split())


def _is_new(id_: str, lines: dict[str, int], line: int, column: int, found: Findings) -> bool:
    if id_ in lines:
        found.add("repeated-id", f"the query {id_} is in line {lines[id_]} already", line, column, "use another id")
        return False
    lines[id_] = line
    return True


def _from_table(data: bytes, found: Findings) -> list[KbQuery]:
    queries = []
    lines: dict[str, int] = {}
    for number, line, fields in read_rows(data, found):
        if tuple(map(str.lower, fields)) == HEADER and not lines:
            continue
        if len(fields) < len(HEADER):
            message = f"a line with {len(fields)} field{'s' * (len(fields) != 1)} instead of {len(HEADER)} or more"
            found.add("columns", message, number, 1, _HINT)
            continue
        before = found.errors
        for place, text in enumerate(fields):
            if not text or (text == NONE and (place == 0 or place >= 5)):
                what = HEADER[place] if place < 5 else "slot"
                found.add("empty-field", f"the {what} is empty", number, field_column(line, place + 1), _HINT)
        id_, node, type_, name = (("" if text == NONE else text) for text in fields[:4])
        points = []
        for text in [] if fields[4] == NONE else fields[4].split(","):
            place_ = parse_place(text)
            if place_ is None:
                message = f"{text.strip()!r} is not a position"
                found.add("place", message, number, field_column(line, 5), "write document:start-last")
            else:
                points.append(EntryPoint(name, *place_))
        if not points and not node and found.errors == before:
            found.add("no-entry", f"the query {id_} has no start", number, 1, "give it a node or a place")
        if found.errors == before and _is_new(id_, lines, number, 1, found):
            queries.append(KbQuery(id_, tuple(fields[5:]), tuple(points), type_, node))
    return queries


def write_queries(queries: Iterable[KbQuery], *, format: str = "xml") -> bytes:
    r"""A file of queries, `xml` or `tsv`, that reads back as the same queries.

    In a table, all entry points of a query must have the same name.

    >>> query = KbQuery("Q1", ("spouse",), (EntryPoint("Ana", "d1", 0, 3),), "PER")
    >>> write_queries([query], format="tsv")
    b'Q1\t-\tPER\tAna\td1:0-2\tspouse\n'
    >>> read_queries(write_queries([query])) == [query]
    True
    """
    listed = list(queries)
    _check(listed, format)
    lines = _xml(listed) if format == "xml" else map(_row, listed)
    return "".join(f"{line}\n" for line in lines).encode()


def _check(queries: Sequence[KbQuery], format: str) -> None:
    """Raise what the file could not hold."""
    problems = []
    for query in queries:
        points = query.entry_points
        texts = [query.id, query.type, query.node, *query.slots, *(text for point in points for text in point[:2])]
        if not all(text == " ".join(text.split()) for text in texts):
            problems.append(Problem(f"query {query.id}: a name with a TAB or several blanks", hint="use another name"))
        elif format == "xml" and any(_NOT_XML.search(text) for text in texts):
            problems.append(
                Problem(f"query {query.id}: a name with a character that XML does not allow", hint="write a table")
            )
        elif format == "tsv" and (query.single or len({point.name for point in points}) > 1 or NONE in texts):
            problems.append(Problem(f"query {query.id}: it does not fit into a table", hint="write XML"))
        elif format == "tsv" and any("," in point.document for point in points):
            problems.append(Problem(f"query {query.id}: a document with a comma in its id", hint="write XML"))
    if problems:
        raise FormatError(problems)


def _row(query: KbQuery) -> str:
    name = query.entry_points[0].name if query.entry_points else ""
    places = ",".join(write_place(*point[1:]) for point in query.entry_points)
    fields = (query.id, query.node, query.type, name, places)
    return "\t".join((*(field or NONE for field in fields), *query.slots))


def _xml(queries: Sequence[KbQuery]) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield "<query_set>"
    for query in queries:
        yield f"  <query id={quoteattr(query.id)}>"
        if query.single:
            yield from _point_lines(query.entry_points[0], "    ")
        elif query.entry_points:
            yield "    <mentions>"
            for point in query.entry_points:
                yield "      <mention>"
                yield from _point_lines(point, "        ")
                yield "      </mention>"
            yield "    </mentions>"
        if query.type:
            yield f"    <enttype>{escape(query.type)}</enttype>"
        if query.node:
            yield f"    <nodeid>{escape(query.node)}</nodeid>"
        for number, slot in enumerate(query.slots):
            yield f"    <slot{number}>{escape(slot)}</slot{number}>"
        yield "  </query>"
    yield "</query_set>"


def _point_lines(point: EntryPoint, indent: str) -> Iterator[str]:
    yield f"{indent}<name>{escape(point.name)}</name>"
    yield f"{indent}<docid>{escape(point.document)}</docid>"
    yield f"{indent}<beg>{point.start}</beg>"
    yield f"{indent}<end>{point.end - 1}</end>"


# ---------------------------------------------------------------------------------------------------------------------
# Answers and assessments


JUDGMENTS = {"C": CORRECT, "W": WRONG, "X": INEXACT, "S": INEXACT, "L": INEXACT, "I": IGNORED}
"""The letters of assessment files; S and L are values that are too short and too long."""

_LETTERS = ", ".join(JUDGMENTS)
_RUN_COLUMNS = (7, 8, 9)
HOPS = 100
"""The most values in a line of a table: with more it is not a chain of hops but another kind of file."""


def read_answers(source: Source, *, name: str | None = None) -> AnswerSet:
    r"""The answers of a system, from a Cold Start run or a table of our own.

    >>> read_answers(b"Q1\tBen\nQ1\tBen\tCorvex\n").answers[1].value
    'Corvex'
    """
    found = Findings(name or source_name(source))
    made = scan_answers(source, found)
    found.finish()
    return made


def scan_answers(source: Source, found: Findings) -> AnswerSet:
    """The answers of a system as far as they can be read, and what is wrong with the others."""
    answers: list[Answer] = []
    lines: list[int] = []
    runs: dict[str, int] = {}
    seen: dict[tuple[str, str], None] = {}
    for number, line, fields in read_rows(source, found):
        if len(fields) == 4 and fields[3] == "NIL":  # old runs say so if they have no answer
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
                if (asked, value) not in seen:  # rows that share their first hop share its answer
                    seen[asked, value] = None
                    answers.append(answer)
                    lines.append(number)
                asked = answer.target
        else:
            _wrong_columns(number, line, "write query and value, or the nine columns of a run", found)
    if len(runs) > 1:
        message = f"answers of several runs: {', '.join(runs)}"
        found.add("several-runs", message, runs[list(runs)[1]], None, "give each run a file of its own")
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
        message = f"{group!r} is not a class"
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
        found.add("class-of-wrong", "an incorrect answer has a class", number, column, "write 0 for it")
        return None
    return judgment


def _places(text: str, number: int, column: int, found: Findings) -> str:
    """Places in a fixed order, for comparison."""
    if text in ("", "-", "NIL"):
        return ""
    places = []
    for part in text.replace(";", ",").split(","):
        if part.strip() == "NIL":
            continue
        place = parse_place(part)
        if place is None:
            found.add("place", f"{part.strip()!r} is not a position", number, column, "write document:start-last")
            return ""
        places.append(place)
    return join_places(places)


def join_places(places: Iterable[tuple[str, int, int]]) -> str:
    """Documents and half-open spans as the text that stands for a provenance in comparisons.

    >>> join_places([("d1", 7, 9), ("d1", 0, 3)])
    'd1:0-2,d1:7-8'
    """
    return ",".join(write_place(*place) for place in sorted(places))


def write_answers(answers: Iterable[Answer], *, run: str) -> bytes:
    r"""A run in nine columns; one-hop answers without a place become a table of query and value.

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
