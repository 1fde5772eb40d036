"""What a file looks like that a reader could not read: the other format is named once, instead of a problem for every
line.

Every reader says with `reads` (in `source`) what it expects. Its errors pass through here, and if the file looks like
something else, that becomes the message, with the reader's first problem as an example. `formats_of` tells similar
formats apart, such as all those that are JSON lines.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Literal, NamedTuple

from adjudge.bounded import GZIP, XZ, ZSTD
from adjudge.errors import AdjudgeError, FormatError, Problem, UsageError
from adjudge.formats.coerce.cells import is_cell
from adjudge.formats.coerce.corpus import ENDS, IDS, ITEMS, LABELS, LINKS, STARTS, TAG_COLUMNS
from adjudge.formats.source import BOM, HEAD, Source, opened, read_block, source_name

_LINES = 50
_SAYS = "this looks like "
_BINARY = (
    (b"%PDF", "a PDF file", "pdf"),
    (b"PK\x03\x04", "a ZIP archive (or a document of an office program)", "zip"),
    (b"PAR1", "a Parquet file", "parquet"),
    (b"SQLite format 3", "an SQLite database", "sqlite"),
    (b"\xff\xfe", "UTF-16 text", "utf-16"),
    (b"\xfe\xff", "UTF-16 text", "utf-16"),
    (GZIP, "a file that is compressed twice", "gzip"),
    (ZSTD, "a file that is compressed twice", "zstd"),
    (XZ, "a file that is compressed twice", "xz"),
)
# Marks of some formats.
CONLL = re.compile(rb"^#\s*begin document ", re.MULTILINE)
CONLLU = re.compile(
    rb"^(?:#\s*(?:newdoc|newpar|sent_id|global\.Entity)\b|\d+\t(?:[^\t\n]*\t){8}[^\t\n]*$)", re.MULTILINE
)
DOCBIN = b"\x78\x9c"  # zlib-compressed data begin like this, such as spaCy's
_TBF = re.compile(rb"^#(?:BeginOfDocument|EndOfDocument)\b", re.MULTILINE)
_BRAT = re.compile(rb"\A(?:[TREAMN#*]\d*\t[^\t\n]+(?:\t[^\n]*)?\r?\n?){2,}")
_PENMAN = re.compile(rb"^\(\s*[^\s()/]+\s*/\s*\S+", re.MULTILINE)
_MUC4 = re.compile(rb"^[ \t]*0\.\s+MESSAGE: ID\b", re.MULTILINE)
_XML = re.compile(rb"\A\s*<(?:\?xml|!--|!DOCTYPE|[A-Za-z_])", re.IGNORECASE)
_HTML = re.compile(rb"\A\s*<(?:!DOCTYPE\s+html|html)\b", re.IGNORECASE)
TAG = re.compile(r"O|[BIESLUMW]-\S+")
_DAMAGE = ("the compressed file ", "the file cannot be read", "the file is compressed ")  # which say enough themselves


class Look(NamedTuple):
    """What a file looks like: the name of its kind for readers and for people."""

    kind: str
    name: str


def looks_like(start: bytes) -> Look | None:
    r"""What the beginning of a file looks like; None if it could be anything.

    >>> looks_like(b"id,start,end\nd1,0,4\nd2,3,9\n").name, looks_like(b'{"id": 1}\n{"id": 2}\n').name
    ('CSV (columns id, start, end)', 'JSON lines')
    >>> looks_like(b"#BeginOfDocument d1\n").name, looks_like(b"Some words.\nAnd more.\n") is None
    ('TBF', True)
    """
    start = start.removeprefix(BOM)
    for magic, name, kind in _BINARY:
        if start.startswith(magic):
            return Look(kind, name)
    first = start.lstrip()[:1]
    if first in (b"{", b"["):
        return _json(start)
    for pattern, kind, name in (
        (_TBF, "tbf", "TBF"),
        (CONLL, "conll", "CoNLL coreference"),
        (_HTML, "html", "HTML"),
        (_XML, "xml", "XML"),
        (_MUC4, "muc4", "MUC-4 templates"),
        (CONLLU, "conllu", "CoNLL-U"),
        (_PENMAN, "penman", "AMR graphs (PENMAN)"),
        (_BRAT, "brat", "brat standoff"),
    ):
        if pattern.search(start):
            return Look(kind, name)
    return _table(start.decode("utf-8", "replace").splitlines()[:_LINES])


class Expected(NamedTuple):
    """What a reader expects, in words, and the kinds of `looks_like` for which its own messages are right.

    With `reader_option` the remedy for JSON lines is the option that chooses a reader.
    """

    what: str
    kinds: tuple[str, ...]
    reader_option: bool = False


def recognised(error: AdjudgeError, source: Source, expected: Expected, start: bytes | None = None) -> AdjudgeError:
    """The error of a reader, or another one if the source looks like something other than what was expected.

    `start` is the beginning of a source that cannot be reopened.
    """
    said = [problem.message for problem in error.problems]
    if isinstance(error, UsageError) or any(_SAYS in each or each.startswith(_DAMAGE) for each in said):
        return error
    head = start if start is not None else _head(source)
    found = looks_like(head) if head else None
    if found is None or found.kind in expected.kinds:
        return error
    first = error.problems[0]
    other = ", or read it with --reader jsonl" if expected.reader_option and found.kind == "json-lines" else ""
    line = f"line {first.line}: " if first.line else ""
    hint = f"give {expected.what} instead{other} (first problem: {line}{first.message})"
    message = f"{_SAYS}{found.name}"
    return FormatError(Problem(message, path=first.path or source_name(source), hint=hint))


def _head(source: Source) -> bytes:
    if isinstance(source, str | os.PathLike) and not os.path.isfile(source):  # noqa: PTH113  # never raises
        return b""
    try:
        with opened(source, source_name(source)) as stream:
            return stream.read(HEAD)
    except Exception:  # the reader has said what is wrong with it
        return b""


def _json(start: bytes) -> Look | None:
    text = start.decode("utf-8", "replace").lstrip()
    lines = [line for line in text.splitlines() if line.strip()]
    try:
        json.loads(lines[0])
    except (ValueError, RecursionError):
        if text[0] == "[" and not re.match(r"\[\s*(?:[\[{\"\]0-9-]|true|false|null)", text):
            return None
        return Look("json-array", "a JSON array") if text[0] == "[" else Look("json", "JSON over several lines")
    if text[0] == "[":
        return Look("json-array", "a JSON array") if len(lines) == 1 else Look("json-lines", "JSON lines of arrays")
    return Look("json-lines", "JSON lines")


def _table(lines: list[str]) -> Look | None:
    """Tables, by a separator that occurs equally often in every line, and columns of tokens and tags."""
    filled = [line for line in lines if line.strip()]
    if len(filled) > 1 and len(lines) == _LINES:
        filled = filled[:-1]  # the last one may be cut off
    for separator, name, kind in (("\t", "a table with TABs", "tsv"), (",", "CSV", "csv"), (";", "CSV", "csv")):
        counts = {_outside(line, separator) for line in filled}
        if len(filled) > 1 and len(counts) == 1 and (columns := counts.pop()):
            header = [cell.strip().strip('"') for cell in filled[0].split(separator)]
            if kind == "csv" and not all(re.fullmatch(r"[\w .#/:()-]*", cell) for cell in header):
                continue
            if kind == "tsv" and TAG.fullmatch(header[-1]):
                break
            named = all(re.fullmatch(r"[A-Za-z_][\w .-]*", cell) for cell in header)
            told = f" (columns {', '.join(header[:6])}{', ...' * (columns > 5)})" if named else ""
            return Look(kind, name + told)
    words = [line.split() for line in filled]
    if filled and all(len(each) > 1 and TAG.fullmatch(each[-1]) for each in words):
        return Look("columns", "columns of tokens and tags")
    return None


def _outside(line: str, separator: str) -> int:
    """How often a separator occurs in a line outside quotation marks."""
    return re.sub(r'"[^"]*"', "", line).count(separator)


# ---------------------------------------------------------------------------------------------------------------------
# Similar formats


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
_SAMPLE = 200  # documents that are examined
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
_SHA1 = re.compile(r"[0-9a-f]{40}")
_SPEC = re.compile(r"^(?:metric|metrics|name|report|pool):", re.MULTILINE)
_PLACE = re.compile(r"\S.*:\s*\d+\s*[-\u2013]\s*\d+")
_RANGES = re.compile(r"\d+-\d+(?:,\d+-\d+)*")
_JUDGED = re.compile(r"[CWXILNRDS]|\d+|NIL")


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
        found = list(_table_formats(lines)) or ["record-table"] * _names_columns(lines)
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


def json_values(text: str) -> list[Any]:
    r"""The first values of JSON lines or of an array, as many as can be read, or the one value that a text is.

    >>> json_values('{"a": 1}\n{"a": 2'), json_values('[{"a": 1}, {"a"')
    ([{'a': 1}], [{'a': 1}])
    """
    decoder = json.JSONDecoder()
    text = text.lstrip()
    values: list[Any] = []
    at = 1 if text[:1] == "[" and not re.match(r"\[.*\]\s*\n\s*\[", text) else 0
    while len(values) < _SAMPLE:
        while at < len(text) and (text[at].isspace() or text[at] == ","):
            at += 1
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            line = text.find("\n", at)
            if line < 0 or text[:1] == "[":
                break
            at = line
            continue
        values.append(value)
    return values


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


def _table_formats(lines: list[str]) -> Iterator[str]:
    """The kinds of formats that have such lines."""
    filled = [line for line in lines if line.strip() and not line.startswith("#")][:2000]
    if not filled:
        return
    if _SPEC.search("\n".join(lines[:50])) and re.search(r"^metrics?:", "\n".join(lines), re.MULTILINE):
        yield "spec"
        return
    rows = [line.split("\t") for line in filled if "\t" in line]
    header = _cells(filled[0])
    if header[0] == "token_id" or _most(rows, lambda row: len(row) == 4 and row[1] and _whole(row[2:])):
        yield "tokens"
        return
    if columns := _list_columns(lines):
        yield "triple-table" if "triples" in columns else "csv"
        return
    if has_clusters(header):
        yield from [*["csv"] * is_table(header), "cluster-table"]
        return
    if is_table(header):
        yield "csv"
    elif (roles := _triple_roles(re.split(r"[\t,]", filled[0]))) and "document" not in roles:
        yield "triples"  # of a whole graph
        return
    elif roles or ({"subject", "object"} <= set(header) and not {"relation", "predicate", "type"}.isdisjoint(header)):
        yield "triple-table"
    if header[:3] == ["query", "node", "type"]:
        yield "kb-queries"
    elif {"page", "docid", "doc"} & set(header) and {"start", "beg", "mention", "entity"} & set(header):
        yield "links"
    elif rows and len(rows) * 2 >= len(filled):
        yield from _tabbed(rows)
    words = [line.split() for line in filled]
    if _most(words, lambda row: all(_SHA1.fullmatch(word) for word in row)):
        yield "eal-linking"
    if _most(words, lambda row: len(row) > 1 and TAG.fullmatch(row[-1]) is not None) and not (
        rows and all(len(row) > 1 and _whole(row[1:3]) for row in rows if len(row) > 2)
    ):
        yield "bio"
        if _most(words, lambda row: len(row) > 2 and TAG.fullmatch(row[-2]) is not None):
            ours, theirs = ({row[at][1:] for row in words if len(row) > 2 and row[at] != "O"} for at in (-2, -1))
            if ours & theirs or not ours or not theirs:
                yield "bio-both"


def is_table(header: Sequence[str]) -> bool:
    """Whether these are the columns of a table of spans, or of tags with a column for the document."""
    names = set(header)
    tagged = not names.isdisjoint(("tag", "ner_tag"))
    placed = all(not names.isdisjoint(each) for each in (STARTS, ENDS))
    spans = placed and not names.isdisjoint((*LABELS, *LINKS))
    return spans or (tagged and not names.isdisjoint(IDS))


def has_clusters(header: Sequence[str]) -> bool:
    """Whether these are the columns of a table of mentions with their clusters."""
    names = set(header)
    return "cluster" in names and all(not names.isdisjoint(each) for each in (STARTS, ENDS))


def header_of(start: bytes) -> list[str]:
    """The columns that a table names, if a file that begins like this is one."""
    return _cells(start.lstrip().partition(b"\n")[0].decode("utf-8", "replace"))


def _cells(line: str) -> list[str]:
    return [cell.strip().strip('"') for cell in re.split(r"[\t,;]", line)]


def _list_columns(lines: Sequence[str]) -> set[str]:
    """The columns of a table of documents whose first row has a list in them."""
    separator = max((",", "\t", ";"), key=lines[0].count) if lines else ","
    try:
        names, first = islice(filter(None, csv.reader(io.StringIO("\n".join(lines)), delimiter=separator)), 2)
    except (csv.Error, ValueError):
        return set()
    found = {name.strip() for name, cell in zip(names, first, strict=False) if is_cell(name.strip(), cell)}
    return found if not found.isdisjoint((*TAG_COLUMNS, *ITEMS, "triples")) else set()


def _names_columns(lines: Sequence[str]) -> bool:
    """Whether the first line names columns that all lines have, separated by commas, semicolons or TABs."""
    filled = [line for line in lines if line.strip()]
    for separator in (",", ";", "\t"):
        counts = {_outside(line, separator) for line in filled}
        if len(filled) > 1 and len(counts) == 1 and counts != {0}:
            names = [cell.strip().strip('"') for cell in filled[0].split(separator)]
            return len(set(names)) == len(names) and all(re.fullmatch(r"[A-Za-z_][\w .-]*", name) for name in names)
    return False


def _triple_roles(header: list[str]) -> Mapping[str, str]:
    """The role of each column of a table of triples; empty if they are not named as such."""
    from adjudge.formats.kg_keys import roles_of

    try:
        return roles_of(header) or {}
    except AdjudgeError:
        return {}


def _tabbed(rows: list[list[str]]) -> Iterator[str]:
    if sum(row[0].lstrip().startswith(":") for row in rows) * 2 > len(rows):
        yield "coldstart"
    elif any("wikipedia.org/wiki/" in row[0] or row[0] == "NO_PAGE" for row in rows[:10]):
        yield "links"
    elif _most(rows, lambda row: len(row) >= 11 and any(_RANGES.fullmatch(row[at]) for at in (4, 5)) and "." in row[2]):
        judged = any(len(row) >= 17 and len(row[-1]) > 2 for row in rows)
        yield "eal-key" if judged else "eal-arguments"
    elif _most(
        rows, lambda row: len(row) in (4, 8, 9) and ":" in row[1] and (row[3] == "NIL" or _PLACE.search(row[3]))
    ):
        yield "kb-answers"
    elif _most(rows, lambda row: len(row) >= 6 and row[2].isalpha() and _PLACE.fullmatch(row[4]) and ":" in row[5]):
        yield "kb-queries"
    elif _most(rows, lambda row: len(row) >= 7 and _PLACE.fullmatch(row[3])):
        yield "edl"
        yield "links"
    elif _most(rows, lambda row: len(row) >= 7 and ":" in row[1] and _JUDGED.fullmatch(row[5])):
        yield "kb-assessments"
    elif _most(rows, lambda row: len(row) > 2 and _whole(row[1:3])):
        yield "neleval"
    elif _most(rows, lambda row: len(row) in (3, 4) and all(cell.strip() for cell in row[:3])):
        if _most(rows, lambda row: len(row) == 4 and row[1] in ("C", "W", "X", "I") and row[2].isdigit()):
            yield "kb-assessments"
        if not _most(rows, lambda row: TAG.fullmatch(row[-1]) is not None):
            yield "triples"


def _most(rows: list[list[str]], fits: Callable[[list[str]], object]) -> bool:
    """Whether nearly all rows are of a kind: a few mistakes do not make a file another format."""
    return bool(rows) and sum(bool(fits(row)) for row in rows) >= 0.9 * len(rows)


def _whole(cells: list[str]) -> bool:
    return bool(cells) and all(cell.strip().isdigit() for cell in cells)


# ---------------------------------------------------------------------------------------------------------------------
# Folders


MANY = 2000  # entries of a folder that are examined


def folder_formats(folder: Path) -> tuple[list[Format], list[Path]]:
    """The formats that a folder may have as a whole, and its files; none if it is just a folder of files."""
    from adjudge.formats.kg_graphrag import is_graphrag

    names = sorted(islice((entry.name for entry in os.scandir(folder)), MANY))
    kept = [folder / name for name in names if not name.startswith((".", "_"))]
    files = [path for path in kept if path.is_file()]
    if (folder / "arguments").is_dir():
        return [FORMATS["eal"]], files
    if is_graphrag(folder):
        return [FORMATS["graphrag"]], files
    saved = all((folder / name).is_file() for name in ("dataset_info.json", "state.json"))
    if saved or (folder / "dataset_dict.json").is_file():
        return [FORMATS["dataset"]], files
    if any(path.suffix == ".ann" for path in files):
        return [FORMATS["brat"]], files
    for ending, kind in ((".apf.xml", "ace"), (".rich_ere.xml", "ere")):
        below = (path for each in kept for path in (each, *(each.iterdir() if each.is_dir() else ())))
        if any(path.name.endswith(ending) for path in islice(below, MANY)):
            return [FORMATS[kind]], files
    if len(files) == 3 and all(
        sum(part in path.name.lower() for path in files) == 1 for part in ("ner", "cluster", "rel")
    ):
        return [FORMATS["scirex-output"]], files
    common: list[Format] | None = None
    for path in _examples(files):
        head = head_of(path)
        found = formats_of(head, cut=len(head) >= HEAD)
        common = found if common is None else [each for each in common if each in found]
    return common or [], files


def _examples(files: Sequence[Path]) -> list[Path]:
    """Some files of every ending."""
    by_ending: dict[str, list[Path]] = {}
    for path in files:
        by_ending.setdefault(path.suffix.lower(), []).append(path)
    return [path for own in by_ending.values() for path in own[:3]][:12]


def head_of(path: Path, size: int = HEAD) -> bytes:
    """The first bytes of a file, uncompressed, as many as can be read."""
    try:
        with opened(path, str(path)) as stream:
            return read_block(stream, size)[0]
    except AdjudgeError:
        return b""
