"""What became of every item, in a form that can be saved: from the alignments that make the scores."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from adjudge.algebra.align import level_of
from adjudge.stats.outcomes import Documents, GoldDocument, Item, Outcome, SystemDocument, is_inside, split_level
from adjudge.tasks.elements import NOTHING, field_of

if TYPE_CHECKING:
    from adjudge.algebra.align import Alignment
    from adjudge.evaluate.engine import Evaluation
    from adjudge.metrics import Metric
    from adjudge.model.document import Document
    from adjudge.stats.result import Note, Result

MOST = 2.5
"""How much more than the documents themselves what is saved of them may take, in bytes of JSON."""

_PLACE = re.compile(r"\[(\d+)\]")
_ITEM, _NUMBER = 8, 4  # bytes that an item takes without its value, and its number in an outcome
_LARGEST = 1 << 63


class _Inner(NamedTuple):
    """Instead of a value that stands in the value of the outermost item."""


class Found(NamedTuple):
    """The alignment of one metric by paths: (gold, system, score) of the matched ones, and the others."""

    metric: str
    matched: tuple[tuple[str, str, float], ...]
    missed: tuple[str, ...]
    spurious: tuple[str, ...]


@dataclass(slots=True)
class Aligned:
    """All alignments of one document and one system: the items of both sides by path, and what became of them."""

    gold: dict[str, Any] = field(default_factory=dict)
    system: dict[str, Any] = field(default_factory=dict)
    found: list[Found] = field(default_factory=list)

    def add(self, metric: Metric, alignment: Alignment) -> None:
        """Take in what a metric says."""
        for each in alignment.matched:
            self.gold.setdefault(each.gold_path, each.gold)
            self.system.setdefault(each.system_path, each.system)
        for left, values in ((alignment.missed, self.gold), (alignment.spurious, self.system)):
            for one in left:
                values.setdefault(one.path, one.value)
        self.found.append(
            Found(
                metric.name,
                tuple((each.gold_path, each.system_path, each.score) for each in alignment.matched),
                tuple(each.path for each in alignment.missed),
                tuple(each.path for each in alignment.spurious),
            )
        )

    def packed(self) -> Aligned:
        """The same with plain values, those of inner items left out: what travels between processes and is saved."""
        return Aligned(_packed(self.gold), _packed(self.system), self.found)


def _packed(values: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for path in sorted(values, key=lambda one: one.count("[")):  # the outer ones first
        value, (level, places) = plain(values[path]), _split(path)
        root, rest = split_level(level)
        outer = found.get(root.replace("[*]", f"[{places[0]}]")) if rest and places else None
        found[path] = _Inner() if outer is not None and is_inside(outer, rest, places[1:], value) else value
    return {path: found[path] for path in values}


@lru_cache(maxsize=1 << 14)  # the same paths come in every document
def _split(path: str) -> tuple[str, tuple[int, ...]]:
    """The level of a path, and its places there."""
    return level_of(path), tuple(int(number) for number in _PLACE.findall(path))


def plain(value: Any) -> Any:
    """A value as JSON data: sets sorted by what they print as, anything unknown as what it prints as.

    >>> plain({"roles": frozenset({"b", "a"}), "span": (1, 2), "n": 1 << 70})
    {'roles': ['a', 'b'], 'span': [1, 2], 'n': '1180591620717411303424'}
    """
    if type(value) is dict:  # plain data by the million come here, hence the shortcut
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
# Putting it together


def with_documents(result: Result, evaluation: Evaluation) -> Result:
    """The result with its documents.

    Levels of items that would make the whole more than so many times as large as the documents are left out, the
    innermost ones first, and a note says so.
    """
    documents: dict[str, Document] = {name: evaluation.gold.documents[name] for name in evaluation.ids}
    systems = {
        name: [None if seen is None else seen.aligned for seen in own.details]
        for name, own in evaluation.systems.items()
    }
    inputs = {
        name: [own.side.documents[each].data if each in own.side.documents else None for each in documents]
        for name, own in evaluation.systems.items()
    }
    given = [document.data for document in documents.values()]
    texts = [_text(data) for data in given]
    budget = MOST * (_size(plain(given)) + sum(_size(plain(own)) for own in inputs.values()))
    every = [each for own in systems.values() for each in own if each is not None]
    ours = [_union(own[place] for own in systems.values()) for place in range(len(documents))]
    levels, lost = _levels([*ours, *(each.system for each in every)], every, budget - _size(texts))
    numbers = {level: number for number, level in enumerate(levels)}
    names = dict.fromkeys(found.metric for each in every for found in each.found)
    metrics = {name: number for number, name in enumerate(names)}
    gold, outcomes = [], dict[str, list[SystemDocument]]((name, []) for name in systems)
    for place, (identifier, (text, tokens)) in enumerate(zip(documents, texts, strict=True)):
        known, items = _items(ours[place], numbers)
        gold.append(GoldDocument(id=identifier, text=text, tokens=tokens, items=items))
        for name, own in systems.items():
            each, missing = own[place], inputs[name][place] is None
            if each is None:
                outcomes[name].append(SystemDocument(missing=missing))
                continue
            theirs, items = _items(each.system, numbers)
            found = tuple(_outcome(one, known, theirs, metrics[one.metric]) for one in each.found)
            outcomes[name].append(SystemDocument(items=items, outcomes=found, missing=missing))
    return msgspec.structs.replace(
        result,
        systems=tuple(msgspec.structs.replace(each, outcomes=tuple(outcomes[each.name])) for each in result.systems),
        documents=Documents(levels=tuple(levels), metrics=tuple(metrics), gold=tuple(gold)),
        notes=(*result.notes, *_notes(lost)),
    )


def _notes(lost: Sequence[str]) -> Iterable[Note]:
    if not lost:
        return
    from adjudge.stats.result import Note

    message = f"{len(lost)} level{'s' * (len(lost) > 1)} of items would take more room than the documents, not saved"
    yield Note("outcomes-not-saved", len(lost), message, tuple(sorted(lost)[:10]))


def _union(aligned: Iterable[Aligned | None]) -> dict[str, Any]:
    """The gold items of a document, whoever found or missed them."""
    return {path: value for each in aligned if each is not None for path, value in each.gold.items()}


def _levels(sides: Iterable[Mapping[str, Any]], every: Iterable[Aligned], room: float) -> tuple[list[str], list[str]]:
    """The levels of items that there is room for, and the others; outer levels come first."""
    costs: dict[str, float] = {}
    for values in sides:
        for path, value in values.items():
            level, _ = _split(path)
            size = 0 if isinstance(value, _Inner) else _size(value)
            costs[level] = costs.get(level, 0.0) + size + _ITEM + 2 * path.count("[")
    for found in (found for each in every for found in each.found):
        for path in (*(one[0] for one in found.matched), *found.missed, *found.spurious):
            costs[_split(path)[0]] += 2 * _NUMBER
    kept: list[str] = []
    lost: list[str] = []
    for level in sorted(costs, key=lambda one: (one.count("[*]"), costs[one], one)):
        if costs[level] <= room and split_level(level)[0] not in lost:
            kept.append(level)
            room -= costs[level]
        else:
            lost.append(level)
    return kept, lost


def _items(values: Mapping[str, Any], levels: Mapping[str, int]) -> tuple[dict[str, int], tuple[Item, ...]]:
    """The items whose level is saved, in the order of levels and places, and their numbers by path."""
    named = ((path, _split(path)) for path in values)
    found = sorted((levels[level], places, path) for path, (level, places) in named if level in levels)
    items = [
        Item(level, place, None if isinstance(values[path], _Inner) else values[path]) for level, place, path in found
    ]
    return {path: number for number, (_, _, path) in enumerate(found)}, tuple(items)


def _outcome(found: Found, gold: Mapping[str, int], system: Mapping[str, int], metric: int) -> Outcome:
    matched = sorted((gold[g], system[s], score) for g, s, score in found.matched if g in gold and s in system)
    scores = tuple(round(score, 6) for _, _, score in matched)
    return Outcome(
        metric,
        tuple(g for g, _, _ in matched),
        tuple(s for _, s, _ in matched),
        scores if any(score != 1 for score in scores) else (),
        tuple(sorted(gold[path] for path in found.missed if path in gold)),
        tuple(sorted(system[path] for path in found.spurious if path in system)),
    )


def _text(data: Any) -> tuple[str | None, tuple[str, ...]]:
    """The text of a document, and its tokens: one list, or those of its sentences."""
    text, tokens, sentences = (field_of(data, name) for name in ("text", "tokens", "sentences"))
    if isinstance(sentences, list | tuple) and tokens is NOTHING:
        tokens = [token for each in sentences if isinstance(each, list | tuple) for token in each]
    listed = isinstance(tokens, list | tuple) and all(isinstance(token, str) for token in tokens)
    return plain(text) if isinstance(text, str) else None, tuple(plain(list(tokens))) if listed else ()


def _size(value: Any) -> int:
    """The bytes of a plain value as JSON."""
    return len(msgspec.json.encode(value))
