"""Gold and systems in memory as documents that metrics compare: both sides are read, then brought together."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

import msgspec

from adjudge.errors import UsageError
from adjudge.formats.coerce.corpus import UNITS, Declared, Facts, is_list, origin, wrong
from adjudge.formats.coerce.side import OneSide, Reading, reading_of
from adjudge.formats.coerce.spans import Located, Part, Renamed, exclusive, is_place, located

FAMILIES = ("ner", "linking", "relation", "event", "tree", "amr", "coref")


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
    sides = [OneSide(kind, gold, declared_for(kind, options, "gold", "gold"))]
    for name, source in systems.items():
        sides.append(OneSide(kind, source, declared_for(kind, options, "system", called(name, len(systems)))))
    for side in sides:
        side.read()
    first, *others = sides
    for other in others:
        _pair(first, other)
        for name in first.left_out:
            other.parts.pop(name, None)
    if kind in ("ner", "linking"):
        _bring_together(first, others)
    texts = any(isinstance(fact, Facts) and fact.triples for side in sides for fact in side.facts.values())
    readings = [reading_of(side, texts=texts) for side in sides]
    if isinstance(options, Said):
        options.note([side.declared for side in sides])
        if not any(side.has_items() for side in sides):
            options.used.update(options)  # there is nothing of which it could be said
    return readings[0], dict(zip(systems, readings[1:], strict=True))


def _pair(gold: OneSide, system: OneSide) -> None:
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
        system.notes.add(
            "paired-by-position", f"{who}: {{n:document was|documents were}} paired by position", count=len(names)
        )
        system.values = {names[name]: value for name, value in system.values.items()}
        system.parts = {names[name]: part for name, part in system.parts.items()}
        system.facts = {names[name]: fact for name, fact in system.facts.items()}


def _some(names: Iterable[str]) -> str:
    """The first names of documents."""
    first, more = list(islice(names, 2)), len(list(names)) > 2
    return ", ".join(map(repr, first)) + ", ..." * more


def _bring_together(gold: OneSide, systems: list[OneSide]) -> None:
    from adjudge.formats.coerce import entities, tags

    for system in systems:
        tags.check_lengths(gold.parts, system.parts, system.declared.side)
        for name, part in system.parts.items():
            ours, theirs = gold.parts[name].tokens if name in gold.parts else None, part.tokens
            if part.tags is not None and ours is not None and theirs is not None:
                tags.note_tokens(name, ours, theirs, system.declared.side, system.notes)
    gold.parts = tags.without_ignored(gold.parts, [system.parts for system in systems], gold.notes)
    texts = gold.texts()
    for side in (gold, *systems):
        side.parts = tags.chunks_of(side.parts, side.declared, side.notes)
        side.parts = entities.checked_inline(side.parts, texts, side.declared.side, side.notes)
        known = {**texts, **side.texts()}
        if known:
            side.parts = {
                name: part if part.text is not None else msgspec.structs.replace(part, text=known.get(name))
                for name, part in side.parts.items()
            }
        side.parts, side.ends = exclusive(side.parts, side.declared, side.notes)
        found: Located = located(side.parts, known, side.declared, side.notes)
        side.parts, side.lost = found.parts, found.lost
        for name, part in side.parts.items():
            cut = _cut(part)
            if cut:
                side.notes.add(
                    "cuts-word",
                    f"{side.declared.side}: {{n:span begins or ends|spans begin or end}} inside a word",
                    name,
                    count=cut,
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
    from adjudge.formats.coerce.corpus import cuts_word

    return sum(
        cuts_word(part.text, item.start, item.end)
        for item in part.items
        if item.start is not None and item.end is not None
    )


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


# ---------------------------------------------------------------------------------------------------------------------
# What the caller says of the sides, and which of it meant something


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
    "fragments": ("join", "keep"),
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


def declared_for(kind: str, options: Mapping[str, Any], side: str, said: str) -> Declared:
    """What the options say of a side, gold or system, that errors call as it is `said`."""
    own = {name: value for name, value in options.items() if name in Declared.__struct_fields__}
    own["ends"] = options.get(f"{side}_ends") or own.get("ends")
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
