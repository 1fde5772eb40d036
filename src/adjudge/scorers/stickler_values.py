"""The comparators of stickler-eval 1.0.0, for all pairs of two lists of scalars."""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Sequence
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any, TypeAlias

from adjudge.algebra.edit_distance import distances
from adjudge.algebra.values import as_date

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Table: TypeAlias = "npt.NDArray[np.float64]"


def similarities(comparator: str, golds: Sequence[Any], systems: Sequence[Any]) -> Table:
    """The similarity of every pair.

    >>> similarities("LevenshteinComparator", ["Acme"], ["acme ", "Ace"]).tolist()
    [[1.0, 0.75]]
    """
    import numpy as np

    if comparator == "DateComparator":
        return _days(golds, systems)
    read = {"LevenshteinComparator": _text, "NumericComparator": _decimal, "ExactComparator": _itself}[comparator]
    codes: tuple[dict[Hashable, int], ...] = ({}, {})
    sides = [
        np.array([own.setdefault(read(each), len(own)) for each in side], dtype=np.int64)
        for own, side in zip(codes, (golds, systems), strict=True)
    ]
    if comparator == "LevenshteinComparator":
        texts = [[str(each) for each in own] for own in codes]
        longer = np.maximum(*np.ix_(*([len(each) for each in own] for own in texts)))
        table = 1 - np.divide(distances(*texts), longer, out=np.zeros(longer.shape), where=longer > 0)
    else:
        table = np.array([[float(a == b and a is not None) for b in codes[1]] for a in codes[0]])
    found: Table = table[sides[0][:, None], sides[1]]
    return found


def _days(golds: Sequence[Any], systems: Sequence[Any]) -> Table:
    """Whether two texts can be read as one day, month before day or after it."""
    import numpy as np

    ours, theirs = (
        [{as_date(each, first) for first in (True, False)} - {None} for each in side] for side in (golds, systems)
    )
    return np.array([[float(bool(one & other)) for other in theirs] for one in ours])


def _text(value: Any) -> str:
    return " ".join(str(value).lower().split()) if value is not None else ""


def _itself(value: Any) -> Hashable:
    return type(value), json.dumps(value, sort_keys=True) if isinstance(value, list) else value


def _decimal(value: Any) -> Decimal | None:
    text = str(value).strip()
    kept = re.sub(r"[^0-9.-]", "", text)
    try:
        found = Decimal(kept)
    except InvalidOperation:
        return None
    return -found if text.startswith("(") and text.endswith(")") else found
