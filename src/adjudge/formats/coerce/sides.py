"""Gold and systems in memory as documents that metrics compare: both sides are read, then brought together."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

import msgspec

from adjudge.errors import FormatError, UsageError
from adjudge.formats.coerce import entities, relations, structures, tags
from adjudge.formats.coerce.answers import OUTPUTS, is_answer, is_raw, unwrapped
from adjudge.formats.coerce.corpus import (
    IDS,
    UNITS,
    Declared,
    Loaded,
    Notes,
    fields_of,
    is_list,
    load,
    named,
    origin,
    plain,
    wrong,
)
from adjudge.formats.coerce.spans import (
    Ends,
    Item,
    Located,
    Part,
    Renamed,
    cuts_word,
    exclusive,
    is_place,
    located,
    unnamed_link,
)
from adjudge.model.document import CorpusNote, Document
from adjudge.model.document import Reading as Understood

FAMILIES = ("ner", "linking", "relation", "event", "tree", "amr", "coref")
NATIVE = {
    "ner": "entities",
    "linking": "mentions",
    "relation": "relations",
    "event": "events",
    "tree": "dependencies",
    "amr": "amr",
    "coref": "clusters",
}
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
_OWN = frozenset(("id", "text", *OUTPUTS))  # what documents have anyway, and answers


class Reading(NamedTuple):
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
        ends, said = self.ends or (None, "shape")
        return Understood(
            shape=self.shape,
            documents=len(self.documents),
            unit=self.unit,
            ends=ends,
            said=said,
            ids=self.ids,
            notes=self.notes,
            ungrounded=lost,
        )


class _Side:
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
        unknown: list[tuple[str, Any]] = []
        shapes: dict[str, str] = {}
        for name, given in self.values.items():
            value = given
            if self.kind in ("tree", "amr", "coref"):
                fields = fields_of(given) or {}
                value = fields.get(self.declared.chosen(fields, ""), given)
            if self.kind not in ("ner", "linking"):  # which know of answers with tags inside
                value = unwrapped(self.kind, name, value, self.declared, self.notes)
            found = _PARSERS[self.kind](name, value, self.declared, self.notes)
            if found is None:
                unknown.append((name, given))
            elif isinstance(found, Part):
                if found.shape == entities.LEFT_OUT:
                    self.left_out.append(name)
                else:
                    self.parts[name] = found
            else:
                self.facts[name] = found
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
        found = any(part.items or part.tags for part in self.parts.values())
        return found or any(each != [] and each != relations.Facts(relations=[]) for each in self.facts.values())

    def texts(self) -> dict[str, str]:
        return {name: part.text for name, part in self.parts.items() if part.text is not None}


def _shape_of(found: Any) -> str:
    """What a document looks like; nothing if it has nothing that could tell."""
    if isinstance(found, Part):
        return found.shape if found.items or found.tags else ""
    if isinstance(found, relations.Facts):
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
        return partial(entities.is_document, bare=declared.scheme == "IO")
    if kind in ("relation", "event"):
        return relations.is_document
    if kind == "coref" and declared.shape == "mapping":
        return structures.is_chain_map
    if kind == "coref":
        return lambda value: structures.is_clusters(value) or (isinstance(value, Mapping) and "clusters" in value)
    return lambda value: (isinstance(value, Mapping) and "heads" in value) or _is_spacy(value)


def _is_spacy(value: Any) -> bool:
    return origin(value) == "spacy" and hasattr(value, "text")


_PARSERS: dict[str, Callable[[str, Any, Declared, Notes], Any]] = {
    "ner": entities.part_of,
    "linking": entities.part_of,
    "relation": lambda _, value, declared, __: relations.relations_of(value, declared),
    "event": lambda _, value, declared, __: relations.events_of(value, declared),
    "tree": lambda name, value, declared, _: structures.dependencies_of(name, value, declared),
    "amr": lambda _, value, __, ___: structures.triples_of(value),
    "coref": lambda _, value, declared, __: structures.clusters_of(value, declared),
}


def is_native(kind: str, source: Any) -> bool:
    """Whether documents are already as metrics want them: the first that has anything says so."""
    if origin(source) in ("pandas", "polars", "pyarrow", "datasets", "duckdb", "_duckdb", "networkx", "spacy"):
        return False
    if is_list(source) and any(isinstance(each, Mapping) and _is_called_otherwise(each) for each in source):
        return False
    if kind in ("amr", "coref") and is_list(source) and any(is_answer(kind, each) for each in source):
        return False
    if kind == "coref":
        documents = list(source.values() if isinstance(source, Mapping) else source)
        other = ("predicted_clusters", "chains")
        known = not any(isinstance(each, Mapping) and any(name in each for name in other) for each in documents)
        named = any(map(structures.has_named_mentions, documents))
        spacy = any(origin(each) == "spacy" for each in documents)
        return known and not named and not spacy and not structures.is_clusters(source)
    if kind == "amr":
        graphs = source.values() if isinstance(source, Mapping) else source
        return not any(origin(each) == "penman" for each in graphs)
    values: Iterable[Any] = source.values() if isinstance(source, Mapping) else source
    if isinstance(source, Mapping) and NATIVE[kind] in source:
        values = [source]
    for value in values:
        found = value.get(NATIVE[kind]) if isinstance(value, Mapping) else getattr(value, NATIVE[kind], None)
        if found is None:
            found = value if is_list(value) else None
        if found is None or origin(value) == "spacy" or (isinstance(found, Mapping) and kind == "ner"):
            return False
        if not is_list(found):
            return True  # which the metric says is none
        for each in found:
            return _is_native_item(kind, each)
    return True


def _is_called_otherwise(document: Mapping[Any, Any]) -> bool:
    """Whether a document has its id under another name."""
    return "id" not in document and any(name in document for name in IDS)


def _is_native_item(kind: str, item: Any) -> bool:
    if is_list(item) or isinstance(item, str | int) or (kind == "linking" and unnamed_link(item)):
        return False
    inner = {"relation": "subject", "event": "trigger"}.get(kind, "span")
    if kind in ("tree", "coref"):
        return kind == "tree" and _get(item, "dependent") is not None
    place = _get(item, inner)
    return (
        place is not None
        and not is_list(place)
        and not isinstance(place, str | int)
        and _get(place, "start") is not None
    )


def _get(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


def coerce(
    kind: str, gold: Any, systems: Mapping[str, Any], options: Mapping[str, Any]
) -> tuple[Reading, dict[str, Reading]]:
    """Gold and systems as documents of the model; sides that are documents of the model already are left as they are.

    >>> gold, systems = coerce("ner", [["B-PER", "O"]], {"A": [["B-PER", "B-LOC"]]}, {})
    >>> [each["type"] for each in systems["A"].documents["1"].data["entities"]]
    ['PER', 'LOC']
    """
    before = gc.isenabled()
    gc.disable()  # many small objects without cycles, which the collector would visit in vain
    try:
        return _coerced(kind, gold, systems, options)
    finally:
        if before:
            gc.enable()


def _coerced(
    kind: str, gold: Any, systems: Mapping[str, Any], options: Mapping[str, Any]
) -> tuple[Reading, dict[str, Reading]]:
    own = {name: value for name, value in options.items() if name in Declared.__struct_fields__}
    sides = [_Side(kind, gold, _declared(kind, own, options, "gold", "gold"))]
    for name, source in systems.items():
        sides.append(_Side(kind, source, _declared(kind, own, options, "system", called(name, len(systems)))))
    for side in sides:
        side.read()
    first, *others = sides
    for other in others:
        _pair(first, other)
        for name in first.left_out:
            other.parts.pop(name, None)
    if kind in ("ner", "linking"):
        _bring_together(first, others)
    texts = any(isinstance(fact, relations.Facts) and fact.triples for side in sides for fact in side.facts.values())
    readings = [_reading(side, texts=texts) for side in sides]
    if isinstance(options, Said):
        options.note([side.declared for side in sides])
        if not any(side.has_items() for side in sides):
            options.used.update(options)  # there is nothing of which it could be said
    return readings[0], dict(zip(systems, readings[1:], strict=True))


def called(name: str, systems: int) -> str:
    """What errors call a system, one of so many.

    >>> called("system", 1), called("A", 1)
    ('system', "system 'A'")
    """
    return f"system {name!r}" if systems > 1 or name != "system" else "system"


_CHOICES: Mapping[str, tuple[Any, ...]] = {
    "ends": ("exclusive", "inclusive"),
    "unit": ("token", "char"),
    "base": (0, 1),
    "locate": ("next", "all", "first"),
    "format": ("inline",),
    "shape": ("mapping",),
    "offsets": ("utf-16", "bytes"),
}


def _labels_of(given: Any) -> tuple[str, ...] | None:
    """The names of labels in the order of their numbers, of which models keep a mapping in either direction.

    >>> _labels_of(["O", "B-PER"]), _labels_of({"1": "B-PER", "0": "O"}), _labels_of({"B-PER": 1, "O": 0})
    (('O', 'B-PER'), ('O', 'B-PER'), ('O', 'B-PER'))
    """
    if not isinstance(given, Mapping):
        return None if given is None else tuple(given)
    turned = given.items() if all(is_place(each) for each in given.values()) else ((v, k) for k, v in given.items())
    try:
        numbers = {int(number): str(name) for name, number in turned}
    except (TypeError, ValueError):
        numbers = {}
    if sorted(numbers) != list(range(len(given))):
        raise UsageError("labels: the numbers are not 0, 1, 2, ...", hint='give a list: labels=["O", "B-PER", ...]')
    return tuple(numbers[place] for place in range(len(numbers)))


def _declared(kind: str, own: Mapping[str, Any], options: Mapping[str, Any], side: str, said: str) -> Declared:
    own = {**own, "ends": options.get(f"{side}_ends") or own.get("ends")}
    column = options.get(f"{side}_column")
    for name, known in _CHOICES.items():
        if own.get(name) is not None and own[name] not in known:
            message = f"there is no {name}={own[name]!r}"
            raise UsageError(message, hint=f"use {' or '.join(map(repr, known))}")
    fields = Renamed(own.get("fields") or {})
    made = Declared(**{**own, "kind": kind, "labels": _labels_of(own.get("labels")), "fields": fields})
    return msgspec.structs.replace(made, side=said, column=column, used=set())


class Said(dict[str, Any]):
    """Options by name; `used` are those that meant something for one of the sides."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        super().__init__(given)
        self.used: set[str] = set()

    def note(self, sides: Sequence[Declared]) -> None:
        """Take in what the sides made use of, gold first."""
        for place, side in enumerate(sides):
            who = "gold" if place == 0 else "system"
            self.used |= side.used - {"ends", "column"}
            self.used |= {f"{who}_{name}" for name in side.used & {"ends", "column"}}
            # What is said for both sides is of use if it is for one.
            self.used |= {"ends"} & side.used if self.get(f"{who}_ends") is None else set()
            if isinstance(side.fields, Renamed) and side.fields.used:
                self.used.add("fields")


