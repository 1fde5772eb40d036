"""How well the frames of a system agree with the reference frames: the official variant of B-cubed, and alternatives.

Frames are sets of classes (TRFRs), written as numbers whose bits are the classes. A class may be in several frames.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import fsum
from typing import NamedTuple

from adjudge.tasks.eal.classes import Frames, spread


class Links(NamedTuple):
    """The link score of a document as sums over classes, and its links: pairs of classes that share a frame.

    `f` and `recall` are sums over the `size` classes of the reference, `precision` over the `found` of them that the
    system has.
    """

    f: float
    precision: float
    recall: float
    found: int
    size: int
    common: int
    system: int
    gold: int


def score_links(reference: Frames, masks: Iterable[int]) -> Links:
    """The official link score: for each reference class x the F1 of its neighbours, summed.

    The neighbours of x are the classes that share a frame with x, without x itself. If x has none on both sides, F is
    1; if the system does not have x, 0. `masks` are frames with reference classes only: others cost nothing (scoring
    proposal, "Linking Sub-score").

    >>> frames = Frames([0b011, 0b100], [0b010, 0b001, 0], [0, 1, 2], {})
    >>> score_links(frames, [0b001, 0b100])
    Links(f=1.0, precision=1.0, recall=1.0, found=2, size=3, common=0, system=0, gold=1)
    """
    theirs = reference.neighbours
    size = len(theirs)
    distinct = list({mask for mask in masks if mask})
    ours = [0] * size
    spread(distinct, ours)
    present = 0
    for mask in distinct:
        present |= mask
    # Sums of fractions are rounded once, so they do not depend on the order of the classes.
    f: list[float] = []
    precision: list[float] = []
    recall: list[float] = []
    alone = common = system = 0
    found = present.bit_count()
    while present:
        low = present & -present
        present ^= low
        place = low.bit_length() - 1
        own, other = ours[place], theirs[place]
        if not own and not other:
            alone += 1
            continue
        mine = own.bit_count()
        system += mine
        shared = (own & other).bit_count()
        if shared:
            common += shared
            right = other.bit_count()
            f.append(2.0 * shared / (mine + right))
            precision.append(shared / mine)
            recall.append(shared / right)
    gold = sum(other.bit_count() for other in theirs)
    return Links(
        f=fsum((alone, *f)),
        precision=fsum((alone, *precision)),
        recall=fsum((alone, *recall)),
        found=found,
        size=size,
        common=common // 2,
        system=system // 2,
        gold=gold // 2,
    )


class Alternatives(NamedTuple):
    """Counts for other metrics of the same frames, with all that the system has put into them.

    `b3` are the sums of precision and recall, and the classes on both sides. `ceafm` and `ceafe` are the weight of the
    best one-to-one alignment of frames, and what it could be at most on both sides. `blanc` are the links within
    frames, the pairs without a link, and the classes: common, of the system, of the reference.
    """

    b3: tuple[float, float, int, int]
    ceafm: tuple[float, float, float]
    ceafe: tuple[float, float, float]
    blanc: tuple[int, int, int, int, int, int, int, int, int]


def score_alternatives(gold: Sequence[int], system: Sequence[int]) -> Alternatives:
    """CEAF, plain B-cubed and BLANC of two sets of frames, given as sets of bits; equal frames of one side are one.

    A class may be in several frames. B-cubed compares for each class all classes that share a frame with it, and
    itself. CEAF aligns frames one to one, by the classes in common (`ceafm`), or by Dice (`ceafe`); a class counts once
    for each of its frames. BLANC asks of each pair of classes whether some frame has both.

    >>> key = [0b11, 0b1100]
    >>> score_alternatives(key, [0b11, 0b10000]).ceafm, score_alternatives(key, [0b11]).b3
    ((2.0, 3.0, 4.0), (2.0, 2.0, 2, 4))
    """
    theirs, ours = _distinct(gold), _distinct(system)
    width = max((mask.bit_length() for mask in (*theirs, *ours)), default=0)
    near = [0] * width, [0] * width
    spread(theirs, near[0])
    spread(ours, near[1])
    present = _union(theirs), _union(ours)
    return Alternatives(
        _b3(near, present),
        _ceaf(theirs, ours, dice=False),
        _ceaf(theirs, ours, dice=True),
        _blanc(near, present),
    )


def _distinct(masks: Iterable[int]) -> list[int]:
    return sorted({mask for mask in masks if mask})


def _union(masks: Iterable[int]) -> int:
    whole = 0
    for mask in masks:
        whole |= mask
    return whole


def _b3(near: tuple[list[int], list[int]], present: tuple[int, int]) -> tuple[float, float, int, int]:
    gold, system = near
    precision: list[float] = []
    recall: list[float] = []
    both = present[0] & present[1]
    while both:
        low = both & -both
        both ^= low
        place = low.bit_length() - 1
        shared = (gold[place] & system[place]).bit_count() + 1
        precision.append(shared / (system[place].bit_count() + 1))
        recall.append(shared / (gold[place].bit_count() + 1))
    return fsum(precision), fsum(recall), present[1].bit_count(), present[0].bit_count()


def _ceaf(gold: Sequence[int], system: Sequence[int], *, dice: bool) -> tuple[float, float, float]:
    from adjudge.algebra.solve.assignment import max_weight_matching

    edges = []
    for row, one in enumerate(gold):
        for column, other in enumerate(system):
            shared = (one & other).bit_count()
            if shared:
                weight = 2 * shared / (one.bit_count() + other.bit_count()) if dice else float(shared)
                edges.append((row, column, weight))
    total, _ = max_weight_matching(edges)
    if dice:
        return total, float(len(system)), float(len(gold))
    return total, float(sum(mask.bit_count() for mask in system)), float(sum(mask.bit_count() for mask in gold))


def _blanc(
    near: tuple[list[int], list[int]], present: tuple[int, int]
) -> tuple[int, int, int, int, int, int, int, int, int]:
    gold, system = near
    both = present[0] & present[1]
    shared = linked = 0  # of the common classes: links on both sides, links on either
    rest = both
    while rest:
        low = rest & -rest
        rest ^= low
        place = low.bit_length() - 1
        one, other = gold[place] & both, system[place] & both
        shared += (one & other).bit_count()
        linked += (one | other).bit_count()
    links = sum(each.bit_count() for each in system) // 2, sum(each.bit_count() for each in gold) // 2
    classes = present[1].bit_count(), present[0].bit_count()
    apart = _pairs(classes[0]) - links[0], _pairs(classes[1]) - links[1]
    common = both.bit_count()
    return shared // 2, *links, _pairs(common) - linked // 2, *apart, common, *classes


def _pairs(number: int) -> int:
    return number * (number - 1) // 2
