"""Named entities and linked mentions from what people have: tags, spans, documents of spaCy, exports, raw answers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from adjudge.formats.coerce.answers import OUTPUTS, answer_value, chat_answer
from adjudge.formats.coerce.corpus import (
    IDS,
    ITEMS,
    TAGS,
    Declared,
    Notes,
    fields_of,
    first_of,
    fold,
    is_list,
    origin,
    plain,
    same_span,
    wrong,
)
from adjudge.formats.coerce.spans import LEFT_OUT, Item, Part, is_place, items_of
from adjudge.formats.coerce.tags import PREFIX, is_several, is_tag, joined_tags
from adjudge.model.tags import OUTSIDE, split_tag

_KINDS = ({str}, {int})  # of tags, nearly always
_FIELDS = frozenset((*ITEMS, *TAGS, "tokens", "words", "text"))
_INLINE = re.compile(r"<(/?)([\w.-]+)>")


def is_document(value: Any, *, bare: bool = False) -> bool:
    """Whether a whole source is one document: tags, tokens with tags, an object of spaCy, or fields of a document.

    With `bare` labels two lists are always two documents.
    """
    if origin(value) == "spacy" and hasattr(value, "text"):
        return True
    if isinstance(value, Mapping):
        own = any(name in value for name in _FIELDS)
        return own and (not all(map(is_list, value.values())) or all(name in _FIELDS for name in value))
    if is_list(value) and len(value):
        values = [plain(each) for each in value]
        if isinstance(value, tuple) and len(values) == 2 and not bare and all(map(is_list, values)):
            tokens, tags = values
            return len(tokens) == len(tags) and not _all_tags(tokens) and _all_tags(tags)
        return _all_tags(values) or all(map(_is_piece, values)) or all(map(_is_span, values))
    return False


def _all_tags(values: Any) -> bool:
    return len(values) > 0 and all(isinstance(each, str) and PREFIX.match(each) for each in values)


def _is_piece(value: Any) -> bool:
    """Whether a value is an entity as a pipeline of transformers gives it."""
    return isinstance(value, Mapping) and "word" in value and ("entity_group" in value or "entity" in value)


def _is_span(value: Any) -> bool:
    """Whether a value is a span with its label, and no document: these have no numbers beside texts."""
    if not (isinstance(value, tuple | list) and len(value) == 3):
        return False
    kinds = [is_place(each) for each in value]
    return kinds in ([True, True, False], [False, True, True]) and any(isinstance(each, str) for each in value)


def part_of(name: str, value: Any, declared: Declared, notes: Notes) -> Part | None:
    """The entities of one document; None if its shape is not known."""
    if type(value) is list and set(map(type, value)) in _KINDS:  # as below, for the most numerous documents
        return Part([], "tags", None, None, "token", True, value)
    value = plain(chat_answer(value))
    if origin(value) == "spacy":
        return _of_spacy(name, value, declared)
    if isinstance(value, str):
        return _of_answer(name, value, declared, notes)
    if is_list(value):
        return _of_list(name, list(value), declared, notes)
    fields = fields_of(value)
    return None if fields is None else _of_fields(name, fields, declared, notes)


def _of_spacy(name: str, value: Any, declared: Declared) -> Part:
    if hasattr(value, "reference"):
        hint = "score them without a system, or read [each.reference for each in examples]"
        raise wrong(declared.side, ": an Example of spaCy has both sides", hint)
    if declared.field is not None and declared.field not in value.spans:
        has = ", ".join(map(repr, value.spans)) or "none"
        message = f", document {name!r}: there is no group of spans {declared.field!r}"
        raise wrong(declared.side, message, f"it has {has}")
    spans = value.spans[declared.take("field")] if declared.field is not None else value.ents
    return Part([_of_span(each) for each in spans], "spaCy documents", value.text, None, "char", fixed=True)


def _of_span(span: Any) -> Item:
    return Item(span.start_char, span.end_char, span.label_, None, span.kb_id_ or None)


def _of_list(name: str, values: list[Any], declared: Declared, notes: Notes) -> Part | None:
    if not values:
        return Part([], "nothing")
    if _are_tags(values):
        return _of_tags(values)
    values = [plain(each) for each in values]
    if all(origin(each) == "spacy" and hasattr(each, "label_") for each in values):
        return Part([_of_span(each) for each in values], "spans of spaCy", values[0].doc.text, None, "char", fixed=True)
    if _are_tagged_tokens(values):
        return _of_tags([each[-1] for each in values], [each[0] for each in values])
    if len(values) == 2:
        first, second = values
        if isinstance(first, str) and isinstance(second, Mapping):
            found = _of_fields(name, {**second, "text": first}, declared, notes)
            return (
                None
                if found is None
                else msgspec.structs.replace(found, fixed=True, unit="char", shape="texts with entities")
            )
        both = is_list(first) and is_list(second) and len(first) == len(second) and len(first) > 0
        if (
            both
            and all(isinstance(each, str) for each in first)
            and all(isinstance(plain(e), str | int) for e in second)
            and not (len(first) == 2 and declared.scheme is None and not any(map(is_tag, second)))
        ):
            return _of_tags(second, first)
    pieces = "word" if declared.kind == "linking" else "entity"  # an entity of a link is what it links to
    if all(isinstance(each, Mapping) and {"entity", "start", pieces} <= each.keys() for each in values):
        return _joined(name, values, notes)
    items = items_of(values, declared.fields)
    if items is None:
        return None
    pipeline = all(isinstance(each, Mapping) and "entity_group" in each and "word" in each for each in values)
    unit = "char" if pipeline else declared.take("unit")
    return Part(_labelled(items, declared.side), "spans", unit=unit, fixed=pipeline)


def _are_tagged_tokens(values: Sequence[Any]) -> bool:
    """Whether these are tokens, each with its tag (and perhaps other columns between them)."""
    if not all(is_list(each) and len(each) > 1 and all(isinstance(own, str) for own in each) for each in values):
        return False
    rows = [list(each) for each in values]
    return _all_tags([row[-1] for row in rows]) and not _all_tags([row[0] for row in rows]) and not _all_tags(rows[-1])


def _of_fields(name: str, fields: Mapping[str, Any], declared: Declared, notes: Notes) -> Part | None:
    text = fields.get("text") if isinstance(fields.get("text"), str) else None
    if (own := declared.chosen(fields, "")) in fields:
        found = part_of(name, fields[own], declared, notes)
        return (
            None
            if found is None
            else msgspec.structs.replace(found, text=found.text if found.text is not None else text)
        )
    if "data" in fields and "annotations" in fields:
        return _of_label_studio(name, fields, declared, notes)
    if fields.get("answer", "accept") not in ("accept", None) and "spans" in fields:
        notes.add("not-accepted", f"{declared.side}: {{n:example|examples}} not accepted, left out", name)
        return Part([], LEFT_OUT)
    if text is not None and is_list(fields.get("ents")) and (items := items_of(fields["ents"], {})) is not None:
        return Part(items, "spaCy documents", text, None, "char", fixed=True)  # as Doc.to_json and displaCy have them
    tokens = fields.get("tokens") or fields.get("words")
    tags = next((fields[key] for key in TAGS if _are_tags(fields.get(key))), None)
    if tags is not None:
        return _of_tags(tags, tokens)
    output = first_of(fields, OUTPUTS)
    if output is not None and not any(key in fields for key in ITEMS):
        found = part_of(name, output, declared, notes)
        return found if found is None or found.shape == INLINE else msgspec.structs.replace(found, text=text)
    key = next((each for each in ITEMS if each in fields and not isinstance(fields[each], str)), None)
    if key is None:
        kinds = {label: own for label, own in fields.items() if label not in (*IDS, "text")}
        found = _by_type(kinds, declared) if kinds else None
        return None if found is None else msgspec.structs.replace(found, text=text)
    items = items_of(fields[key] or [], declared.fields)
    if items is None:
        return None
    exported = "_input_hash" in fields or key == "label" or "start_offset" in _first_keys(fields[key])
    unit = declared.take("unit") or ("char" if text is not None and tokens is None else None)
    return Part(_labelled(items, declared.side), f"{key} with spans", text, tokens, unit, fixed=exported)


def _first_keys(values: Any) -> Sequence[str]:
    first = next(iter(values), None) if is_list(values) else None
    return list(first) if isinstance(first, Mapping) else []


def _labelled(items: list[Item], side: str) -> list[Item]:
    """The items, whose labels must be words."""
    for item in items:
        if isinstance(item.label, Mapping | list):
            raise wrong(side, f": a label is {item.label!r}"[:80], "give each entity one label, a text")
        if isinstance(item.label, int) and not isinstance(item.label, bool):
            raise wrong(side, f": labels are numbers ({item.label}, ...)", "export their names, or map them yourself")
    return items


def _of_label_studio(name: str, fields: Mapping[str, Any], declared: Declared, notes: Notes) -> Part:
    kept = [each for each in fields["annotations"] if not each.get("was_cancelled")]
    if len(kept) < len(fields["annotations"]):
        notes.add("not-accepted", f"{declared.side}: {{n:cancelled annotation|cancelled annotations}} left out", name)
    if declared.annotator is not None:
        kept = [each for each in kept if _annotator(each) == str(declared.take("annotator"))]
    if len(kept) > 1:
        who = ", ".join(map(_annotator, kept))
        raise wrong(
            declared.side,
            f": task {name} has {len(kept)} annotations (by {who})",
            f"choose with annotator={_annotator(kept[0])}, or compare them with agree",
        )
    values = [each["value"] for own in kept for each in own.get("result", ()) if each.get("type") == "labels"]
    data = fields["data"]
    text = next((each for each in data.values() if isinstance(each, str)), None) if isinstance(data, Mapping) else None
    return Part(items_of(values, {}) or [], "Label Studio tasks", text, None, "char", fixed=True)


def _annotator(annotation: Mapping[str, Any]) -> str:
    who = annotation.get("completed_by")
    return str(who.get("id") if isinstance(who, Mapping) else who)


# ---------------------------------------------------------------------------------------------------------------------
# Tags


def _are_tags(value: Any) -> bool:
    value = plain(value)
    if not is_list(value) or not len(value):
        return False
    return set(map(type, value)) in _KINDS or all(isinstance(plain(each), str | int) for each in value)


def _of_tags(tags: Any, tokens: Any = None) -> Part:
    known = set(map(type, tags)) <= {str, int}
    own = list(tags) if known else [plain(each) for each in tags]
    return Part([], "tags", None, tokens, "token", fixed=True, tags=own)


def _joined(name: str, values: Sequence[Mapping[str, Any]], notes: Notes) -> Part:
    """The entities of sub-tokens that each have a tag."""
    items: list[Item] = []
    for each in values:
        prefix, kind = split_tag(str(each["entity"])) or ("B", str(each["entity"]))
        last = items[-1] if items else None
        after = last is not None and last.end is not None and each["start"] - last.end <= 1
        if prefix == "I" and last is not None and last.label == kind and after:
            items[-1] = msgspec.structs.replace(last, end=each["end"])
            continue
        if prefix != OUTSIDE:
            items.append(Item(each["start"], each["end"], kind))
    notes.add("joined-subtokens", "{n:tagged piece|tagged pieces} joined to entities", name, count=len(values))
    return Part(items, "tagged pieces", unit="char", fixed=True)


# ---------------------------------------------------------------------------------------------------------------------
# Answers of language models


def _of_answer(name: str, text: str, declared: Declared, notes: Notes) -> Part | None:
    if declared.take("format") == "inline":
        return _of_inline(text)
    if is_several(text):
        raise joined_tags(declared.side, name, text)
    value = answer_value(name, text, declared, notes)
    if value is None:
        return Part([], "answers")
    if isinstance(value, Mapping):
        inner = next((value[key] for key in ITEMS if key in value), value)
        return part_of(name, inner, declared, notes) if is_list(inner) else _by_type(inner, declared)
    return part_of(name, value, declared, notes)


def _by_type(value: Any, declared: Declared) -> Part | None:
    items = items_of(value, declared.fields)
    return None if items is None else Part(items, "texts by type")


def _of_inline(text: str) -> Part:
    """The entities of a text with tags around them; they are found again by their words."""
    items: list[Item] = []
    words: list[str] = []
    opened: list[tuple[str, int]] = []
    at = size = 0
    for found in _INLINE.finditer(text):
        words.append(text[at : found.start()])
        size += len(words[-1])
        at = found.end()
        closing, label = found.groups()
        if not closing:
            opened.append((label, size))
        elif opened and opened[-1][0] == label:
            _, start = opened.pop()
            items.append(Item(start, size, label, "".join(words)[start:size]))
    words.append(text[at:])
    return Part(items, INLINE, "".join(words), None, "char", fixed=True)


INLINE = "texts with tags inside"


def checked_inline(parts: Mapping[str, Part], texts: Mapping[str, str], side: str, notes: Notes) -> dict[str, Part]:
    """Inline answers with the places of the document; nothing is at a place where the answer has another text."""
    made = dict(parts)
    for name, part in parts.items():
        text, own = texts.get(name), part.text or ""
        if part.shape != INLINE or text is None or own == text:
            continue
        if fold(own).split() == fold(text).split():
            places = [same_span(own, item.start or 0, item.end or 0, text) for item in part.items]
        else:
            message = f"{side}: {{n:answer is|answers are}} not the text of the document, whatever is marked is wrong"
            notes.add("other-text", message, name)
            text, places = "", [None] * len(part.items)
        items = [
            msgspec.structs.replace(item, start=place and place[0], end=place and place[1])
            for item, place in zip(part.items, places, strict=True)
        ]
        made[name] = msgspec.structs.replace(part, items=items, text=text)
    return made