def _pair(gold: _Side, system: _Side) -> None:
    """Documents without ids stand in the order of those with ids."""
    who = system.declared.side
    if gold.given and system.given and gold.values and system.values and gold.values.keys().isdisjoint(system.values):
        ours, others = _some(gold.values), _some(system.values)
        raise wrong("no document of", f" {who} is in gold (gold: {ours}; system: {others})", "do the ids agree?")
    if (gold.given and system.given) or not system.values:  # a system that found nothing
        return
    if len(gold.values) != len(system.values):
        mine, theirs = len(gold.values), len(system.values)
        raise wrong(
            "gold",
            f" has {mine} document{'s' * (mine != 1)}, {who} has {theirs}, and they have no ids",
            "pass {id: document}, or lists of equal length",
        )
    if gold.given != system.given:
        # Those of gold are the names by which results are read.
        names = dict(zip(system.values, gold.values, strict=True))
        system.notes.add("paired-by-position", f"{who}: {{n}} documents were paired by position", count=len(names))
        system.values = {names[name]: value for name, value in system.values.items()}
        system.parts = {names[name]: part for name, part in system.parts.items()}
        system.facts = {names[name]: fact for name, fact in system.facts.items()}


def _some(names: Iterable[str]) -> str:
    """The first names of documents."""
    first, more = list(islice(names, 2)), len(list(names)) > 2
    return ", ".join(map(repr, first)) + ", ..." * more


