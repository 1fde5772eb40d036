"""One invoice with many lines, and an answer with the lines in another order and a seventh of the prices wrong."""

from __future__ import annotations

import json
import random
from pathlib import Path

_SEED = 17
_WORDS = ("blue", "bolt", "nut", "red", "pipe", "large")


def write(folder: Path, *, lines: int) -> None:
    """Lines of four fields: a number of its own, three words, a quantity and a price."""
    rng = random.Random(_SEED)
    gold = [
        {
            "sku": f"S{place:03}",
            "description": " ".join(rng.choices(_WORDS, k=3)),
            "qty": rng.randint(1, 9),
            "price": round(100 * rng.random(), 2),
        }
        for place in range(lines)
    ]
    system = [{**line, "price": 1.5} if place % 7 == 0 else dict(line) for place, line in enumerate(gold)]
    rng.shuffle(system)
    for name, side in (("gold", gold), ("system", system)):
        document = {"id": "d1", "records": {"vendor": "Acme", "lines": side}}
        (folder / name).write_text(json.dumps(document) + "\n")
