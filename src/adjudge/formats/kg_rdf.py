"""RDF as a knowledge graph: N-Triples and N-Quads by our own reader, Turtle and TriG by pyoxigraph.

The graph of a quad is its document. An IRI is named by its text or by its local name: what follows the last `#`, else
the last `/`, percent-decoded. A literal is its lexical form, with language and datatype only if they are asked for.
`rdf:type` gives the type of its subject and is a fact only if that is asked for. A blank node is the same only within
its file.

N-Triples are read in blocks of lines: a block as programs write it (one blank between terms) is checked by one
expression and taken apart by numpy, several times as fast as line by line. Any other block is read line by line, with
everything that the standard allows, and problems are reported by line.
"""

from __future__ import annotations

import io
import re
import zlib
from array import array
from collections.abc import Iterable, Iterator
from typing import Any, Literal, NamedTuple, TypeAlias
from urllib.parse import unquote

from adjudge.errors import FormatError, Problem
from adjudge.findings import Findings
from adjudge.formats.source import BOM, COPY, Line, Source, block_lines, opened, source_name, table_blocks
from adjudge.model.kbp import Names, TripleNames
from adjudge.model.kg import NOWHERE, Graph, new_graph, one_line

Kind: TypeAlias = Literal["ntriples", "turtle", "trig"]
SUFFIXES: dict[str, Kind] = {".nt": "ntriples", ".nq": "ntriples", ".ttl": "turtle", ".trig": "trig"}
TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"

_HINT = "write <subject> <relation> <object> . on each line, with a <graph> before the dot if there is one"


class Rdf(NamedTuple):
    """How names are made: IRIs `full` or `local`, literals `plain` or `full`, rdf:type as `type` or `fact`.

    `side` keeps the blank nodes of one side apart from those of another.
    """

    iri: Literal["full", "local"] = "full"
    literals: Literal["plain", "full"] = "plain"
    rdf_type: Literal["type", "fact"] = "type"
    side: str = ""


USUAL = Rdf()


def read_rdf(
    source: Source,
    *,
    kind: Kind = "ntriples",
    rdf: Rdf = USUAL,
    names: TripleNames | None = None,
    name: str | None = None,
) -> Graph:
    """The graph of a file.

    >>> graph = read_rdf(b'<http://x.org/Ana> <http://x.org/age> "41" <http://x.org/d1> .', rdf=Rdf(iri="local"))
    >>> list(graph.table.rows())
    [('Ana', 'age', '41', 'd1')]
    """
    graph = new_graph(names)
    found = Findings(name or source_name(source))
    scan_rdf(source, graph, found, kind=kind, rdf=rdf)
    found.finish()
    return graph.finish()


def scan_rdf(source: Source, graph: Graph, found: Findings, *, kind: Kind = "ntriples", rdf: Rdf = USUAL) -> None:
    """Add what can be read of a file to `graph`, and what is wrong to `found`."""
    rows = _Rows()
    if kind == "ntriples":
        at = Line()
        for data in table_blocks(source, found, at):
            if not _add_block(data, rows):
                _add_lines(block_lines(at.number, data, found), rows, found)
            at.number += data.count(b"\n") + 1
    else:
        _add_parsed(source, kind, rows, found)
    if rows.finish(graph, rdf):
        message = "blank nodes are never the same as those of another file"
        graph.notes.append(Problem(message, path=found.place, line=1))


# ---------------------------------------------------------------------------------------------------------------------
# Terms, and their names


