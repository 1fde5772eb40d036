"""Whether gold and system were given in the wrong order, as far as files tell: their names, and who has confidences."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from adjudge.stats.result import Note

GOLD = frozenset(("gold", "golden", "goldstandard", "key", "keys", "reference", "references", "truth", "groundtruth"))
SYSTEM = frozenset(
    ("system", "sys", "pred", "preds", "prediction", "predictions", "predicted", "response", "responses", "output")
)


def swapped_note(gold: str | None, system: str | None, *, confident: tuple[bool, bool] = (False, False)) -> Note | None:
    """A note if the system looks like gold and gold does not; `confident` says which of the two has confidences.

    >>> swapped_note("pred.jsonl", "gold.jsonl").message
    'the system is called gold.jsonl and gold is called pred.jsonl: are the two swapped?'
    >>> swapped_note("gold.jsonl", "gold2.jsonl") is None
    True
    """
    from adjudge.stats.result import Note

    if gold is not None and system is not None:
        ours, theirs = _words(gold), _words(system)
        if theirs & GOLD and not theirs & SYSTEM and not ours & GOLD:
            names = PurePath(system).name, PurePath(gold).name
            message = f"the system is called {names[0]} and gold is called {names[1]}: are the two swapped?"
            return Note("swapped", 1, message)
    if confident == (True, False):
        message = "gold has confidences and the system has none: are the two swapped?"
        return Note("swapped", 1, message)
    return None


def _words(path: str) -> set[str]:
    return set(re.split(r"[^a-z]+", PurePath(path).name.lower()))
