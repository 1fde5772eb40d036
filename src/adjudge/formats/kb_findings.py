"""What is wrong with files of knowledge bases, and what reading has repaired: the first of each kind in full."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

from adjudge.errors import Problem

LIMIT = 100
"""How many findings of a kind are kept, unless it is said otherwise: one mistake may stand in every line."""


@dataclass(frozen=True, slots=True)
class KbFinding:
    """One thing to fix; `kind` is a stable name for programs, `repair` what lenient reading has done about it.

    `error` says whether the rules of the format forbid it (a strict reader refuses the file) or only find it odd.
    """

    kind: str
    error: bool
    problem: Problem
    repair: str | None = None


class KbFindings:
    """Takes what is found in one file; `limit` 0 keeps all.

    >>> found = KbFindings("run.tsv", limit=1)
    >>> for line in (3, 9): found.error("columns", "a line with 2 fields", line, 1, "write four")
    >>> [str(problem) for problem in found.problems()]
    ['run.tsv:3:1: a line with 2 fields, write four', 'run.tsv: and 1 more of the kind columns']
    """

    def __init__(self, place: str, *, limit: int = LIMIT) -> None:
        self.place = place
        self.limit = limit
        self.found: list[KbFinding] = []
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

    def error(
        self,
        kind: str,
        message: str,
        line: int | None,
        column: int | None,
        hint: str | None = None,
        *,
        repair: str | None = None,
    ) -> None:
        """Something that the rules forbid."""
        self.errors += 1
        if repair is None:
            self._unrepaired[kind] += 1
        self._add(kind, True, message, line, column, hint, repair)

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
        self.warnings += 1
        self._add(kind, False, message, line, column, hint, repair)

    def _add(
        self,
        kind: str,
        error: bool,
        message: str,
        line: int | None,
        column: int | None,
        hint: str | None,
        repair: str | None,
    ) -> None:
        self.counts[kind] += 1
        if repair is not None:
            self.repairs[kind] += 1
        if not self.limit or self.counts[kind] <= self.limit:
            self.found.append(KbFinding(kind, error, Problem(message, self.place, line, column, hint), repair))

    def add_problem(self, kind: str, problem: Problem, *, error: bool) -> None:
        """What another reader has said, with the place that it names."""
        self.counts[kind] += 1
        if error:
            self.errors += 1
            self._unrepaired[kind] += 1
        else:
            self.warnings += 1
        if not self.limit or self.counts[kind] <= self.limit:
            self.found.append(KbFinding(kind, error, problem))

    def in_order(self) -> list[KbFinding]:
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

    def notes(self) -> list[Problem]:
        """What was repaired, one line for each kind with the first place."""
        first: dict[str, KbFinding] = {}
        for each in self.in_order():
            if each.repair is not None:
                first.setdefault(each.kind, each)
        return [
            Problem(f"{self.repairs[kind]} {kind}: {each.repair}", self.place, each.problem.line, each.problem.column)
            for kind, each in first.items()
        ]

    @staticmethod
    def column(line: str, field: int) -> int:
        """Where a field of a line begins, both counted from 1.

        >>> KbFindings.column("a\\tbc\\td", 3)
        6
        """
        starts = _starts(line)
        return starts[min(field, len(starts)) - 1]


@lru_cache(maxsize=1)  # a line of many fields may be wrong in all of them
def _starts(line: str) -> list[int]:
    return list(accumulate((len(each) + 1 for each in line.split("\t")), initial=1))


def _place(finding: KbFinding) -> tuple[str, int, int]:
    problem = finding.problem
    return problem.path or "", problem.line or 0, problem.column or 0
