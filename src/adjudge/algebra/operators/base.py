"""What every operator can do, and the small things they share.

An operator is compiled from one node and works on *prepared* values: each raw value is looked at once (fields read,
text normalised, duplicates collapsed, hashable keys built), and everything after that is arithmetic on keys. The
planner's three questions are attributes of the operator: `exact` (is it equality on a hashable value?), `blocking`
(which value must two things share to be similar at all?), and `pair` (what is left to evaluate?).
"""

from __future__ import annotations

import enum
import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from adjudge.algebra.align import Report

SYSTEM, GOLD = 0, 1

Table: TypeAlias = list[tuple[int, int, float]]
Ratios: TypeAlias = list[tuple[int, int, int, int]]
# What was already prepared in this document: the operator and the identity of the raw value lead to the raw value
# (kept, so that its identity stays its own) and its prepared form.
Memo: TypeAlias = dict[tuple[int, int], tuple[Any, Any]]


class Misfit(Exception):
    """A value that does not fit the similarity; the path grows while the error travels up."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.path = ""

    def under(self, step: str) -> Misfit:
        """The same complaint, seen from one level further up."""
        self.path = step + self.path
        return self


@dataclass(slots=True)
class Context:
    """What one evaluation carries along: limits, and whether everything so far was proven optimal.

    `upper` turns on the second pass that replaces the value of an unfinished search by its proven bound; since every
    operator is monotone, the result is a proven bound of the whole.
    """

    time_limit: float | None = None
    upper: bool = False
    optimal: bool = True
    mapping: Mapping | None = None
    solved: dict[tuple[int, int, int], Any] = field(default_factory=dict)


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


@dataclass(frozen=True)
class Line:
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
        """The value in the form that the other methods want; raises `Misfit`.

        `memo` lasts for one document: a value that stands in many places is prepared once.
        """
        raise NotImplementedError

    def identity(self, p: Any) -> Hashable:
        """A hashable stand-in: equal identities mean equal values, as far as this similarity can see."""
        raise NotImplementedError

    def block(self, p: Any) -> Hashable:
        """Values with different blocks have similarity 0."""
        return None

    def pair(self, s: Any, g: Any, ctx: Context) -> float:
        """phi(s, g)."""
        raise NotImplementedError

    def self_score(self, p: Any, side: int) -> float:
        """phi(p, p), in closed form."""
        raise NotImplementedError

    def ratio(self, s: Any, g: Any, ctx: Context) -> tuple[int, int]:
        """phi(s, g) as a fraction of integers (only if `integral` or `rational`)."""
        return int(self.pair(s, g, ctx)), 1

    def table(self, ss: Sequence[Any], gs: Sequence[Any], ctx: Context, floor: float = 0.0) -> Table:
        """All (i, j, phi) with phi > 0; values at or below `floor` may be left out."""
        return all_pairs(self, ss, gs, ctx)

    def ratios(self, ss: Sequence[Any], gs: Sequence[Any], ctx: Context) -> Ratios:
        """`table` in fractions of integers."""
        return [(i, j, *self.ratio(ss[i], gs[j], ctx)) for i, j, _ in self.table(ss, gs, ctx)]

    def variables(self, p: Any) -> tuple[Hashable, ...]:
        """The variables inside a prepared value, in a fixed order."""
        return ()

    def align(self, s: Any, g: Any, sp: str, gp: str, report: Report, ctx: Context) -> None:
        """Report what is matched, missed and spurious below two matched values."""

    def walk(self, p: Any, side: int, path: str, report: Report) -> None:
        """Report everything below an unmatched value as unmatched."""

    def differences(self, s: Any, g: Any, path: str) -> list[Difference]:
        """How two raw values compare, part by part."""
        return [self._difference(s, g, path)]

    def _difference(self, s: Any, g: Any, path: str) -> Difference:
        ctx = Context(time_limit=1.0)
        ps, pg = self.prepare(s, SYSTEM, {}), self.prepare(g, GOLD, {})
        value, own = self.pair(ps, pg, ctx), self.self_score(ps, SYSTEM) + self.self_score(pg, GOLD)
        similarity = 2 * value / own if own else (1.0 if self.identity(ps) == self.identity(pg) else 0.0)
        return Difference(path, s, g, similarity)

    def line(self) -> Line:
        """How this operator works, for `explain`."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Difference:
    """One part of two values, side by side; similarity 1 means no difference."""

    path: str
    system: Any
    gold: Any
    similarity: float


def all_pairs(op: Op, ss: Sequence[Any], gs: Sequence[Any], ctx: Context) -> Table:
    """The table of an operator that has nothing better: every pair is evaluated."""
    out: Table = []
    for i, s in enumerate(ss):
        for j, g in enumerate(gs):
            value = op.pair(s, g, ctx)
            if value > 0:
                out.append((i, j, value))
    return out


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


class _Mark(enum.Enum):
    """Parts of keys that no value of the user's can equal."""

    TRUE = "true"
    FALSE = "false"
    MAPPING = "mapping"


_ATOMS = frozenset((str, int))


def freeze(value: Any) -> Hashable:
    """A hashable key for a value: lists become tuples, mappings and sets lose their order, true is not 1."""
    kind = type(value)
    if kind is str or kind is int or value is None:
        return value  # type: ignore[no-any-return]
    if kind is bool:
        return _Mark.TRUE if value else _Mark.FALSE
    if kind is float:
        if math.isnan(value):
            raise Misfit("NaN is not a value that can be compared", "leave the field out or give a number")
        return value  # type: ignore[no-any-return]
    if kind is tuple or kind is list:
        for item in value:
            if type(item) not in _ATOMS:
                return tuple([freeze(item) for item in value])
        return tuple(value)
    if kind is dict:
        return (_Mark.MAPPING, frozenset((key, freeze(item)) for key, item in value.items()))
    if kind is set or kind is frozenset:
        return frozenset(freeze(item) for item in value)
    if isinstance(value, enum.Enum):
        return freeze(value.value)
    if isinstance(value, tuple):
        return tuple([freeze(item) for item in value])
    if getattr(kind, "__eq__", None) is object.__eq__:
        raise Misfit(
            f"{kind.__qualname__} objects have no equality of their own",
            "give the class __eq__ and __hash__ (a frozen dataclass has both)",
        )
    try:
        hash(value)
    except TypeError:
        raise Misfit(
            f"{kind.__qualname__} objects are not hashable", "make the class frozen, or compare its fields"
        ) from None
    return value  # type: ignore[no-any-return]


def simplest(number: float) -> Fraction:
    """The simplest fraction that floating point cannot tell from a number, so that 1/3 and 0.1 mean what they say.

    >>> simplest(5 / 6), simplest(0.1), simplest(0.37011)
    (Fraction(5, 6), Fraction(1, 10), Fraction(37011, 100000))
    """
    near = Fraction(number).limit_denominator(1000)
    return near if float(near) == number else Fraction(str(number))


def short(value: Any, limit: int = 60) -> str:
    """A value on one line."""
    text = " ".join(repr(value).split())
    return text if len(text) <= limit else text[: limit - 1] + "…"


def describe(value: Any) -> str:
    """The JSON name of a value's kind, for messages."""
    names = {str: "a string", bool: "a boolean", int: "an integer", float: "a number", dict: "an object"}
    if value is None:
        return "null"
    if isinstance(value, list | tuple | set | frozenset):
        return "an array"
    return names.get(type(value), f"a {type(value).__qualname__}")
