"""What is counted: which paths are compared in which way, on all documents and in samples of them.

A `Variant` is one way to compare paths: by endpoints or with their middle, joined on gold ids or on the system's own
nodes. Each has a name for every number of hops, such as `kbp.hop2.full`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from adjudge.tasks.kbp.engine import Choice, Engine, choose_engine
from adjudge.tasks.kbp.masks import Paths, Samples
from adjudge.tasks.kbp.masks_samples import GROUPS, PAIRS, Drawn, Resampled, as_resampled, resampling
from adjudge.tasks.kbp.options import KbOptions
from adjudge.tasks.kbp.paths_facts import Facts, HopCounts, total_walks
from adjudge.tasks.kbp.paths_walks import Identity
from adjudge.tasks.kbp.pieces import HERE, Place, count_all
from adjudge.tasks.kbp.sampling import LEVEL, HopEstimate, sample_paths

Warn: TypeAlias = Callable[[str], None]

# Words of masks (64 samples of one walk) beyond which samples are not counted unless they are asked for: some minutes.
WORDS = 10_000_000_000
# Words, and walks, from which on it is worth a warning: about a minute.
_MANY_WORDS = 4_000_000_000
_MANY_WALKS = 2_000_000_000


ALL_HOPS = "kbp.hops"
"""The metric of the paths of all lengths together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """How scores are computed, beside what is compared: slices, resampling, engine, and where the work is done.

    With `bootstrap=None` there are 1000 resamples wherever that takes no more than some minutes. `warn` and `say` get
    remarks, the second for the curious.
    """

    by: Sequence[str] = ()
    bootstrap: int | None = None
    ci: float | None = None
    seed: int = 13
    engine: Engine = "auto"
    box: bool = False
    place: Place = HERE
    warn: Warn | None = None
    say: Warn | None = None

    @property
    def resamples(self) -> int:
        """The number of resamples.

        >>> Run().resamples, Run(bootstrap=0).resamples
        (1000, 0)
        """
        return 1000 if self.bootstrap is None else self.bootstrap


class Variant(NamedTuple):
    """One way to compare paths: whether middle nodes count, and whether the system keeps its own nodes."""

    suffix: str
    identity: Identity
    own: bool
    first: int

    def metric(self, hop: int) -> str:
        """The name of the metric at one number of hops; with one hop there is no middle."""
        return f"kbp.hop{hop}{self.suffix if hop > 1 else self.suffix.removesuffix('.full')}"


class SystemFacts(NamedTuple):
    """The facts of a system in terms of gold nodes, and between its own nodes if these are compared as well."""

    name: str
    facts: Facts
    own: Facts | None = None

    def of(self, variant: Variant) -> Facts:
        """The facts that a variant compares."""
        return self.own if variant.own and self.own is not None else self.facts


class Counted(NamedTuple):
    """Exact counts for the first hops, estimates for the others, and the choice that led to it."""

    exact: tuple[HopCounts, ...]
    estimates: tuple[HopEstimate, ...]
    choice: Choice


class VariantCounts(NamedTuple):
    """What was counted for one variant: each system on all documents, and in samples as far as `sampled` hops."""

    variant: Variant
    counted: Mapping[str, Counted]
    resampled: Mapping[str, Resampled]
    sampled: int


def variants(options: KbOptions) -> list[Variant]:
    """The ways that the options ask for; the first is the one of the paper, if it is among them.

    >>> from adjudge.tasks.kbp.options import make_options
    >>> [[each.metric(hop) for hop in range(each.first, 4)] for each in variants(make_options())]
    [['kbp.hop1', 'kbp.hop2', 'kbp.hop3'], ['kbp.hop2.full', 'kbp.hop3.full']]
    """
    found = []
    for own in (False, True) if options.identity_source == "system" else (False,):
        name = ".system" if own else ""
        if options.identity in ("endpoints", "both"):
            found.append(Variant(name, "endpoints", own, 1))
        if options.identity in ("full", "both"):
            found.append(Variant(f"{name}.full", "full", own, 1 if options.identity == "full" else 2))
    return [each for each in found if each.first <= options.hops]


class _Plan(NamedTuple):
    """How one variant will be counted: the engine for each system, and the hops that are counted in samples."""

    variant: Variant
    choices: Mapping[str, Choice]
    sampled: int


