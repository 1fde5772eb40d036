"""Small lists beside a corpus: documents to score, pages that say too little, redirects, other names of relations.

A list has one name per line, a table two names with a TAB between them. Empty lines and lines that begin with `#` say
nothing; blanks around a name do not count.
"""

from __future__ import annotations

from adjudge.errors import FormatError, Problem
from adjudge.formats.findings import Findings, field_column
from adjudge.formats.kb_links import page_name
from adjudge.formats.source import Source, read_rows, source_name


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
    r"""A table of two columns; a name that stands twice on the left must have the same on the right.

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
    r"""A table of pages and the pages to which they lead, in the forms in which tables of links have them.

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
    """A list of pages that are no entity, such as pages about a people or a kind of thing.

    >>> sorted(read_stop_list(b"http://en.wikipedia.org/wiki/country"))
    ['Country', 'http://en.wikipedia.org/wiki/country']
    """
    names = read_names(source, name=name)
    return frozenset(names) | {page_name(each) for each in names}
