"""What became of every nugget: found, found with an error, missed, invented; and how clusters were merged and split.

The mapping comes from the score; nothing is matched a second time. Where several nuggets have the same place (a mention
that is annotated twice), the mapping of places alone cannot tell them apart, and pairs are exchanged among them so that
types and realis agree as far as possible: the Dice values stay what they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

from adjudge.evaluate.engine import Evaluation
from adjudge.evaluate.run import Run
from adjudge.model.nugget import COREFERENCE, NOT_ANNOTATED, Nugget, NuggetDocument
from adjudge.tasks.nugget.settings import Settings, canonical
from adjudge.tasks.nugget.task import NuggetTask, Seen, evaluate_nuggets

Kind: TypeAlias = Literal["correct", "partial", "wrong-realis", "wrong-type", "wrong-both", "missed", "spurious"]
Change: TypeAlias = Literal["same", "changed", "split", "merged", "mixed", "missed", "spurious"]
Pair: TypeAlias = tuple[int, int, float]
Agree: TypeAlias = Callable[[str, str], bool]

CHOICES = 10_000  # pairs of nuggets at one place, beyond which they are left as they are
KINDS: tuple[Kind, ...] = ("correct", "partial", "wrong-realis", "wrong-type", "wrong-both", "missed", "spurious")


class Outcome(NamedTuple):
    """What became of a nugget: `partner` is the index of the other side's nugget, `dice` how far the places agree.

    A nugget with a wrong attribute may also be partly in the wrong place: then `dice` is below 1.
    """

    kind: Kind
    partner: int | None = None
    dice: float = 0.0


class Outcomes(NamedTuple):
    """One outcome for every nugget of a document, in its order."""

    gold: list[Outcome]
    system: list[Outcome]


class Group(NamedTuple):
    """Clusters of both sides that have mentions in common, by their index, and what happened to them.

    `change` is `same` if all members agree, `changed` if one cluster stands for one but has lost or gained members,
    `split` or `merged` if one stands for several, `mixed` for several on both sides, `missed` and `spurious` if the
    other side has none.
    """

    change: Change
    gold: tuple[int, ...]
    system: tuple[int, ...]


def classify(
    gold: Sequence[Nugget],
    system: Sequence[Nugget],
    pairs: Iterable[Pair],
    *,
    same_type: Agree = str.__eq__,
    same_realis: Agree = str.__eq__,
) -> Outcomes:
    """The outcome of every nugget, from pairs (gold index, system index, Dice) of the mapping of places.

    `same_type` and `same_realis` say when a gold value and a system value agree. A pair with a wrong attribute is
    called after the attribute, whatever its Dice; only a pair with the right attributes is `partial`.

    >>> murder = [Nugget("E1", "Attack", "Actual", "murder", ("t1",)), Nugget("E2", "Die", "Actual", "murder", ("t1",))]
    >>> found = classify(murder, [Nugget("m1", "Die", "Other", "murder", ("t1",))], [(0, 0, 1.0)])
    >>> found.gold[0].kind, found.gold[1], found.system[0].partner
    ('missed', Outcome(kind='wrong-realis', partner=0, dice=1.0), 1)
    """

    def agreement(one: int, other: int) -> tuple[bool, bool]:
        return same_type(gold[one].type, system[other].type), same_realis(gold[one].realis, system[other].realis)

    found = Outcomes([Outcome("missed")] * len(gold), [Outcome("spurious")] * len(system))
    for one, other, dice in _exchanged(gold, system, list(pairs), agreement):
        kind = _kind(*agreement(one, other), dice)
        found.gold[one] = Outcome(kind, other, dice)
        found.system[other] = Outcome(kind, one, dice)
    return found


def _kind(right_type: bool, right_realis: bool, dice: float) -> Kind:
    if not right_type:
        return "wrong-type" if right_realis else "wrong-both"
    if not right_realis:
        return "wrong-realis"
    return "correct" if dice >= 1 else "partial"


def _exchanged(
    gold: Sequence[Nugget],
    system: Sequence[Nugget],
    pairs: list[Pair],
    agreement: Callable[[int, int], tuple[bool, bool]],
) -> list[Pair]:
    """The pairs, exchanged among nuggets of the same place so that attributes agree as far as possible."""
    twins, others = _by_place(gold), _by_place(system)
    cells: dict[tuple[int, int], list[Pair]] = {}
    for pair in pairs:
        cells.setdefault((twins[pair[0]][0], others[pair[1]][0]), []).append(pair)
    golds, systems = {one for one, _, _ in pairs}, {other for _, other, _ in pairs}  # who has a partner
    arranged: list[Pair] = []
    for members in sorted(cells.values(), key=lambda members: (-members[0][2], members[0][:2])):
        one, other, dice = members[0]
        golds.difference_update(one for one, _, _ in members)
        systems.difference_update(other for _, other, _ in members)
        free = (
            [each for each in twins[one] if each not in golds],
            [each for each in others[other] if each not in systems],
        )
        if 1 < len(free[0]) * len(free[1]) <= CHOICES:
            choices = [(one, other) for one in free[0] for other in free[1]]
            choices.sort(key=lambda pair: [not right for right in agreement(*pair)])
        else:
            choices = [(one, other) for one, other, _ in members]
        left = len(members)
        for one, other in choices:
            if left and one not in golds and other not in systems:
                golds.add(one)
                systems.add(other)
                arranged.append((one, other, dice))
                left -= 1
    return sorted(arranged)


def _by_place(nuggets: Sequence[Nugget]) -> list[list[int]]:
    """For every nugget the indices of those that have its place, itself among them."""
    groups: dict[object, list[int]] = {}
    return [_joined(groups.setdefault(_place(nugget), []), index) for index, nugget in enumerate(nuggets)]


def _place(nugget: Nugget) -> object:
    return frozenset(nugget.tokens) or nugget.pieces


def _joined(group: list[int], index: int) -> list[int]:
    group.append(index)
    return group


def cluster_members(document: NuggetDocument) -> list[list[int]]:
    """The clusters as indices of nuggets: those of the relations in their order, then every other nugget alone.

    A nugget belongs to the first relation that names it; names of unknown nuggets are left out.

    >>> from adjudge.model.nugget import Relation
    >>> nuggets = [Nugget(id, "Attack", "Actual", "x") for id in ("E1", "E2", "E3")]
    >>> cluster_members(NuggetDocument("d", nuggets, [Relation("Coreference", "R1", ("E3", "E1"))]))
    [[0, 2], [1]]
    """
    home: dict[str, int] = {}
    number = 0
    for relation in document.relations:
        if relation.name == COREFERENCE:
            for argument in relation.arguments:
                home.setdefault(argument, number)
            number += 1
    clusters: list[list[int]] = [[] for _ in range(number)]
    alone = []
    for index, nugget in enumerate(document.nuggets):
        if nugget.id in home:
            clusters[home[nugget.id]].append(index)
        else:
            alone.append([index])
    return [cluster for cluster in clusters if cluster] + alone


def compare_clusters(
    gold: Sequence[Sequence[int]], system: Sequence[Sequence[int]], pairs: Iterable[Pair], *, threshold: float = 1.0
) -> list[Group]:
    """Clusters that share mentions as groups, in the order of their first gold cluster; the spurious ones last.

    `pairs` are those of the mapping that coreference is scored by, of which those count that reach the `threshold`.

    >>> compare_clusters([[0, 1], [2]], [[0], [1, 2]], [(0, 0, 1.0), (1, 1, 1.0), (2, 2, 1.0)])
    [Group(change='mixed', gold=(0, 1), system=(0, 1))]
    >>> compare_clusters([[0, 1], [2]], [[0], [1]], [(0, 0, 1.0), (1, 1, 1.0)])
    [Group(change='split', gold=(0,), system=(0, 1)), Group(change='missed', gold=(1,), system=())]
    """
    mates = {one: other for one, other, dice in pairs if dice >= threshold}
    home = {member: number for number, cluster in enumerate(system) for member in cluster}
    touching: list[dict[int, int]] = []  # for each gold cluster, how many members each system cluster shares
    visitors: dict[int, list[int]] = {}
    for number, cluster in enumerate(gold):
        shared: dict[int, int] = {}
        for member in cluster:
            if member in mates and mates[member] in home:
                other = home[mates[member]]
                shared[other] = shared.get(other, 0) + 1
        touching.append(shared)
        for other in shared:
            visitors.setdefault(other, []).append(number)
    groups, done = [], set()
    for first in range(len(gold)):
        if first in done:
            continue
        ours, theirs, todo = {first}, set[int](), [first]
        while todo:
            for other in touching[todo.pop()].keys() - theirs:
                theirs.add(other)
                todo += [each for each in visitors[other] if each not in ours]
                ours.update(visitors[other])
        done |= ours
        groups.append(Group(_change(gold, system, touching, ours, theirs), tuple(sorted(ours)), tuple(sorted(theirs))))
    return groups + [Group("spurious", (), (number,)) for number in range(len(system)) if number not in visitors]


def _change(
    gold: Sequence[Sequence[int]],
    system: Sequence[Sequence[int]],
    touching: Sequence[dict[int, int]],
    ours: set[int],
    theirs: set[int],
) -> Change:
    if not theirs:
        return "missed"
    if len(ours) > 1:
        return "merged" if len(theirs) == 1 else "mixed"
    if len(theirs) > 1:
        return "split"
    (one,), (other,) = ours, theirs
    return "same" if touching[one][other] == len(gold[one]) == len(system[other]) else "changed"


# ---------------------------------------------------------------------------------------------------------------------
# One document

_TITLES = {"wrong-realis": "realis", "wrong-type": "type", "wrong-both": "both"}


@dataclass(frozen=True, slots=True)
class Fate:
    """A gold nugget and the system nugget it is mapped to; one of them is missing if it was missed or is spurious."""

    kind: str
    dice: float
    gold: str | None
    system: str | None


@dataclass(frozen=True, slots=True)
class ClusterChange:
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
    clusters: tuple[ClusterChange, ...]

    def to_data(self) -> dict[str, Any]:
        """As plain data that any JSON writer takes."""
        return asdict(self)

    def __str__(self) -> str:
        return "\n".join(_lines(self))


def explain(
    gold: Any, systems: Any, document: str, task: NuggetTask, *, names: Sequence[str | None] | None = None
) -> dict[str, Explanation]:
    """What became of one document, for each system by name.

    >>> gold = [NuggetDocument("d", [Nugget("E1", "Life_Die", "Actual", "died", ("t3",), line=2)])]
    >>> system = [NuggetDocument("d", [Nugget("m1", "Life_Die", "Other", "has died", ("t2", "t3"), line=2)])]
    >>> print(explain(gold, system, "d", NuggetTask())["system"])
    d  system  spec  1 gold nugget, 1 system nugget; span 0.67, type 0.67, realis 0.00, type+realis 0.00
    realis    E1 died Life_Die Actual | m1 has died Life_Die Other (0.67)
    """
    run = Run(docs=(document,), keep=True, digest=False)
    evaluation = evaluate_nuggets(task, gold, systems, run, names=names).checked()
    return {
        name: _explained(seen, name, task.settings)
        for name, counted in evaluation.systems.items()
        for seen in [each.seen for each in counted.details if each is not None]
    }


def agreement(settings: Settings) -> Agree:
    """When a gold value and a system value of an attribute agree: as the profile compares them.

    >>> agreement(Settings())("Life_Die", "life_die"), agreement(Settings("evmeval-1.8"))("Life_Die", "life_die")
    (False, True)
    """
    spelled = settings.spelling or str
    wildcard = canonical(NOT_ANNOTATED) if settings.profile == "evmeval-1.8" else None

    def agree(gold: str, system: str) -> bool:
        value = spelled(gold)
        return value == wildcard or value == spelled(system)

    return agree


def _explained(seen: Seen, name: str, settings: Settings) -> Explanation:
    gold, system = seen.gold, seen.system
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
        system=name,
        profile=settings.profile,
        matched=dict(seen.observed.matched),
        gold_nuggets=len(gold.nuggets),
        system_nuggets=len(system.nuggets),
        nuggets=tuple(fates),
        clusters=tuple(_changes(seen, settings)),
    )


def _changes(seen: Seen, settings: Settings) -> Iterator[ClusterChange]:
    if settings.coref is False:
        return
    gold, system = seen.gold, seen.system
    ours, theirs = cluster_members(gold), cluster_members(system)
    pairs = seen.observed.mappings[settings.mapping]
    for group in compare_clusters(ours, theirs, pairs, threshold=settings.threshold):
        mine = tuple(_names(gold, ours[place]) for place in group.gold)
        other = tuple(_names(system, theirs[place]) for place in group.system)
        if group.change != "same" and any(len(each) > 1 for each in (*mine, *other)):
            yield ClusterChange(group.change, mine, other)


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


# ---------------------------------------------------------------------------------------------------------------------
# Confusion matrices: which types, or realis values, the system takes for which, over the mapping of places

MISSED, SPURIOUS = "(missed)", "(spurious)"


class Confusion(NamedTuple):
    """How many gold nuggets of one value are mapped to system nuggets of another; None is no nugget."""

    field: str
    system: str
    profile: str
    counts: dict[tuple[str | None, str | None], int]

    def values(self, side: int) -> list[str | None]:
        """The values of gold (0) or of the system (1), sorted, no nugget last."""
        found = {key[side] for key in self.counts}
        return [*sorted(value for value in found if value is not None), *([None] if None in found else [])]

    def to_data(self) -> dict[str, Any]:
        """As plain data that any JSON writer takes."""
        cells = sorted(self.counts.items(), key=lambda cell: [(value is None, value or "") for value in cell[0]])
        return {
            "system": self.system,
            "profile": self.profile,
            "field": self.field,
            "cells": [{"gold": gold, "system": own, "count": count} for (gold, own), count in cells],
        }

    def rows(self) -> list[list[str]]:
        """The matrix with its titles: a row per gold value, a column per system value."""
        across = self.values(1)
        titles = [MISSED if value is None else value for value in across]
        return [
            [f"gold {self.field} \\ {self.system} ({self.profile})", *titles],
            *(
                [SPURIOUS if gold is None else gold, *(str(self.counts.get((gold, own), 0)) for own in across)]
                for gold in self.values(0)
            ),
        ]

    def __str__(self) -> str:
        return format_rows(self.rows())


def confusions(evaluation: Evaluation, field: str) -> list[Confusion]:
    """One matrix for each system of a run that has kept its documents."""
    found = []
    for name, counted in evaluation.systems.items():
        counts: Counter[tuple[str | None, str | None]] = Counter()
        for observed in [each.seen.observed for each in counted.details if each is not None]:
            gold, system = (side.types if field == "type" else side.realis for side in observed.sides)
            pairs = observed.mappings["span"]
            ours, theirs = {pair[0] for pair in pairs}, {pair[1] for pair in pairs}
            counts.update((gold[one], system[other]) for one, other, _ in pairs)
            counts.update((value, None) for place, value in enumerate(gold) if place not in ours)
            counts.update((None, value) for place, value in enumerate(system) if place not in theirs)
        found.append(Confusion(field, name, evaluation.task.profile, counts))
    return found


def format_rows(rows: Sequence[Sequence[str]]) -> str:
    """Rows of cells as aligned text, zeros as dots.

    >>> print(format_rows([["gold", "A", "B"], ["A", "12", "0"]]))
    gold  A  B
    A    12  .
    """
    shown = [[cell if number == 0 or cell != "0" else "." for cell in row] for number, row in enumerate(rows)]
    widths = [max(len(row[place]) for row in shown) for place in range(len(shown[0]))]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if place else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in shown
    )
