"""What readers and validators say about a file: findings by kind, the first of each kind in full.

How bad a kind of finding is, whoever asks may change.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate
from typing import Literal, TypeAlias, TypeVar, cast

from adjudge.errors import AdjudgeError, FormatError, Problem, UsageError, did_you_mean, more_problems

T = TypeVar("T")
P = TypeVar("P")

Severity: TypeAlias = Literal["error", "warning", "off"]
Severities: TypeAlias = Mapping[str, Severity]
"""Kinds of findings that are not what they are by default."""

LIMIT = 100
"""How many findings of a kind are kept, unless it is said otherwise: one mistake may stand in every line."""

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "off")


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to fix; `kind` is a stable name for programs, `repair` what lenient reading has done about it.

    `error` says whether the rules of the format forbid it (a strict reader refuses the file) or only find it unusual;
    `fix` is a line that can be pasted.
    """

    kind: str
    error: bool
    problem: Problem
    document: str | None = None
    repair: str | None = None
    fix: str | None = None


class Findings:
    """Takes what is found in one file, which may be that of a `document`; `limit` 0 keeps all.

    >>> found = Findings("run.tsv", limit=1)
    >>> for line in (3, 9): found.add("columns", "a line with 2 fields", line, 1, "write four")
    >>> [str(problem) for problem in found.problems()]
    ['run.tsv:3:1: a line with 2 fields, write four', 'run.tsv: and 1 more of the kind columns']
    """

    def __init__(self, place: str, document: str | None = None, *, limit: int = LIMIT) -> None:
        self.place = place
        self.document = document
        self.limit = limit
        self.found: list[Finding] = []
        self.counts: Counter[str] = Counter()
        self.errors = 0
        self.warnings = 0
        self.repairs: Counter[str] = Counter()
        self._unrepaired: Counter[str] = Counter()

    @property
    def total(self) -> int:
        """How many findings there are, kept or not."""
        return self.errors + self.warnings

    @property
    def unrepaired(self) -> int:
        """How many errors lenient reading could not repair."""
        return sum(self._unrepaired.values())

    def add(
        self,
        kind: str,
        message: str,
        line: int | None,
        column: int | None,
        hint: str | None = None,
        *,
        error: bool = True,
        repair: str | None = None,
        fix: str | None = None,
    ) -> None:
        """Something at a place of the file that the rules forbid, or only a warning."""
        self.add_problem(kind, Problem(message, self.place, line, column, hint), error=error, repair=repair, fix=fix)

    def warn(
        self,
        kind: str,
        message: str,
        line: int | None,
        column: int | None,
        hint: str | None = None,
        *,
        repair: str | None = None,
    ) -> None:
        """Something that the rules allow, or repair themselves."""
        self.add(kind, message, line, column, hint, error=False, repair=repair)

    def add_problem(
        self, kind: str, problem: Problem, *, error: bool, repair: str | None = None, fix: str | None = None
    ) -> None:
        """A problem with its own place, such as another reader has found."""
        self.counts[kind] += 1
        if error:
            self.errors += 1
        else:
            self.warnings += 1
        if repair is not None:
            self.repairs[kind] += 1
        elif error:
            self._unrepaired[kind] += 1
        if not self.limit or self.counts[kind] <= self.limit:
            self.found.append(Finding(kind, error, problem, self.document, repair, fix))

    def in_order(self) -> list[Finding]:
        """The findings that were kept, in the order of their places."""
        return sorted(self.found, key=_place)

    def unlisted(self) -> dict[str, int]:
        """How many of each kind were not kept."""
        kept = Counter(finding.kind for finding in self.found)
        return {kind: count - kept[kind] for kind, count in self.counts.items() if count > kept[kind]}

    def problems(self, *, strict: bool = False) -> list[Problem]:
        """The errors, with `strict` also those that were repaired; a last line for each kind not listed in full."""
        found = [each for each in self.in_order() if each.error and (strict or each.repair is None)]
        listed = Counter(each.kind for each in found)
        problems = [each.problem for each in found]
        for kind, count in self.unlisted().items():
            more = count if strict else max(0, self._unrepaired[kind] - listed[kind])
            if listed[kind] and more:
                problems.append(Problem(f"and {more} more of the kind {kind}", path=self.place, more=more))
        return problems

    def finish(self, *, empty: str | None = None, hint: str | None = None) -> None:
        """Raise the errors; `empty` says what is wrong with a file in which there is nothing, not even a mistake."""
        if empty is not None and not self.total:
            self.add("empty", empty, None, None, hint)
        if problems := self.problems():
            raise FormatError(problems)

    def notes(self) -> list[Problem]:
        """What was repaired, one line for each kind with the first place."""
        first: dict[str, Finding] = {}
        for each in self.in_order():
            if each.repair is not None:
                first.setdefault(each.kind, each)
        return [
            Problem(f"{self.repairs[kind]} {kind}: {each.repair}", self.place, each.problem.line, each.problem.column)
            for kind, each in first.items()
        ]

    def sorted(self) -> list[Finding]:
        """The findings in the order of their places; a last one for each kind that is not listed in full."""
        found = self.in_order()
        errors = {each.kind for each in found if each.error}
        for kind, count in self.unlisted().items():
            more = Problem(f"and {count} more of the kind {kind}", path=self.place)
            found.append(Finding(kind, kind in errors, more, self.document))
        return found


def _place(finding: Finding) -> tuple[str, int, int]:
    problem = finding.problem
    return problem.path or "", problem.line or 0, problem.column or 0


def errors_of(findings: Iterable[Finding]) -> list[Problem]:
    """The problems of those findings that are errors."""
    return [finding.problem for finding in findings if finding.error]


def raise_problems(
    problems: Sequence[Problem], place: str | None = None, kind: type[AdjudgeError] = FormatError
) -> None:
    """Raise what is wrong with a file, or several, if anything is: the first problems, and how many more there are.

    >>> try: raise_problems([Problem("no tag", "a.txt")] * 102, "a.txt")
    ... except FormatError as error: print(error.problems[-1])
    a.txt: and 2 more problems
    """
    if problems:
        more = len(problems) - LIMIT
        raise kind([*problems[:LIMIT], *([more_problems(more, place or problems[0].path)] if more > 0 else [])])


def read_files(paths: Iterable[P], read: Callable[[P], T]) -> tuple[list[tuple[P, T]], list[Problem]]:
    """What each file holds, and what is wrong with those that cannot be read; a `UsageError` is raised at once.

    >>> read_files(["a", "b"], len)
    ([('a', 1), ('b', 1)], [])
    """
    parts: list[tuple[P, T]] = []
    problems: list[Problem] = []
    for path in paths:
        try:
            parts.append((path, read(path)))
        except UsageError:
            raise
        except AdjudgeError as error:
            problems += error.problems
    return parts, problems


def field_column(line: str, number: int) -> int:
    """Where a field of a line begins; both are counted from 1.

    >>> field_column("a\\tbc\\td", 3)
    6
    """
    starts = _starts(line)
    return starts[min(number, len(starts)) - 1]


@lru_cache(maxsize=1)  # a line of many fields may be wrong in all of them
def _starts(line: str) -> list[int]:
    return list(accumulate((len(each) + 1 for each in line.split("\t")), initial=1))


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
