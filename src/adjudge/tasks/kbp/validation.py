"""Everything that is wrong with a knowledge base or an annotated corpus, each with its file and line.

Cold Start files are the ones that break their rules in practice, and the ones that can be repaired: what is clear is
repaired, lines that mean nothing are left out, and the result is checked again, so that the user knows what remains.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from adjudge.errors import AdjudgeError, UsageError
from adjudge.findings import Findings, Severities, check_severities
from adjudge.formats.kb_coldstart import coldstart_file
from adjudge.formats.source import Source, source_name
from adjudge.model.kbp import KnowledgeBase, TripleTable
from adjudge.tasks.kbp.detection import Format, detect, read_corpus

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
    *("empty", "empty-field", "unknown-document", "offset-behind-text", "other-text", "invalid", "note"),
)
"""Every kind of problem that a knowledge base can have, in the order of `docs/kb-formats.md`."""


def validate(
    source: Source,
    *,
    format: Format | None = None,
    docs: str | Path | None = None,
    limit: int | None = None,
    severity: Severities | None = None,
    name: str | None = None,
) -> Findings:
    r"""Check a file, or a folder of ACE or ERE files; the format is told by the content unless it is given.

    `docs` is a folder with the source documents of a Cold Start knowledge base, to which its spans are compared. The
    first `limit` findings of a kind are listed (0: all; None: all if they are few). `severity` makes kinds of findings
    an "error", a "warning", or "off".

    >>> found = validate(b"ana\tspouse\tben\n")
    >>> found.facts["format"], [str(each.problem) for each in found.findings]
    ('triples', ['<bytes>:1:1: a line with 3 fields instead of 4, write subject, ...'])
    """
    kind = format or detect(source)
    source = coldstart_file(source) if kind == "coldstart" else source
    if docs is not None and kind != "coldstart":
        raise UsageError("source documents are compared with Cold Start files only", hint="leave them out")
    found = _findings(source, name, limit, severity)
    found.facts["format"] = kind
    if kind == "coldstart":
        found.contents.update(_kb_counts(scan(source, found, docs=docs)))
        found.facts["unrepaired"] = found.unrepaired
    elif kind == "triples":
        found.contents.update(_triple_counts(source, found))
    else:
        found.contents.update(_other_counts(source, kind, found))
    return found


def repair(
    source: Source,
    *,
    docs: str | Path | None = None,
    limit: int | None = None,
    severity: Severities | None = None,
    name: str | None = None,
) -> tuple[bytes, Findings, Findings]:
    r"""A Cold Start file as it should be, what was wrong with the old one, and what is still wrong with the new one.

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


def _triple_counts(source: Source, found: Findings) -> dict[str, int]:
    from adjudge.formats.kb_triples import no_triples, scan_triples

    table = TripleTable()
    scan_triples(source, table, found)
    if not len(table) and not found.total:
        found.add_problem("empty", no_triples(found.place))
    return {
        "line": len(table),
        "node": len(table.names.nodes),
        "relation": len(table.names.relations),
        "document": len(table.names.documents),
    }


def _other_counts(source: Source, kind: Format, found: Findings) -> dict[str, int]:
    """The formats whose readers raise all problems at once."""
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
