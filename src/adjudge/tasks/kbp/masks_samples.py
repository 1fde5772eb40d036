"""Which samples are drawn, and all of them counted in one pass: the corpus itself, leave-outs, bootstrap, exchanges."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from adjudge.errors import UsageError
from adjudge.tasks.kbp.masks import SampleCounts, count_samples
from adjudge.tasks.kbp.paths_facts import Facts, assertions, make_facts
from adjudge.tasks.kbp.paths_walks import Identity, Walking

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Bools: TypeAlias = npt.NDArray[Any]

# Leave-outs beyond which documents are left out in groups: the cost of a pass grows with the number of samples.
GROUPS = 1000
# Pairs of leave-outs that are left out together, to see how much documents act jointly.
PAIRS = 1000


class Resampled(NamedTuple):
    """Counts of one system: on all documents, with each group of documents left out, and in each bootstrap sample.

    `left_pairs` are the counts with two groups left out, the `pairs` of places among the groups (two columns).
    """

    point: SampleCounts
    left_out: SampleCounts
    bootstrap: SampleCounts
    left_pairs: SampleCounts
    pairs: Bools


def bootstrap_presence(documents: int, resamples: int, rng: Random | np.random.Generator) -> Bools:
    """Which documents (rows) are drawn at least once in each bootstrap sample (columns).

    How often a document is drawn does not matter: paths are sets. On average 63.2 % of the documents are present.

    >>> import numpy as np
    >>> bootstrap_presence(3, 2, np.random.default_rng(13)).shape
    (3, 2)
    """
    import numpy as np

    from adjudge.stats.resample import bootstrap_weights

    rows = [weights > 0 for weights in bootstrap_weights(documents, resamples, rng)]
    return np.concatenate(rows).T if rows else np.zeros((documents, 0), dtype=bool)


def leave_out_presence(documents: int, rng: np.random.Generator, *, groups: int = GROUPS) -> Bools:
    """One sample per document without it, or per random group of documents where there are more than `groups`.

    >>> import numpy as np
    >>> leave_out_presence(2, np.random.default_rng(13)).tolist()
    [[False, True], [True, False]]
    """
    import numpy as np

    if documents <= groups:
        return ~np.eye(documents, dtype=bool)
    group = rng.permutation(documents) % groups
    return np.asarray(group[:, None] != np.arange(groups))


def drawn_pairs(groups: int, rng: np.random.Generator, *, pairs: int = PAIRS) -> Bools:
    """Pairs of different leave-outs (rows of two places): all of them if they are few, else some at random.

    >>> import numpy as np
    >>> drawn_pairs(3, np.random.default_rng(13)).tolist()
    [[0, 1], [0, 2], [1, 2]]
    """
    import numpy as np

    if groups * (groups - 1) // 2 <= pairs:
        return np.stack(np.triu_indices(groups, 1), axis=1)
    first = rng.integers(0, groups, pairs)
    second = (first + rng.integers(1, groups, pairs)) % groups
    return np.stack((np.minimum(first, second), np.maximum(first, second)), axis=1)


def resample_counts(
    gold: Facts,
    systems: Sequence[Facts],
    *,
    documents: int,
    resamples: int = 1000,
    seed: int = 13,
    hops: int = 3,
    identity: Identity = "endpoints",
    walks: Walking = "all",
    groups: int = GROUPS,
    pairs: int = PAIRS,
) -> list[Resampled]:
    """Point estimate, jackknife and bootstrap of every system, on the same samples, from one pass.

    >>> facts = make_facts([0, 1], [0, 0], [1, 2], [0, 1])
    >>> one, = resample_counts(facts, [facts], documents=2, resamples=5, hops=2)
    >>> one.point.both.tolist(), one.left_out.both.tolist(), one.bootstrap.both.shape
    ([[2], [1]], [[1, 1], [0, 0]], (2, 5))
    """
    import numpy as np

    # Streams of their own: the bootstrap draws are those of every other task with this seed.
    rng, other = Random(seed), np.random.default_rng([seed, 1])  # noqa: S311  # nothing is secret
    left = leave_out_presence(documents, other, groups=groups)
    chosen = drawn_pairs(left.shape[1], np.random.default_rng([seed, 2]), pairs=pairs)
    both = left[:, chosen[:, 0]] & left[:, chosen[:, 1]]
    presence = np.concatenate(
        (np.ones((documents, 1), bool), left, bootstrap_presence(documents, resamples, rng), both), axis=1
    )
    found = count_samples(gold, systems, presence, hops=hops, identity=identity, walks=walks)
    cut = 1 + left.shape[1]
    end = cut + resamples
    return [
        Resampled(
            _columns(counts, slice(0, 1)),
            _columns(counts, slice(1, cut)),
            _columns(counts, slice(cut, end)),
            _columns(counts, slice(end, None)),
            chosen,
        )
        for counts in found
    ]


def exchange_counts(
    gold: Facts,
    first: Facts,
    second: Facts,
    *,
    documents: int,
    trials: int = 1000,
    seed: int = 13,
    hops: int = 3,
    identity: Identity = "endpoints",
    walks: Walking = "all",
) -> tuple[SampleCounts, SampleCounts]:
    """Counts of two systems whose documents are exchanged at random, gold being complete; column 0 is no exchange.

    An assertion moves with its document. Both systems must use the same numbers for the same nodes, and numbers of
    their own for what is private to one of them.

    >>> one = make_facts([0], [0], [1], [0])
    >>> a, b = exchange_counts(one, one, make_facts([], [], [], []), documents=1, trials=20)
    >>> a.both[0, 0].tolist(), b.both[0, 0].tolist(), set((a.both + b.both)[0].tolist())
    (1, 0, {1})
    """
    import numpy as np

    if first.labels is not None or second.labels is not None:
        raise UsageError(
            "documents cannot be exchanged between systems that keep their own nodes",
            hint="use the jackknife, or map nodes before joining",
        )
    # One graph holds both systems: document d of the second is documents + d.
    rows = [assertions(first), assertions(second)]
    columns = [np.concatenate(pair) for pair in zip(*rows, strict=True)]
    columns[3] = np.concatenate((rows[0][3].astype(np.int64), rows[1][3].astype(np.int64) + documents))
    exchanged = np.random.default_rng(seed).random((trials, documents)).T < 0.5
    exchanged = np.concatenate((np.zeros((documents, 1), dtype=bool), exchanged), axis=1)
    kept = np.concatenate((~exchanged, exchanged))
    presence = np.concatenate((kept, ~kept), axis=1)
    complete = np.ones((documents, presence.shape[1]), dtype=bool)
    options: dict[str, Any] = {"hops": hops, "identity": identity, "walks": walks}
    (found,) = count_samples(gold, [make_facts(*columns)], presence, gold_presence=complete, **options)
    cut = trials + 1
    return _columns(found, slice(0, cut)), _columns(found, slice(cut, None))


def _columns(counts: SampleCounts, part: slice) -> SampleCounts:
    return SampleCounts(*(array[:, part] for array in counts))
