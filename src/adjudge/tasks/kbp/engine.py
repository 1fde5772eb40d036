"""Which engine counts the paths, and why: exact wherever that is affordable, and an estimate only where it is not.

Whether a hop is estimated depends on the data alone, never on the machine.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from adjudge.errors import UsageError, did_you_mean
from adjudge.tasks.kbp.paths_facts import Facts, check_hops, total_walks
from adjudge.tasks.kbp.paths_walks import Identity, Walking

Engine: TypeAlias = Literal["auto", "sparse", "sample"]
ENGINES: tuple[Engine, ...] = ("auto", "sparse", "sample")

# Walks of one length beyond which first nodes are sampled: minutes of counting.
WALKS = 20_000_000_000


class Choice(NamedTuple):
    """The engine, how many hops it counts exactly (the rest is estimated), and the reason in words."""

    engine: Engine
    exact_hops: int
    reason: str


def check_engine(engine: str) -> None:
    """Raise if there is no such engine.

    >>> check_engine("duckdb")
    Traceback (most recent call last):
    adjudge.errors.UsageError: the engine duckdb is gone, leave it out: ten million triples take about 3 GB of memory
    """
    if engine == "duckdb":
        hint = "leave it out: ten million triples take about 3 GB of memory"
        raise UsageError("the engine duckdb is gone", hint=hint)
    if engine not in ENGINES:
        hint = did_you_mean(engine, ENGINES) or f"engines: {', '.join(ENGINES)}"
        raise UsageError(f"there is no engine {engine}", hint=hint)


def choose_engine(
    gold: Facts,
    system: Facts,
    *,
    hops: int = 3,
    engine: Engine = "auto",
    identity: Identity = "endpoints",
    walks: Walking = "all",
    limit: int = WALKS,
) -> Choice:
    """Pick the engine from the number of walks, which costs next to nothing to find.

    >>> from adjudge.tasks.kbp.paths_facts import make_facts
    >>> small = make_facts([0], [0], [1])
    >>> choose_engine(small, small, hops=2).reason
    'sparse products: at most 2 walks of one length'
    """
    check_hops(hops)
    check_engine(engine)
    if identity == "full" or walks == "simple":
        if engine == "sample":
            raise UsageError(
                "sample compares the endpoints of all walks only", hint="use the engine sparse, or leave it out"
            )
        return Choice("sparse", hops, _other_reason(gold, system, identity, walks))
    if engine == "sparse":
        return Choice("sparse", hops, "sparse products, as asked for")
    if engine == "sample":
        return Choice("sample", 1, "first nodes are sampled from two hops on, as asked for")
    counts = [one + other for one, other in zip(total_walks(gold, hops), total_walks(system, hops), strict=True)]
    exact = next((hop for hop, number in enumerate(counts) if number > limit), hops)
    if exact == hops:
        return Choice("sparse", hops, f"sparse products: at most {max(counts):,} walks of one length")
    reason = (
        f"{counts[exact]:.2g} walks of {exact + 1} hops are more than {limit:.2g}: "
        f"hops beyond {exact} are estimated from a sample of first nodes"
    )
    return Choice("sample", exact, reason)


def _other_reason(gold: Facts, system: Facts, identity: Identity, walks: Walking) -> str:
    if walks == "simple":
        return "walks one by one: no product tells which nodes a walk has visited"
    if gold.labels is not None or system.labels is not None:
        return "walks one by one: middle nodes are compared by what they count as"
    return f"products with vectors: {identity} paths are walks, which need not be built"
