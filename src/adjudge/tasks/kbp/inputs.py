"""The files of a comparison: gold annotation with its tables, system output, and whether they fit together.

There are two kinds of comparison. Annotated documents (ACE, Rich ERE, JSON lines) are compared with knowledge bases
(Cold Start) or extractions by document (JSON lines): mentions are aligned, gold entities are linked across documents.
Plain triples are compared with plain triples by name; nothing has to be aligned.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from adjudge.errors import FormatError, Problem, UsageError, ValidationError, from_keywords
from adjudge.evaluate.sides import is_file, name_systems, stem
from adjudge.evaluate.task import Side, check_common, read_sides
from adjudge.formats.kg_rdf import USUAL as NAMES_OF_RDF
from adjudge.formats.kg_rdf import Rdf
from adjudge.formats.source import Source, source_name
from adjudge.model.kbp import KbCorpus, KnowledgeBase, MentionLink, TripleNames, TripleTable
from adjudge.model.kbp import as_knowledge_base as from_documents
from adjudge.model.kg import NOWHERE, Graph
from adjudge.tasks.kbp.detection import (
    ANNOTATION,
    GRAPHS,
    KINDS,
    Format,
    Units,
    detected,
    has_nothing,
    is_blank,
    read_corpus,
    system_kinds,
)

if TYPE_CHECKING:
    from adjudge.formats.kb_annotation import Offsets
    from adjudge.formats.kb_links import MentionKey


class KbSide(Side, frozen=True):
    """Gold or one system: annotated documents, a knowledge base, or a graph of triples (one of the three).

    `links` are the rows that link mentions of gold, `redirects` and `stop` lists of pages. `outside` is how many
    triples are in documents that are not on the list; those of knowledge bases are counted when mapped.
    """

    format: Format = "triples"
    corpus: KbCorpus | None = None
    kb: KnowledgeBase | None = None
    graph: Graph | None = None
    links: Mapping[MentionKey, MentionLink] = {}
    redirects: Mapping[str, str] = {}
    stop: frozenset[str] = frozenset()
    outside: int = 0

    @property
    def table(self) -> TripleTable | None:
        """The triples of a graph."""
        return None if self.graph is None else self.graph.table


class KbInputs(NamedTuple):
    """Both sides of a comparison; `documents` are those on the list of documents, None without a list.

    `texts` are those of the documents of graphs, if they were given in addition to the graphs.
    """

    gold: KbSide
    systems: tuple[KbSide, ...]
    documents: frozenset[str] | None = None
    texts: Mapping[str, str] = {}

    @property
    def size(self) -> int:
        """How many documents gold has."""
        return len(self.gold.documents)

    @property
    def notes(self) -> list[Any]:
        """Remarks on the files for the user."""
        return [*self.gold.notes, *(note for system in self.systems for note in system.notes)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How both sides are read.

    `wiki` links gold mentions to pages, `redirects` and `stop` are lists of pages, `documents` of the documents to
    score, as a file or by their ids. `texts` is a folder with the source texts of Rich ERE, or of the documents of
    graphs, whose texts may also be given by name. `units` says what the offsets of ACE gold are converted to:
    characters of the text without tags, or of the raw file, as in Cold Start; None is `raw` if the systems are Cold
    Start knowledge bases. With `strict`, Cold Start files must follow all rules. `rdf` says how RDF terms become names;
    with `ignore_documents` all triples are in one document.
    """

    wiki: Source | None = None
    redirects: Source | None = None
    stop: Source | None = None
    documents: DocumentList | Source | Sequence[str] | None = None
    texts: str | Path | Mapping[str, str] | None = None
    units: Units | None = None
    offsets: Offsets = "check"
    gold_format: Format | None = None
    system_format: Format | None = None
    strict: bool = False
    rdf: Rdf = NAMES_OF_RDF
    ignore_documents: bool = False


USUAL = Reading()


class DocumentList(NamedTuple):
    """Ids of documents with the lines of the file in which they stand, 0 if there is no file."""

    path: str
    names: Mapping[str, int]


class _Reader(NamedTuple):
    """Reads gold as one format and every system as its own; all triples share their names."""

    how: Reading
    kind: Format
    kinds: Mapping[str, Format]
    names: TripleNames

    def read(self, source: Source, name: str, *, only: Any = None, digest: bool = True) -> KbSide:  # noqa: ARG002
        """Gold."""
        return read_gold(source, replace(self.how, gold_format=self.kind), self.names)

    def read_system(self, source: Source, name: str, *, only: Any = None, digest: bool = True) -> KbSide:  # noqa: ARG002
        """A system."""
        return read_system(source, replace(self.how, system_format=self.kinds[name]), name=name, names=self.names)


