r"""Files of queries: the XML of Cold Start, and a table of our own.

    <query_set>
      <query id="CS17_1">
        <mentions><mention><name>Ana</name><docid>d1</docid><beg>0</beg><end>2</end></mention></mentions>
        <enttype>per</enttype> <nodeid>n7</nodeid> <slot0>per:children</slot0> <slot1>per:schools_attended</slot1>
      </query>
    </query_set>

A query for slot filling has `name`, `docid`, `beg` and `end` directly, and may repeat its first slot as `slot`. Offsets
in the files count characters from 0 with the last one included.

    query <TAB> node <TAB> type <TAB> name <TAB> places <TAB> slot <TAB> slot...

`places` are `document:start-last` with commas between them; any of node, type, name and places may be `-`.
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
from adjudge.model.kbp_queries import EntryPoint, KbQuery

HEADER = ("query", "node", "type", "name", "places", "slots")
NONE = "-"

_HINT = "write query, node, type, name, places and one slot or more with TABs between them, - for what there is not"
_BREAKS = re.compile(r"[\t\n\r\0]")
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def read_queries(source: Source, *, name: str | None = None) -> list[KbQuery]:
    r"""The queries of a file, XML or table by its content; everything that is wrong is raised at once.

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
        error("no-entry", f"the query {id_} starts nowhere", "give it a mention or a nodeid")
    if found.errors > before:
        return None
    return KbQuery(id_, slots, tuple(point for point in points if point), type_, node, single)


def _slots(element: Element, id_: str, found: Findings) -> tuple[str, ...]:
    """slot0, slot1 and so on; a follow-up query may have `slot` alone, or repeat slot0 in it."""
    by_number: dict[int, Element] = {}
    for child in element.children:
        match = re.fullmatch(r"slot([0-9]{1,2})", child.tag)
        if match is None:
            continue
        if by_number.setdefault(int(match[1]), child) is not child:
            found.add("repeated-slot", f"<{child.tag}> once more", child.line, child.column, "keep one of them")
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
        message = f"an entry point of {id_} is no place in a document"
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
                message = f"{text.strip()!r} is no place"
                found.add("place", message, number, field_column(line, 5), "write document:start-last")
            else:
                points.append(EntryPoint(name, *place_))
        if not points and not node and found.errors == before:
            found.add("no-entry", f"the query {id_} starts nowhere", number, 1, "give it a node or a place")
        if found.errors == before and _is_new(id_, lines, number, 1, found):
            queries.append(KbQuery(id_, tuple(fields[5:]), tuple(points), type_, node))
    return queries


def write_queries(queries: Iterable[KbQuery], *, format: str = "xml") -> bytes:
    r"""A file of queries, `xml` or `tsv`, that reads back as the same.

    The names of several entry points of one query must be equal in a table.

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
    """Raise on what the file could not hold."""
    problems = []
    for query in queries:
        points = query.entry_points
        texts = [query.id, query.type, query.node, *query.slots, *(text for point in points for text in point[:2])]
        if not all(text == " ".join(text.split()) for text in texts):
            problems.append(Problem(f"query {query.id}: a name with a TAB or several blanks", hint="use another name"))
        elif format == "xml" and any(_NOT_XML.search(text) for text in texts):
            problems.append(
                Problem(f"query {query.id}: a name with a character that XML has not", hint="write a table")
            )
        elif format == "tsv" and (query.single or len({point.name for point in points}) > 1 or NONE in texts):
            problems.append(Problem(f"query {query.id}: what it has does not fit into a table", hint="write XML"))
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
