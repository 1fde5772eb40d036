"""Which engine counts the paths, and why: exact wherever that is affordable, and an estimate only where it is not.

Whether a hop is estimated depends on the data alone, never on the machine: the engines that depend on its memory are
exact and agree with each other.
"""

from __future__ import annotations

import os
from typing import Literal, NamedTuple, TypeAlias

from adjudge.errors import UsageError, did_you_mean
from adjudge.tasks.kbp.duck import count_duckdb, installed
from adjudge.tasks.kbp.paths import check_hops, count_paths
from adjudge.tasks.kbp.paths_facts import Facts, HopCounts, relation_space
from adjudge.tasks.kbp.paths_sparse import BLOCK
from adjudge.tasks.kbp.paths_walks import Identity, Walking
from adjudge.tasks.kbp.sampling import DRAWS, LEVEL, HopEstimate, sample_paths
from adjudge.tasks.kbp.sides import AnyFacts, walks_of
from adjudge.tasks.kbp.store import Stored

Engine: TypeAlias = Literal["auto", "sparse", "duckdb", "sample"]
ENGINES: tuple[Engine, ...] = ("auto", "sparse", "duckdb", "sample")

# Walks of one length beyond which first nodes are sampled: minutes of counting.
WALKS = 20_000_000_000
_SHARE = 0.5  # of the memory of the machine


class Choice(NamedTuple):
    """The engine, how many hops it counts exactly (the rest is estimated), and the reason in words.

    It is remarkable if it is not what one would expect, and takes its time.
    """

    engine: Engine
    exact_hops: int
    reason: str
    remarkable: bool = False


class Counted(NamedTuple):
    """Exact counts for the first hops, estimates for the others, and the choice that led to it."""

    exact: tuple[HopCounts, ...]
    estimates: tuple[HopEstimate, ...]
    choice: Choice


def choose_engine(
    gold: AnyFacts,
    system: AnyFacts,
    *,
    hops: int = 3,
    engine: Engine = "auto",
    identity: Identity = "endpoints",
    walks: Walking = "all",
    memory: int | None = None,
    limit: int = WALKS,
) -> Choice:
    """Pick the engine from the number of walks, which costs next to nothing to find, and the memory at hand.

    >>> from adjudge.tasks.kbp.paths_facts import make_facts
    >>> small = make_facts([0], [0], [1])
    >>> choose_engine(small, small, hops=2).reason
    'sparse products: at most 2 walks of one length, about 34 MB'
    """
    check_hops(hops)
    if engine not in ENGINES:
        raise UsageError(
            f"there is no engine {engine}", hint=did_you_mean(engine, ENGINES) or f"engines: {', '.join(ENGINES)}"
        )
    if isinstance(gold, Stored) or isinstance(system, Stored):
        stored = Choice(
            "duckdb", hops, "facts in a database of DuckDB, counted for some first entities after the other"
        )
        plain = identity == "endpoints" and walks == "all"
        return _sampled(gold, system, hops, limit, stored)[0] if plain else stored
    if identity == "full" or walks == "simple":
        if engine in ("duckdb", "sample"):
            raise UsageError(
                f"{engine} compares the endpoints of all walks only", hint="use the engine sparse, or leave it out"
            )
        return Choice("sparse", hops, _other_reason(gold, system, identity, walks))
    if engine == "duckdb":
        return Choice("duckdb", hops, "DuckDB, as asked for")
    if engine == "sparse":
        return Choice("sparse", hops, "sparse products, as asked for")
    if engine == "sample":
        return Choice("sample", 1, "first nodes are sampled from two hops on, as asked for")
    choice, counts = _sampled(gold, system, hops, limit, Choice("sparse", hops, ""))
    if choice.engine == "sample":
        return choice
    needed, at_hand = sparse_memory(gold, system), memory if memory is not None else machine_memory()
    about = f"at most {max(counts):,} walks of one length, about {needed / 1e6:,.0f} MB"
    if at_hand is None or needed <= at_hand:
        return Choice("sparse", hops, f"sparse products: {about}")
    if installed():
        reason = f"DuckDB: {about} for sparse products is more than {at_hand / 1e6:,.0f} MB"
        return Choice("duckdb", hops, reason, remarkable=True)
    reason = f"sparse products although they need {about}, more than {at_hand / 1e6:,.0f} MB: DuckDB is not installed"
    return Choice("sparse", hops, reason, remarkable=True)


