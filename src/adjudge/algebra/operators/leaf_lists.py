"""Lists of leaves or objects: the alignment of their elements.

The alignment with the most correct leaves is chosen. Ties are broken by the number of objects without any error, then
by the number of leaves that are compared, then in favour of earlier fields.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

from adjudge.algebra import shape
from adjudge.algebra.operators.base import GOLD, SYSTEM, simplest
from adjudge.algebra.operators.leaf_outcomes import Place, Tally
from adjudge.algebra.operators.leaf_prepared import NOTHING, Kind, Lst, Obj, Rec, Stray, Worth, size_of
from adjudge.algebra.operators.leaf_shapes import AnythingKind, Compiler, FieldsKind, LeafKind
from adjudge.algebra.solve.assignment import exact_matching, fitting, lexicographic
from adjudge.algebra.solve.chain import best_chain
from adjudge.algebra.solve.deadline import OutOfTime

Items: TypeAlias = Sequence[Any]
Places: TypeAlias = Sequence[int]


class Aligned(NamedTuple):
    """Pairs of elements by place, with their worth; `most` bounds the correct leaves if they are not proven best."""

    pairs: list[tuple[int, int, Worth]]
    most: int | None = None


class ListingKind(Kind):
    """A list whose elements are matched one-to-one, and may stay unmatched."""

    listed = True

    def __init__(self, of: shape.Listing, element: Kind, compiler: Compiler) -> None:
        self.of, self.element = of, element
        self.compiler, self.unit = compiler, compiler.unit
        least = None if of.pair_at is None else simplest(of.pair_at)
        self.least = None if least is None else (least.numerator, least.denominator)

    @property
    def same(self) -> bool:  # type: ignore[override]
        """Whether equal lists match in every leaf; a least Dice of elements is not transitive."""
        return self.element.same and self.least is None

    def prepare(self, value: Any, side: int) -> Any:
        if value is None:
            return None
        given = value if isinstance(value, list | tuple) else (value,)
        items, positions, seen, size = [], [], set[Hashable](), 0
        for position, each in enumerate(given):
            p = self.element.prepare(each, side)
            own = size_of(p)
            if not own:
                if self.of.match != "place":
                    continue
                p = None
            if self.of.unique:
                key = self.element.key(p)
                if key in seen:
                    continue
                seen.add(key)
            items.append(p)
            positions.append(position)
            size += own
        return Lst(items, range(len(items)) if len(items) == len(given) else positions, size)

    def key(self, p: Any) -> Hashable:
        keys = [None if each is None else self.element.key(each) for each in p.items]
        return frozenset(Counter(keys).items()) if self.of.match == "best" else tuple(keys)

    def worth(self, g: Any, s: Any) -> Worth:
        if not g.items or not s.items:
            return NOTHING
        totals = [0, 0, 0, 0]
        found = self._aligned(g, s)
        if found.most is not None:
            self.compiler.unproven = True
        for _, _, worth in found.pairs:
            for level, each in enumerate(worth):
                totals[level] += each
        return Worth(*totals)

    def _pair(self, a: Any, b: Any) -> Worth:
        found = NOTHING if a is None or b is None else self.element.worth(a, b)
        if isinstance(a, Rec | Obj) and found.correct == self.unit * a.size == self.unit * size_of(b):
            return found._replace(whole=found.whole + 1)
        return found

    def _aligned(self, g: Lst, s: Lst, patience: int = 0) -> Aligned:
        """The best alignment of two lists; `patience` is how few pairs are compared whatever the time."""
        if self.of.match == "place":
            places = range(min(len(g.items), len(s.items)))
            return Aligned([(place, place, self._pair(g.items[place], s.items[place])) for place in places])
        found, ours, theirs = self._equal(g.items, s.items)
        most, proven = sum(worth[0] for _, _, worth in found), True
        for mine, others in self._groups(g.items, s.items, ours, theirs):
            part = self._solved(g.items, s.items, mine, others, patience)
            found += part.pairs
            proven &= part.most is None
            most += sum(worth[0] for _, _, worth in part.pairs) if part.most is None else part.most
        return Aligned(found, None if proven else most)

    def _groups(self, gs: Items, ss: Items, ours: Places, theirs: Places) -> list[tuple[Places, Places]]:
        """Groups of elements with equal keys; one group if there is no key, or one with graded comparisons."""
        names = self.of.key if self.of.match == "best" and len(ours) * len(theirs) > _LARGE else ()
        if not names or any(isinstance(each, Stray) for side in (gs, ss) for each in side):
            return [(ours, theirs)]
        if not all(self.element.field(gs[0], name)[0].same for name in names):  # type: ignore[attr-defined]
            return [(ours, theirs)]
        groups: dict[Hashable, tuple[list[int], list[int]]] = {}
        for side, (items, places) in enumerate(((gs, ours), (ss, theirs))):
            for place in places:
                fields = (self.element.field(items[place], name) for name in names)  # type: ignore[attr-defined]
                key = tuple(kind.key(part) if size_of(part) else None for kind, part in fields)
                groups.setdefault(key, ([], []))[side].append(place)
        return [each for each in groups.values() if all(each)]

    def _solved(self, gs: Items, ss: Items, ours: Places, theirs: Places, patience: int = 0) -> Aligned:
        """The best alignment of some elements: in columns if they are many, among candidates if they are too many."""
        pairs, limit = len(ours) * len(theirs), _ALL if self.compiler.clock.exact else _MOST
        complete = True
        if pairs > limit:
            near, complete = candidates(self.element, [gs[i] for i in ours], [ss[j] for j in theirs])
            others = [[theirs[j] for j in places] for places in near]
        elif pairs > _LARGE:
            return self._many(gs, ss, ours, theirs)
        else:
            others = [list(theirs)] * len(ours)
        worths: list[tuple[int, int, Worth]] = []
        most = 0
        for place, (i, near_by) in enumerate(zip(ours, others, strict=True)):
            if pairs > patience and self.compiler.late():
                complete = False
                most += sum(self.unit * size_of(gs[each]) for each in ours[place:])
                break
            a, best = gs[i], 0
            for j in near_by:
                worth = self._pair(a, ss[j])
                if worth[0] > 0 and self.allowed(a, ss[j], worth[0]):
                    worths.append((i, j, worth))
                    best = max(best, worth[0])
            most += best if pairs <= limit else self.unit * size_of(a)
        chosen, proven = self._chosen(worths)
        if complete and proven:
            return Aligned(chosen)
        if pairs > limit and self.of.match == "best" and not self.compiler.late():
            taken = [{each[side] for each in chosen} for side in (0, 1)]
            mine, other = (
                [each for each in own if each not in used] for own, used in zip((ours, theirs), taken, strict=True)
            )
            if 0 < len(mine) * len(other) <= limit:
                chosen += self._solved(gs, ss, mine, other).pairs
        return Aligned(chosen, most)

    def _chosen(self, worths: list[tuple[int, int, Worth]]) -> tuple[list[tuple[int, int, Worth]], bool]:
        """The best alignment of these pairs, and whether there was time to find it."""
        if len(worths) < 2:
            return worths, True
        edges = lexicographic(worths)
        if self.of.match == "order":
            chosen = {edge[:2] for edge in best_chain(edges, rows_strict=True, columns_strict=True)[1]}
            return [each for each in worths if each[:2] in chosen], True
        try:
            chosen = set(exact_matching(edges, self.compiler.clock))
        except OutOfTime:
            return fitting(sorted(worths, key=lambda each: each[2], reverse=True)), False
        return [each for each in worths if each[:2] in chosen], True

    def _many(self, gs: Items, ss: Items, ours: Places, theirs: Places) -> Aligned:
        """The best alignment of so many pairs that they are compared in columns."""
        from adjudge.algebra.operators.leaf_tables import worths
        from adjudge.algebra.solve.matrix import dense_chain, dense_matching

        table, allowed = worths(self, [gs[i] for i in ours], [ss[j] for j in theirs])
        if self.of.match == "order":
            found = dense_chain(table, allowed)
        else:
            found = dense_matching(table, allowed, self.compiler.clock)
        pairs = [(ours[i], theirs[j], Worth(*(int(level[i, j]) for level in table))) for i, j in found.pairs]
        return Aligned(pairs, found.most)

    def _equal(self, gs: Items, ss: Items) -> tuple[list[tuple[int, int, Worth]], list[int], list[int]]:
        """Pairs of equal elements, aligned first wherever matching is transitive, and what is left on both sides."""
        if self.of.match != "best" or not self.same or (self.element.listed and len(gs) * len(ss) < _LARGE):
            return [], list(range(len(gs))), list(range(len(ss)))
        waiting: dict[Hashable, list[int]] = {}
        for j in reversed(range(len(ss))):
            waiting.setdefault(self.element.key(ss[j]), []).append(j)
        found, left = [], []
        for i, each in enumerate(gs):
            others = waiting.get(self.element.key(each)) if size_of(each) else None
            if others:
                j = others.pop()
                found.append((i, j, self._pair(each, ss[j])))
            else:
                left.append(i)
        return found, left, sorted(j for others in waiting.values() for j in others)

    def allowed(self, a: Any, b: Any, correct: int) -> bool:
        """Whether two elements with so many correct leaves may be paired."""
        if self.least is not None:
            top, bottom = self.least
            if 2 * correct * bottom < top * (size_of(a) + size_of(b)) * self.unit:
                return False
        return all(self._agree(a, b, name) for name in self.of.key)

    def _agree(self, a: Any, b: Any, name: str) -> bool:
        """Whether a field is right, or absent on both sides."""
        kind, one = self.element.field(a, name)  # type: ignore[attr-defined]
        _, other = self.element.field(b, name)  # type: ignore[attr-defined]
        sizes = size_of(one), size_of(other)
        if not all(sizes):
            return not any(sizes)
        right: int = kind.worth(one, other).correct
        return right == self.unit * sizes[0] == self.unit * sizes[1]

    def both(self, g: Any, s: Any, at: str, tally: Tally, gp: Place | None, sp: Place | None) -> None:
        self.each(g, s, f"{at}[]", tally, gp, sp)

    def each(self, g: Lst | None, s: Lst | None, path: str, tally: Tally, gp: Place | None, sp: Place | None) -> None:
        """Count the leaves of the elements of two lists, which have this path."""
        compiler, start = self.compiler, tally.correct
        earlier, compiler.unproven = compiler.unproven, False
        pairs, most, cut = self._pairs(g, s, tally)
        if compiler.unproven:
            most = None  # not even the worth of the elements is certain
        compiler.unproven |= cut
        used: tuple[set[int], set[int]] = set(), set()
        tally.inside += 1
        for i, j in pairs:
            used[0].add(i)
            used[1].add(j)
            assert g is not None
            assert s is not None
            here: Place | None = None
            there: Place | None = None
            if gp is not None and sp is not None:
                here, there = (*gp, g.positions[i]), (*sp, s.positions[j])
                tally.pairs.append((here, there))
            self.element.both(g.items[i], s.items[j], path, tally, here, there)
        tally.inside -= 1
        if compiler.unproven and not tally.inside and g is not None and s is not None:
            limit = most_correct(self.element, g.items, s.items) * self.unit
            more = (limit if most is None else min(limit, most)) / self.unit - (tally.correct - start)
            tally.slack += max(more, 0.0) + (_ROUNDING * g.size if self.unit > 1 else 0.0)
        compiler.unproven |= earlier
        for side, own, where, taken in ((GOLD, g, gp, used[0]), (SYSTEM, s, sp, used[1])):
            if own is not None and len(taken) < len(own.items):
                for place, each in enumerate(own.items):
                    if place not in taken and each is not None:
                        here = None if where is None else (*where, own.positions[place])
                        self.element.alone(each, side, path, tally, here)

    def _pairs(self, g: Lst | None, s: Lst | None, tally: Tally) -> tuple[list[tuple[int, int]], int | None, bool]:
        """The aligned elements, a bound on the correct leaves if there is one, and whether time ran out."""
        if g is None or s is None or not g.items or not s.items:
            return [], 0, False
        if self.of.match == "place":
            return [(place, place) for place in range(min(len(g.items), len(s.items)))], None, False
        key = id(g), id(s)
        known = tally.chosen.get(key)
        if known is not None:
            return known, None, False
        found = self._aligned(g, s, _PATIENCE)
        most = sum(worth[0] for _, _, worth in found.pairs) if found.most is None else found.most
        pairs = tally.chosen[key] = sorted((i, j) for i, j, _ in found.pairs)
        return pairs, most, found.most is not None

    def alone(self, p: Any, side: int, at: str, tally: Tally, where: Place | None) -> None:
        path = f"{at}[]"
        for position, each in zip(p.positions, p.items, strict=True):
            if each is not None:
                self.element.alone(each, side, path, tally, None if where is None else (*where, position))


_LARGE = (
    2_500  # pairs, from which on they are compared in columns, and equal elements that contain lists are aligned first
)
_PATIENCE = 64  # pairs of an outermost list that are compared even if time is up
_ROUNDING = 2.0**-20  # of a credit that is not a whole number
_MOST = 4_000_000  # pairs, from which on only candidates are compared
_ALL = 32_000_000  # the same if the result has to be exact; more take too much memory


# ---------------------------------------------------------------------------------------------------------------------
# Candidates in two very long lists: elements that share a value, rare values first.

MOST = 200_000  # pairs that share a value and are all compared
FEW = 24  # candidates of an element, if not all pairs are compared
_GRADED = object()


def candidates(kind: Kind, gs: Sequence[Any], ss: Sequence[Any]) -> tuple[list[list[int]], bool]:
    """The places of the candidates for every gold element, and whether these are all."""
    index: dict[Hashable, list[int]] = {}
    complete = True
    for j, each in enumerate(ss):
        for token in set(_tokens(kind, each, ())):
            if token[1] is _GRADED:
                complete = False
            else:
                index.setdefault(token, []).append(j)
    shared = []
    for each in gs:
        own = set(_tokens(kind, each, ()))
        complete &= all(token[1] is not _GRADED for token in own)
        shared.append(sorted((index[token] for token in own if token in index), key=len))
    pairs = sum(len(places) for lists in shared for places in lists)
    if complete and pairs <= MOST:
        return [sorted({j for places in lists for j in places}) for lists in shared], True
    found = []
    for lists in shared:
        own_: dict[int, None] = {}
        for places in lists:
            if len(own_) >= FEW:
                break
            own_.update(dict.fromkeys(places[: FEW - len(own_)]))
        found.append(sorted(own_))
    return found, False


def most_correct(kind: Kind, gs: Sequence[Any], ss: Sequence[Any]) -> int:
    """A bound on the correct leaves of any alignment: the values that both lists have, in whichever elements."""
    ours, theirs = (Counter(token for each in side for token in _tokens(kind, each, ())) for side in (gs, ss))
    return (ours & theirs).total()


def _tokens(kind: Kind, p: Any, at: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], Hashable]]:
    """The fields of an element and their values; graded values, which need not be equal to match, have one mark."""
    if p is None:
        return
    if isinstance(kind, LeafKind):
        yield at, p if kind.coded else _GRADED
    elif isinstance(kind, FieldsKind):
        if isinstance(p, Rec):
            for name, inner, part in zip(kind.names, kind.kinds, p.parts, strict=True):
                yield from _tokens(inner, part, (*at, name))
            if kind.extra is not None:
                yield from _tokens(kind.extra, p.extra, at)
    elif isinstance(p, Lst):
        element = kind.list.element if isinstance(kind, AnythingKind) else kind.element  # type: ignore[attr-defined]
        for each in p.items:
            yield from _tokens(element, each, (*at, None))
    elif isinstance(p, Obj):
        for name, part in p.parts.items():
            yield from _tokens(kind, part, (*at, name))
    else:
        yield at, p
