"""Waterfalls: all paths of one length and the steps at which they are lost, with examples; also as panels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from adjudge.stats.panel import BOX, Panel
from adjudge.tasks.kbp.notes import NOTCH_CAUTION, PERCENTILE_CAUTION
from adjudge.tasks.kbp.reasons import FATES, REASONS, Fate, Reason

if TYPE_CHECKING:
    from adjudge.stats.result import Result

SIDES: dict[Fate, tuple[str, str]] = {"missed": ("gold paths", "found"), "wrong": ("system paths", "right")}
"""The first and the last step of each waterfall."""
TITLES: dict[Fate, str] = {"missed": "where gold paths are lost", "wrong": "where paths of the system go wrong"}


class Loss(NamedTuple):
    """How many paths are lost at one step; `at` says at which of their facts, the first one first.

    The last number of `at` counts paths all of whose facts are right, but between nodes that do not join.
    """

    reason: Reason
    paths: int
    at: tuple[int, ...]


class PathFact(NamedTuple):
    """A fact of a path: its names, whether the other side has it, its documents, and the text of some of them."""

    subject: str
    relation: str
    object: str
    matched: bool
    documents: tuple[str, ...]
    evidence: tuple[tuple[str, str], ...]


class Example(NamedTuple):
    """A lost path: the facts along it, which of them failed first (from 1), and why; `paths` failed at this fact."""

    fate: Fate
    reason: Reason
    detail: str
    paths: int
    broken: int
    facts: tuple[PathFact, ...]

    @property
    def path(self) -> str:
        """The path on one line, with a cross before the fact that broke."""
        parts = [self.facts[0].subject]
        for place, fact in enumerate(self.facts, 1):
            cross = "✗ " if place == self.broken and not fact.matched else ""
            parts.append(f"—{cross}{fact.relation}→ {fact.object}")
        return " ".join(parts)

    @property
    def many(self) -> str:
        """How many paths break at the same fact, if there are several."""
        return f", {self.paths:,} paths break here" if self.paths > 1 else ""

    @property
    def texts(self) -> list[str]:
        """For each fact the text of its first document, or its documents."""
        found = []
        for fact in self.facts:
            if fact.evidence:
                document, text = fact.evidence[0]
                found += [f"{document}: {' '.join(text.split())}"] if text else []
            elif fact.documents:
                found.append(f"{fact.relation} in {', '.join(fact.documents[:3])}")
        return found


class Sample(NamedTuple):
    """The sample that was inspected instead of everything: `drawn` of `all` first nodes.

    `too_large` first nodes have so many walks that they could not be drawn.
    """

    drawn: int
    all: int
    too_large: int
    seed: int

    def __str__(self) -> str:
        aside = f"; {self.too_large:,} with too many paths left aside" if self.too_large else ""
        drawn = f"the paths from {self.drawn:,} of {self.all:,} first entities, drawn with seed {self.seed}"
        return f"a sample: {drawn}{aside}"


class Waterfall(NamedTuple):
    """All paths of one length: those of gold, of the system and of both, and at which step the others were lost."""

    metric: str
    hop: int
    gold: int
    system: int
    both: int
    missed: tuple[Loss, ...]
    wrong: tuple[Loss, ...]
    examples: tuple[Example, ...]
    sample: Sample | None = None

    def losses(self, fate: Fate) -> tuple[Loss, ...]:
        """The losses of one side."""
        return self.missed if fate == "missed" else self.wrong

    def steps(self, fate: Fate) -> list[tuple[str, int]]:
        """The steps with their numbers of paths: all, those lost at each step, and those that are left.

        >>> Waterfall("kbp.hop1", 1, 2, 1, 1, (), (), ()).steps("missed")
        [('gold paths', 2), ('found', 1)]
        """
        first, last = SIDES[fate]
        return [
            (first, self.gold if fate == "missed" else self.system),
            *((REASONS[loss.reason].label, loss.paths) for loss in self.losses(fate)),
            (last, self.both),
        ]


class Explanation(NamedTuple):
    """One system: a waterfall for each number of hops."""

    system: str
    waterfalls: tuple[Waterfall, ...]


# ---------------------------------------------------------------------------------------------------------------------
# Panels


def waterfall_panels(found: Explanation) -> Iterator[Panel]:
    """The waterfalls of a system, one for each length and side, and their examples."""
    for fall in found.waterfalls:
        sample = "" if fall.sample is None else f"Counted in {fall.sample}."
        for fate in FATES:
            name = f"{fall.metric.replace('.', '-')}-{fate}"
            yield Panel(
                kind="steps",
                name=f"{name}-{found.system}",
                system=found.system,
                title=f"{fall.metric}: {TITLES[fate]}",
                caption=sample,
                header=("step", "paths"),
                rows=tuple(fall.steps(fate)),
            )
            examples = [each for each in fall.examples if each.fate == fate]
            if examples:
                lost = sum(loss.paths for loss in fall.losses(fate))
                yield Panel(
                    kind="table",
                    name=f"{name}-examples-{found.system}",
                    system=found.system,
                    title=f"{fall.metric}: examples of {'missed' if fate == 'missed' else 'wrong'} paths",
                    header=("step", "path", "why", "text"),
                    rows=tuple(
                        (REASONS[each.reason].label, each.path, each.detail + each.many, " / ".join(each.texts))
                        for each in examples
                    ),
                    most=f"{len(examples):,} examples, at whose facts {sum(e.paths for e in examples):,} of "
                    f"{lost:,} lost paths break",
                )


def box_panels(result: Result) -> Iterator[Panel]:
    """The notched boxes of the paper for the F1 of every metric that was resampled."""
    found: dict[str, list[tuple[str | float, ...]]] = {}
    outside: dict[str, list[str]] = {}
    for system in result.systems:
        for score in system.scores:
            box = None if score.uncertainty is None else score.uncertainty.box
            if box is None or score.value is None or score.slice or score.part != "f1":
                continue
            # The box is the percentile interval, not the quartiles.
            ends = (box.low, box.low, box.median, box.high, box.high, box.notch_low, box.notch_high)
            found.setdefault(score.metric, []).append((system.name, score.value, *ends))
            if not box.low <= score.value <= box.high:
                outside.setdefault(score.metric, []).append(system.name)
    caution = f" {PERCENTILE_CAUTION}. {NOTCH_CAUTION}."
    for metric, rows in found.items():
        names = ", ".join(outside.get(metric, ()))
        missed = f" Outside of its box is the score of {names}." if names else ""
        yield Panel(
            kind="boxes",
            name=f"boxes-{metric.replace('.', '-')}",
            title=f"{metric}: notched boxes of the resampled scores",
            caption=f"For likeness with the paper only.{caution}{missed}",
            header=("system", *BOX),
            rows=tuple(rows),
            percent=True,
        )
        caution = ""  # noted once
