"""Spans as people write them: tuples, dicts, texts that are to be found; and what their ends mean."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import TYPE_CHECKING, Any

import msgspec

from adjudge.errors import FormatError
from adjudge.formats.coerce.corpus import (
    ENDS,
    IDS,
    LABELS,
    LINKS,
    STARTS,
    Declared,
    Notes,
    cuts_word,
    fields_of,
    first_of,
    fold,
    folded_occurrences,
    is_list,
    occurrences,
    plain,
    wrong,
)

if TYPE_CHECKING:
    from adjudge.model.tags import Chunk

TEXTS = ("text", "word", "mention", "surface", "value", "name")
_ENTITY = (
    r"(?i)(q|kb|mesh|umls|wiki(pedia|data)?|entity|concept|node|page|gold|target|link(ed)?)_?(id|[ui]ri|url|title|name)"
    r"|cui|[ui]ri|url|wiki(pedia|data)?|concept|mesh|umls"
)  # what people call the entity of a mention
_PAIRS = ("span", "offsets", "position")
_PIECES = (*_PAIRS, "fragments", "locations", "spans")
LEFT_OUT = "left out"
"""The shape of a document that is left out."""
_MANY = 3  # words that one reading of ends cuts before the other is proved: one span that is cut may be a mistake


class Item(msgspec.Struct, frozen=True):
    """A labelled piece of a text; without a start it is known by its words alone.

    One of several `fragments` begins with the first of them and ends with the last.
    """

    start: int | None
    end: int | None
    label: Any
    text: str | None = None
    entity: Any = None
    fragments: tuple[tuple[int, int], ...] = ()


class Part(msgspec.Struct, frozen=True):
    """The items of a document, and what is known of it; `fixed` if its shape says what ends mean."""

    items: list[Item]
    shape: str
    text: str | None = None
    tokens: Sequence[str] | None = None
    unit: str | None = None
    fixed: bool = False
    tags: list[Any] | None = None  # whose chunks are made when both sides are known: gold says which positions count
    chunks: list[Chunk] | None = None


class UnevenPlace(FormatError):
    """An offset that is no whole number; `value` is what it is."""

    def __init__(self, value: float) -> None:
        self.value = value
        super().__init__(f"the offset {value} is not a whole number", hint="offsets count tokens or characters")


def is_place(value: Any) -> bool:
    """Whether a value can be a start or an end; 36.0 is what a column with gaps makes of 36."""
    value = plain(value)
    return (isinstance(value, int) and not isinstance(value, bool)) or (isinstance(value, float) and value.is_integer())


def _pair(first: Any, last: Any) -> tuple[int, int] | None:
    """Two numbers as start and end; None if they are no numbers."""
    first, last = plain(first), plain(last)
    if type(first) is int and type(last) is int:
        return first, last
    if not all(isinstance(each, int | float) and not isinstance(each, bool) for each in (first, last)):
        return None
    for each in (first, last):
        if not is_place(each):
            raise UnevenPlace(each)
    return int(first), int(last)


def pair_of(value: Any) -> tuple[int, int] | None:
    """Start and end of a pair, or of something with both as fields.

    >>> pair_of((0, 36.0)), pair_of({"span": [0, 5]}), pair_of(["a", "b"])
    ((0, 36), (0, 5), None)
    """
    if isinstance(value, Set):
        return None
    if is_list(value):
        return _pair(*value) if len(value) == 2 else None
    fields = fields_of(value)
    if fields is None:
        return None
    found = _pair(first_of(fields, STARTS), first_of(fields, ENDS))
    if found is not None:
        return found
    inner = first_of(fields, _PAIRS)
    return None if inner is None else pair_of(inner)


def pieces_of(value: Any) -> tuple[tuple[int, int], ...]:
    """The fragments of a mention in the order of the text, as a list of pairs or as lists of starts and ends.

    >>> pieces_of([(8, 10), (0, 3)]), pieces_of({"start": [0, 8], "end": [3, 10]}), pieces_of([0, 3])
    (((0, 3), (8, 10)), ((0, 3), (8, 10)), ())
    """
    if is_list(value) and len(value):
        pairs = [pair_of(each) for each in value]
        return tuple(sorted(each for each in pairs if each is not None)) if None not in pairs else ()
    fields = fields_of(value)
    if fields is None:
        return ()
    starts, ends = first_of(fields, STARTS), first_of(fields, ENDS)
    if is_list(starts) and is_list(ends) and len(starts) == len(ends):
        return pieces_of(list(zip(starts, ends, strict=True)))
    return pieces_of(inner) if is_list(inner := first_of(fields, _PIECES)) else ()


def hull_of(value: Any) -> tuple[tuple[int, int] | None, tuple[tuple[int, int], ...]]:
    """Start and end of a mention, and its fragments if there are several.

    >>> hull_of([(0, 3), (8, 10)]), hull_of([(0, 3)])
    (((0, 10), ((0, 3), (8, 10))), ((0, 3), ()))
    """
    place = pair_of(value)
    if place is not None or not (pieces := pieces_of(value)):
        return place, ()
    return (pieces[0][0], max(end for _, end in pieces)), pieces if len(pieces) > 1 else ()


def without_fragments(name: str, part: Part, declared: Declared, notes: Notes) -> Part:
    """The part with one item for each mention, or for each fragment if these are to be kept."""
    declared.used.add("fragments")
    broken = sum(bool(item.fragments) for item in part.items)
    if not broken:
        return part
    if declared.fragments == "keep":
        pieces = [(item, item.fragments or ((item.start, item.end),)) for item in part.items]
        items = [
            msgspec.structs.replace(item, start=start, end=end, fragments=())
            for item, own in pieces
            for start, end in own
        ]
        return msgspec.structs.replace(part, items=items)
    notes.add("fragments-joined", JOINED.format(side=declared.side), name, count=broken)
    return msgspec.structs.replace(part, items=[msgspec.structs.replace(item, fragments=()) for item in part.items])


JOINED = "{side}: {{n:mention|mentions}} of several fragments joined to one span"


def unnamed_link(item: Any) -> str | None:
    """The field of a mention that looks like the id of an entity, if none of those that are known is there.

    >>> unnamed_link({"start": 0, "end": 3, "qid": "Q1"}), unnamed_link({"qid": "Q1", "entity": None})
    ('qid', None)
    """
    if not isinstance(item, Mapping) or any(name in item for name in LINKS):
        return None
    texts = (str(name) for name, value in item.items() if isinstance(value, str) and name not in IDS)
    return next(filter(re.compile(_ENTITY).fullmatch, texts), None)


class Renamed(dict[str, str]):
    """Names of fields that stand for known ones; `used` once an item has one of them."""

    used = False


def item_of(value: Any, fields: Mapping[str, str]) -> Item | None:
    """One element of a list of spans; None if it is none.

    >>> item_of((0, 5, "PER"), {}) == item_of({"span": [0, 5], "type": "PER"}, {}) == Item(0, 5, "PER")
    True
    """
    if is_list(value):
        return _from_tuple([plain(each) for each in value])
    known = fields_of(value)
    if known is None:
        return None
    own = {meant: known[name] for meant, name in fields.items() if name in known}
    if own and isinstance(fields, Renamed):
        fields.used = True
    whole = {**known, **own}
    place, pieces = hull_of(whole)
    label = first_of(whole, LABELS)
    if label is None:
        several = first_of(whole, ("labels", "tags"))
        label = several[0] if is_list(several) and len(several) == 1 else None
    if isinstance(label, Mapping):  # with its confidence beside it
        label = first_of(label, ("value", *LABELS))
    text = first_of(whole, TEXTS)
    text = text[0] if is_list(text) and len(text) == 1 else text
    text = text if isinstance(text, str) else None
    entity = first_of(whole, LINKS)
    if place is None:
        return Item(None, None, label, text, entity) if text is not None else None
    return Item(place[0], place[1], label, None if pieces else text, entity, pieces)


def _from_tuple(values: Sequence[Any]) -> Item | None:
    if len(values) >= 3:
        for at, label in ((0, 2), (1, 0)):
            if (pair := _pair(values[at], values[at + 1])) is not None:
                return Item(*pair, values[label])
        return None
    if len(values) != 2:
        return None
    if all(isinstance(each, str) for each in values):
        return Item(None, None, values[1], values[0])
    for place, label in (values, values[::-1]):  # (span, label) or (label, span)
        hull, pieces = hull_of(place) if is_list(place) and not is_list(label) else (None, ())
        if hull is not None:
            return Item(*hull, label, None, None, pieces)
    return None


def _of_type(label: Any, value: Any) -> Item | None:
    if isinstance(value, str):
        return Item(None, None, label, value)
    place, pieces = hull_of(value)
    return None if place is None else Item(*place, label, fragments=pieces)


def items_of(values: Any, fields: Mapping[str, str]) -> list[Item] | None:
    """All elements of a list as items, or the texts or places of each type; None if these are not items.

    >>> [(each.start, each.end, each.label) for each in items_of({"PER": ["Ada", (9, 11)]}, {})]
    [(None, None, 'PER'), (9, 11, 'PER')]
    """
    if isinstance(values, Mapping):
        if not all(map(is_list, values.values())):
            return None
        own = [(label, each) for label, listed in values.items() for each in listed]
        texts = [_of_type(label, each) for label, each in own]
        return None if None in texts else [each for each in texts if each is not None]
    found = [item_of(each, fields) for each in values]
    return None if None in found else [each for each in found if each is not None]


# ---------------------------------------------------------------------------------------------------------------------
# What ends mean


class Ends(msgspec.Struct, frozen=True):
    """What ends are, with a `?` if it is assumed, and how that is known: by the shape, declared, proved, or assumed."""

    meaning: str | None = "exclusive"
    said: str = "shape"


def exclusive(parts: Mapping[str, Part], declared: Declared, notes: Notes) -> tuple[dict[str, Part], Ends]:
    """The parts with exclusive ends counted from 0, and what their ends were."""
    open_parts = {name: part for name, part in parts.items() if not part.fixed and _placed(part)}
    if open_parts or not any(part.items or part.tags for part in parts.values()):
        declared.used.update(("ends", "base", "offsets"))
    if declared.offsets is not None:
        parts = {**parts, **{name: in_characters(part, declared) for name, part in open_parts.items()}}
        open_parts = {name: parts[name] for name in open_parts}
    shift = declared.base or 0
    ends = declared.ends
    said = "declared" if ends is not None and open_parts else "shape"
    if ends is None and open_parts:
        ends, said = _proved(open_parts.values()), "proved"
        if ends is None:
            _refuse_empty(open_parts, declared.side)
            ends, said = "exclusive", "assumed"
            message = f"{declared.side}: ends were taken to be exclusive (ends, on the command line --ends, states it)"
            notes.add("assumed-ends", message, count=sum(len(part.items) for part in open_parts.values()))
    if ends == "exclusive" and said == "proved":
        _refuse_empty(open_parts, declared.side)
    if ends == "inclusive" and said == "proved":
        number = sum(len(part.items) for part in open_parts.values())
        notes.add("proved-ends", f"{declared.side}: ends are inclusive, as the texts prove", count=number)
    longer = 1 if ends == "inclusive" else 0
    made = {
        name: msgspec.structs.replace(part, items=[_moved(item, -shift, longer - shift) for item in part.items])
        if name in open_parts
        else part
        for name, part in parts.items()
    }
    _check_bounds(made, declared)
    _note_shifts(made, declared, notes)
    return made, Ends(f"{ends or 'exclusive'}{'?' * (said == 'assumed')}", said)


def in_characters(part: Part, declared: Declared) -> Part:
    """The part with offsets in characters that were UTF-16 units or bytes, which needs its text."""
    if part.text is None:
        raise wrong(declared.side, f": {declared.offsets} offsets cannot be read without texts", "give the texts")
    encoding, size = ("utf-16-le", 2) if declared.offsets == "utf-16" else ("utf-8", 1)
    places, unit = {0: 0}, 0
    for place, character in enumerate(part.text, 1):
        unit += len(character.encode(encoding, "surrogatepass")) // size
        places[unit] = place
    longer = int(declared.ends == "inclusive")

    def moved(item: Item) -> Item:
        if item.start is None or item.end is None:
            return item
        start, end = places.get(item.start), places.get(item.end + longer)
        if start is None or end is None:
            shown = f"({item.start}, {item.end}, {item.label!r})"
            raise wrong(declared.side, f": {shown} begins or ends inside a character", "check the offsets")
        return msgspec.structs.replace(item, start=start, end=end - longer)

    return msgspec.structs.replace(part, items=[moved(item) for item in part.items])


def _placed(part: Part) -> bool:
    return any(item.start is not None for item in part.items)


def _moved(item: Item, start: int, end: int) -> Item:
    if item.start is None or item.end is None:
        return item
    return msgspec.structs.replace(item, start=item.start + start, end=item.end + end)


def _proved(parts: Iterator[Part] | Any) -> str | None:
    """What the texts prove: by the words of a mention, by an end at the end of the text, by words that are not cut."""
    cuts = {"exclusive": 0, "inclusive": 0}
    number = 0
    for part in parts:
        if part.text is None or part.unit == "token":
            continue
        for item in part.items:
            if item.start is None or item.end is None:
                continue
            if item.text is not None:
                if part.text[item.start : item.end] == item.text:
                    return "exclusive"
                if part.text[item.start : item.end + 1] == item.text:
                    return "inclusive"
            if item.end == len(part.text):
                return "exclusive"
            number += 1
            cuts["exclusive"] += cuts_word(part.text, item.start, item.end)
            cuts["inclusive"] += cuts_word(part.text, item.start, item.end + 1)
    for one, other in (("exclusive", "inclusive"), ("inclusive", "exclusive")):
        if cuts[one] == 0 and cuts[other] >= max(_MANY, number / 2):
            return one
    return None


def _refuse_empty(parts: Mapping[str, Part], side: str) -> None:
    spans = [(name, item) for name, part in parts.items() for item in part.items if item.start is not None]
    empty = [(name, item) for name, item in spans if item.start == item.end]
    if empty:
        name, item = empty[0]
        raise wrong(
            side,
            f": {len(empty)} of {len(spans)} spans are empty with exclusive ends "
            f"(first: document {name!r}, ({item.start}, {item.end}, {item.label!r}))",
            'if an end is the last token or character of the span, say ends="inclusive"',
        )


def _note_shifts(parts: Mapping[str, Part], declared: Declared, notes: Notes) -> None:
    """Say which mentions are not what stands at their places, and how far off the text has them."""
    for name, part in parts.items():
        for item in part.items if part.text is not None and part.unit != "token" else ():
            if item.start is None or item.text is None or part.text is None:
                continue
            if fold(part.text[item.start : item.end]).split() != fold(item.text).split():
                near = min((spot[0] - item.start for spot in occurrences(part.text, item.text)), key=abs, default=None)
                where = "not in the text" if near is None else f"{abs(near)} {'later' if near > 0 else 'earlier'}"
                message = f"{declared.side}: {{n:mention differs|mentions differ}} from the text at the same offsets"
                notes.add("text-differs", message, f"{name}: {item.text} ({where})")


def _check_bounds(parts: Mapping[str, Part], declared: Declared) -> None:
    for name, part in parts.items():
        size = len(part.tokens) if part.unit == "token" and part.tokens else len(part.text) if part.text else None
        for item in part.items:
            if item.start is None or item.end is None:
                continue
            if item.start < 0 or item.end <= item.start or (size is not None and item.start >= size):
                shown = f"({item.start}, {item.end}, {item.label!r})"
                what = "is outside the text" if size is not None and item.start >= size else "is not a span"
                raise wrong(declared.side, f", document {name!r}: {shown} {what}", "count from 0, ends after starts")


# ---------------------------------------------------------------------------------------------------------------------
# Mentions that are known by their words


def located(parts: dict[str, Part], texts: Mapping[str, str], declared: Declared, notes: Notes) -> Located:
    """The parts with the places of their mentions, and those that are not in the text."""
    made: dict[str, Part] = {}
    lost: dict[str, list[Item]] = {}
    for name, part in parts.items():
        text = part.text if part.text is not None else texts.get(name)
        if text is None or all(item.start is not None for item in part.items):
            made[name] = part
            continue
        places, missing, folded = _places(part.items, text, declared.take("locate"))
        if folded:
            message = f"{declared.side}: {{n:mention differs|mentions differ}} from the text in case or spacing"
            notes.add("found-folded", message, name, count=folded)
        if missing:
            lost[name] = missing
            notes.add(
                "ungrounded",
                f"{declared.side}: {{n:mention is|mentions are}} not in the text, counted as wrong",
                f"{name}: {missing[0].text}",
                count=len(missing),
            )
        made[name] = msgspec.structs.replace(part, items=places, text=text, unit="char", fixed=True)
    return Located(made, lost)


class Located(msgspec.Struct, frozen=True):
    """The parts, and the mentions of each document that are not in its text."""

    parts: dict[str, Part]
    lost: dict[str, list[Item]]


def _places(items: Sequence[Item], text: str, locate: str) -> tuple[list[Item], list[Item], int]:
    order = sorted(range(len(items)), key=lambda place: (-len(items[place].text or ""), place))
    taken: list[tuple[int, int]] = []
    used: set[tuple[int, int, Any]] = set()
    found: dict[int, list[tuple[int, int]]] = {}
    folded = 0
    for place in order:
        item = items[place]
        if item.start is not None and item.end is not None:
            found[place] = [(item.start, item.end)]
            continue
        spots = occurrences(text, item.text or "")
        if not spots:
            spots = folded_occurrences(text, item.text or "")
            folded += bool(spots)
        if locate == "all":
            found[place] = spots
        elif locate == "first":
            found[place] = spots[:1]
        else:
            free = [spot for spot in spots if not any(spot[0] < end and start < spot[1] for start, end in taken)]
            again = [spot for spot in spots if (*spot, item.label) not in used]
            found[place] = (free or again)[:1]
        taken += found[place]
        used.update((*spot, item.label) for spot in found[place])
    placed = [
        msgspec.structs.replace(items[place], start=start, end=end)
        for place in range(len(items))
        for start, end in found[place]
    ]
    return placed, [items[place] for place in range(len(items)) if not found[place]], folded