def count_variants(
    ways: Sequence[Variant],
    gold: Facts,
    systems: Sequence[SystemFacts],
    options: KbOptions,
    run: Run,
    *,
    documents: int,
    drawn: Drawn | None,
) -> list[VariantCounts]:
    """Count on all documents by the engines, and in the samples drawn by masks, all in one go."""
    plans = [_plan(way, gold, systems, options, run, documents=documents) for way in ways]
    todo: dict[tuple[int, str], Paths] = {}
    sampling: dict[int, Samples] = {}
    for number, plan in enumerate(plans):
        way = plan.variant
        how: dict[str, Any] = {"identity": way.identity, "walks": options.walks}
        for each in systems:
            choice = plan.choices[each.name]
            if choice.exact_hops:
                todo[number, each.name] = Paths((gold, each.of(way)), choice.exact_hops, **how)
        if plan.sampled and drawn is not None:
            sides = [each.of(way) for each in systems]
            sampling[number] = resampling(gold, sides, drawn, hops=plan.sampled, **how)
    exact, samples = count_all(list(todo.values()), list(sampling.values()), place=run.place)
    counts, drawn_counts = dict(zip(todo, exact, strict=True)), dict(zip(sampling, samples, strict=True))
    level = LEVEL if run.ci is None else run.ci
    found = []
    for number, plan in enumerate(plans):
        counted = {}
        for each in systems:
            choice = plan.choices[each.name]
            estimates = tuple(
                sample_paths(gold, each.of(plan.variant), hop=hop, seed=run.seed, level=level)
                for hop in range(choice.exact_hops + 1, options.hops + 1)
            )
            counted[each.name] = Counted(counts.get((number, each.name), ()), estimates, choice)
        resampled: dict[str, Resampled] = {}
        if drawn is not None and number in drawn_counts:
            pairs = zip(systems, drawn_counts[number], strict=True)
            resampled = {each.name: as_resampled(drawn, own) for each, own in pairs}
        found.append(VariantCounts(plan.variant, counted, resampled, plan.sampled))
    return found


def _plan(
    way: Variant, gold: Facts, systems: Sequence[SystemFacts], options: KbOptions, run: Run, *, documents: int
) -> _Plan:
    """Choose engines; samples are counted for the hops for which that is affordable, or for all if it is asked for."""
    # What stands beside the endpoints of paths is counted as it can be; an engine that was asked for in vain says so.
    engine: Engine = run.engine if way.first == 1 else "auto"
    how: dict[str, Any] = {"identity": way.identity, "walks": options.walks}
    _warn_of_walks(gold, systems, way, options, run.warn)
    choices = {
        each.name: choose_engine(gold, each.of(way), hops=options.hops, engine=engine, **how) for each in systems
    }
    _say_choices(way, choices, run)
    exact = min((choice.exact_hops for choice in choices.values()), default=0)
    sampled = 0
    if run.resamples and documents > 1:
        sides = [gold, *(each.of(way) for each in systems)]
        words = mask_words(sides, exact, documents, run.resamples, way.identity, options.walks)
        sampled = exact if run.bootstrap is not None else next((n for n, w in enumerate(words) if w > WORDS), exact)
        if run.warn is not None and sampled and words[sampled - 1] > _MANY_WORDS:
            run.warn(
                f"counting {way.metric(sampled)} in {run.resamples:,} resamples takes about "
                f"{words[sampled - 1] / 4e9:,.0f} minutes; --bootstrap 0 leaves intervals and tests out"
            )
    return _Plan(way, choices, sampled)


def _say_choices(way: Variant, choices: Mapping[str, Choice], run: Run) -> None:
    """Which engine counts and why."""
    if run.say is not None:
        for name, choice in choices.items():
            run.say(f"{name}, {way.metric(way.first)}: engine {choice.engine}: {choice.reason}")


def mask_words(
    sides: Sequence[Facts], hops: int, documents: int, resamples: int, identity: Identity, walks: str
) -> list[float]:
    """About how many words of masks are read for 1, 2, ... hops.

    >>> from adjudge.tasks.kbp.paths_facts import make_facts
    >>> mask_words([make_facts([0, 1], [0, 0], [1, 2])], 2, 10, 1000, "endpoints", "all")
    [34.0, 51.0]
    """
    left = min(documents, GROUPS)
    columns = 1 + left + resamples + min(left * (left - 1) // 2, PAIRS)
    words = -(-columns // 64)
    if identity == "full" and walks == "all" and all(side.labels is None for side in sides):
        facts = sum(len(side.subjects) for side in sides)
        return [float(64 * words * facts * hop) for hop in range(1, hops + 1)]
    totals = [0.0] * hops
    for side in sides:
        for hop, number in enumerate(total_walks(side, hops)):
            totals[hop] += words * number
    return [sum(totals[: hop + 1]) for hop in range(hops)]


def _warn_of_walks(
    gold: Facts, systems: Sequence[SystemFacts], variant: Variant, options: KbOptions, warn: Warn | None
) -> None:
    """Say so before something huge is begun; paths compared with their middle are never built."""
    if warn is None or (variant.identity == "full" and options.walks == "all"):
        return
    walks = [max(total_walks(side, options.hops)) for side in (gold, *(each.of(variant) for each in systems))]
    if max(walks) > _MANY_WALKS:
        names = ("gold", *(each.name for each in systems))
        largest = names[walks.index(max(walks))]
        warn(
            f"{largest} has {max(walks):,} walks of up to {options.hops} hops: this may take minutes; "
            f"fewer --hops, or --engine sample for an estimate, are quicker"
        )