def _sampled(gold: AnyFacts, system: AnyFacts, hops: int, limit: int, usual: Choice) -> tuple[Choice, list[int]]:
    """The usual choice, unless there are too many walks; and how many there are."""
    counts = [one + other for one, other in zip(walks_of(gold, hops), walks_of(system, hops), strict=True)]
    exact = next((hop for hop, number in enumerate(counts) if number > limit), hops)
    if exact == hops:
        return usual, counts
    reason = (
        f"{counts[exact]:.2g} walks of {exact + 1} hops are more than {limit:.2g}: "
        f"hops beyond {exact} are estimated from a sample of first nodes"
    )
    return Choice("sample", exact, reason), counts


def joins(choice: Choice, gold: AnyFacts) -> bool:
    """Whether facts in memory are counted by joins in DuckDB."""
    return choice.engine == "duckdb" and not isinstance(gold, Stored)


def count_with(
    gold: Facts,
    system: Facts,
    *,
    hops: int = 3,
    engine: Engine = "auto",
    identity: Identity = "endpoints",
    walks: Walking = "all",
    memory: int | None = None,
    limit: int = WALKS,
    draws: int = DRAWS,
    seed: int = 13,
    level: float = LEVEL,
) -> Counted:
    """Count the paths of 1 to `hops` hops with the engine asked for, or the one that fits.

    >>> from adjudge.tasks.kbp.paths_facts import make_facts
    >>> small = make_facts([0, 1], [0, 0], [1, 2])
    >>> found = count_with(small, small, hops=2)
    >>> found.choice.engine, [hop.total.both for hop in found.exact]
    ('sparse', [2, 1])
    """
    choice = choose_engine(
        gold, system, hops=hops, engine=engine, identity=identity, walks=walks, memory=memory, limit=limit
    )
    exact: tuple[HopCounts, ...] = ()
    if choice.exact_hops and choice.engine != "duckdb":
        exact = count_paths(gold, system, hops=choice.exact_hops, identity=identity, walks=walks)
    return count_rest(gold, system, choice, exact, hops=hops, memory=memory, draws=draws, seed=seed, level=level)


def count_rest(
    gold: AnyFacts,
    system: AnyFacts,
    choice: Choice,
    exact: tuple[HopCounts, ...],
    *,
    hops: int,
    memory: int | None = None,
    draws: int = DRAWS,
    seed: int = 13,
    level: float = LEVEL,
) -> Counted:
    """What the choice leaves to be done if exact counts without DuckDB are there already: joins, and estimates."""
    if joins(choice, gold) and isinstance(gold, Facts) and isinstance(system, Facts):
        return Counted(count_duckdb(gold, system, hops=hops, memory=memory or machine_memory()), (), choice)
    longer = range(choice.exact_hops + 1, hops + 1)
    estimates = tuple(sample_paths(gold, system, hop=hop, draws=draws, seed=seed, level=level) for hop in longer)
    return Counted(exact, estimates, choice)


def sparse_memory(gold: Facts, system: Facts) -> int:
    """About how many bytes the products need beyond the facts themselves.

    >>> from adjudge.tasks.kbp.paths_facts import make_facts
    >>> sparse_memory(make_facts([0], [0], [1]), make_facts([0], [0], [1])) > 0
    True
    """
    nodes, relations = gold.nodes + system.nodes, relation_space((gold, system))
    tables = 4 * min(relations * nodes, 1 << 28)
    return 36 * (len(gold.subjects) + len(system.subjects)) + tables + BLOCK


def _other_reason(gold: Facts, system: Facts, identity: Identity, walks: Walking) -> str:
    if walks == "simple":
        return "walks one by one: no product tells which nodes a walk has visited"
    if gold.labels is not None or system.labels is not None:
        return "walks one by one: middle nodes are compared by what they count as"
    return f"products with vectors: {identity} paths are walks, which need not be built"


def machine_memory() -> int | None:
    """Half the memory of the machine, if the system tells it."""
    try:
        return int(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") * _SHARE)
    except (AttributeError, OSError, ValueError):
        return None
