"""What became of every nugget: found, found with an error, missed, invented; and how clusters were merged and split.

The mapping comes from the score; nothing is matched a second time. Where several nuggets have the same place (a mention
that is annotated twice), the mapping of places alone cannot tell them apart, and pairs are exchanged among them so that
types and realis agree as far as possible: the Dice values stay what they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Literal, NamedTuple, TypeAlias

from adjudge.model.nugget import COREFERENCE, NOT_ANNOTATED, Nugget, NuggetDocument
from adjudge.tasks.nugget.settings import Settings, canonical

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
