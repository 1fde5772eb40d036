"""Annotators' files, in the formats of the tasks, as documents that metrics and coefficients can compare.

Chains, nuggets, event arguments, assessments, frames and triples are scored by commands of their own; for agreement
they are compared by the metrics of the catalogue.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import msgspec

from adjudge.errors import FormatError, Problem, UsageError
from adjudge.estimates.assessors import Resolved, dawid_skene, majority
from adjudge.evaluate.task import Side
from adjudge.model.document import Corpus, CorpusNote, Document
from adjudge.stats.notes import unproven_notes
from adjudge.stats.points import per_document
from adjudge.stats.result import Note
from adjudge.stats.scores import headlines
from adjudge.tasks.scoring import score
from adjudge.tasks.units import labels_of

if TYPE_CHECKING:
    from pathlib import Path

    from adjudge.formats.eal_store import FramesStore, KeyStore
    from adjudge.formats.source import Source
    from adjudge.model.eal import Assessment, Cas, Linking, Response
    from adjudge.model.nugget import Nugget
    from adjudge.tasks.eal.responses import Trfr

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
    r"""Event nuggets in TBF, for the metrics `nugget.*`, and for `coref.*` on their event hoppers.

    An event mention is its tokens and its type. Nuggets have spans where the file gives their position: pieces of the
    text, or numbered tokens.

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
    """Assessments of event arguments: `items` are the correct responses, for `record.set`.

    The judgements are labels of `responses`, with `id` as the unit; `clusters` are the coreferent fillers.
    """
    from adjudge.formats.eal_fields import sha1_id
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
    if not any(each.data["responses"] for each in found):
        hint = "compare annotators when they have assessed something"
        raise FormatError(Problem("there is no assessed response in any file", path=str(source), hint=hint))
    return Corpus(path=name, documents=tuple(found), digest=_digest(source))


def read_frames(source: str | Path, *, name: str | None = None, key: str | Path | None = None) -> Corpus:
    """Frames of event arguments, as `clusters` for the metrics `coref.*`: those of a store, or reference frames.

    A store has `arguments/` and `linking/`; reference frames are one linking file per document. `key` names the
    assessments the reference frames were built from: then TRFRs are compared, and a frame need list only one response
    of each.
    """
    from adjudge.formats.eal_store import open_frames, open_key, open_store

    flat = key is not None
    frames: dict[str, list[list[Any]]] = {}
    if not flat:
        with open_store(source) as store:
            flat = store.is_flat
            if not flat and not store.has_linking:
                hint = "give a store with arguments/ and linking/, or a folder of linking files"
                raise FormatError(Problem("the store has no folder linking/", path=store.path, hint=hint))
            if not flat:
                frames = {document: _frames_of_responses(store.linking(document)) for document in store.documents}
    if flat:
        with open_frames(source) as reference:
            if key is None:
                frames = _frames_of_ids(reference)
            else:
                with open_key(key) as assessed:
                    frames = dict(_frames_of_classes(reference, assessed))
    if not any(frames.values()):
        hint = "compare annotators when they have linked something"
        raise FormatError(Problem("there is no frame in any file", path=str(source), hint=hint))
    documents = tuple(Document(id=each, data={"id": each, "clusters": found}) for each, found in frames.items())
    notes = (_AS_LISTED,) if flat and key is None else ()
    return Corpus(path=name, documents=documents, digest=_digest(source), notes=notes)


_AS_LISTED = CorpusNote(
    "frames-as-listed",
    1,
    "frames are compared by the ids that they list; with --key, the assessments, one response stands for its TRFR",
)


def _frames_of_responses(linking: Linking | None) -> list[list[Any]]:
    from adjudge.formats.eal_fields import sha1_id

    frames = () if linking is None else linking.frames
    return [sorted(sha1_id(response) for response in frame.responses) for frame in frames]


def _frames_of_ids(store: FramesStore) -> dict[str, list[list[Any]]]:
    found: dict[str, list[list[Any]]] = {}
    problems: list[Problem] = []
    for document in store.documents:
        frames, findings = store.scan_ids(document)
        problems += [each.problem for each in findings if each.error]
        found[document] = [sorted(frame) for frame in frames]
    if problems and not any(found.values()):
        first = problems[0]
        message = f"none of these files has frames: in {store.documents[0]} {first.message.partition(',')[0]}"
        raise FormatError(Problem(message, path=store.path, hint=first.hint))
    if problems:
        raise FormatError(problems)
    return found


def _frames_of_classes(store: FramesStore, keys: KeyStore) -> Iterator[tuple[str, list[list[Any]]]]:
    from adjudge.tasks.eal.frames import classes

    problems: list[Problem] = []
    for document in store.documents:
        if document not in keys:
            hint = "name the assessments that these frames were made for"
            problems.append(Problem("there are no assessments of this document", store.place(document), hint=hint))
            continue
        key, wrong = keys.scan_key(document)
        linking, findings = store.scan_linking(key)
        problems += [each.problem for each in (*wrong, *findings) if each.error and each.kind != "linked-incomplete"]
        frames = () if linking is None else linking.frames
        first = {number: cas for cas, number in sorted(key.coref.items(), reverse=True)}
        members = (classes(frame.responses, key.coref) for frame in frames)
        yield document, [sorted(_class(each, first) for each in one) for one in members]
    if problems:
        raise FormatError(problems)


