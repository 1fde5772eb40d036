"""Numbers that know how sure they are, and the scores of one metric by name of the part."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from adjudge.errors import UsageError, did_you_mean
from adjudge.stats.data import AttributeValue, value_key


class Estimate(float):
    """A float with an interval; an undefined one is nan.

    >>> Estimate(0.74123, low=0.73051, high=0.7518, level=0.95)
    0.7412 [0.7305, 0.7518]
    >>> Estimate(0.5) + 0.25, Estimate(None)
    (0.75, undefined)
    """

    low: float | None
    high: float | None
    level: float | None

    def __new__(
        cls,
        value: float | None,
        low: float | None = None,
        high: float | None = None,
        level: float | None = None,
    ) -> Estimate:
        """A value (None: undefined) and the interval around it."""
        self = super().__new__(cls, math.nan if value is None else value)
        self.low, self.high, self.level = low, high, level
        return self

    def __getnewargs__(self) -> tuple[float, float | None, float | None, float | None]:  # type: ignore[override]
        return float(self), self.low, self.high, self.level

    def __repr__(self) -> str:
        if math.isnan(self):
            return "undefined"
        text = f"{float(self):.4f}"
        return text if self.low is None or self.high is None else f"{text} [{self.low:.4f}, {self.high:.4f}]"

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
    ) -> None:
        self.name = name
        self._scores = scores
        self._chosen = dict(chosen or {})

    def _parts(self) -> dict[str, Estimate]:
        return {part: value for part, where, value in self._scores if _key(where) == _key(self._chosen)}

    def where(self, **fields: AttributeValue) -> MetricScores:
        """The same metric on the documents with these attributes, as far as the result was sliced by them."""
        if not any(_key(where) == _key(fields) for _, where, _ in self._scores):
            known = dict.fromkeys(_written(where) for _, where, _ in self._scores if where)
            hint = f"slices: {', '.join(known)}" if known else "score with by=FIELD"
            raise UsageError(f"{self.name} has no slice {_written(fields)}", hint=hint)
        return MetricScores(self.name, self._scores, fields)

    def __getitem__(self, part: str) -> Estimate:
        parts = self._parts()
        if part not in parts:
            raise UsageError(f"{self.name} has no part {part}", hint=did_you_mean(part, parts) or self._hint(parts))
        return parts[part]

    def __getattr__(self, part: str) -> Estimate:
        if part.startswith("_"):  # half-made copies are asked for their own attributes: never recurse
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


def _key(where: Mapping[str, AttributeValue]) -> dict[str, tuple[bool, AttributeValue]]:
    return {name: value_key(value) for name, value in where.items()}


def _written(where: Mapping[str, AttributeValue]) -> str:
    return ", ".join(f"{name}={value}" for name, value in where.items())
