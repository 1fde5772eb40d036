"""The interface of operators, and helpers that they share.

An operator is compiled from one node and works on *prepared* values: each raw value is processed once (fields read,
text normalised, duplicates collapsed, hashable keys built), and everything after that is arithmetic on keys. The
planner's three questions are attributes of the operator: `exact` (is it equality on a hashable value?), `blocking`
(which value must two things share to be similar at all?), and `pair` (what is left to evaluate?).
"""

from __future__ import annotations

import enum
import math
from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from adjudge.algebra.access import MissingField, names
from adjudge.algebra.operators.misfit import HERE, Misfit, Misfits, describe
from adjudge.algebra.solve.deadline import Deadline
from adjudge.errors import ValidationError, did_you_mean

if TYPE_CHECKING:
    from fractions import Fraction

    from adjudge.algebra.align import Report
    from adjudge.algebra.functions import Fn
    from adjudge.algebra.operators.leaf_outcomes import Outcomes
    from adjudge.algebra.solve.matrix import Matrix

SYSTEM, GOLD = 0, 1

Table: TypeAlias = list[tuple[int, int, float]]
# What was already prepared in this document: the operator and the identity of the raw value lead to the raw value
# (kept, so that its identity stays its own) and its prepared form.
Memo: TypeAlias = dict[tuple[int, int], tuple[Any, Any]]
Seen: TypeAlias = dict[tuple[int, int, int], tuple[Any, Any]]


_AT_ONCE = 65_536  # candidates held as objects at a time while a matrix is filled
_GRACE = 0.4  # seconds more for what cannot be cut short


class Context(msgspec.Struct):
    """What one evaluation carries along: limits, and whether everything so far was proven optimal.

    `upper` turns on the second pass that replaces the value of an unfinished search by its proven bound; since every
    operator is monotone, the result is a proven bound of the whole.
    """

    deadline: Deadline = msgspec.field(default_factory=Deadline)
    upper: bool = False
    optimal: bool = True
    mapping: Mapping | None = None
    solved: dict[Any, Any] = {}  # each has its own: msgspec copies
    cuts: Cuts = msgspec.field(default_factory=lambda: Cuts())

    def out_of_time(self) -> bool:
        """Whether to stop generating candidates; the value is then reachable, but not proven optimal."""
        if self.cuts.spare:
            self.cuts.spare -= 1
            return False
        if not self.deadline.passed:
            return False
        if not self.cuts.allowed:
            if self.deadline.left < -_GRACE:
                self._refuse()
            return False
        self.cuts.made = True
        self.optimal = False
        return True

    def is_late(self) -> bool:
        """Whether to stop generating very many candidates because time is up, even if nothing bounds the rest."""
        if not self.deadline.passed:
            return False
        self._refuse()
        self.cuts.spare = 0
        return self.out_of_time()

    def _refuse(self) -> None:
        if self.cuts.refuse:
            raise Misfit("time is up, and nothing bounds the score of what is left", "give more with --time-limit")

    def leave_out(self) -> None:
        """Record that candidates are left out because there are too many; an error where they may not be."""
        if not self.cuts.allowed:
            raise Misfit("there are too many pairs to compare, and nothing bounds their score", "split the document")
        self.cuts.made, self.optimal = True, False


class Cuts(msgspec.Struct):
    """Whether candidates may be left out when time is up, and whether some were.

    They may if leaving them out never raises the value, and the value has a bound. The first `spare` checks do not look
    at the clock, so that small problems are always finished. `refuse`: where candidates may not be left out, running
    out of time is an error.
    """

    allowed: bool = False
    made: bool = False
    spare: int = 64
    refuse: bool = False


class Mapping:
    """A partial one-to-one matching of variables, with some system variables still open."""

    __slots__ = ("decided", "open", "used")

    def __init__(self, decided: dict[Hashable, Hashable], open_: set[Hashable]) -> None:
        self.decided = decided
        self.open = open_
        self.used = set(decided.values())

    def allows(self, s: Hashable, g: Hashable) -> bool:
        """Whether `s` is, or may still be, matched to `g`."""
        if s in self.decided:
            return self.decided[s] == g
        return s in self.open and g not in self.used


class Line(msgspec.Struct, frozen=True):
    """One line of a query plan."""

    text: str
    cost: str = ""
    children: tuple[tuple[str, Line], ...] = ()


