"""Which paths are compared in which way, and how they are counted: exactly or by estimate, here or in pieces elsewhere.

A `Variant` is one way to compare paths: by endpoints or with their middle, joined on gold ids or on the system's own
nodes. Each has a name for every number of hops, such as `kbp.hop2.full`. Counts are exact wherever that is affordable,
and estimated only where it is not; which of the two depends on the data alone, never on the machine.

Paths with different first entities are different paths, so that the counts of pieces add up to those of the whole,
exactly and in any order. A piece is a run of first entities; where paths are told apart by all of their entities and
counted by products with vectors, it is a run of samples.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from adjudge.algebra.solve.deadline import Deadline, running, within
from adjudge.errors import UsageError
from adjudge.evaluate.processes import WORTHWHILE, map_documents, processors
from adjudge.evaluate.task import Run
from adjudge.tasks.kbp.facts import (
    Counts,
    Facts,
    HopCounts,
    Sequences,
    blocks,
    label_walks,
    pack,
    walk_totals,
    walks_from,
)
from adjudge.tasks.kbp.options import Engine, KbOptions
from adjudge.tasks.kbp.products import count_facts, count_products, relations_of
from adjudge.tasks.kbp.sampling import HopEstimate, sample_paths
from adjudge.tasks.kbp.walks import Identity, Range, Walking, Work, row_counts, sample_totals

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from adjudge.evaluate.corpus import Draws
    from adjudge.stats.result import Note

    Floats: TypeAlias = npt.NDArray[Any]

Warn: TypeAlias = Callable[[str], None]

# Walks of one length beyond which first nodes are sampled: minutes of counting.
WALKS = 20_000_000_000
# Words of masks (64 samples of one walk) beyond which samples are counted only on request: some minutes.
WORDS = 10_000_000_000
# Words, and walks, beyond which there is a warning: about a minute.
_MANY_WORDS = 4_000_000_000
_MANY_WALKS = 2_000_000_000

ALL_HOPS = "kbp.hops"
"""The metric of the paths of all lengths together."""
_PIECES = 4  # for each process, so that all of them finish at about the same time
_WALKS = 5e7  # counted per second, or words of their masks


class KbRun(Run, frozen=True, kw_only=True):
    """How knowledge bases are scored, in addition to what every task has: the engine, and whether box plots are wanted.

    `examples` is the number of examples for each reason why paths are lost, if documents are saved; None for all.
    `warn` gets warnings, `say` details for the curious. `clusters` are documents that are drawn together.
    """

    engine: Engine = "auto"
    box: bool = False
    examples: int | None = 5
    warn: Warn | None = None
    say: Warn | None = None
    clusters: Mapping[str, str] | None = None


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
    """The variants that the options ask for; the first is that of the paper, if it is among them.

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


class Scored(NamedTuple):
    """A system: its facts between gold nodes, also between its own nodes if these are compared, and what was left out.

    `tally` has the outcomes of facts that are not triples, by name; `curve` has the facts at or above each confidence.
    """

    name: str
    facts: Facts
    own: Facts | None = None
    tally: Mapping[str, int] = {}
    notes: Sequence[Note] = ()
    curve: Sequence[tuple[float, Facts]] = ()

    def of(self, variant: Variant) -> Facts:
        """The facts that a variant compares."""
        return self.own if variant.own and self.own is not None else self.facts


class Choice(NamedTuple):
    """The engine, how many hops it counts exactly (the rest is estimated), and the reason in words."""

    engine: Engine
    exact_hops: int
    reason: str


class VariantCounts(NamedTuple):
    """One variant: the engine chosen for each system, and what was counted.

    `exact` has the counts of all documents for the first hops, `estimates` are of the others; `resampled` are counts in
    samples, as far as `sampled` hops.
    """

    variant: Variant
    choices: Mapping[str, Choice]
    sampled: int
    exact: Mapping[str, Sequence[HopCounts]] = {}
    estimates: Mapping[str, Sequence[HopEstimate]] = {}
    resampled: Mapping[str, SampleCounts] = {}


