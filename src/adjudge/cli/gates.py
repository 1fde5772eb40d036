"""`--fail-under`: thresholds that make a command fail, checked against what will be scored before anything is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from adjudge.errors import GateError, Problem, UsageError, did_you_mean

if TYPE_CHECKING:
    from adjudge.stats.measure import Key
    from adjudge.stats.result import Result


def check_gates(gates: Sequence[tuple[str, float]], keys: Sequence[Key]) -> None:
    """Raise if a gate names a score that there will not be."""
    known = {name for metric, part in keys for name in (part, f"{metric}.{part}")}
    for name, _ in gates:
        if name not in known:
            hint = did_you_mean(name, sorted(known)) or f"scores are {', '.join(sorted(known))}"
            raise UsageError(f"--fail-under {name}: there is no such score", hint=hint)


def apply_gates(gates: Sequence[tuple[str, float]], result: Result) -> None:
    """Raise if a score of the whole corpus, of any system, is lower than its gate; an undefined score is lower."""
    problems = [
        Problem(f"{system.name}: {score.metric}.{score.part} is {_shown(score.value)}, below {threshold:g}")
        for name, threshold in gates
        for system in result.systems
        for score in system.scores
        if not score.slice
        and name in (score.part, f"{score.metric}.{score.part}")
        and (score.value is None or score.value < threshold)
    ]
    if problems:
        raise GateError(problems)


def _shown(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.6g}"