class Op:
    """A similarity, compiled. Subclasses override what they can do faster."""

    exact = False
    blocking = False
    integral = False
    rational = False
    accepts_null = False
    nested = False

    def prepare(self, value: Any, side: int, memo: Memo) -> Any:
        """The value in the form that the other methods expect; raises `Misfit`.

        `memo` lasts for one document: a value that occurs in many places is prepared once.
        """
        raise NotImplementedError

    def prepare_each(self, items: Sequence[Any], side: int, memo: Memo) -> Sequence[Any]:
        """The values of a collection, prepared; all that do not fit are raised together."""
        prepare = self.prepare
        out: list[Any] = []
        try:
            for item in items:
                out.append(prepare(item, side, memo))
        except Misfit as misfit:
            with Misfits() as misfits:
                misfits.add(misfit, f"[{len(out)}]")
                for position in range(len(out) + 1, len(items)):
                    with misfits.at(f"[{position}]"):
                        prepare(items[position], side, memo)
        return out

    def identity(self, p: Any) -> Hashable:
        """A hashable stand-in: equal identities mean equal values, as far as this similarity can see."""
        return p  # type: ignore[no-any-return]

    def block(self, p: Any) -> Hashable:
        """Values with different blocks have similarity 0."""
        return None

    def pair(self, s: Any, g: Any, ctx: Context) -> float:
        """phi(s, g)."""
        numerator, denominator = self.ratio(s, g, ctx)
        return numerator / denominator

    def self_score(self, p: Any, side: int) -> float:
        """phi(p, p), in closed form."""
        return 1.0

    def ratio(self, s: Any, g: Any, ctx: Context) -> tuple[int, int]:
        """phi(s, g) as a fraction of integers (only if `integral` or `rational`)."""
        return int(self.pair(s, g, ctx)), 1

    def table(self, ss: Sequence[Any], gs: Sequence[Any], ctx: Context, floor: float = 0.0) -> Table:
        """All (i, j, phi) with phi > 0; values at or below `floor` may be left out."""
        out: Table = []
        for i, s in enumerate(ss):
            if ctx.out_of_time():
                break
            values = ((i, j, self.pair(s, g, ctx)) for j, g in enumerate(gs))
            out += [entry for entry in values if entry[2] > 0]
        return out

    def candidates(self, ss: Sequence[Any], gs: Sequence[Any]) -> int:
        """How many pairs a table looks at, or somewhat more."""
        if self.blocking:
            return sum(len(left) * len(right) for left, right in hash_join(ss, gs, self.block))
        return len(ss) * len(gs)

    def begun(self, ss: Sequence[Any], gs: Sequence[Any], ctx: Context) -> Matrix:
        """An array with the most promising pairs, should time run out: equal elements, and those at the same place."""
        import numpy as np

        out = np.zeros((len(ss), len(gs)))
        likely = [(i, i) for i in range(min(len(ss), len(gs)))]
        same = hash_join(ss, gs, self.identity)
        likely += [pair for left, right in same for pair in zip(left, right, strict=False)]
        for i, j in likely:
            if ctx.deadline.passed:
                break
            out[i, j] = self.pair(ss[i], gs[j], ctx)
        return out

    def matrix(self, ss: Sequence[Any], gs: Sequence[Any], ctx: Context) -> Matrix:
        """All similarities as an array, filled from tables of some rows at a time."""
        out = self.begun(ss, gs, ctx)
        step = max(1, _AT_ONCE * len(ss) // max(self.candidates(ss, gs), 1))
        for start in range(0, len(ss), step):
            if ctx.is_late():
                break
            for i, j, value in self.table(ss[start : start + step], gs, ctx):
                out[start + i, j] = value
        return out

    def variables(self, p: Any) -> tuple[Hashable, ...]:
        """The variables inside a prepared value, in a fixed order."""
        return ()

    def outcomes(self, s: Any, g: Any, ctx: Context) -> Outcomes | None:
        """The outcome of every leaf, if leaves are what is counted."""
        return None

    def align(self, s: Any, g: Any, sp: str, gp: str, report: Report, ctx: Context) -> None:
        """Report what is matched, missed and spurious below two matched values."""

    def walk(self, p: Any, side: int, path: str, report: Report) -> None:
        """Report everything below an unmatched value as unmatched."""

    def differences(self, s: Any, g: Any, path: str, seen: Seen) -> list[Difference]:
        """How two raw values compare, part by part; `seen` keeps what was prepared for other comparisons."""
        return [self._difference(s, g, path, seen)]

    def _difference(self, s: Any, g: Any, path: str, seen: Seen) -> Difference:
        ctx = Context(Deadline(1.0))
        ps, pg = self.ready(s, SYSTEM, seen), self.ready(g, GOLD, seen)
        value, own = self.pair(ps, pg, ctx), self.self_score(ps, SYSTEM) + self.self_score(pg, GOLD)
        similarity = 2 * value / own if own else (1.0 if self.identity(ps) == self.identity(pg) else 0.0)
        return Difference(path, s, g, similarity)

    def ready(self, value: Any, side: int, seen: Seen) -> Any:
        """A value prepared, once for all comparisons with it."""
        key = id(self), side, id(value)
        if key not in seen:
            seen[key] = value, self.prepare(value, side, {})
        return seen[key][1]

    def line(self) -> Line:
        """How this operator works, for `explain`."""
        raise NotImplementedError


class Difference(msgspec.Struct, frozen=True):
    """One part of two values, side by side; similarity 1 means no difference."""

    path: str
    system: Any
    gold: Any
    similarity: float


def group(values: Sequence[Any], key: Callable[[Any], Hashable]) -> dict[Hashable, list[int]]:
    """Positions of the values by key, in order of first appearance."""
    groups: dict[Hashable, list[int]] = {}
    for position, value in enumerate(values):
        groups.setdefault(key(value), []).append(position)
    return groups


def hash_join(
    ss: Sequence[Any], gs: Sequence[Any], key: Callable[[Any], Hashable]
) -> list[tuple[list[int], list[int]]]:
    """Positions on both sides that share a key."""
    right = group(gs, key)
    left = group(ss, key)
    if len(right) < len(left):
        return [(left[value], positions) for value, positions in right.items() if value in left]
    return [(positions, right[value]) for value, positions in left.items() if value in right]


def joined(ss: Sequence[Any], gs: Sequence[Any], key: Callable[[Any], Hashable], ctx: Context) -> Table:
    """All pairs that share a key, each worth one."""
    out: Table = []
    for left, right in hash_join(ss, gs, key):
        for i in left:
            if ctx.out_of_time():
                return out
            out += [(i, j, 1.0) for j in right]
    return out


class _Mark(enum.Enum):
    """Parts of keys that no value of the user's can equal."""

    TRUE = "true"
    FALSE = "false"
    MAPPING = "mapping"


_ATOMS = frozenset((str, int))


def freeze(value: Any) -> Hashable:
    """A hashable key for a value: lists become tuples, mappings and sets lose their order, true is not 1."""
    cls = type(value)
    if cls is str or cls is int or value is None:
        return value  # type: ignore[no-any-return]
    if cls is bool:
        return _Mark.TRUE if value else _Mark.FALSE
    if cls is float:
        if math.isnan(value):
            raise Misfit("NaN is not equal to anything, itself included", "use null for a missing value")
        return value  # type: ignore[no-any-return]
    if cls is tuple or cls is list:
        for item in value:
            if type(item) not in _ATOMS:
                return tuple([freeze(item) for item in value])
        return tuple(value)
    if cls is dict:
        return (_Mark.MAPPING, frozenset((key, freeze(item)) for key, item in value.items()))
    if cls is set or cls is frozenset:
        return frozenset(freeze(item) for item in value)
    if isinstance(value, enum.Enum):
        return freeze(value.value)
    if isinstance(value, tuple):
        return tuple([freeze(item) for item in value])
    if getattr(cls, "__eq__", None) is object.__eq__:
        raise Misfit(f"{cls.__qualname__} objects have no equality of their own", "a frozen dataclass has one")
    try:
        hash(value)
    except TypeError:
        raise Misfit(
            f"{cls.__qualname__} objects are not hashable", "make the class frozen, or compare its fields"
        ) from None
    return value  # type: ignore[no-any-return]


def simplest(number: float) -> Fraction:
    """The simplest fraction that floating point cannot tell from a number, so that 1/3 and 0.1 are meant exactly.

    >>> simplest(5 / 6), simplest(0.1), simplest(0.37011)
    (Fraction(5, 6), Fraction(1, 10), Fraction(37011, 100000))
    """
    from fractions import Fraction

    near = Fraction(number).limit_denominator(1000)
    return near if float(near) == number else Fraction(str(number))


def missing(value: Any, name: str) -> Misfit:
    """The complaint about a missing field."""
    known = names(value)
    hint = did_you_mean(name, known) or (f"the fields there are {listed(known)}" if known else None)
    return Misfit(f"the field {name!r} is missing", hint, step(name))


def read_field(value: Any, name: str, get: Callable[[Any], Any]) -> Any:
    """A field of an object, or a complaint that says where it should be."""
    try:
        return get(value)
    except MissingField:
        raise missing(value, name) from None


def applied(function: Fn, value: Any) -> Any:
    """The result of a function for a value; whatever it raises becomes a complaint about the value."""
    call = function.function  # an unknown name is not the fault of the value
    try:
        return call(value)
    except ValidationError as error:  # the function says itself what is wrong with the value
        with Misfits() as misfits:
            misfits.found = [(HERE, each.message, each.hint) for each in error.problems]
        raise
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        raise Misfit(f"{short_name(function)} cannot be applied to {describe(value)} ({reason})") from error


def short_name(function: Fn) -> str:
    """The name of a function without its module, which would make paths unreadable."""
    return function.name if "(" in function.name else function.name.rpartition(":")[2]


def step(name: str) -> str:
    """A field as a step of a path.

    >>> step("type"), step("0"), step("a b")
    ('.type', '[0]', "['a b']")
    """
    return f".{name}" if name.isidentifier() else f"[{name if name.isdecimal() else repr(name)}]"


def listed(known: Sequence[str]) -> str:
    """Names for a message, not too many of them."""
    return ", ".join(known) if len(known) <= 12 else f"{', '.join(known[:12])}, ... ({len(known)} in all)"
