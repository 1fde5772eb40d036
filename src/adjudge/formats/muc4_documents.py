"""Templates of MUC-4 as documents for `adjudge score`: a message and its incidents."""

from __future__ import annotations

from typing import Any

from adjudge.formats.muc4 import Template, read_templates
from adjudge.formats.muc4_slots import Slot, Slots, muc4_slots
from adjudge.formats.muc4_values import Compound, Value, show
from adjudge.formats.source import Source
from adjudge.model.document import Corpus, Document


def read_muc4(source: Source, *, name: str | None = None) -> Corpus:
    r"""Every message with its templates; what is optional counts as asked for.

    >>> text = b'0.  MESSAGE: ID  M1\n1.  MESSAGE: TEMPLATE  1\n4.  INCIDENT: TYPE  BOMBING\n'
    >>> read_muc4(text).documents[0].data["incidents"][0]["fillers"]
    [{'slot': 'inc-type', 'values': ['ATTACK > BOMBING'], 'refers': []}]
    """
    slots = muc4_slots()
    read = read_templates(source, slots, name=name)
    documents = tuple(
        Document(id=message, data={"id": message, "incidents": incidents(templates, slots)}, line=templates[0].line)
        for message, templates in read.messages.items()
    )
    return Corpus(path=read.path, documents=documents, digest=read.digest)


def incidents(templates: list[Template], slots: Slots) -> list[dict[str, Any]]:
    """The relevant templates of one message, in the form that `template.muc4` compares."""
    found: list[dict[str, Any]] = []
    for template in templates:
        if template.irrelevant:
            continue
        kinds = template.values.get(slots.kind.id, ()) if slots.kind is not None else ()
        fillers = [_filler(slot, value) for slot in slots.scored for value in template.values.get(slot.id, ())]
        types = [text for value in kinds for text in _texts(slots.kind, value)]
        found.append({"types": types, "fillers": fillers})
    return found


def _filler(slot: Slot, value: Value) -> dict[str, Any]:
    inner = _inner(value)
    values: Value | None = inner
    refers: Value | None = None
    if isinstance(inner, Compound) and inner.kind == "xref":
        values, refers = inner.parts
    return {"slot": slot.id, "values": _texts(slot, values), "refers": _texts(None, refers)}


def _texts(slot: Slot | None, value: Value | None) -> list[str]:
    """The alternatives of a value as texts; a value of a set, and a place, together with those above it."""
    if value is None:
        return []
    value = _inner(value)
    parts = value.parts if isinstance(value, Compound) and value.kind == "or" else (value,)
    if slot is not None and slot.type == "location":
        return [_place(part) for part in parts]
    texts = [_plain(show(part)) for part in parts]
    if slot is None:
        return texts
    return [" > ".join((*reversed(slot.above.get(text, ())), text)) for text in texts]


def _plain(text: str) -> str:
    """A text without its quotation marks, and without the sign that stands between levels."""
    return " ".join(text.strip('"').replace(">", " ").split()) or text


def _place(value: Value | None) -> str:
    """A place together with those that it is in, the country first."""
    if isinstance(value, Compound) and value.kind == "location":
        return " > ".join(_plain(show(part)) for part in value.parts)
    return _plain(show(value))


def _inner(value: Value) -> Value:
    inner = value.parts[0] if isinstance(value, Compound) and value.kind == "optional" else value
    return inner if inner is not None else ""