def read_inputs(gold: Any, systems: Any, *, names: Sequence[str | None] | None = None, **reading: Any) -> KbInputs:
    r"""Both sides, checked to fit together; all triples share their names. Other arguments: see `Reading`.

    A side is a file, or a graph in memory: triples, documents with triples, a data frame, or a NetworkX graph.

    >>> both = read_inputs(b"ana\tspouse\tben\td1\n", [b"ana\tspouse\tdan\td1\n"], names=["A"])
    >>> both.gold.format, both.systems[0].name, both.gold.table.names is both.systems[0].table.names
    ('triples', 'A', True)
    """
    how = from_keywords(Reading, reading, "read_inputs")
    named = named_systems(gold, systems, names)
    files = [each for _, each in named if is_file(each)]
    _check_there((gold, *files) if is_file(gold) else files)
    kind = how.gold_format or detected(gold)
    kinds = system_kinds([each for _, each in named], kind, how.system_format)
    _check_kinds(kind, gold, kinds, [each for _, each in named])
    if kind == "ace" and how.units is None:
        how = replace(how, units=system_units(kinds, files))
    listed = how.documents
    if listed is not None and not isinstance(listed, DocumentList):
        listed = _listed(listed)
        how = replace(how, documents=listed)
    of_systems = {name: each for (name, _), each in zip(named, kinds, strict=True)}
    ours, *theirs = read_sides(_Reader(how, kind, of_systems, TripleNames()), gold, named)
    assert isinstance(ours, KbSide)
    if ours.graph is not None:
        _check_documents(ours, theirs)
    check_common(ours, theirs)
    texts: Mapping[str, str] = {}
    if isinstance(how.texts, Mapping):
        texts = {str(name): text for name, text in how.texts.items()}
    elif how.texts is not None and ours.graph is not None:
        from adjudge.tasks.kbp.ontology import read_texts

        texts = read_texts(how.texts, ours.documents)
    known = None if listed is None else frozenset(listed.names)
    return KbInputs(ours, tuple(each for each in theirs if isinstance(each, KbSide)), known, texts)


def _listed(documents: Any) -> DocumentList:
    """The ids of a file, or of a list."""
    if not is_file(documents):
        return DocumentList("docs", dict.fromkeys(map(str, documents), 0))
    from adjudge.formats.kb_links import read_names

    return DocumentList(source_name(documents), read_names(documents))


def named_systems(gold: Any, systems: Any, names: Sequence[str | None] | None = None) -> list[tuple[str, Any]]:
    """The systems by name; what is in memory may be one graph, or several by name."""
    from adjudge.tasks.kbp.graphs import is_graph

    known = set(map(str, gold)) if isinstance(gold, Mapping) else set()
    return name_systems(gold, systems, names, known=known, is_whole=is_graph, texts=not is_file(gold))


def _check_documents(gold: Side, systems: Sequence[Side]) -> None:
    """Raise if only one side says which documents its triples are from."""
    of_gold = gold.documents.keys()
    for each in systems:
        ids = each.documents.keys()
        if ids and (ids == {NOWHERE}) != (of_gold == {NOWHERE}) and ids.isdisjoint(of_gold):
            which = "the system" if ids == {NOWHERE} else "gold"
            message = f"{which} does not say of which document its triples are"
            hint = "add --ignore-documents (ignore_documents=True) to compare both as one graph"
            raise UsageError(Problem(message, path=each.place, hint=hint))


def _check_there(sources: Sequence[Source]) -> None:
    """Raise if more than one file is missing; a single one is reported by its reader."""
    paths = [str(each) for each in sources if isinstance(each, str | Path) and str(each) != "-"]
    lost = [path for path in paths if not Path(path).exists() and not any(sign in path for sign in "*?[")]
    if len(lost) > 1:
        raise UsageError([Problem("there is no such file", path=path, hint="check the path") for path in lost])


