"""The coreference formats by name, and which of them a file has."""

from __future__ import annotations

import zlib
from collections.abc import Container, Iterable, Sequence
from itertools import takewhile
from typing import IO, TYPE_CHECKING, Any, cast

from adjudge.errors import AdjudgeError, FormatError, Problem, UsageError, ValidationError, did_you_mean
from adjudge.formats.source import BOM, Source, is_file, is_parquet, line_blocks, opened, reads, source_name
from adjudge.model.coref import CorefCorpus, CorefDocument

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
    if start.startswith(b"#begin document "):
        return "conll"
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

            conll = read_conll(target, profile=profile, name=place, only=only, digest=digest)
            if not conll.documents and start.strip():
                from adjudge.formats.recognise import Expected, recognised

                # An empty file is an empty response; this one has another format.
                raise recognised(FormatError(conll.notes), target, Expected(_EXPECTED, _TEXTS), start)
            return conll
        if found == "conllu":
            from adjudge.formats.conllu import read_conllu

            corpus = read_conllu(target, name=place)
        elif found == "csv":
            from adjudge.formats.clusters import read_cluster_table

            corpus = read_cluster_table(target, name=place)
        else:
            from adjudge.formats.clusters import read_clusters

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
    from adjudge.formats.clusters import write_clusters

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
