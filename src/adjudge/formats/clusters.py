"""Clusters as JSON lines, one document per line, and tables with a row per mention.

    {"id": "doc-1", "tokens": 9, "clusters": [[[0, 1], [4, 4]], [[7, 8]]]}

A mention is `[first, last]`, both tokens included and counted from 0 over the document; one with gaps has several such
pairs in a row, `[3, 3, 6, 7]`. Only `id` and `clusters` are needed. `tokens` is the length of the document, `ids` names
the clusters in their order, `heads` has the head word of each mention in the shape of the clusters, `empty` lists the
empty nodes, whose numbers lie between those of the words around them. Clusters without mentions are left out.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any

from adjudge.errors import Problem
from adjudge.findings import raise_problems
from adjudge.formats.jsonl import UnfitError, read_each
from adjudge.formats.source import Source, is_parquet, reads, source_name
from adjudge.model.coref import Chain, CorefCorpus, CorefDocument, Mention
from adjudge.model.document import Document

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


def read_cluster_table(source: Source, *, name: str | None = None) -> CorefCorpus:
    """The documents of a table with a row per mention, as rows in memory are read."""
    from adjudge.formats.coerce.corpus import ENDS, IDS, STARTS, first_of
    from adjudge.formats.exported import understood
    from adjudge.formats.exports import read_values

    place = name or source_name(source)
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
