"""Drawing the units of a pool that people read: a random sample with recorded probabilities."""

from __future__ import annotations

import hashlib
import hmac
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from msgspec.structs import replace

from adjudge.errors import UsageError, some_of
from adjudge.estimates.design import units_hash
from adjudge.estimates.pool import Drawn, Pool, Sampling
from adjudge.model.prf import ratio
from adjudge.stats.measure import Array
from adjudge.stats.resample import Stream

FEWEST = 2  # units of a stratum, and of a sample
UNIFORM = 0.2

Chosen: TypeAlias = Any  # an array of truth values


class Plan(NamedTuple):
    """How many units to draw, and with which probabilities: equal, by strata, or by importance."""

    size: int
    sampling: Sampling = "fixed"
    strata: Mapping[str, str] | None = None
    importance: Mapping[str, float] | None = None
    uniform: float = UNIFORM
    seed: int = 13
    round: int = 1


def draw(units: Sequence[str], plan: Plan, known: Sequence[str] = ()) -> list[Drawn]:
    """A sample of the units; those assessed before are included for certain, and do not count towards its size.

    >>> rows = draw(["a", "b", "c", "d"], Plan(2))
    >>> len(rows), sum(row.drawn for row in rows), rows[0].probability
    (4, 2, 0.5)
    """
    certain = set(known)
    free = sorted(unit for unit in units if unit not in certain)
    _check_size(plan.size, len(free))
    stream = Stream(plan.seed, plan.round)
    if plan.strata is not None and plan.importance is not None:
        raise UsageError("a sample is either by strata or by importance", hint="leave out --strata or --active")
    if plan.strata is not None:
        rows = _by_strata(free, plan, stream)
    elif plan.importance is not None:
        chances = probabilities([plan.importance[unit] for unit in free], plan.size, plan.uniform)
        rows = _rows(free, chances, plan, lambda: pivotal(chances, stream))
    else:
        rows = _equal(free, plan.size, plan, stream, None)
    rows += [Drawn(id=unit, probability=1.0, drawn=True, round=plan.round) for unit in sorted(certain)]
    return sorted(rows, key=lambda row: row.id)


def parse_size(text: str, units: int) -> int:
    """A number of units, or a share of them.

    >>> parse_size("200", 1000), parse_size("10%", 1005)
    (200, 101)
    """
    try:
        number = float(text.rstrip("%")) * units / 100 if text.endswith("%") else int(text)
    except ValueError:
        raise UsageError(f"the size {text!r} is not a number", hint="give a number (200) or a share (10%)") from None
    if not math.isfinite(number):
        raise UsageError(f"the size {text!r} is not a number", hint="give a number (200) or a share (10%)")
    return math.ceil(round(number, 9))


def _check_size(size: int, units: int) -> None:
    if size < FEWEST:
        raise UsageError(f"a sample of {size} is too small for an interval", hint=f"draw at least {FEWEST}")
    if size > units:
        raise UsageError(f"a sample of {size} from {units} units that nobody assessed", hint=f"draw at most {units}")


def probabilities(importance: Sequence[float], size: float, uniform: float = UNIFORM) -> Array:
    """Probabilities proportional to importance, mixed with equal ones, which add up to the size; none is above 1.

    >>> probabilities([1, 2, 3, 4], 2).round(2).tolist()
    [0.26, 0.42, 0.58, 0.74]
    """
    values = np.asarray(importance, dtype=np.float64)
    if not 0 <= uniform <= 1:
        raise UsageError(f"the uniform share is {uniform:g}", hint="give a number from 0 to 1")
    total = math.fsum(values.tolist())
    shares = values / total if total > 0 else np.full(len(values), 1 / len(values))
    weights: Array = (1 - uniform) * shares + uniform / len(values)
    if (weights <= 0).any():
        raise UsageError("units without importance could never be drawn", hint="give --uniform above 0")
    chances = np.zeros(len(values))
    free = np.ones(len(values), dtype=bool)
    while free.any():
        left = size - np.count_nonzero(~free)
        chances[free] = left * weights[free] / math.fsum(weights[free].tolist())
        full = free & (chances >= 1 - 1e-12)
        if not full.any():
            break
        chances[full] = 1.0
        free &= ~full
    return chances


def pivotal(chances: Array, stream: Stream) -> Chosen:
    """The pivotal method in random order (Deville and Tillé 1998): exactly as many units as probabilities add up to.

    Two units compete: one of them is decided, the other gets the rest of both probabilities.

    >>> int(pivotal(np.full(6, 0.5), Stream(1)).sum())
    3
    """
    chosen = chances >= 1
    order = [int(unit) for unit in stream.permutation(len(chances)) if not chosen[unit]]
    if not order:
        return chosen
    coins = stream.shares(len(order)).tolist()
    held, own = order[0], float(chances[order[0]])
    for other, coin in zip(order[1:], coins, strict=False):
        theirs = float(chances[other])
        both = own + theirs
        if both < 1:
            out = coin < theirs / both  # the one held is out, or else the other
            held = other if out else held
            own = both
        else:
            drawn = coin < (1 - theirs) / (2 - both)
            chosen[held if drawn else other] = True
            held = other if drawn else held
            own = both - 1
    chosen[held] = coins[-1] < own if 1e-9 < own < 1 - 1e-9 else own > 0.5
    return chosen


