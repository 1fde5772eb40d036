"""WebNLG XML: entries with the triples of gold (`modifiedtripleset`) or of a system (`generatedtripleset`).

A triple is one text, `subject | relation | object`. An entry is a document, named by its eid, and by its category as
well if eids repeat.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from adjudge.findings import Findings
from adjudge.formats.safe_xml import Element, read_xml
from adjudge.formats.source import Source, read_whole
from adjudge.model.kbp import TripleNames
from adjudge.model.kg import Graph, new_graph, one_line

SETS = (("modifiedtripleset", "mtriple"), ("generatedtripleset", "gtriple"))


class WebnlgEntry(NamedTuple):
    """An entry: its name, its triples as written, their lines, and its texts."""

    name: str
    triples: tuple[str, ...]
    lines: tuple[int, ...]
    text: str


def read_entries(source: Source, *, name: str | None = None) -> list[WebnlgEntry]:
    """The entries of a file, in order.

    >>> xml = b"<benchmark><entries><entry eid='Id1'><modifiedtripleset><mtriple>Ana | child | Ben</mtriple>"
    >>> read_entries(xml + b"</modifiedtripleset></entry></entries></benchmark>")[0].triples
    ('Ana | child | Ben',)
    """
    whole = read_whole(source, name=name)
    found = Findings(whole.place)
    root = read_xml(whole.data, whole.place)
    entries = root.first("entries")
    if root.tag != "benchmark" or entries is None:
        found.add("entry", "there is no <benchmark> with <entries>", root.line, root.column, "give WebNLG XML")
        found.finish()
    assert entries is not None
    listed = list(entries.all("entry"))
    repeated = Counter(each.get("eid") for each in listed)
    names: Counter[str] = Counter()
    made = []
    for number, entry in enumerate(listed, 1):
        eid = entry.get("eid") or str(number)
        called = f"{entry.get('category')}/{eid}" if repeated[entry.get("eid")] > 1 else eid
        names[called] += 1
        if names[called] > 1:
            message = f"entry {number}: a second entry {called!r}"
            found.add("entry", message, entry.line, entry.column, "give every entry its own eid")
        triples = _triples(entry)
        texts = [each.text.strip() for each in entry.all("lex") if each.text.strip()]
        made.append(
            WebnlgEntry(
                called,
                tuple(each.text.strip() for each in triples),
                tuple(each.line for each in triples),
                " ".join(texts),
            )
        )
    found.finish()
    return made


def _triples(entry: Element) -> list[Element]:
    """The triples in the first set of an entry."""
    for outer, inner in SETS:
        group = entry.first(outer)
        if group is not None:
            return list(group.all(inner))
    return []


def read_webnlg(source: Source, *, names: TripleNames | None = None, name: str | None = None) -> Graph:
    """The graph of a file."""
    graph = new_graph(names)
    whole = read_whole(source, name=name)
    found = Findings(whole.place)
    for number, entry in enumerate(read_entries(whole.data, name=whole.place), 1):
        graph.documents[entry.name] = None
        if entry.text:
            graph.texts[entry.name] = entry.text
        for place, (text, line) in enumerate(zip(entry.triples, entry.lines, strict=True), 1):
            parts = [one_line(part) for part in text.split(" | ")]
            if len(parts) != 3 or not all(parts):
                message = f"entry {number}, triple {place}: {len(parts)} parts instead of 3"
                message = message if len(parts) != 3 else f"entry {number}, triple {place}: a part is empty"
                found.add("triple", message, line, None, "write subject | relation | object")
            else:
                graph.add(parts, entry.name)
    found.finish()
    return graph
