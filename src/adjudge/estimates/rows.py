"""Estimates: rows of scores and of differences, with the sample that they come from."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from adjudge.errors import Problem, UsageError, ValidationError
from adjudge.estimates.design import Round
from adjudge.estimates.pool import measures_of_pool
from adjudge.files import write_atomically
from adjudge.stats.inference import benjamini_hochberg, holm
from adjudge.stats.intervals import student_interval, student_tails
from adjudge.stats.measure import Measure
from adjudge.stats.power import detectable
from adjudge.stats.result import Note, Slice
from adjudge.stats.table import StatsTable

_SHOWN = 5
MOST = 50_000  # pairs of systems, over all slices: more fill the memory, and nobody reads them
_ROUNDING = 1e-24  # a variance below this is due to rounding
BEYOND = "-beyond"  # the end of the names of scores over all items, also those that no system returned
VARIES = {"fixed": "documents fixed", "sample": "documents sampled"}


class How(NamedTuple):
    """How an estimate is made."""

    assist: str = "auto"
    documents: str = "fixed"
    level: float = 0.95
    cluster_by: str | None = None
    by: tuple[str, ...] = ()
    beta: float = 1.0
    measures: tuple[Measure, ...] = ()  # precision, recall and F unless told
    good: Mapping[str, Mapping[str, float]] | None = None  # by item and system, if answers differ in an item
    clip: float = 0.25  # the cost of a wrong answer in an argument score

    @property
    def scored(self) -> tuple[Measure, ...]:
        """How counts become scores."""
        return self.measures or tuple(measures_of_pool(self.beta))


class ScoreRow(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One score of one system: its value, its interval, and what is certain (`bounds`).

    `events` are the labels that the score depends on: without any, only the bounds are certain. `uncut` is the value
    before it was cut to the bounds, if that differs.
    """

    system: str
    metric: str
    part: str
    value: float
    low: float | None = None
    high: float | None = None
    level: float
    variance: float | None = None
    df: float | None = None
    bounds: tuple[float, float] | None = None
    n: int
    of: int
    varies: str
    method: str = msgspec.field(default_factory=lambda: "design")  # written even then
    slice: Slice = {}
    events: int | None = None
    notes: tuple[str, ...] = ()
    uncut: float | None = None


