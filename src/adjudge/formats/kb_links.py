"""Tables that link mentions to pages: ACEtoWiki, a plain table with a header, and the tab format of entity linking.

    http://en.wikipedia.org/wiki/Oslo <TAB> DOC.sgm <TAB> E24 <TAB> 310
    doc,start,end,page
    run1 <TAB> m1 <TAB> Oslo <TAB> DOC:310-313 <TAB> m.05l64 <TAB> GPE <TAB> NAM <TAB> 1.0

ACEtoWiki names a mention by its entity and the start of its head; the tab format gives the last character of its span.

The header of a plain table names its columns, in any order: `doc`, `page`, and either `mention` (an id), or `start`
(and `end`, exclusive), or `entity` and `start`. A page may be an address; `page_name` normalizes it. A mention without
a page has an empty page, in ACEtoWiki any word that is not an address, in the tab format an id that begins with NIL.

There are also small lists beside a corpus: one name per line, or two names with a TAB between them. Empty lines and
lines that begin with `#` are skipped; blanks around a name do not count.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping
from typing import Literal, TypeAlias
from urllib.parse import unquote

from adjudge.errors import FormatError, Problem, UsageError
from adjudge.findings import Findings, field_column
from adjudge.formats.safe_xml import whole_number
from adjudge.formats.source import Source, read_lines, read_rows, source_name
from adjudge.formats.standoff import parse_place
from adjudge.model.kbp import KbDocument, LinkTable, MentionLink

LinkFormat: TypeAlias = Literal["acetowiki", "table", "edl"]

_NAMES = {"document": "doc", "docid": "doc", "doc_id": "doc", "link": "page", "kb_id": "page", "mention_id": "mention"}
_COLUMNS = ("doc", "page", "mention", "entity", "start", "end", "cluster")
_ADDRESS = re.compile(r"(?:https?:)?//[^/\s]+(?:/|$)", re.IGNORECASE)
MentionKey: TypeAlias = "tuple[str, str, int]"
"""A gold mention: its document, its entity, and its number among the mentions of the entity."""


def read_links(
    source: Source,
    *,
    format: LinkFormat | None = None,
    several: Literal["none", "first"] = "none",
    name: str | None = None,
) -> LinkTable:
    r"""The rows of a table; its first line tells the format. All problems are raised at once.

    An ACEtoWiki line with links to several pages (a group) counts as one without a page, or the `first` is taken.

    >>> read_links(b"http://en.wikipedia.org/wiki/New%20York#x\ta.sgm\tE3\t17\n").links
    [MentionLink(document='a', page='New_York', mention='', entity='E3', start=17, end=None, cluster='', line=1)]
    """
    found = Findings(name or source_name(source))
    links: list[MentionLink] = []
    notes: list[Problem] = []
    kind: LinkFormat | None = format
    header: dict[str, int] | None = None
    separator = "\t"
    groups: list[int] = []
    for number, line in read_lines(source, found):
        if not line.strip():
            continue
        if kind is None:
            kind = _detect(line)
        if kind == "table" and header is None:
            separator = "\t" if "\t" in line else ","
            header = _header(_fields(line, separator), number, found)
            continue
        if kind == "table" and header is not None:
            link = _table_row(_fields(line, separator), header, number, found)
        elif kind == "edl":
            link = _edl_row(line, number, found)
        else:
            link = _ace_row(line, number, several, groups, found)
        if link is not None:
            links.append(link)
    if groups:
        done = "treated as having no page" if several == "none" else "the first is taken"
        message = f"{len(groups)} line{'s' * (len(groups) != 1)} with links to several pages, {done}"
        notes.append(Problem(message, path=found.place, line=groups[0]))
    found.finish(empty=None if links else "the table has no rows", hint="write a row for each linked mention")
    return LinkTable(found.place, links, notes)


def page_name(text: str, *, redirects: Mapping[str, str] | None = None) -> str:
    """The normalized name of a page: without address and section, decoded, `_` for blanks, first letter in upper case.

    >>> page_name("http://en.wikipedia.org/wiki/s%C3%A3o Paulo#History"), page_name("AC/DC")
    ('São_Paulo', 'AC/DC')
    """
    name = text.strip()
    address = _ADDRESS.match(name)
    if address is not None:
        name = name[address.end() :]
    if address is not None or name.startswith("wiki/"):
        name = name.removeprefix("wiki/")
    name = unquote(name.partition("#")[0])
    name = "_".join(name.replace("_", " ").split())
    name = name[:1].upper() + name[1:]
    seen = {name}
    while redirects and name in redirects:
        name = redirects[name]
        if name in seen:  # circular redirects lead nowhere
            break
        seen.add(name)
    return name


def attach_links(
    table: LinkTable, documents: Iterable[KbDocument]
) -> tuple[dict[MentionKey, MentionLink], list[Problem]]:
    """The row of each mention that has one, and notes on rows that fit no mention, or several.

    A row fits a mention by id, by the entity and the start of the head, or by the span of its head or extent. If it
    fits several mentions of one entity, or mentions of several entities, it is not used.
    """
    index: dict[tuple[object, ...], dict[MentionKey, None]] = {}
    known = set()
    for document in documents:
        known.add(document.id)
        for entity in document.entities:
            suffix = entity.id.removeprefix(f"{document.id}-")
            for number, mention in enumerate(entity.mentions):
                key = document.id, entity.id, number
                start, end = mention.head_span
                for way in (
                    ("id", document.id, mention.id),
                    ("start", document.id, start),
                    ("entity", document.id, entity.id, start),
                    ("entity", document.id, suffix, start),
                    ("span", document.id, start, end),
                    ("span", document.id, mention.start, mention.end),
                ):
                    index.setdefault(way, {})[key] = None
    found: dict[MentionKey, MentionLink] = {}
    wrong: dict[str, list[MentionLink]] = {}
    for link in table.links:
        fits = list(index.get(_way(link), {}))
        if len(fits) == 1 and found.setdefault(fits[0], link).page != link.page:
            wrong.setdefault("rows with another page for a mention that has one, the first counts", []).append(link)
        elif not fits and link.document not in known:
            wrong.setdefault("rows about other documents", []).append(link)
        elif len(fits) != 1:
            message = "rows that fit several mentions, not used" if fits else "rows that fit no mention"
            wrong.setdefault(message, []).append(link)
    notes = []
    for message, rows in wrong.items():
        notes.append(Problem(f"{message}: {len(rows)}", path=table.path, line=rows[0].line or None))
    return found, notes


def _way(link: MentionLink) -> tuple[object, ...]:
    """What a row names its mention by."""
    if link.mention:
        return "id", link.document, link.mention
    if link.entity:
        return "entity", link.document, link.entity, link.start
    if link.end is None:
        return "start", link.document, link.start
    return "span", link.document, link.start, link.end


def _detect(line: str) -> LinkFormat:
    fields = [field.strip() for field in line.split("\t")]
    if len(fields) >= 8 and parse_place(fields[3]):
        return "edl"
    if len(fields) == 4 and whole_number(fields[3]) is not None:
        return "acetowiki"
    return "table"


def _fields(line: str, separator: str) -> list[str]:
    if separator == "\t":
        return [field.strip() for field in line.split("\t")]
    try:
        return [field.strip() for field in next(csv.reader([line]))]
    except csv.Error:  # a field longer than the module allows
        return [line]


def _header(fields: list[str], number: int, found: Findings) -> dict[str, int]:
    names = [_NAMES.get(field.lower(), field.lower()) for field in fields]
    header = {name: place for place, name in enumerate(names) if name in _COLUMNS}
    ways = ("mention" in header) or ("start" in header)
    if not {"doc", "page"} <= header.keys() or not ways:
        hint = "write a header with doc, page, and mention or start and end, as in doc,start,end,page"
        raise UsageError(
            Problem("the table has no header that says what its columns are", found.place, number, 1, hint)
        )
    return header


def _table_row(fields: list[str], header: dict[str, int], number: int, found: Findings) -> MentionLink | None:
    if len(fields) < len(header):
        message = f"a row with {len(fields)} fields instead of {len(header)}"
        found.add("columns", message, number, 1, "fill all columns of the header")
        return None
    given = {name: fields[place] if place < len(fields) else "" for name, place in header.items()}
    numbers: dict[str, int | None] = {}
    for name in ("start", "end"):
        text = given.get(name, "")
        numbers[name] = whole_number(text) if text else None
        if text and numbers[name] is None:
            found.add("offset", f"the {name} is {text!r}", number, None, "write a whole number of characters")
            return None
    if not given["doc"] or (not given.get("mention") and numbers["start"] is None):
        found.add("mention", "the row names no mention", number, 1, "fill doc and mention, or doc and start")
        return None
    return MentionLink(
        given["doc"],
        page_name(given["page"]),
        given.get("mention", ""),
        given.get("entity", ""),
        numbers["start"],
        numbers["end"],
        given.get("cluster", ""),
        number,
    )


def _ace_row(line: str, number: int, several: str, groups: list[int], found: Findings) -> MentionLink | None:
    fields = [field.strip() for field in line.split("\t")]
    start = whole_number(fields[3]) if len(fields) == 4 else None
    if len(fields) != 4 or not fields[1] or not fields[2] or start is None:
        hint = "write the link, DOC.sgm, the end of the entity id, and the start of the head, with TABs between them"
        found.add("columns", "this is not a row of ACEtoWiki", number, 1, hint)
        return None
    pages = [each for each in fields[0].split() if _ADDRESS.match(each)]
    if len(pages) > 1:
        groups.append(number)
    page = page_name(pages[0]) if len(pages) == 1 or (pages and several == "first") else ""
    document = re.sub(r"\.sgm$", "", fields[1], flags=re.IGNORECASE)
    return MentionLink(document, page, entity=fields[2].removeprefix(f"{document}-"), start=start, line=number)


def _edl_row(line: str, number: int, found: Findings) -> MentionLink | None:
    fields = [field.strip() for field in line.split("\t")]
    place = parse_place(fields[3]) if len(fields) >= 8 else None
    if place is None or not fields[4]:
        hint = "write run, mention, text, DOC:first-last, id, type, NAM or NOM, and confidence with TABs between them"
        found.add("columns", "this is not a row of entity linking", number, 1, hint)
        return None
    document, start, end = place
    nil = fields[4].upper().startswith("NIL")
    page, cluster = ("", fields[4]) if nil else (fields[4], "")
    return MentionLink(document, page, start=start, end=end, cluster=cluster, line=number)


# ---------------------------------------------------------------------------------------------------------------------
# Lists: documents to score, pages that say too little, redirects, other names of relations


def read_names(source: Source, *, name: str | None = None) -> dict[str, int]:
    r"""The names of a list, each with its first line.

    >>> read_names(b"# documents\nd2\n\nd1\nd2\n")
    {'d2': 2, 'd1': 4}
    """
    found = Findings(name or source_name(source))
    names: dict[str, int] = {}
    hint = "write one name per line"
    for number, line, _ in read_rows(source, found):
        if line.lstrip().startswith("#"):
            continue
        if len(line.strip().split("\t")) > 1:
            found.add("columns", "a line with several fields", number, field_column(line, 2), hint)
        else:
            names.setdefault(line.strip(), number)
    found.finish(empty=None if names else "the file names nothing", hint=hint)
    return names


def read_pairs(source: Source, *, name: str | None = None) -> dict[str, str]:
    r"""A table of two columns; a name that is on the left twice must have the same one on the right.

    >>> read_pairs(b"works_for\tEmployment\n")
    {'works_for': 'Employment'}
    """
    return _pairs(source, name)[0]


def _pairs(source: Source, name: str | None) -> tuple[dict[str, str], dict[str, int]]:
    """The pairs, and the line of each."""
    found = Findings(name or source_name(source))
    pairs: dict[str, str] = {}
    first: dict[str, int] = {}
    hint = "write two names with a TAB between them"
    for number, line, fields in read_rows(source, found):
        if line.lstrip().startswith("#"):
            continue
        if len(fields) != 2:
            message = f"a line with {len(fields)} field{'s' * (len(fields) != 1)} instead of 2"
            found.add("columns", message, number, 1, hint)
            continue
        left, right = fields
        if not left or not right:
            place = 1 if not left else 2
            found.add("empty-field", f"the name in column {place} is empty", number, field_column(line, place), hint)
        elif pairs.setdefault(left, right) != right:
            message = f"{left!r} is {pairs[left]!r} in line {first[left]}"
            found.add("contradiction", message, number, 1, "keep one of the two lines")
        first.setdefault(left, number)
    found.finish(empty=None if pairs else "the file names nothing", hint=hint)
    return pairs, first


def read_redirects(source: Source, *, name: str | None = None) -> dict[str, str]:
    r"""A table of pages and the pages that they redirect to, in the forms that tables of links use.

    >>> read_redirects(b"http://en.wikipedia.org/wiki/christiania\tOslo\n")["Christiania"]
    'Oslo'
    """
    place = name or source_name(source)
    given, lines = _pairs(source, place)
    first: dict[str, str] = {}
    problems = []
    for left, right in given.items():
        other = first.setdefault(page_name(left), left)
        if page_name(given[other]) != page_name(right):
            message = f"{other!r} and {left!r} are one page, but lead to {given[other]!r} and {right!r}"
            problems.append(Problem(message, path=place, line=lines[left], column=1, hint="keep one of them"))
    if problems:
        raise FormatError(problems)
    # An id of another knowledge base keeps its form.
    return given | {page: page_name(given[left]) for page, left in first.items()}


def read_stop_list(source: Source, *, name: str | None = None) -> frozenset[str]:
    """A list of pages that are not entities, such as pages about a people or a kind of thing.

    >>> sorted(read_stop_list(b"http://en.wikipedia.org/wiki/country"))
    ['Country', 'http://en.wikipedia.org/wiki/country']
    """
    names = read_names(source, name=name)
    return frozenset(names) | {page_name(each) for each in names}