class _Rows:
    """Triples as numbers of terms, which are kept as written; the term `.` stands for no graph."""

    def __init__(self) -> None:
        self.nodes, self.relations, self.graphs = Names(), Names(), Names(".")
        self.ends, self.links, self.places = array("i"), array("i"), array("i")
        self.escaped = self.blank = False  # whether there may be escapes and blank nodes

    def extend(self, rows: Iterable[tuple[str, str, str, str]]) -> None:
        """Add rows of subject, relation, object and graph."""
        self.escaped = self.blank = True
        for subject, relation, object_, graph in rows:
            self.ends.append(self.nodes[subject])
            self.ends.append(self.nodes[object_])
            self.links.append(self.relations[relation])
            self.places.append(self.graphs[graph] if graph else 0)

    def finish(self, graph: Graph, rdf: Rdf) -> bool:
        """Add all rows to a graph under the names of their terms; returns whether there are blank nodes."""
        import numpy as np

        if not len(self.links):
            return False
        ends, links, places = (np.frombuffer(each, "i4") for each in (self.ends, self.links, self.places))
        subjects, objects = ends[0::2], ends[1::2]
        typed = self.relations.get(f"<{TYPE}>") if rdf.rdf_type == "type" else None
        if typed is not None:
            kinds = links == typed
            listed = self.nodes.listed
            for subject, kind in zip(subjects[kinds].tolist(), objects[kinds].tolist(), strict=True):
                name = name_of(listed[subject], rdf)
                graph.types.setdefault(name, name_of(listed[kind], rdf))
                graph.add_node(name)
            subjects, objects, links, places = (each[~kinds] for each in (subjects, objects, links, places))
        table, names = graph.table, graph.table.names
        used = None if typed is None else np.union1d(subjects, objects)
        plain = rdf.iri == "full" and not self.escaped
        nodes = _numbers(self.nodes, names.nodes, rdf, plain, used)
        relations = _numbers(self.relations, names.relations, rdf, plain, None if typed is None else np.unique(links))
        # What is in no graph is in no document.
        documents = np.array([names.documents[NOWHERE if term == "." else name_of(term, rdf)] for term in self.graphs])
        for column, numbers in (
            (table.subjects, nodes[subjects]),
            (table.relations, relations[links]),
            (table.objects, nodes[objects]),
            (table.documents, documents[places]),
        ):
            column.frombytes(numbers.astype("i4").tobytes())
        return self.blank and any(term.startswith("_:") for term in self.nodes)


def _numbers(terms: Names, names: Names, rdf: Rdf, plain: bool, used: Any = None) -> Any:
    """The number of each term's name, in the order of the terms; only for those `used`, if given."""
    import numpy as np

    listed = terms.listed if used is None else [terms.listed[number] for number in used.tolist()]
    if plain:
        found = [term[1:-1] if term[0] == "<" else name_of(term, rdf) for term in listed]
    else:
        found = [name_of(term, rdf) for term in listed]
    numbers = names.number_all(found)
    if used is None:
        return np.array(numbers, dtype=np.int32)
    every = np.full(len(terms), -1, dtype=np.int32)
    every[used] = numbers
    return every


def name_of(term: str, rdf: Rdf = USUAL) -> str:
    r"""The name of a term that is written as in N-Triples.

    >>> name_of("<http://x.org/p#a%20b>", Rdf(iri="local")), name_of('"Corvex \\"SA\\""@en'), name_of('"1"^^<http://i>')
    ('a b', 'Corvex "SA"', '1')
    """
    if term[0] == "<":
        text = _unescaped(term[1:-1]) if "\\" in term else term[1:-1]
        return one_line(local_name(text) if rdf.iri == "local" else text) or "<>"
    if term[0] == "_":
        return f"_:{rdf.side}{'.' if rdf.side else ''}{term[2:]}"
    if rdf.literals == "full":
        return one_line(_unescaped(term) if "\\" in term else term)
    text = term[1 : term.rindex('"')]
    return one_line(_unescaped(text) if "\\" in text else text) or '""'


def local_name(iri: str) -> str:
    """What follows the last `#` of an IRI, else the last `/`; the IRI itself if nothing does.

    >>> local_name("http://x.org/p#founded"), local_name("http://x.org/e/Ru%C3%ADz"), local_name("http://x.org/")
    ('founded', 'Ruíz', 'http://x.org/')
    """
    mark = "#" if "#" in iri else "/"
    return unquote(iri.rpartition(mark)[2]) or iri