def choose_engine(
    gold: Facts, system: Facts, *, hops: int = 3, engine: Engine = "auto", way: Variant, walks: Walking = "all"
) -> Choice:
    """Pick the engine by the number of walks, which is cheap to compute.

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
        elif gold.labelled or system.labelled:
            reason = "walks one by one: middle nodes are compared by what they count as"
        else:
            reason = f"products with vectors: {way.identity} paths are walks, which need not be built"
        return Choice("sparse", hops, reason)
    if engine == "sparse":
        return Choice("sparse", hops, "sparse products, as asked for")
    if engine == "sample":
        return Choice("sample", 1, "first nodes are sampled from two hops on, as asked for")
    counts = [int(sum(each)) for each in zip(walk_totals(gold, hops), walk_totals(system, hops), strict=True)]
    exact = next((hop for hop, number in enumerate(counts) if number > WALKS), hops)
    if exact == hops:
        return Choice("sparse", hops, f"sparse products: at most {max(counts):,} walks of one length")
    reason = (
        f"{counts[exact]:.2g} walks of {exact + 1} hops are more than {WALKS:.2g}: "
        f"hops beyond {exact} are estimated from a sample of first nodes"
    )
    return Choice("sample", exact, reason)


def count_variants(
    gold: Facts, systems: Sequence[Scored], options: KbOptions, run: KbRun, draws: Draws, presence: Any
) -> list[VariantCounts]:
    """Count all variants in the samples drawn, and on all documents what is not counted in samples, all in one go.

    The first sample is all documents; only sequences of relations are not known from samples.
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
    counts = dict(zip(works, count_all(list(works.values()), run), strict=True))
    found = []
    for number, plan in enumerate(plans):
        samples = counts.get((number, ""), ())
        resampled = {each.name: own for each, own in zip(systems, samples, strict=bool(samples))}
        exact, estimates = {}, {}
        for each in systems:
            exact[each.name] = counts.get((number, each.name), ())
            if resampled and not exact[each.name]:  # the first sample has all documents
                own = zip(*(column[:, 0].tolist() for column in resampled[each.name]), strict=True)
                exact[each.name] = [HopCounts(hop, Counts(*row), {}) for hop, row in enumerate(own, start=1)]
            estimates[each.name] = [
                sample_paths(gold, each.of(plan.variant), hop=hop, seed=run.inference.seed, level=run.inference.level)
                for hop in range(plan.choices[each.name].exact_hops + 1, options.hops + 1)
            ]
        found.append(plan._replace(exact=exact, estimates=estimates, resampled=resampled))
    return found


def _plan(
    way: Variant, gold: Facts, systems: Sequence[Scored], options: KbOptions, run: KbRun, draws: Draws
) -> VariantCounts:
    """Choose engines; samples are counted for the hops for which that is affordable, or for all on request."""
    # The engine that was asked for compares endpoints; other variants are counted as they can be.
    engine: Engine = run.engine if way.first == 1 else "auto"
    sides = {"gold": gold, **{each.name: each.of(way) for each in systems}}
    if run.warn is not None and not (way.identity == "full" and options.walks == "all"):
        walks = {name: int(min(max(walk_totals(side, options.hops)), 1e300)) for name, side in sides.items()}
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
        return VariantCounts(way, choices, 0)
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
    return VariantCounts(way, choices, sampled)


