"""Values and leaves for the slow, obvious implementation: fields, equality, spans, hierarchies, cases of a union.

Like the rest of it, this shares no code with the operators: a mistake in one of them must show as a difference.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from adjudge.algebra import ir
from adjudge.algebra.functions import Fn
from adjudge.errors import ValidationError

ZERO, ONE = Fraction(0), Fraction(1)


def overlap(by: str, shared: Fraction, s: Fraction, g: Fraction) -> Fraction:
    """A measure of |S & G|, |S| and |G|; nothing shared is worth nothing."""
    if not shared:
        return ZERO
    return {
        "count": shared,
        "dice": 2 * shared / (s + g),
        "jaccard": shared / (s + g - shared),
        "precision": shared / s,
        "recall": shared / g,
        "containment": shared / min(s, g),
        "subset": Fraction(shared == s),
        "superset": Fraction(shared == g),
        "link": shared - 1,
        "pairs": shared * (shared - 1) / 2,
        "pairs-precision": shared * (shared - 1) / (s - 1) if s > 1 else Fraction(s == g),
        "pairs-recall": shared * (shared - 1) / (g - 1) if g > 1 else Fraction(s == g),
        "any": ONE,
        "partial": ONE if shared == s == g else Fraction(1, 2),
    }[by]


def chain(node: ir.Hierarchy, name: Any) -> list[Any]:
    """A type and its supertypes, root first."""
    parts = name.split(node.separator) if isinstance(name, str) and node.separator else name
    if not isinstance(parts, str):
        return [tuple(parts[: k + 1]) for k in range(len(parts))]
    up = [parts]
    while up[0] in (node.parents or {}):
        up.insert(0, (node.parents or {})[up[0]])
    return up


def hierarchy(node: ir.Hierarchy, s: Any, g: Any) -> Fraction:
    """Partial credit for related types."""

    def written(name: Any) -> str:
        return name if isinstance(name, str) else (node.separator or ".").join(name)

    for left, right, credit in node.table:
        if (left, right) == (written(s), written(g)):
            return Fraction(str(credit))
    up_s, up_g = chain(node, s), chain(node, g)
    if up_s == up_g:
        return ONE
    common = len([name for name in up_s if name in up_g])
    levels = max(len(up_s), len(up_g))
    if not common:
        return ZERO
    if node.credit == "halving":
        return Fraction(1, 2 ** (levels - common))
    if node.credit == "linear":
        return Fraction(common, levels)
    if node.credit == "ancestors":
        return Fraction(2 * common, len(up_s) + len(up_g))
    return Fraction(str(node.partial)) if up_s[-1] in up_g else ZERO


def edit_distance(a: str, b: str) -> int:
    """Insertions, deletions and substitutions, by the textbook table."""
    previous = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        current = [i]
        for j, y in enumerate(b, 1):
            current.append(min(previous[j] + 1, current[-1] + 1, previous[j - 1] + (x != y)))
        previous = current
    return previous[-1]


def offsets(node: ir.Span, x: Any) -> frozenset[int]:
    """The positions a span covers."""
    start, end = bounds(node, x)
    return frozenset(range(start, end + node.inclusive))


def bounds(node: ir.Span, x: Any) -> tuple[int, int]:
    """Where a span begins and ends, however it is written."""
    start, end = x if isinstance(x, list | tuple) else (field(x, node.start), field(x, node.end))
    return start, end


def cut(node: ir.Threshold, value: Fraction) -> Fraction:
    """1 (or the value) above the threshold, else 0."""
    if node.above is not None:
        passed = value > simple(node.above)
    else:
        assert node.at_least is not None
        passed = value >= simple(node.at_least)
    return (value if node.keep else ONE) if passed else ZERO


def simple(number: float) -> Fraction:
    """The simplest fraction that is written as this number: 0.1 is one tenth, 5/6 is five sixths."""
    for size in range(1, 1001):
        near = Fraction(round(number * size), size)
        if float(near) == number:
            return near
    return Fraction(str(number))


def case_of(node: ir.Union, x: Any) -> int:
    """The number of the first case that takes a value."""
    kinds = {
        "string": isinstance(x, str),
        "integer": isinstance(x, int) and not isinstance(x, bool),
        "number": isinstance(x, int | float) and not isinstance(x, bool),
        "boolean": isinstance(x, bool),
        "null": x is None,
        "array": isinstance(x, list | tuple | set | frozenset),
        "object": isinstance(x, dict),
    }
    for number, case in enumerate(node.cases):
        fits = [
            case.python is None or isinstance(x, case.python.function),  # type: ignore[arg-type]
            case.type is None or kinds[case.type],
            case.prefix is None or (isinstance(x, str) and x.startswith(case.prefix)),
            case.has is None or field(x, case.has, absent=field) is not field,
            case.field is None or field(x, case.field, absent=field) == case.equals,
        ]
        if all(fits):
            return number
    raise ValidationError(f"no case of the union takes {x!r}", hint="add a case without conditions")


def both(s: Any, g: Any, name: str) -> tuple[Any, Any]:
    """One field of both values."""
    return field(s, name), field(g, name)


def field(x: Any, name: str, absent: Any = None) -> Any:
    """One field of a record: a key, an attribute, or a position."""
    if isinstance(x, Mapping):
        return x.get(name, absent)
    if isinstance(x, list | tuple) and name.isdigit():
        return x[int(name)]
    return getattr(x, name, absent)


def apply(node: ir.Mapped, x: Any, side: int) -> Any:
    """The mapped value."""
    function: Fn | None = (node.system if side == 0 else node.gold) or node.by
    return x if function is None else function(x)


def same(s: Any, g: Any) -> bool:
    """Equality that tells true from 1 and does not care about list or tuple."""
    return bool(frozen(s) == frozen(g))


def frozen(x: Any) -> Any:
    """A hashable form of a value."""
    if isinstance(x, bool):
        return ("boolean", x)
    if isinstance(x, list | tuple):
        return tuple(frozen(item) for item in x)
    if isinstance(x, Mapping):
        return ("object", frozenset((key, frozen(value)) for key, value in x.items()))
    if isinstance(x, set | frozenset):
        return frozenset(frozen(item) for item in x)
    return getattr(x, "value", x) if hasattr(type(x), "__members__") else x


def product(values: Iterable[Fraction]) -> Fraction:
    """The product of fractions."""
    out = ONE
    for value in values:
        out *= value
    return out
