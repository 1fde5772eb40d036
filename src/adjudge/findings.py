"""What readers and validators say about files: findings by kind, the first of each kind in full, the others counted.

A `Findings` is what was found in one file, submission or folder; the same mistake on many lines is one entry of what it
lists. How bad a kind of finding is, whoever asks may change.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Any, Literal, NamedTuple, TypeAlias, TypedDict, TypeVar, Unpack, cast

import msgspec
from msgspec.structs import replace

from adjudge.errors import (
    FEW,
    AdjudgeError,
    FormatError,
    Problem,
    UsageError,
    did_you_mean,
    is_one,
    more_like_it,
    more_problems,
    shape,
    visible,
)

T = TypeVar("T")
P = TypeVar("P")

Severity: TypeAlias = Literal["error", "warning", "off"]
Severities: TypeAlias = Mapping[str, Severity]
"""Kinds of findings that are not what they are by default."""

LIMIT = 100
"""How many problems of a kind a reader keeps: one mistake may stand in every line."""
VALUES = 1000
"""Of how many different values, such as misspelt types, the first is listed."""

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "off")
_PASTED = 2000  # characters of a line to be pasted that are shown to people


class Finding(msgspec.Struct, frozen=True):
    """One thing to fix; `kind` is a stable name for programs, `repair` what lenient reading has done about it.

    `error` says whether the rules of the format forbid it (a strict reader refuses the file) or only find it unusual;
    `fix` is a line that can be pasted. Of each `value`, such as a misspelt type, the first is listed in any case.
    """

    kind: str
    error: bool
    problem: Problem
    document: str | None = None
    repair: str | None = None
    fix: str | None = None
    value: str | None = None

    @property
    def severity(self) -> Literal["error", "warning"]:
        """How bad it is, in a word."""
        return "error" if self.error else "warning"


class More(TypedDict, total=False):
    """What can be said of a finding beside its kind, place and words."""

    error: bool
    document: str | None
    repair: str | None
    fix: str | None
    value: str | None


class Findings:
    """Takes what is found in one file, which may be that of a `document`.

    The first `limit` of a kind are kept and listed, and the others counted; 0 keeps all, and None lists all if they are
    few and else the first. `severities` say which kinds are an error, a warning, or off.

    >>> found = Findings("run.tsv", limit=1)
    >>> for line in (3, 9): found.add("columns", "a line with 2 fields", line, 1, "write four")
    >>> print(*finding_lines(found))
    run.tsv:3:1: error: a line with 2 fields, write four (and 1 more like it)

    A validator says in `contents` how many documents (mentions, ...) there are, with `remarks` on some of them in
    brackets (on all of it, if they are on ""), and in `facts` what else programs may want to know.
    """

    def __init__(
        self,
        place: str,
        document: str | None = None,
        *,
        limit: int | None = LIMIT,
        severities: Severities | None = None,
    ) -> None:
        self.place = place
        self.document = document
        self.limit = limit
        self.severities = severities or {}
        self.found: list[Finding] = []
        self.counts: Counter[str] = Counter()
        self.errors = 0
        self.warnings = 0
        self.contents: dict[str, int] = {}
        self.remarks: dict[str, str] = {}
        self.facts: dict[str, Any] = {}
        self._alike: Counter[_Alike] = Counter()
        self._spots: dict[_Alike, list[int]] = {}  # where those that are alike stand among the kept ones
        self._values = 0
        self._kept = FEW if limit is None else limit

    def __str__(self) -> str:
        """What commands print of it."""
        return "\n".join([*finding_lines(self), totals_line(self)])

    __repr__ = __str__

    @property
    def total(self) -> int:
        """How many findings there are, kept or not."""
        return self.errors + self.warnings

    @property
    def unrepaired(self) -> int:
        """How many errors lenient reading could not repair."""
        return self._by_kind(lambda alike: alike.error and not alike.repaired).total()

    @property
    def repairs(self) -> dict[str, int]:
        """How many of each kind lenient reading has repaired."""
        return self._by_kind(lambda alike: alike.repaired)

    def fails(self, *, strict: bool = False) -> bool:
        """Whether something must be fixed; with `strict`, warnings too."""
        return bool(self.errors or (strict and self.warnings))

    def has_room(self, kind: str) -> bool:
        """Whether one more of a kind would be kept, for what takes time to find out."""
        return not self._kept or self.counts[kind] < self._kept

    def add(
        self,
        kind: str,
        message: str,
        line: int | None = None,
        column: int | None = None,
        hint: str | None = None,
        **more: Unpack[More],
    ) -> None:
        """Something at a place of the file that the rules forbid, or only a warning."""
        if more.get("value") is None and self.limit is None:
            more["value"] = shape(message)  # different mistakes of one kind are not alike
        alike = self._alike_as(kind, more.get("error", True), more.get("repair") is not None, more.get("value"))
        if alike is None:
            return
        spots = self._spots.setdefault(alike, [])
        has_room = self._count(alike, 1)
        if has_room or self._is_earlier(spots, line, column):
            more["error"] = alike.error
            more.setdefault("document", self.document)
            self._keep(Finding(kind, problem=Problem(message, self.place, line, column, hint), **more), spots, has_room)

    def warn(
        self,
        kind: str,
        message: str,
        line: int | None = None,
        column: int | None = None,
        hint: str | None = None,
        **more: Unpack[More],
    ) -> None:
        """Something that the rules allow, or repair themselves."""
        more["error"] = False
        self.add(kind, message, line, column, hint, **more)

    def add_problem(self, kind: str, problem: Problem, **more: Unpack[More]) -> None:
        """A problem with its own place, such as another reader has found."""
        more.setdefault("error", True)
        more.setdefault("document", self.document)
        self.take((Finding(kind, problem=problem, **more),))

    def add_problems(self, kind: str, problems: Iterable[Problem], *, error: bool = True) -> None:
        """What another reader has raised or noted; problems that differ in a value only are alike."""
        given = list(problems)
        shapes = {shape(each.message) for each in given if not each.more}
        for each in given:
            alike = shape(each.message) if not each.more or len(shapes) != 1 else next(iter(shapes))
            self.add_problem(kind, each, error=error, value=alike)

    def take(self, findings: Findings | Iterable[Finding]) -> None:
        """Keep findings as far as there is room, and count all; also those that another collector has only counted."""
        for given in findings.found if isinstance(findings, Findings) else findings:
            each = given
            if each.value is None and self.limit is None:
                each = replace(each, value=self._value_of(each))
            alike = self._alike_as(each.kind, each.error, each.repair is not None, each.value)
            if alike is None:
                continue
            spots = self._spots.setdefault(alike, [])
            is_first = alike not in self._alike
            has_room = self._count(alike, _number(each))
            if is_first if each.problem.more else has_room:
                self._keep(replace(each, error=alike.error) if alike.error != each.error else each, spots, True)
        if isinstance(findings, Findings):
            kept: Counter[_Alike] = Counter()
            for each in findings.found:
                kept[_Alike(each.kind, each.error, each.repair is not None, each.value)] += _number(each)
            for rest, count in (findings._alike - kept).items():
                if (alike := self._alike_as(*rest)) is not None:
                    self._count(alike, count)

    def _value_of(self, finding: Finding) -> str | None:
        """What findings without a value are told apart by: their words; a rest that was only counted has no own."""
        if not finding.problem.more:
            return shape(finding.problem.message)
        return next((each.value for each in self._alike if each[:2] == (finding.kind, finding.error)), None)

    def _is_earlier(self, spots: Sequence[int], line: int | None, column: int | None) -> bool:
        """Whether a finding stands before the last that was kept of those like it: the first ones are shown."""
        if not spots:
            return False
        last = self.found[spots[-1]].problem
        return last.path == self.place and (line or 0, column or 0) < (last.line or 0, last.column or 0)

    def _keep(self, finding: Finding, spots: list[int], has_room: bool) -> None:
        """Keep a finding, if there is no room in the place of the last; the spots are in the order of the places."""
        if has_room:
            spots.append(len(self.found))
            self.found.append(finding)
        else:
            self.found[spots[-1]] = finding
        if len(spots) > 1:
            spots.sort(key=lambda at: (self.found[at].problem.line or 0, self.found[at].problem.column or 0))

    def _alike_as(self, kind: str, error: bool, repaired: bool, value: str | None) -> _Alike | None:
        """What a finding is counted with, by the severity of its kind; None if nobody wants to know."""
        severity = self.severities.get(kind)
        if severity == "off":
            return None
        alike = _Alike(kind, error if severity is None else severity == "error", repaired, value)
        if value is not None and alike not in self._alike:
            if self._values == VALUES:
                return alike._replace(value=None)
            self._values += 1
        return alike

    def _count(self, alike: _Alike, count: int) -> bool:
        """Count findings, and say whether there is room for one."""
        number = self._alike[alike] = self._alike[alike] + count
        self.counts[alike.kind] += count
        if alike.error:
            self.errors += count
        else:
            self.warnings += count
        return not self._kept or number <= self._kept

    def _by_kind(self, wanted: Callable[[_Alike], bool]) -> Counter[str]:
        counts: Counter[str] = Counter()
        for alike, count in self._alike.items():
            if wanted(alike):
                counts[alike.kind] += count
        return counts

    @property
    def findings(self) -> list[Finding]:
        """The findings that were kept: by file, in the order of their lines; the file itself comes first."""
        files = {None: 0, self.place: 0}
        for each in self.found:
            files.setdefault(each.problem.path, len(files))
        return sorted(
            self.found, key=lambda each: (files[each.problem.path], each.problem.line or 0, each.problem.column or 0)
        )

    def problems(self, *, strict: bool = False) -> list[Problem]:
        """The errors, with `strict` also those that were repaired; a last line for each kind not listed in full."""
        found = [each for each in self.findings if each.error and (strict or each.repair is None)]
        listed = Counter(each.kind for each in found)
        wanted = self._by_kind(lambda alike: alike.error and (strict or not alike.repaired))
        problems = [each.problem for each in found]
        for kind, count in (wanted - listed).items():
            problems.append(Problem(f"and {count} more of the kind {kind}", path=self.place, more=count))
        return problems

    def finish(self, *, empty: str | None = None, hint: str | None = None) -> None:
        """Raise the errors; `empty` says what is wrong with a file in which there is nothing, not even a mistake."""
        if empty is not None and not self.total:
            self.add("empty", empty, hint=hint)
        if problems := self.problems():
            raise FormatError(problems)

    def notes(self) -> list[Problem]:
        """What was repaired, one line for each kind with the first place."""
        first: dict[str, Finding] = {}
        for each in self.findings:
            if each.repair is not None:
                first.setdefault(each.kind, each)
        counts = self.repairs
        return [
            Problem(f"{counts[kind]} {kind}: {each.repair}", self.place, each.problem.line, each.problem.column)
            for kind, each in first.items()
        ]

    def sorted(self) -> list[Finding]:
        """The findings in the order of their places; a last one for each kind that is not listed in full."""
        if not self.counts:
            return []
        found = self.findings
        errors = {each.kind for each in found if each.error}
        for kind, count in (self.counts - Counter(each.kind for each in found)).items():
            more = Problem(f"and {count} more of the kind {kind}", path=self.place, more=count)
            found.append(Finding(kind, kind in errors, more, self.document))
        return found

    def listed(self) -> list[Listed]:
        """What is shown, in the order of the places: each finding, or one of a kind with the number of the others."""
        alike: dict[_Alike, list[Finding]] = {}
        for each in self.findings:
            value = each.value
            key = _Alike(each.kind, each.error, each.repair is not None, value)
            alike.setdefault(key if key in self._alike else key._replace(value=None), []).append(each)
        shown: dict[int, Listed] = {}
        for key, own in alike.items():
            some = own[: self._shown(own, self._alike[key])]
            for each in some:
                shown[id(each)] = Listed(each, 0, ())
            if more := self._alike[key] - sum(map(_number, some)):
                shown[id(some[-1])] = Listed(some[-1], more, tuple(own[len(some) :]))
        return [shown[id(each)] for each in self.findings if id(each) in shown]

    def _shown(self, alike: Sequence[Finding], number: int) -> int:
        """How many of those that are alike are listed."""
        if self.limit is not None:
            return self.limit or number
        return 1 if is_one([each.problem for each in alike], number) else number


class _Alike(NamedTuple):
    """What findings that are counted together have in common."""

    kind: str
    error: bool
    repaired: bool
    value: str | None


class Listed(NamedTuple):
    """A finding that is shown, how many more there are like it, and some of those."""

    finding: Finding
    more: int
    others: tuple[Finding, ...]


def _number(finding: Finding) -> int:
    """Of how many a finding stands: a last one may say how many more there are."""
    return finding.problem.more or 1


# ---------------------------------------------------------------------------------------------------------------------
# For people


def finding_lines(found: Findings) -> list[str]:
    """The findings as lines, a line that can be pasted below that which asks for it."""
    lines = []
    for finding, more, others in found.listed():
        remark = more_like_it(finding.problem, [each.problem for each in others], more)
        lines.append(finding_line(finding) + visible(remark))
        if finding.fix is not None:  # indented: blanks before a line mean nothing, so it can be pasted as it is
            fix = finding.fix if len(finding.fix) <= _PASTED else "(the line is long: --format json has it)"
            lines.append("    " + visible(fix, keep="\t"))
    return lines


def finding_line(finding: Finding) -> str:
    """A finding as `file:line:column: error: what is wrong, how to fix it`; in brackets what a reader makes of it."""
    problem = finding.problem
    repaired = f" [{finding.repair}]" if finding.repair else ""
    return visible(str(replace(problem, message=f"{finding.severity}: {problem.message}"))) + visible(repaired)


def totals_line(found: Findings) -> str:
    """What is in a file, and how much of it is wrong.

    >>> found = Findings("a.tbf")
    >>> found.contents.update(document=2, mention=0)
    >>> found.remarks["document"] = "1 without mentions"
    >>> totals_line(found)
    'a.tbf: 2 documents (1 without mentions), 0 mentions, 0 errors, 0 warnings'
    """
    numbers = {**found.contents, "error": found.errors, "warning": found.warnings}
    parts = [
        counted(number, what) + (f" ({remark})" if (remark := found.remarks.get(what)) else "")
        for what, number in numbers.items()
    ]
    behind = f" ({found.remarks['']})" if found.remarks.get("") else ""
    return visible(f"{found.place}: {', '.join(parts)}{behind}")


def counted(number: int, what: str) -> str:
    """A number and a noun.

    >>> counted(1, "document"), counted(2, "class"), counted(0, "entity")
    ('1 document', '2 classes', '0 entities')
    """
    return f"{number} {what if number == 1 else plural(what)}"


def plural(what: str) -> str:
    """More than one of something."""
    return f"{what[:-1]}ies" if what.endswith("y") else f"{what}{'es' if what.endswith(('s', 'ch')) else 's'}"


# ---------------------------------------------------------------------------------------------------------------------
# Severities


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
            problems.append(Problem(f"{severity!r} is not a severity of {kind}", hint=f"use {_CHOICE}"))
    if problems:
        raise UsageError(problems)
    return {kind: cast("Severity", severity) for kind, severity in given.items()}


_CHOICE = ", ".join(SEVERITIES[:-1]) + f" or {SEVERITIES[-1]}"


# ---------------------------------------------------------------------------------------------------------------------
# For readers


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