def _mask_words(work: Work, samples: int) -> list[float]:
    """Estimated number of words of masks that are read for 1, 2, ... hops."""
    words = -(-samples // 64)
    if work.by_vectors:
        facts = sum(len(side.subjects) for side in work.sides)
        return [float(64 * words * facts * hop) for hop in range(1, work.hops + 1)]
    walks: list[float] = sum(words * walks_from(side, work.hops).sum(axis=1).cumsum() for side in work.sides).tolist()
    return walks


# ---------------------------------------------------------------------------------------------------------------------
# In pieces


class SampleCounts(NamedTuple):
    """Paths per hop (rows) and sample (columns)."""

    both: npt.NDArray[np.int64]
    gold: npt.NDArray[np.int64]
    system: npt.NDArray[np.int64]


HERE = Run()


class Piece(NamedTuple):
    """A piece of some work: paths from some first labels, or samples of some words; all of it without a part."""

    work: int
    part: Range | None = None


def count_all(works: Sequence[Work], run: Run = HERE) -> list[Any]:
    """The counts of each work: by hop if it concerns all documents, else one `SampleCounts` for each system.

    >>> from adjudge.tasks.kbp.facts import make_facts
    >>> one = make_facts([0, 1], [0, 0], [1, 2])
    >>> [hop.total.both for hop in count_all([Work((one, one), hops=2)])[0]]
    [2, 1]
    """
    pieces = pieces_of(works, run)
    jobs = 1 if run.cluster is None and not run.jobs and len(pieces) == len(works) else run.jobs
    totals: list[Any] = [{} if not work.presence else 0 for work in works]
    counter, units = PieceCounter(works), ((str(piece.work), piece, None) for piece in pieces)
    counted: Iterable[tuple[str, Any]] = ((name, counter(piece)) for name, piece, _ in units)
    if run.cluster is not None or jobs != 1:
        counted = map_documents(counter, units, jobs=jobs, cluster=run.cluster, total=len(pieces))
    for name, counts in counted:
        known = totals[int(name)]
        if isinstance(counts, dict):
            for sequence, each in counts.items():
                known[sequence] = known.get(sequence, Counts(0, 0, 0)) + each
        else:
            totals[int(name)] = known + counts
    return [
        _by_system(work, total) if work.presence else _by_hop(work, total)
        for work, total in zip(works, totals, strict=True)
    ]


def _by_hop(work: Work, sequences: Sequences) -> tuple[HopCounts, ...]:
    found: list[Sequences] = [{} for _ in range(work.hops)]
    for sequence, counts in sorted(sequences.items()):
        if counts.gold or counts.system:
            found[len(sequence) - 1][sequence] = counts
    return tuple(
        HopCounts(hop, sum(known.values(), Counts(0, 0, 0)), known) for hop, known in enumerate(found, start=1)
    )


def _by_system(work: Work, totals: Any) -> list[SampleCounts]:
    totals = totals[:, :, : work.samples]
    systems = range(len(work.sides) - 1)
    return [SampleCounts(totals[2 * n + 1], totals[0], totals[2 * n + 2]) for n in systems]


def count_few(work: Work) -> Sequences:
    """The paths of two sides as sets: all of them are kept.

    >>> from adjudge.tasks.kbp.facts import Facts, Few
    >>> one, other = (Facts(few=Few(frozenset(rows))) for rows in ([(0, 0, 1, 0), (1, 1, 2, 0)], [(0, 0, 1, 0)]))
    >>> count_few(Work((one, other), hops=2))
    {(0,): Counts(both=1, gold=1, system=1), (1,): Counts(both=0, gold=1, system=0), (0, 1): Counts(both=0, gold=1, ...
    """
    gold, system = (_few_paths(side, work) for side in work.sides)
    sequences = [[sequence for sequence, _ in paths] for paths in (gold & system, gold, system)]
    numbers = [Counter(each) for each in sequences]
    order = sorted({*numbers[1], *numbers[2]}, key=lambda each: (len(each), each))
    return {sequence: Counts(*(each[sequence] for each in numbers)) for sequence in order}


def _few_paths(side: Facts, work: Work) -> set[tuple[tuple[int, ...], tuple[int, ...]]]:
    """The relations of every path of one side, and what its nodes count as: the ends, or all."""
    few = side.few
    assert few is not None
    following: dict[int, list[tuple[int, int]]] = {}
    for subject, relation, object_ in few.triples:
        following.setdefault(subject, []).append((relation, object_))
    ends = work.identity == "endpoints"
    found: set[tuple[tuple[int, ...], tuple[int, ...]]] = set()
    here: set[tuple[tuple[int, ...], tuple[int, ...]]] = {((), (subject,)) for subject in following}
    for _ in range(work.hops):
        running().check()
        longer = set[tuple[tuple[int, ...], tuple[int, ...]]]()
        for sequence, nodes in here:
            for relation, object_ in following.get(nodes[-1], ()):
                if work.walks == "all" or object_ not in nodes:
                    kept = nodes[:1] if ends and work.walks == "all" else nodes
                    longer.add(((*sequence, relation), (*kept, object_)))
        here = longer
        for sequence, nodes in here:
            shown = (nodes[0], nodes[-1]) if ends else nodes
            found.add((sequence, shown if few.labels is None else tuple(few.labels[node] for node in shown)))
    return found


def count_paths(
    gold: Facts, system: Facts, *, hops: int = 3, identity: Identity = "endpoints", walks: Walking = "all"
) -> tuple[HopCounts, ...]:
    """The paths of 1 to `hops` hops: per sequence of relations and in total, exactly.

    Two paths are the same if they have the same relations and endpoints (`endpoints`), or also the same nodes between
    (`full`). `simple` keeps the paths with a witness that visits no node twice.

    >>> from adjudge.tasks.kbp.facts import make_facts
    >>> gold = make_facts([0, 1], [0, 1], [1, 2])
    >>> system = make_facts([0, 3], [0, 1], [3, 2])
    >>> [count_paths(gold, system, hops=2, identity=i)[1].total.both for i in ("endpoints", "full")]
    [1, 0]
    """
    found: tuple[HopCounts, ...] = count_all([Work((gold, system), hops, identity, walks)])[0]
    return found


def count_samples(sides: Sequence[Facts], presence: Any, **how: Any) -> list[SampleCounts]:
    """The counts of every system in every sample; `presence` has a row for each document, a column for each sample."""
    words = (pack(presence),) * len(sides)
    found: list[SampleCounts] = count_all([Work(tuple(sides), presence=words, samples=len(presence[0]), **how)])[0]
    return found


def pieces_of(works: Sequence[Work], run: Run) -> list[Piece]:
    """The pieces: one for each work if it is done in this process, else parts that take about the same time."""
    whole = [Piece(number) for number in range(len(works))]
    if run.cluster is None and run.jobs == 1:
        return whole
    if run.cluster is None and not run.jobs and all(work.few for work in works):
        return whole
    weights = [_seconds(work) for work in works]
    total = sum(float(each.sum()) for each in weights)
    if run.cluster is None and not run.jobs and total < WORTHWHILE:
        return whole
    limit = total / (_PIECES * (run.jobs or processors()))
    found = []
    for piece, seconds in zip(whole, weights, strict=True):
        if float(seconds.sum()) <= limit:
            found.append(piece)
        else:
            found += [Piece(piece.work, part) for part in blocks(seconds, limit)]
    return found


def _seconds(work: Work) -> Floats:
    """The estimated time for every first label, or for every word of samples."""
    import numpy as np

    if work.by_vectors:
        facts = sum(len(side.subjects) for side in work.sides)
        return np.full(work.words, min(work.samples, 64) * facts * work.hops / _WALKS)
    walks: Floats = label_walks(work.sides, work.hops).sum(axis=0)
    return walks * work.words / _WALKS


class PieceCounter:
    """Counts pieces, in this process or in another one, to which all works are sent once.

    What a work needs before its first piece, matrices or masks, is kept until a piece of another work arrives.
    """

    def __init__(self, works: Sequence[Work], deadline: Deadline | None = None) -> None:
        self.works = tuple(works)
        self.deadline = deadline or running()
        self._ready: tuple[int, Any] = -1, None

    def __reduce__(self) -> tuple[type[PieceCounter], tuple[Any, ...]]:
        return type(self), (self.works, self.deadline)

    def __call__(self, piece: Piece, _: None = None) -> Any:
        """The counts of a piece: by sequence of relations, or the totals of all samples."""
        with within(self.deadline):
            return self._counts(piece)

    def _counts(self, piece: Piece) -> Any:
        work = self.works[piece.work]
        if piece.part is None and work.few:
            return count_few(work)
        products = not work.presence and work.identity == "endpoints" and work.walks == "all"
        if self._ready[0] != piece.work:
            ready: Any = None
            if products:
                ready = relations_of(*work.sides) if work.hops > 1 else None
            elif not work.by_vectors and work.width >= work.words:
                ready = work.masks()
            self._ready = piece.work, ready
        if products and work.hops == 1:
            return count_facts(*work.sides, sources=piece.part)
        if products:
            return count_products(self._ready[1], work.hops, sources=piece.part)
        if work.presence:
            return sample_totals(work, piece.part, self._ready[1])
        found: dict[tuple[int, ...], list[int]] = {}
        for row, sequence, counts in row_counts(work, work.masks(), piece.part, apart=True):
            found.setdefault(sequence, [0, 0, 0])[row] += int(counts[0])
        return {sequence: Counts(both, gold, system) for sequence, (gold, both, system) in found.items()}