_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))", re.DOTALL)
_SIGNS = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f"}


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(_sign, text)


def _sign(found: re.Match[str]) -> str:
    digits = found[1] or found[2]
    if digits is None:
        return _SIGNS.get(found[3], found[3])
    number = int(digits, 16)
    return chr(number) if number < 0x110000 and not 0xD800 <= number < 0xE000 else "\N{REPLACEMENT CHARACTER}"


# ---------------------------------------------------------------------------------------------------------------------
# N-Triples and N-Quads

_CODE = r"\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8}"
_IRI = rf"<(?:[^\x00-\x20<>\"{{}}|^`\\]++|{_CODE})*+>"
_BLANK = r"_:[^\s<>\"\\.](?:[^\s<>\"\\.]|\.(?=[^\s<>\"\\.]))*+"
_QUOTED = rf'"(?:[^"\\\n\r]++|\\[tbnrf"\'\\]|{_CODE})*+"(?:@[A-Za-z]+(?:-[A-Za-z0-9]+)*+(?:--[a-z]+)?|\^\^{_IRI})?'
_LINE = (
    rf"[ \t]*({_IRI}|{_BLANK})[ \t]*({_IRI})[ \t]*({_IRI}|{_BLANK}|{_QUOTED})"
    rf"[ \t]*((?:{_IRI}|{_BLANK})?)[ \t]*\.[ \t]*(?:#[^\n]*)?"
)
_ROW = re.compile(_LINE)
_NOTHING = re.compile(r"[ \t]*(?:#.*)?")


# As programs write it: one blank between terms and before the dot; a whole block is checked at once.
_PLAIN_TERM = rb'(?:<[^\x00-\x20<>"{}|^`\\]*+>|_:[A-Za-z0-9_]++)'
_PLAIN_LITERAL = rb'"[^"\\\x00-\x1f]*+"(?:@[A-Za-z0-9-]++|\^\^<[^\x00-\x20<>"{}|^`\\]*+>)?'
_PLAIN_LINE = rb"%s <[^\x00-\x20<>\"{}|^`\\]*+> (?:%s|%s)" % (_PLAIN_TERM, _PLAIN_TERM, _PLAIN_LITERAL)
_TRIPLES = re.compile(rb"(?:%s \.\n)*+" % _PLAIN_LINE)
_QUADS = re.compile(rb"(?:%s %s \.\n)*+" % (_PLAIN_LINE, _PLAIN_TERM))


def _add_block(data: bytes, rows: _Rows) -> bool:
    """Add all rows of a block at once if they are written as programs do, and all or none have a graph."""
    import numpy as np

    from adjudge.formats.interning import Fields, intern_together

    whole = b"".join((data, b"\n", bytes(8)))
    size = len(data) + 1
    quads = False
    if _TRIPLES.match(whole).end() != size:  # type: ignore[union-attr]
        quads = _QUADS.match(whole).end() == size  # type: ignore[union-attr]
        if not quads:
            return False
    every = np.frombuffer(whole, np.uint8)[:size]
    ends = np.flatnonzero(every == ord("\n"))
    blanks = np.flatnonzero(every == ord(" "))
    starts = np.concatenate((ends[:1] * 0, ends[:-1] + 1))
    first = np.searchsorted(blanks, starts)
    last = np.searchsorted(blanks, ends) - 1  # before the dot
    one, two, stop = blanks[first], blanks[first + 1], blanks[last]
    over = blanks[last - 1] if quads else stop
    begins = np.stack((starts, two + 1), axis=1).ravel()  # subjects and objects alternate, as they get their numbers
    lengths = np.stack((one - starts, over - two - 1), axis=1).ravel()
    fields = [Fields(whole, begins, lengths), Fields(whole, one + 1, two - one - 1)]
    kinds = [rows.nodes, rows.relations]
    if quads:
        fields.append(Fields(whole, over + 1, stop - over - 1))
        kinds.append(rows.graphs)
    numbers = intern_together(fields, kinds)
    if numbers is None:
        return False
    nodes, links, *graphs = numbers
    rows.blank |= b"_:" in data
    rows.ends.frombytes(nodes.astype("i4").tobytes())
    rows.links.frombytes(links.astype("i4").tobytes())
    rows.places.frombytes((graphs[0] if graphs else np.zeros(len(ends))).astype("i4").tobytes())
    return True


