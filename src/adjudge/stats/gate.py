"""Whether systems are worse than a baseline, overall or in a slice, and which drops the gate can detect."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist
from typing import NamedTuple

import msgspec

from adjudge.errors import Problem, UsageError, ValidationError, did_you_mean
from adjudge.stats.compare import compare
from adjudge.stats.inference import LEAST, holm
from adjudge.stats.measure import Key, Measure, part_keys
from adjudge.stats.result import Comparison, Result
from adjudge.stats.scores import headline_keys
from adjudge.stats.text import slice_text

BASELINE = "baseline"
LEVEL = 0.05
POWER = 0.8
_STUDENT = ("jackknife", "randomisation")  # whose intervals have Student's quantiles


class Gate(NamedTuple):
    """The condition for a system: not significantly worse than the baseline at a level, or worse by less than a margin.

    `scores` are those that are tested (`ner.strict.f1`); without any, the F of every metric.
    """

    level: float = LEVEL
    margin: float | None = None
    scores: tuple[str, ...] = ()

    def checked(self) -> Gate:
        """The gate itself, if its numbers are valid."""
        if not 0 < self.level < 1:
            raise UsageError(f"the level is {self.level:g}", hint="give a number between 0 and 1")
        if self.margin is not None and not 0 < self.margin < 1:
            raise UsageError(f"the margin is {self.margin:g}", hint="give points as a fraction, such as 0.02")
        if self.margin is not None and self.level > 0.25:
            raise UsageError(f"a level of {self.level:g} is too high for a margin", hint="give at most 0.25")
        return self


class Verdict(NamedTuple):
    """What a gate found: the comparisons that fail, all that were tested, and the gate."""

    failed: tuple[Comparison, ...]
    tested: tuple[Comparison, ...]
    gate: Gate

    def seen(self) -> list[str]:
        """What the gate can detect with so many documents in the whole corpus; a line for each score."""
        whole = [each for each in self.tested if not each.slice and each.documents is not None]
        named = len(whole) > 1
        lines = []
        for each in whole:
            drop = detectable(each, self.gate, len(self.tested))
            if drop is None:
                continue
            start = f"{each.a}: {each.metric}.{each.part}: " if named else ""
            points = f"{100 * drop:.1f} points"
            what = (
                f"detects drops of {points} or more (power {100 * POWER:.0f} %)"
                if self.gate.margin is None
                else f"lets an equal system pass if the margin is {points} or more (power {100 * POWER:.0f} %)"
            )
            lines.append(f"{start}with {each.documents} documents this gate {what}")
        return lines

    def problems(self) -> list[Problem]:
        """The failures as problems."""
        return [described(each, self.gate) for each in self.failed]


def gated(result: Result, baseline: Result, gate: Gate) -> Verdict:
    """The verdict of a gate on every system of a result, compared with a baseline.

    What is tested is the F of every metric (of one that has none, all its scores) or the scores that the gate names, of
    every system, overall and in the slices of both results. A baseline of several systems is compared name by name.
    """
    gate.checked()
    keys = chosen_keys(gate.scores, result.measures)
    tested = [each for system in result.systems for each in _comparisons(result, baseline, system.name, gate, keys)]
    if all(each.p is None or _few(each) for each in tested):
        hint = f"score at least {LEAST} documents, and leave --bootstrap 0 out"
        raise UsageError("no difference to the baseline can be tested", hint=hint)
    found = zip(tested, holm([each.p for each in tested]), strict=True)
    corrected = tuple(msgspec.structs.replace(each, p_holm=p, q=None, family=BASELINE) for each, p in found)
    failed = tuple(each for each in corrected if not _few(each) and _fails(each, gate))
    return Verdict(failed, corrected, gate)


def against(result: Result, name: str, gate: Gate) -> Verdict:
    """The verdict of a gate on the other systems of a result, compared with the one of this name."""
    others = msgspec.structs.replace(
        result.signed(),
        systems=tuple(each for each in result.systems if each.name != name),
        comparisons=(),
        ranking=(),
        panels=(),
    )
    if not others.systems:
        raise UsageError(
            f"{name} is the only system and cannot be its own baseline", hint="give another system as well"
        )
    return gated(others, alone(result, name), gate)


def worse_than(result: Result, baseline: Result, level: float = LEVEL) -> tuple[Comparison, ...]:
    """The comparisons in which a system is worse than the baseline, at a level after Holm's correction."""
    return gated(result, baseline, Gate(level)).failed


