"""Items of any task as a page shows them: where they stand in the text, what type they have, what is beside them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

from adjudge.stats import alignment
from adjudge.stats.result import Result

Unit: TypeAlias = Literal["characters", "tokens", "none"]
TYPE_FIELDS = ("type", "role", "label", "slot")
"""The fields that say what an item is; the first one that it has."""
NOTHING = "(nothing)"
OTHER = "(other)"
MOST_TYPES = 15
SHORT = 80


class Item(NamedTuple):
    """An item: the number of its level, its places there, and its value."""

    level: int
    place: tuple[int, ...]
    value: Any = None


class Outcome(NamedTuple):
    """What one metric says of the items of a document, by numbers."""

    metric: int
    gold: tuple[int, ...]
    system: tuple[int, ...]
    scores: tuple[float, ...]
    missed: tuple[int, ...]
    spurious: tuple[int, ...]


class GoldDocument(NamedTuple):
    """A document with its gold items."""

    id: str
    text: str | None
    items: tuple[Item, ...]
    tokens: tuple[str, ...] = ()


class SystemDocument(NamedTuple):
    """The items of a system, and what became of them."""

    items: tuple[Item, ...]
    outcomes: tuple[Outcome, ...]
    missing: bool


class Documents(NamedTuple):
    """All documents with their gold items."""

    levels: tuple[str, ...]
    metrics: tuple[str, ...]
    gold: tuple[GoldDocument, ...]


def documents_of(result: Result) -> tuple[Documents | None, dict[str, tuple[SystemDocument, ...]]]:
    """What was saved of documents, with numbers for levels and metrics."""
    levels: dict[str, int] = {}
    metrics: dict[str, int] = {}

    def items(own: Sequence[alignment.Item]) -> tuple[Item, ...]:
        return tuple(
            Item(levels.setdefault(each.level or "items[*]", len(levels)), (number,), _value(each))
            for number, each in enumerate(own)
        )

    def outcome(each: alignment.Matching) -> Outcome:
        right = [pair for pair in each.pairs if pair.outcome != "wrong"]
        wrong = [pair for pair in each.pairs if pair.outcome == "wrong"]
        scores = tuple(pair.credit for pair in right)
        return Outcome(
            metrics.setdefault(each.metric, len(metrics)),
            tuple(pair.gold for pair in right),
            tuple(pair.system for pair in right),
            scores if any(score < 1 for score in scores) else (),
            (*(one.item for one in each.missed), *(pair.gold for pair in wrong)),
            (*(one.item for one in each.spurious), *(pair.system for pair in wrong)),
        )

    if not result.documents:
        return None, {}
    gold = tuple(GoldDocument(each.id, each.text, items(each.items)) for each in result.documents)
    systems = {
        system.name: tuple(
            SystemDocument(items(own.items), tuple(map(outcome, own.matchings)), own.missing) for own in system.aligned
        )
        for system in result.systems
        if system.aligned
    }
    return Documents(tuple(levels), tuple(metrics), gold), systems


def _value(item: alignment.Item) -> Any:
    """All that is known of an item, with its places as they are in the text that was saved."""
    if not isinstance(item.value, dict) and not item.place:
        return item.value if item.value is not None else item.text or item.id
    found: dict[str, Any] = {"type": item.label} if item.label else {}
    if isinstance(item.value, dict):
        found |= {name: each for name, each in item.value.items() if name not in ("start", "end", *item.roles)}
    if item.place and not item.roles:
        found |= {"start": item.place[0][0], "end": item.place[0][1]}
    pieces = zip(item.roles or ("",) * len(item.place), item.place, strict=True)
    for role, (begin, end) in list(pieces)[0 if item.roles else 1 :]:
        found.setdefault(role or "piece", []).append({"start": begin, "end": end})
    return found


class Confusion(NamedTuple):
    """How often a gold type (row) stands where a system has another one (column); the last of both is nothing."""

    level: str
    system: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]


def spans_of(value: Any) -> list[tuple[int, int]]:
    """The spans of an item: its own, or those in its fields; items inside of it have their own.

    >>> spans_of({"type": "r", "subject": {"start": 0, "end": 2}, "object": {"start": 5, "end": 6}})
    [(0, 2), (5, 6)]
    """
    return [span for _, span in _placed(value)]


def _placed(value: Any) -> Iterator[tuple[str, tuple[int, int]]]:
    if not isinstance(value, dict):
        return
    own = _span(value)
    if own is not None:
        yield "", own
    for name, inner in value.items():
        for each in inner if isinstance(inner, list | tuple) else (inner,):
            found = _span(each) if isinstance(each, dict) and len(each) == 2 else None
            if found is not None:
                yield str(name), found


def _span(value: Mapping[str, Any]) -> tuple[int, int] | None:
    start, end = value.get("start"), value.get("end")
    if isinstance(start, bool) or isinstance(end, bool) or not isinstance(start, int) or not isinstance(end, int):
        return None
    return (start, end) if 0 <= start <= end else None


def type_of(value: Any) -> str | None:
    """What an item is, if it says so.

    >>> type_of({"role": "Place"}), type_of("Paris")
    ('Place', None)
    """
    if not isinstance(value, dict):
        return None
    return next((value[name] for name in TYPE_FIELDS if isinstance(value.get(name), str)), None)


def place_of(value: Any) -> tuple[Any, ...] | None:
    """What must be equal for two items to stand at one place: the spans; without any, all fields but the type.

    >>> place_of({"type": "nsubj", "head": 2, "dependent": 1}) == place_of({"type": "obj", "head": 2, "dependent": 1})
    True
    """
    if not isinstance(value, dict):
        return None
    spans = tuple(_placed(value))
    if spans:
        return spans
    named = next((name for name in TYPE_FIELDS if isinstance(value.get(name), str)), None)
    fields = [
        (name, each)
        for name, each in value.items()
        if name != named and isinstance(each, str | int) and not isinstance(each, bool)
    ]
    return tuple(sorted(fields, key=repr)) or None


class Side(NamedTuple):
    """The items of one side of a document with their values, types and places."""

    items: Sequence[Item]
    values: list[Any]
    types: list[str | None]
    places: list[tuple[Any, ...] | None]


def side_of(items: Sequence[Item]) -> Side:
    """The items with their values and places."""
    values = [item.value for item in items]
    places = [place_of(value) for value in values]
    return Side(
        items,
        values,
        [type_of(value) for value in values],
        [None if place is None else (item.level, place) for item, place in zip(items, places, strict=True)],
    )


Sides: TypeAlias = list[tuple[Side, dict[str, Side]]]
"""For every document the gold side, and those of the systems by name."""


def sides_of(documents: Documents, systems: Mapping[str, Sequence[SystemDocument]]) -> Sides:
    """All items of all documents."""
    return [
        (
            side_of(document.items),
            {name: side_of(own[place].items) for name, own in systems.items()},
        )
        for place, document in enumerate(documents.gold)
    ]


def pair_up(gold: Side, system: Side, ours: Iterable[int], theirs: Iterable[int]) -> list[tuple[int, int]]:
    """Items at one place, gold and system, each in one pair at most; those of the same type first."""
    waiting: dict[tuple[Any, ...], list[int]] = defaultdict(list)
    for number in theirs:
        place = system.places[number]
        if place is not None:
            waiting[place].append(number)
    found: list[tuple[int, int]] = []
    left = []
    for number in ours:
        place = gold.places[number]
        if place is None:
            continue
        same = next((each for each in waiting[place] if system.types[each] == gold.types[number]), None)
        if same is None:
            left.append(number)
        else:
            waiting[place].remove(same)
            found.append((number, same))
    for number in left:
        others = waiting[gold.places[number] or ()]
        if others:
            found.append((number, others.pop(0)))
    return sorted(found)


def beside(gold: Side, system: Side, outcome: Outcome) -> list[tuple[int, int]]:
    """Missed items and the spurious ones that stand at their places with another type."""
    pairs = pair_up(gold, system, outcome.missed, outcome.spurious)
    return [(g, s) for g, s in pairs if gold.types[g] != system.types[s]]


def confusions(levels: Sequence[str], sides: Sides) -> list[Confusion]:
    """A matrix for every level whose items have types and places, and every system."""
    counts: dict[tuple[int, str], Counter[tuple[str, str]]] = defaultdict(Counter)
    for gold, systems in sides:
        for name, own in systems.items():
            for level, pair in _typed_pairs(gold, own):
                counts[level, name][pair] += 1
    names = list(sides[0][1]) if sides else []
    return [
        _confusion(levels[level], name, pairs)
        for (level, name), pairs in sorted(counts.items(), key=lambda each: (each[0][0], names.index(each[0][1])))
        if len({one for pair in pairs for one in pair} - {NOTHING}) > 1
    ]


def _typed_pairs(gold: Side, own: Side) -> Iterator[tuple[int, tuple[str, str]]]:
    """The types at every place of both sides, with the level."""
    ours, theirs = (
        [n for n, (one, place) in enumerate(zip(side.types, side.places, strict=True)) if one is not None and place]
        for side in (gold, own)
    )
    pairs = pair_up(gold, own, ours, theirs)
    for g, s in pairs:
        yield gold.items[g].level, (str(gold.types[g]), str(own.types[s]))
    left, right = {g for g, _ in pairs}, {s for _, s in pairs}
    for n in ours:
        if n not in left:
            yield gold.items[n].level, (str(gold.types[n]), NOTHING)
    for n in theirs:
        if n not in right:
            yield own.items[n].level, (NOTHING, str(own.types[n]))


def _confusion(level: str, name: str, pairs: Counter[tuple[str, str]]) -> Confusion:
    """The matrix of the most frequent types; the rarer ones are counted together."""
    often: Counter[str] = Counter()
    for pair, count in pairs.items():
        for one in set(pair) - {NOTHING}:
            often[one] += count
    shown = sorted(one for one, _ in sorted(often.items(), key=lambda each: (-each[1], each[0]))[:MOST_TYPES])
    types = (*shown, *([OTHER] if len(often) > len(shown) else []), NOTHING)
    places = {one: number for number, one in enumerate(types)}
    counts = [[0] * len(types) for _ in types]
    for (ours, theirs), count in pairs.items():
        row, column = (places.get(one, len(types) - 2) for one in (ours, theirs))
        counts[row][column] += count
    return Confusion(level, name, types, types, tuple(map(tuple, counts)))


# ---------------------------------------------------------------------------------------------------------------------
# Texts


def unit_of(documents: Documents) -> Unit:
    """What the offsets of spans count: characters of the text, if there is one."""
    return "none" if all(document.text is None for document in documents.gold) else "characters"


def quoted(value: Any, document: GoldDocument, unit: Unit) -> str:
    """An item in a few words: its text, or its value.

    >>> document = GoldDocument(id="d", text="Ann left Rome.")
    >>> quoted({"subject": {"start": 0, "end": 3}, "object": {"start": 9, "end": 13}}, document, "characters")
    'Ann … Rome'
    """
    source: Sequence[str] = (document.text or "") if unit == "characters" else document.tokens
    found = []
    for start, end in spans_of(value) if unit != "none" else ():
        if end <= len(source):
            piece = source[start : min(end, start + SHORT)]
            found.append(piece if isinstance(piece, str) else " ".join(piece))
    text = " … ".join(found) if found else _written(value)
    return text if len(text) <= SHORT else text[: SHORT - 1] + "…"


def _written(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        shown = [(name, each) for name, each in value.items() if each is not None and not isinstance(each, bool)]
        return ", ".join(f"{name} {_written(each)}" for name, each in shown[:8])
    if isinstance(value, list | tuple):
        return ", ".join(_written(each) for each in value[:8])
    return "–" if value is None else str(value)
