"""CoNLL-2012 files: a key and responses.

12 TAB columns, sentences of 20 tokens, 11.5 tokens per mention; a response is the key with 14 % of the mentions
dropped, some (6 %) moved to another chain, some chains split or merged, and 15 % spurious mentions.
"""

from __future__ import annotations

import json
import random
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

Span = tuple[int, int]
Chains = list[list[Span]]

_SEED = 13


class Shape(NamedTuple):
    """Documents, mentions of each, mentions per chain, share of moved mentions, whether chains are heavy-tailed."""

    documents: int
    mentions: int
    per_chain: float = 4.3
    moved: float = 0.06
    heavy: bool = False


def write(folder: Path, *, systems: int = 1, clusters: bool = False, **shape: float) -> None:
    """`key.conll` and `response1.conll`, ...; with `clusters` also the chains, see `_write_clusters`."""
    made = Shape(**shape)  # type: ignore[arg-type]
    rng = random.Random(_SEED)
    own = [rng, *(random.Random(f"{_SEED} {number}") for number in range(2, systems + 1))]
    with ExitStack() as stack:
        names = ["key", *(f"response{number}" for number in range(1, systems + 1))]
        files = [stack.enter_context((folder / f"{name}.conll").open("w")) for name in names]
        for number in range(made.documents):
            name = f"bench/{number:05d}"
            mentions = max(4, round(made.mentions * rng.uniform(0.6, 1.4))) if made.documents > 1 else made.mentions
            tokens = round(11.5 * mentions)
            spans = _spans(mentions + mentions // 5, tokens, rng)
            spare = spans[mentions:]
            chains = _chains(spans[:mentions], made, rng)
            sides = [chains, *(_disturbed(chains, spare, made, each) for each in own)]
            for file, side in zip(files, sides, strict=True):
                file.write(_document(name, tokens, side))
            if clusters:
                _write_clusters(folder, name, sides[:2])


def _write_clusters(folder: Path, name: str, sides: list[Chains]) -> None:
    """The chains alone: JSON lines for us, and a folder with a file for every document for scorch."""
    for kind, chains in zip(("key", "response1"), sides, strict=True):
        with (folder / f"{kind}.jsonl").open("a") as lines:
            lines.write(json.dumps({"id": name, "clusters": chains}) + "\n")
        (folder / kind).mkdir(exist_ok=True)
        data = {str(number): [f"{first}-{last}" for first, last in chain] for number, chain in enumerate(chains)}
        text = json.dumps({"type": "clusters", "clusters": data})
        (folder / kind / f"{name.replace('/', '-')}.json").write_text(text)


def _spans(number: int, tokens: int, rng: random.Random) -> list[Span]:
    found: dict[Span, None] = {}
    while len(found) < number:
        first = rng.randrange(tokens)
        length = rng.choices((1, 2, 3, 4, 6, 9), (45, 25, 12, 8, 6, 4))[0]
        found[first, min(tokens - 1, first + length - 1)] = None
    return list(found)


def _chains(spans: list[Span], shape: Shape, rng: random.Random) -> Chains:
    number = max(1, round(len(spans) / shape.per_chain))
    if shape.heavy:
        weights = [1 / (rank + 1) for rank in range(number)]
        places = [*range(number), *rng.choices(range(number), weights, k=len(spans) - number)]
    else:
        places = [*range(number), *(rng.randrange(number) for _ in range(len(spans) - number))]
    chains: Chains = [[] for _ in range(number)]
    for span, place in zip(spans, places, strict=True):
        chains[place].append(span)
    return chains


def _disturbed(chains: Chains, spare: list[Span], shape: Shape, rng: random.Random) -> Chains:
    kept: Chains = [[span for span in chain if rng.random() >= 0.14] for chain in chains]
    moving: list[Span] = []
    for chain in kept:
        leaving = {span: None for span in chain if rng.random() < shape.moved}
        moving += leaving
        chain[:] = [span for span in chain if span not in leaving]
    spurious = spare[: round(0.15 * sum(map(len, chains)))]
    for span in (*moving, *spurious):
        rng.choice(kept).append(span)
    done: Chains = []
    for chain in kept:
        if len(chain) > 3 and rng.random() < 0.1:
            cut = rng.randrange(1, len(chain))
            done += [chain[:cut], chain[cut:]]
        elif done and rng.random() < 0.05:
            done[-1] = [*done[-1], *chain]
        else:
            done.append(chain)
    return [chain for chain in done if chain]


def _document(name: str, tokens: int, chains: Chains) -> str:
    items: dict[int, list[str]] = {}
    for number, chain in enumerate(chains):
        taken: set[int] = set()
        for first, last in chain:
            if first == last:
                items.setdefault(first, []).append(f"({number})")
            elif taken.isdisjoint(range(first, last + 1)):  # brackets of one chain that cross would be read as others
                taken.update(range(first, last + 1))
                items.setdefault(first, []).append(f"({number}")
                items.setdefault(last, []).append(f"{number})")
    lines = [f"#begin document ({name}); part 000"]
    for token in range(tokens):
        if token and token % 20 == 0:
            lines.append("")
        column = "|".join(items.get(token, ["-"]))
        lines.append(f"{name}\t0\t{token % 20}\tword\tNN\t(NP*)\t-\t-\t-\tspeaker\t*\t{column}")
    return "\n".join([*lines, "", "#end document", ""])