def chosen_keys(names: Sequence[str], measures: Sequence[Measure]) -> frozenset[Key]:
    """The scores with these names; a metric alone means its F, and no names mean all of those."""
    headline = frozenset(headline_keys(measures))
    if not names:
        known = {metric for metric, _ in headline}
        return headline | {(metric, part) for metric, part in part_keys(measures) if metric not in known}
    every = {f"{metric}.{part}": (metric, part) for metric, part in part_keys(measures)}
    every |= {metric: (metric, part) for metric, part in headline}
    for name in names:
        if name not in every:
            hint = did_you_mean(name, every) or f"scores are {', '.join(every)}"
            raise UsageError(f"--gate {name}: there is no such score", hint=hint)
    return frozenset(every[name] for name in names)


def detectable(comparison: Comparison, gate: Gate, tests: int) -> float | None:
    """The drop that is found with the power, or the margin that an equal system keeps with it; None without intervals.

    The error is that of the interval. Holm's correction is taken at its strictest, for one of so many tests.
    """
    if comparison.low is None or comparison.high is None or comparison.documents is None:
        return None
    freedom = comparison.documents - 1 if comparison.test in _STUDENT else None
    alone = gate.margin is not None
    spread = 1 - gate.level if alone else 0.975  # what the half of the interval reaches to
    error = (comparison.high - comparison.low) / 2 / _quantile(spread, freedom)
    reach = 1 - gate.level if alone else 1 - gate.level / (2 * max(tests, 1))
    return (_quantile(reach, freedom) + _quantile(POWER, freedom)) * error


def _quantile(share: float, freedom: int | None) -> float:
    if freedom is None:
        return NormalDist().inv_cdf(share)
    from adjudge.stats.intervals import student_quantile

    return student_quantile(2 * share - 1, freedom)


def _fails(comparison: Comparison, gate: Gate) -> bool:
    if gate.margin is None:
        p = comparison.p_holm
        return p is not None and p < gate.level and (comparison.difference or 0.0) < 0
    return comparison.low is None or not comparison.low > -gate.margin


def _few(comparison: Comparison) -> bool:
    return comparison.documents is not None and comparison.documents < LEAST


def _comparisons(result: Result, baseline: Result, name: str, gate: Gate, keys: frozenset[Key]) -> list[Comparison]:
    """The comparisons of one system, as the first, with its baseline."""
    mine = alone(result, name)
    own = [system.name for system in baseline.systems]
    if len(own) > 1 and name not in own:
        hint = f"call a system as in the baseline ({', '.join(own)}), or save one system"
        raise UsageError(f"the baseline has several systems, and none of them is {name}", hint=hint)
    other = alone(baseline, name if len(own) > 1 else own[0]).renamed(BASELINE if name != BASELINE else "before")
    try:
        both = compare(mine, other, level=0.95 if gate.margin is None else 1 - 2 * gate.level)
    except UsageError as error:  # the call is right, but the results do not fit together
        raise ValidationError(error.problems) from None
    return [each for each in both.comparisons if (each.metric, each.part) in keys]


def alone(result: Result, name: str) -> Result:
    """The result of one of its systems."""
    return msgspec.structs.replace(
        result.signed(),
        systems=tuple(system for system in result.systems if system.name == name),
        comparisons=(),
        ranking=(),
        panels=(),
    )


def described(comparison: Comparison, gate: Gate = Gate()) -> Problem:  # noqa: B008  # it does not change
    """The failure of a system as a problem."""
    where = f" ({slice_text(comparison.slice)})" if comparison.slice else ""
    name = f"{comparison.a}: {comparison.metric}.{comparison.part}{where}"
    difference = 100 * (comparison.difference or 0.0)
    if gate.margin is None:
        return Problem(
            f"{name} is {abs(difference):.1f} points worse than the "
            f"baseline, p = {comparison.p_holm:.2g} after Holm's correction"
        )
    if comparison.low is None:
        return Problem(f"{name} has no interval, so a margin cannot be checked")
    return Problem(
        f"{name} may be {abs(100 * comparison.low):.1f} points worse than the baseline "
        f"({difference:+.1f}, {100 * (1 - 2 * gate.level):g} % interval from {100 * comparison.low:+.1f}), "
        f"and the margin is {100 * gate.margin:.1f}"
    )
