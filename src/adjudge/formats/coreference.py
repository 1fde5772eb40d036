"""The coreference formats by name, and which of them a file has; clusters as JSON lines, one document per line.

    {"id": "doc-1", "tokens": 9, "clusters": [[[0, 1], [4, 4]], [[7, 8]]]}

A mention is `[first, last]`, both tokens included and counted from 0 over the document; one with gaps has several such
pairs in a row, `[3, 3, 6, 7]`. Only `id` and `clusters` are needed. `tokens` is the length of the document, `ids` names
the clusters in their order, `heads` has the head word of each mention in the shape of the clusters, `empty` lists the
empty nodes, whose numbers lie between those of the words around them. Clusters without mentions are left out.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Container, Iterable, Sequence
from itertools import takewhile
from typing import IO, TYPE_CHECKING, Any, cast

from adjudge.errors import AdjudgeError, FormatError, Problem, UsageError, ValidationError, did_you_mean
from adjudge.findings import raise_problems
from adjudge.formats.jsonl import UnfitError, read_each
from adjudge.formats.source import BOM, Source, is_file, is_parquet, line_blocks, opened, reads, source_name
from adjudge.model.coref import Chain, CorefCorpus, CorefDocument, Mention
from adjudge.model.document import Document

if TYPE_CHECKING:
    from adjudge.findings import Finding, Findings, Severities

FORMATS = ("conll", "conllu", "jsonl")
READ = (*FORMATS, "csv")
"""What is read: the formats, and tables with a row per mention."""

_EXPECTED = "CoNLL, CorefUD, JSON lines of clusters or a table of mentions (doc, start, end, cluster)"
_TEXTS = ("conll", "conllu", "json-lines", "json-array", "json")
_KINDS = (*_TEXTS, "csv", "tsv", "parquet")


def sniff(start: bytes) -> str:
    r"""The format of a file that starts with these bytes; CoNLL, which accepts anything, if they do not show it.

    >>> sniff(b'{"id": "a", "clusters": []}'), sniff(b"#begin document (a); part 000"), sniff(b"# newdoc id = a")
    ('jsonl', 'conll', 'conllu')
    >>> sniff(b"doc,start,end,cluster\na,0,1,7\n")
    'csv'
    """
    start = start.removeprefix(BOM)
    if start.lstrip()[:1] in (b"{", b"["):
        return "jsonl"
    from adjudge.formats.recognise import CONLL, CONLLU, has_clusters, header_of

    if CONLLU.search(start) and not CONLL.search(start):
        return "conllu"
    return "csv" if has_clusters(header_of(start)) else "conll"


@reads(_EXPECTED, *_KINDS)
def read_coreference(
    source: Source,
    *,
    format: str | None = None,
    profile: str = "conll-8.01",
    name: str | None = None,
    only: Container[str] | None = None,
    digest: bool = True,
) -> CorefCorpus:
    """All documents of a file in any of the formats; without `format`, its content decides.

    The profile, `only` and `digest` are those of `read_conll`; in every format, `strict` makes a repeated mention an
    error.

    >>> read_coreference(b'{"id": "a", "clusters": [[[0, 1]]]}').documents
    [CorefDocument('a', [Chain('0', [(0, 1)])], tokens=-1)]
    """
    check_format(format, READ)
    place = name or source_name(source)
    with opened(source, place) as stream:
        target, found, start = _target(source, stream, format)
        if found == "conll":
            from adjudge.formats.conll import read_conll
            from adjudge.formats.recognise import Expected, recognised

            conll = read_conll(target, profile=profile, name=place, only=only, digest=digest)
            if not conll.documents and start.strip():
                # An empty file is an empty response; this one has another format.
                raise recognised(FormatError(conll.notes), target, Expected(_EXPECTED, _TEXTS), start)
            return conll
        if found == "conllu":
            from adjudge.formats.conllu import read_conllu

            corpus = read_conllu(target, name=place)
        elif found == "csv":
            corpus = _read_table(target, place)
        else:
            corpus = read_clusters(target, name=place)
    if profile == "strict" and (repeats := find_repeats(corpus)):
        raise ValidationError([finding.problem for finding in repeats])
    return corpus


def read_words(source: Source) -> dict[str, list[str]]:
    """The words of every document of a file, if its format has them; nothing if it cannot be read again.

    >>> read_words(b"#begin document (a); part 000\\nbc 0 0 Ann (1)\\n#end document\\n")
    {'(a); part 000': ['Ann']}
    """
    found: dict[str, list[str]] = {}
    if not (isinstance(source, bytes) or is_file(source)):
        return found
    place: Any = source
    with opened(place, source_name(place)) as stream:
        _, kind, _ = _target(place, stream, None)
        if kind in ("jsonl", "csv"):
            return {}
        words: list[str] = []
        whole = takewhile(lambda block: isinstance(block, bytes), line_blocks(stream, 1 << 18))  # until it breaks
        for line in (line for block in whole for line in cast("bytes", block).split(b"\n")):
            text = line.decode(errors="replace").removeprefix("\ufeff").rstrip("\r\n")
            if text.startswith("#"):
                for mark in ("#begin document ", "# newdoc id = "):
                    if text.startswith(mark):
                        words = found.setdefault(text.removeprefix(mark).strip(), [])
            elif kind == "conllu":
                columns = text.split("\t")
                if columns[0].isdigit() and len(columns) > 1:
                    words.append(columns[1])
            elif fields := text.split():
                words += fields[_WORD : _WORD + 1] if len(fields) > _WORD + 1 else ()
    return found


_WORD = 3  # the column of the word in CoNLL files


def check_coreference(
    source: Source,
    *,
    format: str | None = None,
    name: str | None = None,
    limit: int | None = None,
    severity: Severities | None = None,
) -> Findings:
    """Check a file in any of the formats.

    >>> check_coreference(b'{"id": "a", "clusters": [[[1, 0]]]}').errors
    1
    """
    from adjudge.findings import Findings, check_severities
    from adjudge.formats.conll_check import KINDS, check_conll
    from adjudge.formats.recognise import looks_like

    check_format(format, READ)
    place = name or source_name(source)
    found = Findings(place, limit=limit, severities=check_severities(severity or {}, KINDS))
    with opened(source, place) as stream:
        target, kind, start = _target(source, stream, format)
        if kind == "conll":
            other = looks_like(start) if start.strip() else None
            check_conll(target, found)
            if found.contents["document"] or other is None or other.kind in _TEXTS:
                return found
            empty = Findings(place, limit=limit, severities=found.severities)
            empty.contents.update(found.contents)
            empty.add("unreadable", f"this looks like {other.name}", hint=f"give {_EXPECTED} instead")
            return empty
        try:
            corpus = read_coreference(target, format=kind, name=place)
        except UsageError:
            raise
        except AdjudgeError as error:
            found.add_problems("unreadable", error.problems)
            corpus = CorefCorpus(place, [], "")
    found.take(find_repeats(corpus))
    found.add_problems("note", corpus.notes, error=False)
    chains = [chain for document in corpus.documents for chain in document.chains]
    tokens = sum(max(document.tokens, 0) for document in corpus.documents)
    mentions = sum(len(chain.mentions) for chain in chains)
    found.contents.update(document=len(corpus.documents), token=tokens, chain=len(chains), mention=mentions)
    return found


def _target(source: Source, stream: IO[bytes], format: str | None) -> tuple[Source, str, bytes]:
    """The source (the open stream of a pipe, which can be read only once), its format, and its start."""
    peek: Any = stream
    try:
        start: bytes = peek.peek(1 << 13)
    except (EOFError, OSError, zlib.error):  # a damaged file, which its reader will report
        start = b""
    again = isinstance(source, bytes) or is_file(source)
    parquet = again and _is_table_file(source)
    return source if again else stream, format or ("csv" if parquet else sniff(start)), start


def _is_table_file(source: Source) -> bool:
    """Whether this is a Parquet file with a row per mention."""
    if not is_parquet(source):
        return False
    from adjudge.formats.parquet import parquet_names
    from adjudge.formats.recognise import has_clusters

    return has_clusters(parquet_names(str(source), source_name(source)))


def write_coreference(
    documents: Iterable[CorefDocument], format: str, *, path: str | None = None
) -> tuple[str, list[Problem]]:
    """The text of a file, and what could not be kept; `path` is where the documents came from, for messages.

    >>> write_coreference([CorefDocument("a", [], 1)], "conll")[0]
    '#begin document a\\n_\\t0\\t0\\t_\\t-\\n#end document\\n'
    """
    check_format(format)
    if format == "conll":
        from adjudge.formats.conll import write_conll

        return write_conll(documents, path=path)
    if format == "conllu":
        from adjudge.formats.conllu import write_conllu

        return write_conllu(documents, path=path)
    return write_clusters(documents), []


def check_format(format: str | None, known: Sequence[str] = FORMATS) -> None:
    """Raise if there is no such format."""
    if format is not None and format not in known:
        hint = did_you_mean(format, known) or f"formats are {', '.join(known)}"
        raise UsageError(f"there is no format {format!r}", hint=hint)


def find_repeats(corpus: CorefCorpus) -> list[Finding]:
    """Repeated mentions of documents, in one chain or in two."""
    from adjudge.findings import Finding

    findings = []
    for document in corpus.documents:
        first: dict[Any, str] = {}
        for chain in document.chains:
            for mention in chain.mentions:
                other = first.get(mention)
                if other is None:
                    first[mention] = chain.id
                    continue
                what = f"twice in chain {other}" if other == chain.id else f"in chain {other} and in chain {chain.id}"
                message = f"the mention {list(mention)} is {what}, in document {document.id!r}"
                problem = Problem(message, path=corpus.path, line=document.line, hint="keep one of them")
                kind = "repeated" if other == chain.id else "two-chains"
                findings.append(Finding(kind, False, problem, document.id))
    return findings


# ---------------------------------------------------------------------------------------------------------------------
# JSON lines of clusters


FIELDS = ("id", "tokens", "clusters", "ids", "heads", "empty")


@reads("JSON lines of clusters", "json-lines", "json-array", "json")
def read_clusters(source: Source, *, name: str | None = None) -> CorefCorpus:
    """All documents of a file.

    >>> read_clusters(b'{"id": "a", "clusters": [[[0, 1], [4, 4]]]}').documents
    [CorefDocument('a', [Chain('0', [(0, 1), (4, 4)])], tokens=-1)]
    """
    place = name or source_name(source)
    digest = hashlib.sha256()
    found: list[CorefDocument] = []
    notes: set[str] = set()

    def take(each: Document) -> None:
        notes.update(each.data.keys() - set(FIELDS))
        found.append(_document(each.id, each.data, each.line or 0))

    read_each(source, take, place=place, digest=digest)
    unread = [Problem(f"not read: {', '.join(sorted(notes))}", path=place)]
    return CorefCorpus(place, found, digest.hexdigest(), unread if notes else [])


def write_clusters(documents: Iterable[CorefDocument]) -> str:
    """The text of a file; nothing is lost.

    >>> write_clusters([CorefDocument("a", [Chain("7", [(0, 1)])], 3)])
    '{"id": "a", "tokens": 3, "clusters": [[[0, 1]]], "ids": ["7"]}\\n'
    """
    return "".join(json.dumps(_record(document), ensure_ascii=False) + "\n" for document in documents)


def _record(document: CorefDocument) -> dict[str, Any]:
    record: dict[str, Any] = {"id": document.id}
    if document.tokens >= 0:
        record["tokens"] = document.tokens
    record["clusters"] = [[list(mention) for mention in chain.mentions] for chain in document.chains]
    if any(chain.id != str(index) for index, chain in enumerate(document.chains)):
        record["ids"] = [chain.id for chain in document.chains]
    if document.heads is not None:
        heads = document.heads
        record["heads"] = [[heads.get(mention) for mention in chain.mentions] for chain in document.chains]
    if document.empty:
        record["empty"] = list(document.empty)
    return record


# ---------------------------------------------------------------------------------------------------------------------
# Tables


def _read_table(source: Source, place: str) -> CorefCorpus:
    """The documents of a table with a row per mention, as rows in memory are read."""
    from adjudge.formats.coerce.corpus import ENDS, IDS, STARTS, first_of
    from adjudge.formats.exported import understood
    from adjudge.formats.exports import read_values

    values = read_values(source, name=place, reader="dataset" if is_parquet(source) else "csv")
    problems: list[Problem] = []
    for row, line in zip(values.values.rows, values.lines, strict=True):
        if all(cell is None for name, cell in row.items() if name not in IDS):
            continue  # a document without mentions
        try:
            _mention([first_of(row, STARTS), first_of(row, ENDS)], "", -1, frozenset())
            if row["cluster"] is None:
                raise UnfitError("", "the mention has no cluster", "name one in every row")
        except UnfitError as error:
            problems.append(Problem(error.message, path=place, line=line, hint=error.hint))
    raise_problems(problems, place)
    reading = understood("coref", values, {}, {})[0]
    documents = [
        CorefDocument(name, [Chain(str(n), chain) for n, chain in enumerate(each.data["clusters"])])
        for name, each in reading.documents.items()
    ]
    notes = [Problem(each.message, path=place) for each in reading.notes]
    return CorefCorpus(place, documents, values.digest, notes)


# ---------------------------------------------------------------------------------------------------------------------
# Checking


def _document(name: str, data: dict[str, Any], line: int) -> CorefDocument:
    if "clusters" not in data:
        raise UnfitError("$", "the document has no clusters", 'add a field "clusters", [] if there are none')
    tokens = data.get("tokens", -1)
    if type(tokens) is not int or tokens < -1:
        raise UnfitError("$.tokens", f"expected the number of tokens, got {tokens!r}", "write a whole number")
    empty = data.get("empty", [])
    if not isinstance(empty, list) or not all(type(each) is float and each != int(each) for each in empty):
        raise UnfitError("$.empty", f"expected numbers between words, got {empty!r}", "write for example [7.001]")
    clusters = _list(data["clusters"], "$.clusters", "clusters")
    chains = []
    for index, cluster in enumerate(clusters):
        path = f"$.clusters[{index}]"
        mentions = _list(cluster, path, "mentions")
        chains.append(
            Chain(
                str(index),
                [
                    _mention(mention, f"{path}[{order}]", tokens, frozenset(empty))
                    for order, mention in enumerate(mentions)
                ],
            )
        )
    if "ids" in data:
        ids = data["ids"]
        if not isinstance(ids, list) or len(ids) != len(chains) or not all(isinstance(each, str) for each in ids):
            raise UnfitError("$.ids", "expected a string for each cluster", "give as many ids as there are clusters")
        for chain, each in zip(chains, ids, strict=True):
            chain.id = each
    heads = _heads(data, chains)
    return CorefDocument(name, [chain for chain in chains if chain.mentions], tokens, line, heads, empty)


def _list(value: Any, path: str, what: str) -> list[Any]:
    if not isinstance(value, list):
        raise UnfitError(path, f"expected a list of {what}, got {_shown(value)}", "write [[[first, last], ...], ...]")
    return value


def _mention(value: Any, path: str, tokens: int, empty: frozenset[float]) -> Mention:
    good = isinstance(value, list) and len(value) >= 2 and len(value) % 2 == 0
    if not good or not all(type(each) is int or (type(each) is float and each in empty) for each in value):
        raise UnfitError(path, f"expected a mention, got {_shown(value)}", "write [first, last] with two token numbers")
    if any(first > last for first, last in zip(value[::2], value[1::2], strict=True)):
        raise UnfitError(path, f"the mention {value} ends before it starts", "write [first, last], both included")
    if any(last >= first for last, first in zip(value[1:-1:2], value[2::2], strict=True)):
        raise UnfitError(path, f"the parts of the mention {value} are not in order", "write them from left to right")
    if type(value[0]) is int and value[0] < 0:
        raise UnfitError(path, f"the mention {value} starts before the document", "count tokens from 0")
    if 0 <= tokens <= value[-1] and type(value[-1]) is int:
        message = f"the mention {value} ends beyond the last token, {tokens - 1}"
        raise UnfitError(path, message, "write [first, last], both included and counted from 0")
    return tuple(value)


def _heads(data: dict[str, Any], chains: list[Chain]) -> dict[Mention, float] | None:
    if "heads" not in data:
        return None
    heads: dict[Mention, float] = {}
    shape = [len(chain.mentions) for chain in chains]
    given = data["heads"]
    if not isinstance(given, list) or [len(each) if isinstance(each, list) else -1 for each in given] != shape:
        raise UnfitError("$.heads", "expected the head of each mention", "give the heads in the shape of the clusters")
    for chain, values in zip(chains, given, strict=True):
        for mention, head in zip(chain.mentions, values, strict=True):
            if head is None:
                continue
            if type(head) not in (int, float) or not mention[0] <= head <= mention[-1]:
                hint = "write the number of a token of the mention"
                raise UnfitError("$.heads", f"{_shown(head)} is not a head of the mention {list(mention)}", hint)
            heads[mention] = head
    return heads


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 40 else text[:37] + "..."