def draw_each(chances: Mapping[str, float], key: bytes) -> list[Drawn]:
    """Each unit by itself (a Poisson sample), by a random number that it has for ever: the keyed hash of its name.

    So units may arrive one after the other: whether one is drawn does not depend on the others.

    >>> both = draw_each({"a": 0.5, "b": 0.5}, b"key")
    >>> [row.drawn for row in both], draw_each({"b": 0.5}, b"key") == both[1:]
    ([True, False], True)
    """
    return [Drawn(id=unit, probability=chance, drawn=_number(unit, key) < chance) for unit, chance in chances.items()]


def _number(unit: str, key: bytes) -> float:
    """A number from 0 to below 1, of 53 bits."""
    digest = hmac.new(key, unit.encode(), hashlib.sha256).digest()
    return (int.from_bytes(digest[:7], "big") >> 3) * 2.0**-53


def _equal(units: Sequence[str], size: int, plan: Plan, stream: Stream, stratum: str | None) -> list[Drawn]:
    """A simple random sample."""

    def chosen() -> Chosen:
        found = np.zeros(len(units), dtype=bool)
        found[stream.permutation(len(units))[:size]] = True
        return found

    return _rows(units, np.full(len(units), size / len(units)), plan, chosen, stratum)


def _rows(
    units: Sequence[str], chances: Array, plan: Plan, chosen: Callable[[], Chosen], stratum: str | None = None
) -> list[Drawn]:
    """A row for every unit: drawn by itself, or in a sample of fixed size with the others, which is `chosen`."""
    wanted = {unit: min(1.0, float(chance)) for unit, chance in zip(units, chances, strict=True)}
    if plan.sampling == "poisson":
        key = f"{plan.seed} {plan.round} {units_hash(units)}"  # other numbers in every pool: samples are independent
        rows = draw_each(wanted, key.encode())
    else:
        drawn = zip(wanted.items(), chosen(), strict=True)
        rows = [Drawn(id=unit, probability=chance, drawn=bool(own)) for (unit, chance), own in drawn]
    return [replace(row, stratum=stratum, round=plan.round) for row in rows]


def _by_strata(units: Sequence[str], plan: Plan, stream: Stream) -> list[Drawn]:
    assert plan.strata is not None
    members: dict[str, list[str]] = {}
    for unit in units:
        members.setdefault(plan.strata[unit], []).append(unit)
    small = [name for name, own in sorted(members.items()) if len(own) < FEWEST]
    if small:
        named = some_of(map(repr, small))
        raise UsageError(f"strata with fewer than {FEWEST} units: {named}", hint="join them with others")
    sizes = allocate({name: len(own) for name, own in members.items()}, plan.size)
    return [row for name in sorted(members) for row in _equal(members[name], sizes[name], plan, stream, name)]


def allocate(sizes: Mapping[str, int], total: int) -> dict[str, int]:
    """How many of each stratum: in proportion, by largest remainders, at least two of each.

    >>> allocate({"df": 30, "nw": 68, "wb": 2}, 10)
    {'df': 2, 'nw': 6, 'wb': 2}
    """
    if total < FEWEST * len(sizes):
        message = f"a sample of {total} from {len(sizes)} strata: at least {FEWEST} of each are needed"
        raise UsageError(message, hint=f"draw at least {FEWEST * len(sizes)}, or join strata")
    units = sum(sizes.values())
    wanted = {name: total * own / units for name, own in sorted(sizes.items())}
    found = {name: min(sizes[name], max(FEWEST, math.floor(share))) for name, share in wanted.items()}
    while (left := total - sum(found.values())) != 0:
        step = 1 if left > 0 else -1
        open_ = [name for name in found if (found[name] < sizes[name] if step > 0 else found[name] > FEWEST)]
        chosen = max(open_, key=lambda name: (step * (wanted[name] - found[name]), name))
        found[chosen] += step
    return found


def item_importance(pool: Pool, pair: tuple[str, str] | None = None) -> dict[str, float]:
    """How much each item affects the F1 of the systems, times the uncertainty of the judge about it.

    With a pair of systems: how much it affects their difference.
    """
    if not pool.judged:
        raise UsageError(
            "active sampling needs the opinion of a judge on every item",
            hint="give every item of the pool a field judge, from 0 to 1",
        )
    member = pool.member.astype(np.float64)
    judge = np.array([item.judge for item in pool.items], dtype=np.float64)
    total, size = judge.sum(), member.sum(axis=0)
    score = ratio(2 * (judge @ member), size + total)
    slope = (2 * member - score) / np.maximum(size + total, 1e-300)
    if pair is None:
        moved = (slope**2).sum(axis=1)
    else:
        a, b = (pool.systems.index(name) for name in pair)
        moved = (slope[:, a] - slope[:, b]) ** 2
    values = np.sqrt(moved * judge * (1 - judge))
    return dict(zip((item.id for item in pool.items), values.tolist(), strict=True))


def document_importance(pool: Pool) -> dict[str, float]:
    """How much a document is expected to contain: items that the judge takes for correct, and a little for others."""
    found: dict[str, float] = dict.fromkeys(pool.documents, 0.5)
    for item in pool.items:
        found[item.document] += 0.1 + (item.judge or 0.0)
    return found
