"""A side that was understood as documents of the model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from adjudge.formats.coerce.answers import OUTPUTS
from adjudge.formats.coerce.corpus import ITEMS, is_list, wrong
from adjudge.formats.coerce.native import NATIVE
from adjudge.formats.coerce.side import OneSide
from adjudge.formats.coerce.spans import Ends, Item, Part, exclusive, unnamed_link
from adjudge.model.document import CorpusNote, Document
from adjudge.model.document import Reading as Understood

_OWN = frozenset(("id", "text", *OUTPUTS))  # what documents have anyway, and answers


class Reading(msgspec.Struct, frozen=True):
    """What was understood of a side: its documents, what their spans count, and what is not in its texts."""

    documents: dict[str, Document]
    shape: str
    unit: str | None
    ends: Ends | None
    ids: str
    notes: tuple[CorpusNote, ...]
    ungrounded: Mapping[str, list[Item]]

    def told(self) -> Understood:
        """The same in short, as it is kept with a result."""
        lost = {
            name: [{"text": item.text, "type": item.label} for item in items] for name, items in self.ungrounded.items()
        }
        known = self.ends or Ends(None)
        return Understood(
            shape=self.shape,
            documents=len(self.documents),
            unit=self.unit,
            ends=known.meaning,
            said=known.said,
            ids=self.ids,
            notes=self.notes,
            ungrounded=lost,
        )


def reading_of(side: OneSide, *, texts: bool) -> Reading:
    """What was understood of a side; relations are between `texts` if the other side has such."""
    named = {"ner": _entities, "linking": _mentions}
    documents = named[side.kind](side) if side.kind in named else _facts(side, texts=texts)
    shapes = {part.shape for part in side.parts.values()}
    units = sorted({part.unit for part in side.parts.values() if part.unit is not None})
    return Reading(
        {name: Document(id=name, data={"id": name, **_kept(side, name), **data}) for name, data in documents.items()},
        ", ".join(sorted(shapes)) or side.kind,
        units[0] if units else None,
        side.ends,
        "given" if side.given else "position",
        side.notes.made(),
        side.lost,
    )


def _kept(side: OneSide, name: str) -> dict[str, Any]:
    """What a document says of itself beside its items, by which it may be sliced."""
    value = side.values[name]
    if type(value) is list or not isinstance(value, Mapping):
        return {}
    return {key: each for key, each in value.items() if isinstance(each, str | int | float) and key not in _OWN}


def _entities(side: OneSide) -> dict[str, dict[str, Any]]:
    if any(item.start is None for part in side.parts.values() for item in part.items):
        number = sum(item.start is None for part in side.parts.values() for item in part.items)
        message = f"{side.declared.side}: there is no text in which to find {{n|mention|mentions}}"
        side.notes.add("no-positions", message, count=number)
        return {
            name: {"mentions": [{"text": item.text, "type": item.label} for item in part.items]}
            for name, part in side.parts.items()
        }
    made = _Entities()
    return {
        name: {
            "entities": [made[chunk] for chunk in part.chunks]
            if part.chunks is not None
            else [*(made[item.label, item.start, item.end] for item in part.items), *_nowhere(side.lost.get(name, ()))],
            **_words(part),
        }
        for name, part in side.parts.items()
    }


class _Entities(dict[tuple[Any, Any, Any], dict[str, Any]]):
    """Entities by type, start and end, each made once: most sentences have them at the same places."""

    def __missing__(self, chunk: tuple[Any, Any, Any]) -> dict[str, Any]:
        kind, start, end = chunk
        made = self[chunk] = {"span": {"start": start, "end": end}, "type": kind}
        return made


def _words(part: Part) -> dict[str, Any]:
    if part.text is None and part.tokens is None:
        return {}
    found: dict[str, Any] = {}
    if part.text is not None:
        found["text"] = part.text
    if part.tokens is not None and all(isinstance(each, str) for each in part.tokens):
        found["tokens"] = list(part.tokens)
    return found


def _nowhere(items: Iterable[Item]) -> list[dict[str, Any]]:
    return [{"span": {"start": each.start, "end": each.end}, "type": each.label} for each in _unplaced(items)]


def _unplaced(items: Iterable[Item]) -> list[Item]:
    """What is not in the text, with spans before its beginning, which nothing equals or overlaps."""
    return [
        msgspec.structs.replace(item, start=-2 * number, end=1 - 2 * number) for number, item in enumerate(items, 1)
    ]


def _mentions(side: OneSide) -> dict[str, dict[str, Any]]:
    tuples = all(item.entity is None for part in side.parts.values() for item in part.items)
    if tuples:
        _check_links(side)

    def made(item: Item) -> dict[str, Any]:
        # (start, end, entity): the third of a tuple is what is linked to.
        kind, entity = (None, item.label) if tuples else (item.label, item.entity)
        if not tuples and entity is None:
            entity = "NIL"
        return {
            "span": {"start": item.start, "end": item.end},
            "type": kind,
            "entity": entity or None,
        }

    return {
        name: {"mentions": [made(item) for item in (*part.items, *_unplaced(side.lost.get(name, ())))], **_words(part)}
        for name, part in side.parts.items()
    }


def _check_links(side: OneSide) -> None:
    """Raise if no mention has an entity, and one has a field that looks like it."""
    for name, value in side.values.items():
        fields = value if isinstance(value, Mapping) else {}
        items = next((fields[key] for key in ITEMS if key in fields), value)
        field = next(filter(None, map(unnamed_link, items)), None) if is_list(items) else None
        if field is not None:
            raise wrong(
                side.declared.side,
                f": no mention has an entity (first: document {name!r} has {field})",
                f'call it entity, or set fields={{"entity": "{field}"}}',
            )


def _facts(side: OneSide, *, texts: bool) -> dict[str, dict[str, Any]]:
    """What documents say; a side without any relation is as the other side is, with `texts` or with spans."""
    if side.kind in ("tree", "amr", "coref"):
        return {name: {NATIVE[side.kind]: value} for name, value in side.facts.items()}
    side.ends = _spans_exclusive(side)
    made: dict[str, dict[str, Any]] = {}
    texts = texts and not any(fact.relations for fact in side.facts.values())
    for name, fact in side.facts.items():
        if side.kind == "event":
            made[name] = {"events": fact.events}
        elif texts:
            made[name] = {"triples": fact.triples or []}
        else:
            made[name] = {"relations": fact.relations or []}
    return made


def _spans_exclusive(side: OneSide) -> Ends:
    """Make the ends of all spans exclusive, as declared or proved by the text."""
    spans = {name: list(_spans(fact)) for name, fact in side.facts.items()}
    parts = {
        name: Part(
            [Item(each["start"], each["end"], "span") for each in own],
            side.kind,
            side.facts[name].text,
            fixed=side.facts[name].fixed,
        )
        for name, own in spans.items()
    }
    moved, ends = exclusive(parts, side.declared, side.notes)
    for name, own in spans.items():
        for each, item in zip(own, moved[name].items, strict=True):
            each["start"], each["end"] = item.start, item.end
    return ends


def _spans(fact: Any) -> Iterable[dict[str, Any]]:
    for relation in fact.relations or ():
        yield relation["subject"]
        yield relation["object"]
    for event in fact.events or ():
        yield event["trigger"]
        yield from (each["span"] for each in event["arguments"])
