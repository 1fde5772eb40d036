"""Outcomes of the items of documents that metrics compare: the alignments of the algebra, with words and places."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

import msgspec

from adjudge.algebra.align import Unmatched, level_of
from adjudge.algebra.operators.misfit import short
from adjudge.stats.alignment import Alignment, Item, Matching, Pair, Single, in_text, words
from adjudge.tasks.elements import NOTHING, field_of

if TYPE_CHECKING:
    from adjudge.algebra.align import Alignment as Aligned
    from adjudge.algebra.align import Why

LABELS = ("type", "role", "label", "slot", "relation")
"""The fields that say what an item is; the first one that it has."""
_OF_PLACES = frozenset(("start", "end", "type", "entity"))
"""The fields of a value that is a place, with what is said of it at most."""
_MEMBER = frozenset(("mention", "entity"))
"""The fields of a mention with all mentions of its entity."""
_COMPARED = 20_000  # pairs of items compared when searching for the nearest one
_DIGITS = 6
_LONG = 1000  # maximum bytes of a saved value
_WORDS = 200  # characters of the words of an item
_LARGEST = 1 << 63
_INDEX = re.compile(r"\[\d+\]")
_QUOTED = re.compile(r'(?<=\.)"(?:[^"\\]|\\.)*"')  # a name with brackets of its own


def align(document: Any, found: Mapping[str, Aligned], *, missing: bool = False, unread: str = "") -> Alignment:
    """The alignment of a gold and a system document, built from those of the metrics by name.

    >>> from adjudge.metrics import find
    >>> gold, system = {"text": "Ann left", "items": ["Ann", "b"]}, {"items": ["Ann"]}
    >>> made = align(gold, {"record.set": find("record.set").align(gold, system)})
    >>> [item.text for item in made.gold], made.matchings[0].missed[0].item, made.text
    (['Ann', 'b'], 1, 'Ann left')
    """
    sides: tuple[dict[str, Any], dict[str, Any]] = {}, {}
    found = {name: _scored(each) for name, each in found.items()}
    for each in found.values():
        for pair in each.matched:
            sides[0].setdefault(pair.gold_path, pair.gold)
            sides[1].setdefault(pair.system_path, pair.system)
        for side, left in zip(sides, (each.missed, each.spurious), strict=True):
            for one in left:
                side.setdefault(one.path, one.value)
    values = [{path: plain(value) for path, value in side.items()} for side in sides]
    text, place = _text(document, [span for value in values[0].values() for _, span in _placed(value)])
    elements = [each.elements for each in found.values() if each.elements is not None]
    gold, system = (_items(each, text, place) for each in values)
    if elements:
        mates = {one: other for each in elements for one, other in each.items()}
        gold, system = _grouped(gold, {}, ""), _grouped(system, mates, "+")
    numbers = [{item.id: number for number, item in enumerate(items)} for items in (gold, system)]
    said = partial(_said, text, place)
    made = tuple(_matching(name, each, gold, system, numbers, said) for name, each in found.items())
    return Alignment(gold=gold, system=system, matchings=made, text=text, missing=missing, unread=unread)


def _scored(found: Aligned) -> Aligned:
    """The alignment without the contents of items that a metric constructed, such as all mates of a mention."""
    made = [level for level in found.levels if "|" in level and level.partition("|")[2].count("[*]") > 1]
    return found.without(made) if made else found


def _matching(
    name: str,
    found: Aligned,
    gold: Sequence[Item],
    system: Sequence[Item],
    numbers: Sequence[Mapping[str, int]],
    said: Callable[[Any], str],
) -> Matching:
    ours, theirs = numbers
    pairs = [
        Pair(
            ours[each.gold_path],
            theirs[each.system_path],
            "correct" if each.score >= 1 else "partial" if each.score > 0 else "wrong",
            round(each.score, _DIGITS),
            "" if each.score >= 1 else _differing(found.why(each), said),
        )
        for each in found.matched
    ]
    missed, spurious = (
        {ours[each.path]: each for each in found.missed},
        {theirs[each.path]: each for each in found.spurious},
    )
    for one, other in _at_one_place(gold, system, missed, spurious):
        del missed[one], spurious[other]
        why = f"{gold[one].label} was taken for {system[other].label}"
        pairs.append(Pair(one, other, "wrong", 0.0, why))
    sizes = len(missed) + len(spurious), len(found.matched) + max(len(missed), len(spurious))
    single = partial(_single, found if sizes[0] * sizes[1] <= _COMPARED else None, said)
    return Matching(
        metric=name,
        pairs=tuple(sorted(pairs, key=lambda each: (each.gold, each.system))),
        missed=tuple(single(number, each, theirs) for number, each in sorted(missed.items())),
        spurious=tuple(single(number, each, ours) for number, each in sorted(spurious.items())),
        variables={str(a): str(b) for own in found.variables.values() for a, b in own.items()},
    )


def _single(
    found: Aligned | None, said: Callable[[Any], str], number: int, item: Unmatched, others: Mapping[str, int]
) -> Single:
    """An item without a partner, with the nearest one of the other side if there is an alignment to look into."""
    why = None if found is None else found.why(item)
    if why is None or why.nearest_path is None:
        return Single(number)
    differing = _differing(why, said) or "the nearest is matched to another, or worth nothing"
    return Single(number, differing, others[why.nearest_path])


def _differing(why: Why, said: Callable[[Any], str]) -> str:
    """What differs, with both values, unless they are too long for the difference to be seen."""
    found = []
    for each in why.differences:
        if each.similarity < 1:
            system, gold = said(each.system), said(each.gold)
            found.append(f"{each.path or 'value'} {'differs' if system == gold else f'is {system}, gold {gold}'}")
    return "; ".join(found)


def _said(text: str | None, place: Any, value: Any) -> str:
    """A value in a sentence: the words of places, if there is a text, else what is written."""
    whole = plain(value) if isinstance(value, dict | list | tuple) else None
    places = [where for _, span in _placed(whole) if (where := place(*span)) is not None]
    return repr(words(text, places, most=30)) if text is not None and places else short(value, 30)


def _at_one_place(
    gold: Sequence[Item], system: Sequence[Item], missed: Iterable[int], spurious: Iterable[int]
) -> list[tuple[int, int]]:
    """Pairs of a missed and a spurious item at the same place with different labels; each item is in one pair."""
    waiting: dict[Any, list[int]] = defaultdict(list)
    for number in spurious:
        if (where := _where(system[number])) is not None:
            waiting[where].append(number)
    found = []
    for number in missed:
        where = _where(gold[number])
        others = waiting.get(where, []) if where is not None else []
        other = next((each for each in others if system[each].label != gold[number].label), None)
        if other is not None:
            others.remove(other)
            found.append((number, other))
    return found


def _where(item: Item) -> tuple[Any, ...] | None:
    """What two items at the same place share: the spans or, if there are none, all fields but the label."""
    if not item.label or not isinstance(item.value, Mapping):
        return None
    if item.place:
        return item.level, item.group, item.place, item.roles, _head(item.value)
    fields = [
        (name, each)
        for name, each in item.value.items()
        if name not in LABELS and isinstance(each, str | int) and not isinstance(each, bool)
    ]
    return (item.level, item.group, *sorted(fields, key=repr)) if fields else None


# ---------------------------------------------------------------------------------------------------------------------
# Items


def _items(values: Mapping[str, Any], text: str | None, place: Any) -> tuple[Item, ...]:
    levels = {level_of(path) for path in values}
    order = sorted(values, key=lambda path: (path.count("["), level_of(path), _numbers(path)))
    return tuple(_item(path, values[path], levels, text, place) for path in order)


def _grouped(items: Sequence[Item], elements: Mapping[str, str], mark: str) -> tuple[Item, ...]:
    """The leaves with the list elements that contain them, outermost first, each by its index in gold.

    An element that only the system has is named by its own index after a marker.
    """
    found = []
    for item in items:
        bare = _QUOTED.sub(lambda name: "_" * len(name[0]), item.id)
        outer = [item.id[: each.end()] for each in _INDEX.finditer(bare) if each.end() < len(bare)]
        names = tuple(elements.get(each) or f"{mark}{each}" for each in outer)
        found.append(msgspec.structs.replace(item, group=names) if names else item)
    return tuple(found)


def _item(path: str, value: Any, levels: set[str], text: str | None, place: Any) -> Item:
    level = level_of(path)
    placed = [(role, where) for role, span in _placed(value) if (where := place(*span)) is not None]
    own = value
    if isinstance(value, dict):  # nested items have their own
        own = {name: each for name, each in value.items() if f"{level}.{name}[*]" not in levels}
    outer = _outer(path)
    parts = [[where for role, where in placed if (role == "entity") == inside] for inside in (False, True)]
    if not placed or text is None:
        said = _written(value)
    elif isinstance(value, dict) and value.keys() == _MEMBER and all(parts):
        said = " in ".join(words(text, each) for each in parts)
    else:
        said = words(text, [where for _, where in placed])
    if placed and text is not None and (head := _head(value)) and (where := place(head - 1, head)) is not None:
        said += f" ← {words(text, [where])}"
    roles = tuple(role for role, _ in placed)
    if isinstance(own, list | dict) and len(msgspec.json.encode(own)) > _LONG:
        own = None  # such as all other mentions of its cluster, in each mention
    return Item(
        id=path,
        level=level,
        text=said if len(said) <= _WORDS else said[: _WORDS - 1] + "…",
        place=tuple(where for _, where in placed),
        roles=roles if any(roles) else (),
        label=label_of(value) or "",
        group=(outer,) if outer and level_of(outer) in levels else (),
        value=own,
    )


@lru_cache(maxsize=1 << 14)  # the same paths occur in every document
def _numbers(path: str) -> tuple[int, ...]:
    return tuple(int(each[1:-1]) for each in _INDEX.findall(path))


def _outer(path: str) -> str:
    """The enclosing item: events[2] for events[2].arguments[0]."""
    places = list(_INDEX.finditer(path))
    return path[: places[-2].end()] if len(places) > 1 else ""


def label_of(value: Any) -> str | None:
    """The label of an item, if it has one.

    >>> label_of({"role": "Place"}), label_of("Paris")
    ('Place', None)
    """
    if not isinstance(value, dict):
        return None
    return next((value[name] for name in LABELS if isinstance(value.get(name), str)), None)


def _placed(value: Any) -> Iterator[tuple[str, tuple[int, int]]]:
    """The spans of an item and their roles in it: its own, or those in its fields; those of a list of places."""
    if isinstance(value, list):
        yield from (("", span) for each in value if (span := _place_of(each)) is not None)
    if not isinstance(value, dict):
        return
    own = _span(value)
    if own is not None:
        yield "", own
    if _head(value) is not None and isinstance(value["dependent"], int) and value["dependent"] > 0:
        yield "", (value["dependent"] - 1, value["dependent"])
    for name, inner in value.items():
        for each in inner if isinstance(inner, list | tuple) else (inner,):
            found = _place_of(each)
            if found is not None:
                yield str(name), found


def _place_of(value: Any) -> tuple[int, int] | None:
    """The span of a value that is a place and nothing more, but for its type and entity."""
    return _span(value) if isinstance(value, dict) and value.keys() <= _OF_PLACES else None


def _head(value: Any) -> int | None:
    """The index of a word's head, 0 for the root."""
    head = value.get("head") if isinstance(value, Mapping) and "dependent" in value else None
    return head if isinstance(head, int) else None


