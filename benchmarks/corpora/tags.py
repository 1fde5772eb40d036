"""Two-column files of named entities: gold, system, and both in one."""

from __future__ import annotations

import random
from pathlib import Path

_SEED = 13


def write(folder: Path, *, tokens: int) -> None:
    """Sentences of 15 tokens, a fifth of them in entities of four types; the system gets 5 % of the tags wrong."""
    rng = random.Random(_SEED)
    kinds = ("PER", "LOC", "ORG", "MISC")
    tags = ["O", *(f"{prefix}-{kind}" for prefix in "BI" for kind in kinds)]
    with (
        (folder / "gold").open("w") as gold,
        (folder / "system").open("w") as system,
        (folder / "both").open("w") as both,
    ):
        for _ in range(max(1, tokens // 15)):
            sentence: list[str] = []
            while len(sentence) < 15:
                kind, length = rng.choice(kinds), rng.randint(1, 3)
                sentence += [f"B-{kind}", *[f"I-{kind}"] * (length - 1)] if rng.random() < 0.2 else ["O"]
            for place, tag in enumerate(sentence[:15]):
                guess = rng.choice(tags) if rng.random() < 0.05 else tag
                gold.write(f"word{place} {tag}\n")
                system.write(f"word{place} {guess}\n")
                both.write(f"word{place} {tag} {guess}\n")
            for file in (gold, system, both):
                file.write("\n")
