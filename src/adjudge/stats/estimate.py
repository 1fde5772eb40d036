"""Numbers with confidence intervals, and the scores of one metric by part."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from adjudge.errors import UsageError, did_you_mean
from adjudge.stats.table import AttributeValue, value_key


class Estimate(float):
    """A float with an interval; an undefined one is nan. One that is not proven may be as high as its `bound`.

    >>> Estimate(0.74123, low=0.73051, high=0.7518, level=0.95)
    0.7412 [0.7305, 0.7518]
    >>> Estimate(0.5) + 0.25, Estimate(None), Estimate(0.5, bound=0.75)
    (0.75, undefined, 0.5000 (at most 0.7500))
    """

    low: float | None
    high: float | None
    level: float | None
    bound: float | None

    def __new__(
        cls,
        value: float | None,
        low: float | None = None,
        high: float | None = None,
        level: float | None = None,
        bound: float | None = None,
    ) -> Estimate:
        """A value (None: undefined), the interval around it, and the bound of one that is not proven."""
        self = super().__new__(cls, math.nan if value is None else value)
        self.low, self.high, self.level, self.bound = low, high, level, bound
        return self

    def __getnewargs__(self) -> tuple[float | None, ...]:  # type: ignore[override]
        return float(self), self.low, self.high, self.level, self.bound

    def __repr__(self) -> str:
        if math.isnan(self):
            return "undefined"
        interval = "" if self.low is None or self.high is None else f" [{self.low:.4f}, {self.high:.4f}]"
        bound = "" if self.bound is None else f" (at most {self.bound:.4f})"
        return f"{float(self):.4f}{interval}{bound}"

    __str__ = __repr__


class MetricScores:
    """The parts of one metric: `scores.f1`, `scores["f0.5"]`, `scores.where(genre="nw").f1`.

    >>> scores = MetricScores("x", (("f1", {}, Estimate(0.5)), ("f1", {"genre": "nw"}, Estimate(0.25))))
    >>> scores.f1, scores.where(genre="nw").f1, list(scores)
    (0.5000, 0.2500, ['f1'])
    """

    def __init__(
        self,
        name: str,
        scores: tuple[tuple[str, Mapping[str, AttributeValue], Estimate], ...],
        chosen: Mapping[str, AttributeValue] | None = None,
        *,
        system: str | None = None,
    ) -> None:
        self.name = name
        self._scores = scores
        self._chosen = dict(chosen or {})
        self._system = system

    def _parts(self) -> dict[str, Estimate]:
        return {part: value for part, where, value in self._scores if _key(where) == _key(self._chosen)}

    def where(self, **fields: AttributeValue) -> MetricScores:
        """The same metric on the slice with these values, if the result was sliced by these fields."""
        if not any(_key(where) == _key(fields) for _, where, _ in self._scores):
            known = dict.fromkeys(_written(where) for _, where, _ in self._scores if where)
            hint = f"slices: {', '.join(known)}" if known else "score with by=FIELD"
            raise UsageError(f"{self.name} has no slice {_written(fields)}", hint=hint)
        return MetricScores(self.name, self._scores, fields, system=self._system)

    def __getitem__(self, part: str) -> Any:
        """One part; the name of the system gives all of them, as if there were several systems."""
        parts = self._parts()
        if part not in parts:
            if part == self._system:
                return self
            raise UsageError(f"{self.name} has no part {part}", hint=did_you_mean(part, parts) or self._hint(parts))
        return parts[part]

    def __getattr__(self, part: str) -> Estimate:
        if part.startswith("_"):  # unfinished copies are asked for their own attributes: do not recurse
            raise AttributeError(part)
        parts = self._parts()
        if part not in parts:
            raise AttributeError(f"{self.name} has no part {part}, {did_you_mean(part, parts) or self._hint(parts)}")
        return parts[part]

    def __iter__(self) -> Iterator[str]:
        return iter(self._parts())

    def __contains__(self, part: object) -> bool:
        return part in self._parts()

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._parts()]

    def __repr__(self) -> str:
        return f"{self.name}: " + ", ".join(f"{part} {value}" for part, value in self._parts().items())

    def _repr_html_(self) -> str:
        from adjudge.stats.notebook import rows_html

        return rows_html(("part", self.name), [(part, repr(value)) for part, value in self._parts().items()])

    @staticmethod
    def _hint(parts: Mapping[str, Estimate]) -> str:
        return f"parts: {', '.join(parts)}"


class SeveralSystems(UsageError, AttributeError):
    """A single number was requested from several systems; for `hasattr` it means no."""


class SystemScores(Mapping[str, MetricScores]):
    """One metric of several systems, by their names: `scores["A"].f1`; no number stands for all of them.

    >>> both = SystemScores("x", {name: MetricScores("x", (("f1", {}, Estimate(0.5)),)) for name in ("A", "B")})
    >>> both["B"].f1, list(both)
    (0.5000, ['A', 'B'])
    """

    def __init__(self, name: str, systems: Mapping[str, MetricScores]) -> None:
        self.name = name
        self._systems = dict(systems)

    def __getitem__(self, system: str) -> MetricScores:
        if system in self._systems:
            return self._systems[system]
        if any(system in scores for scores in self._systems.values()):
            raise self._refused(f"[{system!r}]")
        names = ", ".join(self._systems)
        raise UsageError(f"no system {system}", hint=did_you_mean(system, self._systems) or f"systems: {names}")

    def __getattr__(self, part: str) -> Estimate:
        if part.startswith("_"):
            raise AttributeError(part)
        raise self._refused(f".{part}")

    def __iter__(self) -> Iterator[str]:
        return iter(self._systems)

    def __len__(self) -> int:
        return len(self._systems)

    def __repr__(self) -> str:
        return "\n".join(f"{system}: {scores!r}" for system, scores in self._systems.items())

    def _repr_html_(self) -> str:
        from adjudge.stats.notebook import rows_html

        parts = list(dict.fromkeys(part for scores in self.values() for part in scores))
        rows = [(name, *(repr(own[part]) if part in own else "" for part in parts)) for name, own in self.items()]
        return rows_html((self.name, *parts), rows)

    def _refused(self, what: str) -> SeveralSystems:
        say = f'result["{self.name}"]["{next(iter(self._systems))}"]{what}'
        return SeveralSystems(f"the result has {len(self)} systems ({', '.join(self._systems)}); say {say}")


def _key(where: Mapping[str, AttributeValue]) -> dict[str, tuple[bool, AttributeValue]]:
    return {name: value_key(value) for name, value in where.items()}


def _written(where: Mapping[str, AttributeValue]) -> str:
    return ", ".join(f"{name}={value}" for name, value in where.items())
