"""A ranking of systems over resampled corpora, as a part of a result."""

from __future__ import annotations

import msgspec


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """One system in a ranking: `ranks` is the range that holds its rank in `level` of the corpora.

    `median`, `low` and `high` are of its scores over the corpora, `score` is that of all documents.
    `rank_shares[r - 1]` is the share of corpora in which it has rank r (those that tie share the better rank), `wins`
    and `ties` the shares in which it is strictly above, or level with, each other system.
    """

    rank: int
    system: str
    median: float
    low: float
    high: float
    score: float
    ranks: tuple[int, int]
    rank_shares: tuple[float, ...]
    wins: dict[str, float]
    ties: dict[str, float]


class Leaderboard(msgspec.Struct, frozen=True, kw_only=True):
    """All systems, the best first, by the median of one score, and how the corpora were drawn."""

    metric: str
    part: str
    resamples: int
    seed: int
    draws: str
    level: float
    standings: tuple[Standing, ...]
