"""Whether systems are significantly worse than a saved result, overall or in a slice: what a gate for prompts asks."""

from __future__ import annotations

import msgspec

from adjudge.errors import Problem, UsageError
from adjudge.stats.compare import compare
from adjudge.stats.inference import LEAST, holm
from adjudge.stats.result import Comparison, Result
from adjudge.stats.scores import headline_keys
from adjudge.stats.text import slice_text

BASELINE = "baseline"
LEVEL = 0.05


def worse_than(result: Result, baseline: Result, level: float = LEVEL) -> tuple[Comparison, ...]:
    """The comparisons in which a system is worse than the baseline, at a level after Holm's correction of all of them.

    What is tested is the F of every metric (of one that has none, all its scores), of every system, overall and in the
    slices of both results. A baseline of several systems is compared name by name.
    """
    if not 0 < level < 1:
        raise UsageError(f"the level is {level:g}", hint="give a number between 0 and 1")
    tested = [each for system in result.systems for each in _comparisons(result, baseline, system.name)]
    if all(each.p is None or _few(each) for each in tested):
        hint = f"score at least {LEAST} documents, and leave --bootstrap 0 out"
        raise UsageError("no difference to the baseline can be tested", hint=hint)
    found = zip(tested, holm([each.p for each in tested]), strict=True)
    corrected = [msgspec.structs.replace(each, p_holm=p, q=None, family=BASELINE) for each, p in found]
    return tuple(
        each
        for each in corrected
        if each.p_holm is not None and each.p_holm < level and (each.difference or 0.0) < 0 and not _few(each)
    )


def _few(comparison: Comparison) -> bool:
    return comparison.documents is not None and comparison.documents < LEAST


def _comparisons(result: Result, baseline: Result, name: str) -> list[Comparison]:
    """One system, first, beside its baseline."""
    mine = _alone(result, name)
    own = [system.name for system in baseline.systems]
    if len(own) > 1 and name not in own:
        hint = f"call a system as in the baseline ({', '.join(own)}), or save one system"
        raise UsageError(f"the baseline has several systems, and none of them is {name}", hint=hint)
    other = _alone(baseline, name if len(own) > 1 else own[0]).renamed(BASELINE if name != BASELINE else "before")
    both = compare(mine, other)
    known = headline_keys(both.measures)
    metrics = {metric for metric, _ in known}
    return [each for each in both.comparisons if (each.metric, each.part) in known or each.metric not in metrics]


def _alone(result: Result, name: str) -> Result:
    return msgspec.structs.replace(
        result.signed(),
        systems=tuple(system for system in result.systems if system.name == name),
        comparisons=(),
        ranking=(),
        panels=(),
    )


def described(comparison: Comparison) -> Problem:
    """What a gate says of a system that is worse."""
    where = f" ({slice_text(comparison.slice)})" if comparison.slice else ""
    difference = abs(100 * (comparison.difference or 0.0))
    return Problem(
        f"{comparison.a}: {comparison.metric}.{comparison.part}{where} is {difference:.1f} points worse than the "
        f"baseline, p = {comparison.p_holm:.2g} after Holm's correction"
    )
