"""The explanation of a score: what is matched, missed and spurious, at every level, with paths.

It is computed on request, from the same plan as the score. Pairs of similarity zero are not listed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import fsum
from typing import Any

from adjudge.algebra.operators.base import GOLD, SYSTEM, Difference, Op, Seen
from adjudge.algebra.operators.misfit import Misfit, short
from adjudge.errors import UsageError, did_you_mean
from adjudge.rooms import load

_INDEX = re.compile(r"\[\d+\]")


def level_of(path: str) -> str:
    """A path without its positions.

    >>> level_of("events[3].arguments[0]")
    'events[*].arguments[*]'
    """
    return _INDEX.sub("[*]", path)


@dataclass(frozen=True, slots=True)
class Matched:
    """A system item and the gold item it is matched to."""

    system_path: str
    gold_path: str
    system: Any
    gold: Any
    score: float

    @property
    def level(self) -> str:
        """The path without positions."""
        return level_of(self.gold_path)


@dataclass(frozen=True, slots=True)
class Unmatched:
    """An item of one side without a counterpart: missed if gold, spurious if system."""

    side: int
    path: str
    value: Any

    @property
    def level(self) -> str:
        """The path without positions."""
        return level_of(self.path)


@dataclass(frozen=True)
class Why:
    """The nearest counterpart of an item, and where the two differ."""

    path: str
    value: Any
    nearest_path: str | None
    nearest: Any
    differences: tuple[Difference, ...]
    matched: bool = False

    def __str__(self) -> str:
        if self.nearest_path is None:
            return f"{self.path}: nothing on the other side resembles it"
        lines = [f"{self.path}: {'matched to' if self.matched else 'nearest is'} {self.nearest_path}"]
        for each in self.differences:
            if each.similarity == 1:
                lines.append(f"  {each.path or 'value'}: equal")
            else:
                lines.append(
                    f"  {each.path or 'value'}: system {short(each.system)}, gold {short(each.gold)}"
                    f" (similarity {each.similarity:.2f})"
                )
        return "\n".join(lines)


@dataclass
class Report:
    """Collects what the operators say while they align two values.

    `elements` maps the path of a list element of the system to that of gold if the items are leaves; else it is None.
    """

    matched: list[Matched] = field(default_factory=list)
    left: tuple[list[Unmatched], list[Unmatched]] = field(default_factory=lambda: ([], []))
    operators: dict[str, Op] = field(default_factory=dict)
    mapping: dict[str, dict[Any, Any]] = field(default_factory=dict)
    elements: dict[str, str] | None = None

    def match(self, sp: str, gp: str, s: Any, g: Any, score: float, op: Op) -> None:
        """Note a matched pair."""
        self.matched.append(Matched(sp, gp, s, g, score))
        self.operators.setdefault(level_of(gp), op)
        self.operators.setdefault(level_of(sp), op)

    def unmatched(self, side: int, path: str, value: Any, op: Op) -> None:
        """Note an item without counterpart."""
        self.left[side].append(Unmatched(side, path, value))
        self.operators.setdefault(level_of(path), op)

    def variables(self, path: str, mapping: dict[Any, Any]) -> None:
        """Note how variables were matched."""
        self.mapping[path] = mapping


class Alignment:
    """Matched, missed and spurious items of one document.

    `matched`, `missed` (gold only) and `spurious` (system only) list the items of every level; `at(level)` narrows
    to one. `variables` is the matching of latent variables, if there are any. `why(path)` compares an item with its
    nearest counterpart.
    """

    def __init__(self, report: Report) -> None:
        # Below a counterpart that is matched more than once, an item is missed only if no pair found it.
        self.matched: Sequence[Matched] = tuple(
            {(each.system_path, each.gold_path): each for each in report.matched}.values()
        )
        found = {each.system_path for each in self.matched}, {each.gold_path for each in self.matched}
        left = [
            tuple({each.path: each for each in report.left[side] if each.path not in found[side]}.values())
            for side in (SYSTEM, GOLD)
        ]
        self.spurious: Sequence[Unmatched] = left[SYSTEM]
        self.missed: Sequence[Unmatched] = left[GOLD]
        self.variables = dict(report.mapping)
        self.elements = report.elements
        self._operators = report.operators
        self._seen: Seen = {}

    def joined(self, other: Alignment) -> Alignment:
        """This alignment for precision, the other for recall: spurious items from here, missed ones from there."""
        report = Report(operators={**other._operators, **self._operators})
        report.mapping = {**other.variables, **self.variables}
        report.matched = [*self.matched, *other.matched]
        both = Alignment(report)
        both.spurious, both.missed = self.spurious, other.missed
        return both

    def _repr_html_(self) -> str:
        html: str = load("adjudge.stats.notebook:alignment_html")(self.matched, self.missed, self.spurious)
        return html

    @property
    def levels(self) -> list[str]:
        """All levels, outermost first."""
        found = [each.level for group in (self.matched, self.missed, self.spurious) for each in group]
        return sorted(dict.fromkeys(found), key=lambda level: (level.count("[*]"), level))

    def at(self, level: str) -> Alignment:
        """The same alignment, one level of it."""
        if level not in self.levels:
            raise UsageError(f"there is no level {level!r}", hint=did_you_mean(level, self.levels))
        report = Report(operators=self._operators, mapping=self.variables)
        report.matched = [each for each in self.matched if each.level == level]
        report.left = (
            [each for each in self.spurious if each.level == level],
            [each for each in self.missed if each.level == level],
        )
        return Alignment(report)

    def without(self, levels: Sequence[str]) -> Alignment:
        """The same alignment without some of its levels."""
        report = Report(operators=self._operators, mapping=self.variables)
        both = Alignment(report)
        both.matched = [each for each in self.matched if each.level not in levels]
        both.missed = [each for each in self.missed if each.level not in levels]
        both.spurious = [each for each in self.spurious if each.level not in levels]
        return both

    def why(self, item: str | Matched | Unmatched, *, side: str | None = None) -> Why:
        """The nearest counterpart of an item and the fields that differ.

        `item` is an entry of this alignment or a path; a path that exists on both sides means the unmatched item
        unless `side` ("gold" or "system") says otherwise.
        """
        if isinstance(item, Matched):
            return self._explain(SYSTEM, item.system_path, item.system, matched=item)
        if isinstance(item, Unmatched):
            return self._explain(item.side, item.path, item.value)
        sides = {"gold": (GOLD,), "system": (SYSTEM,), None: (GOLD, SYSTEM)}.get(side, ())
        for group, which in ((self.missed, GOLD), (self.spurious, SYSTEM)):
            for entry in group:
                if entry.path == item and which in sides:
                    return self._explain(which, entry.path, entry.value)
        for pair in self.matched:
            if pair.system_path == item and SYSTEM in sides:
                return self._explain(SYSTEM, item, pair.system, matched=pair)
            if pair.gold_path == item and GOLD in sides:
                return self._explain(GOLD, item, pair.gold, matched=pair)
        known = [entry.path for entry in (*self.missed, *self.spurious)]
        raise UsageError(f"there is no item {item!r} in this alignment", hint=did_you_mean(item, known))

    def _explain(self, side: int, path: str, value: Any, matched: Matched | None = None) -> Why:
        level = level_of(path)
        op = self._operators[level]
        if matched is not None:
            found = op.differences(matched.system, matched.gold, "", self._seen)
            other = matched.gold_path if side == SYSTEM else matched.system_path
            nearest = matched.gold if side == SYSTEM else matched.system
            return Why(path, value, other, nearest, tuple(found), matched=True)
        best: tuple[float, str, Any, list[Difference]] | None = None
        for other, counterpart in self._others(side, level):
            pair = (value, counterpart) if side == SYSTEM else (counterpart, value)
            try:
                found = op.differences(*pair, "", self._seen)
            except Misfit:
                continue
            closeness = fsum(each.similarity for each in found) / len(found) if found else 0.0
            if closeness > 0 and (best is None or closeness > best[0]):
                best = (closeness, other, counterpart, found)
        if best is None:
            return Why(path, value, None, None, ())
        return Why(path, value, best[1], best[2], tuple(best[3]))

    def _others(self, side: int, level: str) -> list[tuple[str, Any]]:
        if side == SYSTEM:
            found = [(each.path, each.value) for each in self.missed if each.level == level]
            return found + [(each.gold_path, each.gold) for each in self.matched if each.level == level]
        found = [(each.path, each.value) for each in self.spurious if each.level == level]
        return found + [(each.system_path, each.system) for each in self.matched if each.level == level]

    def _nearest(self, item: Unmatched) -> str:
        """A second line: the nearest counterpart and how it differs."""
        why = self.why(item)
        if why.nearest_path is None:
            return ""
        other = "system" if item.side == GOLD else "gold"
        differing = [each for each in why.differences if each.similarity < 1]
        said = "; ".join(
            f"{each.path or 'value'} is {short(each.system, 30)}, gold {short(each.gold, 30)}" for each in differing
        )
        return f"\n     nearest {other} {why.nearest_path}: {said or 'equal, but matched elsewhere or worth nothing'}"

    def __str__(self) -> str:
        lines: list[str] = []
        for level in self.levels:
            here = self.at(level)
            counts = f"{len(here.matched)} matched, {len(here.missed)} missed, {len(here.spurious)} spurious"
            lines.append(f"{level}: {counts}")
            lines += [
                f"  =  {m.gold_path} ~ system {m.system_path} (score {m.score:g}): {short(m.gold)}"
                for m in here.matched
            ]
            lines += [f"  -  missed   {u.path}: {short(u.value)}{self._nearest(u)}" for u in here.missed]
            lines += [f"  +  spurious {u.path}: {short(u.value)}{self._nearest(u)}" for u in here.spurious]
        return "\n".join(lines) or "nothing to align: both sides are empty"