def read_gold(source: Source, how: Reading = USUAL, names: TripleNames | None = None) -> KbSide:
    r"""Gold annotation or triples.

    >>> read_gold(b'{"id": "d", "entities": []}').corpus.documents[0].id
    'd'
    """
    kind = how.gold_format or detected(source)
    if how.units is not None and kind != "ace":
        raise UsageError("units are chosen for ACE annotation only", hint="leave them out")
    if kind in GRAPHS:
        return _gold_triples(source, how, names)
    if kind not in ANNOTATION:
        raise UsageError(
            Problem(
                f"{KINDS[kind]} cannot be gold",
                path=source_name(source),
                hint="give annotated documents (an ACE or Rich ERE folder, JSON lines) or plain triples",
            )
        )
    texts = None if isinstance(how.texts, Mapping) else how.texts
    corpus = read_corpus(source, kind, units=how.units or "text", offsets=how.offsets, texts=texts)
    if not corpus.documents:
        raise ValidationError(Problem("there are no documents", path=corpus.path, hint="check the path"))
    pages = how.redirects is not None or how.stop is not None
    linked = how.wiki is not None or any(entity.links for document in corpus.documents for entity in document.entities)
    if pages and not linked:
        raise UsageError("redirects and a stop list are about pages, and nothing links to pages", hint="add the table")
    notes = list(corpus.notes)
    links: dict[MentionKey, MentionLink] = {}
    if how.wiki is not None:
        links, remarks = _attach_table(how.wiki, corpus, source, how)
        notes += remarks
    if isinstance(how.documents, DocumentList):
        corpus = _only(corpus, how.documents)
    from adjudge.formats.kb_links import read_redirects, read_stop_list

    return KbSide(
        "gold",
        corpus.path,
        {document.id: document for document in corpus.documents},
        notes=tuple(notes),
        format=kind,
        corpus=corpus,
        links=links,
        redirects={} if how.redirects is None else read_redirects(how.redirects),
        stop=frozenset() if how.stop is None else read_stop_list(how.stop),
    )


def _gold_triples(source: Any, how: Reading, names: TripleNames | None) -> KbSide:
    from adjudge.formats.kb_triples import no_triples

    if any(each is not None for each in (how.wiki, how.redirects, how.stop)):
        message = "gold is plain triples, whose names are taken as they are"
        hint = "leave out the table of links, redirects and the stop list"
        raise UsageError(Problem(message, path=source_name(source), hint=hint))
    kind = how.gold_format or detected(source)
    graph = _graph(source, kind, how, names, "gold")
    if not len(graph.table) and is_file(source):
        raise FormatError(no_triples(source_name(source)))
    if isinstance(how.documents, DocumentList):
        # A document without gold triples may be on the list: triples do not say which documents were annotated.
        graph = only_documents(graph, how.documents.names)
        if not len(graph.table):
            message = "no document of the list has a gold triple"
            raise ValidationError(Problem(message, path=how.documents.path, hint="check the ids of the documents"))
    return graph_side("gold", graph, source, kind)


def _graph(source: Any, kind: Format, how: Reading, names: TripleNames | None, name: str) -> Graph:
    from adjudge.tasks.kbp.graphs import graph_in_memory, one_document, read_graph

    if is_file(source):
        graph = read_graph(source, kind, rdf=how.rdf._replace(side=name), names=names)
    else:
        graph = graph_in_memory(source, name, names)
    return one_document(graph) if how.ignore_documents else graph


def graph_side(name: str, graph: Graph, source: Any = None, kind: Format = "triples") -> KbSide:
    """A graph as one side of a comparison; without a file, messages call it by its name."""
    path = source_name(source) if is_file(source) else ""
    return KbSide(name, path, dict.fromkeys(documents_of(graph)), notes=tuple(graph.notes), format=kind, graph=graph)


def read_system(
    source: Source, how: Reading = USUAL, *, name: str | None = None, names: TripleNames | None = None
) -> KbSide:
    r"""The output of a system; the ids of documents become `document#id`.

    >>> line = b'{"id": "d", "entities": [{"id": "E1", "mentions": [{"start": 0, "end": 3}]}]}'
    >>> read_system(line, name="A").kb.entities[0].id
    'd#E1'
    """
    kind = how.system_format or detected(source)
    path = source_name(source)
    called = name or stem(source)
    # A system that has found nothing is not a mistake of the file.
    empty = Problem("the file has no facts", path=path, hint="it is scored as an empty system")
    if kind in GRAPHS:
        nothing = is_file(source) and has_nothing(source)
        graph = _graph(b"" if nothing else source, kind, how, names, f"system.{called}" if is_file(source) else called)
        before = len(graph.table)
        if isinstance(how.documents, DocumentList):
            graph = only_documents(graph, how.documents.names)
        side = graph_side(called, graph, source, kind)
        notes = side.notes if before or not is_file(source) else (*side.notes, empty)
        return msgspec.structs.replace(side, outside=before - len(graph.table), notes=notes)
    if kind == "coldstart":
        from adjudge.formats.kb_coldstart import read_coldstart

        kb, found = read_coldstart(source, mode="strict" if how.strict else "lenient")
        return _kb_side(called, kb, path, kind, found.notes())
    if is_blank(source):
        return _kb_side(called, KnowledgeBase(called), path, kind, [empty])
    if kind not in ANNOTATION:
        hint = "give a Cold Start knowledge base, documents in JSON lines, or plain triples"
        raise UsageError(Problem(f"{KINDS[kind]} is not the output of a system", path=path, hint=hint))
    corpus = read_corpus(source, kind, units=how.units or "text")
    return _kb_side(called, from_documents(corpus.documents, id=called), path, kind, corpus.notes)


