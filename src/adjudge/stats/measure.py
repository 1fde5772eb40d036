"""Measures: formulas from summed columns to named parts, written down as data.

A saved result contains its measures, so that slices, intervals and comparisons can be recomputed without the code of
the metric.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

import msgspec

from adjudge.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Array: TypeAlias = "npt.NDArray[np.float64]"
Key: TypeAlias = tuple[str, str]  # (metric, part)
Undefined: TypeAlias = Literal[0, 1, "both"] | None
Weighted: TypeAlias = tuple[tuple[str, float], ...]

COUNT_PARTS = ("matched", "system", "gold")


class _Measure(msgspec.Struct, frozen=True, tag_field="kind", tag=str.lower, omit_defaults=True):
    pass


class Prf(_Measure, frozen=True):
    """Precision, recall and F-beta from three or four columns.

    P = p_num / p_den, R = r_num / r_den. When both numerators are the column S, F = (1+b^2) S / (b^2 r_den + p_den) and
    Jaccard is S / (p_den + r_den - S); else F = (1+b^2) P R / (b^2 P + R), which is 0 when either P or R is 0.
    `undefined` is the value of a ratio whose denominator is 0 (None: it has no value; `both`: 1 if both sides have
    nothing, 0 if one side has nothing). `parts` are chosen from precision, recall, f1 (named after beta), jaccard, and
    the counts matched, system, gold. If `harmonic`, F is always made of the values of P and R, and has no value where
    one of them has none or both are 0.

    >>> Prf("set.f1", ("matched", "system"), ("matched", "gold"), beta=2.0).parts
    ('precision', 'recall', 'f2')
    """

    name: str
    precision: tuple[str, str]
    recall: tuple[str, str]
    beta: float = 1.0
    undefined: Undefined = 0
    parts: tuple[str, ...] = ()
    harmonic: bool = False

    def __post_init__(self) -> None:
        if not 0 < self.beta < float("inf"):
            raise UsageError(f"{self.name}: beta is {self.beta:g}", hint="give a positive number")
        msgspec.structs.force_setattr(self, "parts", self.parts or ("precision", "recall", self.f_name))
        shared = ("jaccard", "matched") if self.shared else ()
        known = ("precision", "recall", self.f_name, "system", "gold", *shared)
        for part in self.parts:
            if part not in known:
                hint = did_you_mean(part, known) or f"parts: {', '.join(known)}"
                raise UsageError(f"{self.name} has no part {part}", hint=hint)

    @property
    def f_name(self) -> str:
        """The name of the F part: f1, f2, f0.5."""
        return f"f{self.beta:g}"

    @property
    def shared(self) -> bool:
        """Whether precision and recall have the same numerator."""
        return self.precision[0] == self.recall[0]


class Ratio(_Measure, frozen=True):
    """A weighted sum of columns over another one, optionally clipped below.

    >>> Ratio("eal.argument", "score", (("tp", 1.0), ("fp", -0.25)), (("gold", 1.0),), clip=0.0).clip
    0.0
    """

    name: str
    part: str
    numerator: Weighted
    denominator: Weighted
    undefined: Undefined = 0
    clip: float | None = None


class Total(_Measure, frozen=True):
    """A weighted sum of columns: a count.

    >>> Total("eal.argument", "tp", (("tp", 1.0),)).part
    'tp'
    """

    name: str
    part: str
    columns: Weighted


class Combined(_Measure, frozen=True):
    """The mean, product, sum or harmonic mean of parts that stand earlier in the list.

    `weights` are factors of the terms of a sum; a harmonic mean is 0 if one of its parts is.

    >>> Combined("coref.conll", "f1", "mean", (("coref.muc", "f1"), ("coref.b3", "f1"))).op
    'mean'
    """

    name: str
    part: str
    op: Literal["mean", "product", "sum", "harmonic"]
    of: tuple[tuple[str, str], ...]
    weights: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if not self.of:
            raise UsageError(f"{self.name}: a combination of nothing", hint="name at least one (metric, part)")
        if self.weights and (self.op != "sum" or len(self.weights) != len(self.of)):
            raise UsageError(f"{self.name}: weights do not fit", hint="give one for each term of a sum")


class Fields(_Measure, frozen=True):
    """The unweighted mean of the F1 of several fields, each with its columns (matched, system, gold).

    A field that neither side has does not count; without any the mean is `undefined`.

    >>> Fields("record.field-mean", "f1", (("a:matched", "a:system", "a:gold"),)).undefined
    'both'
    """

    name: str
    part: str
    of: tuple[tuple[str, str, str], ...]
    undefined: Undefined = "both"


class MeanF1(_Measure, frozen=True):
    """The unweighted mean over groups of the mean of some F1, each of four columns, as the datasets of a shared task.

    The columns are numerator and denominator of precision and of recall. A group of which neither side has anything
    does not count, so that a slice has the mean of its own groups; 0/0 is 0.

    >>> MeanF1("coref.crac", "f1", ((("a:matched", "a:system", "a:found", "a:gold"),),)).part
    'f1'
    """

    name: str
    part: str
    of: tuple[tuple[tuple[str, str, str, str], ...], ...]


class Blanc(_Measure, frozen=True):
    """The mean of two kinds of links, and what it is when one kind is missing (BLANC).

    `coref` and `noncoref` are the columns (matched, system, gold) of the links within and between chains, `mentions`
    those of the mentions. Each kind has P = matched / system, R = matched / gold (0/0 is 0) and F1; the score is the
    mean over the kinds. Rule `8.01` leaves out a kind that the gold side does not have, and gives 0 if it has neither.
    Rule `2014` leaves out a kind that neither side has; if there are no links at all, the score is 1 if the mentions
    are the same and else 0 (Luo et al. 2014). Rule `corefud` is the same, but without links it is 0.

    >>> Blanc("coref.blanc", ("c", "cs", "cg"), ("n", "ns", "ng"), ("m", "ms", "mg")).parts
    ('recall', 'precision', 'f1')
    """

    name: str
    coref: tuple[str, str, str]
    noncoref: tuple[str, str, str]
    mentions: tuple[str, str, str]
    rule: Literal["8.01", "2014", "corefud"] = "8.01"

    parts: ClassVar[tuple[str, ...]] = ("recall", "precision", "f1")


Measure: TypeAlias = Prf | Ratio | Total | Combined | Fields | MeanF1 | Blanc


def part_keys(measures: Sequence[Measure]) -> tuple[Key, ...]:
    """Every (metric, part) of the measures, in order.

    >>> part_keys([Prf("set.f1", ("s", "p"), ("s", "g"))])
    (('set.f1', 'precision'), ('set.f1', 'recall'), ('set.f1', 'f1'))
    """
    keys = [(m.name, part) for m in measures for part in (m.parts if isinstance(m, Prf | Blanc) else (m.part,))]
    if len(set(keys)) != len(keys):
        twice = sorted({f"{metric} {part}" for metric, part in keys if keys.count((metric, part)) > 1})
        raise UsageError(f"defined twice: {', '.join(twice)}", hint="give each measure its own name or part")
    return tuple(keys)


def measures_of(measures: Sequence[Measure], columns: Sequence[str]) -> tuple[Measure, ...]:
    """The measures that can be computed from these columns alone.

    >>> both = [Total("x", "n", (("a", 1.0),)), Total("y", "n", (("b", 1.0),))]
    >>> [m.name for m in measures_of(both, ["b"])]
    ['y']
    """
    known, kept = set(columns), dict[Key, None]()
    found: list[Measure] = []
    for m in measures:
        if all(key in kept for key in m.of) if isinstance(m, Combined) else known.issuperset(needed_columns(m)):
            found.append(m)
            kept.update(dict.fromkeys(part_keys([m])))
    return tuple(found)


def needed_columns(m: Measure) -> set[str]:
    """The columns that a measure is made of; one that combines others has none of its own.

    >>> sorted(needed_columns(Prf("set.f1", ("matched", "system"), ("matched", "gold"))))
    ['gold', 'matched', 'system']
    """
    if isinstance(m, Combined):
        return set()
    if isinstance(m, Prf):
        return {*m.precision, *m.recall}
    if isinstance(m, Blanc):
        return {*m.coref, *m.noncoref, *m.mentions}
    if isinstance(m, Fields):
        return {name for each in m.of for name in each}
    if isinstance(m, MeanF1):
        return {name for group in m.of for each in group for name in each}
    terms = m.columns if isinstance(m, Total) else (*m.numerator, *m.denominator)
    return {name for name, _ in terms}


def needed_measures(measures: Sequence[Measure], keys: Collection[Key]) -> tuple[Measure, ...]:
    """The measures that some parts are made of, in their order.

    >>> both = [Total("x", "n", (("a", 1.0),)), Total("y", "n", (("b", 1.0),))]
    >>> [m.name for m in needed_measures(both, [("y", "n")])]
    ['y']
    """
    wanted, found = set(keys), []
    for m in reversed(measures):
        if wanted.intersection(part_keys([m])):
            found.append(m)
            if isinstance(m, Combined):
                wanted.update(m.of)
    return tuple(found[::-1])


def signed_keys(measures: Sequence[Measure]) -> frozenset[Key]:
    """The parts that may be negative, so that 0 is not the end of their scale.

    >>> terms = (("tp", 1.0), ("fp", -0.25))
    >>> len(signed_keys([Ratio("x", "a", terms, (("n", 1.0),)), Ratio("x", "b", terms, (("n", 1.0),), clip=0.0)]))
    1
    """
    found: set[Key] = set()
    for m in measures:
        if isinstance(m, Ratio):
            negative = any(weight < 0 for _, weight in (*m.numerator, *m.denominator))
            if negative and (m.clip is None or m.clip < 0):
                found.add((m.name, m.part))
        elif isinstance(m, Combined) and (found.intersection(m.of) or any(weight < 0 for weight in m.weights)):
            found.add((m.name, m.part))
    return frozenset(found)


def count_keys(measures: Sequence[Measure]) -> frozenset[Key]:
    """The parts that are counts: they have no interval, and stay sums whatever the pooling.

    >>> count_keys([Total("x", "tp", (("tp", 1.0),)), Ratio("x", "score", (("tp", 1.0),), (("gold", 1.0),))])
    frozenset({('x', 'tp')})
    """
    found: set[Key] = set()
    for m in measures:
        if isinstance(m, Prf):
            found.update((m.name, part) for part in m.parts if part in COUNT_PARTS)
        elif isinstance(m, Total) or (isinstance(m, Combined) and m.op == "sum" and found.issuperset(m.of)):
            found.add((m.name, m.part))
    return frozenset(found)
