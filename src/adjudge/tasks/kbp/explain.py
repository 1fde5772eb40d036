"""Explanations: for every missed and every wrong path the first step that broke, counted and with examples.

A waterfall starts with all gold paths and ends with those that were found; every lost path is lost at exactly one step,
so that the losses add up to the misses of the score. A second one starts with the system's paths and ends with those
that are right. A path is explained by the first of its facts that the other side lacks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from adjudge.errors import UsageError
from adjudge.tasks.kbp.counting import Variant, variants
from adjudge.tasks.kbp.documents import Support
from adjudge.tasks.kbp.facts import Facts, label_walks, node_starts
from adjudge.tasks.kbp.options import KbOptions, folded_options
from adjudge.tasks.kbp.reasons import RANK, REASONS, AnnotationReasons, Fate, Reason, Side, TripleReasons, Why
from adjudge.tasks.kbp.scoring import asked_for, map_inputs
from adjudge.tasks.kbp.walks import Work, first_walks, longer, path_keys
from adjudge.tasks.kbp.waterfalls import Example, Explanation, Loss, PathFact, Sample, Waterfall

if TYPE_CHECKING:
    import numpy.typing as npt

    from adjudge.tasks.kbp.inputs import KbInputs
    from adjudge.tasks.kbp.mapping import Mapped

    Ints: TypeAlias = npt.NDArray[Any]

LIMIT = 5
MOST = 1_000_000
"""Most walks of one length, on both sides, that are inspected; if there are more, only those from some first nodes."""
_SUPPORT = 3  # maximum documents shown for a fact


def explain(gold: Any, systems: Any, *, hops: Sequence[int] = (), **more: Any) -> tuple[Explanation, ...]:
    r"""Explain files or bytes; the arguments are those of `score`, and those of `explain_inputs`.

    >>> gold = b"ana\tworks_for\tcorvex\td1\ncorvex\tbased_in\toslo\td1\n"
    >>> (found,) = explain(gold, b"ana\tworks_for\tcorvex\td1\ncorvex\tbased_in\tlyon\td1\n", hops=[2])
    >>> [(loss.reason, loss.paths, loss.at) for loss in found.waterfalls[0].missed]
    [('unknown-entity', 1, (0, 1, 0))]
    """
    from adjudge.tasks.kbp.inputs import read_inputs

    own = {name: more.pop(name) for name in ("limit", "seed", "most") if name in more}
    if hops and more.get("options") is None:
        more["hops"] = max(hops)
    asked = asked_for(more)
    return explain_inputs(
        read_inputs(gold, systems, names=asked.names, **asked.reading), asked.options, hops=hops, **own
    )


def explain_inputs(
    read: KbInputs,
    options: KbOptions,
    *,
    hops: Sequence[int] = (),
    limit: int | None = LIMIT,
    seed: int = 13,
    most: int = MOST,
) -> tuple[Explanation, ...]:
    """Explain every system at some numbers of hops (all up to `options.hops` unless they are given).

    `limit` examples are given for each reason, None for all. Paths of two hops and more are inspected one by one if
    both sides have at most `most` walks, else only those from some first nodes, drawn by the seed.
    """
    chosen = tuple(dict.fromkeys(hops)) or tuple(range(1, options.hops + 1))
    if any(hop < 1 for hop in chosen):
        raise UsageError("paths have at least one hop", hint="give numbers from 1")
    return tuple(
        explained(explainers(read, options, map_inputs(read, options)), chosen, limit=limit, seed=seed, most=most)
    )


def explained(
    systems: Iterable[tuple[str, Explainer]],
    hops: Sequence[int],
    *,
    limit: int | None = LIMIT,
    seed: int = 13,
    most: int = MOST,
) -> Iterator[Explanation]:
    """The waterfalls of systems, given by name."""
    for name, each in systems:
        yield Explanation(name, tuple(each.waterfall(hop, limit=limit, seed=seed, most=most) for hop in hops))


def explained_variant(options: KbOptions) -> Variant:
    """The variant that is explained: that of the paper, unless the options ask for another one only.

    >>> explained_variant(KbOptions(identity="both")).metric(2)
    'kbp.hop2'
    >>> explained_variant(KbOptions(identity_source="system")).metric(2)
    'kbp.hop2.system'
    """
    return next(way for way in variants(options) if way.own == (options.identity_source == "system"))


def explainers(read: KbInputs, options: KbOptions, mapped: Mapped) -> Iterator[tuple[str, Explainer]]:
    """The explainer of each system, made on demand; `mapped` is what was read, as triples."""
    options = folded_options(options)
    names, own = mapped.gold.names.documents, explained_variant(options).own
    how: dict[str, Any] = {"documents": [names[name] for name in mapped.documents], "named": mapped.named}
    for given, system in zip(read.systems, mapped.systems, strict=True):
        gold = Side(mapped.gold, options, "gold", **how)
        if given.kb is None or read.gold.corpus is None:
            yield system.name, Explainer(TripleReasons(gold, Side(system.table, options, "system", **how)), options)
            continue
        table = system.own if own and system.own is not None else system.table
        side = Side(table, options, "system", labels=(system.labels or {}) if own else None, **how)
        reasons = AnnotationReasons(gold, side, mapped, system, given.kb, own=own)
        texts = {document.id: document for document in read.gold.corpus.documents}
        yield system.name, Explainer(reasons, options, Support(reasons, texts, given.kb.by_id()))


class Explainer:
    """Both sides of one comparison, to be explained at any number of hops."""

    def __init__(self, reasons: TripleReasons, options: KbOptions, support: Support | None = None) -> None:
        self.reasons, self.options, self.support = reasons, options, support
        self.variant = explained_variant(options)
        self.sides: dict[Fate, Side] = {"missed": reasons.gold, "wrong": reasons.system}
        matched = matched_facts(reasons.gold.facts, reasons.system.facts)
        for side, flags in zip(self.sides.values(), matched, strict=True):
            side.matched = flags
        self.known: dict[tuple[Fate, int, tuple[bool, bool]], Why] = {}

    def losses(self, hop: int, *, seed: int = 13, most: int = MOST) -> Losses:
        """The paths of each side that the other lacks."""
        facts = self.reasons.gold.facts, self.reasons.system.facts
        work = Work(facts, hop, self.variant.identity, self.options.walks)
        return find_losses(work, [side.matched for side in self.sides.values()], most=most, seed=seed)

    def waterfall(self, hop: int, *, limit: int | None, seed: int, most: int) -> Waterfall:
        """How many paths of a length are lost at each step, with examples."""
        found = self.losses(hop, seed=seed, most=most)
        missed, lost = self._losses("missed", hop, found.gold, limit)
        wrong, spurious = self._losses("wrong", hop, found.system, limit)
        metric, sizes = self.variant.metric(hop), (found.gold.paths, found.system.paths, found.both)
        return Waterfall(metric, hop, *sizes, missed, wrong, (*lost, *spurious), found.sample)

    def _losses(self, fate: Fate, hop: int, lost: Lost, limit: int | None) -> tuple[tuple[Loss, ...], list[Example]]:
        import numpy as np

        # Paths without a broken fact are grouped by their last one.
        key = lost.first_broken().astype(np.int64) * (hop + 1) + lost.broken
        groups, first, numbers = np.unique(key, return_index=True, return_counts=True)
        counts: dict[Reason, list[int]] = {}
        members: dict[Reason, list[tuple[int, int, Why]]] = {}
        for group, row, number in zip(groups.tolist(), first.tolist(), numbers.tolist(), strict=True):
            broken = group % (hop + 1)
            why = self.why(fate, group // (hop + 1), broken, hop)
            counts.setdefault(why.reason, [0] * (hop + 1))[broken] += number
            members.setdefault(why.reason, []).append((number, row, why))
        losses = tuple(
            Loss(reason, sum(counts[reason]), tuple(counts[reason])) for reason in REASONS if reason in counts
        )
        examples = []
        for reason in sorted(members, key=RANK.__getitem__):
            # Those first at which most paths break; of equals, in the order of the facts.
            chosen = sorted(members[reason], key=lambda each: -each[0])[:limit]
            examples += [
                self._example(fate, why, number, int(lost.broken[row]), lost.facts[row].tolist())
                for number, row, why in chosen
            ]
        return losses, examples

    def why(self, fate: Fate, fact: int, broken: int, hop: int) -> Why:
        """Why a path is lost that breaks at this fact, the `broken`-th of its facts (from 0)."""
        if broken == hop:
            return Why("linked-elsewhere", "every fact is right, but one entity is two nodes of the system")
        key = fate, fact, (broken > 0, broken < hop - 1)
        if key not in self.known:
            self.known[key] = self.reasons.why(*key)
        return self.known[key]

    def names(self, fate: Fate, fact: int) -> tuple[str, str, str]:
        """Subject, relation and object of a fact, with readable names."""
        side = self.sides[fate]
        subject, relation, object_ = side.triple(fact)
        ends = [side.node(label) for label in (subject, object_)]
        one, other = ends if self.support is None else map(self.support.name, ends)
        return one, side.names.relations.listed[relation], other

    def documents(self, fate: Fate, fact: int) -> list[str]:
        """The documents that support a fact."""
        if self.support is not None:
            return list(self.support.facts(fate, fact))
        side = self.sides[fate]
        listed, facts = side.names.documents.listed, side.facts
        return [listed[number] for number in facts.documents[facts.starts[fact] : facts.starts[fact + 1]].tolist()]

    def _example(self, fate: Fate, why: Why, number: int, broken: int, facts: Sequence[int]) -> Example:
        shown, broken = [], min(broken, len(facts) - 1)
        for fact in facts:
            said = [] if self.support is None else list(self.support.facts(fate, fact).values())[:_SUPPORT]
            if fact == facts[broken] and why.document:
                # The document that the reason speaks of comes first.
                said.sort(key=lambda each: each.document != why.document)
            texts = tuple((each.document, self.support.located(fate, each).shown()) for each in said if self.support)
            matched = bool(self.sides[fate].matched[fact])
            shown.append(PathFact(*self.names(fate, fact), matched, tuple(self.documents(fate, fact)), texts))
        where = f" ({why.document})" if why.document else ""
        return Example(fate, why.reason, why.detail + where, number, broken + 1, tuple(shown))


# ---------------------------------------------------------------------------------------------------------------------
# The paths of one side that the other lacks, and at which of its facts each of them breaks


class Lost(NamedTuple):
    """The paths of one side that the other lacks: for each, the facts of one walk, and which of them breaks.

    `broken` counts from 0; it is the number of hops if each fact is right but they do not join.
    """

    paths: int
    facts: Ints
    broken: Ints

    def first_broken(self) -> Ints:
        """The fact at which each path breaks, or its last one."""
        import numpy as np

        rows = np.arange(len(self.broken))
        return self.facts[rows, np.minimum(self.broken, self.facts.shape[1] - 1)] if len(rows) else rows


class Losses(NamedTuple):
    """Both sides at one number of hops: paths that one side lacks, and a walk of either side for those of both."""

    gold: Lost
    system: Lost
    sample: Sample | None
    right: tuple[Ints, Ints]

    @property
    def both(self) -> int:
        """How many paths both sides have."""
        return len(self.right[0])


def matched_facts(gold: Facts, system: Facts) -> list[Ints]:
    """For each fact of each side whether the other side has it."""
    import numpy as np

    work = Work((gold, system), 1)
    ours, theirs = path_keys(work, [first_walks(side, work) for side in work.sides])
    return [np.isin(ours, theirs), np.isin(theirs, ours)]


def find_losses(work: Work, matched: Sequence[Ints], *, most: int = MOST, seed: int = 13) -> Losses:
    """The lost paths of both sides, gold and system.

    A path may have many walks (ways through the middle). It is explained by the walk that gets farthest: the one with
    the most facts that the other side has, then the one that is right for longest. All paths are inspected if there are
    few enough walks; else those from some first nodes, which are drawn at random.

    >>> from adjudge.tasks.kbp.facts import make_facts
    >>> both = make_facts([0, 1], [0, 0], [1, 2]), make_facts([0], [0], [1])
    >>> found = find_losses(Work(both, 2), matched_facts(*both))
    >>> found.both, found.gold.facts.tolist(), found.gold.broken.tolist()
    (0, [[0, 1]], [1])
    """
    import numpy as np

    chosen, sample = (None, None) if work.hops == 1 else _first_labels(work, most, seed)
    states, facts = [], []
    for side in work.sides:
        state = first_walks(side, work)
        if chosen is not None:
            state = first_walks(side, work, state.facts[chosen[state.columns[0]]])
        columns, starts = state.facts[:, None], node_starts(side)
        for _ in range(work.hops - 1):
            state = longer(side, starts, state, work)
            columns = np.column_stack((columns[state.parents], state.facts))
        states.append(state)
        facts.append(columns)
    keys = path_keys(work, states)
    distinct, firsts = zip(*(np.unique(key, return_index=True) for key in keys), strict=True)
    _, *shared = np.intersect1d(distinct[0], distinct[1], assume_unique=True, return_indices=True)
    one, other = (own[first[at]] for own, first, at in zip(facts, firsts, shared, strict=True))
    lost = [_farthest(keys[me], distinct[1 - me], facts[me], matched[me], paths=len(distinct[me])) for me in range(2)]
    return Losses(lost[0], lost[1], sample, (one, other))


def _farthest(keys: Ints, others: Ints, facts: Ints, matched: Ints, *, paths: int) -> Lost:
    """One walk for each path that the others lack."""
    import numpy as np

    rows = np.flatnonzero(~np.isin(keys, others))
    keys, facts = keys[rows], facts[rows]
    right = matched[facts] if len(facts) else np.zeros(facts.shape, dtype=bool)
    # A column that is never right ends the search for the first that is not.
    broken = np.argmin(np.column_stack((right, np.zeros(len(right), dtype=bool))), axis=1)
    order = np.lexsort((-broken, -right.sum(axis=1), keys))
    first = np.ones(len(order), dtype=bool)
    first[1:] = keys[order][1:] != keys[order][:-1]
    kept = order[first]
    return Lost(paths, facts[kept], broken[kept])


def _first_labels(work: Work, most: int, seed: int) -> tuple[Ints | None, Sample | None]:
    """The first nodes to inspect, as flags by label, if there are too many walks for all."""
    import numpy as np

    weights = label_walks(work.sides, work.hops)[-1]
    if float(weights.sum()) <= most:
        return None, None
    present = np.flatnonzero(weights > 0)
    possible = present[weights[present] <= most]
    order = np.random.default_rng(seed).permutation(possible)
    drawn = order[: int(np.searchsorted(np.cumsum(weights[order]), most, side="right"))]
    flags = np.zeros(len(weights), dtype=bool)
    flags[drawn] = True
    return flags, Sample(len(drawn), len(present), len(present) - len(possible), seed)