def _add_lines(lines: Iterable[tuple[int, str]], rows: _Rows, found: Findings) -> None:
    for number, line in lines:
        match = _ROW.fullmatch(line)
        if match is not None:
            rows.extend([(match[1], match[2], match[3], match[4])])
        elif not _NOTHING.fullmatch(line):
            column, message = _fault(line)
            found.add("triple", message, number, column, _HINT)


def _fault(line: str) -> tuple[int, str]:
    """Where a line stops being a triple, and what is missing there."""
    at = len(line) - len(line.lstrip(" \t"))
    for what, pattern in (
        ("subject (an IRI in <> or a blank node)", rf"(?:{_IRI}|{_BLANK})[ \t]*"),
        ("relation (an IRI in <>)", rf"{_IRI}[ \t]*"),
        ("object (an IRI in <>, a blank node, or a literal in quotes)", rf"(?:{_IRI}|{_BLANK}|{_QUOTED})[ \t]*"),
    ):
        part = re.compile(pattern).match(line, at)
        if part is None:
            return at + 1, f"there is no {what} here"
        at = part.end()
    graph = re.compile(rf"(?:{_IRI}|{_BLANK})[ \t]*").match(line, at)
    at = graph.end() if graph is not None else at
    return at + 1, "there is no dot at the end of the triple" if at >= len(line) else "a dot is missing here"


# ---------------------------------------------------------------------------------------------------------------------
# Turtle and TriG


def _add_parsed(source: Source, kind: Kind, rows: _Rows, found: Findings) -> None:
    try:
        import pyoxigraph
    except ImportError:
        hint = "install it with: pip install 'adjudge[kg]', or write N-Triples"
        message = "Turtle and TriG need pyoxigraph, which is not installed"
        raise FormatError(Problem(message, path=found.place, hint=hint)) from None
    form = pyoxigraph.RdfFormat.TURTLE if kind == "turtle" else pyoxigraph.RdfFormat.TRIG
    with opened(source, found.place) as stream:
        try:
            text = io.BufferedReader(stream)  # type: ignore[type-var]  # anything that can be read
            if text.peek(len(BOM)).startswith(BOM):
                text.read(len(BOM))
            for block in _blocks(pyoxigraph.parse(text, format=form)):
                rows.extend(block)
        except SyntaxError as error:
            message = f"this is not {'Turtle' if kind == 'turtle' else 'TriG'}: {error.msg}"
            found.add("triple", message[:300], error.lineno, error.offset, "fix this line")
        except (EOFError, zlib.error) as error:
            found.add("damaged", f"the compressed file is damaged ({error})", None, None, COPY)
        except (ValueError, OSError) as error:
            found.add("triple", f"the file cannot be read: {error}"[:300], None, None, "save it as UTF-8")


def _blocks(quads: Iterable[Any], size: int = 1 << 14) -> Iterator[list[tuple[str, str, str, str]]]:
    """Subject, relation, object and graph of quads as N-Triples writes them, in blocks."""
    block: list[tuple[str, str, str, str]] = []
    for quad in quads:
        graph = str(quad.graph_name)
        block.append((str(quad.subject), str(quad.predicate), str(quad.object), "" if graph == "DEFAULT" else graph))
        if len(block) == size:
            yield block
            block = []
    yield block
