"""Everything that is wrong with a knowledge base or an annotated corpus, each with its file and line.

Cold Start files are the ones that break their rules in practice, and the ones that can be repaired: what is clear is
repaired, lines that mean nothing are left out, and the result is checked again, so that the user knows what remains.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from adjudge.errors import AdjudgeError, Problem, UsageError
from adjudge.findings import Finding, Findings
from adjudge.formats.kb_coldstart import coldstart_file
from adjudge.formats.source import Source, source_name
from adjudge.model.kbp import KnowledgeBase, TripleTable
from adjudge.tasks.kbp.detection import Format, detect, read_corpus

LIMIT = 20
"""How many findings of a kind are listed, unless it is said otherwise."""


@dataclass(frozen=True, slots=True)
class KbReport:
    """What was found in one file or folder, in the order of the places, and what is in it."""

    path: str
    format: str
    findings: list[Finding]
    unlisted: dict[str, int]
    errors: int
    warnings: int
    unrepaired: int
    counts: dict[str, int] = field(default_factory=dict)


def validate(
    source: Source,
    *,
    format: Format | None = None,
    docs: str | Path | None = None,
    limit: int = LIMIT,
    name: str | None = None,
) -> KbReport:
    r"""Check a file, or a folder of ACE or ERE files; the format is told by the content unless it is given.

    `docs` is a folder with the source documents of a Cold Start knowledge base, to which its spans are compared. At
    most `limit` findings of a kind are listed (0: all).

    >>> report = validate(b"ana\tspouse\tben\n")
    >>> report.format, [str(each.problem) for each in report.findings]
    ('triples', ['<bytes>:1:1: a line with 3 fields instead of 4, write subject, ...'])
    """
    kind = format or detect(source)
    source = coldstart_file(source) if kind == "coldstart" else source
    if docs is not None and kind != "coldstart":
        raise UsageError("source documents are compared with Cold Start files only", hint="leave them out")
    found = Findings(name or source_name(source), limit=limit)
    if kind == "coldstart":
        return _report(kind, found, _kb_counts(scan(source, found, docs=docs)))
    if kind == "triples":
        return _report(kind, found, _triple_counts(source, found))
    return _report(kind, found, _other_counts(source, kind, found))


def repair(
    source: Source, *, docs: str | Path | None = None, limit: int = LIMIT, name: str | None = None
) -> tuple[bytes, KbReport, KbReport]:
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
    found = Findings(name or source_name(source), limit=limit)
    kb = scan(source, found, docs=docs, add_inverses=True)
    before = _report("coldstart", found, _kb_counts(kb))
    if not kb.entities and not kb.facts:
        return b"", before, before
    data = b"".join(write_coldstart(kb, path=found.place))
    return data, before, validate(data, format="coldstart", docs=docs, limit=limit, name="<repaired>")


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


def _report(kind: Format, found: Findings, counts: dict[str, int]) -> KbReport:
    return KbReport(
        found.place, kind, found.in_order(), found.unlisted(), found.errors, found.warnings, found.unrepaired, counts
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
        found.add_problem("empty", no_triples(found.place), error=True)
    return {
        "line": len(table),
        "node": len(table.names.nodes.listed),
        "relation": len(table.names.relations.listed),
        "document": len(table.names.documents.listed),
    }


def _other_counts(source: Source, kind: Format, found: Findings) -> dict[str, int]:
    """The formats whose readers raise all problems at once."""
    try:
        if kind == "links":
            from adjudge.formats.kb_links import read_links

            table = read_links(source, name=found.place)
            _add_notes(table.notes, found)
            return {"link": len(table.links)}
        corpus = read_corpus(source, kind, name=found.place)
    except AdjudgeError as error:
        if error.exit_code != 1:
            raise
        for problem in error.problems:
            _add(problem, found, error=True)
        return {}
    _add_notes(corpus.notes, found)
    documents = corpus.documents
    entities = [entity for document in documents for entity in document.entities]
    return {
        "document": len(documents),
        "entity": len(entities),
        "mention": sum(len(entity.mentions) for entity in entities),
        "fact": sum(len(document.facts) for document in documents),
    }


def _add_notes(notes: object, found: Findings) -> None:
    assert isinstance(notes, list | tuple)
    for note in notes:
        _add(note, found, error=False)


def _add(problem: Problem, found: Findings, *, error: bool) -> None:
    found.add_problem("invalid" if error else "note", problem, error=error)
