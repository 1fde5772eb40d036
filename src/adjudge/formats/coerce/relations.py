"""Relations and events from what people have: tuples, dicts with heads and tails, exports, rows, graphs, triples."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from adjudge.formats.coerce.corpus import Declared, Facts, fields_of, first_of, is_list, origin, plain, wrong
from adjudge.formats.coerce.spans import Item, hull_of, is_place, item_of, pair_of

SUBJECTS = ("subject", "head", "h", "source", "from", "subj")
OBJECTS = ("object", "tail", "t", "target", "to", "obj")
TYPES = ("type", "relation", "label", "predicate", "rel", "r", "relation_type", "event_type")
_NONE = ("no_relation", "NA", "none", "None", "Other")


def is_document(value: Any) -> bool:
    """Whether a whole source is one document: an object with relations, a graph, a list of triples of texts."""
    if origin(value) == "networkx":
        return True
    if is_list(value) and len(value):
        return all(is_list(each) and len(each) == 3 and all(isinstance(own, str) for own in each) for each in value)
    return isinstance(value, Mapping) and any(name in value for name in ("relations", "triples", "events", "edges"))


# ---------------------------------------------------------------------------------------------------------------------
# Relations


def relations_of(value: Any, declared: Declared) -> Facts | None:
    """The relations of one document; None if its shape is not known."""
    if origin(value) == "networkx":
        return Facts(triples=list(_edges(value)))
    if is_list(value):
        return _listed(value, {}, declared.side)
    fields = fields_of(value)
    if fields is None:
        return None
    if "subj_start" in fields and "relation" in fields:
        return _of_tacred(fields)
    if "sentences" in fields and "ner" in fields:
        return _of_dygie(fields, declared)
    if "data" in fields and "annotations" in fields:
        return _of_label_studio(fields)
    text = fields["text"] if isinstance(fields.get("text"), str) else None
    values = first_of(fields, (declared.chosen(fields, "relations"), "triples", "edges"))
    if values is None:
        return Facts(relations=[], text=text) if "relations" in fields or "triples" in fields else None
    entities = _entities(fields.get("entities") or ())
    found = _listed(values, entities, declared.side)
    if found is None:
        return None
    fixed = any("from_id" in each for each in values if isinstance(each, Mapping))
    return msgspec.structs.replace(found, text=text, fixed=fixed)


def _entities(values: Any) -> dict[Any, Item]:
    """The entities of a document by their ids and their places."""
    found: dict[Any, Item] = {}
    for place, each in enumerate(values):
        item = item_of(each, {})
        if item is not None:
            found[place] = item
            fields = fields_of(each)
            if fields is not None and fields.get("id") is not None:
                found[fields["id"]] = item
    return found


def _listed(values: Iterable[Any], entities: Mapping[Any, Item], side: str) -> Facts | None:
    relations: list[dict[str, Any]] = []
    triples: list[dict[str, Any]] = []
    joined = 0
    for each in values:
        ends = _ends(each)
        if ends is None:
            return None
        first, kind, last = ends
        if isinstance(first, str) and isinstance(last, str) and first not in entities:
            triples.append({"subject": first, "relation": kind, "object": last})
            continue
        for end in (first, last):
            if entities and isinstance(end, str | int) and end not in entities:
                raise wrong(side, f": a relation refers to {end!r}, which is none of the entities", "check the ids")
        pair = [_item(end, entities) for end in (first, last)]
        if None in pair:
            return None
        subject, object_ = pair
        assert subject is not None
        assert object_ is not None
        relations.append(_relation(kind, subject, object_))
        joined += bool(subject.fragments) + bool(object_.fragments)
    if triples and relations:
        return None
    return Facts(triples=triples) if triples else Facts(relations=relations, triples=[], joined=joined)


def _ends(value: Any) -> tuple[Any, Any, Any] | None:
    """Subject, type and object of a relation."""
    if is_list(value):
        values = [plain(each) for each in value]
        return (values[0], values[1], values[2]) if len(values) == 3 else None
    fields = fields_of(value)
    if fields is None:
        return None
    if "from_id" in fields and "to_id" in fields:
        return fields["from_id"], first_of(fields, TYPES), fields["to_id"]
    first, last = first_of(fields, SUBJECTS), first_of(fields, OBJECTS)
    return None if first is None or last is None else (first, first_of(fields, TYPES), last)


def _item(value: Any, entities: Mapping[Any, Item]) -> Item | None:
    if not is_list(value) and not isinstance(value, Mapping) and value in entities:
        return entities[value]
    place, pieces = hull_of(value)
    if place is None:
        return item_of(value, {})
    known = item_of(value, {}) if isinstance(value, Mapping) else None
    return Item(*place, None if known is None else known.label, fragments=pieces)


def _relation(kind: Any, subject: Item, object_: Item) -> dict[str, Any]:
    made = {
        "type": kind,
        "subject": {"start": subject.start, "end": subject.end},
        "object": {"start": object_.start, "end": object_.end},
    }
    if subject.label is not None or object_.label is not None:
        made |= {"subject_type": subject.label, "object_type": object_.label}
    return made


def _of_tacred(fields: Mapping[str, Any]) -> Facts:
    if fields["relation"] in _NONE:
        return Facts(relations=[], fixed=True)
    ends = [
        Item(fields[f"{who}_start"], fields[f"{who}_end"] + 1, fields.get(f"{who}_type")) for who in ("subj", "obj")
    ]
    return Facts(relations=[_relation(fields["relation"], ends[0], ends[1])], fixed=True)


def _of_dygie(fields: Mapping[str, Any], declared: Declared) -> Facts:
    """Sentences with inclusive places of the whole document, as DyGIE++ has them; its output keeps gold beside them."""
    found = first_of(fields, declared.predicted("ner"))
    kinds = {(start, end): kind for sentence in found or () for start, end, kind, *_ in sentence}
    relations = [
        _relation(kind, Item(a, b + 1, kinds.get((a, b))), Item(c, d + 1, kinds.get((c, d))))
        for sentence in first_of(fields, declared.predicted("relations")) or ()
        for a, b, c, d, kind, *_ in sentence
    ]
    return Facts(relations=relations, fixed=True)


def _of_label_studio(fields: Mapping[str, Any]) -> Facts:
    relations = []
    for annotation in fields["annotations"]:
        results = annotation.get("result", ())
        entities = {each["id"]: item_of(each["value"], {}) for each in results if each.get("type") == "labels"}
        for each in results:
            if each.get("type") != "relation":
                continue
            ends = [entities.get(each["from_id"]), entities.get(each["to_id"])]
            if each.get("direction") == "left":
                ends.reverse()
            first, last = ends
            if first is not None and last is not None:
                relations.append(_relation((each.get("labels") or [None])[0], first, last))
    return Facts(relations=relations, fixed=True)


def _edges(graph: Any) -> Iterable[dict[str, Any]]:
    keyed = graph.edges(keys=True, data=True) if graph.is_multigraph() else ((*e, None) for e in graph.edges(data=True))
    for edge in keyed:
        first, last = edge[0], edge[1]
        key, data = (edge[2], edge[3]) if graph.is_multigraph() else (None, edge[2])
        kind = first_of(data, ("label", "type", "relation"))
        kind = kind if kind is not None else key
        if not isinstance(kind, str):
            raise wrong("the graph", f": the edge from {first!r} to {last!r} has no relation", "give it a label")
        yield {"subject": first, "relation": kind, "object": last}


# ---------------------------------------------------------------------------------------------------------------------
# Events


def events_of(value: Any, declared: Declared) -> Facts | None:
    """The events of one document; None if its shape is not known."""
    if is_list(value):
        return _events(value, None)
    fields = fields_of(value)
    if fields is None:
        return None
    if isinstance(fields.get("graph"), Mapping) and "triggers" in fields["graph"]:
        return _of_oneie(fields["graph"])
    values = first_of(fields, (declared.chosen(fields, "events"),))
    if values is None:
        return Facts(events=[]) if "events" in fields else None
    return _events(values, fields["text"] if isinstance(fields.get("text"), str) else None)


def _events(values: Iterable[Any], text: str | None) -> Facts | None:
    events = []
    joined = 0
    for each in values:
        fields = fields_of(each)
        if fields is None or "trigger" not in fields:
            return None
        trigger = fields["trigger"]
        values_ = list(trigger) if is_list(trigger) else []
        pair, pieces = hull_of(values_[:2] if len(values_) > 2 and is_place(values_[0]) else trigger)
        joined += bool(pieces)
        kind = first_of(fields, TYPES)
        if kind is None and len(values_) == 3:
            kind = values_[2]
        arguments = _arguments(first_of(fields, ("arguments", "args", "roles")) or ())
        if pair is None or arguments is None:
            return None
        events.append({"type": kind, "trigger": {"start": pair[0], "end": pair[1]}, "arguments": arguments})
    return Facts(events=events, text=text, joined=joined)


def _arguments(values: Any) -> list[dict[str, Any]] | None:
    if isinstance(values, Mapping):
        spans = {role: [own] if pair_of(own) is not None else own for role, own in values.items()}
        values = [{"role": role, "span": each} for role, own in spans.items() for each in own]
    made = []
    for each in values:
        if is_list(each):
            item = item_of(each, {})
            role, pair = None, None
            if item is not None and item.start is not None and not item.fragments:
                role, pair = item.label, (item.start, item.end)
        else:
            fields = fields_of(each) or {}
            role, pair = first_of(fields, ("role", *TYPES)), pair_of(fields)
        if pair is None:
            return None
        made.append({"role": role, "span": {"start": pair[0], "end": pair[1]}})
    return made


def _of_oneie(graph: Mapping[str, Any]) -> Facts:
    entities = graph["entities"]
    events = [
        {
            "type": kind,
            "trigger": {"start": start, "end": end},
            "arguments": [
                {"role": role, "span": {"start": entities[entity][0], "end": entities[entity][1]}}
                for trigger, entity, role, *_ in graph.get("roles", ())
                if trigger == place
            ],
        }
        for place, (start, end, kind, *_) in enumerate(graph["triggers"])
    ]
    return Facts(events=events, fixed=True)
