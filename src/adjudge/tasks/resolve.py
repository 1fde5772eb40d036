"""One answer from several annotators: labels by vote or by trust, whole documents by least distance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from adjudge.errors import UsageError
from adjudge.estimates.assessors import Resolved, dawid_skene, majority
from adjudge.evaluate.task import Side
from adjudge.model.document import Document
from adjudge.stats.notes import unproven_notes
from adjudge.stats.points import per_document
from adjudge.stats.result import Note
from adjudge.stats.scores import headlines
from adjudge.tasks.scoring import score
from adjudge.tasks.units import labels_of

LABELS = ("majority", "dawid-skene")


class Resolution(NamedTuple):
    """A row for every unit (its label) or document (whose annotation is taken), and what makes it shaky."""

    rows: list[dict[str, Any]]
    notes: tuple[Note, ...] = ()
    documents: tuple[Document, ...] = ()  # as the annotators that were chosen have them

    def to_jsonl(self) -> bytes:
        """The chosen documents as JSON lines, to be scored against or with."""
        lines = []
        for each in self.documents:
            data = msgspec.to_builtins(each.data)
            lines.append(msgspec.json.encode({"id": each.id, **data} if isinstance(data, dict) else data))
        return b"".join(line + b"\n" for line in lines)


def resolve_labels(sides: Sequence[Side], field: str, unit: Sequence[str], method: str) -> Resolution:
    """The label of every unit that somebody labelled."""
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
    """Per document the annotation with the least mean distance to all others under the metric; ties by name."""
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
    from dataclasses import replace

    return replace(side, documents={each: side.documents[each] for each in documents})
