"""Validates knowledge bases and annotated corpora: every finding has its file and line.

Cold Start files often break their rules in practice, and can be repaired: what is clear is repaired, lines that cannot
be understood are left out, and the result is checked again to show what remains.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from adjudge.errors import AdjudgeError, UsageError
from adjudge.findings import Findings, Severities, check_severities
from adjudge.formats.kb_coldstart import coldstart_file
from adjudge.formats.kg_rdf import Rdf
from adjudge.formats.source import Source, source_name
from adjudge.model.kbp import KnowledgeBase
from adjudge.model.kg import Graph, new_graph
from adjudge.tasks.kbp.detection import GRAPHS, Format, detect, read_corpus
from adjudge.tasks.kbp.ontology import CHECKS, Ontology, check_rows, read_ontology, read_texts

KINDS = (
    *("missing-run-id", "hash-in-field", "colon-omitted", "illegal-node-name", "unquoted-string"),
    *("missing-decimal-point", "improper-confidence", "illegal-confidence", "semicolon", "provenance-parts"),
    *("several-documents", "many-spans", "long-span", "long-provenance", "no-justification", "predicate-alias"),
    *("domain-omitted", "illegal-predicate", "illegal-type", "subject-type", "object-type", "incompatible-name"),
    *("missing-type", "several-types", "missing-realis", "unexpected-realis", "illegal-realis"),
    *("unexpected-provenance", "missing-canonical", "unasserted-mention", "missing-canonical-of-several"),
    *("several-canonical", "several-strings", "duplicate-assertion", "unattested", "unknown-node"),
    *("missing-inverse", "several-fills", "several-links", "illegal-link", "no-mentions", "string-for-node"),
    *("columns", "illegal-provenance", "illegal-offset", "illegal-offset-pair", "encoding", "character", "damaged"),
    *("triple", "unknown-relation", "domain", "range", "ungrounded-subject", "ungrounded-object"),
    *("not-asked", "confidence", "place", "several-runs"),
    *("empty", "empty-field", "unknown-document", "offset-behind-text", "other-text", "invalid", "note"),
)
"""Every kind of finding in a knowledge base, in the order of `docs/kb-formats.md`."""


def validate(
    source: Source,
    *,
    format: Format | None = None,
    docs: str | Path | None = None,
    limit: int | None = None,
    severity: Severities | None = None,
    name: str | None = None,
    ontology: Any = None,
    iri: Literal["full", "local"] = "full",
) -> Findings:
    r"""Check a file, or a folder of ACE or ERE files; the format is detected from the content unless it is given.

    `docs` is a folder with the source documents of a Cold Start knowledge base, to which its spans are compared. The
    first `limit` findings of a kind are listed (0: all; None: all if they are few). `severity` makes kinds of findings
    an "error", a "warning", or "off". With an `ontology` (a file, see `adjudge.tasks.kbp.ontology`) triples are
    compared with it, and with the texts in `docs`; `iri` says whether names of RDF are whole IRIs or local names.

    >>> found = validate(b"ana\tspouse\tben\nana\tspouse\n")
    >>> found.facts["format"], [str(each.problem) for each in found.findings]
    ('triples', ['<bytes>:2:1: a line with 2 fields instead of 3, write subject, ...'])
    """
    kind = format or detect(source)
    source = coldstart_file(source) if kind == "coldstart" else source
    if docs is not None and kind != "coldstart" and kind not in GRAPHS:
        message = "source documents are compared with Cold Start files and triples only"
        raise UsageError(message, hint="leave them out")
    if (ontology is not None or iri != "full") and kind not in GRAPHS:
        raise UsageError("an ontology is compared with triples only", hint="leave it out")
    found = _findings(source, name, limit, severity)
    found.facts["format"] = kind
    if kind == "coldstart":
        found.contents.update(_kb_counts(scan(source, found, docs=docs)))
        found.facts["unrepaired"] = found.unrepaired
    elif kind in GRAPHS:
        rdf = Rdf(iri=iri)
        graph = _graph(source, kind, found, rdf)
        found.contents.update(_graph_counts(graph))
        given: dict[str, str] = dict(graph.texts)
        if docs is not None:
            given |= read_texts(docs, graph.table.names.documents.listed)
        if len(graph.table) and (ontology is not None or given):
            known = ontology if ontology is None or isinstance(ontology, Ontology) else read_ontology(ontology, rdf)
            _check_graph(graph, found, known, given if docs is not None or ontology is not None else {})
    else:
        found.contents.update(_other_counts(source, kind, found))
    return found


def validate_answers(
    source: Source,
    queries: Source,
    *,
    limit: int | None = None,
    severity: Severities | None = None,
    name: str | None = None,
) -> Findings:
    r"""Check a file of answers to queries; an answer to anything else than these queries ask is an error.

    >>> queries = b"query\tnode\ttype\tname\tplaces\tslots\nQ1\tana\t-\t-\t-\tspouse\n"
    >>> print(validate_answers(b"Q1\tBen\nQ7\tEva\n", queries, name="run.tab"))
    run.tab:2:1: error: an answer to 'Q7', which no query asks, leave it out
    run.tab: 2 answers, 1 error, 0 warnings
    """
    from adjudge.formats.kb_queries import read_queries, scan_answers
    from adjudge.model.kbp_queries import asked_path, questions
    from adjudge.tasks.kbp.queries import known_roots

    found, wanted = _findings(source, name, limit, severity), read_queries(queries)
    given = scan_answers(source, found)
    asked = {each.id: each for each in questions(wanted, known_roots((each.asked for each in given.answers), wanted))}
    for answer, line in zip(given.answers, given.lines, strict=True):
        root = asked_path(answer.asked, asked)
        if root is None or root[1] >= len(asked[root[0]].slots):
            found.add("not-asked", f"an answer to {answer.asked!r}, which no query asks", line, 1, "leave it out")
    if not given.answers and not found.total:
        found.add("empty", "there are no answers", None, None, "check that it is the right file")
    found.contents["answer"] = len(given.answers)
    return found


def repair(
    source: Source,
    *,
    docs: str | Path | None = None,
    limit: int | None = None,
    severity: Severities | None = None,
    name: str | None = None,
) -> tuple[bytes, Findings, Findings]:
    r"""The repaired Cold Start file, the problems of the old one, and the remaining problems of the new one.

    Missing inverses are added. The new file is empty if nothing could be read.

    >>> data, before, after = repair(b":E1\ttype\tPER\n:E1\tmention\t\"Ana\"\tD1:0-2\t1\n")
    >>> print(data.decode().expandtabs(2), end="")
    OmittedRunID
    :Entity_E1  type  PER
    :Entity_E1  mention "Ana" D1:0-2  1.0
    :Entity_E1  canonical_mention "Ana" D1:0-2  1.0
    >>> before.errors, after.errors
    (3, 0)
    """
    from adjudge.formats.kb_coldstart import write_coldstart

    source = coldstart_file(source)
    found = _findings(source, name, limit, severity)
    kb = scan(source, found, docs=docs, add_inverses=True)
    found.facts.update(format="coldstart", unrepaired=found.unrepaired)
    found.contents.update(_kb_counts(kb))
    if not kb.entities and not kb.facts:
        return b"", found, found
    data = b"".join(write_coldstart(kb, path=found.place))
    rules: dict[str, Any] = {"docs": docs, "limit": limit, "severity": severity}
    return data, found, validate(data, format="coldstart", name="<repaired>", **rules)


def _findings(source: Source, name: str | None, limit: int | None, severity: Severities | None) -> Findings:
    severities = check_severities(severity or {}, KINDS)
    return Findings(name or source_name(source), limit=limit, severities=severities)


def scan(
    source: Source, found: Findings, *, docs: str | Path | None = None, add_inverses: bool = False
) -> KnowledgeBase:
    """Read a Cold Start file, and compare its spans with the source documents if they are given."""
    from adjudge.formats.kb_coldstart import scan_coldstart

    if docs is None:
        return scan_coldstart(source, found, add_inverses=add_inverses)
    from adjudge.formats.eal_sources import Sources

    texts = Sources(docs)
    return scan_coldstart(
        source, found, add_inverses=add_inverses, texts=lambda each: texts.text(each) if each in texts else None
    )


def _kb_counts(kb: KnowledgeBase) -> dict[str, int]:
    kinds = Counter(entity.kind for entity in kb.entities)
    return {
        "document": len(kb.documents()),
        "entity": kinds["entity"],
        "event": kinds["event"],
        "string": kinds["string"],
        "mention": sum(len(entity.mentions) for entity in kb.entities),
        "fact": len(kb.facts),
    }


def _graph_counts(graph: Graph) -> dict[str, int]:
    names = graph.table.names
    nodes = {*graph.table.subjects, *graph.table.objects}
    return {
        "line": len(graph.table),
        "node": len(nodes) + len({name for name, _ in graph.isolated}),
        "relation": len(names.relations),
        "document": len({*graph.documents, *(names.documents.listed[each] for each in set(graph.table.documents))}),
    }


def _graph(source: Source, kind: Format, found: Findings, rdf: Rdf) -> Graph:
    """A graph and the findings in its file; readers of some formats raise all problems at once."""
    if kind == "triples":
        return _triples(source, found)
    from adjudge.formats.kb_triples import no_triples
    from adjudge.tasks.kbp.graphs import read_graph

    try:
        graph = read_graph(source, kind, rdf=rdf, name=found.place)
    except AdjudgeError as error:
        if error.exit_code != 1:
            raise
        found.add_problems("triple", error.problems)
        return new_graph()
    found.add_problems("note", graph.notes, error=False)
    if not len(graph.table):
        found.add_problem("empty", no_triples(found.place))
    return graph


_CHECKED = {
    "relation": ("unknown-relation", "the relation {1!r} is not in the ontology", "use one of its relations"),
    "domain": ("domain", "the subject {0!r} of {1!r} is of another type than the ontology says", "check both"),
    "range": ("range", "the object {2!r} of {1!r} is of another type than the ontology says", "check both"),
    "subject": ("ungrounded-subject", "the subject {0!r} is not in the text of {3!r}", "check what the text says"),
    "object": ("ungrounded-object", "the object {2!r} is not in the text of {3!r}", "check what the text says"),
}


_RATED = {
    "relation": "relations in the ontology",
    "domain": "subjects of a declared type",
    "range": "objects of a declared type",
    "subject": "subjects in the text",
    "object": "objects in the text",
}


def _check_graph(graph: Graph, found: Findings, ontology: Ontology | None, texts: Mapping[str, str]) -> None:
    """Contradictions to an ontology and to the texts, as warnings, and the rates of conformance."""
    known, right = Counter[str](), Counter[str]()
    seen: set[tuple[str, ...]] = set()
    for each in check_rows(graph, ontology, texts):
        if each.names in seen:
            continue
        seen.add(each.names)
        for check, value in zip(CHECKS, each.right, strict=True):
            if value is None:
                continue
            known[check] += 1
            right[check] += value
            if not value:
                kind, message, hint = _CHECKED[check]
                found.warn(kind, f"triple {each.row + 1}: {message.format(*each.names)}", None, None, hint)
    rates = {check: {"rate": right[check] / known[check], "known": known[check]} for check in CHECKS if known[check]}
    if rates:
        found.facts["checked"] = rates
        found.remarks[""] = "; ".join(f"{_RATED[check]} {right[check]} of {known[check]}" for check in rates)


def _triples(source: Source, found: Findings) -> Graph:
    from adjudge.formats.kb_triples import no_triples, scan_triples

    graph = new_graph()
    scan_triples(source, graph, found)
    if not len(graph.table) and not found.total:
        found.add_problem("empty", no_triples(found.place))
    return graph


def _other_counts(source: Source, kind: Format, found: Findings) -> dict[str, int]:
    """Findings and contents for formats whose readers raise all problems at once."""
    try:
        if kind == "links":
            from adjudge.formats.kb_links import read_links

            table = read_links(source, name=found.place)
            found.add_problems("note", table.notes, error=False)
            return {"link": len(table.links)}
        corpus = read_corpus(source, kind, name=found.place)
    except AdjudgeError as error:
        if error.exit_code != 1:
            raise
        found.add_problems("invalid", error.problems)
        return {}
    found.add_problems("note", corpus.notes, error=False)
    documents = corpus.documents
    entities = [entity for document in documents for entity in document.entities]
    return {
        "document": len(documents),
        "entity": len(entities),
        "mention": sum(len(entity.mentions) for entity in entities),
        "fact": sum(len(document.facts) for document in documents),
    }
