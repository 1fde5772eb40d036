"""Which samples are drawn, and all of them counted in one pass: the corpus itself, leave-outs, bootstrap, exchanges."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from adjudge.errors import UsageError
from adjudge.tasks.kbp.masks import SampleCounts, Samples, check_samples
from adjudge.tasks.kbp.masks_bits import pack_blocks
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

    group = leave_out_groups(documents, rng, groups=groups)
    return np.asarray(group[:, None] != np.arange(min(documents, groups)))


def leave_out_groups(documents: int, rng: np.random.Generator, *, groups: int = GROUPS) -> Bools:
    """The group of each document: its own, or a random one of `groups` where there are more documents.

    >>> import numpy as np
    >>> leave_out_groups(3, np.random.default_rng(13)).tolist()
    [0, 1, 2]
    """
    import numpy as np

    return np.arange(documents) if documents <= groups else rng.permutation(documents) % groups


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


class Drawn(NamedTuple):
    """Which documents are in which samples, packed; after the corpus itself come leave-outs, resamples, and pairs."""

    words: Bools
    left: int
    resamples: int
    pairs: Bools

    @property
    def samples(self) -> int:
        """How many samples there are."""
        return 1 + self.left + self.resamples + len(self.pairs)


def draw_samples(
    documents: int,
    *,
    resamples: int = 1000,
    seed: int = 13,
    groups: int = GROUPS,
    pairs: int = PAIRS,
) -> Drawn:
    """The samples of a corpus: all of it, without each document or group, bootstrap samples, and without two groups.

    >>> draw_samples(2, resamples=5).samples
    9
    """
    import numpy as np

    from adjudge.stats.resample import bootstrap_weights

    # Streams of their own: the bootstrap draws are those of every other task with this seed.
    rng, other = Random(seed), np.random.default_rng([seed, 1])  # noqa: S311  # nothing is secret
    group = leave_out_groups(documents, other, groups=groups)
    left = min(documents, groups)
    chosen = drawn_pairs(left, np.random.default_rng([seed, 2]), pairs=pairs)

    def blocks() -> Iterator[Bools]:
        yield np.ones((documents, 1), dtype=bool)
        for first in range(0, left, 64):
            yield group[:, None] != np.arange(first, min(first + 64, left))
        for weights in bootstrap_weights(documents, resamples, rng):
            yield (weights > 0).T
        for first in range(0, len(chosen), 64):
            one, two = chosen[first : first + 64].T
            yield (group[:, None] != one) & (group[:, None] != two)

    columns = 1 + left + resamples + len(chosen)
    return Drawn(pack_blocks(documents, columns, blocks()), left, resamples, chosen)


def resampling(
    gold: Facts,
    systems: Sequence[Facts],
    drawn: Drawn,
    *,
    hops: int = 3,
    identity: Identity = "endpoints",
    walks: Walking = "all",
) -> Samples:
    """What is to be counted of systems in the samples drawn."""
    sides = (gold, *systems)
    work = Samples(sides, (drawn.words,) * len(sides), drawn.samples, hops, identity, walks)
    check_samples(work)
    return work


def as_resampled(drawn: Drawn, counts: SampleCounts) -> Resampled:
    """The counts of one system by the kind of sample."""
    cut = 1 + drawn.left
    end = cut + drawn.resamples
    return Resampled(
        _columns(counts, slice(0, 1)),
        _columns(counts, slice(1, cut)),
        _columns(counts, slice(cut, end)),
        _columns(counts, slice(end, None)),
        drawn.pairs,
    )


def exchanging(
    gold: Facts,
    first: Facts,
    second: Facts,
    swapped: Bools,
    group: Bools,
    *,
    hops: int = 3,
    identity: Identity = "endpoints",
    walks: Walking = "all",
) -> Samples:
    """What is to be counted of two systems that exchange documents (`swapped`: exchanges x documents), in one graph.

    The samples are those of the one system, then those of the other; for every exchange all documents, and without each
    `group` of documents, on the gold side, too. An assertion moves with its document. Both systems must use the same
    numbers for the same nodes, and numbers of their own for what is private to one of them.
    """
    import numpy as np

    documents = len(group)
    both = _both(first, second, documents)
    kept = np.concatenate((np.ones((documents, 1), bool), group[:, None] != np.arange(int(group.max()) + 1)), axis=1)
    samples = 2 * len(swapped) * kept.shape[1]

    def of_systems() -> Iterator[Bools]:
        for other in (False, True):
            for exchanged in swapped:
                present = np.concatenate((exchanged, ~exchanged)) == other
                yield np.concatenate((kept, kept)) & present[:, None]

    def of_gold() -> Iterator[Bools]:
        for _ in range(2 * len(swapped)):
            yield kept

    words = pack_blocks(documents, samples, of_gold()), pack_blocks(2 * documents, samples, of_systems())
    work = Samples((gold, both), words, samples, hops, identity, walks)
    check_samples(work)
    return work


def _both(first: Facts, second: Facts, documents: int) -> Facts:
    """Two systems in one graph: document d of the second is documents + d."""
    import numpy as np

    if first.labels is not None or second.labels is not None:
        raise UsageError(
            "documents cannot be exchanged between systems that keep their own nodes",
            hint="use the jackknife, or map nodes before joining",
        )
    rows = [assertions(first), assertions(second)]
    columns = [np.concatenate(pair) for pair in zip(*rows, strict=True)]
    columns[3] = np.concatenate((rows[0][3].astype(np.int64), rows[1][3].astype(np.int64) + documents))
    return make_facts(*columns)


def _columns(counts: SampleCounts, part: slice) -> SampleCounts:
    return SampleCounts(*(array[:, part] for array in counts))
