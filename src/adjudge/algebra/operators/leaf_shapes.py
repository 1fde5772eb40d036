"""Compiled shapes: how values are prepared, what a pair of them is worth, and the outcome of each leaf."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import Any, TypeAlias

from adjudge.algebra import shape
from adjudge.algebra.leaf_values import absent, reading
from adjudge.algebra.operators.base import GOLD, SYSTEM, freeze
from adjudge.algebra.operators.leaf_outcomes import ONE, Place, Tally
from adjudge.algebra.operators.leaf_prepared import (
    CONTAINERS,
    EMPTY,
    NOTHING,
    SCALARS,
    TYPES,
    Acceptable,
    Kind,
    Lst,
    Obj,
    Rec,
    Stray,
    Worth,
    scalars,
    size_of,
    step,
)
from adjudge.algebra.solve.deadline import NEVER, Deadline

UNIT = 1 << 20  # of credits that are not whole numbers
_MOST = 1 << 16  # pairs of values whose credit is cached
_SPARE = 64  # checks that do not look at the clock
_FEW = 2_500  # pairs that are one such check


class _Readings(dict[tuple[type, Any], Any]):
    """A cache of the normal forms of scalars, which are often repeated; None for those that count as absent."""

    def __init__(self, is_absent: Callable[[Any], bool], read: Callable[[Any], Any]) -> None:
        super().__init__()
        self.is_absent, self.read = is_absent, read

    def of(self, value: Any) -> Any:
        """The normal form of any value."""
        return None if self.is_absent(value) else self.read(value)

    def __missing__(self, key: tuple[type, Any]) -> Any:
        found = self.of(key[1])
        if len(self) >= _MOST:
            self.clear()
        if key[0] is not float or key[1]:  # zeros with and without a sign are equal, and written in two ways
            self[key] = found
        return found


class LeafKind(Kind):
    """One value; `coded` values are compared by the equality of their normal forms."""

    def __init__(self, of: shape.Leaf, compiler: Compiler) -> None:
        self.unit = compiler.unit
        self.absent = compiler.absent
        self.read, self.grade = reading(of.by)
        self.any, self.by = of.any, of.by
        self.same = self.coded = self.grade is None and not of.any
        self._known: dict[tuple[Hashable, Hashable], float] = {}
        self._read = _Readings(self.absent, self.read)

    def prepare(self, value: Any, side: int) -> Any:
        if self.any and side == GOLD:
            given = value if isinstance(value, list | tuple) else (value,)
            return Acceptable(self.read(each) for each in given if not self.absent(each)) or None
        return self._read[type(value), value] if type(value) in SCALARS else self._read.of(value)

    def key(self, p: Any) -> Hashable:
        return p  # type: ignore[no-any-return]

    def credit(self, g: Any, s: Any) -> float:
        """The credit of a value, or of the best of several acceptable ones."""
        if isinstance(g, Acceptable):
            return max(self.credit(each, s) for each in g)
        if self.grade is None:
            return 1.0 if g == s else 0.0
        found = self._known.get((g, s))
        if found is None:
            if len(self._known) >= _MOST:
                self._known.clear()
            found = self._known[g, s] = self.grade(g, s)
        return found

    def worth(self, g: Any, s: Any) -> Worth:
        right = round(self.credit(g, s) * self.unit)
        return Worth(right, 0, self.unit - right, 0)

    def both(self, g: Any, s: Any, at: str, tally: Tally, gp: Place | None, sp: Place | None) -> None:
        if g is None:
            if s is None:
                tally.absent(at)
            else:
                tally.hallucinated(at, sp)
        elif s is None:
            tally.omitted(at, gp)
        else:
            tally.compared(at, self.credit(g, s), gp, sp)

    def alone(self, p: Any, side: int, at: str, tally: Tally, where: Place | None) -> None:
        if p is not None:
            (tally.omitted if side == GOLD else tally.hallucinated)(at, where)


class IgnoreKind(Kind):
    """A value that is not compared."""

    def prepare(self, value: Any, side: int) -> Any:
        return None

    def key(self, p: Any) -> Hashable:
        return None

    def worth(self, g: Any, s: Any) -> Worth:
        return NOTHING

    def both(self, g: Any, s: Any, at: str, tally: Tally, gp: Place | None, sp: Place | None) -> None:
        pass

    def alone(self, p: Any, side: int, at: str, tally: Tally, where: Place | None) -> None:
        pass


class FieldsKind(Kind):
    """An object with named fields."""

    def __init__(self, of: shape.Fields, compiler: Compiler) -> None:
        kept = [(name, each) for name, each in of.fields.items() if not isinstance(each, shape.Ignore)]
        self.unit = compiler.unit
        self.named = frozenset(of.fields)
        self.extra = compiler.anything(shape.Anything()) if of.extra else None
        self.names = tuple(name for name, _ in kept)
        self.kinds: tuple[Kind, ...] = ()
        self._paths: dict[str, tuple[str, ...]] = {}
        self._kept = kept
        self.absent = compiler.absent

    def close(self, compiler: Compiler) -> None:
        """Compile the fields, which may contain this shape."""
        self.kinds = tuple(compiler.kind(each) for _, each in self._kept)
        # None for leaves that are compared by their keys, which is most of them.
        self.slow = tuple(None if isinstance(each, LeafKind) and each.coded else each for each in self.kinds)
        self.ranks = tuple(range(len(self.kinds), 0, -1))
        every = [*self.kinds, self.extra] if self.extra is not None else self.kinds
        self.same = all(each is not None and each.same for each in every)
        self.listed = any(each is not None and each.listed for each in every)

    def prepare(self, value: Any, side: int) -> Any:
        if isinstance(value, Mapping):
            parts, size, get = [], 0, value.get
            for name, kind in zip(self.names, self.kinds, strict=True):
                p = kind.prepare(get(name), side)
                parts.append(p)
                if p is not None:
                    size += p.size if type(p) in TYPES else 1
            extra = None
            if self.extra is not None:
                extra = self.extra.prepare({k: v for k, v in value.items() if k not in self.named}, side)
                size += extra.size
            return Rec(tuple(parts), size, extra)
        found = [(where, each) for where, each in scalars(value, ()) if not self.absent(each)]
        return Stray(tuple(freeze(each) for _, each in found), tuple(where for where, _ in found)) if found else None

    def key(self, p: Any) -> Hashable:
        if not isinstance(p, Rec):
            return None if p is None else ("stray", p.values)
        parts = tuple(None if not size_of(q) else k.key(q) for k, q in zip(self.kinds, p.parts, strict=True))
        return parts if self.extra is None else (parts, self.extra.key(p.extra))

    def worth(self, g: Any, s: Any) -> Worth:
        if not isinstance(g, Rec) or not isinstance(s, Rec):
            return NOTHING
        correct = whole = wrong = early = 0
        unit = self.unit
        for a, b, kind, rank in zip(g.parts, s.parts, self.slow, self.ranks, strict=True):
            if a is None or b is None:
                continue
            if kind is None:
                if a == b:
                    correct += unit
                    early += rank * unit
                else:
                    wrong += unit
            else:
                inner = kind.worth(a, b)
                correct += inner[0]
                whole += inner[1]
                wrong += inner[2]
                early += rank * inner[0] + inner[3]
        if self.extra is not None:
            inner = self.extra.worth(g.extra, s.extra)
            correct, whole, wrong = correct + inner[0], whole + inner[1], wrong + inner[2]
            early += inner[3]
        return Worth(correct, whole, wrong, early)

    def field(self, p: Any, name: str) -> tuple[Kind, Any]:
        """A field of a prepared object and its kind."""
        at = self.names.index(name)
        return self.kinds[at], p.parts[at]

    def paths(self, at: str) -> tuple[str, ...]:
        """The paths of the fields."""
        found = self._paths.get(at)
        if found is None:
            found = self._paths[at] = tuple(step(at, name) for name in self.names)
        return found

    def both(self, g: Any, s: Any, at: str, tally: Tally, gp: Place | None, sp: Place | None) -> None:
        if isinstance(g, Stray):
            self.alone(g, GOLD, at, tally, gp)
            g = None
        if isinstance(s, Stray):
            self.alone(s, SYSTEM, at, tally, sp)
            s = None
        nothing = (None,) * len(self.names)
        ours, theirs = nothing if g is None else g.parts, nothing if s is None else s.parts
        if gp is None:
            rows, counts = tally.rows, tally.counts
            for path, slow, kind, a, b in zip(self.paths(at), self.slow, self.kinds, ours, theirs, strict=True):
                if slow is None:
                    outcome = (4 if b is None else 3) if a is None else 2 if b is None else 0 if a == b else 1
                    if path in rows:
                        tally.count(path, outcome)
                    else:
                        counts[outcome] += 1
                        rows[path] = ONE[outcome]
                else:
                    kind.both(a, b, path, tally, None, None)
        else:
            assert sp is not None
            for name, path, kind, a, b in zip(self.names, self.paths(at), self.kinds, ours, theirs, strict=True):
                kind.both(a, b, path, tally, (*gp, name), (*sp, name))
        if self.extra is not None:
            rest = g.extra if g is not None else None, s.extra if s is not None else None
            self.extra.both(rest[0] or EMPTY, rest[1] or EMPTY, at, tally, gp, sp)

    def alone(self, p: Any, side: int, at: str, tally: Tally, where: Place | None) -> None:
        if isinstance(p, Stray):
            for each in p.places:
                (tally.omitted if side == GOLD else tally.hallucinated)(at, None if where is None else where + each)
        elif p is not None:
            for name, path, kind, part in zip(self.names, self.paths(at), self.kinds, p.parts, strict=True):
                if part is not None:
                    kind.alone(part, side, path, tally, None if where is None else (*where, name))
            if self.extra is not None:
                self.extra.alone(p.extra, side, at, tally, where)


class AnythingKind(Kind):
    """Any value without a schema: objects key by key, lists as bags, scalars by equality; two kinds share nothing."""

    listed = True

    def __init__(self, of: shape.Anything, compiler: Compiler) -> None:
        self.unit = compiler.unit
        self.list: Kind = compiler.listing(shape.Listing(of=of), self)
        self._read = _Readings(compiler.absent, reading(of.by).read)
        self._paths: dict[str, dict[str, str]] = {}

    def prepare(self, value: Any, side: int) -> Any:
        kind = type(value)
        if kind in SCALARS:
            return self._read[kind, value]
        if isinstance(value, dict | Mapping):
            parts, size, read = {}, 0, self._read
            for name, each in value.items():
                kind = type(each)
                p = parts[name] = read[kind, each] if kind in SCALARS else self.prepare(each, side)
                if p is not None:
                    size += p.size if type(p) in TYPES else 1
            return Obj(parts, size)
        return self.list.prepare(value, side) if isinstance(value, list | tuple) else self._read.of(value)

    def key(self, p: Any) -> Hashable:
        if isinstance(p, Obj):
            return "object", frozenset((name, self.key(each)) for name, each in p.parts.items() if size_of(each))
        return ("list", self.list.key(p)) if isinstance(p, Lst) else p

    def worth(self, g: Any, s: Any) -> Worth:
        if type(g) is not type(s) and (isinstance(g, CONTAINERS) or isinstance(s, CONTAINERS)):
            return NOTHING
        if isinstance(g, Lst):
            return self.list.worth(g, s)
        if not isinstance(g, Obj):
            return Worth(self.unit, 0, 0, 0) if g == s else Worth(0, 0, self.unit, 0)
        correct = whole = wrong = early = 0
        rank, theirs = len(g.parts), s.parts
        for name, a in g.parts.items():
            b = None if a is None else theirs.get(name)
            if b is not None:
                if type(a) in TYPES or type(b) in TYPES:
                    inner = self.worth(a, b)
                    correct += inner[0]
                    whole += inner[1]
                    wrong += inner[2]
                    early += rank * inner[0] + inner[3]
                elif a == b:
                    correct += self.unit
                    early += rank * self.unit
                else:
                    wrong += self.unit
            rank -= 1
        return Worth(correct, whole, wrong, early)

    def field(self, p: Any, name: str) -> tuple[Kind, Any]:
        """A field of a prepared object and its kind."""
        return self, p.parts.get(name)

    def both(self, g: Any, s: Any, at: str, tally: Tally, gp: Place | None, sp: Place | None) -> None:
        if gp is None and type(g) is Obj and type(s) is Obj:
            self._objects(g.parts, s.parts, at, tally)
            return
        kinds = {type(each) for each in (g, s) if isinstance(each, CONTAINERS)}
        scalars = [each for each in (g, s) if each is not None and not isinstance(each, CONTAINERS)]
        if len(kinds) + bool(scalars) > 1:
            self.alone(g, GOLD, at, tally, gp)
            self.alone(s, SYSTEM, at, tally, sp)
        elif Obj in kinds:
            ours, theirs = (g or EMPTY).parts, (s or EMPTY).parts
            for name in (*ours, *(name for name in theirs if name not in ours)):
                below = (None, None) if gp is None or sp is None else ((*gp, name), (*sp, name))
                self.both(ours.get(name), theirs.get(name), step(at, name), tally, *below)
        elif Lst in kinds:
            self.list.both(g, s, at, tally, gp, sp)
        elif g is None and s is None:
            tally.absent(at)
        elif g is None or s is None:
            self.alone(g, GOLD, at, tally, gp)
            self.alone(s, SYSTEM, at, tally, sp)
        else:
            tally.compared(at, 1.0 if g == s else 0.0, gp, sp)

    def _objects(self, ours: dict[str, Any], theirs: dict[str, Any], at: str, tally: Tally) -> None:
        """Count the leaves of two objects when places are not needed."""
        paths = self._paths.get(at)
        if paths is None or len(paths) >= _MOST:
            paths = self._paths[at] = {}
        rows, counts, other = tally.rows, tally.counts, theirs.get
        every = ours if theirs.keys() <= ours.keys() else {**dict.fromkeys((*ours, *theirs)), **ours}
        for name, a in every.items():
            path = paths.get(name)
            if path is None:
                path = paths[name] = step(at, name)
            b = other(name)
            if type(a) in TYPES or type(b) in TYPES:
                self.both(a, b, path, tally, None, None)
                continue
            outcome = (4 if b is None else 3) if a is None else 2 if b is None else 0 if a == b else 1
            if path in rows:
                tally.count(path, outcome)
            else:
                counts[outcome] += 1
                rows[path] = ONE[outcome]

    def alone(self, p: Any, side: int, at: str, tally: Tally, where: Place | None) -> None:
        if isinstance(p, Obj):
            for name, each in p.parts.items():
                if each is not None:
                    self.alone(each, side, step(at, name), tally, None if where is None else (*where, name))
        elif isinstance(p, Lst):
            self.list.alone(p, side, at, tally, where)
        elif p is not None:
            (tally.omitted if side == GOLD else tally.hallucinated)(at, where)


Listing: TypeAlias = "Callable[[shape.Listing, Kind, Compiler], Kind]"


class Compiler:
    """Makes kinds of shapes; a named shape is made once, so that it may contain itself."""

    def __init__(self, schema: shape.Schema, listing: Listing) -> None:
        self.schema = schema
        self.absent = absent(schema)
        self.unit = UNIT if any(_is_graded(each) for each in comparisons(schema)) else 1
        self.unproven = False  # whether a better alignment may have been missed since this was reset
        self.clock, self._spare = NEVER, 0
        self._listing = listing
        self._named: dict[str, Kind] = {}

    def begin(self, clock: Deadline) -> None:
        """Start with two documents and their deadline."""
        self.clock, self._spare, self.unproven = clock, _SPARE, False

    def late(self, pairs: int = 0) -> bool:
        """Whether time is up; `pairs` is how many come next, and the first few are compared in any case."""
        if self._spare > 0:
            self._spare -= 1 + pairs // _FEW
            return False
        return self.clock.passed

    def kind(self, of: shape.Shape) -> Kind:
        """The kind of a shape."""
        match of:
            case shape.Leaf():
                return LeafKind(of, self)
            case shape.Ignore():
                return IgnoreKind()
            case shape.Anything():
                return self.anything(of)
            case shape.Fields():
                made = FieldsKind(of, self)
                made.close(self)
                return made
            case shape.Listing():
                return self.listing(of, self.kind(of.of))
            case shape.Named():
                return self._by_name(of.name)

    def anything(self, of: shape.Anything) -> AnythingKind:
        """The kind of values without a schema."""
        return AnythingKind(of, self)

    def listing(self, of: shape.Listing, element: Kind) -> Kind:
        """The kind of a list of such elements."""
        return self._listing(of, element, self)

    def _by_name(self, name: str) -> Kind:
        if name not in self._named:
            of = self.schema.named[name]
            if isinstance(of, shape.Fields):
                made = FieldsKind(of, self)
                made.listed, made.same = True, False  # safe to assume while it is being made
                self._named[name] = made
                made.close(self)
            else:
                self._named[name] = self.kind(of)
        return self._named[name]


def comparisons(schema: shape.Schema) -> Iterator[shape.Comparison]:
    """All comparisons of a schema."""
    todo: list[shape.Shape] = [schema.root, *schema.named.values()]
    while todo:
        match todo.pop():
            case shape.Leaf(by=by) | shape.Anything(by=by):
                yield by
            case shape.Fields(fields=fields):
                todo += fields.values()
            case shape.Listing(of=of):
                todo.append(of)


def _is_graded(by: shape.Comparison) -> bool:
    return isinstance(by, shape.Sim) or (isinstance(by, shape.Words | shape.Edit) and by.graded)
