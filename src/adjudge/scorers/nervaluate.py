"""What summary_report of nervaluate 1.2.1 gives for two columns of tags.

Entities of a sentence are matched greedily, in the order of the system's: a gold entity with the same boundaries (and,
in scenario strict, the same type) if one is free, else the first free one that overlaps enough, which is then
incorrect, or in scenario partial half right. In scenario ent_type the free overlapping entity of the same type with the
closest boundaries is right. The gold entity that was taken is gone, even if a later one would have been right with it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

from adjudge.errors import Problem, UsageError
from adjudge.findings import raise_problems
from adjudge.model.tags import Chunk, Step, Steps, decode_tags
from adjudge.scorers import Option, Published, Scorer
from adjudge.scorers.shared import columns, counted, prf, three
from adjudge.scorers.tagged import BOTH_COLUMNS, Pairs, by_document, read_pairs
from adjudge.stats.measure import Measure, Total

Scenario: TypeAlias = Literal["ent_type", "exact", "partial", "strict"]

SCENARIOS: tuple[Scenario, ...] = ("ent_type", "exact", "partial", "strict")
OUTCOMES = ("correct", "incorrect", "partial", "missed", "spurious")


class Tally(NamedTuple):
    """The outcomes of one scenario."""

    correct: int = 0
    incorrect: int = 0
    partial: int = 0
    missed: int = 0
    spurious: int = 0

    @property
    def sums(self) -> tuple[float, float, float]:
        """What is right, partial matches by half, and the numbers of system and of gold entities."""
        both = self.correct + self.incorrect + self.partial
        return self.correct + 0.5 * self.partial, both + self.spurious, both + self.missed


def run(
    gold: Any,
    system: Any,
    *,
    both_columns: bool = False,
    scenario: Scenario | None = None,
    min_overlap: str | None = None,
) -> Published:
    """The report of nervaluate for one system: all scenarios, or one of them type by type.

    >>> print(run(b"New B-LOC\\nYork I-LOC\\n", b"New O\\nYork B-LOC\\n").text, end="")
    Scenario: all
    <BLANKLINE>
                  correct   incorrect     partial      missed    spurious   precision      recall    f1-score
    <BLANKLINE>
    ent_type            1           0           0           0           0        1.00        1.00        1.00
       exact            0           1           0           0           0        0.00        0.00        0.00
     partial            0           0           1           0           0        0.50        0.50        0.50
      strict            0           1           0           0           0        0.00        0.00        0.00
    """
    least = _percent(min_overlap)
    pairs = read_pairs(gold, system, both_columns=both_columns)
    steps = Steps(_step)
    sides = [[decode_tags(tags, steps) for tags in side] for side in (pairs.gold, pairs.system)]
    _check_starts(pairs, sides)
    counts: list[dict[str, float]] = []
    for mine, theirs in zip(*sides, strict=True):
        row: dict[str, float] = {}
        if mine or theirs:
            for each in SCENARIOS:
                found = tally(each, mine, theirs, least)
                row |= {f"{each}:{outcome}": number for outcome, number in found._asdict().items()}
                row |= counted({each: found.sums})
        counts.append(row)
    outcomes = {each: [f"{each}:{outcome}" for outcome in OUTCOMES] for each in SCENARIOS}
    rows = by_document(pairs, counts, [name for each, own in outcomes.items() for name in (*own, *columns(each))])
    if scenario is None:
        sums = {
            each: Tally(*(int(sum(row[column] for _, row in rows)) for column in own)) for each, own in outcomes.items()
        }
        text = _report("all", sums)
    else:
        text = _report(scenario, by_type(scenario, sides[0], sides[1], least))
    return Published(rows, _measures(), text)


def _measures() -> tuple[Measure, ...]:
    made: list[Measure] = []
    for each in SCENARIOS:
        name = f"nervaluate.{each}"
        made += [prf(name, each), *(Total(name, outcome, ((f"{each}:{outcome}", 1.0),)) for outcome in OUTCOMES)]
    return tuple(made)


def _percent(text: str | None) -> float:
    try:
        value = 1.0 if text is None else float(text)
    except ValueError:
        value = 0.0
    if not 1 <= value <= 100:
        raise UsageError(f"--min-overlap is {text!r}", hint="give a percentage from 1 to 100")
    return value


def _step(before: str, tag: str) -> Step:
    """An entity ends at O, at B- and where the type changes; anything but O starts one where none is open."""
    kind, other = before[2:], tag[2:]
    if before == "O":
        return Step(ends=False, starts=tag != "O", before="")
    done = tag == "O" or kind != other or tag[0] == "B"
    return Step(ends=done, starts=done and tag != "O", before=kind)


def _check_starts(pairs: Pairs, sides: Sequence[Sequence[Sequence[Chunk]]]) -> None:
    """Raise if an entity does not start with B- or I-, as the program does; within one it takes every prefix."""
    problems = [
        Problem(
            f"an entity starts with {sentence.tags[start]}",
            path=columns.place,
            line=sentence.line + start,
            hint="nervaluate wants B- or I- there",
        )
        for columns, side in zip(pairs.places, sides, strict=True)
        for sentence, chunks in zip(columns.sentences, side, strict=True)
        for _, start, _ in chunks
        if sentence.tags[start][:2] not in ("B-", "I-")
    ]
    raise_problems(problems)


# ---------------------------------------------------------------------------------------------------------------------
# Matching


def tally(scenario: Scenario, gold: Sequence[Chunk], system: Sequence[Chunk], least: float) -> Tally:
    """The outcomes of one sentence.

    >>> tally("exact", [("PER", 0, 2)], [("ORG", 0, 2), ("PER", 5, 6)], 1.0)
    Tally(correct=1, incorrect=0, partial=0, missed=0, spurious=1)
    """
    if gold == system:
        return Tally(correct=len(gold))
    free = list(gold)
    right = wrong = spurious = 0
    for entity in system:
        best, other = _counterparts(scenario, entity, free, least)
        if best is not None:
            right += 1
        elif other is not None:
            wrong += 1
        else:
            spurious += 1
            continue
        del free[best if best is not None else other or 0]
    if scenario == "partial":
        return Tally(correct=right, partial=wrong, missed=len(free), spurious=spurious)
    return Tally(correct=right, incorrect=wrong, missed=len(free), spurious=spurious)


def _counterparts(
    scenario: Scenario, entity: Chunk, free: Sequence[Chunk], least: float
) -> tuple[int | None, int | None]:
    """The places of the free gold entity with which the system's is right, and of the first that overlaps otherwise."""
    kind, start, end = entity
    best = other = None
    closest = 0
    for place, (gold_kind, gold_start, gold_end) in enumerate(free):
        if (
            scenario != "ent_type"
            and start == gold_start
            and end == gold_end
            and (scenario != "strict" or kind == gold_kind)
        ):
            return place, None
        shared = min(end, gold_end) - max(start, gold_start)
        if shared <= 0 or (shared / (gold_end - gold_start)) * 100.0 < least:
            continue
        if scenario == "ent_type" and kind == gold_kind:
            distance = abs(start - gold_start) + abs(end - gold_end)
            if best is None or distance < closest:
                best, closest = place, distance
        elif other is None:
            other = place
    return best, other


