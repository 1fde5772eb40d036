"""The formats of files, and which of them a file may have by its content: similar ones are told apart here."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Literal, NamedTuple

from adjudge.errors import AdjudgeError, FormatError
from adjudge.formats.json_file import json_values
from adjudge.formats.recognise import DOCBIN, has_clusters, is_table, looks_like, names_columns, table_kinds
from adjudge.formats.source import BOM


class Format(NamedTuple):
    """A format: its name for programs and for people, what its offsets count, and whether ends are inclusive.

    `side` is gold or system if the files of the two sides differ.
    """

    kind: str
    name: str
    unit: str = ""
    ends: str = ""
    side: str = ""


_TOKENS, _CHARACTERS = "tokens", "characters"
_IN, _OUT = "inclusive", "exclusive"
FORMATS: Mapping[str, Format] = {
    each.kind: each
    for each in (
        Format("conll", "CoNLL-2011/2012 coreference", _TOKENS),
        Format("corefud", "CoNLL-U with entities (CorefUD)", _TOKENS),
        Format("conllu", "CoNLL-U trees", _TOKENS),
        Format("clusters", "JSON lines of coreference clusters", _TOKENS, _IN),
        Format("bio", "columns of tokens, the tag in the last one", _TOKENS),
        Format("bio-both", "columns of tokens, gold and system tags in the last two", _TOKENS),
        Format("brat", "brat standoff", _CHARACTERS, _OUT),
        Format("tbf", "TBF event nuggets"),
        Format("ere", "Rich ERE annotation", _CHARACTERS, _OUT),
        Format("nugget-xml", "event nuggets in XML (Rich ERE)", _CHARACTERS, _OUT),
        Format("ace", "ACE annotation (APF)", _CHARACTERS, _IN),
        Format("dygie", "DyGIE++ documents", _TOKENS, _IN),
        Format("dygie-output", "DyGIE++ output", _TOKENS, _IN, "system"),
        Format("oneie", "OneIE sentences", _TOKENS, _OUT),
        Format("textee", "TextEE windows", _TOKENS, _OUT),
        Format("rams", "RAMS documents", _TOKENS, _IN),
        Format("wikievents", "WikiEvents documents", _TOKENS, _OUT),
        Format("wikievents-clusters", "clusters of WikiEvents mentions"),
        Format("omnievent", "OmniEvent documents", _CHARACTERS, _OUT),
        Format("docred", "DocRED documents"),
        Format("docred-result", "DocRED output", side="system"),
        Format("docred-facts", "facts of DocRED training data"),
        Format("scirex", "SciREX documents", _TOKENS, _OUT),
        Format("scirex-output", "SciREX output, a folder of three files", _TOKENS, _OUT, "system"),
        Format("muc4", "MUC-4 templates"),
        Format("grit", "GRIT documents"),
        Format("grit-output", "GRIT output", side="system"),
        Format("gtt", "GTT documents"),
        Format("gtt-output", "GTT output", side="system"),
        Format("iterx-output", "IterX output", side="system"),
        Format("auto-err", "templates of gold and system in one file"),
        Format("answers", "answers of a language model"),
        Format("records", "JSON lines of records"),
        Format("prodigy", "Prodigy annotations", _CHARACTERS, _OUT),
        Format("doccano", "a doccano export", _CHARACTERS, _OUT),
        Format("label-studio", "a Label Studio export", _CHARACTERS, _OUT),
        Format("pubtator", "PubTator annotations", _CHARACTERS, _OUT),
        Format("bioc", "a BioC collection", _CHARACTERS, _OUT),
        Format("xmi", "UIMA XMI", _CHARACTERS, _OUT),
        Format("webanno", "WebAnno TSV", _CHARACTERS, _OUT),
        Format("spacy", "a DocBin of spaCy", _CHARACTERS, _OUT),
        Format("dataset", "a saved dataset (Hugging Face)"),
        Format("inspect", "a log of Inspect"),
        Format("csv", "a table whose first line names the columns"),
        Format("cluster-table", "a table of mentions with their clusters", _TOKENS),
        Format("triple-table", "a table of triples whose first line names the columns"),
        Format("record-table", "a table of records whose first line names the columns"),
        Format("jsonl", "JSON lines of documents"),
        Format("kb-documents", "JSON lines of entities with mentions and relations", _CHARACTERS, _OUT),
        Format("coldstart", "a Cold Start knowledge base", _CHARACTERS, _IN, "system"),
        Format("triples", "triples (subject, relation, object, document)"),
        Format("kg-json", "triples in JSON"),
        Format("ntriples", "N-Triples or N-Quads"),
        Format("turtle", "Turtle"),
        Format("trig", "TriG"),
        Format("graphrag", "a folder of GraphRAG"),
        Format("langchain", "graph documents of LangChain"),
        Format("neo4j", "an export of Neo4j"),
        Format("llamaindex", "a property graph of LlamaIndex"),
        Format("kggen", "a graph of KGGen"),
        Format("webnlg", "WebNLG XML"),
        Format("links", "a table of links to Wikipedia"),
        Format("neleval", "a neleval table of linked mentions", _CHARACTERS, _IN),
        Format("edl", "the TAC table of linked mentions", _CHARACTERS, _IN),
        Format("kb-queries", "queries over knowledge bases"),
        Format("kb-answers", "answers to queries over knowledge bases"),
        Format("kb-assessments", "assessed answers to queries over knowledge bases"),
        Format("penman", "AMR graphs (PENMAN)"),
        Format("tokens", "a token table", _CHARACTERS, _IN),
        Format("eal", "event arguments", _CHARACTERS, _IN, "system"),
        Format("eal-arguments", "event arguments of one document", _CHARACTERS, _IN),
        Format("eal-key", "assessments of event arguments", _CHARACTERS, _IN, "gold"),
        Format("eal-linking", "linking of event arguments"),
        Format("result", "a saved result of adjudge"),
        Format("spec", "the specification of a metric"),
        Format("parquet", "Parquet"),
    )
}

_NAMED = 6  # columns that are named in a message
_KEYS: tuple[tuple[str, tuple[str, ...]], ...] = (
    # A format fits if some document has all of these fields; more specific ones come first.
    ("result", ("adjudge", "signature", "systems")),
    ("inspect", ("eval", "samples", "status")),
    ("spec", ("metric",)),
    ("docred", ("title", "vertexSet")),
    ("docred-result", ("title", "h_idx", "t_idx", "r")),
    ("rams", ("doc_key", "evt_triggers")),
    ("rams", ("doc_key", "predictions")),
    ("dygie-output", ("doc_key", "predicted_ner")),
    ("dygie-output", ("doc_key", "predicted_relations")),
    ("dygie-output", ("doc_key", "predicted_events")),
    ("dygie", ("doc_key", "ner")),
    ("dygie", ("doc_key", "relations")),
    ("dygie", ("doc_key", "events")),
    ("wikievents-clusters", ("doc_key", "clusters")),
    ("textee", ("doc_id", "wnd_id")),
    ("oneie", ("sent_id", "graph")),
    ("oneie", ("sent_id", "entity_mentions")),
    ("wikievents", ("doc_id", "event_mentions")),
    ("scirex", ("doc_id", "ner", "coref")),
    ("grit", ("docid", "extracts")),
    ("gtt", ("docid", "templates")),
    ("clusters", ("id", "clusters")),
    ("answers", ("id", "output")),
)
_INNER = (  # fields of documents that are in one object by their ids
    ("auto-err", ("gold_templates", "pred_templates")),
    ("gtt-output", ("pred_templates",)),
    ("grit-output", ("pred_extracts",)),
)
_ITEMS = frozenset(("tags", "ner_tags", "tokens", "spans", "entities", "relations", "triples", "events", "heads"))
_NATIVE = frozenset(("entities", "relations", "events", "mentions", "records"))

_ROOTS = {
    "deft_ere": "ere",
    "deft_ere_event_nuggets": "nugget-xml",
    "source_file": "ace",
    "query_set": "kb-queries",
    "collection": "bioc",
    "benchmark": "webnlg",
    "xmi:XMI": "xmi",
}
_NTRIPLES = re.compile(r"^(?:<[^>\s]*>|_:\S+)[ \t]*<[^>\s]*>[ \t]*[<_\"].*\.[ \t]*(?:#.*)?$", re.MULTILINE)
_TURTLE = re.compile(r"^[ \t]*(?:@prefix|@base|PREFIX|BASE)\s", re.MULTILINE | re.IGNORECASE)
_TRIG = re.compile(r"^[ \t]*(?:GRAPH[ \t]+)?[^\s#\"{}@]*[ \t]*\n?[ \t]*\{", re.MULTILINE)
_ROOT = re.compile(rb"<([A-Za-z_][\w:.-]*)[\s/>]")
_TEXT_BOUND = re.compile(rb"^T\d+\t\S+ \d+ \d+", re.MULTILINE)
_PUBTATOR = re.compile(rb"\A\s*[^|\s]+\|[ta]\|")
_MEMBERS = re.compile(rb"_journal/start\.json|header\.json|samples/")  # in the archive that a log is
_LOG = re.compile(rb'\{\s*"version"\s*:\s*\d+\s*,\s*"status"\s*:\s*"\w+"\s*,\s*"eval"\s*:')


def formats_of(start: bytes, *, cut: bool = False) -> list[Format]:
    r"""The formats that a file may have, likely ones first; with `cut`, `start` is not the whole file.

    >>> [each.kind for each in formats_of(b'{"doc_key": "d", "ner": [], "relations": []}')]
    ['dygie', 'jsonl']
    >>> [each.kind for each in formats_of(b"EU B-ORG B-ORG\nto O O\n")]
    ['bio', 'bio-both']
    """
    start = start.removeprefix(BOM)
    look = looks_like(start)
    kind = "" if look is None else look.kind
    if start[:4] == b"PAR1":
        return [FORMATS["parquet"]]
    if start[:2] == DOCBIN:
        return [FORMATS["spacy"]]
    if (start[:4] == b"PK\x03\x04" and _MEMBERS.search(start)) or _LOG.match(start):
        return [FORMATS["inspect"]]
    if start.startswith(b"#FORMAT=WebAnno"):
        return [FORMATS["webanno"]]
    text = start.decode("utf-8", "replace")
    if _PUBTATOR.match(start):
        found = ["pubtator"]
    elif (rdf := rdf_kind(text)) is not None and not kind.startswith("json"):
        found = [rdf]
    elif kind.startswith("json"):
        found = list(json_formats(json_values(text)))
    elif kind == "xml":
        root = _root(start)
        found = [_ROOTS[root]] if root in _ROOTS else []
    elif kind == "conllu":
        entities = re.search(rb"^# *global\.Entity|[\t|]Entity=\(", start, re.MULTILINE)
        found = ["corefud", "conllu"] if entities else ["conllu"]
    elif kind in ("conll", "tbf", "muc4", "penman") or (kind == "brat" and _TEXT_BOUND.search(start)):
        found = [kind]
    else:
        lines = text.splitlines()[: -1 if cut else None]
        found = list(table_kinds(lines)) or ["record-table"] * names_columns(lines)
    return [FORMATS[each] for each in dict.fromkeys(found)]


def file_formats(path: Path, start: bytes, *, cut: bool = False) -> list[Format]:
    """The formats that a file with this beginning may have; Parquet has its writer and columns at its end."""
    found = formats_of(start, cut=cut)
    if found == [FORMATS["parquet"]] and path.is_file():  # and not bytes in memory
        from adjudge.formats.binary_values import parquet_features
        from adjudge.formats.coerce.corpus import STARTS, TAG_COLUMNS
        from adjudge.formats.parquet import parquet_names

        if parquet_features(str(path)) is not None:
            return [FORMATS["dataset"], *found]
        try:
            names = parquet_names(str(path), str(path))
        except AdjudgeError:  # reading it will say so, with the place
            return found
        if not {*STARTS, *TAG_COLUMNS}.isdisjoint(names):
            kinds = [
                *["dataset"] * (not has_clusters(names) or is_table(names)),
                *["cluster-table"] * has_clusters(names),
            ]
            told = f"a Parquet table ({', '.join(names[:_NAMED])})"
            return [*(FORMATS[kind]._replace(name=told) for kind in kinds), *found]
    return found


def rdf_kind(text: str) -> Literal["ntriples", "turtle", "trig"] | None:
    """The kind of RDF that a file begins with; None if it is not RDF.

    >>> rdf_kind("<http://x.org/a> <http://x.org/r> <http://x.org/b> ."), rdf_kind("@prefix e: <http://x.org/> .")
    ('ntriples', 'turtle')
    """
    if _NTRIPLES.search(text[: 1 << 13]):
        return "ntriples"
    if _TURTLE.search(text):
        return "trig" if _TRIG.search(text) else "turtle"
    return None


def _root(data: bytes) -> str:
    """The name of the root element of XML, after what may precede it."""
    at = 0
    while (at := data.find(b"<", at)) >= 0:
        for begin, end in ((b"<?", b"?>"), (b"<!--", b"-->"), (b"<!", b">")):
            if data.startswith(begin, at):
                at = data.find(end, at)
                break
        else:
            name = _ROOT.match(data, at)
            return name[1].decode() if name else ""
        if at < 0:
            break
    return ""


def json_formats(values: list[Any]) -> Iterator[str]:
    """The kinds of formats that have such values."""
    from adjudge.formats.kg_keys import kind_of_values

    documents = [each for each in values if isinstance(each, dict)]
    keys = {key for each in documents for key in each}
    if documents and (program := kind_of_values(values)) != "json":
        yield program
        return
    if documents and _are_triples(documents):
        yield "kg-json"
        return
    if not documents:
        if values and all(isinstance(each, list) and len(each) == 3 for each in values):
            yield "docred-facts"
        if values and all(isinstance(each, list) and len(each) in (3, 4) for each in values):
            yield "kg-json"
        return
    if (export := _export(documents, keys)) is not None:
        yield export
        return
    inner = {
        key for each in documents for value in islice(each.values(), 20) if isinstance(value, dict) for key in value
    }
    events = [each for document in documents for each in _listed(document, "events")]
    if any(isinstance(each, dict) and "triggers" in each for each in events):
        yield "omnievent"
    for kind, needed in _KEYS:
        if keys.issuperset(needed):
            yield kind
            if kind != "grit":
                break
    for kind, needed in _INNER:
        if inner.issuperset(needed):
            yield kind
    if all(len(each) == 1 and isinstance(value, list) for each in documents for value in each.values()):
        yield "iterx-output"
    if "id" not in keys:
        if not _ITEMS.isdisjoint(keys):  # documents paired by position, or under another name
            yield "jsonl"
        return
    entities = [each for document in documents for each in _listed(document, "entities")]
    if any(isinstance(each, dict) and "mentions" in each and "id" in each for each in entities):
        yield "kb-documents"
    if "records" in keys:
        yield "records"
    yield "jsonl"


def _are_triples(documents: Sequence[Mapping[str, Any]]) -> bool:
    """Whether objects are triples of names."""
    from adjudge.formats.kg_keys import TRIPLE, roles_of

    try:
        roles = [roles_of(each) for each in documents]
    except FormatError:
        return False
    return all(
        own is not None and all(_is_node(each[own[role]]) for role in TRIPLE)
        for each, own in zip(documents, roles, strict=True)
    )


def _is_node(value: object) -> bool:
    """Whether this is a name, or an object that has one."""
    return isinstance(value, str) or (isinstance(value, dict) and isinstance(value.get("name", value.get("id")), str))


def _export(documents: Sequence[Mapping[str, Any]], keys: set[str]) -> str | None:
    """The annotation tool that writes such documents, if one does."""
    spans = [
        each for document in documents for key in ("label", "labels", "entities") for each in _listed(document, key)
    ]
    first = next(iter(spans), None)
    if isinstance(first, dict) and "start_offset" in first:
        return "doccano"
    if "id" in keys and not _NATIVE.isdisjoint(keys):
        return None
    if keys.issuperset(("_input_hash", "spans")):
        return "prodigy"
    if keys.issuperset(("data", "annotations")):
        return "label-studio"
    if "text" not in keys or not any(
        isinstance(each.get(key), list) for each in documents for key in ("label", "labels")
    ):
        return None
    if isinstance(first, dict) and "labels" in first:
        return "label-studio"
    return "doccano" if first is None or (isinstance(first, list) and len(first) == 3) else None


def _listed(document: Mapping[str, Any], key: str) -> list[Any]:
    value = document.get(key)
    return value if isinstance(value, list) else []
