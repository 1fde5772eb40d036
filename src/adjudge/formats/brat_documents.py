r"""brat folders as documents of entities, relations and events: one `.ann` file each, with its text in the `.txt`
beside it.

    T1	PER 0 12	Ada Lovelace
    T2	PER 17 24;25 32	Charles Babbage
    R1	met Arg1:T1 Arg2:T2
    E1	Attack:T5 Attacker:T1

Text-bound annotations (T) are entities unless they trigger an event (E). Fragments of one annotation are joined into
the span from the first to the last character. An argument that is an event stands for its trigger.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from adjudge.errors import FormatError, Problem
from adjudge.findings import raise_problems
from adjudge.formats.brat import Annotations, read_annotations
from adjudge.formats.coerce.corpus import Notes
from adjudge.formats.json_file import read_folder_digest
from adjudge.formats.source import Source, source_name
from adjudge.formats.standoff import read_source_text
from adjudge.model.document import Corpus, Document


def read_brat_documents(source: Source, *, name: str | None = None, fragments: str = "join") -> Corpus:
    r"""The documents of a folder, or the one of an `.ann` file.

    With `fragments="keep"` every fragment of an annotation is an entity of its own.

    >>> data = read_brat_documents(b"T1\tPER 0 3\tAda\nT2\tPER 8 10;12 14\tBo Bo\n").documents[0].data
    >>> [each["span"] for each in data["entities"]]
    [{'start': 0, 'end': 3}, {'start': 8, 'end': 14}]
    """
    place = name or source_name(source) or "."
    folder = Path(source) if isinstance(source, str | Path) and Path(source).is_dir() else None
    files: list[tuple[Source, str]] = [(source, place)]
    if folder is not None:
        files = [(path, str(path)) for path in sorted(folder.glob("*.ann"))]
        if not files:
            raise FormatError(Problem("there is no .ann file in this folder", path=place, hint="name another folder"))
    notes, problems, documents = Notes(), [], []
    for file, where in files:
        text = Path(where).with_suffix(".txt")
        own = read_source_text(text, str(text)) if text.is_file() and text != Path(where) else None
        reading = read_annotations(file, text=own, name=where)
        identifier = Path(where).stem
        data = {"id": identifier, **_document(reading, identifier, notes, keep=fragments == "keep")}
        problems += sorted(reading.problems, key=lambda each: each.line or 0)
        documents.append(
            Document(id=identifier, data=data if own is None else {**data, "text": own}, line=1, path=where)
        )
    raise_problems(problems, place)
    digest = read_folder_digest(source)
    return Corpus(path=place, documents=tuple(documents), digest=digest, notes=notes.made())


def _document(found: Annotations, identifier: str, notes: Notes, *, keep: bool) -> dict[str, Any]:
    triggers = {event.trigger for event in found.events.values()}
    spans: dict[str, dict[str, int]] = {}
    for key, each in found.triggers.items():
        if each.pieces:
            spans[key] = {"start": each.pieces[0][0], "end": max(end for _, end in each.pieces)}
        if len(each.pieces) > 1 and not keep:
            notes.add("fragments-joined", "{n} annotations of several fragments were joined to one span", identifier)
    for key, event in found.events.items():
        if event.trigger in spans:
            spans[key] = spans[event.trigger]

    def known(target: str, owner: str, line: int) -> bool:
        if target not in spans:
            found.wrong(line, 1, f"{owner} refers to {target!r}, which is not in the file", "add its line")
        return target in spans

    relations = []
    for name, key, targets, line in found.links:
        if name == "*" or len(targets) != 2:
            notes.add("not-kept", "{n} equivalences (*) are not relations and are left out", identifier)
        elif all(known(target, key, line) for target in targets):
            ends = {"subject": spans[targets[0]], "object": spans[targets[1]]}
            kinds = [_type(found, target) for target in targets]
            relations.append({"type": name, **ends, "subject_type": kinds[0], "object_type": kinds[1]})
    events = []
    for key, event in found.events.items():
        if known(event.trigger, key, event.line):
            arguments = [
                {"role": role, "span": spans[target]}
                for role, target in event.arguments
                if known(target, key, event.line)
            ]
            events.append({"type": event.type, "trigger": spans[event.trigger], "arguments": arguments})
    for kind in ("text", "utf-16"):
        if lines := found.not_kept.get(kind):
            message = "{n} annotations whose text differs from that at the offsets, the offsets are used"
            said = message if kind == "text" else "the offsets of {n} documents look like UTF-16 units"
            notes.add(f"other-{kind}", said, f"{identifier}:{lines[0]}", count=len(lines))
    entities = [
        {"span": span, "type": each.type}
        for key, each in found.triggers.items()
        if key in spans and key not in triggers
        for span in ([{"start": start, "end": end} for start, end in each.pieces] if keep else [spans[key]])
    ]
    return {"entities": entities, "relations": relations, "events": events}


def _type(found: Annotations, target: str) -> str:
    return found.events[target].type if target in found.events else found.triggers[target].type
