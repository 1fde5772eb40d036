"""Gold and systems in memory as documents that metrics compare: both sides are read, then brought together."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

import msgspec

from adjudge.formats.coerce.corpus import UNITS, Facts, is_list, origin, wrong
from adjudge.formats.coerce.declared import Said, called, declared_for
from adjudge.formats.coerce.documents import Reading, reading_of
from adjudge.formats.coerce.side import OneSide
from adjudge.formats.coerce.spans import Located, Part, exclusive, located

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
            "paired-by-position", f"{who}: {{n|document was|documents were}} paired by position", count=len(names)
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
                    f"{side.declared.side}: {{n|span begins or ends|spans begin or end}} inside a word",
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
    from adjudge.formats.coerce.texts import cuts_word

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
