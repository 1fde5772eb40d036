"""What is counted: which paths are compared in which way, exactly or estimated, on all documents and in samples.

A `Variant` is one way to compare paths: by endpoints or with their middle, joined on gold ids or on the system's own
nodes. Each has a name for every number of hops, such as `kbp.hop2.full`. Counts are exact wherever that is affordable,
and an estimate only where it is not; which, depends on the data alone, never on the machine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from adjudge.errors import UsageError
from adjudge.evaluate.run import Run
from adjudge.tasks.kbp.counting import Place, SampleCounts, count_all
from adjudge.tasks.kbp.facts import Counts, Facts, HopCounts, walks_from
from adjudge.tasks.kbp.options import Engine, KbOptions
from adjudge.tasks.kbp.sampling import HopEstimate, sample_paths
from adjudge.tasks.kbp.walks import Identity, Walking, Work

if TYPE_CHECKING:
    from adjudge.evaluate.corpus import Draws

Warn: TypeAlias = Callable[[str], None]

# Walks of one length beyond which first nodes are sampled: minutes of counting.
WALKS = 20_000_000_000
# Words of masks (64 samples of one walk) beyond which samples are not counted unless they are asked for: some minutes.
WORDS = 10_000_000_000
# Words, and walks, from which on it is worth a warning: about a minute.
_MANY_WORDS = 4_000_000_000
_MANY_WALKS = 2_000_000_000

ALL_HOPS = "kbp.hops"
"""The metric of the paths of all lengths together."""


class KbRun(Run, frozen=True, kw_only=True):
    """How knowledge bases are scored, beside what every task has: by which engine, and with numbers of box plots.

    `warn` and `say` get remarks, the second for the curious.
    """

    engine: Engine = "auto"
    box: bool = False
    warn: Warn | None = None
    say: Warn | None = None


class Variant(NamedTuple):
    """One way to compare paths: whether middle nodes count, and whether the system keeps its own nodes."""

    suffix: str
    identity: Identity
    own: bool
    first: int

    def metric(self, hop: int) -> str:
        """The name of the metric at one number of hops; with one hop there is no middle."""
        return f"kbp.hop{hop}{self.suffix if hop > 1 else self.suffix.removesuffix('.full')}"


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


class SystemFacts(NamedTuple):
    """The facts of a system in terms of gold nodes, and between its own nodes if these are compared as well."""

    name: str
    facts: Facts
    own: Facts | None = None

    def of(self, variant: Variant) -> Facts:
        """The facts that a variant compares."""
        return self.own if variant.own and self.own is not None else self.facts


class Choice(NamedTuple):
    """The engine, how many hops it counts exactly (the rest is estimated), and the reason in words."""

    engine: Engine
    exact_hops: int
    reason: str


class Counted(NamedTuple):
    """Exact counts for the first hops, estimates for the others, and the choice that led to it."""

    exact: tuple[HopCounts, ...]
    estimates: tuple[HopEstimate, ...]
    choice: Choice


class VariantCounts(NamedTuple):
    """What was counted for one variant: each system on all documents, and in samples as far as `sampled` hops."""

    variant: Variant
    counted: Mapping[str, Counted]
    resampled: Mapping[str, SampleCounts]
    sampled: int


def choose_engine(
    gold: Facts, system: Facts, *, hops: int = 3, engine: Engine = "auto", way: Variant, walks: Walking = "all"
) -> Choice:
    """Pick the engine from the number of walks, which costs next to nothing to find.

    >>> from adjudge.tasks.kbp.facts import make_facts
    >>> small = make_facts([0], [0], [1])
    >>> choose_engine(small, small, hops=2, way=Variant("", "endpoints", False, 1)).reason
    'sparse products: at most 2 walks of one length'
    """
    if way.identity == "full" or walks == "simple":
        if engine == "sample":
            raise UsageError(
                "sample compares the endpoints of all walks only", hint="use the engine sparse, or leave it out"
            )
        if walks == "simple":
            reason = "walks one by one: no product tells which nodes a walk has visited"
        elif gold.labels is not None or system.labels is not None:
            reason = "walks one by one: middle nodes are compared by what they count as"
        else:
            reason = f"products with vectors: {way.identity} paths are walks, which need not be built"
        return Choice("sparse", hops, reason)
    if engine == "sparse":
        return Choice("sparse", hops, "sparse products, as asked for")
    if engine == "sample":
        return Choice("sample", 1, "first nodes are sampled from two hops on, as asked for")
    counts = [int(number) for number in sum(walks_from(side, hops).sum(axis=1) for side in (gold, system))]
    exact = next((hop for hop, number in enumerate(counts) if number > WALKS), hops)
    if exact == hops:
        return Choice("sparse", hops, f"sparse products: at most {max(counts):,} walks of one length")
    reason = (
        f"{counts[exact]:.2g} walks of {exact + 1} hops are more than {WALKS:.2g}: "
        f"hops beyond {exact} are estimated from a sample of first nodes"
    )
    return Choice("sample", exact, reason)


class _Plan(NamedTuple):
    """How one variant will be counted: the engine for each system, and the hops that are counted in samples."""

    variant: Variant
    choices: Mapping[str, Choice]
    sampled: int


def count_variants(
    gold: Facts, systems: Sequence[SystemFacts], options: KbOptions, run: KbRun, draws: Draws, presence: Any
) -> list[VariantCounts]:
    """Count every way in the samples drawn, and on all documents what is not counted in samples, all in one go.

    All documents are the first of the samples; only what sequences of relations there are, samples do not say.
    """
    plans = [_plan(way, gold, systems, options, run, draws) for way in variants(options)]
    works: dict[tuple[int, str], Work] = {}
    for number, plan in enumerate(plans):
        way = plan.variant
        sequences = number == 0 and not {"first", "sequence"}.isdisjoint(run.by)
        sequences = sequences or (number == 0 and "relation" in run.by and draws.samples == 1)
        for each in systems:
            hops = plan.choices[each.name].exact_hops
            if hops > plan.sampled or (hops and sequences):
                works[number, each.name] = Work((gold, each.of(way)), hops, way.identity, options.walks)
        if plan.sampled:
            sides = (gold, *(each.of(way) for each in systems))
            words = (presence,) * len(sides)
            works[number, ""] = Work(sides, plan.sampled, way.identity, options.walks, words, draws.samples)
    counts = dict(zip(works, count_all(list(works.values()), Place(run.jobs, run.cluster)), strict=True))
    found = []
    for number, plan in enumerate(plans):
        samples = counts.get((number, ""), ())
        resampled = {each.name: own for each, own in zip(systems, samples, strict=bool(samples))}
        counted = {}
        for each in systems:
            choice = plan.choices[each.name]
            estimates = tuple(
                sample_paths(gold, each.of(plan.variant), hop=hop, seed=run.inference.seed, level=run.inference.level)
                for hop in range(choice.exact_hops + 1, options.hops + 1)
            )
            exact = counts.get((number, each.name))
            if exact is None:
                exact = _whole(resampled[each.name]) if resampled else ()
            counted[each.name] = Counted(exact, estimates, choice)
        found.append(VariantCounts(plan.variant, counted, resampled, plan.sampled))
    return found


def _whole(counts: SampleCounts) -> tuple[HopCounts, ...]:
    """The first sample, which has all documents."""
    numbers = zip(*(column[:, 0].tolist() for column in counts), strict=True)
    return tuple(HopCounts(hop, Counts(*own), {}) for hop, own in enumerate(numbers, start=1))


def _plan(
    way: Variant, gold: Facts, systems: Sequence[SystemFacts], options: KbOptions, run: KbRun, draws: Draws
) -> _Plan:
    """Choose engines; samples are counted for the hops for which that is affordable, or for all if it is asked for."""
    # What stands beside the endpoints of paths is counted as it can be; an engine that was asked for in vain says so.
    engine: Engine = run.engine if way.first == 1 else "auto"
    sides = {"gold": gold, **{each.name: each.of(way) for each in systems}}
    if run.warn is not None and not (way.identity == "full" and options.walks == "all"):
        walks = {name: int(walks_from(side, options.hops).sum(axis=1).max()) for name, side in sides.items()}
        largest = max(walks, key=walks.__getitem__)
        if walks[largest] > _MANY_WALKS:
            run.warn(
                f"{largest} has {walks[largest]:,} walks of up to {options.hops} hops: this may take minutes; "
                f"fewer --hops, or --engine sample for an estimate, are quicker"
            )
    choices = {}
    for each in systems:
        how: dict[str, Any] = {"hops": options.hops, "engine": engine, "way": way, "walks": options.walks}
        choice = choices[each.name] = choose_engine(gold, each.of(way), **how)
        if run.say is not None:
            run.say(f"{each.name}, {way.metric(way.first)}: engine {choice.engine}: {choice.reason}")
    exact = min(choice.exact_hops for choice in choices.values())
    if draws.samples == 1:
        return _Plan(way, choices, 0)
    samples = draws.samples - draws.resamples + run.inference.resamples
    words = _mask_words(Work(tuple(sides.values()), exact, way.identity, options.walks), samples)
    sampled = next((n for n, w in enumerate(words) if w > WORDS), exact)
    if run.inference.bootstrap is not None:
        sampled = exact
    if run.warn is not None and sampled and words[sampled - 1] > _MANY_WORDS:
        run.warn(
            f"counting {way.metric(sampled)} in {run.inference.resamples:,} resamples takes about "
            f"{words[sampled - 1] / 4e9:,.0f} minutes; --bootstrap 0 leaves intervals and tests out"
        )
    return _Plan(way, choices, sampled)


def _mask_words(work: Work, samples: int) -> list[float]:
    """About how many words of masks are read for 1, 2, ... hops."""
    words = -(-samples // 64)
    if work.by_vectors:
        facts = sum(len(side.subjects) for side in work.sides)
        return [float(64 * words * facts * hop) for hop in range(1, work.hops + 1)]
    walks: list[float] = sum(words * walks_from(side, work.hops).sum(axis=1).cumsum() for side in work.sides).tolist()
    return walks
