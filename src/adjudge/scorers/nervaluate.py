"""What summary_report of nervaluate 1.2.1 gives for two columns of tags.

For how entities are matched see `adjudge.compat.nervaluate`, which does the same for lists in memory.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from adjudge.algebra.solve.deadline import timed
from adjudge.compat.nervaluate import OUTCOMES, SCENARIOS, EvaluationResult, Scenario, report, step, tally
from adjudge.errors import Problem, UsageError
from adjudge.findings import raise_problems
from adjudge.model.tags import Chunk, Steps, decode_tags
from adjudge.scorers import Option, Published, Scorer
from adjudge.scorers.shared import BOTH_COLUMNS, TaggedPairs, by_document, columns, counted, prf, read_tagged
from adjudge.stats.measure import Measure, Total


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
    pairs = read_tagged(gold, system, both_columns=both_columns)
    steps = Steps(step)
    sides = [[decode_tags(tags, steps) for tags in side] for side in (pairs.gold, pairs.system)]
    _check_starts(pairs, sides)
    counts: list[dict[str, float]] = []
    for mine, theirs in timed(zip(*sides, strict=True)):
        row: dict[str, float] = {}
        if mine or theirs:
            for each in SCENARIOS:
                found = tally(each, mine, theirs, least)
                row |= {f"{each}:{outcome}": getattr(found, outcome) for outcome in OUTCOMES}
                row |= counted({each: found.sums})
        counts.append(row)
    outcomes = {each: [f"{each}:{outcome}" for outcome in OUTCOMES] for each in SCENARIOS}
    rows = by_document(pairs, counts, [name for each, own in outcomes.items() for name in (*own, *columns(each))])
    if scenario is None:
        sums: dict[str, EvaluationResult] = {
            each: EvaluationResult(*(int(sum(row[column] for _, row in rows)) for column in own)).scored()
            for each, own in outcomes.items()
        }
        text = report("all", sums)
    else:
        text = report(scenario, by_type(scenario, sides[0], sides[1], least))
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


def _check_starts(pairs: TaggedPairs, sides: Sequence[Sequence[Sequence[Chunk]]]) -> None:
    """Raise if an entity does not start with B- or I-, as the program does; within one it takes every prefix."""
    problems = [
        Problem(
            f"an entity starts with {sentence.tags[start]}",
            path=columns.place,
            line=sentence.line + start,
            hint="nervaluate expects B- or I- there",
        )
        for columns, side in zip(pairs.places, sides, strict=True)
        for sentence, chunks in zip(columns.sentences, side, strict=True)
        for _, start, _ in chunks
        if sentence.tags[start][:2] not in ("B-", "I-")
    ]
    raise_problems(problems)


def by_type(
    scenario: Scenario, gold: Sequence[Sequence[Chunk]], system: Sequence[Sequence[Chunk]], least: float
) -> dict[str, EvaluationResult]:
    """The outcomes for each type, of its entities alone: a wrong type is a spurious entity of one and a missed one."""
    sums: dict[str, Counter[str]] = {}
    for mine, theirs in zip(gold, system, strict=True):
        for kind in {kind for kind, _, _ in (*mine, *theirs)}:
            left, right = ([chunk for chunk in side if chunk[0] == kind] for side in (mine, theirs))
            found = tally(scenario, left, right, least)
            sums.setdefault(kind, Counter()).update({outcome: getattr(found, outcome) for outcome in OUTCOMES})
    return {kind: EvaluationResult(**own).scored() for kind, own in sums.items()}


SCORER = Scorer(
    name="nervaluate-1.2.1",
    family="ner",
    about="summary_report of nervaluate 1.2.1",
    run=run,
    options={
        "both-columns": BOTH_COLUMNS,
        "scenario": Option("Report each type in this scenario.", choices=("strict", "exact", "partial", "ent_type")),
        "min-overlap": Option("Minimum overlap, in percent of the gold entity (1).", metavar="PERCENT"),
    },
)
