"""Edit distance of two strings, one machine operation for a whole column of the table."""

from __future__ import annotations


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
    """Length of the common prefix, by doubling and halving so that long equal stretches are compared at once."""
    low, high = 0, min(len(a), len(b))
    step = 16
    while low < high:
        reach = min(low + step, high)
        if a[low:reach] == b[low:reach]:
            low = reach
            step *= 2
        elif reach - low == 1:
            break
        else:
            high = reach
            step = max(1, (reach - low) // 2)
    return low


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