def _kb_side(name: str, kb: KnowledgeBase, path: str, kind: Format, notes: Sequence[Problem]) -> KbSide:
    documents = dict.fromkeys(kb.documents())
    return KbSide(name, path, documents, notes=tuple(notes), format=kind, kb=replace(kb, path=path))


def only_documents(graph: Graph, documents: Collection[str]) -> Graph:
    """The rows of these documents."""
    listed = graph.table.names.documents.listed
    kept = {number for number, name in enumerate(listed) if name in documents}
    rows = [place for place, number in enumerate(graph.table.documents) if number in kept]
    return graph.select(rows, frozenset(documents))


def only_rows(table: TripleTable, rows: Sequence[int]) -> TripleTable:
    """The rows at these places."""
    columns = (table.subjects, table.relations, table.objects, table.documents)
    return TripleTable(table.names, *(array("i", [column[place] for place in rows]) for column in columns))


# ---------------------------------------------------------------------------------------------------------------------
# What fits together


def _check_kinds(kind: Format, gold: Source, kinds: Sequence[Format], systems: Sequence[Source]) -> None:
    problems = []
    for each, source in zip(kinds, systems, strict=True):
        place = source_name(source)
        if kind in GRAPHS and each in ("coldstart", *ANNOTATION):
            message = f"the system is {KINDS[each]}, but gold ({source_name(gold)}) is {KINDS[kind]} without mentions"
            hint = (
                "write the system's facts as lines of subject, relation, object, document with the names that gold "
                "has, or give annotated documents as gold"
            )
            problems.append(Problem(message, path=place, hint=hint))
        elif kind in ANNOTATION and each in GRAPHS:
            message = f"the system is {KINDS[each]} without mentions, but gold ({source_name(gold)}) is {KINDS[kind]}"
            hint = "give the system as a Cold Start knowledge base or as documents in JSON lines, or gold as triples"
            problems.append(Problem(message, path=place, hint=hint))
    if problems:
        raise UsageError(problems)


def system_units(kinds: Sequence[Format], systems: Sequence[Source]) -> Units:
    """The units of the systems' offsets: Cold Start counts tags, extractions by document do not."""
    raw = [source_name(each) for kind, each in zip(kinds, systems, strict=True) if kind == "coldstart"]
    text = [source_name(each) for kind, each in zip(kinds, systems, strict=True) if kind != "coldstart"]
    if raw and text:
        message = f"offsets in {raw[0]} count the tags of the source files, those in {text[0]} do not"
        raise UsageError(message, hint="score them one after the other, or set units=text or units=raw for both")
    return "raw" if raw else "text"


def documents_of(graph: Graph | None) -> list[str]:
    """The documents of a graph, those of its rows first, in the order of their numbers."""
    from adjudge.tasks.kbp.relations import used_documents

    if graph is None:
        return []
    listed = graph.table.names.documents.listed
    found = [listed[number] for number in used_documents(graph.table)]
    return list(dict.fromkeys((*found, *graph.documents, *(document for _, document in graph.isolated))))


def _attach_table(
    wiki: Source, corpus: KbCorpus, source: Source, how: Reading
) -> tuple[dict[MentionKey, MentionLink], list[Problem]]:
    """The rows of the table by mention, and remarks on it.

    Mentions are numbered, so that rows with text offsets (ACEtoWiki) also serve for gold in raw units.
    """
    from adjudge.formats.kb_links import attach_links, read_links

    table = read_links(wiki)
    found = attach_links(table, corpus.documents)
    if how.units == "raw":
        text = read_corpus(source, "ace", offsets=how.offsets)
        other = attach_links(table, text.documents)
        if len(other[0]) > len(found[0]):
            found = other
    if not found[0]:
        message = f"no row fits a mention of {corpus.path}"
        hint = "check ids of documents, and what the offsets count"
        raise ValidationError([Problem(message, path=table.path, hint=hint), *found[1]])
    return found[0], [*table.notes, *found[1]]


def _only(corpus: KbCorpus, listed: DocumentList) -> KbCorpus:
    known = {document.id for document in corpus.documents}
    problems = [
        Problem(
            f"there is no document {name!r} in {corpus.path}", path=listed.path, line=line or None, hint="check its id"
        )
        for name, line in listed.names.items()
        if name not in known
    ]
    if problems:
        raise (ValidationError if any(problem.line for problem in problems) else UsageError)(problems)
    return replace(corpus, documents=[document for document in corpus.documents if document.id in listed.names])
