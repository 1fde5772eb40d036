"""CoNLL-U files of dependency trees: gold and system."""

from __future__ import annotations

import random
from pathlib import Path

_SEED = 13


def write(folder: Path, *, words: int) -> None:
    """Sentences of 20 words with random trees; the system has another label for 10 % and another tag for 5 %."""
    rng = random.Random(_SEED)
    labels = ("nsubj", "obj", "det", "case", "punct", "obl:tmod", "aux", "mark", "conj", "advmod", "nmod")
    with (folder / "gold").open("w") as gold, (folder / "system").open("w") as system:
        for _ in range(max(1, words // 20)):
            order = rng.sample(range(1, 21), 20)
            heads = {word: rng.choice(order[:place]) if place else 0 for place, word in enumerate(order)}
            for word in range(1, 21):
                form, head = rng.choice(("dog", "house", "running", "the")), heads[word]
                label = rng.choice(labels) if head else "root"
                other = rng.choice(labels) if head and rng.random() < 0.1 else label
                tag = "VERB" if rng.random() < 0.05 else "NOUN"
                row = f"{word}\t{form}\t{form}\t{{}}\tNN\tCase=Nom|Number=Sing\t{head}\t{{}}\t_\t_\n"
                gold.write(row.format("NOUN", label))
                system.write(row.format(tag, other))
            gold.write("\n")
            system.write("\n")
