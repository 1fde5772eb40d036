"""JSON lines of documents with one to four relations, in shards: for corpora of very many small documents.

The system misses 15 % of the relations, gets 10 % of the types wrong, and finds some that are not there.
"""

from __future__ import annotations

import random
from pathlib import Path

TYPES = ("founded", "works-for", "part-of", "located-in", "born-in", "owns")
_SEED = 13
_SHARD = 50_000


def write(folder: Path, *, documents: int) -> None:
    """`gold/` and `system/` with files of 50,000 documents each."""
    rng = random.Random(_SEED)
    for side in ("gold", "system"):
        (folder / side).mkdir()
    for first in range(0, documents, _SHARD):
        lines: dict[str, list[str]] = {"gold": [], "system": []}
        for number in range(first, min(first + _SHARD, documents)):
            true = [_relation(rng) for _ in range(rng.randint(1, 4))]
            found = [_changed(each, rng) for each in true if rng.random() > 0.15]
            if rng.random() < 0.2:
                found.append(_relation(rng))
            for side, own in (("gold", true), ("system", found)):
                text = ", ".join(map(_shown, own))
                lines[side].append(f'{{"id": "d{number:09}", "genre": "g{number % 7}", "relations": [{text}]}}\n')
        for side, own in lines.items():
            (folder / side / f"{first // _SHARD:05}.jsonl").write_text("".join(own), encoding="utf-8")


def _relation(rng: random.Random) -> tuple[str, int, int]:
    return rng.choice(TYPES), rng.randrange(400), rng.randrange(400)


def _changed(relation: tuple[str, int, int], rng: random.Random) -> tuple[str, int, int]:
    return (rng.choice(TYPES), *relation[1:]) if rng.random() < 0.1 else relation


def _shown(relation: tuple[str, int, int]) -> str:
    type_, a, b = relation
    return (
        f'{{"type": "{type_}", "subject": {{"start": {a}, "end": {a + 3}}}, '
        f'"object": {{"start": {b}, "end": {b + 5}}}}}'
    )
