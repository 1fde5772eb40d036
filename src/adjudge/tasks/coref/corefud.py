"""One document of CorefUD, compared and counted as version 1.2 of the scorer of the CRAC shared tasks does.

A mention is the set of its nodes; with `--match head` it is that set and its head. Zeros, mentions whose head is an
empty node, are matched first by the parents and relations of their heads (`--zeros dependent`), then equal mentions,
then those with the same head (`head`) or those of the response that lie within one of the key and have its head
(`partial`), in the assignment with the largest sum of overlaps. Optimal assignments are often not unique, and the
official one is whatever scipy finds for the matrix of a document, so in case of ties the same matrix is solved.

Where the program departs from its own definition, so does this module, and counts how often: key and response share one
table of names, so that a zero is confused with another zero at its position; a mention in two entities belongs to the
last one; the score of zeros prefers the mention at the same position to the matched one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from adjudge.evaluate.task import Remark
from adjudge.model.coref import SENTENCE, Chain, Mention, UdDocument
from adjudge.model.graph import blocks
from adjudge.model.prf import precision_recall_f1
from adjudge.tasks.coref.ceaf import align
from adjudge.tasks.coref.counts import COLUMNS, count_unrepeated
from adjudge.tasks.coref.settings import Settings

Name: TypeAlias = Hashable  # the runs of a mention, with --match head and its head
Spot: TypeAlias = "tuple[Mention, float]"
Cells: TypeAlias = "dict[int, dict[int, float]]"

_AFTER_MUC = COLUMNS.index("coref.muc:gold")
_EQUAL = 1e-12


class Aligned(NamedTuple):
    """The chains of both sides as scored, by the names of mentions, with the pairs, the counts and the remarks."""

    key: list[Chain]
    response: list[Chain]
    pairs: list[tuple[Name, Name]]
    counts: tuple[float, ...]
    remarks: tuple[Remark, ...]


class _Side:
    """The entities of a document as lists of names; the home of a mention in several entities is the last one.

    `spots` has the first nodes and head of every name, `zeros` the zeros of every entity.
    """

    __slots__ = ("chains", "deps", "home", "ids", "spots", "zeros")

    def __init__(self, document: UdDocument | None, settings: Settings) -> None:
        self.chains: list[list[Name]] = []
        self.zeros: list[set[Name]] = []
        self.ids: list[str] = []
        self.spots: dict[Name, Spot] = {}
        self.home: dict[Name, int] = {}
        self.deps = {} if document is None else document.deps
        least = 2 if settings.singletons == "drop" else 1
        by_head = settings.match == "head"
        for chain, heads in zip(document.chains, document.marks, strict=True) if document is not None else ():
            spots = zip(chain.mentions, heads, strict=True)
            mine: dict[Name, Spot] = {}
            for spot in spots:
                mine.setdefault(spot if by_head else spot[0], spot)
            if len(mine) < least:
                continue
            self.home.update(dict.fromkeys(mine, len(self.chains)))
            for name, spot in mine.items():
                self.spots.setdefault(name, spot)
            self.chains.append(list(mine))
            self.zeros.append({name for name, spot in mine.items() if type(spot[1]) is float} if self.deps else set())
            self.ids.append(chain.id)

    @property
    def mentions(self) -> int:
        """The number of mentions; one in two entities counts twice."""
        return sum(map(len, self.chains))

    def place(self, name: Name) -> tuple[float, float, float]:
        """Mentions are ordered by their first node, their last node, and the number of their nodes."""
        mention = self.spots[name][0]
        return mention[0], mention[-1], _size(mention)


def compare_corefud(key: UdDocument, response: UdDocument | None, settings: Settings) -> Aligned:
    """Match the mentions of a document and count.

    >>> document = UdDocument("d")
    >>> document.chains.append(Chain("e1", [(1, 2), (4, 4)]))
    >>> document.marks.append([2, 4])
    >>> compare_corefud(document, document, Settings("corefud", "drop", "head", None, "dependent")).counts[:7]
    (2, 2, 2, 1, 1, 1, 1)
    """
    ours, theirs = _Side(key, settings), _Side(response, settings)
    remarks: list[Remark] = []
    pairs = _pair(ours, theirs, settings, key.id, remarks)
    table: dict[Name, Name] = {k: s for k, s in pairs if k != s}
    back: dict[Name, Name] = {s: k for k, s in pairs if k != s}
    shared = sum(name in theirs.home for name in table) + sum(name in ours.home for name in back)
    repeated = sum(len(side.home) < side.mentions for side in (ours, theirs))
    if shared:
        remarks.append(Remark("corefud-place", key.id, shared))
    if repeated:
        twice = sum(times > 1 for side in (ours, theirs) for times in Counter(_flat(side.chains)).values())
        remarks.append(Remark("corefud-twice", key.id, twice))
    counts = None
    if not (shared or repeated):
        renamed = [[back.get(name, name) for name in chain] for chain in theirs.chains] if back else theirs.chains
        counts = count_unrepeated(ours.chains, renamed)
    if counts is not None:
        head, muc, tail = counts[: _AFTER_MUC - 2], counts[_AFTER_MUC - 2 : _AFTER_MUC + 1], counts[_AFTER_MUC + 1 :]
        counts = *head, muc[0], muc[1], muc[0], muc[2], *tail
    else:
        counts = _count(ours, theirs, table | back, len(pairs))
    zero, preferred = _zero_score(ours, theirs, table | back) if any((*ours.zeros, *theirs.zeros)) else ((0, 0, 0), 0)
    if preferred:
        remarks.append(Remark("corefud-zero-place", key.id, preferred))
    counts = *counts, *_overlap_ratio(ours, theirs), *zero
    chains = ([Chain(*each) for each in zip(side.ids, side.chains, strict=True)] for side in (ours, theirs))  # type: ignore[arg-type]
    return Aligned(next(chains), next(chains), pairs, counts, tuple(remarks))


def _flat(chains: Iterable[Sequence[Name]]) -> Iterable[Name]:
    return (name for chain in chains for name in chain)


# ---------------------------------------------------------------------------------------------------------------------
# Matching mentions of the response with those of the key


def _pair(
    ours: _Side, theirs: _Side, settings: Settings, document: str, remarks: list[Remark]
) -> list[tuple[Name, Name]]:
    """All matched pairs; remarks on them are added to `remarks`."""
    pairs: list[tuple[Name, Name]] = []
    ties = 0
    key_zeros, zeros = (
        [name for name, spot in side.spots.items() if type(spot[1]) is float] for side in (ours, theirs)
    )
    taken: set[Name] = set()
    given: set[Name] = set()
    if settings.zeros == "dependent" and key_zeros and zeros:
        rows, columns = _ordered(ours, key_zeros), _ordered(theirs, zeros)
        cells, bare = _zero_cells(ours, theirs, rows, columns)
        if bare:
            remarks.append(Remark("corefud-zero-deps", document, bare))
        found, ties = _assign(cells, len(rows), len(columns))
        pairs = [(rows[row], columns[column]) for row, column in found.items()]
        taken, given = {name for name, _ in pairs}, {name for _, name in pairs}
    left = [name for name in ours.spots if name not in taken] if taken else list(ours.spots)
    right = {name for name in theirs.spots if name not in given} if given else theirs.spots.keys()
    equal = [name for name in left if name in right]
    pairs += [(name, name) for name in equal]
    if settings.match != "exact":
        known = set(equal)
        rows = _ordered(ours, [name for name in left if name not in known])
        columns = _ordered(theirs, [name for name in theirs.spots if name in right and name not in known])
        cells = (_head_cells if settings.match == "head" else _partial_cells)(ours, theirs, rows, columns)
        found, more = _assign(cells, len(rows), len(columns))
        pairs += [(rows[row], columns[column]) for row, column in found.items()]
        ties += more
    if ties:
        remarks.append(Remark("corefud-tie", document, ties))
    return pairs


def _ordered(side: _Side, names: Iterable[Name]) -> list[Name]:
    return sorted(names, key=side.place)


def _zero_cells(ours: _Side, theirs: _Side, rows: Sequence[Name], columns: Sequence[Name]) -> tuple[Cells, int]:
    """10 F of the parents with relations + F of the parents, for zeros of one sentence; and how many have no DEPS."""
    known: dict[int, list[tuple[int, frozenset[tuple[float, str]]]]] = {}
    for column, name in enumerate(columns):
        head = theirs.spots[name][1]
        known.setdefault(int(head) // SENTENCE, []).append((column, theirs.deps[head]))
    cells: Cells = {}
    without: set[tuple[int, int]] = set()
    for row, name in enumerate(rows):
        head = ours.spots[name][1]
        mine = ours.deps[head]
        for column, other in known.get(int(head) // SENTENCE, ()):
            without.update(((0, row),) if not mine else (), ((1, column),) if not other else ())
            weight = 10 * _f1(mine, other) + _f1({each for each, _ in mine}, {each for each, _ in other})
            if weight > 0:
                cells.setdefault(row, {})[column] = weight
    return cells, len(without)


def _f1(one: Iterable[Hashable], other: Iterable[Hashable]) -> float:
    left, right = set(one), set(other)
    return precision_recall_f1(len(left & right), len(left), len(right))[2]


def _head_cells(ours: _Side, theirs: _Side, rows: Sequence[Name], columns: Sequence[Name]) -> Cells:
    """The share of the nodes of the key mention that a mention with the same head has."""
    known: dict[float, list[int]] = {}
    for column, name in enumerate(columns):
        known.setdefault(theirs.spots[name][1], []).append(column)
    cells: Cells = {}
    for row, name in enumerate(rows):
        mention, head = ours.spots[name]
        for column in known.get(head, ()):
            if both := _common(mention, theirs.spots[columns[column]][0]):
                cells.setdefault(row, {})[column] = both / _size(mention)
    return cells


def _partial_cells(ours: _Side, theirs: _Side, rows: Sequence[Name], columns: Sequence[Name]) -> Cells:
    """The share of the nodes of the key mention that a mention within it has, if its head is among them."""
    known: dict[int, list[int]] = {}
    for column, name in enumerate(columns):
        mention = theirs.spots[name][0]
        for sentence in {int(node) // SENTENCE for node in mention}:
            known.setdefault(sentence, []).append(column)
    cells: Cells = {}
    for row, name in enumerate(rows):
        mention, head = ours.spots[name]
        for column in known.get(int(head) // SENTENCE, ()):
            other = theirs.spots[columns[column]][0]
            inside = mention[0] <= other[0] <= head <= other[-1] <= mention[-1]
            if inside and _common(mention, other) == (size := _size(other)) and _common((head, head), other):
                cells.setdefault(row, {})[column] = size / _size(mention)
    return cells


def _size(mention: Mention) -> int:
    if len(mention) == 2:
        return int(mention[1] - mention[0]) + 1
    return sum(int(last - first) + 1 for first, last in zip(mention[::2], mention[1::2], strict=True))


def _common(one: Mention, other: Mention) -> int:
    """The number of nodes two mentions share."""
    if len(one) == len(other) == 2 and type(one[0]) is type(other[0]) is int:
        return max(0, min(one[1], other[1]) - max(one[0], other[0]) + 1)  # type: ignore[return-value]
    return len(_nodes(one) & _nodes(other))


def _nodes(mention: Mention) -> set[float]:
    found: set[float] = set()
    for first, last in zip(mention[::2], mention[1::2], strict=True):
        found.update(range(first, last + 1) if type(first) is int else (first,))  # type: ignore[call-overload]
    return found


def _assign(cells: Cells, rows: int, columns: int) -> tuple[dict[int, int], int]:
    """The assignment that scipy finds for the whole matrix, and the number of ties.

    Without ties, disjoint parts of the table are solved separately.
    """
    mates: dict[int, int] = {}
    ties = 0
    for block in blocks(cells):
        part = {row: cells[row] for row in sorted(block)}
        if len(part) == 1:
            ((row, mine),) = part.items()
            best = max(mine.values())
            places = [column for column, weight in mine.items() if weight >= best - _EQUAL]
            mates[row] = places[0]
            ties += len(places) > 1
            continue
        found = align(part)
        mates |= found
        ties += _has_rival(part, found)
    if not ties:
        return mates, 0
    import numpy as np

    from adjudge.algebra.solve.matrix import solved_or_late

    matrix = np.zeros((rows, columns))
    for row, mine in cells.items():
        for column, weight in mine.items():
            matrix[row, column] = weight
    chosen = zip(*solved_or_late(matrix), strict=True)
    return {row: column for row, column in chosen if column in cells.get(row, ())}, ties


def _has_rival(part: Cells, found: Mapping[int, int]) -> bool:
    """Whether another assignment weighs as much: it would have to leave out one of the chosen cells."""
    total = sum(part[row][column] for row, column in found.items())
    for row, column in found.items():
        less = {each: {c: w for c, w in mine.items() if (each, c) != (row, column)} for each, mine in part.items()}
        if sum(less[each][other] for each, other in align(less).items()) >= total - _EQUAL:
            return True
    return False


# ---------------------------------------------------------------------------------------------------------------------
# Counts where a mention is in two entities, or shares its position with another one


def _count(ours: _Side, theirs: _Side, table: Mapping[Name, Name], matched: int) -> tuple[float, ...]:
    """The counts of all metrics but MOR and zeros, in the order of the columns."""
    recall, precision = _homes(ours, theirs, table), _homes(theirs, ours, table)
    sizes, spread = [*map(len, ours.chains)], [*map(len, theirs.chains)]
    gold, system = sum(sizes), sum(spread)
    cells: Cells = {}
    owners: dict[Name, list[int]] = {}
    for number, chain in enumerate(theirs.chains):
        for name in chain:
            owners.setdefault(name, []).append(number)
    for place, chain in enumerate(ours.chains):
        shared = Counter(number for name in chain for number in owners.get(table.get(name, name), ()))
        if shared:
            cells[place] = dict(shared)
    dice: Cells = {
        place: {number: 2 * both / (sizes[place] + spread[number]) for number, both in mine.items()}
        for place, mine in cells.items()
    }
    ceafe = 0.0  # the built-in `sum` compensates errors since Python 3.12
    for place, number in align(dice).items():
        ceafe += dice[place][number]
    columns: Counter[int] = Counter()
    for mine in recall:
        columns.update(mine)
    resolved = sum(_pairs(both) for mine in recall for both in mine.values())
    apart = _pairs(columns.total()) - sum(_pairs(mine.total()) for mine in recall)
    apart += resolved - sum(map(_pairs, columns.values()))
    inside, between = ([_links(each, sum(each))[kind] for each in (spread, sizes)] for kind in (0, 1))
    return (
        *(matched, len(theirs.home), len(ours.home)),
        *(_muc(precision), system - len(spread), _muc(recall), gold - len(sizes)),
        *(_b3(precision, spread), system, _b3(recall, sizes), gold),
        *(sum(cells[place][number] for place, number in align(cells).items()), system, gold),
        *(ceafe, len(spread), len(sizes)),
        *(resolved, *inside),
        *(apart, *between),
        *(_lea(precision, spread, sizes), system, _lea(recall, sizes, spread), gold),
    )


def _homes(side: _Side, other: _Side, table: Mapping[Name, Name]) -> list[Counter[int]]:
    """For every entity, the entities of the other side that have its mentions, and how many of them."""
    home = other.home
    found = ((table.get(name, name) for name in chain) for chain in side.chains)
    return [Counter([home[name] for name in names if name in home]) for names in found]


def _pairs(number: int) -> int:
    return number * (number - 1) // 2


def _links(sizes: Sequence[int], total: int) -> tuple[int, int]:
    inside = sum(map(_pairs, sizes))
    return inside, _pairs(total) - inside


def _muc(found: Iterable[Counter[int]]) -> int:
    return sum(each.total() - len(each) for each in found)


def _b3(found: Iterable[Counter[int]], sizes: Sequence[int]) -> float:
    total = 0.0
    for each, size in zip(found, sizes, strict=True):
        total += sum([both * both for both in each.values()]) / size
    return total


def _lea(found: Iterable[Counter[int]], sizes: Sequence[int], others: Sequence[int]) -> float:
    total = 0.0
    for each, size in zip(found, sizes, strict=True):
        if size == 1:
            total += any(others[place] == 1 for place in each)
        else:
            total += size * sum(map(_pairs, each.values())) / _pairs(size)
    return total


# ---------------------------------------------------------------------------------------------------------------------
# MOR and zeros


def _overlap_ratio(ours: _Side, theirs: _Side) -> tuple[int, int, int]:
    """The largest sum of common nodes of a one-to-one assignment of mentions, and the nodes of both sides.

    Equal mentions are paired in some best assignment.
    """
    left, right = (Counter(side.spots[name][0] for name in _flat(side.chains)) for side in (ours, theirs))
    both = left & right
    sizes = {mention: _size(mention) for mention in left | right}
    gold, system, total = (
        sum(sizes[mention] * times for mention, times in each.items()) for each in (left, right, both)
    )
    rows, columns = sorted((left - both).elements()), sorted((right - both).elements())
    cells: Cells = {}
    start = 0
    ends: list[float] = []  # the furthest end of the columns up to each place
    for mention in columns:
        ends.append(max(mention[-1], ends[-1] if ends else mention[-1]))
    for row, mention in enumerate(rows):
        while start < len(columns) and ends[start] < mention[0]:
            start += 1
        for column in range(start, len(columns)):
            other = columns[column]
            if other[0] > mention[-1]:
                break
            if other[-1] >= mention[0] and (common := _common(mention, other)):
                cells.setdefault(row, {})[column] = common
    total += int(sum(cells[row][column] for row, column in align(cells).items()))
    return total, system, gold


def _zero_score(ours: _Side, theirs: _Side, table: Mapping[Name, Name]) -> tuple[tuple[int, int, int], int]:
    """Anaphoric zeros: hits, those of the response, those of the key; and how often the position took precedence."""
    first = {min(chain, key=theirs.place) for chain in theirs.chains}
    hit = miss = wrong = preferred = 0
    covered: set[Name] = set()
    for chain, zeros in zip(ours.chains, ours.zeros, strict=True):
        if not zeros:
            continue
        before: set[int] = set()
        for place, name in enumerate(_ordered(ours, chain)):
            other = name if name in theirs.home else table.get(name)
            home = None if other is None else theirs.home.get(other)
            if place and name in zeros:
                preferred += other == name and table.get(name, name) != name
                if home is None or other in first:
                    miss += 1
                elif home in before:
                    hit += 1
                else:
                    wrong += 1
                covered.add(other)
            if home is not None:
                before.add(home)
    spurious = sum(name not in first and name not in covered for zeros in theirs.zeros for name in zeros)
    return (hit, hit + spurious + wrong, hit + miss + wrong), preferred
