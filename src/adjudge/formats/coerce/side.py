"""One side: its documents by id, each taken by the shape that it has."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import msgspec

from adjudge.errors import FormatError
from adjudge.formats.coerce.answers import OUTPUTS, is_raw, unwrapped
from adjudge.formats.coerce.corpus import IDS, ITEMS, Declared, Facts, Notes, fields_of, is_list, origin, plain, wrong
from adjudge.formats.coerce.native import NATIVE
from adjudge.formats.coerce.spans import (
    JOINED,
    LEFT_OUT,
    Ends,
    Item,
    Part,
    UnevenPlace,
    exclusive,
    unnamed_link,
    without_fragments,
)
from adjudge.formats.coerce.tables import Loaded, load, named
from adjudge.model.document import CorpusNote, Document
from adjudge.model.document import Reading as Understood

_KNOWN = {
    "ner": "entities, spans, tags",
    "linking": "mentions, entities, spans",
    "relation": "relations, triples",
    "event": "events",
    "tree": "dependencies, heads",
    "amr": "amr",
    "coref": "clusters",
}


_BESIDE = ("text", "prompt", "question", "input", "tokens", "words", "meta", "model")


class OneSide:
    """A side on its way: values by id, then parts, then documents."""

    def __init__(self, kind: str, source: Any, declared: Declared) -> None:
        self.kind, self.declared, self.notes = kind, declared, Notes()
        loaded: Loaded = load(source, declared, kind, _is_document(kind, declared))
        self.values, self.given = named(loaded, self.notes, declared.side)
        self.parts: dict[str, Part] = {}
        self.facts: dict[str, Any] = {}
        self.left_out: list[str] = []
        self.ends: Ends | None = None
        self.lost: Mapping[str, list[Item]] = {}

    def read(self) -> None:
        """Every document by the shape that it has; those of no known shape are an error together."""
        parse = _parser(self.kind)
        unknown: list[tuple[str, Any]] = []
        shapes: dict[str, str] = {}
        for name, given in self.values.items():
            value = given
            if self.kind in ("tree", "amr", "coref"):
                fields = fields_of(given) or {}
                value = fields.get(self.declared.chosen(fields, ""), given)
            if self.kind not in ("ner", "linking"):  # which know of answers with tags inside
                value = unwrapped(self.kind, name, value, self.declared, self.notes)
            try:
                found = parse(name, value, self.declared, self.notes)
            except UnevenPlace as error:
                problem = error.problems[0]
                raise wrong(self.declared.side, f", document {name!r}: {problem.message}", problem.hint) from None
            if found is None:
                unknown.append((name, given))
            elif isinstance(found, Part):
                if found.shape == LEFT_OUT:
                    self.left_out.append(name)
                elif found.items:
                    self.parts[name] = without_fragments(name, found, self.declared, self.notes)
                else:
                    self.parts[name] = found
            else:
                self.facts[name] = found
                if isinstance(found, Facts) and found.joined:
                    message = JOINED.format(side=self.declared.side)
                    self.notes.add("fragments-joined", message, name, count=found.joined)
            shape = _shape_of(found)
            # Answers are as models write them.
            if shape and shape not in shapes and given is value and not is_raw(given):
                shapes[shape] = name
        if self.declared.side == "gold" and self.notes.count("no-json") == len(self.values) > 0:
            unknown = [each for each in self.values.items() if fields_of(each[1]) or isinstance(each[1], str)]
        if unknown:
            raise _unknown_shape(self.kind, unknown, len(self.values), self.declared.side)
        if len(shapes) > 1:
            told = " and ".join(f"{shape} (document {name!r})" for shape, name in list(shapes.items())[:2])
            raise wrong(self.declared.side, f" has documents of two shapes: {told}", "give all of them in one")

    def has_items(self) -> bool:
        """Whether anything was found in any document."""
        found = any(part.items or part.tags for part in self.parts.values())
        return found or any(each != [] and each != Facts(relations=[]) for each in self.facts.values())

    def texts(self) -> dict[str, str]:
        """The texts of the documents that have one."""
        return {name: part.text for name, part in self.parts.items() if part.text is not None}


def _shape_of(found: Any) -> str:
    """What a document looks like; nothing if it has nothing that could tell."""
    if isinstance(found, Part):
        return found.shape if found.items or found.tags else ""
    if isinstance(found, Facts):
        return "triples of texts" if found.triples else "relations between spans" if found.relations else ""
    return ""


def _unknown_shape(kind: str, unknown: Sequence[tuple[str, Any]], documents: int, side: str) -> FormatError:
    """What is said of documents that have nothing that is known, with the field that may be meant."""
    name, value = unknown[0]
    fields = fields_of(value)
    has = ", ".join(map(str, fields)) if fields is not None else f"{plain(value)!r}"[:60]
    likely = [each for each in fields or () if each not in (*IDS, *_BESIDE)]
    likely = [each for each in likely if fields and isinstance(fields[each], list | dict)] or likely[-1:]
    return wrong(
        side,
        f": {len(unknown)} of {documents} documents have none of {_KNOWN[kind]}, ... "
        f"(first: document {name!r} has {has})",
        f'name the field with field="{likely[0] if likely else "NAME"}"' if fields else None,
    )


def _is_document(kind: str, declared: Declared) -> Callable[[Any], bool]:
    if kind in ("ner", "linking"):
        from adjudge.formats.coerce import entities

        return partial(entities.is_document, bare=declared.scheme == "IO")
    if kind in ("relation", "event"):
        from adjudge.formats.coerce import relations

        return relations.is_document
    from adjudge.formats.coerce import structures

    if kind == "coref" and declared.shape == "mapping":
        return structures.is_chain_map
    if kind == "coref":
        return lambda value: structures.is_clusters(value) or (isinstance(value, Mapping) and "clusters" in value)
    return lambda value: (isinstance(value, Mapping) and "heads" in value) or _is_spacy(value)


def _is_spacy(value: Any) -> bool:
    return origin(value) == "spacy" and hasattr(value, "text")


def _parser(kind: str) -> Callable[[str, Any, Declared, Notes], Any]:
    """What takes the documents of a family; the modules of the others are not loaded."""
    if kind in ("ner", "linking"):
        from adjudge.formats.coerce import entities

        return entities.part_of
    if kind in ("relation", "event"):
        from adjudge.formats.coerce import relations

        of = relations.relations_of if kind == "relation" else relations.events_of
        return lambda _, value, declared, __: of(value, declared)
    from adjudge.formats.coerce import structures

    if kind == "amr":
        return lambda _, value, __, ___: structures.triples_of(value)
    if kind == "tree":
        return lambda name, value, declared, _: structures.dependencies_of(name, value, declared)
    return lambda _, value, declared, __: structures.clusters_of(value, declared)


# ---------------------------------------------------------------------------------------------------------------------
# The side as documents of the model


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
        message = f"{side.declared.side}: there is no text in which to find {{n:mention|mentions}}"
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
