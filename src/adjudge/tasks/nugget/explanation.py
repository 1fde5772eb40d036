"""What became of the nuggets of one document: found, found with an error, missed, invented; and of its clusters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from adjudge.model.nugget import NOT_ANNOTATED, Nugget, NuggetDocument
from adjudge.tasks.nugget.outcome import KINDS, classify, cluster_members, compare_clusters
from adjudge.tasks.nugget.reading import Seen, check_documents, observe_all
from adjudge.tasks.nugget.settings import Settings, canonical
from adjudge.tasks.nugget.sides import Documents

_TITLES = {"wrong-realis": "realis", "wrong-type": "type", "wrong-both": "both"}


@dataclass(frozen=True, slots=True)
class Fate:
    """A gold nugget and the system nugget it is mapped to; one of them is missing if it was missed or is spurious."""

    kind: str
    dice: float
    gold: str | None
    system: str | None


@dataclass(frozen=True, slots=True)
class Change:
    """Clusters of both sides that share mentions, and how they differ; singletons that agree are left out."""

    change: str
    gold: tuple[tuple[str, ...], ...]
    system: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """One document of one system: every nugget, the sums of Dice that count, and the clusters that differ."""

    document: str
    system: str
    profile: str
    matched: dict[str, float]
    gold_nuggets: int
    system_nuggets: int
    nuggets: tuple[Fate, ...]
    clusters: tuple[Change, ...]

    def to_data(self) -> dict[str, Any]:
        """As plain data that any JSON writer takes."""
        return asdict(self)

    def __str__(self) -> str:
        return "\n".join(_lines(self))


def explain(
    gold: Documents,
    systems: Any,
    document: str,
    settings: Settings,
    *,
    names: Sequence[str | None] | None = None,
    **how: Any,
) -> dict[str, Explanation]:
    """What became of one document, for each system by name; `how` are options of `observe_all`.

    >>> gold = [NuggetDocument("d", [Nugget("E1", "Life_Die", "Actual", "died", ("t3",), line=2)])]
    >>> system = [NuggetDocument("d", [Nugget("m1", "Life_Die", "Other", "has died", ("t2", "t3"), line=2)])]
    >>> print(explain(gold, system, "d", Settings())["system"])
    d  system  spec  1 gold nugget, 1 system nugget; span 0.67, type 0.67, realis 0.00, type+realis 0.00
    realis    E1 died Life_Die Actual | m1 has died Life_Die Other (0.67)
    """
    found: dict[str, Explanation] = {}

    def visit(seen: Seen) -> None:
        found[seen.system] = _explained(seen, settings)

    check_documents(observe_all(gold, systems, settings, docs=[document], names=names, visit=visit, **how))
    return found


def agreement(settings: Settings) -> Any:
    """When a gold and a system value agree under a profile."""
    spelled = settings.spelling
    if spelled is None:
        return str.__eq__
    if settings.profile != "evmeval-1.8":
        return lambda gold, system: spelled(gold) == spelled(system)
    anything = canonical(NOT_ANNOTATED)
    return lambda gold, system: spelled(gold) in (spelled(system), anything)


def _explained(seen: Seen, settings: Settings) -> Explanation:
    gold, system = seen.gold, seen.own if seen.own is not None else NuggetDocument(seen.gold.id)
    agree = agreement(settings)
    outcomes = classify(
        gold.nuggets, system.nuggets, seen.observed.mappings["span"], same_type=agree, same_realis=agree
    )
    fates = [
        Fate(each.kind, each.dice, _told(own), None if each.partner is None else _told(system.nuggets[each.partner]))
        for own, each in zip(gold.nuggets, outcomes.gold, strict=True)
    ]
    fates += [
        Fate(each.kind, 0.0, None, _told(own))
        for own, each in zip(system.nuggets, outcomes.system, strict=True)
        if each.partner is None
    ]
    fates.sort(key=lambda fate: KINDS.index(fate.kind))
    return Explanation(
        document=gold.id,
        system=seen.system,
        profile=settings.profile,
        matched=dict(seen.observed.matched),
        gold_nuggets=len(gold.nuggets),
        system_nuggets=len(system.nuggets),
        nuggets=tuple(fates),
        clusters=tuple(_changes(seen, gold, system, settings)),
    )


def _changes(seen: Seen, gold: NuggetDocument, system: NuggetDocument, settings: Settings) -> Iterator[Change]:
    if settings.coref is False:
        return
    ours, theirs = cluster_members(gold), cluster_members(system)
    pairs = seen.observed.mappings[settings.mapping]
    for group in compare_clusters(ours, theirs, pairs, threshold=settings.threshold):
        mine = tuple(_names(gold, ours[place]) for place in group.gold)
        other = tuple(_names(system, theirs[place]) for place in group.system)
        if group.change != "same" and any(len(each) > 1 for each in (*mine, *other)):
            yield Change(group.change, mine, other)


def _names(document: NuggetDocument, cluster: Sequence[int]) -> tuple[str, ...]:
    return tuple(document.nuggets[place].id for place in cluster)


def _told(nugget: Nugget) -> str:
    return f"{nugget.id} {nugget.text} {nugget.type} {nugget.realis}"


def _lines(found: Explanation) -> Iterator[str]:
    sums = ", ".join(f"{name} {value:.2f}" for name, value in found.matched.items())
    numbers = [(found.gold_nuggets, "gold"), (found.system_nuggets, "system")]
    sizes = ", ".join(f"{number} {side} nugget{'s' * (number != 1)}" for number, side in numbers)
    yield f"{found.document}  {found.system}  {found.profile}  {sizes}; {sums}"
    for fate in found.nuggets:
        title = _TITLES.get(fate.kind, fate.kind)
        both = " | ".join(text for text in (fate.gold, fate.system) if text is not None)
        yield f"{title:<10}{both}" + (f" ({fate.dice:.2f})" if 0 < fate.dice < 1 else "")
    for change in found.clusters:
        sides = [" ".join(f"[{' '.join(cluster)}]" for cluster in side) or "-" for side in (change.gold, change.system)]
        yield f"cluster   {change.change}: gold {sides[0]}, system {sides[1]}"
