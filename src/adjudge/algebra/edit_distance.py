"""Edit distances: of two texts, and of all pairs of two lists of texts at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Distances: TypeAlias = "npt.NDArray[np.int64]"

_WORD = 63  # letters of a text that fits into a machine word, one bit each
_FEW = 40  # pairs, below which calling numpy does not pay
_AT_ONCE = 1 << 18  # pairs, so that memory stays bounded


def levenshtein(a: str, b: str, limit: int | None = None) -> int:
    """The least number of insertions, deletions and substitutions that turn `a` into `b`.

    Bit-parallel (Myers 1999, in the form of Hyyrö 2003): a column of the dynamic programme is two integers whose bits
    say where the distance goes up or down by one. With a limit, `limit + 1` stands for every distance above it.

    >>> levenshtein("kitten", "sitting"), levenshtein("kitten", "sitting", limit=1)
    (3, 2)
    """
    if len(a) > len(b):
        a, b = b, a
    if limit is None:
        limit = len(b)
    if a == b:
        return 0
    if len(b) - len(a) > limit:
        return limit + 1
    start = _common_prefix(a, b)
    a, b = a[start:], b[start:]
    end = _common_prefix(a[::-1], b[::-1])
    if end:
        a, b = a[:-end], b[:-end]
    if not a:
        return len(b)
    return _distance(a, b, limit)


def _common_prefix(a: str, b: str) -> int:
    return next((k for k, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))


def _distance(a: str, b: str, limit: int) -> int:
    positions: dict[str, int] = {}
    bit = 1
    for letter in a:
        positions[letter] = positions.get(letter, 0) | bit
        bit <<= 1
    mask, last = bit - 1, bit >> 1
    up, down = mask, 0
    distance = len(a)
    remaining = len(b)
    for letter in b:
        equal = positions.get(letter, 0)
        diagonal = (((equal & up) + up) ^ up) | equal | down
        right_up = down | ~(diagonal | up)
        right_down = up & diagonal
        if right_up & last:
            distance += 1
        elif right_down & last:
            distance -= 1
        remaining -= 1
        # The last cell can sink by at most one for each letter still to come.
        if distance - remaining > limit:
            return limit + 1
        right_up = (right_up << 1) | 1
        up = ((right_down << 1) | ~(diagonal | right_up)) & mask
        down = right_up & diagonal & mask
    return distance


def distances(rows: Sequence[str], columns: Sequence[str]) -> Distances:
    """The edit distance of every text of `rows` to every one of `columns`; best given without repeats.

    The same bit-parallel algorithm, with one machine word per pair and all pairs at once.

    >>> distances(["kitten", "mitten"], ["sitting", ""]).tolist()
    [[3, 6], [3, 6]]
    """
    import numpy as np

    if len(rows) * len(columns) < _FEW:
        return np.array([[levenshtein(a, b) for b in columns] for a in rows], dtype=np.int64).reshape(
            len(rows), len(columns)
        )
    found = np.zeros((len(rows), len(columns)), dtype=np.int64)
    short = [place for place, text in enumerate(rows) if 0 < len(text) <= _WORD]
    for place in sorted(set(range(len(rows))).difference(short)):
        found[place] = [levenshtein(rows[place], other) for other in columns]
    step = max(1, _AT_ONCE // len(columns))
    for some in (short[start : start + step] for start in range(0, len(short), step)):
        found[some] = _side_by_side([rows[place] for place in some], columns)
    return found


def _side_by_side(patterns: Sequence[str], texts: Sequence[str]) -> Distances:
    """All distances to texts of any length of patterns that fit into a machine word."""
    import numpy as np

    letters = {letter: code for code, letter in enumerate(sorted(set("".join(patterns))), 1)}
    masks = np.zeros((len(letters) + 1, len(patterns), 1), dtype=np.uint64)
    for row, pattern in enumerate(patterns):
        for place, letter in enumerate(pattern):
            masks[letters[letter], row, 0] |= np.uint64(1 << place)
    lengths = np.array([[len(pattern)] for pattern in patterns], dtype=np.uint64)
    order = sorted(range(len(texts)), key=lambda place: -len(texts[place]))
    codes = [[letters.get(letter, 0) for letter in texts[place]] for place in order]
    one = np.uint64(1)
    mask = (one << lengths) - one
    last = lengths - one
    up = np.repeat(mask, len(texts), axis=1)
    down = np.zeros_like(up)
    found = np.repeat(lengths.astype(np.int64), len(texts), axis=1)
    live = len(texts)
    for place in range(len(codes[0]) if codes else 0):
        while len(codes[live - 1]) <= place:  # the longest texts stand first
            live -= 1
        equal = masks[[code[place] for code in codes[:live]], :, 0].T
        rise, fall = up[:, :live], down[:, :live]
        diagonal = (((equal & rise) + rise) ^ rise) | equal | fall
        right_up = fall | ~(diagonal | rise)
        right_down = rise & diagonal
        found[:, :live] += ((right_up >> last) & one).astype(np.int64) - ((right_down >> last) & one).astype(np.int64)
        right_up = (right_up << one) | one
        up[:, :live] = ((right_down << one) | ~(diagonal | right_up)) & mask
        down[:, :live] = right_up & diagonal & mask
    back = np.empty_like(found)
    back[:, order] = found
    return back
