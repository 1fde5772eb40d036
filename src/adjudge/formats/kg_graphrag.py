"""The output folder of Microsoft GraphRAG: entities and relationships as Parquet.

Relationships have no label: all are called `related`, and `kbp.pairs` says whether the right things are connected. The
documents of a relationship are those of its text units, named by title if the folder has them; if text units are not in
the folder, their ids stand for documents.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from adjudge.errors import Problem
from adjudge.findings import Findings
from adjudge.formats.parquet import parquet_names, parquet_table
from adjudge.model.kbp import TripleNames
from adjudge.model.kg import NOWHERE, Graph, new_graph, one_line

RELATED = "related"
RELATIONSHIPS = "relationships.parquet"


def is_graphrag(source: object) -> bool:
    """Whether a source is the folder of a run of GraphRAG.

    >>> is_graphrag("no/such/folder")
    False
    """
    return isinstance(source, str | Path) and (Path(source) / RELATIONSHIPS).is_file()


def read_graphrag(source: str | Path, *, names: TripleNames | None = None, name: str | None = None) -> Graph:
    """The graph of a folder; equal rows count once."""
    folder, graph = Path(source), new_graph(names)
    found = Findings(name or str(source))
    units = _units(folder, graph, found)
    rows: dict[tuple[str, str, str], None] = {}
    for first, last, texts in _columns(folder / RELATIONSHIPS, ("source", "target", "text_unit_ids"), found):
        for end, what in ((first, "source"), (last, "target")):
            if not isinstance(end, str) or not one_line(end):
                found.add("triple", f"{RELATIONSHIPS}: the {what} of a relationship is empty", None, None, "name it")
                break
        else:
            for document in _documents(texts, units):
                rows.setdefault((first.strip(), last.strip(), document))
    for first, last, document in rows:
        graph.add((first, RELATED, last), document)
    for title, kind, texts in _columns(folder / "entities.parquet", ("title", "type", "text_unit_ids?"), found):
        if isinstance(title, str):
            for document in _documents(texts, units):
                graph.add_node(title, document, kind if isinstance(kind, str) else "")
    found.finish()
    message = f"GraphRAG does not label relationships: all are called {RELATED!r}"
    graph.notes.append(Problem(message, path=str(source), hint="look at kbp.pairs: are the right things connected?"))
    return graph.finish()


def _units(folder: Path, graph: Graph, found: Findings) -> dict[str, list[str]] | None:
    """The documents of each text unit; None if the folder does not say."""
    file = folder / "text_units.parquet"
    if not file.is_file():
        return None
    titles: dict[str, str] = {}
    if (folder / "documents.parquet").is_file():
        for key, title in _columns(folder / "documents.parquet", ("id", "title"), found):
            if isinstance(title, str) and title.strip():
                titles[str(key)] = title.strip()
    known = parquet_names(str(file), str(file))
    column = "document_id" if "document_id" in known else "document_ids"
    units: dict[str, list[str]] = {}
    for key, texts, text in _columns(file, ("id", column, "text?"), found):
        listed = texts if isinstance(texts, list) else [texts]
        documents = [titles.get(str(each), str(each)) for each in listed if each is not None and str(each).strip()]
        units[str(key)] = documents
        for document in documents:
            graph.documents[document] = None
            if isinstance(text, str) and text.strip():
                graph.texts[document] = f"{graph.texts[document]}\n{text}" if document in graph.texts else text
    return units


def _documents(texts: Any, units: Mapping[str, Iterable[str]] | None) -> list[str]:
    listed = [str(each) for each in texts if str(each).strip()] if isinstance(texts, list) else []
    if units is not None:
        listed = [document for each in listed for document in units.get(each, [each])]
    return list(dict.fromkeys(listed)) or [NOWHERE]


def _columns(file: Path, wanted: tuple[str, ...], found: Findings) -> Iterator[tuple[Any, ...]]:
    """The rows of some columns; a name that ends in `?` may be missing, and its values are then None."""
    place = str(file)
    if not file.is_file():
        found.add("missing", f"there is no {file.name}", None, None, "give the folder `output` of a run of GraphRAG")
        return
    known = parquet_names(place, place)
    lacking = [each for each in wanted if not each.endswith("?") and each not in known]
    if lacking:
        message = f"{file.name} has no column {', '.join(lacking)}"
        found.add("columns", message, None, None, "check which version of GraphRAG has written it")
        return
    names = [each.removesuffix("?") for each in wanted]
    present = [each for each in names if each in known]
    for block in parquet_table(place, present, place):
        if isinstance(block, bytes):
            rows: Iterable[Any] = (line.split("\t") for line in block.decode().split("\n")) if block else ()
        else:
            rows = zip(*block, strict=True)
        for row in rows:
            given = dict(zip(present, row, strict=True))
            yield tuple(given.get(each) for each in names)
