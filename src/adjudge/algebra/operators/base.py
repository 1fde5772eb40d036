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

from adjudge.algebra.access import MissingField, is_kind, kind, names
from adjudge.algebra.solve.deadline import Deadline
from adjudge.errors import ValidationError, did_you_mean

if TYPE_CHECKING:
    from adjudge.algebra.align import Report
    from adjudge.algebra.functions import Fn
    from adjudge.algebra.operators.leaf_outcomes import Outcomes

SYSTEM, GOLD = 0, 1

Table: TypeAlias = list[tuple[int, int, float]]
# What was already prepared in this document: the operator and the identity of the raw value lead to the raw value
# (kept, so that its identity stays its own) and its prepared form.
Memo: TypeAlias = dict[tuple[int, int], tuple[Any, Any]]


HERE = "\0"  # where in the path of a misfit that of the value goes that holds it


class Misfit(Exception):
    """What does not fit the similarity, all at once, as (path, message, remedy); paths grow on the way up."""

    def __init__(self, message: str, hint: str | None = None, step: str = "") -> None:
        super().__init__(message)
        self.found: list[tuple[str, str, str | None]] = [(HERE + step, message, hint)]

    def under(self, step: str) -> Misfit:
        """The same complaints, seen from one level further up."""
        return self.inside(HERE + step) if step else self

    def inside(self, frame: str) -> Misfit:
        """The same complaints about a value that stands in a frame, such as `words(HERE)`."""
        self.found = [(path.replace(HERE, frame), message, hint) for path, message, hint in self.found]
        return self


class Misfits:
    """Collects what does not fit in several places, and raises it together at the end.

    >>> from contextlib import suppress
    >>> with suppress(Misfit), Misfits() as misfits:
    ...     with misfits.at("[0]"):
    ...         raise expected("a string", 5)
    >>> misfits.found[0][1]
    'expected a string, got an integer'
    """

    def __init__(self) -> None:
        self.found: list[tuple[str, str, str | None]] = []

    def at(self, step: str) -> _At:
        """Note what is raised about the part of a value that a step leads to."""
        return _At(self.found, step)

    def add(self, misfit: Misfit, step: str) -> None:
        """Note what does not fit in the part of a value that a step leads to."""
        self.found += misfit.under(step).found

    def __enter__(self) -> Misfits:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None and self.found:
            whole = Misfit(self.found[0][1])
            whole.found = self.found
            raise whole


class _At:
    """Notes what is raised, and lets everything after it go on."""

    __slots__ = ("found", "step")

    def __init__(self, found: list[tuple[str, str, str | None]], step: str) -> None:
        self.found = found
        self.step = step

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, _: object) -> bool:
        if isinstance(error, Misfit):
            self.found += error.under(self.step).found
            return True
        return False


@dataclass(slots=True)
class Context:
    """What one evaluation carries along: limits, and whether everything so far was proven optimal.

    `upper` turns on the second pass that replaces the value of an unfinished search by its proven bound; since every
    operator is monotone, the result is a proven bound of the whole.
    """

    deadline: Deadline = field(default_factory=Deadline)
    upper: bool = False
    optimal: bool = True
    mapping: Mapping | None = None
    solved: dict[Any, Any] = field(default_factory=dict)
    cuts: Cuts = field(default_factory=lambda: Cuts())

    def out_of_time(self) -> bool:
        """Whether to stop making candidates, after which the value is one that can be reached, but not proven."""
        if self.cuts.spare:
            self.cuts.spare -= 1
            return False
        if not self.cuts.allowed or not self.deadline.passed:
            return False
        self.cuts.made = True
        self.optimal = False
        return True


@dataclass(slots=True)
class Cuts:
    """Whether candidates may be left out when time is up, and whether some were.

    They may where fewer of them never make a value higher, and it is known what the value cannot exceed. `spare` times
    nobody looks at the clock: what is small is worth finishing.
    """

    allowed: bool = False
    made: bool = False
    spare: int = 64


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

    def prepare_each(self, items: Sequence[Any], side: int, memo: Memo) -> Sequence[Any]:
        """The values of a collection, prepared; what does not fit is raised together."""
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

    def variables(self, p: Any) -> tuple[Hashable, ...]:
        """The variables inside a prepared value, in a fixed order."""
        return ()

    def outcomes(self, s: Any, g: Any, ctx: Context) -> Outcomes | None:
        """What became of every leaf, if leaves are what is counted."""
        return None

    def align(self, s: Any, g: Any, sp: str, gp: str, report: Report, ctx: Context) -> None:
        """Report what is matched, missed and spurious below two matched values."""

    def walk(self, p: Any, side: int, path: str, report: Report) -> None:
        """Report everything below an unmatched value as unmatched."""

    def differences(self, s: Any, g: Any, path: str) -> list[Difference]:
        """How two raw values compare, part by part."""
        return [self._difference(s, g, path)]

    def _difference(self, s: Any, g: Any, path: str) -> Difference:
        ctx = Context(Deadline(1.0))
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
    """What a value is, in the words of JSON.

    >>> describe([]), describe(None), describe(float("nan"))
    ('an array', 'null', 'NaN')
    """
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "an infinite number"
    return kind_name(kind(value))


def kind_name(name: str) -> str:
    """A kind of JSON value with its article.

    >>> kind_name("integer"), kind_name("null")
    ('an integer', 'null')
    """
    return name if name == "null" else f"an {name}" if name[0] in "aeio" else f"a {name}"


def expected(what: str, value: Any, hint: str | None = None) -> Misfit:
    """What is said of a value of another kind."""
    return Misfit(f"expected {what}, got {describe(value)}", hint)


def check_number(value: Any) -> None:
    """Refuse what is no number, or none that can be counted with.

    >>> check_number(10**400)
    Traceback (most recent call last):
    adjudge.algebra.operators.base.Misfit: the number is too large to be compared
    """
    try:
        if not is_kind(value, "number") or not math.isfinite(value):
            raise expected("a number", value)
    except OverflowError:
        raise Misfit("the number is too large to be compared", "write numbers below 1e308") from None


def missing(value: Any, name: str) -> Misfit:
    """What is said of an object without a field."""
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
    """What a function gives for a value; whatever it raises is a complaint about the value."""
    call = function.function  # a name that leads nowhere is no fault of the value
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
