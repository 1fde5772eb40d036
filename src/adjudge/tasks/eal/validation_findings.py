"""What a validator finds in a submission: the first of each kind in full, the others counted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from adjudge.errors import Problem
from adjudge.formats.eal_lines import decode_lines
from adjudge.formats.eal_store import Store
from adjudge.formats.findings import Finding, Findings, Severities, field_column, graded
from adjudge.model.eal import Argument

LIMIT = 20
"""How many of a kind are listed, unless it is said otherwise: one mistake may stand in every line."""
KINDS = (
    *(
        "archive",
        "layout",
        "junk",
        "backup",
        "document-name",
        "unexpected-document",
        "missing-document",
        "missing-linking",
    ),
    *("linking-alone", "text", "encoding", "columns", "extra-columns", "document-id", "empty", "no-id", "repeated-id"),
    *("id-range", "id-form", "repeated-response", "type", "role", "span", "justification", "realis", "confidence"),
    *("time", "time-small-x", "time-calendar", "entity-type", "outside", "split-character", "astral", "cas-text"),
    *("cas-extent", "misfit", "empty-cas", "filler-outside", "overlapping-justifications", "additional", "quoted"),
    *("around-quotation", "quote", "unknown-id", "ambiguous-id", "unlinked", "generic-linked", "generic-incomplete"),
    *("mixed-types", "linked-incomplete", "repeated-incomplete", "repeated-frame", "hopper-names", "no-hopper-names"),
    *("repeated-hopper", "hopper-name", "empty-hopper"),
)
"""Every kind of problem that a submission can have, in the order of `docs/eal-validation.md`."""
VALUES = 1000  # different values, such as misspelt types, of which the first is listed beyond the limit

_MORE = re.compile(r"and (\d+) more of the kind ")


@dataclass(frozen=True, slots=True)
class EalReport:
    """What was found in one submission, document by document, and what is in it; `unlisted` counts the rest by kind."""

    path: str
    profile: str
    ontology: str
    layout: str
    offsets: str
    texts: bool
    findings: list[Finding]
    unlisted: dict[str, int]
    errors: int
    warnings: int
    documents: int = 0
    empty: int = 0
    responses: int = 0
    frames: int = 0
    severity: Severities = field(default_factory=dict)


@dataclass(slots=True)
class Collector:
    """Takes what is found, in the order in which it is to be shown."""

    limit: int = LIMIT  # 0 is no limit
    severity: Severities = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    errors: int = 0
    warnings: int = 0
    _counts: Counter[str] = field(default_factory=Counter)
    _listed: Counter[str] = field(default_factory=Counter)
    _values: set[tuple[str, str]] = field(default_factory=set)

    def take(self, found: Iterable[Complaint | Finding]) -> None:
        """Keep findings as far as there is room, and count all."""
        for each in found:
            said, value = each if isinstance(each, tuple) else (each, None)
            finding = graded(said, self.severity)
            if finding is None:
                continue
            kind = finding.kind
            summary = _MORE.match(finding.problem.message)  # the readers, too, keep only the first of a kind
            count = int(summary[1]) if summary else 1
            self._counts[kind] += count
            if finding.error:
                self.errors += count
            else:
                self.warnings += count
            if not self.limit or (summary is None and (self._listed[kind] < self.limit or self._is_new(kind, value))):
                self._listed[kind] += count
                self.findings.append(finding)
            if value is not None and len(self._values) < VALUES:
                self._values.add((kind, value))

    def has_room(self, kind: str) -> bool:
        """Whether one more of a kind would be listed."""
        return not self.limit or self._listed[kind] < self.limit

    def unlisted(self) -> dict[str, int]:
        """How many of each kind are not listed."""
        return {kind: count - self._listed[kind] for kind, count in self._counts.items() if count > self._listed[kind]}

    def _is_new(self, kind: str, value: str | None) -> bool:
        return value is not None and len(self._values) < VALUES and (kind, value) not in self._values


Complaint = tuple[Finding, str | None]
"""A finding, and the value that it is about if the first of each value is to be listed in any case."""


class File:
    """One file of a submission, whose lines are looked at only to say where something is."""

    def __init__(self, store: Store, document: str, kind: str = "arguments") -> None:
        self.place = store.place(document, kind)
        self.document = document
        self.found: list[Complaint] = []
        self._store = store
        self._kind = kind

    @cached_property
    def data(self) -> bytes:
        """What is in the file; nothing if it is not there."""
        return self._store.bytes_of(self.document, self._kind) or b""

    @cached_property
    def lines(self) -> list[str]:
        """Its lines as the readers see them."""
        return decode_lines(self.data, Findings(self.place))

    def say(
        self,
        kind: str,
        message: str,
        line: int | None = None,
        column: int | None = None,
        *,
        hint: str,
        error: bool = True,
        value: str | None = None,
    ) -> None:
        """Remember something that is wrong."""
        problem = Problem(message, self.place, line, column, hint)
        self.found.append((Finding(kind, error, problem, self.document), value))

    def say_of(
        self,
        kind: str,
        message: str,
        argument: Argument,
        column: int,
        *,
        hint: str,
        error: bool = True,
        value: str | None = None,
    ) -> None:
        """Remember something that is wrong with a column of a response."""
        at = field_column(self.lines[argument.line - 1], column) if argument.line else None
        self.say(kind, message, argument.line or None, at, hint=hint, error=error, value=value)

    def sorted(self, more: Iterable[Finding] = ()) -> list[Complaint]:
        """All that was found here, with findings of a reader, in the order of the lines."""
        found = [*self.found, *((finding, None) for finding in more)]
        return sorted(found, key=lambda each: _order(each[0]))


def _order(finding: Finding) -> tuple[bool, int, int]:
    """What has no line comes first, what counts the rest last."""
    problem = finding.problem
    return _MORE.match(problem.message) is not None, problem.line or 0, problem.column or 0