def _bring_together(gold: _Side, systems: list[_Side]) -> None:
    for system in systems:
        tags.check_lengths(gold.parts, system.parts, system.declared.side)
        tags.note_tokens(gold.parts, system.parts, system.declared.side, system.notes)
    gold.parts = tags.without_ignored(gold.parts, [system.parts for system in systems], gold.notes)
    texts = gold.texts()
    for side in (gold, *systems):
        side.parts = tags.chunks_of(side.parts, side.declared, side.notes)
        side.parts = entities.checked_inline(side.parts, texts)
        known = {**texts, **side.texts()}
        if known:
            side.parts = {
                name: part if part.text is not None else part._replace(text=known.get(name))
                for name, part in side.parts.items()
            }
        side.parts, side.ends = exclusive(side.parts, side.declared, side.notes)
        found: Located = located(side.parts, known, side.declared, side.notes)
        side.parts, side.lost = found
        for name, part in side.parts.items():
            cut = _cut(part)
            if cut:
                side.notes.add(
                    "cuts-word", f"{side.declared.side}: {{n}} spans begin or end inside a word", name, count=cut
                )
    units = {side.declared.side: {part.unit for part in side.parts.values() if part.unit} for side in (gold, *systems)}
    for who, own in units.items():
        if own and units["gold"] and own != units["gold"]:
            raise wrong(
                who,
                f" counts {UNITS[own.pop()]}, and gold counts {UNITS[units['gold'].pop()]}",
                "give both in one unit",
            )