def _span(value: Mapping[str, Any]) -> tuple[int, int] | None:
    start, end = value.get("start"), value.get("end")
    if isinstance(start, bool) or isinstance(end, bool) or not isinstance(start, int) or not isinstance(end, int):
        return None
    return (start, end) if 0 <= start <= end else None


def _written(value: Any) -> str:
    """The words of an item without a place in a text: its own values without the label, which is shown beside it.

    >>> _written({"span": {"start": 0, "end": 4}, "type": "PER", "entity": "E1"}), _written({"text": "Oslo", "n": 1})
    ('0–4, entity E1', 'Oslo')
    """
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        if isinstance(value.get("text"), str) and value["text"]:
            return str(value["text"])
        if (span := _place_of(value)) is not None:
            more = (str(value[name]) for name in ("type", "entity") if value.get(name) is not None)
            return " ".join((f"{span[0]}–{span[1]}", *more))
        named = next((name for name in LABELS if isinstance(value.get(name), str)), None) if len(value) > 1 else None
        shown = [
            (name, each)
            for name, each in value.items()
            if name != named and each is not None and each != "" and not isinstance(each, bool)
        ]
        return ", ".join(
            _written(each) if isinstance(each, dict) and _span(each) else f"{name} {_written(each)}"
            for name, each in shown[:8]
        )
    if isinstance(value, list | tuple):
        return ", ".join(_written(each) for each in value[:8])
    return "–" if value is None else str(value)


