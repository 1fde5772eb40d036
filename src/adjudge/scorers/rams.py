"""RAMS as its scorer counts it: arguments by trigger span, span and role, as multisets.

Departures: the scorer prints precision where recall belongs and the other way round (its "Precision" is correct /
(correct + missing)); so do we here, in the text and in the numbers. With `constrained`, of each role only the answers
of the highest scores count, as many as the file of multiplicities allows for the event type; a type that the file does
not have is left as it is. Documents that gold does not have are skipped.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from itertools import accumulate
from typing import Any

from adjudge.errors import Problem, ValidationError
from adjudge.findings import raise_problems
from adjudge.formats.event_lines import read_rams
from adjudge.formats.source import read_text
from adjudge.scorers import Option, Published, Scorer
from adjudge.scorers.shared import percentages
from adjudge.stats.measure import Prf
from adjudge.stats.result import Note

DISTANCES = (-2, -1, 0, 1, 2)
# The names of the parts are those that the scorer prints: exchanged.
MEASURES = (Prf("event.rams", ("correct", "gold"), ("correct", "system")),)
Link = tuple[tuple[int, int], tuple[int, int], str]


def run(gold: Any, system: Any, *, constrained: Any = None) -> Published:
    """Count one system."""
    gold_side, system_side = read_rams(gold), read_rams(system)
    allowed = None if constrained is None else read_multiplicities(constrained)
    answers = {document.id: document.data["events"] for document in system_side.documents}
    rows, lines = [], []
    sums = {distance: [0, 0, 0] for distance in DISTANCES}
    for document in gold_side.documents:
        (event,) = _one(document.data["events"], document.id, gold_side.path, document.line)
        said = [each for one in answers.get(document.id, []) for each in _scored(one)]
        if allowed is not None and event["type"] not in allowed:
            lines.append(f"not found: {event['type']}\n")
        right = Counter(link for link, _ in _scored(event))
        found = Counter(_kept(said, None if allowed is None else allowed.get(event["type"])))
        correct = right & found
        where = _Sentences(document.data["sentences"], document.id, gold_side.path, document.line)
        for at, links in enumerate((correct, right, found)):
            for link, number in links.items():
                distance = where(link[1]) - where(link[0])
                if distance in sums:
                    sums[distance][at] += number
        counts = {"correct": correct, "gold": right, "system": found}
        rows.append((document.id, {name: float(links.total()) for name, links in counts.items()}))
    for distance, (correct_number, gold_number, system_number) in sums.items():
        p, r, f1 = percentages(correct_number, gold_number, system_number)
        counts_shown = f"[p r f1 {gold_number} gold/{system_number} pred. ]"
        lines.append(f" {distance} & {system_number} & {p:.1f} & {r:.1f} & {f1:.1f} \\\\ {counts_shown}\n")
    totals = [int(sum(row[name] for _, row in rows)) for name in ("correct", "gold", "system")]
    p, r, f1 = percentages(*totals)
    lines.append(f"Precision: {p:.4f} Recall: {r:.4f} F1: {f1:.4f}\n")
    known = {document.id for document in gold_side.documents}
    unknown = [each for each in answers if each not in known]
    notes = [Note("exchanged", 1, "the published scorer swaps precision and recall, and so do these numbers")]
    if unknown:
        message = f"{len(unknown)} documents are not in the gold documents and are skipped"
        notes.append(Note("unknown-document", len(unknown), message, tuple(unknown[:10])))
    return Published(rows, MEASURES, "".join(lines), notes=notes, documents=(known, answers.keys()))


def read_multiplicities(source: Any) -> dict[str, dict[str, int]]:
    """How often each role may be filled, by event type: lines of a type and pairs of role and number."""
    whole, text = read_text(source)
    found: dict[str, dict[str, int]] = {}
    problems = []
    for number, line in enumerate(text.splitlines(), 1):
        kind, *rest = line.split() or [""]
        if len(rest) % 2 or not all(count.isascii() and count.isdigit() and len(count) < 10 for count in rest[1::2]):
            message = "expected an event type and pairs of role and number"
            problems.append(Problem(message, path=whole.place, line=number, hint="write: type role 1 role 2"))
        elif kind:
            found[kind] = {role: int(count) for role, count in zip(rest[::2], rest[1::2], strict=True)}
    raise_problems(problems, whole.place)
    return found


def _one(events: list[Any], identifier: str, path: str | None, line: int | None) -> list[Any]:
    if len(events) != 1:
        message = f"the document {identifier!r} has {len(events)} events, the published scorer expects one"
        raise ValidationError(Problem(message, path=path, line=line, hint="score without --compat"))
    return events


def _scored(event: Any) -> list[tuple[Link, float]]:
    trigger = event["trigger"]["start"], event["trigger"]["end"]
    return [
        ((trigger, (each["span"]["start"], each["span"]["end"]), each["role"]), each.get("score", 0.0))
        for each in event["arguments"]
    ]


def _kept(said: list[tuple[Link, float]], allowed: dict[str, int] | None) -> list[Link]:
    """The answers that count: all of them, or the best of each role."""
    if allowed is None:
        return [link for link, _ in said]
    taken: Counter[str] = Counter()
    kept = []
    for link, _ in sorted(said, key=lambda each: -each[1]):
        if taken[link[2]] < allowed.get(link[2], 0):
            taken[link[2]] += 1
            kept.append(link)
    return kept


class _Sentences:
    """The number of the sentence of a span."""

    def __init__(self, lengths: list[int], identifier: str, path: str | None, line: int | None) -> None:
        self.ends = list(accumulate(lengths))
        self.place = identifier, path, line

    def __call__(self, span: tuple[int, int]) -> int:
        first, last = bisect_right(self.ends, span[0]), bisect_right(self.ends, span[1] - 1)
        if first != last or last >= len(self.ends):
            identifier, path, line = self.place
            where = "is outside the text" if last >= len(self.ends) else "crosses sentences"
            message = f"{identifier}: the span {span[0]}-{span[1] - 1} {where}, and the published scorer fails here"
            raise ValidationError(Problem(message, path=path, line=line, hint="score without --compat"))
        return first


SCORER = Scorer(
    name="rams",
    family="event",
    about="the scorer of RAMS, with precision and recall swapped as it prints them",
    run=run,
    options={"constrained": Option("rams: multiplicities of roles, for type-constrained decoding.", "FILE")},
)
