"""Which paths of one side the other side does not have, and at which of their facts each of them breaks.

A path may have many walks (ways through the middle). It is explained by the walk that comes farthest: the one with most
facts that the other side has, then the one whose facts are right for longest. All paths are looked at if there are few
enough walks; else those of some first nodes, which are drawn at random.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from adjudge.tasks.kbp.facts import Facts, label_walks, node_starts
from adjudge.tasks.kbp.walks import Identity, Walking, Work, first_walks, longer, path_keys

if TYPE_CHECKING:
    import numpy.typing as npt

    Ints: TypeAlias = npt.NDArray[Any]

MOST = 1_000_000
"""Walks of both sides, of one length, that are looked at; of more, only those of some first nodes."""


class Sample(NamedTuple):
    """What was looked at instead of everything: `drawn` of `all` first nodes.

    `too_large` first nodes have so many walks of their own that they were not among those to be drawn.
    """

    drawn: int
    all: int
    too_large: int
    seed: int


class Lost(NamedTuple):
    """The paths of one side that the other does not have: for each the facts of one walk, and which of them breaks.

    `broken` counts from 0; it is the number of hops if every single fact is right and they do not join.
    """

    paths: int
    facts: Ints
    broken: Ints


class Losses(NamedTuple):
    """Both sides at one number of hops: paths that both have, and those that one side lacks."""

    hop: int
    both: int
    gold: Lost
    system: Lost
    sample: Sample | None


def matched_facts(sides: tuple[Facts, Facts]) -> list[Ints]:
    """For each fact of each side whether the other side has it.

    >>> from adjudge.tasks.kbp.facts import make_facts
    >>> both = make_facts([0, 1], [0, 0], [1, 2]), make_facts([0], [0], [1])
    >>> [flags.tolist() for flags in matched_facts(both)]
    [[True, False], [True]]
    """
    import numpy as np

    work = Work(sides, 1)
    gold, system = path_keys(work, [first_walks(side, work) for side in sides])
    return [np.isin(gold, system), np.isin(system, gold)]


def find_losses(
    sides: tuple[Facts, Facts],
    hop: int,
    matched: Sequence[Ints],
    *,
    identity: Identity = "endpoints",
    walks: Walking = "all",
    most: int = MOST,
    seed: int = 13,
) -> Losses:
    """The lost paths of both sides, gold and system.

    >>> from adjudge.tasks.kbp.facts import make_facts
    >>> both = make_facts([0, 1], [0, 0], [1, 2]), make_facts([0], [0], [1])
    >>> found = find_losses(both, 2, matched_facts(both))
    >>> found.both, found.gold.facts.tolist(), found.gold.broken.tolist()
    (0, [[0, 1]], [1])
    """
    import numpy as np

    chosen, sample = (None, None) if hop == 1 else _first_labels(sides, hop, most, seed)
    work = Work(sides, hop, identity, walks)
    states, facts = [], []
    for side in sides:
        state = first_walks(side, work)
        if chosen is not None:
            kept = np.flatnonzero(chosen[state.columns[:, 0]])
            state = type(state)(state.columns[kept], state.nodes[kept], state.facts[kept], state.parents)
        columns, starts = state.facts[:, None], node_starts(side)
        for _ in range(hop - 1):
            state = longer(side, starts, state, work)
            columns = np.column_stack((columns[state.parents], state.facts))
        states.append(state)
        facts.append(columns)
    keys = path_keys(work, states)
    distinct = [np.unique(key) for key in keys]
    both = len(np.intersect1d(distinct[0], distinct[1], assume_unique=True))
    lost = [_farthest(keys[me], distinct[1 - me], facts[me], matched[me], paths=len(distinct[me])) for me in range(2)]
    return Losses(hop, both, lost[0], lost[1], sample)


def _farthest(keys: Ints, others: Ints, facts: Ints, matched: Ints, *, paths: int) -> Lost:
    """One walk for each path that the others do not have."""
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


def _first_labels(sides: tuple[Facts, Facts], hop: int, most: int, seed: int) -> tuple[Ints | None, Sample | None]:
    """The first nodes to look at, as flags by label, if there are too many walks to look at all."""
    import numpy as np

    weights = label_walks(sides, hop)[-1]
    if float(weights.sum()) <= most:
        return None, None
    present = np.flatnonzero(weights > 0)
    possible = present[weights[present] <= most]
    order = np.random.default_rng(seed).permutation(possible)
    drawn = order[: int(np.searchsorted(np.cumsum(weights[order]), most, side="right"))]
    flags = np.zeros(len(weights), dtype=bool)
    flags[drawn] = True
    return flags, Sample(len(drawn), len(present), len(present) - len(possible), seed)
