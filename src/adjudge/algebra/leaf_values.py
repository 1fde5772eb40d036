"""How two values of a field are compared: each is read into a normal form, then the two forms are graded.

`reading` returns both halves. A value is read once, into something hashable; where a comparison is an equality (`grade`
is None), two values match if their normal forms are equal, so that columns of values can be compared as numbers.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Hashable
from datetime import date
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from typing import Any, NamedTuple, TypeAlias

from adjudge.algebra import shape
from adjudge.algebra.edit_distance import levenshtein
from adjudge.algebra.operators.base import freeze
from adjudge.algebra.operators.misfit import Misfit
from adjudge.algebra.quantities import as_date, as_number
from adjudge.algebra.values import fold, squad

Read: TypeAlias = Callable[[Any], Hashable]
Grade: TypeAlias = Callable[[Any, Any], float]

_EXACTLY = Context(prec=20_000, Emax=MAX_EMAX, Emin=MIN_EMIN)  # no number that is read has as many digits
_TRUE, _FALSE = ("boolean", True), ("boolean", False)
_BOOLEANS = {**dict.fromkeys(("true", "yes", "y", "1"), _TRUE), **dict.fromkeys(("false", "no", "n", "0"), _FALSE)}


class Reading(NamedTuple):
    """How a comparison reads a value, and the credit for the two normal forms; None if only equal ones have credit."""

    read: Read
    grade: Grade | None = None


def reading(comparison: shape.Comparison) -> Reading:
    """A comparison in two halves.

    >>> read, grade = reading(shape.Number(tolerance="0.05"))
    >>> grade(read("10"), read("$10.05"))
    1.0
    """
    match comparison:
        case shape.Same():
            return Reading(_frozen)
        case shape.Text(squad=True):
            return Reading(_by_text(_squad))
        case shape.Text():
            return Reading(_by_text(fold))
        case shape.Number():
            return _number(comparison)
        case shape.Date():
            return _date(comparison)
        case shape.Boolean():
            return Reading(_boolean)
        case shape.Enum():
            return Reading(_enum(comparison)[0])
        case shape.Words():
            return Reading(_folded, _graded(comparison, _dice))
        case shape.Edit():
            return Reading(_folded, _graded(comparison, _likeness))
        case shape.Plain():
            return Reading(_plain(comparison))
        case shape.Sim():
            return Reading(_json, _similarity(comparison))


def credit(comparison: shape.Comparison) -> Grade:
    """The credit of a system value for a gold value, from 0 to 1; neither is absent.

    >>> credit(shape.Words())("big red house", "red house"), credit(shape.Date())("2015-03-04", "March 4th, 2015")
    (0.8, 1.0)
    """
    read, grade = reading(comparison)
    if grade is None:
        return lambda gold, system: 1.0 if read(gold) == read(system) else 0.0
    return lambda gold, system: grade(read(gold), read(system))


def code(comparison: shape.Comparison) -> Read | None:
    """The key that values share if and only if they match, if the comparison is an equality; else None.

    >>> key = code(shape.Number())
    >>> key("1.250,50 €") == key(1250.5), code(shape.Words())
    (True, None)
    """
    read, grade = reading(comparison)
    return read if grade is None else None


def absent(schema: shape.Schema) -> Callable[[Any], bool]:
    """Whether a value counts as absent: null, blank, one of `nulls`, or a container of nothing else.

    >>> missing = absent(shape.Schema(nulls=("n/a",)))
    >>> [missing(value) for value in (None, " ", "N/A", {"a": []}, 0, False, "x")]
    [True, True, True, True, False, False, False]
    """
    nulls = frozenset(fold(each) for each in schema.nulls)
    blank = schema.blank

    def is_absent(value: Any) -> bool:
        if type(value) is str:
            return (not blank and not value.strip()) or (bool(nulls) and fold(value) in nulls)
        if isinstance(value, dict | list):
            todo: list[Any] = [value]
            while todo:
                here = todo.pop()
                for inner in here.values() if isinstance(here, dict) else here:
                    if isinstance(inner, dict | list):
                        todo.append(inner)
                    elif not is_absent(inner):
                        return False
            return True
        return value is None

    return is_absent


def outside(comparison: shape.Enum) -> Callable[[Any], bool]:
    """Whether a value is none of those that an enumeration lists.

    >>> outside(shape.Enum(values={"USD": ("$",), "EUR": ()}))("GBP")
    True
    """
    read, known = _enum(comparison)
    return lambda value: read(value) not in known


def near(tolerance: str) -> Grade:
    """[|s - g| <= tolerance] for numbers, equality for other values: a similarity, for `custom`.

    >>> near("0.5")("10.4", 10), near("0.5")("ten", 10)
    (1.0, 0.0)
    """
    return credit(shape.Number(tolerance=_limit(tolerance)))


def within(share: str) -> Grade:
    """[|s - g| <= share * the larger of the two] for numbers, equality for other values.

    >>> within("0.05")(104, "100"), within("0.05")(106, 100)
    (1.0, 0.0)
    """
    return credit(shape.Number(tolerance=_limit(share), relative=True))


def days(number: str) -> Grade:
    """[two dates are no more than so many days apart], equality for other values.

    >>> days("1")("2015-03-04", "5 March 2015"), days("0")("soon", "Soon")
    (1.0, 1.0)
    """
    return credit(shape.Date(days=int(float(_limit(number)))))


def _limit(text: str) -> str:
    if not 0 <= float(text) < float("inf"):
        raise ValueError("a tolerance is a number from 0")
    return text


# Normal forms


def _squad(text: str) -> str:
    return squad(fold(text))


def _frozen(value: Any) -> Hashable:
    """A key for any value: by type and value, objects and lists deeply."""
    try:
        return freeze(value)
    except Misfit:  # NaN, which matches itself here
        return ("other", repr(value))


def _by_text(of_text: Callable[[str], str], *, everything: bool = False) -> Read:
    """Texts by what `of_text` makes of them, numbers and booleans by value, or as they are written if `everything`."""

    def read(value: Any) -> Hashable:
        if isinstance(value, str):
            return of_text(value)
        if everything and not isinstance(value, dict | list):
            return of_text(_written(value))
        return _frozen(value)

    return read


def _written(value: Any) -> str:
    """A scalar as JSON writes it; 10.0 is 10."""
    if isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        value = int(value)
    return json.dumps(value, ensure_ascii=False, default=str)


_folded = _by_text(fold, everything=True)


def _boolean(value: Any) -> Hashable:
    key = _folded(value)
    return _BOOLEANS.get(key, key) if isinstance(key, str) else key


def _enum(comparison: shape.Enum) -> tuple[Read, frozenset[Hashable]]:
    names = {fold(alias): fold(name) for name, aliases in comparison.values.items() for alias in (*aliases, name)}

    def read(value: Any) -> Hashable:
        key = _folded(value)
        return names.get(key, key) if isinstance(key, str) else key

    return read, frozenset(names.values())


_TEXTS: dict[str, Callable[[str], str]] = {"exact": str, "fold": fold, "squad": _squad}


def _plain(comparison: shape.Plain) -> Read:
    of_text = _TEXTS[comparison.text]
    if not (comparison.numbers or comparison.dates):
        return _by_text(of_text)
    numbers, dates = comparison.numbers, comparison.dates

    def read(value: Any) -> Hashable:
        if isinstance(value, str):
            if dates and (day := as_date(value)) is not None:
                return day
            if numbers and not _leading_zero(value) and (number := as_number(value)) is not None:
                return number
            return of_text(value)
        found = as_number(value) if numbers else None
        return _frozen(value) if found is None else found

    return read


def _leading_zero(text: str) -> bool:
    """Whether a text begins with a zero before another digit, as codes such as 01069 do."""
    digits = fold(text).lstrip("+-\N{MINUS SIGN} (")
    return digits[:1] == "0" and digits[1:2].isdigit()


def _json(value: Any) -> Hashable:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)


# Grades


def _number(comparison: shape.Number) -> Reading:
    point = "," if comparison.decimal == "comma" else "."
    text = _by_text(fold)

    def read(value: Any) -> Hashable:
        number = as_number(value, point)
        return text(value) if number is None else number

    limit = Decimal(comparison.tolerance)
    if not limit:
        return Reading(read)
    relative = comparison.relative

    def grade(gold: Any, system: Any) -> float:
        if not (isinstance(gold, Decimal) and isinstance(system, Decimal)):
            return 1.0 if gold == system else 0.0
        allowed = _EXACTLY.multiply(limit, max(gold.copy_abs(), system.copy_abs())) if relative else limit
        return 1.0 if _EXACTLY.subtract(gold, system).copy_abs() <= allowed else 0.0

    return Reading(read, grade)


def _date(comparison: shape.Date) -> Reading:
    text = _by_text(fold)

    def read(value: Any) -> Hashable:
        return as_date(value, comparison.day_first) or text(value)

    if not comparison.days:
        return Reading(read)

    def grade(gold: Any, system: Any) -> float:
        if isinstance(gold, date) and isinstance(system, date):
            return 1.0 if abs((gold - system).days) <= comparison.days else 0.0
        return 1.0 if gold == system else 0.0

    return Reading(read, grade)


def _graded(comparison: shape.Words | shape.Edit, alike: Grade) -> Grade:
    least, graded = comparison.at_least, comparison.graded

    def grade(gold: Any, system: Any) -> float:
        if gold == system:
            return 1.0
        if not (isinstance(gold, str) and isinstance(system, str)):
            return 0.0
        found = alike(gold, system)
        return 0.0 if found < least else found if graded else 1.0

    return grade


def _dice(gold: str, system: str) -> float:
    ours, theirs = Counter(gold.split()), Counter(system.split())
    size = ours.total() + theirs.total()
    return 2 * (ours & theirs).total() / size if size else 1.0


def _likeness(gold: str, system: str) -> float:
    longer = max(len(gold), len(system))
    return (longer - levenshtein(gold, system)) / longer


def _similarity(comparison: shape.Sim) -> Grade:
    from adjudge.algebra.plan import Plan
    from adjudge.algebra.spec import decode

    plan = Plan(decode(comparison.similarity))
    known: dict[str, Any] = {}

    def value(text: str) -> Any:
        if text not in known:
            known[text] = json.loads(text)
        return known[text]

    return lambda gold, system: min(1.0, max(0.0, plan.observe(value(gold), value(system)).value))
