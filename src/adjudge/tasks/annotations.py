"""What annotators write in the files of the tasks, as documents that metrics and coefficients can compare.

Chains, nuggets, event arguments, assessments, frames and triples have commands of their own for scores; between
annotators they are compared by the metrics of the catalogue.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from adjudge.model.document import Corpus, Document

if TYPE_CHECKING:
    from pathlib import Path

    from adjudge.formats.source import Source
    from adjudge.model.eal import Assessment, Response
    from adjudge.model.nugget import Nugget

Read: TypeAlias = Callable[..., Corpus]

_NUMBER = re.compile(r"[A-Za-z]*(\d{1,9})")


def read_chains(source: Source, *, name: str | None = None) -> Corpus:
    """Coreference in CoNLL, CoNLL-U or JSON lines, for the metrics `coref.*`.

    >>> read_chains(b'{"id": "a", "clusters": [[[0, 1], [4, 4]]]}').documents[0].data["clusters"]
    [[[0, 1], [4, 4]]]
    """
    from adjudge.formats.coreference import read_coreference

    corpus = read_coreference(source, name=name)
    found = []
    for each in corpus.documents:
        clusters = [[list(mention) for mention in chain.mentions] for chain in each.chains]
        data: dict[str, Any] = {"id": each.id, "clusters": clusters}
        if each.tokens >= 0:
            data["tokens"] = each.tokens
        if each.genre is not None:
            data["genre"] = each.genre
        found.append(Document(id=each.id, data=data, line=each.line))
    return Corpus(path=name, documents=tuple(found), digest=corpus.digest)


def read_nuggets(source: Source, *, name: str | None = None) -> Corpus:
    r"""Event nuggets in TBF, for the metrics `nugget.*`, and for `coref.*` on the events that they are mentions of.

    A mention of an event is its tokens and its type. Nuggets have spans where the file says where they stand: pieces of
    the text, or tokens with numbers.

    >>> line = b"s\ta\tE1\tt3,t4\tgot married\tLife_Marry\tActual"
    >>> read_nuggets(b"#BeginOfDocument a\n" + line + b"\n#EndOfDocument\n").documents[0].data["nuggets"][0]["span"]
    {'start': 3, 'end': 5}
    """
    from adjudge.formats.tbf import read_tbf

    found = []
    for each in read_tbf(source, name=name):
        nuggets = {nugget.id: _nugget(nugget) for nugget in each.nuggets}
        linked = [relation.arguments for relation in each.relations if relation.name == "Coreference"]
        alone = set(nuggets) - {nugget for members in linked for nugget in members}
        groups = [*linked, *((nugget,) for nugget in nuggets if nugget in alone)]
        clusters = [[_event_mention(nuggets[nugget]) for nugget in group if nugget in nuggets] for group in groups]
        data = {"id": each.id, "nuggets": list(nuggets.values()), "clusters": [group for group in clusters if group]}
        found.append(Document(id=each.id, data=data, line=each.line))
    return Corpus(path=name, documents=tuple(found), digest=_digest(source))


def read_arguments(source: str | Path, *, name: str | None = None) -> Corpus:
    """Event arguments of a store, as `records` for the metrics `record.*`; their base fillers are their spans."""
    from adjudge.formats.eal_store import open_store

    found = []
    with open_store(source) as store:
        for document in store.documents:
            responses = [each.response for each in store.arguments(document).arguments]
            data = {"id": document, "records": [_argument(each) for each in responses]}
            found.append(Document(id=document, data=data))
    return Corpus(path=name, documents=tuple(found), digest=_digest(source))


def read_assessments(source: str | Path, *, name: str | None = None) -> Corpus:
    """Assessments of event arguments: `items` are the responses that are right, for `record.set`.

    The judgements are labels of `responses`, with the `id` as their unit; `clusters` are the fillers that are the same.
    """
    from adjudge.formats.eal_ids import sha1_id
    from adjudge.formats.eal_store import open_key

    found = []
    store = open_key(source)
    try:
        for key in store:
            judged = {sha1_id(response): given for response, given in key.assessed.items()}
            groups: dict[int, list[list[Any]]] = {}
            for cas, number in sorted(key.coref.items()):
                groups.setdefault(number, []).append([cas.text, *cas.span])
            data = {
                "id": key.document,
                "items": [each for each, given in judged.items() if _is_right(given)],
                "responses": [{"id": each, **_judgements(given)} for each, given in judged.items()],
                "clusters": list(groups.values()),
            }
            found.append(Document(id=key.document, data=data))
    finally:
        store.close()
    return Corpus(path=name, documents=tuple(found), digest=_digest(source))


def read_frames(source: str | Path, *, name: str | None = None) -> Corpus:
    """The frames of a store of event arguments, as `clusters` of responses for the metrics `coref.*`."""
    from adjudge.formats.eal_ids import sha1_id
    from adjudge.formats.eal_store import open_store

    found = []
    with open_store(source) as store:
        for document in store.documents:
            linking = store.linking(document)
            frames = () if linking is None else linking.frames
            clusters = [sorted(sha1_id(response) for response in frame.responses) for frame in frames]
            found.append(Document(id=document, data={"id": document, "clusters": clusters}))
    return Corpus(path=name, documents=tuple(found), digest=_digest(source))


def read_facts(source: Source, *, name: str | None = None) -> Corpus:
    r"""Triples of a knowledge base by their documents, as `items` for `record.set`.

    >>> read_facts(b"ana\tspouse\tben\td1\n").documents[0].data
    {'id': 'd1', 'items': [['ana', 'spouse', 'ben']]}
    """
    from adjudge.formats.kb_triples import read_triples

    found: dict[str, list[list[str]]] = {}
    for *fact, document in read_triples(source, name=name).rows():
        found.setdefault(document, []).append(fact)
    documents = tuple(Document(id=each, data={"id": each, "items": facts}) for each, facts in found.items())
    return Corpus(path=name, documents=documents, digest=_digest(source))


ANNOTATIONS: Mapping[str, tuple[str, Read]] = {
    "coref": ("chains in CoNLL, CoNLL-U or JSON lines, for coref.*", read_chains),
    "tbf": ("event nuggets, for nugget.* and coref.*", read_nuggets),
    "eal-arguments": ("stores of event arguments, for record.*", read_arguments),
    "eal-assessments": ("folders of assessments, for record.set, coref.* and --label responses.role", read_assessments),
    "eal-frames": ("stores of event arguments with their frames, for coref.*", read_frames),
    "triples": ("triples of knowledge bases, for record.set", read_facts),
}
"""Readers by name, each with what it reads and which metrics compare it."""


def _digest(source: Source | str | Path) -> str:
    from adjudge.formats.whole import read_folder_digest

    return read_folder_digest(source)


def _nugget(nugget: Nugget) -> dict[str, Any]:
    places = list(nugget.tokens) or [f"{begin},{end}" for begin, end in nugget.pieces]
    found: dict[str, Any] = {"tokens": places, "type": nugget.type, "realis": nugget.realis}
    span = _span(nugget)
    return found if span is None else {**found, "span": {"start": span[0], "end": span[1]}}


def _span(nugget: Nugget) -> tuple[int, int] | None:
    if nugget.pieces:
        return min(begin for begin, _ in nugget.pieces), max(end for _, end in nugget.pieces)
    numbers = [_NUMBER.fullmatch(token) for token in nugget.tokens]
    found = [int(each[1]) for each in numbers if each is not None]
    return (min(found), max(found) + 1) if found and len(found) == len(numbers) else None


def _event_mention(nugget: Mapping[str, Any]) -> list[str]:
    return [*sorted(nugget["tokens"]), nugget["type"]]


def _argument(response: Response) -> dict[str, Any]:
    return {
        "type": f"{response.type}/{response.role}",
        "filler": response.cas.text,
        "realis": response.realis,
        "span": {"start": response.base_filler.start, "end": response.base_filler.end + 1},
    }


def _is_right(given: Assessment) -> bool:
    return all(each in ("C", "I") for each in _judged(given))


def _judged(given: Assessment) -> Iterable[str | None]:
    return given.event_type, given.role, given.cas, given.base_filler


def _judgements(given: Assessment) -> dict[str, str]:
    fields = ("event_type", "role", "cas", "base_filler", "realis", "mention_type")
    return {name: value for name in fields if (value := getattr(given, name)) is not None}
