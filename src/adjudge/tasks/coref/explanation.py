"""What went wrong in one document: chains merged, split, missed and invented, links lost and gained.

All of it is read from the chains as they were scored, after matching, repeats and singletons.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations, islice
from typing import Any

from adjudge.evaluate.engine import evaluate
from adjudge.evaluate.run import Run
from adjudge.model.coref import Chain, Mention
from adjudge.tasks.coref.counts import COLUMNS
from adjudge.tasks.coref.observe import Compared
from adjudge.tasks.coref.settings import settings
from adjudge.tasks.coref.task import CorefTask, written

LISTED = 50  # links that are listed by name; their number is always exact

Link = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Part:
    """Mentions that a chain shares with a chain of the other side; no chain if the other side does not have them."""

    chain: str | None
    mentions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Whole:
    """A chain and how it is divided on the other side."""

    chain: str
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """One document of one response.

    `merged` are chains of the response with mentions of several key chains, `split` the reverse; `missed` key chains
    have no mention in the response, `invented` chains of the response none in the key. A link is a pair of mentions in
    one chain; of the `lost` and `gained` ones the first are listed.
    """

    document: str
    response: str
    right: tuple[str, ...]
    merged: tuple[Whole, ...]
    split: tuple[Whole, ...]
    missed: tuple[Whole, ...]
    invented: tuple[Whole, ...]
    missed_mentions: tuple[Part, ...]
    invented_mentions: tuple[Part, ...]
    links_lost: int
    links_gained: int
    lost: tuple[Link, ...]
    gained: tuple[Link, ...]

    def to_data(self) -> dict[str, Any]:
        """As plain data that any JSON writer takes."""
        return asdict(self)

    def __str__(self) -> str:
        return "\n".join(_lines(self))


def explain(
    key: Any,
    response: Any,
    document: str,
    *,
    profile: str = "conll-8.01",
    singletons: str = "keep",
    match: str = "exact",
    overlap: float | None = None,
    names: Sequence[str | None] | None = None,
) -> dict[str, Explanation]:
    """What went wrong in one document, for each response by name.

    >>> key = [{"id": "d", "clusters": [[[0, 0], [2, 3], [5, 5]]]}]
    >>> response = [{"id": "d", "clusters": [[[0, 0], [2, 3]], [[5, 5], [7, 7]]]}]
    >>> print(explain(key, response, "d")["system"])
    d  system
    split     key chain 0 (3 mentions): 0 has (0,0) (2,3); 1 has (5,5)
    mentions  invented: (7,7) in chain 1
    links     2 lost: (0,0)-(5,5) (2,3)-(5,5)
    links     1 gained: (5,5)-(7,7)
    """
    task = CorefTask(settings(profile, singletons, match, overlap))
    run = Run(docs=(document,), keep=True, digest=False)
    found = evaluate(task, key, response, run, names=names).checked()
    return {name: _explained(found.ids[0], name, counted.details[0]) for name, counted in found.systems.items()}


def _explained(document: str, response: str, pair: Compared) -> Explanation:
    ours, theirs = _owners(pair.key), _owners(pair.response)
    split = [_whole(chain, theirs, pair.response) for chain in pair.key]
    merged = [_whole(chain, ours, pair.key) for chain in pair.response]
    names = {id(whole): chain for whole, chain in zip(split, pair.key, strict=True)}
    counts = dict(zip(COLUMNS, pair.counts, strict=True))
    common = counts["coref.blanc.coref:matched"]
    return Explanation(
        document=document,
        response=response,
        right=tuple(whole.chain for whole in split if _same(names[id(whole)], whole, pair.response)),
        merged=tuple(whole for whole in merged if _chains(whole) > 1),
        split=tuple(whole for whole in split if _chains(whole) > 1),
        missed=tuple(whole for whole in split if not _chains(whole)),
        invented=tuple(whole for whole in merged if not _chains(whole)),
        missed_mentions=_alone(split),
        invented_mentions=_alone(merged),
        links_lost=int(counts["coref.blanc.coref:gold"] - common),
        links_gained=int(counts["coref.blanc.coref:system"] - common),
        lost=tuple(islice(_links(pair.key, theirs), LISTED)),
        gained=tuple(islice(_links(pair.response, ours), LISTED)),
    )


def _owners(chains: Sequence[Chain]) -> dict[Mention, int]:
    """The chain of every mention, the last one if it has several."""
    return {mention: place for place, chain in enumerate(chains) for mention in chain.mentions}


def _whole(chain: Chain, others: Mapping[Mention, int], names: Sequence[Chain]) -> Whole:
    parts: dict[int | None, list[str]] = {}
    for mention in chain.mentions:
        parts.setdefault(others.get(mention), []).append(written(mention))
    return Whole(
        chain.id,
        tuple(Part(None if place is None else names[place].id, tuple(mine)) for place, mine in parts.items()),
    )


def _chains(whole: Whole) -> int:
    return sum(part.chain is not None for part in whole.parts)


def _same(chain: Chain, whole: Whole, response: Sequence[Chain]) -> bool:
    if len(whole.parts) != 1 or whole.parts[0].chain is None:
        return False
    return any(set(other.mentions) == set(chain.mentions) for other in response if other.id == whole.parts[0].chain)


def _alone(wholes: Sequence[Whole]) -> tuple[Part, ...]:
    """The mentions that the other side does not have, by the chain in which they stand."""
    return tuple(Part(whole.chain, part.mentions) for whole in wholes for part in whole.parts if part.chain is None)


def _links(chains: Sequence[Chain], others: Mapping[Mention, int]) -> Iterator[Link]:
    """The links that the other side does not have."""
    for chain in chains:
        for left, right in combinations(chain.mentions, 2):
            if left != right and (left not in others or others.get(left) != others.get(right)):
                yield written(left), written(right)


def _lines(found: Explanation) -> Iterator[str]:
    yield f"{found.document}  {found.response}"
    if found.right:
        yield f"right     {len(found.right)} chain{'s' * (len(found.right) > 1)}: {' '.join(found.right)}"
    for whole in found.merged:
        yield f"merged    {_told(whole, 'response', 'key chain ')}"
    for whole in found.split:
        yield f"split     {_told(whole, 'key', '')}"
    for whole in found.missed:
        yield f"missed    {_told(whole, 'key', '')}"
    for whole in found.invented:
        yield f"invented  {_told(whole, 'response', '')}"
    for what, parts in (("missed", found.missed_mentions), ("invented", found.invented_mentions)):
        if parts:
            told = "; ".join(f"{' '.join(part.mentions)} in chain {part.chain}" for part in parts)
            yield f"mentions  {what}: {told}"
    for what, number, links in (("lost", found.links_lost, found.lost), ("gained", found.links_gained, found.gained)):
        if number:
            more = " ..." if number > len(links) else ""
            yield f"links     {number} {what}: {' '.join('-'.join(link) for link in links)}{more}"
    if not (found.links_lost or found.links_gained or found.missed_mentions or found.invented_mentions):
        yield "nothing is wrong"


def _told(whole: Whole, side: str, title: str) -> str:
    number = sum(len(part.mentions) for part in whole.parts)
    parts = [
        f"{title}{part.chain} has {' '.join(part.mentions)}" if part.chain else f"nowhere {' '.join(part.mentions)}"
        for part in whole.parts
    ]
    inside = "; ".join(parts) if any(part.chain for part in whole.parts) else " ".join(whole.parts[0].mentions)
    return f"{side} chain {whole.chain} ({number} mention{'s' * (number != 1)}): {inside}"
