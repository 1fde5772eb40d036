"""Named entities and linked mentions from what people have: tags, spans, documents of spaCy, exports, raw answers."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from adjudge.errors import FormatError
from adjudge.formats.coerce.answers import OUTPUTS, answer_value, chat_answer
from adjudge.formats.coerce.corpus import (
    IDS,
    Declared,
    Notes,
    fields_of,
    first_of,
    is_list,
    origin,
    plain,
    wrong,
)
from adjudge.formats.coerce.spans import Item, Part, fold, items_of
from adjudge.model.tags import (
    OUTSIDE,
    SCHEMES,
    Chunk,
    Step,
    Steps,
    Turns,
    decode_strict,
    decode_tags,
    lenient,
    outside_of,
    split_tag,
)

IGNORED = -100  # what trainers of transformers give to positions that do not count
TAGS = ("tags", "ner_tags", "labels", "ner")
ITEMS = ("entities", "spans", "label", "labels", "annotations", "ents", "mentions", "predictions")
_PREFIX = re.compile(r"([BIESUL])-.|O$|[BIES]$")
_SUFFIX = re.compile(r".+-([BIESUL])$|O$")
_KINDS = ({str}, {int})  # of tags, nearly always
_SHOWN = 40  # characters of a text that is not a tag
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
        return _all_tags(values) or all(map(_is_piece, values))
    return False


def _all_tags(values: Any) -> bool:
    return len(values) > 0 and all(isinstance(each, str) and _PREFIX.match(each) for each in values)


def _is_piece(value: Any) -> bool:
    """Whether a value is an entity as a pipeline of transformers gives it."""
    return isinstance(value, Mapping) and "word" in value and ("entity_group" in value or "entity" in value)


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
            return None if found is None else found._replace(fixed=True, unit="char", shape="texts with entities")
        both = is_list(first) and is_list(second) and len(first) == len(second) and len(first) > 0
        if (
            both
            and all(isinstance(each, str) for each in first)
            and all(isinstance(plain(e), str | int) for e in second)
            and not (len(first) == 2 and declared.scheme is None and not any(map(_is_tag, second)))
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
        return None if found is None else found._replace(text=found.text if found.text is not None else text)
    if "data" in fields and "annotations" in fields:
        return _of_label_studio(name, fields, declared, notes)
    if fields.get("answer", "accept") not in ("accept", None) and "spans" in fields:
        notes.add("not-accepted", f"{declared.side}: {{n}} examples were not accepted and are left out", name)
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
        return None if found is None else found._replace(text=text)
    key = next((each for each in ITEMS if each in fields and not isinstance(fields[each], str)), None)
    if key is None:
        kinds = {label: own for label, own in fields.items() if label not in (*IDS, "text")}
        found = _by_type(kinds, declared) if kinds else None
        return None if found is None else found._replace(text=text)
    items = items_of(fields[key] or [], declared.fields)
    if items is None:
        return None
    exported = "_input_hash" in fields or key == "label" or "start_offset" in _first_keys(fields[key])
    unit = declared.take("unit") or ("char" if text is not None and tokens is None else None)
    return Part(_labelled(items, declared.side), f"{key} with spans", text, tokens, unit, fixed=exported)


LEFT_OUT = "left out"


def _first_keys(values: Any) -> Sequence[str]:
    first = next(iter(values), None) if is_list(values) else None
    return list(first) if isinstance(first, Mapping) else []


def _labelled(items: list[Item], side: str) -> list[Item]:
    """The items, whose labels must be words."""
    for item in items:
        if isinstance(item.label, int) and not isinstance(item.label, bool):
            raise wrong(side, f": labels are numbers ({item.label}, ...)", "export their names, or map them yourself")
    return items


def _of_label_studio(name: str, fields: Mapping[str, Any], declared: Declared, notes: Notes) -> Part:
    kept = [each for each in fields["annotations"] if not each.get("was_cancelled")]
    if len(kept) < len(fields["annotations"]):
        notes.add("not-accepted", f"{declared.side}: {{n}} annotations were cancelled and are left out", name)
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


def chunks_of(parts: Mapping[str, Part], declared: Declared, notes: Notes) -> dict[str, Part]:
    """The parts whose tags have become spans of tokens."""
    tagged = {name: part.tags for name, part in parts.items() if part.tags is not None}
    if not tagged:
        return dict(parts)
    declared.take("scheme")
    named, every = tagged, set().union(*tagged.values())
    if any(isinstance(tag, int) for tag in every):
        named = {name: _names(name, tags, declared) for name, tags in tagged.items()}
        every = set().union(*named.values())
    joined = next((tag for tag in every if is_several(tag)), None)
    if joined is not None:
        raise _joined_tags(declared.side, next(name for name, tags in named.items() if joined in tags), joined)
    suffix = not all(_PREFIX.match(tag) for tag in every) and all(_SUFFIX.match(tag) for tag in every)
    if suffix:
        notes.add("suffix-tags", f"{declared.side}: tags end in their prefix (PER-B)", count=len(named))
        named = {name: [_turned(tag) for tag in tags] for name, tags in named.items()}
        every = set(map(_turned, every))
    decode = _decoder(named, every, declared)
    chunks = {name: decode(tags) for name, tags in named.items()}
    if declared.side == "gold" and declared.scheme in SCHEMES:
        _check_scheme(named, chunks, declared.scheme)
    # Not _replace, which takes as long as the tags of a sentence do.
    return {name: Part(*part[:-1], chunks[name]) if name in named else part for name, part in parts.items()}


def _check_scheme(tags: Mapping[str, Sequence[str]], chunks: Mapping[str, list[Chunk]], scheme: str) -> None:
    """Raise if tags of gold are in no entity, because the scheme does not allow them where they are."""
    broken = [(name, tags[name][place]) for name, own in chunks.items() for place in outside_of(own, tags[name])]
    if broken:
        name, tag = broken[0]
        more = f" ({len(broken)} tags do)" if len(broken) > 1 else ""
        hint = "fix it, or leave scheme out: every run of a type is an entity then"
        raise wrong("gold", f", document {name!r}: the tag {tag!r} breaks {scheme}{more}", hint)


def _names(name: str, tags: list[Any], declared: Declared) -> list[str]:
    numbers = [tag for tag in tags if isinstance(tag, int)]
    if not numbers:
        return tags
    labels: tuple[str, ...] | None = declared.take("labels")
    if labels is None:
        shown = ", ".join(map(str, tags[:3]))
        raise wrong(
            declared.side,
            f", document {name!r}: tags are numbers ({shown}, ...) without names",
            'pass labels=["O", "B-PER", ...], or a Dataset whose features name them',
        )
    for tag in numbers:
        if not 0 <= tag < len(labels):
            raise wrong(declared.side, f", document {name!r}: there is no label {tag}", f"{len(labels)} are given")
    return [labels[tag] if isinstance(tag, int) else tag for tag in tags]


def _is_tag(value: Any) -> bool:
    """Whether a value can be a tag; two names with their labels look like two tokens with bare labels."""
    return not isinstance(value, str) or _PREFIX.match(value) is not None or _SUFFIX.match(value) is not None


def is_several(text: str) -> bool:
    """Whether a text is several tags with blanks between them, and not one.

    >>> is_several("B-PER O"), is_several("B-creative work"), is_several("O")
    (True, False, False)
    """
    parts = text.split()
    return len(parts) > 1 and all(_PREFIX.match(part) for part in parts)


def _joined_tags(side: str, name: str, text: str) -> FormatError:
    shown = repr(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}...")
    return wrong(side, f", document {name!r}: {shown} is one text with several tags", "split it into a list of tags")


def _turned(tag: str) -> str:
    kind, _, prefix = tag.rpartition("-")
    return f"{prefix}-{kind}" if kind else tag


def _decoder(
    documents: Mapping[str, Sequence[str]], every: set[str], declared: Declared
) -> Callable[[Sequence[str]], list[Chunk]]:
    """How tags become chunks; those that the scheme cannot read are errors."""
    scheme = declared.scheme
    if scheme == "IO":
        return partial(decode_tags, steps=Steps(_runs))
    bare = {tag for tag in every if split_tag(tag) is None}
    if bare:
        name, tag = next((name, tag) for name, tags in documents.items() for tag in tags if tag in bare)
        raise wrong(
            declared.side,
            f", document {name!r}: {tag!r} has no B- or I- prefix",
            'set scheme="IO" if each run of a label is one entity',
        )
    if scheme is None:
        return partial(decode_tags, steps=Steps(lenient))
    if scheme not in SCHEMES:
        raise wrong(declared.side, f": there is no scheme {scheme!r}", f"use IO, {', '.join(SCHEMES)}")
    return partial(decode_strict, turns=Turns(SCHEMES[scheme]))


def _runs(before: str, tag: str) -> Step:
    """Every run of one label is a chunk; prefixes that are there mean nothing."""
    changed = before != tag
    return Step(ends=before != OUTSIDE and changed, starts=tag != OUTSIDE and changed, before=before)


def without_ignored(gold: Mapping[str, Part], sides: Sequence[dict[str, Part]], notes: Notes) -> dict[str, Part]:
    """Gold without the positions that it marks as those that do not count, which the sides lose, too."""
    mine = dict(gold)
    for name, part in gold.items():
        if part.tags is None or IGNORED not in part.tags:
            continue
        kept = [place for place, tag in enumerate(part.tags) if tag != IGNORED]
        lost = len(part.tags) - len(kept)
        notes.add("ignored-positions", "{n} positions with -100 in gold do not count on either side", name, count=lost)
        for side in (mine, *sides):
            tags = side[name].tags if name in side else None
            if tags is not None and len(tags) == len(part.tags):
                side[name] = side[name]._replace(tags=[tags[place] for place in kept])
    return mine


def check_lengths(gold: Mapping[str, Part], system: Mapping[str, Part], who: str) -> None:
    """Raise if two lists of tags of one document are of different length."""
    differ = []
    for name, part in gold.items():
        theirs = system[name].tags if name in system else None
        if part.tags is not None and theirs is not None and len(part.tags) != len(theirs):
            differ.append((name, len(part.tags), len(theirs)))
    if differ:
        name, mine, others = differ[0]
        more = f" ({len(differ)} documents differ)" if len(differ) > 1 else ""
        raise wrong(
            f"document {name!r}",
            f": gold has {mine} tags, {who} has {others}; both sides need the same tokens{more}",
        )


def note_tokens(gold: Mapping[str, Part], system: Mapping[str, Part], who: str, notes: Notes) -> None:
    """Say where the tokens of the tags of one document are not the same on both sides."""
    for name, part in system.items():
        ours, theirs = gold[name].tokens if name in gold else None, part.tokens
        if part.tags is None or ours is None or theirs is None:
            continue
        pairs = enumerate(zip(map(plain, ours), map(plain, theirs), strict=False), 1)
        found = next(((place, *pair) for place, pair in pairs if pair[0] != pair[1]), None)
        if found is not None:
            place, mine, other = found
            message = f"{who}: {{n}} documents do not have the tokens of gold"
            notes.add("tokens-differ", message, f"document {name!r}, token {place}: {other!r}, and {mine!r} in gold")


def _joined(name: str, values: Sequence[Mapping[str, Any]], notes: Notes) -> Part:
    """The entities of sub-tokens that each have a tag."""
    items: list[Item] = []
    for each in values:
        prefix, kind = split_tag(str(each["entity"])) or ("B", str(each["entity"]))
        last = items[-1] if items else None
        after = last is not None and last.end is not None and each["start"] - last.end <= 1
        if prefix == "I" and last is not None and last.label == kind and after:
            items[-1] = last._replace(end=each["end"])
            continue
        if prefix != OUTSIDE:
            items.append(Item(each["start"], each["end"], kind))
    notes.add("joined-subtokens", "{n} tagged pieces were joined to entities", name, count=len(values))
    return Part(items, "tagged pieces", unit="char", fixed=True)


# ---------------------------------------------------------------------------------------------------------------------
# Answers of language models


def _of_answer(name: str, text: str, declared: Declared, notes: Notes) -> Part | None:
    if declared.take("format") == "inline":
        return _of_inline(text)
    if is_several(text):
        raise _joined_tags(declared.side, name, text)
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


def checked_inline(parts: Mapping[str, Part], texts: Mapping[str, str]) -> dict[str, Part]:
    """Inline answers whose words are not those of the document are located by their words, not by their places."""
    made = dict(parts)
    for name, part in parts.items():
        text = texts.get(name)
        if part.shape == INLINE and text is not None and fold(part.text or "").split() != fold(text).split():
            items = [item._replace(start=None, end=None) for item in part.items]
            made[name] = part._replace(items=items, text=text)
    return made