def _class(each: Trfr, first: Mapping[int, Cas]) -> list[Any]:
    """A TRFR by its type, role and realis, and by the first CAS of its cluster."""
    cas = first[each.cluster] if isinstance(each.cluster, int) else each.cluster
    return [each.type, each.role, each.realis, cas.text, *cas.span]


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
    "eal-frames": ("frames of stores of event arguments, or reference frames, for coref.*", read_frames),
    "triples": ("triples of knowledge bases, for record.set", read_facts),
}
"""Readers by name, each with what it reads and which metrics compare it."""


def _digest(source: Source | str | Path) -> str:
    from adjudge.formats.json_file import read_folder_digest

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


LABELS = ("majority", "dawid-skene")


class Resolution(NamedTuple):
    """A row for every unit (its label) or document (whose annotation is taken), and why it may be unreliable."""

    rows: list[dict[str, Any]]
    notes: tuple[Note, ...] = ()
    documents: tuple[Document, ...] = ()  # as the chosen annotators have them

    def to_jsonl(self) -> bytes:
        """The chosen documents as JSON lines, to be scored against or with."""
        lines = []
        for each in self.documents:
            data = msgspec.to_builtins(each.data)
            lines.append(msgspec.json.encode({"id": each.id, **data} if isinstance(data, dict) else data))
        return b"".join(line + b"\n" for line in lines)


def resolve_labels(sides: Sequence[Side], field: str, unit: Sequence[str], method: str) -> Resolution:
    """The label of every unit that any annotator labelled."""
    names = [side.name for side in sides]
    data = {side.name: {each: document.data for each, document in side.documents.items()} for side in sides}
    ids, documents = labels_of(data, field, unit)
    units: list[tuple[str, int, dict[str, str]]] = []
    for document, rows in zip(ids, documents, strict=True):
        number = 0
        for labels, count in rows:
            for _ in range(count):
                number += 1
                said = {name: str(label) for name, label in zip(names, labels, strict=True) if label is not None}
                units.append((document, number, said))
    known = [each for each in units if each[2]]
    if not known:
        raise UsageError(f"nobody has labels {field!r}", hint="name another field with --label")
    classes = [label for label, _ in Counter(label for _, _, said in known for label in said.values()).most_common()]
    votes = [said for _, _, said in known]
    found: Resolved = (majority if method == "majority" else dawid_skene)(votes, classes)
    made: list[dict[str, Any]] = []
    for (document, number, said), verdict, posterior in zip(known, found.verdicts, found.posterior, strict=True):
        made.append(
            {
                "document": document,
                "unit": number,
                "label": verdict,
                "probability": max(posterior),
                "votes": " ".join(f"{name}={label}" for name, label in sorted(said.items())),
            }
        )
    return Resolution(made, found.notes)


def resolve_documents(metric: Any, sides: Sequence[Side], **options: Any) -> Resolution:
    """Per document, the annotation with the least mean distance to all others under the metric; ties go by name."""
    if len(sides) < 3:
        raise UsageError(f"{len(sides)} annotators cannot outvote each other", hint="adjudicate by hand")
    shared = [each for each in sides[0].documents if all(each in side.documents for side in sides)]
    if not shared:
        raise UsageError("no document has all annotators", hint="give annotations of the same documents")
    distances: dict[str, Mapping[str, list[float]]] = {each: {side.name: [] for side in sides} for each in shared}
    used, notes = "", list[Note]()
    for gold in sides:
        for other in sides:
            if gold is other:
                continue
            result = score(metric, _only(gold, shared), _only(other, shared), **{**options, "bootstrap": 0})
            notes += unproven_notes(result, f"{other.name} against {gold.name}")
            key = headlines(result.measures)[0]
            used = " ".join(key)
            (table,) = result.tables().values()
            values = per_document(table, result.measures)[key].tolist()
            for document, value in zip(table.ids, values, strict=True):
                distances[document][gold.name].append(1.0 - (1.0 if value != value else value))
    rows, documents, by_name = [], [], {side.name: side for side in sides}
    for document in shared:
        means = {name: sum(own) / len(own) for name, own in distances[document].items()}
        chosen = min(sorted(means), key=lambda name: means[name])
        shown = " ".join(f"{name}={mean:.4f}" for name, mean in sorted(means.items()))
        rows.append({"document": document, "annotator": chosen, "distance": means[chosen], "distances": shown})
        documents.append(by_name[chosen].documents[document])
    notes.append(Note("least-distance", len(rows), f"distances are 1 - {used}"))
    return Resolution(rows, tuple(notes), tuple(documents))


def _only(side: Side, documents: Sequence[str]) -> Side:
    from msgspec.structs import replace

    return replace(side, documents={each: side.documents[each] for each in documents})