class DifferenceRow(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """System a minus system b."""

    a: str
    b: str
    metric: str
    part: str
    value: float
    low: float | None = None
    high: float | None = None
    variance: float | None = None
    df: float | None = None
    bounds: tuple[float, float] | None = None
    p: float | None = None
    p_holm: float | None = None
    q: float | None = None
    n: int = 0
    of: int = 0
    varies: str = ""
    method: str = msgspec.field(default_factory=lambda: "design")
    slice: Slice = {}

    def detectable(self) -> float | None:
        """The smallest difference that a sample like this would show."""
        if not self.variance or not self.df or self.p is None:
            return None
        return detectable(math.sqrt(self.variance), self.df + 1)


class RankRow(msgspec.Struct, frozen=True, kw_only=True):
    """The ranks that a system may have; all systems have ranks in these ranges at once, with the level."""

    system: str
    value: float
    best: int
    worst: int


class Estimate(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="kind", tag="estimate"):
    """Scores from a sample: n of N units assessed, what varies, and counts per document for further use.

    `weight` is the weight of the judge (the slope of the model for items, lambda for documents). Of documents
    assessed whole, `table` has the counts of those drawn, `pseudo` what is estimated of all. Documents with the same
    value of `cluster_by` vary together.
    """

    adjudge: str
    unit: str
    n: int
    of: int
    assist: str
    weight: dict[str, float] = {}
    documents: str = "fixed"
    cluster_by: str | None = None
    level: float = 0.95
    rounds: tuple[Round, ...] = ()
    scores: tuple[ScoreRow, ...] = ()
    differences: tuple[DifferenceRow, ...] = ()
    ranking: tuple[RankRow, ...] = ()
    ranked_by: tuple[str, str] | None = None  # metric and part of the ranking
    notes: tuple[Note, ...] = ()
    table: dict[str, StatsTable] = {}
    pseudo: dict[str, StatsTable] = {}
    measures: tuple[Measure, ...] = ()

    def __getitem__(self, key: tuple[str, str]) -> ScoreRow:
        """The row of a system and a part, `estimate["A", "f1"]`."""
        for row in self.scores:
            if (row.system, row.part) == key and not row.slice:
                return row
        raise KeyError(key)

    def to_json(self) -> bytes:
        """The whole estimate as JSON, with a line for every row: indented rows of many slices fill the disk."""
        fields = msgspec.json.decode(msgspec.json.encode(self), type=dict[str, msgspec.Raw])
        lines = [b' "%s": %s' % (name.encode(), _lined(bytes(value))) for name, value in fields.items()]
        return b"{\n" + b",\n".join(lines) + b"\n}"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it to a file, for `compare`, `report` and `plan`."""
        write_atomically(path, self.to_json() + b"\n")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Estimate:
        """Read a saved estimate."""
        from adjudge.formats.source import read_bytes

        data = read_bytes(os.fspath(path), os.fspath(path))
        try:
            return msgspec.json.decode(data, type=cls)
        except msgspec.DecodeError as error:
            raise ValidationError([Problem(f"no saved estimate ({error})", path=os.fspath(path))]) from None

    def __str__(self) -> str:
        from adjudge.estimates.text import render_estimate

        return render_estimate(self)

    def _repr_html_(self) -> str:
        from adjudge.estimates.text import estimate_html

        return estimate_html(self)


def _lined(value: bytes) -> bytes:
    """A list of objects with one on each line.

    >>> _lined(b'[{"a":1},{"a":2}]').decode().splitlines()
    ['[', '  {"a":1},', '  {"a":2}', ' ]']
    """
    if not value.startswith(b"[{"):
        return value
    rows = msgspec.json.decode(value, type=list[msgspec.Raw])
    return b"[\n" + b",\n".join(b"  " + bytes(row) for row in rows) + b"\n ]"


def is_estimate(path: str | os.PathLike[str]) -> bool:
    """Whether a file is a saved estimate."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            return b'"kind": "estimate"' in file.read(64)
    except (OSError, ValueError):
        return False


def interval(
    value: float, variance: float, df: float, level: float, bounds: tuple[float, float] | None
) -> tuple[float, float] | tuple[None, None]:
    """Student's interval on the logit scale, cut to the bounds; none if all verdicts are alike.

    >>> [round(end, 4) for end in interval(1.0, 0.012, 4, 0.95, (0.5, 1.0))]
    [0.6959, 1.0]
    >>> interval(1.0, 0.0, 4, 0.95, (0.5, 1.0))
    (None, None)
    """
    if variance <= _ROUNDING:
        return None, None
    low, high, *_ = student_interval(value, math.sqrt(variance), df, level=level)
    if bounds is not None:
        low, high = min(max(low, bounds[0]), bounds[1]), max(min(high, bounds[1]), bounds[0])
    return low, high


def difference(names: Mapping[str, Any], value: float, variance: float, df: float, level: float) -> DifferenceRow:
    """The row of a difference, with its test."""
    low = high = p = None
    if variance > _ROUNDING:
        error = math.sqrt(variance)
        low, high, *_ = student_interval(value, error, df, level=level, signed=True)
        p = student_tails(value / error, df)
    return DifferenceRow(**names, value=value, low=low, high=high, variance=variance, df=df, p=p)


def sample_notes(outside: Sequence[str]) -> list[Note]:
    """A note on verdicts on units that were not drawn, if there are any."""
    if not outside:
        return []
    message = f"{len(outside)} verdicts on what was not drawn are left out"
    return [Note("outside-sample", len(outside), message, tuple(outside[:_SHOWN]))]


def refuse_many(systems: int, slices: int = 1) -> None:
    """Raise if there are more differences than can be looked at.

    >>> refuse_many(30), refuse_many(300), refuse_many(12, 700)
    (None, None, None)
    """
    pairs = systems * (systems - 1) // 2 * slices
    if pairs > MOST:
        where = f" in {slices:,} slices" if slices > 1 else ""
        message = f"{systems:,} systems{where} have {pairs:,} differences, more than the {MOST:,} that are possible"
        raise UsageError(message, hint="estimate fewer systems" + (" or slices (--by)" if slices > 1 else ""))


def corrected(rows: Sequence[DifferenceRow]) -> tuple[DifferenceRow, ...]:
    """Add Holm's correction and q values over the pairs, separately for every score and family of slices."""
    families: dict[tuple[str, str, tuple[str, ...]], list[int]] = {}
    for at, row in enumerate(rows):
        families.setdefault((row.metric, row.part, tuple(row.slice)), []).append(at)
    found = list(rows)
    for places in families.values():
        tests = [rows[at].p for at in places]
        for at, p, q in zip(places, holm(tests), benjamini_hochberg(tests), strict=True):
            found[at] = msgspec.structs.replace(rows[at], p_holm=p, q=q)
    return tuple(found)