def _cut(part: Part) -> int:
    if part.text is None or part.unit != "char":
        return 0
    return sum(
        cuts_word(part.text, item.start, item.end)
        for item in part.items
        if item.start is not None and item.end is not None
    )


# ---------------------------------------------------------------------------------------------------------------------
# Documents


def _reading(side: _Side, *, texts: bool) -> Reading:
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


def _kept(side: _Side, name: str) -> dict[str, Any]:
    """What a document says of itself beside its items, by which it may be sliced."""
    value = side.values[name]
    if type(value) is list or not isinstance(value, Mapping):
        return {}
    return {key: each for key, each in value.items() if isinstance(each, str | int | float) and key not in _OWN}


def _entities(side: _Side) -> dict[str, dict[str, Any]]:
    if any(item.start is None for part in side.parts.values() for item in part.items):
        number = sum(item.start is None for part in side.parts.values() for item in part.items)
        message = f"{side.declared.side}: there is no text in which {{n}} mentions could be found"
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
    return [item._replace(start=-2 * number, end=1 - 2 * number) for number, item in enumerate(items, 1)]


def _mentions(side: _Side) -> dict[str, dict[str, Any]]:
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


def _check_links(side: _Side) -> None:
    """Raise if no mention has an entity, and one has a field that looks like it."""
    for name, value in side.values.items():
        fields = value if isinstance(value, Mapping) else {}
        items = next((fields[key] for key in entities.ITEMS if key in fields), value)
        field = next(filter(None, map(unnamed_link, items)), None) if is_list(items) else None
        if field is not None:
            raise wrong(
                side.declared.side,
                f": no mention has an entity (first: document {name!r} has {field})",
                f'call it entity, or set fields={{"entity": "{field}"}}',
            )


def _facts(side: _Side, *, texts: bool) -> dict[str, dict[str, Any]]:
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


def _spans_exclusive(side: _Side) -> Ends:
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


# ---------------------------------------------------------------------------------------------------------------------
# Both sides in one object


def both_sides(kind: str, source: Any, options: Mapping[str, Any]) -> tuple[Any, dict[str, Any]] | None:
    """Gold and systems of a source that has both; None if it has not."""
    if options.get("gold_column") is not None and options.get("system_column") is not None:
        return source, {"system": source}
    if kind not in ("ner", "linking", "tree", "relation") or not is_list(source) or not len(source):
        return None
    first = source[0]
    if origin(first) == "spacy" and hasattr(first, "reference") and hasattr(first, "predicted"):
        return [each.reference for each in source], {"system": [each.predicted for each in source]}
    if all(isinstance(each, Mapping) and "data" in each for each in source):
        if not any(each.get("predictions") for each in source):
            return None
        models: dict[str, list[Any]] = {}
        for task in source:
            for each in task.get("predictions") or ():
                own = models.setdefault(str(each.get("model_version") or "system"), [])
                own.append({**task, "annotations": [each], "predictions": []})
        return source, models
    return None
