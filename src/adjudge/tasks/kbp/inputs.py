"""The files of a comparison: gold annotation with its tables, system output, and whether they fit together.

There are two kinds of comparison. Annotated documents (ACE, Rich ERE, JSON lines) are compared with knowledge bases
(Cold Start) or extractions by document (JSON lines): mentions are aligned, gold entities are linked across documents.
Plain triples are compared with plain triples by name; nothing has to be aligned.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from adjudge.errors import FormatError, Problem, UsageError, ValidationError, from_keywords
from adjudge.evaluate.sides import Names, check_sides, name_systems, stem
from adjudge.formats.kb_annotation import Offsets
from adjudge.formats.kb_links import MentionKey, attach_links, read_links
from adjudge.formats.kg_rdf import USUAL as NAMES_OF_RDF
from adjudge.formats.kg_rdf import Rdf
from adjudge.formats.source import Source, source_name
from adjudge.model.kbp import KbCorpus, KnowledgeBase, LinkTable, MentionLink, TripleNames, TripleTable
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


@dataclass(frozen=True, slots=True)
class GoldInput:
    """Gold: annotated documents with the rows that link their mentions, or a table of triples (one of the two)."""

    path: str
    format: Format
    corpus: KbCorpus | None = None
    graph: Graph | None = None
    links: Mapping[MentionKey, MentionLink] = field(default_factory=dict)
    redirects: Mapping[str, str] = field(default_factory=dict)
    stop: frozenset[str] = frozenset()
    notes: Sequence[Problem] = ()

    @property
    def table(self) -> TripleTable | None:
        """The triples of a graph."""
        return None if self.graph is None else self.graph.table


@dataclass(frozen=True, slots=True)
class SystemInput:
    """The output of a system: a knowledge base, or a table of triples (one of the two)."""

    name: str
    path: str
    format: Format
    kb: KnowledgeBase | None = None
    graph: Graph | None = None
    outside: int = 0
    """How many triples are in documents that are not on the list; those of knowledge bases are counted when mapped."""
    notes: Sequence[Problem] = ()

    @property
    def table(self) -> TripleTable | None:
        """The triples of a graph."""
        return None if self.graph is None else self.graph.table


class KbInputs(NamedTuple):
    """Both sides of a comparison; `documents` are those on the list of documents, None without a list.

    `texts` are those of the documents of graphs, if they were given in addition to the graphs.
    """

    gold: GoldInput
    systems: tuple[SystemInput, ...]
    documents: frozenset[str] | None = None
    texts: Mapping[str, str] = {}

    @property
    def size(self) -> int:
        """How many documents gold has."""
        return len(documents_of(self.gold.graph) if self.gold.corpus is None else self.gold.corpus.documents)

    @property
    def notes(self) -> list[Problem]:
        """Remarks on the files for the user."""
        return [*self.gold.notes, *(note for system in self.systems for note in system.notes)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How both sides are read.

    `wiki` links gold mentions to pages, `redirects` and `stop` are lists of pages, `documents` of the documents to
    score, `texts` is a folder with the source texts of Rich ERE. `units` says what the offsets of ACE gold are
    converted to: characters of the text without tags, or of the raw file, as in Cold Start; None is `raw` if the
    systems are Cold Start knowledge bases. With `strict`, Cold Start files must follow all rules. `rdf` says how RDF
    terms become names; with `ignore_documents` all triples are in one document.
    """

    wiki: Source | None = None
    redirects: Source | None = None
    stop: Source | None = None
    documents: DocumentList | Source | None = None
    texts: str | Path | None = None
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


def read_inputs(
    gold: Source, systems: Sequence[Source], *, names: Sequence[str | None] | None = None, **reading: Any
) -> KbInputs:
    r"""Both sides, checked to fit together; all triples share their names. Other arguments: see `Reading`.

    >>> both = read_inputs(b"ana\tspouse\tben\td1\n", [b"ana\tspouse\tdan\td1\n"], names=["A"])
    >>> both.gold.format, both.systems[0].name, both.gold.table.names is both.systems[0].table.names
    ('triples', 'A', True)
    """
    how = from_keywords(Reading, reading, "read_inputs")
    given = [name for name, _ in name_systems(gold, list(systems), names)]
    _check_there((gold, *systems))
    kind = how.gold_format or detected(gold)
    kinds = system_kinds(systems, kind, how.system_format)
    _check_kinds(kind, gold, kinds, systems)
    if kind == "ace" and how.units is None:
        how = replace(how, units=system_units(kinds, systems))
    listed = how.documents
    if listed is not None and not isinstance(listed, DocumentList):
        from adjudge.formats.kb_links import read_names

        listed = DocumentList(source_name(listed), read_names(listed))
        how = replace(how, documents=listed)
    shared = TripleNames()
    ours = read_gold(gold, replace(how, gold_format=kind), shared)
    theirs = [
        read_system(each, replace(how, system_format=form), name=name, names=shared)
        for each, form, name in zip(systems, kinds, given, strict=True)
    ]
    # No document in common is an error, never a zero.
    of_gold = [each.id for each in ours.corpus.documents] if ours.corpus is not None else documents_of(ours.graph)
    found = [Names(each.path, documents_of(each.graph) if each.kb is None else each.kb.documents()) for each in theirs]
    if ours.graph is not None:
        check_documents(of_gold, found)
    check_sides(Names(ours.path, frozenset(of_gold)), found)
    texts: dict[str, str] = {}
    if how.texts is not None and ours.graph is not None:
        from adjudge.tasks.kbp.ontology import read_texts

        texts = read_texts(how.texts, of_gold)
    return KbInputs(ours, tuple(theirs), None if listed is None else frozenset(listed.names), texts)