def plain(value: Any) -> Any:
    """A value as JSON data: sets are sorted by `str`, unknown types become their `str`.

    >>> plain({"roles": frozenset({"b", "a"}), "span": (1, 2), "n": 1 << 70})
    {'roles': ['a', 'b'], 'span': [1, 2], 'n': '1180591620717411303424'}
    """
    if type(value) is dict:  # called for millions of plain values, hence the shortcut
        keys = (key if type(key) is str and key.isascii() else plain(str(key)) for key in value)
        return dict(zip(keys, map(plain, value.values()), strict=True))
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode()
    if value is None or isinstance(value, bool | float):
        return value
    if isinstance(value, int):
        return value if -_LARGEST <= value < _LARGEST else str(value)
    if isinstance(value, frozenset | set):
        return sorted((plain(each) for each in value), key=repr)
    if isinstance(value, Mapping):
        return {plain(str(key)): plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    try:
        return plain(msgspec.to_builtins(value, enc_hook=str))
    except (TypeError, ValueError):
        return plain(str(value))


# ---------------------------------------------------------------------------------------------------------------------
# Texts


def _text(data: Any, spans: Sequence[tuple[int, int]]) -> tuple[str | None, Any]:
    """The text of a document, and where a span lies in it, in characters, or in tokens if those fit better."""
    text, tokens, sentences, trees = (field_of(data, name) for name in ("text", "tokens", "sentences", "dependencies"))
    if isinstance(sentences, list | tuple) and tokens is NOTHING:
        tokens = [token for each in sentences if isinstance(each, list | tuple) for token in each]
    if isinstance(trees, list | tuple) and tokens is NOTHING:  # the text of CoNLL-U has no spaces
        tokens, text = [each.get("form") if isinstance(each, Mapping) else None for each in trees], NOTHING
    listed = isinstance(tokens, list | tuple) and bool(tokens) and all(isinstance(token, str) for token in tokens)
    if isinstance(text, str) and not (listed and 2 * sum(_fits(text, *span) for span in spans) < len(spans)):
        size = len(text)
        return plain(text), lambda start, end: (start, end) if end <= size else None
    if listed:
        assert isinstance(tokens, list | tuple)
        size, (joined, place) = len(tokens), in_text(plain(list(tokens)))
        return joined, lambda start, end: place(start, end) if end <= size else None
    return None, lambda start, end: (start, end)


def _fits(text: str, start: int, end: int) -> bool:
    """Whether a span begins and ends between words."""
    if end > len(text):
        return False
    return not any(0 < at < len(text) and _letter(text[at - 1]) and _letter(text[at]) for at in (start, end))


def _letter(character: str) -> bool:
    """Whether this is a digit, or a letter of a script that puts spaces between words."""
    return character.isdigit() or character.lower() != character.upper()