def by_type(
    scenario: Scenario, gold: Sequence[Sequence[Chunk]], system: Sequence[Sequence[Chunk]], least: float
) -> dict[str, Tally]:
    """The outcomes for each type, of its entities alone: a wrong type is a spurious entity of one and a missed one."""
    sums: dict[str, Counter[str]] = {}
    for mine, theirs in zip(gold, system, strict=True):
        for kind in {kind for kind, _, _ in (*mine, *theirs)}:
            left, right = ([chunk for chunk in side if chunk[0] == kind] for side in (mine, theirs))
            sums.setdefault(kind, Counter()).update(tally(scenario, left, right, least)._asdict())
    return {kind: Tally(**sums[kind]) for kind in sorted(sums)}


def _report(name: str, tallies: dict[Any, Tally]) -> str:
    width = max(map(len, ["correct", *tallies]))
    heads = (*OUTCOMES, "precision", "recall", "f1-score")
    lines = [f"Scenario: {name}", "", f"{'':>{width}} " + "".join(f" {head:>11}" for head in heads), ""]
    for row, each in tallies.items():
        numbers = "".join(f" {number:>11}" for number in each) + "".join(
            f" {score:>11.2f}" for score in three(*each.sums)
        )
        lines.append(f"{row:>{width}} {numbers}")
    return "".join(f"{line}\n" for line in lines)


SCORER = Scorer(
    name="nervaluate-1.2.1",
    family="ner",
    about="summary_report of nervaluate 1.2.1",
    run=run,
    options={
        "both-columns": BOTH_COLUMNS,
        "scenario": Option(
            "Its report for each type in this scenario.", choices=("strict", "exact", "partial", "ent_type")
        ),
        "min-overlap": Option("The least overlap, in percent of the gold entity (1).", metavar="PERCENT"),
    },
)
