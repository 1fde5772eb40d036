"""What a validator says about a file, and how bad each kind of finding is, which whoever asks may change."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, cast

from adjudge.errors import Problem, UsageError, did_you_mean

Severity: TypeAlias = Literal["error", "warning", "off"]
Severities: TypeAlias = Mapping[str, Severity]
"""Kinds of findings that are not what they are by default."""

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "off")


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to fix; `kind` is a stable name for programs."""

    kind: str
    error: bool
    problem: Problem
    document: str | None = None


def graded(finding: Finding, severities: Severities) -> Finding | None:
    """A finding with the severity that its kind has; None if nobody wants to know.

    >>> found = Finding("time", True, Problem("'May 4th' is not a date"))
    >>> graded(found, {"time": "warning"}).error, graded(found, {"time": "off"}), graded(found, {}) is found
    (False, None, True)
    """
    severity = severities.get(finding.kind)
    if severity is None:
        return finding
    return None if severity == "off" else replace(finding, error=severity == "error")


def check_severities(given: Mapping[str, str], kinds: Collection[str]) -> dict[str, Severity]:
    """Severities by kind, if there are such kinds and severities; every mistake is raised at once.

    >>> check_severities({"tim": "warning"}, ["time", "type"])
    Traceback (most recent call last):
    adjudge.errors.UsageError: there is no kind of problem 'tim', did you mean time? Kinds are time, type
    """
    problems = []
    for kind, severity in given.items():
        if kind not in kinds:
            close = did_you_mean(kind, kinds)
            hint = f"{f'{close} ' if close else ''}{'K' if close else 'k'}inds are {', '.join(kinds)}"
            problems.append(Problem(f"there is no kind of problem {kind!r}", hint=hint))
        if severity not in SEVERITIES:
            problems.append(Problem(f"{severity!r} is no severity of {kind}", hint=f"say {_CHOICE}"))
    if problems:
        raise UsageError(problems)
    return {kind: cast("Severity", severity) for kind, severity in given.items()}


_CHOICE = ", ".join(SEVERITIES[:-1]) + f" or {SEVERITIES[-1]}"


def parse_severities(options: Iterable[str], kinds: Collection[str]) -> dict[str, Severity]:
    """Severities from options such as `cas-text=off`; of two for one kind the last counts.

    >>> parse_severities(["time=warning"], ["time"])
    {'time': 'warning'}
    """
    given: dict[str, str] = {}
    for option in options:
        kind, equals, severity = option.partition("=")
        if not equals:
            raise UsageError(f"--severity {option} has no severity", hint=f"say {option}=error, {option}=off, ...")
        given[kind.strip()] = severity.strip()
    return check_severities(given, kinds)


@dataclass(frozen=True, slots=True)
class Report:
    """What was found in one file, in file order, and what is in it."""

    path: str
    findings: list[Finding]
    documents: int
    tokens: int
    chains: int
    mentions: int

    @property
    def errors(self) -> int:
        """How many findings are errors."""
        return sum(finding.error for finding in self.findings)

    @property
    def warnings(self) -> int:
        """How many findings are warnings."""
        return len(self.findings) - self.errors