def check_documents(of_gold: Sequence[str], systems: Sequence[Names]) -> None:
    """Raise if only one side says which documents its triples are from."""
    for each in systems:
        names = each.ids
        if names and (set(names) == {NOWHERE}) != (set(of_gold) == {NOWHERE}) and set(names).isdisjoint(of_gold):
            which = "the system" if set(names) == {NOWHERE} else "gold"
            message = f"{which} does not say of which document its triples are"
            hint = "add --ignore-documents (ignore_documents=True) to compare both as one graph"
            raise UsageError(Problem(message, path=each.place, hint=hint))


def _check_there(sources: Sequence[Source]) -> None:
    """Raise if more than one file is missing; a single one is reported by its reader."""
    paths = [str(each) for each in sources if isinstance(each, str | Path) and str(each) != "-"]
    lost = [path for path in paths if not Path(path).exists() and not any(sign in path for sign in "*?[")]
    if len(lost) > 1:
        raise UsageError([Problem("there is no such file", path=path, hint="check the path") for path in lost])


def read_gold(source: Source, how: Reading = USUAL, names: TripleNames | None = None) -> GoldInput:
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
    corpus = read_corpus(source, kind, units=how.units or "text", offsets=how.offsets, texts=how.texts)
    if not corpus.documents:
        raise ValidationError(Problem("there are no documents", path=corpus.path, hint="check the path"))
    pages = how.redirects is not None or how.stop is not None
    linked = how.wiki is not None or any(entity.links for document in corpus.documents for entity in document.entities)
    if pages and not linked:
        raise UsageError("redirects and a stop list are about pages, and nothing links to pages", hint="add the table")
    notes = list(corpus.notes)
    links: dict[MentionKey, MentionLink] = {}
    if how.wiki is not None:
        table = read_links(how.wiki)
        links, remarks = _attach_table(table, corpus, source, how)
        notes += [*table.notes, *remarks]
    if isinstance(how.documents, DocumentList):
        corpus = _only(corpus, how.documents)
    from adjudge.formats.kb_links import read_redirects, read_stop_list

    return GoldInput(
        corpus.path,
        kind,
        corpus,
        links=links,
        redirects={} if how.redirects is None else read_redirects(how.redirects),
        stop=frozenset() if how.stop is None else read_stop_list(how.stop),
        notes=notes,
    )


def _gold_triples(source: Source, how: Reading, names: TripleNames | None) -> GoldInput:
    from adjudge.formats.kb_triples import no_triples

    if any(each is not None for each in (how.wiki, how.redirects, how.stop)):
        message = "gold is plain triples, whose names are taken as they are"
        hint = "leave out the table of links, redirects and the stop list"
        raise UsageError(Problem(message, path=source_name(source), hint=hint))
    kind = how.gold_format or detected(source)
    graph = _graph(source, kind, how, names, "gold")
    if not len(graph.table):
        raise FormatError(no_triples(source_name(source)))
    if isinstance(how.documents, DocumentList):
        # A document without gold triples may be on the list: triples do not say which documents were annotated.
        graph = only_documents(graph, how.documents.names)
        if not len(graph.table):
            message = "no document of the list has a gold triple"
            raise ValidationError(Problem(message, path=how.documents.path, hint="check the ids of the documents"))
    return GoldInput(source_name(source), kind, graph=graph, notes=graph.notes)


def _graph(source: Source, kind: Format, how: Reading, names: TripleNames | None, side: str) -> Graph:
    from adjudge.tasks.kbp.graphs import one_document, read_graph

    graph = read_graph(source, kind, rdf=how.rdf._replace(side=side), names=names)
    return one_document(graph) if how.ignore_documents else graph


def read_system(
    source: Source, how: Reading = USUAL, *, name: str | None = None, names: TripleNames | None = None
) -> SystemInput:
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
        graph = _graph(b"" if has_nothing(source) else source, kind, how, names, f"system.{called}")
        before = len(graph.table)
        if isinstance(how.documents, DocumentList):
            graph = only_documents(graph, how.documents.names)
        notes = graph.notes if before else [*graph.notes, empty]
        return SystemInput(called, path, kind, graph=graph, outside=before - len(graph.table), notes=notes)
    if kind == "coldstart":
        from adjudge.formats.kb_coldstart import read_coldstart

        kb, found = read_coldstart(source, mode="strict" if how.strict else "lenient")
        return SystemInput(called, path, kind, replace(kb, path=path), notes=found.notes())
    if is_blank(source):
        return SystemInput(called, path, kind, KnowledgeBase(called, path=path), notes=[empty])
    if kind not in ANNOTATION:
        hint = "give a Cold Start knowledge base, documents in JSON lines, or plain triples"
        raise UsageError(Problem(f"{KINDS[kind]} is not the output of a system", path=path, hint=hint))
    corpus = read_corpus(source, kind, units=how.units or "text")
    kb = replace(from_documents(corpus.documents, id=called), path=path)
    return SystemInput(called, path, kind, kb, notes=corpus.notes)


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
    table: LinkTable, corpus: KbCorpus, source: Source, how: Reading
) -> tuple[dict[MentionKey, MentionLink], list[Problem]]:
    """The rows of the table by mention.

    Mentions are numbered, so that rows with text offsets (ACEtoWiki) also serve for gold in raw units.
    """
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
    return found


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
